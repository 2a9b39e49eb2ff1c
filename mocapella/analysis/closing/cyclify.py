"""Bend a near-cycle until its ends meet."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from mocapella.analysis.cycles.find import RawCycle
from mocapella.analysis.root import cut_dofs, neighbour_dofs
from mocapella.arrays import owned
from mocapella.errors import MotionError, MotionWarning
from mocapella.geometry import curves, quaternions
from mocapella.geometry.angles import TURN
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import Contacts, round_cycle
from mocapella.motion.cycle import Cycle
from mocapella.motion.layout import Layout, layout_of

Shares = Float[np.ndarray, " frames"]


@dataclass(frozen=True, eq=False)
class Cut:
    """One round as captured, as dofs, with the frames beside it that some ways of closing look at."""

    layout: Layout
    dofs: Float[np.ndarray, "closed dofs"]  # the frame that closes the round included
    before: Float[np.ndarray, "earlier dofs"]  # up to a round of frames that lead to the first one
    after: Float[np.ndarray, "later dofs"]  # and of those that follow the closing one
    clip: Clip  # the whole source
    start: int  # the frame of the clip that the round starts with
    contacts: Contacts | None  # foot plants of the cut, where they are known

    @property
    def n_frames(self) -> int:
        """The cycle's own count of frames."""
        return len(self.dofs) - 1

    @property
    def progress(self) -> Shares:
        """How far into the round each frame is, 0 … 1."""
        return np.arange(len(self.dofs)) / self.n_frames


Closing = Callable[[Cut], Float[np.ndarray, "closed dofs"]]
"""A way of closing a cut: the same number of frames, the last one equal to the first."""


@dataclass(frozen=True)
class Displacement:
    """Close a cut by a displacement that varies over the round; rates, which close by nature, stay as they are.

    ``share`` says, 0 … 1 into the round, which share of the gap between the ends is added; it falls by 1 from the first
    frame to the last. In the quaternion layout the displacement is a rotation vector in each joint's own frame.
    """

    name: str
    share: Callable[[Shares], Shares]
    keeps_end: bool = False  # of the two equal frames the first is dropped instead of the last

    def __call__(self, cut: Cut) -> Float[np.ndarray, "closed dofs"]:
        """The cut with its ends brought together."""
        gap = cut.layout.displacement(cut.dofs[0], cut.dofs[-1])
        return cut.layout.displaced(cut.dofs, self.share(cut.progress)[:, None] * gap)


symmetric = Displacement("symmetric", lambda u: 0.5 - u)
"""Both ends move half the way, frames between by as much as they are near (PRE-04)."""

smooth = Displacement("smooth", lambda u: 0.5 - curves.smoothstep(u))
"""As ``symmetric``, but the displacement sets in and out gently: velocities at the ends stay as captured (D22)."""

start_moved = Displacement("start moved", lambda u: 1.0 - u, keeps_end=True)
"""Only the first frame moves; the last stays as captured, to run on into a transition (PRE-05, ``before``)."""

end_moved = Displacement("end moved", lambda u: -u)
"""Only the last frame moves; the first stays as captured, to carry a transition on (PRE-05, ``after``)."""


def cyclify(
    found: RawCycle | Clip,
    frames: tuple[int, int] | None = None,
    *,
    method: Closing = symmetric,
    layout: str = "quaternion",
    contacts: Contacts | None = None,
) -> Cycle:
    """Close a cycle, so that it can be repeated without end.

    Root yaw is left out: what a cycle turns by, the next one turns on from. Of the captured frames the one that closes
    the cycle is dropped, for it has become the first one's equal.

    Parameters
    ----------
    found
        A cycle that ``find_cycle`` found, or a clip.
    frames
        For a clip, the frame the cycle starts with and the one that shows the same pose a cycle later; all if None.
    method
        How to close it: ``symmetric``, ``smooth``, ``start_moved``, ``end_moved``, or those of
        ``analysis.feet_kept`` and ``analysis.merge``.
    layout
        ``"quaternion"`` or ``"euler"``.
    contacts
        For a clip, its foot plants, where they are known.

    Raises
    ------
    MotionError
        Where the frames do not lie in the clip or are too few.

    Warns
    -----
    MotionWarning
        Where a joint turns right round in the cycle, or leaps, so that no signs make its quaternion run on.
    """
    clip, start, count, own = _asked(found, frames, contacts)
    row = clip.first_row + start
    arrangement = layout_of(layout, clip.skeleton)
    cut = _cut(clip, start, count, arrangement, own)
    closed = _seamless(arrangement, method(cut), clip.name)
    plants = None if own is None else round_cycle(own)
    if plants is not None and hasattr(method, "contacts"):
        plants = method.contacts(plants)
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
    if getattr(method, "keeps_end", False):
        cycle = cycle.starting_at(TURN / count)
    worst, degrees = _gap(cut)
    step = getattr(method, "name", getattr(method, "__name__", "closed"))
    text = f"closed ({step}); the widest gap was {degrees:.1f}° at {worst}"
    if hasattr(method, "said"):
        text += f"; {method.said(cut)}"
    return cycle.decided("cyclify", text, gap_deg=degrees, gap_height_m=float(cut.dofs[-1, -4] - cut.dofs[0, -4]))


def _asked(
    found: RawCycle | Clip, frames: tuple[int, int] | None, contacts: Contacts | None
) -> tuple[Clip, int, int, Contacts | None]:
    """The clip, the first frame, the cycle's own count and the plants of the cut."""
    if isinstance(found, RawCycle):
        if frames is not None or contacts is not None:
            raise MotionError("a found cycle has its own frames and contacts; give the clip to choose others")
        return found.clip, found.start, found.n_frames, found.contacts
    first, last = (0, found.n_frames - 1) if frames is None else frames
    if not 0 <= first < last < found.n_frames:
        raise MotionError(f"frames {first} to {last} do not lie in a clip of {found.n_frames}")
    if last - first < 3:
        raise MotionError(f"a cycle needs at least 3 frames and the one that closes it, got {first} to {last}")
    return found, first, last - first, None if contacts is None else contacts[first : last + 1]


def _cut(clip: Clip, start: int, count: int, layout: Layout, contacts: Contacts | None) -> Cut:
    after = start + count + 1
    captured = clip.n_frames - clip.captured.n_frames
    earlier, later = max(start - count, captured, 0), min(after + count, clip.n_frames)
    dofs = cut_dofs(clip[start:after], layout)
    nothing = np.zeros((0, layout.n_dofs))
    # Neighbours are written as the cut is, so that a merge mixes like with like.
    before = layout.matched(neighbour_dofs(clip[earlier:start], layout), dofs[0]) if earlier < start else nothing
    behind = layout.matched(neighbour_dofs(clip[after:later], layout), dofs[-1]) if after < later else nothing
    return Cut(layout, dofs, before, behind, clip, start, contacts)


def _gap(cut: Cut) -> tuple[str, float]:
    """The joint whose ends are furthest apart, and by how many degrees."""
    first, last = cut.layout.rotations(cut.dofs[[0, -1]])
    apart = quaternions.angle_between(first, last)
    worst = int(np.argmax(apart))
    return cut.layout.skeleton.names[worst], float(np.degrees(apart[worst]))


def _seamless(layout: Layout, closed: Float[np.ndarray, "closed dofs"], name: str) -> Float[np.ndarray, "closed dofs"]:
    """The closed cut with dofs that run on over the seam; joints that cannot are written near their mean throughout."""
    gaps = np.abs(closed[-1] - closed[0])
    torn = [j for j in range(layout.skeleton.n_joints) if gaps[layout.columns(j)].max(initial=0.0) > 1e-6]
    if not torn:
        return closed
    names = ", ".join(layout.skeleton.names[j] for j in torn[:4])
    warnings.warn(
        f"{name or 'cycle'}: {names} turn right round or leap within the cycle, so their dofs jump once in it",
        MotionWarning,
        stacklevel=3,
    )
    out = np.array(closed)
    for joint in torn:
        at = layout.columns(joint)
        middle = _middle(layout, closed, joint)
        for frame in range(len(out)):
            row = np.array(closed[frame : frame + 1])
            out[frame, at] = layout.matched(row, middle)[0, at]
    return out


def _middle(layout: Layout, closed: Float[np.ndarray, "closed dofs"], joint: int) -> Float[np.ndarray, " dofs"]:
    """A row that shows the joint where its frames gather."""
    q = layout.rotations(closed)[:, joint]
    _, axes = np.linalg.eigh(q.T @ q)
    rotations = np.tile(quaternions.IDENTITY, (1, layout.skeleton.n_joints, 1))
    rotations[0, joint] = axes[:, -1]
    return np.asarray(layout.dofs(rotations, np.zeros((1, 4)))[0])
