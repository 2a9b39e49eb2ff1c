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
from mocapella.motion.layout import AHEAD, HEIGHT, N_ROOT_DOFS
from mocapella.motion.spectrum import Spectrum, waves
from mocapella.playback.gait import N_SAMPLES, ORDERS, PHASES, Gait
from mocapella.playback.holding import bearings_of, plants_of
from mocapella.playback.legs import LegDofs
from mocapella.playback.resting import level_arcs, resting_arcs, until_heels_rise

TRAVEL_HARMONICS = 4  # of the velocity that the feet ask for beyond the blended one
ROLLING = 0.08  # of the speed: a point that asks for that much more or less is rolling off, and believed half
_ACROSS = np.array([1.0, -1.0])[:, None, None]  # turning left moves what lies to the left back, what is ahead left
STIFFNESS = 0.003  # what a harmonic of the fit costs, times its number squared: it decides where no foot rests


def rooted_gait(spectrum: Spectrum) -> Gait:
    """The way of a spectrum as its root was blended; its feet are not looked at."""
    low = spectrum.coefficients[: N_SAMPLES // 2 - 1, -N_ROOT_DOFS:]
    dofs = (waves(PHASES, len(low) - 1) @ low).real.T
    contacts = spectrum.contacts or CycleContacts()
    plants = plants_of(tuple(contacts.point(name) for name in FOOT_POINTS), spectrum.duration)
    turning, velocities = _per_radian(dofs, spectrum.duration)
    nothing = np.zeros((12, N_SAMPLES), dtype=np.complex128)
    progress = _evenly_turning(velocities, turning)
    return Gait.of(spectrum, plants, progress, (0.0, 0j), nothing, np.zeros((4, N_SAMPLES)))


def footed_gait(spectrum: Spectrum, part: LegDofs) -> Gait:
    """The way of a spectrum as its feet ask for it."""
    dofs = _sampled(spectrum, part)
    feet = part.feet(dofs)
    heights = feet[1]
    heights += dofs[HEIGHT]
    contacts = spectrum.contacts or CycleContacts()
    over = heights - part.soles[:, None]
    bearings = bearings_of(plants_of(resting_arcs(contacts, over), spectrum.duration), N_SAMPLES)
    turning, velocities = _per_radian(dofs, spectrum.duration)
    both = feet.reshape(12, N_SAMPLES).dot(_slopes_and_harmonics())
    slopes, harmonics = both[:, :N_SAMPLES].reshape(feet.shape), both[:, N_SAMPLES:].view(np.complex128)
    wanted = np.empty((4, 4, N_SAMPLES))  # of each foot point: to be counted, then height, way ahead and to the left
    wanted[0] = 1.0
    np.negative(over, out=wanted[1])
    asked = np.multiply(feet[::2], turning * _ACROSS, out=wanted[2:])  # beyond the blended velocity
    asked -= slopes[::-2]
    asked -= velocities.view(np.float64).reshape(-1, 2).T[:, None]
    pace = ROLLING / N_SAMPLES * float(np.add.reduce(np.abs(velocities))) + 1e-3 * spectrum.duration / TURN
    squares = asked * asked
    doubts = squares[0] + squares[1]
    doubts /= pace**2
    doubts += 1.0
    travel, (mean, swing) = _fitted(bearings / doubts, wanted)
    velocities += _basis(TRAVEL_HARMONICS).dot(travel)
    progress = _evenly_turning(velocities, turning)
    # Who rests is judged again now that it is known where the ground is.
    above = np.array([mean, swing.real, swing.imag]).dot(_lifting()) + over
    arcs = until_heels_rise(
        resting_arcs(contacts, above, 0.0),
        above,
        lambda: (_swivels(feet[::2], slopes[::2]) + turning) * (TURN / spectrum.duration),
    )
    plants = plants_of(level_arcs(arcs, above), spectrum.duration)
    return Gait.of(spectrum, plants, progress, (mean, 2.0 * swing), harmonics, bearings)


def _sampled(spectrum: Spectrum, part: LegDofs) -> Float[np.ndarray, "some samples"]:
    """The dofs of the legs evenly over the cycle, by the harmonics that so many samples can tell."""
    n_harmonics = min(spectrum.n_harmonics, N_SAMPLES // 2 - 2)
    parts = spectrum.coefficients.view(np.float64).ravel()
    return np.asarray(parts.take(part.sampling(n_harmonics, spectrum.n_dofs)).dot(_sampling(n_harmonics)))


def _per_radian(
    dofs: Float[np.ndarray, "some samples"], duration: float
) -> tuple[Float[np.ndarray, " samples"], Complex[np.ndarray, " samples"]]:
    """The turn and the way of the root, ahead real and left imaginary, per radian of cycle phase."""
    root = dofs[AHEAD:].T * (duration / TURN)
    return root[:, 2], np.ascontiguousarray(root[:, :2]).view(np.complex128).ravel()


def _swivels(
    feet: Float[np.ndarray, "2 4 samples"], slopes: Float[np.ndarray, "2 4 samples"]
) -> Float[np.ndarray, "2 samples"]:
    """How much each foot turns, seen from the root, per radian; given are heels and toes, to the left and ahead.

    A foot of no length, of which only the ankle is known, does not turn.
    """
    soles, turns = feet[:, 1::2] - feet[:, ::2], slopes[:, 1::2] - slopes[:, ::2]
    squares = soles * soles
    lengths = squares[0] + squares[1]
    return np.asarray((soles[1] * turns[0] - soles[0] * turns[1]) / np.where(lengths > 0.0, lengths, 1.0))


def _evenly_turning(
    velocities: Complex[np.ndarray, " samples"], turning: Float[np.ndarray, " samples"]
) -> Complex[np.ndarray, " samples"]:
    """Harmonics of velocities in the heading as seen from the frame that turns evenly: there they are periodic."""
    return np.asarray(_analysis().dot(velocities * np.exp(1j * _swinging().dot(turning))))


def _fitted(
    weights: Float[np.ndarray, "4 samples"], wanted: Float[np.ndarray, "4 4 samples"]
) -> tuple[Complex[np.ndarray, " some"], tuple[float, complex]]:
    """The velocity and the height that come nearest to what is asked, where it is asked.

    ``wanted`` holds ones, heights, velocities ahead and to the left. Fitted are harmonics −n … n of the velocity, of
    the height its mean and its first harmonic, left and right: the second is the body's own bounce. Both fits count the
    same points by the same weights, so their equations share their numbers.
    """
    most = TRAVEL_HARMONICS
    sums = (weights * wanted).reshape(len(wanted), -1).dot(_adjoint(2 * most))
    totals, heights, ahead, left = sums.view(np.complex128)
    total, first, second = totals[2 * most : 2 * most + 3].tolist()
    if not total.real > 0.0:
        return np.zeros(2 * most + 1, dtype=np.complex128), (0.0, 0j)
    matrix = totals.take(_toeplitz(most))
    matrix += _stiffness(most)
    high_mean, high_first = heights[2 * most : 2 * most + 2].tolist()
    goal = ahead[most:-most] + 1j * left[most:-most]
    return _solved(matrix, goal), _lift(total.real, first, second, high_mean.real, high_first)


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
def _swinging() -> Float[np.ndarray, "samples samples"]:
    """The matrix that makes the swings of a heading, 0 at cycle phase 0, of samples of its rate per radian."""
    orders = np.arange(1, N_SAMPLES // 2 - 1)
    swings = (np.exp(1j * PHASES[:, None] * orders) - 1.0) * (2.0 / orders)
    return np.ascontiguousarray((swings @ _analysis()[orders]).imag)


@cache
def _analysis() -> Complex[np.ndarray, "samples samples"]:
    """The Fourier transform as a matrix: for so few samples quicker than a fast one."""
    return np.asarray(np.fft.fft(np.eye(N_SAMPLES), axis=0, norm="forward"))


@cache
def _slopes_and_harmonics() -> Float[np.ndarray, "samples all"]:
    """What real samples in rows are multiplied by to give the slopes of the signal, then its harmonics.

    These are written as real and imaginary parts by turns.
    """
    orders = np.where(np.abs(ORDERS) < N_SAMPLES // 2, ORDERS, 0.0)
    spectra = np.fft.fft(np.eye(N_SAMPLES), axis=0)
    slopes = np.fft.ifft(1j * orders[:, None] * spectra, axis=0).real.T
    return np.concatenate([slopes, np.ascontiguousarray(_analysis()).view(np.float64)], axis=1)


@cache
def _lifting() -> Float[np.ndarray, "3 samples"]:
    """What a mean and both parts of a first harmonic are multiplied by to give samples of a real signal."""
    return np.stack([np.ones(N_SAMPLES), 2.0 * np.cos(PHASES), -2.0 * np.sin(PHASES)])


@cache
def _basis(harmonics: int) -> Complex[np.ndarray, "samples few"]:
    return np.asarray(np.exp(1j * PHASES[:, None] * np.arange(-harmonics, harmonics + 1)))


@cache
def _adjoint(harmonics: int) -> Float[np.ndarray, "samples parts"]:
    """What makes harmonics −n … n of the sum of four real signals: real and imaginary parts by turns."""
    return np.tile(np.ascontiguousarray(_basis(harmonics).conj()).view(np.float64), (len(FOOT_POINTS), 1))


@cache
def _toeplitz(harmonics: int) -> Int[np.ndarray, "few few"]:
    """Where a matrix of basis products finds its numbers among the harmonics −2n … 2n of the weights."""
    orders = np.arange(2 * harmonics + 1)
    return orders[:, None] - orders + 2 * harmonics


@cache
def _stiffness(harmonics: int) -> Float[np.ndarray, "few few"]:
    return np.diag(STIFFNESS * N_SAMPLES * np.arange(-harmonics, harmonics + 1.0) ** 2)
