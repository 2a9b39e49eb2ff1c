"""A cycle cut from a clip, as dofs, and ways to close it by a displacement of its poses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from mocapella.analysis.examined import Examined
from mocapella.geometry.curves import smoothstep
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import Contacts, CycleContacts
from mocapella.motion.kinematics import without_heading
from mocapella.motion.layout import Layout
from mocapella.motion.travel import rates_of_path

Shares = Float[np.ndarray, " frames"]


@dataclass(frozen=True, eq=False)
class Cut:
    """One cycle as captured, as dofs, with the frames beside it that some ways of closing use."""

    layout: Layout
    dofs: Float[np.ndarray, "closed dofs"]  # the frame that closes the cycle included
    before: Float[np.ndarray, "earlier dofs"]  # up to a cycle of frames that lead to the first one
    after: Float[np.ndarray, "later dofs"]  # and of those that follow the closing one
    source: Examined  # the whole clip
    start: int  # the frame of the clip that the cycle starts with
    contacts: Contacts | None  # foot plants of the cut, where they are known

    @classmethod
    def of(cls, source: Examined, start: int, count: int, layout: Layout, contacts: Contacts | None) -> Cut:
        """The cycle of ``count`` frames that begins at frame ``start`` of a clip."""
        clip, after = source.clip, start + count + 1
        captured = clip.n_frames - clip.captured.n_frames
        earlier, later = max(start - count, captured, 0), min(after + count, clip.n_frames)
        dofs = cut_dofs(clip[start:after], layout)
        # Neighbours are written as the cut is, so that a merge mixes like with like.
        before, behind = (
            layout.matched(neighbour_dofs(clip[a:b], layout), near) if a < b else np.zeros((0, layout.n_dofs))
            for a, b, near in ((earlier, start, dofs[0]), (after, later, dofs[-1]))
        )
        return cls(layout, dofs, before, behind, source, start, contacts)

    @property
    def n_frames(self) -> int:
        """Frames of the cycle, without the one that closes it."""
        return len(self.dofs) - 1

    @property
    def progress(self) -> Shares:
        """How far into the cycle each frame is, 0 … 1."""
        return np.arange(len(self.dofs)) / self.n_frames


Closing = Callable[[Cut], Float[np.ndarray, "closed dofs"]]
"""Closes a cut: returns as many frames, the last one equal to the first."""


@dataclass(frozen=True)
class ClosingMethod:
    """A way to close a cut, with its properties for ``cyclify``."""

    name: str  # on record in cycles
    close: Closing
    keeps_end: bool = False  # of the two equal frames the first is dropped instead of the last
    contacts: Callable[[CycleContacts], CycleContacts] | None = None  # plants of the closed cycle from those of the cut
    note: Callable[[Cut], str] | None = None  # what else to put on record
    any_ends: bool = False  # whether it closes a stretch that does not come back to where it began

    def __call__(self, cut: Cut) -> Float[np.ndarray, "closed dofs"]:
        """The cut with its ends brought together."""
        return self.close(cut)


def cut_dofs(cut: Clip, layout: Layout) -> Float[np.ndarray, "closed dofs"]:
    """The dofs of one cycle as captured, its closing frame included.

    Rates of travel and turn are periodic, as no other dof is yet: those of the closing frame are the first one's.
    """
    velocities, yaw_rates = rates_of_path(cut.ground_path, cut.headings, cut.frame_rate)
    rates = np.stack([velocities.real, velocities.imag, yaw_rates], axis=-1)
    root = np.concatenate([cut.root_positions[:, 1:2], np.concatenate([rates, rates[:1]])], axis=-1)
    return layout.dofs(without_heading(cut.rotations_wxyz), root)


def neighbour_dofs(clip: Clip, layout: Layout) -> Float[np.ndarray, "frames dofs"]:
    """The dofs of frames beside a cycle: poses and heights; rates are 0."""
    root = np.zeros((clip.n_frames, 4))
    root[:, 0] = clip.root_positions[:, 1]
    return layout.dofs(without_heading(clip.rotations_wxyz), root)


def _displaced_by(share: Callable[[Shares], Shares]) -> Closing:
    """Close a cut by adding a varying share of the gap between its ends; rates, which are periodic, stay as they are.

    ``share`` gives the share from how far into the cycle a frame is, 0 … 1; it falls by 1 from the first frame to the
    last. In the quaternion layout the gap is a rotation vector in each joint's own frame.
    """

    def close(cut: Cut) -> Float[np.ndarray, "closed dofs"]:
        gap = cut.layout.displacement(cut.dofs[0], cut.dofs[-1])
        return cut.layout.displaced(cut.dofs, share(cut.progress)[:, None] * gap)

    return close


symmetric = ClosingMethod("symmetric", _displaced_by(lambda u: 0.5 - u))
"""Both ends move half the way; frames between are displaced linearly (PRE-04)."""

smooth = ClosingMethod("smooth", _displaced_by(lambda u: 0.5 - smoothstep(u)))
"""As ``symmetric``, but the displacement sets in and out gently: velocities at the ends stay as captured (D22)."""

start_moved = ClosingMethod("start moved", _displaced_by(lambda u: 1.0 - u), keeps_end=True)
"""Only the first frame moves; the last stays as captured, to lead into a transition (PRE-05, ``before``)."""

end_moved = ClosingMethod("end moved", _displaced_by(lambda u: -u))
"""Only the last frame moves; the first stays as captured, to continue a transition (PRE-05, ``after``)."""
