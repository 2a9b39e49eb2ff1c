"""Pose: a character at one instant."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from mocapella.arrays import freeze, owned
from mocapella.checks import explained
from mocapella.errors import MotionError
from mocapella.motion import kinematics
from mocapella.motion.skeleton import Skeleton


@explained
@dataclass(frozen=True, eq=False, repr=False)
class Pose:
    """Position of the root and local rotation of every joint.

    Parameters
    ----------
    skeleton
        The joints.
    root_position
        Metres.
    rotations_wxyz
        Local rotations as unit quaternions.

    Examples
    --------
    >>> arm = Skeleton.of(["shoulder", "elbow"], [-1, 0], [[0, 0, 0], [0.3, 0, 0]])
    >>> pose = Pose(arm, np.array([0.0, 1.4, 0.0]), np.array([[1.0, 0.0, 0.0, 0.0]] * 2))
    >>> pose.positions.tolist()
    [[0.0, 1.4, 0.0], [0.3, 1.4, 0.0]]
    """

    skeleton: Skeleton
    root_position: Float[np.ndarray, 3]
    rotations_wxyz: Float[np.ndarray, "joints 4"]

    def __post_init__(self) -> None:
        freeze(self, np.float64, "root_position", "rotations_wxyz")
        if self.rotations_wxyz.shape != (self.skeleton.n_joints, 4):
            raise MotionError(f"{self.skeleton!r} needs a rotation for each joint, got {self.rotations_wxyz.shape}")

    @classmethod
    def unchecked(
        cls, skeleton: Skeleton, root_position: Float[np.ndarray, 3], rotations_wxyz: Float[np.ndarray, "joints 4"]
    ) -> Pose:
        """A pose of frozen arrays that are known to fit the ``skeleton``, without a check.

        ``root_position`` is in metres; ``rotations_wxyz`` are local unit quaternions.

        A player makes a new one at every step.
        """
        pose: Pose = object.__new__(cls)
        pose.__dict__.update(skeleton=skeleton, root_position=root_position, rotations_wxyz=rotations_wxyz)
        return pose

    @cached_property
    def world(self) -> tuple[Float[np.ndarray, "joints 3"], Float[np.ndarray, "joints 4"]]:
        """World positions (metres) and rotations of the joints; cached."""
        positions, world_wxyz = kinematics.forward_pose(self.skeleton, self.root_position, self.rotations_wxyz)
        return owned(positions), owned(world_wxyz)

    @property
    def positions(self) -> Float[np.ndarray, "joints 3"]:
        """World positions of the joints, metres."""
        return self.world[0]

    @property
    def end_positions(self) -> Float[np.ndarray, "ends 3"]:
        """World positions of the end sites, metres."""
        return kinematics.end_positions(self.skeleton, *self.world)

    def __repr__(self) -> str:
        x, y, z = self.root_position
        return f"Pose({self.skeleton.n_joints} joints, root at {x:.3f}, {y:.3f}, {z:.3f})"
