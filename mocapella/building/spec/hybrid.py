"""The TOML file of a hybrid network: blocks, transitions between them, operating modes.

::

    [[blocks]]
    name = "walking"
    files = ["walks"]        # motion files, or folders of them, beside this file or below
    even = true              # out of each take what it did by chance; also keep_all, mirror, substitute
    # network = "walking.moca", or spec = "walking.toml", instead of files

    [[transitions]]
    name = "twirl"
    file = "twirl.bvh"
    source = "walking"       # target = "running" for one that leads elsewhere
    boundaries = [285, 630]  # rows; found where left out
    tremor = 20              # Hz above which a capture shakes rather than moves; inf plays every frame as captured

    [[modes]]
    name = "armed"
    key = "a"
    arcs = ["twirl"]

A transition may instead be cut together of two before it, ``chain = ["twirl", "run off"]``, or be a blend of the most
similar motions of two blocks where no capture shows the change, ``computed = true``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import PathLike
from typing import Annotated, ClassVar

import msgspec

from mocapella.building.spec.network_spec import Harmonics, LayoutName
from mocapella.building.spec.spec_folder import CaptureSpec, refuse_odd_reading
from mocapella.building.spec.spec_text import SpecText, meant
from mocapella.hybrid.computed import NEAREST
from mocapella.hybrid.hybrid_network import ZONE
from mocapella.hybrid.transition import LEAST_TREMOR

_Tremor = Annotated[
    float,
    msgspec.Meta(
        ge=LEAST_TREMOR,
        title=f"a frequency of {LEAST_TREMOR:g} Hz or more",
        description="inf plays every frame as captured",
        extra={"endless": True},
    ),
]


_Threshold = Annotated[float, msgspec.Meta(gt=0.0, le=1.0, title="a distance above 0 and up to 1 m")]


class BlockSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One block as the file describes it."""

    title: ClassVar[str] = "a block"
    name: str
    files: list[str] | None = None
    network: str | None = None  # a stored one
    spec: str | None = None  # a TOML file of nodes
    layout: LayoutName = "quaternion"
    harmonics: Harmonics = 10
    mirror: bool = True
    substitute: bool = False
    keep_all: bool = False  # takes of nearly one thing
    even: bool = False


class TransitionSpec(CaptureSpec, frozen=True, kw_only=True):
    """One transition as the file describes it."""

    title: ClassVar[str] = "a transition"
    source: str
    target: str | None = None
    chain: tuple[str, str] | None = None
    computed: bool = False  # blended, where no capture shows it
    threshold: _Threshold = NEAREST  # metres between motions that a computed one joins
    boundaries: tuple[int, int] | None = None  # rows
    loop: tuple[int, int] | None = None  # rows
    tremor: _Tremor | None = None  # Hz; infinite where nothing counts as tremor
    source_node: str = ""
    source_at: tuple[float, float] | None = None
    source_beside: tuple[tuple[str, str], ...] = ()
    target_node: str = ""
    target_at: tuple[float, float] | None = None
    target_beside: tuple[tuple[str, str], ...] = ()
    zone: float = ZONE
    key: str = ""
    mirrored: bool = False
    at_once: bool = False


class _ModeSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One operating mode as the file describes it."""

    title: ClassVar[str] = "a mode"
    name: str
    key: str = ""
    arcs: list[str] = []


class _HybridSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A whole hybrid network as its file describes it."""

    title: ClassVar[str] = "a hybrid network"
    transitions: list[TransitionSpec]
    blocks: list[BlockSpec] = []
    modes: list[_ModeSpec] = []


def describes_hybrid(path: str | PathLike[str]) -> bool:
    """Whether a spec is one of a hybrid network: it has ``[[transitions]]``."""
    return "transitions" in SpecText.read(path).tables


def read_hybrid_spec(path: str | PathLike[str]) -> _HybridSpec:
    """The spec of a hybrid network, checked; no motion file is opened yet.

    Raises ``FormatError`` where it is not TOML, has keys that mean nothing (the nearest that does is named), names what
    is not there, or says too little.
    """
    text = SpecText.read(path)
    spec = text.values(_HybridSpec)
    for i, block in enumerate(spec.blocks):
        for reason, key in _block_faults(block, spec.transitions):
            raise text.error(reason, key, "blocks", i)
    names = [transition.name for transition in spec.transitions]
    for i, transition in enumerate(spec.transitions):
        refuse_odd_reading(text, transition, "transitions", i)
        for reason, key in _transition_faults(transition, names[:i]):
            raise text.error(reason, key, "transitions", i)
    for i, mode in enumerate(spec.modes):
        for arc in mode.arcs:
            if arc not in names:
                raise text.error(f"there is no transition {arc!r}{meant(arc, names)}", "arcs", "modes", i)
    return spec


def _block_faults(block: BlockSpec, transitions: Sequence[TransitionSpec]) -> Iterator[tuple[str, str]]:
    """Faults of a block: the reason, and the key that is at fault."""
    given = [key for key in ("files", "network", "spec") if getattr(block, key)]
    if len(given) != 1:
        reason = f"block {block.name!r} needs one of files, network and spec, got {' and '.join(given) or 'none'}"
        leads = [transition.name for transition in transitions if block.name in (transition.source, transition.target)]
        if leads and not given:
            reason += f"; leave it out of the blocks where it is to be founded on transition {leads[0]!r}"
        yield reason, given[1] if len(given) > 1 else "name"
    for key in ("keep_all", "even") if given[0] != "files" else ():
        if getattr(block, key):
            where = "in that spec" if key == "even" and given[0] == "spec" else "when building it"
            yield f"block {block.name!r} is made already by its {given[0]}; {key} is said {where}", key


_OF_FILES = ("boundaries", "tremor", "skeleton", "roles", "unit", "up", "frame_rate")  # keys of transitions with a file
_OF_TARGETS = ("target_node", "target_at", "target_beside")  # keys of transitions that lead elsewhere


def _transition_faults(spec: TransitionSpec, earlier: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Faults of a transition: the reason, and the key that is at fault."""
    title = f"transition {spec.name!r}"
    if (spec.file is not None) + (spec.chain is not None) + spec.computed != 1:
        yield f"{title} needs a file, or a chain of two others, or computed = true", "name"
    if spec.computed and spec.target in (None, spec.source):
        yield f"{title} is computed, so it leads from one block to another; name its target", "computed"
    for name in spec.chain or ():
        if name not in earlier:
            yield f"there is no transition {name!r} before this{meant(name, earlier)}", "chain"
    if spec.threshold != NEAREST and not spec.computed:
        yield f"{title} is not computed; threshold means nothing there", "threshold"
    if spec.file is None:
        state = "is cut together of others" if spec.chain else "is computed"
        yield from _idle_key_faults(spec, _OF_FILES, state)
    if spec.target is None:
        yield from _idle_key_faults(spec, _OF_TARGETS, "leads back to where it began")


def _idle_key_faults(spec: TransitionSpec, keys: Sequence[str], state: str) -> Iterator[tuple[str, str]]:
    """Keys that are given, but mean nothing for a transition in this state."""
    defaults = {field.name: field.default for field in msgspec.structs.fields(spec)}
    for key in keys:
        if getattr(spec, key) != defaults[key]:
            yield f"transition {spec.name!r} {state}; {key} means nothing there", key
