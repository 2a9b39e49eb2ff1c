"""Forward kinematics of many poses, beside upc-pymotion."""

from __future__ import annotations

import numpy as np

from benchmarks.captures import a_clip
from benchmarks.measuring import Row, fastest
from mocapella.motion import kinematics


def rows() -> list[Row]:
    """10,000 poses of a real skeleton, and a single one."""
    from pymotion.ops.skeleton import fk

    clip = a_clip(10_000)
    skeleton, roots, rotations = clip.skeleton, clip.root_positions, clip.rotations_wxyz
    parents = np.maximum(skeleton.parents, 0)
    best = fastest(
        {
            "ours": lambda: kinematics.forward(skeleton, roots, rotations),
            "pymotion": lambda: fk(rotations, roots, skeleton.offsets, parents),
            "one": lambda: kinematics.forward(skeleton, roots[0], rotations[0]),
        }
    )
    ratio = best["pymotion"] / best["ours"]
    return [
        Row(
            f"forward kinematics, 10,000 poses of {skeleton.n_joints} joints",
            best["ours"] / 10_000 * 1e6,
            "µs a pose",
            peer=f"upc-pymotion {best['pymotion'] / 10_000 * 1e6:.2f} µs, {ratio:.1f} × ours",
        ),
        Row(f"forward kinematics, one pose of {skeleton.n_joints} joints", best["one"] * 1e6, "µs"),
    ]
