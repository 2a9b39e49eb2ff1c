"""The builder of hybrid networks: transitions are added to blocks, each with a node and its buffer triangles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType

import numpy as np

from mocapella.analysis.fourier import analyse, synthesise
from mocapella.analysis.synchronise import synchronised_to
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.checks import explained, refuse_other
from mocapella.errors import NetworkError, warn
from mocapella.hybrid.block import Block, unwarned
from mocapella.hybrid.buffer_places import Measure, place_node, rates_of
from mocapella.hybrid.hybrid_network import ZONE, Arc, ArcEnd, HybridNetwork, Mode
from mocapella.hybrid.transition import Transition
from mocapella.motion.cycle import Cycle, in_layout
from mocapella.motion.skeleton import ANOTHER_UNIT, REMEDY, unlike
from mocapella.motion.spectrum import Spectrum, harmonic_ceiling
from mocapella.motion.travel import stands, turn_and_speed

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


@explained
@dataclass(frozen=True, eq=False)
class HybridBuilder:
    """Builder for hybrid networks: add transitions to blocks, then define operating modes and call ``finished``.

    Parameters
    ----------
    blocks
        Networks of one skeleton by name; empty to create all blocks from transitions.
    arcs
        Existing arcs.
    measure
        Turn rate (rad/s) and speed (m/s) at which a motion is played: in blocks whose nodes lie at these, nodes of
        transitions do too, where there is room. None puts them among the nodes that are most like them.

    Examples
    --------
    >>> from mocapella.actor import capture
    >>> from mocapella.building.build import build
    >>> from mocapella.hybrid.transition_search import find_transition
    >>> walks = [capture(f"{pace} walk {way}")[0] for pace in ("slow", "fast") for way in ("straight", "left")]
    >>> twirl = find_transition(capture("walk-twirl-walk")[0], name="twirl")
    >>> HybridBuilder({"walking": build(walks).network}).with_transition(twirl, "walking").finished()
    HybridNetwork(1 block, 1 arc, 2 modes)
    """

    blocks: Mapping[str, Block]
    arcs: tuple[Arc, ...] = ()
    measure: Measure | None = None

    def __init__(
        self,
        blocks: Mapping[str, Block | Network] = MappingProxyType({}),
        arcs: Sequence[Arc] = (),
        *,
        measure: Measure | None = None,
    ) -> None:
        refuse_other(blocks, Mapping, "blocks by name, such as {'walking': network}")
        as_blocks = {name: Block(block) if isinstance(block, Network) else block for name, block in blocks.items()}
        object.__setattr__(self, "blocks", MappingProxyType(as_blocks))
        object.__setattr__(self, "arcs", tuple(arcs))
        object.__setattr__(self, "measure", measure)

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
        transition
            The captured change, as ``find_transition`` gives it.
        source, target
            The blocks it leads from and to; a block that does not exist is created with the transition's own cycle.
            Back to where it came from if ``target`` is None.
        leaving, arriving
            How its ends are put in. Ends that name a node that is there share it.
        zone, key
            What starts it.
        mirrored
            Also allow the mirrored change, where its start comes first; left out, with a warning, where the motion
            before it turns so much that its mirror image is another motion.
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
        self._refuse_unlike(transition)
        stays = target is None
        start, before = _put(blocks, source, transition.before, leaving, transition.name + " before", self.measure)
        if stays:
            end, after = start, _in_step(blocks[source], start.node, transition.after)
        else:
            end, after = _put(blocks, str(target), transition.after, arriving, transition.name + " after", self.measure)
        synced = replace(transition, before=before, after=after)
        image = synced.mirrored() if mirrored and _even_sided(synced) else None
        arc = Arc(transition.name, synced, start, end, zone, key, image, at_once)
        return HybridBuilder(blocks, (*self.arcs, arc), measure=self.measure)

    def __reduce__(self) -> tuple[object, ...]:
        return partial(HybridBuilder, measure=self.measure), (dict(self.blocks), self.arcs)

    def mode(self, name: str, arcs: Sequence[str] = (), *, key: str = "") -> Mode:
        """A mode in which these arcs are open: the buffer triangles of their nodes over what they cover.

        ``arcs`` are names, ``name`` is that of the mode, and ``key`` the one that switches to it; none if empty.
        """
        names = [arc.name for arc in self.arcs]
        for arc in arcs:
            if arc not in names:
                raise NetworkError(f"mode {name!r} opens arc {arc!r}; there are {', '.join(names) or 'none'}")
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

    def _refuse_unlike(self, transition: Transition) -> None:
        for name, block in self.blocks.items():
            layout = block.network.layout
            if layout is None or not layout.skeleton.same_as(transition.clip.skeleton):
                differing = "" if layout is None else f": {unlike(transition.clip.skeleton, layout.skeleton)}"
                text = f"transition {transition.name!r} has another skeleton than block {name!r}{differing}"
                raise NetworkError(text, helps=REMEDY, option=ANOTHER_UNIT)


def _put(
    blocks: dict[str, Block], name: str, cycle: Cycle, wish: PlacementRequest, title: str, measure: Measure | None
) -> tuple[ArcEnd, Cycle]:
    """Put a cycle into a block; where it stands then, and the cycle in step with its neighbours."""
    title = wish.node or title
    if name not in blocks:
        motion = analyse(cycle, min(HARMONICS, harmonic_ceiling(cycle.n_frames)))
        at = (0.0, 0.0)
        if not stands(cycle):
            at = turn_and_speed(motion) if measure is None else rates_of(motion, measure)
        blocks[name] = Block(Network([Node(title, wish.at or at, motion)]), (), frozenset({title}))
        return ArcEnd(name, title), cycle
    block = blocks[name]
    if title in block.network.names:
        return ArcEnd(name, title), _in_step(block, title, cycle)
    alone = _keeps_time(block, cycle)
    written = in_layout(cycle, _kind(block))
    near = written if alone else synchronised_to(written, _cycles(block, block.network.names))
    try:
        place = place_node(block, title, _motion(block, near), at=wish.at, beside=wish.beside, measure=measure)
    except NetworkError as error:
        raise NetworkError(f"block {name!r}, node {title!r}: {error}") from None
    corners = sorted({corner for names in place.buffers or place.opened or () for corner in names} - {title})
    synced = near if alone else synchronised_to(written, _cycles(block, corners))
    with unwarned():
        node = Node(title, place.at, _motion(block, synced), not alone)
        network = block.network.with_nodes([node], place.opened)
    blocks[name] = Block(network, (*block.buffers, *place.buffers), block.transition_nodes | {title})
    return ArcEnd(name, title), synced


def _in_step(block: Block, node: str, cycle: Cycle) -> Cycle:
    """A cycle in step with the motion of a node that it shares."""
    written = in_layout(cycle, _kind(block))
    return written if _keeps_time(block, cycle) else synchronised_to(written, _cycles(block, [node]))


def _keeps_time(block: Block, cycle: Cycle) -> bool:
    """Whether a cycle cannot be synchronised: it has no steps, or the block has none."""
    return stands(cycle) or all(stands(node.spectrum) for node in block.network.nodes)


def _cycles(block: Block, names: Sequence[str]) -> list[Cycle]:
    """The cycles of some nodes to synchronise with, without those that keep their own time."""
    nodes = [block.network.node(name) for name in names]
    stepping = [node for node in nodes if node.synchronised and not stands(node.spectrum)]
    return [synthesise(node.spectrum, _FRAMES) for node in stepping or nodes]


def _motion(block: Block, cycle: Cycle) -> Spectrum:
    return analyse(cycle, min(block.network.n_harmonics, harmonic_ceiling(cycle.n_frames)))


def _kind(block: Block) -> str:
    layout = block.network.layout
    assert layout is not None  # checked before
    return layout.kind


def _even_sided(transition: Transition) -> bool:
    """Whether the motion that a change leaves is much the same in a mirror, half a cycle on; warns where it is not."""
    turn = float(np.degrees(transition.before.turn))
    if abs(turn) <= _VEERING:
        return True
    warn(
        f"{transition.name}: the motion before it turns by {turn:+.0f}° a cycle and its mirror image the other way, "
        "so the mirrored change does not fit; it is left out"
    )
    return False
