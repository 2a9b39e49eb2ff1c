"""Gaits as numbers that follow from the speed: timing, footwork, pelvis, trunk and arms.

Speeds are compared in leg lengths per second, so that tall and short actors move alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
from jaxtyping import Float

Values = Float[np.ndarray, "*times"]


@dataclass(frozen=True, eq=False)
class Gait:
    """The numbers of a gait; each may change over time. Lengths are in leg lengths, angles in radians."""

    # when, as fractions of the cycle after the first contact of the foot
    period: Values  # seconds per cycle of two steps
    heel_strike: Values
    toe_strike: Values
    heel_off: Values
    toe_off: Values
    # where the feet go
    width: Values  # from the middle line to a foot
    toe_out: Values
    over: Values  # fraction of the stance at which the pelvis passes over the ankle
    lag: Values  # how much later than evenly the foot goes forward
    # how a foot moves; positive pitch points the toes down
    strike_pitch: Values
    off_pitch: Values
    whip_pitch: Values  # the most, soon after toe-off
    pass_pitch: Values  # as it passes the other foot
    ball_lift: Values  # height of the ball early in the swing
    ball_pass: Values  # and when it passes the other foot
    heel_pass: Values  # height of the heel then
    heel_reach: Values  # and just before it lands
    # how bent the standing leg is
    knee_strike: Values
    knee_load: Values
    knee_late: Values
    # the pelvis
    flight: Values  # 0 the pelvis rides on the standing leg, 1 it bounces from flight to flight
    sink: Values  # how much deeper than a plain arc the bounce goes
    sway: Values
    surge: Values
    tilt: Values  # forward
    tilt_swing: Values
    hip_drop: Values
    hip_turn: Values
    # the trunk and the head
    lean: Values  # of the chest, forward
    nod: Values
    chest_turn: Values
    chest_rock: Values
    head_down: Values
    look: Values  # to either side, once a cycle
    # the arms
    arm_swing: Values
    arm_forward: Values  # mean
    arm_out: Values
    arm_twist: Values
    elbow: Values  # mean
    elbow_swing: Values
    shrug: Values

    @classmethod
    def of(cls, **numbers: float) -> Gait:
        """A gait that stays the same."""
        return cls(**{name: np.asarray(value, dtype=float) for name, value in numbers.items()})

    def at(self, times: Float[np.ndarray, " grid"], wanted: Float[np.ndarray, "*when"]) -> Gait:
        """The gait at other times than those it is given for."""
        return self._each(lambda _, values: np.interp(wanted, times, values))

    def spread(self, n_times: int) -> Gait:
        """The same gait at each of so many times."""
        return self._each(lambda _, values: np.broadcast_to(values, (n_times,)))

    def changed(self, scale: dict[str, float], shift: dict[str, float]) -> Gait:
        """The gait with some numbers multiplied, then raised."""
        return self._each(lambda name, values: values * scale.get(name, 1.0) + shift.get(name, 0.0))

    def _each(self, what: Callable[[str, Values], Values]) -> Gait:
        return Gait(**{f.name: np.asarray(what(f.name, getattr(self, f.name))) for f in fields(self)})


def mix(first: Gait, second: Gait, share: Values) -> Gait:
    """Between two gaits, ``share`` 0 … 1 of the second."""
    return first._each(lambda name, values: (1.0 - share) * values + share * getattr(second, name))


_DEGREES = {
    "toe_out", "strike_pitch", "off_pitch", "whip_pitch", "pass_pitch", "knee_strike", "knee_load", "knee_late", "tilt",
    "tilt_swing", "hip_drop", "hip_turn", "lean", "nod", "chest_turn", "chest_rock", "head_down", "look", "arm_swing",
    "arm_forward", "arm_out", "arm_twist", "elbow", "elbow_swing", "shrug",
}  # fmt: skip

# A number at each of four speeds of the walk and of the run; interpolated in between.
_WALK_SPEEDS = (0.25, 0.7, 1.45, 2.4)  # leg lengths per second
_RUN_SPEEDS = (1.8, 3.0, 4.5, 7.5)  # leg lengths per second
_TABLE: dict[str, tuple[tuple[float | int, ...], tuple[float | int, ...]]] = {
    "heel_strike": ((0, 0, 0, 0), (0, 0, 0, 0)),
    "toe_strike": ((0.09, 0.09, 0.085, 0.075), (0.035, 0.031, 0.028, 0.025)),
    "width": ((0.085, 0.08, 0.075, 0.065), (0.06, 0.05, 0.045, 0.035)),
    "toe_out": ((8, 8, 7, 5), (6, 5, 4, 3)),
    "lag": ((0.05, 0.05, 0.05, 0.1), (0.55, 0.58, 0.7, 0.9)),
    "over": ((0.40, 0.38, 0.36, 0.35), (0.34, 0.31, 0.33, 0.36)),
    "strike_pitch": ((-4, -10, -16, -22), (-9, -10, -10, -7)),
    "off_pitch": ((28, 40, 52, 68), (44, 47, 48, 56)),
    "whip_pitch": ((40, 58, 75, 88), (70, 83, 88, 96)),
    "pass_pitch": ((8, 10, 11, 12), (38, 51, 56, 60)),
    "ball_lift": ((0.04, 0.06, 0.076, 0.095), (0.10, 0.16, 0.24, 0.33)),
    "ball_pass": ((0.025, 0.03, 0.036, 0.045), (0.12, 0.20, 0.26, 0.32)),
    "heel_pass": ((0.045, 0.055, 0.066, 0.08), (0.14, 0.24, 0.31, 0.40)),
    "heel_reach": ((0.006, 0.0065, 0.007, 0.009), (0.05, 0.075, 0.10, 0.13)),
    "knee_strike": ((9, 9, 10, 12), (15, 18, 23, 30)),
    "knee_load": ((12, 15, 21, 28), (35, 42, 44, 44)),
    "knee_late": ((8, 8, 8, 10), (20, 18, 16, 16)),
    "flight": ((0, 0, 0, 0), (1, 1, 1, 1)),
    "sink": ((0, 0, 0, 0), (0.006, 0.008, 0.008, 0.006)),
    "sway": ((0.035, 0.032, 0.025, 0.018), (0.016, 0.012, 0.009, 0.006)),
    "surge": ((0.004, 0.007, 0.01, 0.012), (0.004, 0.004, 0.004, 0.004)),
    "tilt": ((3, 3, 4, 6), (6, 8, 10, 13)),
    "tilt_swing": ((0.4, 0.7, 1.2, 1.8), (1.5, 2, 2.5, 3)),
    "hip_drop": ((2, 3, 4.5, 5.5), (3, 4, 4.5, 5)),
    "hip_turn": ((1.5, 3, 6, 10), (4, 6, 8, 10)),
    "lean": ((2, 2, 3, 5), (5, 7, 9, 12)),
    "nod": ((0.2, 0.4, 0.7, 1.0), (0.8, 1, 1.2, 1.4)),
    "chest_turn": ((1, 2.5, 5, 8), (7, 10, 13, 16)),
    "chest_rock": ((1, 1.2, 1.5, 1.5), (1, 1.5, 2, 2)),
    "head_down": ((5, 4, 3, 2), (2, 2, 1, 0)),
    "look": ((0, 0, 0, 0), (0, 0, 0, 0)),
    "arm_swing": ((4, 11, 20, 30), (20, 27, 36, 46)),
    "arm_forward": ((2, 2, 2, 4), (-8, -8, -8, -6)),
    "arm_out": ((9, 9, 8, 9), (13, 14, 14, 14)),
    "arm_twist": ((20, 20, 20, 24), (6, 4, 3, 2)),
    "elbow": ((15, 17, 23, 38), (75, 82, 88, 92)),
    "elbow_swing": ((2, 5, 9, 14), (8, 11, 15, 19)),
    "shrug": ((0, 0, 0, 1), (2, 3, 3, 4)),
}
WALK_RANGE = (_WALK_SPEEDS[0], _WALK_SPEEDS[-1])  # leg lengths per second
RUN_RANGE = (_RUN_SPEEDS[0], 5.2)  # beyond lies the sprint, which is another motion


def walking(relative_speed: float) -> Gait:
    """The walk at a speed in leg lengths per second: Inman's cadence, Boulic and Thalmann's support times."""
    numbers = _numbers(0, relative_speed, _WALK_SPEEDS)
    period = 1.346 / np.sqrt(relative_speed)
    # Their support time is 0.752 of the period less 0.143 s; captures, and the plant tables, lie a little below.
    toe_off = min(0.722 - 0.143 / period, 0.65) - float(np.interp(relative_speed, (1.45, 2.4), (0.0, 0.02)))
    heel_off = toe_off - float(np.interp(relative_speed, (0.25, 1.45, 2.4), (0.17, 0.20, 0.21)))
    return Gait.of(**numbers, period=period, toe_off=toe_off, heel_off=heel_off)


def running(relative_speed: float, leg: float) -> Gait:
    """The run at a speed in leg lengths per second, for a leg of so many metres: long legs swing slowly."""
    numbers = _numbers(1, relative_speed, _RUN_SPEEDS)
    periods = (0.78, 0.745, 0.70, 0.58)  # seconds, for a leg of 0.93 m
    heels_off, toes_off = (0.24, 0.19, 0.145, 0.10), (0.42, 0.36, 0.286, 0.21)  # cycles after the foot strikes
    period, heel_off, toe_off = (
        float(np.interp(relative_speed, _RUN_SPEEDS, row)) for row in (periods, heels_off, toes_off)
    )
    return Gait.of(**numbers, period=period * np.sqrt(leg / 0.93), heel_off=heel_off, toe_off=toe_off)


def standing(**numbers: float) -> Gait:
    """Quiet standing: a walk without its movements, with these numbers in place of its own."""
    still = {
        "arm_swing", "elbow_swing", "sway", "surge", "tilt_swing", "hip_drop", "hip_turn", "nod", "chest_turn",
        "chest_rock",
    }  # fmt: skip
    quiet = walking(0.6).changed(dict.fromkeys(still, 0.0), {"knee_load": np.radians(-5.0)})
    return quiet.changed(dict.fromkeys(numbers, 0.0), numbers)


def _numbers(kind: int, speed: float, speeds: tuple[float, ...]) -> dict[str, float]:
    """The numbers of a walk (0) or run (1) at a speed; angles in radians."""
    return {
        name: float(np.interp(speed, speeds, np.radians(rows[kind]) if name in _DEGREES else rows[kind]))
        for name, rows in _TABLE.items()
    }
