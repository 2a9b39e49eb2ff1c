"""The embedded actor's captures as files, each with its ground truth beside it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from mocapella.actor import CAPTURED, CLEAN, Truth, capture
from mocapella.errors import MotionError
from mocapella.files.formats import save


def write_captures(
    names: Sequence[str],
    folder: Path,
    *,
    suffix: str = "bvh",
    rate: float = 120.0,
    clean: bool = False,
    seed: int = 0,
    progress: Callable[[str], None] = lambda name: None,
) -> list[dict[str, Any]]:
    """Let the actor perform, write what was captured, and say what there is: ``path``, ``frames``, ``seconds``."""
    make_folder(folder)
    files = []
    for name in names:
        progress(name)
        flaws = CLEAN if clean else CAPTURED
        clip, truth = capture(name, seed=seed, frame_rate=rate, imperfections=flaws)
        path = folder / f"{name.replace(' ', '-')}.{suffix}"
        save(clip, path)
        path.with_suffix(".truth.json").write_text(json.dumps(describe_truth(truth), indent=1) + "\n")
        files.append({"path": str(path), "frames": clip.n_frames, "seconds": clip.seconds})
    return files


def describe_truth(truth: Truth) -> dict[str, Any]:
    """The right answers as JSON: seconds, metres and degrees, frames counted from 0, intervals with both ends."""
    return {
        "action": truth.action,
        "style": truth.style,
        "period": truth.period,
        "period_after": truth.period_after,
        "speed": truth.speed,
        "turn_per_second": math.degrees(truth.turn),
        "contacts": {point: rows.tolist() for point, rows in truth.contacts.items()},
        "boundaries": truth.boundaries.tolist(),
        "dropouts": list(truth.dropouts),
        "jumps": list(truth.jumps),
    }


def make_folder(folder: Path) -> None:
    """Make a folder and those above it; ``MotionError`` where that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MotionError(f"cannot make the folder {folder}: {error.strerror or error}") from None
