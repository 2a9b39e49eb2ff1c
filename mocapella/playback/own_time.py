"""Motions that keep their own time, played together."""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Complex, Float

from mocapella.arrays import owned
from mocapella.blending.network import Network
from mocapella.blending.places import Place
from mocapella.geometry.angles import TURN
from mocapella.motion.layout import AHEAD, HEIGHT, LEFT, YAW_RATE
from mocapella.motion.spectrum import Spectrum
from mocapella.playback.feet.plants import Plant
from mocapella.playback.motion_on_ground import Gait, Posture, Touch

# Motions of a network that keep their own time while others keep step.
#
# A blend has one clock. Of a node that is not synchronised only the mean posture is in it; its swings are laid over the
# blend at a cycle phase of their own, so that somebody who stands about breathes no faster for the steps mixed with it.


@dataclass
class Chorus:
    """The nodes of a network that keep their own time, and how far each is in its cycle."""

    network: Network
    phases: list[float]  # of each such node, in the network's order

    def __post_init__(self) -> None:
        self.nodes = [i for i, node in enumerate(self.network.nodes) if not node.synchronised]
        self._rates = [TURN / self.network.nodes[i].spectrum.duration for i in self.nodes]
        own = zip(self.network.bank.coefficients[self.nodes], self._rates, strict=True)
        self._swings = [_with_ways(coefficients, rate) for coefficients, rate in own]

    @classmethod
    def of(cls, network: object, phase: float) -> Chorus | None:
        """Those of a network, all at one phase; None where all of it keeps step, or is a single motion."""
        if not isinstance(network, Network) or len(network.nodes) == 1:
            return None
        count = sum(not node.synchronised for node in network.nodes)
        return cls(network, [phase % TURN] * count) if count else None

    def in_network(self, network: Network) -> Chorus:
        """The same nodes, as far in their cycles, in a network that has other triangles or motions for them."""
        return self if network is self.network else Chorus(network, self.phases)

    def clock(self, node: int) -> tuple[float, float] | None:
        """The cycle phase of a node and how fast it runs, radians per second; None for one that keeps step."""
        if node not in self.nodes:
            return None
        own = self.nodes.index(node)
        return self.phases[own], self._rates[own]

    def advance(self, dt: float) -> None:
        """Go on for ``dt`` seconds: all do, whether they count at the moment or not."""
        self.phases = [(phase + rate * dt) % TURN for phase, rate in zip(self.phases, self._rates, strict=True)]

    def without(self, blended: Spectrum, place: Place) -> Spectrum:
        """What of a blend is on the common clock: of those who keep their own time only the mean posture."""
        counting = set(place.nodes[place.weights != 0.0].tolist())
        if not counting <= set(self.nodes):
            return blended
        return replace(blended, coefficients=owned(blended.coefficients[:1].copy()))

    def over(self, place: Place, after: float = 0.0) -> Over:
        """What is laid over the blend at a place, now or so many seconds later."""
        total = np.zeros(self._swings[0].shape[1])
        for node, weight in zip(place.nodes.tolist(), place.weights.tolist(), strict=True):
            if node in self.nodes and weight != 0.0:
                own = self.nodes.index(node)
                swings = self._swings[own]
                phase = self.phases[own] + self._rates[own] * after
                turning = np.exp(1j * phase * np.arange(1, len(swings) + 1))
                total += weight * 2.0 * (turning @ swings).real
        ahead, left, yaw = total[-3:].tolist()
        return Over(owned(total[:-3]), complex(ahead, left), yaw)


@dataclass(frozen=True, eq=False)
class Over:
    """What motions with their own time add to a pose."""

    dofs: Float[np.ndarray, " dofs"]
    path: complex  # of the root over the ground, ahead real and left imaginary, metres
    yaw: float  # radians

    def place(self, heading: float) -> tuple[float, float]:
        """By how much the root is displaced (x, z) with the blend headed so."""
        ahead, left = self.path.real, self.path.imag
        cosine, sine = math.cos(heading), math.sin(heading)
        return ahead * sine + left * cosine, ahead * cosine - left * sine


def _with_ways(coefficients: Complex[np.ndarray, "harmonics dofs"], rate: float) -> Complex[np.ndarray, "swings more"]:
    """The harmonics from 1 on, with those of what velocities and the yaw rate add up to as three more columns."""
    swings = np.array(coefficients[1:])
    rates = swings[:, [AHEAD, LEFT, YAW_RATE]]
    ways = rates / (1j * rate * np.arange(1, len(coefficients)))[:, None]
    swings[:, [AHEAD, LEFT, YAW_RATE]] = 0.0  # they are in the ways
    return np.concatenate([swings, ways], axis=1)


# A blend with the motions laid over it that keep their own time, as one motion on its way over the ground.
#
# Where a captured change takes over from such a blend, or such a blend from a change, this is what it is joined with.


@dataclass(frozen=True, eq=False)
class Voiced:
    """A gait and the chorus over it, about the moment at which the gait is at a phase."""

    gait: Gait
    chorus: Chorus
    place: Place
    phase: float

    @property
    def plants(self) -> tuple[tuple[Plant, ...], ...]:
        """The plants of each of ``FOOT_POINTS``."""
        return self.gait.plants

    @property
    def rate(self) -> float:
        """Phase per second."""
        return self.gait.rate

    @property
    def lap(self) -> float:
        """The phase after which the gait comes round again."""
        return self.gait.lap

    def way(self, phase: float) -> tuple[float, complex]:
        """The heading (radians) and the path (metres), with what the chorus adds."""
        (yaw, path), over = self.gait.way(phase), self._over(phase)
        return yaw + over.yaw, path + cmath.exp(1j * yaw) * over.path

    def bearing(self, phase: float) -> list[float]:
        """How much of the body each foot point carries, 0 … 1."""
        return self.gait.bearing(phase)

    def height(self, point: int, phase: float) -> float:
        """How high a foot point is at a phase, metres."""
        return self.gait.height(point, phase)

    def touch(self, point: int, phase: float) -> Touch:
        """Where a foot point is at a phase, and how fast: feet stand where the blend has them."""
        return self.gait.touch(point, phase)

    def posture(self, phase: float) -> Posture:
        """The local rotations of all joints, the root's without heading, and the height of the root."""
        layout = self.gait.spectrum.layout
        assert layout is not None
        dofs = self.gait.dofs(phase) + self._over(phase).dofs
        return layout.rotations(dofs), float(dofs[HEIGHT]) + self.gait.lift(phase)

    def _over(self, phase: float) -> Over:
        half = 0.5 * self.lap
        apart = (phase - self.phase + half) % self.lap - half
        return self.chorus.over(self.place, apart / self.rate)
