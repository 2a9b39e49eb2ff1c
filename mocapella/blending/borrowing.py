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


def borrowed(cycle: Cycle, nearest: int, clip: Clip, frame: int, layout: str) -> Cycle:
    """The cycle begun at its frame ``nearest``, displaced so that it shows the clip's pose there.

    The displacement fades over half a cycle to either side, as a single wave: it adds no harmonic but the first, and
    velocities where the two meet stay what they were. Rates of travel and turn are the cycle's own.
    """
    turned = replace(in_layout(cycle, layout).starting_at(TURN * nearest / cycle.n_frames), offset=0.0)
    goal = neighbour_dofs(clip[frame : frame + 1], turned.layout)[0]
    goal[-3:] = turned.dofs[0, -3:]
    gap = turned.layout.displacement(turned.dofs[0], goal)
    bent = turned.layout.displaced(turned.dofs, (0.5 + 0.5 * np.cos(turned.phases))[:, None] * gap)
    own, other = (turned.layout.rotations(row) for row in (turned.dofs[0], goal))
    degrees = float(np.degrees(quaternions.angle_between(own, other)).max())
    text = f"a cycle of {cycle.name!r}, bent by up to {degrees:.0f}° to meet row {clip.first_row + frame}"
    return replace(turned, dofs=owned(bent)).decided("borrow", text, bent_deg=degrees)
