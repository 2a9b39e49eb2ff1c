"""The stretches of a clip in which one cycle repeats: windows with a period, grown while the motion goes on."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import scipy
from jaxtyping import Bool, Complex, Float

from mocapella.analysis.regression.phase import Phases, Rows, slow, solved, track_phases, waves
from mocapella.analysis.regression.signals import Signals, legs_in_turn
from mocapella.geometry.angles import TURN


@dataclass(frozen=True)
class _Search:
    """How steady stretches are looked for."""

    seconds: tuple[float, ...] = (3.0, 1.6)  # of the windows in which a period is looked for
    briefer: float = 0.8  # of the worth of a longer window that a shorter one has, which is easier to explain
    every: float = 0.25  # seconds from one window to the next
    rate: float = 30.0  # Hz at least, at which windows are searched
    periods: tuple[float, float] = (0.45, 2.4)  # seconds
    rounds: float = 1.45  # periods that a window holds at least
    step: float = 0.0167  # ratio of periods that are tried one after the other, less 1
    harmonics: int = 3  # that explain a window
    peaks: float = 0.6  # of the best share: other periods that explain as much are looked at
    least: float = 0.5  # of the motion of the legs in a window that a period explains
    in_turn: float = 0.7  # of the motion of the legs that the other one does half a cycle later, as in every gait
    swing: float = 0.25  # power of the legs' motion by which windows are ranked: legs that swing before legs that sway


@dataclass(frozen=True)
class _Growth:
    """When a stretch goes on, and when an end of it is left out."""

    rounds: int = 12  # of growing, at most
    harmonics: int = 4  # of the cycle that frames are compared with
    piece: float = 0.25  # cycles that are added or judged together
    pieces: int = 4  # added to an end in a round, at most
    goes_on: float = 0.55  # of the cycle's swing: frames that are further off than noise makes them end a stretch
    leave_out: float = 0.4  # likewise, at the ends of a stretch
    noise: float = 1.6  # times the usual distance that noise makes of frames which the cycle was not fitted to
    pace: float = 0.12  # of the pace by which the ends may be slower or quicker than the middle
    least: float = 1.5  # cycles that are left


_SEARCH, _GROWTH = _Search(), _Growth()


@dataclass(frozen=True)
class _Window:
    """Some seconds of a clip in which the legs repeat."""

    first: int  # frame
    after: int  # the frame after the last
    period: float  # frames
    worth: float  # the share of the legs' motion that a period explains, less where they move less than elsewhere


@dataclass(frozen=True, eq=False)
class Stretch:
    """Frames of a clip in which one cycle repeats."""

    first: int  # frame
    phases: Phases  # of its frames, not wrapped: 0 at the start of the window that it grew from

    @property
    def frames(self) -> slice:
        """The frames."""
        return slice(self.first, self.first + len(self.phases))

    @property
    def repetitions(self) -> float:
        """How many cycles it holds."""
        n = len(self.phases)
        return float((self.phases[-1] - self.phases[0]) / TURN * n / (n - 1))

    @property
    def period(self) -> float:
        """Frames per cycle, mean."""
        return len(self.phases) / self.repetitions


def find_windows(signals: Signals) -> Iterator[_Window]:
    """The windows of a clip in which the legs repeat and step in turn, the best first."""
    windows = [window for seconds in _SEARCH.seconds for window in _windows_of(signals, seconds)]
    for window, periods in sorted(windows, key=lambda pair: -pair[0].worth):
        in_turn = [_in_turn(signals, window, period) for period in periods]
        if max(in_turn) > _SEARCH.in_turn:
            yield replace(window, period=periods[int(np.argmax(in_turn))])


def _windows_of(signals: Signals, seconds: float) -> list[tuple[_Window, list[float]]]:
    """Windows of one length, with all periods, frames, that explain about as much as the best."""
    rate = signals.clip.frame_rate
    stride = max(1, int(rate / _SEARCH.rate))
    rows = signals.smooth[::stride, signals.legs]
    width = min(len(rows), round(seconds * rate / stride))
    longest = min(_SEARCH.periods[1], width * stride / rate / _SEARCH.rounds)
    brief = seconds < _SEARCH.seconds[0]
    if (brief and width == len(rows)) or longest <= _SEARCH.periods[0] * (1.0 + 2.0 * _SEARCH.step):
        return []
    steps = range(0, len(rows) - width + 1, max(1, round(_SEARCH.every * rate / stride)))
    starts = np.unique([*steps, len(rows) - width])
    parts = np.stack([rows[start : start + width] for start in starts])
    lines = np.linalg.qr(slow(width, 1))[0]
    parts = parts - lines @ (lines.T @ parts)
    energies = (parts**2).sum(axis=(1, 2))
    periods = np.exp(np.arange(np.log(_SEARCH.periods[0]), np.log(longest), np.log1p(_SEARCH.step)))
    shares = np.stack([_explained(parts, period * rate / stride) for period in periods], axis=1)
    shares = shares / np.maximum(energies, 1e-12)[:, None]
    worth = shares.max(axis=1) * (energies / width) ** _SEARCH.swing * (_SEARCH.briefer if brief else 1.0)
    windows = []
    for i in np.flatnonzero(shares.max(axis=1) > _SEARCH.least):
        peaks = [period * rate for period in _peaks(periods, shares[i])]
        first, after = int(starts[i]) * stride, min(int(starts[i] + width) * stride, signals.clip.n_frames)
        if peaks:
            windows.append((_Window(first, after, peaks[0], float(worth[i])), peaks))
    return windows


def _explained(parts: Float[np.ndarray, "windows frames legs"], period: float) -> Float[np.ndarray, " windows"]:
    """The energy of windows that a line and a few harmonics of a period explain."""
    n_frames = parts.shape[1]
    design = [slow(n_frames, 1), waves(TURN * np.arange(n_frames) / period, _SEARCH.harmonics)]
    basis = np.linalg.qr(np.concatenate(design, axis=1))[0]
    return np.asarray(((basis.T @ parts) ** 2).sum(axis=(1, 2)))


def _peaks(periods: Float[np.ndarray, " periods"], shares: Float[np.ndarray, " periods"]) -> list[float]:
    """The periods at which shares are highest, between those that were tried; the shortest and longest are no peaks."""
    inner = np.arange(1, len(shares) - 1)
    tops = inner[(shares[inner] >= shares[inner - 1]) & (shares[inner] >= shares[inner + 1])]
    tops = tops[shares[tops] >= _SEARCH.peaks * shares.max()]
    before, here, after = shares[tops - 1], shares[tops], shares[tops + 1]
    bends = np.minimum(before - 2.0 * here + after, -1e-12)
    return [float(period) for period in periods[tops] * np.exp(np.log1p(_SEARCH.step) * 0.5 * (before - after) / bends)]


def _in_turn(signals: Signals, window: _Window, period: float) -> float:
    """The share of the legs' motion in a window, at a period, that the other leg does half a cycle later."""
    phases = TURN * np.arange(window.after - window.first) / period
    coefficients = _few_harmonics(signals.rows[window.first : window.after], phases)[0]
    return legs_in_turn(signals, _complex(coefficients), coefficients[0])


def gait_share(signals: Signals, stretch: Stretch) -> float:
    """The share of the legs' motion in a stretch that repeats, by that of it which both legs do in turn; 0 … 1.

    Limits between gaits and dances were chosen on the data folder with noise of 3° and 6°.
    """
    rows = signals.smooth[stretch.frames][:, signals.legs]
    lines = slow(len(rows), 1)
    swings = rows - lines @ solved(lines, rows, np.ones(len(rows)))
    repeats = 1.0 - (_few_harmonics(rows, stretch.phases)[1] ** 2).sum() / max(float((swings**2).sum()), 1e-12)
    coefficients = _few_harmonics(signals.rows[stretch.frames], stretch.phases)[0]
    return float(repeats * legs_in_turn(signals, _complex(coefficients), coefficients[0]))


def _few_harmonics(rows: Rows, phases: Phases) -> tuple[Float[np.ndarray, "terms signals"], Rows]:
    """A line and a few harmonics that explain rows, and what they do not explain."""
    design = np.concatenate([slow(len(rows), 1), waves(phases, _SEARCH.harmonics)], axis=1)
    coefficients = solved(design, rows, np.ones(len(rows)))
    return coefficients, rows - design @ coefficients


def _complex(coefficients: Float[np.ndarray, "terms signals"]) -> Complex[np.ndarray, "harmonics signals"]:
    cosines, sines = np.split(coefficients[2:], 2)
    return np.asarray(cosines - 1j * sines)


def grown(signals: Signals, window: _Window, usable: Bool[np.ndarray, " frames"], bounds: slice) -> Stretch:
    """The stretch around a window in which its cycle goes on, within ``bounds``.

    Frames that are not ``usable`` have no say, neither in the cycle nor in where it ends.
    """
    first, after = window.first, window.after
    stretch = Stretch(first, TURN * np.arange(after - first) / window.period)
    rows, weights = signals.rows[:, signals.moving], usable.astype(np.float64)
    for growing in range(_GROWTH.rounds):
        frames = stretch.frames
        tracked = track_phases(rows[frames], stretch.phases, weights[frames], *([3] if growing else []))
        stretch = Stretch(stretch.first, tracked)
        cycle = _Repeated.of(signals, stretch, weights)
        shorter = cycle.without_odd_ends()
        larger = cycle.grown(bounds) if shorter is None else shorter
        if larger is None:
            break
        stretch = larger
    return stretch


@dataclass(frozen=True, eq=False)
class _Repeated:
    """A stretch, and the cycle that repeats in it."""

    signals: Signals
    stretch: Stretch
    weights: Float[np.ndarray, " all"]  # of the frames of the clip
    coefficients: Float[np.ndarray, "terms signals"]
    distances: Phases  # of the frames of the stretch from the cycle
    usual: float  # their median

    @classmethod
    def of(cls, signals: Signals, stretch: Stretch, weights: Float[np.ndarray, " all"]) -> _Repeated:
        frames = stretch.frames
        rows, trust = signals.smooth[frames], weights[frames]
        design = np.concatenate([slow(len(rows), 1), waves(stretch.phases, _GROWTH.harmonics)], axis=1)
        coefficients = solved(design, rows, trust)
        distances = np.linalg.norm(rows - design @ coefficients, axis=1)
        usual = float(np.median(distances[trust > 0.0]))
        return cls(signals, stretch, weights, coefficients, np.where(trust > 0.0, distances, usual), usual)

    @property
    def piece(self) -> int:
        """Frames that are judged together."""
        return max(2, round(_GROWTH.piece * self.stretch.period))

    def _limit(self, share: float) -> float:
        """The distance of frames from the cycle that noise and a difference of this share of its swing make."""
        swing = float(np.sqrt(0.5 * (self.coefficients[2:] ** 2).sum()))
        return float(np.hypot(_GROWTH.noise * self.usual, share * swing))

    def without_odd_ends(self) -> Stretch | None:
        """The stretch without ends that are unlike the rest, or whose pace is; None where there are none."""
        phases = self.stretch.phases
        local = scipy.ndimage.uniform_filter1d(self.distances, self.piece, mode="nearest")
        pace = scipy.ndimage.gaussian_filter1d(np.gradient(phases), self.piece, mode="nearest")
        like = (local < self._limit(_GROWTH.leave_out)) & (np.abs(pace / np.median(pace) - 1.0) < _GROWTH.pace)
        inside = np.flatnonzero(like)
        if len(inside) == 0:
            return None
        first, after = int(inside[0]), int(inside[-1]) + 1
        first, after = (first if first > 1 else 0), (after if after < len(phases) - 1 else len(phases))
        if (first, after) == (0, len(phases)) or after - first <= _GROWTH.least * self.stretch.period:
            return None
        return Stretch(self.stretch.first + first, phases[first:after])

    def grown(self, bounds: slice) -> Stretch | None:
        """The stretch with the frames before and after that go on as it does; None where there are none."""
        before, after = (list(itertools.chain.from_iterable(self._more(bounds, way))) for way in (-1, 1))
        if not before and not after:
            return None
        phases = np.concatenate([before[::-1], self.stretch.phases, after])
        return Stretch(self.stretch.first - len(before), phases)

    def _more(self, bounds: slice, way: int) -> Iterator[list[float]]:
        """Phases of the pieces that go on at one end, from there outwards."""
        frames, phases = self.stretch.frames, self.stretch.phases[::way]
        edge = frames.start if way < 0 else frames.stop - 1
        beside = max(3, self.piece)
        # The pace at the end, between that of the last frames and of all.
        speed = 0.5 * abs(phases[-1] - phases[-beside]) / (beside - 1) + 0.5 * TURN / self.stretch.period
        for number in range(_GROWTH.pieces):
            steps = np.arange(1, self.piece + 1) + number * self.piece
            further = edge + way * steps
            further = further[(further >= bounds.start) & (further < bounds.stop)]
            if len(further) < 2:
                return
            ahead = phases[-1] + way * speed * steps[: len(further)]
            line = self.coefficients[0] + way * self.coefficients[1]
            expected = line + waves(ahead, _GROWTH.harmonics) @ self.coefficients[2:]
            distances = np.linalg.norm(self.signals.smooth[further] - expected, axis=1)
            off = np.average(distances, weights=self.weights[further] + 1e-9)
            if off > self._limit(_GROWTH.goes_on):
                return
            yield ahead.tolist()
