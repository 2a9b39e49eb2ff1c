"""From a cycle to its spectrum and back; cycles resampled and smoothed."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np

from mocapella.arrays import owned
from mocapella.errors import MotionError, MotionWarning
from mocapella.geometry.angles import TURN
from mocapella.motion.cycle import Cycle
from mocapella.motion.layout import N_ROOT_DOFS
from mocapella.motion.spectrum import Spectrum, harmonic_ceiling, refuse_no_count

# From a cycle to its harmonics and back.


def analyse(cycle: Cycle, harmonics: int | None = None) -> Spectrum:
    """The harmonics of a cycle, each divided by the cycle's own length so that cycles of any length mix.

    Parameters
    ----------
    cycle
        What to analyse.
    harmonics
        How many to keep; all if None. All of an even number of frames includes half the harmonic that turns every other
        frame, so that ``synthesise`` gives back exactly the frames; asked for by number it is never part.

    Warns
    -----
    MotionWarning
        Where more harmonics are asked for than the frames determine (⌈N/2⌉ − 1); that many are given.
    """
    coefficients = np.fft.rfft(cycle.dofs, axis=0, norm="forward")
    if harmonics is None:
        if cycle.n_frames % 2 == 0:
            coefficients[-1] *= 0.5  # it has no mirror image to be counted with
    else:
        coefficients = coefficients[: _clamped(harmonics, cycle) + 1]
    return Spectrum(owned(coefficients), cycle.duration, cycle.layout, cycle.contacts, cycle.name)


def synthesise(spectrum: Spectrum, frames: int) -> Cycle:
    """One cycle of ``frames`` frames from its harmonics; what the spectrum lasts is kept, whatever the count."""
    if spectrum.layout is None:
        raise MotionError("these harmonics carry no layout, so they make no motion; use spectrum.at(phases)")
    if frames < 3:
        raise MotionError(f"a cycle needs at least 3 frames, got {frames}")
    if spectrum.duration <= 0.0:
        raise MotionError(f"a motion that is played lasts longer than 0 s, this one {spectrum.duration:g} s")
    dofs = spectrum.at(TURN * np.arange(frames) / frames)
    return Cycle(spectrum.layout, owned(dofs), frames / spectrum.duration, spectrum.contacts, spectrum.name)


def resampled(cycle: Cycle, frames: int) -> Cycle:
    """The same cycle with another number of frames in the same time, exact where its harmonics allow it.

    Rates of travel and turn are per second and stay what they are, so the turn per cycle does too.
    """
    spectrum = analyse(cycle)
    if frames < cycle.n_frames:
        spectrum = spectrum.truncated(harmonic_ceiling(frames))  # what the frames cannot hold would fold back
    made = synthesise(spectrum, frames)
    return replace(cycle, dofs=made.dofs, frame_rate=made.frame_rate).decided(
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


# Smooth a cycle by leaving out what is small in its spectrum.

SMALL = 0.1  # of the largest harmonic, as published


def smoothed(cycle: Cycle, share: float | int = SMALL) -> Cycle:
    """The cycle without harmonics smaller than ``share`` of the largest of the same joint (EDT-01), the means aside.

    All dofs of a joint keep the same harmonics, so that its rotations stay rotations; height, travel and yaw rate are
    judged each on its own. Jitter goes, and with it what is quick and meant: a strike of the foot goes soft.
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
