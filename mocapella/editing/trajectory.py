"""Blends of two paths or two clips of as many frames, by length and turn of every step, not by positions.

Positions blended directly collapse where two motions go different ways: the mean of a left and a right turn runs
straight between them, ever more slowly. Blending the length and the turn of each step keeps speed and never reverses.
Headings are blended the same way, tilts directly, since errors of tilts would add up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from mocapella.checks import finite_number, shown
from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.geometry.angles import TURN, wrap
from mocapella.geometry.curves import catmull_rom
from mocapella.motion.clip import Clip
from mocapella.motion.kinematics import without_heading

_ONE_WAY = 0.5  # of its length that a motion goes in one direction, seen from its heading, to have one
_STILL = 1e-9  # metres: a shorter step has no direction and keeps the one before

Path = Float[np.ndarray, "frames 2"]
Share = float | int | Float[np.ndarray, " shares"]


def blend_trajectories(
    first: Float[np.ndarray, "frames 2"] | Sequence[Sequence[float]],
    second: Float[np.ndarray, "others 2"] | Sequence[Sequence[float]],
    share: Share,
) -> Path:
    """A path between two of as many frames.

    The first place is blended directly, the direction of the first step by the shorter way round. With a share of 1 or
    0 the paths come out as they were.

    Raises ``MotionError`` where the paths are no rows of two finite numbers, or have unlike numbers of rows.

    Parameters
    ----------
    first, second
        Places (x, z), metres, row by row.
    share
        Of the first, one number or one per row; the rest is the second's.
    """
    ways = _checked(first), _checked(second)
    _refuse_unlike(len(ways[0]), len(ways[1]), share)
    shares = np.broadcast_to(np.asarray(share, dtype=np.float64), len(ways[0]))
    places = shares[0] * ways[0][0] + (1.0 - shares[0]) * ways[1][0]
    if len(ways[0]) == 1:
        return np.asarray(places[None])
    lengths, directions = zip(*map(_steps, ways), strict=True)
    of_steps = 0.5 * (shares[1:] + shares[:-1])
    length = of_steps * lengths[0] + (1.0 - of_steps) * lengths[1]
    start = directions[1][0] + shares[0] * float(wrap(np.asarray(directions[0][0] - directions[1][0])))
    at = shares[1:-1]
    turns = at * wrap(np.diff(directions[0])) + (1.0 - at) * wrap(np.diff(directions[1]))
    direction = start + np.concatenate([[0.0], np.cumsum(turns)])
    steps = length[:, None] * np.stack([np.sin(direction), np.cos(direction)], axis=1)
    return np.asarray(places + np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)]))


def blend_frames(first: Clip, second: Clip, share: Share) -> Clip:
    """A clip between two of as many frames and one skeleton, frame by frame.

    Joints and the root's tilt and height are blended directly, its path and its heading step by step. Where path and
    heading could be blended by different ways round, a left turn and a right one, the heading follows the path, so that
    the body faces the way it goes as the motions do. Frame times are blended as well: with a share of 1 or 0 the
    motions come out as they were, frame rate included.

    Raises ``MotionError`` where skeletons or numbers of frames differ, or the blend would take no time.

    Parameters
    ----------
    first, second
        Two clips.
    share
        Of the first, one number or one per frame; the rest is the second's. Shares beyond 0 … 1 exaggerate, as long as
        any time is left. Frame times are blended by the mean share.
    """
    refuse_unlike_clips(first, second, share)
    ways = [clip.root_positions[:, ::2] for clip in (first, second)]
    ground = blend_trajectories(np.ascontiguousarray(ways[0]), np.ascontiguousarray(ways[1]), share)
    yaws = [clip.headings for clip in (first, second)]
    shares = np.broadcast_to(np.asarray(share, dtype=np.float64), first.n_frames)
    start = yaws[1][0] + shares[0] * float(wrap(np.asarray(yaws[0][0] - yaws[1][0])))
    steps = 0.5 * (shares[1:] + shares[:-1])
    turns = steps * np.diff(yaws[0]) + (1.0 - steps) * np.diff(yaws[1])
    yaw = start + np.concatenate([[0.0], np.cumsum(turns)])
    yaw += _way_round(ways, yaws, (ground, yaw), shares)
    return blended_bodies(first, second, share, ground, yaw)


def _way_round(
    ways: Sequence[Path],
    yaws: Sequence[Float[np.ndarray, " frames"]],
    blend: tuple[Path, Float[np.ndarray, " frames"]],
    shares: Float[np.ndarray, " frames"],
) -> float:
    """What to add to a blended heading so that the travel, seen from it, is nearest to that of both motions."""
    travels = [_travel(way, yaw) for way, yaw in zip((*ways, blend[0]), (*yaws, blend[1]), strict=True)]
    if min(map(abs, travels)) < _ONE_WAY:
        return 0.0
    first, second, blended = np.angle(travels)
    wanted = second + float(shares.mean()) * float(wrap(np.asarray(first - second)))
    turns = TURN * float(shares[0]) * np.array([0.0, 1.0, -1.0])
    off = np.abs(wrap(blended - turns - wanted))
    return float(turns[int(np.argmin(np.round(off, 6)))])


def _travel(way: Path, yaw: Float[np.ndarray, " frames"]) -> complex:
    """The mean direction of travel as seen from the heading, ahead + i left; shorter than 1 where it changes."""
    x, z = np.diff(way, axis=0).T
    length = float(np.hypot(x, z).sum())
    return complex(((z + 1j * x) * np.exp(-1j * yaw[:-1])).sum() / length) if length > _STILL else 0j


def blended_bodies(first: Clip, second: Clip, share: Share, ground: Path, yaw: Float[np.ndarray, " _"]) -> Clip:
    """A clip between two, blended directly in all but its path and its heading.

    ``share`` is the weight of the first, one number or one per frame; ``ground`` the path (x, z) in metres, ``yaw`` the
    heading in radians.
    """
    upright = [without_heading(clip.rotations_wxyz, clip.headings) for clip in (first, second)]
    shares = np.broadcast_to(np.asarray(share, dtype=np.float64), first.n_frames)
    rotations = quaternions.slerp(upright[1], upright[0], shares[:, None])
    rotations[:, 0] = quaternions.multiply(quaternions.about_y(yaw), rotations[:, 0])
    heights = shares * first.root_positions[:, 1] + (1.0 - shares) * second.root_positions[:, 1]
    roots = np.stack([ground[:, 0], heights, ground[:, 1]], axis=1)
    rate = first.frame_rate if first.frame_rate == second.frame_rate else 1.0 / _frame_time(first, second, share)
    return Clip(first.skeleton, roots, rotations, frame_rate=rate, name=f"{first.name} {second.name}".strip())


def in_new_frames(clip: Clip, at: Float[np.ndarray, " points"]) -> Clip:
    """The clip interpolated at these frames; as they are no rows of its source, its report names none."""
    return replace(
        clip,
        root_positions=catmull_rom(clip.root_positions, at),
        rotations_wxyz=catmull_rom(clip.rotations_wxyz, at),
        slides=catmull_rom(clip.slides, at),
        first_row=0,
        report=replace(clip.report.without_rows(), n_rest_frames=0),
    )


def refuse_unlike_clips(first: Clip, second: Clip, share: Share) -> None:
    """Raise ``MotionError`` for clips of two skeletons or of different lengths, and shares that leave no time."""
    for clip in (first, second):
        if not isinstance(clip, Clip):
            raise MotionError(f"expected two clips to blend, got {clip!r}; load(path) reads one")
    if not first.skeleton.same_as(second.skeleton):
        raise MotionError(f"{second!r} has another skeleton than {first!r}; only motions of one skeleton mix")
    if first.n_frames != second.n_frames and min(first.n_frames, second.n_frames) > 1:
        rate = second.frame_rate * (first.n_frames - 1) / (second.n_frames - 1)
        raise MotionError(
            f"motions of {first.n_frames} and {second.n_frames} frames do not match; "
            f"second.resampled({rate!r}) has as many, and keeps its time"
        )
    _refuse_unlike(first.n_frames, second.n_frames, share)
    seconds = _frame_time(first, second, share) * first.n_frames
    if not seconds > 0.0:
        raise MotionError(f"with a share of {np.mean(share):g} the blend would last {seconds:g} s; try 0 to 1")


def _frame_time(first: Clip, second: Clip, share: Share) -> float:
    mean = float(np.mean(share))
    return mean / first.frame_rate + (1.0 - mean) / second.frame_rate


def _checked(places: Path | Sequence[Sequence[float]]) -> Path:
    """A path as an array; ``MotionError`` for anything else."""
    try:
        way = np.asarray(places, dtype=np.float64)
    except (TypeError, ValueError):
        way = np.empty(0)
    if way.ndim != 2 or way.shape[1] != 2 or len(way) == 0:
        raise MotionError(f"expected a way as rows of two numbers (x, z), at least one, got {shown(places)}")
    if not np.isfinite(way).all():
        row = int(np.flatnonzero(~np.isfinite(way).all(axis=1))[0])
        raise MotionError(f"expected finite places on a way, got {tuple(way[row].tolist())} in row {row}")
    return way


def _steps(way: Path) -> tuple[Float[np.ndarray, " steps"], Float[np.ndarray, " steps"]]:
    """Lengths and directions of the steps of a path; a step that goes nowhere points as the one before."""
    x, z = np.diff(way, axis=0).T
    lengths = np.hypot(x, z)
    directions = np.arctan2(x, z)
    moving = np.flatnonzero(lengths > _STILL)
    if len(moving) == 0:
        return lengths, np.zeros_like(lengths)
    last = np.maximum.accumulate(np.where(lengths > _STILL, np.arange(len(lengths)), moving[0]))
    return lengths, directions[last]


def _refuse_unlike(n_first: int, n_second: int, share: Share) -> None:
    if n_first != n_second:
        raise MotionError(f"motions of {n_first} and {n_second} frames do not match; resample one of them first")
    if not isinstance(share, np.ndarray):
        finite_number(share, "a share that is a number")
    elif share.shape != (n_first,) or not np.isfinite(share).all():
        raise MotionError(expected=f"one finite share for each of {n_first} frames", got=f"shape {share.shape}")
