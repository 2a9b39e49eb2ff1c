"""A blended spectrum on its way over the ground, at any cycle phase, in closed form.

Path and heading are exact integrals, so how finely time is cut changes nothing and no error adds up. The heading is the
integral of the blended yaw rate. Places are complex numbers, z + ix, as in ``motion.travel``.
"""

from __future__ import annotations

import cmath
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from jaxtyping import Complex, Float

from mocapella.motion.contacts import TURN
from mocapella.motion.layout import YAW_RATE
from mocapella.motion.spectrum import Spectrum
from mocapella.playback.holding import Plant

N_SAMPLES = 32  # phases at which the legs are looked at
PHASES = TURN * np.arange(N_SAMPLES) / N_SAMPLES
ORDERS = np.fft.fftfreq(N_SAMPLES, 1.0 / N_SAMPLES)


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
            turns = np.exp(1j * phase * ORDERS)
            foot, height = (turns @ self.foot_harmonics[:, (point, point + 4)]).tolist()
            moving, rise = ((1j * ORDERS * turns) @ self.foot_harmonics[:, (point, point + 4)]).tolist()
            yaw, path = self.way(phase)
            turning, speed = self._course(phase)
            heading = cmath.exp(1j * yaw)
            known = self._touches[point, phase] = Touch(
                place=path + heading * foot,
                speed=speed + heading * (moving + 1j * turning * foot),
                height=height.real,
                rise=rise.real,
            )
        return known

    def _course(self, phase: float) -> tuple[float, complex]:
        """The changes of heading and path per cycle phase."""
        even, swings, orders = self._yaw_parts
        scaled, frequencies, steady, _ = self._path_parts
        turning = even + (1j * orders * np.exp(1j * phase * orders)).dot(swings).real
        return float(turning), complex((1j * frequencies * np.exp(1j * phase * frequencies)).dot(scaled)) + steady

    @cached_property
    def _yaw_parts(self) -> tuple[float, Complex[np.ndarray, " harmonics"], Float[np.ndarray, " harmonics"]]:
        rates = self.spectrum.coefficients[:, YAW_RATE] / self.rate
        orders = np.arange(1.0, len(rates))
        return float(rates[0].real), 2.0 * rates[1:] / (1j * orders), orders

    @cached_property
    def _path_parts(self) -> tuple[Complex[np.ndarray, " samples"], Float[np.ndarray, " samples"], complex, complex]:
        """Coefficients and frequencies of the path per cycle phase, the steady part of a straight one, its start."""
        frequencies = ORDERS + self._yaw_parts[0]
        still = np.abs(frequencies) < 1e-6
        scaled = np.where(still, 0.0, self.velocity_harmonics / (1j * np.where(still, 1.0, frequencies))) / self.rate
        return scaled, frequencies, complex(self.velocity_harmonics[still].sum() / self.rate), complex(scaled.sum())
