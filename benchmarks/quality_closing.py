"""What ways of closing do to feet: how much they slide, how fast bodies go on them, and how knees turn.

    python -m benchmarks.quality_closing [captures] [networks] [FOLDER]

FOLDER holds the captures, ``../shared/data`` or ``$MOCAPELLA_DATA`` if left out. Without words both are printed. All
captures are of CMU's subject 16, taken as ``build`` takes them, closed by each way in turn.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np

import mocapella as mo
from benchmarks.captures import data_folder
from benchmarks.left_out import HARMONICS, tasks
from benchmarks.quality_blending import RUNS, WALKS, about_feet, edges_of, strays
from mocapella.analysis.closing.cyclify import cyclify
from mocapella.analysis.fourier import analyse
from mocapella.analysis.plants.tracks import foot_places
from mocapella.analysis.prepare import prepare, select, turning_of
from mocapella.building.build import build
from mocapella.building.layout.placement import TURN_AND_SPEED
from mocapella.gait.root_motion import cycle_by_feet, played_rates
from mocapella.geometry import quaternions
from mocapella.measure.footskate import footing
from mocapella.motion.contacts import FEET, FOOT_POINTS
from mocapella.playback.player import Player
from mocapella.playback.record import record_with_contacts
from mocapella.rig.legs import leg_dofs, leg_roles

WAYS = ("symmetric", "feet_kept")
SECONDS = 6.0  # that each node is played for


def slide(clip, bearings):
    """The mean velocity ahead of the foot points that bear, over the speed of the root."""
    per_second = clip.frame_rate
    feet = np.gradient(foot_places(clip, leg_roles(clip.skeleton))[..., ::2], axis=0) * per_second
    root = np.gradient(clip.root_positions[:, ::2], axis=0) * per_second
    speeds = np.linalg.norm(root, axis=1)
    ahead = np.einsum("fpi,fi->fp", feet, root / speeds[:, None])
    return float((bearings * ahead).sum() / bearings.sum() / speeds.mean())


def fastest(rotations, joints):
    """The most that each of these joints turns from frame to frame, radians."""
    return quaternions.angle_between(rotations[1:, joints], rotations[:-1, joints]).max(axis=0)


def sunken(found, cycle):
    """How unevenly closing lifts and lowers standing foot points, root mean square, mm."""
    roles = leg_roles(cycle.skeleton)
    lifted = (foot_places(cycle.to_clip(), roles) - foot_places(found.cut, roles)[:-1])[..., 1]
    stands = np.stack([found.contacts.planted(name)[:-1] for name in FOOT_POINTS], axis=1)
    return 1000.0 * float(lifted[stands].std())


def figures(found, way):
    """All that is printed of a capture closed in one way."""
    cycle = cyclify(found, method=way)
    spectrum = analyse(cycle, HARMONICS)
    gait = cycle_by_feet(spectrum, leg_dofs(spectrum.layout))
    bearings = np.array([gait.bearing(phase) for phase in cycle.phases.tolist()])
    roles, twice = leg_roles(cycle.skeleton), cycle.to_clip(2).rotations_wxyz[: cycle.n_frames + 1]
    joints = [[roles[f"{side}_{part}"] for side in FEET] for part in ("hip", "knee", "ankle")]
    turns = [(fastest(twice, pair) / fastest(found.cut.rotations_wxyz, pair)).max() for pair in joints]
    clip, contacts = record_with_contacts(Player(spectrum), seconds=SECONDS)
    held = footing(clip, contacts)
    row = [
        abs(gait.velocity) / spectrum.speed,
        slide(cycle.to_clip(), bearings),
        *turns,
        sunken(found, cycle),
        held.slip_mm_max,
        footing(clip).slip_mm_max,
        held.penetration_mm_max,
    ]
    return np.array(row), slide(found.cut[: cycle.n_frames], bearings)


def print_captures(folder):
    print(f"ways of closing, {' → '.join(WAYS)}. played: speed of a player over the root's; slide: velocity ahead of")
    print("feet that bear over the root's, after that of the capture; hip, knee, ankle: their fastest turn over the")
    print(
        "captured; lift: how unevenly standing feet are lifted (mm); slip, held and found, and depth of players (mm)\n"
    )
    titles = ("played", "slide", "hip", "knee", "ankle", "lift", "held", "found", "depth")
    print(f"{'':8}{'captured':>9}" + "".join(f"{title:>16}" for title in titles))
    rows = []
    for file in (*WALKS, *RUNS):
        clip = mo.load(folder / file)
        found = select(clip, turning=turning_of(clip)).cycle
        (first, captured), (second, _) = (figures(found, way) for way in WAYS)
        rows.append((first, second))
        print_row(clip.name, captured, first, second)
    before, after = np.moveaxis(np.array(rows), 1, 0)
    print_row("mean", None, before.mean(axis=0), after.mean(axis=0))
    print_row("most", None, before.max(axis=0), after.max(axis=0))
    apart = [100.0 * np.abs(1.0 - one[:, 0]).mean() for one in (before, after)]
    print(f"players differ from their roots by {apart[0]:.1f} → {apart[1]:.1f} % in speed, on average")


def print_row(title, captured, first, second):
    decimals = (3, 3, 2, 2, 2, 1, 2, 2, 1)
    cells = [f"{a:.{n}f} → {b:.{n}f}" for a, b, n in zip(first, second, decimals, strict=True)]
    print(f"{title:8}{'' if captured is None else f'{captured:.3f}':>9}" + "".join(f"{cell:>16}" for cell in cells))


def print_networks(folder):
    print("what build makes of all walks and all runs, closed by each way; how much speed runs back or strays along")
    print("edges, % of its mean: as played, and without what comes of turning about feet that stand beside the body;")
    print("and the mean joint error of captures left out, cm, against those closed in the same way")
    for kind, files in (("walks", WALKS), ("runs", RUNS)):
        clips = [mo.load(folder / file) for file in files]
        for way in WAYS:
            network = build([prepare(c, turning=turning_of(c), method=way) for c in clips], substitute=True).network
            shares = np.array([played_rates(node.spectrum)[1] / node.spectrum.speed for node in network.nodes])
            edges = edges_of(network)
            words = []
            for measure in (played_rates, _without_turning):
                off = [100.0 * strays(network, measure, *(network.points[i] for i in edge))[0] for edge in edges]
                worst = " – ".join(network.names[i] for i in edges[int(np.argmax(off))])
                words.append(f"{max(off):.1f} at most ({worst}), {sum(one > 3.0 for one in off)} over 3")
            error = np.mean(
                [task.blended()[0] for task in tasks([prepare(c, method=way) for c in clips], TURN_AND_SPEED)]
            )
            print(f"  {kind}, {way}: played {shares.min():.3f} to {shares.max():.3f} of the root's speed; "
                  f"of {len(edges)} edges {words[0]}; without: {words[1]}; left out {error:.2f} cm")  # fmt: skip


def _without_turning(spectrum):
    turn_rate, speed = played_rates(spectrum)
    return turn_rate, speed - about_feet(spectrum)


SECTIONS = {"captures": print_captures, "networks": print_networks}


def main(arguments):
    folders = [Path(word) for word in arguments if word not in SECTIONS] or [data_folder()]
    if len(folders) > 1 or folders[0] is None or not folders[0].is_dir():
        raise SystemExit(f"name sections ({', '.join(SECTIONS)}) and at most one folder of real captures, "
                         "or set MOCAPELLA_DATA to it")  # fmt: skip
    warnings.simplefilter("ignore")
    for name in [word for word in arguments if word in SECTIONS] or SECTIONS:
        SECTIONS[name](folders[0])
        print()


if __name__ == "__main__":
    main(sys.argv[1:])
