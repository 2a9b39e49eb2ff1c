"""How well periods, foot plants and cycles are found, in real captures and where the truth is known.

    python benchmarks/quality_cycles.py [FOLDER]

FOLDER holds the captures, ``../shared/data`` or ``$MOCAPELLA_DATA`` if left out.
"""

from __future__ import annotations

import csv
import os
import sys
import time
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.signal import find_peaks

import mocapella as mo
from mocapella.actor import CAPTURED, CLEAN, captures
from mocapella.analysis.cycles import find_cycle, find_cycles
from mocapella.analysis.fourier import analyse
from mocapella.analysis.period import find_period
from mocapella.analysis.plants import find_plants
from mocapella.analysis.prepare import prepare
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET, FOOT_POINTS, TURN, Contacts, round_cycle
from mocapella.motion.roles import find_roles

PUBLISHED = {  # 002, table 4.2: automatic, by hand
    "left_heel": (((61, 110), (192, 243)), ((63, 113), (197, 243))),
    "left_toe": (((71, 135), (202, 263)), ((71, 138), (201, 263))),
    "right_heel": (((2, 46), (127, 165), (257, 310)), ((0, 47), (131, 167), (259, 310))),
    "right_toe": (((7, 57), (138, 189), (262, 312)), ((7, 68), (136, 195), (265, 315))),
}
TABLE_4_7 = (126, 125, 129, 195, 129, 130)
SUBJECTS = tuple(f"cmu-bvh/{subject}/" for subject in ("07", "08", "16", "35"))
TURNS = {"16_17": (85, 95), "16_19": (-100, -85), "16_11": (39, 45), "16_13": (-49, -43)}


def overlap(a, b):
    return (a & b).sum() / (a | b).sum() if (a | b).any() else 1.0


def listed(intervals):
    return ", ".join(f"{first}-{last}" for first, last in intervals)


def print_plants(folder):
    print("foot plants of 07_01.amc (table 4.2; published detector: 0.91, thresholds picked for the clip)")
    ours = find_plants(mo.load(folder / "cmu-asfamc/07/07_01.amc"))
    total = []
    for name, (automatic, manual) in PUBLISHED.items():
        by_hand = Contacts(316, left_heel=manual).planted("left_heel")
        theirs = overlap(Contacts(316, left_heel=automatic).planted("left_heel"), by_hand)
        total.append(overlap(ours.planted(name), by_hand))
        print(f"  {name:11}{listed(ours.point(name)):32}{listed(manual):32}{total[-1]:.3f} (published {theirs:.3f})")
    print(f"  mean overlap {np.mean(total):.3f}\n")


def print_periods(folder):
    period = find_period(mo.load(folder / "cmu-asfamc/07/07_01.amc"))
    print("period of 07_01.amc, frames (table 4.7 beside it; truly 126 to 130)")
    for (name, frames), published in zip(period.per_dof.items(), TABLE_4_7, strict=True):
        print(f"  {name:14}{frames:8.1f}{published:8d}")
    print(f"  {'voted':14}{period.frames:8.1f}     129")
    print(f"  {'spectra':14}{period.spectral:8.1f}   confidence {period.confidence:.2f}\n")


def print_actor():
    print("the actor's repertoire, where the truth is known")
    for words, flaws in (("clean", CLEAN), ("captured", CAPTURED)):
        overlaps, errors, lengths, missed = [], [], [], []
        for name, clip, truth in captures(imperfections=flaws):
            plants = find_plants(clip)
            overlaps.append(np.mean([overlap(plants.planted(p), truth.planted(p)) for p in FOOT_POINTS]))
            if truth.period is None:
                continue
            true = [clip.frame_rate * p for p in (truth.period, truth.period_after) if p is not None]
            try:
                errors.append((min(abs(find_period(clip).frames - p) for p in true), name))
                lengths.append((min(abs(find_cycle(clip).n_frames - p) for p in true), name))
            except mo.MotionError:
                missed.append(name)
        print(
            f"  {words:9} {len(overlaps)} clips: plants overlap {np.mean(overlaps):.3f}, least {np.min(overlaps):.3f}"
        )
        off = [name for error, name in errors if error > 1.0]
        print(f"  {'':9} period within a frame in {len(errors) - len(off)} of {len(errors)}; not in {off or 'none'}")
        print(f"  {'':9} cycle found in {len(lengths)} of {len(lengths) + len(missed)} {missed or ''}")
    print()


def labelled(folder):
    """Path and motion of every walk, run and jog of four subjects, as the index of the captures names them."""
    with (folder / "index.csv").open() as file:
        rows = [(row["file"], row["motion"]) for row in csv.DictReader(file)]
    return [(folder / name, motion) for name, motion in rows if name.startswith(SUBJECTS) and name.endswith(".bvh")]


def plausible(seconds, motion):
    """Whether a cycle lasts as long as asked for: walks 0.85 to 1.5 s, runs 0.5 to 0.9 s."""
    return 0.5 <= seconds <= 0.9 if is_run(motion) else 0.85 <= seconds <= 1.5


def is_run(motion):
    return "run" in motion or "jog" in motion


def print_strides(path):
    """Times between raw events of the ankles, which know nothing of plants, periods and cycles."""
    clip = mo.load(path).captured
    roles = find_roles(clip.skeleton)
    print(f"  {path.name}: found {find_cycle(clip).seconds:.2f} s; seconds between")
    for words, sign in (("highest", 1.0), ("lowest", -1.0)):
        rows = []
        for foot in FEET:
            heights = clip.positions[:, roles[f"{foot}_ankle"], 1]
            frames, _ = find_peaks(sign * heights, prominence=0.03)
            gaps = ", ".join(f"{gap:.2f}" for gap in np.diff(frames) / clip.frame_rate)
            rows.append(f"{foot} {gaps or '-'} (frames {', '.join(map(str, frames))})")
        print(f"    {words:8} places of the ankle: {'; '.join(rows)}")


def print_cycles(folder):
    print("best cycle of every walk, run and jog of subjects 07, 08, 16, 35")
    print("  clip   frames    s   m/s   turn°  closes cm  unlike  steps  stance l/r %  both %  flight %  motion")
    fine, total, odd = {"length": 0, "steps": 0, "phases": 0}, 0, []
    for path, motion in labelled(folder):
        clip = mo.load(path).captured
        cycle = find_cycle(clip)
        contacts, phases = round_cycle(cycle.contacts), np.linspace(0.0, TURN, 500, endpoint=False)
        left, right = contacts.planted("left", phases), contacts.planted("right", phases)
        both, flight = (left & right).mean(), (~(left | right)).mean()
        run = is_run(motion)
        total += 1
        fine["length"] += plausible(cycle.seconds, motion)
        odd += [] if plausible(cycle.seconds, motion) else [path]
        fine["steps"] += cycle.n_steps == 2
        stances = all(0.5 <= foot.mean() <= 0.65 for foot in (left, right))
        fine["phases"] += bool(flight > 0.0 and both == 0.0) if run else bool(stances and both > 0.0)
        print(
            f"  {path.stem:7}{cycle.n_frames:5d}{cycle.seconds:7.2f}{cycle.speed:6.2f}{np.degrees(cycle.turn):+7.0f}"
            f"{100 * cycle.closing:9.1f}{cycle.unlikeness:9.2f}{cycle.n_steps:6d}{100 * left.mean():9.0f}"
            f"{100 * right.mean():4.0f}{100 * both:9.0f}{100 * flight:9.0f}    {motion}"
        )
    print(f"  of {total}: {fine['length']} with a plausible length (walks 0.85–1.5 s, runs 0.5–0.9 s), {fine['steps']}")
    print(f"  with two steps, {fine['phases']} with stance and double support of a walk or flight of a run")
    for path in (*odd, folder / "cmu-asfamc/07/07_05.amc"):
        print_strides(path)
    for name, (least, most) in TURNS.items():
        cycle = find_cycle(mo.load(folder / f"cmu-bvh/16/{name}.bvh"), turning=True)
        print(
            f"  {name} turning: {np.degrees(cycle.turn):+.0f}° (wanted {least} to {most}), {100 * cycle.closing:.1f} cm"
        )
    print()


def to_spectrum(clip):
    return analyse(prepare(clip), 8)


def print_speed(folder):
    print("milliseconds, the fastest of five")
    clip = mo.load(folder / "cmu-bvh/16/16_17.bvh").captured
    onwards = (clip.root_positions[-1] - clip.root_positions[0]) * np.array([1.0, 0.0, 1.0])
    for n_times in (1, 4, 16):
        rows = np.tile(np.arange(clip.n_frames), n_times)
        roots = clip.root_positions[rows] + np.repeat(np.arange(n_times), clip.n_frames)[:, None] * onwards
        long = Clip(clip.skeleton, roots, clip.rotations_wxyz[rows], clip.frame_rate)
        times = []
        for ask in (find_period, find_plants, find_cycles, to_spectrum):
            best = np.inf
            for _ in range(5):
                fresh = replace(long)
                start = time.perf_counter()
                ask(fresh)
                best = min(best, time.perf_counter() - start)
            times.append(1000 * best)
        words = ("period", "plants", "cycles, with both", "all up to the spectrum")
        print(f"  {long.n_frames:6d} frames: " + ", ".join(f"{w} {t:.1f}" for w, t in zip(words, times, strict=True)))


def main():
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("MOCAPELLA_DATA", beside))
    if not folder.is_dir():
        raise SystemExit(f"no captures in {folder}: name their folder or set MOCAPELLA_DATA")
    warnings.simplefilter("ignore", mo.MotionWarning)
    print_plants(folder)
    print_periods(folder)
    print_actor()
    print_cycles(folder)
    print_speed(folder)


if __name__ == "__main__":
    main()
