"""Clips that are loops as a whole: the last frame shows the first again, or leads on to it, as animators store them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.rig.roles import find_roles

_Poses = Float[np.ndarray, "frames features"]


@dataclass(frozen=True)
class _LoopTest:
    """Limits within which a clip is a loop; all lengths are compared with the clip's own motion."""

    seconds: tuple[float, float] = (0.35, 12.0)  # that a loop lasts; the longest are idles
    fewest: int = 6  # frames
    same: float = 0.1  # of the clip's spread: ends no further apart are the same pose, whatever their velocities
    exact: float = math.radians(0.2)  # between the joints of two frames that are one, stored twice
    usual: float = 90.0  # percentile of the steps and bends inside the clip, with which its seam is compared
    leap: float = 1.5  # times that: how long the step over the seam may be
    rough: float = 2.0  # likewise its bend, the second difference
    missing: float = 0.05  # seconds by which a loop may be cut too short, and still lead on to its beginning
    along: float = 0.6  # cosine of the way from the end to the beginning with the steps beside it
    halts: float = 0.3  # of the steps beside: a shorter step over the seam repeats a frame
    still: float = 0.001  # of the body's height: what moves no further is a pose
    alike: float = 0.85  # circular autocorrelation from which on a loop holds the motion several times
    most_cycles: int = 8  # in one loop


_LOOP = _LoopTest()


class _LoopFound(NamedTuple):
    """A clip that is a loop as a whole."""

    n_frames: int  # of a round
    is_shut: bool  # its last frame shows the first again, or nearly so: that is no chance


def find_loop(clip: Clip) -> _LoopFound | None:
    """A clip without a rest pose as a loop; None where its end does not lead back to its beginning.

    Two readings are tried: the last frame repeats the first, or comes one step before it. The seam may be no rougher
    and no longer a step than the clip itself is.
    """
    if clip.n_frames < _LOOP.fewest or not _LOOP.seconds[0] <= clip.seconds <= _LOOP.seconds[1]:
        return None
    poses = _poses(clip)
    return None if poses is None else _round_of(poses, clip.frame_rate)


def is_drawn(clip: Clip) -> bool:
    """Whether the last frame of a clip is its first again, but for the heading, as in loops and never in captures."""
    ends = np.array(clip.rotations_wxyz[[0, -1]])
    ends[:, 0] = quaternions.multiply(quaternions.about_y(-clip.headings[[0, -1]]), ends[:, 0])
    moves = quaternions.angle_between(clip.rotations_wxyz[0], clip.rotations_wxyz[clip.n_frames // 2]).max()
    return bool(quaternions.angle_between(ends[0], ends[1]).max() < _LOOP.exact < 0.1 * moves)


def n_cycles(clip: Clip, n_frames: int) -> int:
    """How many times a loop shows the same motion in a round, by its circular autocorrelation."""
    poses = _poses(clip)
    if poses is None:
        return 1
    poses = poses[:n_frames] - poses[:n_frames].mean(axis=0)
    likeness = np.fft.irfft((np.abs(np.fft.rfft(poses, axis=0)) ** 2).sum(axis=1), n_frames)
    counts = np.arange(2, min(_LOOP.most_cycles, n_frames // _LOOP.fewest) + 1)
    alike = np.interp(n_frames / counts, np.arange(n_frames), likeness) > _LOOP.alike * likeness[0]
    return int(counts[alike].max(initial=1))


def _poses(clip: Clip) -> _Poses | None:
    """Joints that play a role, from the ground under the root and in the heading; None where nothing moves."""
    roles = sorted(set(find_roles(clip.skeleton).values()))
    shadow = clip.root_positions * [1.0, 0.0, 1.0]
    places = clip.positions[:, roles] if roles else clip.positions
    seen = quaternions.rotate(quaternions.about_y(-clip.headings)[:, None], places - shadow[:, None])
    moves = float(np.linalg.norm(seen - seen[0], axis=-1).mean(axis=-1).max())
    height = float(np.ptp(clip.positions[..., 1], axis=1).max())
    return None if moves < _LOOP.still * height else seen.reshape(clip.n_frames, -1)


def _round_of(poses: _Poses, frame_rate: float) -> _LoopFound | None:
    """The round by the smoother of both readings; None where neither leads back."""
    size = float(np.sqrt(poses.var(axis=0).sum()))
    gap = poses[0] - poses[-1]
    is_shut = float(np.linalg.norm(gap)) < _LOOP.same * size
    seams: dict[float, int] = {}
    for n_frames in (len(poses), len(poses) - 1):
        seam = _seam(poses[:n_frames])
        repeats = n_frames == len(poses) and seam.halts
        if not repeats and (is_shut or seam.is_smooth):
            seams.setdefault(seam.bend, n_frames)
    if seams:
        return _LoopFound(seams[min(seams)], is_shut)
    beside = 0.5 * (poses[1] - poses[0] + poses[-1] - poses[-2])
    pace, way = float(np.linalg.norm(beside)), float(np.linalg.norm(gap))
    is_short = way <= _LOOP.missing * frame_rate * pace and gap @ beside >= _LOOP.along * way * pace
    return _LoopFound(len(poses), is_shut=False) if is_short else None


@dataclass(frozen=True)
class _Seam:
    """How a round goes on to the next."""

    bend: float  # second difference, the larger of both sides
    is_smooth: bool  # no longer a step and no sharper a bend than inside
    halts: bool  # its step is far shorter than those beside it


def _seam(poses: _Poses) -> _Seam:
    steps = np.linalg.norm(np.roll(poses, -1, axis=0) - poses, axis=1)
    bends = np.linalg.norm(np.roll(poses, -1, axis=0) - 2.0 * poses + np.roll(poses, 1, axis=0), axis=1)
    usual_step, usual_bend = (float(np.percentile(inside, _LOOP.usual)) for inside in (steps[:-1], bends[1:-1]))
    bend = float(max(bends[0], bends[-1]))
    is_smooth = steps[-1] <= _LOOP.leap * usual_step and bend <= _LOOP.rough * usual_bend
    return _Seam(bend, bool(is_smooth), bool(steps[-1] < _LOOP.halts * min(steps[0], steps[-2])))


def laid_out(clip: Clip, n_frames: int, rounds: int) -> Clip:
    """Several rounds of a loop, each begun where the one before leads; rows count from 0."""
    yaws, roots = clip.headings, clip.root_positions
    turn, place = float(yaws[-1] - yaws[0]), roots[-1]
    if n_frames == clip.n_frames:  # the frame that closes the round is not there: one step further
        turn += 0.5 * float(yaws[1] - yaws[0] + yaws[-1] - yaws[-2])
        first_step = quaternions.rotate(quaternions.about_y(turn), roots[1] - roots[0])
        place = place + 0.5 * (roots[-1] - roots[-2] + first_step)
    way = (place - roots[0]) * [1.0, 0.0, 1.0]
    places, rotations, start = [], [], roots[0]
    for number in range(rounds):
        turned = quaternions.about_y(number * turn)
        rows = np.array(clip.rotations_wxyz[:n_frames])
        rows[:, 0] = quaternions.multiply(turned, rows[:, 0])
        rotations.append(rows)
        places.append(quaternions.rotate(turned, roots[:n_frames] - roots[0]) + start)
        start = start + quaternions.rotate(turned, way)
    return replace(
        clip,
        root_positions=np.concatenate(places),
        rotations_wxyz=np.concatenate(rotations),
        slides=np.tile(clip.slides[:n_frames], (rounds, 1, 1)),
        report=replace(clip.report.without_rows(), n_rest_frames=0),
        first_row=0,
    )
