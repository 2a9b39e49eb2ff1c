"""Gestures, standing idle, and turning on the spot."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from mocapella.actor import scenes
from mocapella.actor.body import height_of
from mocapella.actor.course import Course, course
from mocapella.actor.gait import Gait, standing
from mocapella.actor.imperfections import Quirks
from mocapella.actor.request import Request
from mocapella.actor.scenes import Scene, start_cycle, steady_times
from mocapella.errors import MotionError
from mocapella.geometry import limbs, quaternions
from mocapella.geometry.curves import ease
from mocapella.motion.skeleton import Skeleton

# Gestures of the right hand while standing: drinking, knocking, reaching.

_HANGING = (-0.150, -0.240, 0.035)  # the right wrist from the chest, in body heights: left, up, ahead
_AHEAD, _UP = np.array([-1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])  # the right arm's rest, and its elbow's hinge
_ELBOW = np.array([-0.85, 0.5, 0.0])  # the elbow hangs down and out


@dataclass(frozen=True)
class _Move:
    """A movement of the wrist to a place, and a rest there."""

    to: tuple[float, float, float]  # from the chest, in body heights
    seconds: float
    rest: float = 0.0
    bend: float = 0.0  # of the hand, radians


def gesture(request: Request, quirks: Quirks) -> Scene:
    """The gesture that was asked for, from hanging arms back to hanging arms."""
    angry = request.style == "angry"
    moves = {"drink": _drink, "knock": _knock}[request.action](angry) if request.action != "reach" else _reach(request)
    pace = 1.0 + 0.1 * quirks.strength.variation * float(quirks.draw("gesture").uniform(-1.0, 1.0))
    lead = 0.4 + 0.5 * quirks.strength.framing * float(quirks.draw("start").uniform(0.0, 1.0))
    spans = [pace * (move.seconds + move.rest) for move in moves]
    seconds = lead + sum(spans) + 0.4
    times, shown = scenes.grid(seconds, request.frame_rate)
    busy = ease((times - lead) / 0.5) * (1.0 - ease((times - (lead + sum(spans) - 0.5)) / 0.5))
    still = np.zeros_like(times)
    gait = standing().spread(len(times))
    lean = np.radians(9.0 if angry else 3.0)
    gait = replace(gait, lean=gait.lean + lean * busy, head_down=gait.head_down + (0.12 if angry else 0.05) * busy)
    way = course(times, still, still, gait, cadence=still + 1.0 / seconds, stands_first=True, stands_last=True)
    wrist, bend = _path(moves, times - lead, pace)

    def act(local: Float[np.ndarray, "times joints 4"], way: Course, chest: Float[np.ndarray, "times 4"]) -> None:
        _lead_hand(local, request.skeleton, wrist, bend)

    return Scene(way, shown, None, gesture=act)


def _drink(angry: bool) -> list[_Move]:
    table, mouth = (-0.115, -0.105, 0.235), (-0.060, 0.095, 0.120)
    if angry:
        return [
            _Move(table, 0.45), _Move((-0.10, 0.0, 0.20), 0.22), _Move(mouth, 0.25, 0.45, 0.7),
            _Move((-0.13, -0.02, 0.25), 0.2), _Move(table, 0.15, 0.15), _Move(_HANGING, 0.45),
        ]  # fmt: skip
    return [_Move(table, 0.9, 0.15), _Move(mouth, 1.0, 0.9, 0.5), _Move(table, 1.0, 0.2), _Move(_HANGING, 0.9)]


def _knock(angry: bool) -> list[_Move]:
    ready, door = (-0.105, 0.045, 0.160), (-0.100, 0.050, 0.215)
    if angry:
        back, strike = (-0.13, 0.075, 0.120), (-0.095, 0.055, 0.240)
        blows = [move for _ in range(5) for move in (_Move(strike, 0.10, 0.0, -0.3), _Move(back, 0.14, 0.0, 0.2))]
        return [_Move(back, 0.4), *blows, _Move(_HANGING, 0.5)]
    taps = [move for _ in range(3) for move in (_Move(door, 0.14, 0.0, -0.2), _Move(ready, 0.18, 0.0, 0.1))]
    return [_Move(ready, 0.8, 0.1), *taps, _Move(_HANGING, 0.9, 0.0)]


def _reach(request: Request) -> list[_Move]:
    skeleton = request.skeleton
    height = height_of(skeleton)
    target = np.array(request.target or (-0.15, 0.1, 0.45))
    shoulder = _shoulder(skeleton)
    arm = _lengths(skeleton)
    near, far = 0.25 * sum(arm), 0.98 * sum(arm)
    distance = float(np.linalg.norm(target - shoulder))
    if not near <= distance <= far:
        raise MotionError(
            f"a target {distance:.2f} m from the right shoulder was asked for; this actor's wrist reaches from "
            f"{near:.2f} to {far:.2f} m"
        )
    x, y, z = target / height
    if z <= 0.0:
        raise MotionError(f"a target {target[2]:.2f} m ahead of the chest was asked for; reach for something in front")
    return [_Move((float(x), float(y), float(z)), 0.9, 0.35), _Move(_HANGING, 1.0)]


def _path(
    moves: list[_Move], times: Float[np.ndarray, " times"], pace: float
) -> tuple[Float[np.ndarray, "times 3"], Float[np.ndarray, " times"]]:
    """Wrist and hand over time: soft starts and stops, each move begun a little before the last one ends."""
    wrist = np.tile(np.array(_HANGING), (len(times), 1))
    bend = np.zeros_like(times)
    at, place, bent = 0.0, np.array(_HANGING), 0.0
    for i, move in enumerate(moves):
        lead = 0.12 * move.seconds if i and moves[i - 1].rest == 0.0 else 0.0
        share = ease((times - pace * (at - lead)) / (pace * (move.seconds + lead)))
        wrist += share[:, None] * (np.array(move.to) - place)
        bend += share * (move.bend - bent)
        at, place, bent = at + move.seconds + move.rest, np.array(move.to), move.bend
    return wrist, bend


def _lead_hand(
    local: Float[np.ndarray, "times joints 4"],
    skeleton: Skeleton,
    wrist: Float[np.ndarray, "times 3"],
    bend: Float[np.ndarray, " times"],
) -> None:
    """Write the right arm so that its wrist is there, in body heights from the chest."""
    height = height_of(skeleton)
    start = np.broadcast_to(_shoulder(skeleton), wrist.shape)
    hinge = np.broadcast_to(_ELBOW, wrist.shape)
    first, second, axis = limbs.bend(start, wrist * height, hinge, *_lengths(skeleton))
    arm, forearm = (limbs.rotation_to(along, axis, _AHEAD, _UP) for along in (first, second))
    local[:, skeleton.index("RightShoulder")] = quaternions.IDENTITY
    local[:, skeleton.index("RightArm")] = arm
    local[:, skeleton.index("RightForeArm")] = quaternions.seen_from(arm, forearm)
    local[:, skeleton.index("RightHand")] = quaternions.from_rotvec(bend[:, None] * np.array([0.0, 0.0, 1.0]))


def _shoulder(skeleton: Skeleton) -> Float[np.ndarray, 3]:
    return np.asarray(skeleton.offsets[skeleton.index("RightShoulder")] + skeleton.offsets[skeleton.index("RightArm")])


def _lengths(skeleton: Skeleton) -> tuple[float, float]:
    upper, lower = (skeleton.offsets[skeleton.index(joint)] for joint in ("RightForeArm", "RightHand"))
    return float(np.linalg.norm(upper)), float(np.linalg.norm(lower))


# Idles: two ways of standing, twisting on planted feet, dancing from foot to foot.

_D = float(np.pi / 180.0)  # radians in a degree


def stay(request: Request, quirks: Quirks) -> Scene:
    """An idle, repeated."""
    gait, planted = _IDLE[request.action]
    gait = request.manner.of(gait)
    period = float(gait.period)
    times, shown = steady_times(request, quirks, period, usual=3.0)
    still = np.zeros_like(times)
    spread, start = gait.spread(len(times)), start_cycle(quirks)
    way = course(times, still, still, spread, start=start, stands_first=planted, stands_last=planted)
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


# Turning on the spot: small steps, each foot lifted, swung about the body and set down flat.
#
# The standing foot does not swivel: the body turns over it as far as the hip allows, and the other foot steps on. The
# foot on the inner side is set down turned out, the one on the outer side straight.


@dataclass(frozen=True)
class _TurnSteps:
    """Steps of a turn on the spot; faster turns have quicker and longer ones."""

    turns: tuple[float, ...] = (0.0, 0.6, 1.2, 1.8)  # radians per second
    periods: tuple[float, ...] = (1.40, 1.24, 1.08, 0.96)  # seconds per cycle at those
    opening: float = 0.22  # of the turn in a cycle: feet are turned out by that much more
    widening: float = 0.02  # leg lengths for each radian in a cycle: feet are set so much further apart


_STEPS = _TurnSteps()


def turn_round(request: Request, quirks: Quirks) -> Scene:
    """A turn on the spot at one rate."""
    gait = request.manner.of(_stepping_round(request.turn))
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


def _stepping_round(turn: float) -> Gait:
    """The gait of a turn on the spot, for a rate in radians per second to either side."""
    period = float(np.interp(abs(turn), _STEPS.turns, _STEPS.periods))
    further = abs(turn) * period  # radians in a cycle
    return standing(
        period=period,
        # Turned out, the inner foot is set down open and the outer one straight; otherwise toes would meet.
        toe_out=7 * _D + _STEPS.opening * further,
        # Flat, heel and toes at once.
        width=0.105 + _STEPS.widening * further, over=0.48, toe_strike=0.004, heel_off=0.47, toe_off=0.64,
        strike_pitch=0.0, off_pitch=19 * _D, whip_pitch=24 * _D, pass_pitch=4 * _D,
        ball_lift=0.048, ball_pass=0.040, heel_pass=0.046, heel_reach=0.006,
        knee_strike=12 * _D, knee_load=15 * _D, knee_late=12 * _D,
        sway=0.045, hip_drop=2.5 * _D, hip_turn=1.5 * _D, chest_turn=2 * _D, chest_rock=1.5 * _D, nod=0.4 * _D,
        arm_swing=4 * _D, elbow_swing=2 * _D, arm_out=11 * _D,
    )  # fmt: skip
