"""What the spec of a network may say, and that of its layers."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Literal

import msgspec

from mocapella.analysis.closing.cyclify import CLOSING_METHODS
from mocapella.blending.interpolants import interpolant_of
from mocapella.blending.network import Network
from mocapella.blending.volume import in_step_with, layered
from mocapella.building.build import Built
from mocapella.building.spec.text import SpecFolder, SpecText, meant, one_of, refuse_odd_reading
from mocapella.errors import FormatError, MotionError, NetworkError
from mocapella.storage.networks import SingleSourceSpec, load_with_origins

# Networks from a TOML file that says everything: files, frames, places, triangles.
#
# ::
#
#     harmonics = 10
#     triangles = [["slow", "fast", "left"]]
#
#     [[nodes]]
#     name = "slow"
#     file = "slow.bvh"    # beside this file, or in a folder below it
#     frames = [120, 400]  # where its cycle is looked for; with exact = true its first frame and the one that closes it
#     speed = 0.8          # m/s wanted
#     at = [0.0, 0.8]
#
# A node may instead be made of others: ``base = "slow"``, ``plus = "left"``, ``minus = "fast"``; or be a blend of a
# stored network, ``network = "moods.moca"`` at ``point = [0.0, 1.0]``, which makes a cascade. Angles are degrees. Nodes
# at three coordinates make a network in space, whose ``tetrahedra`` may be given in place of triangles.
# A table ``[single_source]`` asks for single-source harmonics; it may be empty, or say ``first = 6`` and what else
# ``SingleSource`` takes. ``interpolant = "natural"`` asks for other weights than those of triangles. ``even = true``
# evens out what single takes did by chance, among nodes of one ``kind``.

MOST_NODES = 1000
LARGEST_SCALE = 10.0  # of a difference: twice of it exaggerates, ten times of it nobody can have meant
LOOKING = ("frames", "exact", "speed", "turn", "turning", "method", "limp")  # which cycle of a file is meant, and how


class NodeSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One node as the file describes it."""

    name: str
    file: str | None = None
    skeleton: str | None = None  # the .asf of an .amc
    roles: str | None = None  # a TOML file
    unit: str | None = None
    frame_rate: float | None = None
    frames: tuple[int, int] | None = None
    exact: bool = False  # the frames are the cycle itself
    speed: float | None = None
    turn: float | None = None  # degrees per cycle
    turning: bool | None = None
    method: str | None = None  # of closing the cycle
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
    scale: float = 1.0
    kind: str | None = None  # what the node is evened out with; its file's folder if None


class NetworkSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A whole network as its file describes it."""

    nodes: list[NodeSpec]
    triangles: list[tuple[str, str, str]] | None = None
    tetrahedra: list[tuple[str, str, str, str]] | None = None
    axes: Literal["turn-speed", "stride-speed"] = "turn-speed"  # by which nodes lie that say no place
    harmonics: int = 10
    rule: Literal["lively", "phasor", "streamlined", "unit", "naive", "series", "approximate", "between"] = "lively"
    outside: Literal["clamp", "extrapolate"] = "clamp"
    interpolant: str = "triangles"  # a name that ``interpolant_of`` knows
    layout: Literal["quaternion", "euler"] = "quaternion"
    single_source: SingleSourceSpec | None = None
    even: bool = False

    @property
    def in_space(self) -> bool:
        """Whether nodes lie at three coordinates."""
        return any(node.at is not None and len(node.at) == 3 for node in self.nodes)


def read_spec(path: str | PathLike[str]) -> NetworkSpec:
    """Read and look through a spec; no motion file is opened yet.

    Raises
    ------
    FormatError
        Where it is no TOML, has keys that mean nothing (the nearest that does is named), or says too little.
    """
    text = SpecText.read(path)
    _refuse_unknown(text)
    spec = text.converted(NetworkSpec)
    for i, one in enumerate(spec.nodes):
        text.refuse_odd_numbers(one, "nodes", i)
        refuse_odd_reading(text, one, "nodes", i)
        _refuse_half_a_node(text, i, one, [other.name for other in spec.nodes])
        if one.kind is not None and not spec.even:
            reason = f"node {one.name!r} has a kind, which says what it is evened out with; say even = true as well"
            raise text.error(reason, "kind", "nodes", i)
    if not 1 <= len(spec.nodes) <= MOST_NODES:
        raise FormatError(path, 0, f"describes {len(spec.nodes)} nodes; expected 1 to {MOST_NODES}")
    refuse_odd_count(text, spec.harmonics)
    _refuse_odd_places(text, spec)
    try:
        interpolant_of(spec.interpolant)
    except NetworkError as error:
        raise text.error(str(error), "interpolant") from None
    if spec.even and any(one.network is not None for one in spec.nodes):
        raise text.error("nodes that are blends of networks are not evened out; leave even out", "even")
    single_source = spec.single_source
    if single_source is not None:
        refuse_odd_settings(text, single_source)
        own = {
            "winners": [name for pair in single_source.winners for name in pair],
            "abstaining": single_source.abstaining,
        }
        for key, listed in own.items():
            for name in listed:
                _refuse_stranger(text, name, [one.name for one in spec.nodes], key)
    for key, rows in (("triangles", spec.triangles), ("tetrahedra", spec.tetrahedra)):
        for names in rows or ():
            for name in names:
                _refuse_stranger(text, name, [one.name for one in spec.nodes], key)
            if len(set(names)) < len(names):
                raise text.error(f"{key}: expected different corners, found {list(names)}", key)
    return spec


def refuse_odd_count(text: SpecText, harmonics: int, array: str = "", index: int | None = None) -> None:
    """A number of harmonics below 0 is an error."""
    if harmonics < 0:
        reason = f"harmonics: expected a whole number from 0 on, found {harmonics}"
        raise text.error(reason, "harmonics", array, index)


def refuse_odd_settings(text: SpecText, single_source: SingleSourceSpec) -> None:
    """Single-source harmonics that make no sense are an error."""
    try:
        single_source.settings()
    except MotionError as error:
        raise text.error(f"single_source: {error}", "single_source") from None


def _refuse_unknown(text: SpecText) -> None:
    text.refuse_keys(text.tables, NetworkSpec.__struct_fields__, "a network")
    if isinstance(text.tables.get("single_source"), dict):
        text.refuse_keys(text.tables["single_source"], SingleSourceSpec.__struct_fields__, "a network")
    if "nodes" not in text.tables:
        raise text.error("expected nodes, each below a line [[nodes]]")
    for i, node in enumerate(text.arrays("nodes")):
        if isinstance(node, dict):
            text.refuse_keys(node, NodeSpec.__struct_fields__, "a node", "nodes", i)


def _refuse_half_a_node(text: SpecText, i: int, node: NodeSpec, names: list[str]) -> None:
    sum_of = {"base": node.base, "plus": node.plus, "minus": node.minus}
    given = [key for key, value in sum_of.items() if value is not None]
    if names.index(node.name) != i:
        raise text.error(f"two nodes are called {node.name!r}; names tell nodes apart", "name", "nodes", i)
    if (node.file is not None) + bool(given) + (node.network is not None) != 1 or 0 < len(given) < 3:
        reason = f"node {node.name!r} needs a file, or base, plus and minus to be made of, or a network and a point"
        raise text.error(reason, "name", "nodes", i)
    if (node.network is None) != (node.point is None):
        raise text.error(f"node {node.name!r} needs a network and a point in it, both of them", "name", "nodes", i)
    if node.exact and node.frames is None:
        raise text.error(f"node {node.name!r} is exact, but says no frames", "exact", "nodes", i)
    for key in ("speed", "turn", "turning") if node.exact else ():
        if getattr(node, key) is not None:
            reason = f"node {node.name!r} is exact: its frames say which cycle is meant, so {key} has nothing to choose"
            raise text.error(reason, key, "nodes", i)
    if node.frames is not None and not 0 <= node.frames[0] < node.frames[1]:
        reason = f"frames: expected a first frame and a later last one, both from 0 on, found {list(node.frames)}"
        raise text.error(reason, "frames", "nodes", i)
    if node.method is not None and node.method not in CLOSING_METHODS:
        raise text.error(
            f"there is no method {node.method!r}{one_of(node.method, CLOSING_METHODS)}", "method", "nodes", i
        )
    if not abs(node.scale) <= LARGEST_SCALE:
        reason = f"scale: expected a number from -{LARGEST_SCALE:g} to {LARGEST_SCALE:g}, found {node.scale:g}"
        raise text.error(f"{reason}; 1 adds all that {node.plus!r} has over {node.minus!r}", "scale", "nodes", i)
    for key in given:
        _refuse_stranger(text, str(sum_of[key]), names[:i], key, i)
    made = "is made of others" if given else "" if node.network is None else "is a blend"
    if made or str(node.file).lower().endswith(".moca"):
        for key in (*LOOKING, *(("mirrored", "offset") if made else ())):
            if getattr(node, key) not in (None, False):
                what = made or "is a cycle already"
                raise text.error(f"node {node.name!r} {what}; {key} means nothing there", key, "nodes", i)


def _refuse_odd_places(text: SpecText, spec: NetworkSpec) -> None:
    """All nodes lie in space, or none; shapes to join them by fit that."""
    for i, node in enumerate(spec.nodes):
        if node.at is not None and len(node.at) not in (2, 3):
            reason = f"at: expected two numbers, or three in space, found {len(node.at)}"
            raise text.error(reason, "at", "nodes", i)
    if not spec.in_space:
        if spec.tetrahedra is not None:
            raise text.error("tetrahedra join nodes in space; give every node three numbers in at", "tetrahedra")
        return
    for i, node in enumerate(spec.nodes):
        if node.at is None or len(node.at) != 3:
            raise text.error(f"node {node.name!r} needs three numbers in at, as others have", "at", "nodes", i)
    if spec.triangles is not None:
        raise text.error("nodes in space are joined by tetrahedra, not by triangles", "triangles")


def _refuse_stranger(text: SpecText, name: str, names: list[str], key: str, node: int | None = None) -> None:
    if name not in names:
        array = "" if node is None else "nodes"
        raise text.error(f"there is no node {name!r} before this{meant(name, names)}", key, array, node)


# Networks in space from a TOML file that lays stored networks above each other.
#
# ::
#
#     [[layers]]
#     name = "sad"
#     network = "sad.moca"   # beside this file, or in a folder below it; in the plane, all with the same triangles
#     height = -1.0          # rising from layer to layer
#
#     [[layers]]
#     name = "happy"
#     network = "happy.moca"
#     height = 1.0
#
# All layers are brought into step with the first. A table ``[single_source]`` means what it means to networks.

MOST_LAYERS = 100


class LayerSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One layer as the file describes it."""

    name: str
    network: str
    height: float


class LayersSpec(msgspec.Struct, frozen=True, kw_only=True):
    """All layers as the file describes them."""

    layers: list[LayerSpec]
    single_source: SingleSourceSpec | None = None


def describes_layers(path: str | PathLike[str]) -> bool:
    """Whether a spec is one of stored networks in layers."""
    return "layers" in SpecText.read(path).tables


def read_layers(path: str | PathLike[str]) -> LayersSpec:
    """Read and look through a spec of layers; no network is opened yet.

    Raises
    ------
    FormatError
        Where it has keys that mean nothing, names a layer twice, or heights do not rise.
    """
    text = SpecText.read(path)
    text.refuse_keys(text.tables, LayersSpec.__struct_fields__, "a network of layers")
    if isinstance(text.tables.get("single_source"), dict):
        text.refuse_keys(text.tables["single_source"], SingleSourceSpec.__struct_fields__, "a network of layers")
    for i, layer in enumerate(text.arrays("layers")):
        if isinstance(layer, dict):
            text.refuse_keys(layer, LayerSpec.__struct_fields__, "a layer", "layers", i)
    spec = text.converted(LayersSpec)
    if not 2 <= len(spec.layers) <= MOST_LAYERS:
        raise text.error(f"expected 2 to {MOST_LAYERS} layers, found {len(spec.layers)}", "layers")
    if spec.single_source is not None:
        refuse_odd_settings(text, spec.single_source)
    for i, layer in enumerate(spec.layers):
        text.refuse_odd_numbers(layer, "layers", i)
        if layer.name in [other.name for other in spec.layers[:i]]:
            raise text.error(f"two layers are called {layer.name!r}; names tell layers apart", "name", "layers", i)
        if i and not spec.layers[i - 1].height < layer.height:
            below = spec.layers[i - 1].height
            reason = f"layer {layer.name!r} lies at {layer.height:g}; expected more than the {below:g} of the one below"
            raise text.error(reason, "height", "layers", i)
    return spec


def build_layers(path: str | PathLike[str], home: SpecFolder, progress: Callable[[str], None]) -> Built:
    """The network in space that a spec of layers describes."""
    spec = read_layers(path)
    networks: list[Network] = []
    origins = {}
    for layer in spec.layers:
        progress(layer.name)
        network, own = load_with_origins(home.file(layer.network))
        networks.append(in_step_with(network, networks[0]) if networks else network)
        origins.update({f"{layer.name}/{name}": origin for name, origin in own.items()})
    names = [layer.name for layer in spec.layers]
    volume = layered(networks, [layer.height for layer in spec.layers], names=names)
    if spec.single_source is None:
        return Built(volume, origins)
    with SpecText.read(path).at_fault("single_source"):
        return Built(volume.with_single_source(spec.single_source.settings()), origins)
