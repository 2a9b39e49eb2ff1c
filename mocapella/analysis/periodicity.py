"""How periodic signals are: autocorrelation, spectra, and the lag at which a signal comes back."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int
from scipy.fft import irfft, next_fast_len, rfft

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
