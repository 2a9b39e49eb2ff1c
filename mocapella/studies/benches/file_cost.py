"""Speed and memory of reading and writing BVH, beside other readers in Python."""

from __future__ import annotations

import io
import statistics
import tempfile
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from mocapella.actor import perform
from mocapella.files.formats import read_motion, write_motion
from mocapella.files.text import row_blocks
from mocapella.motion.clip import Clip, concatenate
from mocapella.studies.benches.measuring import Row, fastest, peak_bytes, processor_times
from mocapella.studies.benches.peers import bvh_readers

SIZES = ((2_752, 40), (45_000, 8))  # frames and rounds; slow readers take part in the first alone


def rows(*, quick: bool = False) -> list[Row]:
    """A short and a long file of the actor's: read, its numbers alone, memory, and written again."""
    found: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for n_frames, rounds in ((400, 2),) if quick else SIZES:
            path = Path(folder) / f"walk_{n_frames}.bvh"
            write_motion(walk(n_frames), path)
            found += file_rows(path, rounds, with_slow=n_frames == SIZES[0][0])
    return found


def walk(n_frames: int) -> Clip:
    """A walk of the actor of so many frames, one minute of it over and over."""
    once = perform("walk", seconds=min(60.0, n_frames / 120.0 + 1.0))[0]
    return concatenate([once] * -(-n_frames // once.n_frames))[:n_frames]


def file_rows(path: Path, rounds: int, *, of: str = "the actor's", with_slow: bool) -> list[Row]:
    """What one BVH file costs, beside every reader that is installed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clip = read_motion(path)
        readers: dict[str, Callable[[], object]] = {"mocapella": partial(read_motion, path)}
        times = processor_times(readers | bvh_readers(path, with_slow=with_slow), rounds)
        numbers = fastest(_number_parsers(path), rounds)
        memory = peak_bytes(partial(read_motion, path))
        with tempfile.TemporaryDirectory() as folder:
            writing = fastest({"write": partial(write_motion, clip, Path(folder) / "out.bvh")}, min(rounds, 3))["write"]
    ours = times.pop("mocapella")
    peers = {name: 1e3 * min(theirs) for name, theirs in times.items()}
    size = f"{clip.n_frames:,} frames"
    loading = f"load a BVH of {of}, {size}, {clip.skeleton.n_joints} joints"
    parsed = clip.n_frames * (3 + 3 * clip.skeleton.n_joints) * 8
    return [
        Row(loading, 1e3 * min(ours), "ms of processor time", peers=peers, note=_beside(ours, times)),
        Row(f"the numbers alone, {size}", 1e3 * numbers["ours"], "ms", peers={"np.loadtxt": 1e3 * numbers["loadtxt"]}),
        Row(f"peak memory of loading, {size}", memory / parsed, "× the parsed numbers"),
        Row(f"write a BVH of {size}", clip.n_frames / writing, "frames/s"),
    ]


def _beside(ours: list[float], times: dict[str, list[float]]) -> str:
    """Time of the fastest peer relative to ours: best rounds, and the median of all rounds."""
    if not times:
        return ""
    name = min(times, key=lambda name: min(times[name]))
    usual = statistics.median(theirs / mine for theirs, mine in zip(times[name], ours, strict=False))
    return f"{name} takes {min(times[name]) / min(ours):.2f} × ours at its fastest, {usual:.2f} × in the median round"


def _number_parsers(path: Path) -> dict[str, Callable[[], object]]:
    """The block of numbers, read by us and by numpy."""
    content = path.read_bytes()
    start = content.index(b"\n", content.index(b"Frame Time")) + 1
    n_columns = len(content[start : content.index(b"\n", start)].split())
    text = content[start:].decode()

    def ours() -> object:
        return [len(block) for block in row_blocks(path, content, start, 1, n_columns)]

    return {"ours": ours, "loadtxt": lambda: np.loadtxt(io.StringIO(text), ndmin=2)}
