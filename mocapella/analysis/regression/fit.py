"""One cycle fitted to all repetitions of a steady stretch: harmonics by regression, odd frames weighed down."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from jaxtyping import Bool, Complex, Float

from mocapella.analysis.plants.agreed import agreed_arcs
from mocapella.analysis.plants.tracks import SHORTEST_PLANT, resting, track_feet
from mocapella.analysis.regression.phase import Phases, slow, solved, waves
from mocapella.analysis.regression.shrink import between_harmonics, shrunk
from mocapella.analysis.regression.signals import AHEAD, HEADING, HEIGHT, LEFT, Rows, Signals, poses_of
from mocapella.analysis.regression.stretch import Stretch, find_windows, gait_share, grown
from mocapella.geometry.angles import TURN
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS, CycleContacts, intervals_of
from mocapella.motion.cycle import Cycle
from mocapella.motion.layout import layout_of


@dataclass(frozen=True)
class _Regression:
    """How a cycle is fitted."""

    most_harmonics: int = 20
    fewest: int = 8  # frames of a cycle
    of_nyquist: float = 0.9  # of the harmonics that the frames of one cycle determine
    determined: float = 0.3  # harmonics per frame, which has to be more than the two numbers of a harmonic need
    exact: float = 1e-12  # m²: the variance of what is explained up to rounding
    rounds: int = 4  # in which odd frames are weighed down
    odd: float = 4.0  # times the usual residual at which a frame counts half
    repetitions: tuple[float, float] = (3.5, 6.0)  # from which on slow changes are of the second and third degree
    gait: float = 0.58  # of the legs' motion that repeats and is done by both in turn, from which on it is a gait
    above: float = 2.0  # times the noise: harmonics that stand out
    most_stretches: int = 6  # of one clip
    worth: float = 0.6  # of the best window's worth that others must have


_REGRESSION = _Regression()


@dataclass(frozen=True, eq=False)
class Fit:
    """One cycle of a motion, the mean of all repetitions in a stretch of a clip, with what is left of their noise."""

    signals: Signals
    stretch: Stretch
    harmonics: Complex[np.ndarray, "harmonics signals"]  # from 1 on: signal = Re Σ harmonics · exp(i h phase)
    slow_part: Rows  # of the frames of the stretch: what changes more slowly than the cycle
    course: Phases  # the heading of the stretch without the sway of steps, radians
    weights: Phases  # of the frames, sum 1
    left: float  # metres: the error that noise leaves in the cycle's joints, root mean square
    spread: float  # metres: one repetition from the mean, likewise
    pace: float  # how much the period changes from cycle to cycle, as a share of it
    n_above: int  # harmonics that stand above the noise
    explained: float  # of all that swings in the stretch, the share that repeats
    worth: float  # of the window that the stretch grew from

    @property
    def frames(self) -> slice:
        """The frames of the stretch."""
        return self.stretch.frames

    @property
    def repetitions(self) -> float:
        """How many cycles it is the mean of."""
        return self.stretch.repetitions

    @property
    def seconds(self) -> float:
        """How long a cycle lasts."""
        return self.stretch.period / self.signals.clip.frame_rate

    @property
    def velocity(self) -> complex:
        """The mean velocity, ahead + i left, m/s."""
        return complex(self._rates[AHEAD], self._rates[LEFT])

    @property
    def climb(self) -> float:
        """How fast the root rises, m/s."""
        return float(self._rates[HEIGHT])

    @property
    def _rates(self) -> Float[np.ndarray, " signals"]:
        """How fast all signals change from end to end of the stretch, per second."""
        seconds = (len(self.slow_part) - 1) / self.signals.clip.frame_rate
        return np.asarray((self.slow_part[-1] - self.slow_part[0]) / (seconds * self.signals.scales))

    def cycle(self) -> Cycle:
        """The cycle, closed by construction; its first frame is at phase 0 of the stretch."""
        n_frames = max(_REGRESSION.fewest, round(self.stretch.period))
        skeleton, scales = self.signals.clip.skeleton, self.signals.scales
        orders = np.arange(1, len(self.harmonics) + 1)
        turning = np.exp(1j * np.outer(TURN * np.arange(n_frames) / n_frames, orders))
        swing = (turning @ self.harmonics).real / scales
        rates = ((turning * (1j * orders * TURN / self.seconds)) @ self.harmonics).real / scales
        mean = self.weights @ self.slow_part / scales
        rotations, root = poses_of(mean + swing, skeleton)
        facing = swing[:, HEADING] + mean[HEADING] - self.weights @ self.course
        velocities = (self.velocity + rates[:, AHEAD] + 1j * rates[:, LEFT]) * np.exp(-1j * facing)
        columns = [root[:, HEIGHT], velocities.real, velocities.imag, self._rates[HEADING] + rates[:, HEADING]]
        layout = layout_of("quaternion", skeleton)
        dofs = layout.dofs(rotations, np.stack(columns, axis=-1))
        return Cycle(layout, dofs, n_frames / self.seconds, name=self.signals.clip.name)

    @cached_property
    def plants(self) -> CycleContacts:
        """The foot plants of the cycle, by agreement of all repetitions; ``MotionError`` where legs are not known."""
        return agreed_arcs(self.cycle(), resting(track_feet(self.model())), self.stretch.phases)

    @property
    def planted(self) -> Bool[np.ndarray, "frames 4"]:
        """Which of ``FOOT_POINTS`` rest in each frame of the stretch, without what is left of a plant at its ends."""
        masks = np.stack([self.plants.planted(point, self.stretch.phases) for point in FOOT_POINTS], axis=1)
        shortest = SHORTEST_PLANT * self.signals.clip.frame_rate
        for column in masks.T:
            for first, last in intervals_of(column):
                column[first : last + 1] = last + 1 - first > shortest
        return masks

    def model(self) -> Clip:
        """The stretch as the cycle explains it."""
        orders = np.arange(1, len(self.harmonics) + 1)
        swing = (np.exp(1j * np.outer(self.stretch.phases, orders)) @ self.harmonics).real
        return self.signals.clip_of(self.slow_part + swing, self.frames, self.course)


def fits_of(clip: Clip, usable: Bool[np.ndarray, " frames"]) -> list[Fit]:
    """The gaits that repeat in a clip without lost frames, each fitted to all its repetitions; the best first.

    Their stretches do not overlap. Frames that are not ``usable``, such as interpolated ones, have weight 0.
    """
    signals = Signals(clip)
    fits: list[Fit] = []
    free = np.ones(clip.n_frames, dtype=bool)
    for window in find_windows(signals) if usable.any() else ():
        if len(fits) == _REGRESSION.most_stretches or (fits and window.worth < _REGRESSION.worth * fits[0].worth):
            break
        if not free[window.first : window.after].all() or not usable[window.first : window.after].any():
            continue
        taken = np.flatnonzero(~free)
        bounds = slice(
            int(taken[taken < window.first].max(initial=-1)) + 1,
            int(taken[taken >= window.after].min(initial=clip.n_frames)),
        )
        stretch = grown(signals, window, usable, bounds)
        if gait_share(signals, stretch) > _REGRESSION.gait:
            fits.append(_fit_cycle(signals, stretch, usable, window.worth))
            free[stretch.frames] = False
        else:
            free[(window.first + window.after) // 2] = False  # windows beside it are no gait either
    return fits


def _fit_cycle(signals: Signals, stretch: Stretch, usable: Bool[np.ndarray, " frames"], worth: float = 1.0) -> Fit:
    """The cycle of a stretch in which one repeats: harmonics, and a polynomial for what changes more slowly."""
    frames, phases, skeleton = stretch.frames, stretch.phases, signals.clip.skeleton
    n_frames = len(phases)
    degree = 1 + sum(stretch.repetitions >= least for least in _REGRESSION.repetitions)
    counted = int(usable[frames].sum())
    most = min(0.5 * _REGRESSION.of_nyquist * stretch.period, _REGRESSION.determined * counted)
    n_harmonics = int(max(3, min(_REGRESSION.most_harmonics, most)))
    wave = waves(phases, n_harmonics)
    weights = usable[frames].astype(np.float64)
    level = np.concatenate([slow(n_frames, degree), wave], axis=1)
    headings = solved(level, signals.clip.headings[frames, None], weights)
    course = (level[:, : degree + 1] @ headings[: degree + 1])[:, 0]
    rows = signals.with_path(frames, course)
    design = np.concatenate([slow(n_frames, degree + 1), wave], axis=1)
    coefficients, weights = _robust(design, rows, weights)
    residual = rows - design @ coefficients
    first = degree + 2
    slow_part = design[:, :first] @ coefficients[:first]
    harmonics = coefficients[first : first + n_harmonics] - 1j * coefficients[first + n_harmonics :]
    noise = between_harmonics(residual, phases, weights, skeleton, n_harmonics)
    shrunken, left = shrunk(harmonics, noise, weights @ slow_part, skeleton)
    ratios = (np.abs(harmonics) ** 2).sum(axis=1) / np.maximum(noise.sum(axis=1), 1e-18)
    swing = rows - slow_part
    return Fit(
        signals=signals,
        stretch=stretch,
        harmonics=shrunken,
        slow_part=slow_part,
        course=course,
        weights=weights,
        left=float(np.sqrt(left / skeleton.n_joints)),
        spread=_spread(residual, phases, n_harmonics) / float(np.sqrt(skeleton.n_joints)),
        pace=_pace(stretch),
        n_above=int(np.flatnonzero(ratios > _REGRESSION.above).max(initial=0)) + 1,
        explained=float(1.0 - (weights @ residual**2).sum() / max(float((weights @ swing**2).sum()), 1e-18)),
        worth=worth,
    )


def _robust(
    design: Float[np.ndarray, "frames terms"], rows: Rows, usable: Phases
) -> tuple[Float[np.ndarray, "terms signals"], Phases]:
    """Coefficients of a regression in which odd frames count less, and the weights of the frames, sum 1."""
    weights = usable
    for _ in range(_REGRESSION.rounds):
        coefficients = solved(design, rows, weights)
        squares = (rows - design @ coefficients) ** 2
        variances = (weights @ squares) / max(float(weights.sum()) - design.shape[1], 1.0)
        varying = variances > _REGRESSION.exact
        if not varying.any():
            break  # all is explained
        off = scipy.ndimage.uniform_filter1d((squares[:, varying] / variances[varying]).mean(axis=1), 3, mode="nearest")
        usual = max(float(np.median(off[usable > 0.0])), 1e-12)
        weights = usable * (1.0 + _REGRESSION.odd) / (_REGRESSION.odd + off / usual)
    return coefficients, weights / weights.sum()


def _spread(residual: Rows, phases: Phases, n_harmonics: int) -> float:
    """How far the harmonics of single repetitions are from their mean, root mean square of all signals together."""
    rounds = np.floor((phases - phases[0]) / TURN)
    orders, squares = np.arange(1, n_harmonics + 1), []
    for number in range(int((phases[-1] - phases[0]) / TURN)):
        inside = rounds == number
        off = 2.0 * np.exp(-1j * np.outer(orders, phases[inside])) @ residual[inside] / max(int(inside.sum()), 1)
        squares.append(0.5 * float((np.abs(off) ** 2).sum()))
    return float(np.sqrt(np.sum(squares) / (len(squares) - 1))) if len(squares) > 1 else 0.0


def _pace(stretch: Stretch) -> float:
    """The standard deviation of the lengths of single cycles, half a cycle apart, over their mean."""
    phases = stretch.phases
    marks = phases[0] + 0.5 * TURN * np.arange(np.floor(2.0 * stretch.repetitions) + 1)
    times = np.interp(marks, phases, np.arange(len(phases)))
    return float((times[2:] - times[:-2]).std() / stretch.period) if len(times) > 3 else 0.0
