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
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.signal import find_peaks

import mocapella as mo
from mocapella.actor import CAPTURED, CLEAN, captures
from mocapella.analysis.cycles.find import find_cycle, find_cycles
from mocapella.analysis.fourier import analyse
from mocapella.analysis.period import find_period
from mocapella.analysis.plants.detect import find_plants
from mocapella.analysis.plants.tracks import track_feet
from mocapella.analysis.prepare import prepare, select
from mocapella.geometry.angles import TURN
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET, FOOT_POINTS, Contacts, round_cycle
from mocapella.rig.roles import find_roles

PUBLISHED = {  # 002, table 4.2: automatic, by hand
    "left_heel": (((61, 110), (192, 243)), ((63, 113), (197, 243))),
    "left_toe": (((71, 135), (202, 263)), ((71, 138), (201, 263))),
    "right_heel": (((2, 46), (127, 165), (257, 310)), ((0, 47), (131, 167), (259, 310))),
    "right_toe": (((7, 57), (138, 189), (262, 312)), ((7, 68), (136, 195), (265, 315))),
}
TABLE_4_7 = (126, 125, 129, 195, 129, 130)
SUBJECTS = tuple(f"cmu-bvh/{subject}/" for subject in ("07", "08", "16", "35"))
DANCES = (
    *(f"cmu-bvh/{name}.bvh" for name in ("60/60_10", "61/61_10", "55/55_01", "05/05_11", "104/104_11", "127/127_05")),
    "cmu-asfamc/05/05_02.amc",
    "odd-bvh/assimp-Boxing_Toes.bvh",
)
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
    print(f"  {'spectra':14}{period.spectral:8.1f}   confidence {period.confidence:.2f}")
    ratios = {}
    for path in sorted([*folder.glob("cmu-bvh/*/*.bvh"), *folder.glob("cmu-asfamc/*/*.amc")]):
        try:
            found = find_period(mo.load(path))
        except mo.MotionError:
            continue
        ratios[path.name] = found.spectral / found.frames
    off = {name: f"{ratio:.2f}" for name, ratio in ratios.items() if abs(ratio - 1.0) > 0.15}
    print(
        f"  all captures: spectra within 15 % of the period in {len(ratios) - len(off)} of {len(ratios)}; not {off}\n"
    )


def print_grounds(folder):
    print("degrees the ground rises along x and z, with the stand before and without it; how far plants agree")
    for name, begin in (("127_04", 150), ("104_53", 120), ("104_06", 100), ("16_31", 120)):
        clip = mo.load(folder / f"cmu-bvh/{name.split('_')[0]}/{name}.bvh").captured
        slopes = [np.degrees(np.arctan(track_feet(one).ground[1:])) for one in (clip, clip[begin:])]
        whole, part = find_plants(clip)[begin:], find_plants(clip[begin:])
        alike = np.mean([overlap(whole.planted(point), part.planted(point)) for point in FOOT_POINTS])
        print(f"  {name:7}" + "".join(f"{x:+7.2f}{z:+7.2f}  " for x, z in slopes) + f"{alike:6.2f}")
    print()


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


def steady(motion):
    """Whether a clip is one straight gait throughout."""
    return not any(word in motion for word in ("veer", "turn", "stop", "standing", "speeding"))


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
    print("best cycle of every walk, run and jog of subjects 07, 08, 16, 35, after clean-up")
    print("  clip   frames    s   m/s   turn°  closes cm  unlike  steps  stance l/r %  both %  flight %  motion")
    fine, total, odd, kinds = {"length": 0, "steps": 0, "phases": 0}, 0, [], defaultdict(list)
    for path, motion in labelled(folder):
        cycle = select(mo.load(path)).cycle
        kinds["run" if is_run(motion) else "walk", steady(motion)].append(100 * cycle.closing)
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
    for (kind, even), closings in kinds.items():
        words = f"{'steady' if even else 'turning, starting or stopping'} {kind}s"
        least, middle, most = np.quantile(closings, [0.0, 0.5, 1.0])
        print(f"  ends of {len(closings)} {words}: median {middle:.1f} cm ({least:.1f} to {most:.1f})")
    for path in (*odd, folder / "cmu-asfamc/07/07_05.amc"):
        print_strides(path)
    for name, (least, most) in TURNS.items():
        cycle = select(mo.load(folder / f"cmu-bvh/16/{name}.bvh"), turning=True).cycle
        print(
            f"  {name} turning: {np.degrees(cycle.turn):+.0f}° (wanted {least} to {most}), {100 * cycle.closing:.1f} cm"
        )
    print()


def print_odd(folder):
    print("where feet do not step in turn, or nothing comes back: period, then the cycle")
    for name in DANCES:
        clip = mo.load(folder / name)
        try:
            found = find_period(clip)
            period = f"{found.frames:.0f} frames, confidence {found.confidence:.2f}"
        except mo.MotionError:
            period = "none"
        try:
            cycle = select(clip).cycle
            told = (
                f"{cycle.n_frames} frames, {cycle.seconds:.2f} s, {cycle.n_steps} steps, unlike {cycle.unlikeness:.2f}"
            )
        except mo.MotionError:
            told = "refused"
        print(f"  {name:32} {period:32} {told}")
    print()


def print_given_back(folder):
    print("every found cycle given back as the frames it is looked for in, and as a clip of its own")
    for share in (1.0, 1.1, 1.2):
        found = {"within": 0, "alone": 0}
        paths = [path for path, _ in labelled(folder)]
        for path in paths:
            clip = mo.load(path).captured
            cycle = find_cycle(clip)
            spare = round((share - 1.0) * cycle.n_frames)
            first = max(cycle.start - spare // 2, 0)
            last = min(first + cycle.n_frames + spare, clip.n_frames - 1)
            for how, ask in (("within", (clip, (first, last))), ("alone", (clip[first : last + 1], None))):
                try:
                    again = find_cycle(ask[0], within=ask[1])
                except mo.MotionError:
                    continue
                found[how] += abs(again.n_frames / cycle.n_frames - 1.0) < 0.08
        print(f"  {share:.1f} cycles: {found['within']} and {found['alone']} of {len(paths)}")
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
    print_grounds(folder)
    print_periods(folder)
    print_actor()
    print_cycles(folder)
    print_odd(folder)
    print_given_back(folder)
    print_speed(folder)


if __name__ == "__main__":
    main()
