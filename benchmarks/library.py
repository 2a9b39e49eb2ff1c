"""How a library behaves: as it grows, in its answers to requests, in its labels.

    python -m benchmarks.library                     # all of the below
    python -m benchmarks.library growth [CAPTURES]   # cost of a capture, finding, memory, size; 100 to 10,000
    python -m benchmarks.library requests            # 5 × 5 speeds and curvatures, measured on the written files
    python -m benchmarks.library few                 # requests of libraries of one or two straight captures
    python -m benchmarks.library labels              # walks, runs, turns on the spot against what people wrote
    python -m benchmarks.library index               # search by example: the index, comparing all, and SciPy's tree

Growth: captures of the actor are described once; the others are these with their figures and numbers shaken, so that
10,000 take a minute and not an hour; at each size 20 new files are added as users do. Marks: find by label < 20 ms, by
example < 200 ms, cost of a capture and memory flat, start < 500 ms; requests within 3 %; labels ≥ 95 % right.
"""

from __future__ import annotations

import csv
import math
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # threads that wait for each other would count as processor time

import numpy as np
import scipy

import mocapella as mo
from benchmarks.captures import data_folder
from mocapella.actor import repertoire
from mocapella.analysis.period import find_period
from mocapella.library.descriptors import N_NUMBERS, windows_of
from mocapella.library.entries import Entry
from mocapella.library.gait_modifiers import gait_figures
from mocapella.library.index import WindowIndex
from mocapella.library.ingest import add_captures, describe
from mocapella.library.queries import find, find_like
from mocapella.library.store import Library
from mocapella.measure.footskate import footing
from mocapella.playback.player import Player
from mocapella.playback.record import record_with_contacts


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
    """Processor time of a call, the least of some, milliseconds: other programs on the machine do not count."""
    out = []
    for _ in range(times):
        began = time.process_time()
        call()
        out.append(1e3 * (time.process_time() - began))
    return min(out)


def started(words, times=5):
    """Processor time of a program, the least of some, milliseconds."""
    out = []
    for _ in range(times):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(words, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        out.append(1e3 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
    return min(out)


def growth(count: int = 10_000) -> None:
    """Cost of a capture, of finding, memory and size on disk as a library grows."""
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        own = []
        began = time.process_time()
        for name in repertoire():
            path = Path(folder) / f"{name.replace(' ', '_')}.bvh"
            mo.save(mo.example(name, frame_rate=60.0), path)
            own.append(describe(path))
        each = 1e3 * (time.process_time() - began) / len(own)
        print(f"times are of the processor; {len(own)} captures made, written, read, described: {each:.0f} ms each")
        example = mo.load(Path(folder) / "medium_walk_left.bvh")
        files = sorted(Path(folder).glob("*.bvh"))[:20]
        with Library.at(Path(folder) / "library", create=True) as library:
            heads = ("captures", "ms a put", "ms an add", "label ms", "example ms", "MB", "RSS MB")
            print(" ".join(f"{head:>{width}}" for head, width in zip(heads, (9, 9, 10, 9, 11, 7, 7), strict=True)))
            done = 0
            for goal in [goal for goal in (100, 1_000, 10_000, 100_000) if goal <= count]:
                began, first = time.process_time(), done
                while done < goal:
                    library.put(shaken(own[done % len(own)], done, rng))
                    done += 1
                put = 1e3 * (time.process_time() - began) / (done - first)
                began = time.process_time()
                add_captures(library, files, workers=0)
                add = 1e3 * (time.process_time() - began) / len(files)
                library.forget(map(str, files))
                memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
                label = timed(lambda: find(library, "walk speed:1.0..1.3 turn:left"))
                like = timed(lambda: find_like(library, example), 3)
                size = sum(one.stat().st_size for one in (Path(folder) / "library").iterdir()) / 1e6
                print(f"{done:>9} {put:>9.2f} {add:>10.1f} {label:>9.1f} {like:>11.1f} {size:>7.1f} {memory:>7.0f}")
        find_words = ["find", "walk", "speed:1.0..1.3", "turn:left", "--library", str(Path(folder) / "library")]
        for words in (["--help"], find_words):
            start = started([sys.executable, "-m", "mocapella", "library", *words])
            print(f"the program, library {words[0]}: {start:.0f} ms (mark 500)")


SPEEDS = (0.95, 1.05, 1.15, 1.25, 1.35)
CURVATURES = (-0.3, -0.15, 0.0, 0.15, 0.3)


SLOPES_AND_STEPS: tuple[dict[str, float], ...] = (
    {"speed": 1.1, "slope": -15.0},
    {"speed": 1.1, "curvature": 0.2, "slope": -5.0},
    {"speed": 1.3, "slope": 5.0},
    {"speed": 1.1, "curvature": -0.2, "slope": 15.0},
    {"step": 0.7},
    {"speed": 1.1, "step": 0.55},
    {"speed": 1.1, "curvature": 0.2, "step": 0.7},
    {"speed": 1.2, "curvature": -0.2, "step": 0.65, "slope": 5.0, "height": 1.6},
)


def footfalls(clip: mo.Clip) -> float:
    """How far the root goes from a footfall to the next, metres, by the plants that are found in the clip."""
    plants = mo.find_plants(clip)
    down = [plants.planted(f"{side}_heel") | plants.planted(f"{side}_toe") for side in ("left", "right")]
    frames = sorted(int(n) + 1 for one in down for n in np.flatnonzero(one[1:] & ~one[:-1]))
    return float(np.median(np.abs(np.diff(clip.ground_path[frames]))))


def requests() -> None:
    """Speeds, curvatures, slopes and steps asked of subject 16.

    The grid of speeds and curvatures is measured on files that were written and read again; steps also by footfalls.
    """
    captures = data_folder() / "cmu-bvh" / "16"
    worst = {"speed": 0.0, "curvature": 0.0}
    with tempfile.TemporaryDirectory() as folder, Library.at(folder, create=True) as library:
        add_captures(library, [captures], workers=0)
        print(f"requests over {len(library)} captures of subject 16: measured speed m/s, curvature 1/m")
        print(f"{'':>10}" + "".join(f"{f'{bend:+.2f} 1/m':>16}" for bend in CURVATURES))
        took = []
        for speed in SPEEDS:
            cells = []
            for bend in CURVATURES:
                began = time.perf_counter()
                answer = library.request(kind="walk", speed=speed, curvature=bend)
                took.append(time.perf_counter() - began)
                mo.save(answer.clip, Path(folder) / "answer.bvh")
                clip = mo.load(Path(folder) / "answer.bvh")
                made = gait_figures(clip, find_period(clip).seconds)
                worst["speed"] = max(worst["speed"], abs(made.speed - speed) / speed)
                worst["curvature"] = max(worst["curvature"], abs(made.curvature - bend) / max(abs(bend), 0.15))
                cells.append(f"{made.speed:.3f} {made.curvature:+.3f}{' ' if answer.feasible else '!'}")
            print(f"{speed:>6.2f} m/s" + "".join(f"{cell:>16}" for cell in cells))
        for wishes in SLOPES_AND_STEPS:
            began = time.perf_counter()
            answer = library.request(kind="walk", **wishes)
            seconds = time.perf_counter() - began
            for key, off in answer.off.items():
                worst[key] = max(worst.get(key, 0.0), off)
            said = ", ".join(f"{key} {value:g} had {answer.had[key]:.3f}" for key, value in wishes.items())
            print(f"  {said}; footfalls {footfalls(answer.clip):.3f} m apart; {seconds:.1f} s {answer.reason}")
    for name, off in worst.items():
        print(f"worst {name}: {100 * off:.2f} % off (mark 3 %)")
    print(f"first request {took[0]:.1f} s, the others {1e3 * np.median(took[1:]):.0f} ms")


FEW = {  # captures of a library that holds no other, and what is asked of it: speed in m/s, curvature in 1/m
    ("35/35_01",): [(1.28, 0.3), (1.0, 0.0), (1.6, -0.2)],
    ("35/35_01", "35/35_29"): [(1.2, 0.2), (0.8, -0.3), (1.5, 0.0)],
    ("82/82_13",): [(1.37, 0.4), (1.0, -0.2), (1.8, 0.1)],
    ("35/35_17",): [(3.15, 0.1), (2.4, 0.0), (3.8, -0.15)],
    ("104/104_04", "104/104_37"): [(3.5, 0.2), (2.5, -0.1), (4.3, 0.0)],
}


def few() -> None:
    """Requests of libraries of one or two straight captures: what was measured, and how feet and joints move."""
    folder = data_folder() / "cmu-bvh"
    worst = {"speed": 0.0, "curvature": 0.0}
    print(
        "requests of libraries of one or two straight captures: slip of planted feet, largest acceleration of a joint"
    )
    for names, wishes in FEW.items():
        paths = [folder / f"{name}.bvh" for name in names]
        shook = max(_shaking(mo.prepare(mo.load(path)).to_clip(3)) for path in paths)
        with tempfile.TemporaryDirectory() as place, Library.at(place, create=True) as library:
            add_captures(library, paths, workers=0)
            kind = "run" if wishes[0][0] > 2.2 else "walk"
            for speed, bend in wishes:
                answer = library.request(kind=kind, speed=speed, curvature=bend)
                worst = {key: max(worst[key], answer.off[key]) for key in worst}
                clip, plants = record_with_contacts(Player(answer.network, point=answer.point), seconds=5.0)
                done = sorted({word for part in answer.made_of for word in part.modifiers})
                print(
                    f"  {' '.join(names)}: {speed:g} m/s {bend:+g} 1/m had {answer.had['speed']:.3f} "
                    f"{answer.had['curvature']:+.3f}, slip {footing(clip, plants).slip_mm_max:.2f} mm, acceleration "
                    f"{_shaking(clip) / shook:.2f} of the captures' {answer.reason} ({'; '.join(done)})"
                )
    for name, off in worst.items():
        print(f"worst {name}: {100 * off:.2f} % off (mark 3 %)")


def _shaking(clip: mo.Clip) -> float:
    """Acceleration of joints, m/s², 99 of 100 below."""
    even = clip.resampled(60.0)
    return float(np.percentile(np.linalg.norm(np.diff(even.positions, 2, axis=0), axis=-1), 99) * 60.0**2)


SAID = {  # what descriptions call each kind of motion, the more telling words first
    "turn": r"pirouette|whirl",
    "run": r"\brun|jog|startrun",
    "walk": r"walk|stride",
}


def said_kind(words: str) -> str | None:
    """The kind of motion that a description names."""
    return next((kind for kind, pattern in SAID.items() if re.search(pattern, words.lower())), None)


def judged(row: dict[str, str], kind: str, folder: Path) -> tuple[str, bool, bool]:
    """What a capture is labelled, whether that is what its description says, and whether most of what moves is.

    The kind must be among the labels; a turn to a named side must go there by 10° at least, one by 90° by 45° to 135°.
    """
    said = row["motion"].lower()
    entry = describe(folder / row["file"])
    if not isinstance(entry, Entry):
        return "could not be read", False, False
    found = [one for one in entry.stretches if one.kind != "change"]
    turned = sum(one.turn * one.frames / entry.frame_rate for one in found)
    way = 1 if "left" in said else -1 if "right" in said else 0
    low, high = (45.0, 135.0) if "90" in said else (10.0, math.inf)
    kinds = " ".join(dict.fromkeys(one.kind for one in found))
    frames = Counter[str]()
    for one in found:
        frames[one.kind] += one.frames if one.kind != "stand" else 0
    fits = kind in kinds.split() and (way == 0 or low < way * turned < high)
    return f"{kinds}, {turned:+.0f}°", fits, fits and frames.most_common(1)[0][0] == kind


def labels() -> None:
    """Labels of walks, runs and turns on the spot against the list of the captures' folder."""
    folder = data_folder()
    with (folder / "index.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if not row["file"].endswith((".asf", ".txt"))]
    right, of, mostly, wrong = Counter(), Counter(), [], []
    for row in rows:
        kind = said_kind(row["motion"])
        if kind is not None:
            label, fits, most = judged(row, kind, folder)
            mostly += [] if most else [row["file"]]
            of[kind] += 1
            right[kind] += fits
            wrong += [] if fits else [(row["file"], row["motion"], label)]
    share = 100 * right.total() / of.total()
    print(f"{right.total()} of {of.total()} captures are labelled as they are described: {share:.1f} % (mark 95)")
    print("  " + ", ".join(f"{kind}s {right[kind]} of {of[kind]}" for kind in SAID))
    print(f"  in {of.total() - len(mostly)} of them that is most of what moves; not in {', '.join(mostly)}")
    for file, said, label in wrong:
        print(f"  {file}: said {said!r}, labelled {label}")


def index() -> None:
    """Nearest windows of an example by the index, by comparing all, and by a tree over the index's own directions.

    The tree only has the candidates to give, within the distance that the index found; building it is what it costs.
    """
    clips = [mo.example("walk", speed=speed, turn=turn) for speed in (0.9, 1.2, 1.6) for turn in (-0.5, 0.0, 0.5)]
    base = np.concatenate([windows_of(clip)[0] for clip in clips]).astype(np.float32)
    asked = windows_of(clips[0], hop=1 / 15)[0].astype(np.float32)
    rng = np.random.default_rng(0)
    for count in (100_000, 400_000, 1_000_000):
        numbers = np.empty((count, N_NUMBERS), dtype=np.float16)
        for first in range(0, count, 50_000):
            n = min(50_000, count - first)
            one, other = (base[rng.integers(len(base), size=n)] for _ in range(2))
            shaken_ = one + 0.15 * rng.normal(size=(n, 1)) * other + 0.02 * rng.normal(size=(n, N_NUMBERS))
            numbers[first : first + n] = shaken_
        captures = np.arange(count) // 8
        began = time.process_time()
        made = WindowIndex.of(numbers, captures, np.zeros(count, dtype=np.int64))
        built = time.process_time() - began
        by_index = timed(lambda made=made: made.nearest(asked, 20), 3)
        by_all = timed(lambda made=made, count=count: made._exact(asked, np.arange(count)), 3)
        began = time.process_time()
        tree = scipy.spatial.cKDTree(made.projected, leafsize=32, balanced_tree=False, compact_nodes=False)
        grown = time.process_time() - began
        goals, least = (asked - made.middle) @ made.axes.T, float(np.sqrt(made.nearest(asked, 20)[1][-1]))
        by_tree = timed(lambda tree=tree, goals=goals, least=least: tree.query_ball_point(goals, least), 1)
        print(
            f"{count:>9,} windows ({count // 8:,} captures): index {by_index:.0f} ms (built in {1e3 * built:.0f}), "
            f"comparing all {by_all:.0f} ms, candidates by a tree {by_tree:.0f} ms (built in {1e3 * grown:.0f} more)"
        )


BENCHES = {"growth": growth, "requests": requests, "few": few, "labels": labels, "index": index}


def main(name: str = "", *numbers: str) -> None:
    warnings.simplefilter("ignore", mo.MotionWarning)
    if name and name not in BENCHES:
        sys.exit(f"there are {', '.join(BENCHES)}")
    for bench in [BENCHES[name]] if name else BENCHES.values():
        bench(*map(int, numbers))


if __name__ == "__main__":
    main(*sys.argv[1:])
