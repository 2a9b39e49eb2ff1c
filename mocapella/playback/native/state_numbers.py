"""A player's state and settings as the numbers of the native core, and back."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Literal

import numpy as np
from jaxtyping import Float

from mocapella.arrays import owned
from mocapella.blending.network import Network
from mocapella.motion.spectrum import Spectrum
from mocapella.playback.feet.locks import FootLocks, PointLock
from mocapella.playback.handover import RootMotion
from mocapella.playback.modes import HybridState
from mocapella.playback.native import player_core
from mocapella.playback.native.player_core import STATE, STATE_SIZE
from mocapella.playback.native.player_tables import NativeTables
from mocapella.playback.playhead import Playhead
from mocapella.playback.pointer import PointState, WeightedPlace, WeightFade
from mocapella.playback.settings import FEET_MODES, PlayerSettings
from mocapella.playback.state import PlayerState

_STANDING: tuple[Literal["coming", "down", "leaving"], ...] = ("coming", "down", "leaving")
_NONE = -1.0  # a number that is not given


def state_of(tables: NativeTables, numbers: list[float], hybrid: HybridState | None) -> PlayerState:
    """The state that numbers of the core stand for; the core has no place in a hybrid network."""
    axes = tables.packed.axes

    def one(name: str) -> float:
        return float(numbers[STATE[name].start])

    def some(name: str, count: int) -> tuple[float, ...]:
        first = STATE[name].start
        return tuple(numbers[first : first + count])

    aim, fade = None, None
    if isinstance(tables.network, Network):
        n = int(one("n_aim"))
        nodes = tuple(map(int, some("aim", n)))
        aim = WeightedPlace(
            int(one("simplex")), nodes, some("aim_weight", n), some("aim_point", axes), bool(one("inside"))
        )
        if n := int(one("n_fade")):
            fade = WeightFade(tuple(map(int, some("fade", n))), some("fade_weight", n), one("fade_age"))
    pace, harmonics = one("pace"), one("harmonics")
    point = PointState(
        some("point", axes),
        some("goal", axes),
        some("velocity", axes),
        None if pace < 0.0 else pace,
        aim,
        fade,
        None if harmonics < 0.0 else harmonics,
    )
    x, z = some("position", 2)
    root = RootMotion(Playhead(one("phase"), (x, z), one("yaw")), complex(*some("owed", 2)))
    placed, hold, leaving = some("placed", 4), some("hold", 4), some("leaving", 4)
    place, shift = some("place", 8), some("shift", 8)
    a, b, c, d = (
        PointLock(
            complex(*place[2 * i : 2 * i + 2]) if placed[i] else None,
            hold[i],
            complex(*shift[2 * i : 2 * i + 2]),
            bool(leaving[i]),
        )
        for i in range(4)
    )
    left, right = some("standing", 2)
    anchor = int(one("anchor"))
    locks = FootLocks(
        (a, b, c, d),
        bool(one("begun")),
        one("strain"),
        None,
        (_STANDING[int(left)], _STANDING[int(right)]),
        None if anchor < 0 else anchor,
        complex(*some("anchor_place", 2)),
    )
    clocks = some("clock", tables.packed.own)
    return PlayerState(point, root, locks, hybrid, clocks, one("time"))


def numbers_of(tables: NativeTables, state: PlayerState) -> list[float] | None:
    """A state as the core's numbers; None where it does not fit into the record."""
    point, root, locks = state.point, state.root, state.locks
    axes, aim, fade = tables.packed.axes, point.aim, point.fade
    if isinstance(tables.network, Spectrum):
        aim = WeightedPlace(0, (0,), (1.0,), point.point, True)
    if aim is None or len(aim.nodes) > 4 or (fade is not None and len(fade.nodes) > player_core.FADING):
        return None
    if len(point.point) != axes or len(state.clocks) != tables.packed.own or axes > player_core.AXES:
        return None
    out = [0.0] * STATE_SIZE

    def put(name: str, *values: float) -> None:
        first = STATE[name].start
        out[first : first + len(values)] = values

    put("point", *point.point)
    put("goal", *point.goal)
    put("velocity", *point.velocity)
    put("pace", _NONE if point.pace is None else point.pace)
    put("harmonics", _NONE if point.harmonics is None else point.harmonics)
    put("simplex", float(aim.triangle))
    put("inside", float(aim.inside))
    put("n_aim", float(len(aim.nodes)))
    put("aim", *map(float, aim.nodes))
    put("aim_weight", *aim.weights)
    put("aim_point", *aim.point)
    if fade is not None:
        put("fade_age", fade.age)
        put("n_fade", float(len(fade.nodes)))
        put("fade", *map(float, fade.nodes))
        put("fade_weight", *fade.weights)
    head = root.head
    put("phase", head.phase)
    put("position", *head.position)
    put("yaw", head.yaw)
    put("owed", root.owed.real, root.owed.imag)
    for i, lock in enumerate(locks.points):
        first = STATE["place"].start + 2 * i
        out[STATE["placed"].start + i] = float(lock.place is not None)
        if lock.place is not None:
            out[first : first + 2] = lock.place.real, lock.place.imag
        out[STATE["hold"].start + i] = lock.hold
        out[STATE["shift"].start + 2 * i : STATE["shift"].start + 2 * i + 2] = lock.shift.real, lock.shift.imag
        out[STATE["leaving"].start + i] = float(lock.leaving)
    put("begun", float(locks.begun))
    put("strain", locks.strain)
    put("standing", *(float(_STANDING.index(one)) for one in locks.standing))
    put("anchor", _NONE if locks.anchor is None else float(locks.anchor))
    put("anchor_place", locks.anchor_place.real, locks.anchor_place.imag)
    put("clock", *state.clocks)
    put("time", state.time)
    return out


@lru_cache(maxsize=64)
def settings_numbers(settings: PlayerSettings) -> Float[np.ndarray, " numbers"]:
    """Settings as the core takes them."""
    given = {
        "pace": math.inf if settings.pace is None else settings.pace,
        "harmonics": _NONE if settings.harmonics is None else float(settings.harmonics),
        "feet": float(FEET_MODES.index(settings.feet)),
    }
    return owned(np.array([given[name] if name in given else getattr(settings, name) for name in player_core.SETTINGS]))
