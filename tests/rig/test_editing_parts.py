"""Parts of a body, by roles."""

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import skeleton_of
from mocapella.rig.parts import PARTS, joints_of

SINGLE = ("left_leg", "right_leg", "left_arm", "right_arm", "spine", "head")
# name, parent, offset
JOINTS = [
    ("Hips", "", (0, 0.9, 0)), ("LHipJoint", "Hips", (0, 0, 0)), ("LeftUpLeg", "LHipJoint", (0.1, -0.05, 0)),
    ("LeftLeg", "LeftUpLeg", (0, -0.4, 0)), ("LeftFoot", "LeftLeg", (0, -0.4, 0)),
    ("LeftToeBase", "LeftFoot", (0, -0.05, 0.13)), ("RHipJoint", "Hips", (0, 0, 0)),
    ("RightUpLeg", "RHipJoint", (-0.1, -0.05, 0)), ("RightLeg", "RightUpLeg", (0, -0.4, 0)),
    ("RightFoot", "RightLeg", (0, -0.4, 0)), ("RightToeBase", "RightFoot", (0, -0.05, 0.13)),
    ("LowerBack", "Hips", (0, 0, 0)), ("Spine", "LowerBack", (0, 0.1, 0)), ("Spine1", "Spine", (0, 0.12, 0)),
    ("Neck", "Spine1", (0, 0.15, 0)), ("Neck1", "Neck", (0, 0.05, 0)), ("Head", "Neck1", (0, 0.06, 0)),
    ("LeftShoulder", "Spine1", (0, 0.14, 0)), ("LeftArm", "LeftShoulder", (0.15, 0, 0)),
    ("LeftForeArm", "LeftArm", (0.28, 0, 0)), ("LeftHand", "LeftForeArm", (0.25, 0, 0)),
    ("LThumb", "LeftHand", (0.04, 0, 0.03)), ("RightShoulder", "Spine1", (0, 0.14, 0)),
    ("RightArm", "RightShoulder", (-0.15, 0, 0)), ("RightForeArm", "RightArm", (-0.28, 0, 0)),
    ("RightHand", "RightForeArm", (-0.25, 0, 0)), ("RThumb", "RightHand", (-0.04, 0, 0.03)),
]  # fmt: skip


def body(joints):
    names = [name for name, _, _ in joints]
    parents = [names.index(above) if above else -1 for _, above, _ in joints]
    return mo.Skeleton.of(names, parents, [offset for _, _, offset in joints])


BODY = body(JOINTS)


def names(skeleton, part):
    return {skeleton.names[joint] for joint in np.flatnonzero(joints_of(skeleton, part))}


@pytest.mark.parametrize("skeleton", [BODY, skeleton_of(1.75)], ids=["cmu", "actor"])
def test_every_joint_but_the_root_belongs_to_exactly_one_part(skeleton):
    counts = np.sum([joints_of(skeleton, part) for part in SINGLE], axis=0)
    np.testing.assert_array_equal(counts, [0, *[1] * (skeleton.n_joints - 1)])
    assert joints_of(skeleton, "all").all()
    np.testing.assert_array_equal(joints_of(skeleton, "lower"), ~joints_of(skeleton, "upper"))


def test_limbs_have_their_fingers_and_the_joints_without_length_that_carry_them():
    assert names(BODY, "left_leg") == {"LHipJoint", "LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToeBase"}
    assert names(BODY, "RIGHT_ARM") == {"RightShoulder", "RightArm", "RightForeArm", "RightHand", "RThumb"}
    assert names(BODY, "head") == {"Neck", "Neck1", "Head"}
    assert names(BODY, "spine") == {"LowerBack", "Spine", "Spine1"}


def test_parts_that_do_not_exist_are_refused():
    with pytest.raises(mo.MotionError, match="no part 'tail' of a body; there are " + ", ".join(PARTS)):
        joints_of(BODY, "tail")
    with pytest.raises(mo.MotionError, match="tell of no joints of its part 'head'"):
        joints_of(body(JOINTS[:11]), "head")
