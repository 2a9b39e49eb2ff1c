"""A skinned body for any skeleton, for files and pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from mocapella.arrays import freeze, owned
from mocapella.body.anatomy import parts_of
from mocapella.body.tubes import Figure, smooth_normals
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.skeleton import Skeleton
from mocapella.rig.roles import find_roles

_THICKEST_SOLE = 0.025  # of the body's height


@dataclass(frozen=True, eq=False, repr=False)
class BodyMesh:
    """Triangles in the rest pose, and the joints and weights that move each vertex."""

    skeleton: Skeleton
    vertices: Float[np.ndarray, "vertices 3"]  # metres
    normals: Float[np.ndarray, "vertices 3"]
    faces: Int[np.ndarray, "faces 3"]  # anticlockwise from outside
    joints: Int[np.ndarray, "vertices 4"]  # 0 where the weight is 0
    weights: Float[np.ndarray, "vertices 4"]  # falling, sum to 1

    def __post_init__(self) -> None:
        freeze(self, np.float64, "vertices", "normals", "weights")
        freeze(self, np.int64, "faces", "joints")

    def posed(
        self, positions: Float[np.ndarray, "*batch joints 3"], world_wxyz: Float[np.ndarray, "*batch joints 4"]
    ) -> Float[np.ndarray, "*batch vertices 3"]:
        """The vertices for joints at these world positions and rotations: ``body.posed(*clip.world)``."""
        bound = self.vertices[:, None] - self.skeleton.rest_positions[self.joints]
        carried = quaternions.rotate(world_wxyz[..., self.joints, :], bound) + positions[..., self.joints, :]
        return np.asarray(np.einsum("vi,...vik->...vk", self.weights, carried))

    def __repr__(self) -> str:
        return f"BodyMesh({len(self.vertices)} vertices, {len(self.faces)} triangles for {self.skeleton!r})"


def body_mesh(skeleton: Skeleton, roles: Mapping[str, int] | None = None, *, soles: float = 0.0) -> BodyMesh:
    """A body for a skeleton in its rest pose: a person where the roles tell of one, plain limbs elsewhere.

    A part that lacks a role is made of plain limbs, so a horse, a hand or a chain of beads has a body too. Joints that
    all lie in one point are one small ball.

    ``roles`` are found by name and place if None. ``soles`` is the thickness of soles below the lowest points of the
    feet, metres. Surfaces are closed.

    Examples
    --------
    >>> arm = Skeleton.of(["shoulder", "elbow"], [-1, 0], [[0, 0, 0], [0.3, 0, 0]], ends={"elbow": [0.25, 0, 0]})
    >>> body_mesh(arm).weights.sum(axis=-1).round(6).tolist() == [1.0] * len(body_mesh(arm).vertices)
    True
    """
    parts = parts_of(Figure.of(skeleton, find_roles(skeleton) if roles is None else roles, soles))
    starts = np.cumsum([0, *(len(part.vertices) for part in parts[:-1])])
    vertices = np.concatenate([part.vertices for part in parts])
    faces = np.concatenate([part.faces + start for part, start in zip(parts, starts, strict=True)])
    return BodyMesh(
        skeleton,
        vertices=owned(vertices),
        normals=owned(smooth_normals(vertices, faces)),
        faces=owned(faces),
        joints=owned(np.concatenate([part.joints for part in parts])),
        weights=owned(np.concatenate([part.weights for part in parts])),
    )


def sole_thickness(clips: Sequence[Clip]) -> float:
    """How thick soles have to be for feet to stand on the ground of some motions of one skeleton, in metres.

    Captured joints of a foot are inside of it, by as much as the rig has it; players put them on the ground. So it is
    the median height of the lowest point of the body, at most 2.5 % of the body's height.
    """
    lowest = [np.concatenate([clip.positions, clip.end_positions], axis=1)[..., 1].min(axis=1) for clip in clips]
    skeleton = clips[0].skeleton
    height = float(np.ptp(np.concatenate([skeleton.rest_positions, skeleton.rest_end_positions])[:, 1]))
    return float(np.clip(np.median(np.concatenate(lowest)), 0.0, _THICKEST_SOLE * height))
