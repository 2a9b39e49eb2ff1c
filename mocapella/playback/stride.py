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
ROLLING = 0.08  # of the speed: a point that asks for that much more or less is rolling off, and believed half
STIFFNESS = 0.003  # what a harmonic of the fit costs, times its number squared: it decides where no foot rests


def rooted_gait(spectrum: Spectrum) -> Gait:
    """The way of a spectrum as its root was blended; its feet are not looked at."""
    low = spectrum.coefficients[: N_SAMPLES // 2 - 1, -N_ROOT_DOFS:]
    dofs = (waves(PHASES, len(low) - 1) @ low).real.T
    contacts = spectrum.contacts or CycleContacts()
    plants = plants_of(tuple(contacts.point(name) for name in FOOT_POINTS), spectrum.duration)
    velocities = _evenly_turning(spectrum, dofs[AHEAD] + 1j * dofs[LEFT])
    nothing = np.zeros((N_SAMPLES, 8), dtype=np.complex128)
    return Gait(spectrum, plants, _analysis() @ velocities, (0.0, 0j), nothing, np.zeros((4, N_SAMPLES)))


def footed_gait(spectrum: Spectrum, part: LegDofs) -> Gait:
    """The way of a spectrum as its feet ask for it."""
    dofs = _sampled(spectrum, part)
    feet = part.feet(dofs)
    rates = (feet.reshape(12, N_SAMPLES) @ _slopes()).reshape(feet.shape)
    left, ahead = feet[0], feet[2]
    heights = feet[1] + dofs[HEIGHT]
    plants = plants_of(resting_arcs(spectrum.contacts or CycleContacts(), heights), spectrum.duration)
    bearings = bearings_of(plants, N_SAMPLES)
    rate, turning, velocity = TURN / spectrum.duration, dofs[YAW_RATE], dofs[AHEAD : LEFT + 1]
    asked = np.empty((2, 4, N_SAMPLES))  # ahead and left, of each foot point, beyond the blended velocity
    np.subtract(turning * left - rate * rates[2], velocity[0], out=asked[0])
    np.subtract(turning * -ahead - rate * rates[0], velocity[1], out=asked[1])
    velocities = velocity[0] + 1j * velocity[1]
    pace = ROLLING * float(np.add.reduce(np.abs(velocities))) / N_SAMPLES + 1e-3
    weights = bearings / (1.0 + np.add.reduce(asked * asked) / pace**2)
    travel, (mean, swing) = _fitted(weights, asked, part.soles[:, None] - heights)
    signals = np.zeros((9, N_SAMPLES), dtype=np.complex128)  # ground, height of the foot points, velocity of the root
    parts = signals.real
    parts[:4], signals.imag[:4] = ahead, left
    np.add(heights, mean + 2.0 * (swing * _fundamental()).real, out=parts[4:8])
    signals[8] = _evenly_turning(spectrum, velocities + _basis(TRAVEL_HARMONICS) @ travel)
    harmonics = _analysis() @ signals.T
    return Gait(spectrum, plants, harmonics[:, 8], (mean, 2.0 * swing), harmonics[:, :8], bearings)


def _sampled(spectrum: Spectrum, part: LegDofs) -> Float[np.ndarray, "some samples"]:
    """The dofs of the legs evenly over the cycle, by the harmonics that so many samples can tell."""
    n_harmonics = min(spectrum.n_harmonics, N_SAMPLES // 2 - 2)
    parts = spectrum.coefficients.view(np.float64).ravel()
    return np.asarray(parts.take(part.sampling(n_harmonics, spectrum.n_dofs)) @ _sampling(n_harmonics))


def _evenly_turning(spectrum: Spectrum, velocities: Complex[np.ndarray, " samples"]) -> Complex[np.ndarray, " samples"]:
    """Velocities in the heading as seen from the frame that turns evenly: there they are periodic."""
    rates = spectrum.coefficients[1 : N_SAMPLES // 2 - 1, YAW_RATE]
    swings = (_swinging(len(rates)) @ rates).imag * (spectrum.duration / TURN)
    return np.asarray(velocities * np.exp(1j * swings))


def _fitted(
    weights: Float[np.ndarray, "4 samples"],
    asked: Float[np.ndarray, "2 4 samples"],
    high: Float[np.ndarray, "4 samples"],
) -> tuple[Complex[np.ndarray, " some"], tuple[float, complex]]:
    """The velocity and the height that come nearest to what is asked, where it is asked.

    Of the velocity the harmonics −n … n; of the height its mean and its first harmonic, left and right: the second is
    the body's own bounce. Both fits count the same points by the same weights, so their equations share their numbers.
    """
    most = TRAVEL_HARMONICS
    wanted = np.empty((4, 4, N_SAMPLES))
    wanted[0] = weights
    np.multiply(weights, high, out=wanted[1])
    np.multiply(weights, asked, out=wanted[2:])
    totals, heights, ahead, left = np.add.reduce(wanted, axis=1) @ _adjoint(2 * most)
    velocities = ahead + 1j * left
    total, first, second = totals[2 * most : 2 * most + 3].tolist()
    if not total.real > 0.0:
        return np.zeros(2 * most + 1, dtype=np.complex128), (0.0, 0j)
    matrix = totals[_toeplitz(most)] + _stiffness(most)
    high_mean, high_first = heights[2 * most : 2 * most + 2].tolist()
    return _solved(matrix, velocities[most:-most]), _lift(total.real, first, second, high_mean.real, high_first)


def _lift(total: float, first: complex, second: complex, mean: float, swing: complex) -> tuple[float, complex]:
    """The mean and the first harmonic of a real signal that come nearest to samples.

    Given are the harmonics 0, 1 and 2 of the samples' weights, and 0 and 1 of the weighted samples. Without the mean,
    the equations leave ``own c + other c̄ = goal``.
    """
    own = total + STIFFNESS * N_SAMPLES - abs(first) ** 2 / total
    other = second - first * first / total
    goal = swing - first * mean / total
    c = (own * goal - other * goal.conjugate()) / (own * own - abs(other) ** 2)
    return (mean - 2.0 * (first.conjugate() * c).real) / total, c


def _solved(matrix: Complex[np.ndarray, "few few"], goal: Complex[np.ndarray, " few"]) -> Complex[np.ndarray, " few"]:
    """The answer to equations whose matrix is Hermitian and positive; numpy's own solver takes twice as long."""
    _, answer, trouble = zposv(matrix, goal)
    return np.asarray(answer) if trouble == 0 else np.asarray(np.linalg.lstsq(matrix, goal)[0])


@cache
def _sampling(n_harmonics: int) -> Float[np.ndarray, "parts samples"]:
    """The matrix that makes samples of the real and imaginary parts of harmonics, by turns."""
    factors = waves(PHASES, n_harmonics).T
    return np.stack([factors.real, -factors.imag], axis=1).reshape(-1, N_SAMPLES)


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
def _slopes() -> Float[np.ndarray, "samples samples"]:
    """The matrix that makes the slopes of a periodic signal of its samples, multiplied from the right."""
    orders = np.where(np.abs(ORDERS) < N_SAMPLES // 2, ORDERS, 0.0)
    spectra = np.fft.fft(np.eye(N_SAMPLES), axis=0)
    return np.ascontiguousarray(np.fft.ifft(1j * orders[:, None] * spectra, axis=0).real.T)


@cache
def _fundamental() -> Complex[np.ndarray, " samples"]:
    return np.asarray(np.exp(1j * PHASES))


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
