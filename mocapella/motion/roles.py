"""Which joint plays which part of the body: left knee, chest, head.

Names are read first and checked against the tree and the rest pose; where they say nothing, the shape alone may tell. A role
that fails its check is left out, for a wrong knee does more harm than a missing one, and the user's own word beats it all.

By place, so that all conversions of one capture agree: ``spine`` is the lowest joint of the back above the hips, ``chest`` the
highest that carries both arms (a joint called just Chest, as in VRM, beats one called UpperChest), ``neck`` the lowest of the
neck. ``ankle``, ``wrist`` and ``head`` are the joints that turn foot, hand and head.
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
    if any(name.fits or name.kind not in ("", "root") for name in names):
        roles = _roles_by_name(tree, names, notes)
        _drop_what_does_not_fit(tree, roles, notes)
    else:
        roles = {}
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


# Names -------------------------------------------------------------------------------------------------------------------


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
    if head := _highest(tree, free.get("head", []), names):
        roles["head"] = head[0]
    necks = [j for j in free.get("neck", []) if "head" not in roles or tree.above(j, roles["head"])]
    if neck := _highest(tree, necks, names):
        roles["neck"] = neck[0]
    hips = _hips(tree, roles, kinds, notes)
    if hips is not None:
        roles["hips"] = hips
    roles |= _back(tree, roles, names, [j for kind in ("low", "spine", "high") for j in free.get(kind, [])])
    return roles


def _limb_by_name(tree: _Tree, names: Sequence[JointName], side: str, limb: Sequence[str], notes: list[str]) -> Roles:
    """The best reading of one limb: every joint above the next, the words fitting as well as they can."""

    def order(joint: int) -> tuple[int, tuple[int, ...]]:
        return tree.depth[joint], names[joint].numbers

    found: list[list[int | None]] = []
    for part in limb:
        fitting = [j for j, name in enumerate(names) if name.side == side and part in name.fits]
        fitting.sort(key=lambda j, part=part: (-names[j].fits[part], order(j), tree.names[j]))  # type: ignore[misc]
        found.append([None, *fitting[:_MOST_CANDIDATES]])
    best: list[tuple[int | None, ...]] = []
    best_key: tuple[object, ...] | None = None
    for chain in itertools.product(*found):
        used = [j for j in chain if j is not None]
        if not all(tree.above(a, b) for a, b in itertools.pairwise(used)) or not _makes_sense(chain, limb, names):
            continue
        fit = sum(names[j].fits[part] for j, part in zip(chain, limb, strict=True) if j is not None)
        key = (-fit, [order(j) for j in used])
        if best_key is None or key < best_key:  # type: ignore[operator]
            best, best_key = [chain], key
        elif key == best_key:
            best.append(chain)
    roles: Roles = {}
    for part, joints in zip(limb, zip(*best, strict=True), strict=True):
        if len(set(joints)) > 1:
            rivals = " or ".join(sorted(tree.names[j] for j in set(joints) if j is not None))
            notes.append(f"{side}{part} may be {rivals}; say which")
        elif joints[0] is not None:
            roles[side + part] = joints[0]
    return roles


def _makes_sense(chain: Sequence[int | None], limb: Sequence[str], names: Sequence[JointName]) -> bool:
    """Whether words that depend on others have them: a "leg" is a shin below a thigh and a thigh above a shin."""
    upper, lower, far = chain[0], chain[1], chain[2]
    if limb == LEG:
        if lower is not None and names[lower].word == "leg" and upper is None:
            return False
        if upper is not None and names[upper].word == "leg" and lower is None:
            return False
        toe = chain[3]
        return toe is None or names[toe].word != "foot" or (far is not None and names[far].word == "ankle")
    # "Shoulder, Arm, Hand" without an elbow: the arm may be upper or lower.
    return lower is None or names[lower].word != "arm" or far is not None or upper is None


def _tops(roles: Mapping[str, int]) -> dict[tuple[str, Sequence[str]], str]:
    """For each limb that was found, the role of its uppermost joint."""
    tops = {}
    for side, limb in itertools.product(SIDES, (LEG, ARM)):
        if parts := [side + part for part in limb if side + part in roles]:
            tops[side, limb] = parts[0]
    return tops


def _drop_limbs_in_limbs(tree: _Tree, roles: Roles, notes: list[str]) -> None:
    """An arm does not hang on a leg, nor a left limb on a right one."""
    tops = _tops(roles)
    for (limb, top), (other, below) in itertools.permutations(tops.items(), 2):
        if tree.holds(roles[top], roles[below]):
            notes.append(f"{tree.names[roles[top]]} would be {top}, but {tree.names[roles[below]]} hangs on it")
            tops_to_drop = (limb, other)
            for side, parts in tops_to_drop:
                for part in parts:
                    roles.pop(side + part, None)
            return


def _highest(tree: _Tree, joints: Sequence[int], names: Sequence[JointName]) -> list[int]:
    """The one nearest the root, or none where two have the same claim."""
    ordered = sorted(joints, key=lambda j: (tree.depth[j], names[j].numbers))
    if len(ordered) > 1 and _same_claim(tree, names, ordered[0], ordered[1]):
        return []
    return ordered[:1]


def _same_claim(tree: _Tree, names: Sequence[JointName], a: int, b: int) -> bool:
    return tree.depth[a] == tree.depth[b] and names[a].numbers == names[b].numbers


def _hips(tree: _Tree, roles: Roles, kinds: Mapping[str, list[int]], notes: list[str]) -> int | None:
    """The joint called hips that carries both legs and the trunk, or the one where legs and trunk meet."""
    legs = [roles[top] for (_, limb), top in _tops(roles).items() if limb == LEG]
    upper = [roles[top] for (_, limb), top in _tops(roles).items() if limb == ARM]
    upper += [roles[role] for role in ("neck", "head") if role in roles]
    carried = legs + upper
    called = kinds.get("hips", [])
    fitting = [j for j in called if all(tree.above(j, other) for other in carried)]
    if len(legs) < 2 or not upper:
        fitting = [j for j in fitting if carried or len(called) == 1]
    if fitting:
        deepest = max(tree.depth[j] for j in fitting)
        fitting = [j for j in fitting if tree.depth[j] == deepest]
        return fitting[0] if len(fitting) == 1 else None
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


# Checks ------------------------------------------------------------------------------------------------------------------


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
                notes.append(
                    f"{tree.names[roles[side + middle]]} would be {side}{middle}, but lies {upper:.3g} from the {first} "
                    f"and {lower:.3g} from the {last}"
                )
                del roles[side + middle]
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
) -> Float[np.ndarray, "3"] | None:
    """The direction to the left of where both feet point; None where the legs do not stand or the feet do not agree."""
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


def _below(tree: _Tree, joint: int) -> Float[np.ndarray, "3"]:
    """The middle of what hangs on a joint, end sites included; its own place where nothing does."""
    skeleton = tree.skeleton
    first = np.array(tree.first)
    inside = (first > tree.first[joint]) & (first < tree.last[joint])
    ends = (first[skeleton.end_joints] >= tree.first[joint]) & (first[skeleton.end_joints] < tree.last[joint])
    points = np.concatenate([tree.places[inside], skeleton.rest_end_positions[ends]])
    return np.asarray(points.mean(axis=0) if len(points) else tree.places[joint])


# The user's word ---------------------------------------------------------------------------------------------------------


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
