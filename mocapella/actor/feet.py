"""Feet between and on their footsteps: heel strike, flat, heel off, toe off, swing.

While the heel alone is down the foot rolls about the heel; while the toes alone are down it rolls about the ball, toes
flat. So a point that is planted stays where it is to the last digit, and the rest of the body has to follow.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy
from jaxtyping import Bool, Float, Int

from mocapella.actor.body import end_offset
from mocapella.actor.course import Footsteps, leftward
from mocapella.geometry import euler, quaternions
from mocapella.geometry.curves import bump, ease, smoothstep
from mocapella.motion.skeleton import Skeleton


@dataclass(frozen=True, eq=False)
class FootMotion:
    """One foot over time, on level ground."""

    ankles: Float[np.ndarray, "times 3"]
    rotations_wxyz: Float[np.ndarray, "times 4"]  # in the world
    yaws: Float[np.ndarray, " times"]
    swings: Float[np.ndarray, " times"]  # 0 while the foot is down, towards 1 as it swings
    toe_bends: Float[np.ndarray, " times"]  # about the toe joint's x, negative when the toes are bent up


_Times = Float[np.ndarray, " times"]
_Numbers = Int[np.ndarray, " times"]  # of a footstep at each time


def move(steps: Footsteps, times: _Times, skeleton: Skeleton, leg: float) -> FootMotion:
    """Take a foot through its footsteps."""
    contact, last = steps.first_contact, len(steps.yaws) - 1
    now = np.clip(np.searchsorted(contact, times, side="right") - 1, 0, last)
    after = np.minimum(now + 1, last)
    swing = np.where(
        now < last, (times - steps.toe_off[now]) / np.where(now < last, contact[after] - steps.toe_off[now], 1.0), 0.0
    )
    swing = np.clip(swing, 0.0, 1.0)  # 0 while the foot is down
    pitch = _pitch(steps, times)
    lag = steps.gait.lag[now]  # with it the foot goes forward slowly at first and briskly at the end
    go = swing**2 * ((1.0 - lag) * (3.0 - 2.0 * swing) + lag * swing * (4.0 - 3.0 * swing))
    yaws = steps.yaws[now] + go * (steps.yaws[after] - steps.yaws[now])

    heel, ball = end_offset(skeleton, "LeftFoot"), skeleton.offsets[skeleton.index("LeftToeBase")]  # as on the right
    heel_first = steps.heel_strike <= steps.toe_strike
    rolling = heel_first[now] & (times < _flat(steps)[now])
    on_heel = np.where(swing > 0.0, ease((swing - 0.3) / 0.55) * heel_first[after], rolling)
    ball_height = _ball_height(steps, now, swing, heel_first[after]) * leg
    heel_height = _heel_height(steps, after, swing) * leg

    flat = (1.0 - go)[:, None] * steps.ankles[now] + go[:, None] * steps.ankles[after]
    step_length = np.linalg.norm(steps.ankles[after] - steps.ankles[now], axis=-1)
    # The foot swings out a little, clear of the other leg, and in a curve along the arc, not its chord.
    bend = np.clip(steps.yaws[after] - steps.yaws[now], -2.0, 2.0)
    clear = steps.side * (0.03 * step_length + 0.03 * leg * np.abs(bend)) * bump(swing)
    flat = flat + (clear - 0.5 * step_length * bend * go * (1.0 - go))[:, None] * leftward(yaws)
    rotations = euler.to_quaternion(np.stack([yaws, pitch], axis=-1), "YX")

    ankles = np.empty((len(times), 3))
    ankles[:, 1] = skeleton.rest_positions[skeleton.index("LeftFoot"), 1]
    ankles[:, ::2] = flat
    for share, point, height in ((1.0 - on_heel, ball, ball_height), (on_heel, heel, heel_height)):
        rolled = quaternions.rotate(quaternions.about_y(yaws), point) - quaternions.rotate(rotations, point)
        rolled[:, 1] += height
        ankles += share[:, None] * rolled
    # The toes lie flat while they are down, then straighten; before they are down they are straight.
    curled = np.where(~heel_first[after], ease((swing - 0.55) / 0.45), 0.0)  # to meet the ground flat
    straight = np.where(swing > 0.0, ease(swing / 0.42) - curled, times < steps.toe_strike[now])
    foot = FootMotion(ankles, rotations, yaws, swing, np.asarray(pitch * (straight - 1.0)))
    ankles[:, 1] += _lift_over_ground(_lowest(foot, skeleton), now, swing)
    return foot


def tilted(foot: FootMotion, tilt: Float[np.ndarray, 4]) -> FootMotion:
    """The same motion on ground that is tilted about the origin."""
    ankles, rotations = quaternions.rotate(tilt, foot.ankles), quaternions.multiply(tilt, foot.rotations_wxyz)
    return replace(foot, ankles=ankles, rotations_wxyz=rotations)


def _flat(steps: Footsteps) -> Float[np.ndarray, " steps"]:
    """When heel and toes are both down."""
    return np.asarray(np.maximum(steps.heel_strike, steps.toe_strike))


def _pitch(steps: Footsteps, times: _Times) -> _Times:
    """How far the toes point down. Exactly 0 while the foot is flat: the interpolant has no overshoot."""
    g = steps.gait
    swing = np.append(np.maximum(steps.first_contact[1:] - steps.toe_off[:-1], 1e-3), 0.4)
    following = np.append(g.strike_pitch[1:], g.strike_pitch[-1])
    push = steps.toe_off - steps.heel_off
    keys = [
        (steps.first_contact, g.strike_pitch),
        (_flat(steps), 0.0 * g.strike_pitch),
        (steps.heel_off, 0.0 * g.strike_pitch),
        (steps.heel_off + 0.5 * push, 0.30 * g.off_pitch),
        (steps.toe_off, g.off_pitch),
        (steps.toe_off + 0.18 * swing, g.whip_pitch),
        (steps.toe_off + 0.60 * swing, g.pass_pitch),
        (steps.toe_off + 0.88 * swing, 1.05 * following),
    ]
    at = np.stack([time for time, _ in keys], axis=-1).ravel()
    values = np.stack([value for _, value in keys], axis=-1).ravel()
    return np.asarray(scipy.interpolate.PchipInterpolator(at, values)(np.clip(times, at[0], at[-1])))


def _ball_height(steps: Footsteps, now: _Numbers, swing: _Times, heel_first: Bool[np.ndarray, " times"]) -> _Times:
    """Height of the ball in leg lengths, as long as it leads the foot: up after toe-off, lower past the other foot."""
    lift, low = steps.gait.ball_lift[now], steps.gait.ball_pass[now]
    rise = lift * ease(swing / 0.30)
    fall = (low - lift) * ease((swing - 0.30) / 0.40)
    return np.asarray(rise + fall + np.where(heel_first, 0.0, -low * ease((swing - 0.60) / 0.40)))


def _heel_height(steps: Footsteps, after: _Numbers, swing: _Times) -> _Times:
    """Height of the heel in leg lengths, as long as it leads the foot towards its strike."""
    high, low = steps.gait.heel_pass[after], steps.gait.heel_reach[after]
    fall = high + (low - high) * ease((swing - 0.35) / 0.5)
    land = fall * (1.0 - smoothstep(np.clip((swing - 0.72) / 0.28, 0.0, 1.0)))
    return np.asarray(np.where(swing > 0.0, land, 0.0))


def _lowest(foot: FootMotion, skeleton: Skeleton) -> _Times:
    """How high the lowest point of the sole is."""
    toe_joint = skeleton.index("LeftToeBase")
    balls = foot.ankles + quaternions.rotate(foot.rotations_wxyz, skeleton.offsets[toe_joint])
    bends = quaternions.from_rotvec(foot.toe_bends[:, None] * np.array([1.0, 0.0, 0.0]))
    toes = quaternions.multiply(foot.rotations_wxyz, bends)
    tips = balls + quaternions.rotate(toes, end_offset(skeleton, "LeftToeBase"))
    heels = foot.ankles + quaternions.rotate(foot.rotations_wxyz, end_offset(skeleton, "LeftFoot"))
    soles = balls[:, 1] - skeleton.rest_positions[toe_joint, 1]
    return np.asarray(np.minimum(np.minimum(heels[:, 1], tips[:, 1]), soles))


def _lift_over_ground(lowest: _Times, now: _Numbers, swing: _Times) -> _Times:
    """How much higher a foot has to swing that would graze the ground; the whole swing is raised, softly."""
    shape = (4.0 * swing * (1.0 - swing)) ** 2
    needs = np.maximum(-lowest, 0.0) / np.maximum(shape, 0.05)
    most = np.zeros(now.max() + 1)
    np.maximum.at(most, now, needs)
    return np.asarray(most[now] * shape)
