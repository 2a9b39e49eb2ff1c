"""Joint centres among measured points: by name, or computed from markers on the skin.

Joint centres are known by the names that rigs have, those of pose estimators (``RBigToe``, ``CHip``) and those of gait
models (``LHJC``, ``LFEP``). From markers they are worked out where the markers say enough: hip centres by a regression
from the pelvis, shoulders by Rab et al. (2002) from the shoulder tips, knees, ankles, elbows and wrists half way
between markers on both sides, or inside of the outer one, in the plane of a marker on the limb above it, by a width in
proportion to the limb.

Hips are those of Harrington et al. (2007) where both sides of the pelvis are marked behind: their regression errs least
on scans of people it was not made from. It needs the depth of the pelvis, which a single marker on the sacrum does not
tell, for that is often on a wand; there hips are those of Bell et al. (1990), by the width alone.
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

# Markers by what they sit on, as Plug-in Gait, OpenSim's gait models, IOR, CAST, Helen Hayes and Davis have them.
_MARKERS = {
    "asis": "{}asi {}asis {}ias",
    "psis": "{}psi {}psis {}ips",
    "knee": "{}kne {}kneelat {}kneelateral {}lfc {}lfe {}fle {}le {}lknee {}knee {}knee1",
    "thigh": "{}thi {}thigh {}bar1",
    "shank": "{}tib {}shank {}bar2",
    "knee_in": "{}knm {}kneemed {}kneemedial {}mfc {}mfe {}fme {}me {}mknee {}knemed {}mkne",
    "ankle": "{}ank {}anklelat {}anklelateral {}lmal {}fal {}lm {}ankle {}mall",
    "ankle_in": "{}anm {}ankm {}anklemed {}anklemedial {}mmal {}tam {}mm {}ankmed {}medank {}med {}mank",
    "toe": "{}toe {}toetip {}toes {}mt2 {}bigtoe {}fm2 {}sm {}smh {}met",
    "toe_in": "{}fm1 {}fm {}mt1 {}fmh {}toemed",
    "toe_out": "{}fm5 {}vm {}mt5 {}vmh {}toelat",
    "heel": "{}hee {}heel {}cal {}fcc {}ca",
    "shoulder": "{}sho {}acromium {}acromion {}acr {}sae {}shoulder {}should",
    "elbow": "{}elb {}elbow {}elbowlat {}elbowlateral {}lel {}hle",
    "elbow_in": "{}elm {}elbowmed {}elbowmedial {}mel {}hme",
    "wrist": "{}wra {}wristlat {}wristlateral {}wristradius {}rsp {}faradius {}wrist",
    "wrist_in": "{}wrb {}wristmed {}wristmedial {}wristulna {}usp {}faulna",
}
HINGE_LABELS = frozenset(
    word.format(side[0])
    for part in ("knee", "knee_in", "ankle", "ankle_in")
    for word in _MARKERS[part].split()
    for side in SIDES
)
_MIDDLE_MARKERS = {
    "sacrum": "sacr vsacral sacrum sacral vsac",
    "clavicle": "clav sternum stern jugular sjn",
    "sternum": "strn xiph xiphoid sxs",
    "c7": "c7 cv7",
    "t10": "t10 tv10",
    "head": "lfhd rfhd lbhd rbhd tophead rhead lhead headtop fronthead rearhead",
}
# How far hip joints lie to the side, up and ahead of the middle between both front points of the pelvis: shares of its
# width and depth, and metres.
_HARRINGTON = np.array([[0.33, 0.0, 0.0073], [-0.30, 0.0, -0.0109], [0.0, -0.24, -0.0099]])
_BELL = np.array([[0.36, 0.0, 0.0], [-0.30, 0.0, 0.0], [-0.19, 0.0, 0.0]])  # likewise
_REED = (0.126, -0.264)  # of the width of the pelvis: how far up and ahead of there the lowest vertebra hinges (1999)
_RAB = 0.17  # of the distance between the shoulder tips: how far below them the joints lie
# Markers on thigh and shank are in the plane of the joint's axis in Plug-in Gait, Helen Hayes and Davis. One is taken
# to be if it is outside of the leg, within 40 degrees of the pelvis.
_WAND = np.cos(np.radians(40.0))
_FOREFOOT = 0.15  # of the distance from the ankle: half the thickness of a forefoot and of a marker on it, 2 cm
_KNEE_HALF, _ANKLE_HALF = 0.116, 0.081  # half a joint's width as a share of the bone above it, from Drillis and Contini


@dataclass(frozen=True)
class Centres:
    """Joint centres by role, and what else hangs on them."""

    roles: dict[str, Places]
    names: dict[str, str]  # role → what the file calls it, where that is a joint
    trunk: list[tuple[str, Places]] = field(default_factory=list)  # joints of the back by name, in no order
    necks: list[tuple[str, Places]] = field(default_factory=list)  # those of the neck
    lumbar: Places | None = None  # where the back joins a pelvis that was marked
    heels: dict[str, Places] = field(default_factory=dict)  # side → heel
    used: frozenset[str] = frozenset()
    estimated: tuple[str, ...] = ()  # what was worked out from markers, in words

    @property
    def missing(self) -> list[str]:
        """The joints of both legs down to the ankles that are not there."""
        legs = [side + part for side in SIDES for part in ("hip", "knee", "ankle")]
        return [role for role in legs if role not in self.roles]


def plain(name: str) -> str:
    """The letters and digits of a label without the subject before it: ``lknee`` of ``Subject1:L.Knee``."""
    return re.sub(r"[^a-z0-9]", "", re.split(r"[:|]", name)[-1].lower())


def _named_centres(names: Sequence[str], positions: Mapping[str, Places]) -> Centres:
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
    return Centres({role: positions[name] for role, name in chosen.items()}, chosen, trunk, necks, None, heels, used)


def joint_centres(names: Sequence[str], positions: Mapping[str, Places], metre: float) -> Centres:
    """Joint centres by name, or worked out from markers where there are those of a pelvis.

    Some sets call markers as others call joints, such as ``R.Thigh`` and ``R.Knee`` of Helen Hayes: beside a pelvis
    only names of gait models are believed.
    """
    named = _named_centres(names, positions)
    modelled = all(_alias(plain(named.names.get(f"{side}hip", "")))[1] == "hip" for side in SIDES)
    marked = _marker_centres(positions, metre)
    if named.missing or (not modelled and not marked.missing):
        return marked if len(marked.missing) <= len(named.missing) else named
    return named


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


def _marker_centres(positions: Mapping[str, Places], metre: float) -> Centres:
    """Joint centres worked out from markers on the skin."""
    markers = _Markers(positions)
    sides = {side: markers.of_side(side) for side in SIDES}
    left, right = sides.values()
    roles: dict[str, Places] = {}
    told: list[str] = []
    backs = [parts["psis"] for parts in sides.values() if "psis" in parts]
    regression = _HARRINGTON if len(backs) == len(sides) else _BELL
    backs = backs or markers.places(_MIDDLE_MARKERS["sacrum"])
    lumbar = None
    if "asis" in left and "asis" in right and backs:
        lumbar = _pelvis(roles, left["asis"], right["asis"], np.mean(backs, axis=0), metre, regression)
        told.append(f"hips by the regression of {'Harrington' if regression is _HARRINGTON else 'Bell'}")
        inward = _unit(roles["right_hip"] - roles["left_hip"])
        for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
            _leg(roles, told, side, sides[side], sign * inward)
    heels = {side: parts["heel"] for side, parts in sides.items() if "heel" in parts}
    _trunk(roles, told, sides, {part: markers.places(words) for part, words in _MIDDLE_MARKERS.items()})
    return Centres(roles, {}, [], [], lumbar, heels, frozenset(markers.used), tuple(dict.fromkeys(told)))


def _pelvis(
    roles: dict[str, Places],
    left: Places,
    right: Places,
    back: Places,
    metre: float,
    regression: Float[np.ndarray, "3 3"],
) -> Places:
    """Hip joints from the bones that one feels: both sides in front, and behind; returns where the back joins them."""
    front = 0.5 * (left + right)
    leftward = _unit(left - right)
    ahead = _square(front - back, leftward)
    upward = np.cross(ahead, leftward)
    width = float(np.median(np.linalg.norm(left - right, axis=1)))
    depth = float(np.median(np.linalg.norm(front - back, axis=1)))
    side, up, forward = regression @ [width, depth, metre]
    for role, sign in (("left_hip", 1.0), ("right_hip", -1.0)):
        roles[role] = front + sign * side * leftward + up * upward + forward * ahead
    roles["hips"] = 0.5 * (roles["left_hip"] + roles["right_hip"])
    return np.asarray(front + width * (_REED[0] * upward + _REED[1] * ahead))


def _leg(roles: dict[str, Places], told: list[str], side: str, parts: _Parts, inward: Places) -> None:
    """Knee and ankle: between two markers, or inside of the outer one."""
    above = roles[side + "hip"]
    for part, wand, share in (("knee", "thigh", _KNEE_HALF), ("ankle", "shank", _ANKLE_HALF)):
        if part not in parts:
            return
        if part + "_in" in parts:
            roles[side + part] = 0.5 * (parts[part] + parts[part + "_in"])
            told.append(f"{part}s between two markers")
        else:
            along = _unit(parts[part] - above)
            across = _square(inward, along)
            outward = _square(parts.get(wand, above) - above, along)
            if float(np.median(np.einsum("ti,ti->t", outward, across))) < -_WAND:
                across = -outward
            length = float(np.median(np.linalg.norm(parts[part] - above, axis=1)))
            roles[side + part] = parts[part] + share * length * across
            told.append(f"{part}s inside of the outer marker by a usual width")
        above = roles[side + part]
    toes = [parts[part] for part in ("toe", "toe_in", "toe_out") if part in parts]
    if "toe" in parts or len(toes) == 2:
        marker = parts["toe"] if "toe" in parts else 0.5 * (toes[0] + toes[1])
        foot, shank = marker - roles[side + "ankle"], roles[side + "ankle"] - roles[side + "knee"]
        down = _square(shank, _unit(foot))
        length = float(np.median(np.linalg.norm(foot, axis=1)))
        roles[side + "toe"] = marker + _FOREFOOT * length * down
        told.append("toes below their markers by a usual thickness")


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


def _square(vectors: Places, along: Places) -> Places:
    """Directions of vectors without what runs along unit ones."""
    return _unit(vectors - np.einsum("ti,ti->t", vectors, along)[:, None] * along)


def _unit(vectors: Places) -> Places:
    sizes = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(sizes, 1e-12))
