"""Networks described for JSON answers: nodes, what joins them, arcs and operating modes."""

from __future__ import annotations

import math
from typing import Any

from mocapella.blending.places import Node
from mocapella.building.layout.steps import Built
from mocapella.building.spec.make_hybrid import BuiltHybrid
from mocapella.gait.root_motion import played_speed
from mocapella.hybrid.hybrid_network import Arc, HybridNetwork
from mocapella.hybrid.seams import arc_seams
from mocapella.measure.measures import ARC, figures
from mocapella.motion.travel import stands
from mocapella.storage.stored_networks import Origin


def describe(built: Built) -> dict[str, Any]:
    """The JSON of a network for ``build --json``.

    It has ``files``, what each motion was taken for; ``nodes``; by the names of their nodes ``triangles``, and
    ``segments`` of a network on a line or ``tetrahedra`` of one in space; ``arcs``, empty; ``noise_mm`` of the noisiest
    capture, from frame to frame.
    """
    network = built.network
    nodes = [_node(node, built.origins[node.name]) for node in network.nodes]
    shapes: dict[str, list[list[str]]] = {"triangles": []}
    kind = {2: "segments", 3: "triangles", 4: "tetrahedra"}.get(network.corners.shape[1])
    if kind is not None:  # a single node is joined to nothing
        shapes[kind] = [list(names) for names in network.triangles]
    noise = max((origin.noise_mm for origin in built.origins.values()), default=0.0)
    return {"nodes": nodes, **shapes, "arcs": [], "files": _files(built), "noise_mm": noise}


def _files(built: Built) -> list[dict[str, Any]]:
    """What every motion that was given is to the network; the sources of a spec are gaits, or stand."""
    if built.motions:
        return [{"path": motion.path, "kind": motion.kind, "reason": motion.reason} for motion in built.motions]
    sources = {built.origins[node.name].source: stands(node.spectrum) for node in built.network.nodes}
    return [{"path": path, "kind": "idle" if still else "gait", "reason": ""} for path, still in sources.items()]


def describe_hybrid(built: BuiltHybrid) -> dict[str, Any]:
    """The JSON of a hybrid network for ``build --json``.

    As ``describe`` has it, every node with its ``block``; also ``blocks`` and ``modes``.
    """
    blocks = built.hybrid.blocks
    nodes = [
        {**_node(node, built.origins.get(name, {}).get(node.name, Origin())), "block": name}
        for name, block in blocks.items()
        for node in block.network.nodes
    ]
    triangles = [
        list(names) for block in blocks.values() for names in (*block.plain, *block.buffers) if len(names) == 3
    ]
    segments = [list(names) for block in blocks.values() for names in block.plain if len(names) == 2]
    modes = [{"name": mode.name, "key": mode.key, "arcs": sorted(mode.arcs)} for mode in built.hybrid.modes]
    arcs = [_arc(built.hybrid, arc) for arc in built.hybrid.arcs]
    noise = max((origin.noise_mm for block in built.origins.values() for origin in block.values()), default=0.0)
    answer = {"nodes": nodes, "triangles": triangles, "arcs": arcs, "blocks": list(blocks), "modes": modes,
              "noise_mm": noise}  # fmt: skip
    return {**answer, "segments": segments} if segments else answer


def _node(node: Node, origin: Origin) -> dict[str, Any]:
    """A node: ``speed`` as played, ``root_speed`` of the captured root, ``turn`` in degrees per cycle.

    ``merged`` names the other takes of which it is the mean, where it is one.
    """
    about: dict[str, Any] = {
        "name": node.name,
        "at": list(node.at),
        "speed": played_speed(node.spectrum),
        "root_speed": node.spectrum.speed,
        "turn": math.degrees(node.spectrum.turn),
        "seconds": node.spectrum.duration,
        "source": origin.source,
        "synchronised": node.synchronised,
    }
    return {**about, "merged": list(origin.merged)} if origin.merged else about


def _arc(hybrid: HybridNetwork, arc: Arc) -> dict[str, Any]:
    """An arc; ``leave``, ``arrive`` and ``loop`` are rows of its capture."""
    change = arc.transition
    row = change.clip.first_row
    seams = zip(("leave", "arrive"), arc_seams(hybrid, arc), strict=True)
    return {
        "name": arc.name,
        "source": {"block": arc.source.block, "node": arc.source.node},
        "target": {"block": arc.target.block, "node": arc.target.node},
        "leave": change.leave + row,
        "arrive": change.arrive + row,
        "seconds": change.seconds,
        "loop": None if change.loop is None else [frame + row for frame in change.loop],
        "zone": arc.zone,
        "key": arc.key,
        "mirrored": arc.mirrored is not None,
        "at_once": arc.at_once,
        "clip": change.clip.source or change.clip.name,
        "seams": [{"at": end, **figures(ARC, seam)} for end, seam in seams],
    }
