"""How long one cycle of a motion lasts, from the swing of its legs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from scipy.fft import irfft, next_fast_len, rfft

from mocapella.analysis.legs import leg_angles
from mocapella.analysis.soundness import look_through
from mocapella.errors import MotionError
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET
from mocapella.motion.roles import find_roles

SHORTEST, LONGEST = 0.35, 6.0  # seconds per cycle: of the quickest run, of someone who stands about
LEAST_SWING = np.radians(1.5)  # rms turn of a joint below which it counts as still
LEAST_CONFIDENCE = 0.2
LEAST_LIKENESS = 0.5  # of a motion and itself one period on: 1 is equal, 0 is chance, -1 opposite
_OVERLAP = 0.2  # of a period that must be seen again
_NEARLY = 0.85  # of the best likeness at which a shorter period is preferred to its multiple
_PART_SECONDS = (1.0, 1.6, 2.5)
_AGREE = 0.15  # how far a dof's own period may lie from that of all together


@dataclass(frozen=True)
class Period:
    """How many frames one cycle lasts, and what each dof says about it."""

    frames: float  # with a fraction
    seconds: float
    per_dof: Mapping[str, float]  # frames; 0 where a dof is still or never repeats
    confidence: float  # 0 … 1: how alike a cycle and the next are, times the share of dofs that agree


def find_period(clip: Clip, *, whole: bool = False) -> Period:
    """The period of a clip, voted over its lower-body dofs.

    Hips, knees and ankles of both legs are compared with themselves later on, all six together, so that one step, after
    which left and right have changed places, is never taken for a cycle. Of the dofs, those whose own period agrees
    with that of all together then vote on the fraction. Where the clip as a whole does not repeat, as in a start or a
    stop, the stretch of it that does best is asked, unless the ``whole`` must repeat; where the legs are still, the
    rest of the body.

    Raises
    ------
    MotionError
        Where nothing moves, nothing repeats, or the clip is too short to tell.
    """
    names, signals = swinging(clip)
    signals = signals[look_through(clip).longest]
    _refuse_too_short(len(signals), clip.frame_rate)
    if not (np.std(signals, axis=0) > LEAST_SWING).any():
        raise MotionError(
            f"nothing moves enough to have a period: no joint of {clip!r} turns by more than "
            f"{np.degrees(LEAST_SWING):.1f}° rms; choose a clip in which the body is in motion"
        )
    stretch = slice(0, len(signals))
    lag, alike = _best_period(signals, clip.frame_rate)
    if alike < LEAST_LIKENESS and not whole:
        for part in _parts(len(signals), clip.frame_rate):
            estimate = _best_period(signals[part], clip.frame_rate)
            if estimate[1] > alike:
                stretch, (lag, alike) = part, estimate
    if alike < LEAST_LIKENESS:
        raise MotionError(
            f"no motion repeats within the {len(signals) / clip.frame_rate:.2f} s of {clip!r}: one period on it is "
            f"{max(alike, 0.0):.2f} like itself at best, and {LEAST_LIKENESS} is the least; a clip needs one full "
            "cycle (two steps) and a fifth of the next"
        )
    own = _own_periods(signals[stretch], clip.frame_rate)
    agreeing = own[np.abs(own - lag) <= _AGREE * lag]
    confidence = alike * len(agreeing) / max(int(np.count_nonzero(own)), 1)
    if confidence < LEAST_CONFIDENCE:
        raise MotionError(
            f"the joints of {clip!r} disagree on a period: "
            f"{', '.join(f'{name} {period:.0f}' for name, period in zip(names, own, strict=True) if period)} frames; "
            "choose a stretch of steady motion"
        )
    frames = float(np.median(agreeing))
    per_dof = {name: float(period) for name, period in zip(names, own, strict=True)}
    return Period(frames, frames / clip.frame_rate, per_dof, float(min(confidence, 1.0)))


def swinging(clip: Clip) -> tuple[list[str], Float[np.ndarray, "frames dofs"]]:
    """How hips, knees and ankles bend, radians; how all joints turn about x, where the legs are unknown or still."""
    roles = find_roles(clip.skeleton)
    if all(f"{side}_{part}" in roles for side in FEET for part in ("hip", "knee", "ankle")):
        names, signals = leg_angles(clip)
        if np.std(signals, axis=0).max() > LEAST_SWING:
            return names, signals
    return list(clip.skeleton.names), _flexion(clip)


def likeness(signals: Float[np.ndarray, "frames dofs"], n_lags: int) -> Float[np.ndarray, "lags dofs"]:
    """How alike each signal and itself ``lag`` frames later are: 1 where equal, 0 by chance, −1 where opposite.

    It is autocorrelation on the frames that overlap, divided by what they hold of the motion, so that a short clip does
    not look less periodic at longer lags. A signal that stands still is 0 throughout.
    """
    products, energies = _overlaps(signals, n_lags)
    return np.asarray(np.where(energies > 1e-12, products / np.where(energies > 1e-12, energies, 1.0), 0.0))


def best_lag(curve: Float[np.ndarray, " lags"], shortest: int) -> float | None:
    """The period a likeness curve tells, with its fraction; None where it has no peak.

    Of peaks nearly as high as the highest the first is taken: the others are its multiples.
    """
    inner = np.arange(max(shortest, 1), len(curve) - 1)
    peaks = inner[(curve[inner] >= curve[inner - 1]) & (curve[inner] > curve[inner + 1]) & (curve[inner] > 0.0)]
    if len(peaks) == 0:
        return None
    high: Int[np.ndarray, " peaks"] = peaks[curve[peaks] >= _NEARLY * curve[peaks].max()]
    return float(high[0]) + _summit(curve[high[0] - 1 : high[0] + 2])


def spectral_period(signal: Float[np.ndarray, " frames"], padded: int | None = None) -> float:
    """The period of the largest bin of a spectrum, its mean taken off first; 0 for a signal that stands still.

    ``padded`` is the length the signal is filled up to with zeros, the next power of two if None; the top of the peak
    lies between the bins and is found by a parabola.
    """
    centred = signal - signal.mean()
    if np.std(signal) < 1e-12:
        return 0.0
    n = padded or 1 << int(np.ceil(np.log2(len(signal))))
    magnitudes = np.abs(np.fft.rfft(centred, n))
    top = int(np.argmax(magnitudes[1:])) + 1
    if not 1 < top < len(magnitudes) - 1:
        return n / top
    return n / (top + _summit(magnitudes[top - 1 : top + 2]))


def vote(periods: Mapping[str, float]) -> float:
    """The median of what the dofs say; those that say 0, still or never repeating, abstain."""
    counted = [period for period in periods.values() if period > 0.0]
    if not counted:
        raise MotionError("no dof has a period, so there is nothing to vote on")
    return float(np.median(counted))


def _best_period(signals: Float[np.ndarray, "frames dofs"], frame_rate: float) -> tuple[float, float]:
    """The period of all signals together, each with the weight of its swing, and how alike they are one period on."""
    shortest, longest = _range(len(signals), frame_rate)
    moving = np.std(signals, axis=0) > LEAST_SWING
    products, energies = (sums[:, moving].sum(axis=1) for sums in _overlaps(signals, longest + 2))
    together = products / np.maximum(energies, 1e-12)
    lag = best_lag(together, shortest)
    return (0.0, -1.0) if lag is None else (lag, float(together[round(lag)]))


def _own_periods(signals: Float[np.ndarray, "frames dofs"], frame_rate: float) -> Float[np.ndarray, " dofs"]:
    """What each signal on its own says; 0 where it is still or never repeats."""
    shortest, longest = _range(len(signals), frame_rate)
    curves = likeness(signals, longest + 2)
    moving = np.std(signals, axis=0) > LEAST_SWING
    return np.array(
        [(best_lag(curve, shortest) or 0.0) if m else 0.0 for curve, m in zip(curves.T, moving, strict=True)]
    )


def _parts(n_frames: int, frame_rate: float) -> list[slice]:
    """Stretches in which to look for a period that the whole does not have: of some lengths, each overlapping."""
    out = []
    for seconds in _PART_SECONDS:
        length = round(seconds * frame_rate)
        if length < n_frames:
            out += [slice(first, first + length) for first in range(0, n_frames - length + 1, max(length // 4, 1))]
    return out


def _range(n_frames: int, frame_rate: float) -> tuple[int, int]:
    """The shortest and the longest period that can be told, in frames."""
    shortest = max(int(np.floor(SHORTEST * frame_rate)), 2)
    return shortest, min(int(np.ceil(LONGEST * frame_rate)), int((n_frames - 1) / (1.0 + _OVERLAP)))


def _refuse_too_short(n_frames: int, frame_rate: float) -> None:
    shortest, longest = _range(n_frames, frame_rate)
    if longest <= shortest + 1:
        raise MotionError(
            f"{n_frames} frames at {frame_rate:g} Hz are too few to hold a cycle; "
            f"at least {int(np.ceil((1.0 + _OVERLAP) * (shortest + 3)))} are needed"
        )


def _flexion(clip: Clip) -> Float[np.ndarray, "frames joints"]:
    """The turn of joints about their x axis, which lies across the body, run on past half a turn."""
    q = clip.rotations_wxyz
    return np.asarray(np.unwrap(2.0 * np.arctan2(q[..., 1], q[..., 0]), axis=0))


def _overlaps(
    signals: Float[np.ndarray, "frames dofs"], n_lags: int
) -> tuple[Float[np.ndarray, "lags dofs"], Float[np.ndarray, "lags dofs"]]:
    """Per lag the sum of products over the frames that overlap, and the mean of the two energies there."""
    n = len(signals)
    centred = signals - signals.mean(axis=0)
    size = next_fast_len(n + n_lags, real=True)
    spectra = rfft(centred, size, axis=0)
    products = irfft(np.abs(spectra) ** 2, size, axis=0)[:n_lags]
    sums = np.concatenate([np.zeros((1, signals.shape[1])), np.cumsum(centred**2, axis=0)])
    lags = np.arange(n_lags)
    energies = 0.5 * (sums[n - lags] + sums[n] - sums[lags])
    return products, energies


def _summit(three: Float[np.ndarray, " 3"]) -> float:
    """Where the parabola through three neighbours is highest, from the middle one; 0 where they lie on one line."""
    bend = three[0] - 2.0 * three[1] + three[2]
    return float(np.clip(0.5 * (three[0] - three[2]) / bend, -0.5, 0.5)) if bend < 0.0 else 0.0
