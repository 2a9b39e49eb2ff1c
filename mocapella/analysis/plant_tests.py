"""Foot plants as the thesis on re-using motion capture finds them: displacement, velocity, window filter."""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool
from numpy.lib.stride_tricks import sliding_window_view

from mocapella.analysis.feet import FootTracks

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
