"""Real captures for benchmarks: where they are, and long files made of them."""

from __future__ import annotations

import os
from pathlib import Path


def data_folder() -> Path | None:
    """The folder of real captures, where there is one."""
    named = os.environ.get("MOCAPELLA_DATA")
    place = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data"
    return place if place.is_dir() else None


def joined_captures(data: Path, folder: Path, n_frames: int) -> Path:
    """A BVH file of exactly ``n_frames`` frames with the numbers of real captures, spelled as CMU's files are."""
    header = ""
    frames: list[str] = []
    for source in sorted((data / "cmu-bvh" / "16").glob("*.bvh")):
        text = source.read_text()
        head, _, motion = text.partition("MOTION")
        header = header or head
        frames += [line for line in motion.splitlines()[4:] if line.strip()]  # without the artificial first frame
    while len(frames) < n_frames:
        frames += frames[: n_frames - len(frames)]
    path = folder / f"joined_{n_frames}.bvh"
    body = "\n".join(frames[:n_frames])
    path.write_text(f"{header}MOTION\nFrames: {n_frames}\nFrame Time: .0083333\n{body}\n", newline="")
    return path
