"""The gait of a blend as one row of numbers that can be interpolated between blends.

Deriving the root motion of a blend from its feet (``playback.gaits``) takes a third of a millisecond. A crowd derives
it beforehand for all blends whose weights are multiples of 1/8 to 1/20 and interpolates linearly in between, which
holds feet as well as the derivation (``python -m benchmarks.baked_gaits``). Kuhn's division cuts a triangle into the
cells of that lattice.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache, cached_property

import numpy as np
from jaxtyping import Complex, Float

from mocapella.arrays import owned
from mocapella.geometry.angles import TURN
from mocapella.motion.contacts import FOOT_POINTS
from mocapella.motion.layout import AHEAD, LEFT, YAW_RATE
from mocapella.motion.spectrum import Spectrum
from mocapella.playback.feet.plants import Plant
from mocapella.playback.gaits import cycle_by_feet
from mocapella.playback.motion_on_ground import N_SAMPLES, ORDERS, PHASES, CycleOnGround
from mocapella.playback.settings import PlayerSettings
from mocapella.rig.legs import Leg, LegDofs

TRAVEL_HARMONICS = 4  # of the correction of the blended root velocity
# Columns of a row; those of plants follow, foot point by foot point.
DURATION, LATENESS, LIFT, TRAVEL = 0, 1, 2, 5
PLANTS = TRAVEL + 2 * (2 * TRAVEL_HARMONICS + 1)
# Numbers of a plant: its start, length, approach and release, radians of the cycle; how the point moves over the ground
# where it begins and where it ends, ahead and left, metres per radian; how high the foot is when it has come down.
START, LENGTH, APPROACH, RELEASE, BEGIN, END, LOW = 0, 1, 2, 3, 4, 6, 8
N_PLANT = 9
# Numbers of a sole, for every plant of a heel: the tilt it stands with; what of the tilt is let down at the beginning
# of the stand, and how fast that changes there; the same at its end. Metres, and metres per radian.
STANDS, N_SOLE = 0, 5
_MOST_PLANTS = 3  # of one foot point in a cycle


def rocked(tilt: float | np.ndarray, rocking: float) -> tuple[np.ndarray, np.ndarray]:
    """The part of a tilt beyond what a foot may rock, and its derivative.

    Parameters
    ----------
    tilt
        Metres.
    rocking
        Metres a foot may rock.

    Returns
    -------
    beyond, slope
        Metres, and a share from 0 to 1.
    """
    part = _tanh(tilt / rocking)
    return np.asarray(tilt - rocking * part), np.asarray(part * part)


def _tanh(x: float | np.ndarray) -> np.ndarray:
    """A rational function near tanh, the same to the last digits in every engine."""
    x = np.clip(x, -3.0, 3.0)
    square = x * x
    return np.asarray(x * (27.0 + square) / (27.0 + 9.0 * square))


class Gait:
    """The gait of one blend: its cycle over the ground, and its numbers.

    Parameters
    ----------
    spectrum
        The blend.
    part, legs
        Its legs.
    settings
        Those of a player.
    late
        How much later than the others its steps are taken, radians.
    """

    def __init__(
        self, spectrum: Spectrum, part: LegDofs, legs: tuple[Leg, Leg], settings: PlayerSettings, late: float
    ) -> None:
        self.cycle = cycle_by_feet(spectrum, part, settings)
        self.legs, self.settings, self.late = legs, settings, late
        self.plants = [sorted(own, key=lambda plant: -plant.length)[:_MOST_PLANTS] for own in self.cycle.plants]
        self._known: dict[tuple[int, float], tuple[list[float], list[float]]] = {}

    @property
    def rates(self) -> tuple[float, float]:
        """Turn rate (rad/s) and speed (m/s) of the blend as it is played."""
        return self.cycle.course.even * self.cycle.rate, abs(self.cycle.velocity)

    def foot_signals(self, n_harmonics: int) -> Complex[np.ndarray, "harmonics 8"]:
        """Harmonics of the foot points over the ground, seen from the root: ahead and left of each, by turns."""
        samples = np.fft.ifft(self.cycle.table[:4, :N_SAMPLES], axis=1) * N_SAMPLES
        signals = samples.view(np.float64).reshape(4, N_SAMPLES, 2).transpose(1, 0, 2).reshape(N_SAMPLES, 8)
        found = np.fft.rfft(signals, axis=0, norm="forward")
        out = np.zeros((n_harmonics + 1, 8), dtype=np.complex128)
        rows = min(n_harmonics, N_SAMPLES // 2 - 1) + 1
        out[:rows] = found[:rows]
        return out

    def row(self, slots: Sequence[Sequence[float]], n_plants: int) -> Float[np.ndarray, " numbers"]:
        """The numbers of the gait.

        Parameters
        ----------
        slots
            For each foot point the phases about which its plants are looked for: a plant takes the nearest one, and
            slots without a plant have one of no length there.
        n_plants
            How many plants of a foot point there are room for.

        Returns
        -------
        array of shape (row_size(n_plants),)
            The row; phases near those of the slots, so that rows can be averaged.
        """
        out = np.zeros(row_size(n_plants))
        out[:PLANTS] = self._way
        soles = PLANTS + len(FOOT_POINTS) * n_plants * N_PLANT
        for point, middles in enumerate(slots):
            placed = _placed(self.plants[point], middles)
            for slot, (middle, plant) in enumerate(zip(middles, placed, strict=True)):
                at = PLANTS + (point * n_plants + slot) * N_PLANT
                out[at : at + N_PLANT] = self._plant(point, middle, plant)
                if point % 2 == 0 and plant is not None:
                    at = soles + (point // 2 * n_plants + slot) * N_SOLE
                    out[at : at + N_SOLE] = self._felt(point, plant)[1]
        return out

    @cached_property
    def _way(self) -> Float[np.ndarray, " numbers"]:
        """The numbers before those of plants: the same in every row."""
        out = np.empty(PLANTS)
        mean, swing = self.cycle.lifting
        out[DURATION], out[LATENESS] = self.cycle.spectrum.duration, self.late
        out[LIFT : LIFT + 3] = mean, swing.real, swing.imag
        out[TRAVEL:] = _travel(self.cycle)
        return out

    def _plant(self, point: int, middle: float, plant: Plant | None) -> list[float]:
        if plant is None:
            return [middle, 0.0, 1e-6, 1e-6, 0.0, 0.0, 0.0, 0.0, 0.0]
        start, length = plant.start, plant.length
        if length >= TURN:  # it has neither beginning nor end: as if it lay about the middle of its slot
            return [middle - 0.5 * TURN, TURN, 1e-6, 1e-6, 0.0, 0.0, 0.0, 0.0, 0.0]
        near = middle + math.remainder(start + 0.5 * length - middle, TURN) - 0.5 * length
        return [near, length, plant.approach, plant.release, *self._felt(point, plant)[0]]

    def _felt(self, point: int, plant: Plant) -> tuple[list[float], list[float]]:
        """The numbers of a plant that depend on no slot: speeds and height at its ends, and the sole of a heel."""
        key = point, plant.start
        if key not in self._known:
            ends = [0.0] * (N_PLANT - BEGIN)
            if plant.length < TURN:
                begin, end = (self._speed(point, edge) for edge in plant.edges)
                landing = min(self.settings.touchdown * self.cycle.rate, self.settings.touchdown_share * plant.length)
                high, low = self._over(point, plant.start), self._over(point, plant.start + landing)
                low = max(low, high - self.settings.hover)
                ends = [begin.real, begin.imag, end.real, end.imag, low]
            self._known[key] = ends, self._sole(point, plant) if point % 2 == 0 else []
        return self._known[key]

    def _speed(self, point: int, phase: float) -> complex:
        """How a foot point moves over the ground, in the heading of that moment."""
        yaw, _ = self.cycle.way(phase)
        return self.cycle.touch(point, phase).speed * complex(math.cos(yaw), -math.sin(yaw))

    def _over(self, point: int, phase: float) -> float:
        """How far above the ground the lower end of a foot is."""
        heel, leg = point - point % 2, self.legs[point // 2]
        heights = self.cycle.height(heel, phase), self.cycle.height(heel + 1, phase)
        return min(heights[0] - leg.heel_height, heights[1] - leg.toe_height)

    def _sole(self, heel: int, own: Plant) -> list[float]:
        """How the foot lies while it stands on this plant of its heel and on its toe."""
        cycle, leg, settings = self.cycle, self.legs[heel // 2], self.settings
        soles = leg.heel_height - leg.toe_height
        best, stand = 0.0, (0.0, 0.0)
        for toe in self.plants[heel + 1]:
            first, second = (own, toe) if (toe.start - own.start) % TURN < 0.5 * TURN else (toe, own)
            gap = (second.start - first.start) % TURN
            length = min(second.length, first.length - gap)
            if length > best:
                best, stand = length, (second.start, length)
        if best <= 0.0:
            return [0.0] * N_SOLE
        start, length = stand
        middle = start + 0.5 * length
        tilt = cycle.height(heel, middle) - cycle.height(heel + 1, middle) - soles
        stands = settings.sole_tilt * math.tanh(tilt / settings.sole_tilt)
        out = [stands]
        for edge in (start, start + length):
            back, front = cycle.touch(heel, edge % TURN), cycle.touch(heel + 1, edge % TURN)
            beyond, slope = rocked(back.height - front.height - soles - stands, settings.rocking)
            out += [float(beyond), float(slope) * (back.rise - front.rise)]
        return out


def row_size(n_plants: int) -> int:
    """How many numbers a row has.

    Parameters
    ----------
    n_plants
        How many plants of a foot point there are room for.

    Returns
    -------
    int
        The length of ``Gait.row``.
    """
    return PLANTS + n_plants * (len(FOOT_POINTS) * N_PLANT + len(FOOT_POINTS) // 2 * N_SOLE)


def slots_of(gaits: Sequence[Gait], n_plants: int) -> list[list[float]]:
    """The phases about which the plants of some neighbouring gaits lie, for each foot point.

    The gait with most plants decides; gaits whose feet stand all the time, or never, do not count.

    Parameters
    ----------
    gaits
        Those of a triangle.
    n_plants
        How many slots a foot point has.

    Returns
    -------
    list of list of float
        The middles of the plants, radians.
    """
    out = []
    for point in range(len(FOOT_POINTS)):
        moving = [[plant for plant in gait.plants[point] if plant.length < TURN] for gait in gaits]
        most = max(moving, key=len)
        middles = [plant.start + 0.5 * plant.length for plant in most[:n_plants]] or [0.0]
        out.append((middles + middles[:1] * n_plants)[:n_plants])
    return out


def _placed(plants: Sequence[Plant], middles: Sequence[float]) -> list[Plant | None]:
    """For every slot the plant that is nearest to it; each plant once, longer ones first."""
    out: list[Plant | None] = [None] * len(middles)
    for plant in plants:
        free = [slot for slot, taken in enumerate(out) if taken is None]
        if free:
            middle = plant.start + 0.5 * plant.length
            out[min(free, key=lambda slot: abs(math.remainder(middle - middles[slot], TURN)))] = plant
    return out


@cache
def _waves(n_harmonics: int) -> Complex[np.ndarray, "samples harmonics"]:
    """The factors from harmonics of a rate to its integral up to each of the phases, about its mean."""
    numbers = np.arange(1, n_harmonics + 1)
    return owned(2.0 / (1j * numbers) * np.exp(1j * PHASES[:, None] * numbers))


def _travel(cycle: CycleOnGround) -> Float[np.ndarray, " numbers"]:
    """The correction of the blended root velocity by the feet, in its heading, metres per radian.

    First ahead, then to the left: the mean, then cosines and sines by turns.
    """
    even, steady = cycle.course.even, cycle.course.steady
    velocities = cycle.table[-1, :N_SAMPLES] * (1j * (ORDERS + even))
    if steady:
        velocities[-round(even)] = steady
    evenly = np.fft.ifft(velocities) * N_SAMPLES
    swing = (_waves(cycle.spectrum.n_harmonics) @ cycle.spectrum.coefficients[1:, YAW_RATE]).real / cycle.rate
    swing -= cycle.course.start
    root = cycle.spectrum.at(PHASES)[:, [AHEAD, LEFT]] * (cycle.spectrum.duration / TURN)
    beyond = evenly * np.exp(-1j * swing) - (root[:, 0] + 1j * root[:, 1])
    found = np.fft.rfft([beyond.real, beyond.imag], norm="forward")[:, : TRAVEL_HARMONICS + 1]
    out = np.empty((2, 2 * TRAVEL_HARMONICS + 1))
    out[:, 0] = found[:, 0].real
    out[:, 1::2], out[:, 2::2] = 2.0 * found[:, 1:].real, -2.0 * found[:, 1:].imag
    return out.ravel()
