"""Close a cycle, so that it can be repeated seamlessly."""

from __future__ import annotations

import warnings

import numpy as np
from jaxtyping import Float

from mocapella.analysis.closing import displacement
from mocapella.analysis.closing.displacement import Closing, ClosingMethod, Cut
from mocapella.analysis.closing.merge import half_mirrored, neighbour_merged, there_and_back
from mocapella.analysis.closing.planted import feet_kept
from mocapella.analysis.cycles.raw_cycle import RawCycle, cycle_frames
from mocapella.analysis.examined import Examined
from mocapella.arrays import owned
from mocapella.checks import explained, named
from mocapella.errors import MotionError, MotionWarning
from mocapella.geometry import quaternions
from mocapella.geometry.angles import TURN
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import Contacts, round_cycle
from mocapella.motion.cycle import Cycle
from mocapella.motion.layout import HEIGHT, Layout, layout_of
from mocapella.stages import refuse_other_stage

CLOSING_METHODS: dict[str, Closing] = {
    "symmetric": displacement.symmetric,
    "smooth": displacement.smooth,
    "feet_kept": feet_kept,
    "start_moved": displacement.start_moved,
    "end_moved": displacement.end_moved,
    "neighbour_merged": neighbour_merged,
    "there_and_back": there_and_back,
    "half_mirrored": half_mirrored,
}
"""Ways to close a cycle, by name."""


def closing_method(method: Closing | str) -> ClosingMethod:
    """The way to close a cycle that a name stands for.

    ``method`` is a name of ``CLOSING_METHODS``, or a function from a cut to as many closed frames. Raises
    ``MotionError`` where there is none of that name.
    """
    way = named(method, CLOSING_METHODS, "a way to close a cycle")
    return way if isinstance(way, ClosingMethod) else ClosingMethod(getattr(way, "__name__", "closed"), way)


_NO_CYCLE = 45.0  # degrees between the ends of a clip, at one joint, above which it is not taken for a cycle


@explained
def cyclify(
    found: RawCycle | Clip,
    frames: tuple[int, int] | None = None,
    *,
    method: Closing | str = "symmetric",
    layout: str = "quaternion",
    contacts: Contacts | None = None,
) -> Cycle:
    """Close a cycle, so that it can be repeated seamlessly.

    Root yaw is left out: the next cycle turns on from where one ends. The captured frame that closes the cycle is
    dropped, since it has become equal to the first.

    Parameters
    ----------
    found
        A cycle that ``find_cycle`` found, or a clip.
    frames
        For a clip, the frame the cycle starts with and the one that shows the same pose a cycle later; all if None.
    method
        How to close it: ``"symmetric"``, ``"smooth"``, ``"feet_kept"``, ``"start_moved"``, ``"end_moved"``,
        ``"neighbour_merged"``, ``"there_and_back"`` or ``"half_mirrored"``, or a function.
    layout
        ``"quaternion"`` or ``"euler"``.
    contacts
        For a clip, its foot plants, where they are known.

    Returns
    -------
    Cycle
        The frames of the cycle as dofs, with plants and with what was done on record.

    Raises
    ------
    MotionError
        Where the frames do not lie in the clip or are too few, there is no such method, or all of a clip is to be
        closed and its ends are far apart.

    Warns
    -----
    MotionWarning
        Where a joint makes a full turn within the cycle, or jumps, so that no signs make its quaternion continuous.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> from mocapella.analysis.cycles.find import find_cycle
    >>> cycle = cyclify(find_cycle(perform("walk", speed=1.3)[0]), method="smooth")
    >>> cycle.decisions[-1].step
    'cyclify'
    """
    if not isinstance(found, Clip):
        refuse_other_stage(found, "RawCycle")
    way = closing_method(method)
    source, start, count, captured_plants = _asked(found, frames, contacts)
    clip, row = source.clip, source.clip.first_row + start
    arrangement = layout_of(layout, clip.skeleton)
    cut = Cut.of(source, start, count, arrangement, captured_plants)
    closed = _seamless(arrangement, way(cut), clip.name)
    plants = None if captured_plants is None else round_cycle(captured_plants)
    if plants is not None and way.contacts is not None:
        plants = way.contacts(plants)
    cycle = Cycle(
        layout=arrangement,
        dofs=owned(np.ascontiguousarray(closed[:-1])),
        frame_rate=clip.frame_rate,
        contacts=plants,
        name=clip.name,
        source=clip.source,
        files=clip.report.files,
        start_row=row,
    ).decided("select", f"rows {row} to {row + count} of {clip.name!r}", start=row, frames=count)
    if way.keeps_end:
        cycle = cycle.starting_at(TURN / count)
    worst, degrees = _gap(cut)
    if isinstance(found, Clip) and frames is None and degrees > _NO_CYCLE and not way.any_ends:
        raise MotionError(
            f"all of {clip!r} is not a cycle: {worst} differs by {degrees:.0f}° between its first and its last frame",
            helps="cyclify(find_cycle(clip)) closes a cycle in it, cyclify(clip, (first, last)) those frames",
        )
    text = f"closed ({way.name}); the widest gap was {degrees:.1f}° at {worst}"
    if way.note is not None:
        text += f"; {way.note(cut)}"
    rise = float(cut.dofs[-1, HEIGHT] - cut.dofs[0, HEIGHT])
    return cycle.decided("cyclify", text, gap_deg=degrees, gap_height_m=rise)


def _asked(
    found: RawCycle | Clip, frames: tuple[int, int] | None, contacts: Contacts | None
) -> tuple[Examined, int, int, Contacts | None]:
    """The clip, the first frame, the cycle's own count and the plants of the cut."""
    if isinstance(found, RawCycle):
        if frames is not None or contacts is not None:
            raise MotionError("a found cycle has its own frames and contacts; give the clip to choose others")
        return found.examined, found.start, found.n_frames, found.contacts
    first, last = cycle_frames((0, found.n_frames - 1) if frames is None else frames, found)
    return Examined(found), first, last - first, None if contacts is None else contacts[first : last + 1]


def _gap(cut: Cut) -> tuple[str, float]:
    """The joint whose ends are furthest apart, and by how many degrees."""
    first, last = cut.layout.rotations(cut.dofs[[0, -1]])
    apart = quaternions.angle_between(first, last)
    worst = int(np.argmax(apart))
    return cut.layout.skeleton.names[worst], float(np.degrees(apart[worst]))


def _seamless(layout: Layout, closed: Float[np.ndarray, "closed dofs"], name: str) -> Float[np.ndarray, "closed dofs"]:
    """The closed cut with dofs that are continuous over the seam; joints that cannot be are written near their mean."""
    gaps = np.abs(closed[-1] - closed[0])
    torn = [j for j in range(layout.skeleton.n_joints) if gaps[layout.columns(j)].max(initial=0.0) > 1e-6]
    if not torn:
        return closed
    names = ", ".join(layout.skeleton.names[j] for j in torn[:4])
    text = f"{name or 'cycle'}: {names} turn right round or leap within the cycle, so their dofs jump once in it"
    warnings.warn(text, MotionWarning, stacklevel=3)
    out = np.array(closed)
    for joint in torn:
        at = layout.columns(joint)
        middle = _middle(layout, closed, joint)
        for frame, row in enumerate(closed):
            out[frame, at] = layout.matched(row[None], middle)[0, at]
    return out


def _middle(layout: Layout, closed: Float[np.ndarray, "closed dofs"], joint: int) -> Float[np.ndarray, " dofs"]:
    """A row of dofs with the joint at the mean of its rotations."""
    q = layout.rotations(closed)[:, joint]
    _, axes = np.linalg.eigh(q.T @ q)
    rotations = np.tile(quaternions.IDENTITY, (1, layout.skeleton.n_joints, 1))
    rotations[0, joint] = axes[:, -1]
    return np.asarray(layout.dofs(rotations, np.zeros((1, 4)))[0])
