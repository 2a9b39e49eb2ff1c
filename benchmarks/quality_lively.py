"""What the lively rule does for people who took no part in choosing it: distortion, hotspots, liveliness.

    python -m benchmarks.quality_lively

The rule was chosen on walks of CMU's subject 16. Here are the walks of three others, chains by their speeds, and the
runs of subject 16.
"""

from __future__ import annotations

import warnings

import numpy as np

import mocapella as mo
from benchmarks.captures import data_folder
from benchmarks.tables.upper_harmonics import by_point
from mocapella.blending.network import Network
from mocapella.blending.rules import lively_blend, phasor_blend, streamlined_blend
from mocapella.measure.distortion_maps import Improvement, Survey

SETS = {
    "07": ("walks", range(1, 13)),
    "08": ("walks", range(1, 12)),
    "35": ("walks", range(1, 17)),
    "16": ("runs", (35, 37, 39, 41, 43, 45, 48, 49)),
}
COLUMNS, ROWS = 81, 21


def clips_of(subject, numbers):
    """Those captures of a subject that are there and hold a cycle."""
    folder = data_folder()
    if folder is None:
        raise SystemExit("this needs real captures: set MOCAPELLA_DATA to their folder")
    for number in numbers:
        path = folder / "cmu-bvh" / subject / f"{subject}_{number:02d}.bvh"
        if path.exists():
            clip = mo.load(path)
            try:
                mo.prepare(clip)
            except mo.MotionError:
                continue
            yield clip


def ruled(network, rule):
    """The same network, blended by another rule."""
    return Network(network.nodes, network.triangles, rule=rule, harmonics=network.harmonics)


def print_points(network, survey):
    """Distortion of every rule by what is traced."""
    surveys = by_point(survey)
    print(f"    {'traced, mean / max, rad':24}" + "".join(f"{point:>16}" for point in surveys))
    for name, rule in (("streamlined", streamlined_blend), ("phasor", phasor_blend), ("lively", lively_blend)):
        maps = [each.map(ruled(network, rule)) for each in surveys.values()]
        print(f"    {name:24}" + "".join(f"{each.mean:8.3f} / {each.max:.3f}" for each in maps))


def main() -> None:
    """Print a line per set and rule, against the streamlined rule."""
    warnings.simplefilter("ignore")
    print(f"{'':22}{'UHD mean / max, rad':>21}{'hotspots':>10}{'improved':>10}{'> 5 % worse':>13}{'liveliness':>12}")
    for subject, (kind, numbers) in SETS.items():
        network = mo.build_network(list(clips_of(subject, numbers)))
        survey = Survey(ruled(network, streamlined_blend), columns=COLUMNS, rows=ROWS)
        before = survey.map()
        label = f"{subject} {kind}, {len(network.nodes)} nodes"
        hot = Improvement(before, before).hotspots[0]
        print(f"{label:22}{before.mean:13.3f} / {before.max:.3f}{hot:7} of {before.samples}")
        for name, rule in (("phasor", phasor_blend), ("lively", lively_blend)):
            after = survey.map(ruled(network, rule))
            change = Improvement(before, after)
            plain, much = change.table()[:2]
            life = float(np.nanmean(after.liveliness((6, 10))))
            shares = f"{100 * plain.improved:9.1f} %{100 * much.worsened:11.1f} %{life:12.2f}"
            print(f"  {name:20}{after.mean:13.3f} / {after.max:.3f}{change.hotspots[1]:8}  {shares}")
        print_points(network, survey)


if __name__ == "__main__":
    main()
