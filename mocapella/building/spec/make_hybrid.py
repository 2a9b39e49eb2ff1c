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
    for i, part in enumerate(spec.transitions):
        with text.describing(part.name, "name", "transitions", i):
            if part.file is not None:
                clips[part.name] = home.clip(part)
    skeleton = _one_skeleton(spec.blocks, networks, clips)
    if skeleton is not None:
        for i, block in enumerate(spec.blocks):
            layout = networks[block.name].layout
            if block.network is None and layout and not layout.skeleton.same_as(skeleton):
                with text.describing(f"block {block.name!r}", "name", "blocks", i):
                    networks[block.name], origins[block.name] = _network(block, home, measure, skeleton)
        clips |= _retargeted(spec.transitions, clips, skeleton, text)
    builder = HybridBuilder(networks, measure=measure)
    transitions: dict[str, Transition] = {}
    for i, part in enumerate(spec.transitions):
        progress(part.name)
        with text.describing(part.name, "name", "transitions", i):
            transition = _transition(part, clips.get(part.name), networks, transitions)
            builder = _with_transition(builder, part, transition)
        transitions[part.name] = transition
        arc, file = builder.arcs[-1], part.file or part.name
        for end, frame in ((arc.source, transition.leave), (arc.target, transition.arrive)):
            origins.setdefault(end.block, {}).setdefault(end.node, Origin(file, transition.clip.first_row + frame))
    modes = [builder.mode(mode.name, mode.arcs, key=mode.key) for mode in spec.modes]
    return BuiltHybrid(builder.finished(modes), origins)


def _retargeted(
    parts: Sequence[TransitionSpec], clips: Mapping[str, Clip], skeleton: Skeleton, text: SpecText
) -> dict[str, Clip]:
    """The clips of other skeletons, retargeted; a warning names them."""
    retargeted: dict[str, Clip] = {}
    titles = []
    for i, part in enumerate(parts):
        clip = clips.get(part.name)
        if clip is not None and not clip.skeleton.same_as(skeleton):
            with text.describing(part.name, "file", "transitions", i):
                scale = Bodies.of(clip.skeleton, skeleton).scale
                retargeted[part.name] = retarget(clip, skeleton)
            titles.append(f"{part.name} (legs {scale:.2f} times as long)")
    if titles:
        warn(f"transitions are retargeted to the skeleton of the others: {', '.join(titles)}")
    return retargeted


def _one_skeleton(
    blocks: Sequence[BlockSpec], networks: Mapping[str, Network], clips: Mapping[str, Clip]
) -> Skeleton | None:
    """The skeleton that all motions are brought to; stored networks cannot be, so theirs comes first."""
    stored = [networks[block.name] for block in blocks if block.network is not None]
    layouts = [network.layout for network in stored or networks.values() for _ in network.nodes]
    skeletons = [layout.skeleton for layout in layouts if layout is not None]
    if stored:
        return skeletons[0] if skeletons else None
    skeletons += [clip.skeleton for clip in clips.values()]
    counts = [sum(skeleton.same_as(other) for other in skeletons) for skeleton in skeletons]
    return skeletons[counts.index(max(counts))] if skeletons else None


def _network(
    block: BlockSpec, home: SpecFolder, measure: Measure | None, skeleton: Skeleton | None = None
) -> tuple[Network, dict[str, Origin]]:
    if block.network is not None:
        return load_with_origins(home.file(block.network))
    if block.spec is not None:
        built = build_spec(home.file(block.spec), folder=home.folder, skeleton=skeleton)
    else:
        built = build(
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
    return built.network, dict(built.origins)


def _transition(
    spec: TransitionSpec, clip: Clip | None, networks: Mapping[str, Network], earlier: Mapping[str, Transition]
) -> Transition:
    if spec.chain is not None:
        spliced = splice(earlier[spec.chain[0]], earlier[spec.chain[1]], name=spec.name)
        return spliced if spec.loop is None else replace(spliced, loop=spec.loop)
    if spec.computed:
        missing = [name for name in (spec.source, spec.target) if name not in networks]
        if missing:
            raise MotionError(f"a computed transition joins blocks that are described; {missing[0]!r} is none")
        blocks = networks[spec.source], networks[spec.target or spec.source]
        return computed_transition(*blocks, name=spec.name, threshold=spec.threshold)
    assert clip is not None  # every other transition has a file
    return find_transition(
        clip,
        boundaries=spec.boundaries,
        before=networks.get(spec.source),
        after=networks.get(spec.source if spec.target is None else spec.target),
        loop=spec.loop,
        tremor=TREMOR if spec.tremor is None else spec.tremor,
        name=spec.name,
    )


def _with_transition(builder: HybridBuilder, spec: TransitionSpec, transition: Transition) -> HybridBuilder:
    return builder.with_transition(
        transition,
        spec.source,
        spec.target,
        leaving=PlacementRequest(spec.source_node, spec.source_at, spec.source_beside),
        arriving=PlacementRequest(spec.target_node, spec.target_at, spec.target_beside),
        zone=spec.zone,
        key=spec.key,
        mirrored=spec.mirrored,
        at_once=spec.at_once,
    )
