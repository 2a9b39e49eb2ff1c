"""Networks laid out by the speeds at which their motions are played.

The velocities of a captured root and of its planted feet differ a little, and players move a character by its feet. A
body that leans into a turn goes round a smaller circle than its feet, so an upright blend half-way between sharp turns
to both sides is played faster than either: speed is not monotonic along such an edge. The network gets one more node
there.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.building.gaits import name_by_place
from mocapella.building.layout.placement import LEFT_AND_AHEAD, TURN_AND_SPEED, Axes, sound_triangles
from mocapella.checks import NETWORK, refuse_other
from mocapella.errors import MotionError, NetworkError, warn
from mocapella.geometry.simplices import flatness
from mocapella.geometry.triangulation import delaunay
from mocapella.motion.spectrum import Spectrum
from mocapella.motion.travel import STANDING, straight, turn_and_speed

STRAY = 0.03  # share of an edge's mean speed by which speed may leave the range of its ends, or run back


class _PartingSettings(NamedTuple):
    """Numbers of edges that are parted."""

    stops: int = 11  # places of an edge at which speed is measured
    spot: float = 0.03  # of the network's spread: nodes that are nearer count as one place
    most: int = 2  # times the number of nodes that there were: no more are added
    same_turn: float = 0.5  # degrees per second: a node no further off lies at its turn
    same_speed: float = 0.01  # m/s: a node no further off lies at its speed
    flat: float = 1e-5  # flatness of a triangle that is too thin to steer in


_PARTING = _PartingSettings()

Measure = Callable[[Spectrum], tuple[float, float]]  # turn rate (rad/s) and speed (m/s) of a motion
Speed = Callable[[Spectrum], float]  # m/s at which a motion is played
Triangle = tuple[int, ...]
Edge = tuple[int, int]


def as_played(
    network: Network, measure: Measure, *, stray: float | int = STRAY, reckoned: Collection[str] = ()
) -> Network:
    """The network with its nodes at the speeds they are played at, and more nodes where speed is uneven on an edge.

    An edge is parted by a node, the blend there at its own speed, and the edge's triangles with it. Where that node
    lies inside the outline the outline moves in: the speeds beyond it cannot be played. Turns stay where they are, and
    so do nodes that keep their own time and the edges that lead to them. A node that parts an edge is named by its
    place, ``"walk 1.1 m/s, left 20°"``; the name of its motion says of which two nodes it was blended.

    Parameters
    ----------
    network
        In the plane, laid out by turn (degrees per second) and speed (m/s) of captured roots, or by their velocity to
        the left and ahead (m/s).
    measure
        Turn rate (rad/s) and speed (m/s) at which a motion is played, such as
        ``mocapella.gait.root_motion.played_rates``.
    stray
        Share of an edge's mean speed by which speed may leave the range of its ends, or run back, before it is parted.
    reckoned
        Names of nodes that were made of others; edges between two of them stay whole.

    Returns
    -------
    Network
        The same motions and rule, with at most twice as many nodes. Of nodes that only their played speeds put on one
        spot one stays; a warning names the others.

    Raises
    ------
    NetworkError
        For a network that is not laid out by turn and speed in a plane, or a ``stray`` that is no share.
    """
    if not 0.0 <= stray < np.inf:
        raise NetworkError(f"expected a share of the speed from 0 on that may stray, such as {STRAY:g}; got {stray!r}")
    reason = why_not_as_played(network, measure)
    if reason is not None:
        raise NetworkError(reason)

    def speed(motion: Spectrum) -> float:
        return measure(motion)[1]

    if not all(_at_its_turn(node) for node in network.nodes):
        return _at_played_velocities(network, speed)
    nodes, triangles = _at_played_speeds(network, speed)
    moved = network.remade(nodes, triangles)
    if triangles is None:
        return moved
    return _with_even_edges(moved, triangles, speed, stray, reckoned, _PARTING.most * len(network.nodes))


def _at_played_speeds(network: Network, speed: Speed) -> tuple[list[Node], list[Triangle] | None]:
    """The nodes at the speeds they are played at, and their triangles.

    A single motion, or a chain of straight ones, along which speed is monotonic, has none.
    """
    nodes = [
        replace(node, at=(node.at[0], speed(node.spectrum))) if node.synchronised else node for node in network.nodes
    ]
    nodes, on_one_spot = _parted_again(network, nodes)
    if on_one_spot:
        warn(f"left out, for as played they lie on nodes that they did not lie on: {', '.join(on_one_spot)}")
    if network.corners.shape[1] < 3 or len(nodes) < 3:
        return nodes, None
    return nodes, _joined(network, np.array([node.at for node in nodes]), anew=bool(on_one_spot))


def _with_even_edges(
    network: Network, triangles: list[Triangle], speed: Speed, stray: float, reckoned: Collection[str], most: int
) -> Network:
    """The network with edges parted, the worst first, until speed strays nowhere or there are ``most`` nodes."""
    nodes = list(network.nodes)
    fixed = _fixed_edges(nodes, reckoned)
    measured: dict[Edge, tuple[float, list[float]]] = {}
    while len(nodes) < most:
        edges = {edge for triangle in triangles for edge in _edges(triangle)} - fixed
        measured |= {edge: _along(network, edge, speed) for edge in edges if edge not in measured}
        worst = max(edges, key=lambda edge: measured[edge][0], default=None)
        if worst is None or measured[worst][0] <= stray:
            break
        x, y = point = measured[worst][1]
        motion = network.blend(point)
        parted = _parted(triangles, worst, len(nodes))
        points = network.points.tolist()
        # Between ends that lie close together its own place may be across another triangle: it stays on the edge then.
        fitting = [at for at in ((x, speed(motion)), (x, y)) if _upright(np.array([*points, at]), parted)]
        if not fitting:
            fixed.add(worst)
            continue
        name = name_by_place(motion, *fitting[0], taken=[node.name for node in nodes])
        motion = replace(motion, name=" and ".join(nodes[end].name for end in worst))
        nodes, triangles = [*nodes, Node(name, fitting[0], motion)], parted
        network = network.remade(nodes, triangles)
    return network


def _fixed_edges(nodes: Sequence[Node], reckoned: Collection[str]) -> set[Edge]:
    """Edges that are not parted: to nodes that keep their own time, and between two that were made of others."""
    return {
        (a, b)
        for (a, start), (b, end) in itertools.combinations(enumerate(nodes), 2)
        if not (start.synchronised and end.synchronised) or (start.name in reckoned and end.name in reckoned)
    }


def why_not_as_played(network: Network, measure: Measure) -> str | None:
    """The reason why a network cannot be laid out as played, as the text of an error; None if it can.

    ``measure`` is the turn rate (rad/s) and speed (m/s) at which a motion is played; a ``MotionError`` of it is such a
    reason.
    """
    refuse_other(network, Network, NETWORK)
    try:
        measure(network.nodes[0].spectrum)
    except MotionError as error:  # without legs the captured root moves a character
        return str(error)
    if network.n_axes != 2 or network.interpolant is not None:
        return f"{network!r} is not in the plane and blended by triangles; only such networks are laid out as played"
    if network.single_source is not None:
        return "lay a network out as played first, and set single-source harmonics up then"
    places = [LEFT_AND_AHEAD.measure(node.spectrum) for node in network.nodes]
    if np.abs(network.points - places).max() < _PARTING.same_speed:  # laid out by velocities
        return None
    for node in network.nodes:
        if not _at_its_turn(node):
            turn, speed = turn_and_speed(node.spectrum)
            return (
                f"node {node.name!r} lies at {node.at}, and turns by {turn:.1f}°/s at {speed:.2f} m/s; "
                "only networks laid out by turn (degrees per second) and speed are laid out as played"
            )
    return None


def _at_its_turn(node: Node) -> bool:
    turn, speed = turn_and_speed(node.spectrum)
    there = abs(node.at[0] - turn) < _PARTING.same_turn or (node.at[0] == 0.0 and straight(node.spectrum))
    return there and abs(node.at[1] - speed) < _PARTING.same_speed


def _at_played_velocities(network: Network, speed: Speed) -> Network:
    """A network by velocities with its nodes at their played speeds, each in its captured direction.

    Velocities blend evenly between any two nodes, so no edge is parted.
    """
    nodes = []
    for node in network.nodes:
        captured = node.spectrum.speed
        share = speed(node.spectrum) / captured if node.synchronised and captured >= STANDING else 1.0
        nodes.append(replace(node, at=tuple(share * at for at in node.at)))
    in_plane = network.corners.shape[1] == 3
    rows = _joined(network, np.array([node.at for node in nodes]), LEFT_AND_AHEAD) if in_plane else None
    return network.remade(nodes, rows)


def strayed(speeds: Float[np.ndarray, " stops"]) -> float:
    """How far speeds along an edge run back, or leave the range of its ends, as a share of their mean.

    The speeds (m/s) stand at even steps from one end to the other; 0 is for those that rise or fall all the way. The
    mean counts as that of standing at least.
    """
    steps = np.diff(speeds) * np.sign(speeds[-1] - speeds[0])
    low, high = sorted((speeds[0], speeds[-1]))
    off = max(0.0, -steps.min(), low - speeds.min(), speeds.max() - high)
    return float(off / max(speeds.mean(), STANDING))


def _joined(
    network: Network, points: Float[np.ndarray, "nodes 2"], axes: Axes = TURN_AND_SPEED, *, anew: bool = False
) -> list[Triangle]:
    """The network's own triangles; new ones if ``anew``, or where they turn over at the nodes' new places."""
    triangles: list[Triangle] = [tuple(row) for row in network.corners.tolist()]
    if not anew and _upright(points, triangles):
        return triangles
    sound = sound_triangles(points, axes)
    return [tuple(row) for row in (delaunay(points) if sound is None else sound).tolist()]


def _parted_again(network: Network, nodes: list[Node]) -> tuple[list[Node], list[str]]:
    """The nodes without those that their played speed puts on a spot that another has, and the names of these.

    Of two nodes the one stays whose played speed is nearer to that of its captured root: its feet slid less. Nodes that
    were as near to each other before stay.
    """
    was = TURN_AND_SPEED.scaled(network.points)
    now = TURN_AND_SPEED.scaled(np.array([node.at for node in nodes]))
    moved = np.abs(np.array([node.at[1] for node in nodes]) - network.points[:, 1])
    staying: list[int] = []
    for i in np.argsort(moved, kind="stable").tolist():
        met = (j for j in staying if np.hypot(*(now[i] - now[j])) < _PARTING.spot <= np.hypot(*(was[i] - was[j])))
        if not (nodes[i].synchronised and any(nodes[j].synchronised for j in met)):
            staying.append(i)
    return [nodes[i] for i in sorted(staying)], [nodes[i].name for i in range(len(nodes)) if i not in staying]


def _along(network: Network, edge: Edge, speed: Speed) -> tuple[float, list[float]]:
    """How far speed strays along an edge, and the point at which it is furthest from a straight line."""
    start, end = (network.points[node] for node in edge)
    stops: list[list[float]] = np.linspace(start, end, _PARTING.stops).tolist()
    speeds = np.array([speed(network.blend(stop)) for stop in stops])
    even = np.linspace(speeds[0], speeds[-1], _PARTING.stops)
    return strayed(speeds), stops[1 + int(np.argmax(np.abs(speeds - even)[1:-1]))]


def _edges(triangle: Triangle) -> list[Edge]:
    a, b, c = sorted(triangle)
    return [(a, b), (a, c), (b, c)]


def _parted(triangles: list[Triangle], edge: Edge, new: int) -> list[Triangle]:
    """The triangles with those of an edge cut in two by a new corner on it."""
    out: list[Triangle] = []
    for triangle in triangles:
        cut = [tuple(new if corner == end else corner for corner in triangle) for end in edge]
        out += cut if edge in _edges(triangle) else [triangle]
    return out


def _upright(points: Float[np.ndarray, "points 2"], triangles: list[Triangle]) -> bool:
    """Whether all triangles go round anticlockwise, as they did, and none of them has become too thin."""
    scaled = points[np.array(triangles)] / np.maximum(np.ptp(points, axis=0), 1e-12)
    (ax, ay), (bx, by), (cx, cy) = (scaled[:, i].T for i in range(3))
    turns = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    return bool((turns > 0.0).all() and flatness(scaled).min() > _PARTING.flat)
