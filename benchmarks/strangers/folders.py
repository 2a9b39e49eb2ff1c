"""What folders of strangers' takes give: dances and seats among walks, sessions of several motions, takes left out."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np

import mocapella as mo
from benchmarks.left_out import BEGINNINGS, cycles_of
from benchmarks.strangers.doubles import laughing, long_take, lying_down, seated
from mocapella.actor import CAPTURED, capture, perform
from mocapella.analysis.fourier import analyse, synthesise
from mocapella.analysis.likeness import joint_error
from mocapella.analysis.synchronise import synchronise
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.blending.rules import naive_blend
from mocapella.building.build import build
from mocapella.building.layout.merging import near_takes_as_one
from mocapella.building.layout.placement import TURN_AND_SPEED, joined
from mocapella.building.takes import cycles_in, motion_of, named_by_kind
from mocapella.motion.travel import straight

DANCES = (
    "cmu-bvh/05/05_11.bvh", "cmu-bvh/55/55_01.bvh", "cmu-bvh/60/60_10.bvh", "cmu-bvh/61/61_10.bvh",
    "cmu-asfamc/05/05_02.amc", "odd-bvh/assimp-Boxing_Toes.bvh", "three-js/pirouette.bvh",
)  # fmt: skip
GESTURES = ("drink neutral", "drink angry", "knock neutral", "reach low left", "reach high right")
GAITS = (  # walks and runs of many kinds, which are to stay
    "05/05_01", "07/07_12", "08/08_07", "09/09_06", "104/104_06", "104/104_53", "127/127_10", "127/127_15",
    "131/131_01", "137/137_16", "137/137_20", "137/137_24", "137/137_29", "137/137_42", "16/16_17", "16/16_27",
    "16/16_41", "16/16_57", "35/35_17", "49/49_04", "69/69_20", "69/69_31", "82/82_10", "82/82_12",
)  # fmt: skip
AS_USUAL = {"turning": None, "method": "symmetric", "layout": "quaternion"}
SETS = {  # takes of one person: files, or None for the actor's
    "07, straight walks": [f"cmu-asfamc/07/07_{i:02d}.amc" for i in range(1, 12)],
    "16, straight walks": [f"cmu-bvh/16/16_{i}.bvh" for i in (15, 21, 31, 33, 47, 58)],
    "16, straight runs": [f"cmu-bvh/16/16_{i}.bvh" for i in (35, 36, 45, 46, 55, 56)],
    "35, straight walks": [f"cmu-bvh/35/35_{i}.bvh" for i in ("01", "02", "07", "12", "29", "33")],
    "35, straight runs": [f"cmu-bvh/35/35_{i}.bvh" for i in (17, 18, 21, 24)],
    "104, straight runs": [f"cmu-bvh/104/104_{i}.bvh" for i in ("01", "04", "06", "09", 37, 53, 56)],
    "actor, 12 walks at three speeds": None,
}


def rubbish(data: Path) -> dict[str, mo.Clip | Path]:
    """Motions that are no gait: dances as captured, people who sit, laugh or roll about, gestures."""
    whirl = mo.load(data / DANCES[1]).captured
    return {
        **{Path(name).name: data / name for name in DANCES},
        "seated, looking about": seated(capture("look-around")[0]),
        "seated, twisting": seated(capture("twist")[0]),
        "laughing": laughing(capture("stand")[0], seed=1),
        "laughing, seated": seated(laughing(capture("look-around")[0], seed=2)),
        "whirl on the floor": lying_down(whirl),
        **{f"actor, {name}": capture(name)[0] for name in GESTURES},
    }


def print_rubbish(data: Path) -> None:
    """What is no gait, put among walks one by one: it is to be left out, by name; gaits are to stay."""
    walks = [perform("walk", speed=speed, imperfections=CAPTURED)[0].renamed(f"walk {speed}") for speed in (1.0, 1.5)]
    clips, out = rubbish(data), 0
    for name, clip in clips.items():
        source = clip.renamed(name) if isinstance(clip, mo.Clip) else clip
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            names = build([*walks, source]).network.names
        why = next((str(one.message) for one in said if "left out" in str(one.message)), "")
        left = len(names) == len(walks) and bool(why)
        out += left
        print(f"  {name:28}{'left out: ' + why.partition('left out: ')[2][:86] if left else 'TAKEN'}")
    print(f"left out {out} of {len(clips)} that are no gait, {100 * out / len(clips):.0f} % (mark: 90 %)")
    kept = 0
    for name in GAITS:
        path = data / "cmu-bvh" / f"{name}.bvh"
        cycles = cycles_in(mo.load(path if path.exists() else data / "cmu-asfamc" / f"{name}.amc"), **AS_USUAL)
        reasons = [reason for kind, reason in map(motion_of, cycles) if kind != "gait"]
        kept += not any(reasons)
        if any(reasons):
            print(f"  {name}: {reasons}")
    print(f"walks, runs and styled walks that stay: {kept} of {len(GAITS)} (mark: all)\n")


def print_takes(data: Path) -> None:
    """Sessions of several motions in one file: kinds that are in them, kinds that are found."""

    def made(action: str, speed: float, turn: float = 0.0) -> mo.Clip:
        return perform(action, speed=speed, turn=turn, cycles=5.0, imperfections=CAPTURED)[0]

    def own(*numbers: int) -> list[mo.Clip]:
        return [mo.load(data / f"cmu-bvh/16/16_{number}.bvh").captured for number in numbers]

    sessions = {
        "actor: walk, run, left turn": ([made("walk", 1.2), made("run", 3.0), made("walk", 1.0, 0.9)], 3),
        "actor: slow, fast, right turn": ([made("walk", 0.9), made("walk", 1.7), made("walk", 1.0, -0.9)], 3),
        "16: walk, fast walk, run, run": (own(15, 21, 35, 45), 3),
        "16: walk, left and right turns": (own(15, 11, 13, 47, 24, 26), 6),
    }
    print(f"{'sessions':34}{'frames':>8}{'kinds':>7}{'found':>7}   nodes")
    for name, (clips, kinds) in sessions.items():
        clip = long_take(clips).renamed("take")
        cycles = [named_by_kind(cycle) for cycle in cycles_in(clip, **AS_USUAL)]
        told = ", ".join(f"{one.name.partition(', ')[2]} {one.speed:.1f} m/s" for one in cycles)
        print(f"{name:34}{clip.n_frames:8}{kinds:7}{len(cycles):7}   {told}")
    print("mark: every kind found, no pivots\n")


def print_left_out(data: Path) -> None:
    """Takes left out and predicted by what ``build`` makes of the others, beside the naive rule and the nearest."""
    print(f"{'takes left out, cm':34}{'takes':>6}{'ours':>8}{'best takes':>12}{'naive':>8}{'nearest':>9}{'below':>8}")
    shares = []
    for name, files in SETS.items():
        cycles = [mo.prepare(take) for take in actors_walks()] if files is None else cycles_of(data, files)
        cycles = [replace(cycle, source="") for cycle in cycles if straight(cycle)]
        rows = np.array([predicted(cycles, i) for i in range(len(cycles)) if between(cycles, i)])
        ours, best, naive, nearest = rows.mean(axis=0)
        shares.append((ours / naive, ours / nearest))
        print(
            f"{name:34}{len(rows):6}{ours:8.2f}{best:12.2f}{naive:8.2f}{nearest:9.2f}{100 - 100 * ours / naive:11.0f} %"
        )
    below, worst = 100 - 100 * np.mean([share for share, _ in shares]), max(share for _, share in shares)
    print(f"mean below naive {below:.0f} % (mark: 15 %); most of the nearest capture's error {worst:.2f} (mark: 1)\n")


def actors_walks() -> list[mo.Clip]:
    """Four walks at each of three speeds."""
    takes = [(speed, 20 * i + k) for i, speed in enumerate((1.0, 1.3, 1.6)) for k in range(4)]
    return [
        perform("walk", speed=speed, seed=seed, imperfections=CAPTURED)[0].renamed(f"{speed} {seed}")
        for speed, seed in takes
    ]


def between(cycles: list[mo.Cycle], i: int) -> bool:
    """Whether others are slower than a cycle, and others faster."""
    speeds = [cycle.speed for j, cycle in enumerate(cycles) if j != i]
    return min(speeds) < cycles[i].speed < max(speeds)


def predicted(cycles: list[mo.Cycle], i: int) -> tuple[float, float, float, float]:
    """Errors of a take, cm: by the network of the others, by their best takes, by the naive rule, by the nearest."""
    target, others = cycles[i], cycles[:i] + cycles[i + 1 :]

    def error(spectrum: mo.Spectrum) -> float:
        return 100.0 * joint_error(synthesise(spectrum, target.n_frames), target)

    def network(takes: list[mo.Cycle]) -> Network:
        nodes = [Node(str(j), (0.0, one.speed), analyse(one, 10)) for j, one in enumerate(synchronise(takes))]
        return joined(nodes, axes=TURN_AND_SPEED)

    at = (0.0, target.speed)
    ours, best = (
        error(network(near_takes_as_one(others, TURN_AND_SPEED, merge=merge)[0]).blend(at)) for merge in (None, False)
    )
    plain = network(others)
    naive = []
    for start in np.linspace(0.0, 2.0 * np.pi, BEGINNINGS // 4, endpoint=False):
        nodes = [replace(node, spectrum=node.spectrum.starting_at(start)) for node in plain.nodes]
        naive.append(error(Network(nodes, plain.triangles, rule=naive_blend).blend(at)))
    nearest = min(others, key=lambda one: abs(one.speed - target.speed))
    return ours, best, float(np.mean(naive)), 100.0 * joint_error(nearest, target)
