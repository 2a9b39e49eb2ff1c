"""Blending points of many characters: eased towards their goals at a limited rate, and their weights."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from jaxtyping import Float32

from mocapella.crowd.state import Bit, Lane, Lanes, Spot, Weights, Word
from mocapella.crowd.tables import CrowdTables
from mocapella.crowd.vectors import length

_LONGEST_WALK = 8  # triangles that a point may cross in one step
_INSIDE = -1e-6  # a weight this far below zero is rounding
_ARRIVED = 1e-6  # of the network's size
_NOISE_RATE = 0.6  # changes per second
_Maps = Float32[np.ndarray, "3 3 lanes"]
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


def move_points(tables: CrowdTables, lanes: Lanes, goals: Spot, step: Step) -> tuple[Weights, Weights]:
    """Move blending points on, and find their triangles.

    ``lanes`` are changed in place. ``goals`` are where their points were sent, about the network's centre, in its
    sizes. Returns ``weights`` and ``changes``: of the corners of the new triangle, and by how much they changed in this
    step.
    """
    state, words = lanes.numbers, lanes.words
    here = state[Word.POINT : Word.POINT + 2].copy()
    there, speed = _eased(here, goals, state[Word.SPEED : Word.SPEED + 2], step)
    give = ((words[Word.MARKS] >> Bit.GIVE) & 255).astype(np.float32) * np.float32(1.0 / 255.0)
    way = give * (there - here)
    maps = _maps(tables, words[Word.TRIANGLE])
    needed = _seconds(tables, words[Word.TRIANGLE], np.abs(_changes(maps, way)))
    share = np.minimum(np.float32(max(step.dt, 1e-9)) / np.maximum(needed, np.float32(1e-12)), 1.0)
    point = here + share * way
    arrived = (share >= 1.0) & (give >= 1.0) & (there == goals).all(axis=0)
    np.copyto(point, goals, where=arrived)
    weights, outside = _placed(tables, words, maps, point)
    state[Word.POINT : Word.POINT + 2] = point
    state[Word.SPEED : Word.SPEED + 2] = (give * ~(arrived | outside)) * speed
    return weights, _changes(maps, point - here)


def _maps(tables: CrowdTables, triangle: np.ndarray) -> _Maps:
    """What makes weights of 1, x and y, corner by corner."""
    return np.take(tables.maps.reshape(-1, 9).T, triangle, axis=1).reshape(3, 3, -1)


def _changes(maps: _Maps, way: Spot) -> Weights:
    return np.asarray(np.einsum("kan,an->kn", maps[:, 1:], way))


def _seconds(tables: CrowdTables, triangle: np.ndarray, change: Weights) -> Lane:
    """How long a change takes at least: all of it is attributed to the corner whose weight changes most."""
    first_second, second_third, third_first = np.take(tables.seconds.T, triangle, axis=1)
    a, b, c = change
    first = a >= np.maximum(b, c)
    second = ~first & (b >= c)
    needed = first * (b * first_second + c * third_first)
    needed += second * (a * first_second + c * second_third)
    needed += ~(first | second) * (a * third_first + b * second_third)
    return np.asarray(needed)


def _eased(here: Spot, goals: Spot, speed: Spot, step: Step) -> tuple[Spot, Spot]:
    """Points on damped springs that never overshoot, as those of players, and their speeds."""
    if step.stiffness == 0.0:
        wanted, after = goals, np.zeros_like(speed)
    else:
        stiffness, dt, decay = (np.float32(x) for x in (step.stiffness, step.dt, step.decay))
        off = here - goals
        pull = speed + stiffness * off
        wanted = goals + (off + pull * dt) * decay
        after = (speed - stiffness * pull * dt) * decay
    far = length(wanted - here)
    furthest = np.float32(step.furthest)
    share = np.minimum(furthest / np.maximum(far, np.float32(1e-12)), 1.0)
    wanted = np.where(share < 1.0, here + share * (wanted - here), wanted)
    after = after * np.minimum(furthest / np.maximum(length(after) * np.float32(step.dt), np.float32(1e-12)), 1.0)
    near = (length(wanted - goals) < _ARRIVED) & (length(after) < 1e3 * _ARRIVED)
    np.copyto(wanted, goals, where=near)
    return wanted, ~near * after


def _placed(tables: CrowdTables, words: np.ndarray, maps: _Maps, point: Spot) -> tuple[Weights, np.ndarray]:
    """Weights of points in their triangles, found from the last ones on; points outside are brought to the outline.

    Points, triangles and their maps are changed in place.
    """
    weights = maps[:, 0] + _changes(maps, point)
    lanes = np.flatnonzero(_least(weights) < _INSIDE)
    triangle, own = words[Word.TRIANGLE, lanes], weights[:, lanes]
    for _ in range(_LONGEST_WALK):
        beyond = np.where(tables.neighbours[triangle].T >= 0, own, 0.0)
        corner = beyond.argmin(axis=0)
        out = np.flatnonzero(_least(beyond) < _INSIDE)
        if not out.size:
            break
        triangle[out] = tables.neighbours[triangle[out], corner[out]]
        new = _maps(tables, triangle[out])
        own[:, out] = new[:, 0] + _changes(new, point[:, lanes[out]])
    words[Word.TRIANGLE, lanes], weights[:, lanes], maps[..., lanes] = triangle, own, _maps(tables, triangle)
    outside = _least(weights) < _INSIDE
    np.maximum(weights, 0.0, out=weights)
    weights /= weights[0] + weights[1] + weights[2]
    corners = tables.points[tables.triangles[words[Word.TRIANGLE, outside]]]
    point[:, outside] = np.einsum("kn,nka->an", weights[:, outside], corners)
    return weights, outside


def _least(weights: Weights) -> Lane:
    return np.asarray(np.minimum(np.minimum(weights[0], weights[1]), weights[2]))
