"""How a blending point moves along the outline of a network, and how points outside are brought in."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from mocapella.blending.network import Network
from mocapella.blending.places import FURTHEST, Place, Point
from mocapella.checks import reals
from mocapella.geometry.simplices import nearest_on_segments


class _SlidingSettings(NamedTuple):
    """Numbers of the way along an outline."""

    step: float = 1e-9  # of the way: how far beyond a border more network is looked for
    least_gain: float = 1e-12  # of the network's extent that a round comes nearer by; less is rounding
    rounds: int = 64  # of going straight on and sliding; a star of eight points takes a few


_SLIDING = _SlidingSettings()


def slide(network: Network, place: Place, point: Point) -> Place:
    """Go from a place towards a point without leaving the network: straight on, then along edges while that helps.

    In a convex network this ends at the nearest place, as ``network.place`` does; between the points of a star, where
    the nearest place may lie on the other side of a gap, it stays on this side. Axes count by their spread. Only a
    ``network`` of triangles that clamps has an outline to slide along. ``place`` is where the blending point is,
    ``point`` where it should go; a point inside the network is reached in any case.
    """
    goal = network.place(point, place)
    if goal.inside or network.corners.shape[1] != 3 or network.outside != "clamp" or network.mesh.convex:
        return goal
    scale = network.mesh.scale
    target = scale * np.array([float(x) for x in point])
    starts, ends = (scale * network.points[network.mesh.border[:, i]] for i in range(2))
    here = scale * np.array(place.point)
    least = _SLIDING.least_gain * float(np.ptp(starts, axis=0).max())
    for _ in range(_SLIDING.rounds):
        before = float(np.linalg.norm(target - here))
        here = _straight_on(network, here, target, starts, ends)
        here = _along(here, target, starts, ends, network.mesh.border)
        if float(np.linalg.norm(target - here)) >= before - least:
            break
    end = network.place((here / scale).tolist(), place)
    return Place(end.triangle, end.nodes, end.weights, end.point, inside=False)


def brought_in(network: Network, point: Point, hint: Place | None = None) -> tuple[float, ...]:
    """The blending point of a network that clamps, for a point that may lie outside.

    Every coordinate of ``point`` is first clamped to the range of the nodes in reach, so that a point far beyond one
    border of the ``network`` keeps its other coordinate instead of going to the nearest corner; then the nearest place
    of the outline is taken. ``hint`` is a place nearby, which makes finding it faster.
    """
    try:
        goal = reals(point)
    except (TypeError, OverflowError):
        goal = network.checked_point(point)  # raises with what was expected
    if max(map(abs, goal)) <= FURTHEST and network.holds(goal, hint):
        return goal
    reach = network.points[np.unique(network.corners)]
    boxed = tuple(np.clip(goal, reach.min(axis=0), reach.max(axis=0)).tolist())
    place = network.place(boxed, hint)
    return boxed if place.inside else place.point


def _straight_on(
    network: Network,
    here: Float[np.ndarray, 2],
    target: Float[np.ndarray, 2],
    starts: Float[np.ndarray, "edges 2"],
    ends: Float[np.ndarray, "edges 2"],
) -> Float[np.ndarray, 2]:
    """As far towards the target as the network goes without a break."""
    way, scale = target - here, network.mesh.scale
    edges, offsets = ends - starts, starts - here
    spins = way[0] * edges[:, 1] - way[1] * edges[:, 0]
    crossing = np.abs(spins) > 1e-15 * np.linalg.norm(way) * np.linalg.norm(edges, axis=1)
    safe = np.where(crossing, spins, 1.0)
    shares = (offsets[:, 0] * edges[:, 1] - offsets[:, 1] * edges[:, 0]) / safe
    along = (offsets[:, 0] * way[1] - offsets[:, 1] * way[0]) / safe
    met = crossing & (along >= -1e-12) & (along <= 1.0 + 1e-12) & (shares >= 0.0) & (shares <= 1.0)
    reached = 0.0
    for share in np.unique(shares[met]).tolist():
        # The network runs on to this border if it is there half-way, and ends where it is not just behind it.
        if network.mesh.find(((here + 0.5 * (reached + share) * way) / scale).tolist()) is None:
            break
        reached = share
        if network.mesh.find(((here + (share + _SLIDING.step) * way) / scale).tolist()) is None:
            break
    return np.asarray(here + reached * way)


def _along(
    here: Float[np.ndarray, 2],
    target: Float[np.ndarray, 2],
    starts: Float[np.ndarray, "edges 2"],
    ends: Float[np.ndarray, "edges 2"],
    border: Int[np.ndarray, "edges 2"],
) -> Float[np.ndarray, 2]:
    """Along the edges that the place lies on, and those that follow, as long as the target comes nearer."""
    extent = float(np.ptp(starts, axis=0).max())
    on = np.linalg.norm(nearest_on_segments(here, starts, ends) - here, axis=1) <= 1e-9 * extent
    feet = nearest_on_segments(target, starts, ends)
    apart = np.linalg.norm(feet - target, axis=1)
    best = float(np.linalg.norm(target - here))
    edges = set(np.flatnonzero(on).tolist())
    while edges:
        nearest = min(edges, key=lambda edge: float(apart[edge]))
        if apart[nearest] >= best * (1.0 - 1e-12):
            break
        here, best = feet[nearest], float(apart[nearest])
        ended = [
            node for node, side in zip(border[nearest], (starts, ends), strict=True) if (side[nearest] == here).all()
        ]
        edges = set(np.flatnonzero(np.isin(border, ended).any(axis=1)).tolist()) - {nearest}
    return np.asarray(here)
