"""Kinds of motion in a graph: nodes grouped by posture and speed, and which kinds can be reached from a node.

Groups are those of a Gaussian mixture; their number is chosen by Bayes' information criterion (Schwarz 1978).
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from mocapella.arrays import freeze
from mocapella.checks import refuse_no_whole
from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.graphs.graph import MotionGraph
from mocapella.motion.clip import Clip

DEPTH = 6  # joins that are looked ahead


@dataclass(frozen=True)
class _Grouping:
    """How nodes are grouped."""

    speed_weight: float = 0.25  # seconds: how much a metre per second counts beside a metre between joints
    numbers: int = 6  # principal components that are grouped
    most: int = 8  # groups at most
    rounds: int = 60  # of the fit, at most
    least: float = 1e-4  # metres²: no group is narrower


_GROUPING = _Grouping()


@dataclass(frozen=True, eq=False)
class _Clusters:
    """Groups of a graph's nodes."""

    of_node: Int[np.ndarray, " nodes"]
    speeds: Float[np.ndarray, " clusters"]  # m/s, means
    turns: Float[np.ndarray, " clusters"]  # rad/s, means, left positive

    def __post_init__(self) -> None:
        freeze(self, np.int64, "of_node")
        freeze(self, np.float64, "speeds", "turns")

    @property
    def n_clusters(self) -> int:
        """How many groups there are."""
        return len(self.speeds)

    def name(self, cluster: int) -> str:
        """A description of a group."""
        turn = float(self.turns[cluster])
        way = "straight" if abs(turn) < 0.15 else f"{'left' if turn > 0.0 else 'right'} {abs(turn):.1f} rad/s"
        speed = float(self.speeds[cluster])
        return "on the spot" if speed < 0.15 else f"{speed:.1f} m/s {way}"


@dataclass(frozen=True)
class _Reachable:
    """A kind of motion that can be reached from a node."""

    cluster: int
    joins: int  # at least
    seconds: float  # of the way with fewest joins


def find_clusters(graph: MotionGraph, *, most: int = _GROUPING.most, seed: int = 0) -> _Clusters:
    """Group the nodes of ``graph`` by posture and speed, in ``most`` groups at most; ``seed`` is that of the fit.

    Raises ``MotionError`` for a graph without nodes, or an invalid number of groups.
    """
    refuse_no_whole(most, "a number of groups from 1 on")
    if not len(graph.nodes):
        raise MotionError("this graph has no nodes")
    rows, rates = _rows(graph)
    centred = rows - rows.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    numbers = centred @ axes[: _GROUPING.numbers].T
    rng = np.random.default_rng(seed)
    tries = [_fitted(numbers, count, rng) for count in range(1, min(most, len(numbers) // 4 + 1) + 1)]
    of_node = min(tries, key=lambda grouping: grouping[1])[0]
    used, of_node = np.unique(of_node, return_inverse=True)
    means = np.array([rates[of_node == cluster].mean(axis=0) for cluster in range(len(used))])
    return _Clusters(of_node, means[:, 0], means[:, 1])


def reachable_from(graph: MotionGraph, clusters: _Clusters, node: int, *, depth: int = DEPTH) -> list[_Reachable]:
    """The kinds of motion that can be reached from a node by at most ``depth`` joins, those by fewest first.

    ``clusters`` are the groups of ``graph``. Raises ``MotionError`` for an unknown ``node``.
    """
    graph.refuse_unknown(node)
    rate = graph.clips[0].frame_rate
    best: dict[int, tuple[int, float]] = {node: (0, 0.0)}
    open_ = deque([node])
    while open_:  # edges along clips cost no join, so that they are gone before others
        here = open_.popleft()
        joins, seconds = best[here]
        for edge in graph.leaving[here]:
            there = (joins + (edge.join is not None), seconds + edge.frames / rate)
            if there[0] <= depth and there < best.get(edge.target, (math.inf, math.inf)):
                best[edge.target] = there
                (open_.append if edge.join is not None else open_.appendleft)(edge.target)
    reached: dict[int, tuple[int, float]] = {}
    for other, cost in best.items():
        cluster = int(clusters.of_node[other])
        reached[cluster] = min(reached.get(cluster, cost), cost)
    out = [_Reachable(cluster, joins, seconds) for cluster, (joins, seconds) in reached.items()]
    return sorted(out, key=lambda place: (place.joins, place.seconds))


def _rows(graph: MotionGraph) -> tuple[Float[np.ndarray, "nodes numbers"], Float[np.ndarray, "nodes 2"]]:
    """Postures about the root with their speeds, and speed and turn rate of every node."""
    rows, rates = [], []
    for clip, frame in graph.nodes.tolist():
        posture, rate = _look(graph.clips[clip], frame)
        rows.append(np.concatenate([posture, _GROUPING.speed_weight * math.sqrt(len(posture)) * np.array(rate)]))
        rates.append(rate)
    return np.array(rows), np.array(rates)


def _look(clip: Clip, frame: int) -> tuple[Float[np.ndarray, " numbers"], tuple[float, float]]:
    """A posture seen from the root's heading, averaged over a third of a second, and speed and turn rate there."""
    half = max(1, round(clip.frame_rate / 6.0))
    first, last = max(frame - half, 0), min(frame + half, clip.n_frames - 1)
    seconds = max(last - first, 1) / clip.frame_rate
    speed = float(np.abs(clip.ground_path[last] - clip.ground_path[first])) / seconds
    turn = float(clip.headings[last] - clip.headings[first]) / seconds
    seen = clip.positions[first : last + 1] - clip.positions[first : last + 1, :1]
    facing = quaternions.about_y(-clip.headings[first : last + 1])[:, None]
    return quaternions.rotate(facing, seen).mean(axis=0)[1:].ravel(), (speed, turn)


def _fitted(
    rows: Float[np.ndarray, "rows numbers"], count: int, rng: np.random.Generator
) -> tuple[Int[np.ndarray, " rows"], float]:
    """The group of each row in a mixture of so many, and the criterion: less is better."""
    n, d = rows.shape
    means = [rows[rng.integers(n)]]
    while len(means) < count:  # far from those there are
        far = np.min([np.square(rows - mean).sum(axis=1) for mean in means], axis=0)
        means.append(rows[rng.choice(n, p=far / far.sum())] if far.sum() > 0.0 else rows[rng.integers(n)])
    centre, share = np.array(means), np.full(count, 1.0 / count)
    spread = np.tile(rows.var(axis=0) + _GROUPING.least, (count, 1))
    total = -np.inf
    for _ in range(_GROUPING.rounds):
        off = np.square(rows[:, None] - centre) / spread
        logs = np.log(share) - 0.5 * (off + np.log(2.0 * math.pi * spread)).sum(axis=2)
        top = logs.max(axis=1, keepdims=True)
        part = np.exp(logs - top)
        likely = float((top[:, 0] + np.log(part.sum(axis=1))).sum())
        part /= part.sum(axis=1, keepdims=True)
        if likely - total < 1e-6 * abs(likely):
            break
        total = likely
        weight = part.sum(axis=0) + 1e-9
        share = weight / weight.sum()
        centre = part.T @ rows / weight[:, None]
        spread = np.einsum("rc,rcd->cd", part, np.square(rows[:, None] - centre)) / weight[:, None] + _GROUPING.least
    return part.argmax(axis=1), -2.0 * likely + (count * (2 * d + 1) - 1) * math.log(n)
