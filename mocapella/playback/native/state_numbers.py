"""A player's state and settings as the numbers of the native core, and back."""

from __future__ import annotations

import math
from collections.abc import Iterable
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

    def number(name: str) -> float:
        return float(numbers[STATE[name].start])

    def numbers_at(name: str, count: int) -> tuple[float, ...]:
        first = STATE[name].start
        return tuple(numbers[first : first + count])

    aim, fade = None, None
    if isinstance(tables.network, Network):
        n = int(number("n_aim"))
        nodes, weights = tuple(map(int, numbers_at("aim", n))), numbers_at("aim_weight", n)
        aim = WeightedPlace(
            int(number("simplex")), nodes, weights, numbers_at("aim_point", axes), bool(number("inside"))
        )
        if n := int(number("n_fade")):
            fade = WeightFade(tuple(map(int, numbers_at("fade", n))), numbers_at("fade_weight", n), number("fade_age"))
    pace, harmonics = number("pace"), number("harmonics")
    point = PointState(
        numbers_at("point", axes),
        numbers_at("goal", axes),
        numbers_at("velocity", axes),
        None if pace < 0.0 else pace,
        aim,
        fade,
        None if harmonics < 0.0 else harmonics,
    )
    x, z = numbers_at("position", 2)
    root = RootMotion(Playhead(number("phase"), (x, z), number("yaw")), complex(*numbers_at("owed", 2)))
    placed, hold, leaving = numbers_at("placed", 4), numbers_at("hold", 4), numbers_at("leaving", 4)
    place, shift = numbers_at("place", 8), numbers_at("shift", 8)
    a, b, c, d = (
        PointLock(
            complex(*place[2 * i : 2 * i + 2]) if placed[i] else None,
            hold[i],
            complex(*shift[2 * i : 2 * i + 2]),
            bool(leaving[i]),
        )
        for i in range(4)
    )
    left, right = numbers_at("standing", 2)
    anchor = int(number("anchor"))
    locks = FootLocks(
        (a, b, c, d),
        bool(number("begun")),
        number("strain"),
        None,
        (_STANDING[int(left)], _STANDING[int(right)]),
        None if anchor < 0 else anchor,
        complex(*numbers_at("anchor_place", 2)),
    )
    return PlayerState(point, root, locks, hybrid, numbers_at("clock", tables.packed.own), number("time"))


def numbers_of(tables: NativeTables, state: PlayerState) -> list[float] | None:
    """A state as the core's numbers; None where it does not fit into the record."""
    point, head = state.point, state.root.head
    axes, aim, fade = tables.packed.axes, point.aim, point.fade
    if isinstance(tables.network, Spectrum):
        aim = WeightedPlace(0, (0,), (1.0,), point.point, True)
    if aim is None or len(aim.nodes) > 4 or (fade is not None and len(fade.nodes) > player_core.FADING):
        return None
    if len(point.point) != axes or len(state.clocks) != tables.packed.own or axes > player_core.AXES:
        return None
    locks, points = state.locks, state.locks.points
    parts: dict[str, Iterable[float]] = {
        "point": point.point,
        "goal": point.goal,
        "velocity": point.velocity,
        "pace": [_NONE if point.pace is None else point.pace],
        "harmonics": [_NONE if point.harmonics is None else point.harmonics],
        "simplex": [aim.triangle],
        "inside": [aim.inside],
        "n_aim": [len(aim.nodes)],
        "aim": aim.nodes,
        "aim_weight": aim.weights,
        "aim_point": aim.point,
        "phase": [head.phase],
        "position": head.position,
        "yaw": [head.yaw],
        "owed": _parts(state.root.owed),
        "placed": [lock.place is not None for lock in points],
        "place": [part for lock in points for part in _parts(lock.place or 0j)],
        "hold": [lock.hold for lock in points],
        "shift": [part for lock in points for part in _parts(lock.shift)],
        "leaving": [lock.leaving for lock in points],
        "begun": [locks.begun],
        "strain": [locks.strain],
        "standing": [_STANDING.index(phase) for phase in locks.standing],
        "anchor": [_NONE if locks.anchor is None else locks.anchor],
        "anchor_place": _parts(locks.anchor_place),
        "clock": state.clocks,
        "time": [state.time],
    }
    if fade is not None:
        parts |= {"fade_age": [fade.age], "n_fade": [len(fade.nodes)], "fade": fade.nodes, "fade_weight": fade.weights}
    numbers = [0.0] * STATE_SIZE
    for name, values in parts.items():
        for at, value in enumerate(values, STATE[name].start):
            numbers[at] = float(value)
    return numbers


def _parts(number: complex) -> tuple[float, float]:
    return number.real, number.imag


@lru_cache(maxsize=64)
def settings_numbers(settings: PlayerSettings) -> Float[np.ndarray, " numbers"]:
    """Settings as the core takes them."""
    given = {
        "pace": math.inf if settings.pace is None else settings.pace,
        "harmonics": _NONE if settings.harmonics is None else float(settings.harmonics),
        "feet": float(FEET_MODES.index(settings.feet)),
    }
    return owned(np.array([given[name] if name in given else getattr(settings, name) for name in player_core.SETTINGS]))
