"""A way over the ground to be followed: a curve through places, with a speed along it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.interpolate import CubicSpline, PchipInterpolator

from mocapella.arrays import readonly
from mocapella.errors import MotionError
from mocapella.playback.easing import Coordinates, checked_point

SPACING = 0.02  # metres between the places a path is kept as
SEARCH = 2.0  # metres before and behind a known place in which the nearest one is looked for
LONGEST = 10_000.0  # metres: two hours of walking, half a million places
_APART = 1e-6  # metres: places nearer than that are one


@dataclass(frozen=True, eq=False, repr=False)
class Path:
    """Places on the ground (x, z; metres), evenly spaced, and the speed wanted at each (m/s; NaN where none is said).

    Examples
    --------
    >>> path = Path.of([(0, 0), (0, 4), (3, 4)], smooth=False)
    >>> path.length, path.at(5.0)
    (7.0, (1.0, 4.0))
    """

    places: Float[np.ndarray, "places 2"]
    distances: Float[np.ndarray, " places"]  # along the path, metres
    speeds: Float[np.ndarray, " places"]

    def __post_init__(self) -> None:
        for name in ("places", "distances", "speeds"):
            object.__setattr__(self, name, readonly(getattr(self, name), np.float64))

    @classmethod
    def of(cls, rows: Iterable[Coordinates], *, smooth: bool = True) -> Path:
        """A path through rows of places, ``(x, z)`` or ``(x, z, speed)``: a spline, or straight lines between them.

        Places that repeat the one before are left out; speeds go gently from one row's to the next.

        Raises
        ------
        MotionError
            For fewer than two different places, rows of other lengths, speeds that are not above 0, or a way of more
            than ``LONGEST`` metres, curves included.
        """
        table = [checked_point(row) for row in rows]
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
        at = _way_along(corners[:, :2])
        fine = np.unique(np.concatenate([np.linspace(0.0, at[-1], max(2, int(at[-1] / (0.25 * SPACING)))), at]))
        if smooth and len(corners) > 2:
            dense = np.asarray(CubicSpline(at, corners[:, :2])(fine))
        else:
            dense = np.stack([np.interp(fine, at, corners[:, i]) for i in (0, 1)], axis=1)
        way = _way_along(dense)
        _refuse_too_long(float(way[-1]))  # a curve through places near each other may swing out far
        distances = np.linspace(0.0, way[-1], max(2, round(way[-1] / SPACING) + 1))
        speeds = np.full(len(distances), np.nan)
        if corners.shape[1] == 3:
            corner_ways = np.interp(at, fine, way)
            speeds = np.asarray(PchipInterpolator(corner_ways, corners[:, 2])(distances))
        return cls(np.stack([np.interp(distances, way, dense[:, i]) for i in (0, 1)], axis=1), distances, speeds)

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

    def nearest(self, place: tuple[float | int, float | int], near: float | int | None = None) -> tuple[float, float]:
        """How far along the path is nearest to a place, and how far to the left of it the place lies, metres.

        With ``near``, how far along it was a moment ago, only the path thereabouts is looked at, so that paths may
        cross themselves.
        """
        low, high = 0, len(self.places)
        if near is not None:
            low, high = np.searchsorted(self.distances, (near - SEARCH, near + SEARCH))
            low, high = min(int(low), len(self.places) - 2), max(int(high), 2)
        here = np.array(place)
        steps = np.diff(self.places[low:high], axis=0)
        away = here - self.places[low : high - 1]
        lengths = np.maximum(np.einsum("ij,ij->i", steps, steps), 1e-18)
        shares = np.clip(np.einsum("ij,ij->i", away, steps) / lengths, 0.0, 1.0)
        off = away - shares[:, None] * steps
        best = int(np.argmin(np.einsum("ij,ij->i", off, off)))
        (x, z), (dx, dz) = off[best], steps[best]
        side = float(np.hypot(x, z)) * (1.0 if x * dz - z * dx >= 0.0 else -1.0)
        reached = self.distances[low + best] + shares[best] * (
            self.distances[low + best + 1] - self.distances[low + best]
        )
        return float(reached), side

    def __repr__(self) -> str:
        return f"Path({self.length:.2f} m)"


def _way_along(places: Float[np.ndarray, "places 2"]) -> Float[np.ndarray, " places"]:
    """How far it is from the first place to each of them, metres, straight from one to the next."""
    return np.concatenate([[0.0], np.cumsum(_hops(places))])


def _hops(places: Float[np.ndarray, "places 2"]) -> Float[np.ndarray, " hops"]:
    """How far it is from each place to the next, metres; infinite where no number is large enough."""
    with np.errstate(over="ignore"):
        x, z = np.diff(places, axis=0).T
        return np.asarray(np.hypot(x, z))


def _refuse_too_long(length: float) -> None:
    if not length <= LONGEST:
        raise MotionError(f"a path is at most {LONGEST:,.0f} m long, this one {length:.6g} m; walk it in parts")
