"""The gaits of blends as rows of numbers that can be interpolated between blends.

Deriving the root motion of a blend from its feet (``gait.root_motion``) takes a third of a millisecond, and some tens
of microseconds in the native core. A crowd derives it beforehand for all blends whose weights are multiples of 1/8 to
1/20 and interpolates linearly in between, which holds feet as well as the derivation (``python -m
benchmarks.baked_gaits``). Kuhn's division cuts a triangle into the cells of that lattice.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from jaxtyping import Complex, Float, Int

from mocapella.crowd.signals import Signals
from mocapella.gait.cycle_on_ground import N_SAMPLES, ORDERS, PHASES, CycleOnGround
from mocapella.geometry.angles import TURN
from mocapella.motion.contacts import FOOT_POINTS
from mocapella.motion.layout import AHEAD, LEFT, YAW_RATE
from mocapella.motion.spectrum import waves
from mocapella.playback.settings import PlayerSettings
from mocapella.rig.legs import Leg

TRAVEL_HARMONICS = 4  # of the correction of the blended root velocity
# Columns of a row; those of plants follow, foot point by foot point.
DURATION, LATENESS, LIFT, TRAVEL = 0, 1, 2, 5
PLANTS = TRAVEL + 2 * (2 * TRAVEL_HARMONICS + 1)
# Numbers of a plant: its start, length, approach and release, radians of the cycle; how the point moves over the ground
# where it begins and where it ends, ahead and left, metres per radian; how high the foot is when it has come down.
START, LENGTH, APPROACH, RELEASE, BEGIN, END, LOW = 0, 1, 2, 3, 4, 6, 8
N_PLANT = 9  # numbers of a plant
# Numbers of a sole, for every plant of a heel: the tilt it stands with; what of the tilt is let down at the beginning
# of the stand, and how fast that changes there; the same at its end. Metres, and metres per radian.
STANDS, N_SOLE = 0, 5
_MOST_PLANTS = 3  # of one foot point in a cycle
_N_POINTS, _N_FEET = len(FOOT_POINTS), len(FOOT_POINTS) // 2
_NO_TIME = 1e-6  # radians in which a plant of no length sets in and out


def rocked(tilt: float | np.ndarray, rocking: float) -> tuple[np.ndarray, np.ndarray]:
    """The part of a tilt, metres, beyond what a foot may rock, and its derivative, 0 … 1."""
    part = _tanh(tilt / rocking)
    return np.asarray(tilt - rocking * part), np.asarray(part * part)


def _tanh(x: float | np.ndarray) -> np.ndarray:
    """A rational function near tanh, the same to the last digits in every engine."""
    x = np.clip(x, -3.0, 3.0)
    square = x * x
    return np.asarray(x * (27.0 + square) / (27.0 + 9.0 * square))


class Gaits:
    """The gaits of some blends, each of which takes its steps by its ``lateness``, radians, later than the others."""

    def __init__(
        self, cycles: Sequence[CycleOnGround], lateness: np.ndarray, legs: tuple[Leg, Leg], settings: PlayerSettings
    ) -> None:
        self.cycles, self.lateness, self.legs, self.settings = cycles, lateness, legs, settings
        self._signals = Signals(cycles)
        # Start, length, approach and release of the plants of each foot point, the longest first; none have length 0.
        self._plants = np.zeros((len(cycles), _N_POINTS, _MOST_PLANTS, 4))
        self._plants[..., APPROACH] = self._plants[..., RELEASE] = _NO_TIME
        self._counts = np.zeros((len(cycles), _N_POINTS), dtype=np.int64)
        for gait, cycle in enumerate(cycles):
            for point, plants in enumerate(cycle.plants):
                longest = sorted(plants, key=lambda plant: -plant.length)[:_MOST_PLANTS]
                self._counts[gait, point] = len(longest)
                for slot, plant in enumerate(longest):
                    self._plants[gait, point, slot] = plant[:4]

    @property
    def n_plants(self) -> int:
        """The most plants that a foot point has in any of them; at least one."""
        return max(1, int(self._counts.max()))

    @property
    def rates(self) -> Float[np.ndarray, "gaits 2"]:
        """Turn rate (rad/s) and speed (m/s) of the blends as they are played."""
        return np.array([(cycle.course.even * cycle.rate, abs(cycle.velocity)) for cycle in self.cycles])

    def foot_signals(self, gaits: Sequence[int], n_harmonics: int) -> Complex[np.ndarray, "gaits harmonics 8"]:
        """Harmonics of the foot points over the ground, seen from the root: ahead and left of each, by turns."""
        tables = self._signals.tables[list(gaits), :_N_POINTS, :N_SAMPLES]
        samples = np.fft.ifft(tables, axis=-1) * N_SAMPLES
        ahead_left = samples.swapaxes(1, 2).copy().view(np.float64)
        found = np.fft.rfft(ahead_left, axis=1, norm="forward")
        out = np.zeros((len(tables), n_harmonics + 1, 2 * _N_POINTS), dtype=np.complex128)
        n_rows = min(n_harmonics, N_SAMPLES // 2 - 1) + 1
        out[:, :n_rows] = found[:, :n_rows]
        return out

    def rows(self, triangles: Int[np.ndarray, "triangles vertices"]) -> Float[np.ndarray, "triangles vertices numbers"]:
        """The numbers of the gaits at the vertices of triangles: (triangles, vertices, numbers).

        The plants of a triangle's gaits lie in slots: a plant takes the nearest one, longer plants first, and slots
        without a plant have one of no length there. Phases are near those of the slots, so that rows of a triangle can
        be averaged. The columns are those of plants by foot point and slot, then those of soles by foot and slot.
        """
        n_plants = self.n_plants
        middles = self._middles(triangles, n_plants)[:, None]  # (triangles, 1, points, slots)
        own, counts = self._plants[triangles], self._counts[triangles]
        held = np.zeros((*own.shape[:-2], n_plants, N_PLANT))
        held[..., START], held[..., APPROACH], held[..., RELEASE] = middles, _NO_TIME, _NO_TIME
        soles = np.zeros((*own.shape[:2], _N_FEET, n_plants, N_SOLE))
        felt, lying = self._felt[triangles], self._soles[triangles]
        free = np.ones(held.shape[:-1], dtype=bool)
        for i in range(n_plants):
            start, length = own[..., i, START], own[..., i, LENGTH]
            off = _nearest((start + 0.5 * length)[..., None] - middles)
            slot = np.where(free, np.abs(off), np.inf).argmin(axis=-1)
            there = np.nonzero(counts > i)
            at = (*there, slot[there])
            free[at] = False
            middle = np.broadcast_to(middles, free.shape)[at]
            always = length[there] >= TURN  # neither beginning nor end: as if it lay about the middle of its slot
            held[at] = np.concatenate([own[..., i, :][there], felt[..., i, :][there]], axis=-1)
            held[(*at, START)] = middle + np.where(always, 0.0, off[at]) - 0.5 * length[there]
            held[(*at, LENGTH)] = np.minimum(length[there], TURN)
            for column in (APPROACH, RELEASE):
                held[(*at, column)] = np.where(always, _NO_TIME, held[(*at, column)])
            heels = there[2] % 2 == 0
            feet = tuple(index[heels] for index in (at[0], at[1], at[2] // 2, at[3]))
            soles[feet] = lying[..., i, :][tuple(index[heels] for index in (*there[:2], there[2] // 2))]
        parts = (self._ways[triangles], held, soles)
        return np.concatenate([part.reshape(*triangles.shape, -1) for part in parts], axis=-1)

    def _middles(
        self, triangles: Int[np.ndarray, "triangles vertices"], n_plants: int
    ) -> Float[np.ndarray, "triangles points slots"]:
        """The phases about which the plants of a triangle's gaits lie.

        The gait with most plants decides; gaits whose feet stand all the time, or never, do not count.
        """
        moving = (np.arange(_MOST_PLANTS) < self._counts[..., None]) & (self._plants[..., LENGTH] < TURN)
        most = moving.sum(axis=-1)[triangles].argmax(axis=1)  # (triangles, points)
        gait = np.take_along_axis(triangles, most, axis=1)
        points = np.arange(_N_POINTS)
        own, moving = self._plants[gait, points], moving[gait, points]
        first = np.argsort(~moving, axis=-1, kind="stable")  # those that count before the others
        middles = np.take_along_axis(own[..., START] + 0.5 * own[..., LENGTH], first, axis=-1)
        n_moving = moving.sum(axis=-1, keepdims=True)
        middles = np.where(n_moving > 0, middles, 0.0)
        return np.where(np.arange(_MOST_PLANTS) < n_moving, middles, middles[..., :1])[..., :n_plants]

    @cached_property
    def _ways(self) -> Float[np.ndarray, "gaits numbers"]:
        """The numbers before those of plants: the same in every row."""
        out = np.empty((len(self.cycles), PLANTS))
        out[:, DURATION] = [cycle.spectrum.duration for cycle in self.cycles]
        out[:, LATENESS] = self.lateness
        out[:, LIFT] = self._signals.lifts
        out[:, LIFT + 1], out[:, LIFT + 2] = self._signals.swings.real, self._signals.swings.imag
        out[:, TRAVEL:] = self._travel()
        return out

    def _travel(self) -> Float[np.ndarray, "gaits numbers"]:
        """The corrections of the blended root velocities by the feet, in the heading, metres per radian.

        First ahead, then to the left: the mean, then cosines and sines by turns.
        """
        cycles, signals = self.cycles, self._signals
        even, steady = signals.even, signals.steady
        velocities = signals.tables[:, -1, :N_SAMPLES] * (1j * (ORDERS + even[:, None]))
        still = np.flatnonzero(steady)
        velocities[still, -np.rint(even[still]).astype(np.int64)] = steady[still]
        evenly = np.fft.ifft(velocities) * N_SAMPLES
        root = np.stack([cycle.spectrum.coefficients[:, [AHEAD, LEFT, YAW_RATE]] for cycle in cycles])
        factors = waves(PHASES, root.shape[1] - 1)
        per_radian = 1.0 / signals.rates[:, None]
        ahead, left = (per_radian * (root[..., i] @ factors.T).real for i in range(2))
        summing = factors[:, 1:] / (1j * np.arange(1, root.shape[1]))  # from a rate to its integral, about its mean
        swing = per_radian * (root[:, 1:, 2] @ summing.T).real - signals.starts[:, None]
        beyond = evenly * np.exp(-1j * swing) - (ahead + 1j * left)
        found = np.fft.rfft([beyond.real, beyond.imag], norm="forward")[..., : TRAVEL_HARMONICS + 1]
        out = np.empty((len(cycles), 2, 2 * TRAVEL_HARMONICS + 1))
        found = found.swapaxes(0, 1)
        out[..., 0] = found[..., 0].real
        out[..., 1::2], out[..., 2::2] = 2.0 * found[..., 1:].real, -2.0 * found[..., 1:].imag
        return out.reshape(len(cycles), -1)

    @cached_property
    def _felt(self) -> Float[np.ndarray, "gaits points plants 5"]:
        """The numbers of plants that depend on no slot: speeds and heights at their ends."""
        gaits, points, slots = np.nonzero(np.arange(_MOST_PLANTS) < self._counts[..., None])
        start, length = self._plants[gaits, points, slots, :2].T
        settings = self.settings
        landing = np.minimum(settings.touchdown * self._signals.rates[gaits], settings.touchdown_share * length)
        begin, end, down = (
            self._signals.at(gaits, phases) for phases in (start, (start + length) % TURN, start + landing)
        )
        high, low = self._over(begin.heights, points), self._over(down.heights, points)
        low = np.maximum(low, high - settings.hover)
        every = np.arange(len(points))
        first, last = begin.speeds[every, points], end.speeds[every, points]
        out = np.zeros((*self._counts.shape, _MOST_PLANTS, N_PLANT - BEGIN))
        numbers = np.stack([first.real, first.imag, last.real, last.imag, low], axis=-1)
        out[gaits, points, slots] = np.where(length[:, None] < TURN, numbers, 0.0)
        return out

    def _over(
        self, heights: Float[np.ndarray, "some 4"], points: Int[np.ndarray, " some"]
    ) -> Float[np.ndarray, " some"]:
        """How far above the ground the lower end of the foot of each point is."""
        soles = [height for leg in self.legs for height in (leg.heel_height, leg.toe_height)]
        lower = (heights - soles).reshape(-1, _N_FEET, 2).min(axis=-1)
        return np.asarray(np.take_along_axis(lower, points[:, None] // 2, axis=1)[:, 0])

    @cached_property
    def _soles(self) -> Float[np.ndarray, "gaits feet plants 5"]:
        """How a foot lies while it stands on each plant of its heel and on its toe."""
        heels, toes = self._plants[:, 0::2], self._plants[:, 1::2]
        best, begins = np.zeros(heels.shape[:-1]), np.zeros(heels.shape[:-1])
        for i in range(_MOST_PLANTS):
            toe = toes[:, :, i : i + 1]
            heel_first = (toe[..., START] - heels[..., START]) % TURN < 0.5 * TURN
            first, second = (np.where(heel_first[..., None], *pair) for pair in ((heels, toe), (toe, heels)))
            gap = (second[..., START] - first[..., START]) % TURN
            length = np.minimum(second[..., LENGTH], first[..., LENGTH] - gap)
            longer = (length > best) & (i < self._counts[:, 1::2, None])
            best, begins = np.where(longer, length, best), np.where(longer, second[..., START], begins)
        best[np.arange(_MOST_PLANTS) >= self._counts[:, 0::2, None]] = 0.0
        gaits, feet, slots = np.nonzero(best)
        start, length = begins[gaits, feet, slots], best[gaits, feet, slots]
        soles = np.array([leg.heel_height - leg.toe_height for leg in self.legs])[feet]
        middle, *edges = (
            self._signals.at(gaits, phases) for phases in (start + 0.5 * length, start, (start + length) % TURN)
        )
        every, heel, settings = np.arange(len(gaits)), 2 * feet, self.settings
        tilt = middle.heights[every, heel] - middle.heights[every, heel + 1] - soles
        stands = settings.sole_tilt * np.tanh(tilt / settings.sole_tilt)
        numbers = [stands]
        for edge in edges:
            tilt = edge.heights[every, heel] - edge.heights[every, heel + 1] - soles - stands
            beyond, slope = rocked(tilt, settings.rocking)
            numbers += [beyond, slope * (edge.rises[every, heel] - edge.rises[every, heel + 1])]
        out = np.zeros((*best.shape, N_SOLE))
        out[gaits, feet, slots] = np.stack(numbers, axis=-1)
        return out


def _nearest(angles: np.ndarray) -> np.ndarray:
    """Angles within half a turn of zero."""
    return np.asarray(angles - TURN * np.rint(angles / TURN))
