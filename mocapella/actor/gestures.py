"""Things done once with the right hand while standing: drinking, knocking, reaching out."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from mocapella.actor import stage
from mocapella.actor.body import height_of
from mocapella.actor.course import Course, course
from mocapella.actor.easing import ease
from mocapella.actor.gait import standing
from mocapella.actor.imperfections import Quirks
from mocapella.actor.request import Request
from mocapella.actor.scene import Scene
from mocapella.errors import MotionError
from mocapella.geometry import limbs, quaternions
from mocapella.motion.skeleton import Skeleton

HANGING = (-0.150, -0.240, 0.035)  # the right wrist from the chest, in body heights: left, up, ahead
_AHEAD, _UP = np.array([-1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])  # the right arm's rest, and its elbow's hinge
_ELBOW = np.array([-0.85, 0.5, 0.0])  # the elbow hangs down and out


@dataclass(frozen=True)
class Move:
    """The wrist goes somewhere, the hand bends, and stays a while."""

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
    times, shown = stage.grid(seconds, request.frame_rate)
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


def _drink(angry: bool) -> list[Move]:
    table, mouth = (-0.115, -0.105, 0.235), (-0.060, 0.095, 0.120)
    if angry:
        return [
            Move(table, 0.45), Move((-0.10, 0.0, 0.20), 0.22), Move(mouth, 0.25, 0.45, 0.7),
            Move((-0.13, -0.02, 0.25), 0.2), Move(table, 0.15, 0.15), Move(HANGING, 0.45),
        ]  # fmt: skip
    return [Move(table, 0.9, 0.15), Move(mouth, 1.0, 0.9, 0.5), Move(table, 1.0, 0.2), Move(HANGING, 0.9)]


def _knock(angry: bool) -> list[Move]:
    ready, door = (-0.105, 0.045, 0.160), (-0.100, 0.050, 0.215)
    if angry:
        back, strike = (-0.13, 0.075, 0.120), (-0.095, 0.055, 0.240)
        blows = [move for _ in range(5) for move in (Move(strike, 0.10, 0.0, -0.3), Move(back, 0.14, 0.0, 0.2))]
        return [Move(back, 0.4), *blows, Move(HANGING, 0.5)]
    taps = [move for _ in range(3) for move in (Move(door, 0.14, 0.0, -0.2), Move(ready, 0.18, 0.0, 0.1))]
    return [Move(ready, 0.8, 0.1), *taps, Move(HANGING, 0.9, 0.0)]


def _reach(request: Request) -> list[Move]:
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
    return [Move((float(x), float(y), float(z)), 0.9, 0.35), Move(HANGING, 1.0)]


def _path(
    moves: list[Move], times: Float[np.ndarray, " times"], pace: float
) -> tuple[Float[np.ndarray, "times 3"], Float[np.ndarray, " times"]]:
    """Wrist and hand over time: soft starts and stops, each move begun a little before the last one ends."""
    wrist = np.tile(np.array(HANGING), (len(times), 1))
    bend = np.zeros_like(times)
    at, place, bent = 0.0, np.array(HANGING), 0.0
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
    arm = limbs.turned_to(first, axis, _AHEAD, _UP)
    forearm = limbs.turned_to(second, axis, _AHEAD, _UP)
    local[:, skeleton.index("RightShoulder")] = quaternions.IDENTITY
    local[:, skeleton.index("RightArm")] = arm
    local[:, skeleton.index("RightForeArm")] = quaternions.multiply(quaternions.conjugate(arm), forearm)
    local[:, skeleton.index("RightHand")] = quaternions.from_rotvec(bend[:, None] * np.array([0.0, 0.0, 1.0]))


def _shoulder(skeleton: Skeleton) -> Float[np.ndarray, 3]:
    return np.asarray(skeleton.offsets[skeleton.index("RightShoulder")] + skeleton.offsets[skeleton.index("RightArm")])


def _lengths(skeleton: Skeleton) -> tuple[float, float]:
    return (
        float(np.linalg.norm(skeleton.offsets[skeleton.index("RightForeArm")])),
        float(np.linalg.norm(skeleton.offsets[skeleton.index("RightHand")])),
    )
