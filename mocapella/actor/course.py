"""The course of a performance: on an even grid of times, how far into its cycles it is and where on the ground."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from mocapella.actor.gait import Gait

GRAVITY = 9.81  # metres per second squared


@dataclass(frozen=True, eq=False)
class Course:
    """When and where, before any joint is posed.

    Cycles are counted on, not wrapped: the left foot first touches the ground at whole numbers, the right one half-way
    between. Where they stand still the actor stands.
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
        after = np.maximum(cycles - self.cycles[-1], 0.0) * paces[1]
        return np.asarray(inside + before + after)

    def place_at(
        self, times: Float[np.ndarray, " when"]
    ) -> tuple[Float[np.ndarray, "when 2"], Float[np.ndarray, " when"]]:
        """Place and heading at these times; beyond the course it goes straight on."""
        outside = times - np.clip(times, self.times[0], self.times[-1])
        heading = np.interp(times, self.times, self.headings)
        speed = np.interp(times, self.times, self.speeds)
        place = np.stack([np.interp(times, self.times, self.places[:, i]) for i in (0, 1)], axis=-1)
        return place + (outside * speed)[:, None] * forward(heading), heading


def course(
    times: Float[np.ndarray, " times"],
    speeds: Float[np.ndarray, " times"],
    turns: Float[np.ndarray, " times"],
    gait: Gait,
    *,
    cadence: Float[np.ndarray, " times"] | None = None,
    start: float = 0.0,
    banking: float = 0.85,
    stands_first: bool = False,
    stands_last: bool = False,
) -> Course:
    """Lay out a course from speeds and turn rates.

    It passes through the origin at time 0, heading along +z, ``start`` cycles in. ``cadence`` is in cycles per second,
    the gait's own if not given; ``banking`` says how much of the lean that keeps the balance in a turn is leant.
    """
    pace = 1.0 / gait.period if cadence is None else cadence
    cycles = _sum_up(pace, times)
    headings = _sum_up(turns, times)
    bends = np.diff(headings)
    # Between two times the way is an arc: its chord is shorter than the arc by the sine of half the bend.
    chords = 0.5 * (speeds[1:] + speeds[:-1]) * np.diff(times) * np.sinc(bends / (2.0 * np.pi))
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


def _sum_up(rates: Float[np.ndarray, " times"], times: Float[np.ndarray, " times"]) -> Float[np.ndarray, " times"]:
    return np.concatenate([[0.0], np.cumsum(0.5 * (rates[1:] + rates[:-1]) * np.diff(times))])
