"""Staying on the spot: two ways of standing, twisting on planted feet, dancing from foot to foot."""

from __future__ import annotations

import numpy as np

from mocapella.actor.course import course
from mocapella.actor.gait import standing
from mocapella.actor.imperfections import Quirks
from mocapella.actor.request import Request
from mocapella.actor.scene import Scene, start_cycle, steady_times

_D = float(np.pi / 180.0)


def stay(request: Request, quirks: Quirks) -> Scene:
    """One of the idle set, over and over."""
    gait, planted = _IDLE[request.action]
    gait = request.manner.of(gait)
    period = float(gait.period)
    times, shown = steady_times(request, quirks, period, usual=3.0)
    still = np.zeros_like(times)
    way = course(
        times,
        still,
        still,
        gait.spread(len(times)),
        start=start_cycle(quirks),
        stands_first=planted,
        stands_last=planted,
    )
    return Scene(way, shown, period)


_IDLE = {  # gait, and whether the feet stay on the ground
    "stand": (
        standing(period=4.0, sway=0.022, hip_drop=1.2 * _D, nod=0.5 * _D, chest_rock=0.8 * _D, arm_swing=1.2 * _D,
                 look=2 * _D, knee_strike=7 * _D, knee_load=7 * _D, knee_late=7 * _D, elbow=16 * _D),
        True,
    ),
    "look-around": (
        standing(period=5.0, sway=0.035, hip_drop=2.5 * _D, chest_turn=6 * _D, chest_rock=1.5 * _D, look=38 * _D,
                 nod=0.6 * _D, arm_out=42 * _D, arm_forward=-24 * _D, arm_twist=58 * _D, elbow=98 * _D, shrug=3 * _D,
                 width=0.12, toe_out=13 * _D, knee_strike=6 * _D, knee_load=6 * _D, knee_late=6 * _D),
        True,
    ),
    "twist": (
        standing(period=1.25, sway=0.012, hip_turn=16 * _D, hip_drop=2 * _D, chest_turn=24 * _D, chest_rock=3 * _D,
                 look=6 * _D, arm_out=30 * _D, arm_forward=14 * _D, arm_swing=16 * _D, arm_twist=30 * _D, elbow=78 * _D,
                 elbow_swing=8 * _D, lean=6 * _D, width=0.13, toe_out=12 * _D, knee_strike=24 * _D, knee_load=30 * _D,
                 knee_late=24 * _D),
        True,
    ),
    "dance": (
        standing(period=1.04, sway=0.07, hip_turn=9 * _D, hip_drop=7 * _D, chest_turn=15 * _D, chest_rock=7 * _D,
                 nod=3 * _D, arm_out=20 * _D, arm_forward=18 * _D, arm_swing=26 * _D, arm_twist=35 * _D, elbow=80 * _D,
                 elbow_swing=22 * _D, shrug=3 * _D, lean=4 * _D, look=9 * _D, width=0.13, toe_out=11 * _D,
                 heel_strike=0.07, toe_strike=0.0, heel_off=0.44, toe_off=0.60, strike_pitch=14 * _D,
                 off_pitch=26 * _D, whip_pitch=34 * _D, pass_pitch=24 * _D, ball_lift=0.07, ball_pass=0.06,
                 knee_strike=16 * _D, knee_load=28 * _D, knee_late=18 * _D),
        False,
    ),
}  # fmt: skip
