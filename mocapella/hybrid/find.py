"""Changes found in captures: their ends closed, stood or borrowed, their plants trimmed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float
from scipy.spatial.distance import cdist

from mocapella.analysis.closing.cyclify import cyclify
from mocapella.analysis.closing.displacement import cut_dofs, neighbour_dofs
from mocapella.analysis.cycles.search import MEETS, POOR, pose_features
from mocapella.analysis.examined import Examined
from mocapella.analysis.fourier import synthesise
from mocapella.analysis.plants.tracks import foot_places
from mocapella.analysis.prepare import cleaned
from mocapella.arrays import owned
from mocapella.blending.network import Network
from mocapella.checks import refuse_other
from mocapella.errors import MotionError, Option, warn
from mocapella.geometry import quaternions
from mocapella.geometry.angles import TURN
from mocapella.hybrid.boundaries import Boundary, Surroundings, borrowed_from, ending_at, last_of_the_old, surroundings
from mocapella.hybrid.seams import measured
from mocapella.hybrid.transition import TREMOR, Transition, find_loop, told_of_tremor, without_tremor
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS, Arc, Contacts, Interval, round_cycle
from mocapella.motion.cycle import Cycle, Decision, in_layout
from mocapella.motion.layout import layout_of
from mocapella.motion.skeleton import ANOTHER_UNIT, REMEDY, unlike
from mocapella.motion.spectrum import Spectrum
from mocapella.rig.legs import leg_length, leg_roles

# A cycle of somebody else's motion, bent to meet a clip that has none of its own.

MOST_BENT = np.radians(40.0)  # of any joint: bent further, the motion that joins would no longer be recognised

_BOUNDARIES = Option("boundaries", ("leave", "arrive"))


def borrow_cycle(cycle: Cycle, nearest: int, clip: Clip, frame: int, layout: str) -> Cycle:
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


# Standing about as a cycle: a little of it, repeated without a seam.

SHORTEST_LOOP = 2.0  # seconds; less than that, repeated from the start, looks like a twitch
BREATH = 4.0  # seconds in which a shorter stretch is played there and back
SWAY = 0.02  # metres: how far any joint of somebody who stands goes in a breath, at most


def idle_cycle(clip: Clip, frames: tuple[int, int], *, at_end: bool, layout: str, contacts: Contacts) -> Cycle:
    """A cycle of what somebody does who stands between two frames, both included.

    ``at_end``: the last frame stays as captured and is where the change begins; otherwise the first one, where it ends.
    A stretch of two seconds or more is closed by moving its other end. In a shorter one a person still comes to rest,
    or is about to leave, and that over and over would be a fidget. So it is played there and back in the time of a
    breath, from the frame that stays and no further from it than people sway.
    """
    first, last = frames
    if last - first >= SHORTEST_LOOP * clip.frame_rate:
        return cyclify(clip, frames, method="start_moved" if at_end else "end_moved", layout=layout, contacts=contacts)
    return _there_and_back(clip, frames, at_end, layout, contacts)


def _there_and_back(clip: Clip, frames: tuple[int, int], at_end: bool, kind: str, contacts: Contacts) -> Cycle:
    first, last = frames
    order = slice(None, None, -1) if at_end else slice(None)
    layout = layout_of(kind, clip.skeleton)
    stretch = clip[first : last + 1]
    there = cut_dofs(stretch, layout)[order]
    there[:, -3:] = 0.0  # to and fro, whoever stands gets nowhere
    away = _from_the_root(stretch)[order]
    furthest = float(np.linalg.norm(away - away[0], axis=-1).max())
    share = min(1.0, SWAY / furthest) if furthest > 0.0 else 1.0
    swings = layout.displacement(np.broadcast_to(there[0], there.shape), there)
    n = max(round(BREATH * clip.frame_rate), 3)
    # Where in the stretch each frame is: slowly off, slowly round the far end, slowly back.
    along = 0.5 * (last - first) * (1.0 - np.cos(TURN * np.arange(n) / n))
    rows = np.arange(last - first + 1)
    swing = np.stack([np.interp(along, rows, column) for column in swings.T], axis=1)
    nearest = np.rint(along).astype(np.intp)
    masks = {point: contacts.planted(point)[first : last + 1][order][nearest] for point in FOOT_POINTS}
    join = clip.first_row + (last if at_end else first)
    made = Cycle(
        layout=layout,
        dofs=owned(layout.displaced(np.repeat(there[:1], n, axis=0), share * swing)),
        frame_rate=clip.frame_rate,
        contacts=round_cycle(Contacts.from_masks({name: np.append(mask, mask[0]) for name, mask in masks.items()})),
        name=clip.name,
        source=clip.source,
        start_row=join,
    )
    text = (
        f"rows {clip.first_row + first} to {clip.first_row + last} of {clip.name!r}, played there and back in "
        f"{BREATH:g} s, {100 * share:.0f} % of the way"
    )
    return made.decided("select", text, start=first + clip.first_row, frames=made.n_frames, share=share)


def _from_the_root(clip: Clip) -> Float[np.ndarray, "frames joints 3"]:
    """Where the joints are, seen from the root, in the world's axes."""
    return np.asarray(clip.positions - clip.positions[:, :1])


# A round of a clip at one pace: who still gains speed in it would be pushed back each time it repeats.

_BESIDE = 3  # frames to either side over which a velocity is measured


def remove_drift(clip: Clip, frames: tuple[int, int], *, at_end: bool) -> Clip:
    """The frames of a clip from the first to the last, both included, with the velocity at one end that of the other.

    What the root gains in its own heading is taken off evenly over the round. ``at_end`` says that the last frame keeps
    the velocity it was captured with, otherwise the first does. Poses stay as they are.
    """
    first, last = frames
    path = clip.ground_path
    yaws = clip.headings

    def velocity(frame: int) -> complex:
        start, end = max(frame - _BESIDE, 0), min(frame + _BESIDE, clip.n_frames - 1)
        return complex((path[end] - path[start]) / (end - start) * np.exp(-1j * yaws[frame]))

    gained = velocity(last) - velocity(first)
    between = np.exp(0.5j * (yaws[first:last] + yaws[first + 1 : last + 1]))
    progress = (np.arange(last - first) + 0.5) / (last - first) - float(at_end)
    steps = np.diff(path[first : last + 1]) - gained * progress * between
    steady = np.concatenate([[0.0], np.cumsum(steps)]) + path[first]
    cut = clip[first : last + 1]
    places = np.stack([steady.imag, cut.root_positions[:, 1], steady.real], axis=1)
    return replace(cut, root_positions=owned(places))


# Foot plants without the ends in which a foot still falls, or rises already.
#
# What tells plants from swings looks at the ground that a point covers, so a heel that comes straight down counts as
# planted while it falls. Held from there on it would stop dead.

FALLING, RISING = 0.5, 0.3  # legs per second at which a point does not rest; an adult's leg is some 0.9 m
SETTLING = 0.06  # seconds in which a foot that has come down may bounce: slow for as long, it rests


def trim_contacts(clip: Clip, contacts: Contacts) -> tuple[Contacts, tuple[Decision, ...]]:
    """The plants of a clip from where each point has come down to where it rises, and how much was left out.

    Frames are left out from either end on, up to where the point rests for a moment. Of what it does later nothing is
    left out, and the middle frame of every plant stays.
    """
    quick = _quick(clip)

    def kept(i: int, plant: Interval) -> Interval:
        first, last = plant
        before, after = _ends(quick[first : last + 1, i], _patience(clip))
        return first + before, last - after

    spans = {name: tuple(kept(i, plant) for plant in contacts.point(name)) for i, name in enumerate(FOOT_POINTS)}
    found = Contacts(contacts.n_frames, **spans)
    fewer = sum(int(contacts.planted(name).sum() - found.planted(name).sum()) for name in FOOT_POINTS)
    if fewer == 0:
        return contacts, ()
    text = f"{fewer} frames at the ends of foot plants were left out, in which feet still fall or rise already"
    return found, (Decision("landing", text, {"frames": float(fewer)}),)


def trim_cycle_contacts(cycle: Cycle) -> Cycle:
    """The cycle with such plants."""
    if cycle.contacts is None:
        return cycle
    n, rounds = cycle.n_frames, cycle.to_clip(3)
    middle, patience = _quick(rounds)[n : 2 * n], _patience(rounds)  # of three rounds it has no ends to know badly
    quick = np.concatenate([middle, middle, middle])
    per_frame = TURN / n

    def kept(i: int, arc: Arc) -> Arc:
        start, length = arc
        first = int(np.ceil(start / per_frame - 1e-9))
        after_last = int(np.floor((start + length) / per_frame + 1e-9)) + 1
        if length >= TURN or after_last - first < 3:
            return arc
        before, after = _ends(quick[first:after_last, i], patience)
        return start + before * per_frame, length - (before + after) * per_frame

    arcs = {name: tuple(kept(i, a) for a in cycle.contacts.point(name)) for i, name in enumerate(FOOT_POINTS)}
    return replace(cycle, contacts=replace(cycle.contacts, **arcs))


def _patience(clip: Clip) -> int:
    """Slow frames after which a point rests."""
    return max(1, round(SETTLING * clip.frame_rate))


def _quick(clip: Clip) -> Bool[np.ndarray, "frames 4"]:
    """Frame by frame, whether a foot point goes up or down too quickly to rest."""
    roles = leg_roles(clip.skeleton)
    leg = leg_length(clip.skeleton, roles)
    rates = np.gradient(foot_places(clip, roles)[..., 1], axis=0) * clip.frame_rate
    return np.asarray((rates > RISING * leg) | (rates < -FALLING * leg))


def _ends(quick: Bool[np.ndarray, " frames"], patience: int) -> tuple[int, int]:
    """How many frames at either end of a plant are quick, up to the middle one; so many slow ones end them."""
    middle = len(quick) // 2
    return _until_rest(quick[:middle], patience), _until_rest(quick[:middle:-1], patience)


def _until_rest(quick: Bool[np.ndarray, " frames"], patience: int) -> int:
    """How many frames there are up to the last quick one before it rests: what comes later is a flicker."""
    falling = np.flatnonzero(quick)
    gaps = np.diff(falling, prepend=-1) - 1
    resting = np.flatnonzero(gaps >= patience)
    moving = falling[: resting[0]] if resting.size else falling
    return int(moving[-1]) + 1 if moving.size else 0


# From one raw clip to a transition: boundaries found, both ends closed, seams measured.

Motion = Network | Spectrum

_TURNING = 0.1  # legs: what a turn of one radian a second more or less counts beside unlike poses


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
    Somebody who stands has no cycle; what he does then, for up to a breath, is repeated instead. An end with neither
    takes a cycle of the motion it should join, if it is given; the pose is then not quite the same, and the
    transition's decisions tell by how much.

    Parameters
    ----------
    clip
        As captured. Lost frames are bridged, and an artificial rest pose in front is left out.
    boundaries
        The frames, counted in the file's own rows, at which the change begins and has ended; found if None.
    before, after
        The motion it comes from and the one it leads to, as a network or a spectrum of the same skeleton. Needed only
        where the clip has less than a cycle of it.
    contacts
        The clip's foot plants, where they are known better than they would be found.
    loop
        The rows between which the change can be repeated; looked for in changes that turn right round if None.
    layout
        How the cycles' rotations are written, ``"quaternion"`` or ``"euler"``.
    tremor
        Hz above which a capture is taken to shake rather than to move; where feet are held, that is not played.
        ``math.inf`` plays every frame as it was captured.
    name
        What to call it; the clip's own name if empty.

    Raises
    ------
    MotionError
        Where an end neither repeats nor stands still, or nothing lies between the two.

    Warns
    -----
    MotionWarning
        Where an end repeats poorly, or had to be borrowed.
    """
    refuse_other(clip, (Clip, Examined), "a clip, such as load(path) gives")
    mended, notes = cleaned(clip)
    known = mended.captured
    whole = known.clip
    skipped = mended.clip.n_frames - whole.n_frames
    plants = known.plants if contacts is None else contacts[skipped:]
    title = name or whole.name or "transition"
    around = surroundings(known, plants)
    yaws = whole.headings
    plants, shortened = trim_contacts(without_tremor(whole, tremor), plants) if contacts is None else (plants, ())
    old = _End(title, True, whole, around, _nearest(title, before, whole, around, yaws))
    backwards = around.backwards()
    new = _End(title, False, whole, backwards, _nearest(title, after, whole, backwards, -yaws[::-1]))
    if boundaries is None:
        leave, arrive = _in_order(old, new)
    else:
        rows = _rows(boundaries, whole)
        leave, arrive = old.chosen(rows[0]), new.chosen(rows[1])
    if not leave.frame < arrive.frame:
        raise MotionError(
            f"{title}: nothing changes in {whole!r}: its old motion lasts to row {leave.frame + whole.first_row}, "
            f"its new one begins at {arrive.frame + whole.first_row}",
            helps=f"give {_BOUNDARIES}",
            option=_BOUNDARIES,
        )
    old.warn(leave)
    new.warn(arrive)
    made = Transition(
        name=title,
        clip=whole,
        contacts=plants,
        before=old.cycle(leave, plants, layout),
        after=new.cycle(arrive, plants, layout),
        leave=leave.frame,
        arrive=arrive.frame,
        loop=find_loop(whole, around.features, leave.frame, arrive.frame) if loop is None else _rows(loop, whole),
        tremor=float(tremor),
        decisions=(
            *notes,
            *told_of_tremor(whole, tremor),
            *shortened,
            _chosen("before", leave, whole),
            _chosen("after", arrive, whole),
        ),
    )
    return measured(made)


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
    reference: _Reference | None

    def found(self) -> Boundary:
        return self._checked(last_of_the_old(self.around, self._features))

    def lent(self) -> Boundary | None:
        """The boundary with a cycle from elsewhere, if there is one."""
        features = self._features
        return None if features is None else self._checked(borrowed_from(self.around, features))

    def chosen(self, frame: int) -> Boundary:
        return self._checked(ending_at(self.around, self._turned(frame), self._features))

    def cycle(self, end: Boundary, plants: Contacts, layout: str) -> Cycle:
        frames = (end.frame - end.length, end.frame) if self.begins else (end.frame, end.frame + end.length)
        if end.kind == "cycle":
            method = "start_moved" if self.begins else "end_moved"
            steady = remove_drift(self.clip, frames, at_end=self.begins)
            made = cyclify(steady, method=method, layout=layout, contacts=plants[frames[0] : frames[1] + 1])
        elif end.kind == "still":
            made = idle_cycle(self.clip, frames, at_end=self.begins, layout=layout, contacts=plants)
        else:
            assert self.reference is not None
            seen = self.around.features[self._turned(end.frame)]
            nearest = int(np.argmin(np.linalg.norm(self.reference.features - seen, axis=1)))
            made = trim_cycle_contacts(borrow_cycle(self.reference.cycle, nearest, self.clip, end.frame, layout))
        return replace(made, name=f"{self.title} {'before' if self.begins else 'after'}")

    def warn(self, end: Boundary) -> None:
        """Say so where an end will not look as captured."""
        if end.kind == "borrowed":
            what = f"has less than a cycle at its {'beginning' if self.begins else 'end'}; one was borrowed and bent"
        elif end.unlikeness > POOR:
            what = f"{'begins' if self.begins else 'ends'} with a cycle that closes poorly"
        else:
            return
        text = f"{self.title} {what}, by {end.unlikeness:.2f} of the distance between any two of its poses"
        warn(text)

    @property
    def _features(self) -> Float[np.ndarray, "frames features"] | None:
        return None if self.reference is None else self.reference.features

    def _turned(self, frame: int) -> int:
        return frame if self.begins else self.clip.n_frames - 1 - frame

    def _checked(self, found: Boundary | None) -> Boundary:
        if found is None:
            verb, option = ("begins", "before") if self.begins else ("ends", "after")
            raise MotionError(
                f"{self.title}: {self.clip!r} {verb} with frames in which nothing repeats and nobody stands still",
                helps=f"give {option}= a network or spectrum of the motion it {verb} with, or {_BOUNDARIES} "
                "beside a full cycle",
                option=_BOUNDARIES,
            )
        return replace(found, frame=self._turned(found.frame))


def _in_order(old: _End, new: _End) -> tuple[Boundary, Boundary]:
    """Both boundaries as found, unless both ends take the same steps for theirs.

    In a change that goes on all through a clip some steps are as good as a cycle, those in the middle for either end.
    Then an end takes a cycle from elsewhere, where one is given: the one whose own is worse, else the other, else both.
    Who has a cycle that closes well keeps it: where nothing changes, nothing is found.
    """
    leave, arrive = old.found(), new.found()
    early, late = (end.lent() if own.unlikeness > MEETS else None for end, own in ((old, leave), (new, arrive)))
    instead = [(early, arrive), (leave, late)]
    if leave.unlikeness < arrive.unlikeness:
        instead.reverse()
    for first, last in ((leave, arrive), *instead, (early, late)):
        if first is not None and last is not None and first.frame < last.frame:
            return first, last
    return leave, arrive


def _nearest(
    title: str, motion: Motion | None, clip: Clip, around: Surroundings, yaws: Float[np.ndarray, " frames"]
) -> _Reference | None:
    """Of the motion that an end should join, the cycle that looks and turns most like that end."""
    if motion is None:
        return None
    seen: list[tuple[float, _Reference]] = []
    for spectrum in [motion] if isinstance(motion, Spectrum) else [node.spectrum for node in motion.nodes]:
        if spectrum.layout is None or not spectrum.layout.skeleton.same_as(clip.skeleton):
            layout = spectrum.layout
            differing = "" if layout is None else f": {unlike(layout.skeleton, clip.skeleton)}"
            text = f"{title}: {spectrum!r} has another skeleton than the clip{differing}"
            raise MotionError(text, helps=REMEDY, option=ANOTHER_UNIT)
        cycle = synthesise(spectrum, max(3, round(spectrum.duration * clip.frame_rate)))
        laid = cycle.to_clip(3)  # of three rounds the middle one has no ends to know badly
        features = pose_features(laid)[cycle.n_frames : 2 * cycle.n_frames]
        half = min(max(2, cycle.n_frames // 2), clip.n_frames)
        apart = np.sort(cdist(around.features[:half], features).min(axis=1))
        turn_rate = (yaws[half - 1] - yaws[0]) / (half - 1) * clip.frame_rate
        cost = apart[: max(1, half // 4)].mean() + _TURNING * abs(turn_rate - cycle.turn / cycle.duration)
        seen.append((float(cost), _Reference(cycle, features)))
    return min(seen, key=lambda one: one[0])[1]


def _rows(given: tuple[int, int], clip: Clip) -> tuple[int, int]:
    """Frames of a clip from rows of its file."""
    first, last = (row - clip.first_row for row in given)
    if not 0 <= first < last < clip.n_frames:
        option = Option("boundaries", given)
        raise MotionError(
            f"{option} are no two frames, in this order, of {clip!r}, "
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
