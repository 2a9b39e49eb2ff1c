"""From turn rate and speed to a point of a network of any shape."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int

from mocapella.blending.bank import spectra_given
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.checks import (
    NETWORK,
    real_or_nan,
    refuse_no_function,
    refuse_no_names,
    refuse_no_whole,
    refuse_other,
    shown,
)
from mocapella.errors import NetworkError
from mocapella.geometry.mesh import Mesh
from mocapella.geometry.simplices import flatness
from mocapella.motion.rates import straight
from mocapella.motion.spectrum import Spectrum

# Calibrated networks: nodes at the turn rate and speed they were measured at, and the way back from a request.

Rates = tuple[float, float]  # turn rate, rad/s left positive, and speed, m/s
Measure = Callable[[Spectrum], Rates]

_CORRECTIONS = 8  # at most, of a point by what its blend was measured at; where rates blend evenly one is enough
_MET = 1e-6  # of the range of rates: an answer this near needs no correction
_AS_ASKED = 0.01  # of the range of rates: who steps on the spot sways by a few millimetres a second, and stands for 0
_MEASURE = "a function that measures turn rate and speed of a spectrum"
_FLAT = 1e-6  # of the range of rates: triangles thinner than this give no direction to go


def rates(spectrum: Spectrum) -> Rates:
    """The mean turn rate (rad/s, left positive) and the mean speed (m/s) of a motion, as its root was captured."""
    return spectrum.turn / spectrum.duration, spectrum.speed


def calibrated(spectra: Mapping[str, Spectrum], *, measure: Measure = rates) -> Network:
    """A network whose nodes lie at (turn rate, speed) as measured; its triangles cover what can be asked for.

    The spectra come by the names that the nodes are to have.
    """
    refuse_no_names(spectra, "spectra by the names of their nodes, such as {'slow': slow, 'fast': fast}")
    spectra_given(spectra.values())
    refuse_no_function(measure, _MEASURE)
    return Network([Node(name, measure(spectrum), spectrum) for name, spectrum in spectra.items()])


@dataclass(frozen=True)
class Answer:
    """A blending point for requested rates, and what its blend does."""

    point: tuple[float, ...]
    turn_rate: float  # rad/s, left positive
    speed: float  # m/s
    feasible: bool  # whether the network reaches what was asked for; if not, this is what ``request`` has instead


@dataclass(frozen=True, eq=False)
class Calibration:
    """What a network does at its points, measured over all of it, and turned round.

    Parameters
    ----------
    network
        Any network in the plane; its nodes may lie anywhere.
    measure
        What counts as turn rate and speed of a blend; a player's own measure may take the feet into account.
    steps
        Into how many parts the edges of triangles are cut for measuring.
    """

    network: Network
    measure: Measure = rates
    steps: int = 4

    def __post_init__(self) -> None:
        refuse_other(self.network, Network, NETWORK)
        refuse_no_function(self.measure, _MEASURE)
        if self.network.corners.shape[1] != 3:
            raise NetworkError(
                "turn rate and speed are two things: a calibration needs a network of triangles; for a chain or a "
                "single node there is mocapella.steering.calibration.Chain"
            )
        refuse_no_whole(self.steps, "edges cut into a whole number of parts from 1 on")
        if self._image.corners.size == 0:
            raise NetworkError("all blends of this network turn and go alike, or in step; there is nothing to ask for")

    def request(self, turn_rate: float, speed: float) -> Answer:
        """The point whose blend turns and goes as asked, or else turns as asked at the nearest speed there is.

        Who steers can do with another speed, but not with another way: where no blend turns as asked at all, it is the
        sharpest turn to that side.
        """
        wanted = checked_rates(turn_rate, speed)
        goal = wanted / self._scale
        found = self._image.find(goal.tolist())
        feasible = found is not None
        if found is None:
            triangle, goal = self._nearest(goal)
            found = triangle, self._image.weights(triangle, goal.tolist())
        corners = self._image.corners[found[0]]
        slopes = np.linalg.solve(
            np.diff(self._image.points[corners], axis=0), np.diff(self._samples[0][corners], axis=0)
        )
        point = np.array(found[1]) @ self._samples[0][corners]
        best, best_off, best_rates = point, np.inf, (0.0, 0.0)
        for _ in range(_CORRECTIONS):
            place = self.network.place(point.tolist())
            measured = self.measure(self.network.blend(place))
            off = goal - np.array(measured) / self._scale
            size = float(np.linalg.norm(off))
            if size < best_off:
                best, best_off, best_rates = np.array(place.point), size, measured
            if size < _MET:
                break
            point = np.array(place.point) + off @ slopes
        missed = float(np.abs(wanted / self._scale - np.array(best_rates) / self._scale).max())
        return Answer(tuple(best.tolist()), *best_rates, feasible or missed < _AS_ASKED)

    @property
    def speeds(self) -> Rates:
        """The slowest and the fastest that any of its blends goes, m/s."""
        measured = self._samples[1][:, 1]
        return float(measured.min()), float(measured.max())

    def turns_at(self, speed: float) -> Rates | None:
        """The sharpest turn to the right and to the left among blends of one speed, rad/s; None where none has it."""
        return turn_range(self._samples[1][_edges(self._image.corners)], speed)

    def _nearest(self, goal: Float[np.ndarray, 2]) -> tuple[int, Float[np.ndarray, 2]]:
        """Of what is measured, in its scale, that with the turn rate of a goal or the nearest, at the nearest speed.

        The image may be folded, so that not only borders of the network end it: all edges are looked at.
        """
        image = self._image
        edges = image.points[_edges(image.corners)]
        turn = float(np.clip(goal[0], edges[..., 0].min(), edges[..., 0].max()))
        numbers, speeds = crossings(edges, 0, turn)
        best = int(np.argmin(np.abs(speeds - goal[1])))
        return int(numbers[best]) % len(image.corners), np.array([turn, speeds[best]])

    @cached_property
    def _samples(self) -> tuple[Float[np.ndarray, "samples 2"], Float[np.ndarray, "samples 2"]]:
        """Points all over the network, and the rates measured there."""
        lattice = _lattice(self.steps)[0]
        points = np.einsum("sc,tca->tsa", lattice, self.network.points[self.network.corners]).reshape(-1, 2)
        unique, _ = self._merged(points)
        return unique, np.array([self.measure(self.network.blend(point)) for point in unique.tolist()])

    @cached_property
    def _scale(self) -> Float[np.ndarray, 2]:
        spread = np.ptp(self._samples[1], axis=0)
        return np.asarray(np.where(spread > 0.0, spread, 1.0))

    @cached_property
    def _image(self) -> Mesh:
        """The sampled points' small triangles, laid out by turn rate and speed."""
        lattice, small = _lattice(self.steps)
        n = len(self.network.corners)
        points = np.einsum("sc,tca->tsa", lattice, self.network.points[self.network.corners]).reshape(-1, 2)
        numbers = self._merged(points)[1].reshape(n, -1)
        corners = numbers[:, small].reshape(-1, 3)
        image = self._samples[1] / self._scale
        return Mesh(image, corners[flatness(image[corners]) > _FLAT])

    def _merged(self, points: Float[np.ndarray, "samples 2"]) -> tuple[Float[np.ndarray, "_ 2"], np.ndarray]:
        """Points on edges that two triangles share taken once, and which one each has become."""
        spread = float(np.ptp(self.network.points, axis=0).max())
        _, first, inverse = np.unique(np.round(points / spread, 9), axis=0, return_index=True, return_inverse=True)
        return points[first], inverse.ravel()


def checked_rates(turn_rate: float, speed: float) -> Float[np.ndarray, 2]:
    """A request as numbers; ``NetworkError`` where it is none."""
    wanted = np.array([real_or_nan(turn_rate), real_or_nan(speed)])
    if not np.isfinite(wanted).all():
        raise NetworkError(f"expected a finite turn rate and speed, got {shown(turn_rate)} and {shown(speed)}")
    return wanted


def turn_range(edges: Float[np.ndarray, "edges 2 2"], speed: float) -> Rates | None:
    """The least and the greatest turn rate where edges between measured rates cross a speed; None where none does."""
    _, met = crossings(edges, 1, speed)
    return (float(met.min()), float(met.max())) if len(met) else None


def crossings(
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
    found = np.where(share > 0.5, end - (1.0 - share) * (end - start), start + share * (end - start))
    return np.concatenate([met, met[level_edge]]), np.concatenate([found, end[level_edge]])


def _edges(corners: Int[np.ndarray, "triangles 3"]) -> Int[np.ndarray, "edges 2"]:
    """The three edges of every triangle, all first ones before all second ones: an edge's number tells its triangle."""
    return np.concatenate([corners[:, :2], corners[:, 1:], corners[:, ::2]])


def _lattice(steps: int) -> tuple[Float[np.ndarray, "samples 3"], np.ndarray]:
    """Weights of evenly spread points in a triangle, and the small triangles they are corners of."""
    places = [(i, j) for i in range(steps + 1) for j in range(steps + 1 - i)]
    number = {place: k for k, place in enumerate(places)}
    weights = np.array([(steps - i - j, i, j) for i, j in places]) / steps
    upright = [(number[i, j], number[i + 1, j], number[i, j + 1]) for i, j in places if i + j < steps]
    turned = [(number[i + 1, j], number[i + 1, j + 1], number[i, j + 1]) for i, j in places if i + j < steps - 1]
    return weights, np.array(upright + turned, dtype=np.intp)


# What a network that does not turn, or has no triangles, does along a line through it, and the way back.

# What differs less is the chance of captures, not a range to steer in: rad/s and m/s.
_LEAST_RANGE = np.array([math.radians(60.0), 0.5])
_CHAIN_MET = 1e-3  # of the range: an answer this near is what was asked for


@dataclass(frozen=True, eq=False)
class Chain:
    """Turn rates and speeds along a chain, or of a single node: it has one thing to choose where requests name two.

    A chain from left to right answers to turn rates, the sharpest it has to those beyond them; where several of its
    blends turn so, it is the one of the nearest speed. A chain of straight walks answers to speeds in the same way.
    Triangles of motions that all go straight are gone through along one line, that of what usually goes with a speed:
    of all strides the usual one.

    Parameters
    ----------
    network
        One of segments, a single node, or triangles of motions that all go straight.
    measure
        What counts as turn rate and speed of a blend.
    steps
        Into how many parts each segment is cut for measuring.
    """

    network: Network
    measure: Measure = rates
    steps: int = 8

    def __post_init__(self) -> None:
        refuse_other(self.network, Network, NETWORK)
        if self.network.corners.shape[1] > 2 and not _goes_straight(self.network):
            raise NetworkError("a chain has segments; for a network of triangles that turns there is Calibration")
        refuse_no_whole(self.steps, "segments cut into a whole number of parts from 1 on")

    def request(self, turn_rate: float, speed: float) -> Answer:
        """The point whose blend turns as asked, or goes as asked where the chain hardly turns; else its nearest."""
        wanted = checked_rates(turn_rate, speed)
        points, measured = self.samples
        if len(points) == 1:
            found, point = measured[0], points[0]
        else:
            first, share = self._nearest(wanted)
            point = points[first] + share * (points[first + 1] - points[first])
            found = np.array(self.measure(self.network.blend(point.tolist())))
        met = bool(np.linalg.norm((found - wanted) / self._scale) < _CHAIN_MET)
        return Answer(tuple(point.tolist()), float(found[0]), float(found[1]), met)

    def _nearest(self, wanted: Float[np.ndarray, 2]) -> tuple[int, float]:
        """After which sample, and by which share of the way to the next, the chain does what is wanted most nearly."""
        measured = self.samples[1]
        turns, speeds = (np.ptp(measured, axis=0) / _LEAST_RANGE).tolist()
        first = 0 if turns >= min(1.0, speeds) else 1  # which of the two it is that the chain offers a choice of
        goal = np.clip(wanted, measured.min(axis=0), measured.max(axis=0))
        edges = np.stack([measured[:-1], measured[1:]], axis=1)
        numbers, others = crossings(edges, first, float(goal[first]))
        best = int(np.argmin(np.abs(others - goal[1 - first])))
        start, end = edges[numbers[best]]
        length = float(np.linalg.norm(end - start))
        there = np.where(np.arange(2) == first, goal[first], others[best])
        return int(numbers[best]), float(np.linalg.norm(there - start)) / length if length > 0.0 else 0.0

    @property
    def turns(self) -> tuple[float, float]:
        """The sharpest turn to the right and to the left that the chain has, rad/s, left positive."""
        measured = self.samples[1][:, 0]
        return float(measured.min()), float(measured.max())

    @property
    def speeds(self) -> Rates:
        """The slowest and the fastest that any of its blends goes, m/s."""
        measured = self.samples[1][:, 1]
        return float(measured.min()), float(measured.max())

    def turns_at(self, speed: float) -> Rates | None:
        """The sharpest turn to the right and to the left among blends of one speed, rad/s; None where none has it."""
        measured = self.samples[1]
        after = np.minimum(np.arange(1, len(measured) + 1), len(measured) - 1)
        return turn_range(np.stack([measured, measured[after]], axis=1), speed)

    @cached_property
    def samples(self) -> tuple[Float[np.ndarray, "samples 2"], Float[np.ndarray, "samples 2"]]:
        """Points from one end of the chain to the other, and the rates measured there."""
        ends = self.network.points[self.network.corners]
        if ends.shape[1] == 1:
            points = ends[0]
        elif ends.shape[1] > 2:
            points = self._usual()
        else:
            shares = np.arange(self.steps)[:, None] / self.steps
            parts = [start + shares * (end - start) for start, end in ends]
            points = np.concatenate([*parts, ends[-1:, 1]])
        return points, np.array([self.measure(self.network.blend(point)) for point in points.tolist()])

    def _usual(self) -> Float[np.ndarray, "samples 2"]:
        """Points of one line through all of the network: a straight fit of where nodes lie by how fast they go."""
        speeds = np.array([self.measure(node.spectrum)[1] for node in self.network.nodes])
        slope, middle = np.polyfit(speeds, self.network.points, 1)
        along = np.linspace(speeds.min(), speeds.max(), self.steps * (len(speeds) - 1) + 1)
        return np.array([self.network.place(point).point for point in (middle + along[:, None] * slope).tolist()])

    @cached_property
    def _scale(self) -> Float[np.ndarray, 2]:
        return np.asarray(np.maximum(np.ptp(self.samples[1], axis=0), _LEAST_RANGE))


def answering(network: Network, *, measure: Measure = rates) -> Calibration | Chain:
    """What turns a turn rate and a speed into a blending point, whatever the shape of the network."""
    refuse_other(network, Network, NETWORK)
    one_thing = network.corners.shape[1] < 3 or _goes_straight(network)
    return Chain(network, measure) if one_thing else Calibration(network, measure)


def _goes_straight(network: Network) -> bool:
    return network.n_axes == 2 and all(straight(node.spectrum) for node in network.nodes)
