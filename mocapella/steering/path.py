"""Paths over the ground to be followed: a curve through places, with a speed along it."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from jaxtyping import Float

from mocapella.arrays import readonly
from mocapella.checks import finite_numbers
from mocapella.errors import MotionError
from mocapella.playback.pointer import Coordinates

SPACING = 0.02  # metres between the places a path is kept as
SLOWEST = 1e-3  # m/s: slower is no walk
_SEARCH = 2.0  # metres before and behind a known place in which the nearest one is looked for
Numbers = Float[np.ndarray, " places"]  # one for each place of a path
_Corners = Float[np.ndarray, "corners 2"]
_LONGEST = 10_000.0  # metres: two hours of walking, half a million places
Ground = tuple[float | int, float | int]  # x and z, metres
_APART = 1e-6  # metres: places nearer than that are one


@dataclass(frozen=True, eq=False, repr=False)
class Path:
    """Places on the ground (x, z; metres), 2 cm apart or less, corners among them, and the speed wanted at each.

    Examples
    --------
    >>> path = Path.of([(0, 0), (0, 4), (3, 4)])
    >>> path.length, path.at(5.0)
    (7.0, (1.0, 4.0))
    """

    places: Float[np.ndarray, "places 2"]
    distances: Float[np.ndarray, " places"]  # along the path, metres
    speeds: Float[np.ndarray, " places"]  # m/s, NaN where none is said

    def __post_init__(self) -> None:
        for name in ("places", "distances", "speeds"):
            object.__setattr__(self, name, readonly(getattr(self, name), np.float64))

    @classmethod
    def of(cls, rows: Iterable[Coordinates]) -> Path:
        """Straight lines through rows of places, ``(x, z)`` or ``(x, z, speed)``.

        Places that repeat the one before are left out; speeds go gently from one row's to the next. A follower rounds
        the corners as it must.

        Parameters
        ----------
        rows
            Metres, and m/s; all with a speed, or none.

        Returns
        -------
        Path
            With its corners.

        Raises
        ------
        MotionError
            For fewer than two different places, rows of other lengths, speeds below 1 mm/s, or a way of more
            than 10 km.
        """
        corners = _checked_rows(rows)
        at = _way_along(corners[:, :2])
        distances = np.unique(np.concatenate([np.linspace(0.0, at[-1], math.ceil(at[-1] / SPACING) + 1), at]))
        return cls(_between(distances, at, corners[:, :2]), distances, _speeds(distances, at, corners))

    @classmethod
    def smooth(cls, rows: Iterable[Coordinates]) -> Path:
        """A smooth curve through such rows: each piece leans on the four nearest places, and swings out little.

        It is Catmull's and Rom's spline with centripetal parameters, which makes no loops between places that lie
        close together beside others that lie far apart. Where the last row is the first, it closes smoothly.

        Parameters
        ----------
        rows
            As for ``of``.

        Returns
        -------
        Path
            Without corners.

        Raises
        ------
        MotionError
            As ``of``; the curve counts for the length.
        """
        corners = _checked_rows(rows)
        if len(corners) == 2:
            return cls.of(corners)
        knots, slopes = _centripetal(corners[:, :2])
        curve = scipy.interpolate.CubicHermiteSpline(knots, corners[:, :2], slopes)
        counts = np.ceil(4.0 * _hops(corners[:, :2]) / SPACING).astype(int) + 1
        shares = np.concatenate([np.arange(count) / count for count in counts.tolist()])
        pieces = np.repeat(np.arange(len(counts)), counts)
        fine = np.append(knots[pieces] + shares * np.diff(knots)[pieces], knots[-1])
        dense = np.asarray(curve(fine))
        way = _way_along(dense)
        _refuse_too_long(float(way[-1]))  # a curve may swing out far
        at = way[np.append(np.concatenate([[0], np.cumsum(counts)[:-1]]), len(way) - 1)]
        distances = np.linspace(0.0, way[-1], max(2, math.ceil(way[-1] / SPACING) + 1))
        return cls(_between(distances, way, dense), distances, _speeds(distances, at, corners))

    @property
    def length(self) -> float:
        """How long the path is, metres."""
        return float(self.distances[-1])

    def at(self, distance: float | int) -> tuple[float, float]:
        """The place (x, z) after some metres; beyond the end the path runs straight on."""
        distances, xs, zs, _ = self._lists
        x, z = between(distance, distances, xs), between(distance, distances, zs)
        beyond = max(0.0, distance - distances[-1])
        if beyond > 0.0:
            heading = self.heading(distances[-1])
            x, z = x + beyond * math.sin(heading), z + beyond * math.cos(heading)
        return x, z

    def heading(self, distance: float | int) -> float:
        """Which way the path leads after some metres, radians, 0 towards +z, left positive."""
        distances, xs, zs, _ = self._lists
        i = min(max(bisect_left(distances, distance), 1), len(distances) - 1)
        return math.atan2(xs[i] - xs[i - 1], zs[i] - zs[i - 1])

    def speed(self, distance: float | int) -> float | None:
        """The speed wanted after some metres, where the path says one."""
        speed = between(distance, self._lists[0], self._lists[3])
        return None if math.isnan(speed) else speed

    @cached_property
    def _lists(self) -> tuple[list[float], ...]:
        """Distances, x and z of the places, and speeds as plain lists, since a guide reads some at every step."""
        return tuple(array.tolist() for array in (self.distances, *self.places.T, self.speeds))

    def nearest(
        self,
        place: Ground,
        near: float | int | None = None,
        *,
        back: float | int = _SEARCH,
        ahead: float | int = _SEARCH,
    ) -> tuple[float, float]:
        """The place of the path that is nearest to a place.

        Parameters
        ----------
        place
            On the ground (x, z), metres.
        near
            How far along the path it was a moment ago, metres: only the path thereabouts is looked at, so that paths
            may cross themselves. None looks at all of it.
        back, ahead
            How much of the path before and behind that is looked at, metres.

        Returns
        -------
        tuple[float, float]
            How far along the path, and how far to the left of it the place lies, metres.
        """
        distances, xs, zs, _ = self._lists
        last = len(xs) - 2  # the last piece between two places
        low, high = 0, last
        if near is None:
            start = min(int(np.argmin(np.hypot(*(self.places - place).T))), last)
        else:
            low = max(0, min(bisect_left(distances, near - back) - 1, last))
            high = min(max(bisect_left(distances, near + ahead), low + 1), last + 1) - 1
            start = min(max(bisect_left(distances, near) - 1, low), high)
        x, z = place
        best, nearest_piece, share = math.inf, low, 0.0
        # From the start on to both sides. Along the path nothing comes nearer than it is by more than what was gone.
        for first, onward in ((start, 1), (start - 1, -1)):
            i = first
            while low <= i <= high:
                dx, dz = xs[i + 1] - xs[i], zs[i + 1] - zs[i]
                off_x, off_z = x - xs[i], z - zs[i]
                along = (off_x * dx + off_z * dz) / (dx * dx + dz * dz or 1e-18)
                along = 0.0 if along < 0.0 else 1.0 if along > 1.0 else along
                apart = math.hypot(off_x - along * dx, off_z - along * dz)
                if apart < best or (apart == best and i < nearest_piece):
                    best, nearest_piece, share = apart, i, along
                if apart - best <= SPACING:
                    i += onward
                elif onward > 0:
                    i = max(i + 1, bisect_right(distances, distances[i + 1] + apart - best, i + 1) - 1)
                else:
                    i = min(i - 1, bisect_left(distances, distances[i] - (apart - best), 0, i))
        dx, dz = xs[nearest_piece + 1] - xs[nearest_piece], zs[nearest_piece + 1] - zs[nearest_piece]
        off_x, off_z = x - xs[nearest_piece] - share * dx, z - zs[nearest_piece] - share * dz
        side = best if off_x * dz - off_z * dx >= 0.0 else -best
        return distances[nearest_piece] + share * (distances[nearest_piece + 1] - distances[nearest_piece]), side

    def __repr__(self) -> str:
        return f"Path({self.length:.2f} m)"


def between(x: float | int, xs: Sequence[float], values: Sequence[float]) -> float:
    """Linear interpolation as by ``np.interp``, with rising ``xs``; for one number it takes a tenth of the time."""
    i = bisect_right(xs, x) - 1
    if i < 0:
        return values[0]
    if i >= len(xs) - 1:
        return values[-1]
    if x == xs[i]:
        return values[i]
    return (values[i + 1] - values[i]) / (xs[i + 1] - xs[i]) * (x - xs[i]) + values[i]


def _checked_rows(rows: Iterable[Coordinates]) -> Float[np.ndarray, "rows columns"]:
    """Rows as a table, without those that repeat the place before."""
    words = "a path is rows of x and z in metres, perhaps with a speed, all of them finite"
    if isinstance(rows, str | bytes) or not isinstance(rows, Iterable):
        raise MotionError(f"{words}; got {rows!r}")
    table = [finite_numbers(row, words) for row in rows]
    if not table or len({len(row) for row in table}) != 1 or len(table[0]) not in (2, 3):
        raise MotionError("a path is rows of x and z, all of them with a speed or none")
    corners = np.array(table)
    if corners.shape[1] == 3 and not (corners[:, 2] >= SLOWEST).all():
        raise MotionError(f"expected speeds of {SLOWEST:g} m/s or more along a path, got {corners[:, 2].min():g}")
    hops = _hops(corners[:, :2])
    _refuse_too_long(float(hops.sum()))
    corners = corners[np.concatenate([[True], hops > _APART])]
    if len(corners) < 2:
        raise MotionError(f"a path leads from one place to another, got {len(corners)} place")
    return np.asarray(corners)


def checked_place(place: object) -> tuple[float, float]:
    """A place on the ground as floats. ``place`` is x and z, metres."""
    words = "a place on the ground is x and z in metres, finite numbers"
    coordinates = finite_numbers(place, words)
    if len(coordinates) != 2:
        raise MotionError(f"{words}; got {place!r}")
    return coordinates[0], coordinates[1]


def _centripetal(corners: _Corners) -> tuple[Float[np.ndarray, " corners"], _Corners]:
    """Where a spline's parameter is at the places, the roots of the hops added up, and its slopes there.

    A slope is that of the parabola through a place and its two neighbours.
    """
    hops = np.sqrt(_hops(corners))
    knots = np.concatenate([[0.0], np.cumsum(hops)])
    chords = np.diff(corners, axis=0) / hops[:, None]
    share = (hops[:-1] / (hops[:-1] + hops[1:]))[:, None]
    inner = (1.0 - share) * chords[:-1] + share * chords[1:]
    first, last = 2.0 * chords[0] - inner[0], 2.0 * chords[-1] - inner[-1]
    if _hops(corners[[0, -1]])[0] <= _APART:
        share = hops[-1] / (hops[-1] + hops[0])
        first = last = (1.0 - share) * chords[-1] + share * chords[0]
    return knots, np.asarray(np.concatenate([[first], inner, [last]]))


def _between(distances: Numbers, at: Float[np.ndarray, " corners"], corners: _Corners) -> Float[np.ndarray, "places 2"]:
    return np.stack([np.interp(distances, at, corners[:, i]) for i in (0, 1)], axis=1)


def _speeds(distances: Numbers, at: Float[np.ndarray, " rows"], rows: Float[np.ndarray, "rows columns"]) -> Numbers:
    """The rows' speeds, gently from one to the next."""
    if rows.shape[1] == 2:
        return np.full(len(distances), np.nan)
    return np.asarray(scipy.interpolate.PchipInterpolator(at, rows[:, 2])(distances))


def _way_along(places: Float[np.ndarray, "places 2"]) -> Numbers:
    """How far it is from the first place to each of them, metres, straight from one to the next."""
    return np.concatenate([[0.0], np.cumsum(_hops(places))])


def _hops(places: Float[np.ndarray, "places 2"]) -> Float[np.ndarray, " hops"]:
    """How far it is from each place to the next, metres; infinite where no number is large enough."""
    with np.errstate(over="ignore"):
        x, z = np.diff(places, axis=0).T
        return np.asarray(np.hypot(x, z))


def _refuse_too_long(length: float) -> None:
    if not length <= _LONGEST:
        raise MotionError(f"a path is at most {_LONGEST:,.0f} m long, this one {length:.6g} m; walk it in parts")
