"""Networks for other programs: a ``.mocar`` file, or a folder with the library that plays it (C or WebAssembly)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from mocapella.blending.network import Network
from mocapella.errors import MotionError
from mocapella.exporting.mocar import SUFFIX, mocar_bytes, write_mocar
from mocapella.files.disk import read_bytes, replacing
from mocapella.hybrid.hybrid_network import HybridNetwork

RUNTIME = Path(__file__).parent / "runtime"  # made by ``make runtime``; a wheel brings it along
WASM = "mocapella.wasm"
RELAXED = "mocapella-relaxed.wasm"  # the same with relaxed SIMD, for engines that know it
NETWORK = f"network{SUFFIX}"
_CHECKOUT = Path(__file__).parents[2]
_PARTS = tuple(f"crowd_{part}.h" for part in ("legs", "plants", "points", "words"))
_PLAYED = tuple(f"{part}.cpp" for part in ("mocar", "network", "characters", "changes", "crossover"))
_SHARED = tuple(f"{part}.h" for part in ("foot_constants", "network", "characters", "crossover"))
_SOURCES = ("crowd.cpp", "crowd.h", *_PARTS, "lanes.h", *_PLAYED, *_SHARED)

# What each target's folder holds besides the network: file there, and where a checkout has it.
EMBEDDED: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "c": {
            "include/mocapella.h": "native/include/mocapella.h",
            **{f"src/{name}": f"native/src/{name}" for name in _SOURCES},
            "poses.c": "examples/07_embedding/poses.c",
        },
        "wasm": {
            WASM: "",
            RELAXED: "",
            "mocapella.mjs": "native/wasm/mocapella.mjs",
            "poses.mjs": "examples/07_embedding/poses.mjs",
        },
    }
)


def export_embedded(network: Network | HybridNetwork, output: Path, target: str) -> list[dict[str, str]]:
    """Write a network for programs that embed the library.

    Parameters
    ----------
    network
        Network in the plane, or a hybrid network, of which all blocks and captured changes are written.
    output
        File that ends in ``.mocar``, for the network alone, or a folder.
    target
        Name of the target, one of ``EMBEDDED``.

    Returns
    -------
    list of dict
        ``path`` and ``kind`` of every file: ``network``, ``library`` or ``example``.

    Raises
    ------
    MotionError
        For networks that a crowd cannot play, and where the library was not built.
    """
    if output.suffix.lower() == SUFFIX:
        write_mocar(network, output)
        return [{"path": str(output), "kind": "network"}]
    texts = {NETWORK: ("network", mocar_bytes(network))}
    for name in EMBEDDED[target]:
        texts[name] = ("example" if name.startswith("poses") else "library", runtime_file(name))
    written = []
    for name, (kind, data) in texts.items():
        try:
            (output / name).parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise MotionError(f"cannot write into {output}: {error.strerror or error}") from None
        with replacing(output / name) as file:
            file.write(data)
        written.append({"path": str(output / name), "kind": kind})
    return written


def runtime_file(name: str) -> bytes:
    """A file of the library, named as in ``EMBEDDED``; ``MotionError`` where neither package nor checkout has it."""
    place = next(files[name] for files in EMBEDDED.values() if name in files)
    files = [path for path in (_CHECKOUT / place, RUNTIME / name) if path.is_file()]
    if files:
        return read_bytes(files[0])
    raise MotionError(
        f"the library for other programs is not built: there is no {RUNTIME / name}",
        helps="in a checkout run make runtime; a wheel brings it along",
    )
