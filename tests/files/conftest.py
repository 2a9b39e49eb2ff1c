"""A body of our own for the file tests: metres, y up, facing +z."""

from __future__ import annotations

import numpy as np
import pytest

from mocapella.files.acclaim.amc import read_amc
from mocapella.files.acclaim.asf import read_asf
from mocapella.files.bvh import read_bvh
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.skeleton import Skeleton
from tests.files.acclaim.asf_samples import THREE_BONES

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


@pytest.fixture
def bvh_reader(tmp_path):
    """Reads a text, or bytes, as a BVH file."""

    def read(text, **options):
        path = tmp_path / "arm.bvh"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_bvh(path, **options)

    return read


@pytest.fixture
def amc_reader(tmp_path):
    """Reads a text, or bytes, as an AMC file, of a body of three bones unless told otherwise."""
    (tmp_path / "arm.asf").write_text(THREE_BONES)
    arm = read_asf(tmp_path / "arm.asf")

    def read(text, asf=arm, **options):
        path = tmp_path / "swing.amc"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_amc(path, asf, **options)

    return read
