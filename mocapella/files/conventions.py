"""Conventions that motion files leave open: the length unit, and angles that flip."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from mocapella.errors import MotionError, Option
from mocapella.motion.report import Finding
from mocapella.motion.skeleton import Skeleton

# The length unit, told from the body's height, since most files do not state it.

INCH = 0.0254  # metres
UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "inch": INCH, "cmu": INCH / 0.45, "dm": 0.1, "ft": 12 * INCH, "mmd": 0.08}


class _Heights(NamedTuple):
    """The heights of people, by which a unit is told."""

    usual: float = 1.72  # metres
    smallest: float = 0.9  # metres
    tallest: float = 2.5  # metres
    giant: float = 2.25  # metres above which people are rarer than small children
    giant_doubt: float = 1.35  # factor by which they are rarer
    leg_share: float = 0.491  # of thigh and shank in a person's height (Drillis and Contini 1966)
    least: float = 1e-6  # in any unit: no body is smaller, and logarithms are safe
    powers_of_ten: range = range(-4, 3)  # of a metre: bodies that a program scaled by a hundred too little or too much


_HEIGHTS = _Heights()
# How much likelier than plain centimetres a unit must look, as a factor of height, before it is believed.
_DOUBT = {"m": 1.0, "cm": 1.0, "mm": 1.1, "inch": 1.35, "cmu": 1.6, "dm": 1.6, "ft": 1.6, "mmd": 1.6}
# Units of makers, by the joints that all their bodies have: CMU's captures, models of MikuMikuDance.
_MAKERS: dict[str, tuple[set[str], ...]] = {
    "cmu": ({"LHipJoint", "RHipJoint", "LowerBack"}, {"lhipjoint", "rhipjoint", "lowerback"}),
    "mmd": ({"センター", "上半身", "下半身"},),
}
_MAKERS_ONLY = ("mmd",)  # in whose unit no other bodies are


@dataclass(frozen=True)
class Unit:
    """A length unit, and whether the body's height bears it out."""

    name: str
    metres: float
    plausible: bool
    doubt: str = ""  # about what the file states, a sentence


def named_unit(unit: str) -> Unit:
    """A length unit by its name, one of ``UNITS``."""
    if unit not in UNITS:
        raise MotionError(expected=f"a unit of {', '.join(UNITS)}", got=repr(unit), option=Option("unit", unit))
    return Unit(unit, UNITS[unit], plausible=True)


def infer_unit(height: float, skeleton: Skeleton, roles: Mapping[str, int]) -> Unit:
    """The unit in which a height is nearest to a person's.

    Legs without a trunk, as gait laboratories capture them, are taken for those of a person as tall as they belong to.
    Marked as not plausible are the nearest power of ten of a metre where no unit makes the height a person's, and
    centimetres where that is far off or the roles are not those of a person.
    """
    legs = _legs(roles)
    if legs and _top(roles) is None:
        height = _leg_length(skeleton, legs) / _HEIGHTS.leg_share
    made_by = {name for name, makers in _MAKERS.items() if any(names <= set(skeleton.names) for names in makers)}

    def unlikeliness(name: str) -> float:
        doubt = 1.0 if name in made_by else _DOUBT[name]
        metres = height * UNITS[name]
        doubt *= _HEIGHTS.giant_doubt if metres > _HEIGHTS.giant else 1.0  # 90 cm is a child, not 90 inches
        return abs(math.log(metres / _HEIGHTS.usual)) + math.log(doubt)

    if height < _HEIGHTS.least or not legs:
        return Unit("cm", UNITS["cm"], plausible=False)
    best = min((name for name in UNITS if name in made_by or name not in _MAKERS_ONLY), key=unlikeliness)
    if not _HEIGHTS.smallest <= height * UNITS[best] <= _HEIGHTS.tallest:
        power = round(math.log10(_HEIGHTS.usual / height))
        return replace(unit_of(10.0 ** (power if power in _HEIGHTS.powers_of_ten else -2)), plausible=False)
    return Unit(best, UNITS[best], plausible=True)


_SLIPS = (10.0, 100.0, 1000.0, 2.54, 39.37, 30.48)  # by which programs scale a body wrongly, either way; tens first
_RARER = 0.35  # of the logarithm of a height: how much less likely each of those after the tens is than the one before
_MEANT = (0.95, 2.2)  # metres that a body has to be tall after such a slip is undone


def stated_unit(metres_per_unit: float, height: float, roles: Mapping[str, int]) -> Unit:
    """The unit that a file states, which is a claim: where the body is no person's height in it, it is doubted.

    The slip of a program that makes the height a person's is undone then, and the doubt told; where there is none, the
    unit stays as stated, and is not plausible. Bodies without legs tell nothing.
    """
    stated = unit_of(metres_per_unit)
    tall = height * metres_per_unit
    if not _legs(roles) or _HEIGHTS.smallest <= tall <= _HEIGHTS.tallest or height < _HEIGHTS.least:
        return stated
    text = f"the file states {stated.name}, in which the body is {tall:.3g} m tall"
    factors = [factor for slip in _SLIPS for factor in (slip, 1.0 / slip)]
    fitting = [factor for factor in factors if _MEANT[0] <= tall * factor <= _MEANT[1]]
    if not fitting:
        return replace(stated, plausible=False, doubt=f"{text}; it is taken as stated")
    rarer = {factor: _RARER * max(0, i // 2 - 2) for i, factor in enumerate(factors)}
    best = min(fitting, key=lambda factor: abs(math.log(tall * factor / _HEIGHTS.usual)) + rarer[factor])
    doubt = f"{text}; {tall * best:.2f} m is taken"
    return replace(unit_of(metres_per_unit * best), plausible=False, doubt=doubt)


def unit_of(metres_per_unit: float) -> Unit:
    """The name of a unit that a file states; "1/n m" style where it has none."""
    for name, metres in UNITS.items():
        if math.isclose(metres, metres_per_unit, rel_tol=1e-6):
            return Unit(name, metres, plausible=True)
    return Unit(f"{metres_per_unit:g} m", metres_per_unit, plausible=True)


def body_height(skeleton: Skeleton, roles: Mapping[str, int]) -> float:
    """Height from sole to crown with straight legs, in the skeleton's own unit; the largest extent without roles."""
    rest = np.concatenate([skeleton.rest_positions, skeleton.rest_end_positions])
    legs, top = _legs(roles), _top(roles)
    if not legs or top is None:
        return float(np.ptp(rest, axis=0).max())
    places = skeleton.rest_positions
    leg = _leg_length(skeleton, legs)
    hip, ankle = (float(np.mean([places[leg[i], 1] for leg in legs])) for i in (0, 2))
    crown = float(rest[_under(skeleton, top), 1].max())
    soles = [float(rest[_under(skeleton, leg[2]), 1].min()) for leg in legs]
    if not crown > hip > ankle:  # the rest pose lies or sits; only lengths along the joints can be trusted
        spine = skeleton.path(top)
        return leg + float(np.linalg.norm(skeleton.offsets[spine[:-1]], axis=1).sum())
    return leg + (crown - hip) + max(0.0, ankle - float(np.mean(soles)))


def _legs(roles: Mapping[str, int]) -> list[list[int]]:
    """Hip, knee and ankle of every leg that has all three."""
    parts = ("hip", "knee", "ankle")
    legs = [[f"{side}_{part}" for part in parts] for side in ("left", "right")]
    return [[roles[role] for role in leg] for leg in legs if all(role in roles for role in leg)]


def _leg_length(skeleton: Skeleton, legs: Sequence[Sequence[int]]) -> float:
    """From hip to ankle along thigh and shank, the mean of both legs."""
    places = skeleton.rest_positions
    return float(np.mean([np.linalg.norm(np.diff(places[leg], axis=0), axis=1).sum() for leg in legs]))


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


# Euler flips: angles that leap although the body does not, found for the report.

_LEAP = 20.0  # degrees an angle changes by within one frame
_CALM = np.radians(_LEAP / 3)  # the most the joint itself turns meanwhile


class Leaps(NamedTuple):
    """Where angles leap within one frame, more than once where several of a joint do.

    Anywhere else a joint turns so little that its quaternion, made from the angles, keeps its sign.
    """

    frames: Int[np.ndarray, " leaps"]
    joints: Int[np.ndarray, " leaps"]
    nearness: Float[np.ndarray, " leaps"]  # scalar product of the quaternions before and after


class FlipFinder:
    """Looks at angles and the rotations they stand for, block after block."""

    def __init__(
        self, columns: Sequence[Sequence[int]], names: Sequence[str], n_columns: int, degrees: float = 1.0
    ) -> None:
        """``columns`` lists for every joint where in a row its angles stand, in units of ``degrees``."""
        self._names = names
        self._leap = _LEAP / degrees
        self._joint_of = np.full(n_columns, -1)  # of a column; −1 for those that are no angles
        for joint, angles in enumerate(columns):
            self._joint_of[list(angles)] = joint
        self._flips: set[tuple[int, int]] = set()
        self._n_rows = 0
        self._last_row = np.empty(0)
        self._steps, self._far = np.empty((0, n_columns)), np.empty((0, n_columns), dtype=bool)

    def add(
        self, rows: Float[np.ndarray, "rows columns"], rotations_wxyz: Float[np.ndarray, "frames joints 4"]
    ) -> Leaps:
        """The next rows, as numbers and as rotations; where angles leap.

        The rotations begin with that of the last row before, unless there was none.
        """
        if self._n_rows == 0:
            self._last_row = rows[:1].copy()
        if len(rows) > len(self._steps):  # kept, for fresh memory costs more than the arithmetic
            self._steps, self._far = np.empty(rows.shape), np.empty(rows.shape, dtype=bool)
        steps = self._steps[: len(rows)]
        np.subtract(rows[:1], self._last_row, out=steps[:1])
        np.subtract(rows[1:], rows[:-1], out=steps[1:])
        far = np.greater(np.abs(steps, out=steps), self._leap, out=self._far[: len(rows)])
        row, column = np.divmod(np.flatnonzero(far), len(self._joint_of))
        joint = self._joint_of[column]
        row, joint = row[joint >= 0], joint[joint >= 0]
        frame = row + len(rotations_wxyz) - len(rows)
        nearness = np.einsum("li,li->l", rotations_wxyz[frame - 1, joint], rotations_wxyz[frame, joint])
        calm = np.abs(nearness) > np.cos(0.5 * _CALM)
        self._flips.update(zip((row[calm] + self._n_rows).tolist(), joint[calm].tolist(), strict=True))
        self._last_row = rows[-1:].copy()
        self._n_rows += len(rows)
        return Leaps(frame, joint, nearness)

    def findings(self) -> list[Finding]:
        """One finding for all rows in which an angle leaps while its joint hardly turns."""
        if not self._flips:
            return []
        shown = ", ".join(self._names[joint] for joint in sorted({joint for _, joint in self._flips})[:4])
        message = f"angles of {shown} leap over their edge while the body turns on; as rotations they are smooth"
        return [Finding("euler-flip", message, tuple(sorted({row for row, _ in self._flips})), doubtful=False)]


# A motion as the file has it, in a length unit that is not decided yet.


@dataclass(frozen=True, eq=False, repr=False)
class Parsed:
    """A motion as a reader of files gives it: lengths in file units, angles already rotations.

    Parameters
    ----------
    skeleton
        The joint tree, its offsets in file units.
    root_positions
        Places of the root, ``(frames, 3)``, in file units.
    rotations_wxyz
        Rotations of joints relative to their parents, ``(frames, joints, 4)``, unit quaternions.
    frame_rate
        Frames per second.
    sliding_joints, slides
        Joints that also slide, and their offsets in each frame, ``(frames, sliding, 3)``, in file units.
    findings
        What was guessed or is doubtful, for the report of the clip.
    metres_per_unit
        The length unit where the format states it; None leaves it to be told from the skeleton's height.
    up_axis
        The axis that the format says points up, for motions that do not tell.
    usual_up
        Axes that are believed of a body that is along them, whether or not it stands on its feet there.
    animation
        What the motion is called among those of its file; "" where it is the only one of use.
    """

    skeleton: Skeleton
    root_positions: Float[np.ndarray, "frames 3"]
    rotations_wxyz: Float[np.ndarray, "frames joints 4"]
    frame_rate: float
    sliding_joints: Int[np.ndarray, " sliding"] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    slides: Float[np.ndarray, "_ sliding 3"] = field(default_factory=lambda: np.zeros((0, 0, 3)))
    findings: tuple[Finding, ...] = ()
    metres_per_unit: float | None = None
    up_axis: str | None = None
    usual_up: tuple[str, ...] = ("y", "z")
    animation: str = ""


@dataclass(frozen=True)
class Animation:
    """One of the animations of a file that was opened; a file without any has its rest pose as one.

    Where none is asked for, the first is read whose ``size`` is at least half of any other's.
    """

    name: str  # as the file has it
    size: int  # in keys or channels
    read: Callable[[], Parsed]
    opens_again: bool = False  # whether reading it opens the file once more


NO_ANIMATION = Finding("no-animation", "holds no animation: its rest pose alone is read", doubtful=False)


def uneven_keys(rate: float) -> Finding:
    """What to say of an animation whose keys lie at uneven times."""
    message = f"its keys lie at uneven times; it is read at {rate:g} frames per second"
    return Finding("resampled", message, doubtful=False)
