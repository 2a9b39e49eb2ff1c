"""Synchronisation: cycles shifted so that all start at the same point of their movement.

The low harmonics of all joints are compared. The correlation of two cycles, one of them started φ later, is a short sum
of sinusoids of φ, so the best φ is found exactly, to any fraction of a frame. A leg that walks backwards swings the
other way while it is planted, and one that steps aside hardly swings at all: cycles that go different ways are compared
by when their feet are planted.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Complex, Float

from mocapella.analysis.fourier import synthesise
from mocapella.arrays import owned
from mocapella.checks import explained, whole_number
from mocapella.errors import MotionError
from mocapella.geometry.angles import TURN, wrap
from mocapella.motion.contacts import FEET
from mocapella.motion.cycle import Cycle
from mocapella.motion.layout import Layout
from mocapella.motion.skeleton import ANOTHER_UNIT, REMEDY, limb_reaches, unlike
from mocapella.motion.spectrum import Spectrum, harmonic_ceiling
from mocapella.motion.travel import go_one_way
from mocapella.rig.binding import on_one_skeleton
from mocapella.rig.names import SIDES
from mocapella.rig.roles import find_roles
from mocapella.stages import refuse_other_stage

_MOST_HARMONICS = 1000  # per cycle, far more than a capture has
_LOW_HARMONICS = 3  # per cycle by which motions are compared: higher ones differ from take to take
_HIP_WEIGHT = 4.0  # on the captures at hand all hips then agree within 10°, and arms and trunk still count
_STILL = 1e-9  # the size, by rounding alone, of a cycle that does not move
_GRID = 64  # phases per harmonic at which the correlation is sampled before the best is refined
_FRAMES = 16  # of a cycle synthesised to be compared
_PLANT_SAMPLES = 256  # of a cycle's foot plants
_ROUNDS = 12  # over a set; it settles in three or four

Coefficients = Complex[np.ndarray, "harmonics dofs"]


@explained
def synchronise(cycles: Sequence[Cycle], *, harmonics: int = _LOW_HARMONICS) -> list[Cycle]:
    """The same cycles, all in step with the first, which stays as it is.

    Every cycle is shifted to correlate best with all the others together, so the result does not depend on one odd
    cycle. Signs of quaternions (and whole turns of angles) are made to agree over the set, too, as blending needs. What
    is compared are the joints; where some cycles go ahead and others backwards or to a side, and all know their foot
    plants, it is these.

    Parameters
    ----------
    cycles
        Of one skeleton and layout.
    harmonics
        How many low harmonics are compared.

    Returns
    -------
    list of Cycle
        With the synchronisation offsets on record.

    Raises
    ------
    MotionError
        Where the cycles do not share skeleton and layout.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> from mocapella.analysis.prepare import prepare
    >>> slow, fast = synchronise([prepare(perform("walk", speed=speed)[0]) for speed in (0.9, 1.5)])
    >>> fast.decisions[-1].step
    'synchronise'
    """
    refuse_other_stage(cycles, "Cycle", several=True)
    if not cycles:
        return []
    alike = with_like_signs(on_one_skeleton(cycles))
    parts = _fingerprints(alike, harmonics)
    phases = np.zeros(len(parts))
    together = parts[0].copy()
    for i in range(1, len(parts)):
        phases[i] = _best_phase(parts[i], together)
        together += _turned(parts[i], phases[i])
    for _ in range(_ROUNDS):
        before = phases.copy()
        for i, part in enumerate(parts):
            others = together - _turned(part, phases[i])
            phases[i] = _best_phase(part, others) if len(parts) > 1 else 0.0
            together = others + _turned(part, phases[i])
        if np.abs(wrap(phases - before)).max() < 1e-9:
            break
    phases = wrap(phases - phases[0])
    return [_begun(cycle, float(phase)) for cycle, phase in zip(alike, phases, strict=True)]


def synchronised_to(cycle: Cycle, references: Sequence[Cycle], *, harmonics: int = _LOW_HARMONICS) -> Cycle:
    """One more cycle in step with some that already are, such as the other corners of its triangles.

    The ``references``, at least one, stay as they are.
    """
    if not references:
        raise MotionError("there is nothing to synchronise with; give at least one reference")
    cycle = on_one_skeleton([references[0], cycle])[1]
    _refuse_unlike([*references, cycle])
    alike = replace(cycle, dofs=owned(cycle.layout.matched(cycle.dofs, references[0].dofs.mean(axis=0))))
    fingerprint, *others = _fingerprints([alike, *references], harmonics)
    return _begun(alike, _best_phase(fingerprint, np.sum(others, axis=0)))


def phase_in_step(spectra: Sequence[Spectrum], references: Sequence[Spectrum]) -> float:
    """The common phase shift that brings some motions in step with others, pair by pair.

    Returns radians by which all of ``spectra`` have to start later. Raises ``MotionError`` where there are no pairs, or
    a pair does not share skeleton and layout.
    """
    if not spectra or len(spectra) != len(references):
        raise MotionError(f"expected motions in pairs, got {len(spectra)} and {len(references)}")
    parts = []
    for pair in zip(spectra, references, strict=True):
        cycles = with_like_signs([synthesise(spectrum, _FRAMES) for spectrum in pair])
        weights = _weights(cycles[0].layout)
        parts.append([_low_harmonics(cycle.dofs, weights, _LOW_HARMONICS) for cycle in cycles])
    together, reference = (np.concatenate(side, axis=1) for side in zip(*parts, strict=True))
    return _best_phase(together, reference)


def agreement(
    cycle: Cycle, reference: Cycle, phases: Float[np.ndarray, " phases"], *, harmonics: int = _LOW_HARMONICS
) -> Float[np.ndarray, " phases"]:
    """The correlation of a cycle, begun later, with another: what ``synchronise`` maximises.

    ``cycle`` is begun later by ``phases``, radians. Returns −1 … 1; 1 where both are the same motion in step.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> from mocapella.analysis.prepare import prepare
    >>> walk = prepare(perform("walk")[0])
    >>> bool(np.isclose(agreement(walk, walk, np.array([0.0]))[0], 1.0))
    True
    """
    alike = with_like_signs([cycle, reference])
    weights = _weights(alike[0].layout)
    part, other = (_low_harmonics(motion.dofs, weights, harmonics) for motion in alike)
    shares = np.einsum("hd,hd->h", np.conj(other), part)
    return np.asarray((np.exp(1j * phases[:, None] * np.arange(1, len(shares) + 1)) @ shares).real)


def shifted(cycle: Cycle, frames: float | int) -> Cycle:
    """The cycle started some frames later: ``new[n] = old[(n + frames) % N]``."""
    moved = cycle.starting_at(TURN * frames / cycle.n_frames)
    return moved.decided("synchronise", f"begun {frames:g} frames later by hand", frames=frames)


def with_like_signs(cycles: Sequence[Cycle]) -> list[Cycle]:
    """The same motions with signs of quaternions, or whole turns of angles, that agree over the set.

    Raises ``MotionError`` where the cycles do not share skeleton and layout.
    """
    _refuse_unlike(cycles)
    layout = cycles[0].layout
    common = layout.common_reference(np.stack([cycle.dofs.mean(axis=0) for cycle in cycles]))
    return [replace(cycle, dofs=owned(layout.matched(cycle.dofs, common))) for cycle in cycles]


def _best_phase(part: Coefficients, reference: Coefficients) -> float:
    """The phase shift, radians, by which a motion correlates best with another; both as harmonics 1, 2, ….

    0 where they have nothing in common.
    """
    shares = np.einsum("hd,hd->h", np.conj(reference), part)
    if not np.abs(shares).max(initial=0.0) > 0.0:
        return 0.0
    harmonics = np.arange(1, len(shares) + 1)
    grid = TURN * np.arange(_GRID * len(shares)) / (_GRID * len(shares))
    phase = float(grid[np.argmax((np.exp(1j * grid[:, None] * harmonics) @ shares).real)])
    for _ in range(8):  # Newton's method on the slope, which is smooth and near its zero
        waves = shares * np.exp(1j * phase * harmonics)
        slope, bend = -float(harmonics @ waves.imag), -float(harmonics**2 @ waves.real)
        if bend >= 0.0:
            break
        phase -= float(np.clip(slope / bend, -TURN / len(grid), TURN / len(grid)))
    return phase


def _begun(cycle: Cycle, phase: float) -> Cycle:
    frames = phase / TURN * cycle.n_frames
    moved = cycle if phase == 0.0 else cycle.starting_at(phase)
    return moved.decided("synchronise", f"begun {frames:.2f} frames later to fall in step", frames=frames)


def _fingerprints(cycles: Sequence[Cycle], harmonics: int) -> list[Coefficients]:
    """The signals by which cycles are compared: foot plants where cycles go in different directions, else joints."""
    all_contacts = [cycle.contacts for cycle in cycles if cycle.contacts is not None]
    one_way = all(go_one_way(first, other) for first, other in itertools.combinations(cycles, 2))
    if one_way or len(all_contacts) < len(cycles):
        weights = _weights(cycles[0].layout)
        return [_low_harmonics(cycle.dofs, weights, harmonics) for cycle in cycles]
    phases = TURN * np.arange(_PLANT_SAMPLES) / _PLANT_SAMPLES
    plants = [np.stack([contacts.planted(foot, phases) for foot in FEET], axis=1) for contacts in all_contacts]
    return [_low_harmonics(np.asarray(rests, dtype=np.float64), np.ones(2), harmonics) for rests in plants]


def _low_harmonics(
    signals: Float[np.ndarray, "frames dofs"], weights: Float[np.ndarray, " dofs"], harmonics: int
) -> Coefficients:
    """The low harmonics that are compared, scaled so that every cycle counts alike."""
    harmonics = whole_number(harmonics, "a whole number of harmonics to go by")
    if not 1 <= harmonics <= _MOST_HARMONICS:
        raise MotionError(f"expected at least one harmonic to go by, and at most {_MOST_HARMONICS}; got {harmonics}")
    count = min(harmonics, harmonic_ceiling(len(signals)))
    part = np.zeros((harmonics, signals.shape[1]), dtype=np.complex128)
    part[:count] = np.fft.rfft(signals, axis=0, norm="forward")[1 : count + 1] * weights
    size = float(np.linalg.norm(part))
    return part / size if size > _STILL else np.zeros_like(part)


def _turned(part: Coefficients, phase: float) -> Coefficients:
    return np.asarray(np.exp(1j * phase * np.arange(1, len(part) + 1))[:, None] * part)


def _weights(layout: Layout) -> Float[np.ndarray, " dofs"]:
    """Weight of each dof: the length of what hangs on its joint; 0 for the root's own.

    Where the skeleton has legs their hips count more, since steps have to coincide.
    """
    weights = np.zeros(layout.n_dofs)
    for joint, reach in enumerate(limb_reaches(layout.skeleton)):
        weights[layout.columns(joint)] = reach
    roles = find_roles(layout.skeleton)
    for hip in (roles[side + "hip"] for side in SIDES if side + "hip" in roles):
        weights[layout.columns(hip)] *= _HIP_WEIGHT
    weights[layout.columns(0)] = 0.0  # a tilt says little about the phase of a step
    return weights if weights.any() else np.ones(layout.n_dofs)


def _refuse_unlike(cycles: Sequence[Cycle]) -> None:
    first = cycles[0]
    for other in cycles[1:]:
        if not other.layout.same_as(first.layout):
            name, reference = (cycle.name or cycle.source or "a motion without a name" for cycle in (other, first))
            if other.layout.kind != first.layout.kind:
                raise MotionError(
                    f"{name!r} has the {other.layout.kind} layout, {reference!r} the {first.layout.kind}; "
                    "prepare all cycles with the same layout"
                )
            differing = unlike(other.layout.skeleton, first.layout.skeleton)
            text = f"{name!r} has another skeleton than {reference!r}: {differing}"
            raise MotionError(text, helps=REMEDY, option=ANOTHER_UNIT)
