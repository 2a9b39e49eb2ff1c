"""Roles by name: the reading of all names together that the tree bears out."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from mocapella.motion.rolelist import ARM, LEG, SIDES, Roles
from mocapella.motion.rolenames import JointName
from mocapella.motion.roletree import JointTree
from mocapella.motion.skeleton import NO_PARENT

_MOST_CANDIDATES = 5  # per part of a limb; a rig with more joints of one name is past helping


def roles_by_name(tree: JointTree, names: Sequence[JointName], notes: list[str]) -> Roles:
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


def _limb_by_name(
    tree: JointTree, names: Sequence[JointName], side: str, limb: Sequence[str], notes: list[str]
) -> Roles:
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


def _drop_limbs_in_limbs(tree: JointTree, roles: Roles, notes: list[str]) -> None:
    """An arm does not hang on a leg, nor a left limb on a right one."""
    for (limb, top), (other, below) in itertools.permutations(_tops(roles).items(), 2):
        if top in roles and below in roles and tree.holds(roles[top], roles[below]):
            notes.append(f"{tree.names[roles[top]]} would be {top}, but {tree.names[roles[below]]} hangs on it")
            for side, part in ((side, part) for side, parts in (limb, other) for part in parts):
                roles.pop(side + part, None)


def _nearest_root(tree: JointTree, joints: Sequence[int], names: Sequence[JointName]) -> int | None:
    """The joint nearest the root, of equally near ones that with the lowest number; None where two have one claim."""
    claims = sorted(((tree.depth[j], names[j].numbers), j) for j in joints)
    if not claims or (len(claims) > 1 and claims[0][0] == claims[1][0]):
        return None
    return claims[0][1]


def _hips(tree: JointTree, roles: Roles, kinds: Mapping[str, list[int]], notes: list[str]) -> int | None:
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


def _leg_length(tree: JointTree, roles: Roles) -> float:
    lengths = [
        tree.distance(roles[side + "hip"], roles[side + "ankle"])
        for side in SIDES
        if side + "hip" in roles and side + "ankle" in roles
    ]
    return max(lengths, default=0.0)


def _back(tree: JointTree, roles: Roles, names: Sequence[JointName], joints: Sequence[int]) -> Roles:
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
