"""Controllers of crowds: path following and collision avoidance.

Collision avoidance is the anticipatory social force of Karamouzas, Skinner and Guy ("Universal power law governing
pedestrian interactions", 2014): two characters push each other aside by how soon they would collide. Close characters
are also pushed apart by the social force of Helbing and Molnár (1995).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from jaxtyping import Float, Int

from mocapella.checks import checked_seed, explained, finite_number, shown
from mocapella.crowd.crowd import Controller, Crowd
from mocapella.errors import MotionError

_POINTS = 256  # of a path, evenly along it
_AHEAD = 24  # of these, in which a character's place on its path is looked for
Corners = Sequence[Sequence[float | int]] | Float[np.ndarray, "corners 2"]
Ways = Float[np.ndarray, "characters 2"]  # metres or metres per second over the ground (x, z)


@explained
@dataclass(frozen=True)
class Avoidance:
    """Settings of collision avoidance.

    Parameters
    ----------
    radius
        Of a character, metres.
    strength
        Of the force; 1.5 is what was measured among people.
    horizon
        Seconds ahead that collisions are foreseen.
    sight
        Metres; characters further away are ignored.
    closeness, falloff
        The force between two characters that touch, m/s², and metres in which it falls to a third: the social force of
        Helbing and Molnár (1995), which separates characters that go side by side.

    Examples
    --------
    >>> towards = Avoidance().forces(np.array([(0.0, 0.0), (0.1, 3.0)]), np.array([(0.0, 1.3), (0.0, -1.3)]))
    >>> bool(towards[0, 0] < 0.0 < towards[1, 0])
    True
    """

    radius: float = 0.3
    strength: float = 1.5
    horizon: float = 3.0
    sight: float = 6.0
    closeness: float = 2.0
    falloff: float = 0.25

    def forces(self, places: Ways, velocities: Ways) -> Ways:
        """The avoidance forces on characters, m/s².

        Parameters
        ----------
        places, velocities
            Over the ground (x, z), metres and m/s.

        Returns
        -------
        array of shape (characters, 2)
            The sum over all near characters; at most 8 from each.
        """
        out = np.zeros_like(places)
        pairs = scipy.spatial.cKDTree(places).query_pairs(self.sight, output_type="ndarray")
        if not len(pairs):
            return out
        first, second = pairs.T
        way, speed = places[second] - places[first], velocities[first] - velocities[second]
        apart2 = (way * way).sum(axis=1)
        apart = np.sqrt(np.maximum(apart2, 1e-12))
        near = self.closeness * np.exp((2.0 * self.radius - apart) / self.falloff) / apart
        _add(out, first, second, -near[:, None] * way)
        reach2 = np.minimum((2.0 * self.radius) ** 2, 0.98 * apart2)  # overlapping characters are pushed apart too
        a, b = (speed * speed).sum(axis=1), (way * speed).sum(axis=1)
        root = b * b - a * (apart2 - reach2)
        meets = (root > 1e-9) & (a > 1e-6) & (b > 0.0)
        first, second, way, speed = first[meets], second[meets], way[meets], speed[meets]
        a, b, root = a[meets], b[meets], np.sqrt(root[meets])
        time = np.maximum((b - root) / a, 0.05)
        size = self.strength * np.exp(-time / self.horizon) / (a * time * time) * (2.0 / time + 1.0 / self.horizon)
        push = -size[:, None] * (speed - (b[:, None] * speed - a[:, None] * way) / root[:, None])
        push *= np.minimum(1.0, 8.0 / np.maximum(np.linalg.norm(push, axis=1), 1e-9))[:, None]
        _add(out, first, second, push)
        return out


def _add(forces: Ways, first: np.ndarray, second: np.ndarray, push: Float[np.ndarray, "pairs 2"]) -> None:
    """Add the forces of pairs, with opposite signs."""
    for axis in range(2):
        forces[:, axis] += np.bincount(first, push[:, axis], len(forces))
        forces[:, axis] -= np.bincount(second, push[:, axis], len(forces))


@explained
class FollowPaths:
    """A controller that leads every character along its own path and avoids collisions.

    Parameters
    ----------
    paths
        One for each character, or a few that characters take in turn: corners (x, z), metres. A closed path is followed
        round and round; at the end of an open one, characters turn round and come back.
    speed
        Desired speed, m/s, limited by the network's highest. One each, or one for all.
    avoid
        Collision avoidance; None for none.
    every
        Seconds between two updates of the goals.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> from mocapella.analysis.fourier import analyse
    >>> from mocapella.analysis.prepare import prepare
    >>> square = [(0, 0), (0, 9), (9, 9), (9, 0), (0, 0)]
    >>> walk = analyse(prepare(perform("walk", speed=1.3)[0]), harmonics=8)
    >>> crowd = Crowd(walk, 4, controller=FollowPaths([square]))
    >>> crowd.step(1 / 60)
    """

    def __init__(
        self,
        paths: Sequence[Corners],
        *,
        speed: float | Float[np.ndarray, " characters"] = 1.3,
        avoid: Avoidance | None = Avoidance(),  # noqa: B008 -- a frozen value
        every: float = 0.1,
    ) -> None:
        if not len(paths):
            raise MotionError(expected="at least one path", got=shown(paths))
        self._paths = np.stack([_even(path) for path in paths])
        lengths = np.linalg.norm(np.diff(self._paths, axis=1), axis=-1).sum(axis=1)
        self._spacing = lengths / (_POINTS - 1)
        self._closed = np.linalg.norm(self._paths[:, -1] - self._paths[:, 0], axis=-1) < 1e-6 * (1.0 + lengths)
        self.speed, self.avoid = speed, avoid
        self.every = finite_number(every, "seconds between looks, above 0", above=0.0)
        self._waited = math.inf
        self._at: Int[np.ndarray, " characters"] | None = None
        self._back = np.zeros(0, dtype=bool)
        self._last = np.zeros((0, 2))
        self._velocities = np.zeros((0, 2))

    def __call__(self, crowd: Crowd, dt: float) -> None:
        """Update the goals if it is time to, and steer."""
        self._waited += dt
        if self._waited < self.every:
            return
        span, self._waited = self._waited, 0.0
        places, headings = crowd.positions, crowd.headings
        own = np.arange(len(crowd)) % len(self._paths)
        facing = np.stack([np.sin(headings), np.cos(headings)], axis=-1)
        if self._at is None or len(self._at) != len(crowd):
            self._at = self._nearest(places, own)
            self._back = np.zeros(len(crowd), dtype=bool)
            self._velocities = facing * np.minimum(self.speed, 1.3)[..., None]
        else:
            self._velocities += 0.5 * ((places - self._last) / span - self._velocities)
        self._last = places
        speed = np.broadcast_to(np.asarray(self.speed, dtype=np.float64), (len(crowd),))
        goal = self._ahead(places, own, speed) - places
        wanted = speed[:, None] * goal / np.maximum(np.linalg.norm(goal, axis=1), 1e-9)[:, None]
        if self.avoid is not None:
            wanted = wanted + 0.54 * self.avoid.forces(places, self._velocities)
        size = np.linalg.norm(wanted, axis=1)
        angle = np.arctan2(wanted[:, 0], wanted[:, 1]) - headings
        angle = (angle + math.pi) % math.tau - math.pi
        ahead = size * np.clip(np.cos(angle), 0.3, 1.0)
        crowd.steer(np.clip(angle / 0.6, -3.0, 3.0), np.minimum(ahead, 1.5 * speed))

    def _nearest(self, places: Ways, own: Int[np.ndarray, " characters"]) -> Int[np.ndarray, " characters"]:
        out = np.empty(len(places), dtype=np.intp)
        for path in np.unique(own):
            some = own == path
            out[some] = scipy.spatial.cKDTree(self._paths[path]).query(places[some])[1]
        return out

    def _ahead(self, places: Ways, own: Int[np.ndarray, " characters"], speed: np.ndarray) -> Ways:
        """The places on their paths that characters go towards, a second ahead."""
        at = self._at
        assert at is not None
        way = np.where(self._back, -1, 1)
        window = at[:, None] + way[:, None] * np.arange(_AHEAD)
        near = self._paths[own[:, None], self._index(window, own[:, None])]
        at = at + way * ((near - places[:, None]) ** 2).sum(axis=-1).argmin(axis=1)
        closed = self._closed[own]
        at = np.where(closed, at % (_POINTS - 1), np.clip(at, 0, _POINTS - 1))
        ends = ~closed & (np.where(self._back, at, _POINTS - 1 - at) * self._spacing[own] < 0.5)
        self._back, self._at = self._back ^ ends, at
        steps = np.maximum(np.rint(1.0 * speed / np.maximum(self._spacing[own], 1e-9)), 1.0).astype(np.intp)
        return np.asarray(self._paths[own, self._index(at + np.where(self._back, -1, 1) * steps, own)])

    def _index(self, numbers: np.ndarray, own: np.ndarray) -> np.ndarray:
        """Numbers of points within their paths, round closed ones."""
        return np.where(self._closed[own], numbers % (_POINTS - 1), np.clip(numbers, 0, _POINTS - 1))


@explained
class RandomChanges:
    """A controller that lets characters of a hybrid network change their motion at random.

    Parameters
    ----------
    per_minute
        How many changes each character begins in a minute, in the mean.
    seed
        Seed of the random choices.
    then
        Another controller that is called first: characters may follow paths between changes.

    Raises
    ------
    MotionError
        For a number that is none, or negative.

    Examples
    --------
    >>> RandomChanges(per_minute=4.0).per_minute
    4.0
    """

    def __init__(self, per_minute: float | int, *, seed: int = 0, then: Controller | None = None) -> None:
        self.per_minute = finite_number(per_minute, "changes per minute from 0 on", least=0.0)
        self.then = then
        self._rng = np.random.default_rng(checked_seed(seed))

    def __call__(self, crowd: Crowd, dt: float) -> None:
        """Let some characters begin a change."""
        if self.then is not None:
            self.then(crowd, dt)
        arcs = crowd.open_arcs
        for number in np.flatnonzero(self._rng.random(len(crowd)) < self.per_minute * dt / 60.0).tolist():
            own = arcs.get(crowd.blocks[number], ())
            if own and number not in crowd.players:
                crowd.trigger(number, own[self._rng.integers(len(own))])


def rings(n: int, *, speed: float = 1.3, spacing: float = 2.2) -> dict[str, Any]:
    """Characters on rings round the origin, every second ring the other way round: arguments for ``Crowd``.

    Parameters
    ----------
    n
        How many characters.
    speed
        m/s.
    spacing
        Metres between rings, and between characters on a ring.

    Returns
    -------
    dict
        ``positions``, ``headings`` and a ``controller``.
    """
    places, headings, paths = [], [], []
    radius, left, number = 6.0, n, 0
    angles = np.linspace(0.0, math.tau, 97)
    while left > 0:
        way = 1.0 if number % 2 else -1.0
        count = min(left, int(math.tau * radius / spacing))
        around = way * angles
        ring = radius * np.stack([np.sin(around), np.cos(around)], axis=-1)
        ring[-1] = ring[0]
        for k in range(count):
            at = way * math.tau * (k + 0.5 * (number % 3)) / max(count, 1)
            places.append((radius * math.sin(at), radius * math.cos(at)))
            headings.append(math.remainder(at + way * 0.5 * math.pi, math.tau))
            paths.append(ring)
        left, radius, number = left - count, radius + spacing, number + 1
    guide = FollowPaths(paths, speed=speed)
    return {"positions": np.array(places), "headings": np.array(headings), "controller": guide}


def _even(path: Corners) -> Float[np.ndarray, "points 2"]:
    """A path as points at even distances."""
    try:
        corners = np.array(path, dtype=np.float64)
    except (TypeError, ValueError):
        corners = np.empty(0)
    if corners.ndim != 2 or corners.shape[1] != 2 or len(corners) < 2 or not np.isfinite(corners).all():
        raise MotionError(expected="a path of two or more corners (x, z), finite numbers of metres", got=shown(path))
    lengths = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(corners, axis=0), axis=1))])
    if lengths[-1] <= 0.0:
        raise MotionError(expected="a path that leads somewhere", got=shown(path))
    along = np.linspace(0.0, lengths[-1], _POINTS)
    return np.stack([np.interp(along, lengths, corners[:, axis]) for axis in range(2)], axis=-1)
