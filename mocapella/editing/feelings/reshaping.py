"""How gestures are reshaped period by period: in time, in the swings of joints, and in the range of the acting arm."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import scipy
from jaxtyping import Bool, Float

from mocapella.editing.clip_blend import sampled
from mocapella.editing.feelings.periods import BasicPeriods, end_speed
from mocapella.geometry import quaternions
from mocapella.geometry.curves import ease
from mocapella.motion.clip import Clip
from mocapella.motion.skeleton import Skeleton
from mocapella.rig.parts import joints_of
from mocapella.rig.roles import find_roles

SAMPLES = 65  # of a timing curve
CATEGORIES = ("trunk", "shoulder", "elbow", "hand")
"""Four levels of the hierarchy above the hips, whose amplitudes are compared apart."""

_EVEN = 0.02  # share of linear time in a timing curve, so that a rest keeps some length
_SOFT = 0.02  # seconds over which the pace of time changes
_LEVELS = {"clavicle": 1, "shoulder": 1, "neck": 1, "elbow": 2, "head": 2, "wrist": 3}


def way(clip: Clip, end: str, span: tuple[int, int]) -> Float[np.ndarray, " samples"]:
    """How far along its way the leading end is at each share of a period, 0 … 1, rising throughout."""
    speed = end_speed(clip, end)
    pace = np.interp(np.linspace(*span, SAMPLES), np.arange(len(speed)), speed)
    gone = np.concatenate([[0.0], np.cumsum(0.5 * (pace[1:] + pace[:-1]))])
    shares = np.linspace(0.0, 1.0, SAMPLES)
    return np.asarray((1.0 - _EVEN) * gone / gone[-1] + _EVEN * shares if gone[-1] > 0.0 else shares)


def timing_between(neutral: Float[np.ndarray, " samples"], emotional: Float[np.ndarray, " samples"]) -> np.ndarray:
    """The share of the neutral period at which as much of the way is gone as at each share of the emotional one."""
    shares = np.interp(emotional, neutral, np.linspace(0.0, 1.0, SAMPLES))
    shares[[0, -1]] = 0.0, 1.0
    rising = np.concatenate([[0.0], np.cumsum(np.maximum(np.diff(shares), 1e-6))])
    return np.asarray(rising / rising[-1])


def levels_of(skeleton: Skeleton) -> list[Bool[np.ndarray, " joints"]]:
    """The joints above the hips in four categories, by the nearest role that carries them."""
    upper = joints_of(skeleton, "upper")
    roles = {joint: role for role, joint in find_roles(skeleton).items()}
    level = np.full(skeleton.n_joints, -1)
    for joint in np.flatnonzero(upper):
        role = next((roles[above] for above in skeleton.path(int(joint)) if above in roles), "spine")
        level[joint] = _LEVELS.get(role.rpartition("_")[2], 0)
    return [level == i for i in range(len(CATEGORIES))]


def _beside(part: Float[np.ndarray, "frames joints 4"]) -> tuple[np.ndarray, np.ndarray]:
    """The straight way between the first and the last pose, and how poses leave it, half rotation vectors."""
    shares = np.linspace(0.0, 1.0, len(part))[:, None]
    chord = quaternions.slerp(
        np.broadcast_to(part[:1], part.shape),
        np.broadcast_to(part[-1:], part.shape),
        np.broadcast_to(shares, part.shape[:2]),
    )
    return chord, quaternions.log(quaternions.shortest(quaternions.seen_from(chord, part)))


def swings(clip: Clip, span: tuple[int, int], levels: list[Bool[np.ndarray, " joints"]]) -> list[float]:
    """For each category the furthest that its joints together are from the straight way of a period, radians."""
    _, off = _beside(clip.rotations_wxyz[span[0] : span[1] + 1])
    return [
        float(2.0 * np.sqrt(np.sum(off[:, level] ** 2, axis=(1, 2))).max(initial=0.0)) if level.any() else 0.0
        for level in levels
    ]


def amplified(clip: Clip, periods: BasicPeriods, amplitudes: Float[np.ndarray, "periods categories"]) -> Clip:
    """The clip with swings from the straight way scaled in every period; its ends stay."""
    rotations = np.array(clip.rotations_wxyz)
    levels = levels_of(clip.skeleton)
    for i, (first, last) in enumerate(zip(periods.frames, periods.frames[1:], strict=False)):
        part = clip.rotations_wxyz[first : last + 1]
        chord, off = _beside(part)
        for level, ratio in zip(levels, amplitudes[i], strict=True):
            if ratio != 1.0:
                moved = quaternions.multiply(chord[:, level], quaternions.exp(ratio * off[:, level]))
                rotations[first : last + 1, level] = moved
                rotations[first, level], rotations[last, level] = part[0, level], part[-1, level]
    return replace(clip, rotations_wxyz=rotations)


def extended(clip: Clip, periods: BasicPeriods, ranges: Float[np.ndarray, " periods"]) -> Clip:
    """The clip with the poses of the acting arm between periods further apart, or nearer, about their middle.

    The first and the last pose stay; a pose between two periods moves by the mean of what both ask for.
    """
    side, _, part = periods.end.partition("_")
    if part != "wrist" or np.allclose(ranges, 1.0, rtol=0.0, atol=1e-12):
        return clip
    arm = joints_of(clip.skeleton, f"{side}_arm")
    poses = clip.rotations_wxyz[list(periods.frames)][:, arm]
    back = quaternions.log(quaternions.shortest(quaternions.seen_from(poses[1:], poses[:-1])))
    onward = quaternions.log(quaternions.shortest(quaternions.seen_from(poses[:-1], poses[1:])))
    moves = np.zeros_like(poses[..., 1:])
    grown = 0.25 * (ranges - 1.0)[:, None, None]  # half to each end, and a mean of two
    moves[1:-1] = -(grown[:-1] * back[:-1] + grown[1:] * onward[1:])
    rotations = np.array(clip.rotations_wxyz)
    for i, (first, last) in enumerate(itertools.pairwise(periods.frames)):
        gone = ease(np.linspace(0.0, 1.0, last - first + 1))[:, None, None]
        turns = quaternions.exp((1.0 - gone) * moves[i] + gone * moves[i + 1])
        rotations[first : last + 1, arm] = quaternions.multiply(clip.rotations_wxyz[first : last + 1, arm], turns)
    return replace(clip, rotations_wxyz=rotations)


def retimed(
    clip: Clip,
    periods: BasicPeriods,
    durations: Float[np.ndarray, " periods"],
    timing: Float[np.ndarray, "periods samples"],
) -> Clip:
    """The clip with each period as long as it should be, and time running in it as it should."""
    shares = np.linspace(0.0, 1.0, SAMPLES)
    times, frames = [np.arange(periods.frames[0], dtype=np.float64)], [np.arange(periods.frames[0], dtype=np.float64)]
    now = float(periods.frames[0])
    for i, (first, last) in enumerate(zip(periods.frames, periods.frames[1:], strict=False)):
        lasting = (last - first) * durations[i]
        times.append(now + lasting * shares[:-1])
        frames.append(first + (last - first) * timing[i, :-1])
        now += lasting
    rest = np.arange(periods.frames[-1], clip.n_frames, dtype=np.float64)
    times.append(now + rest - rest[0])
    frames.append(rest)
    when, where = np.concatenate(times), np.concatenate(frames)
    count = np.arange(int(np.floor(when[-1] + 1e-9)) + 1)
    ahead = np.interp(count, when, where) - count
    # Time runs on smoothly from a period to the next: where its pace leapt, speeds would.
    smooth = scipy.ndimage.gaussian_filter1d(ahead, _SOFT * clip.frame_rate, mode="nearest")
    return sampled(clip, np.clip(count + smooth, 0.0, clip.n_frames - 1.0))
