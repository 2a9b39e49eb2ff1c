"""A motion over the ground at any phase: foot plants, path and heading."""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import ClassVar, NamedTuple

import numpy as np
from jaxtyping import Complex, Float

from mocapella.arrays import owned
from mocapella.gait.resting import Plant
from mocapella.geometry.angles import TURN
from mocapella.motion.layout import HEIGHT, YAW_RATE, Layout
from mocapella.motion.spectrum import Spectrum
from mocapella.motion.travel import STANDING

# A blended spectrum over the ground at any cycle phase, in closed form.
#
# Path and heading are exact integrals, so how finely time is cut changes nothing and no error adds up. The heading is
# the integral of the blended yaw rate. Places are complex numbers, z + ix, as in ``motion.travel``.

N_SAMPLES = 32  # phases at which the legs are looked at
PHASES = TURN * np.arange(N_SAMPLES) / N_SAMPLES
ORDERS = np.fft.fftfreq(N_SAMPLES, 1.0 / N_SAMPLES)
# Rows of the table: where the four foot points are on the ground, ahead real and left imaginary; how high heel (real)
# and toe (imaginary) of each foot are; the swing of the heading; the path.
_HEIGHTS, _YAW, _PATH = 4, 6, 7
_FREQUENCIES = 1j * ORDERS
_REMEMBERED = 8  # cached phases of a cycle: a step needs a handful repeatedly


class Touch(NamedTuple):
    """A foot point at one moment of the cycle, on the path that starts at cycle phase 0 with heading 0."""

    place: complex
    speed: complex  # metres per radian of cycle phase
    height: float
    rise: float = 0.0  # metres per radian


class _Moment(NamedTuple):
    """All signals at one cycle phase, and the heading and path that follow from them."""

    values: list[complex]
    yaw: float
    path: complex


class _Course(NamedTuple):
    """The parts of heading and path that are not periodic."""

    even: float  # turn per radian of cycle phase
    start: float  # swing of the heading at cycle phase 0
    steady: complex  # part of the path that does not turn in the frame that turns evenly, metres per radian
    origin: complex  # where the signal of the path is at cycle phase 0


@dataclass(frozen=True, eq=False)
class CycleOnGround:
    """One spectrum over the ground: path, heading, height and feet at any cycle phase."""

    lap: ClassVar[float] = TURN  # the phase after which it repeats

    spectrum: Spectrum
    plants: tuple[tuple[Plant, ...], ...]  # of each of FOOT_POINTS
    velocity: complex  # mean velocity over the ground in the frame that turns evenly, m/s, as played
    lifting: tuple[float, complex]  # what is added to all heights: its mean, twice its first harmonic
    bearings: Float[np.ndarray, "samples 4"]  # share of the body's weight on each point
    rate: float  # cycle phase per second
    table: Complex[np.ndarray, "8 orders"]  # harmonics of all signals: foot points, swing of the heading, path
    course: _Course
    _moments: dict[float, _Moment]
    _speeds: dict[float, tuple[_Moment, list[complex]]]
    _touches: dict[tuple[int, float], Touch]
    _last: dict[float, Float[np.ndarray, " dofs"]]

    @classmethod
    def of(
        cls,
        spectrum: Spectrum,
        plants: tuple[tuple[Plant, ...], ...],
        velocities: Complex[np.ndarray, " samples"],
        lifting: tuple[float, complex],
        feet: Complex[np.ndarray, "6 samples"],
        bearings: Float[np.ndarray, "samples 4"],
    ) -> CycleOnGround:
        """Make it from harmonics.

        ``velocities`` are those of the root in the frame that turns evenly, metres per radian; ``feet`` those of the
        foot points seen from the root: ahead and to the left of each, then the heights of heel and toe of each foot
        without ``lifting``.
        """
        rate = TURN / spectrum.duration
        rates = spectrum.coefficients[:, YAW_RATE]
        even = float(rates[0].real) / rate
        n = len(rates)
        n_orders = len(_orders(n - 1))
        table = np.zeros((8, n_orders), dtype=np.complex128)
        table[:_YAW, :N_SAMPLES] = feet
        columns = slice(1, n) if n_orders == N_SAMPLES else _positive(n - 1)
        table[_YAW, columns] = rates[1:] * (_summing(n) / rate)
        frequencies = _FREQUENCIES + 1j * even
        steady, still = 0j, -round(even)  # the harmonic that an even turn of whole rounds leaves without a frequency
        if abs(even + still) <= 1e-6 and abs(still) < N_SAMPLES // 2:
            steady = complex(velocities[still])
            frequencies[still] = math.inf
        np.divide(velocities, frequencies, out=table[_PATH, :N_SAMPLES])
        swing, origin = np.add.reduce(table[_YAW:], axis=1).tolist()
        course = _Course(even, swing.real, steady, origin)
        velocity = rate * complex(velocities[0])
        return cls._made(
            spectrum, plants=plants, table=table, velocity=velocity, lifting=lifting, bearings=bearings, course=course
        )

    @classmethod
    def of_table(
        cls,
        spectrum: Spectrum,
        plants: tuple[tuple[Plant, ...], ...],
        table: Complex[np.ndarray, "8 samples"],
        beyond: Complex[np.ndarray, " more"],
        velocity: complex,
        lifting: tuple[float, complex],
        bearings: Float[np.ndarray, "samples 4"],
        course: tuple[float, float, complex, complex],
    ) -> CycleOnGround:
        """Make it from the table of another engine; ``beyond`` are harmonics of the heading from 16 on."""
        whole = np.zeros((8, table.shape[1] + len(beyond)), dtype=np.complex128)
        whole[:, : table.shape[1]] = table
        whole[_YAW, table.shape[1] :] = beyond
        parts = _Course(*course)
        return cls._made(
            spectrum, plants=plants, table=whole, velocity=velocity, lifting=lifting, bearings=bearings, course=parts
        )

    @classmethod
    def _made(cls, spectrum: Spectrum, **fields: object) -> CycleOnGround:
        cycle: CycleOnGround = object.__new__(cls)  # one at every step; the frozen constructor is slow
        cycle.__dict__.update(fields, spectrum=spectrum, rate=TURN / spectrum.duration)
        cycle.__dict__.update(_moments={}, _speeds={}, _touches={}, _last={})
        return cycle

    def way(self, phase: float) -> tuple[float, complex]:
        """The heading (radians) and the path (metres) that have built up since cycle phase 0, when both were 0."""
        moment = self._moment(phase)
        return moment.yaw, moment.path

    def sway(self, phase: float) -> tuple[float, complex]:
        """The deviation of heading and path from even travel without the sway of steps, in the path's own axes."""
        values = self._moment(phase).values
        mean = complex(self.table[_PATH, 0])  # even travel follows the mean velocity
        return values[_YAW].real, cmath.exp(1j * self.course.even * phase) * (values[_PATH] - mean)

    @property
    def drift(self) -> float:
        """The angle from the mean facing of the hips to the direction of travel, radians; 0 where it hardly moves."""
        # The evenly turning frame is laid through cycle phase 0, where the heading is off the even one by its swing.
        going = self.velocity * cmath.exp(1j * self.sway(0.0)[0])
        return cmath.phase(going + max(0.0, STANDING - abs(going)))

    def lift(self, phase: float) -> float:
        """The correction of the blended root height that puts the feet on the ground, metres."""
        mean, swing = self.lifting
        return mean + swing.real * math.cos(phase) - swing.imag * math.sin(phase)

    @property
    def layout(self) -> Layout:
        """The layout of its spectrum."""
        assert self.spectrum.layout is not None
        return self.spectrum.layout

    def posture(self, phase: float) -> tuple[Float[np.ndarray, "joints 4"], float]:
        """The local rotations of all joints, the root's without heading, and the height of the root."""
        dofs = self.dofs(phase)
        return self.layout.rotations(dofs), float(dofs[HEIGHT]) + self.lift(phase)

    def dofs(self, phase: float) -> Float[np.ndarray, " dofs"]:
        """The dofs at a cycle phase, to be read only: those of the last one are kept."""
        known = self._last.get(phase)
        if known is None:
            self._last.clear()
            known = self._last[phase] = dofs_at(self.spectrum, phase)
        return known

    def feet(self, phase: float) -> list[complex]:
        """The foot points on the ground, seen from the root, ahead real and left imaginary; metres."""
        return self._moment(phase).values[:_HEIGHTS]

    def bearing(self, phase: float) -> list[float]:
        """Share of the body's weight on each foot point, 0 … 1, linear between samples."""
        place = phase / TURN * N_SAMPLES
        low = int(place)
        share = place - low
        before, after = self.bearings[low % N_SAMPLES].tolist(), self.bearings[(low + 1) % N_SAMPLES].tolist()
        return [(1.0 - share) * a + share * b for a, b in zip(before, after, strict=True)]

    def height(self, point: int, phase: float) -> float:
        """How high a foot point is at a cycle phase, metres."""
        return _own(self._moment(phase).values, point) + self.lift(phase)

    def touch(self, point: int, phase: float) -> Touch:
        """Where a foot point is at a cycle phase and how fast it moves; cached."""
        known = self._touches.get((point, phase))
        if known is not None:
            return known
        (values, yaw, path), slopes = self._with_slopes(phase)
        even, _, steady, _ = self.course
        turning = even + slopes[_YAW].real
        going = cmath.exp(1j * even * phase) * (slopes[_PATH] + 1j * even * values[_PATH]) + steady
        heading = cmath.exp(1j * yaw)
        place = values[point]
        speed = going + heading * (slopes[point] + 1j * turning * place)
        height, rise = _own(values, point) + self.lift(phase), _own(slopes, point)
        swing = self.lifting[1]
        rise -= swing.real * math.sin(phase) + swing.imag * math.cos(phase)
        if len(self._touches) >= 8 * _REMEMBERED:
            self._touches.clear()
        known = self._touches[point, phase] = Touch(path + heading * place, speed, height, rise)
        return known

    def _moment(self, phase: float) -> _Moment:
        """All signals of the cycle at a cycle phase, by one matrix product; cached."""
        known = self._moments.get(phase)
        if known is None:
            table = self.table
            if len(self._moments) >= _REMEMBERED:
                self._moments.clear()
            known = self._laid_out(phase, table.dot(_waves(phase, table.shape[1])).tolist())
            self._moments[phase] = known
        return known

    def _laid_out(self, phase: float, values: list[complex]) -> _Moment:
        """Heading and path from the signals at a cycle phase."""
        even, start, steady, origin = self.course
        yaw = even * phase + values[_YAW].real - start
        path = cmath.exp(1j * even * phase) * values[_PATH] + steady * phase - origin
        return _Moment(values, yaw, path)

    def _with_slopes(self, phase: float) -> tuple[_Moment, list[complex]]:
        """All signals at a moment with their slopes per radian, for all foot points together."""
        known = self._speeds.get(phase)
        if known is None:
            turning = _turning(self.table.shape[1])
            waves = np.exp(phase * turning)
            values, slopes = self.table.dot(waves).tolist(), self.table.dot(turning * waves).tolist()
            if len(self._speeds) >= _REMEMBERED:
                self._speeds.clear()
            known = self._speeds[phase] = self._laid_out(phase, values), slopes
        return known


def _own(values: list[complex], point: int) -> float:
    """The height of one foot point among the table's signals."""
    both = values[_HEIGHTS + point // 2]
    return both.imag if point % 2 else both.real


def dofs_at(spectrum: Spectrum, phase: float) -> Float[np.ndarray, " dofs"]:
    """The same as ``Spectrum.at`` for a single phase, faster for phases that are asked for repeatedly."""
    n = len(spectrum.coefficients)
    if n > N_SAMPLES // 2:
        return spectrum.at(np.array(phase))
    return np.asarray(_doubled(phase, n).dot(spectrum.coefficients).real)


@lru_cache(maxsize=64)
def _waves(phase: float, n_orders: int) -> Complex[np.ndarray, " orders"]:
    """The factors that turn harmonics into a signal at a cycle phase, cached."""
    return owned(np.exp(phase * _turning(n_orders)))


@lru_cache(maxsize=64)
def _doubled(phase: float, n: int) -> Complex[np.ndarray, " harmonics"]:
    """The factors of the first harmonics of a spectrum, doubled for their negative counterparts."""
    return owned(_waves(phase, N_SAMPLES)[:n] * _twice(n))


@cache
def _twice(n: int) -> Float[np.ndarray, " harmonics"]:
    return np.array([1.0, *[2.0] * (n - 1)])


@cache
def _turning(n_orders: int) -> Complex[np.ndarray, " orders"]:
    return 1j * _orders(n_orders - N_SAMPLES // 2 - 1)


@cache
def _orders(n_harmonics: int) -> Float[np.ndarray, " orders"]:
    """The numbers of the harmonics in a table: those of the samples, then those that only the heading has."""
    return np.concatenate([ORDERS, np.arange(N_SAMPLES // 2, n_harmonics + 1.0)])


@cache
def _positive(n_harmonics: int) -> np.ndarray:
    """Where the harmonics 1, 2, … of the heading stand in a table."""
    return np.concatenate([np.arange(1, N_SAMPLES // 2), np.arange(N_SAMPLES, N_SAMPLES // 2 + n_harmonics + 1)])


@cache
def _summing(n: int) -> Complex[np.ndarray, " harmonics"]:
    """The factors from the harmonics 1, 2, … of a rate per radian to those of its integral, doubled."""
    return owned(-2j / np.arange(1.0, n))
