"""Foot plants of many characters: how firmly each holds its foot point, as those of ``playback.feet`` do for one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Float32

from mocapella.crowd import gaits as rows
from mocapella.crowd.vectors import Array, chosen, smooth, smooth_clipped
from mocapella.geometry.angles import TURN
from mocapella.playback.settings import PlayerSettings

_FULL = TURN - 1e-4  # a plant of this length has neither beginning nor end
_ROLL = 0.3  # of a plant, at its end, in which the point may rise as the foot rolls off
_N_POINTS = 4


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
    """The plants that foot points are in, or nearest to, and how they hold them: of both feet (…, feet, lanes).

    The axes of both ends of a foot come between: (…, feet, ends, lanes), unless the plants are those of one end.
    """

    length: Array
    approach: Array
    release: Array
    begin: Array  # (2, …): ahead, left
    end: Array
    low: Array
    since: Array
    hold: Array
    firmness: Array
    sole: Array  # (5, feet, lanes), of the heels' plants

    def of_end(self, end: int) -> Plants:
        """Those of the heels (0) or the toes (1)."""
        both = {name: value[..., end, :] for name, value in vars(self).items() if name != "sole"}
        return Plants(**both, sole=self.sole)

    @property
    def inside(self) -> Array:
        """Whether the point is in its plant."""
        return (self.since >= 0.0) & (self.since < self.length)

    @property
    def full(self) -> Array:
        """Whether the plant has no end."""
        return self.length >= _FULL

    @property
    def rolls_off(self) -> Array:
        """Whether a plant's end is so near that the foot may roll off."""
        return self.since > (1.0 - _ROLL) * self.length

    def brake(self) -> Array:
        """What a speed at the plant's beginning or end is multiplied by so that it is gone by then."""
        before, after = np.minimum(self.since, 0.0), np.maximum(self.since - self.length, 0.0)
        left = np.maximum(1.0 + before / self.approach - after / self.release, 0.0)
        return np.asarray(self.firmness * (before + after) * left * left)

    def press(self) -> Array:
        """How firmly it is held to its height."""
        left = (self.length - self.since) / (_ROLL * np.maximum(self.length, 1e-6))
        held = self.firmness * smooth_clipped(left)
        return chosen((self.since < 0.0) | self.full, self.hold, held)


def plants_of(
    row: Float32[np.ndarray, "numbers lanes"], n_plants: int, clock: Clock, placed: Array, settings: PlayerSettings
) -> Plants:
    """The plants that hold foot points.

    Parameters
    ----------
    row
        The characters' gaits.
    n_plants
        Room for plants of a point.
    clock
        When.
    placed
        Whether points have places, or are leaving them (feet, ends, lanes): else no plant that is over holds them.
    settings
        Those of a player.

    Returns
    -------
    Plants
        Of several of a point, the one that holds most firmly.
    """
    best: Plants | None = None
    soles = row[rows.PLANTS + _N_POINTS * n_plants * rows.N_PLANT :].reshape(2, n_plants, rows.N_SOLE, -1)
    for slot, (numbers, since, firmness) in enumerate(_slots(row, n_plants, clock, settings)):
        length, approach, release = numbers[rows.LENGTH], numbers[rows.APPROACH], numbers[rows.RELEASE]
        coming = (since >= np.float32(TURN) - approach) & (since >= length)
        since = since - coming * np.float32(TURN)
        # What is left of the ways in and out: all of it in the plant.
        left = 1.0 + np.minimum(since, 0.0) / approach - np.maximum(since - length, 0.0) / release
        hold = firmness * smooth(np.maximum(left, 0.0)) * ((since < length) | placed)
        begin, end = numbers[rows.BEGIN : rows.BEGIN + 2], numbers[rows.END : rows.END + 2]
        sole = soles[:, slot].transpose(1, 0, 2)
        found = Plants(length, approach, release, begin, end, numbers[rows.LOW], since, hold, firmness, sole)
        best = found if best is None else _firmer(best, found)
    assert best is not None
    return best


def _slots(
    row: Float32[np.ndarray, "numbers lanes"], n_plants: int, clock: Clock, settings: PlayerSettings
) -> list[tuple[Array, Array, Array]]:
    """The numbers of each plant of the foot points, how long ago it began (radians), and how firmly it holds.

    Plants that are too short hold nothing.
    """
    own = row[rows.PLANTS : rows.PLANTS + _N_POINTS * n_plants * rows.N_PLANT]
    out = []
    for numbers in own.reshape(2, 2, n_plants, rows.N_PLANT, -1).transpose(2, 3, 0, 1, 4):
        since = clock.phase - numbers[rows.START]
        since = since - np.float32(TURN) * np.floor(since * np.float32(1.0 / TURN))
        per_shortest = np.float32(2.0 / settings.shortest_plant) / clock.rate
        out.append((numbers, since, smooth_clipped(numbers[rows.LENGTH] * per_shortest - 1.0)))
    return out


def _firmer(one: Plants, other: Plants) -> Plants:
    more = other.hold > one.hold
    chosen = {name: np.where(more, getattr(other, name), value) for name, value in vars(one).items() if name != "sole"}
    return Plants(**chosen, sole=np.where(more[:, 0], other.sole, one.sole))


def bearing(row: Float32[np.ndarray, "numbers lanes"], n_plants: int, clock: Clock, settings: PlayerSettings) -> Array:
    """How much of the body each foot point carries.

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
    out = np.zeros((2, 2, row.shape[1]), dtype=np.float32)
    for numbers, since, firmness in _slots(row, n_plants, clock, settings):
        length = numbers[rows.LENGTH]
        hand_over = np.maximum(np.minimum(settings.hand_over * clock.rate, settings.swing_share * length), 1e-6)
        ramp = smooth_clipped(np.minimum(since, length - since) / hand_over)
        out = np.maximum(out, firmness * np.maximum(ramp, length >= _FULL))
    return out.reshape(_N_POINTS, -1)
