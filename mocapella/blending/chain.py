"""What a network that does not turn, or has no triangles, does along a line through it, and the way back."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from mocapella.blending.axes import straight
from mocapella.blending.calibrated import (
    Answer,
    Calibration,
    Measure,
    Rates,
    checked_rates,
    crossings,
    rates,
    turn_range,
)
from mocapella.blending.given import NETWORK, refuse_no_whole, refuse_other
from mocapella.blending.network import Network
from mocapella.errors import NetworkError

# What differs less is the chance of captures, not a range to steer in: rad/s and m/s.
_LEAST_RANGE = np.array([math.radians(60.0), 0.5])
_MET = 1e-3  # of the range: an answer this near is what was asked for


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
        met = bool(np.linalg.norm((found - wanted) / self._scale) < _MET)
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
