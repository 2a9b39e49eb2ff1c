"""The TOML file of a network: nodes with files, frames, places, triangles; or layers of stored networks.

::

    harmonics = 10
    triangles = [["slow", "fast", "left"]]

    [[nodes]]
    name = "slow"
    file = "slow.bvh"    # beside this file, or in a folder below it
    frames = [120, 400]  # where its cycle is looked for; with exact = true its first frame and the one that closes it
    speed = 0.8          # m/s wanted
    at = [0.0, 0.8]

A node may instead be made of others: ``base = "slow"``, ``plus = "left"``, ``minus = "fast"``; or be a blend of a
stored network, ``network = "moods.moca"`` at ``point = [0.0, 1.0]``, which makes a cascade. Angles are degrees. Nodes
at three coordinates make a network in space, whose ``tetrahedra`` may be given in place of triangles. A table
``[single_source]`` asks for single-source harmonics; it may be empty, or say ``first = 6`` and what else
``SingleSource`` takes. ``interpolant = "natural"`` asks for other weights than those of triangles. ``even = true``
evens out what single takes did by chance, among nodes of one ``kind``.

Layers lay stored networks above each other, all of them brought into step with the first::

    [[layers]]
    name = "sad"
    network = "sad.moca"   # in the plane, all with the same triangles
    height = -1.0          # rising from layer to layer
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from os import PathLike
from typing import Annotated, ClassVar

import msgspec

from mocapella.analysis.closing.cyclify import CLOSING_METHODS
from mocapella.blending.interpolants import interpolant_of
from mocapella.blending.places import Outside
from mocapella.blending.rules import RULES
from mocapella.building.layout.placement import AXES
from mocapella.building.spec.spec_folder import CaptureSpec, refuse_odd_reading
from mocapella.building.spec.spec_text import SpecText, meant, name_in
from mocapella.errors import MotionError
from mocapella.motion.layout import LAYOUTS
from mocapella.storage.stored_networks import SingleSourceSpec

LOOKING = ("frames", "exact", "speed", "turn", "turning", "method", "limp")  # which cycle of a file is meant, and how

Harmonics = Annotated[int, msgspec.Meta(ge=0, title="a whole number from 0 on")]
LayoutName = Annotated[str, name_in(LAYOUTS)]
_Scale = Annotated[
    float, msgspec.Meta(ge=-10.0, le=10.0, title="a number from -10 to 10", description="1 adds the whole difference")
]


class NodeSpec(CaptureSpec, frozen=True, kw_only=True):
    """One node as the file describes it."""

    title: ClassVar[str] = "a node"
    frames: tuple[int, int] | None = None
    exact: bool = False  # the frames are the cycle itself
    speed: float | None = None  # m/s
    turn: float | None = None  # degrees per cycle
    turning: bool | None = None
    method: Annotated[str, name_in(CLOSING_METHODS)] | None = None
    limp: bool = False  # bend the legs so that the feet keep their heights
    mirrored: bool = False
    offset: float | None = None  # frames by which the cycle begins later, instead of what falls in step
    synchronised: bool | None = None
    at: tuple[float, ...] | None = None
    network: str | None = None  # a stored one whose blend at a point the node is
    point: tuple[float, ...] | None = None
    base: str | None = None
    plus: str | None = None
    minus: str | None = None
    scale: _Scale = 1.0
    kind: str | None = None  # what the node is evened out with; its file's folder if None


class NetworkSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A whole network as its file describes it."""

    title: ClassVar[str] = "a network"
    nodes: list[NodeSpec]
    triangles: list[tuple[str, str, str]] | None = None
    tetrahedra: list[tuple[str, str, str, str]] | None = None
    axes: Annotated[str, name_in(AXES)] = "turn-speed"  # by which nodes lie that say no place
    harmonics: Harmonics = 10
    rule: Annotated[str, name_in(RULES)] = "lively"
    outside: Outside = "clamp"
    interpolant: str = "triangles"  # a name that ``interpolant_of`` knows
    layout: LayoutName = "quaternion"
    single_source: SingleSourceSpec | None = None
    even: bool = False

    @property
    def in_space(self) -> bool:
        """Whether nodes lie at three coordinates."""
        return any(node.at is not None and len(node.at) == 3 for node in self.nodes)


class _LayerSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One layer as the file describes it."""

    title: ClassVar[str] = "a layer"
    name: str
    network: str
    height: float


class _LayersSpec(msgspec.Struct, frozen=True, kw_only=True):
    """All layers as the file describes them."""

    title: ClassVar[str] = "a network of layers"
    layers: list[_LayerSpec]
    single_source: SingleSourceSpec | None = None


def describes_layers(path: str | PathLike[str]) -> bool:
    """Whether a spec is one of stored networks in layers: it has ``[[layers]]``."""
    return "layers" in SpecText.read(path).tables


def read_spec(path: str | PathLike[str]) -> NetworkSpec:
    """The spec of a network, checked; no motion file is opened yet.

    Raises ``FormatError`` where it is not TOML, has keys that mean nothing (the nearest that does is named), or says
    too little.
    """
    text = SpecText.read(path)
    spec = text.values(NetworkSpec, least={"nodes": 1})
    names = [node.name for node in spec.nodes]
    for i, node in enumerate(spec.nodes):
        refuse_odd_reading(text, node, "nodes", i)
        for reason, key in _node_faults(node, names[:i], spec):
            raise text.error(reason, key, "nodes", i)
    for reason, key in _network_faults(spec, names):
        raise text.error(reason, key)
    _refuse_odd_settings(text, spec.single_source)
    return spec


def read_layers(path: str | PathLike[str]) -> _LayersSpec:
    """The spec of stored networks in layers, checked; no network is opened yet.

    Raises ``FormatError`` where it has keys that mean nothing, names a layer twice, or heights do not rise.
    """
    text = SpecText.read(path)
    spec = text.values(_LayersSpec, least={"layers": 2})
    _refuse_odd_settings(text, spec.single_source)
    for i, (below, layer) in enumerate(itertools.pairwise(spec.layers), start=1):
        if not below.height < layer.height:
            reason = f"expected more than the {below.height:g} of the one below"
            raise text.error(f"layer {layer.name!r} lies at {layer.height:g}; {reason}", "height", "layers", i)
    return spec


def _refuse_odd_settings(text: SpecText, single_source: SingleSourceSpec | None) -> None:
    try:
        if single_source is not None:
            single_source.settings()
    except MotionError as error:
        raise text.error(f"single_source: {error}", "single_source") from None


_Faults = Iterator[tuple[str, str]]  # the reason of each, and the key that is at fault


def _node_faults(node: NodeSpec, earlier: Sequence[str], spec: NetworkSpec) -> _Faults:
    """Faults of a node; ``earlier`` are the names of those before it."""
    title = f"node {node.name!r}"
    sum_of = {key: name for key in ("base", "plus", "minus") if (name := getattr(node, key)) is not None}
    yield from _source_faults(node, title, len(sum_of))
    yield from _frames_faults(node, title)
    for key, name in sum_of.items():
        if name not in earlier:
            yield f"there is no node {name!r} before this{meant(name, earlier)}", key
    yield from _idle_key_faults(node, title, is_sum=bool(sum_of))
    if node.kind is not None and not spec.even:
        yield f"{title} has a kind, which says what it is evened out with; say even = true as well", "kind"
    if node.at is not None and len(node.at) not in (2, 3):
        yield f"at: expected two numbers, or three in space, found {len(node.at)}", "at"
    if spec.in_space and (node.at is None or len(node.at) != 3):
        yield f"{title} needs three numbers in at, as others have", "at"


def _source_faults(node: NodeSpec, title: str, n_terms: int) -> _Faults:
    """Faults of where a motion comes from; ``n_terms`` of base, plus and minus are given."""
    n_sources = (node.file is not None) + (n_terms > 0) + (node.network is not None)
    if n_sources != 1 or n_terms not in (0, 3):
        yield f"{title} needs a file, or base, plus and minus to be made of, or a network and a point", "name"
    if (node.network is None) != (node.point is None):
        yield f"{title} needs a network and a point in it, both of them", "name"


def _frames_faults(node: NodeSpec, title: str) -> _Faults:
    """Faults of the frames in which a cycle is looked for, or which are it."""
    if node.exact and node.frames is None:
        yield f"{title} is exact, but says no frames", "exact"
    for key in ("speed", "turn", "turning") if node.exact else ():
        if getattr(node, key) is not None:
            yield f"{title} is exact: its frames say which cycle is meant, so {key} has nothing to choose", key
    if node.frames is not None and not 0 <= node.frames[0] < node.frames[1]:
        frames = list(node.frames)
        yield f"frames: expected a first frame and a later last one, both from 0 on, found {frames}", "frames"


def _idle_key_faults(node: NodeSpec, title: str, is_sum: bool) -> _Faults:
    """Keys that choose a cycle of a file, where there is nothing to choose."""
    keys: tuple[str, ...] = (*LOOKING, "mirrored", "offset")
    if is_sum:
        state = "is made of others"
    elif node.network is not None:
        state = "is a blend"
    elif str(node.file).lower().endswith(".moca"):
        state, keys = "is a cycle already", LOOKING
    else:
        return
    for key in keys:
        if getattr(node, key) not in (None, False):
            yield f"{title} {state}; {key} means nothing there", key


def _network_faults(spec: NetworkSpec, names: Sequence[str]) -> _Faults:
    """Faults of the rest of a network."""
    if spec.tetrahedra is not None and not spec.in_space:
        yield "tetrahedra join nodes in space; give every node three numbers in at", "tetrahedra"
    if spec.triangles is not None and spec.in_space:
        yield "nodes in space are joined by tetrahedra, not by triangles", "triangles"
    try:
        interpolant_of(spec.interpolant)
    except MotionError as error:
        yield str(error), "interpolant"
    if spec.even and any(node.network is not None for node in spec.nodes):
        yield "nodes that are blends of networks are not evened out; leave even out", "even"
    yield from _name_faults(spec, names)


def _name_faults(spec: NetworkSpec, names: Sequence[str]) -> _Faults:
    """Rows of names that are not those of nodes, or have one twice."""
    single_source = spec.single_source or SingleSourceSpec()
    shapes = {"triangles": spec.triangles or (), "tetrahedra": spec.tetrahedra or ()}
    named = {**shapes, "winners": single_source.winners, "abstaining": [single_source.abstaining]}
    for key, row in ((key, row) for key, rows in named.items() for row in rows):
        for name in row:
            if name not in names:
                yield f"there is no node {name!r} before this{meant(name, names)}", key
        if key in shapes and len(set(row)) < len(row):
            yield f"{key}: expected different corners, found {list(row)}", key
