"""Laws of mechanics, broken and kept: ``python -m benchmarks.quality_mechanics``.

Walks and runs of the data folder, mean over clips, beside what was made of subject 16's: networks as they are played,
edits that keep the laws and edits that do not, and the embedded actor.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from pathlib import Path

import numpy as np

import mocapella as mo
from benchmarks.captures import data_folder
from mocapella.actor import perform
from mocapella.measure.mechanics import mechanics
from mocapella.motion.clip import Clip
from mocapella.playback.record import record_with_contacts

WALKS = ("07/07_01", "08/08_01", "16/16_15", "16/16_21", "16/16_47", "35/35_01", "69/69_20", "82/82_13", "137/137_29")
RUNS = ("09/09_06", "16/16_35", "16/16_36", "16/16_45", "16/16_46", "35/35_17", "35/35_24", "127/127_04")
KEYS = ("gravity", "drift", "pulling", "friction", "balance_cm_mean", "balance_cm")


def row(name: str, clips: Iterable[Clip], contacts: Iterable[object] = ()) -> None:
    """Print the means of some motions."""
    own = list(contacts)
    found = [mechanics(clip, *own[i : i + 1]).to_dict() for i, clip in enumerate(clips)]
    cells = []
    for key in KEYS:
        known = [one[key] for one in found if one[key] is not None]
        cells.append(f"{np.mean(known):9.2f}" if known else "        –")
    print(f"{name:44}{len(found):4}{sum(len(one['flights']) for one in found):8}", *cells, flush=True)


def played(network: mo.Network, feet: str) -> tuple[list[Clip], list[object]]:
    """A network at its nodes' middle and halfway to each of them, and the plants of its player."""
    middle = np.mean([node.at for node in network.nodes], axis=0)
    points = [middle, *(0.5 * (middle + np.asarray(node.at)) for node in network.nodes)]
    made = [
        record_with_contacts(mo.Player(network, tuple(at), feet=feet), seconds=4.0, frame_rate=120.0) for at in points
    ]
    return [clip for clip, _ in made], [plants for _, plants in made]


def main() -> None:
    """Print the table."""
    warnings.simplefilter("ignore")
    print(f"{'':44}{'n':>4}{'flights':>8}", *(f"{key.replace('balance_cm', 'bal'):>9}" for key in KEYS))
    if (folder := data_folder()) is not None:
        clips = Path(folder) / "cmu-bvh"
        walks, runs = ([mo.load(clips / f"{name}.bvh") for name in names] for names in (WALKS, RUNS))
        row("walks, captured", walks)
        row("runs, captured", runs)
        for name, takes in (("walks", (15, 17, 21, 29, 47)), ("runs", (35, 36, 45, 46))):
            network = mo.build_network([mo.load(clips / f"16/16_{take}.bvh") for take in takes])
            for feet in ("held", "velocity"):
                row(f"{name} of 16 in a network, feet {feet}", *played(network, feet))
        for name, change in {
            "feet locked": mo.Edit("lock_feet"),
            "exaggerated 1.5 times": mo.Edit("exaggerate", gain=1.5),
            "with a nervous twitch": mo.Edit("preset", name="twitch"),
        }.items():
            edited = [mo.edit(walk, [change]).result for walk in walks]
            row(f"walks, {name}", edited, [mo.find_plants(walk) for walk in walks])
        row("walks at twice the speed", [mo.edit(walk, [mo.Edit("speed", factor=2.0)]).result for walk in walks])
        row("runs at 0.7 of the speed", [mo.edit(run, [mo.Edit("speed", factor=0.7)]).result for run in runs])
    row("walks of the actor", [perform("walk", speed=speed)[0] for speed in (0.8, 1.2, 1.6)])
    row("runs of the actor", [perform("run", speed=speed)[0] for speed in (2.2, 3.0, 4.2)])


if __name__ == "__main__":
    main()
