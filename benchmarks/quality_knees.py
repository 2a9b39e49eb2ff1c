"""How smoothly knees and ankles bend while feet are held, beside the blends and the captures themselves.

    python -m benchmarks.quality_knees [--cells N] [--only NAME …] [FOLDER]

FOLDER holds the captures, ``../shared/data`` or ``$MOCAPELLA_DATA`` if left out. Networks are those of
``benchmarks.quality_playing``, what ``build_network`` makes of subject 16's walks and runs by itself, and of the
actor's. The blending point rests at every node and at every place of a grid; two cycles are played at 60 frames a
second.

A joint's *turn* is how far it bends from frame to frame, its *jerk* how much that changes from frame to frame, both in
degrees, the most of all places. Beside what held feet make of it (``held``) stand the blend alone (``blend``) and the
most that any capture has. *Above* is the share of places at which the jerk is more than 1.3 times the captures' most;
*twice* that of places, of each leg for itself, at which it is more than twice the blend's. *Straightest* is the least
that any knee is bent.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np

from benchmarks.captures import data_folder
from benchmarks.quality_playing import NETWORKS, RATE, grid_points, network_of
from mocapella.actor import capture
from mocapella.analysis.prepare import prepare
from mocapella.building.build import build
from mocapella.geometry import quaternions
from mocapella.playback.player import Player
from mocapella.playback.record import record
from mocapella.rig.legs import leg_roles
from mocapella.storage.values import load

NEARLY_STRAIGHT = 20.0  # degrees: a knee that is bent further is bent backwards
MARK = 1.3  # times the captures' largest jerk
BUILT = {
    "walks": (11, 13, 15, 17, 19, 21, 23, 24, 25, 26, 27, 29, 31, 47, 58),
    "runs": (35, 36, 37, 39, 41, 43, 45, 46, 48, 49, 50, 51, 53, 55, 56),
}
ACTED = {
    "actor, walks": ["slow walk straight", "fast walk straight", "medium walk sharp left", "medium walk sharp right"],
    "actor, runs": ["slow run straight", "fast run straight", "medium run sharp left", "medium run sharp right"],
}


def knees(clip):
    """How far both knees are bent in each frame, degrees; negative where they are bent forwards."""
    roles = leg_roles(clip.skeleton)
    places = {name: clip.positions[:, joint] for name, joint in roles.items()}
    left = places["left_hip"] - places["right_hip"]
    out = []
    for side in ("left", "right"):
        hip, knee, ankle = (places[f"{side}_{part}"] for part in ("hip", "knee", "ankle"))
        thigh, shank = knee - hip, ankle - knee
        axes = np.cross(thigh, shank)
        angles = np.degrees(np.arctan2(np.linalg.norm(axes, axis=1), (thigh * shank).sum(axis=1)))
        forwards = (angles < NEARLY_STRAIGHT) & ((axes * left).sum(axis=1) < 0.0)
        out.append(np.where(forwards, -angles, angles))
    return np.stack(out, axis=1)


def ankle_steps(clip):
    """How both ankles turn from frame to frame, as rotation vectors in degrees."""
    roles = leg_roles(clip.skeleton)
    turns = clip.rotations_wxyz[:, [roles[f"{side}_ankle"] for side in ("left", "right")]]
    between = quaternions.multiply(quaternions.conjugate(turns[:-1]), turns[1:])
    return np.degrees(2.0 * quaternions.log(quaternions.shortest(between)))


def figures(clip):
    """Largest turn and jerk of the left and the right knee, then of the ankles, and the straightest knees."""
    angles, steps = knees(clip), ankle_steps(clip)
    turns = [np.abs(np.diff(angles, axis=0)).max(axis=0), np.linalg.norm(steps, axis=-1).max(axis=0)]
    changes = np.linalg.norm(np.diff(steps, axis=0), axis=-1)
    jerks = [np.abs(np.diff(angles, 2, axis=0)).max(axis=0), changes.max(axis=0)]
    return {"turn": np.concatenate(turns), "jerk": np.concatenate(jerks), "least": angles.min(axis=0)}


def most(rows):
    """The most of many figures, by joint: knees, ankles; and the straightest knee."""
    turns, jerks = (np.array([row[name] for row in rows]).max(axis=0) for name in ("turn", "jerk"))
    least = min(row["least"].min() for row in rows)
    return (turns[:2].max(), jerks[:2].max(), turns[2:].max(), jerks[2:].max(), least)


def places_of(network, cells):
    """The nodes, then a grid."""
    nodes = [tuple(network.points[i].tolist()) for i in np.unique(network.corners)]
    return [*nodes, *grid_points(network, cells)]


def networks(folder, only):
    """Every network with the captures it was made of, as clips at the rate of play."""
    for name, takes in NETWORKS.items():
        if chosen(name, only):
            network, cycles = network_of(folder, takes)
            yield name, network, [cycle.to_clip(2).resampled(RATE) for cycle in cycles]
    for name, takes in BUILT.items():
        if chosen(f"built {name}", only):
            clips = [load(folder / "cmu-bvh" / "16" / f"16_{take}.bvh") for take in takes]
            yield f"built {name}", build(clips).network, [prepare(clip).to_clip(2).resampled(RATE) for clip in clips]
    for name, acted in ACTED.items():
        if chosen(name, only):
            clips = [capture(one)[0] for one in acted]
            yield name, build(clips).network, [prepare(clip).to_clip(2).resampled(RATE) for clip in clips]


def chosen(name, only):
    return not only or any(word in name for word in only)


def print_table(folder, cells, only):
    print("| | places | | knee: turn | jerk | ankle: turn | jerk | straightest | above | twice | worst at |")
    print("|---|--:|---|--:|--:|--:|--:|--:|--:|--:|---|")
    for name, network, captures in networks(folder, only):
        places = places_of(network, cells)
        played = {"held": [], "blend": []}
        for place in places:
            for feet, rows in zip(("held", "velocity"), played.values(), strict=True):
                player = Player(network, point=place, feet=feet)
                rows.append(figures(record(player, seconds=2.2 * player.spectrum.duration, frame_rate=RATE)))
        own = most([figures(clip) for clip in captures])
        print_row(name, len(places), "captures", own, "")
        blended = np.array([row["jerk"] for row in played["blend"]])
        for label, rows in played.items():
            jerks = np.array([row["jerk"] for row in rows])
            above = np.mean(jerks[:, :2].max(axis=1) > MARK * own[1])
            twice = np.mean(jerks[:, :2] > 2.0 * blended[:, :2])
            worst = places[int(jerks[:, :2].max(axis=1).argmax())]
            at = ", ".join(f"{value:.2f}" for value in worst)
            print_row(name, len(places), label, most(rows), f"{100 * above:.0f} % | {100 * twice:.0f} % | {at}")


def print_row(name, n_places, label, row, rest):
    turned, jerk, ankle_turned, ankle_jerk, least = row
    print(
        f"| {name} | {n_places} | {label} | {turned:.1f}° | {jerk:.1f}° | {ankle_turned:.1f}° | {ankle_jerk:.1f}° "
        f"| {least:.0f}° | {rest or '| | '} |",
        flush=True,
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--cells", type=int, default=11)
    parser.add_argument("--only", nargs="+", default=[], help="parts of networks' names")
    asked = parser.parse_args()
    folder = asked.folder or data_folder()
    if folder is None:
        raise SystemExit("set MOCAPELLA_DATA to the folder of real captures, or name it")
    warnings.simplefilter("ignore")
    print_table(folder, asked.cells, asked.only)


if __name__ == "__main__":
    main()
