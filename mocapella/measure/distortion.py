"""Upper-harmonic distortion (UHD): how much the contact traces of a blend deviate from ideal ones.

A contact trace is the path of a planted foot under the root, relative to the root's projection on the ground and its
heading; the root's tilt is kept (thesis, section 7.7.1). A planted foot runs backwards under the body. What stands for
the foot is told by ``traced_points``. The ideal is the
weighted mean of the nodes' own traces, resampled to one length and averaged point by point: a mean of places, not of
angles. Both traces are aligned at their starts, turned to the same direction, and compared by their bearings (7.7).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from jaxtyping import Bool, Complex, Float, Int

from mocapella.arrays import owned
from mocapella.blending.network import Network
from mocapella.blending.paired_plants import Stances
from mocapella.blending.places import Point
from mocapella.errors import MotionError
from mocapella.geometry.angles import TURN, wrap
from mocapella.geometry.curves import catmull_rom
from mocapella.measure.traced_points import TracedPoint, Tracer
from mocapella.motion.contacts import FEET

SAMPLES = 200  # of a resampled trace; with 1000 the score is the same to 0.5 % on average, 4.4 % at worst
FRAMES = 64  # of a contact stage before it is resampled, about what a capture at 100 Hz has

_COUNTS = 1e-9  # nodes with a smaller weight are ignored
_NO_WAY = 0.02  # metres; a trace whose ends are nearer than this has no direction

_Traces = Float[np.ndarray, "*batch samples 2"]


@dataclass(frozen=True, eq=False)
class Distortion:
    """Distortion at some blending points; NaN at points that cannot be measured."""

    feet: Float[np.ndarray, "points 2"]  # radians: RMS difference of bearings, left and right
    turned: Float[np.ndarray, "points 2"]  # radians by which the trace lies turned against its reference

    @property
    def scores(self) -> Float[np.ndarray, " points"]:
        """The distortion: both feet together."""
        return np.asarray(self.feet.sum(axis=-1))


@dataclass(frozen=True, eq=False)
class FootTrace:
    """One contact stage at one blending point: the blend and what it is compared with, (x, z) metres.

    All but ``places`` are aligned: they start at the origin and end on −z.
    """

    foot: str  # "left"
    plant: int  # its number among the stances of the network
    blend: Float[np.ndarray, "samples 2"]
    reference: Float[np.ndarray, "samples 2"]
    inputs: Float[np.ndarray, "nodes samples 2"]  # of the nodes with a weight, each aligned on its own
    names: tuple[str, ...]  # of these nodes
    places: Float[np.ndarray, "samples 2"]  # of the blend, relative to the root
    start: float  # cycle phase at which the foot comes down in the blend
    length: float  # radians of the cycle for which it rests


class Yardstick:
    """Ideal contact traces at some points of a network, and the distortion of blends against them.

    The ideal depends on the nodes' motions and their weights only, so one yardstick serves every blend rule and every
    choice of single-source harmonics over the same nodes and triangles.

    Parameters
    ----------
    network
        Its nodes make the ideal, with the harmonics that it uses.
    points
        Blending points.
    joint
        What is traced: ``"ankle"``, ``"toe"`` (the toe joint), ``"end"`` (the end site of the leg, the foot of the
        thesis), or ``"hand"`` (its furthest end, while the foot of the other side is planted).
    harmonics
        How many harmonics of nodes and blends to use; all if None.
    leaps
        Where a trace turns square to its direction the arctangent jumps by half a turn, although the trace has no
        corner there. Bearings are compared as lines, at most a quarter turn apart; True keeps the jumps, as printed.
    samples, frames
        How many points a trace is resampled to, and from how many frames; never fewer points than frames.

    Raises
    ------
    MotionError
        Where the motions make no pose, have no legs or no foot plants, or none takes steps on both feet.

    Notes
    -----
    A point cannot be measured if a node with a weight there takes no step with one of its feet (it stands, or glides),
    marches on the spot, or is not synchronised. ``measured`` says which points can.
    """

    def __init__(
        self,
        network: Network,
        points: Sequence[Point] | Float[np.ndarray, "points axes"],
        *,
        joint: TracedPoint = "ankle",
        harmonics: int | None = None,
        leaps: bool = False,
        samples: int = SAMPLES,
        frames: int = FRAMES,
    ) -> None:
        if not 4 <= frames <= samples:
            got = f"{frames} frames and {samples} samples"
            raise MotionError(expected="4 frames or more and no fewer samples", got=got)
        if harmonics is not None and harmonics < 1:
            raise MotionError(f"expected at least one harmonic to measure, got {harmonics}")
        self.network = network
        self.points = owned(np.array([tuple(map(float, point)) for point in points]).reshape(-1, network.n_axes))
        tracer = Tracer.of(network.layout, joint)
        self.stances = _stances(network)
        self.weights = _weights(network, self.points)
        self._rows = None if harmonics is None else harmonics + 1
        self._leaps = leaps
        self._frames, self._spread = frames, _resampling(frames, samples)
        self._trace(tracer)

    def tracing(self, joint: TracedPoint) -> Yardstick:
        """The same yardstick for traces of another point of the body."""
        other = copy(self)
        other._trace(Tracer.of(self.network.layout, joint))
        return other

    def _trace(self, tracer: Tracer) -> None:
        """Trace the nodes, and find out at which points blends can be compared with them."""
        self.tracer = tracer
        network = self.network
        stages = zip(self.stances.feet, self.stances.starts.T, self.stances.lengths.T, strict=True)
        self._nodes = [self._resampled(foot, network.bank.coefficients, *stage) for foot, *stage in stages]
        self._taken = owned((self.weights > _COUNTS).astype(float) @ ~self._steps_known() == 0.0)  # (points, plants)
        feet = np.array(self.stances.feet)
        steps = np.stack([np.any(self._taken[:, feet == foot], axis=1) for foot in (0, 1)])
        self.measured: Bool[np.ndarray, " points"] = owned(np.asarray(steps.all(axis=0)))

    def blends(self, network: Network | None = None) -> Complex[np.ndarray, "points harmonics dofs"]:
        """The blends at the points by a network over the same nodes; by the yardstick's own if None."""
        return (self.network if network is None else network).coefficients_at(self.points)

    def measure(self, network: Network | None = None) -> Distortion:
        """The distortion of a network over the same nodes, by its own rule and single-source harmonics."""
        return self.measure_blends(self.blends(network))

    def measure_blends(self, coefficients: Complex[np.ndarray, "points harmonics dofs"]) -> Distortion:
        """The distortion of blends made elsewhere, one per point."""
        n_dofs = self.network.bank.coefficients.shape[2]
        if (len(coefficients), coefficients.shape[2]) != (len(self.points), n_dofs):
            raise MotionError(
                f"expected a blend of {n_dofs} dofs for each of {len(self.points)} points, "
                f"got {len(coefficients)} of {coefficients.shape[2]}"
            )
        squares, turned, counts = (np.zeros((len(self.points), 2)) for _ in range(3))
        for plant, here in self._plants():
            foot = self.stances.feet[plant]
            played, turn = aligned(self._played(plant, here, coefficients[here]))
            ideal, other = aligned(self._ideal(plant, here))
            apart = bearings(played) - bearings(ideal)
            if not self._leaps:
                apart -= np.pi * np.round(apart / np.pi)
            squares[here, foot] += (apart**2).mean(axis=-1)
            turned[here, foot] += np.abs(wrap(turn - other))
            counts[here, foot] += 1.0
        some = np.where(self.measured[:, None], counts, np.nan)
        return Distortion(owned(np.sqrt(squares / some)), owned(turned / some))

    def traces(
        self, index: int, coefficients: Complex[np.ndarray, "harmonics dofs"] | None = None
    ) -> tuple[FootTrace, ...]:
        """The contact stages of both feet at one of the points; of the network's own blend if None is given."""
        if not self.measured[index]:
            place = tuple(self.points[index].tolist())
            raise MotionError(f"no trace at {place}: a node with a weight there takes no step")
        blend = self.network.blend(self.points[index]).coefficients if coefficients is None else coefficients
        weights, here = self.weights[index], np.array([index])
        counting = np.flatnonzero(weights > _COUNTS)
        out = []
        for plant in (plant for plant, points in self._plants() if index in points):
            played = self._played(plant, here, blend[None])[0]
            trace = FootTrace(
                foot=FEET[self.stances.feet[plant]],
                plant=plant,
                blend=aligned(played)[0],
                reference=aligned(self._ideal(plant, here)[0])[0],
                inputs=aligned(self._nodes[plant][counting])[0],
                names=tuple(self.network.names[node] for node in counting),
                places=played,
                start=float(weights @ self.stances.starts[:, plant]) % TURN,
                length=float(weights @ self.stances.lengths[:, plant]),
            )
            out.append(trace)
        return tuple(out)

    def _plants(self) -> Iterator[tuple[int, Int[np.ndarray, " some"]]]:
        """Each contact stage and the indices of the points at which it can be measured."""
        for plant in range(len(self.stances.feet)):
            here = np.flatnonzero(self._taken[:, plant] & self.measured)
            if len(here):
                yield plant, here

    def _played(
        self, plant: int, here: Int[np.ndarray, " some"], coefficients: Complex[np.ndarray, "some harmonics dofs"]
    ) -> Float[np.ndarray, "some samples 2"]:
        weights = self.weights[here]
        starts, lengths = weights @ self.stances.starts[:, plant], weights @ self.stances.lengths[:, plant]
        return self._resampled(self.stances.feet[plant], coefficients, starts, lengths)

    def _ideal(self, plant: int, here: Int[np.ndarray, " some"]) -> Float[np.ndarray, "some samples 2"]:
        return np.asarray(np.tensordot(self.weights[here], self._nodes[plant], axes=1))

    def _resampled(
        self,
        foot: int,
        coefficients: Complex[np.ndarray, "some harmonics dofs"],
        starts: Float[np.ndarray, " some"],
        lengths: Float[np.ndarray, " some"],
    ) -> Float[np.ndarray, "some samples 2"]:
        rows = coefficients if self._rows is None else coefficients[:, : self._rows]
        return np.asarray(self._spread @ self.tracer.trace(foot, rows, starts, lengths, self._frames))

    def _steps_known(self) -> Bool[np.ndarray, "nodes plants"]:
        """Which nodes take which step so that it can be measured."""
        ways = np.stack([np.linalg.norm(traces[:, -1] - traces[:, 0], axis=-1) for traces in self._nodes], axis=1)
        in_step = np.array([node.synchronised for node in self.network.nodes])
        return np.asarray(self.stances.known & (ways >= _NO_WAY) & in_step[:, None])


def distortion(network: Network, point: Point, *, joint: TracedPoint = "ankle") -> float:
    """The upper-harmonic distortion at one blending point, radians, both feet together.

    Raises ``MotionError`` where it cannot be measured: a node counts there that takes no step with one of its feet.
    """
    score = float(Yardstick(network, [point], joint=joint).measure().scores[0])
    if np.isnan(score):
        raise MotionError(f"no distortion at {tuple(point)}: a node with a weight there takes no step")
    return score


def aligned(traces: _Traces) -> tuple[_Traces, Float[np.ndarray, "*batch"]]:
    """Traces moved to start at the origin and turned to end on −z, and the angles of these turns.

    Angles are radians, left positive. A trace that ends where it began is not turned.
    """
    moved = traces - traces[..., :1, :]
    ends = moved[..., -1, 0] + 1j * moved[..., -1, 1]
    size = np.abs(ends)
    turn = np.divide(-1j * size, ends, out=np.ones_like(ends), where=size > 0.0)
    turn /= np.abs(turn)
    turned = (moved[..., 0] + 1j * moved[..., 1]) * turn[..., None]
    # From x towards z is to the right, seen from above.
    return np.stack([turned.real, turned.imag], axis=-1), np.asarray(-np.angle(turn))


def bearings(traces: _Traces) -> Float[np.ndarray, "*batch segments"]:
    """The arctangent of dx/dz, segment by segment, −π/2 … π/2; 0 where a trace rests."""
    steps = np.diff(traces, axis=-2)
    x, z = steps[..., 0], steps[..., 1]
    return np.asarray(np.arctan2(np.where(z < 0.0, -x, x), np.abs(z)))


@lru_cache(maxsize=16)
def _resampling(frames: int, samples: int) -> Float[np.ndarray, "samples frames"]:
    """The matrix that resamples the frames of a trace by Catmull–Rom."""
    return owned(catmull_rom(np.eye(frames), np.linspace(0.0, frames - 1.0, samples)))


def _stances(network: Network) -> Stances:
    lacking = [node.name for node in network.nodes if node.spectrum.contacts is None]
    if lacking:
        raise MotionError(f"no foot plants are known of {', '.join(lacking)}; prepare these motions with their plants")
    return Stances.of([node.spectrum.contacts for node in network.nodes if node.spectrum.contacts is not None])


def _weights(network: Network, points: Float[np.ndarray, "points axes"]) -> Float[np.ndarray, "points nodes"]:
    out = np.zeros((len(points), len(network.nodes)))
    for row, place in zip(out, network.places(points), strict=True):
        row[place.nodes] = place.weights
    return owned(out)
