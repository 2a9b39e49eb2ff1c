"""What answers say of the nodes of a network."""

from __future__ import annotations

import math
from typing import Any

from mocapella.blending.network import Node
from mocapella.playback.played import played_speed


def node_row(node: Node, source: str) -> dict[str, Any]:
    """A node; ``at`` is a point as ``play --point`` takes it, ``speed`` what is played there, ``turn`` is per cycle.

    ``root_speed`` is what the root of the cycle does, as ``cycles`` tells it.
    """
    return {
        "name": node.name,
        "at": list(node.at),
        "speed": played_speed(node.spectrum),
        "root_speed": node.spectrum.speed,
        "turn": math.degrees(node.spectrum.turn),
        "seconds": node.spectrum.duration,
        "source": source,
        "synchronised": node.synchronised,
    }
