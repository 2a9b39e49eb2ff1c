"""Motion files: how fast BVH is read and written, and how much memory that takes, beside other readers in Python."""

from __future__ import annotations

import io
import statistics
import tempfile
import warnings
from pathlib import Path

import numpy as np

import mocapella as mo
from benchmarks.captures import joined_captures
from benchmarks.measuring import Row, fastest, peak_bytes, processor_times
from mocapella.files.numbers import row_blocks


def rows() -> list[Row]:
    """Loading a short and a long file against all peers, writing, and peak memory."""
    out: list[Row] = []
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for n_frames, rounds, slow in ((2_752, 40, True), (45_000, 8, False)):
            path = joined_captures(Path(folder), n_frames)
            clip = mo.load(path)
            times = processor_times(_readers(path, with_slow=slow), rounds)
            ours = times.pop("mocapella")
            ranked = sorted(times, key=lambda name: min(times[name]))
            others = ", ".join(f"{name} {min(times[name]) * 1e3:.0f}" for name in ranked)
            best = times[ranked[0]]
            usual = statistics.median(theirs / mine for theirs, mine in zip(best, ours, strict=False))
            out.append(
                Row(
                    f"load a BVH of {clip.n_frames:,} frames, {clip.skeleton.n_joints} joints",
                    min(ours) * 1e3,
                    "ms of processor time",
                    peer=f"{others} ms; {ranked[0]} takes {min(best) / min(ours):.2f} × ours at its fastest, "
                    f"{usual:.2f} × in the median round",
                )
            )
            numbers = fastest(_number_parsers(path), rounds)
            out.append(
                Row(
                    f"the numbers of that file alone, {clip.n_frames:,} rows",
                    numbers["mocapella"] * 1e3,
                    "ms",
                    peer=f"np.loadtxt {numbers['loadtxt'] * 1e3:.0f} ms, "
                    f"{numbers['loadtxt'] / numbers['mocapella']:.2f} × ours",
                )
            )
            parsed = clip.n_frames * (3 + 3 * clip.skeleton.n_joints) * 8
            out.append(
                Row(
                    f"peak memory of that, of {clip.n_frames:,} frames",
                    peak_bytes(lambda path=path: mo.load(path)) / parsed,
                    "× the parsed numbers",
                )
            )
            written = Path(folder) / "out.bvh"
            seconds = fastest({"write": lambda clip=clip, written=written: mo.save(clip, written)}, 3)["write"]
            out.append(Row(f"write a BVH of {clip.n_frames:,} frames", clip.n_frames / seconds, "frames/s"))
    return out


def _number_parsers(path: Path) -> dict[str, object]:
    """The block of numbers, read by us and by numpy."""
    content = path.read_bytes()
    start = content.index(b"\n", content.index(b"Frame Time")) + 1
    n_columns = len(content[start : content.index(b"\n", start)].split())
    text = content[start:].decode()

    def ours() -> object:
        return [len(rows) for rows in row_blocks(path, content, start, 1, n_columns)]

    return {"mocapella": ours, "loadtxt": lambda: np.loadtxt(io.StringIO(text), ndmin=2)}


def _readers(path: Path, *, with_slow: bool) -> dict[str, object]:
    """All readers as calls without arguments; each returns what its library calls a loaded file."""
    import bvhio
    import pybvh
    from bvhtoolbox import BvhTree
    from pymotion.io.bvh import BVH

    def pymotion() -> object:
        bvh = BVH()
        bvh.load(str(path))
        return bvh

    def toolbox() -> object:
        return BvhTree(path.read_text())

    readers = {
        "mocapella": lambda: mo.load(path),
        "pybvh": lambda: pybvh.read_bvh_file(str(path)),
        "upc-pymotion": pymotion,
        "bvhtoolbox": toolbox,
    }
    if with_slow:
        readers["bvhio"] = lambda: bvhio.readAsBvh(str(path))
    return readers
