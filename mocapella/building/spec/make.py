"""Specs made into networks."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

from mocapella.analysis.cycles.find import frame_range
from mocapella.analysis.fourier import analyse
from mocapella.analysis.mirror import mirrored
from mocapella.analysis.prepare import prepare, turning_of
from mocapella.analysis.synchronise import shifted, synchronised_to, with_like_signs
from mocapella.blending.arithmetic import with_quality
from mocapella.blending.cascade import Cascade, in_step_at
from mocapella.blending.interpolants import interpolant_of
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.blending.rules import RULES
from mocapella.blending.volume import Volume
from mocapella.building.build import Built, build, in_step, joined, origin_of
from mocapella.building.evening import kind_of, smooth_nodes
from mocapella.building.placement import AXES, Axes, places_of, warn_of_turns
from mocapella.building.sources import refuse_all
from mocapella.building.spec.hybrid import BlockSpec, TransitionSpec, read_hybrid_spec
from mocapella.building.spec.network import LOOKING, NetworkSpec, NodeSpec, build_layers, describes_layers, read_spec
from mocapella.building.spec.text import SpecFolder, SpecText
from mocapella.errors import FormatError, MotionError, warn
from mocapella.hybrid.builder import HybridBuilder, PlacementRequest
from mocapella.hybrid.cut import splice
from mocapella.hybrid.find import find_transition
from mocapella.hybrid.network import HybridNetwork
from mocapella.hybrid.transition import TREMOR, Transition
from mocapella.motion.cycle import Cycle
from mocapella.motion.spectrum import Spectrum
from mocapella.motion.travel import stands
from mocapella.storage.cache import CycleCache
from mocapella.storage.networks import Origin, load_with_origins
from mocapella.storage.values import load_cycle

# What a spec describes, made: every node as it says, those it leaves open as ``build`` would.


def build_spec(
    path: str | PathLike[str],
    *,
    folder: str | PathLike[str] | None = None,
    cache: str | PathLike[str] | None = None,
    progress: Callable[[str], None] = lambda name: None,
) -> Built:
    """The network that a TOML file describes.

    Parameters
    ----------
    path
        The spec; see ``mocapella.building.spec.network`` for what it may say.
    folder
        Where the files it names lie, and below which they have to; the spec's own folder if None.
    cache
        A folder in which prepared cycles are kept, so that files that have not changed are not prepared again.
    progress
        Told the name of each node as its turn comes.

    Raises
    ------
    FormatError
        Where the spec is at fault, with its line.
    NetworkError
        Where motions give no cycle (all of them are named) or the nodes make no network.
    """
    home = SpecFolder.of(path, folder)
    if describes_layers(path):
        return build_layers(path, home, progress)
    spec, text = read_spec(path), SpecText.read(path)
    cycles: dict[str, Cycle] = {}
    reasons: list[MotionError] = []
    for i, node in enumerate(spec.nodes):
        if node.file is None:
            continue
        progress(node.name)
        try:
            cycles[node.name] = _cycle(node, home, spec.layout, None if cache is None else CycleCache(Path(cache)))
        except MotionError as error:
            reasons.append(text.told(error, node.name, "file", "nodes", i))
    refuse_all(reasons, len(spec.nodes))
    motions = {name: analyse(cycle, spec.harmonics) for name, cycle in _together(spec, cycles).items()}
    origins = {name: origin_of(cycle) for name, cycle in cycles.items()}
    inner = _inner(spec, text, home, motions)
    for node in spec.nodes:
        if node.point is not None:
            motions[node.name] = inner[node.name].blend(node.point)
            origins[node.name] = Origin(f"{node.network} at {', '.join(f'{x:g}' for x in node.point)}")
    for i, node in enumerate(spec.nodes):
        if node.base is not None:
            try:
                motions[node.name] = _sum(node, motions)
            except MotionError as error:
                raise text.told(error, node.name, "base", "nodes", i) from None
            origins[node.name] = Origin(f"{node.base} + {node.scale:g} ({node.plus} − {node.minus})")
    with text.at_fault("triangles", "tetrahedra", "interpolant"):
        network = _joined(spec, motions)
    if spec.even:
        network = smooth_nodes(network, kinds=_kinds(spec, cycles))
    if spec.single_source is not None:
        with text.at_fault("single_source"):
            network = network.with_single_source(spec.single_source.settings())
    points = {node.name: node.point for node in spec.nodes if node.point is not None}
    return Built(network, origins, Cascade(network, inner, points) if inner else None)


def _inner(spec: NetworkSpec, text: SpecText, home: SpecFolder, motions: dict[str, Spectrum]) -> dict[str, Network]:
    """The stored networks that nodes are blends of, in step with the other nodes, or with the first of them."""
    inner: dict[str, Network] = {}
    stepping = [motion for motion in motions.values() if not stands(motion)]
    for i, node in enumerate(spec.nodes):
        if node.network is None or node.point is None:
            continue
        network, _ = load_with_origins(home.file(node.network))
        try:
            motion = network.blend(node.point)
            inner[node.name] = network if stands(motion) else in_step_at(network, node.point, stepping)
        except MotionError as error:
            raise text.told(error, node.name, "point", "nodes", i) from None
        stepping = stepping or ([] if stands(motion) else [motion])
    return inner


def _joined(spec: NetworkSpec, motions: dict[str, Spectrum]) -> Network:
    nodes, rule, interpolant = _nodes(spec, motions), RULES[spec.rule], interpolant_of(spec.interpolant)
    if spec.in_space:
        return Volume(nodes, spec.tetrahedra, rule=rule, outside=spec.outside, interpolant=interpolant)
    axes = _axes(spec, motions)
    if axes is not None:
        warn_of_turns(motions, axes)
    return joined(nodes, spec.triangles, axes=axes, rule=rule, outside=spec.outside, interpolant=interpolant)


def _cycle(node: NodeSpec, home: SpecFolder, layout: str, cache: CycleCache | None) -> Cycle:
    path = home.file(str(node.file))
    if path.suffix.lower() == ".moca":
        cycle = load_cycle(path)
    elif cache is None:
        cycle = _prepared(node, home, layout)
    else:
        asked = {name: getattr(node, name) for name in LOOKING} | {"layout": layout}
        cycle = cache.cycle(path, home.reading(node), asked, lambda: _prepared(node, home, layout))
    if node.mirrored:
        cycle = mirrored(cycle)
    if node.offset is not None:
        cycle = shifted(cycle, node.offset)
    return replace(cycle, name=node.name, source=str(node.file))


def _prepared(node: NodeSpec, home: SpecFolder, layout: str) -> Cycle:
    clip = home.clip(node)
    if node.frames is not None:
        frame_range(node.frames, clip, "frames")  # in the spec's own words
    within, exact = (None, node.frames) if node.exact else (node.frames, None)
    return prepare(
        clip,
        turning=turning_of(clip, node.turning, turn=node.turn, within=within, frames=exact),
        speed=node.speed,
        turn=None if node.turn is None else math.radians(node.turn),
        within=within,
        frames=exact,
        method=node.method or "symmetric",
        layout=layout,
        limp=node.limp,
    )


def _together(spec: NetworkSpec, cycles: dict[str, Cycle]) -> dict[str, Cycle]:
    """The cycles in step: with those whose offset is set by hand, else with each other."""
    if not cycles:  # all nodes are blends of stored networks
        return {}
    alike = dict(zip(cycles, with_like_signs(list(cycles.values())), strict=True))
    by_name = {node.name: node for node in spec.nodes}
    alone = {name for name in alike if by_name[name].synchronised is False}
    fixed = {name for name in alike if by_name[name].offset is not None} - alone
    free = [name for name in alike if name not in fixed | alone]
    if fixed:
        references = [alike[name] for name in fixed]
        moved = {name: synchronised_to(alike[name], references) for name in free}
    elif free:
        moved = dict(zip(free, in_step([alike[name] for name in free]), strict=True))
    else:
        moved = {}
    return {**alike, **moved}


def _sum(node: NodeSpec, motions: dict[str, Spectrum]) -> Spectrum:
    base, plus, minus = (motions[str(name)] for name in (node.base, node.plus, node.minus))
    made = with_quality(base, minus, plus, node.scale, name=node.name)
    if abs(made.turn) > math.tau and all(abs(motion.turn) <= math.tau for motion in (base, plus, minus)):
        text = f"node {node.name!r} turns {math.degrees(made.turn):+.0f}° a cycle; a smaller scale than {node.scale:g}"
        warn(f"{text} keeps it within a turn")
    return made


def _kinds(spec: NetworkSpec, cycles: dict[str, Cycle]) -> dict[str, str]:
    """What kind each node is of: as it says, else as its folder does, or the node it is made of."""
    out: dict[str, str] = {}
    for node in spec.nodes:
        own = kind_of(cycles[node.name]) if node.base is None else out[node.base]
        out[node.name] = own if node.kind is None else node.kind
    return out


def _axes(spec: NetworkSpec, motions: dict[str, Spectrum]) -> Axes | None:
    """By what all nodes are laid out; None where places are given by hand, or where all stand."""
    by_hand = any(node.at is not None for node in spec.nodes)
    return None if by_hand or all(stands(motion) for motion in motions.values()) else AXES[spec.axes]


def _nodes(spec: NetworkSpec, motions: dict[str, Spectrum]) -> list[Node]:
    """Nodes at the places the spec names, else where their motion puts them."""
    in_place = all(stands(motion) for motion in motions.values())
    places = places_of([motions[node.name] for node in spec.nodes], AXES[spec.axes])
    out = []
    for node, place in zip(spec.nodes, places, strict=True):
        motion = motions[node.name]
        own_time = not in_place and stands(motion)
        synchronised = not own_time if node.synchronised is None else node.synchronised
        out.append(Node(node.name, place if node.at is None else node.at, motion, synchronised))
    return out


# What the spec of a hybrid network describes, made.

Origins = Mapping[str, Mapping[str, Origin]]


@dataclass(frozen=True, eq=False)
class BuiltHybrid:
    """A hybrid network, and where the motion of each of its nodes came from, by block."""

    hybrid: HybridNetwork
    origins: Origins


def build_hybrid_spec(
    path: str | PathLike[str],
    *,
    folder: str | PathLike[str] | None = None,
    progress: Callable[[str], None] = lambda name: None,
) -> BuiltHybrid:
    """The hybrid network that a TOML file describes.

    Parameters
    ----------
    path
        The spec; see ``mocapella.building.spec.hybrid`` for what it may say.
    folder
        Where the files it names lie, and below which they have to; the spec's own folder if None.
    progress
        Told the name of each block and transition as its turn comes.

    Raises
    ------
    FormatError
        Where the spec is at fault, with its line.
    MotionError
        Where a clip shows no transition, or what was described makes no hybrid network.
    """
    spec, text = read_hybrid_spec(path), SpecText.read(path)
    home = SpecFolder.of(path, folder)
    networks: dict[str, Network] = {}
    origins: dict[str, dict[str, Origin]] = {}
    for i, block in enumerate(spec.blocks):
        progress(block.name)
        try:
            networks[block.name], origins[block.name] = _network(block, home)
        except FormatError:
            raise
        except MotionError as error:
            raise text.told(error, f"block {block.name!r}", "name", "blocks", i) from None
    draft = HybridBuilder(networks)
    found: dict[str, Transition] = {}
    for i, one in enumerate(spec.transitions):
        progress(one.name)
        try:
            found[one.name] = _transition(one, home, networks, found)
            draft = _with_transition(draft, one, found[one.name])
        except FormatError:
            raise
        except MotionError as error:
            raise text.told(error, one.name, "name", "transitions", i) from None
        for stop, part in ((draft.arcs[-1].source, "before"), (draft.arcs[-1].target, "after")):
            own = origins.setdefault(stop.block, {})
            own.setdefault(stop.node, Origin(one.file or one.name, _row(found[one.name], part)))
    return BuiltHybrid(draft.finished([draft.mode(m.name, m.arcs, key=m.key) for m in spec.modes]), origins)


def _network(block: BlockSpec, home: SpecFolder) -> tuple[Network, dict[str, Origin]]:
    if block.network is not None:
        return load_with_origins(home.file(block.network))
    if block.spec is not None:
        made = build_spec(home.file(block.spec), folder=home.folder)
    else:
        made = build(
            [file for name in block.files or () for file in home.motions(name)],
            harmonics=block.harmonics,
            mirror=block.mirror,
            substitute=block.substitute,
            thin=not block.keep_all,
            even=block.even,
            layout=block.layout,
        )
    return made.network, dict(made.origins)


def _transition(
    one: TransitionSpec, home: SpecFolder, networks: Mapping[str, Network], found: Mapping[str, Transition]
) -> Transition:
    if one.chain is not None:
        made = splice(found[one.chain[0]], found[one.chain[1]], name=one.name)
        return made if one.loop is None else replace(made, loop=one.loop)
    return find_transition(
        home.clip(one),
        boundaries=one.boundaries,
        before=networks.get(one.source),
        after=networks.get(one.source if one.target is None else one.target),
        loop=one.loop,
        tremor=TREMOR if one.tremor is None else one.tremor,
        name=one.name,
    )


def _with_transition(draft: HybridBuilder, one: TransitionSpec, transition: Transition) -> HybridBuilder:
    return draft.with_transition(
        transition,
        one.source,
        one.target,
        leaving=PlacementRequest(one.source_node, one.source_at, tuple(one.source_beside)),
        arriving=PlacementRequest(one.target_node, one.target_at, tuple(one.target_beside)),
        zone=one.zone,
        key=one.key,
        mirrored=one.mirrored,
        at_once=one.at_once,
    )


def _row(transition: Transition, part: str) -> int:
    frame = transition.leave if part == "before" else transition.arrive
    return transition.clip.first_row + frame
