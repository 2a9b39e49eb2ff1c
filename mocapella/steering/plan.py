"""Plans of how a network walks a path: rounded corners, and the speeds it can go at."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from mocapella.arrays import readonly
from mocapella.geometry.angles import wrap
from mocapella.geometry.dubins import shortest_turns
from mocapella.steering.path import SPACING, Numbers, Path, between
from mocapella.steering.turning import Turning

_Tips = Float[np.ndarray, " tips"]
_Looks = Float[np.ndarray, " looks"]  # at places that are looked at

# Corners: rounded by arcs or loops, but for tips at which the character turns on the spot.


class _CornerSettings(NamedTuple):
    """When a bend is a corner, and when a corner becomes a loop."""

    sharp: float = math.radians(120.0)  # a sharper corner may be gone round in a loop, if an arc cuts off more of it
    slip: float = 0.3  # metres: a tip with a leg no longer than that is taken for a drawing error
    sooner: float = 0.8  # of what an arc cuts off: a loop must stay nearer than that, since it takes its time
    cuts: tuple[float, ...] = (0.2, 0.5, 0.8, 1.1, 1.4, math.sqrt(3.0))  # radii from a tip at which a loop begins, ends
    slack: float = 0.05  # metres beside a corner that are nothing: so much is cut off for a wider arc
    least_bend: float = math.radians(1.0)  # a path that bends less has no corner there


CORNERS = _CornerSettings()


def tips(path: Path) -> _Tips:
    """Metres along a path of its tips, from which it nearly leads back: places to turn on the spot."""
    corners, bends = _corners(path)
    legs = _legs(path, corners)
    sharp = (np.abs(bends) > CORNERS.sharp) & (np.minimum(legs[:-1], legs[1:]) > CORNERS.slip)
    return np.asarray(path.distances[corners[sharp]])


def rounded(path: Path, left: float, right: float, kept: _Tips | None = None) -> tuple[Path, Numbers]:
    """A path with its corners rounded.

    A corner becomes an arc, narrower where its legs are too short. One that nearly leads back, of which an arc would
    cut off much, becomes a loop about its tip.

    ``left`` and ``right`` are radii of arcs, metres; where one is infinite, corners stay. So do those at the distances
    ``kept`` along the path, metres. Returns the new path, and the distance of each of its places along the old one.
    """
    corners, bends = _corners(path)
    pieces: list[Float[np.ndarray, "places 3"]] = []  # x, z, how far along the old one
    table, done = np.column_stack([path.places, path.distances]), 0
    for corner, bend, space in zip(corners.tolist(), bends.tolist(), _room(path, corners), strict=True):
        if kept is not None and path.distances[corner] in kept:
            continue
        radius = left if bend > 0.0 else right
        piece = _piece(path, float(path.distances[corner]), bend, radius, max(left, right), float(space))
        if piece is not None:
            low, high = np.searchsorted(path.distances, (piece[0, 2], piece[-1, 2])).tolist()
            pieces += [table[done:low], piece]
            done = max(high, corner + 1)
    return _joined(np.concatenate([*pieces, table[done:]]), path)


def _corners(path: Path) -> tuple[Int[np.ndarray, " corners"], Float[np.ndarray, " corners"]]:
    """Which places are corners, and by how much the path bends there, radians, left positive."""
    x, z = np.diff(path.places, axis=0).T
    bends = wrap(np.diff(np.arctan2(x, z)))
    corners = np.flatnonzero(np.abs(bends) > CORNERS.least_bend)
    return corners + 1, bends[corners]


def _room(path: Path, corners: Int[np.ndarray, " corners"]) -> Float[np.ndarray, " corners"]:
    """How much of a path each corner may take, before and behind it: a leg between two is shared by them."""
    legs = _legs(path, corners)
    legs[1:-1] *= 0.5
    return np.asarray(np.minimum(legs[:-1], legs[1:]))


def _legs(path: Path, corners: Int[np.ndarray, " corners"]) -> Float[np.ndarray, " legs"]:
    """How long the legs are, from the beginning to the first corner, between corners and to the end, metres."""
    return np.asarray(np.diff(np.concatenate([path.distances[:1], path.distances[corners], path.distances[-1:]])))


def _piece(
    path: Path, here: float, bend: float, radius: float, loop: float, room: float
) -> Float[np.ndarray, "places 3"] | None:
    """The arc or loop that replaces a corner, from as far before it as behind it; None where it stays.

    ``radius`` is that of its arc, ``loop`` that of a loop, which turns both ways.
    """
    if not math.isfinite(radius) or room < SPACING:
        return None
    angle = abs(bend)
    cut = max(radius * math.tan(0.5 * angle), CORNERS.slack / math.tan(0.25 * angle))
    if angle > CORNERS.sharp and 0.5 * loop < room < math.inf:
        least, nearest = CORNERS.sooner * cut * math.tan(0.25 * angle) if cut <= room else math.inf, None
        for before in sorted({min(share * loop, room) for share in CORNERS.cuts}):
            places = _loop(path, here, bend, loop, before)
            off = _furthest(places, path, here, room)
            if off < least:
                least, nearest = off, (places, before)
        if nearest is not None:
            return _with_distances(nearest[0], here, nearest[1])
    cut = min(cut, room)
    return _with_distances(_arc(path, here, bend, cut), here, cut)


def _arc(path: Path, here: float, bend: float, cut: float) -> Float[np.ndarray, "places 2"]:
    """A corner cut off by an arc that touches both legs so far from it."""
    angle, side = abs(bend), math.copysign(1.0, bend)
    radius = cut / math.tan(0.5 * angle)
    turned = side * np.linspace(0.0, angle, max(3, math.ceil(radius * angle / SPACING) + 1))
    x, z = path.at(here - cut)
    heading = path.heading(here)  # of the leg that ends there
    arc = complex(z, x) + side * radius * 1j * np.exp(1j * heading) * (1.0 - np.exp(1j * turned))
    return np.stack([arc.imag, arc.real], axis=1)


def _loop(path: Path, here: float, bend: float, radius: float, cut: float) -> Float[np.ndarray, "places 2"]:
    """The shortest way from one leg of a corner to the other, from so far before it to so far behind it."""
    heading = path.heading(here)
    start, end = (*path.at(here - cut), heading), (*path.at(here + cut), heading + bend)
    return shortest_turns(start, end, radius, spacing=SPACING)


def _furthest(places: Float[np.ndarray, "places 2"], path: Path, here: float, room: float) -> float:
    """How far from the legs of a corner the furthest of some places lies, metres."""
    tip = complex(*path.at(here)[::-1])
    away = places[:, 1] + 1j * places[:, 0] - tip
    legs = (complex(*path.at(here + side * room)[::-1]) - tip for side in (-1.0, 1.0))
    offs = [np.abs(away - leg * np.clip((away / leg).real, 0.0, 1.0)) for leg in legs]
    return float(np.minimum(*offs).max())


def _with_distances(places: Float[np.ndarray, "places 2"], here: float, cut: float) -> Float[np.ndarray, "places 3"]:
    return np.column_stack([places, np.linspace(here - cut, here + cut, len(places))])


def _joined(table: Float[np.ndarray, "rows 3"], path: Path) -> tuple[Path, Numbers]:
    hops = np.hypot(*np.diff(table[:, :2], axis=0).T)
    if not (hops > 1e-9).any():  # there and back, all of it cut off
        return path, path.distances
    table = table[np.concatenate([[True], hops > 1e-9])]
    distances = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(table[:, :2], axis=0).T))])
    return Path(table[:, :2], distances, np.interp(table[:, 2], path.distances, path.speeds)), table[:, 2]


# Speeds: as wanted, or as bends and tips allow.


class _PaceSettings(NamedTuple):
    """How speeds along a way are planned."""

    braking: float = 0.6  # m/s²: how gently speeds change for a bend
    stretch: float = 0.5  # metres of the way over which its curvature is taken
    spacing: float = 0.1  # metres between two places at which it is taken
    at_tip: float = 0.3  # m/s, at a tip, where the character turns on the spot
    different: float = 0.05  # of the speed wanted: a speed that is off by less is as asked


PACE = _PaceSettings()


@dataclass(frozen=True, eq=False)
class Plan:
    """A way that can be walked, beside the path that was asked for."""

    way: Path  # with corners rounded, and the speeds that will be gone at
    along: Numbers  # how far along the path each place of the way is, metres
    wanted: Numbers  # the speed that was asked for there, m/s
    curvatures: Numbers  # per metre, left positive, evened out
    tips: _Tips  # metres of the way after which it is turned round on the spot

    def __post_init__(self) -> None:
        for name in ("along", "wanted", "curvatures", "tips"):
            object.__setattr__(self, name, readonly(getattr(self, name), np.float64))

    @classmethod
    def of(
        cls, path: Path, turning: Turning, speed: float, radius: float | None = None, *, on_the_spot: bool = False
    ) -> Plan:
        """Plan a path.

        ``speed``, m/s, applies where the path has none. Corners are rounded by ``radius``, metres; if None, as tightly
        as can be turned near the speeds wanted. With ``on_the_spot``, the way goes to the tips of corners that nearly
        lead back, to turn on the spot there.
        """
        usual = float(np.nan_to_num(np.median(path.speeds), nan=speed))
        left, right = turning.radii(usual) if radius is None else (radius, radius)
        turned_at = tips(path) if on_the_spot and radius is None else np.zeros(0)
        rounds = radius is None or radius > 0.0
        way, along = rounded(path, left, right, turned_at) if rounds else (path, path.distances)
        ends = way.distances[np.searchsorted(along, turned_at)]
        wanted = np.where(np.isnan(way.speeds), speed, way.speeds)
        looks = np.union1d(np.linspace(0.0, way.length, max(2, math.ceil(way.length / PACE.spacing))), ends)
        bends = _curvatures(way, looks, ends)
        speeds = turning.speed_for(bends, np.interp(looks, way.distances, wanted))
        speeds[np.isin(looks, ends)] = max(PACE.at_tip, turning.speeds[0])
        planned = Path(way.places, way.distances, np.interp(way.distances, looks, _gently(speeds, looks)))
        return cls(planned, along, wanted, np.interp(way.distances, looks, bends), ends)

    def reached(self, distance: float) -> float:
        """How far along the path one is after some metres of the way."""
        return between(distance, self._lists[0], self._lists[1])

    def asked(self, distance: float) -> float:
        """The speed that the path asks for after some metres of the way, m/s."""
        return between(distance, self._lists[0], self._lists[2])

    def curvature(self, distance: float) -> float:
        """How the way bends after some metres, per metre, left positive."""
        return between(distance, self._lists[0], self._lists[3])

    def leg_end(self, distance: float) -> float:
        """Where on the way the next tip is, behind some metres of it; infinitely far where there is none."""
        tips = self._lists[4]
        number = bisect_right(tips, distance)
        return tips[number] if number < len(tips) else math.inf

    @cached_property
    def _lists(self) -> tuple[list[float], ...]:
        """The columns of the way and its tips as plain lists, since a guide reads some at every step."""
        arrays = self.way.distances, self.along, self.wanted, self.curvatures, self.tips
        return tuple(array.tolist() for array in arrays)

    def doubts(self, turning: Turning) -> list[str]:
        """What the network cannot do of the path, one sentence each."""
        doubts = []
        slowest, fastest = float(turning.speeds[0]), float(turning.speeds[-1])
        outside = np.abs(self.wanted / np.clip(self.wanted, slowest, fastest) - 1.0) > PACE.different
        if outside.any():
            asked, has = f"{_span(self.wanted[outside])} m/s", f"{slowest:.2f} to {fastest:.2f} m/s"
            doubts.append(f"the path asks for {asked}; the network goes {has}, and the nearest to it is played")
        least, most = float(turning.least.min()), float(turning.most.max())
        bends = self.curvatures
        tight = np.maximum(bends / max(most, 1e-9), -bends / max(-least, 1e-9)).max()
        if tight > 1.0 / (1.0 - PACE.different) and np.abs(bends).max() > 0.2:
            has = " and ".join(
                f"{1.0 / turn:.2f} m to the {side}" if turn > 0.05 else f"not at all to the {side}"
                for turn, side in ((most, "left"), (-least, "right"))
            )
            asked = f"the path asks for radii down to {1.0 / np.abs(bends).max():.2f} m"
            doubts.append(f"{asked}; the network turns {has}, and takes such bends as wide as it must")
        return doubts


def _curvatures(way: Path, looks: _Looks, ends: _Tips) -> _Looks:
    """How a way bends at some places, over a stretch about each, per metre; tips, the ends of legs, do not count."""
    x, z = np.diff(way.places, axis=0).T
    headings = np.unwrap(np.arctan2(x, z))
    for first in np.searchsorted(way.distances, ends).tolist():
        headings[first:] -= headings[first] - headings[first - 1]
    middles = 0.5 * (way.distances[1:] + way.distances[:-1])
    before, after = (np.interp(looks + side * PACE.stretch, middles, headings) for side in (-0.5, 0.5))
    return np.asarray((after - before) / PACE.stretch)


def _gently(speeds: _Looks, looks: _Looks) -> _Looks:
    """Speeds with limited acceleration before and after each place."""
    squares = speeds**2
    rise = 2.0 * PACE.braking * np.diff(looks)
    for i in range(1, len(squares)):
        squares[i] = min(squares[i], squares[i - 1] + rise[i - 1])
    for i in range(len(squares) - 2, -1, -1):
        squares[i] = min(squares[i], squares[i + 1] + rise[i])
    return np.asarray(np.sqrt(squares))


def _span(values: Float[np.ndarray, " values"]) -> str:
    low, high = float(values.min()), float(values.max())
    return f"{low:.2f}" if high - low < 0.005 else f"{low:.2f} to {high:.2f}"
