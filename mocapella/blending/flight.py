"""Longer or shorter, higher or lower flights of a run, with its stance left as it is."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from mocapella.blending.given import refuse_other
from mocapella.errors import MotionError
from mocapella.geometry.smoothstep import smooth
from mocapella.motion.contacts import FEET, FOOT_POINTS, TURN, Arc
from mocapella.motion.layout import HEIGHT
from mocapella.motion.spectrum import Spectrum
from mocapella.reals import real_or_nan, shown

_SAMPLES = 720
_EDGE = 0.2  # of a flight, at either end, in which time begins and ceases to run otherwise
_SLOWEST, _QUICKEST = 0.4, 4.0


def with_flight(spectrum: Spectrum, *, time: float | int = 1.0, height: float | int = 1.0) -> Spectrum:
    """A run whose flights last ``time`` times as long and rise ``height`` times as high.

    In flight the body keeps its speed, so longer flights go further; how fast it moves over the ground while a foot
    rests, and how, stays. How high is measured above the line from where the root takes off to where it comes down. As
    many harmonics are kept as there were.

    Raises
    ------
    MotionError
        Where nothing is known of foot plants, where some foot rests at any time, or for factors no runner could make.
    """
    if not (_SLOWEST <= real_or_nan(time) <= _QUICKEST and math.isfinite(real_or_nan(height))):
        given = f"{shown(time)}, {shown(height)} high"
        raise MotionError(f"expected flights of {_SLOWEST} to {_QUICKEST} times their time, got {given}")
    refuse_other(spectrum, Spectrum, "a spectrum, such as analyse(cycle) makes one")
    if spectrum.layout is None or spectrum.contacts is None:
        raise MotionError("only a motion with a layout and foot plants knows when it flies")
    flights = _flights(spectrum)
    if not flights:
        raise MotionError(f"{spectrum!r} has no flight: some foot rests at any time; walks have none")
    phases = np.linspace(0.0, TURN, _SAMPLES + 1)
    paces = np.ones_like(phases)
    rises = np.zeros_like(phases)
    for start, length in flights:
        share = (phases - start) % TURN / length
        inside = share < 1.0
        paces[inside] += (float(time) - 1.0) * _bump(share[inside])
        own = spectrum.at(phases[inside])[:, HEIGHT]
        first, last = spectrum.at(np.array([start, start + length]))[:, HEIGHT]
        rises[inside] = (float(height) - 1.0) * (own - first - share[inside] * (last - first))
    times = np.concatenate([[0.0], np.cumsum(0.5 * (paces[1:] + paces[:-1]) * np.diff(phases))])
    whole = float(times[-1])
    frames = _SAMPLES
    at = np.interp(whole * np.arange(frames) / frames, times, phases)
    dofs = spectrum.at(at)
    dofs[:, HEIGHT] += np.interp(at, phases, rises)

    def moved(arc: Arc) -> Arc:
        ends = [float(np.interp(end % TURN, phases, times)) + whole * (end // TURN) for end in (arc[0], sum(arc))]
        return ends[0] * TURN / whole, (ends[1] - ends[0]) * TURN / whole

    arcs = {name: tuple(moved(arc) for arc in spectrum.contacts.point(name)) for name in FOOT_POINTS}
    return replace(
        spectrum,
        coefficients=np.fft.rfft(dofs, axis=0, norm="forward")[: spectrum.n_harmonics + 1],
        duration=spectrum.duration * whole / TURN,
        contacts=replace(spectrum.contacts, **arcs),
    )


def _flights(spectrum: Spectrum) -> list[Arc]:
    """The arcs in which no foot rests, longer than a hundredth of the cycle."""
    assert spectrum.contacts is not None
    spans = sorted((start, start + length) for side in FEET for start, length in spectrum.contacts.foot(side))
    if not spans:
        return []
    ends = list(itertools.accumulate((end for _, end in spans), max))
    over = max(end - TURN for end in ends)  # how far the last plants reach into the next round
    starts = [*(start for start, _ in spans[1:]), spans[0][0] + TURN]
    gaps = [(max(end, over), start - max(end, over)) for end, start in zip(ends, starts, strict=True)]
    return [(start % TURN, length) for start, length in gaps if length > 0.01 * TURN]


def _bump(share: Float[np.ndarray, " some"]) -> Float[np.ndarray, " some"]:
    """How much more slowly time runs along a flight: not at its ends, and once on average."""
    ramp = np.clip(np.minimum(share, 1.0 - share) / _EDGE, 0.0, 1.0)
    return np.asarray(smooth(ramp) / (1.0 - _EDGE))
