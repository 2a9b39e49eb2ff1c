"""Motion graphs (KGP02): joins between captures, pruned until every node leads to every other."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import scipy
from jaxtyping import Bool, Complex, Float, Int

from mocapella.analysis.examined import examine
from mocapella.errors import MotionError
from mocapella.geometry.alignment import Alignment, ground_alignment
from mocapella.graphs.distance import DISTANCES, Windows, distances, windows_of
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET, Contacts

WINDOW = 0.33  # s of the crossover from one clip to another
_RATE = 30.0  # frames per second at which joins are searched
_APART = 0.25  # s: of joins nearer to each other in both clips the best one is kept
_ONESELF = 0.5  # s: a clip does not join itself nearer than that
_BLOCK = 512  # rows of the distance matrix that are there at once


@dataclass(frozen=True)
class Join:
    """A place where one clip can be joined to another, over the graph's window."""

    source: int  # clip
    leave: int  # its frame at which the blend begins
    target: int  # clip
    enter: int  # its frame at which the blend begins
    distance: float  # metres, or radians where angles were compared; root mean square over joints and window
    alignment: Alignment  # lays the target over the source


@dataclass(frozen=True, eq=False)
class MotionGraph:
    """Clips of one skeleton and the joins between them; every node can be reached from every other.

    A node is a frame of a clip at which there is a choice: where a join leaves, and where one has arrived.
    """

    clips: tuple[Clip, ...]
    contacts: tuple[Contacts, ...]
    joins: tuple[Join, ...]
    window: float = WINDOW  # seconds

    @property
    def n_blend(self) -> int:
        """Frames of a join."""
        return round(self.window * self.clips[0].frame_rate)

    @cached_property
    def nodes(self) -> Int[np.ndarray, "nodes 2"]:
        """Clip and frame of each node, in order."""
        places = {(join.source, join.leave) for join in self.joins}
        places |= {(join.target, join.enter + self.n_blend) for join in self.joins}
        return np.array(sorted(places), dtype=np.int64).reshape(-1, 2)

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """The ways between nodes: along a clip to the next node, or by a join."""
        number = {(int(clip), int(frame)): i for i, (clip, frame) in enumerate(self.nodes)}
        edges = []
        for i, (here, there) in enumerate(pairwise(self.nodes.tolist())):
            if here[0] == there[0]:
                edges.append(self.along(i, i + 1, here[0], here[1], there[1]))
        for k, join in enumerate(self.joins):
            source, target = number[join.source, join.leave], number[join.target, join.enter + self.n_blend]
            edges.append(self._by_join(source, target, k))
        return tuple(edges)

    @cached_property
    def leaving(self) -> tuple[tuple[Edge, ...], ...]:
        """The edges that leave each node."""
        out: list[list[Edge]] = [[] for _ in self.nodes]
        for edge in self.edges:
            out[edge.source].append(edge)
        return tuple(map(tuple, out))

    @property
    def is_strongly_connected(self) -> bool:
        """Whether every node reaches every node."""
        return len(self.nodes) > 0 and _components(len(self.nodes), self.edges)[0] == 1

    @property
    def n_frames(self) -> int:
        """Frames of all clips."""
        return sum(clip.n_frames for clip in self.clips)

    def __repr__(self) -> str:
        return f"MotionGraph({len(self.clips)} clips, {len(self.nodes)} nodes, {len(self.joins)} joins)"

    def along(self, source: int, target: int, clip: int, first: int, last: int) -> Edge:
        """The way from one node to another by frames of a clip; ``last`` may be one beyond its end."""
        motion = self.clips[clip]
        way = (motion.ground_path[first : last + 1] - motion.ground_path[first]) * np.exp(-1j * motion.headings[first])
        turn = float(motion.headings[min(last, motion.n_frames - 1)] - motion.headings[first])
        return Edge(source, target, clip, first, last - first, way, turn, None)

    def refuse_unknown(self, node: int) -> None:
        """Raise ``MotionError`` for a number that no node has."""
        if not 0 <= node < len(self.nodes):
            raise MotionError(f"the graph has {len(self.nodes)} nodes, from 0, so there is none numbered {node}")

    def _by_join(self, source: int, target: int, number: int) -> Edge:
        join, length = self.joins[number], self.n_blend
        before, after = self.clips[join.source], self.clips[join.target]
        shares = np.arange(length + 1) / length
        a = before.ground_path[join.leave : join.leave + length + 1]
        b = _laid(join.alignment, after.ground_path[join.enter : join.enter + length + 1])
        way = ((1.0 - shares) * a + shares * b - a[0]) * np.exp(-1j * before.headings[join.leave])
        turn = after.headings[join.enter + length] + join.alignment.yaw - before.headings[join.leave]
        return Edge(source, target, join.source, join.leave, length, way, float(turn), number)


@dataclass(frozen=True, eq=False)
class Edge:
    """A way from one node to another: frames of a clip, or a join."""

    source: int
    target: int
    clip: int
    first: int  # frame of the clip
    frames: int
    way: Complex[np.ndarray, " steps"]  # places z + ix as seen from the first frame, metres
    turn: float  # radians
    join: int | None

    @cached_property
    def lengths(self) -> Float[np.ndarray, " steps"]:
        """Metres walked to each place of the way."""
        return np.concatenate([[0.0], np.cumsum(np.abs(np.diff(self.way)))])

    @cached_property
    def length(self) -> float:
        """The length of the way, metres."""
        return float(self.lengths[-1])

    @cached_property
    def end(self) -> complex:
        """The last place."""
        return complex(self.way[-1])

    @cached_property
    def turned(self) -> complex:
        """The turn as a unit complex number."""
        return cmath.exp(1j * self.turn)

    @cached_property
    def middle(self) -> complex:
        """The middle of the bounding rectangle of the way."""
        low, high = (complex(pick(self.way.real), pick(self.way.imag)) for pick in (np.min, np.max))
        return 0.5 * (low + high)

    @cached_property
    def reach(self) -> float:
        """How far from the middle the way gets, metres."""
        return float(np.abs(self.way - self.middle).max())


def build_graph(
    clips: Sequence[Clip],
    *,
    threshold: float | None = None,
    window: float = WINDOW,
    distance: str = "clouds",
    device: str = "cpu",
    progress: Callable[[Sequence[tuple[int, int]]], Iterator[tuple[int, int]]] = iter,
) -> MotionGraph:
    """Find where clips look alike, and join them there.

    Clips are divided where frames are lost or jump. Candidates are the local minima of the distances between all pairs
    of frames, below a threshold, where the same feet are down all through the window. Dead ends, and parts that cannot
    be reached again, are pruned.

    Parameters
    ----------
    clips
        Of one skeleton and frame rate.
    threshold
        Distance at which two windows are alike: the root mean square over joints, 0.08 m where it is None; of angles
        0.13 radians.
    window
        Seconds of the crossover from one clip to the other.
    distance
        What is compared: ``"clouds"`` of joints, one laid over the other, or their ``"angles"`` and how these change,
        hips, knees, shoulders, elbows and spine alone.
    device
        What compares frames: ``"cpu"``, or ``"cuda"`` for a GPU (clouds).
    progress
        Goes through the pairs of clips, and may show how far it is.

    Returns
    -------
    MotionGraph
        The largest part in which every node reaches every other.

    Raises
    ------
    MotionError
        Where skeletons or rates differ, or nothing is alike enough to come back to anything.
    """
    _refuse_unlike(clips)
    motions = [part for clip in clips for part in _sound_parts(clip.captured, 3.0 * window)]
    if not motions:
        raise MotionError(f"no clip has {3.0 * window:g} s without a fault", helps="a shorter window helps")
    stride = max(1, round(motions[0].frame_rate / _RATE))
    contacts = [examine(clip).plants for clip in motions]
    windows = [windows_of(clip, distance=distance, window=window, stride=stride) for clip in motions]
    usual, unit = DISTANCES[distance]
    alike = usual if threshold is None else threshold
    length = round(window * motions[0].frame_rate)
    feet = [_feet_of(plants, len(rows), length, stride) for plants, rows in zip(contacts, windows, strict=True)]
    joins: list[Join] = []
    for a, b in progress([(a, b) for a in range(len(motions)) for b in range(len(motions))]):
        for i, j, apart in _minima(
            windows[a], windows[b], feet[a], feet[b], alike, motions[a].frame_rate, device, same=a == b
        ):
            joins.append(Join(a, i, b, j, apart, window_alignment(motions[a], motions[b], i, j, length)))
    graph = _pruned(MotionGraph(tuple(motions), tuple(contacts), tuple(joins), window))
    if not graph.joins:
        raise MotionError(
            f"the clips are never alike enough to come back to each other (threshold {alike:g} {unit})",
            helps="raise the threshold, or add clips",
        )
    return graph


def _sound_parts(clip: Clip, shortest: float) -> list[Clip]:
    """The parts of a clip between lost frames and jumps, which no walk should go through."""
    sound = examine(clip).sound
    out = []
    for stretch in sound.stretches:
        inside = sound.jumps[(sound.jumps > stretch.start) & (sound.jumps < stretch.stop)]
        edges = [stretch.start, *inside.tolist(), stretch.stop]
        parts = [(first, last) for first, last in pairwise(edges) if last - first >= shortest * clip.frame_rate]
        out += [clip[first:last] for first, last in parts]
    return out


def _minima(
    windows: Windows,
    other: Windows,
    feet: Bool[np.ndarray, "ones looks"],
    other_feet: Bool[np.ndarray, "others looks"],
    threshold: float,
    rate: float,
    device: str,
    *,
    same: bool,
) -> Iterator[tuple[int, int, float]]:
    """Frames of two clips at which their distance is least among their neighbours, block by block."""
    reach = max(1, round(_APART * rate / windows.stride))
    near = round(_ONESELF * rate / windows.stride)
    n_rows, n_columns = len(windows), len(other)
    for first in range(0, n_rows, _BLOCK):
        low, high = max(first - reach, 0), min(first + _BLOCK + reach, n_rows)
        apart = distances(windows.rows(low, high), other, device=device)
        apart[(feet[low:high, None] != other_feet[None]).any(axis=-1)] = np.inf
        if same:
            apart[np.abs(np.arange(low, high)[:, None] - np.arange(n_columns)) < near] = np.inf
        least = (apart == scipy.ndimage.minimum_filter(apart, 2 * reach + 1, mode="nearest")) & (apart < threshold)
        for i, j in np.argwhere(least).tolist():
            if first <= low + i < min(first + _BLOCK, n_rows):
                yield (low + i) * windows.stride, j * other.stride, float(apart[i, j])


def _feet_of(contacts: Contacts, n_rows: int, length: int, stride: int) -> Bool[np.ndarray, "rows looks"]:
    """Which feet are down at the beginning, the middle and the end of each window."""
    down = np.stack([contacts.planted(foot) for foot in FEET], axis=-1)
    starts = np.arange(n_rows) * stride
    return np.concatenate([down[starts + at] for at in (0, length // 2, length)], axis=-1)


def window_alignment(before: Clip, after: Clip, leave: int, enter: int, length: int) -> Alignment:
    """The alignment of the windows of two clips on the ground."""
    still, moved = before.positions[leave : leave + length + 1], after.positions[enter : enter + length + 1]
    return ground_alignment(still.reshape(-1, 3), moved.reshape(-1, 3))


def _laid(alignment: Alignment, places: Complex[np.ndarray, " steps"]) -> Complex[np.ndarray, " steps"]:
    """Ground places z + ix, turned and shifted."""
    pivot, shift = complex(alignment.pivot[1], alignment.pivot[0]), complex(alignment.z, alignment.x)
    return np.asarray((places - pivot) * np.exp(1j * alignment.yaw) + shift)


def _components(n_nodes: int, edges: Sequence[Edge]) -> tuple[int, Int[np.ndarray, " nodes"]]:
    """How many strongly connected parts there are, and the part of each node."""
    ends = np.array([[edge.source, edge.target] for edge in edges], dtype=np.int64).reshape(-1, 2)
    links = scipy.sparse.coo_matrix((np.ones(len(edges)), (ends[:, 0], ends[:, 1])), shape=(n_nodes, n_nodes))
    count, parts = scipy.sparse.csgraph.connected_components(links, directed=True, connection="strong")
    return int(count), np.asarray(parts, dtype=np.int64)


def _pruned(graph: MotionGraph) -> MotionGraph:
    """The joins of the largest strongly connected part, until nothing is left to prune."""
    while graph.joins:
        count, parts = _components(len(graph.nodes), graph.edges)
        if count == 1:
            break
        largest = int(np.argmax(np.bincount(parts)))
        strong = {
            edge.join for edge in graph.edges
            if edge.join is not None and parts[edge.source] == largest and parts[edge.target] == largest
        }  # fmt: skip
        graph = replace(graph, joins=tuple(join for number, join in enumerate(graph.joins) if number in strong))
    return graph


def _refuse_unlike(clips: Sequence[Clip]) -> None:
    if not clips:
        raise MotionError("there are no clips to make a graph of")
    for clip in clips[1:]:
        if not clip.skeleton.same_as(clips[0].skeleton):
            raise MotionError(f"{clip!r} has another skeleton than {clips[0]!r}", helps="retarget it first")
        if not math.isclose(clip.frame_rate, clips[0].frame_rate, rel_tol=1e-6):
            raise MotionError(f"{clip!r} has another frame rate than {clips[0]!r}", helps="resample it first")
