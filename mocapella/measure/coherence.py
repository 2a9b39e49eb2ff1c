"""How well a network fits together: phases of its nodes, harmonics of a cycle, sweeps of the blending point."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Complex, Float, Int

from mocapella.analysis.fourier import analyse, synthesise
from mocapella.analysis.likeness import joint_places, mean_distance
from mocapella.arrays import freeze
from mocapella.blending.network import Network
from mocapella.blending.places import Point
from mocapella.errors import MotionError
from mocapella.geometry.simplices import axis_spread
from mocapella.motion.cycle import Cycle
from mocapella.motion.kinematics import forward
from mocapella.motion.travel import turn_and_speed
from mocapella.rig.legs import hip_angles

STEPS = 200  # of a sweep

_FRAMES = 64  # of a cycle, far more than the first harmonic needs
_NO_SWING = 1e-3  # radians; the phase angle of legs that swing less is noise
_PHASES = 8  # of the cycle at which poses are compared


def _hip_fundamentals(network: Network) -> Complex[np.ndarray, " nodes"]:
    """First harmonic of the left thigh's swing less the right's, of every node (thesis, appendix D)."""
    out = []
    for node in network.nodes:
        left, right = hip_angles(synthesise(node.spectrum.truncated(network.n_harmonics), _FRAMES)).T
        out.append(np.fft.rfft(left - right, norm="forward")[1])
    return np.array(out)


def edges(corners: Int[np.ndarray, "simplices corners"]) -> Int[np.ndarray, "edges 2"]:
    """Edges of segments, triangles or tetrahedra, each once.

    ``corners`` are indices of the nodes of every simplex, as ``Network.corners``.
    """
    pairs = list(itertools.combinations(range(corners.shape[1]), 2))
    return np.unique(np.sort(corners[:, pairs].reshape(-1, 2), axis=1), axis=0)


def _synchronised_edges(network: Network) -> tuple[Int[np.ndarray, "edges 2"], Bool[np.ndarray, " edges"]]:
    """The edges of a network, and which of them join two synchronised nodes."""
    pairs = edges(network.corners)
    return pairs, np.array([node.synchronised for node in network.nodes])[pairs].all(axis=1)


def phase_differences(network: Network) -> Float[np.ndarray, " edges"]:
    """Phase differences between nodes that share an edge, by the swing of their hips.

    Returns radians of the cycle, 0 … π; 0 where legs do not swing. Edges to unsynchronised nodes are left out.
    """
    pairs, in_step = _synchronised_edges(network)
    first, second = pairs[in_step].T
    swings = _hip_fundamentals(network)
    swing = np.minimum(np.abs(swings[first]), np.abs(swings[second])) > _NO_SWING
    return np.where(swing, np.abs(np.angle(swings[first] * np.conj(swings[second]))), 0.0)


def steepness(network: Network) -> Float[np.ndarray, " edges"]:
    """How much motion changes along each edge for the way in the plane, over the median of all edges.

    Motion changes by the mean distance of joints, in body sizes, and by the logarithm of the cycle's duration; axes
    count by the spread of the nodes.

    In the order of ``edges(network.corners)``; 1 for the median, 0 for edges to unsynchronised nodes.
    """
    pairs, in_step = _synchronised_edges(network)
    if not in_step.any():
        return np.zeros(len(pairs))
    shapes = [joint_places(synthesise(node.spectrum, _FRAMES)) for node in network.nodes]
    layout = network.layout
    assert layout is not None
    size = max(float(np.ptp(layout.skeleton.rest_positions, axis=0).max()), 1e-9)
    spots = network.points / axis_spread(network.points)
    seconds = np.log([node.spectrum.duration for node in network.nodes])
    out = np.zeros(len(pairs))
    for row in np.flatnonzero(in_step):
        a, b = pairs[row]
        changed = mean_distance(shapes[a], shapes[b]) / size + abs(seconds[a] - seconds[b])
        out[row] = changed / max(float(np.linalg.norm(spots[a] - spots[b])), 1e-9)
    return np.asarray(out / max(float(np.median(out[in_step])), 1e-9))


def node_errors(cycle: Cycle, harmonics: Sequence[int]) -> Float[np.ndarray, " counts"]:
    """Errors of a cycle made of its first harmonics, for some numbers of them (thesis, table 5.3).

    Mean distance of joints over the cycle, relative to the root; metres.
    """
    captured = _places(cycle)
    rebuilt = (synthesise(analyse(cycle, count), cycle.n_frames) for count in harmonics)
    return np.array([np.linalg.norm(_places(played) - captured, axis=-1).mean() for played in rebuilt])


def _places(cycle: Cycle) -> Float[np.ndarray, "frames joints 3"]:
    return forward(cycle.skeleton, np.zeros((cycle.n_frames, 3)), cycle.rotations_wxyz)[0]


@dataclass(frozen=True, eq=False)
class Sweep:
    """How the blend changes as the blending point moves through a network.

    Inside a triangle pose and speed change evenly; where the point crosses an edge, the rate of change jumps. How much
    it jumps depends on the places of the nodes, their density and the interpolant.
    """

    points: Float[np.ndarray, "steps 2"]
    travelled: Float[np.ndarray, " steps"]  # of the point, in the network's own units
    triangles: Int[np.ndarray, " steps"]
    pose_speeds: Float[np.ndarray, " gaps"]  # metres that joints move on average per unit of way, between the steps
    turn_rates: Float[np.ndarray, " steps"]  # degrees per second, left positive
    speeds: Float[np.ndarray, " steps"]  # m/s

    def __post_init__(self) -> None:
        freeze(self, np.float64, "points", "travelled", "pose_speeds", "turn_rates", "speeds")
        freeze(self, np.intp, "triangles")

    @property
    def crossings(self) -> Int[np.ndarray, " crossings"]:
        """Indices of the first steps in another triangle."""
        return np.flatnonzero(np.diff(self.triangles)) + 1

    @property
    def roughness(self) -> float:
        """The largest change of pose speed from one gap to the next, as a share of the mean: 0 is even."""
        mean = float(self.pose_speeds.mean())
        return float(np.abs(np.diff(self.pose_speeds)).max(initial=0.0)) / mean if mean > 0.0 else 0.0

    def turn_sensitivity(self, share: float | int = 0.5) -> float:
        """How much the turn rate changes per unit of way, degrees per second, after this share of the way."""
        i = int(np.clip(np.searchsorted(self.travelled, share * self.travelled[-1]), 1, len(self.travelled) - 1))
        return float((self.turn_rates[i] - self.turn_rates[i - 1]) / (self.travelled[i] - self.travelled[i - 1]))


def sweep(network: Network, stops: Sequence[Point], *, steps: int = STEPS) -> Sweep:
    """Move a blending point evenly along straight lines from stop to stop and measure its blend.

    Parameters
    ----------
    network
        In the plane, of motions that make a pose.
    stops
        Two places or more, such as the two that ``across`` gives.
    steps
        How many points to measure.

    Returns
    -------
    Sweep
        Pose speed, turn rate and speed along the way.

    Raises
    ------
    MotionError
        Where there are fewer than two different stops, or the network is not in the plane.
    """
    layout = network.layout
    if network.n_axes != 2 or layout is None:
        raise MotionError("expected a network in the plane whose motions have a layout")
    corners = np.array([[float(x) for x in stop] for stop in stops], dtype=np.float64).reshape(len(stops), -1)
    if len(corners) < 2 or corners.shape[1] != 2 or not np.isfinite(corners).all() or steps < 3:
        raise MotionError(f"expected two points (x, y) or more and three steps or more, got {list(stops)} and {steps}")
    at = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(corners, axis=0), axis=1))])
    if not 0.0 < at[-1] < math.inf:
        raise MotionError("expected different points to sweep between, got the same")
    travelled = np.linspace(0.0, at[-1], steps)
    points = np.stack([np.interp(travelled, at, corners[:, i]) for i in (0, 1)], axis=1)
    place, triangles, poses, rates = None, [], [], []
    for point in points.tolist():
        place = network.place(point, place)
        spectrum = network.blend(place)
        rotations = layout.rotations(spectrum.frames(_PHASES))
        poses.append(forward(layout.skeleton, np.zeros((_PHASES, 3)), rotations)[0])
        triangles.append(place.triangle)
        rates.append(turn_and_speed(spectrum))
    moved = np.linalg.norm(np.diff(np.array(poses), axis=0), axis=-1).mean(axis=(1, 2))
    turn_rates, speeds = np.array(rates).T
    return Sweep(points, travelled, np.array(triangles), moved / np.diff(travelled), turn_rates, speeds)


def across(network: Network) -> tuple[tuple[float, float], tuple[float, float]]:
    """The ends of a sweep across a network: along x at half its height, or from end to end of a chain.

    The network is in the plane and has two nodes or more.
    """
    points = network.points
    if len(points) == 1:
        raise MotionError("a network of a single motion has nothing to go across; a sweep needs two nodes or more")
    if network.corners.shape[1] < 3:
        ends = [points[network.corners[i, j]].tolist() for i, j in ((0, 0), (-1, -1))]
    else:
        middle = float(points[:, 1].min() + points[:, 1].max()) / 2.0
        sides = (float(points[:, 0].min()), float(points[:, 0].max()))
        ends = [list(network.place((x, middle)).point) for x in sides]  # an outline may slant
    return (ends[0][0], ends[0][1]), (ends[1][0], ends[1][1])
