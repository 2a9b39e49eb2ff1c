"""Joint centres among measured points: by name, or computed from markers on the skin.

Joint centres are known by the names that rigs have, those of pose estimators (``RBigToe``, ``CHip``) and those of gait
models (``LHJC``, ``LFEP``). From markers they are worked out where the markers say enough: hip centres by the
regression of Harrington et al. (2007) from the pelvis, shoulders by Rab et al. (2002) from the shoulder tips, knees,
ankles, elbows and wrists half way between markers on both sides, or from the outer one alone by a width in proportion
to the limb.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

from mocapella.rig.names import LEFT, SIDES, read_names

Places = Float[np.ndarray, "frames 3"]
_Parts = Mapping[str, Places]  # the markers of a side

# Names of points that are no joints' names elsewhere, without the side before them, l or r.
_LEG_ALIASES = {"hjc": "hip", "fep": "hip", "kjc": "knee", "feo": "knee", "ajc": "ankle", "tio": "ankle"}
_ARM_ALIASES = {"sjc": "shoulder", "hup": "shoulder", "ejc": "elbow", "huo": "elbow", "wjc": "wrist", "rao": "wrist"}
_ALIASES = {**_LEG_ALIASES, **_ARM_ALIASES, "bigtoe": "toe", "heel": "heel", "calc": "heel"}
_MIDDLES = {"pelo": "hips", "chip": "hips", "midhip": "hips", "trxo": "chest", "hedo": "head"}

# Markers by what they sit on.
_MARKERS = {
    "asis": "{}asi {}asis",
    "psis": "{}psi {}psis",
    "knee": "{}kne {}kneelat {}kneelateral {}lfc {}fle {}lknee",
    "knee_in": "{}knm {}kneemed {}kneemedial {}mfc {}fme {}mknee {}knemed",
    "ankle": "{}ank {}anklelat {}anklelateral {}lmal {}fal",
    "ankle_in": "{}anm {}ankm {}anklemed {}anklemedial {}mmal {}tam {}ankmed {}medank",
    "toe": "{}toe {}toetip {}toes {}mt2 {}bigtoe {}fm2",
    "heel": "{}hee {}heel {}cal {}fcc",
    "shoulder": "{}sho {}acromium {}acromion {}acr {}shoulder",
    "elbow": "{}elb {}elbow {}elbowlat {}elbowlateral {}lel {}hle",
    "elbow_in": "{}elm {}elbowmed {}elbowmedial {}mel {}hme",
    "wrist": "{}wra {}wristlat {}wristlateral {}wristradius {}rsp {}wrist",
    "wrist_in": "{}wrb {}wristmed {}wristmedial {}wristulna {}usp",
}
_MIDDLE_MARKERS = {
    "sacrum": "sacr vsacral sacrum vsac",
    "clavicle": "clav sternum stern jugular",
    "sternum": "strn xiph xiphoid",
    "c7": "c7",
    "t10": "t10",
    "head": "lfhd rfhd lbhd rbhd tophead rhead lhead headtop",
}
_HARRINGTON = np.array([[0.33, 0.0, 0.0073], [-0.30, 0.0, -0.0109], [0.0, -0.24, -0.0099]])  # left, up, ahead
_RAB = 0.17  # of the distance between the shoulder tips: how far below them the joints lie
_KNEE_HALF, _ANKLE_HALF = 0.116, 0.081  # half a joint's width as a share of the bone above it, from Drillis and Contini


@dataclass(frozen=True)
class Centres:
    """Joint centres by role, and what else hangs on them."""

    roles: dict[str, Places]
    names: dict[str, str]  # role → what the file calls it, where that is a joint
    trunk: list[tuple[str, Places]] = field(default_factory=list)  # joints of the back by name, in no order
    necks: list[tuple[str, Places]] = field(default_factory=list)  # those of the neck
    heels: dict[str, Places] = field(default_factory=dict)  # side → heel
    used: frozenset[str] = frozenset()
    estimated: tuple[str, ...] = ()  # what was worked out from markers, in words

    @property
    def make_a_body(self) -> bool:
        """Whether there are both legs down to the ankles."""
        return all(f"{side}{part}" in self.roles for side in SIDES for part in ("hip", "knee", "ankle"))


def plain(name: str) -> str:
    """The letters and digits of a label without the subject before it: ``lknee`` of ``Subject1:L.Knee``."""
    return re.sub(r"[^a-z0-9]", "", re.split(r"[:|]", name)[-1].lower())


def named_centres(names: Sequence[str], positions: Mapping[str, Places]) -> Centres:
    """The points whose names say that they are joints."""
    claims: list[tuple[int, str, str]] = []
    trunk: list[tuple[str, Places]] = []
    necks: list[tuple[str, Places]] = []
    heels: dict[str, Places] = {}
    middles: dict[str, str] = {}
    for name, read in zip(names, read_names(tuple(re.split(r"[:|]", label)[-1] for label in names)), strict=True):
        side, alias = _alias(plain(name))
        if alias == "heel":
            heels[side] = positions[name]
        elif alias is not None:
            claims.append((10, side + alias, name))
        elif plain(name) in _MIDDLES:
            middles[_MIDDLES[plain(name)]] = name
        elif read.kind == "neck":
            necks.append((name, positions[name]))
        elif read.kind in ("hips", "head"):
            middles.setdefault(read.kind, name)
        elif read.kind:
            trunk.append((name, positions[name]))
        else:
            claims += [(fit, read.side + part, name) for part, fit in read.fits.items()]
    chosen = _settled(claims) | middles
    used = frozenset({*chosen.values(), *(name for name, _ in (*trunk, *necks))})
    return Centres({role: positions[name] for role, name in chosen.items()}, chosen, trunk, necks, heels, used)


def _alias(label: str) -> tuple[str, str | None]:
    """The side of a label that begins with one, and the part of the body that it is another word for."""
    short = re.sub(r"^(left|right)", lambda side: side.group()[0], label)
    alias = _ALIASES.get(short[1:]) if short[:1] in ("l", "r") else None
    return LEFT if short.startswith("l") else "right_", alias


def _settled(claims: list[tuple[int, str, str]]) -> dict[str, str]:
    """Role → name, by claims of (fit, role, name): the best fits first, each role and name once."""
    chosen: dict[str, str] = {}
    for _, role, name in sorted(claims, key=lambda claim: -claim[0]):
        if role not in chosen and name not in chosen.values():
            chosen[role] = name
    return chosen


class _Markers:
    """Markers by what they sit on."""

    def __init__(self, positions: Mapping[str, Places]) -> None:
        self.positions = positions
        self.labels = {plain(name): name for name in positions}
        self.used: set[str] = set()  # names of all that were asked for

    def places(self, words: str, side: str = "") -> list[Places]:
        """The markers of some labels, whose {} stands for the side."""
        labels = [word.format(side[:1]) for word in words.split()]
        names = [self.labels[label] for label in labels if label in self.labels]
        self.used.update(names)
        return [self.positions[name] for name in names]

    def of_side(self, side: str) -> dict[str, Places]:
        """The first marker of each part of a side."""
        places = {part: self.places(words, side) for part, words in _MARKERS.items()}
        return {part: markers[0] for part, markers in places.items() if markers}


def marker_centres(positions: Mapping[str, Places], metre: float) -> Centres:
    """Joint centres worked out from markers on the skin."""
    markers = _Markers(positions)
    sides = {side: markers.of_side(side) for side in SIDES}
    left, right = sides.values()
    roles: dict[str, Places] = {}
    told: list[str] = []
    backs = [parts["psis"] for parts in sides.values() if "psis" in parts]
    backs = backs or markers.places(_MIDDLE_MARKERS["sacrum"])
    if "asis" in left and "asis" in right and backs:
        _pelvis(roles, left["asis"], right["asis"], np.mean(backs, axis=0), metre)
        told.append("hips by Harrington's regression")
        inward = _unit(roles["right_hip"] - roles["left_hip"])
        for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
            _leg(roles, told, side, sides[side], sign * inward)
    heels = {side: parts["heel"] for side, parts in sides.items() if "heel" in parts}
    _trunk(roles, told, sides, {part: markers.places(words) for part, words in _MIDDLE_MARKERS.items()})
    return Centres(roles, {}, [], [], heels, frozenset(markers.used), tuple(dict.fromkeys(told)))


def _pelvis(roles: dict[str, Places], left: Places, right: Places, back: Places, metre: float) -> None:
    """Hip joints from the bones that one feels: both sides in front, and behind."""
    front = 0.5 * (left + right)
    leftward = _unit(left - right)
    ahead = front - back
    ahead = _unit(ahead - np.einsum("ti,ti->t", ahead, leftward)[:, None] * leftward)
    upward = np.cross(ahead, leftward)
    width = float(np.median(np.linalg.norm(left - right, axis=1)))
    depth = float(np.median(np.linalg.norm(front - back, axis=1)))
    side, up, forward = _HARRINGTON @ [width, depth, metre]
    for role, sign in (("left_hip", 1.0), ("right_hip", -1.0)):
        roles[role] = front + sign * side * leftward + up * upward + forward * ahead
    roles["hips"] = 0.5 * (roles["left_hip"] + roles["right_hip"])


def _leg(roles: dict[str, Places], told: list[str], side: str, parts: _Parts, inward: Places) -> None:
    """Knee and ankle: between two markers, or inside of the outer one."""
    above = roles[side + "hip"]
    for part, share in (("knee", _KNEE_HALF), ("ankle", _ANKLE_HALF)):
        if part not in parts:
            return
        if part + "_in" in parts:
            roles[side + part] = 0.5 * (parts[part] + parts[part + "_in"])
            told.append(f"{part}s between two markers")
        else:
            along = _unit(parts[part] - above)
            across = _unit(inward - np.einsum("ti,ti->t", inward, along)[:, None] * along)
            length = float(np.median(np.linalg.norm(parts[part] - above, axis=1)))
            roles[side + part] = parts[part] + share * length * across
            told.append(f"{part}s inside of the outer marker by a usual width")
        above = roles[side + part]
    if "toe" in parts:
        roles[side + "toe"] = parts["toe"]


def _trunk(
    roles: dict[str, Places], told: list[str], sides: Mapping[str, _Parts], middle: Mapping[str, list[Places]]
) -> None:
    """Shoulders, arms, neck and head."""
    left, right = (sides[side] for side in SIDES)
    if "shoulder" not in left or "shoulder" not in right or "hips" not in roles:
        return
    tips = left["shoulder"] - right["shoulder"]
    down = roles["hips"] - 0.5 * (left["shoulder"] + right["shoulder"])
    drop = _RAB * float(np.median(np.linalg.norm(tips, axis=1))) * _unit(down)
    told.append("shoulders below their tips by Rab's share")
    for side, parts in sides.items():
        roles[side + "shoulder"] = parts["shoulder"] + drop
        for part in ("elbow", "wrist"):
            if part not in parts:
                break
            inner = parts.get(part + "_in")
            roles[side + part] = parts[part] if inner is None else 0.5 * (parts[part] + inner)
    round_it = [place for part in ("clavicle", "sternum", "c7", "t10") for place in middle[part]]
    if len(round_it) > 1:
        roles["chest"] = np.mean(round_it, axis=0)
    if middle["c7"] and middle["clavicle"]:
        roles["neck"] = 0.5 * (middle["c7"][0] + middle["clavicle"][0])
    if middle["head"]:
        roles["head"] = np.mean(middle["head"], axis=0)


def _unit(vectors: Places) -> Places:
    sizes = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(sizes, 1e-12))
