"""How feet stand in networks of real captures: ``python -m benchmarks player``, after what steps cost."""

from __future__ import annotations

import warnings
from pathlib import Path

from mocapella.analysis.prepare import prepare
from mocapella.analysis.synchronise import synchronise
from mocapella.storage.values import load
from mocapella.studies.benches.measuring import Row
from mocapella.studies.benches.player_cost import laid_out, push, standing_rows

# Of CMU's subject 16.
CLIPS = {
    "walking": ("15", "11", "13", "17", "19", "21", "23", "25", "27", "29", "47"),
    "running": ("35", "37", "39", "41", "43", "45", "48", "49"),
}


def rows(data: Path) -> list[Row]:
    """How networks of captures stand, and how their roots are pushed about, against the captures themselves."""
    found: list[Row] = []
    for kind, names in CLIPS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            clips = [load(data / "cmu-bvh" / "16" / f"16_{name}.bvh") for name in names]
            cycles = synchronise([prepare(clip) for clip in clips])
        most = max(push(cycle.to_clip(2).resampled(60.0)) for cycle in cycles)
        found += standing_rows(f"CMU 16, {kind} network", laid_out(cycles), most_push=most)
    return found
