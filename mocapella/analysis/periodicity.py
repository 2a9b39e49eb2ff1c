"""How periodic signals are: autocorrelation, spectra, and the lag at which a signal comes back."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int
from scipy.fft import irfft, next_fast_len, rfft

_CLOSE = 8  # times its own length a signal is filled up to, so that the bins of its spectrum lie close
NEARLY = 0.85  # of the best likeness at which a shorter period is preferred to its multiple


def likeness(signals: Float[np.ndarray, "frames dofs"], n_lags: int) -> Float[np.ndarray, "lags dofs"]:
    """How alike each signal and itself ``lag`` frames later are: 1 where equal, 0 by chance, −1 where opposite.

    It is autocorrelation on the frames that overlap, divided by what they hold of the motion, so that a short clip does
    not look less periodic at longer lags. A signal that stands still is 0 throughout.
    """
    products, energies = _overlaps(signals, n_lags)
    return np.asarray(np.where(energies > 1e-12, products / np.where(energies > 1e-12, energies, 1.0), 0.0))


def joint_likeness(signals: Float[np.ndarray, "frames dofs"], n_lags: int) -> Float[np.ndarray, " lags"]:
    """The same for all signals together, each with the weight of its own swing."""
    products, energies = (sums.sum(axis=1) for sums in _overlaps(signals, n_lags))
    return np.asarray(products / np.maximum(energies, 1e-12))


def best_lag(curve: Float[np.ndarray, " lags"], shortest: int) -> float | None:
    """The period a likeness curve tells, with its fraction; None where it has no peak.

    Of peaks nearly as high as the highest the first is taken: the others are its multiples.
    """
    inner = np.arange(max(shortest, 1), len(curve) - 1)
    peaks = inner[(curve[inner] >= curve[inner - 1]) & (curve[inner] > curve[inner + 1]) & (curve[inner] > 0.0)]
    if len(peaks) == 0:
        return None
    high: Int[np.ndarray, " peaks"] = peaks[curve[peaks] >= NEARLY * curve[peaks].max()]
    return float(high[0]) + _summit(curve[high[0] - 1 : high[0] + 2])


def spectral_period(
    signals: Float[np.ndarray, "frames dofs"],
    band: tuple[float, float] | None = None,
    padded: int | None = None,
) -> float:
    """The period of the highest peak of the spectra of all signals together; 0 where nothing moves.

    The means are taken off first, and the top of the peak lies between the bins and is found by a parabola. Within a
    ``band`` of periods, shortest and longest, its edges count only where there is no peak inside: what drifts leaks in
    there. ``padded`` is the length the signals are filled up to with zeros; by default enough that the bins lie close.
    """
    powers, n = _powers(signals, padded)
    first, last = _bins(band, n, len(powers))
    inner = np.arange(first, last + 1)
    if powers[inner].max(initial=0.0) < 1e-12:
        return 0.0
    peaks = inner[
        (powers[inner] >= powers[inner - 1]) & (powers[inner] > powers[np.minimum(inner + 1, len(powers) - 1)])
    ]
    top = int(max(peaks if len(peaks) else inner, key=lambda k: powers[k]))
    return n / (top + (_summit(powers[top - 1 : top + 2]) if 1 < top < len(powers) - 1 else 0.0))


def spectral_support(
    signals: Float[np.ndarray, "frames dofs"], period: float, band: tuple[float, float], near: float
) -> float:
    """How high the spectra of all signals together are at a period, ``near`` being a share of it; 1 is the highest.

    It is a ratio of magnitudes within the ``band``, 0 … 1: less than 1 says that something else swings more. What
    swings two or three times a period supports it as well, since it has come back by then; in dances it is strongest.
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
    """The squared magnitudes of all spectra added up, and the length they are of."""
    n = padded or next_fast_len(_CLOSE * len(signals), real=True)
    return np.asarray((np.abs(rfft(signals - signals.mean(axis=0), n, axis=0)) ** 2).sum(axis=1)), n


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
