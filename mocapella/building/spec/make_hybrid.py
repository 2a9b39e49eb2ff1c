"""The hybrid network that a TOML spec describes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from os import PathLike

from mocapella.blending.network import Network
from mocapella.building.as_played import Measure
from mocapella.building.build import build
from mocapella.building.spec.folder import SpecFolder
from mocapella.building.spec.hybrid import BlockSpec, TransitionSpec, read_hybrid_spec
from mocapella.building.spec.make import build_spec
from mocapella.building.spec.text import SpecText
from mocapella.hybrid.builder import HybridBuilder, PlacementRequest
from mocapella.hybrid.find import find_transition
from mocapella.hybrid.network import HybridNetwork
from mocapella.hybrid.splice import splice
from mocapella.hybrid.transition import TREMOR, Transition
from mocapella.storage.networks import Origin, load_with_origins


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

    Parameters
    ----------
    path
        The spec; see ``mocapella.building.spec.hybrid`` for what it may say.
    folder
        Where the files it names lie, and below which they have to; the spec's own folder if None.
    measure
        Turn rate (rad/s) and speed (m/s) at which a motion is played: nodes of blocks made of files, and of the
        transitions that lead there, are placed by it where they can be. None places them by their captured roots.
    progress
        Told the name of each block and transition as its turn comes.

    Returns
    -------
    BuiltHybrid
        The hybrid network with the origins of its nodes.

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
        with text.describing(f"block {block.name!r}", "name", "blocks", i):
            networks[block.name], origins[block.name] = _network(block, home, measure)
    builder = HybridBuilder(networks, measure=measure)
    found: dict[str, Transition] = {}
    for i, one in enumerate(spec.transitions):
        progress(one.name)
        with text.describing(one.name, "name", "transitions", i):
            found[one.name] = made = _transition(one, home, networks, found)
            builder = _with_transition(builder, one, made)
        arc, file = builder.arcs[-1], one.file or one.name
        for end, frame in ((arc.source, made.leave), (arc.target, made.arrive)):
            origins.setdefault(end.block, {}).setdefault(end.node, Origin(file, made.clip.first_row + frame))
    modes = [builder.mode(mode.name, mode.arcs, key=mode.key) for mode in spec.modes]
    return BuiltHybrid(builder.finished(modes), origins)


def _network(block: BlockSpec, home: SpecFolder, measure: Measure | None) -> tuple[Network, dict[str, Origin]]:
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
            measure=measure,
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
