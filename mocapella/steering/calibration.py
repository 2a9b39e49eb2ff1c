"""Turn rates and speeds measured over a network, and the blending point for a request."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from mocapella.blending.bank import spectra_given
from mocapella.blending.network import Network
from mocapella.blending.places import Node, Place
from mocapella.checks import (
    NETWORK,
    real_or_nan,
    refuse_no_whole,
    refuse_other,
    shown,
)
from mocapella.errors import NetworkError
from mocapella.gait.root_motion import played_rates
from mocapella.geometry.mesh import Mesh
from mocapella.geometry.simplices import flatness
from mocapella.motion.spectrum import Spectrum
from mocapella.motion.travel import STANDING, go_one_way, straight
from mocapella.playback.native.blends import NativeRates

Measure = Callable[[Spectrum], tuple[float, float]]  # turn rate, rad/s, left positive, and speed, m/s

_CORRECTIONS = 8  # at most, of a point by what its blend was measured at; where rates blend evenly one is enough
_EXACT = 1e-6  # of the range of rates: an answer this near needs no correction
_TOLERANCE = 0.01  # of the range of rates; the sway of stepping on the spot, mm/s, counts as standing still
_LINE_TOLERANCE = 1e-3  # of the range of rates, along a line
_MEASURE = "a function that measures turn rate and speed of a spectrum"
_FLAT = 1e-6  # of the range of rates: triangles thinner than this give no direction to go
_LEAST_RANGE = math.radians(60.0), 0.5  # rad/s and m/s: less is the chance of captures, no range to steer in


def rates(spectrum: Spectrum) -> tuple[float, float]:
    """The mean turn rate (rad/s, left positive) and the mean speed (m/s) of a motion, as its root was captured."""
    return spectrum.turn / spectrum.duration, spectrum.speed


def calibrated(spectra: Mapping[str, Spectrum], *, measure: Measure = rates) -> Network:
    """A network whose nodes lie at their measured (turn rate, speed); its triangles cover all possible requests.

    Parameters
    ----------
    spectra
        Motions by the names that the nodes are to have.
    measure
        The function that measures turn rate (rad/s) and speed (m/s) of a motion.

    Returns
    -------
    Network
        With Delaunay's triangles.
    """
    refuse_other(spectra, Mapping, "spectra by the names of their nodes, such as {'slow': slow, 'fast': fast}")
    spectra_given(spectra.values())
    refuse_other(measure, Callable, _MEASURE)
    return Network([Node(name, measure(spectrum), spectrum) for name, spectrum in spectra.items()])


@dataclass(frozen=True)
class Answer:
    """A blending point for requested rates, and what its blend does."""

    point: tuple[float, ...]
    turn_rate: float  # rad/s, left positive
    speed: float  # m/s
    feasible: bool  # whether the network meets the request; if not, this is the nearest answer


class _Samples(NamedTuple):
    """Points all over a network, the rates measured there, and the small triangles or segments between them."""

    points: Float[np.ndarray, "samples axes"]
    rates: Float[np.ndarray, "samples 2"]
    corners: Int[np.ndarray, "parts corners"]


@dataclass(frozen=True, eq=False)
class Calibration:
    """Turn rates and speeds measured all over a network, and the way back from a request to a blending point.

    Triangles can meet both. A chain, a single node, and triangles of motions that all go straight have one degree of
    freedom where requests name two: a chain from left to right meets turn rates, with the blend of the nearest speed
    where several have that turn rate; straight motions meet speeds, along the line through the network that usually
    goes with a speed, such as the usual stride. Where straight motions go in different directions, those ahead are
    used.

    Parameters
    ----------
    network
        Its nodes may lie anywhere in the plane.
    measure
        The function that measures turn rate (rad/s) and speed (m/s) of a blend, such as
        ``mocapella.gait.root_motion.played_rates``, which goes by the feet.
    steps
        Into how many parts the edges of triangles are cut for measuring; those of a chain into twice as many.

    Raises
    ------
    NetworkError
        For a network of tetrahedra, or one whose blends all have the same turn rate and speed.
    """

    network: Network
    measure: Measure = rates
    steps: int = 4

    def __post_init__(self) -> None:
        refuse_other(self.network, Network, NETWORK)
        refuse_other(self.measure, Callable, _MEASURE)
        refuse_no_whole(self.steps, "edges cut into a whole number of parts from 1 on")
        if self.network.corners.shape[1] > 3:
            raise NetworkError("turn rate and speed are two things: a calibration needs a network in the plane")
        if self.network.corners.shape[1] == 3 and self._alike:
            raise NetworkError("all blends of this network turn and go alike, or in step; there is nothing to ask for")

    @cached_property
    def along_line(self) -> bool:
        """Whether there is one degree of freedom: no triangles, or motions that all go straight."""
        network = self.network
        if network.corners.shape[1] < 3:
            return True
        return network.n_axes == 2 and all(straight(node.spectrum) for node in network.nodes)

    @property
    def _alike(self) -> bool:
        """Whether the rates of all blends of triangles coincide or lie on one line."""
        if self.along_line:
            return len({self.measure(node.spectrum)[1] for node in self.network.nodes}) == 1
        return self._image.corners.size == 0

    def request(self, turn_rate: float, speed: float) -> Answer:
        """The point whose blend has the requested turn rate and speed, or else the turn rate at the nearest speed.

        Where no blend has the turn rate, it is the sharpest turn to that side. Straight motions have the requested or
        the nearest speed.

        Parameters
        ----------
        turn_rate
            rad/s, left positive.
        speed
            m/s.

        Returns
        -------
        Answer
            The point, the rates of its blend, and whether they meet the request.

        Raises
        ------
        NetworkError
            For a turn rate or speed that is no finite number.
        """
        given = real_or_nan(turn_rate), real_or_nan(speed)
        if not all(map(math.isfinite, given)):
            raise NetworkError(f"expected a finite turn rate and speed, got {shown(turn_rate)} and {shown(speed)}")
        wanted = np.array(given)
        return self._on_line(wanted) if self.along_line else self._in_plane(wanted)

    @property
    def turns(self) -> tuple[float, float]:
        """The sharpest turn to the right and to the left that any of its blends makes, rad/s, left positive."""
        return self._range(0)

    @property
    def speeds(self) -> tuple[float, float]:
        """The slowest and the fastest that any of its blends goes, m/s."""
        return self._range(1)

    def turns_at(self, speed: float) -> tuple[float, float] | None:
        """The sharpest turn to the right and to the left among blends of one speed, rad/s; None where none has it."""
        _, met = _crossings(self._samples.rates[self._edges], 1, speed)
        return (float(met.min()), float(met.max())) if len(met) else None

    def _range(self, axis: int) -> tuple[float, float]:
        measured = self._samples.rates[:, axis]
        return float(measured.min()), float(measured.max())

    def _in_plane(self, wanted: Float[np.ndarray, 2]) -> Answer:
        """The answer of triangles: found among the samples, and corrected by what its blend is measured at."""
        goal = wanted / self._scale
        triangle_weights = self._image.find(goal.tolist())
        feasible = triangle_weights is not None
        if triangle_weights is None:
            triangle, goal = self._nearest_in_plane(goal)
            triangle_weights = triangle, self._image.weights(triangle, goal.tolist())
        triangle, weights = triangle_weights
        places = self._samples.points[self._image.corners[triangle]]
        (xx, xy), (yx, yy) = self._slopes(triangle)
        scale_turn, scale_speed = self._scale.tolist()
        goal_turn, goal_speed = goal.tolist()
        # All in plain numbers: guides call this some ten times a second.
        point = tuple((np.array(weights) @ places).tolist())
        best, best_off, best_rates = point, math.inf, (math.nan, math.nan)
        for _ in range(_CORRECTIONS):
            place = self.network.place(point)
            turn_rate, speed = self._measured(place)
            off_turn, off_speed = goal_turn - turn_rate / scale_turn, goal_speed - speed / scale_speed
            off = math.hypot(off_turn, off_speed)
            if off < best_off:
                best, best_off, best_rates = place.point, off, (turn_rate, speed)
            if off < _EXACT:
                break
            x, y = place.point
            point = x + off_turn * xx + off_speed * yx, y + off_turn * xy + off_speed * yy
        turn_rate, speed = best_rates
        missed = max(abs(wanted[0] - turn_rate) / scale_turn, abs(wanted[1] - speed) / scale_speed)
        return Answer(best, turn_rate, speed, feasible or bool(missed < _TOLERANCE))

    def _slopes(self, triangle: int) -> tuple[tuple[float, float], tuple[float, float]]:
        """How far a blending point of a small triangle goes for its turn rate, and for its speed, in their scale."""
        slopes = self._known_slopes.get(triangle)
        if slopes is None:
            corners = self._image.corners[triangle]
            rates, places = (np.diff(all_of[corners], axis=0) for all_of in (self._image.points, self._samples.points))
            turn, speed = np.linalg.solve(rates, places).tolist()
            slopes = self._known_slopes[triangle] = (turn[0], turn[1]), (speed[0], speed[1])
        return slopes

    @cached_property
    def _known_slopes(self) -> dict[int, tuple[tuple[float, float], tuple[float, float]]]:
        return {}

    def _nearest_in_plane(self, goal: Float[np.ndarray, 2]) -> tuple[int, Float[np.ndarray, 2]]:
        """The small triangle and the scaled rates with the turn rate of a goal, or the nearest, at the nearest speed.

        The image may be folded, so that not only borders of the network end it: all edges are looked at.
        """
        edges = self._image.points[self._edges]
        turn = float(np.clip(goal[0], edges[..., 0].min(), edges[..., 0].max()))
        numbers, speeds = _crossings(edges, 0, turn)
        best = int(np.argmin(np.abs(speeds - goal[1])))
        return int(numbers[best]) % len(self._image.corners), np.array([turn, speeds[best]])

    def _on_line(self, wanted: Float[np.ndarray, 2]) -> Answer:
        """The answer of a chain: by the turn rate where it offers a choice of turns, else by the speed."""
        points, measured, _ = self._samples
        turns, speeds = (np.ptp(measured, axis=0) / _LEAST_RANGE).tolist()
        first = 0 if turns >= min(1.0, speeds) else 1
        goal = np.clip(wanted, measured.min(axis=0), measured.max(axis=0))
        edges = measured[self._edges]
        numbers, others = _crossings(edges, first, float(goal[first]))
        best = int(np.argmin(np.abs(others - goal[1 - first])))
        start, end = edges[numbers[best]]
        length = float(np.linalg.norm(end - start))
        there = np.where(np.arange(2) == first, goal[first], others[best])
        share = float(np.linalg.norm(there - start)) / length if length > 0.0 else 0.0
        before, after = points[self._edges[numbers[best]]]
        point = before + share * (after - before)
        rates = np.array(self._measured(self.network.place(point.tolist())))
        met = bool(np.linalg.norm((rates - wanted) / self._scale) < _LINE_TOLERANCE)
        return Answer(tuple(point.tolist()), float(rates[0]), float(rates[1]), met)

    def _measured(self, place: Place) -> tuple[float, float]:
        """The turn rate and the speed of the blend at a place."""
        rates = None if self._native is None else self._native.at(place)
        return self.measure(self.network.blend(place)) if rates is None else rates

    @cached_property
    def _native(self) -> NativeRates | None:
        """The native measure, twenty times as fast; None where it is not available."""
        return NativeRates.of(self.network) if self.measure is played_rates else None

    @cached_property
    def _samples(self) -> _Samples:
        points, corners = self._line() if self.along_line else self._plane()
        measured = np.array([self._measured(place) for place in self.network.places(points.tolist())])
        return _Samples(points, measured, corners)

    def _plane(self) -> tuple[Float[np.ndarray, "samples 2"], Int[np.ndarray, "parts 3"]]:
        """Evenly spread points of all triangles and the small triangles between; those on shared edges count once."""
        lattice, small = _lattice(self.steps)
        network = self.network
        points = np.einsum("sc,tca->tsa", lattice, network.points[network.corners]).reshape(-1, 2)
        spread = float(np.ptp(network.points, axis=0).max())
        _, first, numbers = np.unique(np.round(points / spread, 9), axis=0, return_index=True, return_inverse=True)
        return points[first], numbers.reshape(len(network.corners), -1)[:, small].reshape(-1, 3)

    def _line(self) -> tuple[Float[np.ndarray, "samples axes"], Int[np.ndarray, "parts 2"]]:
        """Points from one end of the line to the other, and the segments between; the last one has no length."""
        network, steps = self.network, 2 * self.steps
        ends = network.points[network.corners]
        if ends.shape[1] == 1:
            points = ends[0]
        elif ends.shape[1] == 2:
            shares = np.arange(steps)[:, None] / steps
            points = np.concatenate([*[start + shares * (end - start) for start, end in ends], ends[-1:, 1]])
        elif (points := self._ahead(steps)) is None:  # a straight fit of where nodes lie by how fast they go
            speeds = np.array([self.measure(node.spectrum)[1] for node in network.nodes])
            slope, middle = np.polyfit(speeds, network.points, 1)
            along = np.linspace(speeds.min(), speeds.max(), steps * (len(speeds) - 1) + 1)
            points = np.array([network.place(point).point for point in (middle + along[:, None] * slope).tolist()])
        numbers = np.arange(len(points))
        return points, np.stack([numbers, np.minimum(numbers + 1, len(points) - 1)], axis=1)

    def _ahead(self, steps: int) -> Float[np.ndarray, "samples axes"] | None:
        """Points from standing to the fastest that goes ahead, where motions go different ways; else None.

        They lie where a straight fit by velocities has them.
        """
        network, motions = self.network, [node.spectrum for node in self.network.nodes]
        if all(go_one_way(one, other) for one, other in itertools.combinations(motions, 2)):
            return None
        velocities = np.array([motion.velocity for motion in motions])
        fastest = float(velocities[:, 1].max())
        if fastest < STANDING:
            return None
        fit, *_ = np.linalg.lstsq(np.column_stack([np.ones(len(motions)), velocities]), network.points, rcond=None)
        along = np.linspace(0.0, fastest, 2 * steps + 1)
        return np.array([network.place(point).point for point in (fit[0] + along[:, None] * fit[2]).tolist()])

    @cached_property
    def _edges(self) -> Int[np.ndarray, "edges 2"]:
        """Samples joined by edges; of triangles all first ones before all second ones: the number tells which."""
        if self.along_line:
            return self._samples.corners
        corners = self._image.corners
        return np.concatenate([corners[:, :2], corners[:, 1:], corners[:, ::2]])

    @cached_property
    def _scale(self) -> Float[np.ndarray, 2]:
        spread = np.ptp(self._samples.rates, axis=0)
        return np.asarray(np.maximum(spread, _LEAST_RANGE) if self.along_line else np.where(spread > 0.0, spread, 1.0))

    @cached_property
    def _image(self) -> Mesh:
        """The small triangles laid out by turn rate and speed, in the scale of their ranges."""
        image, corners = self._samples.rates / self._scale, self._samples.corners
        return Mesh(image, corners[flatness(image[corners]) > _FLAT])


def _crossings(
    edges: Float[np.ndarray, "edges 2 2"], axis: int, level: float
) -> tuple[Int[np.ndarray, " met"], Float[np.ndarray, " met"]]:
    """Which edges meet a level of one coordinate, and the other one there; both ends of edges that lie in it."""
    ends = edges[..., axis]
    met = np.flatnonzero((ends.min(axis=1) <= level) & (ends.max(axis=1) >= level))
    crossing = edges[met]
    low, rise = crossing[:, 0, axis], crossing[:, 1, axis] - crossing[:, 0, axis]
    level_edge = rise == 0.0
    share = np.where(level_edge, 0.0, (level - low) / np.where(level_edge, 1.0, rise))
    start, end = crossing[..., 1 - axis].T
    # From the nearer end, so that both ends are met exactly.
    crossed_at = np.where(share > 0.5, end - (1.0 - share) * (end - start), start + share * (end - start))
    return np.concatenate([met, met[level_edge]]), np.concatenate([crossed_at, end[level_edge]])


def _lattice(steps: int) -> tuple[Float[np.ndarray, "samples 3"], Int[np.ndarray, "parts 3"]]:
    """Weights of evenly spread points in a triangle, and the small triangles they are corners of."""
    places = [(i, j) for i in range(steps + 1) for j in range(steps + 1 - i)]
    number = {place: k for k, place in enumerate(places)}
    weights = np.array([(steps - i - j, i, j) for i, j in places]) / steps
    upright = [(number[i, j], number[i + 1, j], number[i, j + 1]) for i, j in places if i + j < steps]
    turned = [(number[i + 1, j], number[i + 1, j + 1], number[i, j + 1]) for i, j in places if i + j < steps - 1]
    return weights, np.array(upright + turned, dtype=np.intp)
