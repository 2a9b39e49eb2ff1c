"""What answers say of the nodes of a network."""

from __future__ import annotations

import math
from typing import Any

from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.building.build import Built
from mocapella.playback.gaits import played_speed


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


def describe(built: Built) -> dict[str, Any]:
    """What ``build --json`` says."""
    nodes = [node_row(node, built.origins[node.name].source) for node in built.network.nodes]
    return {"nodes": nodes, **shapes_of(built.network), "arcs": []}


def shapes_of(network: Network) -> dict[str, list[list[str]]]:
    """What joins the nodes, by names: triangles in threes, segments in twos on a line, tetrahedra in fours in space."""
    out: dict[str, list[list[str]]] = {"triangles": []}
    kind = {2: "segments", 3: "triangles", 4: "tetrahedra"}.get(network.corners.shape[1])
    if kind is not None:  # a single node is joined to nothing
        out[kind] = [list(names) for names in network.triangles]
    return out
