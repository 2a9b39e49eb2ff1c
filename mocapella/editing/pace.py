"""Where in its stances a clip is, frame by frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from scipy.interpolate import CubicHermiteSpline

from mocapella.editing.stances import Stance

SOFT = 0.025  # of a stance: over how much of it, about a landing, what is known of one runs into the next


@dataclass(frozen=True, eq=False)
class Pace:
    """Where in its stance every frame of a clip is, and how much it is part of a gait."""

    stances: Int[np.ndarray, " frames"]  # which one
    shares: Float[np.ndarray, " frames"]  # how far through it, 0 … 1
    onward: Float[np.ndarray, " frames"]  # the same one frame later, still in this stance
    stepping: Float[np.ndarray, " frames"]  # 1 in steps, 0 where someone stands about, easing between


def pace_of(stances: Sequence[Stance]) -> Pace:
    """Where in its stance every frame is.

    Who stands about is not made to step: a pause is no part of the gait, and the steps into it and out of it pass from
    one to the other.
    """
    shares, onward = _shares(stances)
    index = np.repeat(np.arange(len(stances)), [stance.n_frames for stance in stances])
    pauses = np.pad(np.array([stance.pause for stance in stances]), 1, mode="edge")
    before, here, after = (pauses[index + i] for i in range(3))
    stepping = np.where(before, eased(shares), 1.0) * np.where(after, eased(1.0 - shares), 1.0)
    return Pace(index, shares, onward, np.where(here, 0.0, stepping))


def eased(shares: Float[np.ndarray, "*batch"]) -> Float[np.ndarray, "*batch"]:
    """From 0 to 1 without a start or a stop, nor a push at either."""
    return np.asarray(shares**3 * (10.0 + shares * (6.0 * shares - 15.0)))


def _shares(stances: Sequence[Stance]) -> tuple[Float[np.ndarray, " frames"], Float[np.ndarray, " frames"]]:
    """How far through their stances frames are, and how far one frame later; 0 where someone stands about.

    Steps are of unlike length, and who hurried from landing to landing at even speeds would change speed at once. So at
    a landing the pace is that of the mean of its two steps, and in between it passes smoothly from one to the next.
    """
    shares, onward = [], []
    for i, stance in enumerate(stances):
        frames = np.arange(stance.first, stance.last + 2, dtype=np.float64)
        edges = np.zeros(len(frames))
        if not stance.pause:
            length = stance.end - stance.begin
            slopes = [2.0 * length / (length + _length(stances, i + side, length)) for side in (-1, 1)]
            curve = CubicHermiteSpline([stance.begin, stance.end], [0.0, 1.0], np.array(slopes) / length)
            edges = np.clip(curve(frames), 0.0, 1.0)
        shares.append(edges[:-1])
        onward.append(edges[1:])
    return np.concatenate(shares), np.concatenate(onward)


def _length(stances: Sequence[Stance], i: int, own: float) -> float:
    """How many frames a neighbouring stance takes; as many as this one where there is none or someone stands there."""
    if not 0 <= i < len(stances) or stances[i].pause:
        return own
    return stances[i].end - stances[i].begin
