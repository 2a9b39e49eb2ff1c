"""How far a blend strays from the heading of its clip, over two steps together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float
from scipy import sparse
from scipy.interpolate import BSpline

from mocapella.editing.pace import Pace
from mocapella.editing.stances import Stance

MOST = float(np.radians(0.7))  # that any two steps together may stray; the mark is 1°
_KNOTS = 2  # of splines in a step
_BEGINNINGS = 4  # of windows in a step
_ROUNDS = 1000  # over all windows that stray too far; some dozens do as a rule
_TOLERANCE = 0.02  # of the most
_TINY = 1e-6  # below that a window holds nothing that could be turned


def turned_back(
    off: Float[np.ndarray, " frames"], stances: Sequence[Stance], pace: Pace
) -> Float[np.ndarray, " frames"]:
    """By how much to turn a blend back so that no two steps of it together stray from their clip, radians.

    ``off`` is how far the blend heads to the left of the clip. Amid a gait that is sway, which the next step takes
    back, and there is nothing to turn. Beside a stand, which does not sway, and where a foot lands twice running, no
    step takes it back. There steps head nearer to the clip, the less the further away: about the smallest smooth turns
    with which no time of two steps, wherever it begins, strays by more than ``MOST`` on average. Who stands is not
    turned, and a clip of less than two steps is left alone.
    """
    steps = _steps_made(stances)
    windows, splines = _windows(steps), _splines(steps, pace)
    means, strayed = (windows @ splines).tocsr(), windows @ off
    turns = np.zeros(splines.shape[1])
    for _ in range(_ROUNDS):
        too_far = np.flatnonzero(np.abs(strayed - means @ turns) > (1.0 + _TOLERANCE) * MOST)
        if not len(too_far):
            break
        for row in too_far:
            span = slice(means.indptr[row], means.indptr[row + 1])
            own, weights = means.indices[span], means.data[span]
            left = float(strayed[row] - weights @ turns[own])
            # The nearest turns with which this window strays no further. Its neighbours may now, so it takes rounds.
            turns[own] += (left - np.clip(left, -MOST, MOST)) / max(float(weights @ weights), _TINY) * weights
    return np.asarray(splines @ turns)


def _steps_made(stances: Sequence[Stance]) -> Float[np.ndarray, " edges"]:
    """How many steps there were before every frame, then in all; of a stand, as many as usually take that time."""
    lengths = [stance.usual if stance.pause else stance.end - stance.begin for stance in stances]
    return np.concatenate([[0.0], np.cumsum(np.repeat(1.0 / np.array(lengths), [each.n_frames for each in stances]))])


def _windows(steps: Float[np.ndarray, " edges"]) -> sparse.csr_array:
    """Each row takes the mean over the frames of two steps; they begin a fraction of a step after each other."""
    latest = steps[-1] - 2.0
    begins = np.append(np.arange(0.0, latest, 1.0 / _BEGINNINGS), latest) if latest >= 0.0 else np.empty(0)
    first, last = (np.minimum(np.searchsorted(steps, begins + ahead), len(steps) - 1) for ahead in (0.0, 2.0))
    rows = np.repeat(np.arange(len(begins)), last - first)
    frames = np.concatenate([np.arange(a, b) for a, b in zip(first, last, strict=True)] or [np.empty(0, np.int64)])
    shape = (len(begins), len(steps) - 1)
    return sparse.csr_array((1.0 / np.repeat(last - first, last - first), (rows, frames)), shape=shape)


def _splines(steps: Float[np.ndarray, " edges"], pace: Pace) -> sparse.csr_array:
    """Columns that come and go within a step or so, fading where the gait does."""
    knots = np.arange(-3, int(np.ceil(steps[-1] * _KNOTS)) + 4) / _KNOTS
    return sparse.csr_array(BSpline.design_matrix(steps[:-1], knots, 3).multiply(pace.stepping[:, None]))
