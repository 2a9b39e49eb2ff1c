"""What the spec of a hybrid network describes, made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from os import PathLike

from mocapella.blending.build import build
from mocapella.blending.chaining import chained
from mocapella.blending.draft import Berthing, Draft
from mocapella.blending.find_transition import find_transition
from mocapella.blending.hybrid import HybridNetwork
from mocapella.blending.hybrid_spec import BlockSpec, TransitionSpec, read_hybrid_spec
from mocapella.blending.network import Network
from mocapella.blending.spec_build import build_spec
from mocapella.blending.spec_folder import SpecFolder
from mocapella.blending.spec_text import SpecText
from mocapella.blending.store import Origin, load_with_origins
from mocapella.blending.transition import Transition
from mocapella.blending.tremor import TREMOR
from mocapella.errors import FormatError, MotionError, NetworkError

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
        The spec; see ``mocapella.blending.hybrid_spec`` for what it may say.
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
            raise NetworkError(text.told(error, f"block {block.name!r}", "name", "blocks", i)) from None
    draft = Draft(networks)
    found: dict[str, Transition] = {}
    for i, one in enumerate(spec.transitions):
        progress(one.name)
        try:
            found[one.name] = _transition(one, home, networks, found)
            draft = _with_transition(draft, one, found[one.name])
        except FormatError:
            raise
        except MotionError as error:
            raise NetworkError(text.told(error, one.name, "name", "transitions", i)) from None
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
        made = chained(found[one.chain[0]], found[one.chain[1]], name=one.name)
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


def _with_transition(draft: Draft, one: TransitionSpec, transition: Transition) -> Draft:
    return draft.with_transition(
        transition,
        one.source,
        one.target,
        leaving=Berthing(one.source_node, one.source_at, tuple(one.source_beside)),
        arriving=Berthing(one.target_node, one.target_at, tuple(one.target_beside)),
        zone=one.zone,
        key=one.key,
        mirrored=one.mirrored,
        at_once=one.at_once,
    )


def _row(transition: Transition, part: str) -> int:
    frame = transition.leave if part == "before" else transition.arrive
    return transition.clip.first_row + frame
