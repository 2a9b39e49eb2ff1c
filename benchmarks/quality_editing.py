"""How well edits do on captures: ``python -m benchmarks.quality_editing [part …] [--data FOLDER]``.

``feet`` locks the feet of all walks and runs of the data folder and prints slip, ends, root and knees beside the
root-only correction and the untouched capture; ``edited`` does so after bending their paths and restyling them;
``speed`` times locking 10,000 frames; ``solvers`` counts how many of 500 random reachable goals each general solver
reaches.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

import mocapella as mo
from benchmarks.captures import data_folder
from mocapella.analysis.examined import examine
from mocapella.analysis.plants.tracks import foot_places
from mocapella.editing.feet.lock import lock
from mocapella.editing.feet.root import follow_feet
from mocapella.geometry import quaternions
from mocapella.geometry.solvers import SOLVERS, Chain, solve_chain
from mocapella.measure.footskate import footing
from mocapella.motion.clip import concatenate
from mocapella.motion.contacts import FOOT_POINTS, Contacts
from mocapella.rig.legs import leg_roles

_GAITS = ("walk", "run", "jog", "march", "stride")
_NEAR = 2  # frames before and after the ends of a plant


class Row(NamedTuple):
    """Figures of one clip."""

    name: str
    slip_mm: float  # largest of all plants
    slipping: int  # plants that slide more than 1 mm
    plants: int
    ends: float  # largest step of a point next to its plants, over the ordinary step of that point in the air
    acceleration: float  # of the root, 99th percentile, over that of the capture
    root_mm: float  # mean distance of the root from its captured way
    kicks: float  # 99th percentile of changes of angular velocity of hips and knees, over that of the capture
    missed: int  # frames reported as out of reach


def gaits(folder: Path) -> list[Path]:
    """The walks and runs of the data folder, by what its index says of them."""
    with (folder / "index.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["file"].endswith((".bvh", ".amc"))]
    return [
        folder / row["file"]
        for row in rows
        if any(word in row["motion"].lower() for word in _GAITS) and not row["file"].startswith("odd-asfamc")
    ]


def judged(name: str, clip: mo.Clip, before: mo.Clip, plants: Contacts, missed: int = 0) -> Row:
    """Figures of a clip whose plants and captured motion are known."""
    feet = footing(clip, plants)
    return Row(
        name,
        feet.slip_mm_max,
        sum(slip.slid > 1e-3 for slip in feet.slips),
        len(feet.slips),
        _ends(clip, before, plants),
        _acceleration(clip) / max(_acceleration(before), 1e-9),
        1000.0 * float(np.linalg.norm(clip.root_positions - before.root_positions, axis=-1).mean()),
        _kicks(clip) / max(_kicks(before), 1e-9),
        missed,
    )


def _ends(clip: mo.Clip, before: mo.Clip, plants: Contacts) -> float:
    roles = leg_roles(clip.skeleton)
    own, captured = (np.linalg.norm(np.diff(foot_places(one, roles), axis=0), axis=-1) for one in (clip, before))
    worst = 0.0
    for i, point in enumerate(FOOT_POINTS):
        planted = plants.planted(point)
        free = ~(planted[1:] & planted[:-1])
        if not free.any():
            continue
        ordinary = float(np.median(captured[free, i]))
        for first, last in plants.point(point):
            for frames in (range(first - _NEAR, first), range(last, last + _NEAR)):
                steps = [(own[f, i], captured[f, i]) for f in frames if 0 <= f < len(own)]
                worst = max([worst, *(float(a) / max(ordinary, float(b), 1e-6) for a, b in steps)])
    return worst


def _acceleration(clip: mo.Clip) -> float:
    sizes = np.linalg.norm(np.diff(clip.root_positions, n=2, axis=0), axis=-1) * clip.frame_rate**2
    return float(np.percentile(sizes, 99.0))


def _kicks(clip: mo.Clip) -> float:
    roles = leg_roles(clip.skeleton)
    local = clip.rotations_wxyz[:, [roles[f"{side}_{part}"] for side in ("left", "right") for part in ("hip", "knee")]]
    turns = quaternions.to_rotvec(quaternions.multiply(quaternions.conjugate(local[:-1]), local[1:]))
    return float(np.percentile(np.linalg.norm(np.diff(turns, axis=0), axis=-1) * clip.frame_rate, 99.0))


def feet(folder: Path, say: Callable[[str], None] = print) -> dict[str, list[Row]]:
    """Lock the feet of all walks and runs; rows for untouched, root-only and locked clips."""
    rows: dict[str, list[Row]] = {"untouched": [], "root only": [], "locked": []}
    say(f"{'':26}{'slip mm':>9}{'slipping':>10}{'ends':>7}{'root acc':>10}{'root mm':>9}{'knees':>7}{'missed':>8}")
    for path in gaits(folder):
        try:
            known = examine(mo.load(path).captured)
            plants = known.plants
        except mo.MotionError as error:
            say(f"{path.name}: left out, {error}")
            continue
        if known.clip.n_frames < 20 or not any(plants.point(point) for point in FOOT_POINTS):
            continue
        done = lock(known)
        made = {
            "untouched": judged(path.name, known.clip, known.clip, plants),
            "root only": judged(path.name, follow_feet(known), known.clip, plants),
            "locked": judged(path.name, done.clip, known.clip, plants, len(done.unreachable)),
        }
        for kind, row in made.items():
            rows[kind].append(row)
            say(_line(f"{path.name[:14]:15}{kind}", row))
    for kind, own in rows.items():
        worst = {name: max(getattr(row, name) for row in own) for name in ("slip_mm", "ends", "acceleration", "kicks")}
        count = f"{sum(row.slipping for row in own)} of {sum(row.plants for row in own)} plants slip"
        mean = float(np.mean([row.root_mm for row in own]))
        far = max(row.root_mm for row in own)
        say(
            f"{kind}: {len(own)} clips, worst slip {worst['slip_mm']:.2f} mm, {count}, ends {worst['ends']:.2f}, "
            f"root acceleration ×{worst['acceleration']:.2f}, root off {mean:.1f} mm (worst clip {far:.1f}), "
            f"knees ×{worst['kicks']:.2f}"
        )
    return rows


def _line(name: str, row: Row) -> str:
    slipping = f"{row.slipping}/{row.plants}"
    return (
        f"{name:26}{row.slip_mm:9.2f}{slipping:>10}{row.ends:7.2f}{row.acceleration:10.2f}{row.root_mm:9.1f}"
        f"{row.kicks:7.2f}{row.missed:8d}"
    )


def speed(folder: Path, say: Callable[[str], None] = print) -> float:
    """Seconds of processor time that locking the feet of 10,000 frames takes, plants found too; best of five."""
    clip = mo.load(folder / "cmu-bvh/137/137_16.bvh").captured
    long = concatenate([clip] * (10_000 // clip.n_frames + 1), aligned=True)[:10_000]
    best = float("inf")
    for _ in range(5):
        start = time.process_time()
        lock(replace(long))
        best = min(best, time.process_time() - start)
    cost = f"{1e6 * best / long.n_frames:.0f} µs a frame"
    say(f"lock_feet: {long.n_frames} frames in {best:.2f} s (the mark is 2 s), {cost}")
    return best


def edited(folder: Path, say: Callable[[str], None] = print) -> dict[str, list[Row]]:
    """Lead all walks and runs along a bend, and restyle those of two persons; rows before and after locking."""
    rows: dict[str, list[Row]] = {"path": [], "path, locked": [], "restyled": [], "restyled, locked": []}
    angles = np.linspace(0.0, 1.2, 8)
    bend = np.column_stack([4.0 - 4.0 * np.cos(angles), 4.0 * np.sin(angles)]).tolist()
    styles = {"16": "cmu-bvh/16/16_47.bvh", "137": "cmu-bvh/137/137_24.bvh"}
    for path in gaits(folder):
        try:
            known = examine(mo.load(path).captured)
            plants, clip = known.plants, known.clip
            wanted = {"path": mo.Edit("path", points=bend, lock_feet=False)}
            if path.parent.name in styles and path.suffix == ".bvh" and "walk" in _motion_of(folder, path):
                wanted["restyled"] = mo.Edit("restyle", style=str(folder / styles[path.parent.name]), lock_feet=False)
            for kind, change in wanted.items():
                bare = mo.edit(clip, change).result
                done = lock(bare, constraints=plants)
                rows[kind].append(judged(path.name, bare, bare, plants))
                rows[f"{kind}, locked"].append(judged(path.name, done.clip, bare, plants, len(done.unreachable)))
        except mo.MotionError as error:
            say(f"{path.name}: left out, {error}")
    for kind, own in rows.items():
        slips = [row.slip_mm for row in own]
        count = f"{sum(row.slipping for row in own)} of {sum(row.plants for row in own)} plants slip"
        missed = f"{sum(row.missed > 0 for row in own)} clips with feet out of reach"
        fast = sum(row.acceleration > 1.2 for row in own)
        say(
            f"{kind}: {len(own)} clips, slip median {np.median(slips):.2f} worst {max(slips):.1f} mm, {count}, "
            f"root acceleration above × 1.2 in {fast}, {missed}"
        )
    return rows


def _motion_of(folder: Path, path: Path) -> str:
    with (folder / "index.csv").open() as file:
        return next((row["motion"].lower() for row in csv.DictReader(file) if folder / row["file"] == path), "")


def solvers(folder: Path, say: Callable[[str], None] = print) -> dict[str, int]:
    """How many of 500 random reachable goals each solver reaches with a leg of six hinges."""
    leg = Chain.of(
        axes=[[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0], [1, 0, 0], [0, 0, 1]],
        rods=[[0, 0, 0], [0, 0, 0], [0, -0.43, 0], [0, -0.42, 0], [0, 0, 0], [0, -0.07, 0.15]],
        limits=np.radians([[-120, 60], [-60, 60], [-45, 45], [-5, 150], [-50, 40], [-25, 25]]),
    )
    reached = {}
    for solver in SOLVERS:
        rng = np.random.default_rng(1)
        start = time.perf_counter()
        goals = [leg.end(rng.uniform(leg.lower, leg.upper)) for _ in range(500)]
        reached[solver] = sum(solve_chain(leg, goal, solver=solver).error < 1e-4 for goal in goals)
        cost = (time.perf_counter() - start) / 500
        say(f"{solver:22} reaches {reached[solver]} of 500 goals to 0.1 mm, {1000 * cost:.0f} ms each")
    return reached


PARTS = {"feet": feet, "edited": edited, "speed": speed, "solvers": solvers}


def main() -> None:
    """Print the parts that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; all if left out")
    parser.add_argument("--data", type=Path, default=data_folder(), help="the folder of real captures")
    given = parser.parse_args()
    if given.data is None:
        raise SystemExit("no captures: set MOCAPELLA_DATA to their folder")
    warnings.simplefilter("ignore", mo.MotionWarning)
    for part in given.parts or PARTS:
        PARTS[part](given.data)


if __name__ == "__main__":
    main()
