"""How long a file's length unit is, and which way is up: told from the body, since the file does not say."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from mocapella.errors import MotionError
from mocapella.files.parsed import Parsed
from mocapella.geometry.angles import wrap
from mocapella.motion import kinematics
from mocapella.motion.skeleton import Skeleton

INCH = 0.0254
UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "inch": INCH, "cmu": INCH / 0.45, "dm": 0.1}
_USUAL_HEIGHT = 1.72  # metres
_TALLEST, _SMALLEST = 2.5, 0.9
# How much likelier than plain centimetres a unit must look, as a factor of height, before it is believed.
_DOUBT = {"m": 1.0, "cm": 1.0, "mm": 1.1, "inch": 1.35, "cmu": 1.6, "dm": 1.6}
_CMU_JOINTS = ({"LHipJoint", "RHipJoint", "LowerBack"}, {"lhipjoint", "rhipjoint", "lowerback"})
_SAMPLES = 24  # frames looked at to see which way is up


@dataclass(frozen=True)
class Unit:
    """A length unit, and whether the body's height bears it out."""

    name: str
    metres: float
    plausible: bool


def named_unit(unit: str) -> Unit:
    """The unit a user asks for by name."""
    try:
        return Unit(unit, UNITS[unit], plausible=True)
    except KeyError:
        raise MotionError(f"expected a unit of {', '.join(UNITS)}, got {unit!r}") from None


def infer_unit(height: float, skeleton: Skeleton) -> Unit:
    """The unit in which ``height`` is nearest to a person's; centimetres where none is near."""
    is_cmu = any(names <= set(skeleton.names) for names in _CMU_JOINTS)

    def unlikeliness(name: str) -> float:
        doubt = 1.0 if name == "cmu" and is_cmu else _DOUBT[name]
        return abs(math.log(height * UNITS[name] / _USUAL_HEIGHT)) + math.log(doubt)

    if height <= 0.0:
        return Unit("cm", UNITS["cm"], plausible=False)
    best = min(UNITS, key=unlikeliness)
    if not _SMALLEST <= height * UNITS[best] <= _TALLEST:
        return Unit("cm", UNITS["cm"], plausible=False)
    return Unit(best, UNITS[best], plausible=True)


def unit_of(metres_per_unit: float) -> Unit:
    """The name of a unit that a file states; "1/n m" style where it has none."""
    for name, metres in UNITS.items():
        if math.isclose(metres, metres_per_unit, rel_tol=1e-6):
            return Unit(name, metres, plausible=True)
    return Unit(f"{metres_per_unit:g} m", metres_per_unit, plausible=True)


def up_axis(parsed: Parsed, roles: Mapping[str, int]) -> str | None:
    """The axis along which the body stands over most of the motion, ``"y"`` or ``"z"``; None where that is unclear."""
    ankles = [roles[side] for side in ("left_ankle", "right_ankle") if side in roles]
    top = roles.get("head", roles.get("neck", roles.get("chest")))
    if not ankles or top is None:
        return None
    frames = np.unique(np.linspace(0, len(parsed.root_positions) - 1, _SAMPLES).astype(np.int64))
    positions, _ = kinematics.forward(parsed.skeleton, parsed.root_positions[frames], parsed.rotations_wxyz[frames])
    upward = np.median(positions[:, top] - positions[:, ankles].mean(axis=1), axis=0)
    strongest = int(np.argmax(np.abs(upward)))
    clear = abs(upward[strongest]) > 1.5 * np.partition(np.abs(upward), 1)[1]
    return "xyz"[strongest] if clear and strongest != 0 and upward[strongest] > 0 else None


def with_y_up(parsed: Parsed) -> Parsed:
    """The same motion of a z-up file with y up: what pointed up points up, what faced −y faces +z."""

    def upright(vectors: Float[np.ndarray, "*batch 3"]) -> Float[np.ndarray, "*batch 3"]:
        return np.stack([vectors[..., 0], vectors[..., 2], -vectors[..., 1]], axis=-1)

    skeleton = parsed.skeleton
    rotations = np.array(parsed.rotations_wxyz)
    rotations[..., 1:] = upright(rotations[..., 1:])
    axes = np.array(skeleton.axes_wxyz)
    axes[..., 1:] = upright(axes[..., 1:])
    letters = str.maketrans("YZ", "ZY")
    lows, highs = skeleton.limits[..., 0], skeleton.limits[..., 1]
    turned = replace(
        skeleton,
        offsets=upright(skeleton.offsets),
        end_offsets=upright(skeleton.end_offsets),
        rotation_orders=tuple(order.translate(letters) for order in skeleton.rotation_orders),
        axes_wxyz=axes,
        limits=np.stack(
            [
                np.stack([lows[:, 0], lows[:, 2], -highs[:, 1]], axis=1),
                np.stack([highs[:, 0], highs[:, 2], -lows[:, 1]], axis=1),
            ],
            axis=-1,
        ),
    )
    return replace(
        parsed,
        skeleton=turned,
        root_positions=upright(parsed.root_positions),
        rotations_wxyz=rotations,
        slides=None if parsed.slides is None else upright(parsed.slides),
    )


def body_height(skeleton: Skeleton, roles: Mapping[str, int]) -> float:
    """From sole to crown with straight legs, in the skeleton's own unit; the largest extent where roles are missing."""
    rest = np.concatenate([skeleton.rest_positions, skeleton.rest_end_positions])
    legs = [
        [roles[f"{side}_{part}"] for part in ("hip", "knee", "ankle")]
        for side in ("left", "right")
        if all(f"{side}_{part}" in roles for part in ("hip", "knee", "ankle"))
    ]
    if not legs or "head" not in roles:
        return float(np.ptp(rest, axis=0).max())
    places = skeleton.rest_positions
    leg = float(np.mean([np.linalg.norm(np.diff(places[leg], axis=0), axis=1).sum() for leg in legs]))
    hip, ankle = (float(np.mean([places[leg[i], 1] for leg in legs])) for i in (0, 2))
    crown = float(rest[_under(skeleton, roles["head"]), 1].max())
    soles = [float(rest[_under(skeleton, leg[2]), 1].min()) for leg in legs]
    upright = crown > hip > ankle
    if not upright:  # the rest pose lies or sits; only lengths along the joints can be trusted
        spine = skeleton.path(roles["head"])
        return leg + float(np.linalg.norm(skeleton.offsets[spine[:-1]], axis=1).sum())
    return leg + (crown - hip) + max(0.0, ankle - float(np.mean(soles)))


def facing(skeleton: Skeleton, roles: Mapping[str, int]) -> float | None:
    """Radians from +z to where the rest pose looks, left positive; None where left and right are not known."""
    pairs = [(roles[f"left_{part}"], roles[f"right_{part}"]) for part in ("hip", "shoulder") if _both(roles, part)]
    if not pairs:
        return None
    leftward = sum((skeleton.rest_positions[left] - skeleton.rest_positions[right] for left, right in pairs), np.zeros(3))
    if np.hypot(leftward[0], leftward[2]) < 1e-9:
        return None
    # Looking along +z the left side is +x; looking along +x it is −z.
    return float(wrap(np.asarray(np.arctan2(-leftward[2], leftward[0]))))


def _both(roles: Mapping[str, int], part: str) -> bool:
    return f"left_{part}" in roles and f"right_{part}" in roles


def _under(skeleton: Skeleton, joint: int) -> list[int]:
    """``joint``, all joints below it, and their end sites counted on after the joints."""
    inside = np.zeros(skeleton.n_joints, dtype=bool)
    inside[joint] = True
    for other in range(joint + 1, skeleton.n_joints):
        inside[other] = inside[skeleton.parents[other]]
    ends = np.flatnonzero(inside[skeleton.end_joints]) if skeleton.n_ends else np.zeros(0, dtype=np.int64)
    return [*map(int, np.flatnonzero(inside)), *(int(end) + skeleton.n_joints for end in ends)]
