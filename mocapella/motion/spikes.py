"""Spikes: single frames in which a signal leaves its way and comes straight back to it."""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float
from scipy.ndimage import maximum_filter1d

_WAY = np.array([-1.0, 4.0, 4.0, -1.0]) / 6.0  # the cubic through two frames before and two after, in the middle
_TIMES_USUAL = 3.0  # as far off its way as a signal is at its most restless within a stride, and still no spike
_STRIDE = 1.0  # seconds
_ABOUT = 5.0  # seconds to either side whose strides count
_TIMES_NEARBY = 2.0  # the same, of the most restless frame nearby
_NEARBY = 8  # frames to either side that are looked at, the spike and what it disturbs aside

Signals = Float[np.ndarray, "frames signals axes"]


def without_spikes(
    signals: Signals, frame_rate: float, least: float, untouchable: Bool[np.ndarray, "frames signals"]
) -> tuple[Signals, Bool[np.ndarray, "frames signals"]]:
    """Signals with their spikes put back on the way, and where that was done.

    A signal's way through a frame is the cubic through the two frames before and the two after. A frame is a spike
    where it lies off it by more than ``least``, much further than frames nearby and those of most strides lie off
    theirs, and further than the motion around changes its place or velocity by: so a step, a sudden start or stop is
    none, nor is what happens at every stride. No other frame is moved.

    Parameters
    ----------
    signals
        Several at once, each with the axes in which it moves: four for quaternions of continuous sign.
    least
        In the signals' own unit.
    untouchable
        Frames that may neither be moved nor say what the way is.
    """
    out = np.array(signals)
    changed = np.zeros(signals.shape[:2], dtype=bool)
    if len(signals) < 5:
        return out, changed
    before, last, middle, first, after = (signals[k : len(signals) - 4 + k] for k in range(5))
    ways = _WAY[0] * before + _WAY[1] * last + _WAY[2] * first + _WAY[3] * after
    off = np.zeros(signals.shape[:2])
    off[2:-2] = np.linalg.norm(middle - ways, axis=-1)
    frames, which = np.nonzero((off > least) & ~maximum_filter1d(untouchable, 5, axis=0))
    for frame, signal in zip(frames.tolist(), which.tolist(), strict=True):
        if off[frame, signal] > _change(*signals[[frame - 2, frame - 1, frame + 1, frame + 2], signal]) and _stands_out(
            off[:, signal], frame, frame_rate
        ):
            out[frame, signal] = ways[frame - 2, signal]
            changed[frame, signal] = True
    return out, changed


def _change(
    before: Float[np.ndarray, " axes"],
    last: Float[np.ndarray, " axes"],
    first: Float[np.ndarray, " axes"],
    after: Float[np.ndarray, " axes"],
) -> float:
    """How far what comes after a frame is from going on as it went before: in velocity, or in place."""
    coming, going = last - before, after - first
    return float(max(np.linalg.norm(going - coming), np.linalg.norm(first - last - coming - going)))


def _stands_out(off: Float[np.ndarray, " frames"], frame: int, frame_rate: float) -> bool:
    """Whether a frame is the furthest off its way of those whose ways it bends, and much further than any others."""
    reach = int(_ABOUT * frame_rate)
    start = max(frame - reach, 0)
    others, at = np.array(off[start : frame + reach + 1]), frame - start
    begin, after = max(at - 2, 0), at + 3
    if off[frame] < others[begin:after].max():
        return False
    others[begin:after] = 0.0
    if off[frame] <= _TIMES_NEARBY * others[max(begin - _NEARBY, 0) : after + _NEARBY].max():
        return False
    restless = maximum_filter1d(others, 2 * int(0.5 * _STRIDE * frame_rate) + 1, mode="nearest")
    return bool(off[frame] > _TIMES_USUAL * np.median(restless))
