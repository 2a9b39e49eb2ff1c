"""The actor's body: a skeleton of 23 joints with human proportions, for any height.

At rest it stands in a T-pose on the ground, facing +z, legs straight down, arms out, palms down. Three points of a foot
meet the ground: the *heel*, an end site on the foot joint; the *ball*, which is the toe joint itself, 1.6 % of body
height above its sole; and the *tip*, the end site of the toe joint. Heel and tip lie on the ground at rest.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from jaxtyping import Float

from mocapella.errors import MotionError
from mocapella.motion.clip import Clip
from mocapella.motion.skeleton import Skeleton

SHORTEST, TALLEST = 1.2, 2.2  # metres
SIDES = ("left", "right")

# Joint, parent, offset from the parent in body heights. Segment lengths after Boulic and Thalmann and after Winter.
_TRUNK = [
    ("Hips", "", (0.0, 0.552, 0.0)),
    ("Spine", "Hips", (0.0, 0.028, -0.006)),
    ("Spine1", "Spine", (0.0, 0.060, 0.0)),
    ("Spine2", "Spine1", (0.0, 0.060, 0.0)),
    ("Chest", "Spine2", (0.0, 0.055, 0.0)),
    ("Neck", "Chest", (0.0, 0.082, -0.004)),
    ("Head", "Neck", (0.0, 0.048, 0.010)),
]
_ARM = [  # of the left side; the right one is its mirror image
    ("Shoulder", "Chest", (0.018, 0.062, 0.0)),
    ("Arm", "Shoulder", (0.092, 0.0, -0.006)),
    ("ForeArm", "Arm", (0.172, 0.0, 0.0)),
    ("Hand", "ForeArm", (0.150, 0.0, 0.0)),
]
_LEG = [
    ("UpLeg", "Hips", (0.052, -0.019, 0.0)),
    ("Leg", "UpLeg", (0.0, -0.245, 0.0)),
    ("Foot", "Leg", (0.0, -0.246, 0.0)),
    ("ToeBase", "Foot", (0.0, -0.026, 0.080)),
]
_HEEL, _TIP = (0.0, -0.042, -0.036), (0.0, -0.016, 0.036)  # from ankle and ball, in body heights
_ENDS = [
    ("Head", (0.0, 0.115, 0.0)), ("LeftHand", (0.100, 0.0, 0.0)), ("RightHand", (-0.100, 0.0, 0.0)),
    ("LeftFoot", _HEEL), ("LeftToeBase", _TIP), ("RightFoot", _HEEL), ("RightToeBase", _TIP),
]  # fmt: skip
# Degrees about x, y, z of the ZXY angles, left side; the right side has y and z mirrored. Hips and knees are positive
# where the leg goes back, the arms' z is negative where they hang down, the elbow's y negative where it folds.
_LIMITS = {
    **dict.fromkeys(("Spine", "Spine1", "Spine2", "Chest"), ((-20, 30), (-20, 20), (-20, 20))),
    "Neck": ((-45, 45), (-45, 45), (-35, 35)),
    "Head": ((-45, 45), (-55, 55), (-35, 35)),
    "Shoulder": ((-20, 20), (-30, 30), (-20, 40)),
    "Arm": ((-90, 90), (-140, 90), (-100, 120)),
    "ForeArm": ((-10, 10), (-155, 0), (-10, 10)),
    "Hand": ((-90, 90), (-40, 40), (-80, 80)),
    "UpLeg": ((-125, 45), (-55, 65), (-35, 60)),
    "Leg": ((0, 160), (0, 0), (0, 0)),
    "Foot": ((-50, 65), (-40, 40), (-40, 40)),
    "ToeBase": ((-85, 50), (0, 0), (0, 0)),
}


@lru_cache(maxsize=32)
def skeleton_of(height: float = 1.75) -> Skeleton:
    """The actor's skeleton.

    Parameters
    ----------
    height
        From sole to crown, metres, 1.2 to 2.2.

    Returns
    -------
    Skeleton
        23 joints in a T-pose on the ground, facing +z.

    Examples
    --------
    >>> skeleton = skeleton_of(1.8)
    >>> skeleton.n_joints, round(float(skeleton.rest_end_positions[:, 1].max()), 6)
    (23, 1.8)
    """
    if not (SHORTEST <= height <= TALLEST):
        raise MotionError(f"an actor of {height:g} m was asked for; heights go from {SHORTEST} to {TALLEST} m")
    rows = [(name, parent, np.array(offset)) for name, parent, offset in _TRUNK]
    for limb in (_ARM, _LEG):  # each branch to its end before the next, as files list them
        for side, mirror in (("Left", 1.0), ("Right", -1.0)):
            for name, parent, offset in limb:
                above = parent if parent in ("Chest", "Hips") else side + parent
                rows.append((side + name, above, np.array(offset) * [mirror, 1.0, 1.0]))
    names = [name for name, _, _ in rows]
    return Skeleton.of(
        names,
        [names.index(parent) if parent else -1 for _, parent, _ in rows],
        [offset * height for _, _, offset in rows],
        ends=[(name, np.array(offset) * height) for name, offset in _ENDS],
        rotation_orders="ZXY",
        limits=[_limits(name) for name in names],
    )


def leg_length(skeleton: Skeleton) -> float:
    """Thigh and shank together, metres: the unit in which speeds and steps are compared between bodies."""
    return float(-skeleton.offsets[skeleton.index("LeftLeg"), 1] - skeleton.offsets[skeleton.index("LeftFoot"), 1])


def height_of(skeleton: Skeleton) -> float:
    """From sole to crown, metres."""
    return float(skeleton.rest_end_positions[:, 1].max())


def end_offset(skeleton: Skeleton, joint: str) -> Float[np.ndarray, 3]:
    """Where the end site of a joint is from it: the heel on a foot, the tip on toes."""
    return np.asarray(skeleton.end_offsets[_end(skeleton, joint)])


def ground_points(clip: Clip) -> dict[str, Float[np.ndarray, "frames 3"]]:
    """World positions of the actor's heels, balls of the feet and toe tips.

    Parameters
    ----------
    clip
        Of the actor's skeleton.

    Returns
    -------
    dict
        ``left_heel``, ``left_toe`` (the ball), ``left_tip`` and the same of the right foot: ``(frames, 3)``, metres.
    """
    ends = clip.end_positions
    points = {}
    for side in SIDES:
        toes = f"{side.title()}ToeBase"
        points[f"{side}_heel"] = ends[:, _end(clip.skeleton, f"{side.title()}Foot")]
        points[f"{side}_toe"] = clip.positions[:, clip.skeleton.index(toes)]
        points[f"{side}_tip"] = ends[:, _end(clip.skeleton, toes)]
    return points


def _end(skeleton: Skeleton, joint: str) -> int:
    return int(np.flatnonzero(skeleton.end_joints == skeleton.index(joint))[0])


def _limits(name: str) -> Float[np.ndarray, "3 2"]:
    right = name.startswith("Right")
    plain = name.removeprefix("Left").removeprefix("Right")
    if plain not in _LIMITS:
        return np.array([[-np.inf, np.inf]] * 3)
    x, y, z = np.radians(np.array(_LIMITS[plain], dtype=float))
    return np.array([x, -y[::-1], -z[::-1]]) if right else np.array([x, y, z])
