"""Where a transition's node goes in a block, and by which buffer triangles it is reached.

By default a node goes inside the plain triangle whose corners are most like it, and splits it in three. A mode that
opens these three closes the one below, so that the covered area stays the same and the node can be reached across every
edge. Where all triangles are taken it goes outside, beyond an edge of the outline. In a block that is laid out by turn
and speed, and is to stay so, it goes to its own turn and speed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from mocapella.blending.network import Network
from mocapella.errors import MotionError, NetworkError
from mocapella.geometry.simplices import axis_spread
from mocapella.hybrid.block import Block, Triangle
from mocapella.motion import kinematics
from mocapella.motion.layout import HEIGHT
from mocapella.motion.spectrum import Spectrum
from mocapella.motion.travel import stands, straight, turn_and_speed


class _PlacingSettings(NamedTuple):
    """How a node is placed, and how motions are compared for it."""

    least: float = 0.2  # a corner's share in the place of a node among three, at least, so that no triangle is thin
    most: float = 0.5  # the same, at most
    out: float = 0.5  # of an edge's length: as far beyond it a node lies
    thin: float = 0.08  # a corner's share in the place of a node that goes where its turn and speed are
    least_angle: float = math.radians(10.0)  # under which an edge is seen from a node beyond it
    same_turn: float = 0.5  # degrees per second: a node no further off lies at its turn
    same_speed: float = 0.02  # m/s, or share of the speed: a node no further off lies at its speed
    third: float = 0.5  # weight of the least similar corner when triangles are compared
    phases: int = 24  # of a cycle at which joints are compared
    ahead: float = 0.2  # seconds after which the places of two motions of unlike speed or turn are compared
    arm: float = 0.5  # metres from the vertical axis, at which a turn counts


_SET = _PlacingSettings()

Measure = Callable[[Spectrum], tuple[float, float]]  # turn rate (rad/s) and speed (m/s) of a motion


@dataclass(frozen=True)
class _NodePlacement:
    """A place for a node, and the triangles that lead there; the node's own name stands last in each."""

    at: tuple[float, float]
    buffers: tuple[Triangle, ...]
    opened: tuple[Triangle, ...] | None = None  # of a block too small for buffers: all its triangles from then on


def place_node(
    block: Block,
    name: str,
    motion: Spectrum,
    *,
    at: tuple[float, float] | None = None,
    beside: Sequence[tuple[str, str]] = (),
    measure: Measure | None = None,
) -> _NodePlacement:
    """Find a place for a node of this name and motion, which is in step with the block.

    ``at`` is its place; found if None. ``beside`` has pairs of nodes that make buffer triangles with it; chosen by
    similarity if empty. ``measure`` gives the turn rate (rad/s) and speed (m/s) of a motion: in a block whose nodes all
    lie at theirs, this one goes to its own, as long as that leaves room for triangles. None goes by similarity alone.
    Raises ``NetworkError`` where ``at`` lies in no triangle, or no place can be found.
    """
    network = block.network
    if len(network.corners[0]) < 3:
        return _off_the_line(network, name, at)
    if beside:
        return _beside(network, name, at, beside)
    if at is None and measure is not None and _laid_out_by(measure, block):
        placement = _by_rates(block, name, rates_of(motion, measure))
        if placement is not None:
            return placement
    unlike = {node.name: motion_distance(motion, node.spectrum) for node in network.nodes}
    corners = _around(network, at) if at is not None else _most_alike(block, unlike)
    if corners is None:
        return _outside(block, name, unlike)
    place = at or _among(network, corners, unlike)
    return _NodePlacement(place, tuple((a, b, name) for a, b in itertools.combinations(corners, 2)))


def _beside(
    network: Network, name: str, at: tuple[float, float] | None, pairs: Sequence[tuple[str, str]]
) -> _NodePlacement:
    """A place with a buffer triangle on each of some pairs of nodes."""
    for pair in pairs:
        if len({network.index(corner) for corner in pair}) != 2:
            raise NetworkError(f"a buffer triangle stands on two different nodes, got {' and '.join(pair)}")
    return _NodePlacement(at or _beyond(network, pairs), tuple((*pair, name) for pair in pairs))


def _most_alike(block: Block, unlike: Mapping[str, float]) -> Triangle | None:
    """The plain triangle most like a motion, of those that no transition's node lies in yet, if there is one left."""
    occupied = _occupied(block)
    free = [names for i, names in enumerate(block.plain) if i not in occupied]

    def cost(names: Triangle) -> float:
        near = sorted(unlike[name] for name in names)
        return near[0] + near[1] + _SET.third * near[2]

    return min(free, key=cost, default=None)


def _occupied(block: Block) -> set[int]:
    """The plain triangles that a transition's node lies in."""
    corners = {name for names in block.plain for name in names}
    places = [block.network.place(block.network.node(name).at) for name in sorted(block.transition_nodes - corners)]
    return {place.triangle for place in places if place.inside}


def rates_of(motion: Spectrum, measure: Measure | None) -> tuple[float, float]:
    """Where turn and speed place a motion: degrees per second, 0 for one that goes straight, and m/s.

    ``measure`` is the turn rate (rad/s) and speed (m/s); None takes those of the captured root.
    """
    turn, speed = turn_and_speed(motion)
    if measure is not None:
        with suppress(MotionError):  # without legs a character is moved by its captured root
            speed = measure(motion)[1]
    return 0.0 if straight(motion) else turn, speed


def _laid_out_by(measure: Measure, block: Block) -> bool:
    """Whether the nodes of a block that step lie at their turn and speed."""
    plain = {name for names in block.plain for name in names}
    nodes = [node for node in block.network.nodes if node.name in plain and not stands(node.spectrum)]
    for node in nodes:
        x, y = node.at
        turn, speed = turn_and_speed(node.spectrum)[0], rates_of(node.spectrum, measure)[1]
        at_turn = math.isclose(x, turn, abs_tol=_SET.same_turn) or (x == 0.0 and straight(node.spectrum))
        if not (at_turn and math.isclose(y, speed, rel_tol=_SET.same_speed, abs_tol=_SET.same_speed)):
            return False
    return bool(nodes)


def _by_rates(block: Block, name: str, at: tuple[float, float]) -> _NodePlacement | None:
    """A place in a block laid out by turn and speed; None where a node there would leave no room for triangles.

    Inside a triangle it keeps away from the edges, changing its turn rather than its speed. Outside it is joined to the
    edge of the outline that spans the widest angle from there.
    """
    network = block.network
    place = network.place(at)
    if place.inside:
        if place.triangle in _occupied(block):
            return None
        corners = network.triangles[place.triangle]
        points = network.points[[network.index(corner) for corner in corners]]
        buffers = tuple((a, b, name) for a, b in itertools.combinations(corners, 2))
        return _NodePlacement(_kept_off_edges(points, at), buffers)
    names, spread = network.names, axis_spread(network.points)
    edges = [(names[a], names[b]) for a, b in network.mesh.border.tolist()]

    def seen(pair: tuple[str, str]) -> float:
        """How wide the angle is under which an edge is seen from there."""
        a, b = (network.points[network.index(end)] / spread - np.array(at) / spread for end in pair)
        return abs(float(np.arctan2(a[0] * b[1] - a[1] * b[0], a @ b)))

    for pair in sorted(edges, key=seen, reverse=True):
        shape = [*network.points[[network.index(end) for end in pair]].tolist(), list(at)]
        if seen(pair) >= _SET.least_angle and not block.covers(shape):
            return _NodePlacement(at, ((*pair, name),))
    return None


def _kept_off_edges(points: Float[np.ndarray, "3 2"], at: tuple[float, float]) -> tuple[float, float]:
    """The point of a triangle at a speed that is nearest in turn and has a share of each corner, else nearly there."""
    inner = points + _SET.thin * 3.0 * (points.mean(axis=0) - points)  # the triangle in which every share is that large
    y = float(np.clip(at[1], inner[:, 1].min(), inner[:, 1].max()))
    crossings = []
    for a, b in itertools.combinations(inner, 2):
        if min(a[1], b[1]) <= y <= max(a[1], b[1]):
            share = 0.5 if a[1] == b[1] else (y - a[1]) / (b[1] - a[1])
            crossings.append(float(a[0] + share * (b[0] - a[0])))
    return float(np.clip(at[0], min(crossings), max(crossings))), y


def _outside(block: Block, name: str, unlike: Mapping[str, float]) -> _NodePlacement:
    """A place beyond the edge of the outline whose ends are most alike, where no other node's triangle is."""
    network = block.network
    edges = [(network.names[a], network.names[b]) for a, b in network.mesh.border.tolist()]
    for pair in sorted(edges, key=lambda ends: unlike[ends[0]] + unlike[ends[1]]):
        at = _beyond(network, [pair])
        shape = network.points[[network.index(end) for end in pair]].tolist()
        if not block.covers([*shape, list(at)]):
            return _NodePlacement(at, ((*pair, name),))
    raise NetworkError("no room is left inside the block or round it; say where this one goes")


def _among(network: Network, corners: Triangle, unlike: Mapping[str, float]) -> tuple[float, float]:
    """A place inside a triangle, nearer to the corners that are more alike."""
    shares = np.array([1.0 / max(unlike[name], 1e-6) for name in corners])
    shares /= shares.sum()
    shares = np.clip(shares, _SET.least, _SET.most)
    x, y = (shares / shares.sum()) @ network.points[[network.index(name) for name in corners]]
    return float(x), float(y)


def _around(network: Network, at: tuple[float, float]) -> Triangle:
    """The triangle that a place lies in."""
    place = network.place(at)
    if not place.inside:
        raise NetworkError(f"{at} lies outside of the block; name the nodes it is to stand beside as well")
    return network.triangles[place.triangle]


def _beyond(network: Network, beside: Sequence[tuple[str, str]]) -> tuple[float, float]:
    """A place beyond an edge of the outline; for several edges between them, beyond their middle."""
    spread = axis_spread(network.points)
    spots = network.points / spread
    ends = spots[[network.index(name) for name in sorted({name for pair in beside for name in pair})]]
    foot = ends.mean(axis=0)
    reach = float(np.linalg.norm(ends - foot, axis=1).max())
    along = ends[np.argmax(np.linalg.norm(ends - ends[0], axis=1))] - ends[0]  # the longest way between the nodes
    square = np.array([-along[1], along[0]]) / max(float(np.hypot(*along)), 1e-12)
    outward = square if square @ (foot - spots.mean(axis=0)) >= 0.0 else -square
    x, y = (foot + 2.0 * _SET.out * reach * outward) * spread
    return float(x), float(y)


def _off_the_line(network: Network, name: str, at: tuple[float, float] | None) -> _NodePlacement:
    """A place for a node in a block of one node or of nodes on a line; all triangles are then with it."""
    points = network.points
    if len(points) == 1:
        x, y = points[0].tolist()
        return _NodePlacement(at or (x + 1.0, y), (), ((network.names[0], name),))
    order = [network.names[i] for i in np.argsort(points @ (points[-1] - points[0]))]
    low, high = points[network.index(order[0])], points[network.index(order[-1])]
    along = high - low
    x, y = 0.5 * (low + high) + _SET.out * np.array([along[1], -along[0]])
    return _NodePlacement(at or (float(x), float(y)), (), tuple((a, b, name) for a, b in itertools.pairwise(order)))


def motion_distance(first: Spectrum, second: Spectrum) -> float:
    """How far apart two synchronised motions are, metres: joints as the character sees them (rms), and travel."""
    joints = np.sqrt(np.mean(np.sum((_joints(first) - _joints(second)) ** 2, axis=-1)))
    (turn, speed), (other_turn, other_speed) = turn_and_speed(first), turn_and_speed(second)
    travel = np.hypot(speed - other_speed, _SET.arm * np.radians(turn - other_turn)) * _SET.ahead
    return float(np.hypot(joints, travel))


def _joints(motion: Spectrum) -> Float[np.ndarray, "phases joints 3"]:
    """Joint positions round the cycle, the root above the origin."""
    if motion.layout is None:
        raise NetworkError("these harmonics have no layout, so they show no body")
    dofs = motion.frames(_SET.phases)
    roots = np.zeros((_SET.phases, 3))
    roots[:, 1] = dofs[:, HEIGHT]
    return kinematics.forward(motion.layout.skeleton, roots, motion.layout.rotations(dofs))[0]
