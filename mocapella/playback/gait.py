"""A blended spectrum on its way over the ground, at any cycle phase, in closed form.

Path and heading are exact integrals, so how finely time is cut changes nothing and no error adds up. The heading is the
integral of the blended yaw rate. Places are complex numbers, z + ix, as in ``motion.travel``.
"""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from typing import ClassVar, NamedTuple

import numpy as np
from jaxtyping import Complex, Float

from mocapella.arrays import owned
from mocapella.motion.contacts import TURN
from mocapella.motion.layout import HEIGHT, YAW_RATE
from mocapella.motion.spectrum import Spectrum
from mocapella.playback.holding import Plant

N_SAMPLES = 32  # phases at which the legs are looked at
PHASES = TURN * np.arange(N_SAMPLES) / N_SAMPLES
ORDERS = np.fft.fftfreq(N_SAMPLES, 1.0 / N_SAMPLES)
_HEIGHTS, _YAW, _PATH = 4, 8, 9  # columns of the table; those before are places
_REMEMBERED = 8  # moments of a gait: a step asks for a handful again and again


class Touch(NamedTuple):
    """A foot point at one moment of the cycle, on the path that starts at cycle phase 0 with heading 0."""

    place: complex
    speed: complex  # metres per radian of cycle phase
    height: float
    rise: float  # metres per radian


class _Moment(NamedTuple):
    """Everything at one cycle phase: a row of the table's signals, and what they make of heading and path."""

    values: list[complex]
    yaw: float
    path: complex


@dataclass(frozen=True, eq=False)
class Gait:
    """The way of one spectrum over the ground, and its feet."""

    lap: ClassVar[float] = TURN  # the phase after which everything comes round again

    spectrum: Spectrum
    plants: tuple[tuple[Plant, ...], ...]  # of each of FOOT_POINTS
    velocity_harmonics: Complex[np.ndarray, " samples"]  # in the frame that turns evenly, m/s
    lifting: tuple[float, complex]  # what is added to the blended root height: its mean, twice its first harmonic
    foot_harmonics: Complex[np.ndarray, "samples 8"]  # places of the foot points seen from the root, then heights
    bearings: Float[np.ndarray, "4 samples"]  # how much of the body each point carries
    _moments: dict[float, _Moment] = field(default_factory=dict)
    _speeds: dict[float, list[complex]] = field(default_factory=dict)

    @cached_property
    def rate(self) -> float:
        """Cycle phase per second."""
        return TURN / self.spectrum.duration

    @property
    def velocity(self) -> complex:
        """The mean velocity over the ground in the frame that turns evenly, m/s: what the feet make of it."""
        return complex(self.velocity_harmonics[0])

    def way(self, phase: float) -> tuple[float, complex]:
        """The heading (radians) and the path (metres) that have built up since cycle phase 0, when both were 0."""
        moment = self._moment(phase)
        return moment.yaw, moment.path

    def sway(self, phase: float) -> tuple[float, complex]:
        """By how much heading and path are off those of an even way without steps, in the path's own axes."""
        table, (even, _, _, _) = self._parts
        values = self._moment(phase).values
        mean = complex(table[0, _PATH])  # an even way is what the mean velocity makes
        return values[_YAW].real, cmath.exp(1j * even * phase) * (values[_PATH] - mean)

    def lift(self, phase: float) -> float:
        """What is added to the blended height of the root so that the feet stand on the ground, metres."""
        mean, swing = self.lifting
        return mean + swing.real * math.cos(phase) - swing.imag * math.sin(phase)

    def posture(self, phase: float) -> tuple[Float[np.ndarray, "joints 4"], float]:
        """The local rotations of all joints, the root's without heading, and the height of the root."""
        layout, dofs = self.spectrum.layout, self.dofs(phase)
        assert layout is not None
        return layout.rotations(dofs), float(dofs[HEIGHT]) + self.lift(phase)

    def dofs(self, phase: float) -> Float[np.ndarray, " dofs"]:
        """The dofs at a cycle phase."""
        return dofs_at(self.spectrum, phase)

    def feet(self, phase: float) -> list[complex]:
        """The foot points on the ground, seen from the root, ahead real and left imaginary; metres."""
        return self._moment(phase).values[:_HEIGHTS]

    def bearing(self, phase: float) -> Float[np.ndarray, " 4"]:
        """How much of the body each foot point carries, 0 … 1, linear between samples."""
        place = phase / TURN * N_SAMPLES
        low = int(place)
        share = place - low
        rows = self.bearings
        return np.asarray((1.0 - share) * rows[:, low % N_SAMPLES] + share * rows[:, (low + 1) % N_SAMPLES])

    def touch(self, point: int, phase: float) -> Touch:
        """Where a foot point is at a cycle phase, and how fast."""
        values, yaw, path = self._moment(phase)
        slopes = self._slopes(phase)
        even, _, steady, _ = self._parts[1]
        turning = even + slopes[_YAW].real
        going = cmath.exp(1j * even * phase) * (slopes[_PATH] + 1j * even * values[_PATH]) + steady
        heading = cmath.exp(1j * yaw)
        place = values[point]
        return Touch(
            place=path + heading * place,
            speed=going + heading * (slopes[point] + 1j * turning * place),
            height=values[_HEIGHTS + point].real,
            rise=slopes[_HEIGHTS + point].real,
        )

    def _moment(self, phase: float) -> _Moment:
        """All signals of the gait at a cycle phase, by one matrix product; worked out once for each phase."""
        known = self._moments.get(phase)
        if known is None:
            table, (even, start, steady, origin) = self._parts
            values = _waves(phase, len(table)).dot(table).tolist()
            yaw = even * phase + values[_YAW].real - start
            path = cmath.exp(1j * even * phase) * values[_PATH] + steady * phase - origin
            if len(self._moments) >= _REMEMBERED:
                self._moments.clear()
            known = self._moments[phase] = _Moment(values, yaw, path)
        return known

    def _slopes(self, phase: float) -> list[complex]:
        """How fast the signals change at a cycle phase, per radian; who asks for one foot point asks for the other."""
        known = self._speeds.get(phase)
        if known is None:
            table = self._parts[0]
            if len(self._speeds) >= _REMEMBERED:
                self._speeds.clear()
            turning = _turning(len(table)) * _waves(phase, len(table))
            known = self._speeds[phase] = turning.dot(table).tolist()
        return known

    @cached_property
    def _parts(self) -> tuple[Complex[np.ndarray, "orders 10"], tuple[float, float, complex, complex]]:
        """The harmonics of every signal, and what else heading and path are made of.

        The signals are places and heights of the foot points, the swing of the heading, and the path as seen in the
        frame that turns evenly. The rest: the even turn per radian of cycle phase, the swing at phase 0, the steady
        part of a path that does not turn in that frame, and where the path's signal is at phase 0.
        """
        rates = self.spectrum.coefficients[:, YAW_RATE]
        even = float(rates[0].real) / self.rate
        n = len(rates)
        orders = _orders(n - 1)
        table = np.zeros((len(orders), 10), dtype=np.complex128)
        table[:N_SAMPLES, :_YAW] = self.foot_harmonics
        rows = np.s_[1:n] if len(orders) == N_SAMPLES else _positive(n - 1)
        table[rows, _YAW] = swings = rates[1:] * (-2j / self.rate) / _counting(n)
        path = self.velocity_harmonics * (-1j / self.rate)
        frequencies = ORDERS + even
        steady, still = 0j, -round(even)  # the harmonic that an even turn of whole rounds leaves without a frequency
        if abs(even + still) <= 1e-6 and abs(still) < N_SAMPLES // 2:
            steady = 1j * complex(path[still])
            path[still] = 0.0
            frequencies[still] = 1.0
        table[:N_SAMPLES, _PATH] = path = path / frequencies
        return table, (even, float(swings.sum().real), steady, complex(path.sum()))


def dofs_at(spectrum: Spectrum, phase: float) -> Float[np.ndarray, " dofs"]:
    """What ``Spectrum.at`` gives for a single phase, quicker for phases that others ask for too."""
    n = len(spectrum.coefficients)
    if n > N_SAMPLES // 2:
        return spectrum.at(np.array(phase))
    return np.asarray(_doubled(phase, n).dot(spectrum.coefficients).real)


@lru_cache(maxsize=64)
def _waves(phase: float, n_orders: int) -> Complex[np.ndarray, " orders"]:
    """What harmonics are multiplied by to give a signal at a cycle phase; gaits that follow each other share them."""
    return owned(np.exp(phase * _turning(n_orders)))


@lru_cache(maxsize=64)
def _doubled(phase: float, n: int) -> Complex[np.ndarray, " harmonics"]:
    """What the first harmonics of a spectrum are multiplied by: each stands for itself and its mirror image."""
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
def _counting(n: int) -> Float[np.ndarray, " harmonics"]:
    return np.arange(1.0, n)
