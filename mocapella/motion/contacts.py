"""Foot plants: when heel and toe of both feet rest on the ground, over a clip or round a cycle."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float

from mocapella.checks import explained
from mocapella.errors import MotionError
from mocapella.geometry.angles import TURN

FOOT_POINTS = ("left_heel", "left_toe", "right_heel", "right_toe")
FEET = ("left", "right")

Interval = tuple[int, int]  # first and last frame, both planted
Arc = tuple[float, float]  # cycle phase at which a plant begins, 0 … 2π, and how far round it lasts


@explained
@dataclass(frozen=True)
class Contacts:
    """Foot plants over the frames of a clip: for each foot point the intervals in which it rests, in order.

    Intervals hold their first and last frame and never touch one another. Frames are those of the clip the contacts
    belong to, cut in the same way: ``contacts[30:90]`` belongs to ``clip[30:90]``.

    Parameters
    ----------
    n_frames
        Of the clip.
    left_heel, left_toe, right_heel, right_toe
        First and last frame, both planted, of each plant.

    Examples
    --------
    >>> contacts = Contacts(100, left_heel=((10, 40),), left_toe=((20, 60),))
    >>> contacts.foot("left"), contacts[15:].left_heel
    (((10, 60),), ((0, 25),))
    """

    n_frames: int
    left_heel: tuple[Interval, ...] = ()
    left_toe: tuple[Interval, ...] = ()
    right_heel: tuple[Interval, ...] = ()
    right_toe: tuple[Interval, ...] = ()

    def __post_init__(self) -> None:
        for point in FOOT_POINTS:
            intervals = tuple((int(first), int(last)) for first, last in getattr(self, point))
            edges = [edge for interval in intervals for edge in interval]
            apart = all(b + 1 < c for (_, b), (c, _) in itertools.pairwise(intervals))
            ordered = apart and all(a <= b for a, b in intervals)
            if not ordered or (edges and not 0 <= edges[0] <= edges[-1] < self.n_frames):
                raise MotionError(
                    f"the plants of {point} must be [first, last] in order, apart, and within frames "
                    f"0 to {self.n_frames - 1}; got {list(intervals)}"
                )
            object.__setattr__(self, point, intervals)

    @classmethod
    def from_masks(cls, masks: Mapping[str, Bool[np.ndarray, " frames"]]) -> Contacts:
        """Contacts from one mask per foot point; a point that is left out never rests."""
        n_frames = len(next(iter(masks.values())))
        return cls(n_frames, **{point: intervals_of(mask) for point, mask in masks.items()})

    def point(self, name: str) -> tuple[Interval, ...]:
        """The plants of one foot point, ``"left_heel"``, or of a whole foot, ``"left"``."""
        return self.foot(name) if name in FEET else getattr(self, _checked(name))

    def foot(self, side: str) -> tuple[Interval, ...]:
        """The plants of a whole foot: frames in which its heel or its toe rests."""
        return intervals_of(self.planted(f"{side}_heel") | self.planted(f"{side}_toe"))

    def planted(self, name: str) -> Bool[np.ndarray, " frames"]:
        """Frame by frame, whether a foot point or a whole foot rests."""
        mask = np.zeros(self.n_frames, dtype=bool)
        for first, last in self.point(name):
            mask[first : last + 1] = True
        return mask

    def __getitem__(self, frames: slice) -> Contacts:
        """The contacts of a stretch of the clip; plants that reach over its ends are cut there."""
        start, stop, step = frames.indices(self.n_frames)
        if step != 1 or start >= stop:
            raise MotionError(f"contacts are cut like clips, contacts[30:90], got {frames}")
        return self._per_point(lambda name: intervals_of(self.planted(name)[start:stop]), stop - start)

    def shifted(self, by: int, n_frames: int) -> Contacts:
        """The same plants ``by`` frames later in a clip of ``n_frames``; what falls outside is cut off."""

        def moved(name: str) -> tuple[Interval, ...]:
            pairs = ((max(first + by, 0), min(last + by, n_frames - 1)) for first, last in self.point(name))
            return tuple((first, last) for first, last in pairs if first <= last)

        return self._per_point(moved, n_frames)

    def mirrored(self) -> Contacts:
        """Left and right exchanged."""
        return self._per_point(lambda name: self.point(_other_side(name)), self.n_frames)

    def reversed(self) -> Contacts:
        """The contacts of the clip played backwards."""
        return self._per_point(lambda name: intervals_of(self.planted(name)[::-1]), self.n_frames)

    def _per_point(self, intervals: Callable[[str], tuple[Interval, ...]], n_frames: int) -> Contacts:
        return replace(self, n_frames=n_frames, **{name: intervals(name) for name in FOOT_POINTS})


@dataclass(frozen=True)
class CycleContacts:
    """Foot plants round a cycle: for each foot point the arcs of cycle phase in which it rests.

    An arc is the phase at which it begins, 0 … 2π, and its length, at most 2π, so that a plant that runs over the seam
    is one arc. A frame stands for the time half a frame to either side of it.

    Examples
    --------
    >>> round_cycle = CycleContacts(left_toe=((5.0, 2.0),))
    >>> bool(round_cycle.planted("left_toe", np.array([0.2]))[0])
    True
    """

    left_heel: tuple[Arc, ...] = ()
    left_toe: tuple[Arc, ...] = ()
    right_heel: tuple[Arc, ...] = ()
    right_toe: tuple[Arc, ...] = ()

    def __post_init__(self) -> None:
        for point in FOOT_POINTS:
            arcs = [(float(start) % TURN, float(length)) for start, length in getattr(self, point)]
            for _, length in arcs:
                if not 0.0 <= length <= TURN + 1e-9:
                    raise MotionError(f"a plant lasts between 0 and 2π radians of a cycle, got {arcs} for {point}")
            object.__setattr__(self, point, tuple(sorted(arcs)))

    @classmethod
    def unchecked(cls, *arcs: tuple[Arc, ...]) -> CycleContacts:
        """Contacts of arcs for each of ``FOOT_POINTS`` that are known to be valid and in order, without a check.

        A character that is steered makes new ones at every step.
        """
        contacts: CycleContacts = object.__new__(cls)
        contacts.__dict__.update(zip(FOOT_POINTS, arcs, strict=True))
        return contacts

    def point(self, name: str) -> tuple[Arc, ...]:
        """The arcs of one foot point, ``"left_heel"``, or of a whole foot, ``"left"``."""
        return self.foot(name) if name in FEET else getattr(self, _checked(name))

    def foot(self, side: str) -> tuple[Arc, ...]:
        """The arcs of a whole foot: where its heel or its toe rests."""
        return merge_arcs([*self.point(f"{side}_heel"), *self.point(f"{side}_toe")])

    def planted(self, name: str, phases: Float[np.ndarray, "*batch"]) -> Bool[np.ndarray, "*batch"]:
        """Whether a foot point or a whole foot rests at these cycle phases."""
        inside = np.zeros(np.shape(phases), dtype=bool)
        for start, length in self.point(name):
            inside |= (phases - start) % TURN < length
        return inside

    def share(self, name: str) -> float:
        """How much of the cycle, 0 … 1, a foot point or a whole foot rests."""
        return min(sum(length for _, length in merge_arcs(self.point(name))) / TURN, 1.0)

    def starting_at(self, phase: float) -> CycleContacts:
        """The same contacts for the motion begun ``phase`` radians into its cycle."""
        return replace(self, **{name: tuple((a - phase, n) for a, n in self.point(name)) for name in FOOT_POINTS})

    def mirrored(self) -> CycleContacts:
        """Left and right exchanged."""
        return replace(self, **{name: self.point(_other_side(name)) for name in FOOT_POINTS})


def round_cycle(contacts: Contacts, *, close: float = 0.06) -> CycleContacts:
    """The contacts of a cut that holds one cycle, laid round the cycle.

    The two ends of a captured cycle never match to the frame, so a short gap between a plant at one end and one at the
    other is closed.

    The last frame of the cut is the next cycle's first. ``close`` is the longest gap that is closed, as a share of the
    cycle.
    """
    n = contacts.n_frames - 1
    if n < 1:
        raise MotionError(f"a cut of one cycle holds at least two frames, got {contacts.n_frames}")

    def arcs(name: str) -> tuple[Arc, ...]:
        intervals = intervals_of(contacts.planted(name)[:n])
        spans = [(TURN * (first - 0.5) / n, TURN * (last - first + 1) / n) for first, last in intervals]
        if len(intervals) > 1 and intervals[0][0] + n - 1 - intervals[-1][1] <= close * n:
            (start, _), (first, length) = spans[-1], spans[0]
            spans = [*spans[1:-1], (start, first + TURN + length - start)]
        return tuple(spans)

    return CycleContacts(**{name: arcs(name) for name in FOOT_POINTS})


def intervals_of(mask: Bool[np.ndarray, " frames"]) -> tuple[Interval, ...]:
    """The runs of true frames."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    return tuple((int(first), int(after) - 1) for first, after in edges.reshape(-1, 2))


def _checked(point: str) -> str:
    if point not in FOOT_POINTS:
        raise MotionError(f"no foot point {point!r}; there are {', '.join(FOOT_POINTS)}")
    return point


def _other_side(name: str) -> str:
    side, point = name.split("_")
    return f"{'right' if side == 'left' else 'left'}_{point}"


def merge_arcs(arcs: Iterable[Arc], gap: float = 1e-9) -> tuple[Arc, ...]:
    """Arcs that overlap or touch, round the circle, joined into one.

    ``arcs`` are (start, length) in radians. Arcs less than ``gap`` radians apart are joined, too.
    """
    out: list[list[float]] = []
    for start, length in sorted(arcs):
        if out and start <= out[-1][0] + out[-1][1] + gap:
            out[-1][1] = max(out[-1][1], start + length - out[-1][0])
        else:
            out.append([start, length])
    while len(out) > 1 and out[-1][0] + out[-1][1] >= TURN + out[0][0] - gap:
        start, length = out.pop(0)
        out[-1][1] = max(out[-1][1], TURN + start + length - out[-1][0])
    return tuple((start, min(length, TURN)) for start, length in out)
