"""Foot plants of many characters: how firmly each holds its foot point, as those of ``playback.feet`` do for one."""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
from jaxtyping import Float32

from mocapella.crowd import gaits as rows
from mocapella.crowd.state import Lane
from mocapella.crowd.vectors import Array, chosen, smooth, smooth_clipped
from mocapella.gait.foot_constants import FOOT
from mocapella.geometry.angles import TURN
from mocapella.playback.settings import PlayerSettings

_Candidate = tuple[Array, Array, Array, Array, Array]  # columns, sole, phase since it began, hold and firmness
_FULL = TURN - 1e-4  # a plant of this length has neither beginning nor end
Gait = Float32[np.ndarray, "numbers lanes"]  # columns of ``gaits``
_N_POINTS = 4  # foot points: heel and toe of both feet


class Clock(NamedTuple):
    """Time and heading of some characters."""

    dt: float  # seconds
    phase: Lane
    rate: Lane  # radians of the cycle per second
    turn: Lane  # of the heading, per radian of the cycle
    cosine: Lane  # of the heading
    sine: Lane


class Slot(NamedTuple):
    """One plant of each foot point (…, feet, ends, lanes)."""

    numbers: Array  # (9, …): its columns in the gaits
    sole: Array  # (5, feet, lanes): those of the soles, of the heels' plants
    since: Array  # how long ago it began, radians, 0 … 2π
    firmness: Array


class Plants:
    """The plants that foot points are in, or nearest to, and how they hold them: (…, feet, ends, lanes).

    ``since`` is the phase since the plants began, radians, negative before. ``hold`` is the strength of their locks
    now, ``firmness`` the largest.
    """

    def __init__(self, numbers: Array, sole: Array, since: Array, hold: Array, firmness: Array) -> None:
        self.since, self.hold, self.firmness, self.sole = since, hold, firmness, sole
        self.length, self.approach, self.release = (numbers[i] for i in (rows.LENGTH, rows.APPROACH, rows.RELEASE))
        self.begin, self.end = numbers[rows.BEGIN : rows.BEGIN + 2], numbers[rows.END : rows.END + 2]  # ahead, left
        self.low = numbers[rows.LOW]
        self.full = self.length >= _FULL  # whether it has no end
        self.brake = self._brake()

    @property
    def rolls_off(self) -> Array:
        """Whether a plant's end is so near that the foot may roll off."""
        return np.asarray(self.since > np.float32(1.0 - FOOT.roll) * self.length)

    def _brake(self) -> Array:
        """What a speed at the plant's beginning or end is multiplied by so that it is gone by then."""
        before = np.minimum(self.since, 0.0)
        after = self.since - self.length
        np.maximum(after, 0.0, out=after)
        left = _ways_left(before, after, self.approach, self.release)
        left *= left
        left *= self.firmness
        before += after
        left *= before
        return np.asarray(left)

    def press(self) -> Array:
        """How firmly it is held to its height."""
        left = self.length - self.since
        left /= np.float32(FOOT.roll) * np.maximum(self.length, 1e-6)
        held = smooth_clipped(left)
        held *= self.firmness
        return chosen((self.since < 0.0) | self.full, self.hold, held)


def _ways_left(before: Array, after: Array, approach: Array, release: Array) -> Array:
    """What is left of plants' ways in and out: all of it in the plant."""
    left = before / approach
    left -= after / release
    left += np.float32(1.0)
    return np.asarray(np.maximum(left, 0.0, out=left))


def slots_of(row: Gait, n_plants: int, clock: Clock, settings: PlayerSettings) -> list[Slot]:
    """The plants of foot points; those that are too short hold nothing."""
    end = rows.PLANTS + _N_POINTS * n_plants * rows.N_PLANT
    plants = row[rows.PLANTS : end].reshape(2, 2, n_plants, rows.N_PLANT, -1).transpose(2, 3, 0, 1, 4)
    soles = row[end:].reshape(2, n_plants, rows.N_SOLE, -1).transpose(1, 2, 0, 3)
    per_shortest = np.float32(2.0 / settings.shortest_plant) / clock.rate
    out = []
    for numbers, sole in zip(plants, soles, strict=True):
        since = clock.phase - numbers[rows.START]
        turns = since * np.float32(1.0 / TURN)
        np.floor(turns, out=turns)
        turns *= np.float32(TURN)
        since -= turns
        longer = numbers[rows.LENGTH] * per_shortest
        longer -= np.float32(1.0)
        out.append(Slot(numbers, sole, since, smooth_clipped(longer)))
    return out


def plants_of(slots: list[Slot], placed: Array) -> Plants:
    """The plants that hold foot points; of several of a point, the one that holds most firmly.

    A plant that is over holds only points that are ``placed``: that have places, or are leaving them (feet, ends,
    lanes).
    """
    candidates = []
    for numbers, sole, since, firmness in slots:
        length, approach = numbers[rows.LENGTH], numbers[rows.APPROACH]
        coming = (since >= np.float32(TURN) - approach) & (since >= length)
        since = since - coming * np.float32(TURN)
        after = since - length
        np.maximum(after, 0.0, out=after)
        hold = smooth(_ways_left(np.minimum(since, 0.0), after, approach, numbers[rows.RELEASE]))
        hold *= firmness
        hold *= (since < length) | placed
        candidates.append((numbers, sole, since, hold, firmness))
    return Plants(*functools.reduce(_firmer, candidates))


def _firmer(one: _Candidate, other: _Candidate) -> _Candidate:
    more = other[3] > one[3]
    numbers, sole, since, hold, firmness = (
        np.where(more[:, 0] if i == 1 else more, b, a) for i, (a, b) in enumerate(zip(one, other, strict=True))
    )
    return numbers, sole, since, hold, firmness


def bearing(slots: list[Slot], clock: Clock, settings: PlayerSettings) -> Array:
    """How much of the body each foot point carries (4, lanes): 0 … 1, nothing at the ends of plants."""
    shares = []
    for numbers, _, since, firmness in slots:
        length = numbers[rows.LENGTH]
        hand_over = np.minimum(settings.hand_over * clock.rate, settings.swing_share * length)
        ramp = np.minimum(since, length - since)
        ramp /= np.maximum(hand_over, 1e-6, out=hand_over)
        share = np.maximum(smooth_clipped(ramp), length >= _FULL)
        share *= firmness
        shares.append(share)
    return np.asarray(np.maximum.reduce(shares).reshape(_N_POINTS, -1))
