"""How many harmonics of a blend are played, changed while a character moves.

While the number changes it is fractional: at 4.3, harmonic 5 is weighted by 0.3. So harmonics fade in or out one after
the other, and all others stay as they are.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from jaxtyping import Float, Int

from mocapella.arrays import owned
from mocapella.motion.spectrum import Spectrum
from mocapella.playback.own_time import OwnTimeNodes
from mocapella.playback.settings import PlayerSettings


def limited(spectrum: Spectrum, count: float | None) -> Spectrum:
    """A spectrum with its first ``count`` harmonics; the same object where that is all of them, or None."""
    if count is None or count >= spectrum.n_harmonics:
        return spectrum
    gains = _gains(count, np.arange(min(math.ceil(count), spectrum.n_harmonics) + 1))
    coefficients = owned(gains[:, None] * spectrum.coefficients[: len(gains)])
    return Spectrum.unchecked(coefficients, spectrum.duration, spectrum.layout, spectrum.contacts, spectrum.name)


def limited_swings(own_time: OwnTimeNodes | None, count: float | None) -> OwnTimeNodes | None:
    """Nodes with their own time, with so many of their harmonics."""
    if own_time is None or count is None:
        return own_time
    gained = [_gains(count, np.arange(1, len(swings) + 1))[:, None] * swings for swings in own_time.swings]
    return replace(own_time, swings=tuple(map(owned, gained)))


def approached(count: float | None, settings: PlayerSettings, seconds: float) -> float | None:
    """The fractional number of harmonics some seconds later, moving to the settings' number; None once there."""
    if count is None:
        return None
    goal, most = played_count(None, settings), settings.harmonic_rate * seconds
    if goal is None:
        return count + most
    return None if abs(goal - count) <= most else count + math.copysign(most, goal - count)


def played_count(count: float | None, settings: PlayerSettings) -> float | None:
    """The number of harmonics that is played: ``count`` on its way, else that of the settings; None for all."""
    if count is not None:
        return count
    return None if settings.harmonics is None else float(settings.harmonics)


def arrived(count: float | None, settings: PlayerSettings, spectrum: Spectrum) -> float | None:
    """None once the number has reached all harmonics of a spectrum and all are wanted, else the number."""
    goal, most = played_count(None, settings), spectrum.n_harmonics
    return None if count is not None and count >= most and (goal is None or goal >= most) else count


def _gains(count: float, harmonics: Int[np.ndarray, " harmonics"]) -> Float[np.ndarray, " harmonics"]:
    return np.asarray(np.clip(count + 1.0 - harmonics, 0.0, 1.0))
