"""A motion as one vector of values and one of times: every dof a curve through keys, all curves in one row.

With ``n`` dofs of ``k`` keys each, the shape vector has ``n · k`` values and the time vector their ``n · k`` moments.
Motions written so are points of a vector space, which statistics and learning take as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from mocapella.arrays import freeze
from mocapella.checks import whole_number
from mocapella.errors import MotionError
from mocapella.geometry import euler
from mocapella.motion.clip import Clip
from mocapella.motion.skeleton import Skeleton
from mocapella.stages import refuse_other_stage

_POSITIONS = ("root.tx", "root.ty", "root.tz")
_LEAST_APART = 1e-9  # seconds between two keys of a curve


@dataclass(frozen=True, eq=False)
class CurveVectors:
    """Shape and time vectors of a motion, the curves of its dofs one after the other."""

    dofs: tuple[str, ...]  # names: the root's place, then joint.axis
    shape: Float[np.ndarray, " values"]  # metres and radians, the keys of the first dof first
    times: Float[np.ndarray, " values"]  # seconds, of the same keys
    frame_rate: float  # of the motion it was made of

    def __post_init__(self) -> None:
        freeze(self, np.float64, "shape", "times")
        if not self.dofs or self.shape.shape != self.times.shape or len(self.shape) % len(self.dofs):
            raise MotionError(
                expected=f"as many values and times for each of {len(self.dofs)} dofs",
                got=f"{len(self.shape)} and {len(self.times)}",
            )
        rows = self.times.reshape(len(self.dofs), -1)
        if not (np.isfinite(self.shape).all() and np.isfinite(self.times).all()):
            raise MotionError("values and times of curves must be finite numbers")
        if rows.shape[1] < 1 or (rows.shape[1] > 1 and np.diff(rows, axis=1).min() < _LEAST_APART):
            raise MotionError("the times of a curve must increase from key to key")

    @property
    def n_keys(self) -> int:
        """Keys of each dof."""
        return len(self.shape) // len(self.dofs)

    def plain(self) -> dict[str, Any]:
        """Numbers and words alone, as files hold them."""
        return {
            "dofs": list(self.dofs),
            "keys": self.n_keys,
            "shape": self.shape.tolist(),
            "times": self.times.tolist(),
            "frame_rate": self.frame_rate,
        }


def curve_vectors(clip: Clip, keys: int | None = None) -> CurveVectors:
    """Write a clip as vectors of curves.

    The root's place comes first, in metres, then Euler angles of every joint in the order of its file, continuous, in
    radians. Raises ``MotionError`` where fewer than two keys are asked for, or more than there are frames.

    Parameters
    ----------
    clip
        The motion; an artificial rest pose is left out, and joints that slide are written at their rest offsets.
    keys
        How many keys each curve has, evenly spaced; one in every frame if None, which loses nothing.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> walk = perform("walk")[0]
    >>> vectors = curve_vectors(walk, keys=20)
    >>> len(vectors.shape) == 20 * len(vectors.dofs)
    True
    """
    refuse_other_stage(clip, "Clip")
    clip = clip.captured
    count = clip.n_frames if keys is None else whole_number(keys, "a number of keys")
    if not min(2, clip.n_frames) <= count <= clip.n_frames:
        raise MotionError(expected=f"2 to {clip.n_frames} keys for {clip!r}", got=count)
    frames = np.linspace(0.0, clip.n_frames - 1.0, count)
    columns = [clip.root_positions, *(_angles(clip, joint) for joint in range(clip.skeleton.n_joints))]
    table = np.concatenate(columns, axis=1)
    at = np.arange(clip.n_frames)
    values = np.stack([np.interp(frames, at, column) for column in table.T])
    times = np.tile(frames / clip.frame_rate, len(values))
    return CurveVectors(_names(clip.skeleton), values.ravel(), times, clip.frame_rate)


def from_curve_vectors(vectors: CurveVectors, skeleton: Skeleton, *, frame_rate: float | None = None) -> Clip:
    """The clip that vectors of curves describe, linear between keys.

    It lasts from the earliest key to the latest. Raises ``MotionError`` where the dofs are another skeleton's.

    Parameters
    ----------
    vectors
        What ``curve_vectors`` wrote, or a vector of the same dofs that was computed.
    skeleton
        The skeleton with these dofs.
    frame_rate
        Frames per second; that of the motion they were made of if None.
    """
    names = _names(skeleton)
    if vectors.dofs != names:
        odd = next((a for a, b in zip(vectors.dofs, names, strict=False) if a != b), f"{len(vectors.dofs)} dofs")
        raise MotionError(f"these curves are not those of {skeleton!r}: {odd}, {len(names)} dofs were expected")
    rate = vectors.frame_rate if frame_rate is None else frame_rate
    values, times = (part.reshape(len(names), -1) for part in (vectors.shape, vectors.times))
    begin, end = float(times.min()), float(times.max())
    at = begin + np.arange(int(np.floor((end - begin) * rate + 1e-6)) + 1) / rate
    table = np.stack([np.interp(at, when, what) for when, what in zip(times, values, strict=True)], axis=1)
    rotations = np.empty((len(at), skeleton.n_joints, 4))
    place = len(_POSITIONS)
    for joint in range(skeleton.n_joints):
        order = euler.complete(skeleton.rotation_orders[joint])
        rotations[:, joint] = euler.to_quaternion(np.ascontiguousarray(table[:, place : place + 3]), order)
        place += 3
    return Clip(skeleton, np.ascontiguousarray(table[:, :3]), rotations, frame_rate=rate)


def _angles(clip: Clip, joint: int) -> Float[np.ndarray, "frames 3"]:
    order = euler.complete(clip.skeleton.rotation_orders[joint])
    return euler.unroll(euler.from_quaternion(clip.rotations_wxyz[:, joint], order), order)


def _names(skeleton: Skeleton) -> tuple[str, ...]:
    turns = [
        f"{name}.{axis.lower()}"
        for name, order in zip(skeleton.names, skeleton.rotation_orders, strict=True)
        for axis in euler.complete(order)
    ]
    return (*_POSITIONS, *turns)
