"""Trunk, limbs, hands and feet of a body, and their proportions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from mocapella.body.tubes import Figure, Part, beyond, circle, length_of, rounded_off, square_to, tube
from mocapella.rig.names import SIDES

# How wide and deep the parts of a plain body are, ring by ring, in parts of a person's height.

# The shape of a part, one row per ring: how far along it lies (0 at the first joint, 1 at the next, …), half its width,
# half its depth, both in parts of a person's height.
Rows = Sequence[tuple[float, float, float]]
LEG: Rows = [
    (0.00, 0.048, 0.050),
    (0.12, 0.049, 0.052),
    (0.32, 0.047, 0.051),
    (0.70, 0.038, 0.041),
    (0.92, 0.032, 0.035),
    (1.00, 0.031, 0.034),
    (1.08, 0.030, 0.033),
    (1.30, 0.033, 0.036),
    (1.62, 0.026, 0.028),
    (1.90, 0.020, 0.023),
    (2.00, 0.019, 0.021),
]
ARM: Rows = [
    (0.00, 0.031, 0.031),
    (0.14, 0.031, 0.032),
    (0.34, 0.029, 0.031),
    (0.70, 0.024, 0.025),
    (0.92, 0.022, 0.023),
    (1.00, 0.021, 0.022),
    (1.08, 0.021, 0.023),
    (1.28, 0.023, 0.025),
    (1.62, 0.019, 0.020),
    (1.96, 0.014, 0.016),
]
COLLAR: Rows = [(0.15, 0.026, 0.028), (0.60, 0.031, 0.032), (0.95, 0.031, 0.031)]
NECK: Rows = [(-0.20, 0.036, 0.034), (0.20, 0.032, 0.033), (0.90, 0.030, 0.032)]
HAND: Rows = [
    (-0.02, 0.013, 0.016),
    (0.22, 0.014, 0.022),
    (0.50, 0.013, 0.024),
    (0.80, 0.010, 0.020),
    (0.94, 0.007, 0.014),
]
# These two say where their tips lie, in a first and a last row of no width; the others are rounded off.
HEAD: Rows = [
    (0.00, 0.000, 0.000),
    (0.03, 0.018, 0.026),
    (0.14, 0.031, 0.041),
    (0.36, 0.040, 0.050),
    (0.60, 0.044, 0.055),
    (0.80, 0.039, 0.049),
    (0.94, 0.022, 0.029),
    (1.00, 0.000, 0.000),
]
PLAIN: Rows = [(0.0, 0.0, 0.0), (0.04, 0.6, 0.6), (0.18, 1.0, 1.0), (0.80, 0.7, 0.7), (0.96, 0.4, 0.4), (1.0, 0.0, 0.0)]
# A foot's section, across and up: flat below, round above.
SOLE = np.array([(1, 0), (1, 0.35), (0.75, 0.8), (0.3, 1), (-0.3, 1), (-0.75, 0.8), (-1, 0.35), (-1, 0)], dtype=float)


# The parts a plain body is put together from: trunk, head, limbs, hands and feet, each a tube along some joints.

TINY = 1e-6  # metres; a skeleton no larger is a point


def parts_of(figure: Figure) -> list[Part]:
    """All parts of a body; at least one."""
    if figure.height < TINY:
        return [ball(figure)]
    parts = [*torso(figure), *neck(figure), *head(figure)]
    for side in SIDES:
        parts += [*limb(figure, (f"{side}hip", f"{side}knee", f"{side}ankle"), LEG), *foot(figure, side)]
        parts += limb(figure, (f"{side}clavicle", f"{side}shoulder"), COLLAR)
        parts += [*limb(figure, (f"{side}shoulder", f"{side}elbow", f"{side}wrist"), ARM), *hand(figure, side)]
    parts += plain_limbs(figure, parts)
    return parts or [ball(figure)]  # a stand and nothing on it


def torso(figure: Figure) -> list[Part]:
    """From between the legs to the collar, wider than deep, bending softly with the spine."""
    corners = ("left_hip", "right_hip", "left_shoulder", "right_shoulder")
    spine = figure.chain("hips", "chest") or figure.chain("hips", "spine")
    if not spine or not all(corner in figure.roles for corner in corners):
        return []
    hips, shoulders = np.array([figure.at(figure.roles[corner]) for corner in corners]).reshape(2, 2, 3)
    line = np.array([hips.mean(axis=0), shoulders.mean(axis=0)])
    length, h = length_of(line[1] - line[0]), figure.height
    if length < 0.1 * h:
        return []  # the shoulders sit on the hips: no room for a trunk
    hip = float(np.clip(0.5 * length_of(hips[0] - hips[1]) + 0.032 * h, 0.080 * h, 0.105 * h))
    shoulder = float(np.clip(0.5 * length_of(shoulders[0] - shoulders[1]), 0.090 * h, 0.125 * h))
    waist = 0.40 * hip + 0.34 * shoulder
    rows = np.array(
        [
            (-0.17, 0.0, 0.0),
            (-0.13, 0.22 * hip, 0.036 * h),
            (-0.04, 0.62 * hip, 0.056 * h),
            (0.07, 0.94 * hip, 0.064 * h),
            (0.18, 1.00 * hip, 0.065 * h),
            (0.32, 0.5 * (hip + waist), 0.060 * h),
            (0.47, waist, 0.056 * h),
            (0.64, 0.5 * waist + 0.45 * shoulder, 0.063 * h),
            (0.82, 0.90 * shoulder, 0.067 * h),
            (0.95, 0.86 * shoulder, 0.058 * h),
            (1.05, 0.62 * shoulder, 0.045 * h),
            (1.13, 0.30 * shoulder, 0.032 * h),
            (1.15, 0.0, 0.0),
        ]
    )
    rows[:, 0] *= length
    heights = [float((figure.at(joint) - line[0]) @ (line[1] - line[0])) / length for joint in spine]
    inside = {joint for corner in corners for joint in figure.chain("hips", corner)}
    return [
        tube(
            line,
            rows,
            spine,
            np.maximum.accumulate(heights),
            softness=0.035 * h,
            looks=(figure.forward, figure.up),
            profile=circle(14),
            covers=inside | set(spine),
        )
    ]


def neck(figure: Figure) -> list[Part]:
    """From the collar into the head."""
    return limb(figure, ("neck", "head"), NECK)


def head(figure: Figure) -> list[Part]:
    """An egg, narrow at the chin, whose crown is the head's end site where it has one."""
    if "head" not in figure.roles:
        return []
    joint, h = figure.roles["head"], figure.height
    base, crown = figure.at(joint), figure.tip(joint)
    if crown is None or length_of(crown - base) < 0.03 * h:
        crown = base + 0.12 * h * figure.up
    axis = square_to(np.zeros(3), crown - base, figure.up)
    above_neck = length_of(crown - figure.at(figure.roles.get("neck", joint)))
    tall = float(np.clip(0.75 * above_neck, 0.115 * h, 0.135 * h))
    return [
        tube(
            np.array([crown - tall * axis, crown]) + 0.010 * h * figure.forward,
            np.array(HEAD) * [tall, h, h],
            [joint],
            [0.0],
            softness=0.01 * h,
            looks=(figure.forward, figure.up),
            profile=circle(12),
            covers=[*figure.chain("hips", "head"), *figure.below(joint)],  # a face of needles is no face
            covers_ends_of=[joint, *figure.below(joint)],
        )
    ]


def limb(figure: Figure, roles: Sequence[str], shape: Rows) -> list[Part]:
    """A tube from role to role, through whatever joints lie between; nothing where two of them fall together."""
    chain = figure.chain(*roles)
    line = np.array([figure.at(joint) for joint in chain]).reshape(-1, 3)
    arcs = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=-1))])
    knots = np.array([arcs[chain.index(figure.roles[role])] for role in roles]) if chain else np.zeros(2)
    if np.diff(knots).min() < 0.01 * figure.height:
        return []
    rows = np.array(shape) * [1.0, figure.height, figure.height]
    rows[:, 0] = beyond(rows[:, 0], np.arange(len(knots), dtype=float), knots)
    return [
        tube(
            line,
            rounded_off(rows),
            chain[:-1],
            arcs[:-1],
            softness=0.015 * figure.height,
            looks=(figure.forward, figure.up),
            profile=circle(10),
            covers=chain[1:],
        )
    ]


def hand(figure: Figure, side: str) -> list[Part]:
    """A mitten over the longest finger, or a palm where there are several; flat square to the way the body looks."""
    if f"{side}wrist" not in figure.roles:
        return []
    wrist, h, skeleton = figure.roles[f"{side}wrist"], figure.height, figure.skeleton
    below = figure.below(wrist)
    ends = {joint: tip for joint in [wrist, *below] if (tip := figure.tip(joint)) is not None}
    reach = {joint: length_of(ends.get(joint, figure.at(joint)) - figure.at(wrist)) for joint in [wrist, *below]}
    longest = max(reach, key=lambda joint: reach[joint])
    path = skeleton.path(longest)
    chain = path[path.index(wrist) :: -1]
    knuckles = [j for j in below if reach[j] > 0.0 and length_of(figure.at(j) - figure.at(wrist)) > 0.03 * h]
    fingers = {skeleton.path(joint)[skeleton.path(joint).index(wrist) - 1] for joint in knuckles}
    if len(fingers) >= 3:  # real fingers, drawn one by one beyond the palm
        roots = [min((j for j in knuckles if first in skeleton.path(j)), key=lambda j: reach[j]) for first in fingers]
        goal, chain, ended = np.mean([figure.at(j) for j in sorted(roots)], axis=0), [wrist], []
    else:
        goal, ended = ends.get(longest, figure.at(longest)), [longest]
    forearm = figure.at(wrist) - figure.at(figure.roles.get(f"{side}elbow", wrist))
    way = goal - figure.at(wrist)
    if length_of(way) < 0.04 * h:
        way, chain = 0.105 * h * square_to(np.zeros(3), forearm, figure.up), [wrist]
    line = np.array([figure.at(wrist), figure.at(wrist) + way])
    stops = [length_of(figure.at(joint) - figure.at(wrist)) for joint in chain]
    return [
        tube(
            line,
            rounded_off(np.array(HAND) * [length_of(way), h, h]),
            chain,
            np.maximum.accumulate(stops),
            softness=0.008 * h,
            looks=(figure.forward, figure.left),
            profile=circle(8),
            covers=chain[1:],
            covers_ends_of=ended,
        )
    ]


def foot(figure: Figure, side: str) -> list[Part]:
    """A wedge from behind the heel to the tip of the toes, flat below."""
    chain = figure.chain(f"{side}ankle", f"{side}toe") or figure.chain(f"{side}ankle")
    if not chain:
        return []
    h, ankle, up = figure.height, figure.at(chain[0]), figure.up
    tip = figure.tip(chain[-1])
    points = [figure.at(joint) for joint in chain] + ([] if tip is None else [tip])
    way = points[-1] - ankle
    ahead = square_to(up, way, figure.forward) if length_of(way) > 0.02 * h else figure.forward
    sole = min(float((point - ankle) @ up) for point in points) - 0.014 * h
    instep = min(-sole, 0.06 * h) + 0.008 * h
    ball_at = float((figure.at(chain[-1]) - ankle) @ ahead) if len(chain) > 1 else 0.09 * h
    ball_at = max(ball_at, 0.04 * h)
    tip_at = max(float((points[-1] - ankle) @ ahead), ball_at + 0.035 * h)
    rows = np.array(
        [
            (-0.040 * h, 0.0, 0.0),
            (-0.036 * h, 0.017 * h, 0.7 * instep),
            (-0.015 * h, 0.021 * h, instep),
            (0.3 * ball_at, 0.023 * h, 0.9 * instep),
            (ball_at, 0.028 * h, 0.5 * instep),
            (0.3 * ball_at + 0.7 * tip_at, 0.024 * h, 0.35 * instep),
            (tip_at - 0.003 * h, 0.014 * h, 0.25 * instep),
            (tip_at, 0.0, 0.0),
        ]
    )
    floor = ankle + sole * up
    return [
        tube(
            np.array([floor, floor + ahead]),
            rows,
            chain,
            np.maximum.accumulate([float((figure.at(joint) - ankle) @ ahead) for joint in chain]),
            softness=0.01 * h,
            looks=(up, figure.left),
            profile=SOLE,
            covers=figure.below(chain[0]),
            covers_ends_of=[chain[0], *figure.below(chain[0])],
        )
    ]


def plain_limbs(figure: Figure, parts: Sequence[Part]) -> list[Part]:
    """A slim spindle for every length between joints, or to an end site, that no part covers.

    What leads from the root to the hips is left out: it is a stand to hold the person, nothing of the body.
    """
    skeleton = figure.skeleton
    covered = {joint for part in parts for joint in part.covers}
    ended = {joint for part in parts for joint in part.covers_ends_of}
    if "hips" in figure.roles:
        covered |= set(skeleton.path(figure.roles["hips"]))
    lengths = [
        (int(skeleton.parents[joint]), figure.at(joint))
        for joint in range(1, skeleton.n_joints)
        if joint not in covered
    ]
    lengths += [
        (int(joint), tip)
        for joint, tip in zip(skeleton.end_joints, skeleton.rest_end_positions, strict=True)
        if joint not in ended
    ]
    return [
        spindle(figure, joint, figure.at(joint), goal)
        for joint, goal in lengths
        if length_of(goal - figure.at(joint)) > max(TINY, 1e-4 * figure.height)
    ]


def spindle(figure: Figure, joint: int, start: Float[np.ndarray, 3], goal: Float[np.ndarray, 3]) -> Part:
    """A length that one joint carries, thickest near its start."""
    length = length_of(goal - start)
    radius = float(np.clip(0.16 * length, 0.004 * figure.height, 0.04 * figure.height))
    return tube(
        np.array([start, goal]),
        np.array(PLAIN) * [length, radius, radius],
        [joint],
        [0.0],
        softness=0.1 * length,
        looks=(figure.forward, figure.up),
        profile=circle(6),
    )


def ball(figure: Figure) -> Part:
    """All there is to see of joints that lie in one point: 10 cm across."""
    centre = figure.at(0)
    return tube(
        np.array([centre, centre + figure.up]),
        rounded_off(np.array([(0.0, 0.05, 0.05)])),
        [0],
        [0.0],
        softness=0.01,
        looks=(figure.forward,),
        profile=circle(8),
    )
