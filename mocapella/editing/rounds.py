"""Edits of clips applied to cycles: to some rounds of one, of which the middle round is kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from mocapella.arrays import owned
from mocapella.editing.parameters import EditError
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS, Contacts
from mocapella.motion.cycle import Cycle
from mocapella.motion.kinematics import without_heading
from mocapella.motion.travel import rates_of_path

ROUNDS = 5  # what happens at the ends of the clip must not reach its middle round


def through_rounds(cycle: Cycle, change: Callable[[Clip], Clip]) -> Cycle:
    """A cycle changed by an edit of clips that keeps frames where they are.

    The result is of the middle round; its travel and turn are those of the edited clip from there to the next round.
    Raises ``EditError`` where the edit changes the number of frames or the skeleton.
    """
    n = cycle.n_frames
    clip = change(cycle.to_clip(rounds=ROUNDS))
    if clip.n_frames != ROUNDS * n or not clip.skeleton.same_as(cycle.skeleton):
        raise EditError(
            "an edit that changes frames or skeleton cannot be applied to a cycle", helps="use cycle.to_clip()"
        )
    if len(clip.sliding_joints):
        raise EditError("a cycle has no sliding joints, and a limb was stretched", helps="set stretch to 0")
    middle = (ROUNDS // 2) * n
    closed = slice(middle, middle + n + 1)
    velocities, yaw_rates = rates_of_path(clip.ground_path[closed], clip.headings[closed], cycle.frame_rate)
    frames = slice(middle, middle + n)
    root = np.stack([clip.root_positions[frames, 1], velocities.real, velocities.imag, yaw_rates], axis=1)
    dofs = cycle.layout.dofs(without_heading(clip.rotations_wxyz[frames], clip.headings[frames]), root)
    return replace(cycle, dofs=owned(cycle.layout.matched(dofs, cycle.dofs.mean(axis=0))))


def contacts_of_rounds(cycle: Cycle) -> Contacts:
    """The foot plants of the rounds that ``through_rounds`` gives to an edit."""
    if cycle.contacts is None:
        raise EditError(f"{cycle!r} has no foot plants", helps="prepare(clip) finds them")
    contacts = cycle.contacts
    masks = {point: np.tile(contacts.planted(point, cycle.phases), ROUNDS) for point in FOOT_POINTS}
    return Contacts.from_masks(masks)
