"""Triangulations of points in the plane: Delaunay's, or given by hand and checked."""

from __future__ import annotations

import heapq
import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Bool, Float, Int

from mocapella.checks import shown
from mocapella.errors import NetworkError
from mocapella.geometry.mesh import Line
from mocapella.geometry.simplices import axis_spread, flatness, in_circle, orientation, overlap

FLAT = 1e-7  # the flatness below which a triangle is a line to us
_SLIVER = 0.12  # height over longest edge: a thinner triangle along the outline is no part of a sound network
_AT_ONCE = 100_000  # pairs of triangles looked at together
_CLOSE = 1e-9  # of the network's extent: nodes nearer than this lie on one place

Corners = Int[np.ndarray, "triangles 3"]
Points = Float[np.ndarray, "points 2"]


def join_nodes(
    points: Points, names: Sequence[str], line: Line | None, given: Int[np.ndarray, "simplices corners"] | None
) -> Int[np.ndarray, "simplices corners"]:
    """The simplices that join nodes: given triangles, checked, or Delaunay's; segments along a line; a point alone.

    Raises ``NetworkError`` where two nodes lie on one place, or given triangles are flat or cross.
    """
    refuse_duplicates(points, names)
    if len(points) == 1:
        return np.zeros((1, 1), dtype=np.intp)
    if line is not None:
        if given is not None and given.shape[1] == 3:
            raise NetworkError(f"all nodes lie on one line, so {len(given)} triangles over them are flat")
        order = np.argsort(line.coordinates(points)[:, 0])
        return np.stack([order[:-1], order[1:]], axis=1)
    if given is None:
        return delaunay(points)
    ordered = anticlockwise(points, given)  # which is what crossings are looked for in
    refuse_crossings(points, ordered, names)
    return ordered


def number_corners(
    triangles: Sequence[Sequence[str | int]], names: Sequence[str], sizes: tuple[int, int]
) -> Int[np.ndarray, "simplices corners"]:
    """Triangles as rows of node numbers; an error where they have not as many corners as ``sizes`` allow."""
    try:
        given = [tuple(row) for row in triangles]
    except TypeError:
        given = [()]
    if not all(given):
        raise NetworkError(
            f"expected triangles such as [({', '.join(map(repr, names[: sizes[1]]))})], by names or numbers of nodes, "
            f"got {shown(triangles)}"
        )
    numbers = {name: i for i, name in enumerate(names)}
    rows = [[_number(corner, numbers) for corner in row] for row in given]
    n_nodes = len(names)
    for row in rows:
        if len(set(row)) != len(row) or len(row) not in sizes:
            raise NetworkError(f"a triangle has {sizes[1]} different corners, got {list(row)}")
        if not all(0 <= i < n_nodes for i in row):
            raise NetworkError(f"nodes are numbered from 0 to {n_nodes - 1}, got {list(row)}")
    if not rows:
        raise NetworkError("expected at least one triangle, got an empty list; leave it out for Delaunay's")
    return np.array(rows, dtype=np.intp)


def _number(corner: object, numbers: Mapping[str, int]) -> int:
    """The number of a node that a triangle names, or gives by its number."""
    if isinstance(corner, str):
        if corner not in numbers:
            raise NetworkError(f"no node {corner!r}; there are {', '.join(numbers)}")
        return numbers[corner]
    if isinstance(corner, int | np.integer):
        return int(corner)
    raise NetworkError(f"expected corners by names or whole numbers of nodes, got {shown(corner)}")


def delaunay(points: Points) -> Corners:
    """The Delaunay triangulation: no triangle has another point inside the circle through its corners.

    Both axes count by their own spread, so units do not matter. Of the two diagonals of a rectangle the one that comes
    first in order of x, then y, is taken; ``flip_edge`` takes the other.

    There are at least three ``points``. Returns the numbers of each triangle's corners, anticlockwise. Raises
    ``NetworkError`` where all points lie on one line.
    """
    scaled = (points - points.min(axis=0)) / axis_spread(points)
    places = [(x, y) for x, y in scaled.tolist()]
    triangles = _swept(places)
    if not triangles:
        raise NetworkError(f"{len(points)} points on one line span no triangle")
    _flip_until_delaunay(places, triangles)
    corners = np.array(triangles, dtype=np.intp)
    corners = corners[flatness(scaled[corners]) >= FLAT]  # slivers that rounding leaves along the outline
    return np.asarray(corners[np.lexsort(np.sort(corners, axis=1).T[::-1])])


def _swept(places: Sequence[tuple[float, float]]) -> list[tuple[int, int, int]]:
    """Some triangulation: points are taken from left to right, each joined to all of the outline that it sees."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    lead = 2
    while lead < len(order) and orientation(*(places[order[i]] for i in (0, lead - 1, lead))) == 0:
        lead += 1
    if lead >= len(order):
        return []
    line, tip = order[:lead], order[lead]
    above = orientation(places[line[0]], places[line[-1]], places[tip]) > 0
    chain = line if above else line[::-1]
    triangles = [(a, b, tip) for a, b in itertools.pairwise(chain)]
    ring = [*chain, tip]  # anticlockwise
    after = dict(zip(ring, [*ring[1:], ring[0]], strict=True))
    before = {b: a for a, b in after.items()}
    last = tip
    for new in order[lead + 1 :]:
        # The point added last is the rightmost so far, so the new one sees the outline on one side of it or both.
        right = last
        while orientation(places[right], places[after[right]], places[new]) < 0:
            triangles.append((after[right], right, new))
            right = after[right]
        left = last
        while orientation(places[before[left]], places[left], places[new]) < 0:
            triangles.append((left, before[left], new))
            left = before[left]
        after[left], before[new], after[new], before[right] = new, left, right, new
        last = new
    return triangles


def _flip_until_delaunay(places: Sequence[tuple[float, float]], triangles: list[tuple[int, int, int]]) -> None:
    """Lawson's algorithm: flip the diagonal of every pair of triangles whose circles hold the other's corner."""
    owner: dict[tuple[int, int], int] = {}  # a directed edge belongs to the triangle on its left
    for t, (a, b, c) in enumerate(triangles):
        owner[a, b] = owner[b, c] = owner[c, a] = t
    doubtful = [edge for edge in owner if edge[0] < edge[1]]
    while doubtful:
        a, b = doubtful.pop()
        first, second = owner.get((a, b)), owner.get((b, a))
        if first is None or second is None:
            continue
        c, d = sum(triangles[first]) - a - b, sum(triangles[second]) - a - b
        if in_circle(places[a], places[b], places[c], places[d]) <= 0:
            continue
        triangles[first], triangles[second] = (a, d, c), (d, b, c)
        del owner[a, b], owner[b, a]
        owner[a, d] = owner[d, c] = owner[c, a] = first
        owner[d, b] = owner[b, c] = owner[c, d] = second
        doubtful += [(a, d), (d, b), (b, c), (c, a)]


def without_slivers(
    points: Points, corners: Corners, needed: Bool[np.ndarray, " triangles"] | None = None
) -> Int[np.ndarray, "fewer 3"]:
    """The triangles without thin ones whose longest edge is on the outline; ``needed`` ones stay.

    The only triangle of a node stays, too. Axes of ``points`` count alike.
    """
    heights = flatness(points[corners])
    slivers = heights < _SLIVER if needed is None else (heights < _SLIVER) & ~needed
    rows = corners.tolist()
    edges = [[frozenset((a, b)) for a, b in itertools.pairwise((*row, row[0]))] for row in rows]
    lengths = np.linalg.norm(points[np.roll(corners, -1, axis=1)] - points[corners], axis=2)
    longest = [sides[i] for sides, i in zip(edges, lengths.argmax(axis=1).tolist(), strict=True)]
    left = np.ones(len(rows), dtype=bool)
    beside, around = defaultdict[frozenset[int], set[int]](set), Counter[int]()  # triangles of edges, and of nodes
    for i, row in enumerate(rows):
        around.update(row)
        for edge in edges[i]:
            beside[edge].add(i)

    def loose(i: int) -> bool:
        """Whether its longest edge is on the outline, and it is not the only triangle of a node."""
        outer = len(beside[longest[i]]) == 1 and min(around[node] for node in rows[i]) > 1
        return bool(outer and left[i] and slivers[i])

    waiting = [(float(heights[i]), i) for i in range(len(rows)) if loose(i)]
    heapq.heapify(waiting)
    while waiting:  # the flattest first
        _, i = heapq.heappop(waiting)
        if not loose(i):
            continue
        left[i] = False
        around.subtract(rows[i])
        for edge in edges[i]:
            beside[edge].discard(i)
            for other in filter(loose, beside[edge]):
                heapq.heappush(waiting, (float(heights[other]), other))
    return np.asarray(corners[left])


def flip_edge(points: Points, corners: Corners, edge: tuple[int, int], names: Sequence[str]) -> Corners:
    """The same triangles with the other diagonal in the quadrangle that ``edge`` cuts in two.

    Raises ``NetworkError`` where the edge has not two triangles, or the other diagonal would leave the quadrangle.
    """
    sides = np.flatnonzero(np.isin(corners, edge).sum(axis=1) == 2)
    title = "–".join(names[i] for i in edge)
    if len(sides) != 2:
        why = "is on the outline" if len(sides) == 1 else "is not an edge of a triangle"
        raise NetworkError(f"{title} {why}; only a diagonal between two triangles can be flipped")
    ends = [int(next(v for v in corners[t] if v not in edge)) for t in sides]
    new = np.array([[edge[0], *ends], [edge[1], *ends]], dtype=np.intp)
    signs = [orientation(*points[row].tolist()) for row in new]
    if signs[0] * signs[1] >= 0 or flatness(points[new]).min() < FLAT:
        raise NetworkError(f"the quadrangle round {title} has a corner pointing in; its other diagonal lies outside")
    out = np.array(corners)
    out[sides] = anticlockwise(points, new)
    return out


def anticlockwise(points: Points, corners: Corners) -> Corners:
    """The same triangles with their corners in anticlockwise order."""
    a, b, c = (points[corners[:, i]] for i in range(3))
    right = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) < (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    return np.asarray(np.where(right[:, None], corners[:, [0, 2, 1]], corners))


def refuse_crossings(points: Points, corners: Corners, names: Sequence[str]) -> None:
    """Raise ``NetworkError`` for triangles that are flat, overlap, or have a node on another's edge."""

    def title(t: int) -> str:
        return "–".join(names[i] for i in corners[t].tolist())

    flat = np.flatnonzero(flatness(points[corners]) < FLAT)
    if flat.size:
        raise NetworkError(f"the corners of triangle {title(int(flat[0]))} lie on one line")
    if crossing := _first_crossing(points[corners]):
        first, second = map(title, crossing)
        raise NetworkError(f"triangles {first} and {second} cross; a point in both would have two blends")
    used = np.unique(corners)
    edges = np.sort(corners[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    edges, counts = np.unique(edges, axis=0, return_counts=True)
    for a, b in edges[counts == 1].tolist():  # a node on an edge that two triangles share would be inside of one
        along = points[b] - points[a]
        shares = (points[used] - points[a]) @ along / (along @ along)
        apart = np.linalg.norm(points[used] - points[a] - shares[:, None] * along, axis=1)
        on = used[(shares > _CLOSE) & (shares < 1.0 - _CLOSE) & (apart <= _CLOSE * np.linalg.norm(along))]
        if on.size:
            raise NetworkError(
                f"node {names[int(on[0])]!r} lies on the edge {names[a]}–{names[b]}; "
                "split the triangle there, or the blend leaps across the edge"
            )


def _first_crossing(shapes: Float[np.ndarray, "triangles 3 2"]) -> tuple[int, int] | None:
    """Two triangles whose insides meet, of few the first by their numbers; None where none do."""
    order = np.argsort(shapes[..., 0].min(axis=1), kind="stable")
    low, high = shapes[order].min(axis=1), shapes[order].max(axis=1)
    # From left to right: each is compared with those after it that begin before it ends.
    counts = np.searchsorted(low[:, 0], high[:, 0], side="left") - np.arange(1, len(order) + 1)
    start = 0
    while start < len(order):
        stop = start + 1 + int(np.searchsorted(np.cumsum(counts[start + 1 :]), _AT_ONCE, side="right"))
        earlier = np.repeat(np.arange(start, stop), counts[start:stop])
        firsts = np.cumsum(counts[start:stop]) - counts[start:stop]
        two = earlier + 1 + np.arange(len(earlier)) - np.repeat(firsts, counts[start:stop])
        near = (low[earlier, 1] < high[two, 1]) & (high[earlier, 1] > low[two, 1])
        a, b = order[earlier[near]], order[two[near]]
        a, b = np.minimum(a, b), np.maximum(a, b)
        meeting = overlap(shapes[a], shapes[b])
        if meeting.any():
            return min(zip(a[meeting].tolist(), b[meeting].tolist(), strict=True))
        start = stop
    return None


def refuse_duplicates(points: Float[np.ndarray, "points axes"], names: Sequence[str]) -> None:
    """Raise ``NetworkError`` where two nodes have one name or lie on one place."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise NetworkError(f"two nodes are called {name!r}; names tell nodes apart")
        seen.add(name)
    if pair := _first_close_pair(points, _CLOSE * float(np.ptp(points, axis=0).max())):
        i, j = pair
        raise NetworkError(
            f"nodes {names[i]!r} and {names[j]!r} both lie at {tuple(points[i].tolist())}; "
            "move one of them, or blend them into one first"
        )


def outline(border: Int[np.ndarray, "faces 2"]) -> tuple[tuple[int, ...], ...]:
    """The border as closed loops of nodes, the inside on the left: anticlockwise outside, clockwise round holes."""
    onward: dict[int, list[int]] = {}
    for a, b in border.tolist():
        onward.setdefault(a, []).append(b)
    loops: list[tuple[int, ...]] = []
    while onward:
        first = next(iter(onward))
        loop, here = [first], onward[first].pop()
        while here != first:
            loop.append(here)
            here = onward[here].pop()
        onward = {a: ends for a, ends in onward.items() if ends}
        loops.append(tuple(loop))
    return tuple(loops)


def _first_close_pair(points: Float[np.ndarray, "points axes"], apart: float) -> tuple[int, int] | None:
    """The first two points, by number, that are no further than ``apart`` from each other; None where all are."""
    size = apart if apart > 0.0 else 1.0
    cells: dict[tuple[int, ...], list[int]] = {}
    around = list(itertools.product((-1, 0, 1), repeat=points.shape[1]))
    best: tuple[int, int] | None = None
    places = points.tolist()
    for j, place in enumerate(places):
        cell = tuple(math.floor(value / size) for value in place)
        for step in around:
            for i in cells.get(tuple(map(sum, zip(cell, step, strict=True))), ()):
                if math.dist(places[i], place) <= apart and (best is None or (i, j) < best):
                    best = i, j
        cells.setdefault(cell, []).append(j)
    return best
