"""Feelings of gaits by harmonics: interpolation between two, the quality of one given to another, longer strides.

All are made of cycles; a clip gives its own cycle, and comes back as about as many rounds of what was made of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated, NamedTuple, TypeVar, cast

import numpy as np
from jaxtyping import Complex, Float

from mocapella.analysis.examined import examine
from mocapella.analysis.fourier import analyse, synthesise
from mocapella.analysis.prepare import prepare
from mocapella.analysis.synchronise import synchronise
from mocapella.arrays import owned
from mocapella.checks import finite_number
from mocapella.editing.parameters import Domain, Strength
from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.geometry.angles import TURN
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET, FOOT_POINTS
from mocapella.motion.cycle import Cycle
from mocapella.motion.kinematics import forward
from mocapella.motion.layout import AHEAD, HEIGHT, LEFT, YAW_RATE
from mocapella.motion.spectrum import Spectrum
from mocapella.rig.legs import foot_points, leg_roles
from mocapella.stages import refuse_other_stage

_Motion = TypeVar("_Motion", Clip, Cycle)
_SecondGait = Annotated[Clip | Cycle, Domain(on_body_of="motion")]
_Change = Callable[[Cycle, list[Cycle]], Cycle]


class _GaitSettings(NamedTuple):
    """Limits of gaits that are made by harmonics."""

    harmonics: int = 20  # of a cycle: captures have noise above these
    lift_harmonics: int = 6  # of a correction of the root's height
    stiffness: float = 0.003  # penalty of a harmonic of it, times its order squared: it decides where no foot rests
    shortest: float = 0.25  # of the duration of a cycle that a new cycle may last
    most: float = 3.0  # times as long, or as quick, a stride may become


_GAIT = _GaitSettings()
_RATES = [AHEAD, LEFT, YAW_RATE]
_LEG = ("hip", "knee", "ankle")


def interpolate(motion: _Motion, *, other: _SecondGait, amount: Strength = 0.5) -> _Motion:
    """The motion between two gaits, or beyond: 0 is the first, 1 the other, 1.5 more than the other, −0.5 its opposite.

    A clip comes back as about as many rounds. Raises ``MotionError`` where one has no cycle, the skeletons differ, or
    nothing is left of the duration.

    Parameters
    ----------
    motion
        A gait, such as a normal walk: a cycle, or a clip that has one.
    other
        The same gait with a feeling. It has the same skeleton.
    amount
        0 this one, 1 the other, beyond exaggerates.
    """
    if amount == 0.0:
        return motion
    return _through_cycle(motion, [other], lambda base, rest: _added(base, base, rest[0], amount))


def transfer_quality(
    motion: _Motion,
    *,
    plain: _SecondGait,
    special: _SecondGait,
    amount: Strength = 1.0,
    harmonics: Annotated[Sequence[float | int], Domain(least=0.0)] = (),
) -> _Motion:
    """A gait plus the difference between a special and a plain gait: the tiredness of a walk given to a run.

    The stride changes by the difference of both strides, as the swing of the legs does, so that planted feet stay where
    they are; the speed follows from the stride and the duration.

    A clip comes back as about as many rounds. Raises ``MotionError`` where one has no cycle, skeletons differ, the band
    is empty, or nothing is left of the duration.

    Parameters
    ----------
    motion
        The gait that is to have the quality: a cycle, or a clip that has one.
    plain
        Another gait without the quality.
    special
        That gait with the quality.
    amount
        How much of it. 0 leaves the gait as it is.
    harmonics
        First and last harmonic that change; all if left out. High ones alone (such as 6 to 20) transfer a
        shiver and leave stride, pose and duration as they are.
    """
    band = None
    if len(harmonics):
        if len(harmonics) != 2 or not 0 <= harmonics[0] <= harmonics[1]:
            raise MotionError(expected="a first and a last harmonic, from 0 on", got=list(harmonics))
        band = int(harmonics[0]), int(harmonics[1])
    if amount == 0.0:
        return motion
    return _through_cycle(motion, [plain, special], lambda base, rest: _added(base, rest[0], rest[1], amount, band))


def stride(
    motion: _Motion,
    *,
    length: Annotated[float | int, Domain(0.05, 3.0)] = 1.0,
    pace: Annotated[float | int, Domain(0.34, 3.0)] = 1.0,
) -> _Motion:
    """A gait with longer or shorter strides, taken more quickly or more slowly.

    The harmonics of hips, knees and ankles are scaled about their means. How far the feet then carry the root, and how
    high it is over them, follows from the feet that are planted, so that these stay where they are.

    A clip comes back as about as many rounds. Raises ``MotionError`` where the motion has no cycle or no plants, or a
    factor is none.

    Parameters
    ----------
    motion
        A gait with foot plants: a cycle, or a clip that has one.
    length
        Factor of how far legs swing.
    pace
        Factor of strides per second.
    """
    wide = finite_number(length, "a length that is a number")
    quick = finite_number(pace, "a pace that is a number")
    if not (0.0 < wide <= _GAIT.most and 1.0 / _GAIT.most <= quick <= _GAIT.most):
        raise MotionError(
            expected=f"a length up to {_GAIT.most:g} and a pace of 1/3 to {_GAIT.most:g}", got=f"{wide:g}, {quick:g}"
        )
    if wide == quick == 1.0:
        return motion
    return _through_cycle(motion, [], lambda base, _: _stridden(base, wide, quick))


def _through_cycle(motion: _Motion, others: Sequence[Clip | Cycle], change: _Change) -> _Motion:
    """Apply a change of cycles, in step with each other, to a cycle or to the cycle of a clip."""
    given: Clip | Cycle = motion
    cycle = _cycle(given)
    cycles: list[Cycle] = [_cycle(other) for other in others]
    for other in cycles:
        if not other.skeleton.same_as(cycle.skeleton):
            raise MotionError(
                f"{other.name or 'a motion'!r} has another skeleton than {cycle.name or 'the motion'!r}",
                helps="retarget one of them first",
            )
    in_step = synchronise([cycle, *cycles]) if cycles else [cycle]
    changed = change(in_step[0], in_step[1:]).starting_at(TURN * (cycle.offset - in_step[0].offset))
    return cast(_Motion, changed if isinstance(given, Cycle) else _rounds(changed, given.captured, cycle.duration))


def _rounds(cycle: Cycle, clip: Clip, duration: float) -> Clip:
    """About as many rounds of a cycle as a clip shows of its own, begun where the clip does."""
    frames = max(8, round(cycle.duration * clip.frame_rate))
    x, _, z = clip.root_positions[0].tolist()
    even = synthesise(analyse(cycle), frames)
    rounds = even.to_clip(max(1, round(clip.seconds / duration)), position=(x, z), heading=float(clip.headings[0]))
    return replace(rounds, name=clip.name, source=clip.source)


def _cycle(motion: Clip | Cycle) -> Cycle:
    if isinstance(motion, Cycle):
        return motion
    refuse_other_stage(motion, "Clip")
    return prepare(examine(motion))  # what is in place stays there


def _added(
    base: Cycle, plain: Cycle, special: Cycle, amount: float | int, band: tuple[int, int] | None = None
) -> Cycle:
    """``base + amount · (special − plain)``, in a band of harmonics or in all.

    The duration changes by the ratio of both durations, which a run and a walk share; a difference would be too long.
    Travel and turn are added per cycle, not per second: planted feet say how far the root goes from one cycle phase to
    the next, whatever time that takes. Feet and travel are then the same sum, and feet stay where they are planted.
    Bent legs do not reach down by a sum, so the height of the root is corrected.
    """
    much = finite_number(amount, "an amount that is a number")
    total, less, more = (_per_cycle(cycle) for cycle in (base, plain, special))
    rows = min(len(total), len(less), len(more))
    first, last = (0, rows - 1) if band is None else band
    if first >= rows:
        raise MotionError(f"a cycle of {base.n_frames} frames has no harmonic {first}; it has {rows - 1}")
    changed = slice(first, min(last, _GAIT.harmonics if band is None else last, rows - 1) + 1)
    total[changed] += much * (more[changed] - less[changed])
    lasting = (
        base.duration if band is not None else base.duration * (1.0 + much * (special.duration / plain.duration - 1.0))
    )
    if lasting < _GAIT.shortest * base.duration:
        raise MotionError(f"with an amount of {much:g} a cycle would last {lasting:.2f} s; a smaller one helps")
    total[:, _RATES] /= lasting
    spectrum = Spectrum(owned(total), lasting, base.layout, base.contacts, base.name)
    cycle = replace(base, dofs=owned(spectrum.frames(base.n_frames)), frame_rate=base.n_frames / lasting)
    cycle = _stood(cycle, base, plain, special, much, range(first, min(last, _GAIT.lift_harmonics) + 1))
    words = f"{much:g} times what {special.name or 'another'} has over {plain.name or 'this'} was added"
    return cycle.decided("feeling", words, amount=much)


def _per_cycle(cycle: Cycle) -> Complex[np.ndarray, "harmonics dofs"]:
    """The harmonics of a cycle, with travel in metres and turn in radians per cycle."""
    coefficients = np.array(analyse(cycle).coefficients)
    coefficients[:, _RATES] *= cycle.duration
    return coefficients


def _stood(total: Cycle, base: Cycle, plain: Cycle, special: Cycle, amount: float, orders: Sequence[int]) -> Cycle:
    """A sum of cycles with its root as high as lets planted feet stand as high as those of the cycles, summed alike.

    The correction is made of some orders of harmonics; where no foot rests, it changes as little as it can.
    """
    if base.contacts is None or not orders:
        return total
    parts = (total, base, *(synthesise(analyse(cycle), base.n_frames) for cycle in (plain, special)))
    now, bare, less, more = (_feet(cycle)[..., 1] for cycle in parts)
    planted = np.stack([base.contacts.planted(point, base.phases) for point in FOOT_POINTS], axis=1)
    off = planted * (now - bare - amount * (more - less))
    angles = base.phases[:, None] * np.asarray(orders)
    basis = np.concatenate([np.cos(angles), np.sin(angles)], axis=1)
    stiffness = _GAIT.stiffness * base.n_frames * np.tile(np.square(np.asarray(orders, dtype=np.float64)), 2)
    matrix = basis.T @ (planted.sum(axis=1, keepdims=True) * basis) + np.diag(stiffness)
    dofs = np.array(total.dofs)
    dofs[:, HEIGHT] -= basis @ np.linalg.lstsq(matrix, basis.T @ off.sum(axis=1))[0]  # sines of order 0 are none
    return replace(total, dofs=owned(dofs))


def _stridden(cycle: Cycle, length: float, pace: float) -> Cycle:
    """The cycle with the harmonics of its legs scaled, and the root led by the planted feet."""
    roles = leg_roles(cycle.skeleton)
    if cycle.contacts is None:
        raise MotionError("a cycle without foot plants has no strides to make longer")
    dofs = np.array(cycle.dofs)
    for side in FEET:
        for part in _LEG:
            at = cycle.layout.columns(roles[f"{side}_{part}"])
            mean = dofs[:, at].mean(axis=0)
            dofs[:, at] = mean + length * (dofs[:, at] - mean)
    before, after = _feet(cycle), _feet(replace(cycle, dofs=owned(dofs.copy())))
    planted = np.stack([cycle.contacts.planted(point, cycle.phases) for point in FOOT_POINTS], axis=1)
    ratio = _swept(after, planted, cycle) / max(_swept(before, planted, cycle), 1e-9)
    dofs[:, [AHEAD, LEFT]] *= ratio
    dofs[:, _RATES] *= pace
    dofs[:, HEIGHT] -= _smooth(after[..., 1].min(axis=1) - before[..., 1].min(axis=1))
    strides = replace(cycle, dofs=owned(dofs), frame_rate=cycle.frame_rate * pace)
    words = f"legs swing {length:g} times as far and {pace:g} times as often"
    return strides.decided("stride", words, length=length, pace=pace, travel=float(ratio))


def _feet(cycle: Cycle) -> Float[np.ndarray, "frames 4 3"]:
    """Heels and toes beside the root, in axes that turn with the heading, the root's height added, metres."""
    joints, offsets, _ = foot_points(cycle.skeleton, leg_roles(cycle.skeleton))
    roots = np.zeros((cycle.n_frames, 3))
    roots[:, 1] = cycle.dofs[:, HEIGHT]
    places, world = forward(cycle.skeleton, roots, cycle.rotations_wxyz)
    return np.asarray(places[:, joints] + quaternions.rotate(world[:, joints], offsets))


def _swept(feet: Float[np.ndarray, "frames 4 3"], planted: np.ndarray, cycle: Cycle) -> float:
    """How far planted feet go back under the body in a cycle, metres, in the direction of its travel."""
    way = np.array([cycle.dofs[:, LEFT].mean(), cycle.dofs[:, AHEAD].mean()])
    size = float(np.linalg.norm(way))
    ahead = feet[..., [0, 2]] @ (way / size if size > 0.0 else np.array([0.0, 1.0]))
    steps = np.roll(ahead, -1, axis=0) - ahead
    held = planted & np.roll(planted, -1, axis=0)
    shares = held / np.maximum(held.sum(axis=1, keepdims=True), 1)
    return float(-(steps * shares).sum())


def _smooth(values: Float[np.ndarray, " frames"]) -> Float[np.ndarray, " frames"]:
    """The lower harmonics of a signal round a cycle."""
    coefficients = np.fft.rfft(values)
    coefficients[_GAIT.lift_harmonics + 1 :] = 0.0
    return np.asarray(np.fft.irfft(coefficients, len(values)))
