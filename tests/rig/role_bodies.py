"""A body whose joints go by many families of names, or by none."""

from dataclasses import replace

import numpy as np

from mocapella.motion.skeleton import Skeleton
from mocapella.rig.names import ARM, LEG, ROLES
from mocapella.rig.roles import find_roles

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
    "rigify metarig": """L R / spine spine.001 spine.003 spine.004 spine.005>spine.006<face
        | thigh.{} shin.{} foot.{}<heel.02.{} toe.{} | shoulder.{} upper_arm.{} forearm.{} hand.{}<palm.01.{}""",
    "advanced skeleton": """L R / Root_M>Hip_M Spine1_M Chest_M Neck_M Head_M | Hip_{} Knee_{} Ankle_{} Toes_{}
        | Scapula_{} Shoulder_{} Elbow_{} Wrist_{}""",
    "mikumikudance": """左 右 / 全ての親>センター 上半身 上半身2 首 頭<両目 | {}足 {}ひざ {}足首 {}つま先
        | {}肩P>{}肩 {}肩C>{}腕<{}腕捩 {}ひじ<{}手捩 {}手首<{}親指０""",
    "mikumikudance in blender": """L R / センター 上半身 上半身2 首 頭 | 足.{} ひざ.{} 足首.{} つま先.{}
        | 肩.{} 腕.{} ひじ.{} 手首.{}<手首先.{}""",
    "japanese": "左 右 / 腰 背骨 胸 首 頭 | {}太もも {}すね {}足 {}つま先 | {}鎖骨 {}上腕 {}前腕 {}手",
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
