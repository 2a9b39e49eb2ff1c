"""Footsteps planned along a course: when each foot rests, where, and facing where."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float, Int

from mocapella.actor.course import Course, forward, leftward
from mocapella.actor.gait import Gait

STEEPEST_ROLL = np.radians(66.0)  # of a foot over its toes; they bend no further
ALWAYS = 1e3  # seconds; a foot that stands from the start or to the end does so for this long


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
    numbers = _without_those_before_or_after_standing(course, numbers, half)
    late = np.zeros(len(numbers)) if timing is None else np.resize(timing, len(numbers))
    contact = numbers + half + late
    gait = course.gait.at(course.times, course.time_of(contact))
    gait = replace(gait, off_pitch=np.minimum(gait.off_pitch, STEEPEST_ROLL))
    middle = course.time_of(contact + gait.over * gait.toe_off)
    if course.stands_first:
        middle[0] = course.times[0]
    if course.stands_last:
        middle[-1] = course.times[-1]
    place, heading = course.place_at(middle)
    lean = np.interp(middle, course.times, course.banks)
    aside = side * gait.width * leg - leg * np.tan(lean)
    shift = np.zeros((len(numbers), 2)) if shifts is None else np.resize(shifts, (len(numbers), 2))
    ankles = place + shift[:, :1] * forward(heading) + (aside + shift[:, 1])[:, None] * leftward(heading)
    times = {
        name: course.time_of(contact + getattr(gait, name))
        for name in ("heel_strike", "toe_strike", "heel_off", "toe_off")
    }
    if course.stands_first:
        times["heel_strike"][0], times["toe_strike"][0] = -ALWAYS, 1.0 - ALWAYS
    if course.stands_last:
        times["heel_off"][-1], times["toe_off"][-1] = ALWAYS, ALWAYS + 1.0
    return Footsteps(side=side, ankles=ankles, yaws=heading + side * gait.toe_out, gait=gait, **times)


def intervals(
    begin: Float[np.ndarray, " steps"], end: Float[np.ndarray, " steps"], times: Float[np.ndarray, " frames"]
) -> Int[np.ndarray, "contacts 2"]:
    """First and last frame, both inclusive, of each stretch of time that holds any frame."""
    first = np.searchsorted(times, begin - 1e-9)
    last = np.searchsorted(times, end + 1e-9) - 1
    seen = (last >= first) & (first < len(times)) & (last >= 0)
    return np.stack([first[seen], last[seen]], axis=-1).astype(np.int64)


def _without_those_before_or_after_standing(
    course: Course, numbers: Float[np.ndarray, " numbers"], half: float
) -> Float[np.ndarray, " kept"]:
    """Standing feet took their last step long ago, or will not take another."""
    if course.stands:
        return numbers[:1]
    if course.stands_first:
        # A foot that would land just after the start is the one that is stood on first.
        landed = numbers[numbers + half <= course.cycles[0] + 0.3]
        numbers = numbers[numbers >= landed[-1]]
    if course.stands_last:
        numbers = numbers[numbers + half <= course.cycles[-1]]
    return numbers
