"""Where in its stances a clip is, frame by frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

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
    rows = [_shares(stance) for stance in stances]
    shares, onward = (np.concatenate(parts) for parts in zip(*rows, strict=True))
    index = np.repeat(np.arange(len(stances)), [stance.n_frames for stance in stances])
    pauses = np.pad(np.array([stance.pause for stance in stances]), 1, mode="edge")
    before, here, after = (pauses[index + i] for i in range(3))
    stepping = np.where(before, eased(shares), 1.0) * np.where(after, eased(1.0 - shares), 1.0)
    return Pace(index, shares, onward, np.where(here, 0.0, stepping))


def eased(shares: Float[np.ndarray, "*batch"]) -> Float[np.ndarray, "*batch"]:
    """From 0 to 1 without a start or a stop."""
    return np.asarray(shares * shares * (3.0 - 2.0 * shares))


def _shares(stance: Stance) -> tuple[Float[np.ndarray, " frames"], Float[np.ndarray, " frames"]]:
    """How far through a stance its frames are, and how far one frame later."""
    if not np.isfinite(stance.end - stance.begin):
        return np.zeros(stance.n_frames), np.zeros(stance.n_frames)
    edges = (np.arange(stance.first, stance.last + 2) - stance.begin) / (stance.end - stance.begin)
    return edges[:-1], edges[1:]
