"""How long a file's length unit is: told from the body's height, since most files do not say."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mocapella.errors import MotionError
from mocapella.motion.skeleton import Skeleton

INCH = 0.0254
UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "inch": INCH, "cmu": INCH / 0.45, "dm": 0.1}
_USUAL_HEIGHT = 1.72  # metres
_TALLEST, _SMALLEST = 2.5, 0.9
_LEAST_HEIGHT = 1e-6  # in any unit: no body is smaller, and logarithms are safe
# How much likelier than plain centimetres a unit must look, as a factor of height, before it is believed.
_DOUBT = {"m": 1.0, "cm": 1.0, "mm": 1.1, "inch": 1.35, "cmu": 1.6, "dm": 1.6}
_CMU_JOINTS = ({"LHipJoint", "RHipJoint", "LowerBack"}, {"lhipjoint", "rhipjoint", "lowerback"})


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


def infer_unit(height: float, skeleton: Skeleton, roles: Mapping[str, int]) -> Unit:
    """The unit in which ``height`` is nearest to a person's; centimetres where none is near, or this is no person."""
    is_cmu = any(names <= set(skeleton.names) for names in _CMU_JOINTS)

    def unlikeliness(name: str) -> float:
        doubt = 1.0 if name == "cmu" and is_cmu else _DOUBT[name]
        return abs(math.log(height * UNITS[name] / _USUAL_HEIGHT)) + math.log(doubt)

    if height < _LEAST_HEIGHT or not _legs(roles) or _top(roles) is None:
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


def body_height(skeleton: Skeleton, roles: Mapping[str, int]) -> float:
    """From sole to crown with straight legs, in the skeleton's own unit; the largest extent where roles are missing."""
    rest = np.concatenate([skeleton.rest_positions, skeleton.rest_end_positions])
    legs = _legs(roles)
    top = _top(roles)
    if not legs or top is None:
        return float(np.ptp(rest, axis=0).max())
    places = skeleton.rest_positions
    leg = float(np.mean([np.linalg.norm(np.diff(places[leg], axis=0), axis=1).sum() for leg in legs]))
    hip, ankle = (float(np.mean([places[leg[i], 1] for leg in legs])) for i in (0, 2))
    crown = float(rest[_under(skeleton, top), 1].max())
    soles = [float(rest[_under(skeleton, leg[2]), 1].min()) for leg in legs]
    upright = crown > hip > ankle
    if not upright:  # the rest pose lies or sits; only lengths along the joints can be trusted
        spine = skeleton.path(top)
        return leg + float(np.linalg.norm(skeleton.offsets[spine[:-1]], axis=1).sum())
    return leg + (crown - hip) + max(0.0, ankle - float(np.mean(soles)))


def _legs(roles: Mapping[str, int]) -> list[list[int]]:
    """Hip, knee and ankle of every leg that has all three."""
    parts = ("hip", "knee", "ankle")
    legs = [[f"{side}_{part}" for part in parts] for side in ("left", "right")]
    return [[roles[role] for role in leg] for leg in legs if all(role in roles for role in leg)]


def _top(roles: Mapping[str, int]) -> int | None:
    """The highest joint of the back that is known."""
    return next((roles[role] for role in ("head", "neck", "chest") if role in roles), None)


def _under(skeleton: Skeleton, joint: int) -> list[int]:
    """``joint``, all joints below it, and their end sites counted on after the joints."""
    inside = np.zeros(skeleton.n_joints, dtype=bool)
    inside[joint] = True
    for other in range(joint + 1, skeleton.n_joints):
        inside[other] = inside[skeleton.parents[other]]
    ends = np.flatnonzero(inside[skeleton.end_joints]) if skeleton.n_ends else np.zeros(0, dtype=np.int64)
    return [*map(int, np.flatnonzero(inside)), *(int(end) + skeleton.n_joints for end in ends)]
