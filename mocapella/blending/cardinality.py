"""How many harmonics of the SSH band each node fills at a place (the thesis, eqs 7.1 to 7.11, corrected).

Corners of a triangle have ranks. Of two nodes the one of higher rank wins their edge: half-way between them it fills
the whole band.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

HALF_RAMP, FULL_RAMP = 0.5, 1.0  # the winner's weight from which on it fills the whole band

_TIE = 1e-9  # cardinalities this near to each other are equal: the two triangles of an edge must round alike

Rounding = Callable[[Sequence[float], Sequence[int]], list[int]]  # totals and ranks to whole numbers of the same sum


def edge_cardinality(weight: float | int, width: int = 5, start: float | int = 0.0, stop: float | int = 0.5) -> int:
    """How many harmonics node B fills on an edge where it counts for ``weight`` (eq. 7.1); A has the rest (eq. 7.2).

    With the ramp from 0 to 0.5 the structure is B-centric, from 0.5 to 1 it is A-centric.
    """
    return math.floor(min(max((weight - start) * width / (stop - start), 0.0), float(width)) + 0.5 + _TIE)


def face_weights(weights: Sequence[float]) -> list[float]:
    """How much each edge of a triangle counts, by the corner it lies opposite to (eqs 7.6 to 7.8); the sum is 1.

    The edge opposite to the corner that counts least has 1 − 2 w, the two others share the rest, each by the weight of
    the end that it has in common with the first. A tetrahedron's faces have 1 − 3 w and shares by the same rule: on a
    face only this face counts, in the middle all count alike.
    """
    n, whole, least = len(weights), sum(weights), min(weights)
    rest = whole - least
    given_away = (n - 1) * least / ((n - 2) * rest * whole)
    shares = [given_away * (rest - weight) for weight in weights]
    shares[weights.index(least)] = 1.0 - (n - 1) * least / whole
    return shares


def totals(weights: Sequence[float], ranks: Sequence[int], width: int, stop: float = HALF_RAMP) -> list[float]:
    """How much of a band each corner fills (eqs 7.9 to 7.11), not rounded; the sum is ``width``.

    Every edge has its own answer for the place projected on to it from the opposite corner (eq. 7.5); what counts is
    their mean by ``face_weights``, and for a tetrahedron that of its faces. No weight is negative, some are positive.
    """
    # Where two corners count least alike, ranks decide: the order in which corners are named must not.
    corners = sorted(range(len(weights)), key=ranks.__getitem__)
    out = [0.0] * len(weights)
    _share_out(out, corners, weights, float(width), stop)
    return out


def _share_out(out: list[float], corners: list[int], weights: Sequence[float], amount: float, stop: float) -> None:
    """Give corners, the lowest rank first, so much between them."""
    if len(corners) == 1:
        out[corners[0]] += amount
    elif len(corners) == 2:
        loser, winner = corners
        upper = amount * min(weights[winner] / ((weights[loser] + weights[winner]) * stop), 1.0)
        out[winner] += upper
        out[loser] += amount - upper
    else:
        for i, share in enumerate(face_weights([weights[corner] for corner in corners])):
            if share > 0.0:  # a face whose corners count for nothing has no answer, and no say
                _share_out(out, corners[:i] + corners[i + 1 :], weights, amount * share, stop)


def largest_remainder(amounts: Sequence[float], ranks: Sequence[int]) -> list[int]:
    """Whole numbers of the same sum: all rounded down, then one more for those that lost most; ties go to high ranks.

    On an edge this is what eq. 7.1 gives.
    """
    counts = [math.floor(amount + _TIE) for amount in amounts]
    missing = round(sum(amounts)) - sum(counts)
    if missing:
        # Whole ties, with ranks to break them: equal remainders must not be told apart by rounding errors.
        lost = [
            (round((a - n) / _TIE), rank, i) for i, (a, n, rank) in enumerate(zip(amounts, counts, ranks, strict=True))
        ]
        for _, _, i in sorted(lost, reverse=True)[:missing]:
            counts[i] += 1
    return counts


def thesis_rounding(amounts: Sequence[float], ranks: Sequence[int]) -> list[int]:
    """Each rounded by itself; the smallest that is not zero gives what is too much, the largest takes what is missing.

    As printed the smallest gives, which makes some counts negative.
    """
    counts = [math.floor(amount + 0.5 + _TIE) for amount in amounts]
    width = round(sum(amounts))
    while sum(counts) > width:
        counts[min((i for i, n in enumerate(counts) if n > 0), key=lambda i: (counts[i], ranks[i]))] -= 1
    while sum(counts) < width:
        counts[max(range(len(counts)), key=lambda i: (counts[i], ranks[i]))] += 1
    return counts


ROUNDINGS: Mapping[str, Rounding] = MappingProxyType(
    {"largest remainder": largest_remainder, "thesis": thesis_rounding}
)
