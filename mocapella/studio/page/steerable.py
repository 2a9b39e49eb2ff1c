"""Pages in which the engine itself plays: a network as a ``.mocar`` file, with the library that steps it."""

from __future__ import annotations

import base64
import zlib
from typing import Any

from mocapella.blending.network import Network
from mocapella.checks import shown
from mocapella.errors import MotionError
from mocapella.exporting.embedding import WASM, runtime_file
from mocapella.exporting.mocar import mocar_bytes
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.spectrum import Spectrum
from mocapella.studio.page.content import Json, plain_block, skeleton_content


def steered_content(value: Any) -> Json:
    """A network in the plane, a hybrid network or a spectrum with the library that plays it; ``kind`` is ``"steered"``.

    The networks' own harmonics are in it, every block and captured change of a hybrid network, and the library in
    WebAssembly. Raises ``MotionError`` for other values, and where the library was not built.
    """
    blocks: list[Network | Spectrum]
    if isinstance(value, HybridNetwork):
        blocks = [plain_block(value, name) for name in value.blocks]
    elif isinstance(value, Network | Spectrum):
        blocks = [value]
    else:
        raise MotionError(
            expected="a network in the plane, a hybrid network or a spectrum to steer in a page",
            got=shown(value),
            helps="make a page of it without steerable",
        )
    return {
        "kind": "steered",
        "skeletons": [skeleton_content(_skeleton(blocks[0]))],
        "wasm": deflated(runtime_file(WASM)),
        "network": deflated(mocar_bytes(value)),
        "nodes": [len(block.nodes) if isinstance(block, Network) else 1 for block in blocks],
        "point": _middle(blocks[0]),
    }


def _skeleton(value: Network | Spectrum) -> Skeleton:
    if value.layout is None:
        raise MotionError("these harmonics have no layout, so they are not the motion of a skeleton")
    return value.layout.skeleton


def _middle(value: Network | Spectrum) -> list[float]:
    """A blending point in the middle of the network."""
    if not isinstance(value, Network):
        return [0.0, 0.0]
    return [float(x) for x in value.place(tuple(value.points.mean(axis=0).tolist())).point]


def deflated(data: bytes) -> str:
    """Bytes as a page embeds them: deflated, in base64. The result is as ``inflate`` of the viewer takes it."""
    return base64.b64encode(zlib.compress(data, 9)).decode("ascii")
