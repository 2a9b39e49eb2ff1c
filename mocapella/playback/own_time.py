"""Nodes that keep their own time: their swings are laid over the blend, each at a cycle phase of its own.

A blend has one clock. A node that is not synchronised adds only its mean posture to it, so that an idle does not
breathe faster when steps are mixed with it.
"""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from jaxtyping import Complex, Float

from mocapella.arrays import owned
from mocapella.blending.network import Network
from mocapella.blending.places import Place
from mocapella.gait.cycle_on_ground import CycleOnGround
from mocapella.geometry.angles import TURN
from mocapella.motion.layout import AHEAD, HEIGHT, LEFT, YAW_RATE
from mocapella.motion.spectrum import Spectrum
from mocapella.playback.playhead import Posture

_Clocks = tuple[float, ...]  # cycle phases of the nodes with their own time, in the network's order


@dataclass(frozen=True, eq=False)
class OwnTimeNodes:
    """The nodes of a network that keep their own time."""

    nodes: tuple[int, ...]
    rates: tuple[float, ...]  # cycle phase per second
    swings: tuple[Complex[np.ndarray, "harmonics more"], ...]  # from harmonic 1 on, with path and heading

    def clock(self, node: int, clocks: _Clocks) -> tuple[float, float] | None:
        """The cycle phase of a node and its rate, radians per second; None for one that keeps step."""
        if node not in self.nodes:
            return None
        i = self.nodes.index(node)
        return clocks[i], self.rates[i]

    def advanced(self, clocks: _Clocks, dt: float) -> _Clocks:
        """The clocks ``dt`` seconds later: all run on, whether their nodes count at the moment or not."""
        return tuple([(phase + rate * dt) % TURN for phase, rate in zip(clocks, self.rates, strict=True)])

    def without(self, blended: Spectrum, place: Place) -> Spectrum:
        """The part of a blend on the common clock; only the mean posture if all its nodes keep their own time."""
        if not set(place.nodes[place.weights != 0.0].tolist()) <= set(self.nodes):
            return blended
        return replace(blended, coefficients=owned(blended.coefficients[:1].copy()))

    def over(self, place: Place, clocks: _Clocks, after: float = 0.0) -> OwnTimeOffset:
        """The offset to the blend at a place, ``after`` seconds after the clocks."""
        total = np.zeros(self.swings[0].shape[1])
        for node, weight in zip(place.nodes.tolist(), place.weights.tolist(), strict=True):
            if node in self.nodes and weight != 0.0:
                i = self.nodes.index(node)
                swings, phase = self.swings[i], clocks[i] + self.rates[i] * after
                turning = np.exp(1j * phase * np.arange(1, len(swings) + 1))
                total += weight * 2.0 * (turning @ swings).real
        ahead, left, yaw = total[-3:].tolist()
        return OwnTimeOffset(owned(total[:-3]), complex(ahead, left), yaw)


@dataclass(frozen=True, eq=False)
class OwnTimeOffset:
    """The offset of a pose by nodes with their own time."""

    dofs: Float[np.ndarray, " dofs"]
    path: complex  # of the root over the ground, ahead real and left imaginary, metres
    yaw: float  # radians

    def place(self, heading: float) -> tuple[float, float]:
        """The displacement (x, z) of the root with the blend at this heading."""
        ahead, left = self.path.real, self.path.imag
        cosine, sine = math.cos(heading), math.sin(heading)
        return ahead * sine + left * cosine, ahead * cosine - left * sine


def own_time_nodes(network: object) -> OwnTimeNodes | None:
    """The own-time nodes of a network; None where all nodes are synchronised, or it is a single motion."""
    return _own_time_nodes(network) if isinstance(network, Network) and len(network.nodes) > 1 else None


@lru_cache(maxsize=128)
def _own_time_nodes(network: Network) -> OwnTimeNodes | None:
    nodes = tuple(i for i, node in enumerate(network.nodes) if not node.synchronised)
    if not nodes:
        return None
    rates = tuple(TURN / network.nodes[i].spectrum.duration for i in nodes)
    rows = zip(network.bank.coefficients[list(nodes)], rates, strict=True)
    return OwnTimeNodes(nodes, rates, tuple(_with_ways(coefficients, rate) for coefficients, rate in rows))


def started(network: object, phase: float) -> _Clocks:
    """The clocks of a network's nodes with their own time, all at one cycle phase, radians."""
    own_time = own_time_nodes(network)
    return () if own_time is None else (phase % TURN,) * len(own_time.nodes)


def _with_ways(coefficients: Complex[np.ndarray, "harmonics dofs"], rate: float) -> Complex[np.ndarray, "swings more"]:
    """The harmonics from 1 on, with those of what velocities and the yaw rate add up to as three more columns."""
    swings = np.array(coefficients[1:])
    root = [AHEAD, LEFT, YAW_RATE]
    ways = swings[:, root] / (1j * rate * np.arange(1, len(coefficients)))[:, None]
    swings[:, root] = 0.0  # they are in the ways
    return np.concatenate([swings, ways], axis=1)


class WithOwnTime:
    """A blend with its own-time nodes as one motion over the ground, for the crossover to captured changes.

    ``place`` and ``clocks`` are those at the moment at which the cycle is at ``phase``.
    """

    def __init__(self, cycle: CycleOnGround, own: OwnTimeNodes, place: Place, clocks: _Clocks, phase: float) -> None:
        self.cycle, self.own, self.place, self.clocks, self.phase = cycle, own, place, clocks, phase
        self.plants, self.rate, self.lap = cycle.plants, cycle.rate, cycle.lap
        self.bearing, self.height = cycle.bearing, cycle.height
        self.touch = cycle.touch  # feet stand where the blend has them

    def way(self, phase: float) -> tuple[float, complex]:
        """The heading (radians) and the path (metres), those of these nodes added."""
        (yaw, path), over = self.cycle.way(phase), self._over(phase)
        return yaw + over.yaw, path + cmath.exp(1j * yaw) * over.path

    def posture(self, phase: float) -> Posture:
        """The local rotations of all joints, the root's without heading, and the height of the root."""
        dofs = self.cycle.dofs(phase) + self._over(phase).dofs
        return self.cycle.layout.rotations(dofs), float(dofs[HEIGHT]) + self.cycle.lift(phase)

    def _over(self, phase: float) -> OwnTimeOffset:
        half = 0.5 * self.lap
        apart = (phase - self.phase + half) % self.lap - half
        return self.own.over(self.place, self.clocks, apart / self.rate)
