"""Tests of foot plants learned from examples: plants marked by hand, or the other cycles of the clip."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import scipy
from jaxtyping import Bool, Float, Int

from mocapella.analysis.examined import PlantTest
from mocapella.analysis.plants.tracks import FootTracks, resting
from mocapella.errors import MotionError
from mocapella.motion.contacts import intervals_of

_NEIGHBOURS = 3  # labelled frames that vote on a frame

_PerPoint = Float[np.ndarray, "frames 4"]
_Masks = Bool[np.ndarray, "frames 4"]


def threshold_from_seeds(speeds: _PerPoint, sure: _Masks) -> Float[np.ndarray, " 4"]:
    """The speed below which a point rests, leg lengths per second, so that marked plants are found (FPL-07).

    Of all thresholds it is the one with the fewest wrong frames in the marked plants and as many frames to either side
    of each; a point without marks takes the median of the others.
    """
    if not sure.any():
        raise MotionError("seeds mark no sound frame; give at least one plant, as {'left_heel': [(63, 113)]}")
    limits = np.full(4, np.nan)
    for i in np.flatnonzero(sure.any(axis=0)):
        near = _neighbourhood(sure[:, i])
        nearby, marked = speeds[near, i], sure[near, i]
        order = np.argsort(nearby)
        wrong = marked.sum() - np.cumsum(marked[order]) + np.cumsum(~marked[order])
        best = int(np.argmin(wrong))
        above = nearby[order[min(best + 1, len(order) - 1)]]
        limits[i] = 0.5 * (nearby[order[best]] + above) if above > nearby[order[best]] else above + 1e-9
    return np.where(np.isnan(limits), np.nanmedian(limits), limits)


def by_speed(tracks: Sequence[FootTracks], sure: Sequence[Bool[np.ndarray, "_ 4"]]) -> PlantTest:
    """The test by which a point rests while it is as slow as in the marked plants, wherever in the clip.

    ``tracks`` are those of the sound stretches of a clip, ``sure`` the frames of each that are planted for certain.
    """
    limits = threshold_from_seeds(_joined([feet.speeds for feet in tracks]), _joined(sure).astype(bool))
    return lambda feet: np.asarray(feet.speeds < limits)


def by_neighbours(tracks: Sequence[FootTracks], sure: Sequence[Bool[np.ndarray, "_ 4"]]) -> PlantTest:
    """The test that labels a frame by its nearest neighbours among the marked plants and as many frames beside each.

    A point without a marked plant is judged by speed.
    """
    by_limit, marks = by_speed(tracks, sure), _joined(sure).astype(bool)
    features = _joined([frame_features(feet) for feet in tracks])
    taught = {}
    for point in np.flatnonzero(marks.any(axis=0)).tolist():
        near = np.flatnonzero(_neighbourhood(marks[:, point]))
        taught[point] = nearest_neighbours(features, point, near, marks[near, point], min(_NEIGHBOURS, len(near)))

    def test(feet: FootTracks) -> _Masks:
        out = by_limit(feet)
        for point, ask in taught.items():
            out[:, point] = ask(frame_features(feet))
        return out

    return test


def nearest_neighbours(
    features: Float[np.ndarray, "frames 12"],
    point: int,
    frames: Int[np.ndarray, " labelled"],
    labels: Bool[np.ndarray, " labelled"],
    k: int = _NEIGHBOURS,
) -> Callable[[np.ndarray], Bool[np.ndarray, " asked"]]:
    """The classifier of frames by their ``k`` nearest labelled ones (FPL-09).

    Distance is that of speed (as a ratio), height and what the usual test says, of the point itself and, with half the
    weight, of the other three. So labels correct that test where they contradict it.
    """
    if not 0 < k <= len(frames):
        raise MotionError(f"{k} neighbours were asked for among {len(frames)} labelled frames")
    scale = np.maximum(features.reshape(-1, 4, 3).std(axis=(0, 1)), 1e-9)
    weights = (np.where(np.arange(4) == point, 1.0, 0.5)[:, None] / scale).ravel()
    tree = scipy.spatial.cKDTree(features[frames] * weights)
    return lambda asked: np.asarray(labels[tree.query(asked * weights, k=range(1, k + 1))[1]].mean(axis=1) > 0.5)


def frame_features(tracks: FootTracks) -> Float[np.ndarray, "frames 12"]:
    """Features that frames are compared by, of each point: log speed, height, whether the usual test has it rest."""
    loud = np.log(np.maximum(tracks.speeds, 0.02))
    features = [loud, np.clip(tracks.heights, -0.1, 0.3), resting(tracks).astype(np.float64)]
    return np.stack(features, axis=-1).reshape(len(loud), -1)


def cycle_prior(masks: _Masks, period: float, bins: int = 50) -> _PerPoint:
    """Share of the other cycles in which each point rests at the same phase, 0 … 1 (FPL-09).

    A test with an adaptive threshold is easier where a point mostly rests. Where a clip holds one cycle only, the prior
    is one half.
    """
    places = np.floor((np.arange(len(masks)) % period) * (bins / period)).astype(np.int64) % bins
    rounds = np.floor(np.arange(len(masks)) / period).astype(np.int64)
    counts, rests = np.zeros((rounds.max() + 1, bins)), np.zeros((rounds.max() + 1, bins, 4))
    np.add.at(counts, (rounds, places), 1.0)
    np.add.at(rests, (rounds, places), masks)
    others = counts.sum(axis=0)[places] - counts[rounds, places]
    elsewhere = rests.sum(axis=0)[places] - rests[rounds, places]
    return np.asarray(np.where(others[:, None] > 0, elsewhere / np.maximum(others, 1.0)[:, None], 0.5))


def _neighbourhood(mask: Bool[np.ndarray, " frames"]) -> Bool[np.ndarray, " frames"]:
    """The marked frames and, to either side of each run, half as many more."""
    out = mask.copy()
    for first, last in intervals_of(mask):
        reach = max((last + 1 - first) // 2, 1)
        out[max(first - reach, 0) : last + 1 + reach] = True
    return out


def _joined(parts: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate(parts) if parts else np.zeros((0, 4))
