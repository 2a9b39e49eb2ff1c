"""A body of our own for the file tests: metres, y up, facing +z."""

from __future__ import annotations

import numpy as np
import pytest

from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.skeleton import Skeleton

MIDDLE = [
    ("Hips", "", (0, 0.95, 0)),
    ("Spine", "Hips", (0, 0.1, 0)),
    ("Chest", "Spine", (0, 0.25, 0)),
    ("Neck", "Chest", (0, 0.2, 0)),
    ("Head", "Neck", (0, 0.1, 0)),
]
LIMBS = [
    ("UpLeg", "Hips", (0.1, -0.05, 0)),
    ("Leg", "UpLeg", (0, -0.42, 0)),
    ("Foot", "Leg", (0, -0.4, 0)),
    ("ToeBase", "Foot", (0, -0.07, 0.14)),
    ("Shoulder", "Chest", (0.03, 0.15, 0)),
    ("Arm", "Shoulder", (0.14, 0, 0)),
    ("ForeArm", "Arm", (0.28, 0, 0)),
    ("Hand", "ForeArm", (0.25, 0, 0)),
]
HEIGHT = 1.74  # from the sole to the crown


def body_skeleton(rotation_orders="ZXY") -> Skeleton:
    joints = [(name, parent, np.array(offset)) for name, parent, offset in MIDDLE]
    for side, sign in (("Left", 1), ("Right", -1)):
        for name, parent, offset in LIMBS:
            above = parent if parent in ("Hips", "Chest") else side + parent
            joints.append((side + name, above, np.array(offset) * [sign, 1, 1]))
    names = [name for name, _, _ in joints]
    parents = [names.index(parent) if parent else -1 for _, parent, _ in joints]
    ends = [("Head", [0.0, 0.15, 0.0])]
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        ends += [(f"{side}ToeBase", [0.0, 0.0, 0.07]), (f"{side}Hand", [0.17 * sign, 0.0, 0.0])]
    offsets = np.array([offset for _, _, offset in joints], dtype=np.float64)
    return Skeleton.of(names, parents, offsets, ends=ends, rotation_orders=rotation_orders)


@pytest.fixture
def body() -> Skeleton:
    return body_skeleton()


@pytest.fixture
def walk() -> Clip:
    """Upright, swaying and stepping a little in all joints, never in the rest pose: 20 frames at 60 Hz."""
    skeleton = body_skeleton()
    rng = np.random.default_rng(7)
    time = np.arange(20) / 60
    sizes, shifts = rng.uniform(0.05, 0.35, (skeleton.n_joints, 3)), rng.uniform(0, 6, (skeleton.n_joints, 3))
    rotvecs = sizes * np.sin(4 * time[:, None, None] + shifts)
    roots = np.stack([0.2 + 0.1 * np.sin(time), 0.95 + 0.02 * np.cos(5 * time), 1.2 * time], axis=-1)
    return Clip(skeleton, roots, quaternions.from_rotvec(rotvecs), frame_rate=60.0, name="walk")
