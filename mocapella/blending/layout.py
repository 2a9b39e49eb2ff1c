"""Where motions lie in the plane by what they do, and which triangles make a sound network of them.

x is how fast a motion turns, degrees per second, left positive; y is how fast it goes, metres per second. A point of
such a network is a wish that can be said aloud: 20 degrees a second to the left at 1.3 m/s.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Int

from mocapella.blending import triangulation
from mocapella.blending.embedding import line_through
from mocapella.geometry.triangles import flatness
from mocapella.motion.cycle import Cycle
from mocapella.motion.spectrum import Spectrum

Places = Float[np.ndarray, "motions 2"]

STRAIGHT = 8.0  # degrees per second: who turns less walks straight, with the sway that walking has
STANDING = 0.1  # m/s: who goes slower, and straight, stands
APART = 0.08  # of the network's spread: motions nearer than this are takes of one thing
_LEAST_SPREAD = np.array([60.0, 0.5])  # takes of one thing do not become a network by being looked at closely
_SLIVER = 0.12  # height over longest edge, axes counting by their spread


def place_of(motion: Cycle | Spectrum) -> tuple[float, float]:
    """How fast a motion turns (degrees per second, left positive) and goes (m/s)."""
    return math.degrees(motion.turn / motion.duration), motion.speed


def stands(motion: Cycle | Spectrum) -> bool:
    """Whether a motion goes nowhere: it has no place by its travel, and no steps that others could be in step with."""
    turn_rate, speed = place_of(motion)
    return speed < STANDING and abs(turn_rate) < STRAIGHT


def places_of(motions: Sequence[Cycle | Spectrum]) -> list[tuple[float, float]]:
    """Where motions lie together.

    Where none of them turns all lie at x = 0: the little they turn by chance would make triangles too thin to steer in.
    Where all stand they lie in a ring.
    """
    if all(stands(motion) for motion in motions):
        return ring(len(motions))
    places = [place_of(motion) for motion in motions]
    straight = all(abs(turn_rate) < STRAIGHT for turn_rate, _ in places)
    return [(0.0, speed) for _, speed in places] if straight else places


def scaled(places: Places) -> Places:
    """The places with both axes counted by their spread, so that degrees and metres can be compared."""
    return np.asarray(places / np.maximum(np.ptp(places, axis=0), _LEAST_SPREAD))


def thinned(places: Places, doubts: Sequence[float], kinds: Sequence[str] | None = None) -> list[int]:
    """Which motions to keep so that no two lie on nearly one place: of several takes the one least in doubt.

    ``doubts`` are any numbers that are smaller for a better take. Motions of different ``kinds`` are no takes of one
    thing, wherever they lie; without kinds all are of one. The answer is in order.
    """
    spots = scaled(places)
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


def sound_triangles(points: Places) -> Int[np.ndarray, "triangles 3"] | None:
    """Delaunay's triangles without slivers along the outline; None where points on one line have none.

    Three motions at nearly one speed span a triangle too thin to steer in: a breath of speed would go from the left
    turn over the straight walk to the right turn. Without it points there go to the nearest edge. A triangle whose
    node would be left without any stays.
    """
    if line_through(points) is not None:
        return None
    spots = scaled(points)
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
