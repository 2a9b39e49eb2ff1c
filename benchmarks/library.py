"""How a library behaves as it grows: cost of a capture, of finding by label and by example, size on disk.

    python -m benchmarks.library [CAPTURES]

Captures of the actor are described once; the others are these with their figures and numbers shaken, so that 10,000
take a minute and not an hour. Marks: find by label < 20 ms, by example < 200 ms, cost of a capture flat.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

import mocapella as mo
from mocapella.actor import repertoire
from mocapella.library.descriptors import N_NUMBERS
from mocapella.library.ingest import describe
from mocapella.library.search import find, find_like
from mocapella.library.store import Entry, Library


def shaken(entry: Entry, number: int, rng: np.random.Generator) -> Entry:
    """The entry as another capture would be: other figures, other windows, another file."""
    numbers = np.frombuffer(entry.numbers, "<f2").reshape(-1, N_NUMBERS).astype(np.float32)
    signature = np.frombuffer(entry.signature, "<f4") + rng.normal(0.0, 0.05)
    return replace(
        entry,
        path=f"/captures/{number}.bvh",
        motion=f"sha256:{number}",
        signature=signature.astype("<f4").tobytes(),
        numbers=(numbers + rng.normal(0.0, 0.05, numbers.shape)).astype("<f2").tobytes(),
        stretches=tuple(
            replace(one, speed=one.speed * rng.uniform(0.8, 1.2), turn=one.turn + rng.normal(0.0, 10.0))
            for one in entry.stretches
        ),
    )


def timed(call, times=9):
    """The median of some calls, milliseconds."""
    out = []
    for _ in range(times):
        began = time.perf_counter()
        call()
        out.append(1e3 * (time.perf_counter() - began))
    return float(np.median(out))


def main(count: int = 10_000) -> None:
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        own = []
        began = time.perf_counter()
        for name in repertoire():
            path = Path(folder) / f"{name.replace(' ', '_')}.bvh"
            mo.save(mo.example(name, frame_rate=60.0), path)
            own.append(describe(path))
        each = 1e3 * (time.perf_counter() - began) / len(own)
        print(f"{len(own)} captures made, written, read and described: {each:.0f} ms each")
        example = mo.load(Path(folder) / "medium_walk_left.bvh")
        with Library.at(Path(folder) / "library", create=True) as library:
            print(f"{'captures':>9} {'ms a put':>9} {'label ms':>9} {'example ms':>11} {'MB':>7}")
            done, began = 0, time.perf_counter()
            for goal in [goal for goal in (100, 1_000, 10_000, 100_000) if goal <= count]:
                began, first = time.perf_counter(), done
                while done < goal:
                    library.put(shaken(own[done % len(own)], done, rng))
                    done += 1
                put = 1e3 * (time.perf_counter() - began) / (done - first)
                label = timed(lambda: find(library, "walk speed:1.0..1.3 turn:left"))
                like = timed(lambda: find_like(library, example), 3)
                size = sum(one.stat().st_size for one in (Path(folder) / "library").iterdir()) / 1e6
                print(f"{done:>9} {put:>9.2f} {label:>9.1f} {like:>11.1f} {size:>7.1f}")
    words = [sys.executable, "-m", "mocapella", "library", "--help"]
    start = timed(lambda: subprocess.run(words, capture_output=True, check=True), 3)
    print(f"start of the program {start:.0f} ms (mark 500)")


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
