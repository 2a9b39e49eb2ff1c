"""Foot plants of many characters: how firmly each holds its foot point, as those of ``playback.feet`` do for one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Float32

from mocapella.crowd import gaits as rows
from mocapella.crowd.vectors import Array, smooth, smooth_clipped
from mocapella.geometry.angles import TURN
from mocapella.playback.settings import PlayerSettings

_FULL = TURN - 1e-4  # a plant of this length has neither beginning nor end
_ROLL = 0.3  # of a plant, at its end, in which the point may rise as the foot rolls off


class Clock(NamedTuple):
    """Time and heading of some characters."""

    dt: float  # seconds
    phase: Float32[np.ndarray, " lanes"]
    rate: Float32[np.ndarray, " lanes"]  # radians of the cycle per second
    turn: Float32[np.ndarray, " lanes"]  # of the heading, per radian of the cycle
    cosine: Float32[np.ndarray, " lanes"]  # of the heading
    sine: Float32[np.ndarray, " lanes"]


@dataclass
class Plants:
    """The plant that each character's foot point is in, or nearest to, and how it holds the point."""

    start: Array
    length: Array
    approach: Array
    release: Array
    begin: Array  # (2, lanes): ahead, left
    end: Array
    low: Array
    sole: Array  # (5, lanes); zeros for toes
    since: Array
    hold: Array
    firmness: Array

    @property
    def inside(self) -> Array:
        """Whether the point is in its plant."""
        return (self.since >= 0.0) & (self.since < self.length)

    @property
    def full(self) -> Array:
        """Whether the plant has no end."""
        return self.length >= _FULL

    def brake(self) -> Array:
        """The displacement per speed that brings a foot to rest at the plant's beginning or end."""
        before = self.since * np.square(np.maximum(1.0 + self.since / self.approach, 0.0))
        after = self.since - self.length
        rest = after * np.square(np.maximum(1.0 - after / self.release, 0.0))
        return self.firmness * np.where(self.since < 0.0, before, np.where(after > 0.0, rest, 0.0))

    def press(self) -> Array:
        """How firmly it is held to its height."""
        left = (self.length - self.since) / (_ROLL * np.maximum(self.length, 1e-6))
        held = self.firmness * smooth_clipped(left)
        return np.where((self.since < 0.0) | self.full, self.hold, held)


def plants_of(
    row: Float32[np.ndarray, "numbers lanes"],
    n_plants: int,
    point: int,
    clock: Clock,
    placed: Array,
    settings: PlayerSettings,
) -> Plants:
    """The plants that hold a foot point.

    Parameters
    ----------
    row
        The characters' gaits.
    n_plants
        Room for plants of a point.
    point
        Which of the foot points.
    clock
        When.
    placed
        Whether the point has a place, or is leaving it: else no plant that is over holds it.
    settings
        Those of a player.

    Returns
    -------
    Plants
        Of several, the one that holds most firmly.
    """
    best: Plants | None = None
    for slot in range(n_plants):
        at = rows.PLANTS + (point * n_plants + slot) * rows.N_PLANT
        start, length, approach, release = row[at : at + 4]
        since = clock.phase - start
        since = since - np.float32(TURN) * np.floor(since * np.float32(1.0 / TURN))
        since = np.where((since < np.float32(TURN) - approach) | (since < length), since, since - np.float32(TURN))
        shortest = settings.shortest_plant * clock.rate
        firmness = smooth_clipped(2.0 * length / shortest - 1.0)
        before = np.maximum(1.0 + since / approach, 0.0)
        after = np.maximum(1.0 - (since - length) / release, 0.0)
        hold = firmness * np.where(since < 0.0, smooth(before), np.where(since < length, 1.0, smooth(after)))
        hold = np.where((since < length) | placed, hold, 0.0).astype(np.float32)
        if point % 2 == 0:
            sole = rows.PLANTS + n_plants * (4 * rows.N_PLANT) + (point // 2 * n_plants + slot) * rows.N_SOLE
            own_sole = row[sole : sole + rows.N_SOLE]
        else:
            own_sole = np.zeros((rows.N_SOLE, len(hold)), dtype=np.float32)
        found = Plants(
            start,
            length,
            approach,
            release,
            row[at + rows.BEGIN : at + rows.BEGIN + 2],
            row[at + rows.END : at + rows.END + 2],
            row[at + rows.LOW],
            own_sole,
            since,
            hold,
            firmness,
        )
        best = found if best is None else _firmer(best, found)
    assert best is not None
    return best


def _firmer(one: Plants, other: Plants) -> Plants:
    more = other.hold > one.hold
    return Plants(**{name: np.where(more, getattr(other, name), value) for name, value in vars(one).items()})


def bearing(row: Float32[np.ndarray, "numbers lanes"], n_plants: int, clock: Clock, settings: PlayerSettings) -> Array:
    """Share of the body's weight on each foot point.

    Parameters
    ----------
    row, n_plants
        The characters' gaits, and room for plants of a point.
    clock
        When.
    settings
        Those of a player.

    Returns
    -------
    array of shape (4, lanes)
        From 0 to 1, nothing at the ends of plants.
    """
    out = np.zeros((4, row.shape[1]), dtype=np.float32)
    for point in range(4):
        for slot in range(n_plants):
            at = rows.PLANTS + (point * n_plants + slot) * rows.N_PLANT
            start, length = row[at : at + 2]
            since = clock.phase - start
            since = since - np.float32(TURN) * np.floor(since * np.float32(1.0 / TURN))
            hand_over = np.maximum(np.minimum(settings.hand_over * clock.rate, settings.swing_share * length), 1e-6)
            ramp = smooth_clipped(np.minimum(since, length - since) / hand_over)
            firmness = smooth_clipped(2.0 * length / (settings.shortest_plant * clock.rate) - 1.0)
            out[point] = np.maximum(out[point], firmness * np.where(length >= _FULL, 1.0, ramp))
    return out


def rolls_off(plant: Plants) -> Array:
    """Whether a plant's end is near.

    Parameters
    ----------
    plant
        Of a foot point.

    Returns
    -------
    array of bool
        Whether the foot may roll off.
    """
    return plant.since > (1.0 - _ROLL) * plant.length
