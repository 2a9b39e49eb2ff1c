"""Roles from the shape of the rest pose, and roles by name checked against it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from mocapella.motion.skeleton import NO_PARENT
from mocapella.rig.names import ARM, LEFT, LEG, RIGHT, SIDES, JointName, JointTree, Roles
from mocapella.rig.standing import TO_Y

_MOST_UNEVEN = 4.0  # ratio between thigh and shin, upper arm and forearm
_MOST_LOPSIDED = 2.0  # ratio between left and right
_MOST_TURNED = 1_000  # joints of a skeleton that is looked at with other axes up; rigs of people have fewer


def drop_what_does_not_fit(tree: JointTree, roles: Roles, notes: list[str]) -> None:
    """Remove roles that the rest pose contradicts.

    Halves of a limb and sides of a body are about as long, and left is left. A rest pose without lengths contradicts
    nothing.
    """
    if not np.any(tree.skeleton.offsets[1:]):
        return
    _drop_uneven_limbs(tree, roles, notes)
    _drop_lopsided_limbs(tree, roles, notes)
    if _swapped(tree, roles):
        notes.append("left and right by name lie on the wrong sides of where the feet point; say which is which")
        for role in [role for role in roles if role.startswith(SIDES)]:
            del roles[role]


def _drop_uneven_limbs(tree: JointTree, roles: Roles, notes: list[str]) -> None:
    """Remove knees and elbows whose two halves are too unlike in length."""
    for side, (first, middle, last) in itertools.product(SIDES, (LEG[:3], ARM[1:])):
        if all(side + part in roles for part in (first, middle, last)):
            ends = [roles[side + part] for part in (first, middle, last)]
            upper, lower = (tree.distance(a, b) for a, b in itertools.pairwise(ends))
            if min(upper, lower) * _MOST_UNEVEN < max(upper, lower):
                joint = roles.pop(side + middle)
                lies = f"lies {upper:.3g} from the {first} and {lower:.3g} from the {last}"
                notes.append(f"{tree.names[joint]} would be {side}{middle}, but {lies}")


def _drop_lopsided_limbs(tree: JointTree, roles: Roles, notes: list[str]) -> None:
    """Remove both ends of parts of limbs that are too unlike in length on the left and on the right."""
    for a, b in (*itertools.pairwise(LEG[:3]), *itertools.pairwise(ARM[1:])):
        pairs = [(side + a, side + b) for side in SIDES]
        if all(role in roles for pair in pairs for role in pair):
            left, right = (tree.distance(roles[upper], roles[lower]) for upper, lower in pairs)
            if min(left, right) * _MOST_LOPSIDED < max(left, right):
                notes.append(f"{a} and {b} lie {left:.3g} apart on the left and {right:.3g} on the right")
                for side in SIDES:
                    del roles[side + b]


def _swapped(tree: JointTree, roles: Roles) -> bool:
    """Whether the left hip is to the right of the right one, where the rest pose stands and its feet show the way."""
    hips, feet, toes = ([roles.get(side + part, -1) for side in SIDES] for part in ("hip", "ankle", "toe"))
    left = leftwards(tree, hips, feet, toes) if min(*hips, *feet) >= 0 else None
    return left is not None and float((tree.places[hips[0]] - tree.places[hips[1]]) @ left) < 0


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
    sideways = abs(float(left @ across)) > 0.7 * float(np.linalg.norm(left) * np.linalg.norm(across))
    return left if sideways and float(pointing[0] @ pointing[1]) > 0 else None


def _below(tree: JointTree, joint: int) -> Float[np.ndarray, 3]:
    """The middle of what hangs on a joint, end sites included; its own place where nothing does."""
    skeleton = tree.skeleton
    first = np.array(tree.first)
    inside = (first > tree.first[joint]) & (first < tree.last[joint])
    ends = (first[skeleton.end_joints] >= tree.first[joint]) & (first[skeleton.end_joints] < tree.last[joint])
    points = np.concatenate([tree.places[inside], skeleton.rest_end_positions[ends]])
    return np.asarray(points.mean(axis=0) if len(points) else tree.places[joint])


def roles_by_shape(tree: JointTree, names: Sequence[JointName], notes: list[str]) -> Roles:
    """Roles by the rest pose alone: a body that stands, its feet showing where it looks; empty unless all agrees.

    A rest pose that does not stand along y is looked at with each other axis up; one alone must agree.
    """
    roles = _roles_standing(tree, names, notes)
    if roles or len(names) > _MOST_TURNED:
        return roles
    readings = []
    for axis, turn in TO_Y.items():
        said: list[str] = []
        if axis != "y" and (other := _roles_standing(_turned(tree, turn), names, said)):
            readings.append((other, said))
    if len(readings) != 1:
        return {}
    notes[:] = [*notes, *readings[0][1]]
    return readings[0][0]


def _turned(tree: JointTree, turn: Float[np.ndarray, "3 3"]) -> JointTree:
    """The same rest pose in a room turned by a rotation."""
    offsets, end_offsets = tree.skeleton.offsets @ turn.T, tree.skeleton.end_offsets @ turn.T
    return JointTree(replace(tree.skeleton, offsets=offsets, end_offsets=end_offsets, binding=None))


def _roles_standing(tree: JointTree, names: Sequence[JointName], notes: list[str]) -> Roles:
    """Roles of a rest pose that stands along y; empty where it does not, or not all agrees."""
    shape = _Shape(tree)
    fork, legs = _legs(shape)
    if fork is None:
        return {}
    toes = [_toe(shape, leg) for leg in legs]
    left = leftwards(tree, [leg[1] for leg in legs], [leg[3] for leg in legs], toes)
    if left is None:
        notes.append("the names do not tell the legs; two legs were seen, but not which is the left one")
        return {}
    left /= np.linalg.norm(left)
    if float((shape.points[legs[0][1]] - shape.points[legs[1][1]]) @ left) < 0:
        legs, toes = legs[::-1], toes[::-1]
    roles: Roles = {}
    for side, leg, toe in zip(SIDES, legs, toes, strict=True):
        roles |= {side + part: joint for part, joint in zip(LEG, (*leg[1:4], toe), strict=True) if joint != NO_PARENT}
    middle = (shape.points[legs[0][1]] + shape.points[legs[1][1]]) / 2
    trunk = _trunk(shape, [leg[0] for leg in legs])
    hips = max((j for j in trunk if tree.holds(j, fork)), key=lambda j: tree.depth[j])
    trunk = trunk[trunk.index(hips) :]
    if np.linalg.norm(shape.points[hips] - middle) < 0.15 * shape.height:
        roles["hips"] = hips
    roles |= _upper_body(shape, trunk, [leg[0] for leg in legs], middle, left)
    if (denied := _denied_by_name(roles, names)) is not None:
        notes.append(f"{tree.names[roles[denied]]} looks like {denied}, which its name denies")
        return {}
    notes.append("the names do not tell the legs; roles were found by the shape of the rest pose")
    return roles


def _denied_by_name(roles: Roles, names: Sequence[JointName]) -> str | None:
    """The first role of a side whose joint is named for the other side."""
    sided = ((role, names[joint].side) for role, joint in roles.items() if role.startswith(SIDES))
    return next((role for role, side in sided if side and not role.startswith(side)), None)


def _legs(shape: _Shape) -> tuple[int | None, list[list[int]]]:
    """Where the only two branches that reach the floor part, and for each its first joint, hip, knee and ankle."""
    fork = 0
    while True:
        standing = [c for c in shape.children[fork] if shape.lowest[c] <= shape.floor + 0.1 * shape.height]
        if len(standing) != 1:
            break
        fork = standing[0]
    legs = [_limb(shape, point, least=0.12, bends=(0.7, 1.4)) for point in standing]
    if len(standing) != 2 or shape.height == 0.0 or not (legs[0] and legs[1]) or not _alike(shape, legs[0], legs[1]):
        return None, []
    stature = (float(shape.points[legs[0][1], 1]) - shape.floor) / shape.height
    if not 0.3 < stature < 0.7 or not all(shape.is_joint(leg[3]) for leg in legs):
        return None, []
    return fork, [[point, *leg[1:]] for point, leg in zip(standing, legs, strict=True)]


def _limb(shape: _Shape, point: int, *, least: float, bends: tuple[float, float]) -> list[int]:
    """The joint before the upper half of a limb, its start, bend and end; empty unless one pair of lengths stands out.

    ``least`` is the shortest half, as a share of the height; ``bends`` are the ratios of lower to upper half to expect.
    """
    way = shape.chain(point)
    halves = []
    for i in range(1, len(way) - 2):
        upper, lower = shape.lengths[way[i + 1]], shape.lengths[way[i + 2]]
        long_enough = min(upper, lower) >= least * shape.height
        rest = shape.reach[way[i + 2]]  # foot or hand, shorter than the half before it
        if upper > 0.0 and long_enough and rest < lower and bends[0] <= lower / upper <= bends[1]:
            halves.append((upper + lower, i))
    halves.sort(reverse=True)
    if not halves or (len(halves) > 1 and halves[1][0] > 0.8 * halves[0][0]):
        return []
    i = halves[0][1]
    return way[i - 1 : i + 3]


def _alike(shape: _Shape, limb: Sequence[int], other: Sequence[int]) -> bool:
    """Whether two limbs are as long and as high as each other, joint by joint."""
    pairs = list(zip(limb[1:], other[1:], strict=True))
    even = all(abs(shape.lengths[a] - shape.lengths[b]) < 0.02 * shape.height for a, b in pairs[1:])
    return even and all(abs(shape.points[a, 1] - shape.points[b, 1]) < 0.05 * shape.height for a, b in pairs)


def _toe(shape: _Shape, leg: Sequence[int]) -> int:
    """The joint in front of the ankle where the foot bends, or −1."""
    ankle = leg[3]
    toe = shape.onward[ankle]
    if toe == NO_PARENT or not shape.is_joint(toe):
        return NO_PARENT
    foot = shape.points[[toe, shape.tip[toe]]] - shape.points[ankle]
    ahead, length = (float(np.linalg.norm(end[[0, 2]])) for end in foot)
    return toe if ahead > 0.03 * shape.height and ahead > 0.55 * length else NO_PARENT


def _trunk(shape: _Shape, legs: Sequence[int]) -> list[int]:
    """The joints from the root up to the highest point that is on no leg."""
    on_leg = [False] * len(shape.parents)
    for point, parent in enumerate(shape.parents):
        on_leg[point] = point in legs or (parent != NO_PARENT and on_leg[parent])
    top = max((p for p in range(len(on_leg)) if not on_leg[p]), key=lambda p: float(shape.points[p, 1]))
    way = [top]
    while shape.parents[way[-1]] != NO_PARENT:
        way.append(shape.parents[way[-1]])
    return [point for point in reversed(way) if shape.is_joint(point)]


def _upper_body(
    shape: _Shape, trunk: Sequence[int], legs: Sequence[int], middle: Float[np.ndarray, 3], left: Float[np.ndarray, 3]
) -> Roles:
    """Arms, back and head along the trunk, whose first joint is the hips."""
    for place, joint in enumerate(trunk):
        arms: dict[str, list[list[int]]] = {LEFT: [], RIGHT: []}
        for child in shape.children[joint]:
            aside = float((shape.points[shape.tip[child]] - middle) @ left) / shape.height
            if abs(aside) > 0.05 and child not in legs and child not in trunk[place + 1 : place + 2]:
                arm = _limb(shape, child, least=0.06, bends=(0.55, 1.2))
                if arm:
                    arms[LEFT if aside > 0 else RIGHT].append(arm)
        if len(arms[LEFT]) == len(arms[RIGHT]) == 1:
            pair = [arms[side][0] for side in SIDES]
            offsets = [shape.points[a] + shape.points[b] - 2 * middle for a, b in zip(*pair, strict=True)]
            centred = [abs(float(offset @ left)) for offset in offsets]
            if not _alike(shape, *pair) or max(centred) > 0.1 * shape.height:
                return {}
            return _arm_roles(shape, joint, pair) | _column_roles(shape, trunk[: place + 1], trunk[place + 1 :])
    return {}


def _arm_roles(shape: _Shape, chest: int, arms: Sequence[Sequence[int]]) -> Roles:
    roles: Roles = {}
    for side, (before, shoulder, elbow, wrist) in zip(SIDES, arms, strict=True):
        roles |= {side + "shoulder": shoulder, side + "elbow": elbow}
        if shape.is_joint(wrist):
            roles[side + "wrist"] = wrist
        if shape.parents[before] == chest:  # with more joints in between it could be any of them
            roles[side + "clavicle"] = before
    return roles


def _column_roles(shape: _Shape, back: Sequence[int], above: Sequence[int]) -> Roles:
    """Spine and chest from the joints up to the one that carries the arms, neck and head from the joints above it."""
    roles: Roles = {}
    if len(back) > 1:
        roles["chest"] = back[-1]
    if len(back) > 2:
        roles["spine"] = back[1]
    neck = []
    for joint in above:
        neck.append(joint)
        if sum(map(shape.is_joint, shape.children[joint])) != 1:
            break
    if 2 <= len(neck) <= 3 and shape.reach[neck[-1]] > 0.02 * shape.height:  # else it may be a joint at the crown
        roles |= {"neck": neck[0], "head": neck[-1]}
    return roles


class _Shape:
    """The rest pose as a tree of points, end sites included, with what hangs below each point."""

    def __init__(self, tree: JointTree) -> None:
        skeleton = tree.skeleton
        self.n_joints = skeleton.n_joints
        self.points = np.concatenate([skeleton.rest_positions, skeleton.rest_end_positions])
        self.parents: list[int] = [*tree.parents, *skeleton.end_joints.tolist()]
        n_points = len(self.parents)
        self.children: list[list[int]] = [[] for _ in range(n_points)]
        self.lengths = [0.0] * n_points  # from the parent
        self.lowest: list[float] = self.points[:, 1].tolist()  # height of the subtree's lowest point
        self.reach = [0.0] * n_points  # length of the longest chain down from here
        self.onward = [NO_PARENT] * n_points  # the child on that chain
        self.tip = list(range(n_points))  # its end
        steps = self.points[1:] - self.points[np.array(self.parents[1:], dtype=np.int64)]
        self.lengths[1:] = np.linalg.norm(steps, axis=1).tolist()
        self.floor, self.crown = float(self.points[:, 1].min()), float(self.points[:, 1].max())
        self.height = self.crown - self.floor
        for point in range(n_points - 1, 0, -1):
            parent = self.parents[point]
            self.children[parent].append(point)
            self.lowest[parent] = min(self.lowest[parent], self.lowest[point])
            if self.lengths[point] + self.reach[point] > self.reach[parent] or self.onward[parent] == NO_PARENT:
                self.reach[parent] = self.lengths[point] + self.reach[point]
                self.onward[parent], self.tip[parent] = point, self.tip[point]

    def chain(self, point: int) -> list[int]:
        """The longest way down from a point, its parent in front."""
        way = [self.parents[point], point]
        while self.onward[way[-1]] != NO_PARENT:
            way.append(self.onward[way[-1]])
        return way

    def is_joint(self, point: int) -> bool:
        """Whether this is no end site."""
        return point < self.n_joints
