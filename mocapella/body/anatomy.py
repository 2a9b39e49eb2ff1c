"""Trunk, head, limbs, hands and feet of a body, each a tube along some joints, and their proportions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from mocapella.body.tubes import Figure, Part, circle, extrapolate, length_of, round_off, square_to, tube
from mocapella.rig.legs import HEEL_SHARE
from mocapella.rig.names import SIDES

# The shape of a part: how far along it each ring lies (0 at the first joint, 1 at the next, …), half its width and half
# its depth there, both in thousandths of a person's height.
_Shape = Float[np.ndarray, "rings 3"]


def _shape(along: Sequence[float], width: Sequence[int], depth: Sequence[int]) -> _Shape:
    return np.stack([np.array(along), np.array(width) / 1000, np.array(depth) / 1000], axis=1)


_LEG = _shape(
    along=(0.0, 0.12, 0.32, 0.70, 0.92, 1.0, 1.08, 1.30, 1.62, 1.90, 2.0),
    width=(48, 49, 47, 38, 32, 31, 30, 33, 26, 20, 19),
    depth=(50, 52, 51, 41, 35, 34, 33, 36, 28, 23, 21),
)
_ARM = _shape(
    along=(0.0, 0.14, 0.34, 0.70, 0.92, 1.0, 1.08, 1.28, 1.62, 1.96),
    width=(31, 31, 29, 24, 22, 21, 21, 23, 19, 14),
    depth=(31, 32, 31, 25, 23, 22, 23, 25, 20, 16),
)
_COLLAR = _shape(along=(0.15, 0.60, 0.95), width=(26, 31, 31), depth=(28, 32, 31))
_NECK = _shape(along=(-0.20, 0.20, 0.90), width=(36, 32, 30), depth=(34, 33, 32))
_HAND = _shape(along=(-0.02, 0.22, 0.50, 0.80, 0.94), width=(13, 14, 13, 10, 7), depth=(16, 22, 24, 20, 14))
# These two say where their tips lie, in a first and a last ring of no width; the others are rounded off.
_HEAD = _shape(
    along=(0.0, 0.03, 0.14, 0.36, 0.60, 0.80, 0.94, 1.0),
    width=(0, 18, 31, 40, 44, 39, 22, 0),
    depth=(0, 26, 41, 50, 55, 49, 29, 0),
)
_PLAIN = _shape(  # in thousandths of its own thickness
    along=(0.0, 0.04, 0.18, 0.80, 0.96, 1.0), width=(0, 600, 1000, 700, 400, 0), depth=(0, 600, 1000, 700, 400, 0)
)
# A foot's section, across and up: flat below, round above.
_SOLE = np.array([(1, 0), (1, 0.35), (0.75, 0.8), (0.3, 1), (-0.3, 1), (-0.75, 0.8), (-1, 0.35), (-1, 0)], dtype=float)
_THINNEST_FOOT = 0.014  # of the height, below the ankle, where the skeleton has no lower point
_TINY = 1e-6  # metres; a skeleton no larger is a point


def parts_of(figure: Figure) -> list[Part]:
    """All parts of a body; at least one."""
    if figure.height < _TINY:
        return [_ball(figure)]
    parts = [*_torso(figure), *_limb(figure, ("neck", "head"), _NECK), *_head(figure)]
    for side in SIDES:
        parts += [*_limb(figure, (f"{side}hip", f"{side}knee", f"{side}ankle"), _LEG), *_foot(figure, side)]
        parts += _limb(figure, (f"{side}clavicle", f"{side}shoulder"), _COLLAR)
        parts += [*_limb(figure, (f"{side}shoulder", f"{side}elbow", f"{side}wrist"), _ARM), *_hand(figure, side)]
    parts += _plain_limbs(figure, parts)
    return parts or [_ball(figure)]  # only joints above the hips


def _torso(figure: Figure) -> list[Part]:
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
    stops = {joint: float((figure.at(joint) - line[0]) @ (line[1] - line[0])) / length for joint in spine}
    inside = {joint for corner in corners for joint in figure.chain("hips", corner)}
    return [tube(figure, line, rows, stops, softness=0.035 * h, profile=circle(14), covers=inside | set(spine))]


def _head(figure: Figure) -> list[Part]:
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
    line, below = np.array([crown - tall * axis, crown]) + 0.010 * h * figure.forward, figure.below(joint)
    rows, inside = _HEAD * [tall, h, h], [*figure.chain("hips", "head"), *below]  # too thin for a face
    head = tube(figure, line, rows, {joint: 0.0}, softness=0.01 * h, profile=circle(12), covers=inside)
    return [replace(head, covers_ends_of=frozenset([joint, *below]))]


def _limb(figure: Figure, roles: Sequence[str], shape: _Shape) -> list[Part]:
    """A tube from role to role, through whatever joints lie between; nothing where two of them fall together."""
    chain = figure.chain(*roles)
    line = np.array([figure.at(joint) for joint in chain]).reshape(-1, 3)
    arcs = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=-1))])
    knots = np.array([arcs[chain.index(figure.roles[role])] for role in roles]) if chain else np.zeros(2)
    if np.diff(knots).min() < 0.01 * figure.height:
        return []
    rows = shape * [1.0, figure.height, figure.height]
    rows[:, 0] = extrapolate(rows[:, 0], np.arange(len(knots), dtype=float), knots)
    stops, softness = dict(zip(chain[:-1], arcs.tolist(), strict=False)), 0.015 * figure.height
    return [tube(figure, line, round_off(rows), stops, softness=softness, profile=circle(10), covers=chain[1:])]


def _hand(figure: Figure, side: str) -> list[Part]:
    """A mitten over the longest finger, or a palm where there are several; flat square to the way the body looks."""
    if f"{side}wrist" not in figure.roles:
        return []
    wrist, h = figure.roles[f"{side}wrist"], figure.height
    goal, chain, ended = _hand_goal(figure, wrist)
    forearm = figure.at(wrist) - figure.at(figure.roles.get(f"{side}elbow", wrist))
    way = goal - figure.at(wrist)
    if length_of(way) < 0.04 * h:
        way, chain = 0.105 * h * square_to(np.zeros(3), forearm, figure.up), [wrist]
    line = np.array([figure.at(wrist), figure.at(wrist) + way])
    stops = {joint: length_of(figure.at(joint) - figure.at(wrist)) for joint in chain}
    rows, looks = round_off(_HAND * [length_of(way), h, h]), (figure.forward, figure.left)
    hand = tube(figure, line, rows, stops, softness=0.008 * h, looks=looks, profile=circle(8), covers=chain[1:])
    return [replace(hand, covers_ends_of=frozenset(ended))]


def _hand_goal(figure: Figure, wrist: int) -> tuple[Float[np.ndarray, 3], list[int], list[int]]:
    """Where a hand ends, the joints that bend it, and those whose end sites it covers."""
    h, skeleton, below = figure.height, figure.skeleton, figure.below(wrist)
    ends = {joint: tip for joint in [wrist, *below] if (tip := figure.tip(joint)) is not None}
    reach = {joint: length_of(ends.get(joint, figure.at(joint)) - figure.at(wrist)) for joint in [wrist, *below]}
    knuckles = [j for j in below if reach[j] > 0.0 and length_of(figure.at(j) - figure.at(wrist)) > 0.03 * h]
    fingers = {skeleton.path(joint)[skeleton.path(joint).index(wrist) - 1] for joint in knuckles}
    if len(fingers) >= 3:  # real fingers, drawn one by one beyond the palm
        roots = [min((j for j in knuckles if first in skeleton.path(j)), key=lambda j: reach[j]) for first in fingers]
        return np.mean([figure.at(j) for j in sorted(roots)], axis=0), [wrist], []
    longest = max(reach, key=lambda joint: reach[joint])
    path = skeleton.path(longest)
    return ends.get(longest, figure.at(longest)), path[path.index(wrist) :: -1], [longest]


def _foot(figure: Figure, side: str) -> list[Part]:
    """A wedge from heel to tip of the toes, flat below.

    Its sole begins at the lowest point of the foot at rest, where players have the ground (``rig.legs.foot_points``).
    """
    chain = figure.chain(f"{side}ankle", f"{side}toe") or figure.chain(f"{side}ankle")
    if not chain:
        return []
    h, ankle = figure.height, figure.at(chain[0])
    leg = figure.at(figure.roles.get(f"{side}hip", chain[0])) - ankle
    up = square_to(figure.forward, leg, figure.up)  # where legs are spread at rest, feet are flat once legs hang
    below = figure.below(chain[0])
    on_foot = np.isin(figure.skeleton.end_joints, [chain[0], *below])
    members = np.concatenate([[figure.at(j) for j in (*chain, *below)], figure.skeleton.rest_end_positions[on_foot]])
    tip = figure.tip(chain[-1])
    points = [figure.at(joint) for joint in chain] + ([] if tip is None else [tip])
    way = points[-1] - ankle
    ahead = square_to(up, way, figure.forward) if length_of(way) > 0.02 * h else figure.forward
    sole = min(float(((members - ankle) @ up).min()) - figure.soles, -_THINNEST_FOOT * h)
    reach = (members - ankle) @ ahead
    heel_at = float(reach.min()) if reach.min() < -0.01 * h else -HEEL_SHARE * float(reach.max())
    heel_at = float(np.clip(heel_at, -0.045 * h, -0.02 * h))
    instep = min(-sole, 0.06 * h) + 0.008 * h
    ball_at = float((figure.at(chain[-1]) - ankle) @ ahead) if len(chain) > 1 else 0.09 * h
    ball_at = max(ball_at, 0.04 * h)
    tip_at = max(float((points[-1] - ankle) @ ahead), ball_at + 0.035 * h)
    rows = np.array(
        [
            (heel_at, 0.0, 0.0),
            (0.9 * heel_at, 0.017 * h, 0.7 * instep),
            (0.4 * heel_at, 0.021 * h, instep),
            (0.3 * ball_at, 0.023 * h, 0.9 * instep),
            (ball_at, 0.028 * h, 0.5 * instep),
            (0.3 * ball_at + 0.7 * tip_at, 0.024 * h, 0.35 * instep),
            (tip_at - 0.003 * h, 0.014 * h, 0.25 * instep),
            (tip_at, 0.0, 0.0),
        ]
    )
    line = np.array([ankle + sole * up, ankle + sole * up + ahead])
    stops = {joint: float((figure.at(joint) - ankle) @ ahead) for joint in chain}
    foot = tube(figure, line, rows, stops, softness=0.01 * h, looks=(up, figure.left), profile=_SOLE, covers=below)
    return [replace(foot, covers_ends_of=frozenset([chain[0], *below]))]


def _plain_limbs(figure: Figure, parts: Sequence[Part]) -> list[Part]:
    """A slim spindle for every length between joints, or to an end site, that no part covers.

    Joints from the root to the hips are left out: they are a stand, not part of the body.
    """
    skeleton = figure.skeleton
    covered = {joint for part in parts for joint in part.covers}
    ended = {joint for part in parts for joint in part.covers_ends_of}
    if "hips" in figure.roles:
        covered |= set(skeleton.path(figure.roles["hips"]))
    lengths = [(link[0], figure.at(joint)) for joint, link in enumerate(skeleton.links, 1) if joint not in covered]
    ends = zip(skeleton.end_joints.tolist(), skeleton.rest_end_positions, strict=True)
    lengths += [(joint, tip) for joint, tip in ends if joint not in ended]
    least = max(_TINY, 1e-4 * figure.height)
    drawn = [(joint, goal) for joint, goal in lengths if length_of(goal - figure.at(joint)) > least]
    return [_spindle(figure, joint, figure.at(joint), goal) for joint, goal in drawn]


def _spindle(figure: Figure, joint: int, start: Float[np.ndarray, 3], goal: Float[np.ndarray, 3]) -> Part:
    """A length that one joint carries, thickest near its start."""
    length = length_of(goal - start)
    radius = float(np.clip(0.16 * length, 0.004 * figure.height, 0.04 * figure.height))
    rows = _PLAIN * [length, radius, radius]
    return tube(figure, np.array([start, goal]), rows, {joint: 0.0}, softness=0.1 * length, profile=circle(6))


def _ball(figure: Figure) -> Part:
    """A ball of 10 cm for joints that all lie in one point."""
    centre = figure.at(0)
    line, rows = np.array([centre, centre + figure.up]), round_off(np.array([(0.0, 0.05, 0.05)]))
    return tube(figure, line, rows, {0: 0.0}, softness=0.01, profile=circle(8))
