"""Networks laid out by what players make of their motions: a place tells how fast its character is seen to go.

Captured roots and captured feet do not quite agree, and who leans into a turn goes round on a smaller circle than his
feet. Players go by the feet. So a blend half-way between sharp turns to both sides, which goes straight and upright, is
faster than either: along such an edge speed does not run evenly from one end to the other. There the network gets one
more node.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.building.build import Built
from mocapella.building.placement import TURN_AND_SPEED, sound_triangles
from mocapella.checks import NETWORK, refuse_other
from mocapella.errors import MotionError, NetworkError
from mocapella.geometry.simplices import flatness
from mocapella.geometry.triangulation import delaunay
from mocapella.motion.rates import STANDING, straight, turn_and_speed
from mocapella.playback.gaits import played_rates
from mocapella.storage.networks import Origin

STRAY = 0.03  # of its mean, by which speed may leave the range of an edge's ends, or run back
STOPS = 11  # places of an edge that are looked at
_MOST = 2  # times as many nodes as there were: then it is left as it is
_SAME = (0.5, 0.01)  # degrees per second and m/s: a node that lies no further off lies at its turn and speed
_FLAT = 1e-5  # the flatness of a triangle that is too thin to steer in

Triangle = tuple[int, ...]
Edge = tuple[int, int]


def as_played(network: Network, *, stray: float | int = STRAY, reckoned: Collection[str] = ()) -> Network:
    """The same network with its nodes at the speeds they are played at, and more of them where speed runs unevenly.

    An edge along which speed strays by more than ``stray`` of its mean, as played, is parted by a node: the blend
    there, at the speed that it has. Triangles are parted with it; where that lies inside of the outline, the outline
    comes in, for what lay beyond could not be gone anyway. Turns stay where they are: they are played as blended. An
    edge between two nodes that were ``reckoned`` from others, by name, stays whole: three captures make six nodes. So
    do those to a node with its own time, which stays where it is.

    Raises
    ------
    NetworkError
        For a network that is not laid out by turn and speed in a plane; for a ``stray`` that is no share.
    """
    if not 0.0 <= stray < np.inf:
        raise NetworkError(f"expected a share of the speed from 0 on that may stray, such as {STRAY:g}; got {stray!r}")
    reason = _why_not(network)
    if reason is not None:
        raise NetworkError(reason)
    nodes = [_at_its_speed(node) if node.synchronised else node for node in network.nodes]
    if network.corners.shape[1] < 3:  # a single motion, or a chain of straight ones, which goes evenly as it is
        return _remade(network, nodes, None)
    triangles = _joined(network, np.array([node.at for node in nodes]))
    made = _remade(network, nodes, triangles)
    known: dict[Edge, tuple[float, int]] = {}
    own_time = [not node.synchronised for node in nodes]
    made_up = [node.name in reckoned for node in nodes]
    pairs = itertools.combinations(range(len(nodes)), 2)
    # What is not to be parted, or cannot be.
    left: set[Edge] = {(a, b) for a, b in pairs if own_time[a] or own_time[b] or (made_up[a] and made_up[b])}
    while len(nodes) < _MOST * len(network.nodes):
        edges = {edge for triangle in triangles for edge in _edges(triangle)} - left
        known |= {edge: _along(made, edge) for edge in edges if edge not in known}
        worst = max(edges, key=lambda edge: known[edge][0], default=None)
        if worst is None or known[worst][0] <= stray:
            break
        x, y = point = _stops(made, worst)[known[worst][1]]
        motion = made.blend(point)
        parted = _parted(triangles, worst, len(nodes))
        points = made.points.tolist()
        # Between ends that lie close together its own place may be across another triangle: it stays on the edge then.
        fitting = [at for at in ((x, played_rates(motion)[1]), (x, y)) if _upright(np.array([*points, at]), parted)]
        if fitting:
            name = " to ".join(nodes[end].name for end in worst)
            nodes, triangles = [*nodes, Node(name, fitting[0], motion)], parted
            made = _remade(network, nodes, triangles)
        else:
            left.add(worst)
    return made


def _at_its_speed(node: Node) -> Node:
    """A node at the speed that it is played at."""
    return replace(node, at=(node.at[0], played_rates(node.spectrum)[1]))


def _joined(network: Network, points: Float[np.ndarray, "points 2"]) -> list[Triangle]:
    """The network's own triangles, or those that its nodes ask for at their new places."""
    own: list[Triangle] = [tuple(row) for row in network.corners.tolist()]
    if _upright(points, own):
        return own
    made = sound_triangles(points, TURN_AND_SPEED)
    return [tuple(row) for row in (delaunay(points) if made is None else made).tolist()]


def _remade(network: Network, nodes: list[Node], triangles: list[Triangle] | None) -> Network:
    return Network(nodes, triangles, rule=network.rule, harmonics=network.harmonics, outside=network.outside)


def built_as_played(built: Built, wanted: bool | None = None) -> Built:
    """What was built, laid out as played if that is ``wanted``; if nobody says, wherever it can be.

    Raises
    ------
    NetworkError
        Where it is wanted and cannot be.
    """
    reason = "lay the networks of a cascade out as played before they are joined"
    why_not = _why_not(built.network) if built.cascade is None else reason
    if wanted and why_not is not None:
        raise NetworkError(why_not)
    if wanted is False or why_not is not None:
        return built
    reckoned = [name for name, origin in built.origins.items() if origin.reckoned]
    network = as_played(built.network, reckoned=reckoned)
    parting = {name: Origin(f"blended: {name}") for name in network.names if name not in built.origins}
    return replace(built, network=network, origins={**built.origins, **parting})


def _why_not(network: Network) -> str | None:
    """What keeps a network from being laid out as played; None where nothing does."""
    refuse_other(network, Network, NETWORK)
    try:
        played_rates(network.nodes[0].spectrum)
    except MotionError as error:  # who has no legs is played as roots were captured
        return str(error)
    if network.n_axes != 2 or network.interpolant is not None:
        return f"{network!r} is no plane whose triangles say what counts; only such a one is laid out as played"
    if network.single_source is not None:
        return "lay a network out as played first, and set single-source harmonics up then"
    for node in network.nodes:
        turn, speed = turn_and_speed(node.spectrum)
        there = abs(node.at[0] - turn) < _SAME[0] or (node.at[0] == 0.0 and straight(node.spectrum))
        if not (there and abs(node.at[1] - speed) < _SAME[1]):
            return (
                f"node {node.name!r} lies at {node.at}, and turns by {turn:.1f}°/s at {speed:.2f} m/s; "
                "only networks laid out by turn (degrees per second) and speed are laid out as played"
            )
    return None


def strayed(speeds: Float[np.ndarray, " stops"]) -> float:
    """How far speeds along an edge run back, or leave the range of its ends; of their mean, or of who stands."""
    steps = np.diff(speeds) * np.sign(speeds[-1] - speeds[0])
    low, high = sorted((speeds[0], speeds[-1]))
    off = max(0.0, -steps.min(), low - speeds.min(), speeds.max() - high)
    return float(off / max(speeds.mean(), STANDING))


def _along(network: Network, edge: Edge) -> tuple[float, int]:
    """How far speed strays along an edge, and at which of its stops it is furthest off an even course."""
    speeds = np.array([played_rates(network.blend(stop))[1] for stop in _stops(network, edge)])
    even = np.linspace(speeds[0], speeds[-1], STOPS)
    return strayed(speeds), 1 + int(np.argmax(np.abs(speeds - even)[1:-1]))


def _stops(network: Network, edge: Edge) -> list[list[float]]:
    start, end = (network.points[node] for node in edge)
    stops: list[list[float]] = np.linspace(start, end, STOPS).tolist()
    return stops


def _edges(triangle: Triangle) -> list[Edge]:
    a, b, c = sorted(triangle)
    return [(a, b), (a, c), (b, c)]


def _parted(triangles: list[Triangle], edge: Edge, new: int) -> list[Triangle]:
    """The triangles with those of an edge cut in two by a new corner on it."""
    out: list[Triangle] = []
    for triangle in triangles:
        if edge in _edges(triangle):
            out += [tuple(new if corner == end else corner for corner in triangle) for end in edge]
        else:
            out.append(triangle)
    return out


def _upright(points: Float[np.ndarray, "points 2"], triangles: list[Triangle]) -> bool:
    """Whether all triangles go round anticlockwise, as they did, and none of them has become too thin."""
    corners = points[np.array(triangles)]
    scaled = corners / np.maximum(np.ptp(points, axis=0), 1e-12)
    (ax, ay), (bx, by), (cx, cy) = (scaled[:, i].T for i in range(3))
    turns = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    return bool((turns > 0.0).all() and flatness(scaled).min() > _FLAT)
