"""A clip as signals that are all metres, so that one regression weighs them all alike."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy
from jaxtyping import Bool, Complex, Float, Int

from mocapella.errors import SkeletonError
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.kinematics import without_heading
from mocapella.motion.layout import REFLECTION
from mocapella.motion.skeleton import Skeleton, limb_reaches
from mocapella.rig.roles import find_roles
from mocapella.rig.symmetry import is_uneven, mirror_pairs

_SHORTEST_REACH = 0.03  # metres: what hangs on a finger's joint
_SMOOTHING = 0.03  # seconds, the width of the Gaussian behind which a period is looked for
_HEADING = 0.1  # metres that a radian of heading counts: the half width of a pelvis
_STILL = 1e-6  # metres: a signal that changes less is constant
HEIGHT, HEADING, AHEAD, LEFT = -4, -3, -2, -1  # columns of the root, counted from the end

Rows = Float[np.ndarray, "frames signals"]


@dataclass(frozen=True, eq=False)
class Signals:
    """All that moves in a clip: the rotations of joints without the heading, and the root's height.

    A rotation is four numbers, its quaternion, weighed by what hangs on the joint; so all signals are metres.
    """

    clip: Clip

    @cached_property
    def rows(self) -> Rows:
        """Quaternions of all joints, whose signs are continuous, then the height; metres."""
        tilted = quaternions.unroll(without_heading(self.clip.rotations_wxyz))
        rows = np.concatenate([tilted.reshape(len(tilted), -1), self.clip.root_positions[:, 1:2]], axis=1)
        return np.asarray(rows * self.scales[: HEIGHT + 1])

    @cached_property
    def scales(self) -> Float[np.ndarray, " signals"]:
        """Metres per unit of each signal, with the heading and the path that ``with_path`` adds."""
        return _signal_scales(self.clip.skeleton)

    @cached_property
    def moving(self) -> Bool[np.ndarray, " signals"]:
        """Which signals change at all."""
        return np.asarray(self.rows.std(axis=0) > _STILL)

    @cached_property
    def smooth(self) -> Rows:
        """The signals that change, smoothed over 30 ms."""
        width = _SMOOTHING * self.clip.frame_rate
        return np.asarray(scipy.ndimage.gaussian_filter1d(self.rows[:, self.moving], width, axis=0, mode="nearest"))

    @cached_property
    def legs(self) -> Bool[np.ndarray, " moving"]:
        """Which of the signals that change are turns of hips, knees and ankles; all where the legs are not known."""
        roles = find_roles(self.clip.skeleton)
        of_legs = np.zeros(len(self.moving), dtype=bool)
        for role, joint in roles.items():
            if role.endswith(("_hip", "_knee", "_ankle")):
                of_legs[4 * joint : 4 * joint + 4] = True
        legs = of_legs[self.moving]
        return legs if legs.any() else np.ones(len(legs), dtype=bool)

    def with_path(self, frames: slice, course: Float[np.ndarray, " stretch"]) -> Rows:
        """The signals of a stretch with the heading, radians, and the way ahead and to the left, seen along a course.

        The path is unrolled along the ``course``, a heading without the sway of steps, and stays a path: noise of its
        places is not differentiated.
        """
        steps = np.diff(self.clip.ground_path[frames]) * np.exp(-0.5j * (course[1:] + course[:-1]))
        way = np.concatenate([[0.0], np.cumsum(steps)])
        path = np.stack([self.clip.headings[frames], way.real, way.imag], axis=1)
        return np.concatenate([self.rows[frames], path * self.scales[HEADING:]], axis=1)

    def clip_of(self, rows: Rows, frames: slice, course: Float[np.ndarray, " stretch"]) -> Clip:
        """The clip that rows of ``with_path`` stand for."""
        tilts, root = poses_of(rows / self.scales, self.clip.skeleton)
        tilts[:, 0] = quaternions.multiply(quaternions.about_y(root[:, HEADING]), tilts[:, 0])
        steps = np.diff(root[:, AHEAD] + 1j * root[:, LEFT]) * np.exp(0.5j * (course[1:] + course[:-1]))
        path = self.clip.ground_path[frames.start] + np.concatenate([[0.0], np.cumsum(steps)])
        return replace(
            self.clip[frames],
            root_positions=np.stack([path.imag, root[:, HEIGHT], path.real], axis=-1),
            rotations_wxyz=tilts,
        )


def _signal_scales(skeleton: Skeleton) -> Float[np.ndarray, " signals"]:
    """Metres per unit of the signals of a skeleton."""
    reaches = np.maximum(limb_reaches(skeleton), _SHORTEST_REACH)
    return np.concatenate([np.repeat(2.0 * reaches, 4), [1.0, _HEADING, 1.0, 1.0]])


def legs_in_turn(
    signals: Signals, harmonics: Complex[np.ndarray, "harmonics rows"], mean: Float[np.ndarray, " rows"]
) -> float:
    """The share, 0 … 1, of the legs' motion that the other leg does half a cycle later, seen in a mirror.

    Harmonics and ``mean`` are of ``Signals.rows``. It is 1 where left and right of the skeleton are not built alike.
    """
    none = np.zeros((len(harmonics), 3))
    motion = np.concatenate([harmonics, none], axis=1)
    image = other_side(motion, np.concatenate([mean, none[0]]), signals.clip.skeleton)
    if image is None:
        return 1.0
    legs = np.flatnonzero(signals.moving)[signals.legs]
    both = np.abs(0.5 * (motion + image[0])[:, legs]) ** 2
    return float(both.sum() / max(float((np.abs(motion[:, legs]) ** 2).sum()), 1e-12))


def groups_of(skeleton: Skeleton) -> Int[np.ndarray, " signals"]:
    """For each signal which joint it belongs to; height, heading and path are three more."""
    n = skeleton.n_joints
    return np.concatenate([np.repeat(np.arange(n), 4), [n, n + 1, n + 2, n + 2]])


def poses_of(
    values: Float[np.ndarray, "frames signals"], skeleton: Skeleton
) -> tuple[Float[np.ndarray, "frames joints 4"], Float[np.ndarray, "frames 4"]]:
    """Unit rotations, of which the root's has no heading, and the root's four values, from unscaled signals."""
    rotations = quaternions.normalise(values[:, :HEIGHT].reshape(len(values), skeleton.n_joints, 4))
    return without_heading(rotations), values[:, HEIGHT:]


def other_side(
    harmonics: Complex[np.ndarray, "harmonics signals"], mean: Float[np.ndarray, " signals"], skeleton: Skeleton
) -> tuple[Complex[np.ndarray, "harmonics signals"], Int[np.ndarray, " groups"]] | None:
    """The harmonics of the mirror image half a cycle later, and the counterpart of each group of signals.

    ``mean`` is what they swing about; quaternions of the image get the signs that bring it nearest to this. None where
    left and right of the skeleton are not built alike.
    """
    try:
        if is_uneven(skeleton):
            return None
        pairs = mirror_pairs(skeleton)
    except SkeletonError:
        return None
    scales, joints = _signal_scales(skeleton), skeleton.n_joints
    middle, plain = (values[..., :HEIGHT].reshape(-1, joints, 4) for values in (mean / scales, harmonics / scales))
    signs = np.where(np.einsum("fjc,fjc->j", middle, middle[:, pairs] * REFLECTION) < 0.0, -1.0, 1.0)
    seen = (plain[:, pairs] * REFLECTION * signs[:, None]).reshape(len(harmonics), -1) * scales[:HEIGHT]
    root = harmonics[:, HEIGHT:] * np.array([1.0, -1.0, 1.0, -1.0])  # heading and left change their sign
    half_later = np.where(np.arange(len(harmonics)) % 2, 1.0, -1.0)[:, None]  # the first row is harmonic 1
    return np.concatenate([seen, root], axis=1) * half_later, np.concatenate([pairs, np.arange(joints, joints + 3)])
