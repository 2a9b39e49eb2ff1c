"""Curves over the ground: Bézier curves that smooth a path, Hermite curves through handles, by arc length."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from jaxtyping import Float

from mocapella.arrays import freeze
from mocapella.editing.parameters import EditError

Places = Float[np.ndarray, "points 2"]
Track = Float[np.ndarray, "frames 2"]
Signal = Float[np.ndarray, " frames"]

_SAMPLES = 64  # between two knots, for arc length
_NOWHERE = 1e-9  # metres: a shorter step has no direction
_TOGETHER = 1e-6  # metres: nearer points are one


@dataclass(frozen=True, eq=False)
class SmoothPath:
    """The smooth path of a motion: in every frame a place, a direction and the length so far."""

    places: Track  # (x, z), metres
    directions: Signal  # radians from +z, left positive, continuous
    lengths: Signal  # metres from the first frame


def bezier(controls: Places, shares: Signal) -> tuple[Track, Track]:
    """Places and derivatives of the Bézier curve of any number of control points.

    Bernstein's weights are computed as logarithms, so that hundreds of control points do not overflow. ``controls`` are
    (x, z) in metres. The curve begins and ends exactly at the first and the last control point.
    """
    degree = len(controls) - 1
    places = _bernstein(degree, shares) @ controls
    places[shares == 0.0], places[shares == 1.0] = controls[0], controls[-1]
    if degree == 0:
        return places, np.zeros_like(places)
    return places, degree * (_bernstein(degree - 1, shares) @ np.diff(controls, axis=0))


def _bernstein(degree: int, shares: Signal) -> Float[np.ndarray, "frames points"]:
    i = np.arange(degree + 1)
    counts = scipy.special.gammaln(degree + 1) - scipy.special.gammaln(i + 1) - scipy.special.gammaln(degree - i + 1)
    t = np.clip(shares, 1e-300, 1.0)[:, None]
    rest = np.clip(1.0 - shares, 1e-300, 1.0)[:, None]
    return np.asarray(np.exp(counts + i * np.log(t) + (degree - i) * np.log(rest)))


@dataclass(frozen=True, eq=False)
class GroundCurve:
    """A cubic Hermite curve through points on the ground, with slopes from neighbouring points.

    Examples
    --------
    >>> line = GroundCurve(np.array([[0.0, 0.0], [0.0, 2.0]]), np.array([0.0, 1.0]))
    >>> line.length, line.at_length(np.array([0.5]))[0].tolist()
    (2.0, [[0.0, 0.5]])
    """

    points: Places  # (x, z), metres
    knots: Float[np.ndarray, " points"]  # increasing; where on its own scale the curve passes each

    def __post_init__(self) -> None:
        freeze(self, np.float64, "points", "knots")

    @classmethod
    def through(cls, points: Places) -> GroundCurve:
        """The curve through points in order, spaced so that unlike distances make no loops.

        Raises ``EditError`` for fewer than two points, points that coincide, or ones that are no finite numbers.
        """
        given = np.asarray(points, dtype=np.float64)
        if given.ndim != 2 or given.shape[1] != 2 or len(given) < 2 or not np.isfinite(given).all():
            raise EditError(expected="a path of two or more points (x, z)", got=f"an array of shape {given.shape}")
        steps = np.linalg.norm(np.diff(given, axis=0), axis=-1)
        if steps.min() < _TOGETHER:
            i = int(np.argmin(steps))
            raise EditError(f"points {i} and {i + 1} of the path coincide", helps="remove one of them")
        return cls(given, np.concatenate([[0.0], np.cumsum(np.sqrt(steps))]))

    def at(self, where: Signal) -> tuple[Track, Track]:
        """Places and derivatives on the curve's own scale; straight on beyond its ends."""
        knots, points = self.knots, self.points
        i = np.clip(np.searchsorted(knots, where, side="right") - 1, 0, len(knots) - 2)
        h = (knots[i + 1] - knots[i])[:, None]
        u = np.clip((where - knots[i])[:, None] / h, 0.0, 1.0)
        p, q, m, n = points[i], points[i + 1], h * self._slopes[i], h * self._slopes[i + 1]
        rise = q - p
        places = p + u * (m + u * (3.0 * rise - 2.0 * m - n + u * (m + n - 2.0 * rise)))
        speeds = (m + u * (2.0 * (3.0 * rise - 2.0 * m - n) + u * 3.0 * (m + n - 2.0 * rise))) / h
        beyond = where - np.clip(where, knots[0], knots[-1])
        return np.asarray(places + beyond[:, None] * speeds), speeds

    @property
    def length(self) -> float:
        """Metres."""
        return float(self._table[1][-1])

    def lengths(self, where: Signal) -> Signal:
        """Arc length from the start to places on the curve's own scale, metres."""
        scale, lengths = self._table
        return np.asarray(np.interp(where, scale, lengths))

    def at_length(self, lengths: Signal) -> tuple[Track, Track]:
        """Places and derivatives at arc lengths; straight on beyond the ends."""
        scale, table = self._table
        where = np.interp(lengths, table, scale)
        places, speeds = self.at(where)
        beyond = lengths - np.clip(lengths, 0.0, table[-1])
        size = np.maximum(np.linalg.norm(speeds, axis=-1), _NOWHERE)
        return np.asarray(places + (beyond / size)[:, None] * speeds), speeds

    @cached_property
    def _slopes(self) -> Places:
        """Derivatives at the knots: those of the parabolas through each three neighbours, at the ends of the chord."""
        steps = np.diff(self.knots)[:, None]
        chords = np.diff(self.points, axis=0) / steps
        if len(chords) == 1:
            return np.concatenate([chords, chords])
        inner = (steps[1:] * chords[:-1] + steps[:-1] * chords[1:]) / (steps[1:] + steps[:-1])
        return np.concatenate([chords[:1], inner, chords[-1:]])  # at the ends as the points lie: no swerve

    @cached_property
    def _table(self) -> tuple[Signal, Signal]:
        """The curve's own scale, finely, and the arc length up to there."""
        shares = np.linspace(0.0, 1.0, _SAMPLES, endpoint=False)
        scale = np.append((self.knots[:-1, None] + np.diff(self.knots)[:, None] * shares).ravel(), self.knots[-1])
        steps = np.linalg.norm(np.diff(self.at(scale)[0], axis=0), axis=-1)
        return scale, np.concatenate([[0.0], np.cumsum(steps)])


def directions(speeds: Track) -> Signal:
    """Continuous headings of velocities (x, z): radians from +z, left positive.

    Where nothing moves the heading stays as before; 0 throughout if nothing ever moves.
    """
    sizes = np.linalg.norm(speeds, axis=-1)
    moving = sizes > max(1e-3 * float(np.median(sizes)), _NOWHERE)
    frames = np.flatnonzero(moving)
    if not len(frames):
        return np.zeros(len(speeds))
    angles = np.unwrap(np.arctan2(speeds[frames, 0], speeds[frames, 1]))
    latest = np.maximum(np.searchsorted(frames, np.arange(len(speeds)), side="right") - 1, 0)
    return np.asarray(angles[latest])
