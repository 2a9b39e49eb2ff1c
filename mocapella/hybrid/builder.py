"""The builder of hybrid networks: transitions are added to blocks, each with a node and its buffer triangles."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from jaxtyping import Float

from mocapella.analysis.fourier import analyse, synthesise
from mocapella.analysis.synchronise import synchronised_to
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.checks import refuse_no_names
from mocapella.errors import NetworkError, warn
from mocapella.geometry.simplices import axis_spread
from mocapella.hybrid.network import ZONE, Arc, ArcEnd, Block, HybridNetwork, Mode, Triangle, unwarned
from mocapella.hybrid.transition import Transition
from mocapella.motion import kinematics
from mocapella.motion.cycle import Cycle, in_layout
from mocapella.motion.layout import HEIGHT
from mocapella.motion.skeleton import ANOTHER_UNIT, REMEDY, unlike
from mocapella.motion.spectrum import Spectrum, harmonic_ceiling
from mocapella.motion.travel import stands, turn_and_speed

# Where a transition's node goes in a block, and by which buffer triangles it is reached.
#
# Left to itself, a node goes inside the plain triangle whose corners are most like it, and splits it in three. A mode
# that opens these three closes the one below, so no place is lost, and every edge round it is a way in. Where all
# triangles are taken it goes outside, beyond an edge of the outline.

_LEAST, _MOST = 0.2, 0.5  # a corner's share in the place of a node among three: never so near that triangles are thin
_OUT = 0.5  # of an edge's length: as far beyond it a node lies
_THIRD = 0.5  # what the least similar corner of a triangle counts when triangles are compared


@dataclass(frozen=True)
class _NodePlacement:
    """A place for a node, and the triangles that lead there; the node's own name stands last in each."""

    at: tuple[float, float]
    buffers: tuple[Triangle, ...]
    opened: tuple[Triangle, ...] | None = None  # of a block too small for buffers: all its triangles from then on


def _place_node(
    block: Block,
    name: str,
    motion: Spectrum,
    *,
    at: tuple[float, float] | None = None,
    beside: Sequence[tuple[str, str]] = (),
) -> _NodePlacement:
    """Find a place for a node of this name and motion, which is in step with the block.

    Parameters
    ----------
    at
        Where it is to lie; found if None.
    beside
        Pairs of nodes that make buffer triangles with it; chosen by similarity if empty.

    Raises
    ------
    NetworkError
        Where ``at`` lies in no triangle, or no place can be found.
    """
    network = block.network
    if len(network.corners[0]) < 3:
        return _off_the_line(network, name, at)
    unlike = {node.name: motion_distance(motion, node.spectrum) for node in network.nodes}
    if beside:
        for pair in beside:
            if len({network.index(corner) for corner in pair}) != 2:
                raise NetworkError(f"a buffer triangle stands on two different nodes, got {' and '.join(pair)}")
        return _NodePlacement(at or _beyond(network, beside), tuple((*pair, name) for pair in beside))
    corners = _around(network, at) if at is not None else _most_alike(block, unlike)
    if corners is None:
        return _outside(block, name, unlike)
    place = at or _among(network, corners, unlike)
    return _NodePlacement(place, tuple((a, b, name) for a, b in itertools.combinations(corners, 2)))


def _most_alike(block: Block, unlike: Mapping[str, float]) -> Triangle | None:
    """The plain triangle most like a motion, of those that no transition's node lies in yet, if there is one left."""
    corners = {name for names in block.plain for name in names}
    places = [block.network.place(block.network.node(name).at) for name in sorted(block.transition_nodes - corners)]
    occupied = {place.triangle for place in places if place.inside}
    free = [names for i, names in enumerate(block.plain) if i not in occupied]

    def cost(names: Triangle) -> float:
        near = sorted(unlike[name] for name in names)
        return near[0] + near[1] + _THIRD * near[2]

    return min(free, key=cost, default=None)


def _outside(block: Block, name: str, unlike: Mapping[str, float]) -> _NodePlacement:
    """A place beyond the edge of the outline whose ends are most alike, where no other node's triangle is."""
    network = block.network
    names = network.names
    edges = [(names[a], names[b]) for a, b in network.mesh.border.tolist()]
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
    shares = np.clip(shares, _LEAST, _MOST)
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
    x, y = (foot + 2.0 * _OUT * reach * _outward(ends, foot, spots.mean(axis=0))) * spread
    return float(x), float(y)


def _outward(
    ends: Float[np.ndarray, "nodes 2"], foot: Float[np.ndarray, 2], middle: Float[np.ndarray, 2]
) -> Float[np.ndarray, 2]:
    """Square to the longest way between the nodes, away from the middle of the block."""
    along = ends[np.argmax(np.linalg.norm(ends - ends[0], axis=1))] - ends[0]
    square = np.array([-along[1], along[0]]) / max(float(np.hypot(*along)), 1e-12)
    return square if square @ (foot - middle) >= 0.0 else -square


def _off_the_line(network: Network, name: str, at: tuple[float, float] | None) -> _NodePlacement:
    """A place for a node in a block of one node or of nodes on a line; all triangles are then with it."""
    points = network.points
    if len(points) == 1:
        x, y = points[0] + [1.0, 0.0]
        place = at or (float(x), float(y))
        return _NodePlacement(place, (), ((network.names[0], name),))
    order = [network.names[i] for i in np.argsort(points @ (points[-1] - points[0]))]
    low, high = points[network.index(order[0])], points[network.index(order[-1])]
    along = high - low
    x, y = 0.5 * (low + high) + _OUT * np.array([along[1], -along[0]])
    return _NodePlacement(at or (float(x), float(y)), (), tuple((a, b, name) for a, b in itertools.pairwise(order)))


_PHASES = 24
_AHEAD = 0.2  # seconds after which the places of two motions of unlike speed or turn are compared
_ARM = 0.5  # metres from the vertical axis, at which a turn counts


def motion_distance(first: Spectrum, second: Spectrum) -> float:
    """How far apart two synchronised motions are, metres: joints as the character sees them (rms), and travel."""
    joints = np.sqrt(np.mean(np.sum((_joints(first) - _joints(second)) ** 2, axis=-1)))
    (turn, speed), (other_turn, other_speed) = turn_and_speed(first), turn_and_speed(second)
    travel = np.hypot(speed - other_speed, _ARM * np.radians(turn - other_turn)) * _AHEAD
    return float(np.hypot(joints, travel))


def _joints(motion: Spectrum) -> Float[np.ndarray, "phases joints 3"]:
    """Joint positions round the cycle, the root above the origin."""
    if motion.layout is None:
        raise NetworkError("these harmonics carry no layout, so they show no body")
    dofs = motion.frames(_PHASES)
    roots = np.zeros((_PHASES, 3))
    roots[:, 1] = dofs[:, HEIGHT]
    return kinematics.forward(motion.layout.skeleton, roots, motion.layout.rotations(dofs))[0]


_FRAMES = 64  # of a node's cycle while others are brought into step with it
HARMONICS = 10  # of a block that a transition founds
_VEERING = 40.0  # degrees a cycle: a motion that turns more is another one in the mirror


@dataclass(frozen=True)
class PlacementRequest:
    """How one end of a transition is put into its block; what is left out is found by similarity."""

    node: str = ""  # a node that is already there, to be shared; otherwise the new one's name
    at: tuple[float, float] | None = None
    beside: tuple[tuple[str, str], ...] = ()  # pairs of nodes it makes buffer triangles with


_ANYWHERE = PlacementRequest()


@dataclass(frozen=True, eq=False)
class HybridBuilder:
    """Builder for hybrid networks: add transitions to blocks, then define operating modes and call ``finished``.

    Parameters
    ----------
    blocks
        Networks of one skeleton by name; none to found all blocks on transitions.
    arcs
        Those there are already.

    Examples
    --------
    >>> from mocapella.actor import capture
    >>> from mocapella.building.build import build
    >>> from mocapella.hybrid.find import find_transition
    >>> walks = [capture(f"{pace} walk {way}")[0] for pace in ("slow", "fast") for way in ("straight", "left")]
    >>> twirl = find_transition(capture("walk-twirl-walk")[0], name="twirl")
    >>> HybridBuilder({"walking": build(walks).network}).with_transition(twirl, "walking").finished()
    HybridNetwork(1 blocks, 1 arcs, 2 modes)
    """

    blocks: Mapping[str, Block]
    arcs: tuple[Arc, ...] = ()

    def __init__(self, blocks: Mapping[str, Block | Network] = MappingProxyType({}), arcs: Sequence[Arc] = ()) -> None:
        refuse_no_names(blocks, "blocks by name, such as {'walking': network}")
        made = {name: Block(one) if isinstance(one, Network) else one for name, one in blocks.items()}
        object.__setattr__(self, "blocks", MappingProxyType(made))
        object.__setattr__(self, "arcs", tuple(arcs))

    def with_transition(
        self,
        transition: Transition,
        source: str,
        target: str | None = None,
        *,
        leaving: PlacementRequest = _ANYWHERE,
        arriving: PlacementRequest = _ANYWHERE,
        zone: float = ZONE,
        key: str = "",
        mirrored: bool = False,
        at_once: bool = False,
    ) -> HybridBuilder:
        """The builder with one more arc, its cycles in step with the blocks, its nodes in place.

        Parameters
        ----------
        source, target
            The blocks it leads from and to; a block that does not exist is founded on the transition's own cycle. Back
            to where it came from if ``target`` is None.
        leaving, arriving
            How its ends are put in. Ends that name a node that is there share it.
        zone, key
            What starts it.
        mirrored
            Play the mirror image where that comes round sooner; left out, with a warning, where the motion before it
            turns so much that its own mirror image is another motion.
        at_once
            Do not wait for the frame that the change begins with; only after standing.

        Raises
        ------
        NetworkError
            Where names are taken, skeletons differ, or a node finds no place.
        """
        if any(arc.name == transition.name for arc in self.arcs):
            raise NetworkError(f"there is an arc {transition.name!r} already; give the transition another name")
        blocks = dict(self.blocks)
        self._refuse_stranger(transition)
        stays = target is None
        start, before = _put(blocks, source, transition.before, leaving, transition.name + " before")
        if stays:
            end, after = start, _in_step(blocks[source], start.node, transition.after)
        else:
            end, after = _put(blocks, str(target), transition.after, arriving, transition.name + " after")
        synced = replace(transition, before=before, after=after)
        image = synced.mirrored() if mirrored and _even_sided(synced) else None
        arc = Arc(transition.name, synced, start, end, zone, key, image, at_once)
        return HybridBuilder(blocks, (*self.arcs, arc))

    def mode(self, name: str, arcs: Sequence[str] = (), *, key: str = "") -> Mode:
        """A mode in which these arcs are open: the buffer triangles of their nodes over what they cover."""
        known = [arc.name for arc in self.arcs]
        for arc in arcs:
            if arc not in known:
                raise NetworkError(f"mode {name!r} opens arc {arc!r}; there are {', '.join(known) or 'none'}")
        stops = [stop for arc in self.arcs if arc.name in arcs for stop in (arc.source, arc.target)]
        triangles = {}
        for block in dict.fromkeys(stop.block for stop in stops):  # in order: files are the same in every process
            nodes = {stop.node for stop in stops if stop.block == block}
            try:
                triangles[block] = self.blocks[block].armed(nodes)
            except NetworkError as error:
                raise NetworkError(f"mode {name!r}: {error}") from None
        return Mode(name, key, triangles, frozenset(arcs))

    def finished(self, modes: Sequence[Mode] = ()) -> HybridNetwork:
        """The hybrid network, with these modes.

        Without any there are two: ``"blend"``, with all plain triangles and no arc, and ``"armed"``, with every arc.
        """
        given = modes or (self.mode("blend"), self.mode("armed", [arc.name for arc in self.arcs]))
        return HybridNetwork(self.blocks, self.arcs, given if self.arcs else tuple(modes))

    def _refuse_stranger(self, transition: Transition) -> None:
        for name, block in self.blocks.items():
            layout = block.network.layout
            if layout is None or not layout.skeleton.same_as(transition.clip.skeleton):
                differing = "" if layout is None else f": {unlike(transition.clip.skeleton, layout.skeleton)}"
                text = f"transition {transition.name!r} has another skeleton than block {name!r}{differing}"
                raise NetworkError(text, helps=REMEDY, option=ANOTHER_UNIT)


def _put(blocks: dict[str, Block], name: str, cycle: Cycle, wish: PlacementRequest, title: str) -> tuple[ArcEnd, Cycle]:
    """Put a cycle into a block; where it stands then, and the cycle in step with its neighbours."""
    title = wish.node or title
    if name not in blocks:
        motion = analyse(cycle, min(HARMONICS, harmonic_ceiling(cycle.n_frames)))
        at = wish.at or ((0.0, 0.0) if stands(cycle) else turn_and_speed(cycle))
        blocks[name] = Block(Network([Node(title, at, motion)]), (), frozenset({title}))
        return ArcEnd(name, title), cycle
    block = blocks[name]
    if title in block.network.names:
        return ArcEnd(name, title), _in_step(block, title, cycle)
    alone = _keeps_time(block, cycle)
    written = in_layout(cycle, _kind(block))
    near = written if alone else synchronised_to(written, _cycles(block, block.network.names))
    try:
        place = _place_node(block, title, _motion(block, near), at=wish.at, beside=wish.beside)
    except NetworkError as error:
        raise NetworkError(f"block {name!r}, node {title!r}: {error}") from None
    corners = sorted({corner for names in place.buffers or place.opened or () for corner in names} - {title})
    synced = near if alone else synchronised_to(written, _cycles(block, corners))
    blocks[name] = _with_node(block, Node(title, place.at, _motion(block, synced), not alone), place)
    return ArcEnd(name, title), synced


def _with_node(block: Block, node: Node, place: _NodePlacement) -> Block:
    with unwarned():
        network = block.network.with_nodes([node], place.opened)
    return Block(network, (*block.buffers, *place.buffers), block.transition_nodes | {node.name})


def _in_step(block: Block, node: str, cycle: Cycle) -> Cycle:
    """A cycle in step with the motion of a node that it shares."""
    written = in_layout(cycle, _kind(block))
    return written if _keeps_time(block, cycle) else synchronised_to(written, _cycles(block, [node]))


def _keeps_time(block: Block, cycle: Cycle) -> bool:
    """Whether a cycle has no steps that others could be in step with, or the block has none."""
    return stands(cycle) or all(stands(node.spectrum) for node in block.network.nodes)


def _cycles(block: Block, names: Sequence[str]) -> list[Cycle]:
    """The cycles of some nodes, to be in step with; those that keep their own time say nothing about it."""
    nodes = [block.network.node(name) for name in names]
    stepping = [node for node in nodes if node.synchronised and not stands(node.spectrum)]
    return [synthesise(node.spectrum, _FRAMES) for node in stepping or nodes]


def _motion(block: Block, cycle: Cycle) -> Spectrum:
    return analyse(cycle, min(block.network.n_harmonics, harmonic_ceiling(cycle.n_frames)))


def _kind(block: Block) -> str:
    layout = block.network.layout
    assert layout is not None  # strangers were refused
    return layout.kind


def _even_sided(transition: Transition) -> bool:
    """Whether the motion that a change leaves is much the same in a mirror, half a cycle on; warns where it is not."""
    turn = float(np.degrees(transition.before.turn))
    if abs(turn) <= _VEERING:
        return True
    text = (
        f"{transition.name}: the motion before it turns by {turn:+.0f}° a cycle and its mirror image the other way, "
        "so the mirrored change does not fit; it is left out"
    )
    warn(text)
    return False
