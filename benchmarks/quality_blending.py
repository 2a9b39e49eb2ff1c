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
from mocapella.analysis.synchronise import synchronise, synchronised_to
from mocapella.blending.arithmetic import with_quality
from mocapella.blending.baselines import approximate_blend, naive_blend, series_blend
from mocapella.blending.blend import blend
from mocapella.blending.calibrated import Calibration, calibrated, rates
from mocapella.blending.network import Network, Node
from mocapella.blending.rules import between_blend, phasor_blend, streamlined_blend, unit_blend
from mocapella.motion import kinematics

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
    other = synchronised_to(other, [one])
    frames = 60
    made = [synthesise(analyse(cycle), frames) for cycle in (one, other)]
    small = ("hand", "finger", "thumb")
    skeleton = one.skeleton
    joints = [j for j, name in enumerate(skeleton.names) if not any(word in name.lower() for word in small)]
    places = [kinematics.forward(skeleton, np.zeros((frames, 3)), cycle.rotations_wxyz)[0][:, joints] for cycle in made]
    return 100.0 * float(np.linalg.norm(places[0] - places[1], axis=-1).mean())


def predicted(spectra, weights, rule, target):
    """The error of a blend; where a rule depends on where the cycle begins, the mean over some beginnings."""
    starts = np.linspace(0.0, 2.0 * np.pi, 8, endpoint=False) if rule is naive_blend else (0.0,)
    mixed = [blend([spectrum.starting_at(start) for spectrum in spectra], weights, rule=rule) for start in starts]
    return float(np.mean([joint_error(synthesise(one, target.n_frames), target) for one in mixed]))


def straight(cycles, *, everyone=False):
    """Per rule the errors of predicting each cycle from slower and faster ones: the next of each, or all of them.

    All of them get the weights of the least size that reproduce the speed.
    """
    errors = {name: [] for name in (*RULES, "nearest")}
    ordered = sorted(cycles, key=lambda cycle: cycle.speed)
    for i in range(1, len(ordered) - 1):
        target, near = ordered[i], [ordered[i - 1], ordered[i + 1]]
        chosen = ordered[:i] + ordered[i + 1 :] if everyone else near
        speeds = np.array([cycle.speed for cycle in chosen])
        weights = np.linalg.pinv(np.stack([np.ones_like(speeds), speeds])) @ [1.0, target.speed]
        spectra = [analyse(cycle, HARMONICS) for cycle in synchronise(chosen)]
        for name, rule in RULES.items():
            errors[name].append(predicted(spectra, weights, rule, target))
        nearest = min(near, key=lambda cycle: abs(cycle.speed - target.speed))
        errors["nearest"].append(joint_error(nearest, target))
    return errors


def scattered(cycles):
    """Per rule the errors of predicting each cycle inside the network of all others at (turn rate, speed)."""
    errors = {name: [] for name in (*RULES, "nearest")}
    at = np.array([(cycle.turn / cycle.duration, cycle.speed) for cycle in cycles])
    at = at / np.ptp(at, axis=0)
    for i, target in enumerate(cycles):
        others = [j for j in range(len(cycles)) if j != i]
        together = synchronise([cycles[j] for j in others])
        nodes = [
            Node(str(j), tuple(at[j]), analyse(cycle, HARMONICS)) for j, cycle in zip(others, together, strict=True)
        ]
        network = Network(nodes)
        place = network.place(at[i])
        if not place.inside:
            continue
        spectra = [network.nodes[n].spectrum for n in place.nodes]
        for name, rule in RULES.items():
            errors[name].append(predicted(spectra, place.weights, rule, target))
        nearest = min(others, key=lambda j: float(np.linalg.norm(at[j] - at[i])))
        errors["nearest"].append(joint_error(cycles[nearest], target))
    return errors


def print_table(folder):
    print(f"mean joint error (cm) of captures left out, {HARMONICS} harmonics; no hands, root on root;")
    print("naive depends on where a cycle begins and is averaged over eight beginnings")
    names = (*RULES, "nearest")
    print(f"{'':26}{'clips':>6}" + "".join(f"{name:>12}" for name in names))
    walks = {subject: cycles_of(folder, files) for subject, files in STRAIGHT_WALKS.items()}
    for words, everyone in (("next two", False), ("all others", True)):
        averages = {name: [] for name in names}
        for subject, cycles in walks.items():
            errors = straight(cycles, everyone=everyone)
            print_row(f"{subject} straight, {words}", errors)
            for name in names:
                averages[name].append(np.mean(errors[name]))
        print_row("mean of subjects", averages)
        phasor, naive, nearest = (float(np.mean(averages[name])) for name in ("phasor", "naive", "nearest"))
        below = [round(100 - 100 * phasor / other) for other in (naive, nearest)]
        print(f"  phasor is {below[0]} % below naive and {below[1]} % below nearest")
    print_row("16, walks and turns", scattered(cycles_of(folder, WALKS)))
    print_row("16, runs and turns", scattered(cycles_of(folder, RUNS)))


def print_row(title, errors):
    count = len(errors["phasor"])
    print(f"{title:26}{count:6d}" + "".join(f"{np.mean(own):12.2f}" for own in errors.values()))


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
