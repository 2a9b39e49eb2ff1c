"""How well feet stand in the networks that ``build`` makes by itself, at every point of a grid.

    python -m benchmarks.quality_built [--cells N] [--other-cells N] [--only NAME …] [FOLDER]

FOLDER holds the captures, ``../shared/data`` or ``$MOCAPELLA_DATA`` if left out. The captures of a person's walks or
runs are built as ``mocapella build`` does without options, and what comes out is played at 60 frames a second.
Those of subject 16 are looked at by ``--cells``, 41, to either side; the others, and the embedded actor's, by
``--other-cells``, 11. Straight walks alone make a line, which is looked at along its length.

*Held* is the slip in plants that the player holds in full, *found* that in plants that ``find_plants`` sees in what was
played, knowing nothing of the player, as ``benchmarks.quality_playing`` tells them apart. *Floating* is how high the
lower one of heel and ball is above the ground while the player says that the foot is planted.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np

import mocapella as mo
from benchmarks.captures import data_folder
from mocapella.actor import capture, repertoire
from mocapella.measure.footskate import SLIPPING, footing, grid_places, trial_places
from mocapella.playback.player import Player
from mocapella.playback.record import record_with_contacts

WALKS = (11, 13, 15, 17, 19, 21, 23, 24, 25, 26, 27, 29, 31, 47, 58)
RUNS = (35, 36, 37, 39, 41, 43, 45, 46, 48, 49, 50, 51, 53, 55, 56)
PEOPLE = {
    "16, walks": [f"cmu-bvh/16/16_{take}.bvh" for take in WALKS],
    "16, runs": [f"cmu-bvh/16/16_{take}.bvh" for take in RUNS],
    "07, walks": [f"cmu-asfamc/07/07_{take:02d}.amc" for take in range(1, 12)],
    "08, walks": [f"cmu-bvh/08/08_{take}.bvh" for take in ("01", "04", "07", "11")],
    "35, walks": [f"cmu-bvh/35/35_{take}.bvh" for take in ("01", "02", "07", "12", "29", "33")],
    "69, walks": [f"cmu-bvh/69/69_{take}.bvh" for take in (20, 24, 28, 31)],
    "82, walks": [f"cmu-bvh/82/82_{take}.bvh" for take in (10, 12, 13)],
    "137, five styles": [f"cmu-bvh/137/137_{take}.bvh" for take in (16, 20, 24, 29, 42)],
    "09, runs": [f"cmu-bvh/09/09_{take}.bvh" for take in ("06", "10")],
    "35, runs": [f"cmu-bvh/35/35_{take}.bvh" for take in (17, 18, 21, 24)],
    "104, runs": [f"cmu-bvh/104/104_{take}.bvh" for take in ("01", "04", "06", "09", 37, 53, 56)],
    "127, runs": [f"cmu-bvh/127/127_{take}.bvh" for take in ("04", "06", 10, 12, 15, 17)],  # 127_05 has no cycle
}
ACTOR = {"actor, walks": " walk ", "actor, runs": " run "}
RATE, ROUNDS = 60.0, 2.2
HIGH = 1.0  # mm: a foot that stands is on the ground


def network_of(name, folder):
    """Networks that ``mocapella build`` makes of one performer's takes."""
    if name in ACTOR:
        return mo.build_network([capture(take)[0] for take in repertoire() if ACTOR[name] in take])
    return mo.build_network([folder / file for file in PEOPLE[name]])


def places_of(network, cells):
    """Nodes, the middles between them, and a grid over the network; of a line, places along it."""
    places = trial_places(network)
    if network.corners.shape[1] > 2:
        return [*places, *grid_places(network, cells, cells)]
    if network.corners.shape[1] < 2:
        return places
    shares = np.linspace(0.0, 1.0, cells)[1:-1, None]
    return [*places, *(tuple(at) for a, b in network.points[network.corners] for at in (a + (b - a) * shares).tolist())]


def played(network, place):
    """Slip held and found, the depth below the ground and the height above it, mm, of a character at a place."""
    player = Player(network, point=place)
    seconds = ROUNDS * player.spectrum.duration
    clip, contacts = record_with_contacts(player, seconds=seconds, frame_rate=RATE)
    feet = footing(clip, contacts)
    return feet.slip_mm_max, footing(clip).slip_mm_max, feet.penetration_mm_max, feet.floating_mm_max


def row(name, network, places):
    """One line of the table."""
    held, found, depth, high = (list(figures) for figures in zip(*(played(network, at) for at in places), strict=True))
    cells = [name, str(len(network.nodes)), str(len(places))]
    for figures, mark in ((held, SLIPPING), (found, SLIPPING)):
        x, y = places[figures.index(max(figures))]
        cells += [f"{max(figures):.2f}", f"{x:.1f}, {y:.2f}", str(sum(figure > mark for figure in figures))]
    cells += [f"{max(depth):.2f}", f"{max(high):.2f}", str(sum(figure > HIGH for figure in high))]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--cells", type=int, default=41)
    parser.add_argument("--other-cells", type=int, default=11)
    parser.add_argument("--only", nargs="+", choices=[*PEOPLE, *ACTOR], default=[*PEOPLE, *ACTOR])
    asked = parser.parse_args()
    folder = asked.folder or data_folder()
    if folder is None:
        raise SystemExit("set MOCAPELLA_DATA to the folder of real captures, or name it")
    warnings.simplefilter("ignore")
    print(
        "| | nodes | places | slip held, mm | at | above 1 mm | found, mm | at | above 1 mm | penetration, mm "
        "| floating, mm | above 1 mm |"
    )
    print("|---|--:|--:|--:|---|--:|--:|---|--:|--:|--:|--:|")
    for name in asked.only:
        network = network_of(name, folder)
        cells = asked.cells if name.startswith("16") else asked.other_cells
        print(row(name, network, places_of(network, cells)), flush=True)


if __name__ == "__main__":
    main()
