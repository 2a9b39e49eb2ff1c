"""Paths over the ground to be followed: a curve through places, with a speed along it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import scipy
from jaxtyping import Float

from mocapella.arrays import readonly
from mocapella.checks import finite_numbers
from mocapella.errors import MotionError
from mocapella.playback.pointer import Coordinates

SPACING = 0.02  # metres between the places a path is kept as
_SEARCH = 2.0  # metres before and behind a known place in which the nearest one is looked for
_LONGEST = 10_000.0  # metres: two hours of walking, half a million places
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
            For fewer than two different places, rows of other lengths, speeds that are not above 0, or a way of more
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
        beyond = max(0.0, distance - self.length)
        x, z = (float(np.interp(distance, self.distances, self.places[:, i])) for i in (0, 1))
        if beyond > 0.0:
            heading = self.heading(self.length)
            x, z = x + beyond * float(np.sin(heading)), z + beyond * float(np.cos(heading))
        return x, z

    def heading(self, distance: float | int) -> float:
        """Which way the path leads after some metres, radians, 0 towards +z, left positive."""
        i = int(np.clip(np.searchsorted(self.distances, distance), 1, len(self.distances) - 1))
        x, z = self.places[i] - self.places[i - 1]
        return float(np.arctan2(x, z))

    def speed(self, distance: float | int) -> float | None:
        """The speed wanted after some metres, where the path says one."""
        speed = float(np.interp(distance, self.distances, self.speeds))
        return None if np.isnan(speed) else speed

    def nearest(
        self,
        place: tuple[float | int, float | int],
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
        low, high = 0, len(self.places)
        if near is not None:
            low, high = np.searchsorted(self.distances, (near - back, near + ahead)).tolist()
            low = max(0, min(low - 1, len(self.places) - 2))
            high = min(max(high + 1, low + 2), len(self.places))
        here = np.array(place)
        steps = np.diff(self.places[low:high], axis=0)
        away = here - self.places[low : high - 1]
        lengths = np.maximum(np.einsum("ij,ij->i", steps, steps), 1e-18)
        shares = np.clip(np.einsum("ij,ij->i", away, steps) / lengths, 0.0, 1.0)
        off = away - shares[:, None] * steps
        best = int(np.argmin(np.einsum("ij,ij->i", off, off)))
        (x, z), (dx, dz) = off[best], steps[best]
        side = float(np.hypot(x, z)) * (1.0 if x * dz - z * dx >= 0.0 else -1.0)
        before, after = self.distances[low + best : low + best + 2]
        return float(before + shares[best] * (after - before)), side

    def __repr__(self) -> str:
        return f"Path({self.length:.2f} m)"


def _checked_rows(rows: Iterable[Coordinates]) -> Float[np.ndarray, "rows columns"]:
    """Rows as a table, without those that repeat the place before."""
    words = "a path is rows of x and z in metres, perhaps with a speed, all of them finite"
    if isinstance(rows, str | bytes) or not isinstance(rows, Iterable):
        raise MotionError(f"{words}; got {rows!r}")
    table = [finite_numbers(row, words) for row in rows]
    if not table or len({len(row) for row in table}) != 1 or len(table[0]) not in (2, 3):
        raise MotionError("a path is rows of x and z, all of them with a speed or none")
    corners = np.array(table)
    if corners.shape[1] == 3 and (corners[:, 2] <= 0.0).any():
        raise MotionError(f"expected speeds above 0 along a path, got {corners[:, 2].min():g}")
    hops = _hops(corners[:, :2])
    _refuse_too_long(float(hops.sum()))
    corners = corners[np.concatenate([[True], hops > _APART])]
    if len(corners) < 2:
        raise MotionError(f"a path leads from one place to another, got {len(corners)} place")
    return np.asarray(corners)


def checked_place(place: object) -> tuple[float, float]:
    """A place on the ground as floats.

    Parameters
    ----------
    place
        x and z, metres.

    Returns
    -------
    tuple[float, float]
        The same.

    Raises
    ------
    MotionError
        For anything but two finite numbers.
    """
    words = "a place on the ground is x and z in metres, finite numbers"
    found = finite_numbers(place, words)
    if len(found) != 2:
        raise MotionError(f"{words}; got {place!r}")
    return found[0], found[1]


def _centripetal(
    corners: Float[np.ndarray, "rows 2"],
) -> tuple[Float[np.ndarray, " rows"], Float[np.ndarray, "rows 2"]]:
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


def _between(
    distances: Float[np.ndarray, " places"], at: Float[np.ndarray, " corners"], corners: Float[np.ndarray, "corners 2"]
) -> Float[np.ndarray, "places 2"]:
    return np.stack([np.interp(distances, at, corners[:, i]) for i in (0, 1)], axis=1)


def _speeds(
    distances: Float[np.ndarray, " places"], at: Float[np.ndarray, " rows"], rows: Float[np.ndarray, "rows columns"]
) -> Float[np.ndarray, " places"]:
    """The rows' speeds, gently from one to the next."""
    if rows.shape[1] == 2:
        return np.full(len(distances), np.nan)
    return np.asarray(scipy.interpolate.PchipInterpolator(at, rows[:, 2])(distances))


def _way_along(places: Float[np.ndarray, "places 2"]) -> Float[np.ndarray, " places"]:
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
