"""Manners of going: what a mood changes in a gait."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from mocapella.actor.gait import Gait

_D = float(np.pi / 180.0)


@dataclass(frozen=True)
class Style:
    """Factors on and additions to a gait; angles added are in radians."""

    speed: float = 1.0  # of the speed gone if none is asked for
    scale: dict[str, float] = field(default_factory=dict)
    shift: dict[str, float] = field(default_factory=dict)
    stagger: float = 0.0  # metres the way and the steps stray

    def of(self, gait: Gait) -> Gait:
        """The gait in this style."""
        return gait.changed(self.scale, self.shift)


STYLES = MappingProxyType({
    "normal": Style(),
    "tired": Style(
        0.75,
        {"arm_swing": 0.55, "ball_lift": 0.75, "ball_pass": 0.6, "chest_turn": 0.6, "period": 1.10, "sway": 1.25},
        {"lean": 9 * _D, "head_down": 16 * _D, "knee_load": 5 * _D, "knee_late": 6 * _D, "knee_strike": 4 * _D,
         "shrug": -4 * _D, "arm_forward": 5 * _D, "elbow": -5 * _D},
    ),
    "brisk": Style(
        1.25,
        {"arm_swing": 1.45, "hip_turn": 1.2, "chest_turn": 1.3, "period": 0.93, "elbow_swing": 1.4},
        {"lean": 2 * _D, "elbow": 18 * _D, "head_down": -3 * _D},
    ),
    "sad": Style(
        0.68,
        {"arm_swing": 0.4, "ball_lift": 0.8, "ball_pass": 0.75, "hip_drop": 0.7, "chest_turn": 0.5, "period": 1.05},
        {"lean": 7 * _D, "head_down": 26 * _D, "shrug": -6 * _D, "knee_late": 3 * _D, "arm_forward": 4 * _D,
         "toe_out": -2 * _D},
    ),
    "happy": Style(
        1.05,
        {"arm_swing": 1.5, "ball_lift": 1.3, "hip_drop": 1.5, "chest_turn": 1.3, "chest_rock": 2.2, "nod": 2.0,
         "off_pitch": 1.08, "period": 0.96},
        {"lean": -4 * _D, "head_down": -7 * _D, "elbow": 12 * _D, "arm_out": 5 * _D, "knee_load": 4 * _D},
    ),
    "relaxed": Style(
        0.8,
        {"arm_swing": 1.15, "sway": 1.4, "hip_drop": 1.25, "chest_rock": 1.6, "period": 1.12},
        {"lean": -3 * _D, "toe_out": 4 * _D, "arm_out": 2 * _D, "head_down": -1 * _D, "toe_strike": 0.01},
    ),
    "marching": Style(
        1.0,
        {"arm_swing": 1.7, "arm_out": 0.6, "elbow": 0.35, "elbow_swing": 0.3, "ball_pass": 3.2, "ball_lift": 1.5,
         "strike_pitch": -0.55, "pass_pitch": 1.6, "whip_pitch": 0.75, "off_pitch": 0.8, "toe_strike": 0.0, "sway": 0.6,
         "chest_turn": 0.5, "nod": 0.3, "width": 0.8, "period": 0.92, "toe_off": 0.94},
        {"heel_strike": 0.05, "lean": -3 * _D, "head_down": -3 * _D, "arm_twist": -8 * _D, "knee_load": -3 * _D,
         "over": -0.05, "shrug": 2 * _D},
    ),
    "drunk": Style(
        0.6,
        {"arm_swing": 0.8, "width": 1.7, "sway": 2.2, "chest_rock": 3.0, "nod": 3.0, "ball_lift": 1.2, "period": 1.02},
        {"lean": 5 * _D, "head_down": 10 * _D, "arm_out": 9 * _D, "knee_load": 6 * _D, "knee_late": 6 * _D,
         "toe_out": 6 * _D, "elbow": 8 * _D},
        stagger=1.0,
    ),
})  # fmt: skip
