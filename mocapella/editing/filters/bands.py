"""Multiresolution filters: signals split into bands of an octave each, weighted and put together again.

``G₀`` is the signal; ``G₁ … Gₙ`` are ever smoother, each made with the kernel ``c b a b c`` spread twice as wide as
before; band ``k`` is ``Gₖ − Gₖ₊₁``. The signal is ``Gₙ`` and the sum of all bands, so gains of 1 change nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
from jaxtyping import Bool, Float

from mocapella.checks import named
from mocapella.editing.filters.dof_columns import Motion, Signals, Values, signals_of
from mocapella.editing.parameters import Domain, EditError, JointNames, SecondMotion
from mocapella.editing.trajectory import blend_frames
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip

_A, _B, _C = 3.0 / 8.0, 1.0 / 4.0, 1.0 / 16.0  # of the cubic B-spline kernel: at a sample, next to it, beyond that

_Pyramid = Float[np.ndarray, "levels frames columns"]


def band_gains(
    motion: Motion, *, gains: Annotated[Sequence[float | int], Domain(-100.0, 100.0)], dofs: JointNames = ()
) -> Motion:
    """The motion with its bands amplified; band 0 is the finest, each next one an octave lower.

    Raises ``EditError`` where the motion is too short for so many bands.

    Parameters
    ----------
    motion
        A clip or a cycle.
    gains
        Of bands 0, 1, 2, …. Those left out stay as they are.
    dofs
        Joints, roles, parts or angles such as left_knee.x; all if left out.
    """
    factors = np.asarray(gains, dtype=np.float64)
    count = n_bands(motion.n_frames)
    signals = signals_of(motion, dofs)
    if len(factors) > count:
        raise EditError(
            f"a motion of {motion.n_frames} frames has {count} bands, and {len(factors)} gains were given",
            helps="give fewer gains, or a longer motion",
        )
    if np.all(factors == 1.0):
        return motion
    added = np.append(factors, np.ones(count - len(factors))) - 1.0  # gains of 1 add nothing at all
    bands = _pyramid(signals.values, periodic=signals.periodic)[:-1]
    return signals.with_values(np.asarray(signals.values + np.einsum("b,bfc->fc", added, bands)))


@dataclass(frozen=True)
class _Preset:
    """A style made by gains of bands: which frequencies of which signals, and how much."""

    about: str
    hertz: tuple[float, float]  # bands whose middle lies between these
    gain: float | int  # at an amount of 1
    dofs: tuple[str, ...]  # empty for all


PRESETS: Mapping[str, _Preset] = {
    "twitch": _Preset("a nervous twitch: what is fast becomes strong", (3.0, 12.0), 4.0, ()),
    "follow_through": _Preset(
        "arms, trunk and head swing further before and after each move", (0.7, 3.0), 1.8, ("upper",)
    ),
    "squash": _Preset("the body sinks and rises with each step as in a cartoon", (0.7, 6.0), 3.0, ("height",)),
    "calm": _Preset("what is fast is weakened", (3.0, 1000.0), 0.25, ()),
}


def preset(
    motion: Motion,
    *,
    name: Annotated[str, Domain(choices=tuple(PRESETS))],
    amount: Annotated[float | int, Domain(0.0, 10.0)] = 1.0,
) -> Motion:
    """The motion with a preset of band gains.

    Raises ``EditError`` where the motion is too short for any of the preset's bands.

    Parameters
    ----------
    motion
        A clip or a cycle.
    name
        Which one.
    amount
        0 is the motion itself. 1 is the preset, beyond that more of it.
    """
    wanted = named(name, PRESETS, "a preset of bands")
    chosen = bands_between(motion.frame_rate, wanted.hertz, n_bands(motion.n_frames))
    if not chosen.any():
        low, high = wanted.hertz
        raise EditError(
            f"{motion.n_frames} frames at {motion.frame_rate:g} Hz have no band between {low:g} and {high:g} Hz",
            helps="use a longer motion",
        )
    gains = np.where(chosen, 1.0 + amount * (wanted.gain - 1.0), 1.0)
    return band_gains(motion, gains=gains.tolist(), dofs=wanted.dofs)


def bands_between(frame_rate: float, hertz: tuple[float, float], count: int) -> Bool[np.ndarray, " bands"]:
    """The bands with a middle frequency between two.

    Band ``k`` passes from about ``rate / 2^(k + 2)`` to twice that; its middle is taken as 1.4 times the lower end.
    """
    middles = np.sqrt(2.0) * frame_rate / 2.0 ** (np.arange(count) + 2.0)
    return np.asarray((middles >= hertz[0]) & (middles < hertz[1]))


def band_blend(motion: Clip, *, other: SecondMotion, weights: Sequence[Sequence[float | int]]) -> Clip:
    """Two motions blended band by band, with weights that may change over time.

    The result has the frames and the rate of the motion. Raises ``EditError`` where skeletons differ, or there are more
    weights than bands.

    Parameters
    ----------
    motion
        A clip.
    other
        The motion to blend with. It is stretched to as many frames; align them first where their steps differ.
    weights
        Rows of its share in bands 0, 1, 2, …, spread over time. The last share of a row but one is that of all
        further bands, the last that of what is smoother than all of them. One row of one value is a plain
        blend, and decides the path of the root.
    """
    if not motion.skeleton.same_as(other.skeleton):
        raise EditError(f"{other.name or 'the other motion'!r} is of another skeleton", helps="retarget it first")
    body, second = motion.captured, _stretched(other.captured, motion.captured.n_frames)
    shares = _over_time(weights, n_bands(body.n_frames), body.n_frames)
    mine, theirs = signals_of(body, root=()), signals_of(second, root=())
    # Rotation vectors of both start from one pose, halfway between their means.
    middle = quaternions.slerp(mine.means, theirs.means, 0.5)
    ours, others = (_pyramid(_from(signals, middle), periodic=False) for signals in (mine, theirs))
    mixed = ours + shares.T[:, :, None] * (others - ours)
    blended = blend_frames(body, second, 1.0 - shares[:, -1])  # path, heading and height of the root
    upright = quaternions.multiply(middle, quaternions.from_rotvec(mixed.sum(axis=0).reshape(body.n_frames, -1, 3)))
    tilts = quaternions.multiply(quaternions.about_y(-quaternions.yaw(upright[:, 0])), upright[:, 0])
    upright[:, 0] = quaternions.multiply(quaternions.about_y(blended.headings), tilts)
    return replace(blended, rotations_wxyz=upright, frame_rate=body.frame_rate)


def n_bands(n_frames: int) -> int:
    """How many bands a motion has: n with 2ⁿ ≤ frames ≤ 2ⁿ⁺¹."""
    return max(int(np.floor(np.log2(max(n_frames, 1)))), 0)


def _pyramid(values: Values, *, periodic: bool) -> _Pyramid:
    """All bands of signals, and last what is smoother than all of them."""
    levels = [values]
    for k in range(n_bands(len(values))):
        levels.append(_smoothed(levels[-1], 2**k, periodic=periodic))
    return np.stack([*(a - b for a, b in itertools.pairwise(levels)), levels[-1]])


def _smoothed(values: Values, step: int, *, periodic: bool) -> Values:
    """The kernel with ``step − 1`` zeros between its values; clips go on beyond their ends turned round."""
    n = len(values)
    at = np.arange(n)

    def moved(by: int) -> Values:
        where = at + by
        if periodic:
            return values[where % n]
        rounds, where = np.divmod(where, max(2 * (n - 1), 1))
        back = where >= n
        near = values[np.where(back, 2 * (n - 1) - where, where)]
        turned = np.where(back[:, None], 2.0 * values[-1] - near, near)
        return np.asarray(turned + 2.0 * rounds[:, None] * (values[-1] - values[0]))

    near, far = moved(step) + moved(-step), moved(2 * step) + moved(-2 * step)
    return np.asarray(_A * values + _B * near + _C * far)


def _over_time(
    weights: Sequence[Sequence[float | int]], count: int, n_frames: int
) -> Float[np.ndarray, "frames levels"]:
    """Weights of all bands and of the rest in every frame."""
    rows = [np.asarray(row, dtype=np.float64).ravel() for row in weights]
    if not rows or not all(1 <= len(row) <= count + 1 and np.isfinite(row).all() for row in rows):
        raise EditError(
            expected=f"rows of one to {count + 1} weights, for a motion of {count} bands",
            got=f"{len(rows)} rows of {len(rows[0]) if rows else 0}",
        )
    full = np.stack([np.append(row, np.full(count + 1 - len(row), row[-1])) for row in rows])
    at = np.linspace(0.0, len(full) - 1.0, n_frames)
    return np.stack([np.interp(at, np.arange(len(full)), column) for column in full.T], axis=1)


def _stretched(clip: Clip, n_frames: int) -> Clip:
    """A clip in another number of frames."""
    if clip.n_frames == n_frames:
        return clip
    if min(clip.n_frames, n_frames) < 2:
        raise EditError("a motion of one frame cannot be stretched")
    stretched = clip.resampled(clip.frame_rate * (n_frames - 1) / (clip.n_frames - 1))
    assert stretched.n_frames == n_frames
    return stretched


def _from(signals: Signals, middle: Float[np.ndarray, "joints 4"]) -> Values:
    """Rotation vectors from another pose than the mean."""
    n, joints = len(signals.values), len(signals.whole)
    rotations = quaternions.multiply(signals.means, quaternions.from_rotvec(signals.values.reshape(n, joints, 3)))
    return quaternions.to_rotvec(quaternions.seen_from(middle, rotations)).reshape(n, -1)
