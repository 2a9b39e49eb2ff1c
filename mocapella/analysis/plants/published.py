"""Tests of foot plants that were published: displacement, velocity, window, knees."""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float, Int
from numpy.lib.stride_tricks import sliding_window_view
from scipy.ndimage import maximum_filter1d, minimum_filter1d

from mocapella.analysis.period import leg_angles
from mocapella.analysis.plants.feet import FootTracks
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET

# Foot plants as the thesis on re-using motion capture finds them: displacement, velocity, window filter.

DISPLACEMENT = 0.12  # leg lengths per second up or down below which a point seems to rest
LOOSE = 2.0  # times as much where the other foot's speed has its say too
WINDOW = {"heel": 21 / 120, "toe": 11 / 120}  # seconds: 21 and 11 frames of the published tables
SHARE = 0.3  # of a window that must be marked


def displacement_test(tracks: FootTracks, threshold: float = DISPLACEMENT) -> Bool[np.ndarray, "frames 4"]:
    """Points that hardly move up or down from frame to frame (FPL-02), before any filter."""
    rises = np.gradient(tracks.places[..., 1], axis=0) if len(tracks.places) > 1 else np.zeros(tracks.speeds.shape)
    return np.asarray(np.abs(rises) * tracks.frame_rate / tracks.leg < threshold)


def velocity_test(tracks: FootTracks, threshold: float = LOOSE * DISPLACEMENT) -> Bool[np.ndarray, "frames 4"]:
    """Points slower than heel and toe of the other foot that hardly move up or down (FPL-03), before any filter.

    Because the speeds of the feet tell stance from swing, the threshold has only heel and toe to tell apart, and can be
    looser than on its own.
    """
    left, right = tracks.speeds[:, :2], tracks.speeds[:, 2:]
    slower = np.concatenate([left < right.min(axis=1, keepdims=True), right < left.min(axis=1, keepdims=True)], axis=1)
    return np.asarray(slower & displacement_test(tracks, threshold))


def displacement_plants(tracks: FootTracks) -> Bool[np.ndarray, "frames 4"]:
    """The displacement test with the window filter after it."""
    return _filtered(displacement_test(tracks), tracks.frame_rate)


def velocity_plants(tracks: FootTracks) -> Bool[np.ndarray, "frames 4"]:
    """The velocity test with the window filter after it."""
    return _filtered(velocity_test(tracks), tracks.frame_rate)


def window_filter(mask: Bool[np.ndarray, " frames"], window: int, share: float = SHARE) -> Bool[np.ndarray, " frames"]:
    """Fill gaps where enough around them is marked, and take out marks that stand too much alone (FPL-04).

    The window reaches as far to either side of a frame. A mark with less than ``share`` of its window marked goes
    first; then a frame between marks within its window is filled where at least ``share`` of it is marked. Beyond the
    ends of the clip nothing is marked, and the share is that of the frames there are.
    """
    kept = mask & (_marked_share(mask, window) >= share)
    half = window // 2
    padded = np.concatenate([np.zeros(half, dtype=bool), kept, np.zeros(half, dtype=bool)])
    around = sliding_window_view(padded, 2 * half + 1)
    between = around[:, :half].any(axis=1) & around[:, half + 1 :].any(axis=1)
    return np.asarray(kept | (between & (_marked_share(kept, window) >= share)))


def _marked_share(mask: Bool[np.ndarray, " frames"], window: int) -> np.ndarray:
    half = window // 2
    sums = np.concatenate([[0], np.cumsum(mask)])
    first = np.maximum(np.arange(len(mask)) - half, 0)
    after = np.minimum(np.arange(len(mask)) + half + 1, len(mask))
    return np.asarray((sums[after] - sums[first]) / (after - first))


def _filtered(masks: Bool[np.ndarray, "frames 4"], frame_rate: float) -> Bool[np.ndarray, "frames 4"]:
    windows = [max(round(WINDOW[part] * frame_rate), 1) for part in ("heel", "toe", "heel", "toe")]
    return np.stack([window_filter(masks[:, i], window) for i, window in enumerate(windows)], axis=1)


# Foot plants from the bend of the knees: a leg folds most while the other one carries the body.

SMALL = 0.1  # of the largest component of a spectrum, below which one is taken out
CLOSE_TO_MEAN = np.radians(15.0)  # where the largest fold is this near to the mean of all, all are alike
BELOW_LARGEST = np.radians(30.0)  # and those down to so much below it are taken
STRAIGHT = 0.25  # of a fold, up to which a knee counts as straight
KNEES_WINDOW = 0.5  # seconds in which a fold must be the deepest


def midstances(clip: Clip) -> dict[str, Int[np.ndarray, " stances"]]:
    """For each foot the frames in the middle of its stances (FPL-06): when the other knee is folded most.

    The papers' two sentences on this disagree; a folded knee swings, so it is the other foot that is planted.
    """
    names, angles = leg_angles(clip)
    window = max(round(KNEES_WINDOW * clip.frame_rate), 3)
    folds = {foot: fold_frames(angles[:, names.index(f"{foot}_knee")], window) for foot in FEET}
    return {"left": folds["right"], "right": folds["left"]}


def knee_plants(tracks: FootTracks) -> Bool[np.ndarray, "frames 4"]:
    """Both points of a foot rest while the other knee is folded by more than a little.

    Knees alone do not tell heel from toe, nor how a foot rolls: it is for captures whose feet are useless.
    """
    names, angles = leg_angles(tracks.clip)
    masks = np.zeros((len(angles), 4), dtype=bool)
    middles = midstances(tracks.clip)
    for i, (foot, other) in enumerate((FEET, FEET[::-1])):
        bend = without_small(angles[:, names.index(f"{other}_knee")])
        for middle in middles[foot].tolist():
            folded = bend > bend.min() + STRAIGHT * (bend[middle] - bend.min())
            begin, after = np.flatnonzero(~folded[:middle]), np.flatnonzero(~folded[middle:])
            first = begin[-1] + 1 if len(begin) else 0
            masks[first : middle + after[0] if len(after) else None, 2 * i : 2 * i + 2] = True
    return masks


def fold_frames(angles: Float[np.ndarray, " frames"], window: int) -> Int[np.ndarray, " folds"]:
    """Frames at which a knee is folded most, one per cycle.

    The angle is smoothed by leaving out what is small in its spectrum. Each largest value within ``window`` frames is
    paired with the least value before it; pairs that differ by less than the mean of all are dropped, unless the
    largest difference hardly exceeds that mean, when those not far below the largest stay.
    """
    smooth = without_small(angles)
    half = 2 * (window // 2) + 1
    peaks = np.flatnonzero((smooth == maximum_filter1d(smooth, half)) & (smooth > minimum_filter1d(smooth, half)))
    peaks = peaks[(peaks > 0) & (peaks < len(smooth) - 1)]
    if len(peaks) == 0:
        return peaks
    begins = np.concatenate([[0], peaks[:-1]])
    drops = np.array([smooth[peak] - smooth[begin : peak + 1].min() for begin, peak in zip(begins, peaks, strict=True)])
    limit = drops.mean() if drops.max() - drops.mean() >= CLOSE_TO_MEAN else drops.max() - BELOW_LARGEST
    return np.asarray(peaks[drops >= max(limit, 0.5 * drops.max())])


def without_small(signal: Float[np.ndarray, " frames"], share: float = SMALL) -> Float[np.ndarray, " frames"]:
    """The signal without components smaller than ``share`` of its largest, the mean aside.

    A straight line through both ends is taken off meanwhile, so that ends that do not meet make no components.
    """
    line = np.linspace(signal[0], signal[-1], len(signal))
    spectrum = np.fft.rfft(signal - line)
    sizes = np.abs(spectrum)
    if len(sizes) > 1:
        spectrum[1:][sizes[1:] < share * sizes[1:].max()] = 0.0
    return np.asarray(np.fft.irfft(spectrum, len(signal)) + line)
