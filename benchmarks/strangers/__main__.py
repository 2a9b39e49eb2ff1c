"""Raw clips of strangers to a playable network with no hand step: how often that works, and how well.

    python -m benchmarks.strangers [cycles] [axes] [tilts] [rubbish] [takes] [left-out] [networks] [knees]
        [loops] [units] [facing] [kinds] [check] [noise] [--quick]

Every double is made of a capture of the data folder or of the embedded actor, written to a file and read again as a
stranger's would be. What is found in the original is the truth about its doubles.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import tempfile
import warnings
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import mocapella as mo
from benchmarks.captures import data_folder
from benchmarks.strangers.doubles import (
    ZERO_POSES,
    Double,
    in_room,
    one_leg_longer,
    still_root,
    straight_kneed,
    tilted,
    with_axes,
)
from benchmarks.strangers.folders import print_left_out, print_rubbish, print_takes
from benchmarks.strangers.noise import (
    print_left_out_rounds,
    print_left_out_takes,
    print_noise,
    print_noisy_cycles,
    print_toe_noise,
)
from benchmarks.strangers.packs import print_facing, print_kinds, print_loops, print_units
from benchmarks.strangers.planted import print_check
from mocapella.analysis.examined import examine
from mocapella.geometry import quaternions
from mocapella.measure.footskate import footing
from mocapella.motion.contacts import FOOT_POINTS
from mocapella.rig.standing import TO_Y

ORIGINALS = ("07/07_01", "08/08_01", "16/16_15", "16/16_17", "16/16_35", "35/35_01", "35/35_17", "127/127_04")
ROOTS = ("joint_Root", "Reference", "Armature", "root", "Bip01")
IN_ROOMS = (  # walks, runs, a jump, dances, boxing, acrobatics; walk1 is in place
    "cmu-bvh/07/07_01", "cmu-bvh/16/16_35", "cmu-bvh/127/127_04", "cmu-bvh/104/104_11", "cmu-bvh/82/82_12",
    "cmu-bvh/05/05_11", "cmu-bvh/60/60_10", "three-js/pirouette", "odd-bvh/assimp-Boxing_Toes",
    "odd-bvh/bvh-toolbox-walk01", "odd-bvh/GPmat-Swagger", "makehuman/walk1",
)  # fmt: skip
RATES = (24.0, 30.0, 60.0)
PARTS = (
    "cycles", "axes", "tilts", "rubbish", "takes", "left-out", "networks", "knees", "loops", "units", "facing", "kinds",
    "check", "noise",
)  # fmt: skip
RIGHT = 0.06  # of a cycle's length: how far that of a double may be off its original's


def doubles(data: Path, folder: Path, *, quick: bool) -> Iterator[Double]:
    """Every double, written to a file."""
    names = ORIGINALS[1::3] if quick else ORIGINALS
    for number, name in enumerate(names):
        path = data / "cmu-bvh" / f"{name}.bvh"
        clip = mo.load(path).captured
        stem = folder / path.stem
        root = ROOTS[number % len(ROOTS)]
        yield Double("still root", still_root(path, Path(f"{stem}-still.bvh"), root), mo.load(path))
        for pose, axes in ZERO_POSES.items():
            yield _written("zero pose", with_axes(clip, axes(clip.skeleton)), Path(f"{stem}-{pose}.bvh"), clip)
        for rate in RATES:
            out = Path(f"{stem}-{rate:.0f}.bvh")
            yield _written("frame rate", clip.resampled(rate), out, clip, rate / clip.frame_rate)
        yield _written("one leg longer", one_leg_longer(clip), Path(f"{stem}-longer.bvh"), clip)


def _written(kind: str, clip: mo.Clip, path: Path, original: mo.Clip, share: float = 1.0) -> Double:
    mo.save(clip, path)
    return Double(kind, path, original, share)


def overlap(one: mo.Contacts, other: mo.Contacts) -> float:
    """How far plants agree: frames in both over frames in either, mean of the four points."""
    pairs = [(one.planted(point), other.planted(point)) for point in FOOT_POINTS]
    return float(np.mean([(a & b).sum() / max((a | b).sum(), 1) for a, b in pairs]))


def print_cycles(data: Path, folder: Path, *, quick: bool) -> None:
    """Cycles and plants of the doubles beside those of their originals."""
    rows: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for double in doubles(data, folder, quick=quick):
        true = mo.find_cycle(double.original).n_frames * double.frames_per_frame
        try:
            read = mo.load(double.path)
            ratio = mo.find_cycle(read).n_frames / true
            plants = overlap(mo.find_plants(read), mo.find_plants(double.original)) if read.n_frames == len(
                double.original
            ) else np.nan  # fmt: skip
        except mo.MotionError as error:
            print(f"  {double.path.name}: {error}")
            ratio, plants = np.nan, np.nan
        rows[double.kind].append((ratio, plants))
    print(f"{'doubles':18}{'clips':>6}{'found':>7}{'right':>7}{'half':>6}{'plants IoU, mean':>18}{'least':>7}")
    everything = [pair for pairs in rows.values() for pair in pairs]
    for kind, pairs in [*rows.items(), ("all", everything)]:
        ratios, plants = np.array(pairs).T
        right = np.abs(ratios - 1.0) < RIGHT
        halves = np.abs(ratios - 0.5) < RIGHT
        known = plants[np.isfinite(plants)]
        iou = f"{known.mean():18.3f}{known.min():7.3f}" if len(known) else f"{'-':>18}{'-':>7}"
        print(f"{kind:18}{len(pairs):6}{np.isfinite(ratios).sum():7}{right.sum():7}{halves.sum():6}{iou}")
    share = 100 * np.mean([abs(ratio - 1) < RIGHT for ratio, _ in everything])
    print(f"marks: right ≥ 97 % (here {share:.0f} %), half 0, IoU ≥ 0.9\n")


def print_axes(data: Path, folder: Path) -> None:
    """Captures in rooms with each axis up: joints and spectra against those of the same file with y up."""
    clips = [mo.load(data / f"{name}.bvh").captured for name in IN_ROOMS]
    clips += [mo.example(name).renamed(f"actor {name}") for name in ("walk", "run")]
    print(
        f"{'axis up':10}{'rest pose':>12}{'clips':>7}{'told':>6}{'joints off, mm':>16}{'cycles':>8}{'spectra off':>13}"
    )
    plain = {}
    for clip in clips:
        mo.save(clip, folder / "plain.bvh")
        plain[clip.name] = mo.load(folder / "plain.bvh")
    for rest, axis in itertools.product((True, False), TO_Y):
        told, cycles, off, spectra = 0, 0, 0.0, 0.0
        for clip in clips:
            mo.save(in_room(clip, axis, rest=rest), folder / "turned.bvh")
            own, read = plain[clip.name], mo.load(folder / "turned.bvh")
            if read.report.up_axis != axis:
                print(f"  {clip.name}: {axis} is up, {read.report.up_axis} is told")
                continue
            told += 1
            off = max(off, 1000.0 * float(np.abs(read.positions - own.positions).max()))
            with contextlib.suppress(mo.MotionError):  # dances have no cycle
                one, other = (mo.analyse(mo.prepare(which)) for which in (own, read))
                cycles += 1
                spectra = max(spectra, float(np.abs(one.coefficients - other.coefficients).max()))
        print(
            f"{axis:10}{'turned' if rest else 'along y':>12}{len(clips):7}{told:6}{off:16.5f}{cycles:8}{spectra:13.0e}"
        )
    print("marks: all told, joints off by 0.001 mm at most\n")


def print_tilts(data: Path) -> None:
    """Captures tilted by ten degrees: plants beside those of the same capture as it is."""
    found: list[float] = []
    for path in sorted([*(data / "cmu-bvh").rglob("*.bvh"), *(data / "odd-bvh").glob("*.bvh")]):
        with contextlib.suppress(mo.MotionError):
            clip = mo.load(path).captured
            plants = examine(clip).plants
            turns = itertools.product((10.0, -10.0), (0, 2))
            rows = [overlap(examine(tilted(clip, *turn)).plants, plants) for turn in turns]
            found += rows
            if min(rows) < 0.9:
                print(f"  {path.name:32}" + " ".join(f"{row:.2f}" for row in rows))
    print(f"plants IoU of {len(found) // 4} captures tilted four ways: mean {np.mean(found):.3f}\n")


def print_networks(data: Path, folder: Path) -> None:
    """Folders of doubles built and played: slip, worst joint step over the captures' own, speed and heading had.

    Speed and heading are those of 20 s straight ahead at every node's speed, the worst of them; slip is found anew.
    """
    walks = [mo.load(data / f"cmu-bvh/16/16_{number}.bvh").captured for number in (15, 17, 21, 31, 58)]
    straight = [mo.load(data / f"cmu-bvh/{name}.bvh").captured for name in ("35/35_01", "35/35_18", "35/35_24")]
    print(f"{'network':18}{'nodes':>6}{'slip p99':>10}{'most, mm':>10}{'joint step':>11}{'speed off %':>12}"
          f"{'heading off °':>14}{'turned °':>10}")  # fmt: skip
    worst = np.zeros(5)
    for pose in ("as captured", *ZERO_POSES, "35, straight"):
        clips = straight if pose == "35, straight" else walks
        place = folder / f"set-{pose}"
        place.mkdir()
        for clip in clips:
            posed = with_axes(clip, ZERO_POSES[pose](clip.skeleton)) if pose in ZERO_POSES else clip
            mo.save(posed, place / f"{clip.name}.bvh")
        network = mo.build_network(sorted(place.glob("*.bvh")))
        own = max(_largest_step(clip) for clip in clips)
        rows, slips = [], []
        for speed in np.unique(network.points[:, 1]):
            point = network.place((0.0, float(speed))).point
            if abs(point[0]) > 1e-6:
                continue  # straight ahead is outside of the network there
            take = mo.record(mo.Player(network, point=point), seconds=20, frame_rate=120)
            x, _, z = take.root_positions[-1] - take.root_positions[0]
            had = np.hypot(x, z) / (take.seconds - 1 / take.frame_rate)
            turned = 30.0 / network.blend(point).duration * np.degrees(network.blend(point).turn)
            found = footing(take, mo.find_plants(take))
            slips += [1000.0 * slip.slid for slip in found.slips]
            rows.append(
                (
                    _largest_step(take) / own,
                    100 * abs(had / point[1] - 1),
                    abs(np.degrees(np.arctan2(x, z))),
                    abs(turned),
                )
            )
        step, off, heading, turned = np.max(rows, axis=0)
        p99, most = np.percentile(slips, 99), max(slips)
        worst = np.maximum(worst, (p99, step, off, heading, turned))
        print(
            f"{pose:18}{len(network.nodes):6}{p99:10.2f}{most:10.2f}{step:11.2f}{off:12.2f}{heading:14.2f}{turned:10.2f}"
        )
    marks = " ".join(f"{name} {value:.2f} (mark {mark})," for name, value, mark in zip(
        ("slip p99", "joint step", "speed", "heading", "turned in 30 s"), worst, ("1 mm", "1.2", "2 %", "0.5°", "0.5°"),
        strict=True))  # fmt: skip
    print(f"worst: {marks[:-1]}\n")


def print_knees(data: Path) -> None:
    """Walks with knees ever straighter, steered at random: the fastest turn of a leg joint over the captures' own."""
    print(f"{'knees straightened':20}{'held':>8}{'anchored':>10}")
    for degrees in (0.0, 6.0, 10.0, 14.0):
        takes = [mo.load(data / f"cmu-bvh/16/16_{number}.bvh", clean=True).captured for number in (15, 17, 21, 58)]
        cycles = [mo.prepare(straight_kneed(take, degrees)) for take in takes]
        own = max(_leg_turn(cycle.to_clip(2).resampled(60.0).rotations_wxyz, cycle.skeleton) for cycle in cycles)
        network = mo.build_network(cycles)
        low, high = network.points.min(axis=0), network.points.max(axis=0)
        found = []
        for feet in ("held", "anchored"):
            player, rng, poses = mo.Player(network, tuple((low + high) / 2), feet=feet), np.random.default_rng(1), []
            for frame in range(60 * 40):
                if frame % 50 == 0:
                    player.point = tuple(low + rng.random(2) * (high - low))
                poses.append(player.step(1 / 60).rotations_wxyz)
            found.append(_leg_turn(np.array(poses), network.layout.skeleton) / own)
        print(f"{f'by {degrees:.0f}°':20}{found[0]:8.2f}{found[1]:10.2f}")
    print("mark: ≤ 1.2\n")


def _leg_turn(rotations: np.ndarray, skeleton: mo.Skeleton) -> float:
    """The most that a joint of the legs turns from frame to frame, radians."""
    roles = mo.find_roles(skeleton)
    legs = [roles[f"{side}_{part}"] for side in ("left", "right") for part in ("hip", "knee", "ankle")]
    return float(quaternions.angle_between(rotations[1:, legs], rotations[:-1, legs]).max())


def _largest_step(clip: mo.Clip) -> float:
    """The largest change of a joint's position against the root, metres a second; its 99.9th percentile."""
    seen = clip.positions - clip.root_positions[:, None]
    return float(np.quantile(np.linalg.norm(np.diff(seen, axis=0), axis=-1) * clip.frame_rate, 0.999))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", default=PARTS)
    parser.add_argument("--quick", action="store_true", help="three originals instead of eight")
    words = parser.parse_args()
    data = data_folder()
    if data is None:
        raise SystemExit("no real captures: neither $MOCAPELLA_DATA nor ../shared/data is a folder")
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if "cycles" in words.parts:
            print_cycles(data, Path(name), quick=words.quick)
        if "axes" in words.parts:
            print_axes(data, Path(name))
        if "tilts" in words.parts:
            print_tilts(data)
        if "rubbish" in words.parts:
            print_rubbish(data)
        if "takes" in words.parts:
            print_takes(data)
        if "left-out" in words.parts:
            print_left_out(data)
        if "networks" in words.parts:
            print_networks(data, Path(name))
        if "knees" in words.parts:
            print_knees(data)
        if "loops" in words.parts:
            print_loops(data, Path(name))
        if "units" in words.parts:
            print_units(data, Path(name))
        if "facing" in words.parts:
            print_facing()
        if "kinds" in words.parts:
            print_kinds(data)
        if "check" in words.parts:
            print_check(data, quick=words.quick)
        if "noise" in words.parts:
            print_noise(data, quick=words.quick)
            print_toe_noise(data, quick=words.quick)
            if not words.quick:
                print_noisy_cycles(data)
                print_left_out_rounds(data)
                print_left_out_takes(data)


if __name__ == "__main__":
    main()
