"""Walks through a motion graph: at random or along a path; and the clip that a walk is."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from jaxtyping import Bool, Complex, Float

from mocapella.checks import finite_number
from mocapella.editing.feet.lock import lock
from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.geometry.curves import smoothstep
from mocapella.graphs.graph import Edge, MotionGraph
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS, Contacts

CELL = 0.25  # m: places nearer to each other are one while searching
_BEARING = math.radians(20.0)  # likewise headings
_ALIKE = 1e-7  # m and radians: what rounding makes of equal places


@dataclass(frozen=True)
class _PathSearch:
    """How walks along a path are searched."""

    most: int = 4_000  # walks looked at for each step along a path
    beam: int = 48  # walks kept for each step
    step: float = 0.5  # m of a path from one selection to the next
    idle_cost: float = 0.1  # m² per idle second: swaying on the spot makes slow progress along a path, too
    idle: float = 0.2  # m/s: a walk that is slower on the whole idles


_SEARCH = _PathSearch()


@dataclass(frozen=True, eq=False)
class Walk:
    """A way through a graph: edges one after another, the last one perhaps cut short."""

    edges: tuple[Edge, ...]
    last_frames: int  # of the last edge
    cost: float  # metres walked, or what the search counted
    bound: float = 0.0  # no walk costs less; equal to the cost where the search has proved it best
    looked_at: int = 0  # nodes, by the search

    @property
    def gap(self) -> float:
        """How much more than the best possible it may cost, as a share; of walks that the search tells apart."""
        return self.cost / self.bound - 1.0 if self.bound > 0.0 else 0.0

    def __repr__(self) -> str:
        frames = sum(edge.frames for edge in self.edges[:-1]) + self.last_frames
        return f"Walk({len(self.edges)} edges, {frames} frames, cost {self.cost:.2f})"


@dataclass(frozen=True)
class _Spot:
    """A node, reached at a place with a heading."""

    node: int
    place: complex
    heading: float
    behind: tuple[_Spot, Edge] | None = None

    def by(self, edge: Edge) -> _Spot:
        """Where an edge leads."""
        place = self.place + edge.way[-1] * np.exp(1j * self.heading)
        return _Spot(edge.target, complex(place), self.heading + edge.turn, (self, edge))

    def way(self, edge: Edge) -> Complex[np.ndarray, " steps"]:
        """The places that an edge passes from here."""
        return np.asarray(self.place + edge.way * np.exp(1j * self.heading))

    def edges(self) -> list[Edge]:
        """The edges that led here, in order."""
        out: list[Edge] = []
        spot = self
        while spot.behind is not None:
            spot, edge = spot.behind
            out.append(edge)
        return out[::-1]


@dataclass(frozen=True)
class _Along:
    """A walk that has come some way along a path."""

    cost: float  # metres beside the path, times metres
    seconds: float
    walked: float  # metres
    spot: _Spot

    @property
    def rank(self) -> float:
        """The number by which walks are compared; the least is best."""
        return self.cost + _SEARCH.idle_cost * max(self.seconds - self.walked / _SEARCH.idle, 0.0)


def random_walk(graph: MotionGraph, seconds: float, *, rng: np.random.Generator, start: int | None = None) -> Walk:
    """A walk through ``graph`` that takes a random edge, by ``rng``, at each node, from ``start`` or any node.

    It lasts ``seconds``: its last edge is cut to length.
    """
    wanted = max(1, round(seconds * graph.clips[0].frame_rate))
    node = int(rng.integers(len(graph.nodes))) if start is None else start
    edges: list[Edge] = []
    frames = 0
    while frames < wanted:
        edge = graph.leaving[node][int(rng.integers(len(graph.leaving[node])))]
        edges.append(edge)
        frames += edge.frames
        node = edge.target
    length = sum(edge.length for edge in edges)
    return Walk(tuple(edges), edges[-1].frames - (frames - wanted), length, length)


def walk_along(
    graph: MotionGraph,
    path: Float[np.ndarray, "places 2"],
    *,
    start: int = 0,
    clips: Sequence[str] = (),
    stretches: Sequence[tuple[float | int, str]] = (),
    labels: Sequence[Sequence[tuple[int, int, str]]] = (),
) -> Walk:
    """A walk that keeps near a path, by beam search.

    Parameters
    ----------
    graph
        The graph.
    path
        Places (x, z) on the ground, metres; the first one is where the walk begins, and it sets out along the path.
    start
        The node to begin at.
    clips
        Names of clips that may be used; all if empty.
    stretches
        Which clip, or label, to use from which distance along the path on, metres: ``[(0, "walk"), (5, "tired")]``. A
        metre in another one counts as much as a metre off the path, so that there is a way from one to the next.
    labels
        What each clip of the graph shows: rows of first frame, last frame and label.

    Returns
    -------
    Walk
        Its cost is the mean distance from the path, plus the penalty for other clips than requested, metres.

    Raises
    ------
    MotionError
        For a path without length, and stretches that are not in order.
    """
    places = np.asarray(path[:, 1] + 1j * path[:, 0])
    along = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(places)))])
    if len(places) < 2 or not np.isfinite(along).all() or along[-1] <= 0.0:
        raise MotionError("a path needs at least two places that differ")
    allowed = may_use(graph, clips)
    other_clip = _other_clip(graph, stretches, labels)

    beam = [_Along(0.0, 0.0, 0.0, _Spot(start, complex(places[0]), float(np.angle(places[1] - places[0]))))]
    search = _BeamSearch(graph, places, along, allowed, other_clip)
    for reach in np.arange(_SEARCH.step, along[-1] + _SEARCH.step, _SEARCH.step):
        beam = search.grown(beam, reach)
        if not beam:
            break
    if not search.done:
        raise MotionError("no walk goes along the path to its end", helps="add clips, or a path with wider bends")
    best, edge, frames = min(search.done, key=lambda entry: entry[0].rank)
    return Walk((*best.spot.edges(), edge), frames, float(best.cost / along[-1]))


@dataclass(frozen=True, eq=False)
class _BeamSearch:
    """Walks along a path, the best of which go on from one distance to the next."""

    graph: MotionGraph
    places: Complex[np.ndarray, " places"]  # of the path, z + ix, metres
    along: Float[np.ndarray, " places"]  # distance of each from the first, metres
    allowed: Callable[[Edge], bool]
    other_clip: Callable[[Edge, Float[np.ndarray, " steps"]], Float[np.ndarray, " steps"]]  # penalty per metre
    done: list[tuple[_Along, Edge, int]] = field(default_factory=list)  # walks to the end, the last edge, its frames

    def grown(self, beam: Sequence[_Along], reach: float) -> list[_Along]:
        """The best walks, begun as those of a beam, that have come as far as ``reach`` metres along the path."""
        arrived: dict[tuple[int, int, int, int], _Along] = {}
        begun: dict[tuple[int, int, int, int], float] = {}
        waiting = list(beam)
        for _ in range(_SEARCH.most):
            if not waiting:
                break
            here = waiting.pop()
            for edge in self.graph.leaving[here.spot.node]:
                entry = self._extended(here, edge)
                if entry is None:
                    continue
                key = place_cell(entry.spot.node, entry.spot.place, entry.spot.heading)
                if entry.walked >= reach:
                    if key not in arrived or entry.rank < arrived[key].rank:
                        arrived[key] = entry
                elif key not in begun or entry.rank < begun[key]:  # or rounds on the spot would take all of the effort
                    begun[key] = entry.rank
                    waiting.append(entry)
        return sorted(arrived.values(), key=lambda entry: entry.rank)[: _SEARCH.beam]

    def _extended(self, walk: _Along, edge: Edge) -> _Along | None:
        """A walk and one edge more; None where that may not be used, or ends the path, which is noted in ``done``."""
        if not self.allowed(edge) or edge.length <= 0.0:
            return None
        way, rate = walk.spot.way(edge), self.graph.clips[0].frame_rate
        lengths = walk.walked + np.concatenate([[0.0], np.cumsum(np.abs(np.diff(way)))])
        apart = np.abs(way - self._at(lengths)) + self.other_clip(edge, lengths)
        end = int(np.searchsorted(lengths, self.along[-1]))
        if end < len(way):
            partial = float((apart[1 : end + 1] * np.diff(lengths)[:end]).sum())
            cost = walk.cost + partial + abs(way[end] - self.places[-1])
            self.done.append((_Along(cost, walk.seconds + end / rate, self.along[-1], walk.spot), edge, max(end, 1)))
            return None
        more = float((apart[1:] * np.diff(lengths)).sum())
        return _Along(walk.cost + more, walk.seconds + edge.frames / rate, float(lengths[-1]), walk.spot.by(edge))

    def _at(self, distances: Float[np.ndarray, " steps"]) -> Complex[np.ndarray, " steps"]:
        """Places of the path at some distances along it; its end beyond."""
        s = np.minimum(distances, self.along[-1])
        x, y = (np.interp(s, self.along, part) for part in (self.places.real, self.places.imag))
        return np.asarray(x + 1j * y)


def walk_clip(graph: MotionGraph, walk: Walk, *, name: str = "walk", feet: bool = True) -> tuple[Clip, Contacts]:
    """The clip of a ``walk`` through ``graph``: clips laid end to end, joins eased over the window, feet locked.

    It is called ``name`` and begins at the origin, heading +z; foot plants are carried over from the clips. Without
    ``feet`` they are not locked, but slide as joins make them.
    """
    first = graph.clips[walk.edges[0].clip]
    turn = -float(first.headings[walk.edges[0].first])
    shift = -first.ground_path[walk.edges[0].first] * np.exp(1j * turn)
    roots, rotations, down = [], [], []
    for number, edge in enumerate(walk.edges):
        part, masks = _played(graph, edge, walk.last_frames if number == len(walk.edges) - 1 else edge.frames)
        placed = part.turned(turn).moved(float(shift.imag), float(shift.real))
        roots.append(placed.root_positions)
        rotations.append(placed.rotations_wxyz)
        down.append(masks)
        if edge.join is not None:  # from here on the world is that of the next clip, laid over this one
            alignment = graph.joins[edge.join].alignment
            pivot, to = complex(alignment.pivot[1], alignment.pivot[0]), complex(alignment.z, alignment.x)
            shift = shift + (to - pivot * np.exp(1j * alignment.yaw)) * np.exp(1j * turn)
            turn += alignment.yaw
    masks = np.concatenate(down)
    clip = Clip(first.skeleton, np.concatenate(roots), np.concatenate(rotations), first.frame_rate, name=name)
    contacts = Contacts.from_masks({point: masks[:, i] for i, point in enumerate(FOOT_POINTS)})
    return (lock(clip, constraints=contacts).clip if feet else clip), contacts


def join_step(graph: MotionGraph, walk: Walk, clip: Clip) -> float:
    """The largest step of a joint at a join, relative to an ordinary one: the 99th percentile within the clips.

    Returns 0 where there are no joins.
    """
    steps = [np.linalg.norm(np.diff(motion.positions, axis=0), axis=-1).max(axis=-1) for motion in graph.clips]
    ordinary = float(np.percentile(np.concatenate(steps), 99.0))
    worst, frame = 0.0, 0
    for edge in walk.edges:
        last = min(frame + edge.frames + 1, clip.n_frames - 1)
        if edge.join is not None and last > frame:
            worst = max(worst, _largest_step(clip.positions[max(frame - 1, 0) : last + 1]))
        frame += edge.frames
    return worst / ordinary


def _largest_step(positions: Float[np.ndarray, "frames joints 3"]) -> float:
    return float(np.linalg.norm(np.diff(positions, axis=0), axis=-1).max()) if len(positions) > 1 else 0.0


def _played(graph: MotionGraph, edge: Edge, frames: int) -> tuple[Clip, Bool[np.ndarray, "frames points"]]:
    """The frames of an edge in its clip's own world, and when foot points are planted."""
    clip, contacts = graph.clips[edge.clip], graph.contacts[edge.clip]
    frames_used = slice(edge.first, edge.first + frames)
    masks = np.stack([contacts.planted(point)[frames_used] for point in FOOT_POINTS], axis=-1)
    if edge.join is None:
        return clip[frames_used], masks
    join = graph.joins[edge.join]
    after, entered = graph.clips[join.target], slice(join.enter, join.enter + frames)
    laid = after[entered].turned(join.alignment.yaw, about=(join.alignment.pivot[0], join.alignment.pivot[1]))
    laid = laid.moved(join.alignment.x - join.alignment.pivot[0], join.alignment.z - join.alignment.pivot[1])
    share = smoothstep(np.arange(frames) / edge.frames)
    other = np.stack([graph.contacts[join.target].planted(point)[entered] for point in FOOT_POINTS], axis=-1)
    blended = replace(
        clip[frames_used],
        root_positions=(1.0 - share)[:, None] * clip.root_positions[frames_used] + share[:, None] * laid.root_positions,
        rotations_wxyz=quaternions.slerp(clip.rotations_wxyz[frames_used], laid.rotations_wxyz, share[:, None]),
    )
    return blended, np.where((share < 0.5)[:, None], masks, other)


def may_use(graph: MotionGraph, names: Sequence[str]) -> Callable[[Edge], bool]:
    """A test of which edges a search may use.

    An edge, and a join with both its ends, must lie in clips of these ``names``; all may be used if there are none.
    Raises ``MotionError`` for a name that no clip has.
    """
    clip_names = dict.fromkeys(clip.name for clip in graph.clips)
    missing = [name for name in names if name not in clip_names]
    if missing:
        raise MotionError(f"the graph has no clip {missing[0]!r}; there are {', '.join(clip_names)}")
    chosen = {number for number, clip in enumerate(graph.clips) if clip.name in names}

    def allowed(edge: Edge) -> bool:
        ends = {edge.clip} if edge.join is None else {graph.joins[edge.join].source, graph.joins[edge.join].target}
        return not chosen or ends <= chosen

    return allowed


def _other_clip(
    graph: MotionGraph, stretches: Sequence[tuple[float | int, str]], labels: Sequence[Sequence[tuple[int, int, str]]]
) -> Callable[[Edge, Float[np.ndarray, " steps"]], Float[np.ndarray, " steps"]]:
    """The penalty per metre of an edge, step by step, where it is not of the requested clip or label."""
    begins = np.array([finite_number(begin, "a distance in metres") for begin, _ in stretches])
    _refuse_odd_stretches(graph, begins, [name for _, name in stretches], labels)

    def fits(edge: Edge, name: str) -> bool:
        middle = edge.first + edge.frames // 2
        here = {label for first, last, label in (labels[edge.clip] if labels else ()) if first <= middle <= last}
        return name in {graph.clips[edge.clip].name, *here}

    def cost(edge: Edge, lengths: Float[np.ndarray, " steps"]) -> Float[np.ndarray, " steps"]:
        if not len(begins):
            return np.zeros(len(lengths))
        stretch = np.searchsorted(begins, lengths, side="right") - 1
        fitting = np.array([fits(edge, name) for _, name in stretches])
        return np.where(stretch < 0, 0.0, np.where(fitting[np.maximum(stretch, 0)], 0.0, 1.0))

    return cost


def _refuse_odd_stretches(
    graph: MotionGraph,
    begins: Float[np.ndarray, " stretches"],
    names: Sequence[str],
    labels: Sequence[Sequence[tuple[int, int, str]]],
) -> None:
    if (np.diff(begins) <= 0.0).any():
        raise MotionError("stretches of a path are in order: the distances at which they begin rise")
    if labels and len(labels) != len(graph.clips):
        raise MotionError(expected=f"labels of {len(graph.clips)} clips", got=f"of {len(labels)}")
    choices = {clip.name for clip in graph.clips} | {label for rows in labels for _, _, label in rows}
    for name in names:
        if name not in choices:
            raise MotionError(f"the graph has no clip {name!r}; there are {', '.join(sorted(choices))}")


def place_cell(node: int, place: complex, heading: float, cell: float = CELL) -> tuple[int, int, int, int]:
    """The node, and where and how it was reached, roughly.

    ``place`` is on the ground, z + ix, metres; ``heading`` in radians. ``cell`` is the size of one place in metres; 0
    tells all places and headings apart, but for rounding.
    """
    bearing = math.remainder(heading, math.tau) / (_BEARING if cell > 0.0 else _ALIKE)
    wide = max(cell, _ALIKE)
    return node, round(place.real / wide), round(place.imag / wide), round(bearing)
