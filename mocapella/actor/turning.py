"""Turning on the spot: small steps round, each foot lifted, swung about the body and set down flat.

Nobody swivels on the foot that bears him: while it stands the body turns over it, as far as the hip lets it, and the
other foot steps on. The foot on the inner side opens before it is set down, the one on the outer side closes up.
"""

from __future__ import annotations

import numpy as np

from mocapella.actor.course import course
from mocapella.actor.gait import Gait, standing
from mocapella.actor.imperfections import Quirks
from mocapella.actor.request import Request
from mocapella.actor.scene import Scene, start_cycle, steady_times

_D = float(np.pi / 180.0)
_TURNS = (0.0, 0.6, 1.2, 1.8)  # radians per second
_PERIODS = (1.40, 1.24, 1.08, 0.96)  # seconds per cycle at those: who turns faster steps quicker, and further
_OPENING = 0.22  # of the turn in a cycle: feet are turned out by that much more
_WIDENING = 0.02  # leg lengths for each radian in a cycle: feet are set so much further apart


def turn_round(request: Request, quirks: Quirks) -> Scene:
    """Step after step round oneself, at one rate."""
    gait = request.manner.of(stepping_round(request.turn))
    period = float(gait.period)
    times, shown = steady_times(request, quirks, period)
    pace = quirks.pace(times)
    way = course(
        times,
        np.zeros_like(times),
        request.turn * pace + quirks.wander(times),
        gait.spread(len(times)),
        cadence=np.sqrt(pace) / period,  # faster is half further steps, half quicker ones
        start=start_cycle(quirks),
    )
    return Scene(way, shown, period)


def stepping_round(turn: float) -> Gait:
    """How one steps round on the spot at so many radians per second, to either side."""
    period = float(np.interp(abs(turn), _TURNS, _PERIODS))
    further = abs(turn) * period  # radians in a cycle
    return standing(
        period=period,
        # Turned out, the inner foot is set down open and the outer one straight; otherwise toes would meet.
        toe_out=7 * _D + _OPENING * further,
        # Flat, heel and toes at once.
        width=0.105 + _WIDENING * further, over=0.48, toe_strike=0.004, heel_off=0.47, toe_off=0.64,
        strike_pitch=0.0, off_pitch=19 * _D, whip_pitch=24 * _D, pass_pitch=4 * _D,
        ball_lift=0.048, ball_pass=0.040, heel_pass=0.046, heel_reach=0.006,
        knee_strike=12 * _D, knee_load=15 * _D, knee_late=12 * _D,
        sway=0.045, hip_drop=2.5 * _D, hip_turn=1.5 * _D, chest_turn=2 * _D, chest_rock=1.5 * _D, nod=0.4 * _D,
        arm_swing=4 * _D, elbow_swing=2 * _D, arm_out=11 * _D,
    )  # fmt: skip
