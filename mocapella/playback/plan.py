"""What a network makes of a path: the way it can walk, with the speeds it can walk it at."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from mocapella.arrays import readonly
from mocapella.playback.corners import rounded, tips
from mocapella.playback.path import Path
from mocapella.playback.turning import Turning

BRAKING = 0.6  # m/s²: how gently speeds change for a bend
_OVER = 0.5  # metres of the way over which its curvature is taken
_EVERY = 0.1  # metres between two looks at it
_TIP = 0.3  # m/s: how fast who will turn round on the spot comes there
_DIFFERENT = 0.05  # of the speed wanted: what is off by less is as asked


@dataclass(frozen=True, eq=False)
class Plan:
    """A way that can be walked, beside the path that was asked for.

    ``way`` has the path's corners rounded, and the speeds that will be gone at. ``along`` says for each of its places
    how far along the path it is, metres, ``wanted`` which speed was asked for there, m/s.
    """

    way: Path
    along: Float[np.ndarray, " places"]
    wanted: Float[np.ndarray, " places"]
    curvatures: Float[np.ndarray, " places"]  # per metre, left positive, evened out
    tips: Float[np.ndarray, " tips"]  # metres of the way after which it is turned round on the spot

    def __post_init__(self) -> None:
        for name in ("along", "wanted", "curvatures", "tips"):
            object.__setattr__(self, name, readonly(getattr(self, name), np.float64))

    @classmethod
    def of(
        cls, path: Path, turning: Turning, speed: float, radius: float | None = None, *, on_the_spot: bool = False
    ) -> Plan:
        """Plan a path at its own speeds, or ``speed`` where it says none.

        Corners are rounded by a radius, metres, or else as tightly as can be turned near the speeds wanted. Who turns
        on the spot goes to the tip of one that nearly leads back.
        """
        usual = float(np.nan_to_num(np.median(path.speeds), nan=speed))
        left, right = turning.radii(usual) if radius is None else (radius, radius)
        kept = tips(path) if on_the_spot and radius is None else np.zeros(0)
        way, along = rounded(path, left, right, kept) if radius is None or radius > 0.0 else (path, path.distances)
        ends = way.distances[np.searchsorted(along, kept)]
        wanted = np.where(np.isnan(way.speeds), speed, way.speeds)
        looks = np.union1d(np.linspace(0.0, way.length, max(2, math.ceil(way.length / _EVERY))), ends)
        bends = _curvatures(way, looks, ends)
        speeds = turning.speed_for(bends, np.interp(looks, way.distances, wanted))
        speeds[np.isin(looks, ends)] = max(_TIP, turning.speeds[0])
        planned = Path(way.places, way.distances, np.interp(way.distances, looks, _gently(speeds, looks)))
        return cls(planned, along, wanted, np.interp(way.distances, looks, bends), ends)

    def reached(self, distance: float) -> float:
        """How far along the path one is after some metres of the way."""
        return float(np.interp(distance, self.way.distances, self.along))

    def asked(self, distance: float) -> float:
        """The speed that the path asks for after some metres of the way, m/s."""
        return float(np.interp(distance, self.way.distances, self.wanted))

    def curvature(self, distance: float) -> float:
        """How the way bends after some metres, per metre, left positive."""
        return float(np.interp(distance, self.way.distances, self.curvatures))

    def leg_end(self, distance: float) -> float:
        """Where on the way the next tip is, behind some metres of it; infinitely far where there is none."""
        behind = self.tips[self.tips > distance]
        return float(behind[0]) if len(behind) else math.inf

    def doubts(self, turning: Turning) -> list[str]:
        """What of the path cannot be had, in words; nothing where all can."""
        found = []
        slowest, fastest = float(turning.speeds[0]), float(turning.speeds[-1])
        outside = np.abs(self.wanted / np.clip(self.wanted, slowest, fastest) - 1.0) > _DIFFERENT
        if outside.any():
            asked = f"{_span(self.wanted[outside])} m/s"
            has = f"{slowest:.2f} to {fastest:.2f} m/s"
            found.append(f"the path asks for {asked}; the network goes {has}, and the nearest to it is played")
        least, most = float(turning.least.min()), float(turning.most.max())
        bends = self.curvatures
        tight = np.maximum(bends / max(most, 1e-9), -bends / max(-least, 1e-9)).max()
        if tight > 1.0 / (1.0 - _DIFFERENT) and np.abs(bends).max() > 0.2:
            has = " and ".join(
                f"{1.0 / turn:.2f} m to the {side}" if turn > 0.05 else f"not at all to the {side}"
                for turn, side in ((most, "left"), (-least, "right"))
            )
            asked = f"radii down to {1.0 / np.abs(bends).max():.2f} m"
            found.append(f"the path asks for {asked}; the network turns {has}, and takes such bends as wide as it must")
        return found


def _curvatures(
    way: Path, looks: Float[np.ndarray, " looks"], ends: Float[np.ndarray, " tips"]
) -> Float[np.ndarray, " looks"]:
    """How a way bends at some places, over a stretch about each; the ends of its legs are tips, which are no bends."""
    x, z = np.diff(way.places, axis=0).T
    headings = np.unwrap(np.arctan2(x, z))
    for first in np.searchsorted(way.distances, ends).tolist():
        headings[first:] -= headings[first] - headings[first - 1]
    middles = 0.5 * (way.distances[1:] + way.distances[:-1])
    before, after = np.interp(looks - 0.5 * _OVER, middles, headings), np.interp(looks + 0.5 * _OVER, middles, headings)
    return np.asarray((after - before) / _OVER)


def _gently(speeds: Float[np.ndarray, " looks"], looks: Float[np.ndarray, " looks"]) -> Float[np.ndarray, " looks"]:
    """Speeds that are come down to, and left again, without haste."""
    squares = speeds**2
    rise = 2.0 * BRAKING * np.diff(looks)
    for i in range(1, len(squares)):
        squares[i] = min(squares[i], squares[i - 1] + rise[i - 1])
    for i in range(len(squares) - 2, -1, -1):
        squares[i] = min(squares[i], squares[i + 1] + rise[i])
    return np.asarray(np.sqrt(squares))


def _span(values: Float[np.ndarray, " values"]) -> str:
    low, high = float(values.min()), float(values.max())
    return f"{low:.2f}" if high - low < 0.005 else f"{low:.2f} to {high:.2f}"
