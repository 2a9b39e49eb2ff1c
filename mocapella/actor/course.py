"""The path of a performance over the ground, and the footsteps along it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float, Int

from mocapella.actor.gait import Gait
from mocapella.geometry.angles import TURN

GRAVITY = 9.81  # metres per second squared
_Times = Float[np.ndarray, " times"]
_When = Float[np.ndarray, " when"]


@dataclass(frozen=True, eq=False)
class Course:
    """When and where, before any joint is posed.

    Cycles are counted on, not wrapped: the left foot first touches the ground at whole numbers, the right one half-way
    between. Where the count does not grow the actor stands.
    """

    times: Float[np.ndarray, " times"]  # seconds, evenly spaced
    cycles: Float[np.ndarray, " times"]
    places: Float[np.ndarray, "times 2"]  # (x, z) of the way, metres
    headings: Float[np.ndarray, " times"]
    speeds: Float[np.ndarray, " times"]  # metres per second
    turns: Float[np.ndarray, " times"]  # radians per second
    banks: Float[np.ndarray, " times"]  # how far the body leans into the turn, left positive
    gait: Gait  # at these times
    stands_first: bool = False
    stands_last: bool = False

    @property
    def stands(self) -> bool:
        """Whether the feet stay where they are all the time."""
        return self.stands_first and self.stands_last

    @property
    def step(self) -> float:
        """Seconds between two times."""
        return float(self.times[1] - self.times[0])

    def time_of(self, cycles: Float[np.ndarray, "*which"]) -> Float[np.ndarray, "*which"]:
        """When a count of cycles is reached; beyond the course, at the pace of its ends."""
        inside = np.interp(cycles, self.cycles, self.times)
        paces = 1.0 / np.maximum(np.diff(self.cycles)[[0, -1]] / self.step, 1e-3)
        before = np.minimum(cycles - self.cycles[0], 0.0) * paces[0]
        return np.asarray(inside + before + np.maximum(cycles - self.cycles[-1], 0.0) * paces[1])

    def place_at(self, times: _When) -> tuple[Float[np.ndarray, "when 2"], _When]:
        """Place and heading at these times; beyond the course it goes straight on."""
        outside = times - np.clip(times, self.times[0], self.times[-1])
        heading = np.interp(times, self.times, self.headings)
        speed = np.interp(times, self.times, self.speeds)
        place = np.stack([np.interp(times, self.times, self.places[:, i]) for i in (0, 1)], axis=-1)
        return place + (outside * speed)[:, None] * forward(heading), heading


def course(
    times: _Times,
    speeds: _Times,
    turns: _Times,
    gait: Gait,
    *,
    cadence: _Times | None = None,
    start: float = 0.0,
    banking: float = 0.85,
    stands_first: bool = False,
    stands_last: bool = False,
) -> Course:
    """Lay out a course from speeds and turn rates.

    It passes through the origin at time 0, heading along +z, ``start`` cycles in. ``cadence`` is in cycles per second,
    the gait's own if not given; ``banking`` says how much of the lean that keeps the balance in a turn is leant.
    """
    cycles = _sum_up(1.0 / gait.period if cadence is None else cadence, times)
    headings = _sum_up(turns, times)
    bends = np.diff(headings)
    # Between two times the way is an arc: its chord is shorter than the arc by the sine of half the bend.
    chords = 0.5 * (speeds[1:] + speeds[:-1]) * np.diff(times) * np.sinc(bends / TURN)
    steps = chords[:, None] * forward(headings[:-1] + 0.5 * bends)
    places = np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
    origin = np.array([np.interp(0.0, times, places[:, i]) for i in (0, 1)])
    turn = float(np.interp(0.0, times, headings))
    c, s = np.cos(turn), np.sin(turn)
    places = (places - origin) @ np.array([[c, s], [-s, c]])
    return Course(
        times,
        cycles - np.interp(0.0, times, cycles) + start,
        places,
        headings - turn,
        speeds,
        turns,
        banking * np.arctan(speeds * turns / GRAVITY),
        gait,
        stands_first,
        stands_last,
    )


def forward(headings: Float[np.ndarray, "*which"]) -> Float[np.ndarray, "*which 2"]:
    """The direction (x, z) of a heading."""
    return np.stack([np.sin(headings), np.cos(headings)], axis=-1)


def leftward(headings: Float[np.ndarray, "*which"]) -> Float[np.ndarray, "*which 2"]:
    """The direction (x, z) to the left of a heading."""
    return np.stack([np.cos(headings), -np.sin(headings)], axis=-1)


def _sum_up(rates: _Times, times: _Times) -> _Times:
    return np.concatenate([[0.0], np.cumsum(0.5 * (rates[1:] + rates[:-1]) * np.diff(times))])


# Footsteps planned along a course: when each foot rests, where, and facing where.

_STEEPEST_ROLL = np.radians(66.0)  # of a foot over its toes; they bend no further
_ALWAYS = 1e3  # seconds; a foot that stands from the start or to the end does so for this long


@dataclass(frozen=True, eq=False)
class Footsteps:
    """The stances of one foot, times in seconds; it swings from one toe-off to the next first contact."""

    side: float  # +1 left, −1 right
    heel_strike: Float[np.ndarray, " steps"]
    toe_strike: Float[np.ndarray, " steps"]
    heel_off: Float[np.ndarray, " steps"]
    toe_off: Float[np.ndarray, " steps"]
    ankles: Float[np.ndarray, "steps 2"]  # (x, z) of the ankle over the flat foot, metres
    yaws: Float[np.ndarray, " steps"]
    gait: Gait  # at each stance

    @property
    def first_contact(self) -> Float[np.ndarray, " steps"]:
        """When the heel or the toe, whichever is earlier, meets the ground."""
        return np.asarray(np.minimum(self.heel_strike, self.toe_strike))


def plan(
    course: Course,
    side: float,
    leg: float,
    *,
    timing: Float[np.ndarray, " numbers"] | None = None,
    shifts: Float[np.ndarray, "numbers 2"] | None = None,
) -> Footsteps:
    """The footsteps of one foot (+1 left, −1 right) for a leg of so many metres.

    A foot is put down where the pelvis will pass, half a step width to its side, and outwards by as much as the body
    leans into a turn. ``timing`` and ``shifts`` disturb step after step, in cycles and metres (ahead, left).
    """
    half = 0.0 if side > 0 else 0.5
    numbers = np.arange(np.floor(course.cycles[0]) - 1, np.ceil(course.cycles[-1]) + 2)
    numbers = _without_standing(course, numbers, half)
    late = np.zeros(len(numbers)) if timing is None else np.resize(timing, len(numbers))
    contact = numbers + half + late
    gait = course.gait.at(course.times, course.time_of(contact))
    gait = replace(gait, off_pitch=np.minimum(gait.off_pitch, _STEEPEST_ROLL))
    middle = course.time_of(contact + gait.over * gait.toe_off)
    if course.stands_first:
        middle[0] = course.times[0]
    if course.stands_last:
        middle[-1] = course.times[-1]
    place, heading = course.place_at(middle)
    aside = side * gait.width * leg - leg * np.tan(np.interp(middle, course.times, course.banks))
    shift = np.zeros((len(numbers), 2)) if shifts is None else np.resize(shifts, (len(numbers), 2))
    ankles = place + shift[:, :1] * forward(heading) + (aside + shift[:, 1])[:, None] * leftward(heading)
    events = ("heel_strike", "toe_strike", "heel_off", "toe_off")
    times = {name: course.time_of(contact + getattr(gait, name)) for name in events}
    if course.stands_first:
        times["heel_strike"][0], times["toe_strike"][0] = -_ALWAYS, 1.0 - _ALWAYS
    if course.stands_last:
        times["heel_off"][-1], times["toe_off"][-1] = _ALWAYS, _ALWAYS + 1.0
    return Footsteps(side=side, ankles=ankles, yaws=heading + side * gait.toe_out, gait=gait, **times)


def intervals(
    begin: Float[np.ndarray, " steps"], end: Float[np.ndarray, " steps"], times: Float[np.ndarray, " frames"]
) -> Int[np.ndarray, "contacts 2"]:
    """First and last frame, both inclusive, of each stretch of time that holds any frame."""
    first = np.searchsorted(times, begin - 1e-9)
    last = np.searchsorted(times, end + 1e-9) - 1
    seen = (last >= first) & (first < len(times)) & (last >= 0)
    return np.stack([first[seen], last[seen]], axis=-1).astype(np.int64)


def _without_standing(
    course: Course, numbers: Float[np.ndarray, " numbers"], half: float
) -> Float[np.ndarray, " kept"]:
    """Step numbers without those before a standing start and after a standing end."""
    if course.stands:
        return numbers[:1]
    if course.stands_first:
        # A foot that would land just after the start is the one that is stood on first.
        landed = numbers[numbers + half <= course.cycles[0] + 0.3]
        numbers = numbers[numbers >= landed[-1]]
    if course.stands_last:
        numbers = numbers[numbers + half <= course.cycles[-1]]
    return numbers
