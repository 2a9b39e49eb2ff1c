"""Doubles of what asset packs and other people's folders hold: loops as exported, wrong units, turned hips, all kinds.

Loops are cut from captures and from the actor, whose speed and length are the truth; kinds are those of the names of
the data folder, which the limits of gaits were set on.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np

import mocapella as mo
from benchmarks.strangers.folders import DANCES, GESTURES
from mocapella.actor import capture, perform
from mocapella.analysis.fourier import resampled
from mocapella.building.sorting import SortedMotion, Sorter
from mocapella.geometry import quaternions
from mocapella.motion.cycle import Cycle
from mocapella.motion.travel import direction

AS_USUAL = {"turning": None, "method": "symmetric", "layout": "quaternion"}
STRAIGHT = (
    "07/07_01", "07/07_12", "08/08_01", "08/08_04", "16/16_15", "16/16_21", "16/16_35", "16/16_45", "16/16_47",
    "35/35_01", "35/35_12", "35/35_17", "35/35_24", "69/69_20", "82/82_13", "104/104_04", "137/137_29",
)  # fmt: skip
PERFORMED = (("walk", 0.8), ("walk", 1.3), ("walk", 1.8), ("run", 2.5), ("run", 3.5))
STYLES = tuple(product(("repeated", "leading on"), ("travelling", "in place", "held still")))  # last frame, root
SLIPS = (10.0, 0.1, 100.0, 0.01, 2.54, 1 / 2.54, 39.37, 1 / 39.37)
SPEED_OFF = 0.15  # of the speed: what a walk in place may be off
NO_GAITS = ("05_02", "05_11", "55_01", "60_10", "61_10", "104_11", "127_05")  # dances, a jump, a stop
GAIT_FOLDERS = ("07", "08", "09", "16", "35", "69", "82", "104", "127", "137")
PACK_GAITS = ("Walking", "Running", "Sneaking", "Crouching")


def sort(sources: list[mo.Clip] | list[Path]) -> list[SortedMotion]:
    """What ``build`` takes motions for."""
    return Sorter(AS_USUAL, None, {}, lambda name: None).sort(sources)


def _cycles(data: Path) -> Iterator[Cycle]:
    for name in STRAIGHT:
        yield mo.prepare(mo.load(data / f"cmu-bvh/{name}.bvh"))
    for action, speed in PERFORMED:
        yield mo.prepare(perform(action, speed=speed)[0])


def print_loops(data: Path, folder: Path) -> None:
    """Loops in six styles of export: used, of the right length, at the right speed."""
    print(f"{'loops: last frame, root':28}{'loops':>7}{'used':>7}{'length':>8}{'speed':>7}{'worst speed':>13}")
    totals = np.zeros(4)
    rng = np.random.default_rng(1)
    cycles = list(_cycles(data))
    for last, root in STYLES:
        counts, worst = np.zeros(4), 0.0
        for number, cycle in enumerate(cycles):
            clip, n_frames = _exported(cycle, last, root, rate=(24.0, 30.0, 60.0)[number % 3], rng=rng)
            mo.save(clip, folder / "loop.bvh")
            (found,) = sort([folder / "loop.bvh"])
            counts[0] += 1
            if found.kind != "gait":
                print(f"  {cycle.name} {last}, {root}: {found.kind}, {found.reason}")
                continue
            (own,) = found.cycles[:1]
            off = abs(own.speed / cycle.speed - 1.0)
            counts[1:] += 1, own.n_frames == n_frames, off < SPEED_OFF
            worst = max(worst, off)
        totals += counts
        loops, used, length, speed = counts.astype(int)
        print(f"{f'{last}, {root}':28}{loops:7}{used:7}{length:8}{speed:7}{100 * worst:11.0f} %")
    print(f"loops used {100 * totals[1] / totals[0]:.1f} % (mark: 98 %)\n")


def _exported(cycle: Cycle, last: str, root: str, *, rate: float, rng: np.random.Generator) -> tuple[mo.Clip, int]:
    """One round of a cycle as tools export it, begun anywhere, and its own number of frames."""
    begun = cycle.starting_at(float(rng.uniform(0.0, 2.0 * math.pi)))
    n_frames = max(8, round(rate * cycle.duration))
    rounds = resampled(begun, n_frames).to_clip(2)
    clip = rounds[: n_frames + 1] if last == "repeated" else rounds[:n_frames]
    places = np.array(clip.root_positions)
    if root == "in place":  # the mean travel is taken out
        places[:, [0, 2]] -= (
            np.arange(len(places))[:, None]
            / n_frames
            * (rounds.root_positions[n_frames] - rounds.root_positions[0])[[0, 2]]
        )
    elif root == "held still":
        places[:, [0, 2]] = places[0, [0, 2]]
    return replace(clip, root_positions=places, frame_rate=rate), n_frames


def print_units(data: Path, folder: Path) -> None:
    """Bodies in files whose stated unit is wrong: heights that come out wrong, and those that are called sure."""
    wrong, sure, total, low = 0, 0, 0, []
    clips = [mo.load(data / f"cmu-bvh/{name}.bvh").captured[:60] for name in STRAIGHT[::3]]
    clips += [perform("walk", height=height)[0][:60] for height in (1.2, 1.5, 1.75, 1.95)]
    for clip, slip in product(clips, SLIPS):
        scaled = replace(clip, skeleton=clip.skeleton.scaled(slip), root_positions=clip.root_positions * slip)
        mo.save(scaled, folder / "slip.glb", body=False)
        report = mo.load(folder / "slip.glb").report
        mo.save(clip, folder / "right.glb", body=False)
        true = mo.load(folder / "right.glb").report.height
        total += 1
        if abs(report.height / true - 1.0) > 0.02:
            wrong += 1
            sure += not any(finding.code == "unit-unsure" for finding in report.findings)
            low.append(f"{true:.2f} m × {slip:.3g} → {report.height:.2f} m")
    print(f"units stated wrongly: {total} files, heights wrong {wrong}, of these called sure {sure} (mark: 0)")
    print(f"  {'; '.join(low) or 'none'}\n")


def print_facing() -> None:
    """Loops in place whose hips are turned and go that way, among plain ones: bearing against the turn of the hips."""
    plain = [mo.prepare(perform("walk", speed=speed)[0]) for speed in (0.9, 1.3, 1.7)]
    offs = []
    for degrees in (-85, -60, -45, -30, 30, 45, 60, 85):
        turned = [_hips_turned(cycle, math.radians(degrees)) for cycle in plain[:1]]
        clips = [cycle.to_clip(1).renamed(f"walk {i}") for i, cycle in enumerate(plain)]
        clips += [clip.renamed(f"strafe {degrees}") for clip in turned]
        found = sort([_held_still(clip) for clip in clips])[-1]
        if not found.cycles or found.kind != "gait":
            print(f"  hips turned by {degrees}°: {found.kind}, {found.reason}")
            continue
        cycle = found.cycles[0]
        angles = [step.numbers["angle_rad"] for step in cycle.decisions if step.step == "facing"]
        offs.append(abs(math.degrees(direction(cycle.facing(angles[-1]) if angles else cycle)) - degrees))
    print(
        f"strafes with turned hips: {len(offs)} of 8 gaits, bearing off by {max(offs, default=math.nan):.1f}° at most\n"
    )


def _held_still(clip: mo.Clip) -> mo.Clip:
    places = np.array(clip.root_positions)
    places[:, [0, 2]] = places[0, [0, 2]]
    return replace(clip, root_positions=places)


def _hips_turned(cycle: Cycle, angle: float) -> mo.Clip:
    """One round whose hips and legs are turned and go that way, while the body above faces as before."""
    clip = cycle.to_clip(1)
    roles = mo.find_roles(clip.skeleton)
    chest = next(j for j in clip.skeleton.path(roles["head"])[1:] if j != roles["hips"])
    turn, rotations = quaternions.about_y(angle), np.array(clip.rotations_wxyz)
    rotations[:, 0] = quaternions.multiply(turn, rotations[:, 0])
    above = quaternions.multiply(clip.world[1][:, 0], rotations[:, chest])  # as it was in the world
    rotations[:, chest] = quaternions.multiply(quaternions.conjugate(rotations[:, 0]), above)
    return replace(clip, rotations_wxyz=rotations)


def print_kinds(data: Path) -> None:
    """The data folder, the actor's gestures and the pack: gaits kept, others kept out."""
    gaits = [path for name in GAIT_FOLDERS for path in sorted((data / "cmu-bvh" / name).glob("*.bvh"))]
    others = [path for path in gaits if path.stem in NO_GAITS] + [data / name for name in DANCES]
    gaits = [path for path in gaits if path.stem not in NO_GAITS]
    found = {path: sort([path])[0] for path in (*gaits, *others)}
    kept = [path for path in gaits if found[path].kind == "gait"]
    out = [path for path in others if found[path].kind != "gait"]
    for path in (*gaits, *others):
        if (path in gaits) != (found[path].kind == "gait"):
            print(f"  {path.name}: {found[path].kind} {found[path].reason}")
    n_gestures = 0
    for name in GESTURES:
        (motion,) = sort([capture(name)[0]])
        n_gestures += motion.kind == "action"
    pack = sort(sorted((data / "game-loops").glob("*.glb")))
    right = 0
    for motion in pack:
        title = motion.title.partition("#")[2]
        wanted = "gait" if title.startswith(PACK_GAITS) else "idle" if title.startswith("Idle") else "action"
        right += motion.kind == wanted
        if motion.kind != wanted:
            print(f"  {title}: {motion.kind}, not {wanted}; {motion.reason}")
    total = len(others) + len(GESTURES)
    print(f"gaits kept {len(kept)} of {len(gaits)} ({100 - 100 * len(kept) / len(gaits):.1f} % lost, mark 2 %)")
    print(
        f"others kept out {len(out) + n_gestures} of {total} (mark 92 %); pack, kinds right: {right} of {len(pack)}\n"
    )
