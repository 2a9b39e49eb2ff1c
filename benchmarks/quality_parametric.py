"""Motions by numbers: how near every form of a space comes to what is asked, and hands to their targets.

    python -m benchmarks.quality_parametric

A grid of 5 × 5 requests of speed and turn rate inside the hull of the actor's nine walks and of real captures (subject
16: walks straight, left and right), measured on the clips that players make of the answers, and 20 random targets
among eight reaches of the actor. Marks: 2 %, 2 cm. Then how far joints of a capture are from what each form makes of
the others for its labels.
"""

from __future__ import annotations

import time
import warnings

import numpy as np

import mocapella as mo
from benchmarks.captures import data_folder
from mocapella.actor import perform
from mocapella.analysis.likeness import joint_error
from mocapella.library.gait_modifiers import gait_figures
from mocapella.parametric.labels import reach_of
from mocapella.parametric.mixing import in_step
from mocapella.parametric.space import FORMS, MotionSpace

REAL = (15, 11, 13, 17, 19, 21, 23, 25, 27, 29, 47)
REACH = ["reach_left", "reach_up", "reach_ahead"]


def requests(space, n=5):
    """Points of a grid that lie well inside the hull of the examples."""
    from scipy.spatial import Delaunay

    hull = Delaunay(space.labels)
    middle = space.labels.mean(axis=0)
    low, high = space.labels.min(axis=0), space.labels.max(axis=0)
    speeds, turns = (np.linspace(*ends, n) for ends in zip(low, high, strict=True))
    grid = np.array([(v, w) for v in speeds for w in turns])
    while (hull.find_simplex(grid) < 0).any():  # the grid shrinks until all of it is inside
        grid = middle + 0.97 * (grid - middle)
    return grid


def played(motion):
    """The speed and the turn rate (m/s, rad/s) of the clip that a player makes of a cycle."""
    figures = gait_figures(mo.record(mo.Player(motion), seconds=5.0), motion.duration)
    return figures.speed, np.radians(figures.turn)


def print_forms(name, spectra, forms):
    for form in forms:
        space = MotionSpace.of(spectra, ["speed", "turn"], form=form)
        asked = requests(space)
        begun = time.perf_counter()
        motions = [space.at(speed=v, turn=w).motion for v, w in asked]
        seconds = (time.perf_counter() - begun) / len(asked)
        had = np.array([played(motion) for motion in motions])
        speed = np.abs(had[:, 0] / asked[:, 0] - 1.0)
        turn = np.abs(had[:, 1] - asked[:, 1]) / np.maximum(np.abs(asked[:, 1]), 0.5 * np.ptp(space.labels[:, 1]))
        print(
            f"{name}, {form}: speed within {100 * speed.max():.3f} %, turn rate within {100 * turn.max():.3f} %, "
            f"{1e3 * seconds:.1f} ms a request",
            flush=True,
        )


def print_left_out(spectra, forms):
    labels = MotionSpace.of(spectra, ["speed", "turn"]).labels
    for form in forms:
        off = []
        for i, (speed, turn) in enumerate(labels):
            others = MotionSpace.of([*spectra[:i], *spectra[i + 1 :]], ["speed", "turn"], form=form)
            made = others.at(speed=speed, turn=turn).motion
            off.append(100.0 * joint_error(mo.synthesise(made, 64), mo.synthesise(spectra[i], 64)))
        print(f"left out, {form}: joints {np.mean(off):.2f} cm off, {max(off):.1f} at worst", flush=True)


def print_reaches():
    targets = [(x, y, z) for x in (-0.25, 0.0) for y in (-0.05, 0.25) for z in (0.25, 0.38)]
    space = MotionSpace.of([perform("reach", target=target, frame_rate=60.0)[0] for target in targets], REACH)
    rng = np.random.default_rng(0)
    low, high = space.labels.min(axis=0), space.labels.max(axis=0)
    off = []
    for _ in range(20):
        goal = low + (0.15 + 0.7 * rng.uniform(size=3)) * (high - low)
        made = space.at(**dict(zip(REACH, goal.tolist(), strict=True)))
        off.append(100.0 * np.linalg.norm(reach_of(made.motion) - goal))
    print(f"reaches: {sum(x <= 2.0 for x in off)} of 20 targets within 2 cm, {max(off):.2f} cm at worst")


def main() -> None:
    grid = [(turn, speed) for speed in (0.8, 1.2, 1.6) for turn in (-0.6, 0.0, 0.6)]
    clips = [perform("walk", speed=speed, turn=turn)[0] for turn, speed in grid]
    print_forms("actor", [mo.analyse(c) for c in in_step([mo.prepare(clip) for clip in clips])], FORMS[:4])
    if (folder := data_folder()) is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read = [mo.load(folder / "cmu-bvh" / "16" / f"16_{take}.bvh") for take in REAL]
            cycles = in_step([mo.prepare(clip) for clip in read])
        spectra = [mo.analyse(cycle) for cycle in cycles]
        print_forms("captures of 16", spectra, FORMS[:4])
        print_left_out(spectra, FORMS[:4])
    print_reaches()


if __name__ == "__main__":
    main()
