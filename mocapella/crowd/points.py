"""Blending points of many characters: eased towards their goals at a limited rate, and their weights."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from jaxtyping import Float32

from mocapella.crowd.state import GIVE, MARKS, POINT, SPEED, TRIANGLE, Lanes
from mocapella.crowd.tables import CrowdTables

_LONGEST_WALK = 8  # triangles that a point may cross in one step
_INSIDE = -1e-6  # a weight this far below zero is rounding
_ARRIVED = 1e-6  # of the network's size
_NOISE_RATE = 0.6  # changes per second
_SPRING = 3.89  # (1 + x) exp(−x) = 0.1 at x = 3.89: nine tenths of the way are gone


class Step(NamedTuple):
    """One step of some characters: how long it is, how points go to their goals, and how much is drawn."""

    dt: float  # seconds
    stiffness: float  # of the springs that points hang on, per second; 0: points jump
    decay: float
    furthest: float  # the most that a point moves, in sizes of the network
    harmonics: int
    columns: int  # of the tables; joints beyond keep their mean pose
    noise: float = 0.0  # radians that joints which move no ankle are turned by at most
    beat: int = 0  # time in units of the noise: whole ones,
    between: float = 0.0  # and the rest

    @classmethod
    def of(cls, dt: float, ease: float, pace: float, harmonics: int, columns: int) -> Step:
        """A step; ``ease`` in seconds, ``pace`` in sizes of the network per second."""
        stiffness = 0.0 if ease <= 0.0 else _SPRING / ease
        return cls(dt, stiffness, math.exp(-stiffness * dt), 1e9 if math.isinf(pace) else pace * dt, harmonics, columns)

    def noisy(self, amount: float, time: float) -> Step:
        """The same with noise of an amount (radians) at a time (seconds)."""
        beats = time * _NOISE_RATE
        beat = math.floor(beats)
        return self._replace(noise=amount, beat=beat % (1 << 24), between=beats - beat)


def move_points(
    tables: CrowdTables, lanes: Lanes, goals: Float32[np.ndarray, "2 lanes"], step: Step
) -> tuple[Float32[np.ndarray, "3 lanes"], Float32[np.ndarray, "3 lanes"]]:
    """Move blending points on, and find their triangles.

    Parameters
    ----------
    tables
        What is played.
    lanes
        The characters; changed in place.
    goals
        Where their points were sent, about the network's centre, in its sizes.
    step
        How far they get.

    Returns
    -------
    weights, changes
        Of the corners of the new triangle, and by how much they changed in this step.
    """
    state, words = lanes.numbers, lanes.words
    here = state[POINT : POINT + 2].copy()
    there, speed = _eased(here, goals, state[SPEED : SPEED + 2], step)
    give = ((words[MARKS] >> GIVE) & 255).astype(np.float32) * np.float32(1.0 / 255.0)
    way = give * (there - here)
    maps = tables.maps[words[TRIANGLE]]
    change = np.abs(np.einsum("nka,an->kn", maps[:, :, 1:], way))
    seconds = tables.seconds[words[TRIANGLE]].T
    # The whole change is attributed to the corner whose weight changes most.
    from_first = change[1] * seconds[0] + change[2] * seconds[2]
    from_second = change[0] * seconds[0] + change[2] * seconds[1]
    from_third = change[0] * seconds[2] + change[1] * seconds[1]
    first, second = change[0] >= np.maximum(change[1], change[2]), change[1] >= change[2]
    needed = np.where(first, from_first, np.where(second, from_second, from_third))
    share = np.minimum(1.0, np.float32(max(step.dt, 1e-9)) / np.maximum(needed, 1e-12))
    point = here + share * way
    arrived = (share >= 1.0) & (give >= 1.0) & (there == goals).all(axis=0)
    point = np.where(arrived, goals, point)
    state[SPEED : SPEED + 2] = np.where(arrived, 0.0, give * speed)
    weights, point, outside = _placed(tables, words, point)
    state[POINT : POINT + 2] = point
    state[SPEED : SPEED + 2] *= ~outside
    changes = np.einsum("nka,an->kn", tables.maps[words[TRIANGLE]][:, :, 1:], point - here)
    return weights, changes


def _eased(
    here: Float32[np.ndarray, "2 lanes"],
    goals: Float32[np.ndarray, "2 lanes"],
    speed: Float32[np.ndarray, "2 lanes"],
    step: Step,
) -> tuple[Float32[np.ndarray, "2 lanes"], Float32[np.ndarray, "2 lanes"]]:
    """Points on damped springs that never overshoot, as those of players, and their speeds."""
    if step.stiffness == 0.0:
        wanted, after = goals, np.zeros_like(speed)
    else:
        stiffness, dt, decay = (np.float32(x) for x in (step.stiffness, step.dt, step.decay))
        off = here - goals
        pull = speed + stiffness * off
        wanted = goals + (off + pull * dt) * decay
        after = (speed - stiffness * pull * dt) * decay
    length = np.hypot(*(wanted - here))
    furthest = np.float32(step.furthest)
    share = np.minimum(1.0, furthest / np.maximum(length, 1e-12))
    wanted = np.where(share < 1.0, here + share * (wanted - here), wanted)
    fast = np.hypot(*after) * np.float32(step.dt)
    after = after * np.minimum(1.0, furthest / np.maximum(fast, 1e-12))
    near = (np.hypot(*(wanted - goals)) < _ARRIVED) & (np.hypot(*after) < 1e3 * _ARRIVED)
    return np.where(near, goals, wanted), np.where(near, 0.0, after).astype(np.float32)


def _placed(
    tables: CrowdTables, words: np.ndarray, point: Float32[np.ndarray, "2 lanes"]
) -> tuple[Float32[np.ndarray, "3 lanes"], Float32[np.ndarray, "2 lanes"], np.ndarray]:
    """Weights of points in their triangles, found from the last ones on; points outside are brought to the outline."""
    triangle = words[TRIANGLE].copy()
    weights = _weights(tables, triangle, point)
    for _ in range(_LONGEST_WALK):
        beyond = np.where(tables.neighbours[triangle].T >= 0, weights, 0.0)
        corner = beyond.argmin(axis=0)
        out = np.flatnonzero(beyond[corner, np.arange(len(corner))] < _INSIDE)
        if not out.size:
            break
        triangle[out] = tables.neighbours[triangle[out], corner[out]]
        weights[:, out] = _weights(tables, triangle[out], point[:, out])
    words[TRIANGLE] = triangle
    outside = weights.min(axis=0) < _INSIDE
    weights = np.maximum(weights, 0.0)
    weights /= weights.sum(axis=0)
    inside = np.einsum("kn,nka->an", weights, tables.points[tables.triangles[triangle]])
    return weights, np.where(outside, inside, point), outside


def _weights(
    tables: CrowdTables, triangle: np.ndarray, point: Float32[np.ndarray, "2 lanes"]
) -> Float32[np.ndarray, "3 lanes"]:
    maps = tables.maps[triangle]
    return np.asarray(maps[:, :, 0].T + maps[:, :, 1].T * point[0] + maps[:, :, 2].T * point[1])
