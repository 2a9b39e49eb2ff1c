"""From one raw clip to a transition: boundaries found, both ends closed, seams measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy
from jaxtyping import Float

from mocapella.analysis.closing.cyclify import cyclify
from mocapella.analysis.cycles.search import MEETS, POOR, pose_features
from mocapella.analysis.examined import Examined
from mocapella.analysis.fourier import synthesise
from mocapella.analysis.prepare import cleaned
from mocapella.blending.network import Network
from mocapella.checks import explained, refuse_other
from mocapella.errors import MotionError, Option, warn
from mocapella.hybrid.boundaries import (
    MOST_BENT_AWAY,
    Boundary,
    Surroundings,
    borrowed_from,
    ending_at,
    first_of,
    last_of_the_old,
    surroundings,
)
from mocapella.hybrid.ends import borrow_cycle, idle_cycle, remove_drift, trim_contacts, trim_cycle_contacts
from mocapella.hybrid.seams import measured
from mocapella.hybrid.transition import TREMOR, Transition, find_loop, told_of_tremor, without_tremor
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import Contacts
from mocapella.motion.cycle import Cycle, Decision
from mocapella.motion.skeleton import ANOTHER_UNIT, REMEDY, unlike
from mocapella.motion.spectrum import Spectrum
from mocapella.motion.travel import stands

_BOUNDARIES = Option("boundaries", ("leave", "arrive"))
Motion = Network | Spectrum

_FEWEST = 3  # frames between which anything moves
_TURNING = 0.1  # legs: distance of one radian a second of turn, beside distances of poses


@explained
def find_transition(
    clip: Clip | Examined,
    *,
    boundaries: tuple[int, int] | None = None,
    before: Motion | None = None,
    after: Motion | None = None,
    contacts: Contacts | None = None,
    loop: tuple[int, int] | None = None,
    layout: str = "quaternion",
    tremor: float | int = TREMOR,
    name: str = "",
) -> Transition:
    """The change of motion that a clip shows.

    The old motion is left at the end of its last full cycle, the new one arrived at with the first frame of its first.
    Standing has no cycle; up to a breath of it is repeated instead. An end with neither takes a cycle of the motion it
    should join, if it is given; the poses then differ a little, by an amount given in the transition's decisions. Where
    the poses of a walk go on and only its speed or its heading changes, that is the change.

    Parameters
    ----------
    clip
        As captured. Lost frames are bridged, and an artificial rest pose in front is left out.
    boundaries
        The frames, counted in the file's own rows, at which the change begins and has ended; found if None.
    before, after
        The motion it comes from and the one it leads to, as a network or a spectrum of the same skeleton. Each is
        looked for where the clip shows it: a walk is not left at the stand that a capture begins with. Where the clip
        has less than a cycle of it, one of these is bent to meet the clip.
    contacts
        The clip's foot plants, where they are known better than they would be found.
    loop
        The rows between which the change can be repeated; looked for in changes that turn right round if None.
    layout
        How the cycles' rotations are written, ``"quaternion"`` or ``"euler"``.
    tremor
        Hz above which a capture counts as tremor; where feet are locked, tremor is not played. ``math.inf`` plays every
        frame as it was captured.
    name
        What to call it; the clip's own name if empty.

    Returns
    -------
    Transition
        The clip, cycles of the motions before and after, and where they meet it.

    Raises
    ------
    MotionError
        Where an end neither repeats nor stands still, or nothing lies between the two. Where no boundaries are given,
        also where a cycle would have to be bent by more than ``MOST_BENT_AWAY`` of the distance between its own poses.

    Warns
    -----
    MotionWarning
        Where an end repeats poorly, or had to be borrowed.

    Examples
    --------
    >>> from mocapella.actor import capture
    >>> find_transition(capture("walk-twirl-walk")[0], name="twirl").name
    'twirl'
    """
    refuse_other(clip, (Clip, Examined), "a clip, such as load(path) gives")
    mended, notes = cleaned(clip)
    examined = mended.captured
    captured = examined.clip
    if captured.n_frames < _FEWEST:
        text = f"a change of motion takes {_FEWEST} frames or more"
        raise MotionError(f"{text}, and {captured!r} has {captured.n_frames}")
    skipped = mended.clip.n_frames - captured.n_frames
    plants = examined.plants if contacts is None else contacts[skipped:]
    title = name or captured.name or "transition"
    around = surroundings(examined, plants)
    plants, shortened = trim_contacts(without_tremor(captured, tremor), plants) if contacts is None else (plants, ())
    old = _End.joining(title, True, captured, around, before)
    new = _End.joining(title, False, captured, around.backwards(), after)
    if boundaries is None:
        leave, arrive = _in_order(old, new)
    else:
        rows = _rows(boundaries, captured)
        leave, arrive = old.chosen(rows[0]), new.chosen(rows[1])
    if not leave.frame < arrive.frame:
        last, first = leave.frame + captured.first_row, arrive.frame + captured.first_row
        raise MotionError(
            f"{title}: nothing changes in {captured!r}: "
            f"its old motion lasts to row {last}, its new one begins at {first}",
            helps=f"give {_BOUNDARIES}",
            option=_BOUNDARIES,
        )
    old.warn(leave)
    new.warn(arrive)
    transition = Transition(
        name=title,
        clip=captured,
        contacts=plants,
        before=old.cycle(leave, plants, layout),
        after=new.cycle(arrive, plants, layout),
        leave=leave.frame,
        arrive=arrive.frame,
        loop=find_loop(captured, around.features, leave.frame, arrive.frame) if loop is None else _rows(loop, captured),
        tremor=float(tremor),
        decisions=(
            *notes,
            *told_of_tremor(captured, tremor),
            *shortened,
            _chosen("before", leave, captured),
            _chosen("after", arrive, captured),
        ),
    )
    return measured(transition)


@dataclass(frozen=True, eq=False)
class _Reference:
    """A cycle of the motion that an end should join, and how it looks."""

    cycle: Cycle
    features: Float[np.ndarray, "frames features"]


@dataclass(frozen=True, eq=False)
class _End:
    """One end of the clip; for the later one all frames are looked at backwards."""

    title: str
    begins: bool
    clip: Clip
    around: Surroundings
    reference: _Reference | None = None
    skipped: int = 0  # frames before the clip shows the motion that is joined

    @classmethod
    def joining(cls, title: str, begins: bool, clip: Clip, around: Surroundings, motion: Motion | None) -> _End:
        """The end that should join a motion; None leaves that to the clip."""
        if motion is None:
            return cls(title, begins, clip, around)
        references = _references(title, motion, clip)
        standing = [stands(reference.cycle) for reference in references]
        skipped = first_of(around, [reference.features for reference in references], standing)
        return cls(title, begins, clip, around, _nearest(references, around.since(skipped)), skipped)

    def boundary(self, *, by_travel: bool = False) -> Boundary:
        """Where the motion that is joined ends, looked for in the clip."""
        end = last_of_the_old(self.around.since(self.skipped), self._features, by_travel=by_travel)
        joins_standing = self.reference is not None and stands(self.reference.cycle)
        if end is not None and end.kind == "cycle" and joins_standing:
            verb, option = ("begins", "before") if self.begins else ("ends", "after")
            raise MotionError(
                f"{self.title}: {self.clip!r} {verb} with steps, and {option} is a motion that stands",
                helps="choose a clip in which the body comes to rest, or another block",
            )
        return self._checked(end, self.skipped)

    def lent(self) -> Boundary | None:
        """The boundary with a cycle from elsewhere, if there is one that is near enough."""
        features = self._features
        if features is None:
            return None
        end = borrowed_from(self.around.since(self.skipped), features)
        return self._checked(end, self.skipped) if end.unlikeness <= MOST_BENT_AWAY else None

    def chosen(self, frame: int) -> Boundary:
        return self._checked(ending_at(self.around, self._turned(frame), self._features), most=np.inf)

    def cycle(self, end: Boundary, plants: Contacts, layout: str) -> Cycle:
        frames = (end.frame - end.length, end.frame) if self.begins else (end.frame, end.frame + end.length)
        if end.kind == "cycle":
            method = "start_moved" if self.begins else "end_moved"
            steady = remove_drift(self.clip, frames, at_end=self.begins)
            contacts = plants[frames[0] : frames[1] + 1]
            cycle = cyclify(steady, (0, steady.n_frames - 1), method=method, layout=layout, contacts=contacts)
        elif end.kind == "still":
            cycle = idle_cycle(self.clip, frames, at_end=self.begins, layout=layout, contacts=plants)
        else:
            assert self.reference is not None
            seen = self.around.features[self._turned(end.frame)]
            nearest = int(np.argmin(np.linalg.norm(self.reference.features - seen, axis=1)))
            cycle = trim_cycle_contacts(borrow_cycle(self.reference.cycle, nearest, self.clip, end.frame, layout))
        return replace(cycle, name=f"{self.title} {'before' if self.begins else 'after'}")

    def warn(self, end: Boundary) -> None:
        """Warn where an end will not look as captured."""
        if end.kind == "borrowed":
            what = f"has less than a cycle at its {'beginning' if self.begins else 'end'}; one was borrowed and bent"
        elif end.unlikeness > POOR:
            what = f"{'begins' if self.begins else 'ends'} with a cycle that closes poorly"
        else:
            return
        warn(f"{self.title} {what}, by {end.unlikeness:.2f} of the distance between any two of its poses")

    @property
    def _features(self) -> Float[np.ndarray, "frames features"] | None:
        return None if self.reference is None else self.reference.features

    def _turned(self, frame: int) -> int:
        return frame if self.begins else self.clip.n_frames - 1 - frame

    def _checked(self, end: Boundary | None, skipped: int = 0, most: float = MOST_BENT_AWAY) -> Boundary:
        """The boundary in frames of the clip; ``MotionError`` where there is none, or it is bent by more than that."""
        verb, option = ("begins", "before") if self.begins else ("ends", "after")
        if end is None:
            raise MotionError(
                f"{self.title}: {self.clip!r} {verb} with frames that neither repeat nor stand still",
                helps=f"give {option}= a network or spectrum of the motion it {verb} with, or {_BOUNDARIES} "
                "beside a full cycle",
                option=_BOUNDARIES,
            )
        frame = self._turned(end.frame + skipped)
        if end.kind == "borrowed" and end.unlikeness > most:
            raise MotionError(
                f"{self.title}: {self.clip!r} {verb} with less than a cycle, and what it should join is too unlike to "
                f"be bent to it: at row {frame + self.clip.first_row} they are {end.unlikeness:.2f} of the distance "
                f"between any two of its poses apart, and {most:g} is the most",
                helps=f"give {option}= a motion like it, or {_BOUNDARIES} where the clip shows that motion",
                option=_BOUNDARIES,
            )
        return replace(end, frame=frame)


def _in_order(old: _End, new: _End) -> tuple[Boundary, Boundary]:
    """Both boundaries as found, unless both ends use the same steps.

    In a change that lasts for the whole clip some steps in the middle may pass as a cycle for either end. Then an end
    takes a cycle from elsewhere, where one is given: the one whose own is worse, else the other, else both. A cycle
    that closes well is kept: where nothing changes, no change is found. Where poses continue, speed and heading decide.
    """
    leave, arrive = old.boundary(), new.boundary()
    early = old.lent() if leave.unlikeness > MEETS else None
    late = new.lent() if arrive.unlikeness > MEETS else None
    instead = [(early, arrive), (leave, late)]
    if leave.unlikeness < arrive.unlikeness:
        instead.reverse()
    for first, last in ((leave, arrive), *instead, (early, late)):
        if first is not None and last is not None and first.frame < last.frame:
            return first, last
    first, last = old.boundary(by_travel=True), new.boundary(by_travel=True)
    return (first, last) if first.frame < last.frame else (leave, arrive)


def _references(title: str, motion: Motion, clip: Clip) -> list[_Reference]:
    """A cycle of each motion that an end may join, at the clip's frame rate."""
    references = []
    for spectrum in [motion] if isinstance(motion, Spectrum) else [node.spectrum for node in motion.nodes]:
        if spectrum.layout is None or not spectrum.layout.skeleton.same_as(clip.skeleton):
            layout = spectrum.layout
            differing = "" if layout is None else f": {unlike(layout.skeleton, clip.skeleton)}"
            text = f"{title}: {spectrum!r} has another skeleton than the clip{differing}"
            raise MotionError(text, helps=REMEDY, option=ANOTHER_UNIT)
        cycle = synthesise(spectrum, max(3, round(spectrum.duration * clip.frame_rate)))
        laid = cycle.to_clip(3)  # the middle one of three rounds, whose differences are known at both ends
        references.append(_Reference(cycle, pose_features(laid)[cycle.n_frames : 2 * cycle.n_frames]))
    return references


def _nearest(references: Sequence[_Reference], around: Surroundings) -> _Reference:
    """The cycle that looks and turns most like the beginning of a clip, of those near enough to be bent to it."""
    near = [
        reference for reference in references if borrowed_from(around, reference.features).unlikeness <= MOST_BENT_AWAY
    ] or list(references)
    costs = []
    for reference in near:
        half = min(max(2, reference.cycle.n_frames // 2), around.n_frames)
        apart = np.sort(scipy.spatial.distance.cdist(around.features[:half], reference.features).min(axis=1))
        turn_rate = (around.headings[half - 1] - around.headings[0]) / max(half - 1, 1) * around.frame_rate
        off = _TURNING * abs(turn_rate - reference.cycle.turn / reference.cycle.duration)
        costs.append(float(apart[: max(1, half // 4)].mean() + off))
    return near[int(np.argmin(costs))]


def _rows(given: tuple[int, int], clip: Clip) -> tuple[int, int]:
    """Frames of a clip from rows of its file."""
    first, last = (row - clip.first_row for row in given)
    if not 0 <= first < last < clip.n_frames:
        option = Option("boundaries", given)
        raise MotionError(
            f"{option} are not two frames, in this order, of {clip!r}, "
            f"whose rows go from {clip.first_row} to {clip.first_row + clip.n_frames - 1}",
            option=option,
        )
    return first, last


def _chosen(part: str, end: Boundary, clip: Clip) -> Decision:
    row = end.frame + clip.first_row
    what = {
        "cycle": f"a full cycle of {end.length} frames",
        "still": f"{end.length} frames of standing",
        "borrowed": "less than a cycle, so one was borrowed",
    }[end.kind]
    text = f"{what} {'ends' if part == 'before' else 'begins'} at row {row}"
    return Decision(part, text, {"row": float(row), "frames": float(end.length), "unlikeness": end.unlikeness})
