"""A blended spectrum on its way over the ground, at any cycle phase, in closed form.

Path and heading are exact integrals, so how finely time is cut changes nothing and no error adds up. The heading is the
integral of the blended yaw rate. Places are complex numbers, z + ix, as in ``motion.travel``.
"""

from __future__ import annotations

import cmath
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import ClassVar

import numpy as np
from jaxtyping import Complex, Float

from mocapella.motion.contacts import TURN
from mocapella.motion.layout import HEIGHT, YAW_RATE
from mocapella.motion.spectrum import Spectrum
from mocapella.playback.holding import Plant

N_SAMPLES = 32  # phases at which the legs are looked at
PHASES = TURN * np.arange(N_SAMPLES) / N_SAMPLES
ORDERS = np.fft.fftfreq(N_SAMPLES, 1.0 / N_SAMPLES)
_COLUMNS = ([0, 1, 4, 5], [2, 3, 6, 7])  # places and heights of heel and toe, left and right


@dataclass(frozen=True)
class Touch:
    """A foot point at one moment of the cycle, on the path that starts at cycle phase 0 with heading 0."""

    place: complex
    speed: complex  # metres per radian of cycle phase
    height: float
    rise: float  # metres per radian


@dataclass(frozen=True, eq=False)
class Gait:
    """The way of one spectrum over the ground, and its feet."""

    lap: ClassVar[float] = TURN  # the phase after which everything comes round again

    spectrum: Spectrum
    plants: tuple[tuple[Plant, ...], ...]  # of each of FOOT_POINTS
    velocity_harmonics: Complex[np.ndarray, " samples"]  # in the frame that turns evenly, m/s
    lift_harmonics: tuple[complex, ...]  # what is added to the blended root height, metres
    foot_harmonics: Complex[np.ndarray, "samples 8"]  # places of the foot points seen from the root, then heights
    bearings: Float[np.ndarray, "samples 4"]  # how much of the body each point carries
    _touches: dict[tuple[int, float], Touch] = field(default_factory=dict)
    _places: dict[float, tuple[float, complex]] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        """Cycle phase per second."""
        return TURN / self.spectrum.duration

    @property
    def velocity(self) -> complex:
        """The mean velocity over the ground in the frame that turns evenly, m/s: what the feet make of it."""
        return complex(self.velocity_harmonics[0])

    def way(self, phase: float) -> tuple[float, complex]:
        """The heading (radians) and the path (metres) that have built up since cycle phase 0, when both were 0."""
        known = self._places.get(phase)
        if known is None:
            even, swings, orders = self._yaw_parts
            yaw = float(even * phase + (np.exp(1j * phase * orders).dot(swings) - swings.sum()).real)
            scaled, frequencies, steady, start = self._path_parts
            path = complex(np.exp(1j * phase * frequencies).dot(scaled)) + steady * phase - start
            if len(self._places) > 8:
                self._places.clear()
            known = self._places[phase] = yaw, path
        return known

    def sway(self, phase: float) -> tuple[float, complex]:
        """By how much heading and path are off those of an even way without steps, in the path's own axes."""
        _, swings, orders = self._yaw_parts
        scaled, frequencies, _, _ = self._path_parts
        yaw = float(np.exp(1j * phase * orders).dot(swings).real)
        return yaw, complex(np.exp(1j * phase * frequencies[1:]).dot(scaled[1:]))

    def lift(self, phase: float) -> float:
        """What is added to the blended height of the root so that the feet stand on the ground, metres."""
        return sum((c * cmath.exp(1j * phase * h)).real for h, c in enumerate(self.lift_harmonics))

    def posture(self, phase: float) -> tuple[Float[np.ndarray, "joints 4"], float]:
        """The local rotations of all joints, the root's without heading, and the height of the root."""
        layout, dofs = self.spectrum.layout, self.spectrum.at(np.array(phase))
        assert layout is not None
        return layout.rotations(dofs), float(dofs[HEIGHT]) + self.lift(phase)

    def feet(self, phase: float) -> Complex[np.ndarray, " 4"]:
        """The foot points on the ground, seen from the root, ahead real and left imaginary; metres."""
        return np.asarray(np.exp(1j * phase * ORDERS) @ self.foot_harmonics[:, :4])

    def bearing(self, phase: float) -> Float[np.ndarray, " 4"]:
        """How much of the body each foot point carries, 0 … 1, linear between samples."""
        place = phase / TURN * N_SAMPLES
        low = int(place)
        share = place - low
        rows = self.bearings
        return np.asarray((1.0 - share) * rows[low % N_SAMPLES] + share * rows[(low + 1) % N_SAMPLES])

    def touch(self, point: int, phase: float) -> Touch:
        """Where a foot point is at a cycle phase, and how fast; worked out once for each moment."""
        known = self._touches.get((point, phase))
        if known is None:
            self._work_out(point // 2, phase)
            known = self._touches[point, phase]
        return known

    def _work_out(self, side: int, phase: float) -> None:
        """Heel and toe of a foot at one moment: who asks for one needs the other too."""
        turns = np.exp(1j * phase * ORDERS)
        columns = self.foot_harmonics[:, _COLUMNS[side]]
        places = (turns @ columns).tolist()
        moves = ((1j * ORDERS * turns) @ columns).tolist()
        yaw, path = self.way(phase)
        even, swings, orders = self._yaw_parts
        turning = even - float((orders * np.exp(1j * phase * orders)).dot(swings).imag)
        scaled, frequencies, steady, _ = self._path_parts
        going = 1j * complex((frequencies * np.exp(1j * phase * frequencies)).dot(scaled)) + steady
        heading = cmath.exp(1j * yaw)
        for i in (0, 1):
            self._touches[2 * side + i, phase] = Touch(
                place=path + heading * places[i],
                speed=going + heading * (moves[i] + 1j * turning * places[i]),
                height=places[i + 2].real,
                rise=moves[i + 2].real,
            )

    @cached_property
    def _yaw_parts(self) -> tuple[float, Complex[np.ndarray, " harmonics"], Float[np.ndarray, " harmonics"]]:
        """The even part of the heading per cycle phase, and coefficients and orders of its swings."""
        rates = self.spectrum.coefficients[:, YAW_RATE]
        orders = _orders(len(rates))
        return float(rates[0].real) / self.rate, rates[1:] * (-2j / self.rate) / orders, orders

    @cached_property
    def _path_parts(self) -> tuple[Complex[np.ndarray, " samples"], Float[np.ndarray, " samples"], complex, complex]:
        """Coefficients and frequencies of the path per cycle phase, the steady part of a straight one, its start."""
        even = self._yaw_parts[0]
        frequencies = ORDERS + even
        scaled = self.velocity_harmonics * (-1j / self.rate)
        still = -round(even)  # the harmonic that an even turn of whole rounds leaves without a frequency
        if abs(even + still) > 1e-6 or abs(still) >= N_SAMPLES // 2:
            scaled = scaled / frequencies
            return scaled, frequencies, 0j, complex(scaled.sum())
        steady = 1j * complex(scaled[still])
        scaled[still] = 0.0
        frequencies[still] = 1.0
        scaled = scaled / frequencies
        return scaled, frequencies, steady, complex(scaled.sum())


@cache
def _orders(n: int) -> Float[np.ndarray, " harmonics"]:
    return np.arange(1.0, n)
