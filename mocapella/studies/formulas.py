"""Published formulas that the library replaces by others: root angles, yaw increments, padded spectra, series."""

from __future__ import annotations

import numpy as np
from jaxtyping import Complex, Float

from mocapella.errors import MotionError
from mocapella.geometry import euler
from mocapella.motion.layout import ROOT_ORDER


def resequenced(angles: Float[np.ndarray, "frames axes"], order: str) -> Float[np.ndarray, "frames 3"]:
    """Euler angles of the root in any order as YXZ angles of the same rotations, continuous over the frames.

    With Y leftmost, it is applied last and turns the whole character about the vertical: no joint changes its height.
    """
    return euler.unroll(euler.resequence(angles, order, ROOT_ORDER), ROOT_ORDER)


def yaw_increments(yaws: Float[np.ndarray, " frames"], *, closing: float | None = None) -> Float[np.ndarray, " frames"]:
    """The change of heading into every frame of a cycle, radians; they add up to the turn per cycle.

    The first frame's increment leads from the last frame over the seam. ``closing`` is the yaw of the frame after the
    last, where it is known; without it that increment is the mean of its neighbours (eq 5.7).
    """
    if len(yaws) < 2:
        raise MotionError(f"increments need at least two frames, got {len(yaws)}")
    inner = np.diff(yaws)
    first = 0.5 * (inner[-1] + inner[0]) if closing is None else closing - yaws[-1]
    return np.concatenate([[first], inner])


def windowed(
    signals: Float[np.ndarray, " frames *rest"],
) -> tuple[Float[np.ndarray, " bins"], Complex[np.ndarray, " bins *rest"]]:
    """The spectrum of a clip that does not close: cycles per frame, and coefficients of the signals about their means.

    The frames are padded with zeros to a power of two, so that no period is preferred for fitting in.
    """
    window = 1 << max(len(signals) - 1, 0).bit_length()
    centred = signals - signals.mean(axis=0)
    return np.fft.rfftfreq(window), np.fft.rfft(centred, window, axis=0) / len(signals)


def from_series(
    cosines: Float[np.ndarray, "harmonics dofs"], sines: Float[np.ndarray, "harmonics dofs"]
) -> Complex[np.ndarray, "harmonics dofs"]:
    """Coefficients of the series ``Σ a[h] cos hθ + b[h] sin hθ``; row 0 holds the mean itself, not twice it."""
    out = 0.5 * (cosines - 1j * sines)
    out[0] = cosines[0]
    return np.asarray(out)


def to_series(
    coefficients: Complex[np.ndarray, "harmonics dofs"],
) -> tuple[Float[np.ndarray, "harmonics dofs"], Float[np.ndarray, "harmonics dofs"]]:
    """The cosine and sine coefficients of a spectrum: the inverse of ``from_series``."""
    cosines, sines = 2.0 * coefficients.real, -2.0 * coefficients.imag
    cosines[0], sines[0] = coefficients[0].real, 0.0
    return cosines, sines
