"""A blended spectrum made ready to travel: how it moves over the ground, at any cycle phase, in closed form.

The feet say how fast the body goes. A foot point that rests asks the root for exactly one velocity, and the root takes
the smoothest one that does justice to all points that rest: blended root velocity, plus a few harmonics fitted to what
the feet ask beyond it. Those few leave the root as smooth as captured; what is left over, millimetres, the legs bend
for. In flight no foot asks for anything and the fit runs on by itself. The heading is the integral of the blended yaw
rate. Path and heading are exact integrals, so how finely time is cut changes nothing and no error adds up.
"""

from __future__ import annotations

import cmath
from dataclasses import dataclass, field, replace
from functools import cache, cached_property

import numpy as np
from jaxtyping import Complex, Float

from mocapella.motion.contacts import FOOT_POINTS, TURN, Arc, CycleContacts
from mocapella.motion.layout import AHEAD, HEIGHT, LEFT, YAW_RATE
from mocapella.motion.spectrum import Spectrum, waves
from mocapella.playback.holding import Plant, plants_of
from mocapella.playback.legs import Leg, feet_from_root

N_SAMPLES = 32  # phases at which the legs are looked at
TRAVEL_HARMONICS = 4  # of the velocity that the feet ask for beyond the blended one
HEIGHT_HARMONICS = 1  # left and right; the second is the body's own bounce
_ROLLING = 0.08  # of the speed: a point that asks for that much less is rolling off, and believed half
_RISEN = 0.016  # metres: a point that much higher than in the middle of its plant does not rest
_SHARES = np.linspace(0.0, 1.0, 17)
_STIFFNESS = 0.003  # what a harmonic of the fit costs, times its number squared: it decides where no foot rests
_PHASES = TURN * np.arange(N_SAMPLES) / N_SAMPLES
_ORDERS = np.fft.fftfreq(N_SAMPLES, 1.0 / N_SAMPLES)


@dataclass(frozen=True)
class Touch:
    """A foot point at one moment of the cycle, on the path that starts at cycle phase 0 with heading 0."""

    place: complex
    speed: complex  # metres per radian of cycle phase
    height: float
    rise: float  # metres per radian


@dataclass(frozen=True, eq=False)
class Gait:
    """The way of one spectrum over the ground; places are complex, z + ix, as in ``motion.travel``."""

    spectrum: Spectrum
    plants: tuple[tuple[Plant, ...], ...]  # of each of FOOT_POINTS
    velocity_harmonics: Complex[np.ndarray, " samples"]  # in the frame that turns evenly
    height_harmonics: Complex[np.ndarray, " few"]  # what is added to the blended root height
    foot_harmonics: Complex[np.ndarray, "samples 4"]  # the foot points on the ground, seen from the root
    height_of_feet: Complex[np.ndarray, "samples 4"]  # harmonics of the heights of the foot points above the ground
    bearings: Float[np.ndarray, "samples 4"]  # how much of the body each point carries
    _touches: dict[tuple[int, float], Touch] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        """Cycle phase per second."""
        return TURN / self.spectrum.duration

    def yaw(self, phase: float) -> float:
        """The heading that has built up since cycle phase 0, radians."""
        even, swings = self._yaw_parts
        return float(even * phase + (np.exp(1j * phase * np.arange(1, len(swings) + 1)) - 1.0).dot(swings).real)

    def path(self, phase: float) -> complex:
        """The way gone since cycle phase 0, when the heading was 0; metres."""
        scaled, frequencies, steady = self._path_parts
        return complex(np.exp(1j * phase * frequencies).dot(scaled) + steady * phase) - self._path_start

    def lift(self, phase: float) -> float:
        """What is added to the blended height of the root so that the feet stand on the ground, metres."""
        few = self.height_harmonics
        return float(np.exp(1j * phase * np.arange(len(few))).dot(few).real)

    def feet(self, phase: float) -> Complex[np.ndarray, " 4"]:
        """The foot points on the ground, seen from the root, ahead real and left imaginary; metres."""
        return np.asarray(np.exp(1j * phase * _ORDERS) @ self.foot_harmonics)

    def touch(self, point: int, phase: float) -> Touch:
        """Where a foot point is at a cycle phase, and how fast; worked out once for each moment."""
        known = self._touches.get((point, phase))
        if known is None:
            turns = np.exp(1j * phase * _ORDERS)
            foot = complex(turns.dot(self.foot_harmonics[:, point]))
            moving = complex((1j * _ORDERS * turns).dot(self.foot_harmonics[:, point]))
            heading = cmath.exp(1j * self.yaw(phase))
            known = self._touches[point, phase] = Touch(
                place=self.path(phase) + heading * foot,
                speed=self._course(phase) + heading * (moving + 1j * self._turning(phase) * foot),
                height=float(turns.dot(self.height_of_feet[:, point]).real),
                rise=float((1j * _ORDERS * turns).dot(self.height_of_feet[:, point]).real),
            )
        return known

    def _course(self, phase: float) -> complex:
        """The root's velocity per cycle phase."""
        scaled, frequencies, steady = self._path_parts
        return complex((1j * frequencies * np.exp(1j * phase * frequencies)).dot(scaled)) + steady

    def _turning(self, phase: float) -> float:
        """The change of heading per cycle phase."""
        even, swings = self._yaw_parts
        orders = np.arange(1, len(swings) + 1)
        return float(even + (1j * orders * np.exp(1j * phase * orders)).dot(swings).real)

    def bearing(self, phase: float) -> Float[np.ndarray, " 4"]:
        """How much of the body each foot point carries, 0 … 1, linear between samples."""
        place = phase / TURN * N_SAMPLES
        low = int(place)
        share = place - low
        rows = self.bearings
        return (1.0 - share) * rows[low % N_SAMPLES] + share * rows[(low + 1) % N_SAMPLES]

    @cached_property
    def _yaw_parts(self) -> tuple[float, Complex[np.ndarray, " harmonics"]]:
        rates = self.spectrum.coefficients[:, YAW_RATE] / self.rate
        return float(rates[0].real), 2.0 * rates[1:] / (1j * np.arange(1, len(rates)))

    @cached_property
    def _path_parts(self) -> tuple[Complex[np.ndarray, " samples"], Float[np.ndarray, " samples"], complex]:
        """Coefficients and frequencies of the path per cycle phase, and the steady part of a straight one."""
        frequencies = _ORDERS + self._yaw_parts[0]
        still = np.abs(frequencies) < 1e-6
        scaled = np.where(still, 0.0, self.velocity_harmonics / (1j * np.where(still, 1.0, frequencies))) / self.rate
        return scaled, frequencies, complex(self.velocity_harmonics[still].sum() / self.rate)

    @cached_property
    def _path_start(self) -> complex:
        return complex(self._path_parts[0].sum())


def gait_of(spectrum: Spectrum, legs: tuple[Leg, Leg] | None) -> Gait:
    """The way of a spectrum: as its feet ask for it, or as its root was blended where ``legs`` is None."""
    low = spectrum.coefficients[: N_SAMPLES // 2 - 1]
    real, imaginary = _sampling(len(low) - 1)
    dofs = real @ low.real - imaginary @ low.imag
    velocities = dofs[:, AHEAD] + 1j * dofs[:, LEFT]
    rate = TURN / spectrum.duration
    contacts = spectrum.contacts or CycleContacts()
    bearings = np.zeros((N_SAMPLES, 4))
    foot_harmonics = np.zeros((N_SAMPLES, 4), dtype=np.complex128)
    height_of_feet = np.zeros_like(foot_harmonics)
    heights = np.zeros(1, dtype=np.complex128)
    plants = plants_of(contacts, spectrum.duration)
    if legs is not None and spectrum.layout is not None:
        feet = feet_from_root(legs, spectrum.layout.rotations(dofs))
        soles = np.array([[leg.heel_height, leg.toe_height] for leg in legs]).ravel()
        plants = plants_of(_resting(contacts, feet[..., 1] + dofs[:, HEIGHT, None]), spectrum.duration)
        for point, own in enumerate(plants):
            for plant in own:
                bearings[:, point] += plant.bearing(_PHASES)
        ground = feet[..., 2] + 1j * feet[..., 0]
        foot_harmonics = np.fft.fft(ground, axis=0, norm="forward")
        asked = -np.fft.ifft(1j * _ORDERS[:, None] * foot_harmonics, axis=0, norm="forward") * rate
        asked -= 1j * dofs[:, YAW_RATE, None] * ground
        asked -= velocities[:, None]
        belief = 1.0 / (1.0 + (np.abs(asked) / (_ROLLING * np.abs(velocities).mean() + 1e-3)) ** 2)
        velocities = velocities + _fitted(asked, bearings * belief, TRAVEL_HARMONICS)
        short = soles - feet[..., 1] - dofs[:, HEIGHT, None]
        lift = _fitted(short.astype(np.complex128), bearings * belief, HEIGHT_HARMONICS).real
        height_of_feet = np.fft.fft(feet[..., 1] + (dofs[:, HEIGHT] + lift)[:, None], axis=0, norm="forward")
        heights = np.fft.rfft(lift, norm="forward")[: HEIGHT_HARMONICS + 1] * np.array([1.0] + [2.0] * HEIGHT_HARMONICS)
    swings = _yaw_swings(spectrum, rate)
    harmonics = np.fft.fft(velocities * np.exp(1j * swings), norm="forward")
    return Gait(spectrum, plants, harmonics, heights, foot_harmonics, height_of_feet, bearings)


def _resting(contacts: CycleContacts, heights: Float[np.ndarray, "samples 4"]) -> CycleContacts:
    """The contacts without the ends of plants in which a point is well above where it stands in the middle.

    A foot that comes down or rolls off slowly passes for one that rests, but holding it down would stretch the leg.
    """
    found = {}
    for column, name in enumerate(FOOT_POINTS):
        arcs = contacts.point(name)
        if arcs and max(length for _, length in arcs) < TURN:
            own = heights[:, column]
            middle, _ = max(((start + 0.5 * length, length) for start, length in arcs), key=lambda arc: arc[1])
            highest = float(_at(own, np.array([middle]))[0]) + _RISEN
            trimmed = (_below(own, start, length, highest) for start, length in arcs)
            found[name] = tuple((start, length) for start, length in trimmed if length > 1e-6)
    return replace(contacts, **found)


def _below(own: Float[np.ndarray, " samples"], start: float, length: float, highest: float) -> Arc:
    """The part of a plant round its middle in which a point is not higher than ``highest``."""
    over = _at(own, start + length * _SHARES) - highest
    half = len(over) // 2
    if over[half] > 0.0:
        return start, 0.0
    first = _crossing(over[half::-1])
    last = _crossing(over[half:])
    return start + length * 0.5 * (1.0 - first), length * 0.5 * (first + last)


def _crossing(over: Float[np.ndarray, " half"]) -> float:
    """How far along, 0 … 1, the values first rise above 0; 1 where they never do."""
    above = int((over > 0.0).argmax())
    if above == 0:
        return 1.0
    low, high = float(over[above - 1]), float(over[above])
    return (above - 1 + low / (low - high)) / (len(over) - 1)


def _at(samples: Float[np.ndarray, " samples"], phases: Float[np.ndarray, " phases"]) -> Float[np.ndarray, " phases"]:
    """Samples of a cycle, linear in between."""
    return np.interp(phases, _PHASES, samples, period=TURN)


def _fitted(
    asked: Complex[np.ndarray, "samples 4"], weights: Float[np.ndarray, "samples 4"], harmonics: int
) -> Complex[np.ndarray, " samples"]:
    """The periodic signal of a few harmonics that comes nearest to what is asked, where it is asked."""
    total = weights.sum(axis=1)
    if not total.any():
        return np.zeros(len(asked), dtype=np.complex128)
    basis = _basis(harmonics)
    goal = (weights * asked).sum(axis=1)
    orders = np.arange(-harmonics, harmonics + 1)
    normal = basis.conj().T @ (total[:, None] * basis) + np.diag(_STIFFNESS * len(asked) * orders**2)
    return np.asarray(basis @ np.linalg.solve(normal, basis.conj().T @ goal))


def _yaw_swings(spectrum: Spectrum, rate: float) -> Float[np.ndarray, " samples"]:
    """How far the heading is off that of an even turn, at the sampled phases."""
    rates = spectrum.coefficients[1 : N_SAMPLES // 2 - 1, YAW_RATE] / rate
    orders = np.arange(1, len(rates) + 1)
    return np.asarray(((_powers(len(rates)) - 1.0) @ (2.0 * rates / (1j * orders))).real)


@cache
def _sampling(n_harmonics: int) -> tuple[Float[np.ndarray, "samples harmonics"], Float[np.ndarray, "samples harmonics"]]:
    factors = waves(_PHASES, n_harmonics)
    return np.ascontiguousarray(factors.real), np.ascontiguousarray(factors.imag)


@cache
def _powers(n_harmonics: int) -> Complex[np.ndarray, "samples harmonics"]:
    return np.asarray(np.exp(1j * _PHASES[:, None] * np.arange(1, n_harmonics + 1)))


@cache
def _basis(harmonics: int) -> Complex[np.ndarray, "samples few"]:
    return np.asarray(np.exp(1j * _PHASES[:, None] * np.arange(-harmonics, harmonics + 1)))
