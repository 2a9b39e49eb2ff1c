"""Feet, heading and path of many gaits, each at phases of its own, by products of whole arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Complex, Float, Int

from mocapella.gait.cycle_on_ground import N_SAMPLES, ORDERS, CycleOnGround
from mocapella.motion.contacts import FOOT_POINTS

_N_POINTS = len(FOOT_POINTS)
_HEIGHTS, _YAW, _PATH = slice(4, 6), 6, 7  # rows of a table, as ``CycleOnGround`` has them
_AT_ONCE = 128  # gaits: tables of half a megabyte stay in the processor's cache


class _Touches(NamedTuple):
    """All foot points of gaits, each at one phase."""

    speeds: Complex[np.ndarray, "some 4"]  # over the ground in the heading of that moment, metres per radian
    heights: Float[np.ndarray, "some 4"]
    rises: Float[np.ndarray, "some 4"]  # metres per radian


class Signals:
    """The numbers of cycles over the ground as arrays, and their foot points at any phase.

    The same as ``CycleOnGround.touch``, for many at once.
    """

    def __init__(self, cycles: Sequence[CycleOnGround]) -> None:
        self.tables = np.stack([cycle.table for cycle in cycles])
        self.rates = np.array([cycle.rate for cycle in cycles])
        self.lifts = np.array([cycle.lifting[0] for cycle in cycles])
        self.swings = np.array([cycle.lifting[1] for cycle in cycles])
        self.even = np.array([cycle.course.even for cycle in cycles])
        self.starts = np.array([cycle.course.start for cycle in cycles])
        self.steady = np.array([cycle.course.steady for cycle in cycles])
        more = self.tables.shape[2] - N_SAMPLES  # what only the heading has
        self._turning = 1j * np.concatenate([ORDERS, N_SAMPLES // 2 + np.arange(float(more))])

    def at(self, gaits: Int[np.ndarray, " some"], phases: Float[np.ndarray, " some"]) -> _Touches:
        """The foot points of some gaits, numbers in ascending order, each at a phase in radians."""
        values, slopes = self._laid_out(gaits, phases)
        even, steady, swings = self.even[gaits], self.steady[gaits], self.swings[gaits]
        yaw = even * phases + values[:, _YAW].real - self.starts[gaits]
        going = np.exp(1j * even * phases) * (slopes[:, _PATH] + 1j * even * values[:, _PATH]) + steady
        turning = (even + slopes[:, _YAW].real)[:, None]
        speeds = (going * np.exp(-1j * yaw))[:, None] + slopes[:, :_N_POINTS] + 1j * turning * values[:, :_N_POINTS]
        waving = swings * np.exp(1j * phases)
        heights, rises = _own(values), _own(slopes)
        heights += (self.lifts[gaits] + waving.real)[:, None]
        rises -= waving.imag[:, None]
        return _Touches(speeds, heights, rises)

    def _laid_out(
        self, gaits: Int[np.ndarray, " some"], phases: Float[np.ndarray, " some"]
    ) -> tuple[Complex[np.ndarray, "some 8"], Complex[np.ndarray, "some 8"]]:
        """All signals and their slopes per radian: one product for all phases of a gait."""
        firsts = np.searchsorted(gaits, np.arange(len(self.tables) + 1))
        column = np.arange(len(gaits)) - firsts[gaits]
        padded = np.zeros((len(self.tables), int(np.diff(firsts).max(initial=0))))
        padded[gaits, column] = phases
        both = np.empty((2, *padded.shape, 8), dtype=np.complex128)
        for begin in range(0, len(padded), _AT_ONCE):
            some = slice(begin, begin + _AT_ONCE)
            waves = np.exp(padded[some, :, None] * self._turning)
            tables = self.tables[some].swapaxes(1, 2)
            both[0, some], both[1, some] = waves @ tables, (self._turning * waves) @ tables
        values, slopes = both[:, gaits, column]
        return values, slopes


def _own(values: Complex[np.ndarray, "some 8"]) -> Float[np.ndarray, "some 4"]:
    """The heights of the foot points among the signals: heels real, toes imaginary."""
    return values[:, _HEIGHTS].copy().view(np.float64)
