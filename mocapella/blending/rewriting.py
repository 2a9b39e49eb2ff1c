"""A motion written in another layout: Euler angles for one block, quaternions for the next."""

from __future__ import annotations

from dataclasses import replace

from mocapella.arrays import owned
from mocapella.motion.cycle import Cycle
from mocapella.motion.layout import N_ROOT_DOFS, layout_of


def in_layout(cycle: Cycle, kind: str) -> Cycle:
    """The same cycle with its rotations written as ``kind`` says, ``"quaternion"`` or ``"euler"``."""
    if cycle.layout.kind == kind:
        return cycle
    layout = layout_of(kind, cycle.skeleton)
    return replace(cycle, layout=layout, dofs=owned(layout.dofs(cycle.rotations_wxyz, cycle.dofs[:, -N_ROOT_DOFS:])))
