"""The network that a TOML spec describes; what the spec leaves open is done as in ``build``."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from os import PathLike
from pathlib import Path

from mocapella.analysis.cycles.raw_cycle import frame_range
from mocapella.analysis.fourier import analyse
from mocapella.analysis.prepare import prepare, turning_of
from mocapella.analysis.synchronise import shifted, synchronised_to, with_like_signs
from mocapella.blending.arithmetic import with_quality
from mocapella.blending.cascade import Cascade, in_step_at
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.blending.volume import Volume, in_step_with, layered
from mocapella.building.gaits import kind_of
from mocapella.building.layout.evening import smooth_nodes
from mocapella.building.layout.placement import AXES, joined, places_of, squared, straightened, warn_of_turns
from mocapella.building.layout.steps import Built, in_step, origin_of
from mocapella.building.sources import on_one_skeleton, refuse_all
from mocapella.building.spec.network_spec import (
    LOOKING,
    NetworkSpec,
    NodeSpec,
    describes_layers,
    read_layers,
    read_spec,
)
from mocapella.building.spec.spec_folder import SpecFolder
from mocapella.building.spec.spec_text import SpecText
from mocapella.errors import MotionError, warn
from mocapella.files.format_table import split_animation
from mocapella.files.formats import with_animation
from mocapella.motion.cycle import Cycle
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.spectrum import Spectrum
from mocapella.motion.travel import stands
from mocapella.rig.symmetry import mirrored
from mocapella.storage.stored_cycles import CycleCache
from mocapella.storage.stored_networks import Origin, load_with_origins
from mocapella.storage.values import load_cycle


def build_spec(
    path: str | PathLike[str],
    *,
    folder: str | PathLike[str] | None = None,
    cache: str | PathLike[str] | None = None,
    progress: Callable[[str], None] = lambda name: None,
    skeleton: Skeleton | None = None,
) -> Built:
    """The network that a TOML file describes.

    ``path`` is the spec; see ``mocapella.building.spec.network_spec`` for its keys. ``folder`` is where the files it
    names lie, and below which they have to; the spec's own folder if None. ``cache`` is a folder in which prepared
    cycles are kept, so that files that have not changed are not prepared again. ``progress`` is a function that is
    called with the name of each node. ``skeleton`` is what all captures are retargeted to; the skeleton that most of
    them have if None. Stored networks stay as they are. Returns the network with the origins of its nodes, and the
    cascade where nodes are blends of stored networks. Raises ``FormatError`` where the spec is at fault, with its line;
    ``NetworkError`` where motions give no cycle (all of them are named) or the nodes make no network.
    """
    home = SpecFolder.of(path, folder)
    if describes_layers(path):
        return _build_layers(path, home, progress)
    spec, text = read_spec(path), SpecText.read(path)
    kept_cycles = None if cache is None else CycleCache(Path(cache))
    cycles = _cycles(spec, text, home, kept_cycles, progress)
    if cycles:
        cycles = dict(zip(cycles, on_one_skeleton(list(cycles.values()), skeleton, all_of_them=True), strict=True))
    motions = {name: analyse(cycle, spec.harmonics) for name, cycle in _together(spec, cycles).items()}
    origins = {name: origin_of(cycle) for name, cycle in cycles.items()}
    inner = _inner(spec, text, home, motions)
    points = {node.name: node.point for node in spec.nodes if node.point is not None}
    motions |= {name: inner[name].blend(point) for name, point in points.items()}
    _add_sums(spec, text, motions)
    origins |= {node.name: Origin(recipe) for node in spec.nodes if (recipe := _recipe(node))}
    with text.at_fault("triangles", "tetrahedra", "interpolant"):
        network = _joined(spec, motions)
    if spec.even:
        network = smooth_nodes(network, kinds=_kinds(spec, cycles))
    if spec.single_source is not None:
        with text.at_fault("single_source"):
            network = network.with_single_source(spec.single_source.settings())
    return Built(network, origins, Cascade(network, inner, points) if inner else None)


def _cycles(
    spec: NetworkSpec, text: SpecText, home: SpecFolder, cache: CycleCache | None, progress: Callable[[str], None]
) -> dict[str, Cycle]:
    """The cycles of all nodes that name a file; one error for all that give none."""
    cycles: dict[str, Cycle] = {}
    reasons: list[MotionError] = []
    for i, node in enumerate(spec.nodes):
        if node.file is None:
            continue
        progress(node.name)
        try:
            cycles[node.name] = _cycle(node, home, spec.layout, cache)
        except MotionError as error:
            reasons.append(text.told(error, node.name, "file", "nodes", i))
    refuse_all(reasons, len(spec.nodes))
    return cycles


def _add_sums(spec: NetworkSpec, text: SpecText, motions: dict[str, Spectrum]) -> None:
    """Add the motions of nodes that are made of others, which come before them in the spec."""
    for i, node in enumerate(spec.nodes):
        if node.base is not None:
            with text.describing(node.name, "base", "nodes", i):
                motions[node.name] = _sum(node, motions)


def _recipe(node: NodeSpec) -> str:
    """How a node is made of others, in words; empty for one of a file."""
    if node.base is not None:
        return f"{node.base} + {node.scale:g} ({node.plus} − {node.minus})"
    return "" if node.point is None else f"{node.network} at {', '.join(f'{x:g}' for x in node.point)}"


def _inner(spec: NetworkSpec, text: SpecText, home: SpecFolder, motions: dict[str, Spectrum]) -> dict[str, Network]:
    """The stored networks that nodes are blends of, in step with the other nodes, or with the first of them."""
    inner: dict[str, Network] = {}
    stepping = [motion for motion in motions.values() if not stands(motion)]
    for i, node in enumerate(spec.nodes):
        if node.network is None or node.point is None:
            continue
        network, _ = load_with_origins(home.file(node.network))
        with text.describing(node.name, "point", "nodes", i):
            motion = network.blend(node.point)
            inner[node.name] = network if stands(motion) else in_step_at(network, node.point, stepping)
        stepping = stepping or ([] if stands(motion) else [motion])
    return inner


def _build_layers(path: str | PathLike[str], home: SpecFolder, progress: Callable[[str], None]) -> Built:
    """The network in space that a spec of layers describes."""
    spec = read_layers(path)
    networks: list[Network] = []
    origins = {}
    for layer in spec.layers:
        progress(layer.name)
        network, in_layer = load_with_origins(home.file(layer.network))
        networks.append(in_step_with(network, networks[0]) if networks else network)
        origins.update({f"{layer.name}/{name}": origin for name, origin in in_layer.items()})
    names = [layer.name for layer in spec.layers]
    volume = layered(networks, [layer.height for layer in spec.layers], names=names)
    if spec.single_source is None:
        return Built(volume, origins)
    with SpecText.read(path).at_fault("single_source"):
        return Built(volume.with_single_source(spec.single_source.settings()), origins)


def _joined(spec: NetworkSpec, motions: dict[str, Spectrum]) -> Network:
    """The nodes at places given by the spec or by their motion, joined by its triangles or automatic ones."""
    standing = {name for name, motion in motions.items() if stands(motion)}
    in_place = len(standing) == len(motions)
    nodes = []
    if all(node.at is None for node in spec.nodes):
        motions |= straightened(motions, AXES[spec.axes])
    places = places_of([motions[node.name] for node in spec.nodes], AXES[spec.axes])
    for node, place in zip(spec.nodes, places, strict=True):
        own_time = not in_place and node.name in standing
        synchronised = not own_time if node.synchronised is None else node.synchronised
        nodes.append(Node(node.name, place if node.at is None else node.at, motions[node.name], synchronised))
    if spec.in_space:
        return Volume(nodes, spec.tetrahedra, rule=spec.rule, outside=spec.outside, interpolant=spec.interpolant)
    by_hand = any(node.at is not None for node in spec.nodes)
    axes = None if by_hand or in_place else AXES[spec.axes]
    if axes is not None:
        warn_of_turns(motions, axes)
    return joined(nodes, spec.triangles, axes=axes, rule=spec.rule, outside=spec.outside, interpolant=spec.interpolant)


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
    source = with_animation(split_animation(str(node.file))[0], split_animation(cycle.source)[1])
    return squared(replace(cycle, name=node.name, source=str(source)))


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
    motion = with_quality(base, minus, plus, node.scale, name=node.name)
    if abs(motion.turn) > math.tau and all(abs(part.turn) <= math.tau for part in (base, plus, minus)):
        text = f"node {node.name!r} turns {math.degrees(motion.turn):+.0f}° a cycle"
        warn(f"{text}; a smaller scale than {node.scale:g} keeps it within a turn")
    return motion


def _kinds(spec: NetworkSpec, cycles: dict[str, Cycle]) -> dict[str, str]:
    """The kind of each node: as given, else its folder, or the kind of the node it is made from."""
    out: dict[str, str] = {}
    for node in spec.nodes:
        default = kind_of(cycles[node.name]) if node.base is None else out[node.base]
        out[node.name] = default if node.kind is None else node.kind
    return out
