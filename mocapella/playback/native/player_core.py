"""The native core's player, loaded with ctypes where the package ``mocapella-native`` is; see native/src/player.h."""

from __future__ import annotations

import ctypes
import importlib
from functools import cache
from itertools import accumulate
from typing import Any

from mocapella.errors import warn

ABI = 2  # version of the interface, as the next numbers in native/src/player.h
SAMPLES = 32  # phases of a cycle at which the legs are looked at
ROWS = 128  # harmonics of a blend at most, with the mean
ARCS = 8  # plants of a foot point at most
CHAIN = 12  # joints from the root to an ankle at most
FADING = 24  # nodes whose old weights fade, at most
OWN = 8  # nodes with their own time at most
AXES = 3  # of the blending point at most
TRIGGERS = 32  # trigger zones of a block at most
NODES = 32  # nodes that count at once, at most
# fmt: off
SETTINGS = (
    "ease", "pace", "fade", "harmonic_rate", "agility", "rise", "strain_from", "strain_to", "root_shift_speed",
    "root_shift_time", "approach", "release", "swing_share", "shortest_plant", "hand_over", "nearest_plants",
    "hold_rate", "steepest_hold_rate", "release_from", "release_at", "release_speed", "long_step", "touchdown",
    "touchdown_share", "hover", "down", "lifted", "rocking", "sole_tilt", "harmonics", "feet",
)
WHOLE_NUMBERS = (
    "abi", "joints", "rows", "stride", "nodes", "needed", "first", "turned", "axes", "corners", "mesh_axes",
    "simplices", "border", "clamp", "convex", "line", "single", "plants", "scheduled", "legs", "own",
)
ARRAYS = (
    "coefficients", "late", "timing", "free", "gap", "map", "point", "edge", "scale", "along", "swing", "own_rate",
    "corner", "neighbour", "border_simplex", "plant_point", "own_node",
)
INTEGERS = ARRAYS[12:]
LEG_LENGTHS = ("heel_height", "toe_height", "tip_height", "tip_length", "flat_length", "ankle_share", "length")
_STATE = {
    "point": AXES, "goal": AXES, "velocity": AXES, "pace": 1, "harmonics": 1, "simplex": 1, "inside": 1, "n_aim": 1,
    "aim": 4, "aim_weight": 4, "aim_point": AXES, "fade_age": 1, "n_fade": 1, "fade": FADING, "fade_weight": FADING,
    "phase": 1, "position": 2, "yaw": 1, "owed": 2, "placed": 4, "place": 8, "hold": 4, "shift": 8, "leaving": 4,
    "begun": 1, "strain": 1, "standing": 2, "anchor": 1, "anchor_place": 2, "clock": OWN, "time": 1,
}
_GAIT = {
    "ready": 1, "rows": 1, "duration": 1, "rate": 1, "even": 1, "start": 1, "steady": 2, "origin": 2, "velocity": 2,
    "lift": 1, "swing": 2, "n_arcs": 4, "arc": 8 * ARCS, "n_plants": 4, "plant": 20 * ARCS, "bearing": 4 * SAMPLES,
    "table": 16 * SAMPLES, "beyond": 2 * ROWS, "n_spot": 1, "spot": NODES, "spot_weight": NODES,
}
# fmt: on
_HEADER = {"bytes": 1, "opened": 1, "n_triggers": 1, "trigger": TRIGGERS, "zone": TRIGGERS}  # all of eight bytes
_POSE = {"root": 3, "planted": 4, "over": 3, "serial": 1}


def _places(parts: dict[str, int], first: int) -> dict[str, slice]:
    """Where the numbers of each part stand, the first of them at ``first``."""
    ends = [first, *accumulate(parts.values(), initial=first)][1:]
    return {name: slice(begin, begin + size) for (name, size), begin in zip(parts.items(), ends, strict=False)}


HEADER = _places(_HEADER, 0)
STATE_AT = sum(_HEADER.values())
STATE = _places(_STATE, 0)  # counted from STATE_AT on
STATE_SIZE = sum(_STATE.values())
POSE = _places(_POSE, STATE_AT + STATE_SIZE)
GAIT = _places(_GAIT, STATE_AT + STATE_SIZE + sum(_POSE.values()))
RECORD_SIZE = GAIT["spot_weight"].stop  # numbers of a record, without the arrays behind them


class Leg(ctypes.Structure):
    """``PlayerLeg``."""

    _fields_ = [
        *((name, ctypes.c_int) for name in ("n", "hip", "knee", "toe")),
        ("joint", ctypes.c_int * CHAIN),
        ("offset", ctypes.c_double * 3 * CHAIN),
        *((name, ctypes.c_double * 3) for name in ("heel", "ball", "tip", "hinge", "across")),
        *((name, ctypes.c_double) for name in LEG_LENGTHS),
    ]


class Tables(ctypes.Structure):
    """``PlayerTables``."""

    _fields_ = [
        *((name, ctypes.c_int) for name in WHOLE_NUMBERS),
        *((name, ctypes.c_void_p) for name in ARRAYS),
        ("size", ctypes.c_longlong * len(ARRAYS)),
        ("leg", Leg * 2),
    ]


@cache
def player_core() -> Any | None:
    """The native core, ready to step players; None where it is not installed, or with a warning of another version."""
    core = fitting_core()
    if core is None and _installed() is not None:
        warn_of_version("players")
    return core


@cache
def fitting_core() -> Any | None:
    """The same without a warning, for those who use it if it is there and play nobody."""
    core = _installed()
    return None if core is None else prepared(core)


def _installed() -> Any | None:
    try:
        library = importlib.import_module("mocapella_native").library()
    except ImportError:
        return None
    return None if library is None else library[1]


@cache
def warn_of_version(characters: str) -> None:
    """Warn once that the installed core is of another version, and cannot step ``"players"`` or ``"crowds"``."""
    warn(
        f"mocapella-native is installed, but of another version than mocapella, so {characters} run in NumPy, many "
        "times slower; pip install --upgrade 'mocapella[fast]' helps, in a checkout pip install ./native"
    )


def prepared(core: Any) -> Any | None:
    """A library with the types of its functions declared; None where it was built for another interface version."""
    pointer, number = ctypes.c_void_p, ctypes.c_double
    try:
        core.player_sizes.restype = ctypes.c_longlong
        built_sizes = [core.player_sizes(which) for which in range(7)]
    except AttributeError:
        return None
    gait, state = RECORD_SIZE - GAIT["ready"].start, STATE_SIZE
    sizes = [8 * len(SETTINGS), ctypes.sizeof(Leg), ctypes.sizeof(Tables), 8 * gait, 8 * state, 8 * RECORD_SIZE, ABI]
    if built_sizes != sizes:
        return None
    core.player_check.argtypes = [pointer]
    core.player_room.argtypes, core.player_room.restype = [pointer], ctypes.c_longlong
    core.player_open.argtypes = [pointer, pointer, ctypes.c_longlong]
    core.player_step.argtypes = [pointer, pointer, pointer, number]
    core.player_ready.argtypes = [pointer, pointer, pointer]
    core.player_course.argtypes = [pointer, pointer, pointer]
    core.player_send.argtypes = [pointer, pointer, number, number]
    return core
