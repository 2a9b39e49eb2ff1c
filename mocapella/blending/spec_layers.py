"""Networks in space from a TOML file that lays stored networks above each other.

::

    [[layers]]
    name = "sad"
    network = "sad.moca"   # beside this file, or in a folder below it; in the plane, all with the same triangles
    height = -1.0          # rising from layer to layer

    [[layers]]
    name = "happy"
    network = "happy.moca"
    height = 1.0

All layers are brought into step with the first. A table ``[single_source]`` means what it means to networks.
"""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike

import msgspec

from mocapella.blending.build import Built
from mocapella.blending.network import Network
from mocapella.blending.single_source_record import SingleSourceSpec
from mocapella.blending.spec import refuse_odd_settings
from mocapella.blending.spec_folder import SpecFolder
from mocapella.blending.spec_text import SpecText
from mocapella.blending.store import load_with_origins
from mocapella.blending.volume import in_step_with, layered

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
