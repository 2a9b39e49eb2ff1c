"""Edges between blend spaces by computed blends, as Heck and Gleicher (2007) make them.

Samples of the first space are compared with samples of the second. Where windows of two motions look alike a blend may
lead over; the box about all such targets of a sample is what it reaches. At run time the boxes of the nearest samples
are interpolated, what was asked for is moved into the box, and the change is a blend over the window.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from mocapella.analysis.fourier import synthesise
from mocapella.arrays import freeze
from mocapella.blending.network import Network
from mocapella.checks import refuse_no_whole
from mocapella.errors import MotionError
from mocapella.graphs.distance import cloud_distances, clouds_of
from mocapella.graphs.graph import WINDOW, Edge, Join, MotionGraph, window_alignment
from mocapella.graphs.traversal import Walk, walk_clip
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import Contacts

_RATE = 60.0  # frames per second of the motions that are compared
_ROUNDS = 3  # of a cycle that a change is made of
Box = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class SpaceEdge:
    """An edge from one blend space to another."""

    source: Network
    target: Network
    points: Float[np.ndarray, "samples 2"]  # of the first space
    lows: Float[np.ndarray, "samples 2"]  # of the boxes in the second; NaN where none of its samples is near enough
    highs: Float[np.ndarray, "samples 2"]
    threshold: float  # metres

    def __post_init__(self) -> None:
        freeze(self, np.float64, "points", "lows", "highs")

    def box(self, point: tuple[float, float]) -> Box | None:
        """The box of points of the second space, low and high corner, that can be reached from a point of the first.

        None where one of the three nearest samples reaches nothing.
        """
        scale = np.maximum(np.ptp(self.source.points, axis=0), 1e-9)
        far = np.linalg.norm((self.points - np.asarray(point)) / scale, axis=1)
        near = np.argsort(far, kind="stable")[:3]
        if np.isnan(self.lows[near]).any():
            return None
        shares = 1.0 / np.maximum(far[near], 1e-6)
        shares /= shares.sum()
        return shares @ self.lows[near], shares @ self.highs[near]


@dataclass(frozen=True, eq=False)
class SpaceChange:
    """A change from one space to another by a blend."""

    clip: Clip  # a round of the first motion, the blend, and two rounds of the second
    blended: tuple[int, int]  # first and last frame of the blend
    given: tuple[float, float]  # the point of the second space, within the box
    distance: float  # of the windows that are blended, metres


def space_edge(
    source: Network, target: Network, *, samples: int = 24, threshold: float = 0.08, seed: int = 0
) -> SpaceEdge:
    """Find the edge from one blend space to another.

    Parameters
    ----------
    source, target
        Networks in the plane, of one skeleton.
    samples
        Motions of each that are compared.
    threshold
        Root mean square distance of joints over the window at which motions are near enough, metres.
    seed
        Of the samples.

    Returns
    -------
    SpaceEdge
        Boxes of what can be reached, sample by sample.

    Raises
    ------
    MotionError
        For no samples, and networks that are not in the plane.
    """
    refuse_no_whole(samples, "a number of samples from 1 on")
    if any(network.points.shape[1] != 2 for network in (source, target)):
        raise MotionError("edges between spaces need networks in the plane")
    rng = np.random.default_rng(seed)
    points, others = (_random_points(network, samples, rng) for network in (source, target))
    clouds, there = (
        [clouds_of(_motion(network, point, 2), window=WINDOW, stride=2) for point in sampled]
        for network, sampled in ((source, points), (target, others))
    )
    lows, highs = np.full((samples, 2), np.nan), np.full((samples, 2), np.nan)
    for number, cloud in enumerate(clouds):
        near = np.array([cloud_distances(cloud, other).min() for other in there]) < threshold
        if near.any():
            lows[number], highs[number] = others[near].min(axis=0), others[near].max(axis=0)
    return SpaceEdge(source, target, points, lows, highs, threshold)


def change_space(edge: SpaceEdge, point: tuple[float, float], wanted: tuple[float, float]) -> SpaceChange | None:
    """The change from ``point`` of one space to one of the other, as near to ``wanted`` as the box of ``edge`` allows.

    None where there is no edge at that point.
    """
    box = edge.box(point)
    if box is None:
        return None
    given = edge.target.place(np.clip(wanted, *box).tolist()).point
    before, after = _motion(edge.source, np.asarray(point), _ROUNDS), _motion(edge.target, np.asarray(given), _ROUNDS)
    n_blend = round(WINDOW * _RATE)
    apart = cloud_distances(clouds_of(before, window=WINDOW), clouds_of(after, window=WINDOW))
    first, last = before.n_frames // _ROUNDS, after.n_frames // _ROUNDS
    rows = apart[first : 2 * first, :last]  # leave in the second round, enter in the first
    leave, enter = (int(i) for i in np.unravel_index(int(rows.argmin()), rows.shape))
    leave += first
    join = Join(0, leave, 1, enter, float(rows.min()), window_alignment(before, after, leave, enter, n_blend))
    none = tuple(Contacts(clip.n_frames) for clip in (before, after))
    graph = MotionGraph((before, after), none, (join,), WINDOW)
    nothing = np.zeros(1, dtype=np.complex128)
    rest = min(2 * last, after.n_frames - enter - n_blend)
    edges = (
        Edge(0, 0, 0, leave - first, first, nothing, 0.0, None),
        Edge(0, 1, 0, leave, n_blend, nothing, 0.0, 0),
        Edge(1, 1, 1, enter + n_blend, rest, nothing, 0.0, None),
    )
    clip, _ = walk_clip(graph, Walk(edges, rest, 0.0), name="change", feet=False)
    return SpaceChange(clip, (first, first + n_blend), (given[0], given[1]), join.distance)


def _motion(network: Network, point: np.ndarray, rounds: int) -> Clip:
    """Some rounds of a blend as a clip."""
    spectrum = network.blend(network.place(point.tolist()))
    return synthesise(spectrum, max(8, round(spectrum.duration * _RATE))).to_clip(rounds).resampled(_RATE)


def _random_points(network: Network, count: int, rng: np.random.Generator) -> Float[np.ndarray, "samples 2"]:
    points = rng.uniform(network.points.min(axis=0), network.points.max(axis=0), (count, 2))
    return np.array([network.place(point).point for point in points.tolist()])
