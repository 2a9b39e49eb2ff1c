"""Mirrored motions: left becomes right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mocapella.arrays import owned
from mocapella.checks import refuse_other_stage
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import Cycle
from mocapella.motion.layout import REFLECTION
from mocapella.rig.symmetry import FLIP, mirror_pairs


def mirrored_clip(clip: Clip) -> Clip:
    """The clip mirrored at x = 0: left and right exchanged, turns reversed.

    Parameters
    ----------
    clip
        The motion.

    Returns
    -------
    Clip
        Of the same skeleton.

    Raises
    ------
    SkeletonError
        Where left and right are not built alike.
    """
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
    """The cycle mirrored: left and right exchanged, contacts too, turn and travel to the side reversed.

    Parameters
    ----------
    cycle
        The motion.

    Returns
    -------
    Cycle
        Of the same skeleton.

    Raises
    ------
    SkeletonError
        Where left and right are not built alike.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> from mocapella.analysis.prepare import prepare
    >>> cycle = prepare(perform("walk", speed=1.3, turn=0.4)[0])
    >>> bool(np.isclose(mirrored(cycle).turn, -cycle.turn))
    True
    """
    refuse_other_stage(cycle, "Cycle")
    contacts = None if cycle.contacts is None else cycle.contacts.mirrored()
    dofs = cycle.layout.reflected(cycle.dofs, mirror_pairs(cycle.skeleton))
    return replace(cycle, dofs=owned(dofs), contacts=contacts).decided("mirror", "left and right were exchanged")
