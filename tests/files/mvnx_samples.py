"""A writer of MVNX files for tests, as MVN Studio lays them out, and a motion of the actor on its 23 segments."""

from __future__ import annotations

import numpy as np

import mocapella as mo
from mocapella.geometry import quaternions
from mocapella.motion import kinematics
from mocapella.motion.skeleton import Skeleton
from mocapella.rig.names import Roles

# Segment, the one above, the joint between them, and the role of the actor's joint that moves it.
BACK = [
    ("Pelvis", "", "", "hips"),
    ("L5", "Pelvis", "jL5S1", ""),
    ("L3", "L5", "jL4L3", "spine"),
    ("T12", "L3", "jL1T12", ""),
    ("T8", "T12", "jT9T8", "chest"),
    ("Neck", "T8", "jT1C7", "neck"),
    ("Head", "Neck", "jC1Head", "head"),
]
ARM = [("Shoulder", "T8", "jT4Shoulder", "clavicle"), ("UpperArm", "Shoulder", "jShoulder", "shoulder"),
       ("ForeArm", "UpperArm", "jElbow", "elbow"), ("Hand", "ForeArm", "jWrist", "wrist")]  # fmt: skip
LEG = [("UpperLeg", "Pelvis", "jHip", "hip"), ("LowerLeg", "UpperLeg", "jKnee", "knee"),
       ("Foot", "LowerLeg", "jAnkle", "ankle"), ("Toe", "Foot", "jBallFoot", "toe")]  # fmt: skip
TO_MVN = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # x ahead, y to the left, z up
ENDS = {"Head": (0.0, 0.17, 0.0), "RightHand": (-0.18, 0.0, 0.0), "LeftHand": (0.18, 0.0, 0.0),
        "RightToe": (0.0, 0.0, 0.06), "LeftToe": (0.0, 0.0, 0.06)}  # fmt: skip


def rows() -> list[tuple[str, str, str, str]]:
    """All segments in MVN's order: the back, right arm, left arm, right leg, left leg."""
    out = [*BACK]
    for limb in (ARM, LEG):
        for side in ("Right", "Left"):
            for name, above, joint, role in limb:
                parent = above if above in ("T8", "Pelvis") else side + above
                out.append((side + name, parent, f"j{side}{joint[1:]}", f"{side.lower()}_{role}"))
    return out


def performed(clip: mo.Clip) -> mo.Clip:
    """A motion on MVN's segments: bones and rotations of joints by role, extra joints of the back in between."""
    own: Roles = mo.find_roles(clip.skeleton)
    names, parents = [row[0] for row in rows()], [-1]
    parents += [names.index(row[1]) for row in rows()[1:]]
    rest, places, local = clip.skeleton.rest_positions, {}, []
    for name, above, _, role in rows():
        if role:
            places[name] = rest[own[role]]
            local.append(clip.rotations_wxyz[:, own[role]])
        else:
            places[name] = places[above] + [0.0, 0.03, 0.0]
            local.append(np.tile(quaternions.IDENTITY, (clip.n_frames, 1)))
    offsets = [places[row[0]] - (places[row[1]] if row[1] else 0.0) for row in rows()]
    return mo.Clip(Skeleton.of(names, parents, offsets), clip.root_positions, np.stack(local, axis=1), clip.frame_rate)


def written(clip: mo.Clip, *, decimals: int = 6, subjects: int = 1, prolog: str = "", more: str = "") -> bytes:
    """A file of a motion on MVN's segments, with the three poses of calibration that come first."""
    turn = quaternions.from_matrix(TO_MVN)
    places, world = kinematics.forward(clip.skeleton, clip.root_positions, clip.rotations_wxyz)
    places = places @ TO_MVN.T
    world = quaternions.multiply(quaternions.multiply(turn, world), quaternions.conjugate(turn))
    offsets = clip.skeleton.offsets @ TO_MVN.T

    def numbers(values: np.ndarray) -> str:
        return " ".join(f"{value:.{decimals}f}" for value in np.ravel(values))

    segments, joints = [], []
    for i, (name, above, joint, _) in enumerate(rows()):
        points = [] if not above else [(joint, np.zeros(3))]
        points += [(row[2], offsets[j]) for j, row in enumerate(rows()) if row[1] == name]
        points += [("pEnd", np.array(ENDS[name]) @ TO_MVN.T)] if name in ENDS else []
        inside = "".join(f'<point label="{label}"><pos_b>{numbers(at)}</pos_b></point>' for label, at in points)
        segments.append(f'<segment id="{i + 1}" label="{name}"><points>{inside}</points></segment>')
        if above:
            ends = f"<connector1>{above}/{joint}</connector1><connector2>{name}/{joint}</connector2>"
            joints.append(f'<joint label="{joint}">{ends}</joint>')
    still = np.tile(quaternions.IDENTITY, (len(rows()), 1))
    stands = clip.skeleton.rest_positions @ TO_MVN.T
    frames = [
        f'<frame time="0" index="" tc="" ms="0" type="{kind}">\n<orientation>{numbers(still)}</orientation>\n'
        f"<position>{numbers(stands)}</position>\n</frame>"
        for kind in ("identity", "tpose", "tpose-isb")
    ] + [
        f'<frame time="{round(1000 * i / clip.frame_rate)}" index="{i}" tc="" ms="0" type="normal">\n'
        f"<orientation>{numbers(world[i])}</orientation>\n<position>{numbers(places[i])}</position>\n"
        f"<velocity>{numbers(0.0 * places[i])}</velocity>\n</frame>"
        for i in range(clip.n_frames)
    ]
    subject = (
        f'label="Sample" torsoColor="" frameRate="{clip.frame_rate:g}" segmentCount="{len(rows())}" recDate="" '
        'configuration="FullBody" userScenario=""'
    )
    body = (
        f"<subject {subject}>\n<comment></comment>\n<segments>\n" + "\n".join(segments) + "\n</segments>\n<sensors>"
        '<sensor label="Pelvis"/></sensors>\n<joints>\n' + "\n".join(joints) + "\n</joints>\n<jointAngleErgo/>"
        f'<footContactDefinition/>\n<frames segmentCount="{len(rows())}" sensorCount="1" jointCount="{len(joints)}">\n'
        + "\n".join(frames)
        + "\n</frames>\n</subject>\n"
    )
    head = '<?xml version="1.0" encoding="UTF-8"?>\n' + prolog
    open_tag = (
        '<mvnx xmlns="http://www.xsens.com/mvn/mvnx" version="4">\n<mvn version="2019.0" build=""/>\n<comment/>\n'
    )
    return (head + open_tag + body * subjects + f'<securityCode code=""/>{more}\n</mvnx>\n').encode()
