"""Motions made from others: sums and differences, C + (B − A); runs with longer or higher flights."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from mocapella.arrays import owned
from mocapella.blending.bank import spectra_given, with_like_signs
from mocapella.blending.paired_plants import blend_contacts
from mocapella.checks import real_or_nan, refuse_other, shown
from mocapella.errors import MotionError, NetworkError
from mocapella.geometry.angles import TURN
from mocapella.geometry.curves import smoothstep
from mocapella.motion.contacts import FEET, FOOT_POINTS, Arc
from mocapella.motion.layout import HEIGHT
from mocapella.motion.spectrum import Spectrum

SHORTEST = 0.25  # of the base's duration: what a sum may at least last


def with_quality(
    base: Spectrum, plain: Spectrum, special: Spectrum, scale: float | int = 1.0, *, name: str = ""
) -> Spectrum:
    """``base + scale · (special − plain)``: the base motion plus the difference between two others.

    A slow left turn is ``with_quality(slow, walk, walk_left)``. Durations are added alike, and foot plants too where
    all three know theirs, as begin and length of arcs; harmonics that not all have are left out.

    Parameters
    ----------
    base, plain, special
        Motions in step, of one skeleton and layout.
    scale
        How much of the difference is added; 0 gives the base.
    name
        Of the sum; the base's if empty.

    Returns
    -------
    Spectrum
        The sum.

    Raises
    ------
    NetworkError
        Where the scale is no finite number, or the sum would last less than a quarter of what the base does.
    """
    if not math.isfinite(real_or_nan(scale)):
        raise NetworkError(f"expected a scale that is a finite number, got {shown(scale)}; 1 adds the whole difference")
    base_, plain_, special_ = with_like_signs(spectra_given([base, plain, special]))
    rows = min(spectrum.n_harmonics for spectrum in (base, plain, special)) + 1
    duration = base.duration + scale * (special.duration - plain.duration)
    if not duration >= SHORTEST * base.duration:
        raise NetworkError(
            f"the sum would last {duration:.3g} s, the base {base.duration:.3g} s; a smaller scale than {scale:g} helps"
        )
    coefficients = base_.coefficients[:rows] + scale * (special_.coefficients[:rows] - plain_.coefficients[:rows])
    contacts = base.contacts
    if contacts is not None and plain.contacts is not None and special.contacts is not None:
        weights = np.array([1.0, -scale, scale])
        contacts = blend_contacts([contacts, plain.contacts, special.contacts], weights)
    return replace(
        base_, coefficients=owned(coefficients), duration=duration, contacts=contacts, name=name or base.name
    )


class _FlightSettings(NamedTuple):
    """Numbers of changed flights."""

    samples: int = 720  # of a cycle, every half degree of its phase
    edge: float = 0.2  # of a flight, at either end, over which the change of time eases in and out
    shortest: float = 0.4  # least factor of a flight's duration: a shorter one would be a jerk
    longest: float = 4.0  # largest factor of it: a longer one would be no flight of a person


_FLIGHT = _FlightSettings()


def with_flight(spectrum: Spectrum, *, time: float | int = 1.0, height: float | int = 1.0) -> Spectrum:
    """A run whose flights last ``time`` times as long and rise ``height`` times as high.

    In flight the body keeps its speed, so longer flights go further; what it does while a foot rests stays.

    Parameters
    ----------
    spectrum
        A run, with a layout and foot plants.
    time
        Factor of each flight's duration, 0.4 to 4.
    height
        Factor of the root's height above the line from take-off to landing.

    Returns
    -------
    Spectrum
        The run, with as many harmonics as it had.

    Raises
    ------
    MotionError
        Where nothing is known of foot plants, where some foot rests at any time, or for factors out of range.

    Examples
    --------
    >>> import mocapella as mo
    >>> from mocapella.actor import perform
    >>> run = mo.analyse(mo.prepare(perform("run", speed=3.0)[0]))
    >>> bool(with_flight(run, time=1.5).duration > run.duration)
    True
    """
    if not (_FLIGHT.shortest <= real_or_nan(time) <= _FLIGHT.longest and math.isfinite(real_or_nan(height))):
        given = f"{shown(time)}, {shown(height)} high"
        raise MotionError(f"expected flights of {_FLIGHT.shortest} to {_FLIGHT.longest} times their time, got {given}")
    refuse_other(spectrum, Spectrum, "a spectrum, such as analyse(cycle) makes one")
    if spectrum.layout is None or spectrum.contacts is None:
        raise MotionError("only a motion with a layout and foot plants knows when it flies")
    flights = _flights(spectrum)
    if not flights:
        raise MotionError(f"{spectrum!r} has no flight: some foot rests at any time; walks have none")
    phases = np.linspace(0.0, TURN, _FLIGHT.samples + 1)
    paces = np.ones_like(phases)
    rises = np.zeros_like(phases)
    for start, length in flights:
        share = (phases - start) % TURN / length
        inside = share < 1.0
        paces[inside] += (float(time) - 1.0) * _bump(share[inside])
        heights = spectrum.at(phases[inside])[:, HEIGHT]
        first, last = spectrum.at(np.array([start, start + length]))[:, HEIGHT]
        rises[inside] = (float(height) - 1.0) * (heights - first - share[inside] * (last - first))
    times = np.concatenate([[0.0], np.cumsum(0.5 * (paces[1:] + paces[:-1]) * np.diff(phases))])
    total = float(times[-1])
    frames = _FLIGHT.samples
    at = np.interp(total * np.arange(frames) / frames, times, phases)
    dofs = spectrum.at(at)
    dofs[:, HEIGHT] += np.interp(at, phases, rises)

    def moved(arc: Arc) -> Arc:
        ends = [float(np.interp(end % TURN, phases, times)) + total * (end // TURN) for end in (arc[0], sum(arc))]
        return ends[0] * TURN / total, (ends[1] - ends[0]) * TURN / total

    arcs = {name: tuple(moved(arc) for arc in spectrum.contacts.point(name)) for name in FOOT_POINTS}
    return replace(
        spectrum,
        coefficients=np.fft.rfft(dofs, axis=0, norm="forward")[: spectrum.n_harmonics + 1],
        duration=spectrum.duration * total / TURN,
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
    """The profile by which time is stretched along a flight: 0 at its ends, 1 on average."""
    ramp = np.clip(np.minimum(share, 1.0 - share) / _FLIGHT.edge, 0.0, 1.0)
    return np.asarray(smoothstep(ramp) / (1.0 - _FLIGHT.edge))
