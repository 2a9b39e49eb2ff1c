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

    def number(name: str) -> float:
        return float(numbers[STATE[name].start])

    def numbers_at(name: str, count: int) -> tuple[float, ...]:
        first = STATE[name].start
        return tuple(numbers[first : first + count])

    aim, fade = None, None
    if isinstance(tables.network, Network):
        n = int(number("n_aim"))
        nodes = tuple(map(int, numbers_at("aim", n)))
        aim = WeightedPlace(
            int(number("simplex")),
            nodes,
            numbers_at("aim_weight", n),
            numbers_at("aim_point", axes),
            bool(number("inside")),
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
    clocks = numbers_at("clock", tables.packed.own)
    return PlayerState(point, root, locks, hybrid, clocks, number("time"))


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
    numbers = _Numbers()
    put = numbers.put
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
    put("phase", head.phase)
    put("position", *head.position)
    put("yaw", head.yaw)
    put("owed", *_parts(state.root.owed))
    numbers.put_locks(state.locks)
    put("clock", *state.clocks)
    put("time", state.time)
    return numbers.values


class _Numbers:
    """The numbers of a state in the core's order, all 0 until they are put."""

    def __init__(self) -> None:
        self.values = [0.0] * STATE_SIZE

    def put(self, name: str, *values: float) -> None:
        """Put the numbers of one name; of fewer than there is room for, the first."""
        first = STATE[name].start
        self.values[first : first + len(values)] = values

    def put_locks(self, locks: FootLocks) -> None:
        """Put all numbers of foot locks."""
        points = locks.points
        self.put("placed", *(float(lock.place is not None) for lock in points))
        self.put("place", *(part for lock in points for part in _parts(lock.place or 0j)))
        self.put("hold", *(lock.hold for lock in points))
        self.put("shift", *(part for lock in points for part in _parts(lock.shift)))
        self.put("leaving", *(float(lock.leaving) for lock in points))
        self.put("begun", float(locks.begun))
        self.put("strain", locks.strain)
        self.put("standing", *(float(_STANDING.index(phase)) for phase in locks.standing))
        self.put("anchor", _NONE if locks.anchor is None else float(locks.anchor))
        self.put("anchor_place", *_parts(locks.anchor_place))


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
