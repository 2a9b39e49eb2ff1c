"""How well feet stand in the networks that ``build`` makes by itself, at every point of a grid.

    python -m benchmarks.quality_built [--cells N] [FOLDER]

FOLDER holds the captures, ``../shared/data`` or ``$MOCAPELLA_DATA`` if left out. The captures of CMU's subject 16 are
given to ``build_network`` as they are, without options, and what comes out is played at 60 frames a second.

*Held* is the slip in plants that the player holds in full, *found* that in plants that ``find_plants`` sees in what was
played, knowing nothing of the player, as ``benchmarks.quality_playing`` tells them apart.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

from benchmarks.captures import data_folder
from mocapella.blending.build import build_network
from mocapella.cli.trial import SLIPPING, grid_places, trial_places
from mocapella.measure.slip import footing
from mocapella.playback.player import Player
from mocapella.playback.record import record_with_contacts

TAKES = {
    "walks": (11, 13, 15, 17, 19, 21, 23, 24, 25, 26, 27, 29, 31, 47, 58),
    "runs": (35, 36, 37, 39, 41, 43, 45, 46, 48, 49, 50, 51, 53, 55, 56),
}
RATE, ROUNDS = 60.0, 2.2


def played(network, place):
    """Slip held and found and the depth below the ground, mm, of a character that stays at a place."""
    player = Player(network, point=place)
    seconds = ROUNDS * player.spectrum.duration
    clip, contacts = record_with_contacts(player, seconds=seconds, frame_rate=RATE)
    feet = footing(clip, contacts)
    return feet.slip_mm_max, footing(clip).slip_mm_max, feet.penetration_mm_max


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--cells", type=int, default=41)
    asked = parser.parse_args()
    folder = asked.folder or data_folder()
    print("| | nodes | places | slip held, mm | at | above 1 mm | found | penetration, mm |")
    print("|---|--:|--:|--:|---|--:|--:|--:|")
    for name, takes in TAKES.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            network = build_network([folder / "cmu-bvh" / "16" / f"16_{take}.bvh" for take in takes])
        places = [*trial_places(network), *grid_places(network, asked.cells, asked.cells)]
        rows = [played(network, place) for place in places]
        held, found, depth = (list(figures) for figures in zip(*rows, strict=True))
        x, y = places[held.index(max(held))]
        above = sum(slip > SLIPPING for slip in held)
        print(
            f"| {name} | {len(network.nodes)} | {len(places)} | {max(held):.2f} | {x:.1f}, {y:.2f} | {above} "
            f"| {max(found):.2f} | {max(depth):.2f} |"
        )


if __name__ == "__main__":
    main()
