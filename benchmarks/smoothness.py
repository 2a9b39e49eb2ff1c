"""Jumps of velocity in a clip, and those where motions were joined compared with the usual ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip

_USUAL = 99.0  # per cent of a clip's frames in which angular velocities change less than what is usual


@dataclass(frozen=True, eq=False)
class _Jolts:
    """Velocities from frame to frame, and their changes."""

    frame_rate: float
    spins: Float[np.ndarray, "steps joints"]  # angular speeds, rad/s; the root's includes its heading
    kicks: Float[np.ndarray, "changes joints"]  # changes of angular velocity from one step to the next, rad/s
    pushes: Float[np.ndarray, " changes"]  # changes of the root's velocity over the ground, m/s
    twists: Float[np.ndarray, " changes"]  # changes of the rate of its heading, rad/s

    @property
    def usual_kick(self) -> float:
        """99th percentile over the frames of the largest change of any joint's angular velocity."""
        return float(np.percentile(self.kicks.max(axis=1), _USUAL))

    @property
    def pooled_kick(self) -> float:
        """99th percentile of changes of angular velocity over all joints and frames."""
        return max(float(np.percentile(self.kicks, _USUAL)), 1e-9)

    @property
    def usual_kicks(self) -> Float[np.ndarray, " joints"]:
        """The same of each joint alone; of joints that hardly move, a twentieth of the largest."""
        usual = np.percentile(self.kicks, _USUAL, axis=0)
        return np.asarray(np.maximum(usual, max(0.05 * float(usual.max()), 1e-9)))


@dataclass(frozen=True)
class JoinFigures:
    """The largest changes of a clip near a moment, relative to those of another clip."""

    step: float  # of its largest step of any joint
    kick: float  # of its usual change of angular velocity
    own_kick: float  # the same, every joint measured by itself: a still one must not twitch
    pooled_kick: float  # the same, all measured by what is usual among joints and frames thrown together
    push: float  # of its largest change of the root's velocity
    twist: float  # of its largest change of the heading's rate


def jolts(clip: Clip) -> _Jolts:
    """Velocities of a clip of three frames or more, and their changes."""
    if clip.n_frames < 3:
        raise MotionError(f"changes of velocity need three frames, {clip!r} has {clip.n_frames}")
    rate, local = clip.frame_rate, clip.rotations_wxyz
    velocities = rate * quaternions.to_rotvec(quaternions.seen_from(local[:-1], local[1:]))
    ways = rate * np.diff(clip.root_positions[:, ::2], axis=0)
    headings = rate * np.diff(np.unwrap(quaternions.yaw(local[:, 0])))
    return _Jolts(
        rate,
        np.linalg.norm(velocities, axis=-1),
        np.linalg.norm(np.diff(velocities, axis=0), axis=-1),
        np.linalg.norm(np.diff(ways, axis=0), axis=-1),
        np.abs(np.diff(headings)),
    )


def join_figures(clip: Clip, time: float, like: Clip, *, then: Clip | None = None, around: float = 0.05) -> JoinFigures:
    """The largest changes of ``clip`` near a join, relative to those of the clips that were joined.

    The join is at ``time``, seconds, with ``around`` to either side. ``like`` is the clip played before it, at the same
    frame rate; ``then`` the one after it, such as the mirrored one; ``like`` if None. A joint that changes across the
    join is compared with the larger of both. Ratios of about 1 or less are no worse than the captures.
    """
    joined, other = jolts(clip), jolts(like)
    later = other if then is None else jolts(then)
    if not (np.isclose(joined.frame_rate, other.frame_rate) and np.isclose(joined.frame_rate, later.frame_rate)):
        raise MotionError(f"{like!r} runs at another frame rate than {clip!r}; resample one of them first")
    rate = joined.frame_rate
    first = max(int(np.floor((time - around) * rate)) - 1, 0)
    last = int(np.ceil((time + around) * rate)) + 1
    kicks = joined.kicks[first:last]
    frames = np.arange(first, first + len(kicks))[:, None]  # a change of velocity shows in this one and the next two
    both = np.maximum(other.usual_kicks, later.usual_kicks)
    usual = np.where(
        frames + 2 <= time * rate, other.usual_kicks, np.where(frames >= time * rate, later.usual_kicks, both)
    )
    return JoinFigures(
        step=float(joined.spins[first:last].max() / max(other.spins.max(), later.spins.max())),
        kick=float(kicks.max() / max(other.usual_kick, later.usual_kick)),
        own_kick=float((kicks / usual).max()),
        pooled_kick=float(kicks.max() / max(other.pooled_kick, later.pooled_kick)),
        push=float(joined.pushes[first:last].max() / max(other.pushes.max(), later.pushes.max())),
        twist=float(joined.twists[first:last].max() / max(other.twists.max(), later.twists.max())),
    )
