"""How long a cycle of a motion lasts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import scipy
from jaxtyping import Float, Int

from mocapella.analysis.examined import Examined, examine
from mocapella.analysis.plants.tracks import foot_places
from mocapella.checks import explained
from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET, intervals_of
from mocapella.rig.legs import leg_roles
from mocapella.rig.roles import find_roles

# Periodicity of signals: autocorrelation, spectra, and the lag at which a signal repeats.

_PADDING = 8  # times its own length a signal is padded to, so that the bins of its spectrum lie close
_NEARLY = 0.85  # of the highest correlation, at which a shorter period is preferred to its multiple


def autocorrelation(signals: Float[np.ndarray, "frames dofs"], n_lags: int) -> Float[np.ndarray, "lags dofs"]:
    """Correlation of each signal with itself ``lag`` frames later: 1 where equal, 0 by chance, −1 where opposite.

    It is divided by the energy of the frames that overlap, so that a short clip does not look less periodic at longer
    lags. ``n_lags`` are counted from 0 frames on.
    """
    products, energies = _overlaps(signals, n_lags)
    return np.asarray(np.where(energies > 1e-12, products / np.where(energies > 1e-12, energies, 1.0), 0.0))


def joint_autocorrelation(signals: Float[np.ndarray, "frames dofs"], n_lags: int) -> Float[np.ndarray, " lags"]:
    """The same for all signals together, each weighted by its own energy."""
    products, energies = (sums.sum(axis=1) for sums in _overlaps(signals, n_lags))
    return np.asarray(products / np.maximum(energies, 1e-12))


def best_lag(curve: Float[np.ndarray, " lags"], shortest: int) -> float | None:
    """The period that an autocorrelation shows.

    Returns frames, with a fraction; None where there is no peak. Of peaks nearly as high as the highest the first is
    taken: the others are its multiples.
    """
    inner = np.arange(max(shortest, 1), len(curve) - 1)
    peaks = inner[(curve[inner] >= curve[inner - 1]) & (curve[inner] > curve[inner + 1]) & (curve[inner] > 0.0)]
    if len(peaks) == 0:
        return None
    high: Int[np.ndarray, " peaks"] = peaks[curve[peaks] >= _NEARLY * curve[peaks].max()]
    return float(high[0]) + _summit(curve[high[0] - 1 : high[0] + 2])


def spectral_period(
    signals: Float[np.ndarray, "frames dofs"], band: tuple[float, float] | None = None, padded: int | None = None
) -> float:
    """The period of the highest peak of the spectra of all signals together, frames; 0 where nothing moves.

    The means are subtracted first, and the top of the peak is interpolated by a parabola. Within a ``band`` of periods,
    shortest and longest, its edges count only where there is no peak inside, since drift leaks in there. ``padded`` is
    the length the signals are padded to with zeros; by default enough that the bins lie close.
    """
    powers, n = _powers(signals, padded)
    first, last = _bins(band, n, len(powers))
    inner = np.arange(first, last + 1)
    if powers[inner].max(initial=0.0) < 1e-12:
        return 0.0
    before, after = powers[inner - 1], powers[np.minimum(inner + 1, len(powers) - 1)]
    peaks = inner[(powers[inner] >= before) & (powers[inner] > after)]
    top = int(max(peaks if len(peaks) else inner, key=lambda k: powers[k]))
    return n / (top + (_summit(powers[top - 1 : top + 2]) if 1 < top < len(powers) - 1 else 0.0))


def spectral_support(
    signals: Float[np.ndarray, "frames dofs"], period: float, band: tuple[float, float], near: float
) -> float:
    """Magnitude of the spectra at a period, up to a share ``near`` of it, relative to the highest in the ``band``.

    0 … 1: less than 1 says that something else swings more. Harmonics 2 and 3 of the period support it as well; in
    dances they are strongest.
    """
    powers, n = _powers(signals, None)
    first, last = _bins(band, n, len(powers))
    heights = []
    for times in (1, 2, 3):
        least, most = _bins(((1.0 - near) * period / times, (1.0 + near) * period / times), n, len(powers))
        heights.append(powers[least : most + 1].max(initial=0.0))
    highest = powers[first : last + 1].max(initial=0.0)
    return float(np.sqrt(min(max(heights) / highest, 1.0))) if highest > 0.0 else 0.0


def _powers(signals: Float[np.ndarray, "frames dofs"], padded: int | None) -> tuple[Float[np.ndarray, " bins"], int]:
    """The squared magnitudes of all spectra added up, and the padded length."""
    n = padded or scipy.fft.next_fast_len(_PADDING * len(signals), real=True)
    return np.asarray((np.abs(scipy.fft.rfft(signals - signals.mean(axis=0), n, axis=0)) ** 2).sum(axis=1)), n


def _bins(band: tuple[float, float] | None, n: int, n_bins: int) -> tuple[int, int]:
    """The first and the last bin of a band of periods, the mean aside."""
    if band is None:
        return 1, n_bins - 1
    first = min(max(int(np.ceil(n / band[1])), 1), n_bins - 1)
    return first, min(max(int(n / band[0]), first), n_bins - 1)


def _overlaps(
    signals: Float[np.ndarray, "frames dofs"], n_lags: int
) -> tuple[Float[np.ndarray, "lags dofs"], Float[np.ndarray, "lags dofs"]]:
    """Per lag the sum of products over the frames that overlap, and the mean of the two energies there."""
    n = len(signals)
    centred = signals - signals.mean(axis=0)
    size = scipy.fft.next_fast_len(n + n_lags, real=True)
    products = scipy.fft.irfft(np.abs(scipy.fft.rfft(centred, size, axis=0)) ** 2, size, axis=0)[:n_lags]
    sums = np.concatenate([np.zeros((1, signals.shape[1])), np.cumsum(centred**2, axis=0)])
    lags = np.arange(n_lags)
    return products, 0.5 * (sums[n - lags] + sums[n] - sums[lags])


def _summit(three: Float[np.ndarray, " 3"]) -> float:
    """Top of the parabola through three neighbours, from the middle one; 0 where they lie on one line."""
    bend = three[0] - 2.0 * three[1] + three[2]
    return float(np.clip(0.5 * (three[0] - three[2]) / bend, -0.5, 0.5)) if bend < 0.0 else 0.0


# Angles of hips, knees and ankles from joint positions.

_SMOOTHING = 0.1  # seconds over which the direction across the hips is averaged


def leg_angles(clip: Clip) -> tuple[list[str], Float[np.ndarray, "frames 6"]]:
    """Angles of both legs: swing of the thighs ahead, bend of knees, bend of ankles.

    All are measured between positions in the world, so they mean the same in every skeleton, whatever the axes of its
    joints, and a root that flips its angles does not show.

    Returns the roles, such as ``left_hip``, and their angles in that order, radians.
    """
    roles = leg_roles(clip.skeleton)
    hips, knees, ankles = (
        np.stack([clip.positions[:, roles[f"{side}_{part}"]] for side in FEET], axis=1)
        for part in ("hip", "knee", "ankle")
    )
    toes = foot_places(clip, roles)[:, [1, 3]]
    width = _SMOOTHING * clip.frame_rate
    across = scipy.ndimage.gaussian_filter1d(hips[:, 0] - hips[:, 1], width, axis=0, mode="nearest")
    ahead = np.stack([-across[:, 2], np.zeros(len(across)), across[:, 0]], axis=-1)
    ahead /= np.maximum(np.linalg.norm(ahead, axis=-1, keepdims=True), 1e-12)
    thighs, shanks, feet = knees - hips, ankles - knees, toes - ankles
    swing = np.arctan2(np.einsum("fsi,fi->fs", thighs, ahead), -thighs[..., 1])
    angles = np.concatenate([np.unwrap(swing, axis=0), _between(thighs, shanks), _between(shanks, feet)], axis=1)
    return [f"{side}_{part}" for part in ("hip", "knee", "ankle") for side in FEET], angles


def _between(u: Float[np.ndarray, "frames 2 3"], v: Float[np.ndarray, "frames 2 3"]) -> Float[np.ndarray, "frames 2"]:
    """Angles between directions, 0 … π; 0 where one has no length."""
    return np.asarray(np.arctan2(np.linalg.norm(np.cross(u, v), axis=-1), np.einsum("fsi,fsi->fs", u, v)))


# The period of a clip.

SHORTEST, LONGEST = 0.35, 3.0  # seconds per cycle of a gait
LONGEST_IDLE = 6.0  # seconds per cycle of an idle


@dataclass(frozen=True)
class _PeriodSearch:
    """Thresholds of moving, of repeating and of agreeing."""

    least_move: float = np.radians(1.5)  # radians rms: a joint that turns less is still
    least_swing: float = np.radians(5.0)  # radians rms: legs that turn less do not swing, only sway
    least_correlation: float = 0.5  # of a motion with itself one period on
    least_confidence: float = 0.2  # 0 … 1; dofs that agree less have no period together
    steady: float = 0.8  # correlation of one gait throughout; below it a stretch may tell the period better
    seen_again: float = 0.2  # periods beyond the first that must be there to see
    idle_seen_again: float = 1.0  # likewise for an idle
    agree: float = 0.15  # how far a dof's own period may lie from that of all together
    comes_back: float = 0.2  # of the variance: how far a pose may be from itself one period on and have come back
    dragged: float = 0.02  # of the period: what the rest of a clip may shift it by
    # Lengths of the stretches that are tried where the clip as a whole does not repeat.
    part_seconds: tuple[float, ...] = (1.0, 1.6, 2.5)


_SEARCH = _PeriodSearch()


@dataclass(frozen=True)
class Period:
    """How long one cycle of a clip lasts, and what each dof says about it."""

    frames: float  # with a fraction
    seconds: float
    per_dof: Mapping[str, float]  # frames; 0 where a dof is still or never repeats
    confidence: float  # 0 … 1: correlation of a cycle and the next, by the share of dofs and of spectra that agree
    spectral: float  # frames: a second estimate, by the spectra of left against right


@dataclass(frozen=True, eq=False)
class _Estimate:
    """The period of all dofs together in a stretch of a clip."""

    stretch: slice
    lags: tuple[int, int]  # the shortest and the longest that were tried
    lag: float
    correlation: float  # one period on


@explained
def find_period(clip: Clip | Examined, *, whole: bool = False) -> Period:
    """The duration of one cycle of a clip, voted over its lower-body dofs.

    Hips, knees and ankles of both legs are compared with themselves later on, all six together, so that one step, after
    which left and right have changed places, is never taken for a cycle. Of the dofs, those whose own period agrees
    with that of all together then vote on the fraction, and the spectra of left against right, which do not see single
    steps either, confirm it or lower the confidence. Where the clip as a whole does not repeat, as in a start or a
    stop, or repeats less clearly than a stretch of it, as with a twirl, the best stretch is taken. Where the legs do
    not swing, all joints are used, and what repeats must be seen twice.

    Parameters
    ----------
    clip
        The capture, or what was examined of it before. Short gaps and jumps in it are bridged; of what is in pieces
        even then, the longest sound stretch is used.
    whole
        Whether the clip must repeat as a whole.

    Returns
    -------
    Period
        In frames and seconds, with a confidence.

    Raises
    ------
    MotionError
        Where nothing moves, nothing repeats, or the clip is too short to tell.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> round(find_period(perform("walk", speed=1.3)[0]).seconds, 2)
    1.09
    """
    examined = examine(clip)
    if len(examined.sound.stretches) > 1:
        examined = examined.cleaned
    try:
        return _find_period(examined.clip, examined.sound.longest, whole=whole)
    except MotionError as reason:
        if len(examined.sound.stretches) > 1:
            raise MotionError(f"{reason}; the clip is in pieces where the root is lost or leaps") from None
        raise


def _find_period(clip: Clip, sound: slice, *, whole: bool) -> Period:
    """The period of a sound stretch of a clip."""
    names, signals, idle = _swinging(clip)
    signals = signals[sound]
    n_frames, rate = len(signals), clip.frame_rate
    _refuse_too_short(n_frames, rate)
    if not (np.std(signals, axis=0) > _SEARCH.least_move).any():
        raise MotionError(
            f"nothing moves enough to have a period: no joint of {clip!r} turns by more than "
            f"{np.degrees(_SEARCH.least_move):.1f}° rms; choose a clip in which the body is in motion"
        )
    best = _best_estimate(signals, rate, idle=idle, whole=whole)
    if best.correlation < _SEARCH.least_correlation:
        raise MotionError(
            f"no motion repeats within the {n_frames / rate:.2f} s of {clip!r}: one period on it is "
            f"{max(best.correlation, 0.0):.2f} like itself at best, and {_SEARCH.least_correlation} is the least; a "
            "clip needs one full cycle (two steps) and a fifth of the next"
        )
    own_periods = _own_periods(signals[best.stretch], best.lags)
    agreeing = own_periods[np.abs(own_periods - best.lag) <= _SEARCH.agree * best.lag]
    confidence = best.correlation * len(agreeing) / max(int(np.count_nonzero(own_periods)), 1)
    if confidence < _SEARCH.least_confidence:
        words = ", ".join(f"{name} {period:.0f}" for name, period in zip(names, own_periods, strict=True) if period)
        raise MotionError(f"the joints of {clip!r} disagree on a period: {words} frames; choose a steady stretch")
    frames = vote(agreeing)
    apart = _left_against_right(names, signals[best.stretch])
    longest = (LONGEST_IDLE if idle else LONGEST) * rate  # a spectrum can have its top where no second cycle is seen
    band = (float(best.lags[0]), min(longest, float(best.stretch.stop - best.stretch.start)))
    confidence *= spectral_support(apart, frames, band, _SEARCH.agree)
    return Period(
        frames=frames,
        seconds=frames / rate,
        per_dof={name: float(period) for name, period in zip(names, own_periods, strict=True)},
        confidence=float(min(confidence, 1.0)),
        spectral=spectral_period(apart, band),
    )


def _best_estimate(signals: Float[np.ndarray, "frames dofs"], rate: float, *, idle: bool, whole: bool) -> _Estimate:
    """The period of all signals, or, unless they must repeat as a whole, of the stretch that repeats best."""
    n_frames = len(signals)
    everything = slice(0, n_frames)
    best = _estimate(signals, everything, _lags(n_frames, rate, idle=idle))
    if best.correlation < _SEARCH.least_correlation:
        best = _estimate(signals, everything, _lags(n_frames, rate, idle=True))
    if best.correlation < _SEARCH.least_correlation and not (whole or idle):
        parts = [_estimate(signals, part, _lags(part.stop - part.start, rate)) for part in _parts(n_frames, rate)]
        best = max((best, *parts), key=lambda estimate: estimate.correlation)
    elif best.correlation < _SEARCH.steady and not (whole or idle):
        part = _what_comes_back(signals, best.lag)
        steadier = _estimate(signals, part, _lags(part.stop - part.start, rate))
        if steadier.correlation > best.correlation and abs(steadier.lag - best.lag) > _SEARCH.dragged * best.lag:
            best = steadier  # else the whole says the same, and knows more cycles
    return best


def _swinging(clip: Clip) -> tuple[list[str], Float[np.ndarray, "frames dofs"], bool]:
    """Names and values of the angles that tell the period, and whether the motion is an idle.

    Angles of hips, knees and ankles where the legs swing; of all joints about all axes where legs are unknown or merely
    sway.
    """
    roles = find_roles(clip.skeleton)
    idle = False
    if all(f"{side}_{part}" in roles for side in FEET for part in ("hip", "knee", "ankle")):
        names, signals = leg_angles(clip)
        if np.std(signals, axis=0).max() > _SEARCH.least_swing:
            return names, signals, False
        idle = True
    usual = quaternions.normalise(clip.rotations_wxyz.mean(axis=0))
    turns = quaternions.to_rotvec(quaternions.seen_from(usual, clip.rotations_wxyz))
    names = [f"{name} {axis}" for name in clip.skeleton.names for axis in "xyz"]
    return names, turns.reshape(clip.n_frames, -1), idle


def vote(periods: Iterable[float]) -> float:
    """The median of the dofs' own periods; those of 0, still or never repeating, do not count."""
    counted = [period for period in periods if period > 0.0]
    if not counted:
        raise MotionError("no dof has a period, so there is nothing to vote on")
    return float(np.median(counted))


def _estimate(signals: Float[np.ndarray, "frames dofs"], stretch: slice, lags: tuple[int, int]) -> _Estimate:
    part = signals[stretch]
    moving = np.std(part, axis=0) > _SEARCH.least_move
    curve = joint_autocorrelation(part[:, moving], lags[1] + 2)
    lag = best_lag(curve, lags[0]) if lags[1] >= lags[0] else None
    return _Estimate(stretch, lags, lag or 0.0, float(curve[round(lag)]) if lag else -1.0)


def _what_comes_back(signals: Float[np.ndarray, "frames dofs"], lag: float) -> slice:
    """The stretch with the most motion in which every frame is seen again about one period on.

    The period is looked for once more near ``lag``, with differences clipped, so that a twirl in a walk does not shift
    the period of the walk's steps as it shifts an average.
    """
    moving = signals[:, np.std(signals, axis=0) > _SEARCH.least_move]
    least, most = int((1.0 - _SEARCH.agree) * lag), min(int((1.0 + _SEARCH.agree) * lag) + 1, len(moving) - 2)
    enough = _SEARCH.comes_back * float(np.var(moving, axis=0).sum())
    apart = [((moving[k:] - moving[:-k]) ** 2).sum(axis=1) for k in range(least, most + 1)]
    best = int(np.argmin([np.minimum(squares, enough).mean() for squares in apart]))
    parts = [slice(first, last + 1 + least + best) for first, last in intervals_of(apart[best] < enough)]
    motion = [float(np.var(moving[part], axis=0).sum() * len(moving[part])) for part in parts]
    return parts[int(np.argmax(motion))] if parts else slice(0, len(moving))


def _own_periods(signals: Float[np.ndarray, "frames dofs"], lags: tuple[int, int]) -> Float[np.ndarray, " dofs"]:
    """The period of each signal on its own; 0 where it is still or never repeats."""
    periods = [best_lag(curve, lags[0]) or 0.0 for curve in autocorrelation(signals, lags[1] + 2).T]
    return np.where(np.std(signals, axis=0) > _SEARCH.least_move, periods, 0.0)


def _left_against_right(names: list[str], signals: Float[np.ndarray, "frames dofs"]) -> Float[np.ndarray, "frames _"]:
    """Signals of the left leg less those of the right, whose sign changes with every step; all signals without legs."""
    others = {i: f"right{name[4:]}" for i, name in enumerate(names) if name.startswith("left_")}
    apart = [signals[:, i] - signals[:, names.index(other)] for i, other in others.items() if other in names]
    return np.stack(apart, axis=1) if apart else signals


def _parts(n_frames: int, frame_rate: float) -> list[slice]:
    """Overlapping stretches of some lengths, in which to look for a period that the whole does not have."""
    lengths = [round(seconds * frame_rate) for seconds in _SEARCH.part_seconds]
    steps = [(length, range(0, n_frames - length + 1, max(length // 4, 1))) for length in lengths if length < n_frames]
    return [slice(first, first + length) for length, firsts in steps for first in firsts]


def _lags(n_frames: int, frame_rate: float, *, idle: bool = False) -> tuple[int, int]:
    """The shortest and the longest period that can be found, frames."""
    longest, seen_again = (LONGEST_IDLE, _SEARCH.idle_seen_again) if idle else (LONGEST, _SEARCH.seen_again)
    most = min(int(np.ceil(longest * frame_rate)), int((n_frames - 1) / (1.0 + seen_again)))
    return max(int(np.floor(SHORTEST * frame_rate)), 2), most


def _refuse_too_short(n_frames: int, frame_rate: float) -> None:
    shortest, longest = _lags(n_frames, frame_rate)
    if longest <= shortest + 1:
        raise MotionError(
            f"{n_frames} frames at {frame_rate:g} Hz are too few to hold a cycle; "
            f"at least {int(np.ceil((1.0 + _SEARCH.seen_again) * (shortest + 3)))} are needed"
        )
