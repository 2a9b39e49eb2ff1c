"""Flight phases of runs: a body in the air falls as gravity has it, blended or not.

    python -m benchmarks.quality_flight [--cells N] [FOLDER]

FOLDER holds the captures, ``../shared/data`` or ``$MOCAPELLA_DATA`` if left out. Looked at are the flights of subject
16's runs, from when the last foot point leaves the ground by the (blended) contact schedule to when the first comes
down: how the height of the root accelerates, by the parabola that fits best, and how much its speed over the ground
varies meanwhile. Captures are taken as they are, one after the other; blends at the places of a grid of ``--cells`` to
either side over the ``running`` network of ``benchmarks.quality_playing``. Flights of less than 0.1 s are left out: a
parabola is told by its middle.
"""

from __future__ import annotations

import argparse
import math
import warnings
from pathlib import Path

import numpy as np

from benchmarks.captures import data_folder
from benchmarks.quality_playing import NETWORKS, grid_points, network_of, scheduled
from mocapella.analysis.plants.detect import find_plants
from mocapella.motion.contacts import FEET, intervals_of
from mocapella.playback.player import Player
from mocapella.playback.record import record
from mocapella.storage.values import load

RATE, ROUNDS = 120.0, 3.2
SHORTEST = 0.1  # seconds
GRAVITY = -9.81  # m/s²


def flights(clip, contacts):
    """How the root falls, m/s², and by how much of its mean its speed varies, in every whole flight of a clip."""
    air = ~np.any([contacts.planted(foot) for foot in FEET], axis=0)
    found = []
    for first, last in intervals_of(air):
        if first == 0 or last == clip.n_frames - 1 or (last - first) / clip.frame_rate < SHORTEST:
            continue
        roots = clip.root_positions[first : last + 1]
        seconds = np.arange(len(roots)) / clip.frame_rate
        speeds = np.linalg.norm(np.diff(roots[:, ::2], axis=0), axis=1)
        found.append((2.0 * np.polyfit(seconds, roots[:, 1], 2)[0], np.ptp(speeds) / speeds.mean()))
    return found


def played(network, place):
    """The flights of a character at a place of a network."""
    player = Player(network, point=place)
    motion = player.spectrum
    clip = record(player, seconds=ROUNDS * motion.duration, frame_rate=RATE)
    return flights(clip, scheduled(motion.contacts, math.tau * np.arange(clip.n_frames) / RATE / motion.duration))


def row(name, found):
    """One line of the table."""
    falls, varied = np.array(found).T
    low, middle, high = np.percentile(falls, (5, 50, 95))
    return f"| {name} | {len(found)} | {middle:.1f} | {low:.1f} to {high:.1f} | {100 * np.median(varied):.0f} % |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--cells", type=int, default=13)
    asked = parser.parse_args()
    folder = asked.folder or data_folder()
    if folder is None:
        raise SystemExit("set MOCAPELLA_DATA to the folder of real captures, or name it")
    warnings.simplefilter("ignore")
    files = [folder / "cmu-bvh" / "16" / f"16_{take}.bvh" for take in NETWORKS["running"]]
    captures = [load(file).captured for file in files]
    network, _ = network_of(folder, NETWORKS["running"])
    print(f"| | flights | falls by, m/s² ({GRAVITY:g}): median | 5 to 95 % | its speed varies by, median |")
    print("|---|--:|--:|---|--:|")
    print(row("captures", [one for clip in captures for one in flights(clip, find_plants(clip))]))
    print(row("nodes", [one for node in network.nodes for one in played(network, node.at)]))
    print(row("blends", [one for place in grid_points(network, asked.cells) for one in played(network, place)]))


if __name__ == "__main__":
    main()
