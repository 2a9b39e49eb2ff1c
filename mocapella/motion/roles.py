"""Which joint plays which part of the body: left knee, chest, head.

Names are read first and checked against the tree and the rest pose; where they say nothing, the shape alone may tell. A
role that fails its check is left out, for a wrong knee does more harm than a missing one, and the user's own word beats
it all.

By place, so that all conversions of one capture agree: ``spine`` is the lowest joint of the back above the hips,
``chest`` the highest that carries both arms (a joint called just Chest, as in VRM, beats one called UpperChest),
``neck`` the lowest of the neck. ``ankle``, ``wrist`` and ``head`` are the joints that turn foot, hand and head.
"""

from __future__ import annotations

import difflib
import itertools
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path

import numpy as np
from jaxtyping import Float

from mocapella.errors import FormatError, SkeletonError
from mocapella.motion.rolenames import LEFT, RIGHT, JointName, read_names
from mocapella.motion.skeleton import NO_PARENT, Skeleton

SIDES = (LEFT, RIGHT)
LEG = ("hip", "knee", "ankle", "toe")
ARM = ("clavicle", "shoulder", "elbow", "wrist")
MIDDLE = ("hips", "spine", "chest", "neck", "head")
ROLES = MIDDLE + tuple(side + part for limb in (LEG, ARM) for side in SIDES for part in limb)

_MOST_CANDIDATES = 5  # per part of a limb; a rig with more joints of one name is past helping
_MOST_UNEVEN = 4.0  # between thigh and shin, upper arm and forearm
_MOST_LOPSIDED = 2.0  # between left and right
_LARGEST_FILE = 2**20  # bytes of an override file

Roles = dict[str, int]


def find_roles(skeleton: Skeleton) -> Roles:
    """The joint that plays each role, by index; roles nobody plays for certain are missing.

    ``skeleton.role_names`` overrules every guess; a role named ``""`` there is missing for good.

    Raises
    ------
    SkeletonError
        Where ``role_names`` names a role or a joint that does not exist.

    Examples
    --------
    >>> leg = Skeleton.of(["LeftUpLeg", "LeftLeg", "LeftFoot"], [-1, 0, 1], [[0, 1, 0], [0, -0.5, 0], [0, -0.4, 0]])
    >>> find_roles(leg)
    {'left_hip': 0, 'left_knee': 1, 'left_ankle': 2}
    """
    return _decide(skeleton)[0]


def explain_roles(skeleton: Skeleton) -> list[str]:
    """Why roles are missing or how they were found, a sentence each; empty where the names told all that was found."""
    return _decide(skeleton)[1]


def read_roles(path: str | PathLike[str]) -> dict[str, str]:
    """The user's own roles from a TOML file: role → joint name, ``""`` where there is no such joint.

    The file has one table::

        [roles]
        left_knee = "Bone.004"
        left_toe = ""

    Raises
    ------
    FormatError
        Where the file cannot be read, is no TOML, has no such table, or names a role that does not exist.
    """
    text = _read_text(path)
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"at line (\d+)", str(error))
        raise FormatError(path, int(place[1]) if place else text.count("\n") + 1, f"is no TOML: {error}") from None
    roles = tables.get("roles")
    if not isinstance(roles, dict):
        raise FormatError(path, 0, f"expected a table [roles], found {', '.join(tables) or 'nothing'}")
    for role, name in roles.items():
        if role not in ROLES:
            raise FormatError(path, _line_of(role, text), _unknown_role(role))
        if not isinstance(name, str):
            raise FormatError(path, _line_of(role, text), f"expected a joint name in quotes for {role}, found {name!r}")
    return roles


def _decide(skeleton: Skeleton) -> tuple[Roles, list[str]]:
    """The roles, and what should be said about them."""
    tree = _Tree(skeleton)
    names = read_names(skeleton.names)
    notes: list[str] = []
    if any(name.fits or name.kind for name in names):
        roles = _roles_by_name(tree, names, notes)
        _drop_what_does_not_fit(tree, roles, notes)
    else:
        roles = _roles_by_shape(tree, names, notes)
    _overrule(tree, roles, notes)
    return {role: roles[role] for role in ROLES if role in roles}, notes


class _Tree:
    """A skeleton with the questions that roles ask of it answered in constant time."""

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton = skeleton
        self.names = skeleton.names
        self.parents: list[int] = skeleton.parents.tolist()
        self.places = skeleton.rest_positions
        sizes = [1] * len(self.parents)
        for joint in range(len(self.parents) - 1, 0, -1):
            sizes[self.parents[joint]] += sizes[joint]
        # A joint's whole subtree is numbered without gaps from the joint's own number on.
        self.first, self.depth, after = [0] * len(sizes), [0] * len(sizes), [1] * len(sizes)
        for joint, parent in enumerate(self.parents):
            if parent != NO_PARENT:
                self.first[joint], self.depth[joint] = after[parent], self.depth[parent] + 1
                after[parent] += sizes[joint]
            after[joint] = self.first[joint] + 1
        self.last = [first + size for first, size in zip(self.first, sizes, strict=True)]

    def holds(self, upper: int, lower: int) -> bool:
        """Whether ``lower`` is ``upper`` or hangs somewhere below it."""
        return self.first[upper] <= self.first[lower] < self.last[upper]

    def above(self, upper: int, lower: int) -> bool:
        """Whether ``lower`` hangs somewhere below ``upper``."""
        return upper != lower and self.holds(upper, lower)

    def meeting(self, joints: Iterable[int]) -> int:
        """The lowest joint that holds them all."""
        first, *others = joints
        while not all(self.holds(first, other) for other in others):
            first = self.parents[first]
        return first

    def distance(self, a: int, b: int) -> float:
        """Metres, or file units, between two joints of the rest pose."""
        return float(np.linalg.norm(self.places[a] - self.places[b]))


# Names ----------------------------------------------------------------------------------------------------------------


def _roles_by_name(tree: _Tree, names: Sequence[JointName], notes: list[str]) -> Roles:
    """What the names say, as far as it agrees with the tree."""
    roles: Roles = {}
    for side, limb in itertools.product(SIDES, (LEG, ARM)):
        roles |= _limb_by_name(tree, names, side, limb, notes)
    _drop_limbs_in_limbs(tree, roles, notes)
    kinds: dict[str, list[int]] = {}
    for joint, name in enumerate(names):
        kinds.setdefault(name.kind, []).append(joint)
    tops = [roles[top] for top in _tops(roles).values()]
    free = {k: [j for j in joints if not any(tree.holds(t, j) for t in tops)] for k, joints in kinds.items()}
    heads = [j for j in free.get("head", []) if not any(tree.holds(j, top) for top in tops)]
    if (head := _nearest_root(tree, heads, names)) is not None:
        roles["head"] = head
    necks = [j for j in free.get("neck", []) if head is None or tree.above(j, head)]
    if (neck := _nearest_root(tree, necks, names)) is not None:
        roles["neck"] = neck
    hips = _hips(tree, roles, kinds, notes)
    if hips is not None:
        roles["hips"] = hips
    roles |= _back(tree, roles, names, [j for kind in ("low", "spine", "high") for j in free.get(kind, [])])
    return roles


def _limb_by_name(tree: _Tree, names: Sequence[JointName], side: str, limb: Sequence[str], notes: list[str]) -> Roles:
    """The best reading of one limb: every joint above the next, the words fitting as well as they can."""
    order = {j: (tree.depth[j], name.numbers) for j, name in enumerate(names) if name.side == side and name.fits}
    found: list[list[int]] = []
    for part in limb:
        fitting = sorted((-names[j].fits[part], order[j], tree.names[j], j) for j in order if part in names[j].fits)
        found.append([NO_PARENT, *(j for *_, j in fitting[:_MOST_CANDIDATES])])
    readings = []
    for joints in itertools.product(*found):
        chain = {part: j for part, j in zip(limb, joints, strict=True) if j != NO_PARENT}
        in_line = all(tree.above(a, b) for a, b in itertools.pairwise(chain.values()))
        if in_line and _makes_sense({part: names[j].word for part, j in chain.items()}):
            fit = sum(names[j].fits[part] for part, j in chain.items())
            readings.append(((-fit, [order[j] for j in chain.values()]), chain))
    best_key = min(key for key, _ in readings)  # there is always the empty one
    best = [chain for key, chain in readings if key == best_key]
    roles = {side + part: j for part, j in best[0].items() if all(chain.get(part) == j for chain in best)}
    for part in (part for part in limb if part in best[0] and side + part not in roles):
        rivals = " or ".join(sorted({tree.names[chain[part]] for chain in best if part in chain}))
        notes.append(f"{side}{part} may be {rivals}; say which")
    arm = roles.get(side + "shoulder")
    if arm is not None and names[arm].word == "arm" and side + "elbow" not in roles:
        doubtful = {j for j in order if names[j].word == "shoulder" and tree.above(j, arm)} | {arm}
        if len(doubtful) > 1:  # with a shoulder above and no elbow below, an arm may be the upper or the lower one
            notes.append(f"{tree.names[arm]} may be {side}shoulder or {side}elbow; say which")
            roles = {role: j for role, j in roles.items() if j not in doubtful}
    return roles


def _makes_sense(words: Mapping[str, str]) -> bool:
    """Whether words that lean on others have them: a "leg" is a shin below a thigh, or a thigh above a shin."""
    if words.get("knee") == "leg" and "hip" not in words:
        return False
    if words.get("hip") == "leg" and "knee" not in words:
        return False
    return words.get("toe") != "foot" or words.get("ankle") == "ankle"


def _tops(roles: Mapping[str, int]) -> dict[tuple[str, Sequence[str]], str]:
    """For each limb that was found, the role of its uppermost joint."""
    tops: dict[tuple[str, Sequence[str]], str] = {}
    for side, limb in itertools.product(SIDES, (LEG, ARM)):
        if parts := [side + part for part in limb if side + part in roles]:
            tops[side, limb] = parts[0]
    return tops


def _drop_limbs_in_limbs(tree: _Tree, roles: Roles, notes: list[str]) -> None:
    """An arm does not hang on a leg, nor a left limb on a right one."""
    for (limb, top), (other, below) in itertools.permutations(_tops(roles).items(), 2):
        if top in roles and below in roles and tree.holds(roles[top], roles[below]):
            notes.append(f"{tree.names[roles[top]]} would be {top}, but {tree.names[roles[below]]} hangs on it")
            for side, part in ((side, part) for side, parts in (limb, other) for part in parts):
                roles.pop(side + part, None)


def _nearest_root(tree: _Tree, joints: Sequence[int], names: Sequence[JointName]) -> int | None:
    """The joint nearest the root, of equally near ones that with the lowest number; None where two have one claim."""
    claims = sorted(((tree.depth[j], names[j].numbers), j) for j in joints)
    if not claims or (len(claims) > 1 and claims[0][0] == claims[1][0]):
        return None
    return claims[0][1]


def _hips(tree: _Tree, roles: Roles, kinds: Mapping[str, list[int]], notes: list[str]) -> int | None:
    """The joint called hips that carries both legs and the trunk, or the one where legs and trunk meet."""
    legs = [roles[top] for (_, limb), top in _tops(roles).items() if limb == LEG]
    upper = [roles[top] for (_, limb), top in _tops(roles).items() if limb == ARM]
    upper += [roles[role] for role in ("neck", "head") if role in roles]
    carried = legs + upper
    called = kinds.get("hips", [])
    fitting = [j for j in called if all(tree.above(j, other) for other in carried)]
    if not carried and len(called) > 1:
        return None
    if fitting:
        return max(fitting, key=lambda j: tree.depth[j])
    if called:
        notes.append(f"{tree.names[called[0]]} would be hips, but does not carry both legs and the trunk")
    if len(legs) < 2 or not upper:
        return None
    meeting = tree.meeting(carried)
    near = all(tree.distance(meeting, leg) <= _leg_length(tree, roles) for leg in legs)
    return meeting if near and meeting not in roles.values() else None


def _leg_length(tree: _Tree, roles: Roles) -> float:
    lengths = [
        tree.distance(roles[side + "hip"], roles[side + "ankle"])
        for side in SIDES
        if side + "hip" in roles and side + "ankle" in roles
    ]
    return max(lengths, default=0.0)


def _back(tree: _Tree, roles: Roles, names: Sequence[JointName], joints: Sequence[int]) -> Roles:
    """Spine and chest among the joints of the back, which must lie in one line from the hips up."""
    arms = [roles[top] for (_, limb), top in _tops(roles).items() if limb == ARM]
    ends = [roles[role] for role in ("neck", "head") if role in roles] or arms
    column = [j for j in joints if all(tree.above(j, end) for end in ends)]
    if "hips" in roles:
        column = [j for j in column if tree.above(roles["hips"], j)]
    column.sort(key=lambda j: tree.depth[j])
    if not all(tree.above(a, b) for a, b in itertools.pairwise(column)):
        return {}
    chests = [j for j in column if names[j].kind != "low" and all(tree.above(j, arm) for arm in arms)]
    called = [j for j in chests if names[j].word == "chest"]
    if len(called) == 1 and any(names[j].word == "upperchest" for j in chests):
        chests = called
    back: Roles = {}
    if chests and (len(column) > 1 or names[chests[-1]].kind == "high"):
        back["chest"] = chests[-1]
    if column and column[0] != back.get("chest"):
        back["spine"] = column[0]
    return back


# Checks ---------------------------------------------------------------------------------------------------------------


def _drop_what_does_not_fit(tree: _Tree, roles: Roles, notes: list[str]) -> None:
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


def _swapped(tree: _Tree, roles: Roles) -> bool:
    """Whether the left hip is to the right of the right one, where the rest pose stands and its feet show the way."""
    wanted = [side + part for side in SIDES for part in ("hip", "ankle")]
    if not all(role in roles for role in wanted):
        return False
    hips = [roles[side + "hip"] for side in SIDES]
    feet = [roles[side + "ankle"] for side in SIDES]
    toes = [roles.get(side + "toe", -1) for side in SIDES]
    left = _leftwards(tree, hips, feet, toes)
    if left is None:
        return False
    return float((tree.places[hips[0]] - tree.places[hips[1]]) @ left) < 0


def _leftwards(
    tree: _Tree, hips: Sequence[int], ankles: Sequence[int], toes: Sequence[int]
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


def _below(tree: _Tree, joint: int) -> Float[np.ndarray, 3]:
    """The middle of what hangs on a joint, end sites included; its own place where nothing does."""
    skeleton = tree.skeleton
    first = np.array(tree.first)
    inside = (first > tree.first[joint]) & (first < tree.last[joint])
    ends = (first[skeleton.end_joints] >= tree.first[joint]) & (first[skeleton.end_joints] < tree.last[joint])
    points = np.concatenate([tree.places[inside], skeleton.rest_end_positions[ends]])
    return np.asarray(points.mean(axis=0) if len(points) else tree.places[joint])


# Shape ----------------------------------------------------------------------------------------------------------------


class _Shape:
    """The rest pose as a tree of points, end sites included, with what hangs below each point."""

    def __init__(self, tree: _Tree) -> None:
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


def _roles_by_shape(tree: _Tree, names: Sequence[JointName], notes: list[str]) -> Roles:
    """What the rest pose says alone: a body that stands, its feet showing where it looks. Empty unless all agrees."""
    shape = _Shape(tree)
    fork, legs = _legs(shape)
    if fork is None:
        return {}
    toes = [_toe(shape, leg) for leg in legs]
    left = _leftwards(tree, [leg[1] for leg in legs], [leg[3] for leg in legs], toes)
    if left is None:
        notes.append("the names tell nothing; two legs were seen, but not which is the left one")
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
    for role, joint in roles.items():
        if names[joint].side and role.startswith(SIDES) and not role.startswith(names[joint].side):
            notes.append(f"{tree.names[joint]} looks like {role}, which its name denies")
            return {}
    notes.append("the names tell nothing; roles were found by the shape of the rest pose")
    return roles


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
    found = []
    for i in range(1, len(way) - 2):
        upper, lower = shape.lengths[way[i + 1]], shape.lengths[way[i + 2]]
        long_enough = min(upper, lower) >= least * shape.height
        rest = shape.reach[way[i + 2]]  # foot or hand, shorter than the half before it
        if long_enough and rest < lower and bends[0] <= lower / upper <= bends[1]:
            found.append((upper + lower, i))
    found.sort(reverse=True)
    if not found or (len(found) > 1 and found[1][0] > 0.8 * found[0][0]):
        return []
    i = found[0][1]
    return way[i - 1 : i + 3]


def _alike(shape: _Shape, one: Sequence[int], other: Sequence[int]) -> bool:
    """Whether two limbs are as long and as high as each other, joint by joint."""
    pairs = list(zip(one[1:], other[1:], strict=True))
    even = all(abs(shape.lengths[a] - shape.lengths[b]) < 0.02 * shape.height for a, b in pairs[1:])
    return even and all(abs(shape.points[a, 1] - shape.points[b, 1]) < 0.05 * shape.height for a, b in pairs)


def _toe(shape: _Shape, leg: Sequence[int]) -> int:
    """The joint in front of the ankle where the foot bends, or −1."""
    ankle = leg[3]
    toe = shape.onward[ankle]
    if toe == NO_PARENT or not shape.is_joint(toe):
        return NO_PARENT
    ahead, whole = (
        float(np.linalg.norm((shape.points[point] - shape.points[ankle])[[0, 2]])) for point in (toe, shape.tip[toe])
    )
    return toe if ahead > 0.03 * shape.height and ahead > 0.55 * whole else NO_PARENT


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
    shape: _Shape,
    trunk: Sequence[int],
    legs: Sequence[int],
    middle: Float[np.ndarray, 3],
    left: Float[np.ndarray, 3],
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


# The user's word ------------------------------------------------------------------------------------------------------


def _overrule(tree: _Tree, roles: Roles, notes: list[str]) -> None:
    """Put the user's roles in place, and take back guesses that contradict them."""
    said = tree.skeleton.role_names
    for role in said:
        if role not in ROLES:
            raise SkeletonError(_unknown_role(role))
    given = {role: tree.skeleton.index(name) for role, name in said.items() if name}
    for role, joint in list(roles.items()):
        if role not in said and joint in given.values():
            notes.append(f"{tree.names[joint]} is not {role}: it was given another role")
            del roles[role]
    for role in said:
        roles.pop(role, None)
    for side, limb in itertools.product(SIDES, (LEG, ARM)):
        for a, b in itertools.combinations([side + part for part in limb], 2):
            for guess, upper, lower in ((b, given.get(a), roles.get(b)), (a, roles.get(a), given.get(b))):
                if upper is not None and lower is not None and not tree.above(upper, lower):
                    notes.append(f"{tree.names[roles[guess]]} is not {guess}: that contradicts the roles given")
                    del roles[guess]
    roles |= given


def _unknown_role(role: str) -> str:
    near = difflib.get_close_matches(role, ROLES, n=1, cutoff=0.5)
    meant = f"; did you mean {near[0]}?" if near else ";"
    return f"there is no role {role!r}{meant} roles are {', '.join(ROLES)}"


def _line_of(key: str, text: str) -> int:
    """The line on which a key is set, 0 where it is not found: TOML can spell a key in many ways."""
    for number, line in enumerate(text.splitlines(), start=1):
        if re.match(rf"\s*(roles\s*\.\s*)?[\"']?{re.escape(key)}[\"']?\s*=", line):
            return number
    return 0


def _read_text(path: str | PathLike[str]) -> str:
    try:
        with Path(path).open("rb") as file:
            content = file.read(_LARGEST_FILE + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise FormatError(path, 0, f"cannot be read: {reason}") from None
    if len(content) > _LARGEST_FILE:
        raise FormatError(path, 0, "holds more than 1 MiB; an override file is a short table")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(path, content[: error.start].count(b"\n") + 1, "is no UTF-8 text") from None
