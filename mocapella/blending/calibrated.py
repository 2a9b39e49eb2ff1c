"""Calibrated networks: nodes at the turn rate and speed they were measured at, and the way back from a request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from mocapella.blending.mesh import Mesh
from mocapella.blending.network import Network, Node
from mocapella.errors import NetworkError
from mocapella.geometry.triangles import flatness
from mocapella.motion.spectrum import Spectrum

Rates = tuple[float, float]  # turn rate, rad/s left positive, and speed, m/s
Measure = Callable[[Spectrum], Rates]

_CORRECTIONS = 8  # at most, of a point by what its blend was measured at; where rates blend evenly one is enough
_MET = 1e-6  # of the range of rates: an answer this near needs no correction
_FLAT = 1e-6  # of the range of rates: triangles thinner than this give no direction to go


def rates(spectrum: Spectrum) -> Rates:
    """The mean turn rate (rad/s, left positive) and the mean speed (m/s) of a motion, as its root was captured."""
    return spectrum.turn / spectrum.duration, spectrum.speed


def calibrated(spectra: Mapping[str, Spectrum], *, measure: Measure = rates) -> Network:
    """A network whose nodes lie at (turn rate, speed) as measured; its triangles cover what can be asked for."""
    return Network([Node(name, measure(spectrum), spectrum) for name, spectrum in spectra.items()])


@dataclass(frozen=True)
class Answer:
    """A blending point for requested rates, and what its blend does."""

    point: tuple[float, ...]
    turn_rate: float  # rad/s, left positive
    speed: float  # m/s
    feasible: bool  # whether the network reaches what was asked for; if not, the point is the nearest it has


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
        if self.network.corners.shape[1] != 3:
            raise NetworkError(
                "turn rate and speed are two things: a calibration needs a network of triangles; for a chain or a "
                "single node there is mocapella.blending.chain.Chain"
            )
        if self.steps < 1:
            raise NetworkError(f"expected edges cut into at least one part, got {self.steps}")
        if self._image.corners.size == 0:
            raise NetworkError("all blends of this network turn and go alike, or in step; there is nothing to ask for")

    def request(self, turn_rate: float, speed: float) -> Answer:
        """The point whose blend turns and goes as asked, or comes nearest to it in the range of what is measured."""
        wanted = np.array([turn_rate, speed], dtype=np.float64)
        if not np.isfinite(wanted).all():
            raise NetworkError(f"expected a finite turn rate and speed, got {turn_rate} and {speed}")
        goal = wanted / self._scale
        found = self._image.find(goal.tolist())
        feasible = found is not None
        if found is None:
            triangle, border = self._image.nearest_border(goal.tolist())
            goal = np.array(border)
            found = triangle, self._image.weights(triangle, border)
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
        return Answer(tuple(best.tolist()), *best_rates, feasible)

    @property
    def speeds(self) -> Rates:
        """The slowest and the fastest that any of its blends goes, m/s."""
        measured = self._samples[1][:, 1]
        return float(measured.min()), float(measured.max())

    def turns_at(self, speed: float) -> Rates | None:
        """The sharpest turn to the right and to the left among blends of one speed, rad/s; None where none has it."""
        corners = self._image.corners
        edges = np.concatenate([corners[:, :2], corners[:, 1:], corners[:, ::2]])
        return turn_range(self._samples[1][edges], speed)

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


def turn_range(edges: Float[np.ndarray, "edges 2 2"], speed: float) -> Rates | None:
    """The least and the greatest turn rate where edges between measured rates cross a speed; None where none does."""
    crossing = edges[(edges[..., 1].min(axis=1) <= speed) & (edges[..., 1].max(axis=1) >= speed)]
    if len(crossing) == 0:
        return None
    (turn, low), rise = crossing[:, 0].T, (crossing[:, 1] - crossing[:, 0]).T
    level = rise[1] == 0.0
    share = np.where(level, 0.0, (speed - low) / np.where(level, 1.0, rise[1]))
    met = np.concatenate([turn + share * rise[0], crossing[level, 1, 0]])
    return float(met.min()), float(met.max())


def _lattice(steps: int) -> tuple[Float[np.ndarray, "samples 3"], np.ndarray]:
    """Weights of evenly spread points in a triangle, and the small triangles they are corners of."""
    places = [(i, j) for i in range(steps + 1) for j in range(steps + 1 - i)]
    number = {place: k for k, place in enumerate(places)}
    weights = np.array([(steps - i - j, i, j) for i, j in places]) / steps
    upright = [(number[i, j], number[i + 1, j], number[i, j + 1]) for i, j in places if i + j < steps]
    turned = [(number[i + 1, j], number[i + 1, j + 1], number[i, j + 1]) for i, j in places if i + j < steps - 1]
    return weights, np.array(upright + turned, dtype=np.intp)
