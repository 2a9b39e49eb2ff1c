"""Work out how a spectrum travels: the feet say how fast the body goes.

A foot point that rests asks the root for exactly one velocity, and the root takes the smoothest one that does justice
to all points that rest: the blended root velocity plus a few harmonics fitted to what the feet ask beyond it. Those few
leave the root as smooth as it was captured; what is left over, millimetres, the legs bend for. In flight no foot asks
for anything, and the fit runs on by itself. The height of the root is fitted to the feet in the same way.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from jaxtyping import Complex, Float, Int
from scipy.linalg.lapack import zposv

from mocapella.motion.contacts import FOOT_POINTS, TURN, CycleContacts
from mocapella.motion.layout import AHEAD, HEIGHT, LEFT, N_ROOT_DOFS, YAW_RATE
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
    dofs = _sampled(spectrum, np.arange(spectrum.n_dofs)[-N_ROOT_DOFS:])
    contacts = spectrum.contacts or CycleContacts()
    plants = plants_of(tuple(contacts.point(name) for name in FOOT_POINTS), spectrum.duration)
    velocities = _evenly_turning(spectrum, dofs[AHEAD] + 1j * dofs[LEFT])
    nothing = np.zeros((N_SAMPLES, 8), dtype=np.complex128)
    return Gait(spectrum, plants, _analysis() @ velocities, (0j,), nothing, np.zeros((4, N_SAMPLES)))


def footed_gait(spectrum: Spectrum, part: LegDofs) -> Gait:
    """The way of a spectrum as its feet ask for it."""
    dofs = _sampled(spectrum, part.columns)
    velocities = dofs[AHEAD] + 1j * dofs[LEFT]
    feet = part.feet(dofs)
    heights = feet[:, 1] + dofs[HEIGHT]
    plants = plants_of(resting_arcs(spectrum.contacts or CycleContacts(), heights), spectrum.duration)
    bearings = bearings_of(plants, N_SAMPLES)
    ground = feet[:, 2] + 1j * feet[:, 0]
    asked = (-TURN / spectrum.duration) * (ground @ _slopes()) - 1j * dofs[YAW_RATE] * ground - velocities
    pace = ROLLING * float(np.abs(velocities).mean()) + 1e-3
    weights = bearings / (1.0 + (asked.real**2 + asked.imag**2) / pace**2)
    travel, lift = _fitted(weights, asked, part.soles[:, None] - heights)
    signals = np.empty((N_SAMPLES, 9), dtype=np.complex128)  # ground, height of the foot points, velocity of the root
    signals[:, :4] = ground.T
    signals[:, 4:8] = (heights + (_basis(LIFT_HARMONICS) @ lift).real).T
    signals[:, 8] = _evenly_turning(spectrum, velocities + _basis(TRAVEL_HARMONICS) @ travel)
    harmonics = _analysis() @ signals
    mean, *swings = lift[LIFT_HARMONICS:].tolist()
    return Gait(
        spectrum, plants, harmonics[:, 8], (mean, *(2.0 * swing for swing in swings)), harmonics[:, :8], bearings
    )


def _sampled(spectrum: Spectrum, columns: np.ndarray) -> Float[np.ndarray, "some samples"]:
    """Some dofs evenly over the cycle, by the harmonics that so many samples can tell."""
    low = spectrum.coefficients[: N_SAMPLES // 2 - 1].T[columns]
    real, imaginary = _sampling(low.shape[1] - 1)
    return np.asarray(low.real @ real - low.imag @ imaginary)


def _evenly_turning(spectrum: Spectrum, velocities: Complex[np.ndarray, " samples"]) -> Complex[np.ndarray, " samples"]:
    """Velocities in the heading as seen from the frame that turns evenly: there they are periodic."""
    rates = spectrum.coefficients[1 : N_SAMPLES // 2 - 1, YAW_RATE]
    swings = (_swinging(len(rates)) @ rates).imag * (spectrum.duration / TURN)
    return np.asarray(velocities * np.exp(1j * swings))


def _fitted(
    weights: Float[np.ndarray, "4 samples"],
    asked: Complex[np.ndarray, "4 samples"],
    high: Float[np.ndarray, "4 samples"],
) -> tuple[Complex[np.ndarray, " some"], Complex[np.ndarray, " few"]]:
    """The harmonics −n … n of the velocity and the height that come nearest to what is asked, where it is asked.

    Both fits count the same points by the same weights, so their equations are one matrix and its middle.
    """
    most, few = TRAVEL_HARMONICS, LIFT_HARMONICS
    wanted = np.empty((3, N_SAMPLES), dtype=np.complex128)
    np.add.reduce(weights, axis=0, out=wanted[0])
    np.add.reduce(weights * high, axis=0, out=wanted[1])
    np.add.reduce(weights * asked, axis=0, out=wanted[2])
    if not wanted[0].any():
        return np.zeros(2 * most + 1, dtype=np.complex128), np.zeros(2 * few + 1, dtype=np.complex128)
    totals, heights, velocities = wanted @ _adjoint(2 * most)
    matrix = totals[_toeplitz(most)] + _stiffness(most)
    middle = slice(most - few, most + few + 1)
    return _solved(matrix, velocities[most:-most]), _solved(matrix[middle, middle], heights[most:-most][middle])


def _solved(matrix: Complex[np.ndarray, "few few"], goal: Complex[np.ndarray, " few"]) -> Complex[np.ndarray, " few"]:
    """The answer to equations whose matrix is Hermitian and positive; numpy's own solver takes twice as long."""
    _, answer, trouble = zposv(matrix, goal)
    return np.asarray(answer) if trouble == 0 else np.asarray(np.linalg.lstsq(matrix, goal)[0])


@cache
def _sampling(
    n_harmonics: int,
) -> tuple[Float[np.ndarray, "harmonics samples"], Float[np.ndarray, "harmonics samples"]]:
    factors = waves(PHASES, n_harmonics).T
    return np.ascontiguousarray(factors.real), np.ascontiguousarray(factors.imag)


@cache
def _swinging(n_harmonics: int) -> Complex[np.ndarray, "samples harmonics"]:
    """The matrix whose imaginary part makes the swings of a heading of the harmonics of its rate."""
    orders = np.arange(1, n_harmonics + 1)
    return np.asarray((np.exp(1j * PHASES[:, None] * orders) - 1.0) * (2.0 / orders))


@cache
def _analysis() -> Complex[np.ndarray, "samples samples"]:
    """The Fourier transform as a matrix: for so few samples quicker than a fast one."""
    return np.asarray(np.fft.fft(np.eye(N_SAMPLES), axis=0, norm="forward"))


@cache
def _slopes() -> Complex[np.ndarray, "samples samples"]:
    """The matrix that makes the slopes of a periodic signal of its samples, multiplied from the right."""
    orders = np.where(np.abs(ORDERS) < N_SAMPLES // 2, ORDERS, 0.0)
    spectra = np.fft.fft(np.eye(N_SAMPLES), axis=0)
    return np.ascontiguousarray(np.fft.ifft(1j * orders[:, None] * spectra, axis=0).real.T.astype(np.complex128))


@cache
def _basis(harmonics: int) -> Complex[np.ndarray, "samples few"]:
    return np.asarray(np.exp(1j * PHASES[:, None] * np.arange(-harmonics, harmonics + 1)))


@cache
def _adjoint(harmonics: int) -> Complex[np.ndarray, "samples few"]:
    return np.ascontiguousarray(_basis(harmonics).conj())


@cache
def _toeplitz(harmonics: int) -> Int[np.ndarray, "few few"]:
    """Where a matrix of basis products finds its numbers among the harmonics −2n … 2n of the weights."""
    orders = np.arange(2 * harmonics + 1)
    return orders[:, None] - orders + 2 * harmonics


@cache
def _stiffness(harmonics: int) -> Float[np.ndarray, "few few"]:
    return np.diag(STIFFNESS * N_SAMPLES * np.arange(-harmonics, harmonics + 1.0) ** 2)
