"""Knees that pass through straight, or beyond, turn no faster while feet are held than in the captures."""

from __future__ import annotations

import numpy as np
import pytest

import mocapella as mo
from benchmarks.strangers.doubles import straight_kneed
from mocapella.geometry import quaternions

FASTER = 1.2  # times what a leg joint of the captures turns in a frame


def leg_turns(rotations, skeleton):
    """The most that any joint of the legs turns from frame to frame."""
    roles = mo.find_roles(skeleton)
    legs = [roles[f"{side}_{part}"] for side in ("left", "right") for part in ("hip", "knee", "ankle")]
    return float(quaternions.angle_between(rotations[1:, legs], rotations[:-1, legs]).max())


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::mocapella.MotionWarning")
def test_straight_knees_do_not_snap(data_folder):
    takes = [mo.load(data_folder / f"cmu-bvh/16/16_{number}.bvh", clean=True).captured for number in (15, 17, 21, 58)]
    cycles = [mo.prepare(straight_kneed(take, 10.0)) for take in takes]
    own = max(leg_turns(cycle.to_clip(2).resampled(60.0).rotations_wxyz, cycle.skeleton) for cycle in cycles)
    network = mo.build_network(cycles)
    player = mo.Player(network, point=tuple(network.points.mean(axis=0)))
    rng, low, high = np.random.default_rng(1), network.points.min(axis=0), network.points.max(axis=0)
    poses = []
    for frame in range(60 * 20):
        if frame % 50 == 0:
            player.point = tuple(low + rng.random(2) * (high - low))
        poses.append(player.step(1 / 60).rotations_wxyz)
    assert leg_turns(np.array(poses), network.layout.skeleton) < FASTER * own
