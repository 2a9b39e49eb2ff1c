"""Work out how a spectrum travels: the feet say how fast the body goes.

A foot point that rests asks the root for exactly one velocity, and the root takes the smoothest one that does justice
to all points that rest: the blended root velocity plus a few harmonics fitted to what the feet ask beyond it. Those few
leave the root as smooth as it was captured; what is left over, millimetres, the legs bend for. In flight no foot asks
for anything, and the fit runs on by itself. The height of the root is fitted to the feet in the same way.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from jaxtyping import Complex, Float, Inexact

from mocapella.motion.contacts import FOOT_POINTS, TURN, CycleContacts
from mocapella.motion.layout import AHEAD, HEIGHT, LEFT, YAW_RATE
from mocapella.motion.spectrum import Spectrum, waves
from mocapella.playback.gait import N_SAMPLES, ORDERS, PHASES, Gait
from mocapella.playback.holding import bearings_of, plants_of
from mocapella.playback.legs import LegDofs
from mocapella.playback.resting import resting_arcs

TRAVEL_HARMONICS = 4  # of the velocity that the feet ask for beyond the blended one
LIFT_HARMONICS = 1  # left and right; the second is the body's own bounce
ROLLING = 0.08  # of the speed: a point that asks for that much more or less is rolling off, and believed half
STIFFNESS = 0.003  # what a harmonic of the fit costs, times its number squared: it decides where no foot rests


def rooted_gait(spectrum: Spectrum) -> Gait:
    """The way of a spectrum as its root was blended; its feet are not looked at."""
    dofs = _sampled(spectrum, np.arange(spectrum.n_dofs)[-4:])
    nothing = np.zeros((N_SAMPLES, 8), dtype=np.complex128)
    contacts = spectrum.contacts or CycleContacts()
    plants = plants_of(tuple(contacts.point(name) for name in FOOT_POINTS), spectrum.duration)
    velocities = dofs[:, AHEAD] + 1j * dofs[:, LEFT]
    return Gait(spectrum, plants, _evenly_turning(spectrum, velocities), (0j,), nothing, np.zeros((N_SAMPLES, 4)))


def footed_gait(spectrum: Spectrum, part: LegDofs) -> Gait:
    """The way of a spectrum as its feet ask for it."""
    rate = TURN / spectrum.duration
    dofs = _sampled(spectrum, part.columns)
    velocities = dofs[:, AHEAD] + 1j * dofs[:, LEFT]
    feet = part.feet(dofs)
    heights = feet[..., 1] + dofs[:, HEIGHT, None]
    arcs = resting_arcs(spectrum.contacts or CycleContacts(), heights)
    plants = plants_of(arcs, spectrum.duration)
    bearings = bearings_of(plants, PHASES)
    ground = feet[..., 2] + 1j * feet[..., 0]
    asked = -rate * (_slopes() @ ground) - 1j * dofs[:, YAW_RATE, None] * ground - velocities[:, None]
    pace = ROLLING * np.abs(velocities).mean() + 1e-3
    weights = bearings / (1.0 + (asked.real**2 + asked.imag**2) / pace**2)
    travel = _fitted(asked, weights, TRAVEL_HARMONICS)
    lift = _fitted(part.soles - heights, weights, LIFT_HARMONICS)
    standing = heights + (_basis(LIFT_HARMONICS) @ lift).real[:, None]
    return Gait(
        spectrum,
        plants,
        _evenly_turning(spectrum, velocities + _basis(TRAVEL_HARMONICS) @ travel),
        (complex(lift[LIFT_HARMONICS]), *(2.0 * lift[LIFT_HARMONICS + 1 :]).tolist()),
        _analysis() @ np.concatenate([ground, standing], axis=1),
        bearings,
    )


def _sampled(spectrum: Spectrum, columns: np.ndarray) -> Float[np.ndarray, "samples some"]:
    """Some dofs evenly over the cycle, by the harmonics that so many samples can tell."""
    low = spectrum.coefficients[: N_SAMPLES // 2 - 1, columns]
    real, imaginary = _sampling(len(low) - 1)
    return np.asarray(real @ low.real - imaginary @ low.imag)


def _evenly_turning(spectrum: Spectrum, velocities: Complex[np.ndarray, " samples"]) -> Complex[np.ndarray, " samples"]:
    """Harmonics of velocities in the heading, seen from the frame that turns evenly: there they are periodic."""
    rates = spectrum.coefficients[1 : N_SAMPLES // 2 - 1, YAW_RATE] * (spectrum.duration / TURN)
    orders = np.arange(1, len(rates) + 1)
    swings = ((_powers(len(rates)) - 1.0) @ (2.0 * rates / (1j * orders))).real
    return np.asarray(_analysis() @ (velocities * np.exp(1j * swings)))


def _fitted(
    asked: Inexact[np.ndarray, "samples 4"], weights: Float[np.ndarray, "samples 4"], harmonics: int
) -> Complex[np.ndarray, " few"]:
    """The harmonics −n … n of the signal that comes nearest to what is asked, where it is asked."""
    total = weights.sum(axis=1)
    if not total.any():
        return np.zeros(2 * harmonics + 1, dtype=np.complex128)
    basis, adjoint, stiffness = _basis(harmonics), _adjoint(harmonics), _stiffness(harmonics)
    goal = adjoint @ (weights * asked).sum(axis=1)
    return np.asarray(np.linalg.solve((adjoint * total) @ basis + stiffness, goal))


@cache
def _sampling(
    n_harmonics: int,
) -> tuple[Float[np.ndarray, "samples harmonics"], Float[np.ndarray, "samples harmonics"]]:
    factors = waves(PHASES, n_harmonics)
    return np.ascontiguousarray(factors.real), np.ascontiguousarray(factors.imag)


@cache
def _powers(n_harmonics: int) -> Complex[np.ndarray, "samples harmonics"]:
    return np.asarray(np.exp(1j * PHASES[:, None] * np.arange(1, n_harmonics + 1)))


@cache
def _analysis() -> Complex[np.ndarray, "samples samples"]:
    """The Fourier transform as a matrix: for so few samples quicker than a fast one."""
    return np.asarray(np.fft.fft(np.eye(N_SAMPLES), axis=0, norm="forward"))


@cache
def _slopes() -> Float[np.ndarray, "samples samples"]:
    """The matrix that makes the slopes of a periodic signal of its samples."""
    orders = np.where(np.abs(ORDERS) < N_SAMPLES // 2, ORDERS, 0.0)
    spectra = np.fft.fft(np.eye(N_SAMPLES), axis=0)
    return np.ascontiguousarray(np.fft.ifft(1j * orders[:, None] * spectra, axis=0).real)


@cache
def _basis(harmonics: int) -> Complex[np.ndarray, "samples few"]:
    return np.asarray(np.exp(1j * PHASES[:, None] * np.arange(-harmonics, harmonics + 1)))


@cache
def _adjoint(harmonics: int) -> Complex[np.ndarray, "few samples"]:
    return np.ascontiguousarray(_basis(harmonics).conj().T)


@cache
def _stiffness(harmonics: int) -> Float[np.ndarray, "few few"]:
    return np.diag(STIFFNESS * N_SAMPLES * np.arange(-harmonics, harmonics + 1.0) ** 2)
