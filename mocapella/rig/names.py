"""Roles from the names of joints: what each name says, and the reading of all names that fits the joint tree."""

from __future__ import annotations

import difflib
import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from mocapella.motion.skeleton import NO_PARENT, Skeleton

LEFT, RIGHT = "left_", "right_"
SIDES = (LEFT, RIGHT)
LEG = ("hip", "knee", "ankle", "toe")
ARM = ("clavicle", "shoulder", "elbow", "wrist")
MIDDLE = ("hips", "spine", "chest", "neck", "head")
ROLES = MIDDLE + tuple(side + part for limb in (LEG, ARM) for side in SIDES for part in limb)

Roles = dict[str, int]  # role → joint


def unknown_role(role: str) -> str:
    """The message about a role that does not exist."""
    near = difflib.get_close_matches(role, ROLES, n=1, cutoff=0.5)
    meant = f"; did you mean {near[0]}?" if near else ";"
    return f"there is no role {role!r}{meant} roles are {', '.join(ROLES)}"


# What a joint's name says about its role, whichever program wrote it.
#
# A name is cut into words; the prefix that all joints share, the side and the numbers are put aside, and what is left
# must be in the table below as a whole. Nothing is guessed from parts of words, so twist, finger, end and control
# joints fall through.

# How well a word fits a part: 9 or 10 where it can hardly mean anything else, less where another joint may have the
# better claim. HumanIK's "LeftShoulder" is a clavicle because its "LeftArm" is the better shoulder; alone it is one.
_LIMB_TABLE = (
    ("hip", 10, "upleg upperleg legupper thigh thighbend femur"),
    ("hip", 8, "hip"),
    ("hip", 5, "hipjoint"),
    ("hip", 4, "leg"),
    ("knee", 10, "knee lowleg loleg lowerleg leglower shin shinbend calf tibia"),
    ("knee", 9, "leg"),
    ("ankle", 10, "ankle"),
    ("ankle", 9, "foot"),
    ("toe", 10, "toe toes toebase toeball ball bale"),
    ("toe", 9, "forefoot"),
    ("toe", 2, "foot"),
    ("clavicle", 10, "clavicle clav collar collarbone"),
    ("clavicle", 8, "scapula"),
    ("clavicle", 6, "shoulder shoulderjoint"),
    ("shoulder", 10, "upperarm uparm armupper uarm humerus shldr shldrbend"),
    ("shoulder", 9, "arm"),
    ("shoulder", 8, "shoulder shoulderjoint"),
    ("elbow", 10, "elbow forearm forearmbend lowerarm lowarm loarm armlower farm radius ulna"),
    ("wrist", 10, "wrist"),
    ("wrist", 9, "hand"),
    # Japanese, as models of MikuMikuDance have it: 足 is the thigh there, and the foot beside words for thigh and shin.
    ("hip", 10, "もも 太もも 太腿 腿 大腿"),
    ("hip", 9, "足"),
    ("knee", 10, "ひざ 膝 すね 脛"),
    ("ankle", 10, "足首"),
    ("ankle", 4, "足"),
    ("toe", 10, "つま先 爪先 足先ex"),
    ("clavicle", 10, "鎖骨"),
    ("clavicle", 6, "肩"),
    ("shoulder", 10, "上腕"),
    ("shoulder", 9, "腕"),
    ("shoulder", 8, "肩"),
    ("elbow", 10, "ひじ 肘 前腕"),
    ("wrist", 10, "手首"),
    ("wrist", 9, "手"),
)
_MIDDLE_TABLE = {
    "hips": "hips hip pelvis spinebase センター グルーブ 腰 骨盤 下半身",
    "low": "lowerback lowback ab abdomen abdomenlower abdomenupper lowerabdomen upperabdomen belly "
    "stomach waist lumbar lowerspine spinelower lowertorso",
    "spine": "spine back torso middlespine midspine spinemid 上半身 背骨",
    "high": "chest upperchest lowerchest chestlower chestupper thorax ribcage upperback upback "
    "upperspine spineupper uppertorso spineshoulder 胸",
    "neck": "neck lowerneck upperneck necklower neckupper neckbase 首",
    "head": "head 頭",
}

_SIDES = {"l": LEFT, "left": LEFT, "左": LEFT, "r": RIGHT, "right": RIGHT, "右": RIGHT}
_MIDDLE_MARKS = {"c", "m", "center", "centre"}  # VRoid and Maya rigs mark the middle as they mark the sides
_PREFIXES = {"mixamorig", "bip", "robot", "neuron", "j", "jt", "jnt", "joint", "bone", "bn", "def"}
_SUFFIXES = ("joint", "jnt", "jt", "bone")
_VERTEBRAE = {("l", n): "low" for n in range(1, 6)} | {("t", n): "high" for n in range(1, 13)}
_VERTEBRAE |= {("c", n): "neck" for n in range(1, 8)}
_PIECE = r"[左右]|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^A-Za-z\d左右]+"
_COMMON = 0.8  # the share of joints that must open with a word for it to be a prefix


_LIMB_WORDS: dict[str, dict[str, int]] = {}  # word → part → how well it fits
for _part, _fit, _named in _LIMB_TABLE:
    for _word in _named.split():
        _LIMB_WORDS.setdefault(_word, {})[_part] = _fit
_MIDDLE_WORDS = {word: part for part, named in _MIDDLE_TABLE.items() for word in named.split()}
_MEANINGFUL = {*_SIDES, *_LIMB_WORDS, *_MIDDLE_WORDS, "upper", "lower", "up", "lo", "low"}  # never a prefix


@dataclass(frozen=True)
class JointName:
    """A joint's name, taken apart."""

    side: str  # LEFT, RIGHT or ""
    word: str  # what is left of the name, in the table or not: "upleg"
    numbers: tuple[int, ...] = ()
    kind: str = ""  # for the middle of the body: hips, low, spine, high, neck or head

    @property
    def fits(self) -> dict[str, int]:
        """The limb parts this may be, and how well each fits."""
        return _LIMB_WORDS.get(self.word, {}) if self.side else {}


@lru_cache(maxsize=32)  # the captures of a studio share a handful of rigs
def read_names(names: tuple[str, ...]) -> tuple[JointName, ...]:
    """All names of a skeleton taken apart; a prefix that they share is ignored."""
    present = set(names)
    spacers = ["__" in name and name.replace("__", "", 1) in present for name in names]  # MakeHuman's "__UpLeg_L"
    rest = _without_prefix([[] if spacer else _words(name) for name, spacer in zip(names, spacers, strict=True)])
    vertebrae = {"l", "t"} <= {words[0] for words in rest if _vertebra(words)}  # "C3" alone is no cervical vertebra
    return tuple(_read(words, vertebrae) for words in rest)


def _words(name: str) -> list[str]:
    """Split at separators, capitals and digits, in lower case: ``Bip01 L UpperArm`` → bip 01 l upper arm.

    Wide letters and narrow kana are read as usual ones, and Japanese sides are words: ``左足ＩＫ`` → 左 足 ik.
    """
    pieces = re.findall(r"\d+|[^\W\d_]+", re.split(r"[:|]", unicodedata.normalize("NFKC", name))[-1])
    return [word.lower() for piece in pieces for word in re.findall(_PIECE, piece)]


def _without_prefix(split: Sequence[list[str]]) -> list[list[str]]:
    """Drop leading words that most joints share or that rigs are known to put there."""
    rest = [_without_known_prefix(words) for words in split]
    while True:
        openings = Counter(words[0] for words in rest if words)
        word, count = openings.most_common(1)[0] if openings else ("", 0)
        if count < max(3.0, _COMMON * sum(openings.values())) or word in _MEANINGFUL:
            return rest
        rest = [_without_known_prefix(words[1:]) if words[:1] == [word] else words for words in rest]


def _without_known_prefix(words: list[str]) -> list[str]:
    while words and words[0] in _PREFIXES:
        words = words[2:] if len(words) > 2 and words[1].isdigit() else words[1:]
    return words


def _vertebra(words: list[str]) -> str:
    if len(words) == 2 and words[1].isdecimal() and len(words[1]) <= 2:
        return _VERTEBRAE.get((words[0], int(words[1])), "")
    return ""


def _read(words: list[str], vertebrae: bool) -> JointName:
    numbers = tuple(int(word[:9]) for word in words if word.isdecimal())
    if vertebrae and _vertebra(words):
        return JointName("", "".join(words), numbers, _vertebra(words))
    plain = _without_middle_mark([word for word in words if not word.isdecimal()])
    sides = [_SIDES[word] for word in plain if word in _SIDES]
    if len(sides) > 1:
        return JointName("", "")
    joined = "".join(word for word in plain if word not in _SIDES)
    side, word = (sides[0], _known(joined)) if sides else _joined_side(joined)
    return JointName(side, word, numbers, "" if side else _MIDDLE_WORDS.get(word, ""))


def _without_middle_mark(words: list[str]) -> list[str]:
    if len(words) > 1 and words[0] in _MIDDLE_MARKS:
        return words[1:]
    return words[:-1] if len(words) > 1 and words[-1] in _MIDDLE_MARKS else words


def _joined_side(joined: str) -> tuple[str, str]:
    """Side and word of a name in which nothing marks the end of the side: "lfemur", "rightfoot"."""
    word = _known(joined)
    if word not in _MIDDLE_WORDS:
        for mark in ("left", "right", "l", "r"):
            if joined.startswith(mark) and _known(joined.removeprefix(mark)) in _LIMB_WORDS:
                return _SIDES[mark], _known(joined.removeprefix(mark))
    return "", word


def _known(word: str) -> str:
    """The word without "joint" or "bone" at its end, unless the table has it so."""
    if word in _LIMB_WORDS or word in _MIDDLE_WORDS:
        return word
    return next((word.removesuffix(suffix) for suffix in _SUFFIXES if word.endswith(suffix)), word)


class JointTree:
    """A skeleton with ancestry, meeting joints and rest distances answered in constant time."""

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

    def above_all(self, upper: int, others: Iterable[int]) -> bool:
        """Whether all others hang somewhere below ``upper``."""
        return all(self.above(upper, other) for other in others)

    def in_line(self, joints: Iterable[int]) -> bool:
        """Whether each joint hangs somewhere below the one before it."""
        return all(self.above(a, b) for a, b in itertools.pairwise(joints))

    def meeting(self, joints: Iterable[int]) -> int:
        """The lowest joint that holds them all."""
        first, *others = joints
        while not all(self.holds(first, other) for other in others):
            first = self.parents[first]
        return first

    def distance(self, a: int, b: int) -> float:
        """Metres, or file units, between two joints of the rest pose."""
        return float(np.linalg.norm(self.places[a] - self.places[b]))


_MOST_CANDIDATES = 5  # per part of a limb; rigs with more joints of one name are not resolved


def roles_by_name(tree: JointTree, names: Sequence[JointName], notes: list[str]) -> Roles:
    """The roles that the names give, as far as they agree with the tree."""
    roles: Roles = {}
    for side, limb in itertools.product(SIDES, (LEG, ARM)):
        roles |= _limb_by_name(tree, names, side, limb, notes)
    _drop_limbs_in_limbs(tree, roles, notes)
    kinds: dict[str, list[int]] = {}
    for joint, name in enumerate(names):
        kinds.setdefault(name.kind, []).append(joint)
    tops = [roles[top] for top in _tops(roles).values()]
    free = {k: [j for j in joints if not any(tree.holds(t, j) for t in tops)] for k, joints in kinds.items()}
    roles |= _head_and_neck(tree, roles, names, free)
    if (hips := _hips(tree, roles, kinds, notes)) is not None:
        roles["hips"] = hips
    roles |= _back(tree, roles, names, [j for kind in ("low", "spine", "high") for j in free.get(kind, [])])
    return roles


def _limb_by_name(
    tree: JointTree, names: Sequence[JointName], side: str, limb: Sequence[str], notes: list[str]
) -> Roles:
    """The best reading of one limb: every joint above the next, the words fitting as well as they can."""
    members = [j for j, name in enumerate(names) if name.side == side and name.fits]
    best = _best_chains(tree, names, members, limb)
    agreed = {part: j for part, j in best[0].items() if all(chain.get(part) == j for chain in best)}
    for part in sorted(best[0].keys() - agreed.keys(), key=limb.index):
        rivals = " or ".join(sorted({tree.names[chain[part]] for chain in best if part in chain}))
        notes.append(f"{side}{part} may be {rivals}; say which")
    doubtful = _doubtful_arm(tree, names, members, agreed)
    if doubtful:
        notes.append(f"{tree.names[agreed['shoulder']]} may be {side}shoulder or {side}elbow; say which")
    return {side + part: j for part, j in agreed.items() if j not in doubtful}


def _best_chains(
    tree: JointTree, names: Sequence[JointName], members: Sequence[int], limb: Sequence[str]
) -> list[dict[str, int]]:
    """The readings of a limb, part → joint, that fit best; several where they have one claim.

    Of chains that fit equally well, those nearer the root and with lower numbers win.
    """
    order = {j: (tree.depth[j], names[j].numbers) for j in members}
    readings = []
    for joints in itertools.product(*(_candidates(tree, names, members, part) for part in limb)):
        chain = {part: j for part, j in zip(limb, joints, strict=True) if j != NO_PARENT}
        if tree.in_line(chain.values()) and _makes_sense({part: names[j].word for part, j in chain.items()}):
            fit = sum(names[j].fits[part] for part, j in chain.items())
            readings.append(((-fit, [order[j] for j in chain.values()]), chain))
    best_key = min(key for key, _ in readings)  # there is always the empty one
    return [chain for key, chain in readings if key == best_key]


def _candidates(tree: JointTree, names: Sequence[JointName], members: Sequence[int], part: str) -> list[int]:
    """Joints that may be a part of a limb, the best few; ``NO_PARENT`` stands for a limb without it."""
    fitting = sorted(
        (-names[j].fits[part], tree.depth[j], names[j].numbers, tree.names[j], j)
        for j in members
        if part in names[j].fits
    )
    return [NO_PARENT, *(j for *_, j in fitting[:_MOST_CANDIDATES])]


def _doubtful_arm(
    tree: JointTree, names: Sequence[JointName], members: Sequence[int], limb: Mapping[str, int]
) -> set[int]:
    """An "arm" with a "shoulder" above and no elbow below, which may be the upper or the lower one, and that shoulder.

    Empty where the words leave no doubt.
    """
    arm = limb.get("shoulder")
    if arm is None or names[arm].word != "arm" or "elbow" in limb:
        return set()
    shoulders = {j for j in members if names[j].word == "shoulder" and tree.above(j, arm)}
    return shoulders | {arm} if shoulders else set()


def _makes_sense(words: Mapping[str, str]) -> bool:
    """Whether words that lean on others have them: a "leg" is a shin below a thigh, or a thigh above a shin."""
    leg_alone = "leg" in (words.get("hip"), words.get("knee")) and not {"hip", "knee"} <= words.keys()
    return not leg_alone and (words.get("toe") != "foot" or words.get("ankle") == "ankle")


def _tops(roles: Mapping[str, int]) -> dict[tuple[str, Sequence[str]], str]:
    """For each limb that was found, the role of its uppermost joint."""
    limbs = [(side, limb) for side in SIDES for limb in (LEG, ARM) if any(side + part in roles for part in limb)]
    return {(side, limb): next(side + part for part in limb if side + part in roles) for side, limb in limbs}


def _drop_limbs_in_limbs(tree: JointTree, roles: Roles, notes: list[str]) -> None:
    """Remove limbs that hang on one another: an arm on a leg, a left limb on a right one."""
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


def _head_and_neck(tree: JointTree, roles: Roles, names: Sequence[JointName], free: Mapping[str, list[int]]) -> Roles:
    """Head and neck of joints that are on no limb, ``free`` by kind; else the ends of a spine numbered up to there."""
    column: Roles = {}
    tops = [roles[top] for top in _tops(roles).values()]
    heads = [j for j in free.get("head", []) if not any(tree.holds(j, top) for top in tops)]
    if (head := _nearest_root(tree, heads, names)) is not None:
        column["head"] = head
    necks = [j for j in free.get("neck", []) if head is None or tree.above(j, head)]
    if (neck := _nearest_root(tree, necks, names)) is not None:
        column["neck"] = neck
    return column or _spine_above_arms(tree, roles, free.get("spine", []))


def _tops_of(roles: Roles, limb: Sequence[str]) -> list[int]:
    """The uppermost joints of both legs or both arms, as far as they were found."""
    return [roles[top] for (_, other), top in _tops(roles).items() if other == limb]


def _hips(tree: JointTree, roles: Roles, kinds: Mapping[str, list[int]], notes: list[str]) -> int | None:
    """The joint called hips that carries both legs and the trunk, or the one where legs and trunk meet."""
    legs = _tops_of(roles, LEG)
    upper = _tops_of(roles, ARM) + [roles[role] for role in ("neck", "head") if role in roles]
    carried = legs + upper
    called = kinds.get("hips", [])
    fitting = [j for j in called if tree.above_all(j, carried)]
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
    legs = [(roles.get(side + "hip"), roles.get(side + "ankle")) for side in SIDES]
    return max((tree.distance(a, b) for a, b in legs if a is not None and b is not None), default=0.0)


def _spine_above_arms(tree: JointTree, roles: Roles, spines: Sequence[int]) -> Roles:
    """Neck and head where the joints of the spine are numbered up to the head, as in Blender's Rigify."""
    arms = _tops_of(roles, ARM)
    if len(arms) < len(SIDES):
        return {}
    carrier = tree.meeting(arms)
    above = sorted((j for j in spines if tree.above(carrier, j)), key=lambda j: tree.depth[j])
    return {"neck": above[0], "head": above[-1]} if len(above) > 1 and tree.in_line(above) else {}


def _back(tree: JointTree, roles: Roles, names: Sequence[JointName], joints: Sequence[int]) -> Roles:
    """Spine and chest among the joints of the back, which must lie in one line from the hips up."""
    arms = _tops_of(roles, ARM)
    column = _column(tree, roles, arms, joints)
    chests = [j for j in column if names[j].kind != "low" and tree.above_all(j, arms)]
    called = [j for j in chests if names[j].word == "chest"]
    if len(called) == 1 and any(names[j].word == "upperchest" for j in chests):
        chests = called
    back: Roles = {}
    if chests and (len(column) > 1 or names[chests[-1]].kind == "high"):
        back["chest"] = chests[-1]
    if column and column[0] != back.get("chest"):
        back["spine"] = column[0]
    return back


def _column(tree: JointTree, roles: Roles, arms: Sequence[int], joints: Iterable[int]) -> list[int]:
    """The joints between hips and neck, head or arms, from below; empty unless they lie in one line."""
    ends = [roles[role] for role in ("neck", "head") if role in roles] or arms
    column = [j for j in joints if tree.above_all(j, ends)]
    if "hips" in roles:
        column = [j for j in column if tree.above(roles["hips"], j)]
    column.sort(key=lambda j: tree.depth[j])
    return column if tree.in_line(column) else []
