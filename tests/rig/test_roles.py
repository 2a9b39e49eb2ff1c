"""Roles told by names: families of them, spelling, place in the tree."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.motion.skeleton import Skeleton
from mocapella.rig.names import ARM, LEG
from mocapella.rig.roles import explain_roles, find_roles
from tests.rig.role_bodies import FAMILIES, body, named, nonsense, renamed, reordered


@pytest.mark.parametrize("family", FAMILIES)
def test_every_naming_family_is_read(family):
    skeleton, expected = body(FAMILIES[family])
    assert named(skeleton) == expected
    assert explain_roles(skeleton) == []


@pytest.mark.parametrize("family", FAMILIES)
def test_names_need_no_standing_rest_pose(family):
    skeleton, expected = body(FAMILIES[family])
    lengths = np.linalg.norm(skeleton.offsets, axis=1)
    along_x = replace(skeleton, offsets=lengths[:, None] * np.array([1.0, 0.0, 0.0]))  # as LAFAN1's files rest
    assert named(along_x) == expected
    assert named(replace(skeleton, offsets=np.zeros_like(skeleton.offsets))) == expected


@given(
    family=st.sampled_from(sorted(FAMILIES)),
    prefix=st.tuples(
        st.sampled_from(["Xy", "hero_", "rig", "Figur"]), st.sampled_from(["", "1", "02"]), st.sampled_from("_: |.-")
    ),
)
@settings(max_examples=20, deadline=None)
def test_a_common_prefix_changes_nothing(family, prefix):
    skeleton, expected = body(FAMILIES[family])
    prefixed = renamed(skeleton, lambda _, name: "".join(prefix) + name)
    assert named(prefixed) == {role: "".join(prefix) + name for role, name in expected.items()}


@given(family=st.sampled_from(sorted(FAMILIES)), data=st.data())
@settings(max_examples=20, deadline=None)
def test_the_order_of_siblings_changes_nothing(family, data):
    skeleton, expected = body(FAMILIES[family])
    n = skeleton.n_joints
    keys = data.draw(st.lists(st.integers(0, 99), min_size=n, max_size=n))
    assert named(reordered(skeleton, keys)) == expected
    blank = nonsense(skeleton)
    assert named(reordered(blank, keys)) == named(blank)


@pytest.mark.parametrize("family", FAMILIES)
def test_spaces_underscores_and_case_change_nothing(family):
    skeleton, expected = body(FAMILIES[family])
    for change in (lambda name: name.replace(" ", "_"), lambda name: name.replace("_", " ").replace("  ", "__")):
        assert named(renamed(skeleton, lambda _, name, change=change: change(name))) == {
            role: change(name) for role, name in expected.items()
        }


def limb(*names):
    lengths = [[0, 1, 0]] + [[0.2, 0, 0]] * (len(names) - 1)
    return named(Skeleton.of(names, range(-1, len(names) - 1), lengths))


def test_a_shoulder_is_a_clavicle_only_above_an_upper_arm():
    assert limb("LeftShoulder", "LeftArm", "LeftForeArm")["left_clavicle"] == "LeftShoulder"
    assert limb("LeftShoulder", "LeftElbow", "LeftWrist")["left_shoulder"] == "LeftShoulder"
    assert limb("LeftCollar", "LeftShoulder", "LeftElbow")["left_shoulder"] == "LeftShoulder"


def test_an_arm_between_shoulder_and_hand_is_left_out():
    assert limb("LeftShoulder", "LeftArm", "LeftHand") == {"left_wrist": "LeftHand"}


def test_a_leg_is_a_knee_below_a_hip_and_a_hip_above_a_knee():
    assert limb("RightUpLeg", "RightLeg", "RightFoot")["right_knee"] == "RightLeg"
    assert limb("RightHip", "RightLeg", "RightFoot")["right_knee"] == "RightLeg"
    assert limb("RightLeg", "RightKnee", "RightFoot")["right_hip"] == "RightLeg"
    assert limb("RightLeg", "RightFoot") == {"right_ankle": "RightFoot"}


def test_a_hip_joint_is_a_hip_only_where_there_is_no_better_one():
    assert limb("LeftHipJoint", "LeftKneeJoint")["left_hip"] == "LeftHipJoint"
    assert limb("LHipJoint", "LeftHip", "LeftKnee")["left_hip"] == "LeftHip"


STRANGERS = """
    LeftForeArmTwist LeftUpLegRoll LeftHandIndex1 LeftFootIK ik_foot_l LeftToeEnd L_Foot_Nub LeftHandThumb
    LeftKneePole lThumb1 HeadTop_End Head_End LeftFootCtrl DEF-f_ring.01.L LeftEye neck_twist
    SpineIK hand_gun Left_Right_Hand lBigToe left L 9 _
    머리 왼다리
"""


@pytest.mark.parametrize("name", STRANGERS.split())
def test_helpers_fingers_and_strangers_are_never_taken(name):
    assert find_roles(Skeleton.of(["thing", name], [-1, 0], [[0, 0, 0], [0, 1, 0]])) == {}


def test_the_back_is_found_by_place():
    def back(*names):
        rows = ["Hips", *names, "Neck", "Head"]
        found = named(Skeleton.of(rows, range(-1, len(rows) - 1), [[0, 0.1, 0]] * len(rows)))
        return found.get("spine"), found.get("chest")

    assert back("LowerBack", "Spine", "Spine1") == ("LowerBack", "Spine1")
    assert back("Chest") == (None, "Chest")
    assert back("Spine") == ("Spine", None)
    assert back("Spine", "Chest", "UpperChest") == ("Spine", "Chest")
    assert back("Chest", "Chest2", "Chest3") == ("Chest", "Chest3")
    assert back("abdomen", "abdomen2") == ("abdomen", None)


def test_two_backs_side_by_side_are_neither_spine_nor_chest():
    skeleton = Skeleton.of(["Hips", "Spine", "Back", "Spine1"], [-1, 0, 0, 1], np.zeros((4, 3)))
    assert named(skeleton) == {"hips": "Hips"}


def test_hips_carry_both_legs_and_the_trunk():
    names = ["Root", "Hips", "LeftUpLeg", "LeftLeg", "RightUpLeg", "RightLeg", "Spine", "Neck"]
    skeleton = Skeleton.of(names, [-1, 0, 1, 2, 1, 4, 0, 6], np.zeros((8, 3)))
    assert named(skeleton)["hips"] == "Root"
    assert "Hips would be hips" in explain_roles(skeleton)[0]


def test_a_knee_far_from_the_middle_of_its_leg_is_left_out():
    skeleton, expected = body(FAMILIES["lafan"])
    offsets = np.array(skeleton.offsets)
    offsets[skeleton.index("LeftLeg")] *= 0.1
    found = named(replace(skeleton, offsets=offsets))
    assert found == {role: name for role, name in expected.items() if role != "left_knee"}


def test_a_leg_twice_as_long_as_the_other_loses_both_knees():
    skeleton, expected = body(FAMILIES["lafan"])
    offsets = np.array(skeleton.offsets)
    offsets[skeleton.index("LeftLeg")] *= 2.5
    assert set(expected) - set(find_roles(replace(skeleton, offsets=offsets))) == {"left_knee", "right_knee"}


def test_two_joints_with_the_same_claim_get_none():
    names = ["Root", "a:LeftUpLeg", "a:LeftLeg", "b:LeftUpLeg", "b:LeftLeg"]
    skeleton = Skeleton.of(names, [-1, 0, 1, 0, 3], np.zeros((5, 3)))
    assert find_roles(skeleton) == {}
    assert "a:LeftUpLeg or b:LeftUpLeg" in explain_roles(skeleton)[0]


def test_models_of_mikumikudance_have_their_hips_where_legs_and_trunk_part():
    """Legs hang on 下半身, the trunk on 上半身 beside it, and goals of inverse kinematics on the root."""
    names = ["全ての親", "センター", "上半身", "首", "頭", "下半身"]
    parents = [-1, 0, 1, 2, 3, 1]
    offsets = [[0, 0, 0], [0, 1, 0], [0, 0.1, 0], [0, 0.35, 0], [0, 0.1, 0], [0, 0.05, 0]]
    words = ("足", "ひざ", "足首", "つま先", "肩", "腕", "ひじ", "手首")
    for side, x in (("左", 0.1), ("右", -0.1)):
        hip, arm = len(names), len(names) + 4
        names += [*(side + word for word in words), f"{side}足ＩＫ", f"{side}つま先ＩＫ"]
        parents += [5, hip, hip + 1, hip + 2, 2, arm, arm + 1, arm + 2, 0, arm + 4]
        offsets += [[x, -0.1, 0], [0, -0.42, 0], [0, -0.4, 0], [0, -0.05, 0.14]]
        offsets += [[x / 3, 0.3, 0], [x, 0, 0], [2.5 * x, 0, 0], [2.5 * x, 0, 0], [x, 0.1, 0], [0, 0, 0.14]]
    found = named(Skeleton.of(names, parents, np.array(offsets)))
    sides = (("left_", "左"), ("right_", "右"))
    limbs = {side + part: sign + word for side, sign in sides for part, word in zip(LEG + ARM, words, strict=True)}
    assert found == {"hips": "センター", "spine": "上半身", "neck": "首", "head": "頭", **limbs}


def test_a_body_whose_joints_lie_together_and_whose_ends_do_not_is_looked_at_without_overflow():
    skeleton = Skeleton.of(["hips", "leg"], [-1, 0], [(0, 0, 0), (0, 1e-310, 0)], ends={"leg": (0.0, -0.4, 0.0)})
    with np.errstate(over="raise"):
        find_roles(skeleton)
