"""Forward kinematics of many poses, beside a peer that does the same in numpy."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module

import numpy as np

from mocapella.motion.clip import Clip
from mocapella.motion.kinematics import forward, forward_pose
from mocapella.studies.benches.file_cost import walk
from mocapella.studies.benches.measuring import Row, fastest
from mocapella.studies.benches.peers import missing


def forward_kinematics() -> dict[str, Callable[..., object]]:
    """By peer, forward kinematics: a function of rotations, root positions, offsets and parents."""
    if "upc-pymotion" in missing():
        return {}
    return {"upc-pymotion": import_module("pymotion.ops.skeleton").fk}


def rows(*, quick: bool = False) -> list[Row]:
    """Many poses of the actor, and a single one."""
    return clip_rows(walk(200 if quick else 10_000), rounds=2 if quick else 15)


def clip_rows(clip: Clip, *, rounds: int = 15) -> list[Row]:
    """All poses of a clip at once, and its first alone."""
    skeleton, roots, rotations = clip.skeleton, clip.root_positions, clip.rotations_wxyz
    parents = np.maximum(skeleton.parents, 0)
    peers = forward_kinematics()
    runs: dict[str, Callable[[], object]] = {
        "all": lambda: forward(skeleton, roots, rotations),
        "one": lambda: forward_pose(skeleton, roots[0], rotations[0]),
    }
    runs |= {name: partial(find, rotations, roots, skeleton.offsets, parents) for name, find in peers.items()}
    best = fastest(runs, rounds)
    a_pose = 1e6 / clip.n_frames
    return [
        Row(
            f"forward kinematics, {clip.n_frames:,} poses of {skeleton.n_joints} joints",
            best["all"] * a_pose,
            "µs a pose",
            peers={name: best[name] * a_pose for name in peers},
        ),
        Row(f"forward kinematics, one pose of {skeleton.n_joints} joints", 1e6 * best["one"], "µs"),
    ]
