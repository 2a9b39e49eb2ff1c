import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.errors import FormatError, SkeletonError
from mocapella.files.asf import read_asf
from mocapella.files.bvh import read_bvh
from mocapella.motion.roles import ARM, LEG, ROLES, explain_roles, find_roles, read_roles
from mocapella.motion.skeleton import Skeleton

# A body 1.75 m tall in T-pose, looking along +z: role, parent, offset. The right half mirrors the left one.
BODY = [
    ("hips", "", (0, 0.95, 0)),
    ("spine", "hips", (0, 0.1, 0)),
    ("chest", "spine", (0, 0.25, 0)),
    ("neck", "chest", (0, 0.2, 0)),
    ("head", "neck", (0, 0.1, 0)),
    ("left_hip", "hips", (0.1, -0.05, 0)),
    ("left_knee", "left_hip", (0, -0.42, 0)),
    ("left_ankle", "left_knee", (0, -0.4, 0)),
    ("left_toe", "left_ankle", (0, -0.07, 0.14)),
    ("left_clavicle", "chest", (0.03, 0.15, 0)),
    ("left_shoulder", "left_clavicle", (0.14, 0, 0)),
    ("left_elbow", "left_shoulder", (0.28, 0, 0)),
    ("left_wrist", "left_elbow", (0.25, 0, 0)),
]
ENDS = {"head": (0, 0.15, 0), "left_toe": (0, 0, 0.07), "left_wrist": (0.17, 0, 0)}

# Names of hips spine chest neck head | hip knee ankle toe | clavicle shoulder elbow wrist, {} is the side.
# A dash stands for a joint the rig does not have; "a>b" puts a joint without length above, "a<b" hangs one below.
FAMILIES = {
    "cmu bvh": """Left Right / Hips LowerBack Spine>Spine1 Neck Head<Neck1Nub | LHipJoint>{}UpLeg {}Leg {}Foot {}ToeBase
        | {}Shoulder {}Arm {}ForeArm {}Hand<{}FingerBase""",
    "cmu asf": """l r / root lowerback upperback>thorax lowerneck upperneck>head
        | {}hipjoint>{}femur {}tibia {}foot {}toes | {}clavicle {}humerus {}radius {}wrist<{}hand""",
    "lafan": """Left Right / Hips Spine Spine1>Spine2 Neck Head | {}UpLeg {}Leg {}Foot {}Toe
        | {}Shoulder {}Arm {}ForeArm {}Hand""",
    "mixamo": """Left Right / mixamorig:Hips mixamorig:Spine mixamorig:Spine1>mixamorig:Spine2 mixamorig:Neck
        mixamorig:Head<mixamorig:HeadTop_End
        | mixamorig:{}UpLeg mixamorig:{}Leg mixamorig:{}Foot mixamorig:{}ToeBase<mixamorig:{}Toe_End
        | mixamorig:{}Shoulder mixamorig:{}Arm mixamorig:{}ForeArm mixamorig:{}Hand<mixamorig:{}HandIndex1""",
    "mixamo numbered": """Left Right / mixamorig1_Hips mixamorig1_Spine mixamorig1_Spine2 mixamorig1_Neck
        mixamorig1_Head | mixamorig1_{}UpLeg mixamorig1_{}Leg mixamorig1_{}Foot mixamorig1_{}ToeBase
        | mixamorig1_{}Shoulder mixamorig1_{}Arm mixamorig1_{}ForeArm mixamorig1_{}Hand""",
    "biped": """L R / Bip01>Bip01~Pelvis Bip01~Spine Bip01~Spine1 Bip01~Neck Bip01~Head<Bip01~HeadNub
        | Bip01~{}~Thigh Bip01~{}~Calf Bip01~{}~Foot Bip01~{}~Toe0<Bip01~{}~Toe0Nub
        | Bip01~{}~Clavicle Bip01~{}~UpperArm Bip01~{}~Forearm Bip01~{}~Hand<Bip01~{}~Finger0""",
    "daz": """l r / hip abdomen chest neck head | {}Buttock>{}Thigh {}Shin {}Foot {}Toe
        | {}Collar {}Shldr {}ForeArm {}Hand<{}Thumb1""",
    "genesis 8": """l r / hip abdomenLower abdomenUpper>chestUpper neckLower neckUpper>head
        | {}ThighBend {}ThighTwist>{}Shin {}Foot {}Metatarsals>{}Toe
        | {}Collar {}ShldrBend {}ShldrTwist>{}ForearmBend {}ForearmTwist>{}Hand""",
    "genesis 9": """l r / hip spine1 spine4 neck1 neck2>head | {}_thigh {}_thightwist1>{}_shin {}_foot {}_toes
        | {}_shoulder {}_upperarm {}_forearm {}_hand""",
    "makehuman": """L R / root spine05 spine01 neck01 neck02>head
        | pelvis.{}>upperleg01.{} upperleg02.{}>lowerleg01.{} lowerleg02.{}>foot.{} toe1-1.{}<toe1-2.{}
        | clavicle.{} shoulder01.{}>upperarm01.{} upperarm02.{}>lowerarm01.{} lowerarm02.{}>wrist.{}<finger1-1.{}""",
    "makehuman walks": """L R / Root Spine1 Spine3 Neck Head | __UpLeg_{}>UpLeg_{} LoLeg_{} Foot_{} Toe_{}
        | __Clavicle_{}>Clavicle_{} UpArm_{} LoArm_{} Hand_{}<__Thumb1_{}""",
    "unreal": """l r / root>pelvis spine_01 spine_02>spine_03 neck_01 head
        | thigh_{}<thigh_twist_01_{} calf_{}<calf_twist_01_{} foot_{}<ik_foot_{} ball_{}
        | clavicle_{} upperarm_{}<upperarm_twist_01_{} lowerarm_{}<lowerarm_twist_01_{} hand_{}<hand_ik_{}""",
    "godot": """Left Right / Root>Hips Spine Chest<UpperChest Neck Head | {}UpperLeg {}LowerLeg {}Foot {}Toes
        | {}Shoulder {}UpperArm {}LowerArm {}Hand""",
    "vrm": """left right / hips spine chest neck head | {}UpperLeg {}LowerLeg {}Foot {}Toes
        | {}Shoulder {}UpperArm {}LowerArm {}Hand<{}IndexProximal""",
    "vroid": """L R / J_Bip_C_Hips J_Bip_C_Spine J_Bip_C_Chest J_Bip_C_Neck J_Bip_C_Head<J_Adj_L_FaceEye
        | J_Bip_{}_UpperLeg J_Bip_{}_LowerLeg J_Bip_{}_Foot J_Bip_{}_ToeBase
        | J_Bip_{}_Shoulder J_Bip_{}_UpperArm<J_Sec_{}_TopsUpperArm J_Bip_{}_LowerArm J_Bip_{}_Hand""",
    "rokoko": """Left Right / Hips Spine1 Spine4 Neck Head | {}Thigh {}Shin {}Foot {}Toe
        | {}Shoulder {}Arm {}ForeArm {}Hand""",
    "perception neuron": """Left Right / Robot_Hips Robot_Spine Robot_Spine2 Robot_Neck Robot_Head
        | Robot_{}UpLeg Robot_{}Leg Robot_{}Foot - | Robot_{}Shoulder Robot_{}Arm Robot_{}ForeArm
        Robot_{}Hand<Robot_{}InHandIndex""",
    "bandai namco": """L R / joint_Root>Hips Spine Chest Neck Head | UpperLeg_{} LowerLeg_{} Foot_{} Toes_{}
        | Shoulder_{} UpperArm_{} LowerArm_{} Hand_{}""",
    "endorphin": """Left Right / root LowerSpineJoint MiddleSpineJoint>UpperSpineJoint LowerNeckJoint -
        | {}HipJoint_dum>{}HipJoint {}KneeJoint {}AnkleJoint {}MidFootJoint>{}ToesJoint
        | {}ClavicleJoint {}ShoulderJoint {}ElbowJoint {}ForearmTwistJoint>{}WristJoint""",
    "plain": """Left Right / Hips Chest Chest2 Neck Head | {}Hip {}Knee {}Ankle {}Toe
        | {}Collar {}Shoulder {}Elbow {}Wrist""",
    "no clavicle": "Left Right / Hips Spine Chest Neck Head | {}Hip {}Knee {}Ankle - | - {}Shoulder {}Elbow {}Wrist",
    "smpl": """left right / pelvis spine1 spine3 neck head | {}_hip {}_knee {}_ankle {}_foot
        | {}_collar {}_shoulder {}_elbow {}_wrist<{}_hand""",
    "xsens": """Left Right / Pelvis L5 L3>T8 Neck Head | {}UpperLeg {}LowerLeg {}Foot {}Toe
        | {}Shoulder {}UpperArm {}ForeArm {}Hand""",
    "motive": "L R / Hip Ab Chest Neck Head | {}Thigh {}Shin {}Foot {}Toe | {}Shoulder {}UArm {}FArm {}Hand",
    "rigify": """L R / DEF-spine>DEF-hips DEF-spine.001 DEF-spine.003 DEF-neck DEF-head
        | DEF-thigh.{} DEF-shin.{} DEF-foot.{} DEF-toe.{}
        | DEF-shoulder.{} DEF-upper_arm.{} DEF-forearm.{} DEF-hand.{}<DEF-f_index.01.{}""",
    "advanced skeleton": """L R / Root_M>Hip_M Spine1_M Chest_M Neck_M Head_M | Hip_{} Knee_{} Ankle_{} Toes_{}
        | Scapula_{} Shoulder_{} Elbow_{} Wrist_{}""",
    "maya": """l r / hips_jnt spine_01_jnt chest_jnt neck_jnt head_jnt | {}_hip_jnt {}_knee_jnt {}_ankle_jnt {}_ball_jnt
        | {}_clav_jnt {}_shoulder_jnt {}_elbow_jnt {}_wrist_jnt""",
}


def body(spelling=None, *, flip=1.0):
    """A skeleton with its joints spelled so, and the roles it should be given; else the joints are called by role."""
    spelled, extra = spell(spelling) if spelling else ({role: role for role in ROLES}, {})
    rows, ends, moved = [], [], {}
    for role, parent, offset in mirrored(BODY):
        name = spelled.get(role)
        at, base = moved.get(parent, ("", np.zeros(3)))
        place = base + np.array(offset, dtype=float)
        if name is None:  # what hangs on a joint that is not there hangs on its parent
            moved[role] = (at, place)
            continue
        above, below = extra.get(role, ([], []))
        for helper in above:
            rows.append((helper, at, place if not at else np.zeros(3)))
            at, place = helper, place if at else np.zeros(3)
        rows.append((name, at, place))
        moved[role] = (name, np.zeros(3))
        rows += [(helper, name, np.array([0.0, 0.0, 0.02])) for helper in below]
        if role in ENDS or role.replace("right_", "left_") in ENDS:
            end = np.array(ENDS[role.replace("right_", "left_")], dtype=float)
            ends.append((name, end * ((-1, 1, 1) if role.startswith("right_") else (1, 1, 1))))
    names = [name for name, _, _ in rows]
    parents = [names.index(at) if at else -1 for _, at, _ in rows]
    turn = np.array([flip, 1, 1])
    skeleton = Skeleton.of(names, parents, [o * turn for *_, o in rows], ends=[(n, o * turn) for n, o in ends])
    return skeleton, {role: name for role, name in spelled.items() if name is not None}


def mirrored(rows):
    right = [
        (role.replace("left_", "right_"), parent.replace("left_", "right_"), (-x, y, z))
        for role, parent, (x, y, z) in rows
        if role.startswith("left_")
    ]
    return rows + right


def spell(spelling):
    sides, _, parts = spelling.partition(" / ")
    middle, leg, arm = (text.split() for text in parts.split("|"))
    spelled, extra = {}, {}
    rows = [(role, word, "") for role, word in zip(ROLES[:5], middle, strict=True)]
    for side, mark in zip(("left_", "right_"), sides.split(), strict=True):
        rows += [(side + part, word, mark) for part, word in zip(LEG + ARM, leg + arm, strict=True)]
    for role, word, mark in rows:
        if word == "-":
            continue
        text = word.replace("{}", mark).replace("~", " ")
        if role.startswith("right_"):
            text = text.replace("LHipJoint", "RHipJoint")
        *above, text = text.split(">")
        text, *below = text.split("<")
        spelled[role], extra[role] = text, (above, below)
    return spelled, extra


def named(skeleton):
    return {role: skeleton.names[joint] for role, joint in find_roles(skeleton).items()}


def renamed(skeleton, rename):
    return replace(skeleton, names=tuple(rename(i, name) for i, name in enumerate(skeleton.names)))


def nonsense(skeleton):
    return renamed(skeleton, lambda i, _: f"q{i}x")


def turned(skeleton, yaw):
    spin = np.array([[np.cos(yaw), 0, np.sin(yaw)], [0, 1, 0], [-np.sin(yaw), 0, np.cos(yaw)]])
    return replace(skeleton, offsets=skeleton.offsets @ spin.T, end_offsets=skeleton.end_offsets @ spin.T)


def reordered(skeleton, keys):
    """The same tree with its joints in another order; parents still come before their children."""
    rank: dict[int, tuple[float, ...]] = {}
    for joint, parent in enumerate(skeleton.parents.tolist()):
        rank[joint] = (*rank.get(parent, ()), keys[joint])
    order = sorted(rank, key=lambda joint: (rank[joint], joint))
    place = {joint: i for i, joint in enumerate(order)}
    parents = [place.get(int(skeleton.parents[joint]), -1) for joint in order]
    ends = [(skeleton.names[j], o) for j, o in zip(skeleton.end_joints, skeleton.end_offsets, strict=True)]
    return Skeleton.of([skeleton.names[j] for j in order], parents, skeleton.offsets[order], ends=ends)


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


@given(yaw=st.floats(-4, 4), size=st.sampled_from([0.01, 1.0, 39.37]))
@settings(max_examples=15, deadline=None)
def test_the_shape_alone_tells_the_roles_wherever_it_looks(yaw, size):
    skeleton, expected = body()
    found = find_roles(nonsense(turned(skeleton, yaw).scaled(size)))
    assert {role: skeleton.names[joint] for role, joint in found.items()} == expected


def test_mirroring_a_nameless_body_swaps_left_and_right():
    skeleton, _ = body()
    flipped, _ = body(flip=-1.0)
    swapped = {"left": "right_", "right": "left_"}
    expected = {
        swapped[role.split("_")[0]] + role.split("_")[1] if "_" in role else role: joint
        for role, joint in find_roles(nonsense(skeleton)).items()
    }
    assert find_roles(nonsense(flipped)) == expected


def test_names_on_the_wrong_sides_of_a_standing_body_are_not_believed():
    flipped, _ = body(FAMILIES["lafan"], flip=-1.0)
    assert set(find_roles(flipped)) == {"hips", "spine", "chest", "neck", "head"}
    assert "wrong sides" in explain_roles(flipped)[0]


@pytest.mark.parametrize("angle", [0, 30, 60, 80])
def test_the_shape_is_told_with_arms_out_or_down(angle):
    skeleton, expected = body()
    offsets = np.array(skeleton.offsets)
    for side, sign in (("left_", 1), ("right_", -1)):
        for part in ("elbow", "wrist"):
            joint, length = skeleton.index(side + part), np.linalg.norm(skeleton.offsets[skeleton.index(side + part)])
            offsets[joint] = length * np.array([sign * np.cos(np.radians(angle)), -np.sin(np.radians(angle)), 0])
    found = find_roles(nonsense(replace(skeleton, offsets=offsets)))
    assert {role: skeleton.names[joint] for role, joint in found.items()} == expected


@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_a_nameless_body_out_of_shape_never_gets_a_wrong_side(data):
    skeleton, _ = body()
    noise = data.draw(st.lists(st.floats(-0.12, 0.12), min_size=63, max_size=63))
    offsets = skeleton.offsets + np.reshape(noise, (21, 3))
    for role, joint in find_roles(nonsense(replace(skeleton, offsets=offsets))).items():
        if "_" in role:
            assert skeleton.names[joint].split("_")[0] == role.split("_")[0]


def test_a_nameless_body_without_feet_gets_no_roles():
    skeleton, _ = body()
    keep = [name for name in skeleton.names if "toe" not in name]
    old = [skeleton.index(name) for name in keep]
    parents = [old.index(int(skeleton.parents[j])) if j else -1 for j in old]
    blunt = Skeleton.of(keep, parents, skeleton.offsets[old])
    assert find_roles(nonsense(blunt)) == {}
    assert "not which is the left" in explain_roles(nonsense(blunt))[0]


def test_a_nameless_arm_in_three_like_parts_gets_no_roles():
    skeleton, _ = body()
    offsets, end_offsets = np.array(skeleton.offsets), np.array(skeleton.end_offsets)
    for part, length in (("shoulder", 0.28), ("elbow", 0.28), ("wrist", 0.2)):
        for side, sign in (("left_", 1), ("right_", -1)):
            offsets[skeleton.index(side + part)] = [sign * length, 0, 0]
    end_offsets[np.abs(end_offsets[:, 0]) > 0] *= 0.3
    found = find_roles(nonsense(replace(skeleton, offsets=offsets, end_offsets=end_offsets)))
    assert {role for role in found if "_" in role} == {f"{side}_{part}" for side in ("left", "right") for part in LEG}


def test_shape_and_side_marks_in_the_names_must_agree():
    skeleton, _ = body()
    marks = {"left": "Os.L.", "right": "Os.R."}
    marked = renamed(skeleton, lambda i, name: marks.get(name.split("_")[0], "Os.") + f"q{i}")
    assert len(find_roles(marked)) == len(ROLES)
    marks = {"left": "Os.R.", "right": "Os.L."}
    assert find_roles(renamed(skeleton, lambda i, name: marks.get(name.split("_")[0], "Os.") + f"q{i}")) == {}


def test_a_horse_gets_no_roles_by_its_shape():
    rows = [("a", -1, (0, 1.2, 0)), ("b", 0, (0, 0, 0.7)), ("c", 1, (0, 0.3, 0.3)), ("d", 2, (0, 0.2, 0.1))]
    for top in (0, 1):
        for sign in (-1, 1):
            at = len(rows)
            rows += [(f"l{at}", top, (sign * 0.2, -0.1, 0)), (f"m{at}", at, (0, -0.5, 0))]
            rows += [(f"n{at}", at + 1, (0, -0.5, 0)), (f"o{at}", at + 2, (0, -0.1, 0.1))]
    names, parents, offsets = zip(*rows, strict=True)
    assert find_roles(nonsense(Skeleton.of(names, list(parents), np.array(offsets)))) == {}


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
    頭 左足
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


def test_the_user_overrules_names_and_shape():
    skeleton, expected = body(FAMILIES["cmu bvh"])
    given_roles = {"left_hip": "LHipJoint", "left_toe": "", "spine": "Spine"}
    found = named(replace(skeleton, role_names=given_roles))
    assert found == {role: name for role, name in (expected | given_roles).items() if name}


def test_a_guess_that_contradicts_the_user_is_taken_back():
    skeleton, _ = body(FAMILIES["lafan"])
    overruled = replace(skeleton, role_names={"left_knee": "RightLeg"})
    found = named(overruled)
    assert found["left_knee"] == "RightLeg"
    assert not {"right_knee", "left_hip", "left_ankle", "left_toe"} & set(found)
    assert len(explain_roles(overruled)) == 4


def test_roles_given_for_unknown_joints_or_unknown_roles_are_refused():
    skeleton, _ = body(FAMILIES["lafan"])
    with pytest.raises(SkeletonError, match="no joint 'Knee'"):
        find_roles(replace(skeleton, role_names={"left_knee": "Knee"}))
    with pytest.raises(SkeletonError, match="did you mean left_knee"):
        find_roles(replace(skeleton, role_names={"leftknee": "LeftLeg"}))


def test_roles_are_read_from_a_table(tmp_path):
    path = tmp_path / "roles.toml"
    path.write_text('[roles]\nleft_knee = "Bone.004"  # ours\nleft_toe = ""\n', encoding="utf-8-sig")
    assert read_roles(path) == {"left_knee": "Bone.004", "left_toe": ""}


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        (b'[roles]\n\nleft_kne = "a"\n', 3, "no role 'left_kne'; did you mean left_knee[?] roles are hips, spine"),
        (b"[roles]\nhead = 3\n", 2, "expected a joint name in quotes for head, found 3"),
        (b"[roles]\nhead = \n", 2, "is no TOML"),
        (b"[role]\n", 0, r"expected a table \[roles\], found role"),
        (b"", 0, r"expected a table \[roles\], found nothing"),
        (b"roles = 1\n", 0, r"expected a table \[roles\]"),
        (b'[roles]\nhead = "\xff"\n', 2, "is no UTF-8"),
        (b"[roles]\n" + b"#" * 2**20, 0, "more than 1 MiB"),
    ],
)
def test_a_bad_table_is_refused_with_its_place(tmp_path, content, line, reason):
    path = tmp_path / "roles.toml"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=reason) as caught:
        read_roles(path)
    assert caught.value.line == line


def test_a_missing_table_file_is_refused(tmp_path):
    with pytest.raises(FormatError, match="cannot be read"):
        read_roles(tmp_path / "none.toml")


@pytest.mark.parametrize("shape", ["chain", "caterpillar", "same names"])
def test_eight_times_the_joints_take_about_eight_times_as_long(shape):
    def seconds(n: int) -> float:
        parents = {
            "chain": range(-1, n - 1),
            "caterpillar": [-1, *((i - 1) // 2 * 2 for i in range(1, n))],
            "same names": [-1] + [i // 3 for i in range(1, n)],
        }[shape]
        parts = ["LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToe", "Head", "Spine", "LeftArm", "Hips"]
        names = [f"{parts[i % 8]}{i}" if shape == "same names" else f"q{i}" for i in range(n)]
        skeleton = Skeleton.of(names, parents, np.random.default_rng(1).normal(size=(n, 3)))
        _ = skeleton.rest_positions
        start = time.process_time()
        find_roles(skeleton)
        return time.process_time() - start

    few, many = (min(seconds(n) for _ in range(3)) for n in (1_000, 8_000))
    assert many < 50 * max(few, 1e-3)  # in step with the joints, not with their square


FULL = set(ROLES)
TOELESS = FULL - {"left_toe", "right_toe"}
FILES = {
    "cmu-bvh/07/07_01.bvh": FULL,
    "cmu-asfamc/07/07.asf": FULL,
    "makehuman/tpose.bvh": FULL,
    "makehuman/walk1.bvh": FULL,
    "three-js/pirouette.bvh": TOELESS,
    "odd-asfamc/endorphin-skeleton.asf": FULL - {"head"},
    "odd-bvh/100style-retarget-Geno_bind.bvh": FULL,
    "odd-bvh/AnimatedDrawings-zombie.bvh": FULL,
    "odd-bvh/BVH.jl-DAZ3D.bvh": FULL,
    "odd-bvh/BVH.jl-Example.bvh": FULL - {"head"},
    "odd-bvh/GPmat-Swagger.bvh": FULL,
    "odd-bvh/bvh-python-test_mocapbank.bvh": TOELESS,
    "odd-bvh/bvh-toolbox-walk01.bvh": TOELESS,
    "odd-bvh/bvh11-131_01-3dsmax.bvh": FULL,
    "odd-bvh/bvhio-example.bvh": TOELESS - {"spine"},
    "odd-bvh/pybvh-bvh_test1.bvh": FULL,
    "odd-bvh/pybvh-bvh_test2.bvh": FULL,
    "odd-bvh/pybvh-bvh_test3.bvh": FULL,
    "odd-bvh/pybvh-rotation_first_root.bvh": {"hips", "spine", "head"},
    "odd-bvh/bvh_anim-test_simple.bvh": set(),
    "odd-bvh/fairmotion-sinusoidal.bvh": set(),
}


def real(path):
    return read_asf(path).skeleton if path.suffix == ".asf" else read_bvh(path).skeleton


@pytest.mark.data
@pytest.mark.parametrize("file", FILES)
def test_real_files_get_the_roles_they_have(file, data_folder):
    assert set(find_roles(real(data_folder / file))) == FILES[file]


@pytest.mark.data
@pytest.mark.parametrize("file", [file for file in FILES if len(FILES[file]) > 15])
def test_real_bodies_without_names_get_the_same_roles_or_none(file, data_folder):
    skeleton = real(data_folder / file)
    by_name = find_roles(skeleton)
    by_shape = find_roles(nonsense(skeleton))
    assert {role: joint for role, joint in by_shape.items() if by_name.get(role) != joint} == {}


@pytest.mark.data
def test_conversions_of_one_capture_agree(data_folder):
    bvh, asf = real(data_folder / "cmu-bvh/07/07_01.bvh"), real(data_folder / "cmu-asfamc/07/07.asf")
    assert find_roles(bvh) == find_roles(asf)
