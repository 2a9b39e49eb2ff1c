"""Fourier analysis and synthesis of cycles; cycles resampled and smoothed by their harmonics."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np

from mocapella.arrays import owned
from mocapella.checks import MOST_FRAMES, explained, shown, whole_number
from mocapella.errors import MotionError, MotionWarning
from mocapella.motion.cycle import Cycle
from mocapella.motion.layout import N_ROOT_DOFS
from mocapella.motion.spectrum import Spectrum, harmonic_ceiling, refuse_no_count
from mocapella.stages import refuse_other_stage


@explained
def analyse(cycle: Cycle, harmonics: int | None = None) -> Spectrum:
    """The spectrum of a cycle, normalised by its number of frames so that cycles of any length mix.

    Parameters
    ----------
    cycle
        What to analyse.
    harmonics
        How many to keep; all if None. All of an even number of frames includes half the Nyquist harmonic, so that
        ``synthesise`` gives back exactly the frames; asked for by number it is never part.

    Returns
    -------
    Spectrum
        Complex coefficients of shape (harmonics + 1, dofs), with the cycle's duration, layout and contacts.

    Warns
    -----
    MotionWarning
        Where more harmonics are asked for than the frames determine (⌈N/2⌉ − 1); that many are given.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> from mocapella.analysis.prepare import prepare
    >>> cycle = prepare(perform("walk", speed=1.3)[0])
    >>> analyse(cycle, harmonics=8).coefficients.shape == (9, cycle.n_dofs)
    True
    """
    refuse_other_stage(cycle, "Cycle")
    coefficients = np.fft.rfft(cycle.dofs, axis=0, norm="forward")
    if harmonics is None:
        if cycle.n_frames % 2 == 0:
            coefficients[-1] *= 0.5  # the Nyquist harmonic has no negative counterpart
    else:
        coefficients = coefficients[: _clamped(harmonics, cycle) + 1]
    return Spectrum(owned(coefficients), cycle.duration, cycle.layout, cycle.contacts, cycle.name)


@explained
def synthesise(spectrum: Spectrum, frames: int) -> Cycle:
    """One cycle from its harmonics.

    Parameters
    ----------
    spectrum
        The harmonics, with a layout.
    frames
        Number of frames, at least 3; the duration stays that of the spectrum.

    Returns
    -------
    Cycle
        At ``frames`` per duration.

    Raises
    ------
    MotionError
        Where the spectrum has no layout or no duration, or the frames are too few.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> from mocapella.analysis.prepare import prepare
    >>> cycle = prepare(perform("walk", speed=1.3)[0])
    >>> synthesise(analyse(cycle, harmonics=8), 60).n_frames
    60
    """
    if spectrum.layout is None:
        raise MotionError("these harmonics have no layout, so they make no motion; use spectrum.at(phases)")
    count = whole_number(frames, "a whole number of frames, at least 3")
    if not 3 <= count <= MOST_FRAMES:
        raise MotionError(f"a cycle has from 3 to {MOST_FRAMES:,} frames, got {shown(count)}")
    if spectrum.duration <= 0.0:
        raise MotionError(f"a motion that is played lasts longer than 0 s, this one {spectrum.duration:g} s")
    dofs = owned(spectrum.frames(count))
    return Cycle(spectrum.layout, dofs, count / spectrum.duration, spectrum.contacts, spectrum.name)


def resampled(cycle: Cycle, frames: int) -> Cycle:
    """The cycle with another number of frames in the same time, by its harmonics.

    Rates of travel and turn are per second, so the turn per cycle stays what it was. With more frames and back again
    the cycle is what it was; of the Nyquist harmonic of fewer frames, an even number, only the cosine remains.
    """
    spectrum = analyse(cycle)
    if frames < cycle.n_frames:
        spectrum = spectrum.truncated(frames // 2)  # what the frames cannot hold would fold back
    played = synthesise(spectrum, frames)
    return replace(cycle, dofs=played.dofs, frame_rate=played.frame_rate).decided(
        "resample", f"brought from {cycle.n_frames} to {frames} frames", before=cycle.n_frames, after=frames
    )


def _clamped(harmonics: int, cycle: Cycle) -> int:
    ceiling = harmonic_ceiling(cycle.n_frames)
    refuse_no_count(harmonics)
    if harmonics > ceiling:
        warnings.warn(
            f"{harmonics} harmonics were asked for, but {cycle.n_frames} frames hold {ceiling}; these are given",
            MotionWarning,
            stacklevel=3,
        )
    return min(harmonics, ceiling)


def smoothed(cycle: Cycle, share: float | int = 0.1) -> Cycle:
    """The cycle without harmonics smaller than ``share`` of the largest of the same joint (EDT-01; published: 0.1).

    The means are kept. All dofs of a joint keep the same harmonics, so that its rotations stay rotations; height,
    travel and yaw rate are judged each on its own. Quick motion is lost along with jitter: foot strikes become soft.

    ``share`` is that of the largest harmonic of a joint, 0 … 1. The result has a decision that says what was left out.
    """
    if not 0.0 <= share < 1.0:
        raise MotionError(f"the share below which harmonics are left out is 0 or more and less than 1, got {share}")
    spectrum = np.fft.rfft(cycle.dofs, axis=0)
    n_dofs = cycle.dofs.shape[1]
    joints = [cycle.layout.columns(joint) for joint in range(cycle.skeleton.n_joints)]
    alone = [slice(column, column + 1) for column in range(n_dofs - N_ROOT_DOFS, n_dofs)]
    for columns in (*joints, *alone):
        sizes = np.linalg.norm(np.abs(spectrum[1:, columns]), axis=1)
        spectrum[1:, columns][sizes < share * sizes.max(initial=0.0)] = 0.0
    dofs = np.fft.irfft(spectrum, cycle.n_frames, axis=0)
    text = f"harmonics smaller than {100.0 * share:g} % of the largest of a joint were left out"
    return replace(cycle, dofs=owned(dofs)).decided("smooth", text, share=float(share))
