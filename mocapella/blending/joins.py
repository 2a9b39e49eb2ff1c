"""What is left to see at the two joins of an arc, as its network plays them."""

from __future__ import annotations

from mocapella.analysis.fourier import synthesise
from mocapella.blending.hybrid import Arc, HybridNetwork
from mocapella.blending.seams import Seam, seam


def joins(hybrid: HybridNetwork, arc: Arc) -> tuple[Seam, Seam]:
    """How far the motion on an arc's source node is from its clip, and the clip from the motion that follows.

    Measured at the node itself, weight 1, with as many harmonics as the blocks have; ``arc`` may be any of an arc's
    versions. A node that several arcs share shows the motion of the first.
    """
    change = arc.transition
    shown = hybrid.block(arc.source.block).network.node(arc.source.node).spectrum
    old = synthesise(shown.truncated(hybrid.block(arc.source.block).network.n_harmonics), change.before.n_frames)
    new = synthesise(hybrid.after(arc), change.after.n_frames)
    return (
        seam(old, change.leave_phase, change.clip, change.leave, into=True),
        seam(new, change.arrive_phase, change.clip, change.arrive, into=False),
    )
