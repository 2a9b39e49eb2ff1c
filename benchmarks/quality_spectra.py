"""How good cycles and spectra of real captures are, printed beside what was published.

    python benchmarks/quality_spectra.py [FOLDER]

FOLDER holds the captures, ``../shared/data`` or ``$MOCAPELLA_DATA`` if left out.
"""

from __future__ import annotations

import itertools
import os
import sys
import time
import warnings
from pathlib import Path

import numpy as np

import mocapella as mo
from mocapella.analysis.cycles import find_cycle
from mocapella.analysis.cyclify import cyclify
from mocapella.analysis.fourier import analyse, synthesise
from mocapella.analysis.hips import difference_table, format_table, hip_angles
from mocapella.analysis.prepare import prepare
from mocapella.analysis.synchronise import synchronise
from mocapella.motion import kinematics

HARMONICS = (1, 2, 3, 4, 5, 10)
PUBLISHED_CM = (2.22, 0.83, 0.46, 0.38, 0.19, 0.08)  # table 5.3, a walk of a person of 1.673 m
TABLE_6_1 = "table 6.1: the low sums were 7.20 to 9.44 of 55 to 58, the best offset 27 of 102"


def joint_error(cycle, harmonics, joints=None):
    """Mean distance in cm between the joints of the cycle and of its synthesis, the root at one place (MEA-03)."""
    made = synthesise(analyse(cycle, harmonics), cycle.n_frames)
    roots = np.zeros((cycle.n_frames, 3))
    places = [kinematics.forward(c.skeleton, roots, c.rotations_wxyz)[0] for c in (cycle, made)]
    apart = np.linalg.norm(places[0] - places[1], axis=-1)
    return 100.0 * float((apart if joints is None else apart[:, joints]).mean())


def captured_joints(skeleton):
    """The joints that are no finger and no thumb: CMU's files have no captured motion for these."""
    small = ("finger", "thumb")
    return [j for j, name in enumerate(skeleton.names) if not any(word in name.lower() for word in small)]


def print_errors(folder):
    print("mean joint error (cm) of a synthesised walk, 07_01, by number of harmonics")
    print(f"{'':38}" + "".join(f"{h:8d}" for h in HARMONICS))
    print(f"{'published (another walk, 1.673 m)':38}" + "".join(f"{cm:8.2f}" for cm in PUBLISHED_CM))
    for file in ("cmu-asfamc/07/07_01.amc", "cmu-bvh/07/07_01.bvh"):
        for layout in ("quaternion", "euler"):
            cycle = cyclify(find_cycle(mo.load(folder / file)), layout=layout)
            for words, joints in (("all joints", None), ("captured", captured_joints(cycle.skeleton))):
                errors = [joint_error(cycle, h, joints) for h in HARMONICS]
                label = f"{Path(file).name}, {layout}, {words}"
                print(f"{label:38}" + "".join(f"{cm:8.2f}" for cm in errors))
                shares = [cm / goal - 1.0 for cm, goal in zip(errors, PUBLISHED_CM, strict=True)]
                print(f"{'':38}" + "".join(f"{100 * share:+7.0f}%" for share in shares))


def print_speed(folder):
    start = time.process_time()
    cycles, slowest = [], (0.0, "")
    for file in sorted((folder / "cmu-bvh" / "16").glob("*.bvh")):
        begun = time.process_time()
        cycle = prepare(mo.load(file))
        analyse(cycle, 8)
        slowest = max(slowest, (time.process_time() - begun, f"{cycle.name}, {cycle.n_frames} frames in the cycle"))
        cycles.append(cycle)
    print(f"\nload to spectrum: {len(cycles)} clips of subject 16 in {time.process_time() - start:.2f} s (goal 8 s)")
    print(f"slowest clip {1000 * slowest[0]:.0f} ms ({slowest[1]}; goal 200 ms for 500 frames)")
    return cycles


def print_synchronisation(cycles):
    rng = np.random.default_rng(16)
    worst = 0.0
    for cycle in cycles:
        away = cycle.starting_at(float(rng.uniform(0.0, 2.0 * np.pi)))
        back = synchronise([cycle, away])[1]
        frames = back.offset * cycle.n_frames
        worst = max(worst, min(frames, cycle.n_frames - frames))
    print(f"\na shifted cycle is brought back within {worst:.2g} frames (goal 0.3)")
    for label, members in (
        ("walks", [c for c in cycles if c.speed < 2.0]),
        ("runs", [c for c in cycles if c.speed >= 2.0]),
        ("all", cycles),
    ):
        together = synchronise(members)
        angles = np.angle([np.fft.rfft(hip_angles(c), axis=0)[1] for c in together])
        pairs = np.array([a - b for a, b in itertools.combinations(angles, 2)])
        each = np.degrees(np.abs(np.angle(np.exp(1j * pairs))))
        both = np.degrees(np.abs(np.angle(np.exp(1j * pairs).sum(axis=-1))))
        near = [f"{angles.max():.1f}° at most, {100 * (angles < 10).mean():.0f} % below 10°" for angles in (both, each)]
        print(f"{label:5} {len(pairs):4d} pairs in step: hip fundamentals apart {near[0]}; each hip alone {near[1]}")


def print_table(cycles):
    named = {cycle.name: cycle for cycle in cycles}
    if {"16_58", "16_15", "16_47"} <= named.keys():
        references = synchronise([named["16_15"], named["16_47"]])
        print(f"\nsums of hip differences (eq 6.1), 16_58 against two others; {TABLE_6_1}")
        print(format_table(difference_table(named["16_58"], references), ["16_15", "16_47"]))


def main():
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("MOCAPELLA_DATA", beside))
    warnings.simplefilter("ignore", mo.MotionWarning)
    print_errors(folder)
    cycles = print_speed(folder)
    print_synchronisation(cycles)
    print_table(cycles)


if __name__ == "__main__":
    main()
