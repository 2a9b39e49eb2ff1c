"""Motions retargeted to a user's character, with feet locked and loops closed again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mocapella.analysis.examined import examine
from mocapella.arrays import owned
from mocapella.editing.feet.lock import lock
from mocapella.editing.retarget import retarget
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import Contacts, round_cycle
from mocapella.motion.cycle import Cycle
from mocapella.motion.kinematics import without_heading
from mocapella.motion.layout import layout_of
from mocapella.motion.loops import close_loop
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.travel import rates_of_path


def carried_to(clip: Clip, skeleton: Skeleton, *, contacts: Contacts | None = None, loop: bool = False) -> Clip:
    """A motion on another skeleton, its feet held where they rest, no bone stretched.

    ``clip`` is the motion; of a loop one round or several, with its closing frame or without. ``contacts`` are the foot
    plants of the clip; found if None. The motion repeats, and has to do so on the other skeleton. Raises
    ``MotionError`` where one of the skeletons lacks hips or legs.
    """
    if loop:
        return _carried_loop(clip, skeleton, contacts)
    plants = examine(clip).plants if contacts is None else contacts
    made = retarget(clip, skeleton)
    return lock(made, constraints=plants, stretch=0.0).clip


def _carried_loop(clip: Clip, skeleton: Skeleton, contacts: Contacts | None) -> Clip:
    """A loop retargeted as a cycle, so that it stays closed."""
    closed = close_loop(clip.captured)
    own = contacts if contacts is not None and contacts.n_frames == closed.n_frames else examine(closed).plants
    velocities, yaw_rates = rates_of_path(closed.ground_path, closed.headings, closed.frame_rate)
    root = np.stack([closed.root_positions[:-1, 1], velocities.real, velocities.imag, yaw_rates], axis=-1)
    layout = layout_of("quaternion", closed.skeleton)
    dofs = layout.dofs(without_heading(closed.rotations_wxyz[:-1]), root)
    cycle = Cycle(layout, owned(dofs), closed.frame_rate, round_cycle(own), closed.name, closed.source)
    there = retarget(cycle, skeleton, lock_feet=True).to_clip(2)[: cycle.n_frames + 1]
    return replace(there, source=closed.source, report=closed.report)
