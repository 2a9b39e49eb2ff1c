"""Print how motions fare on other bodies: ``python -m benchmarks.quality_retarget``.

Four tables. The same capture exists on two rigs for some CMU trials: one is retargeted to the other and compared with
what the other's file has, beside a plain copy of local rotations by role. There and back: joints of captures that went
to another body and returned. Feet: how far planted feet slide before and after, by the plants of the source. Networks
of several rigs: how far planted feet slide when they are played.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
from rich.table import Table

import mocapella as mo
from benchmarks.captures import data_folder
from mocapella.analysis.plants.detect import find_plants
from mocapella.cli.printing import out
from mocapella.editing.retarget import Bodies
from mocapella.files.formats import motions_below
from mocapella.measure.footskate import footing, trial_places, try_out

TWINS = (  # one capture on two rigs
    ("cmu-asfamc/16/16_15.amc", "cmu-bvh/16/16_15.bvh"),
    ("cmu-bvh/16/16_15.bvh", "cmu-asfamc/16/16_15.amc"),
    ("cmu-asfamc/07/07_01.amc", "cmu-bvh/07/07_01.bvh"),
    ("cmu-asfamc/09/09_06.amc", "cmu-bvh/09/09_06.bvh"),
    ("odd-bvh/bvh11-131_01-3dsmax.bvh", "cmu-bvh/131/131_01.bvh"),
    ("three-js/pirouette.bvh", "cmu-bvh/05/05_11.bvh"),
)
SOURCES = (
    "cmu-bvh/16/16_15.bvh",
    "cmu-bvh/16/16_17.bvh",
    "cmu-asfamc/07/07_01.amc",
    "cmu-bvh/35/35_24.bvh",
    "cmu-bvh/137/137_29.bvh",
    "odd-bvh/GPmat-Swagger.bvh",
)
BODIES = (
    "cmu-bvh/16/16_15.bvh",
    "cmu-asfamc/07/07.asf",
    "cmu-bvh/35/35_24.bvh",
    "cmu-bvh/137/137_29.bvh",
    "odd-bvh/GPmat-Swagger.bvh",
    "odd-bvh/100style-retarget-Geno_bind.bvh",
    "makehuman/walk1.bvh",
)
SIZES = (0.6, 1.0, 1.2)
NETWORKS = {
    "16 as .amc and .bvh": ("cmu-asfamc/16/16_15.amc", "cmu-bvh/16/16_21.bvh", "cmu-bvh/16/16_11.bvh"),
    "three people, two formats": ("cmu-bvh/16/16_21.bvh", "cmu-asfamc/07/07_04.amc", "cmu-bvh/35/35_24.bvh"),
    "five rigs": (
        "cmu-bvh/16/16_21.bvh",
        "cmu-bvh/16/16_11.bvh",
        "cmu-asfamc/07/07_04.amc",
        "odd-bvh/GPmat-Swagger.bvh",
        "odd-bvh/bvh-toolbox-walk01.bvh",
    ),
}
FOLDERS = ("cmu-asfamc", "odd-bvh", "makehuman")  # all captures of these in one network
LEGS = tuple(f"{side}_{part}" for side in ("left", "right") for part in ("hip", "knee", "ankle", "toe"))


def main() -> None:
    """All tables."""
    folder = data_folder()
    if folder is None:
        sys.exit("no real captures: set MOCAPELLA_DATA to their folder")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mo.MotionWarning)
        out.print(_twins(folder))
        out.print(_there_and_back(folder))
        out.print(_feet(folder))
        out.print(_networks(folder))


def _twins(folder: Path) -> Table:
    table = Table("one capture on two rigs", "legs mm", "most", "plain copy", "most", "all roles mm", "most", box=None)
    for one, other in TWINS:
        clip, wanted = (_load(folder, name).captured for name in (one, other))
        n = min(clip.n_frames, wanted.n_frames)
        clip, wanted = clip[:n], wanted[:n]
        made, copied = mo.retarget(clip, wanted.skeleton), _copied(clip, wanted.skeleton)
        legs = [_apart(each, wanted, LEGS) for each in (made, copied)]
        rest = _apart(made, wanted, [role for role in mo.find_roles(wanted.skeleton) if role not in LEGS])
        cells = [figure for each in (*legs, rest) for figure in (each.mean(), each.max())]
        table.add_row(f"{one} → {other}", *(f"{1000 * cell:.2f}" for cell in cells))
    return table


def _there_and_back(folder: Path) -> Table:
    table = Table("there and back, most mm", *(f"× {size:g}" for size in SIZES), "joints without a twin", box=None)
    for one in SOURCES:
        clip = _load(folder, one).captured
        for other in BODIES:
            skeleton = _load(folder, other).skeleton
            match = Bodies.of(clip.skeleton, skeleton).match
            kept = [i for i, name in enumerate(clip.skeleton.names) if name not in match.unused]
            far = []
            for size in SIZES:
                back = mo.retarget(mo.retarget(clip, skeleton.scaled(size)), clip.skeleton)
                far.append(np.linalg.norm(back.positions - clip.positions, axis=-1)[:, kept].max())
            table.add_row(f"{one} → {other}", *(f"{1000 * one:.2f}" for one in far), str(len(match.unused)))
    return table


def _feet(folder: Path) -> Table:
    columns = ("source", "as captured", "feet locked", "below ground mm", "plain copy")
    table = Table("planted feet, slip mm most", *columns, box=None)
    for one in SOURCES:
        clip = _load(folder, one).captured
        plants = find_plants(clip)
        for other in BODIES:
            skeleton = _load(folder, other).skeleton
            held = mo.retarget(clip, skeleton, lock_feet=True)
            motions = (clip, mo.retarget(clip, skeleton), held, _copied(clip, skeleton))
            feet = [footing(motion, plants) for motion in motions]
            slips = [one.slip_mm_max for one in feet]
            cells = (*slips[:3], feet[2].penetration_mm_max, slips[3])
            table.add_row(f"{one} → {other}", *(f"{cell:.1f}" for cell in cells))
    return table


def _networks(folder: Path) -> Table:
    table = Table("networks of several rigs", "nodes", "slip mm", "penetration mm", "floating mm", box=None)
    whole = [path for name in FOLDERS for path in motions_below(folder / name)]
    sets = {words: ([folder / file for file in files], False) for words, files in NETWORKS.items()}
    for words, (files, thin) in {**sets, ", ".join(FOLDERS): (whole, True)}.items():
        network = mo.build_network(files, thin=thin)
        tried = try_out(network, trial_places(network))
        cells = (max(tried.slip_mm), max(tried.penetration_mm), max(tried.floating_mm))
        table.add_row(words, str(len(network.nodes)), *(f"{cell:.2f}" for cell in cells))
    return table


def _copied(clip: mo.Clip, skeleton: mo.Skeleton) -> mo.Clip:
    """The baseline: local rotations copied by role, the root scaled by the length of the legs."""
    bodies = Bodies.of(clip.skeleton, skeleton)
    rotations = np.tile([1.0, 0.0, 0.0, 0.0], (clip.n_frames, skeleton.n_joints, 1))
    for own, other in bodies.match.roles.values():
        rotations[:, other] = clip.rotations_wxyz[:, own]
    none = np.zeros(0, dtype=np.int64)
    roots = bodies.scale * clip.root_positions
    slides = np.zeros((clip.n_frames, 0, 3))
    return replace(
        clip, skeleton=skeleton, root_positions=roots, rotations_wxyz=rotations, sliding_joints=none, slides=slides
    )


def _apart(one: mo.Clip, other: mo.Clip, roles: Iterable[str]) -> np.ndarray:
    """How far joints of two clips are apart in every frame, metres, once their hips start in one place."""
    at = [mo.find_roles(clip.skeleton) for clip in (one, other)]
    both = [role for role in roles if role in at[0] and role in at[1]]
    places = [clip.positions[:, [known[role] for role in both]] for clip, known in zip((one, other), at, strict=True)]
    return np.linalg.norm(places[0] - places[1], axis=-1)


def _load(folder: Path, name: str) -> mo.Clip:
    clip: mo.Clip = mo.load(folder / name)
    return clip


if __name__ == "__main__":
    main()
