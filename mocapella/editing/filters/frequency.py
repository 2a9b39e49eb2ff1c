"""Edits of motions by frequency: noise taken out, bands amplified, whole bodies exaggerated, speed changed."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated

import numpy as np
import scipy
from jaxtyping import Complex, Float

from mocapella.analysis.examined import examine
from mocapella.arrays import owned
from mocapella.editing.feet.root import follow_feet
from mocapella.editing.filters.dof_columns import Motion, Signals, Values, signals_of
from mocapella.editing.parameters import Domain, EditError, JointNames
from mocapella.editing.trajectory import in_new_frames
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import Cycle
from mocapella.motion.kinematics import without_heading
from mocapella.motion.layout import AHEAD, LEFT, YAW_RATE
from mocapella.rig.names import SIDES
from mocapella.rig.roles import find_roles

_SIDEWAYS = ("hip", "clavicle", "shoulder")  # roles that exaggeration swings to and fro only
_EVENS_OUT = 0.1  # seconds over which the way of an exaggerated motion is evened out
_SLOWEST, _FASTEST = 0.05, 20.0  # times as fast

Spectrum = Complex[np.ndarray, "bins columns"]


def threshold(
    motion: Motion,
    *,
    share: Annotated[float | int, Domain(0.0, 1.0)] = 0.1,
    gain: Annotated[float | int, Domain(0.0, 10.0)] = 1.0,
    dofs: JointNames = (),
) -> Motion:
    """The motion without frequencies that are weak in each signal: noise, and spikes of single frames.

    Parameters
    ----------
    motion
        A clip or a cycle.
    share
        Of the strongest frequency, below which one is removed. The mean is always kept.
    gain
        Of those that remain. It restores the range that was lost.
    dofs
        Joints, roles, parts or angles such as left_knee.x; all if left out.
    """
    if share == 0.0 and gain == 1.0:
        return motion

    def weakened(bins: Spectrum) -> Spectrum:
        sizes = np.abs(bins[1:])
        strongest = sizes.max(axis=0, initial=0.0)
        joints = 3 * len(signals.whole)  # the three columns of a joint are one signal: how it turns
        strongest[:joints] = np.repeat(strongest[:joints].reshape(-1, 3).max(axis=1, initial=0.0), 3)
        return np.concatenate([bins[:1], gain * np.where(sizes >= share * strongest, bins[1:], 0.0)])

    signals = signals_of(motion, dofs)
    return signals.with_values(_through_spectrum(signals, weakened))


def frequencies(motion: Motion, *, bands: Sequence[Sequence[float | int]], dofs: JointNames = ()) -> Motion:
    """The motion with bands of frequencies amplified or removed, in all signals or in some.

    The mean of every signal stays. Raises ``EditError`` where bands overlap or are no bands.

    Parameters
    ----------
    motion
        A clip or a cycle.
    bands
        Rows of lowest Hz, highest Hz and gain. Bands may not overlap.
    dofs
        Joints, roles, parts or angles such as left_knee.x; all if left out.
    """
    rows = sorted(tuple(float(value) for value in row) for row in bands)
    if any(len(row) != 3 or not np.isfinite(row).all() or not 0.0 <= row[0] < row[1] for row in rows):
        raise EditError(expected="rows of lowest frequency, highest frequency and gain", got=rows[:3])
    if any(before[1] > after[0] for before, after in itertools.pairwise(rows)):
        raise EditError("bands of frequencies overlap", helps="give each frequency one gain")
    signals = signals_of(motion, dofs)
    periods = motion.n_frames if signals.periodic else 2 * (motion.n_frames - 1)

    def amplified(bins: Spectrum) -> Spectrum:
        hertz = np.arange(len(bins)) * motion.frame_rate / max(periods, 1)
        gains = np.ones(len(bins))
        for low, high, gain in rows:
            gains[(hertz >= low) & (hertz < high) & (np.arange(len(bins)) > 0)] = gain
        return np.asarray(gains[:, None] * bins)

    return motion if all(row[2] == 1.0 for row in rows) else signals.with_values(_through_spectrum(signals, amplified))


def exaggerate(motion: Motion, *, gain: Annotated[float | int, Domain(0.0, 4.0)], travel: bool = True) -> Motion:
    """The whole body's motion made larger or smaller about its mean pose.

    All joints turn ``gain`` times as far from their means. Thighs and shoulders do so to and fro only, so that legs do
    not cross and arms do not pass through the body; the height of the root stays.

    Parameters
    ----------
    motion
        A clip or a cycle.
    gain
        1 is the motion itself. 1.5 is a strong exaggeration, 0 the mean pose.
    travel
        Travel as far as the longer steps take it. Otherwise the root keeps its way and feet slide.
    """
    if gain == 1.0:
        return motion
    signals = signals_of(motion, root=())
    means = signals.values.mean(axis=0)
    larger = signals.with_values((signals.values - means) * _gains(signals, gain) + means)
    if not travel or isinstance(larger, Cycle) or isinstance(motion, Cycle):
        return larger
    moved = follow_feet(larger, contacts=examine(motion).plants, vertical=False)
    assert isinstance(moved, Clip)
    # The root gets as far, but without the jolts that every step of feet would give it.
    shift = scipy.ndimage.gaussian_filter1d(
        moved.root_positions - larger.root_positions, _EVENS_OUT * motion.frame_rate, axis=0, mode="nearest"
    )
    return replace(larger, root_positions=larger.root_positions + shift * np.array([1.0, 0.0, 1.0]))


def speed(motion: Motion, *, factor: Annotated[float, Domain(0.05, 20.0)]) -> Motion:
    """The motion slower or faster: the same poses at the same frame rate, in fewer or more frames.

    Raises ``EditError`` where the factor leaves no frames.

    Parameters
    ----------
    factor
        2 is twice as fast. A clip is interpolated between frames, a cycle by its harmonics.
    """
    if not _SLOWEST <= factor <= _FASTEST:
        raise EditError(expected=f"a factor from {_SLOWEST:g} to {_FASTEST:g}", got=factor)
    if factor == 1.0:
        return motion
    if isinstance(motion, Cycle):
        n = round(motion.n_frames / factor)
        if n < 3:
            raise EditError(f"a cycle of {motion.n_frames} frames is too short for {factor:g} times the speed")
        dofs = resampled_dofs(motion.dofs, n)
        dofs[:, [AHEAD, LEFT, YAW_RATE]] *= motion.n_frames / n  # rates are per second
        return replace(motion, dofs=owned(dofs))
    body = motion.captured
    count = int(np.floor((body.n_frames - 1) / factor + 1e-9)) + 1
    if count < 2:
        raise EditError(f"a clip of {body.n_frames} frames is too short for {factor:g} times the speed")
    at = np.minimum(np.arange(count) * factor, body.n_frames - 1.0)
    return in_new_frames(body, at)


def resampled_dofs(values: Values, n: int) -> Float[np.ndarray, "others columns"]:
    """A period of signals in another number of frames, by its harmonics."""
    bins = np.fft.rfft(values, axis=0, norm="forward")
    if n < len(values):
        bins = bins[: n // 2 + 1]
    return np.fft.irfft(bins, n, axis=0, norm="forward")


def _through_spectrum(signals: Signals, change: Callable[[Spectrum], Spectrum]) -> Values:
    """Signals changed by frequency.

    A cycle is a period as it is. A clip is none: the line from its first value to its last is set aside, and what is
    left is taken there and, turned round, back, so that neither value nor slope jumps at an end.
    """
    values, n = signals.values, len(signals.values)
    if signals.periodic:
        return np.asarray(np.fft.irfft(change(np.fft.rfft(values, axis=0)), n, axis=0))
    if n < 3:
        return np.array(values)
    shares = np.linspace(0.0, 1.0, n)[:, None]
    line = (1.0 - shares) * values[0] + shares * values[-1]
    there = values - line
    back = np.concatenate([there, -there[-2:0:-1]])
    return np.asarray(np.fft.irfft(change(np.fft.rfft(back, axis=0)), len(back), axis=0)[:n] + line)


def _gains(signals: Signals, gain: float | int) -> Float[np.ndarray, " columns"]:
    """The gain of every column: thighs, clavicles and upper arms only about the axis that swings them to and fro."""
    roles = find_roles(signals.motion.skeleton)
    gains = np.full(len(signals.names), gain)
    mean_pose = _mean_world(signals.motion)
    for role in (side + part for side in SIDES for part in _SIDEWAYS):
        if role in roles and roles[role] in signals.whole:
            i = signals.whole.index(roles[role])
            # The body's sideways axis as the joint sees it; the column nearest to it is the swing to and fro.
            across = quaternions.rotate(quaternions.conjugate(mean_pose[roles[role]]), np.array([1.0, 0.0, 0.0]))
            others = np.arange(3) != np.argmax(np.abs(across))
            gains[3 * i : 3 * i + 3][others] = min(gain, 1.0)
    return gains


def _mean_world(motion: Motion) -> Float[np.ndarray, "joints 4"]:
    """World rotations of the mean pose, its heading aside."""
    rotations = without_heading(motion.rotations_wxyz) if isinstance(motion, Clip) else motion.rotations_wxyz
    means = quaternions.mean(np.swapaxes(rotations, 0, 1))
    world = np.array(means)
    for joint in range(1, motion.skeleton.n_joints):
        world[joint] = quaternions.multiply(world[motion.skeleton.parents[joint]], means[joint])
    return world
