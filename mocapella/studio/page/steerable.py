"""Pages in which the engine plays, one character or a crowd: a network as a ``.mocar`` file, with the library."""

from __future__ import annotations

import base64
import zlib
from typing import Any

from mocapella.blending.network import Network
from mocapella.checks import checked_seed, finite_number, shown, whole_number
from mocapella.errors import MotionError
from mocapella.exporting.embedding import RELAXED, WASM, runtime_file
from mocapella.exporting.mocar import mocar_bytes
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.spectrum import Spectrum
from mocapella.studio.page.content import Json, plain_block, skeleton_content

CROWD = 200  # characters if nobody says how many: as many as machines without a graphics card draw
_MOST = 5000  # characters of a page, as its viewer offers them


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
        "wasm": _deflated(runtime_file(WASM)),
        "network": _deflated(mocar_bytes(value)),
        "nodes": [len(block.nodes) if isinstance(block, Network) else 1 for block in blocks],
        "point": _middle(blocks[0]),
    }


def _skeleton(value: Network | Spectrum) -> Skeleton:
    if value.layout is None:
        raise MotionError("these harmonics have no layout, so they are not the motion of a skeleton")
    return value.layout.skeleton


def _middle(value: Network | Spectrum) -> list[float]:
    if not isinstance(value, Network):
        return [0.0, 0.0]
    return [float(x) for x in value.place(tuple(value.points.mean(axis=0).tolist())).point]


def _deflated(data: bytes) -> str:
    """Bytes as a page embeds them: deflated, in base64. ``inflate`` of the viewer undoes it."""
    return base64.b64encode(zlib.compress(data, 9)).decode("ascii")


def crowd_content(
    value: Any, count: int = CROWD, *, speed: float = 1.3, noise: float = 0.05, changes: float = 4.0, seed: int = 0
) -> Json:
    """A network in the plane, a hybrid network or a spectrum for the viewer's crowd; ``kind`` is ``"crowd"``.

    ``count`` characters, up to 5,000, walk at ``speed`` m/s when the page opens. ``noise`` is the largest angle by
    which trunk, neck and shoulders vary, at most 1 radian. ``changes`` is the mean number of captured changes that each
    character of a hybrid network begins in a minute. Raises ``MotionError`` for other values and numbers, and where the
    library was not built.
    """
    if not 1 <= whole_number(count, "a number of characters") <= _MOST:
        helps = "write a .glb or a film of more"
        raise MotionError(expected=f"1 to {_MOST:,} characters in a page", got=shown(count), helps=helps)
    if finite_number(noise, "noise from 0 to 1 radian", least=0.0) > 1.0:
        raise MotionError(expected="noise from 0 to 1 radian", got=shown(noise))
    numbers = {
        "speed": finite_number(speed, "a speed above 0, m/s", above=0.0),
        "noise": float(noise),
        "changes": finite_number(changes, "changes per minute from 0 on", least=0.0),
        "count": int(count),
        "seed": checked_seed(seed),
    }
    return {**steered_content(value), "kind": "crowd", "relaxed": _deflated(runtime_file(RELAXED)), **numbers}
