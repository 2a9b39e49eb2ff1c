"""The hybrid network that a TOML spec describes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike

from mocapella.blending.network import Network
from mocapella.building.build import build
from mocapella.building.layout.as_played import Measure
from mocapella.building.spec.hybrid import BlockSpec, TransitionSpec, read_hybrid_spec
from mocapella.building.spec.make import build_spec
from mocapella.building.spec.spec_folder import SpecFolder
from mocapella.building.spec.spec_text import SpecText
from mocapella.editing.retarget import Bodies, retarget
from mocapella.errors import MotionError, warn
from mocapella.hybrid.builder import HybridBuilder, PlacementRequest
from mocapella.hybrid.computed import computed_transition
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.hybrid.splice import splice
from mocapella.hybrid.transition import TREMOR, Transition
from mocapella.hybrid.transition_search import find_transition
from mocapella.motion.clip import Clip
from mocapella.motion.skeleton import Skeleton
from mocapella.storage.stored_networks import Origin, load_with_origins


@dataclass(frozen=True, eq=False)
class BuiltHybrid:
    """A hybrid network, and where the motion of each of its nodes came from, by block."""

    hybrid: HybridNetwork
    origins: Mapping[str, Mapping[str, Origin]]


def build_hybrid_spec(
    path: str | PathLike[str],
    *,
    folder: str | PathLike[str] | None = None,
    measure: Measure | None = None,
    progress: Callable[[str], None] = lambda name: None,
) -> BuiltHybrid:
    """The hybrid network that a TOML file describes.

    All motions are brought to one skeleton: that of the first stored network among the blocks, else the one that most
    captures have. Captures of others, of blocks and of transitions, are retargeted to it.

    ``path`` is the spec; see ``mocapella.building.spec.hybrid`` for what it may say. ``folder`` is where the files it
    names lie, and below which they have to; the spec's own folder if None. ``measure`` is the turn rate (rad/s) and
    speed (m/s) at which a motion is played: nodes of blocks made of files, and of the transitions that lead there, are
    placed by it where they can be. None places them by their captured roots. ``progress`` is a function that is called
    with the name of each block and transition. Raises ``FormatError`` where the spec is at fault, with its line;
    ``MotionError`` where a clip shows no transition, or what was described makes no hybrid network.
    """
    spec, text = read_hybrid_spec(path), SpecText.read(path)
    home = SpecFolder.of(path, folder)
    networks: dict[str, Network] = {}
    origins: dict[str, dict[str, Origin]] = {}
    for i, block in enumerate(spec.blocks):
        progress(block.name)
        with text.describing(f"block {block.name!r}", "name", "blocks", i):
            networks[block.name], origins[block.name] = _network(block, home, measure)
    clips: dict[str, Clip] = {}
    for i, one in enumerate(spec.transitions):
        with text.describing(one.name, "name", "transitions", i):
            if one.file is not None:
                clips[one.name] = home.clip(one)
    skeleton = _one_skeleton(spec.blocks, networks, clips)
    for i, block in enumerate(spec.blocks):
        layout = networks[block.name].layout
        if block.network is None and skeleton is not None and layout and not layout.skeleton.same_as(skeleton):
            with text.describing(f"block {block.name!r}", "name", "blocks", i):
                networks[block.name], origins[block.name] = _network(block, home, measure, skeleton)
    carried: list[str] = []
    for i, one in enumerate(spec.transitions):
        if one.name in clips and skeleton is not None and not clips[one.name].skeleton.same_as(skeleton):
            with text.describing(one.name, "file", "transitions", i):
                scale = Bodies.of(clips[one.name].skeleton, skeleton).scale
                clips[one.name] = retarget(clips[one.name], skeleton)
            carried.append(f"{one.name} (legs {scale:.2f} times as long)")
    if carried:
        warn(f"transitions are retargeted to the skeleton of the others: {', '.join(carried)}")
    builder = HybridBuilder(networks, measure=measure)
    found: dict[str, Transition] = {}
    for i, one in enumerate(spec.transitions):
        progress(one.name)
        with text.describing(one.name, "name", "transitions", i):
            found[one.name] = made = _transition(one, clips.get(one.name), networks, found)
            builder = _with_transition(builder, one, made)
        arc, file = builder.arcs[-1], one.file or one.name
        for end, frame in ((arc.source, made.leave), (arc.target, made.arrive)):
            origins.setdefault(end.block, {}).setdefault(end.node, Origin(file, made.clip.first_row + frame))
    modes = [builder.mode(mode.name, mode.arcs, key=mode.key) for mode in spec.modes]
    return BuiltHybrid(builder.finished(modes), origins)


def _one_skeleton(
    blocks: Sequence[BlockSpec], networks: Mapping[str, Network], clips: Mapping[str, Clip]
) -> Skeleton | None:
    """The skeleton that all motions are brought to; stored networks cannot be, so theirs comes first."""
    stored = [networks[block.name] for block in blocks if block.network is not None]
    layouts = [network.layout for network in stored or networks.values() for _ in network.nodes]
    found = [layout.skeleton for layout in layouts if layout is not None]
    if stored:
        return found[0] if found else None
    found += [clip.skeleton for clip in clips.values()]
    counts = [sum(one.same_as(other) for other in found) for one in found]
    return found[counts.index(max(counts))] if found else None


def _network(
    block: BlockSpec, home: SpecFolder, measure: Measure | None, skeleton: Skeleton | None = None
) -> tuple[Network, dict[str, Origin]]:
    if block.network is not None:
        return load_with_origins(home.file(block.network))
    if block.spec is not None:
        made = build_spec(home.file(block.spec), folder=home.folder, skeleton=skeleton)
    else:
        made = build(
            [file for name in block.files or () for file in home.motions(name)],
            harmonics=block.harmonics,
            mirror=block.mirror,
            substitute=block.substitute,
            thin=not block.keep_all,
            even=block.even,
            layout=block.layout,
            measure=measure,
            skeleton=skeleton,
        )
    return made.network, dict(made.origins)


def _transition(
    one: TransitionSpec, clip: Clip | None, networks: Mapping[str, Network], found: Mapping[str, Transition]
) -> Transition:
    if one.chain is not None:
        made = splice(found[one.chain[0]], found[one.chain[1]], name=one.name)
        return made if one.loop is None else replace(made, loop=one.loop)
    if one.computed:
        missing = [name for name in (one.source, one.target) if name not in networks]
        if missing:
            raise MotionError(f"a computed transition joins blocks that are described; {missing[0]!r} is none")
        blocks = networks[one.source], networks[one.target or one.source]
        return computed_transition(*blocks, name=one.name, threshold=one.threshold)
    assert clip is not None  # every other transition has a file
    return find_transition(
        clip,
        boundaries=one.boundaries,
        before=networks.get(one.source),
        after=networks.get(one.source if one.target is None else one.target),
        loop=one.loop,
        tremor=TREMOR if one.tremor is None else one.tremor,
        name=one.name,
    )


def _with_transition(builder: HybridBuilder, one: TransitionSpec, transition: Transition) -> HybridBuilder:
    return builder.with_transition(
        transition,
        one.source,
        one.target,
        leaving=PlacementRequest(one.source_node, one.source_at, one.source_beside),
        arriving=PlacementRequest(one.target_node, one.target_at, one.target_beside),
        zone=one.zone,
        key=one.key,
        mirrored=one.mirrored,
        at_once=one.at_once,
    )
