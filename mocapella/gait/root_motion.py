"""Root motion of a cycle when it is played, derived from its planted feet.

A foot point that rests requires one root velocity: the one that keeps it in place. The root takes the blended velocity
plus a few harmonics fitted to what the resting points require beyond it. So few harmonics leave the root as smooth as
it was captured; the legs make up for the rest, some millimetres. In flight no point rests, and the fit is interpolated.
The height of the root is fitted to the feet in the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from jaxtyping import Complex, Float, Int

from mocapella.errors import MotionError
from mocapella.gait.cycle_on_ground import N_SAMPLES, ORDERS, PHASES, CycleOnGround
from mocapella.gait.foot_constants import FOOT
from mocapella.gait.resting import (
    PLANT_DEFAULTS,
    PlantSettings,
    bearings_of,
    level_arcs,
    plants_of,
    resting_arcs,
    until_heels_rise,
)
from mocapella.geometry.angles import TURN
from mocapella.geometry.curves import smoothstep
from mocapella.motion.contacts import FOOT_POINTS, CycleContacts
from mocapella.motion.layout import AHEAD, N_ROOT_DOFS
from mocapella.motion.spectrum import Spectrum, waves
from mocapella.rig.legs import LegDofs, leg_dofs

_Turning = Float[np.ndarray, " samples"]
_Velocities = Complex[np.ndarray, " samples"]
_Feet = Complex[np.ndarray, "samples 4"]  # of each foot point, ahead real and left imaginary
_TRAVEL_HARMONICS = 4  # of the fitted correction of the root velocity


def cycle_by_root(spectrum: Spectrum, settings: PlantSettings = PLANT_DEFAULTS) -> CycleOnGround:
    """A spectrum over the ground by its blended root velocity; feet are not considered."""
    low = spectrum.coefficients[: N_SAMPLES // 2 - 1, -N_ROOT_DOFS:]
    dofs = (waves(PHASES, len(low) - 1) @ low).real.T
    contacts, duration = spectrum.contacts or CycleContacts(), spectrum.duration
    plants = plants_of(tuple(contacts.point(name) for name in FOOT_POINTS), duration, settings)
    turning, velocities = _per_radian(dofs, duration)
    nothing = np.zeros((6, N_SAMPLES), dtype=np.complex128)
    progress = _evenly_turning(velocities, turning, TURN / duration)
    return CycleOnGround.of(spectrum, plants, progress, (0.0, 0j), nothing, np.zeros((N_SAMPLES, 4)))


def cycle_by_feet(spectrum: Spectrum, part: LegDofs, settings: PlantSettings = PLANT_DEFAULTS) -> CycleOnGround:
    """A spectrum over the ground by the root motion that its planted feet require."""
    dofs = _sampled(spectrum, part)
    feet = part.feet(dofs)
    places = feet[:, :8].view(np.complex128)
    contacts, duration = spectrum.contacts or CycleContacts(), spectrum.duration
    over = feet[:, 8:] - part.soles
    bearings = bearings_of(resting_arcs(contacts, over.T.tolist()), duration, N_SAMPLES, settings)
    turning, velocities = _per_radian(dofs, duration)
    moves = _slopes().dot(feet)[:, :8].view(np.complex128)
    asked = (-1j * turning)[:, None] * places  # of the root, by each foot point, beyond the blended velocity
    asked -= moves
    asked -= velocities[:, None]
    pace = FOOT.rolling / N_SAMPLES * float(np.add.reduce(np.abs(velocities))) + 1e-3 * duration / TURN
    doubts = np.abs(asked)
    doubts /= pace
    doubts *= doubts
    doubts += 1.0
    travel, (mean, swing) = _fitted(bearings / doubts, over, asked)
    velocities += _basis(_TRAVEL_HARMONICS).dot(travel)
    progress = _evenly_turning(velocities, turning, TURN / duration)
    # Which points rest is judged again, now that the height of the ground is known.
    over += _lifting().dot((mean, swing.real, swing.imag))[:, None]
    above = over.T.tolist()
    resting = resting_arcs(contacts, above, 0.0)
    arcs = level_arcs(until_heels_rise(resting, above, _swivel(places, moves, turning, duration)), above)
    harmonics, plants = feet.view(np.complex128).T.dot(_analysis()), plants_of(arcs, duration, settings)
    return CycleOnGround.of(spectrum, plants, progress, (mean, 2.0 * swing), harmonics, bearings)


def _sampled(spectrum: Spectrum, part: LegDofs) -> Float[np.ndarray, "some samples"]:
    """The dofs of the legs evenly over the cycle, by the harmonics that so many samples can tell."""
    n_harmonics = min(spectrum.n_harmonics, N_SAMPLES // 2 - 2)
    parts = spectrum.coefficients.view(np.float64).ravel()
    return np.asarray(parts.take(part.sampling(n_harmonics, spectrum.n_dofs)).dot(_sampling(n_harmonics)))


def _per_radian(dofs: Float[np.ndarray, "some samples"], duration: float) -> tuple[_Turning, _Velocities]:
    """The turn and the way of the root, ahead real and left imaginary, per radian of cycle phase."""
    root = dofs[AHEAD:].T * (duration / TURN)
    return root[:, 2], np.ascontiguousarray(root[:, :2]).view(np.complex128).ravel()


def _swivel(places: _Feet, moves: _Feet, turning: _Turning, duration: float) -> Callable[[int, int], float]:
    """How fast a foot, 0 or 1, turns over the ground at a sample, radians per second: only a few are asked for.

    A foot of no length, of which only the ankle is known, turns as the body does.
    """

    def swivel(foot: int, sample: int) -> float:
        heel, toe = 2 * foot, 2 * foot + 1
        sole = places.item(sample, toe) - places.item(sample, heel) + FOOT.no_length
        turn = (moves.item(sample, toe) - moves.item(sample, heel)) / sole
        rate: float = (turn.imag + turning.item(sample)) * TURN / duration
        return rate

    return swivel


def _evenly_turning(velocities: _Velocities, turning: _Turning, per_second: float) -> _Velocities:
    """Harmonics of velocities in the heading as seen from the frame that turns evenly: there they are periodic.

    Blends of idles that sway and twist on the spot would creep away although no idle does: a motion slower than that
    stays in place. ``per_second`` are radians of cycle phase.
    """
    progress = np.asarray(_analysis().dot(velocities * np.exp(1j * _swinging().dot(turning))))
    speed = per_second * abs(complex(progress[0]))
    if speed < FOOT.goes:
        turns = per_second / (FOOT.turns * N_SAMPLES) * abs(float(np.add.reduce(turning)))
        going = smoothstep(max(0.0, (speed - FOOT.stays) / (FOOT.goes - FOOT.stays)))
        progress[0] *= going + (1.0 - going) * smoothstep(min(1.0, turns))
    return progress


def _fitted(
    weights: Float[np.ndarray, "samples 4"], over: Float[np.ndarray, "samples 4"], asked: _Feet
) -> tuple[Complex[np.ndarray, " some"], tuple[float, complex]]:
    """The root velocity and height fitted to what resting foot points require.

    Given are how high they are ``over`` their soles, which the body is to be lowered by, and the velocities ``asked``.
    Fitted are harmonics −n … n of the velocity, of the height its mean and its first harmonic, left and right: the
    second is the body's own bounce. Both fits count the same points by the same weights, so their equations share
    their numbers.
    """
    most = _TRAVEL_HARMONICS
    totals = weights.ravel().dot(_summing(2 * most)).view(np.complex128)
    total, first, second = totals[2 * most : 2 * most + 3].tolist()
    if not total.real > 0.0:
        return np.zeros(2 * most + 1, dtype=np.complex128), (0.0, 0j)
    matrix = totals.take(_toeplitz(most))
    matrix += _stiffness(most)
    _, mean, swing = (weights * over).ravel().dot(_summing(1)).view(np.complex128).tolist()
    goal = (weights * asked).ravel().dot(_adjoint(most))
    return _solved(matrix, goal), _lift(total.real, first, second, -mean.real, -swing)


def _lift(total: float, first: complex, second: complex, mean: float, swing: complex) -> tuple[float, complex]:
    """The mean and the first harmonic of a real signal that come nearest to samples.

    Given are the harmonics 0, 1 and 2 of the samples' weights, and 0 and 1 of the weighted samples. Without the mean,
    the equations leave ``own c + other c̄ = goal``.
    """
    own = total + FOOT.stiffness * N_SAMPLES - abs(first) ** 2 / total
    other = second - first * first / total
    goal = swing - first * mean / total
    c = (own * goal - other * goal.conjugate()) / (own * own - abs(other) ** 2)
    return (mean - 2.0 * (first.conjugate() * c).real) / total, c


def _solved(matrix: Complex[np.ndarray, "few few"], goal: Complex[np.ndarray, " few"]) -> Complex[np.ndarray, " few"]:
    """The solution of equations with a Hermitian, positive matrix; by least squares where it is singular."""
    try:
        return np.asarray(np.linalg.solve(matrix, goal))
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(matrix, goal)[0])


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
    """The Fourier transform as a matrix, which is symmetric: for so few samples quicker than a fast one."""
    return np.asarray(np.fft.fft(np.eye(N_SAMPLES), axis=0, norm="forward"))


@cache
def _slopes() -> Float[np.ndarray, "samples samples"]:
    """The matrix from samples in columns to slopes of the signals, per radian."""
    orders = np.where(np.abs(ORDERS) < N_SAMPLES // 2, ORDERS, 0.0)
    spectra = np.fft.fft(np.eye(N_SAMPLES), axis=0)
    return np.ascontiguousarray(np.fft.ifft(1j * orders[:, None] * spectra, axis=0).real)


@cache
def _lifting() -> Float[np.ndarray, "samples 3"]:
    """The matrix from a mean and both parts of a first harmonic to samples of a real signal."""
    return np.stack([np.ones(N_SAMPLES), 2.0 * np.cos(PHASES), -2.0 * np.sin(PHASES)], axis=1)


@cache
def _basis(harmonics: int) -> Complex[np.ndarray, "samples few"]:
    return np.asarray(np.exp(1j * PHASES[:, None] * np.arange(-harmonics, harmonics + 1)))


@cache
def _adjoint(harmonics: int) -> Complex[np.ndarray, "samples few"]:
    """The matrix from four signals, sampled by turns, to harmonics −n … n of their sum."""
    return np.repeat(_basis(harmonics).conj(), len(FOOT_POINTS), axis=0)


@cache
def _summing(harmonics: int) -> Float[np.ndarray, "samples parts"]:
    """The same for real signals: real and imaginary parts by turns."""
    return _adjoint(harmonics).view(np.float64)


@cache
def _toeplitz(harmonics: int) -> Int[np.ndarray, "few few"]:
    """Where a matrix of basis products finds its numbers among the harmonics −2n … 2n of the weights."""
    orders = np.arange(2 * harmonics + 1)
    return orders[:, None] - orders + 2 * harmonics


@cache
def _stiffness(harmonics: int) -> Float[np.ndarray, "few few"]:
    return np.diag(FOOT.stiffness * N_SAMPLES * np.arange(-harmonics, harmonics + 1.0) ** 2)


# How fast a motion is played: by its planted feet, not by the captured root.


def played_rates(spectrum: Spectrum) -> tuple[float, float]:
    """The turn rate and speed at which a player plays a motion, by its planted feet.

    For ``Calibration(network, measure=played_rates)``: requests are then met by the speed that is played, not by that
    of the captured root.

    Parameters
    ----------
    spectrum
        The motion, with a layout whose skeleton has legs.

    Returns
    -------
    tuple[float, float]
        Radians per second, left positive, and metres per second; means of a cycle.
    """
    if spectrum.layout is None:
        raise MotionError("these harmonics have no layout, so they go nowhere")
    gait = cycle_by_feet(spectrum, leg_dofs(spectrum.layout))
    return spectrum.turn / spectrum.duration, abs(gait.velocity)


def played_speed(spectrum: Spectrum) -> float:
    """How fast a motion is played, m/s; where no legs are known, how fast its root was captured."""
    try:
        return played_rates(spectrum)[1]
    except MotionError:
        return spectrum.speed
