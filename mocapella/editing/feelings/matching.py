"""Which basic periods of two performances of a gesture correspond, also where one pauses or repeats more often."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

_SKIPPED = 1.0  # cost of a period that only one performance has; two that correspond cost 0.2 to 1.5, others 3
_LEAST = 1e-6  # metres: shorter ways have no ratio

_Way = Float[np.ndarray, "_ 3"]  # of the leading end, seen from the hips, metres


class Match(NamedTuple):
    """Periods that correspond, by their first and last frames."""

    neutral: tuple[int, int]
    emotional: tuple[int, int]


def matched(neutral: _Way, calm: Sequence[int], emotional: _Way, felt: Sequence[int]) -> list[Match]:
    """The periods of two performances that correspond, in order.

    ``calm`` and ``felt`` are the frames between which periods lie. Where one performance pauses within a period,
    several of its periods are one of the other's; where it repeats a movement more often, the others are left out.
    Periods correspond that begin and end at nearly the same places and are about as long.
    """
    size = max(float(np.ptp(neutral, axis=0).max()), _LEAST)
    n, m = len(calm) - 1, len(felt) - 1
    best = np.full((n + 1, m + 1), math.inf)
    best[0, 0] = 0.0
    came: dict[tuple[int, int], tuple[int, int, bool]] = {}

    def reach(i: int, j: int, a: int, b: int, cost: float, pairs: bool) -> None:
        if best[i, j] + cost < best[a, b]:
            best[a, b] = best[i, j] + cost
            came[a, b] = i, j, pairs

    for i in range(n + 1):
        for j in range(m + 1):
            if i < n:
                reach(i, j, i + 1, j, _SKIPPED, False)
            if j < m:
                reach(i, j, i, j + 1, _SKIPPED, False)
            runs = [(i + 1, j + k) for k in range(1, m - j + 1)] + [(i + k, j + 1) for k in range(2, n - i + 1)]
            for a, b in runs if i < n and j < m else ():
                first, second = neutral[calm[i] : calm[a] + 1], emotional[felt[j] : felt[b] + 1]
                reach(i, j, a, b, (a - i + b - j - 1) ** 2 * _unlike(first, second, size), True)
    pairs, at = [], (n, m)
    while at != (0, 0):
        i, j, pair = came[at]
        if pair:
            pairs.append(Match((calm[i], calm[at[0]]), (felt[j], felt[at[1]])))
        at = i, j
    return pairs[::-1]


def _unlike(first: _Way, second: _Way, size: float) -> float:
    """How little two ways resemble each other, about 0 … 4.

    The places of their ends in sizes of the gesture, the logarithm of the ratio of their lengths, and how differently
    they are directed: there and back is no way there.
    """
    lengths = [max(float(np.linalg.norm(np.diff(way, axis=0), axis=1).sum()), _LEAST) for way in (first, second)]
    chords = [(way[-1] - way[0]) / length for way, length in zip((first, second), lengths, strict=True)]
    ends = np.linalg.norm(first[0] - second[0]) + np.linalg.norm(first[-1] - second[-1])
    apart = float(ends) / size + float(np.linalg.norm(chords[0] - chords[1]))
    return apart + abs(math.log(lengths[1] / lengths[0]))
