"""Takes that evening out was not chosen on, and how well it predicts them.

Every person of the data with four takes or more of one kind is here, whatever comes out. Takes that turn are predicted
by speed alone as well as by turn and speed, straight ones by stride and speed.
"""

from __future__ import annotations

import numpy as np

from benchmarks.left_out import below, cycles_of, tasks
from mocapella.actor import CAPTURED, capture, perform, repertoire
from mocapella.analysis.prepare import prepare
from mocapella.blending.rules import naive_blend
from mocapella.building.layout.evening import smooth_nodes
from mocapella.building.layout.placement import STRIDE_AND_SPEED, TURN_AND_SPEED

RUNNING = 2.0  # m/s: clips that also stand, start or stop are in a set for the steps they take at its gait
SETS = {  # name: files, whether they turn
    "35, straight walks": ([f"cmu-bvh/35/35_{i}.bvh" for i in ("01", "02", "07", "12", "29", "33")], False),
    "35, straight runs": ([f"cmu-bvh/35/35_{i}.bvh" for i in (17, 18, 21, 24)], False),
    "16, straight runs": ([f"cmu-bvh/16/16_{i}.bvh" for i in (35, 36, 45, 46, 55, 56)], False),
    "104, straight runs": ([f"cmu-bvh/104/104_{i}.bvh" for i in ("01", "04", "06", "09", 37, 53, 56)], False),
    "127, runs": ([f"cmu-bvh/127/127_{i}.bvh" for i in ("04", "05", "06", 10, 12, 15, 17)], True),
    "69, walks": ([f"cmu-bvh/69/69_{i}.bvh" for i in (20, 24, 28, 31)], True),
    "137, five styles": ([f"cmu-bvh/137/137_{i}.bvh" for i in (16, 20, 24, 29, 42)], False),
}
SPEEDS = {
    "walk": np.linspace(0.8, 1.8, 9),
    "run": np.linspace(2.2, 4.2, 9),
}  # of the actor's takes, each its own habits


def captured_sets(folder):
    """The sets of real captures: name, cycles, whether they turn."""
    for name, (files, turn) in SETS.items():
        cycles = cycles_of(folder, files)
        wanted = [cycle for cycle in cycles if (cycle.speed >= RUNNING) == ("runs" in name)]
        for cycle in cycles:
            if cycle not in wanted:
                print(f"  {cycle.name}: goes {cycle.speed:.2f} m/s, which is another gait")
        yield name, wanted, turn


def actor_sets():
    """The actor's: straight ones at nine speeds, and the repertoire's, which turn."""
    for action, speeds in SPEEDS.items():
        clips = [
            perform(action, speed=float(v), seed=700 + i, imperfections=CAPTURED)[0].renamed(f"{action} {v:.2f}")
            for i, v in enumerate(speeds)
        ]
        yield f"actor, straight {action}s", [prepare(clip) for clip in clips], False
        names = [name for name in repertoire() if f" {action} " in name and "harmonic" not in name]
        yield f"actor, {action}s", [prepare(capture(name)[0]) for name in names], True


def print_held_out(folder):
    """How every set is predicted, as captured and evened out, beside what no blend of its takes can do better than."""
    print("mean joint error (cm) of captures left out, takes that evening out was not chosen on; phasor rule;")
    print("better: in how many evening out is better than as captured; best: the best weights with hindsight")
    columns = ("clips", "as captured", "evened", "better", "naive", "nearest", "best")
    print(f"\n{'':44}" + "".join(f"{name:>12}" for name in columns))
    print_sets("real", captured_sets(folder))
    print_sets("actor's", actor_sets())


def print_sets(whose, sets):
    """One row for every set, and the mean of all: of shares, so that no set counts for more because it is unruly."""
    shares, by_stride = [], []
    for name, cycles, turn in sets:
        by_speed = np.nan
        for axes in (None, TURN_AND_SPEED) if turn else (None, STRIDE_AND_SPEED):
            title = f"{name}, by {axes.name if axes else 'speed'}"
            found = tasks(cycles, axes)
            if not found:
                print(f"{title:44}  none of {len(cycles)} lies between others")
                continue
            plain, even, naive, nearest = print_set(title, found)
            if axes is STRIDE_AND_SPEED:
                by_stride.append((plain / naive, plain / nearest, plain / by_speed))
            else:
                shares.append((plain / naive, even / naive, even / plain, plain / nearest))
                by_speed = plain
    plain, even, gain, nearest = np.mean(shares, axis=0)
    worse = sum(share[2] > 1.005 for share in shares)
    print(f"  mean of the {len(shares)} {whose} sets by speed, or turn and speed: as captured {below(plain, 1.0)} "
          f"below naive and {below(nearest, 1.0)} below nearest;")  # fmt: skip
    print(f"  evened out {below(even, 1.0)} below naive as captured and {below(gain, 1.0)} below as captured, "
          f"worse than that in {worse}")  # fmt: skip
    plain, nearest, gain = np.mean(by_stride, axis=0)
    worse = sum(share[2] > 1.005 for share in by_stride)
    print(f"  mean of the {len(by_stride)} {whose} straight sets by stride and speed: {below(plain, 1.0)} below naive, "
          f"{below(nearest, 1.0)} below nearest, {below(gain, 1.0)} below by speed alone,")  # fmt: skip
    print(f"  worse than that in {worse}")


def print_set(title, found):
    """A set's row; its errors as captured, evened out, by the naive rule, and of the nearest capture."""
    plain, even = (np.array([task.blended(even=how)[0] for task in found]) for how in (None, smooth_nodes))
    numbers = [
        float(np.mean(own))
        for own in zip(*((np.mean(one.blended(naive_blend)), one.nearest(), one.best()) for one in found), strict=True)
    ]
    better = f"{(even < plain).sum()} of {len(found)}"
    print(f"{title:44}{len(found):12d}{plain.mean():12.2f}{even.mean():12.2f}{better:>12}"
          + "".join(f"{number:12.2f}" for number in numbers))  # fmt: skip
    return plain.mean(), even.mean(), *numbers[:2]
