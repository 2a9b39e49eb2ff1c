"""Hybrid networks from a TOML file: blocks, transitions between them, operating modes.

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

A transition may instead be cut together of two before it: ``chain = ["twirl", "run off"]``.
"""

from __future__ import annotations

import math
from os import PathLike
from typing import Literal

import msgspec

from mocapella.building.spec.network import refuse_odd_count
from mocapella.building.spec.text import SpecText, meant, refuse_odd_reading
from mocapella.hybrid.network import ZONE

MOST = 1000  # blocks, transitions, modes


class BlockSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One block as the file describes it."""

    name: str
    files: list[str] | None = None
    network: str | None = None  # a stored one
    spec: str | None = None  # a TOML file of nodes
    layout: Literal["quaternion", "euler"] = "quaternion"
    harmonics: int = 10
    mirror: bool = True
    substitute: bool = False
    keep_all: bool = False  # takes of nearly one thing
    even: bool = False


class TransitionSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One transition as the file describes it."""

    name: str
    source: str
    target: str | None = None
    file: str | None = None
    chain: tuple[str, str] | None = None
    skeleton: str | None = None  # the .asf of an .amc
    roles: str | None = None  # a TOML file
    unit: str | None = None
    frame_rate: float | None = None
    boundaries: tuple[int, int] | None = None  # rows
    loop: tuple[int, int] | None = None  # rows
    tremor: float | None = None  # Hz; infinite where nothing counts as tremor
    source_node: str = ""
    source_at: tuple[float, float] | None = None
    source_beside: list[tuple[str, str]] = []
    target_node: str = ""
    target_at: tuple[float, float] | None = None
    target_beside: list[tuple[str, str]] = []
    zone: float = ZONE
    key: str = ""
    mirrored: bool = False
    at_once: bool = False


class ModeSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One operating mode as the file describes it."""

    name: str
    key: str = ""
    arcs: list[str] = []


class HybridSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A whole hybrid network as its file describes it."""

    transitions: list[TransitionSpec]
    blocks: list[BlockSpec] = []
    modes: list[ModeSpec] = []


_ARRAYS = {
    "blocks": ("a block", BlockSpec),
    "transitions": ("a transition", TransitionSpec),
    "modes": ("a mode", ModeSpec),
}


def describes_hybrid(path: str | PathLike[str]) -> bool:
    """Whether a spec is one of a hybrid network: it has transitions."""
    return "transitions" in SpecText.read(path).tables


def read_hybrid_spec(path: str | PathLike[str]) -> HybridSpec:
    """Read and look through a spec; no motion file is opened yet.

    Raises
    ------
    FormatError
        Where it is no TOML, has keys that mean nothing (the nearest that does is named), names what is not there, or
        says too little.
    """
    text = SpecText.read(path)
    text.refuse_keys(text.tables, HybridSpec.__struct_fields__, "a hybrid network")
    for array, (what, kind) in _ARRAYS.items():
        for i, table in enumerate(text.arrays(array)):
            if isinstance(table, dict):
                text.refuse_keys(table, kind.__struct_fields__, what, array, i)
    spec = text.converted(HybridSpec)
    for array in _ARRAYS:
        records = getattr(spec, array)
        if len(records) > MOST:
            raise text.error(f"describes {len(records)} {array}; at most {MOST} are read")
        names = [record.name for record in records]
        for i, record in enumerate(records):
            text.refuse_odd_numbers(_without_infinite_tremor(record), array, i)
            if names.index(record.name) != i:
                raise text.error(f"two {array} are called {record.name!r}; names tell them apart", "name", array, i)
    for i, block in enumerate(spec.blocks):
        refuse_odd_count(text, block.harmonics, "blocks", i)
        _refuse_unfounded(text, i, block, spec.transitions)
    for i, transition in enumerate(spec.transitions):
        refuse_odd_reading(text, transition, "transitions", i)
        _refuse_half_a_transition(text, i, transition, [one.name for one in spec.transitions[:i]])
    known = [transition.name for transition in spec.transitions]
    for i, mode in enumerate(spec.modes):
        for arc in mode.arcs:
            if arc not in known:
                raise text.error(f"there is no transition {arc!r}{meant(arc, known)}", "arcs", "modes", i)
    return spec


def _without_infinite_tremor(record: msgspec.Struct) -> msgspec.Struct:
    """A record without the one number that may be infinite."""
    endless = isinstance(record, TransitionSpec) and record.tremor == math.inf
    return msgspec.structs.replace(record, tremor=None) if endless else record


def _refuse_unfounded(text: SpecText, i: int, block: BlockSpec, transitions: list[TransitionSpec]) -> None:
    given = [key for key in ("files", "network", "spec") if getattr(block, key)]
    if len(given) != 1:
        reason = f"block {block.name!r} needs one of files, network and spec, got {' and '.join(given) or 'none'}"
        leads = [one.name for one in transitions if block.name in (one.source, one.target)]
        if leads and not given:
            reason += f"; leave it out of the blocks where it is to be founded on transition {leads[0]!r}"
        raise text.error(reason, given[1] if len(given) > 1 else "name", "blocks", i)
    for key in ("keep_all", "even") if given[0] != "files" else ():
        if getattr(block, key):
            where = "in that spec" if key == "even" and given[0] == "spec" else "when building it"
            reason = f"block {block.name!r} is made already by its {given[0]}; {key} is said {where}"
            raise text.error(reason, key, "blocks", i)


def _refuse_half_a_transition(text: SpecText, i: int, one: TransitionSpec, earlier: list[str]) -> None:
    if (one.file is None) == (one.chain is None):
        raise text.error(f"transition {one.name!r} needs a file, or a chain of two others", "name", "transitions", i)
    for name in one.chain or ():
        if name not in earlier:
            reason = f"there is no transition {name!r} before this{meant(name, earlier)}"
            raise text.error(reason, "chain", "transitions", i)
    for key in ("boundaries", "tremor", "skeleton", "roles", "unit", "frame_rate") if one.chain else ():
        if getattr(one, key) is not None:
            reason = f"transition {one.name!r} is cut together of others; {key} means nothing there"
            raise text.error(reason, key, "transitions", i)
    if one.tremor is not None and not one.tremor > 0.0:
        reason = f"tremor: expected a frequency above 0 Hz, found {one.tremor:g}; inf plays every frame as captured"
        raise text.error(reason, "tremor", "transitions", i)
    for key in ("target_node", "target_at", "target_beside") if one.target is None else ():
        if getattr(one, key):
            reason = f"transition {one.name!r} leads back to where it began; {key} means nothing there"
            raise text.error(reason, key, "transitions", i)
