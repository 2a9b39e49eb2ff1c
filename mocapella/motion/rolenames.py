"""What a joint's name says about its role, whichever program wrote it.

A name is cut into words; the prefix that all joints share, the side and the numbers are put aside, and what is left
must be in the table below as a whole. Nothing is guessed from parts of words, so twist, finger, end and control joints
fall through.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from mocapella.motion.rolelist import LEFT, RIGHT

# How well a word fits a part: 9 or 10 where it can hardly mean anything else, less where another joint may have the
# better claim. HumanIK's "LeftShoulder" is a clavicle because its "LeftArm" is the better shoulder; alone it is one.
_LIMB_TABLE = """
    hip       10  upleg upperleg legupper thigh thighbend femur
    hip        8  hip
    hip        5  hipjoint
    hip        4  leg
    knee      10  knee lowleg loleg lowerleg leglower shin shinbend calf tibia
    knee       9  leg
    ankle     10  ankle
    ankle      9  foot
    toe       10  toe toes toebase toeball ball bale
    toe        9  forefoot
    toe        2  foot
    clavicle  10  clavicle clav collar collarbone
    clavicle   8  scapula
    clavicle   6  shoulder shoulderjoint
    shoulder  10  upperarm uparm armupper uarm humerus shldr shldrbend
    shoulder   9  arm
    shoulder   8  shoulder shoulderjoint
    elbow     10  elbow forearm forearmbend lowerarm lowarm loarm armlower farm radius ulna
    wrist     10  wrist
    wrist      9  hand
"""
_MIDDLE_TABLE = """
    hips   hips hip pelvis spinebase
    low    lowerback lowback ab abdomen abdomenlower abdomenupper lowerabdomen upperabdomen belly stomach waist lumbar
           lowerspine spinelower lowertorso
    spine  spine back torso middlespine midspine spinemid
    high   chest upperchest lowerchest chestlower chestupper thorax ribcage upperback upback upperspine spineupper
           uppertorso spineshoulder
    neck   neck lowerneck upperneck necklower neckupper neckbase
    head   head
"""

_SIDES = {"l": LEFT, "left": LEFT, "r": RIGHT, "right": RIGHT}
_MIDDLE_MARKS = {"c", "m", "center", "centre"}  # VRoid and Maya rigs mark the middle as they mark the sides
_PREFIXES = {"mixamorig", "bip", "robot", "neuron", "j", "jt", "jnt", "joint", "bone", "bn", "def"}
_SUFFIXES = ("joint", "jnt", "jt", "bone")
_VERTEBRAE = {("l", n): "low" for n in range(1, 6)} | {("t", n): "high" for n in range(1, 13)}
_VERTEBRAE |= {("c", n): "neck" for n in range(1, 8)}
_COMMON = 0.8  # the share of joints that must open with a word for it to be a prefix


def _limb_words() -> dict[str, dict[str, int]]:
    words: dict[str, dict[str, int]] = {}
    for line in _LIMB_TABLE.split("\n"):
        part, fit, *named = line.split() or ("", "0")
        for word in named:
            words.setdefault(word, {})[part] = int(fit)
    return words


def _middle_words() -> dict[str, str]:
    words: dict[str, str] = {}
    part = ""
    for line in _MIDDLE_TABLE.split("\n"):
        named = line.split()
        if line[4:5].strip():  # a heading stands where the other lines are indented further
            part, *named = named
        words.update(dict.fromkeys(named, part))
    return words


LIMB_WORDS = _limb_words()  # word → part → how well it fits
MIDDLE_WORDS = _middle_words()  # word → hips, low, spine, high, neck or head


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
        return LIMB_WORDS.get(self.word, {}) if self.side else {}


def read_names(names: Sequence[str]) -> Sequence[JointName]:
    """Take all names of a skeleton apart; what they share in front says nothing."""
    return _read_names(tuple(names))


@lru_cache(maxsize=32)  # the captures of a studio share a handful of rigs
def _read_names(names: tuple[str, ...]) -> tuple[JointName, ...]:
    present = set(names)
    spacers = ["__" in name and name.replace("__", "", 1) in present for name in names]  # MakeHuman's "__UpLeg_L"
    split = [[] if spacer else _words(name) for name, spacer in zip(names, spacers, strict=True)]
    rest = _without_prefix(split)
    spelled = {words[0] for words in rest if _vertebra(words)}
    vertebrae = {"l", "t"} <= spelled  # "C3" alone is no cervical vertebra
    return tuple(_read(words, vertebrae) for words in rest)


def _words(name: str) -> list[str]:
    """Split at separators, capitals and digits, in lower case: ``Bip01 L UpperArm`` → bip 01 l upper arm."""
    last = re.split(r"[:|]", name)[-1]
    pieces = re.findall(r"\d+|[^\W\d_]+", last)
    return [
        word.lower() for piece in pieces for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^A-Za-z\d]+", piece)
    ]


def _without_prefix(split: Sequence[list[str]]) -> list[list[str]]:
    """Drop leading words that most joints share or that rigs are known to put there."""
    rest = [_without_known_prefix(words) for words in split]
    while True:
        openings = Counter(words[0] for words in rest if words)
        word, count = openings.most_common(1)[0] if openings else ("", 0)
        if count < max(3.0, _COMMON * sum(openings.values())) or _means_something(word):
            return rest
        rest = [_without_known_prefix(words[1:]) if words[:1] == [word] else words for words in rest]


def _without_known_prefix(words: list[str]) -> list[str]:
    while words and words[0] in _PREFIXES:
        words = words[2:] if len(words) > 2 and words[1].isdigit() else words[1:]
    return words


def _means_something(word: str) -> bool:
    return word in _SIDES or word in LIMB_WORDS or word in MIDDLE_WORDS or word in {"upper", "lower", "up", "lo", "low"}


def _vertebra(words: list[str]) -> str:
    if len(words) == 2 and words[1].isdecimal() and len(words[1]) <= 2:
        return _VERTEBRAE.get((words[0], int(words[1])), "")
    return ""


def _read(words: list[str], vertebrae: bool) -> JointName:
    numbers = tuple(int(word[:9]) for word in words if word.isdecimal())
    if vertebrae and _vertebra(words):
        return JointName("", "".join(words), numbers, _vertebra(words))
    plain = [word for word in words if not word.isdecimal()]
    if len(plain) > 1 and (plain[0] in _MIDDLE_MARKS or plain[-1] in _MIDDLE_MARKS):
        plain = plain[1:] if plain[0] in _MIDDLE_MARKS else plain[:-1]
    sides = [_SIDES[word] for word in plain if word in _SIDES]
    if len(sides) > 1:
        return JointName("", "")
    joined = "".join(word for word in plain if word not in _SIDES)
    word = _known(joined)
    if sides:
        return JointName(sides[0], word, numbers)
    if word in MIDDLE_WORDS:
        return JointName("", word, numbers, MIDDLE_WORDS[word])
    for mark in ("left", "right", "l", "r"):  # "lfemur", "rightfoot": nothing marks the end of the first word
        if joined.startswith(mark) and _known(joined.removeprefix(mark)) in LIMB_WORDS:
            return JointName(_SIDES[mark], _known(joined.removeprefix(mark)), numbers)
    return JointName("", word, numbers)


def _known(word: str) -> str:
    """The word without "joint" or "bone" at its end, unless the table has it so."""
    if word in LIMB_WORDS or word in MIDDLE_WORDS:
        return word
    for suffix in _SUFFIXES:
        if word.endswith(suffix):
            return word.removesuffix(suffix)
    return word
