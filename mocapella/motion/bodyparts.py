"""The parts a plain body is put together from: trunk, head, limbs, hands and feet, each a tube along some joints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float, Int

from mocapella.geometry.lofts import circle, loft
from mocapella.motion.skeleton import Skeleton

N_INFLUENCES = 4  # joints that may carry one vertex; what glTF and the engines take
STATURE_PER_LEG = 2.04  # hip joint to ankle is 49 % of a person's height
SIDES = ("left_", "right_")
TINY = 1e-6  # metres; a skeleton no larger is a point
X, Y, Z = np.eye(3)

# The shape of a part, one row per ring: how far along it lies (0 at the first joint, 1 at the next, …), half its width,
# half its depth, both in parts of a person's height.
Rows = Sequence[tuple[float, float, float]]
LEG: Rows = [
    (0.00, 0.048, 0.050),
    (0.12, 0.049, 0.052),
    (0.32, 0.047, 0.051),
    (0.70, 0.038, 0.041),
    (0.92, 0.032, 0.035),
    (1.00, 0.031, 0.034),
    (1.08, 0.030, 0.033),
    (1.30, 0.033, 0.036),
    (1.62, 0.026, 0.028),
    (1.90, 0.020, 0.023),
    (2.00, 0.019, 0.021),
]
ARM: Rows = [
    (0.00, 0.031, 0.031),
    (0.14, 0.031, 0.032),
    (0.34, 0.029, 0.031),
    (0.70, 0.024, 0.025),
    (0.92, 0.022, 0.023),
    (1.00, 0.021, 0.022),
    (1.08, 0.021, 0.023),
    (1.28, 0.023, 0.025),
    (1.62, 0.019, 0.020),
    (1.96, 0.014, 0.016),
]
COLLAR: Rows = [(0.15, 0.026, 0.028), (0.60, 0.031, 0.032), (0.95, 0.031, 0.031)]
NECK: Rows = [(-0.20, 0.036, 0.034), (0.20, 0.032, 0.033), (0.90, 0.030, 0.032)]
HAND: Rows = [
    (-0.02, 0.013, 0.016),
    (0.22, 0.014, 0.022),
    (0.50, 0.013, 0.024),
    (0.80, 0.010, 0.020),
    (0.94, 0.007, 0.014),
]
# These two say where their tips lie, in a first and a last row of no width; the others are rounded off.
HEAD: Rows = [
    (0.00, 0.000, 0.000),
    (0.03, 0.018, 0.026),
    (0.14, 0.031, 0.041),
    (0.36, 0.040, 0.050),
    (0.60, 0.044, 0.055),
    (0.80, 0.039, 0.049),
    (0.94, 0.022, 0.029),
    (1.00, 0.000, 0.000),
]
PLAIN: Rows = [(0.0, 0.0, 0.0), (0.04, 0.6, 0.6), (0.18, 1.0, 1.0), (0.80, 0.7, 0.7), (0.96, 0.4, 0.4), (1.0, 0.0, 0.0)]
# A foot's section, across and up: flat below, round above.
SOLE = np.array([(1, 0), (1, 0.35), (0.75, 0.8), (0.3, 1), (-0.3, 1), (-0.75, 0.8), (-1, 0.35), (-1, 0)], dtype=float)


@dataclass(frozen=True, eq=False)
class Part:
    """One closed surface, and what it covers, so that no plain limb is drawn there too."""

    vertices: Float[np.ndarray, "vertices 3"]
    faces: Int[np.ndarray, "faces 3"]
    joints: Int[np.ndarray, "vertices 4"]
    weights: Float[np.ndarray, "vertices 4"]
    covers: frozenset[int] = field(default=frozenset())  # joints: the way to each from its parent
    covers_ends_of: frozenset[int] = field(default=frozenset())  # joints: the way from each to its end sites


@dataclass(frozen=True, eq=False)
class Figure:
    """A skeleton as a body sees it: its roles, its size, and which way it looks at rest."""

    skeleton: Skeleton
    roles: Mapping[str, int]
    height: float  # of the whole person, metres
    left: Float[np.ndarray, 3]
    up: Float[np.ndarray, 3]
    forward: Float[np.ndarray, 3]

    @classmethod
    def of(cls, skeleton: Skeleton, roles: Mapping[str, int]) -> Figure:
        """Size from the legs, directions from hips, shoulders and neck; from all joints and the axes without those."""
        at = skeleton.rest_positions

        def way(start: str, end: str) -> Float[np.ndarray, 3]:
            return np.asarray(at[roles[end]] - at[roles[start]]) if {start, end} <= set(roles) else np.zeros(3)

        legs = [
            np.linalg.norm(way(f"{s}hip", f"{s}knee")) + np.linalg.norm(way(f"{s}knee", f"{s}ankle")) for s in SIDES
        ]
        extent = np.ptp(np.concatenate([at, skeleton.rest_end_positions]), axis=0).max()
        height = STATURE_PER_LEG * max(legs) if min(legs) > 0.0 else extent
        up = _straightened(square_to(np.zeros(3), way("hips", "neck"), way("hips", "head"), Y))
        leftwards = way("right_hip", "left_hip") + way("right_shoulder", "left_shoulder")
        left = _straightened(square_to(up, leftwards, X, Z))
        return cls(skeleton, roles, float(height), left, up, np.cross(left, up))

    def at(self, joint: int) -> Float[np.ndarray, 3]:
        """Where a joint rests."""
        return np.asarray(self.skeleton.rest_positions[joint])

    def chain(self, *roles: str) -> list[int]:
        """The joints from the first role down to the last, by way of the others; empty where there is no such way."""
        if not all(role in self.roles for role in roles):
            return []
        path = self.skeleton.path(self.roles[roles[-1]])[::-1]
        steps = [path.index(self.roles[role]) if self.roles[role] in path else -1 for role in roles]
        return path[steps[0] :] if steps[0] >= 0 and steps == sorted(steps) else []

    def below(self, joint: int) -> list[int]:
        """All joints that hang on ``joint``, directly or not."""
        return [other for other in range(joint + 1, self.skeleton.n_joints) if joint in self.skeleton.path(other)]

    def tip(self, joint: int) -> Float[np.ndarray, 3] | None:
        """The farthest end site of a joint, or None."""
        offsets = self.skeleton.end_offsets[self.skeleton.end_joints == joint]
        return None if len(offsets) == 0 else np.asarray(self.at(joint) + max(offsets, key=lambda v: float(v @ v)))


def parts_of(figure: Figure) -> list[Part]:
    """All parts of a body; at least one."""
    if figure.height < TINY:
        return [ball(figure)]
    parts = [*torso(figure), *neck(figure), *head(figure)]
    for side in SIDES:
        parts += [*limb(figure, (f"{side}hip", f"{side}knee", f"{side}ankle"), LEG), *foot(figure, side)]
        parts += limb(figure, (f"{side}clavicle", f"{side}shoulder"), COLLAR)
        parts += [*limb(figure, (f"{side}shoulder", f"{side}elbow", f"{side}wrist"), ARM), *hand(figure, side)]
    parts += plain_limbs(figure, parts)
    return parts or [ball(figure)]  # a stand and nothing on it


def torso(figure: Figure) -> list[Part]:
    """From between the legs to the collar, wider than deep, bending softly with the spine."""
    corners = ("left_hip", "right_hip", "left_shoulder", "right_shoulder")
    spine = figure.chain("hips", "chest") or figure.chain("hips", "spine")
    if not spine or not all(corner in figure.roles for corner in corners):
        return []
    hips, shoulders = np.array([figure.at(figure.roles[corner]) for corner in corners]).reshape(2, 2, 3)
    line = np.array([hips.mean(axis=0), shoulders.mean(axis=0)])
    length, h = _length(line[1] - line[0]), figure.height
    if length < 0.1 * h:
        return []  # the shoulders sit on the hips: no room for a trunk
    hip = float(np.clip(0.5 * _length(hips[0] - hips[1]) + 0.032 * h, 0.080 * h, 0.105 * h))
    shoulder = float(np.clip(0.5 * _length(shoulders[0] - shoulders[1]), 0.090 * h, 0.125 * h))
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
    heights = [float((figure.at(joint) - line[0]) @ (line[1] - line[0])) / length for joint in spine]
    inside = {joint for corner in corners for joint in figure.chain("hips", corner)}
    return [
        tube(
            line,
            rows,
            spine,
            np.maximum.accumulate(heights),
            softness=0.035 * h,
            looks=(figure.forward, figure.up),
            profile=circle(14),
            covers=inside | set(spine),
        )
    ]


def neck(figure: Figure) -> list[Part]:
    """From the collar into the head."""
    return limb(figure, ("neck", "head"), NECK)


def head(figure: Figure) -> list[Part]:
    """An egg, narrow at the chin, whose crown is the head's end site where it has one."""
    if "head" not in figure.roles:
        return []
    joint, h = figure.roles["head"], figure.height
    base, crown = figure.at(joint), figure.tip(joint)
    if crown is None or _length(crown - base) < 0.03 * h:
        crown = base + 0.12 * h * figure.up
    axis = square_to(np.zeros(3), crown - base, figure.up)
    above_neck = _length(crown - figure.at(figure.roles.get("neck", joint)))
    tall = float(np.clip(0.75 * above_neck, 0.115 * h, 0.135 * h))
    return [
        tube(
            np.array([crown - tall * axis, crown]) + 0.010 * h * figure.forward,
            np.array(HEAD) * [tall, h, h],
            [joint],
            [0.0],
            softness=0.01 * h,
            looks=(figure.forward, figure.up),
            profile=circle(12),
            covers=[*figure.chain("hips", "head"), *figure.below(joint)],  # a face of needles is no face
            covers_ends_of=[joint, *figure.below(joint)],
        )
    ]


def limb(figure: Figure, roles: Sequence[str], shape: Rows) -> list[Part]:
    """A tube from role to role, through whatever joints lie between; nothing where two of them fall together."""
    chain = figure.chain(*roles)
    line = np.array([figure.at(joint) for joint in chain]).reshape(-1, 3)
    arcs = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=-1))])
    knots = np.array([arcs[chain.index(figure.roles[role])] for role in roles]) if chain else np.zeros(2)
    if np.diff(knots).min() < 0.01 * figure.height:
        return []
    rows = np.array(shape) * [1.0, figure.height, figure.height]
    rows[:, 0] = _beyond(rows[:, 0], np.arange(len(knots), dtype=float), knots)
    return [
        tube(
            line,
            _rounded_off(rows),
            chain[:-1],
            arcs[:-1],
            softness=0.015 * figure.height,
            looks=(figure.forward, figure.up),
            profile=circle(10),
            covers=chain[1:],
        )
    ]


def hand(figure: Figure, side: str) -> list[Part]:
    """A mitten over the longest finger, or a palm where there are several; flat square to the way the body looks."""
    if f"{side}wrist" not in figure.roles:
        return []
    wrist, h, skeleton = figure.roles[f"{side}wrist"], figure.height, figure.skeleton
    below = figure.below(wrist)
    ends = {joint: tip for joint in [wrist, *below] if (tip := figure.tip(joint)) is not None}
    reach = {joint: _length(ends.get(joint, figure.at(joint)) - figure.at(wrist)) for joint in [wrist, *below]}
    longest = max(reach, key=lambda joint: reach[joint])
    path = skeleton.path(longest)
    chain = path[path.index(wrist) :: -1]
    knuckles = [j for j in below if reach[j] > 0.0 and _length(figure.at(j) - figure.at(wrist)) > 0.03 * h]
    fingers = {skeleton.path(joint)[skeleton.path(joint).index(wrist) - 1] for joint in knuckles}
    if len(fingers) >= 3:  # real fingers, drawn one by one beyond the palm
        roots = [min((j for j in knuckles if first in skeleton.path(j)), key=lambda j: reach[j]) for first in fingers]
        goal, chain, ended = np.mean([figure.at(j) for j in sorted(roots)], axis=0), [wrist], []
    else:
        goal, ended = ends.get(longest, figure.at(longest)), [longest]
    forearm = figure.at(wrist) - figure.at(figure.roles.get(f"{side}elbow", wrist))
    way = goal - figure.at(wrist)
    if _length(way) < 0.04 * h:
        way, chain = 0.105 * h * square_to(np.zeros(3), forearm, figure.up), [wrist]
    line = np.array([figure.at(wrist), figure.at(wrist) + way])
    stops = [_length(figure.at(joint) - figure.at(wrist)) for joint in chain]
    return [
        tube(
            line,
            _rounded_off(np.array(HAND) * [_length(way), h, h]),
            chain,
            np.maximum.accumulate(stops),
            softness=0.008 * h,
            looks=(figure.forward, figure.left),
            profile=circle(8),
            covers=chain[1:],
            covers_ends_of=ended,
        )
    ]


def foot(figure: Figure, side: str) -> list[Part]:
    """A wedge from behind the heel to the tip of the toes, flat below."""
    chain = figure.chain(f"{side}ankle", f"{side}toe") or figure.chain(f"{side}ankle")
    if not chain:
        return []
    h, ankle, up = figure.height, figure.at(chain[0]), figure.up
    tip = figure.tip(chain[-1])
    points = [figure.at(joint) for joint in chain] + ([] if tip is None else [tip])
    way = points[-1] - ankle
    ahead = square_to(up, way, figure.forward) if _length(way) > 0.02 * h else figure.forward
    sole = min(float((point - ankle) @ up) for point in points) - 0.014 * h
    instep = min(-sole, 0.06 * h) + 0.008 * h
    ball_at = float((figure.at(chain[-1]) - ankle) @ ahead) if len(chain) > 1 else 0.09 * h
    ball_at = max(ball_at, 0.04 * h)
    tip_at = max(float((points[-1] - ankle) @ ahead), ball_at + 0.035 * h)
    rows = np.array(
        [
            (-0.040 * h, 0.0, 0.0),
            (-0.036 * h, 0.017 * h, 0.7 * instep),
            (-0.015 * h, 0.021 * h, instep),
            (0.3 * ball_at, 0.023 * h, 0.9 * instep),
            (ball_at, 0.028 * h, 0.5 * instep),
            (0.3 * ball_at + 0.7 * tip_at, 0.024 * h, 0.35 * instep),
            (tip_at - 0.003 * h, 0.014 * h, 0.25 * instep),
            (tip_at, 0.0, 0.0),
        ]
    )
    floor = ankle + sole * up
    return [
        tube(
            np.array([floor, floor + ahead]),
            rows,
            chain,
            np.maximum.accumulate([float((figure.at(joint) - ankle) @ ahead) for joint in chain]),
            softness=0.01 * h,
            looks=(up, figure.left),
            profile=SOLE,
            covers=figure.below(chain[0]),
            covers_ends_of=[chain[0], *figure.below(chain[0])],
        )
    ]


def plain_limbs(figure: Figure, parts: Sequence[Part]) -> list[Part]:
    """A slim spindle for every length between joints, or to an end site, that no part covers.

    What leads from the root to the hips is left out: it is a stand to hold the person, nothing of the body.
    """
    skeleton = figure.skeleton
    covered = {joint for part in parts for joint in part.covers}
    ended = {joint for part in parts for joint in part.covers_ends_of}
    if "hips" in figure.roles:
        covered |= set(skeleton.path(figure.roles["hips"]))
    lengths = [
        (int(skeleton.parents[joint]), figure.at(joint))
        for joint in range(1, skeleton.n_joints)
        if joint not in covered
    ]
    lengths += [
        (int(joint), tip)
        for joint, tip in zip(skeleton.end_joints, skeleton.rest_end_positions, strict=True)
        if joint not in ended
    ]
    return [
        spindle(figure, joint, figure.at(joint), goal)
        for joint, goal in lengths
        if _length(goal - figure.at(joint)) > max(TINY, 1e-4 * figure.height)
    ]


def spindle(figure: Figure, joint: int, start: Float[np.ndarray, 3], goal: Float[np.ndarray, 3]) -> Part:
    """A length that one joint carries, thickest near its start."""
    length = _length(goal - start)
    radius = float(np.clip(0.16 * length, 0.004 * figure.height, 0.04 * figure.height))
    return tube(
        np.array([start, goal]),
        np.array(PLAIN) * [length, radius, radius],
        [joint],
        [0.0],
        softness=0.1 * length,
        looks=(figure.forward, figure.up),
        profile=circle(6),
    )


def ball(figure: Figure) -> Part:
    """All there is to see of joints that lie in one point: 10 cm across."""
    centre = figure.at(0)
    return tube(
        np.array([centre, centre + Y]),
        _rounded_off(np.array([(0.0, 0.05, 0.05)])),
        [0],
        [0.0],
        softness=0.01,
        looks=(Z,),
        profile=circle(8),
    )


def tube(
    line: Float[np.ndarray, "points 3"],
    rows: Float[np.ndarray, "rows 3"],
    joints: Sequence[int],
    stops: Sequence[float] | Float[np.ndarray, " joints"],
    *,
    softness: float,
    looks: Sequence[Float[np.ndarray, 3]],
    profile: Float[np.ndarray, "corners 2"],
    covers: Iterable[int] = (),
    covers_ends_of: Iterable[int] = (),
) -> Part:
    """A part along a line; its rows are as in the tables above, but all in metres.

    From the first joint on, each carries what lies beyond its stop, a length along the line, and takes over within
    ``softness`` to either side. Depth is measured along the first of ``looks`` that the line does not follow.
    """
    at = rows[:, 0]
    chords = _along(line, at + softness) - _along(line, at - softness)
    tangents = np.stack([square_to(np.zeros(3), chord, line[-1] - line[0], Y) for chord in chords])
    look = next((look for look in looks if np.abs(tangents @ look).max() < 0.9), looks[-1])
    deep = np.stack([square_to(tangent, look, X, Y, Z) for tangent in tangents])
    across = np.cross(tangents, deep)
    centres = _along(line, at)
    inner = slice(1, -1)
    vertices, faces = loft(
        centres[inner], rows[inner, 1:2] * across[inner], rows[inner, 2:] * deep[inner], centres[[0, -1]], profile
    )
    begun = np.clip((at[:, None] - np.asarray(stops) + softness) / (2.0 * softness), 0.0, 1.0)
    begun[:, 0] = 1.0  # nobody carries what lies before the first joint but that joint
    strongest, weights = _strongest(begun - np.pad(begun[:, 1:], ((0, 0), (0, 1))), np.asarray(joints))
    row = np.concatenate([np.repeat(np.arange(len(at))[inner], len(profile)), [0, len(at) - 1]])
    return Part(vertices, faces, strongest[row], weights[row], frozenset(covers), frozenset(covers_ends_of))


def _rounded_off(rows: Float[np.ndarray, "rows 3"]) -> Float[np.ndarray, "more 3"]:
    """The rows with half a ball added at either end: it looks the same however the joint in its middle turns."""
    (first, *near), (last, *far) = rows[0], rows[-1]
    turn = np.sqrt(0.5)
    before = [(first - np.mean(near), 0.0, 0.0), (first - turn * np.mean(near), *(turn * rows[0, 1:]))]
    after = [(last + turn * np.mean(far), *(turn * rows[-1, 1:])), (last + np.mean(far), 0.0, 0.0)]
    return np.array([*before, *rows, *after])


def square_to(axis: Float[np.ndarray, 3], *wishes: Float[np.ndarray, 3]) -> Float[np.ndarray, 3]:
    """The first wish that has a direction of its own beside ``axis``, made square to it and of length 1."""
    for wish in wishes:
        beside = wish - axis * (wish @ axis)
        if (length := _length(beside)) > 1e-3 * _length(wish) and length > 1e-9:
            return np.asarray(beside / length)
    raise ValueError("all wished directions lie along the axis")


def _straightened(direction: Float[np.ndarray, 3]) -> Float[np.ndarray, 3]:
    """The coordinate axis a direction all but follows, or the direction: rest poses stand straight, spines lean."""
    nearest = np.round(direction)
    return nearest if np.abs(nearest).sum() == 1.0 and nearest @ direction > np.cos(np.radians(30)) else direction


def _strongest(
    shares: Float[np.ndarray, "rows chain"], joints: Int[np.ndarray, " chain"]
) -> tuple[Int[np.ndarray, "rows 4"], Float[np.ndarray, "rows 4"]]:
    """The largest shares of each row and their joints, scaled to sum to 1; joint 0 where a share is none."""
    order = np.argsort(-shares, axis=1, kind="stable")[:, :N_INFLUENCES]
    weights = np.zeros((len(shares), N_INFLUENCES))
    weights[:, : order.shape[1]] = np.take_along_axis(shares, order, axis=1)
    weights[weights < 1e-3] = 0.0
    chosen = np.zeros(weights.shape, dtype=np.int64)
    chosen[:, : order.shape[1]] = joints[order]
    return np.where(weights > 0.0, chosen, 0), weights / weights.sum(axis=1, keepdims=True)


def _along(line: Float[np.ndarray, "points 3"], at: Float[np.ndarray, " rows"]) -> Float[np.ndarray, "rows 3"]:
    """Points of a line of straight pieces by their distance along it; straight on beyond its ends."""
    arcs = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=-1))])
    keep = np.concatenate([[True], np.diff(arcs) > 1e-9])
    return np.stack([_beyond(at, arcs[keep], line[keep, axis]) for axis in range(3)], axis=-1)


def _beyond(
    at: Float[np.ndarray, " rows"], knots: Float[np.ndarray, " knots"], values: Float[np.ndarray, " knots"]
) -> Float[np.ndarray, " rows"]:
    """``np.interp``, but going on straight outside."""
    piece = np.clip(np.searchsorted(knots, at) - 1, 0, len(knots) - 2)
    slopes = np.diff(values) / np.diff(knots)
    return np.asarray(values[piece] + slopes[piece] * (at - knots[piece]))


def _length(vector: Float[np.ndarray, 3]) -> float:
    return float(np.linalg.norm(vector))
