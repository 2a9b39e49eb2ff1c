"""Where motions lie in the plane by what they do, and which triangles make a sound network of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from jaxtyping import Int

from mocapella.blending import triangulation
from mocapella.blending.axes import TURN_AND_SPEED, Axes, Places, stands, straight
from mocapella.blending.embedding import line_through
from mocapella.geometry.triangles import flatness
from mocapella.motion.cycle import Cycle
from mocapella.motion.spectrum import Spectrum

APART = 0.08  # of the network's spread: motions nearer than this are takes of one thing
_SLIVER = 0.12  # height over longest edge, axes counting by their spread


def places_of(motions: Sequence[Cycle | Spectrum], axes: Axes = TURN_AND_SPEED) -> list[tuple[float, float]]:
    """Where motions lie together.

    Where turns count and none of them turns all lie at x = 0: the little they turn by chance would make triangles too
    thin to steer in. Where all stand they lie in a ring.
    """
    if all(stands(motion) for motion in motions):
        return ring(len(motions))
    places = [axes.measure(motion) for motion in motions]
    if axes.turns and all(straight(motion) for motion in motions):
        return [(0.0, speed) for _, speed in places]
    return places


def thinned(
    places: Places, doubts: Sequence[float], kinds: Sequence[str] | None = None, axes: Axes = TURN_AND_SPEED
) -> list[int]:
    """Which motions to keep so that no two lie on nearly one place: of several takes the one least in doubt.

    ``doubts`` are any numbers that are smaller for a better take. Motions of different ``kinds`` are no takes of one
    thing, wherever they lie; without kinds all are of one. The answer is in order.
    """
    spots = axes.scaled(places)
    kept: list[int] = []
    for i in sorted(range(len(places)), key=lambda i: (doubts[i], i)):
        alike = [j for j in kept if kinds is None or kinds[i] == kinds[j]]
        if all(np.hypot(*(spots[i] - spots[j])) >= APART for j in alike):
            kept.append(i)
    return sorted(kept)


def ring(count: int) -> list[tuple[float, float]]:
    """Places for motions that go nowhere: evenly round the origin, at distance 1, a pair below."""
    angles = [-math.pi / 2 + math.pi * (2 * i - 1) / count for i in range(count)]
    return [(0.0, 0.0)] if count == 1 else [(round(math.cos(a), 12), round(math.sin(a), 12)) for a in angles]


def sound_triangles(points: Places, axes: Axes = TURN_AND_SPEED) -> Int[np.ndarray, "triangles 3"] | None:
    """Delaunay's triangles without slivers along the outline; None where points on one line have none.

    Three motions at nearly one speed span a triangle too thin to steer in: a breath of speed would go from the left
    turn over the straight walk to the right turn. Without it points there go to the nearest edge. A triangle whose
    node would be left without any stays.
    """
    if line_through(points) is not None:
        return None
    spots = axes.scaled(points)
    rows = triangulation.delaunay(points).tolist()
    while True:
        thin = [row for row in rows if _peelable(row, rows, spots)]
        if not thin:
            return np.array(rows, dtype=np.intp)
        rows.remove(min(thin, key=lambda row: float(flatness(spots[row]))))


def _peelable(row: list[int], rows: list[list[int]], spots: Places) -> bool:
    """Whether a triangle is thin, has its longest edge alone on the outline, and is not the only one of a node."""
    if flatness(spots[row]) >= _SLIVER:
        return False
    edges = [(row[i], row[(i + 1) % 3]) for i in range(3)]
    a, b = max(edges, key=lambda edge: float(np.hypot(*(spots[edge[0]] - spots[edge[1]]))))
    others = [other for other in rows if other is not row]
    shared = any(a in other and b in other for other in others)
    return not shared and all(any(i in other for other in others) for i in row)
