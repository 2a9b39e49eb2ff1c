"""How well blends predict captures that were left out, rule by rule, and what blends of real captures do.

    python -m benchmarks.quality_blending [FOLDER]

FOLDER holds the captures, ``../shared/data`` or ``$MOCAPELLA_DATA`` if left out.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np

import mocapella as mo
from benchmarks.captures import data_folder
from mocapella.analysis.fourier import analyse, synthesise
from mocapella.analysis.prepare import prepare
from mocapella.analysis.synchronise import synchronise
from mocapella.blending.arithmetic import with_quality
from mocapella.blending.baselines import approximate_blend, naive_blend, series_blend
from mocapella.blending.blend import blend
from mocapella.blending.calibrated import Calibration, calibrated, rates
from mocapella.blending.evening import evened
from mocapella.blending.network import Network, Node
from mocapella.blending.rules import between_blend, phasor_blend, streamlined_blend, unit_blend
from mocapella.measure.left_out import joint_error as left_out_error

RULES = {
    "phasor": phasor_blend,
    "between ½": between_blend(0.5),
    "streamlined": streamlined_blend,
    "approximate": approximate_blend,
    "unit": unit_blend,
    "naive": naive_blend,
    "PL06": series_blend,
}
STRAIGHT_WALKS = {
    "07": [f"cmu-asfamc/07/07_{i:02d}.amc" for i in range(1, 12)],
    "16": [f"cmu-bvh/16/16_{i}.bvh" for i in (15, 21, 31, 47, 58)],
    "08": [f"cmu-bvh/08/08_{i:02d}.bvh" for i in (1, 4, 7, 11)],
}
WALKS = [f"cmu-bvh/16/16_{i}.bvh" for i in (11, 13, 15, 17, 19, 21, 23, 24, 25, 26, 27, 29, 31, 47, 58)]
RUNS = [f"cmu-bvh/16/16_{i}.bvh" for i in (35, 36, 37, 39, 41, 43, 45, 46, 48, 49, 50, 51, 53, 55, 56)]
HARMONICS = 10
BEGINNINGS = 32
TAKES = {"07": 2.7, "16": 1.5, "08": 2.9}  # cm, straight walks


def cycles_of(folder, names, **wanted):
    """The best cycle of every file that has one."""
    out = []
    for name in names:
        try:
            cycle = prepare(mo.load(folder / name), **wanted)
        except mo.MotionError as error:
            print(f"  {Path(name).name}: {error}")
            continue
        out.append(cycle)
    return out


def joint_error(one, other):
    """Mean distance in cm of all joints but hands, root on root, over a cycle; both brought into step."""
    return 100.0 * left_out_error(one, other)


def places_of(cycles, *, turns):
    """Where motions lie: at turn rate (rad/s) and speed, or at speed alone."""
    return [(cycle.turn / cycle.duration if turns else 0.0, cycle.speed) for cycle in cycles]


def predicted(spectra, places, goal, rule, neighbours):
    """What a network of these motions has at a place, once for every beginning of their cycles that is tried.

    ``neighbours`` None takes the motions as captured; a number evens the network out with so many.
    """
    starts = np.linspace(0.0, 2.0 * np.pi, BEGINNINGS, endpoint=False) if rule is naive_blend else (0.0,)
    for start in starts:
        nodes = [Node(str(i), at, s.starting_at(start)) for i, (at, s) in enumerate(zip(places, spectra, strict=True))]
        network = Network(nodes, rule=rule)
        if neighbours is not None:
            network = evened(network, neighbours=neighbours or None)
        yield network.blend(goal)


def left_out(cycles, *, turns, rules=RULES, neighbours=None):
    """Per rule an array of errors, targets × beginnings: each cycle predicted by the network of all others.

    Only those are that lie inside that network, so between slower and faster ones, and turns to either side.
    """
    errors = {name: [] for name in (*rules, "nearest")}
    places = places_of(cycles, turns=turns)
    spread = np.maximum(np.ptp(places, axis=0), 1e-9)
    for i, target in enumerate(cycles):
        others = [j for j in range(len(cycles)) if j != i]
        spectra = [analyse(cycle, HARMONICS) for cycle in synchronise([cycles[j] for j in others])]
        around = [places[j] for j in others]
        if (
            not Network([Node(str(j), places[j], s) for j, s in zip(others, spectra, strict=True)])
            .place(places[i])
            .inside
        ):
            continue
        for name, rule in rules.items():
            made = predicted(spectra, around, places[i], rule, neighbours)
            errors[name].append([joint_error(synthesise(one, target.n_frames), target) for one in made])
        apart = np.linalg.norm((np.array(around) - places[i]) / spread, axis=1)
        errors["nearest"].append([joint_error(cycles[others[int(np.argmin(apart))]], target)])
    return {name: np.array(own) for name, own in errors.items()}


def print_table(folder):
    print(f"mean joint error (cm) of captures left out, {HARMONICS} harmonics; no hands, root on root;")
    print(f"naive depends on where a cycle begins and is averaged over {BEGINNINGS} beginnings;")
    print("takes: how far two captures of one person at equal speed differ, so that less is as good as another take")
    names = (*RULES, "nearest")
    walks = {subject: cycles_of(folder, files) for subject, files in STRAIGHT_WALKS.items()}
    turning = {"16, walks and turns": cycles_of(folder, WALKS), "16, runs and turns": cycles_of(folder, RUNS)}
    naive_as_captured = 0.0
    for words, neighbours in (("as captured", None), ("evened out", 0)):
        print(f"\n{'motions ' + words:24}{'clips':>6}" + "".join(f"{name:>12}" for name in names) + f"{'takes':>8}")
        means = []
        for subject, cycles in walks.items():
            errors = left_out(cycles, turns=False, neighbours=neighbours)
            means.append({name: own.mean(axis=0) for name, own in errors.items()})
            print_row(f"{subject}, straight walks", errors, f"{TAKES[subject]:8.1f}")
        together = {name: np.mean([own[name] for own in means], axis=0) for name in names}
        print_row("mean of subjects", {name: own[None] for name, own in together.items()})
        for title, cycles in turning.items():
            print_row(title, left_out(cycles, turns=True, neighbours=neighbours))
        phasor, nearest = (float(together[name].mean()) for name in ("phasor", "nearest"))
        naive = together["naive"]
        naive_as_captured = naive_as_captured or float(naive.mean())
        less = [below(phasor, other) for other in (naive.mean(), nearest)]
        print(f"  straight walks: phasor is {less[0]} below naive, {less[1]} below nearest;")
        print(f"  by where cycles begin naive makes {naive.min():.2f} to {naive.max():.2f}")
        if neighbours is not None:
            print(f"  phasor is {below(phasor, naive_as_captured)} below what naive makes of motions as captured")
    print("\nevened out with other numbers of neighbours, mean of subjects, straight walks:")
    few = {name: RULES[name] for name in ("phasor", "naive")}
    for neighbours in (3, 5, 7):
        found = [left_out(cycles, turns=False, rules=few, neighbours=neighbours) for cycles in walks.values()]
        phasor, naive = (float(np.mean([own[name].mean() for own in found])) for name in few)
        print(f"  {neighbours}: phasor {phasor:.2f}, naive {naive:.2f}, {below(phasor, naive)} below")


def below(one, other):
    return f"{100.0 - 100.0 * one / other:.0f} %"


def print_row(title, errors, more=""):
    count = f"{len(errors['phasor']):6d}" if title != "mean of subjects" else " " * 6
    print(f"{title:24}{count}" + "".join(f"{np.mean(own):12.2f}" for own in errors.values()) + more)


def print_turns(folder):
    print("\n16, blends half and half of a veer left and a veer right: turn a cycle")
    for left, right in ((11, 13), (23, 25), (24, 26), (23, 26), (24, 25), (37, 39), (48, 49)):
        pair = synchronise(cycles_of(folder, [f"cmu-bvh/16/16_{i}.bvh" for i in (left, right)], turning=True))
        one, two = (analyse(cycle, HARMONICS) for cycle in pair)
        mixed = blend([one, two], (0.5, 0.5))
        turns = [np.degrees(spectrum.turn) for spectrum in (one, two, mixed)]
        print(f"  16_{left} {turns[0]:+6.1f}°   16_{right} {turns[1]:+6.1f}°   half and half {turns[2]:+5.1f}°")


def print_calibration(folder):
    cycles = synchronise(cycles_of(folder, WALKS))
    network = calibrated({cycle.name: analyse(cycle, HARMONICS) for cycle in cycles})
    calibration = Calibration(network)
    rng = np.random.default_rng(0)
    low, high = network.points.min(axis=0), network.points.max(axis=0)
    off, asked = [], 0
    for wanted in rng.uniform(low, high, size=(500, 2)):
        answer = calibration.request(*wanted)
        asked += answer.feasible
        if answer.feasible:
            off.append(np.abs(np.subtract((answer.turn_rate, answer.speed), wanted)))
    worst = np.max(off, axis=0)
    print(f"\n16, all walks at (turn rate, speed), {network!r}: {asked} of 500 requests feasible,")
    print(f"  the worst of them missed by {np.degrees(worst[0]):.1e}°/s and {worst[1]:.1e} m/s")
    print_monotony(network)
    print_diagonals(network)
    slow, walk, left = (
        analyse(c, HARMONICS)
        for c in synchronise(
            cycles_of(folder, ["cmu-bvh/16/16_15.bvh", "cmu-bvh/16/16_21.bvh", "cmu-bvh/16/16_24.bvh"])
        )
    )
    made = with_quality(slow, walk, left)
    rate = [np.degrees(rates(spectrum)[0]) for spectrum in (slow, walk, left, made)]
    print(f"\nslow + (left − walk): {rate[0]:+.1f} + ({rate[2]:+.1f} − {rate[1]:+.1f}) = {rate[3]:+.1f} °/s")


def print_monotony(network):
    """Along every edge, how far speed strays outside its ends or runs back, as a share of the mean speed."""
    worst = 0.0
    edges = {tuple(sorted((row[i], row[(i + 1) % 3]))) for row in network.corners.tolist() for i in range(3)}
    for a, b in edges:
        points = np.linspace(network.points[a], network.points[b], 11)
        speeds = np.array([network.blend(point.tolist()).speed for point in points])
        steps = np.diff(speeds) * np.sign(speeds[-1] - speeds[0])
        worst = max(worst, float(-steps.min(initial=0.0) / speeds.mean()))
    print(f"  speed along its {len(edges)} edges runs back by at most {100 * worst:.2f} %")


def print_diagonals(network):
    """How much a blend depends on which diagonal a quadrangle has (NET-06)."""
    apart = []
    for t, row in enumerate(network.neighbours.tolist()):
        for corner, other in enumerate(row):
            if other < t:
                continue
            a, b = (network.names[network.corners[t, (corner + i) % 3]] for i in (1, 2))
            try:
                flipped = network.flipped(a, b)
            except mo.MotionError:
                continue
            middle = (
                network.points[network.corners[t]].sum(axis=0) + network.points[network.corners[other]].sum(axis=0)
            ) / 6
            pair = [synthesise(net.blend(middle.tolist()), 60) for net in (network, flipped)]
            apart.append(joint_error(*pair))
    if apart:
        print(f"  the other diagonal moves joints by {np.mean(apart):.1f} cm on average over {len(apart)} quadrangles")


def main(arguments):
    folder = Path(arguments[0]) if arguments else data_folder()
    if folder is None:
        raise SystemExit("set MOCAPELLA_DATA to the folder of real captures, or name it")
    warnings.simplefilter("ignore")
    print_table(folder)
    print_turns(folder)
    print_calibration(folder)


if __name__ == "__main__":
    main(sys.argv[1:])
