"""Roles held against the rest pose: halves of a limb and sides of a body are about as long, and left is left."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from mocapella.motion.rolelist import ARM, LEG, SIDES, Roles
from mocapella.motion.roletree import JointTree

_MOST_UNEVEN = 4.0  # between thigh and shin, upper arm and forearm
_MOST_LOPSIDED = 2.0  # between left and right


def drop_what_does_not_fit(tree: JointTree, roles: Roles, notes: list[str]) -> None:
    """Take roles back that the rest pose contradicts; one without any lengths contradicts nothing."""
    if not np.any(tree.skeleton.offsets[1:]):
        return
    for side, (first, middle, last) in itertools.product(SIDES, (LEG[:3], ARM[1:])):
        if all(side + part in roles for part in (first, middle, last)):
            upper, lower = (
                tree.distance(roles[side + a], roles[side + b]) for a, b in ((first, middle), (middle, last))
            )
            if min(upper, lower) * _MOST_UNEVEN < max(upper, lower):
                joint = roles.pop(side + middle)
                lies = f"lies {upper:.3g} from the {first} and {lower:.3g} from the {last}"
                notes.append(f"{tree.names[joint]} would be {side}{middle}, but {lies}")
    for a, b in (*itertools.pairwise(LEG[:3]), *itertools.pairwise(ARM[1:])):
        pairs = [(side + a, side + b) for side in SIDES]
        if all(role in roles for pair in pairs for role in pair):
            left, right = (tree.distance(roles[upper], roles[lower]) for upper, lower in pairs)
            if min(left, right) * _MOST_LOPSIDED < max(left, right):
                notes.append(f"{a} and {b} lie {left:.3g} apart on the left and {right:.3g} on the right")
                for side in SIDES:
                    del roles[side + b]
    if _swapped(tree, roles):
        notes.append("left and right by name lie on the wrong sides of where the feet point; say which is which")
        for role in [role for role in roles if role.startswith(SIDES)]:
            del roles[role]


def _swapped(tree: JointTree, roles: Roles) -> bool:
    """Whether the left hip is to the right of the right one, where the rest pose stands and its feet show the way."""
    wanted = [side + part for side in SIDES for part in ("hip", "ankle")]
    if not all(role in roles for role in wanted):
        return False
    hips = [roles[side + "hip"] for side in SIDES]
    feet = [roles[side + "ankle"] for side in SIDES]
    toes = [roles.get(side + "toe", -1) for side in SIDES]
    left = leftwards(tree, hips, feet, toes)
    if left is None:
        return False
    return float((tree.places[hips[0]] - tree.places[hips[1]]) @ left) < 0


def leftwards(
    tree: JointTree, hips: Sequence[int], ankles: Sequence[int], toes: Sequence[int]
) -> Float[np.ndarray, 3] | None:
    """The direction to the left of where both feet point; None where no leg stands or the feet do not agree."""
    pointing = []
    for hip, ankle, toe in zip(hips, ankles, toes, strict=True):
        leg = tree.places[ankle] - tree.places[hip]
        length = float(np.linalg.norm(leg))
        if length == 0.0 or -leg[1] < 0.7 * length:
            return None
        end = tree.places[toe] if toe >= 0 else _below(tree, ankle)
        foot = (end - tree.places[ankle]) * (1.0, 0.0, 1.0)
        if np.linalg.norm(foot) < 0.05 * length:
            return None
        pointing.append(foot / np.linalg.norm(foot))
    across = tree.places[hips[0]] - tree.places[hips[1]]
    left = np.cross((0.0, 1.0, 0.0), pointing[0] + pointing[1])
    clear = float(pointing[0] @ pointing[1]) > 0 and abs(float(left @ across)) > 0.7 * float(
        np.linalg.norm(left) * np.linalg.norm(across)
    )
    return left if clear else None


def _below(tree: JointTree, joint: int) -> Float[np.ndarray, 3]:
    """The middle of what hangs on a joint, end sites included; its own place where nothing does."""
    skeleton = tree.skeleton
    first = np.array(tree.first)
    inside = (first > tree.first[joint]) & (first < tree.last[joint])
    ends = (first[skeleton.end_joints] >= tree.first[joint]) & (first[skeleton.end_joints] < tree.last[joint])
    points = np.concatenate([tree.places[inside], skeleton.rest_end_positions[ends]])
    return np.asarray(points.mean(axis=0) if len(points) else tree.places[joint])
