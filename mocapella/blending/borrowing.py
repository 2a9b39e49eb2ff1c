"""A cycle of somebody else's motion, bent to meet a clip that has none of its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mocapella.analysis.root import neighbour_dofs
from mocapella.arrays import owned
from mocapella.blending.rewriting import in_layout
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import TURN, Cycle

MOST_BENT = np.radians(40.0)  # of any joint: bent further, the motion that joins would no longer be recognised


def borrowed(cycle: Cycle, nearest: int, clip: Clip, frame: int, layout: str) -> Cycle:
    """The cycle begun at its frame ``nearest``, displaced towards the clip's pose there.

    The displacement fades over half a cycle to either side, as a single wave: it adds no harmonic but the first, and
    velocities where the two meet stay what they were. Joints go all the way, but none by more than ``MOST_BENT``: what
    is missing is left to the moment at which one is played after the other. Rates of travel and turn are the cycle's.
    """
    turned = replace(in_layout(cycle, layout).starting_at(TURN * nearest / cycle.n_frames), offset=0.0)
    goal = neighbour_dofs(clip[frame : frame + 1], turned.layout)[0]
    goal[-3:] = turned.dofs[0, -3:]
    own, other = (turned.layout.rotations(row) for row in (turned.dofs[0], goal))
    halves = quaternions.log(quaternions.shortest(quaternions.multiply(quaternions.conjugate(own), other)))
    angles = 2.0 * np.linalg.norm(halves, axis=-1)
    within = np.minimum(1.0, MOST_BENT / np.maximum(angles, 1e-9))
    reached = quaternions.multiply(own, quaternions.exp(within[:, None] * halves))
    goal = turned.layout.dofs(reached[None], goal[None, -4:])[0]
    gap = turned.layout.displacement(turned.dofs[0], goal)
    bent = turned.layout.displaced(turned.dofs, (0.5 + 0.5 * np.cos(turned.phases))[:, None] * gap)
    degrees, missing = (float(np.degrees(one.max())) for one in (within * angles, (1.0 - within) * angles))
    text = f"a cycle of {cycle.name!r}, bent by up to {degrees:.0f}° to meet row {clip.first_row + frame}"
    if missing > 0.0:
        text += f"; up to {missing:.0f}° are missing"
    return replace(turned, dofs=owned(bent)).decided("borrow", text, bent_deg=degrees, missing_deg=missing)
