"""``mocapella build`` for a spec with transitions: a hybrid network, stored and described."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from rich.table import Table

from mocapella.blending.hybrid import Arc, Stop
from mocapella.blending.hybrid_spec_build import BuiltHybrid
from mocapella.blending.joins import joins
from mocapella.blending.seams import Seam
from mocapella.blending.store import Origin
from mocapella.cli.answers import out
from mocapella.cli.node_rows import node_row


def describe_hybrid(built: BuiltHybrid) -> dict[str, Any]:
    """What ``build --json`` says of a hybrid network: as of a plain one, with the block of everything beside it."""
    blocks = built.hybrid.blocks
    nodes = [
        {**node_row(node, built.origins.get(name, {}).get(node.name, Origin()).source), "block": name}
        for name, block in blocks.items()
        for node in block.network.nodes
    ]
    triangles = [
        list(names) for block in blocks.values() for names in (*block.plain, *block.buffers) if len(names) == 3
    ]
    segments = [list(names) for block in blocks.values() for names in block.plain if len(names) == 2]
    modes = [{"name": mode.name, "key": mode.key, "arcs": sorted(mode.arcs)} for mode in built.hybrid.modes]
    arcs = [_arc(arc, joins(built.hybrid, arc)) for arc in built.hybrid.arcs]
    answer = {"nodes": nodes, "triangles": triangles, "arcs": arcs, "blocks": list(blocks), "modes": modes}
    return {**answer, "segments": segments} if segments else answer


def print_arcs(arcs: list[dict[str, Any]]) -> None:
    """The arcs as a table."""
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for heading in ("arc", "from", "to", "rows", "seconds", "seams"):
        table.add_column(heading)
    for arc in arcs:
        ends = [f"{arc[end]['block']}: {arc[end]['node']}" for end in ("source", "target")]
        seams = " and ".join(f"{seam['pose_cm']:.1f} cm, {seam['velocity']:.0f}°/s" for seam in arc["seams"])
        table.add_row(arc["name"], *ends, f"{arc['leave']}–{arc['arrive']}", f"{arc['seconds']:.2f}", seams)
    out.print(table)


def draw_blocks(built: BuiltHybrid, picture: Path) -> list[Path]:
    """Draw every block, as the mode that opens most arcs shows it, into ``MAP-walking.png`` for ``MAP.png``."""
    from mocapella.pictures.network_map import draw_network

    mode = max(built.hybrid.modes, key=lambda one: len(one.arcs))
    files = []
    for name in built.hybrid.blocks:
        path = picture.with_stem(f"{picture.stem}-{name}")
        draw_network(built.hybrid.network(name, mode.name), path, title=f"{name}, in the mode {mode.name}")
        files.append(path)
    return files


def _arc(arc: Arc, seams: tuple[Seam, Seam]) -> dict[str, Any]:
    change = arc.transition
    row = change.clip.first_row
    return {
        "name": arc.name,
        "source": _stop(arc.source),
        "target": _stop(arc.target),
        "leave": change.leave + row,
        "arrive": change.arrive + row,
        "seconds": change.seconds,
        "loop": None if change.loop is None else [frame + row for frame in change.loop],
        "zone": arc.zone,
        "key": arc.key,
        "mirrored": arc.mirrored is not None,
        "at_once": arc.at_once,
        "clip": change.clip.source or change.clip.name,
        "seams": [
            {
                "at": end,
                "pose_cm": 100.0 * one.pose,
                "angle": math.degrees(one.turn),
                "velocity": math.degrees(one.velocity),
            }
            for end, one in zip(("leave", "arrive"), seams, strict=True)
        ],
    }


def _stop(stop: Stop) -> dict[str, str]:
    return {"block": stop.block, "node": stop.node}
