"""Published tests of foot plants: displacement, velocity, window filter, knees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from jaxtyping import Bool, Float, Int
from numpy.lib.stride_tricks import sliding_window_view

from mocapella.analysis.period import leg_angles
from mocapella.analysis.plants.tracks import FootTracks
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET

_Mask = Bool[np.ndarray, " frames"]
_Masks = Bool[np.ndarray, "frames 4"]

# The thesis on re-using motion capture: displacement and velocity, each with a window filter after it.


@dataclass(frozen=True)
class _LevelTest:
    """Thresholds of displacement and velocity, and of the window filter after them."""

    rise: float = 0.12  # leg lengths per second up or down: a slower point seems to rest
    looser: float = 2.0  # times as much where the other foot's speed is used, too
    still: float = 1e-6  # leg lengths per second: slower points do not move but for rounding
    # Seconds, heel and toe of both feet, as in the published tables, which count frames at 120 Hz.
    windows: tuple[float, ...] = tuple(frames / 120 for frames in (21, 11, 21, 11))
    share: float = 0.3  # of a window that must be marked


_LEVEL = _LevelTest()


def displacement_plants(tracks: FootTracks) -> _Masks:
    """Points that hardly move up or down from frame to frame (FPL-02)."""
    return _filtered(_level(tracks, _LEVEL.rise), tracks.frame_rate)


def velocity_plants(tracks: FootTracks) -> _Masks:
    """Points slower than heel and toe of the other foot that hardly move up or down (FPL-03).

    The speeds of the feet tell stance from swing, so the threshold of displacement, which has only heel and toe to tell
    apart, is looser than on its own. Points that do not move at all rest, whichever of
    them is slower.
    """
    left, right = tracks.speeds[:, :2], tracks.speeds[:, 2:]
    slower = np.concatenate([left < right.min(axis=1, keepdims=True), right < left.min(axis=1, keepdims=True)], axis=1)
    rests = slower | (tracks.speeds < _LEVEL.still)
    return _filtered(rests & _level(tracks, _LEVEL.looser * _LEVEL.rise), tracks.frame_rate)


def _level(tracks: FootTracks, threshold: float) -> _Masks:
    rises = np.gradient(tracks.places[..., 1], axis=0) if len(tracks.places) > 1 else np.zeros(tracks.speeds.shape)
    return np.asarray(np.abs(rises) * tracks.frame_rate / tracks.leg < threshold)


def _filtered(masks: _Masks, frame_rate: float) -> _Masks:
    windows = [max(round(seconds * frame_rate), 1) for seconds in _LEVEL.windows]
    return np.stack([window_filter(mask, window) for mask, window in zip(masks.T, windows, strict=True)], axis=1)


def window_filter(mask: _Mask, window: int, share: float = _LEVEL.share) -> _Mask:
    """Remove marks with few others around them, then fill gaps with enough (FPL-04).

    The window is centred on a frame. A mark with less than ``share`` of its window marked is removed; then a frame
    between marks within its window is filled where at least ``share`` of it is marked. Beyond the ends of the clip
    nothing is marked, and the share is that of the frames there are.
    """
    supported = mask & (_marked_share(mask, window) >= share)
    half = window // 2
    padded = np.concatenate([np.zeros(half, dtype=bool), supported, np.zeros(half, dtype=bool)])
    around = sliding_window_view(padded, 2 * half + 1)
    between = around[:, :half].any(axis=1) & around[:, half + 1 :].any(axis=1)
    return np.asarray(supported | (between & (_marked_share(supported, window) >= share)))


def _marked_share(mask: _Mask, window: int) -> np.ndarray:
    half = window // 2
    sums = np.concatenate([[0], np.cumsum(mask)])
    first = np.maximum(np.arange(len(mask)) - half, 0)
    after = np.minimum(np.arange(len(mask)) + half + 1, len(mask))
    return np.asarray((sums[after] - sums[first]) / (after - first))


# The bend of the knees: a leg folds most while the other one carries the body.


@dataclass(frozen=True)
class _Folds:
    """Thresholds of the folds of a knee."""

    small: float = 0.1  # of a spectrum's largest component: smaller ones are taken out
    close_to_mean: float = np.radians(15.0)  # radians: where the largest fold is this near to the mean, all are alike
    below_largest: float = np.radians(30.0)  # radians: and folds down to so much below the largest are taken
    straight: float = 0.25  # of a fold, up to which a knee counts as straight
    window: float = 0.5  # seconds in which a fold must be the deepest


_FOLDS = _Folds()


def midstances(clip: Clip) -> dict[str, Int[np.ndarray, " stances"]]:
    """For each foot the frames in the middle of its stances (FPL-06): when the other knee is folded most.

    The papers' two sentences on this disagree; a folded knee swings, so it is the other foot that is planted.
    """
    window = max(round(_FOLDS.window * clip.frame_rate), 3)
    return {foot: fold_frames(angles, window) for foot, angles in _other_knees(clip).items()}


def _other_knees(clip: Clip) -> dict[str, Float[np.ndarray, " frames"]]:
    """For each foot the bend of the other leg's knee, radians."""
    names, angles = leg_angles(clip)
    return {foot: angles[:, names.index(f"{other}_knee")] for foot, other in (FEET, FEET[::-1])}


def knee_plants(tracks: FootTracks) -> _Masks:
    """Both points of a foot rest while the other knee is folded by more than a little.

    Knees alone do not tell heel from toe, nor how a foot rolls: it is for captures whose feet are useless.
    """
    masks = np.zeros((tracks.clip.n_frames, 4), dtype=bool)
    middles = midstances(tracks.clip)
    for i, (foot, angles) in enumerate(_other_knees(tracks.clip).items()):
        bend = _without_small(angles)
        for middle in middles[foot].tolist():
            folded = bend > bend.min() + _FOLDS.straight * (bend[middle] - bend.min())
            begin, after = np.flatnonzero(~folded[:middle]), np.flatnonzero(~folded[middle:])
            first = begin[-1] + 1 if len(begin) else 0
            masks[first : middle + after[0] if len(after) else None, 2 * i : 2 * i + 2] = True
    return masks


def fold_frames(angles: Float[np.ndarray, " frames"], window: int) -> Int[np.ndarray, " folds"]:
    """Frames at which a knee is folded most, one per cycle.

    The angle is smoothed by leaving out small components of its spectrum. Each largest value within ``window`` frames
    is paired with the least value before it; pairs that differ by less than the mean of all are dropped, unless the
    largest difference hardly exceeds that mean, when those not far below the largest stay.
    """
    smooth = _without_small(angles)
    half = 2 * (window // 2) + 1
    most, least = scipy.ndimage.maximum_filter1d(smooth, half), scipy.ndimage.minimum_filter1d(smooth, half)
    peaks = np.flatnonzero((smooth == most) & (smooth > least))
    peaks = peaks[(peaks > 0) & (peaks < len(smooth) - 1)]
    if len(peaks) == 0:
        return peaks
    begins = np.concatenate([[0], peaks[:-1]])
    drops = np.array([smooth[peak] - smooth[begin : peak + 1].min() for begin, peak in zip(begins, peaks, strict=True)])
    limit = drops.mean() if drops.max() - drops.mean() >= _FOLDS.close_to_mean else drops.max() - _FOLDS.below_largest
    return np.asarray(peaks[drops >= max(limit, 0.5 * drops.max())])


def _without_small(signal: Float[np.ndarray, " frames"]) -> Float[np.ndarray, " frames"]:
    """The signal without components much smaller than its largest, the mean aside.

    A straight line through both ends is subtracted meanwhile, so that ends that do not meet make no components.
    """
    line = np.linspace(signal[0], signal[-1], len(signal))
    spectrum = np.fft.rfft(signal - line)
    sizes = np.abs(spectrum)
    if len(sizes) > 1:
        spectrum[1:][sizes[1:] < _FOLDS.small * sizes[1:].max()] = 0.0
    return np.asarray(np.fft.irfft(spectrum, len(signal)) + line)
