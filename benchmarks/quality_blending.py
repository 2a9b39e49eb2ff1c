"""How well blends predict captures that were left out, rule by rule, and what blends of real captures do.

    python -m benchmarks.quality_blending [SECTION…] [FOLDER]

Sections are rules, held-out, styles, tries, joints, turns, baselines, speeds, sweeps; all of them if none is named.
FOLDER holds the captures, ``../shared/data`` or ``$MOCAPELLA_DATA`` if left out.
"""

from __future__ import annotations

import sys
import warnings
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType

import numpy as np

import mocapella as mo
from benchmarks.baselines import print_baselines
from benchmarks.captures import data_folder
from benchmarks.evening_tries import print_tries
from benchmarks.held_out import print_held_out
from benchmarks.left_out import BEGINNINGS, HARMONICS, below, cycles_of, joint_error, tasks
from benchmarks.style_survival import print_joints, print_styles
from mocapella.actor import capture
from mocapella.analysis.fourier import analyse, synthesise
from mocapella.analysis.synchronise import synchronise
from mocapella.blending.arithmetic import with_quality
from mocapella.blending.bank import blend
from mocapella.blending.rules import (
    approximate_blend,
    between_blend,
    lively_blend,
    naive_blend,
    phasor_blend,
    series_blend,
    streamlined_blend,
    unit_blend,
)
from mocapella.building.build import build
from mocapella.building.layout.as_played import as_played, strayed
from mocapella.building.layout.evening import smooth_nodes
from mocapella.building.layout.placement import STRIDE_AND_SPEED, TURN_AND_SPEED
from mocapella.gait.root_motion import cycle_by_feet, played_rates
from mocapella.motion.layout import HEIGHT
from mocapella.rig.legs import leg_dofs
from mocapella.steering.calibration import Calibration, calibrated, rates

RULES = {
    "phasor": phasor_blend,
    "lively": lively_blend,
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
OTHER_AXES = {  # tried beside stride and speed; they tell the same of a motion, but lie otherwise in the plane
    "duration and speed": replace(STRIDE_AND_SPEED, measure=lambda one: (one.duration, one.speed)),
    "stride and cadence": replace(
        STRIDE_AND_SPEED, measure=lambda one: (one.speed * one.duration, 1.0 / one.duration), least=(0.5, 0.4)
    ),
}
TAKES = {"07": 2.7, "16": 1.5, "08": 2.9}  # cm, straight walks


def print_rules(folder):
    print(f"mean joint error (cm) of captures left out, {HARMONICS} harmonics; no hands, root on root;")
    print(f"naive depends on where a cycle begins and is averaged over {BEGINNINGS} beginnings;")
    print("best: the least error that any blend of the other takes has, weights chosen with hindsight;")
    print("takes: how far two captures of one person at equal speed differ, so that less is as good as another take")
    cycles = {subject: cycles_of(folder, files) for subject, files in STRAIGHT_WALKS.items()}
    walks, strides = (
        {subject: tasks(own, axes) for subject, own in cycles.items()} for axes in (None, STRIDE_AND_SPEED)
    )
    turning = {
        "16, walks and turns": tasks(cycles_of(folder, WALKS), TURN_AND_SPEED),
        "16, runs and turns": tasks(cycles_of(folder, RUNS), TURN_AND_SPEED),
    }
    captured = print_table("by speed", walks, turning)
    print_table("by stride and speed", strides)
    even = print_table("by speed, evened", walks, turning, smooth_nodes)
    print(f"  phasor is {below(even['phasor'], captured['naive'])} below what naive makes of motions as captured")
    print("\nevened out with other numbers of neighbours, mean of subjects, straight walks by speed:")
    for neighbours in (3, 5, 7):
        how = partial(smooth_nodes, neighbours=neighbours)
        phasor, naive = (
            float(np.mean([np.mean([task.blended(rule, how) for task in found]) for found in walks.values()]))
            for rule in (phasor_blend, naive_blend)
        )
        print(f"  {neighbours}: phasor {phasor:.2f}, naive {naive:.2f}, {below(phasor, naive)} below")
    print("\nby other pairs of measures, as captured, mean of subjects: phasor, naive, nearest")
    for name, axes in OTHER_AXES.items():
        found = [tasks(own, axes) for own in cycles.values()]
        rows = [[np.mean([task.blended(rule) for task in own]) for rule in (phasor_blend, naive_blend)]
                + [mean("nearest", own)] for own in found]  # fmt: skip
        phasor, naive, nearest = np.mean(rows, axis=0)
        print(f"  {name}: {phasor:.2f}, {naive:.2f}, {nearest:.2f}; {below(phasor, naive)} below naive, "
              f"{below(phasor, nearest)} below nearest; by subject "
              + " ".join(f"{row[0]:.2f}" for row in rows))  # fmt: skip


def print_table(words, walks, turning=MappingProxyType({}), even=None):
    """All rules for every subject and their mean, which is given back; what lies at turn and speed below."""
    names = (*RULES, "nearest", "best")
    print(f"\n{words:24}{'clips':>6}" + "".join(f"{name:>12}" for name in names) + f"{'takes':>8}")
    rows = []
    for subject, found in walks.items():
        rows.append(ruled(found, even))
        print_row(f"{subject}, straight walks", len(found), rows[-1], f"{TAKES[subject]:8.1f}")
    together = {name: np.mean([row[name] for row in rows], axis=0) for name in names}
    print_row("mean of subjects", "", together)
    for title, found in turning.items():
        print_row(title, len(found), ruled(found, even))
    means = {name: float(np.mean(own)) for name, own in together.items()}
    less = [below(means["phasor"], means[name]) for name in ("naive", "nearest")]
    print(f"  straight walks: phasor is {less[0]} below naive, {less[1]} below nearest;")
    naive = together["naive"]
    print(f"  by where cycles begin naive makes {naive.min():.2f} to {naive.max():.2f}")
    return means


def ruled(found, even):
    """By rule the error averaged over the captures, for every beginning tried; the nearest capture's, and the best."""
    errors = {name: np.mean([task.blended(rule, even) for task in found], axis=0) for name, rule in RULES.items()}
    return {**errors, "nearest": mean("nearest", found), "best": mean("best", found)}


def mean(what, found):
    return np.mean([getattr(task, what)() for task in found])


def print_row(title, count, errors, more=""):
    print(f"{title:24}{count:6}" + "".join(f"{np.mean(own):12.2f}" for own in errors.values()) + more)


def print_turns(folder):
    print("\n16, blends half and half of a veer left and a veer right: turn a cycle")
    for left, right in ((11, 13), (23, 25), (24, 26), (23, 26), (24, 25), (37, 39), (48, 49)):
        pair = synchronise(cycles_of(folder, [f"cmu-bvh/16/16_{i}.bvh" for i in (left, right)], turning=True))
        one, two = (analyse(cycle, HARMONICS) for cycle in pair)
        mixed = blend([one, two], (0.5, 0.5))
        turns = [np.degrees(spectrum.turn) for spectrum in (one, two, mixed)]
        print(f"  16_{left} {turns[0]:+6.1f}°   16_{right} {turns[1]:+6.1f}°   half and half {turns[2]:+5.1f}°")


def print_speeds(folder):
    cycles = synchronise(cycles_of(folder, WALKS))
    network = calibrated({cycle.name: analyse(cycle, HARMONICS) for cycle in cycles})
    calibration = Calibration(network)
    rng = np.random.default_rng(0)
    low, high = network.points.min(axis=0), network.points.max(axis=0)
    off = {"inside its outline": [], "just beyond it": []}
    for wanted in rng.uniform(low, high, size=(500, 2)):
        answer = calibration.request(*wanted)
        if answer.feasible:
            where = "inside its outline" if network.place(wanted).inside else "just beyond it"
            off[where].append(np.abs(np.subtract((answer.turn_rate, answer.speed), wanted)))
    asked = sum(map(len, off.values()))
    print(f"\n16, all walks at (turn rate, speed), {network!r}: {asked} of 500 requests feasible,")
    for where, missed in off.items():
        met = sum(one[1] < 1e-6 for one in missed)
        worst = np.max(missed, axis=0, initial=0.0)
        print(f"  of {len(missed)} {where} {met} met to 1e-6 m/s, the worst missed by {np.degrees(worst[0]):.1e}°/s "
              f"and {worst[1]:.1e} m/s")  # fmt: skip
    print_monotony(network)
    print_diagonals(network)
    print_built(folder)
    slow, walk, left = (
        analyse(c, HARMONICS)
        for c in synchronise(
            cycles_of(folder, ["cmu-bvh/16/16_15.bvh", "cmu-bvh/16/16_21.bvh", "cmu-bvh/16/16_24.bvh"])
        )
    )
    made = with_quality(slow, walk, left)
    rate = [np.degrees(rates(spectrum)[0]) for spectrum in (slow, walk, left, made)]
    print(f"\nslow + (left − walk): {rate[0]:+.1f} + ({rate[2]:+.1f} − {rate[1]:+.1f}) = {rate[3]:+.1f} °/s")


def print_monotony(network, words="its", measures=MappingProxyType({"as its root goes": rates})):
    """Along every edge, how far speed strays outside its ends or runs back, as a share of the mean speed."""
    edges = edges_of(network)
    for name, measure in measures.items():
        found = {edge: strays(network, measure, *(network.points[i] for i in edge)) for edge in edges}
        (a, b), (off, speeds) = max(found.items(), key=lambda one: one[1][0])
        over = sum(own > 0.03 for own, _ in found.values())
        print(f"  speed along {words} {len(edges)} edges, {name}: {100 * off:.1f} % back or outside at most, "
              f"{over} of them over 3 %; {network.names[a]} – {network.names[b]}: "
              f"{speeds[0]:.2f}, half-way {speeds[len(speeds) // 2]:.2f}, {speeds[-1]:.2f} m/s")  # fmt: skip
        if measure is played_rates:
            ends = network.points[a], network.points[b]
            about = [about_feet(network.blend(point)) for point in np.linspace(*ends, 3).tolist()]
            print("    of which turning about the standing feet, which lie outside a leaning body: "
                  f"{about[0]:+.2f}, half-way {about[1]:+.2f}, {about[2]:+.2f} m/s")  # fmt: skip


def about_feet(spectrum):
    """How much faster a body goes ahead for turning about feet that stand beside it, m/s: less, where it leans in."""
    gait = cycle_by_feet(spectrum, leg_dofs(spectrum.layout))
    phases = np.linspace(0.0, 2.0 * np.pi, 64, endpoint=False).tolist()
    shares = np.array([gait.bearing(phase) for phase in phases])
    left = np.array([[foot.imag for foot in gait.feet(phase)] for phase in phases])
    return spectrum.turn / spectrum.duration * float((shares * left).sum() / shares.sum())


def strays(network, measure, start, end):
    """How much speed runs back or leaves the range of the ends of an edge, of its mean, and the speeds along it."""
    speeds = np.array([measure(network.blend(point))[1] for point in np.linspace(start, end, 11).tolist()])
    return strayed(speeds), speeds


def edges_of(network):
    """All edges of a network's triangles, by the numbers of their nodes."""
    corners = network.corners.tolist()
    return sorted({tuple(sorted((row[i], row[(i + 1) % 3]))) for row in corners for i in range(3)})


def print_built(folder):
    """Speeds along the edges of what ``build`` makes of all walks and all runs, and those of the nodes themselves."""
    for name, files in (("walks", WALKS), ("runs", RUNS)):
        network = build([mo.load(folder / file) for file in files], substitute=True).network
        print(f"\n16, what build --as-captured makes of all {name}, {network!r}:")
        measures = {"as its root goes": rates, "as played": played_rates}
        print_monotony(network, "its", measures)
        print_monotony(as_played(network, played_rates), "laid out as played,", measures)
        shares = {node.name: played_rates(node.spectrum)[1] / node.spectrum.speed for node in network.nodes}
        turns = {node.name: abs(np.degrees(node.spectrum.turn)) for node in network.nodes}
        kinds = {"sharp, over 60° a cycle": [n for n in shares if turns[n] > 60.0],
                 "others": [n for n in shares if turns[n] <= 60.0]}  # fmt: skip
        for kind, names in kinds.items():
            own = [shares[name] for name in names]
            print(f"  nodes as played against their roots, {kind}: {min(own):.2f} to {max(own):.2f} times as fast, "
                  f"{np.mean(own):.2f} on average")  # fmt: skip


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


def print_sweeps(folder):
    """Bends of postures while the point crosses a network on 14 lines, by triangles and by natural neighbours (BLD-12).

    A bend is the second difference of a dof's mean per 1/400 of the network's extent, times 10⁶, the largest of all
    dofs; at the outline the three points lie on both sides of it, and those outside are clamped to it.
    """
    takes = [f"{pace} walk {way}" for pace in ("slow", "medium", "fast") for way in ("straight", "sharp left")]
    networks = {
        "the actor's walks": mo.build_network([capture(take)[0] for take in takes]),
        "walks of 16": mo.build_network([folder / name for name in WALKS]),
    }
    print("largest bends of a sweep, × 10⁻⁶            inside   at the outline")
    for title, network in networks.items():
        low, spread = network.points.min(axis=0), np.ptp(network.points, axis=0)
        shares = np.linspace(-0.2, 1.2, 561)
        lines = [np.insert(shares[:, None], 1 - i, off, axis=1) for off in np.linspace(0.1, 0.9, 7) for i in (0, 1)]
        for interpolant in ("triangles", "natural"):
            played = mo.Network(network.nodes, network.triangles, rule=network.rule, interpolant=interpolant)
            inner, outer = 0.0, 0.0
            for line in lines:
                points = low + line * spread
                inside = np.array([played.holds(point) for point in points.tolist()])
                means = np.array([played.blend(point).coefficients[0, :HEIGHT].real for point in points.tolist()])
                bends = np.abs(np.diff(means, 2, axis=0)).max(axis=1)
                held = np.stack([inside[:-2], inside[1:-1], inside[2:]])
                inner = max(inner, bends[held.all(axis=0)].max(initial=0.0))
                outer = max(outer, bends[held.any(axis=0) & ~held.all(axis=0)].max(initial=0.0))
            print(f"  {title:20} {interpolant:16} {1e6 * inner:10,.0f} {1e6 * outer:10,.0f}")


SECTIONS = {
    "rules": print_rules,
    "held-out": print_held_out,
    "styles": lambda folder: print_styles(folder, STRAIGHT_WALKS["08"]),
    "tries": lambda folder: print_tries(folder, STRAIGHT_WALKS),
    "joints": lambda folder: print_joints(folder, STRAIGHT_WALKS["08"]),
    "turns": print_turns,
    "baselines": lambda folder: print_baselines(folder, WALKS),
    "speeds": print_speeds,
    "sweeps": print_sweeps,
}


def main(arguments):
    named = [word for word in arguments if word in SECTIONS]
    folders = [Path(word) for word in arguments if word not in SECTIONS] or [data_folder()]
    if len(folders) > 1 or folders[0] is None or not folders[0].is_dir():
        raise SystemExit(f"name sections ({', '.join(SECTIONS)}) and at most one folder of real captures, "
                         "or set MOCAPELLA_DATA to it")  # fmt: skip
    warnings.simplefilter("ignore")
    for name in named or SECTIONS:
        SECTIONS[name](folders[0])
        print()


if __name__ == "__main__":
    main(sys.argv[1:])
