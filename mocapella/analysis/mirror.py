"""Motions seen in a mirror: left becomes right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mocapella.arrays import owned
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import Cycle
from mocapella.motion.layout import REFLECTION
from mocapella.rig.symmetry import FLIP, mirror_pairs


def mirrored_clip(clip: Clip) -> Clip:
    """The clip seen in a mirror that stands along x = 0, so that a left turn becomes a right turn."""
    pairs = mirror_pairs(clip.skeleton)
    order = np.argsort(pairs[clip.sliding_joints])
    return replace(
        clip,
        root_positions=clip.root_positions * FLIP,
        rotations_wxyz=clip.rotations_wxyz[:, pairs] * REFLECTION,
        sliding_joints=pairs[clip.sliding_joints][order],
        slides=clip.slides[:, order] * FLIP,
    )


def mirrored(cycle: Cycle) -> Cycle:
    """The cycle seen in a mirror: left and right exchanged, turn and travel to the side reversed, contacts too.

    Raises
    ------
    SkeletonError
        Where left and right are not built alike.
    """
    contacts = None if cycle.contacts is None else cycle.contacts.mirrored()
    dofs = cycle.layout.reflected(cycle.dofs, mirror_pairs(cycle.skeleton))
    return replace(cycle, dofs=owned(dofs), contacts=contacts).decided("mirror", "left and right were exchanged")
