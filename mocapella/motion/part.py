"""A part of a skeleton that moves without the rest: some joints, with all that they hang on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from mocapella.arrays import owned
from mocapella.motion.kinematics import forward
from mocapella.motion.layout import N_ROOT_DOFS, Layout, layout_of
from mocapella.motion.skeleton import Skeleton


@dataclass(frozen=True, eq=False)
class Part:
    """Joints with the chains they hang on, as a skeleton and layout of their own.

    Following a foot takes five joints of thirty, so what only looks at feet costs a fraction of whole poses.
    """

    joints: tuple[int, ...]  # in the whole skeleton, those that hang on fewer first
    columns: Int[np.ndarray, " some"]  # the dofs of the whole layout that are this part's
    layout: Layout

    @classmethod
    def of(cls, layout: Layout, ends: Iterable[int]) -> Part:
        """The part of a layout that carries these joints."""
        whole = layout.skeleton
        found = {0, *(joint for end in ends for joint in whole.path(end))}
        joints = tuple(sorted(found, key=lambda joint: (len(whole.path(joint)), joint)))
        at = {joint: i for i, joint in enumerate(joints)}
        rows = list(joints)
        skeleton = Skeleton.of(
            [whole.names[joint] for joint in joints],
            [-1 if joint == 0 else at[int(whole.parents[joint])] for joint in joints],
            whole.offsets[rows],
            rotation_orders=[whole.rotation_orders[joint] for joint in joints],
            axes_wxyz=whole.axes_wxyz[rows],
        )
        columns = [np.arange(layout.n_dofs)[layout.columns(joint)] for joint in joints]
        root = np.arange(layout.n_dofs - N_ROOT_DOFS, layout.n_dofs)
        return cls(joints, owned(np.concatenate([*columns, root])), layout_of(layout.kind, skeleton))

    def index(self, joint: int) -> int:
        """Which of the part's joints a joint of the whole skeleton is."""
        return self.joints.index(joint)

    def places(self, dofs: Float[np.ndarray, "*batch some"], joint: int) -> Float[np.ndarray, "*batch 3"]:
        """Where a joint is seen from the root, in axes that turn with the heading but do not tilt; metres."""
        rotations = self.layout.rotations(dofs)
        positions, _ = forward(self.layout.skeleton, np.zeros((*rotations.shape[:-2], 3)), rotations)
        return np.asarray(positions[..., self.index(joint), :])
