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

    From 0 to 0.5 the structure is B-centric, from 0.5 to 1 it is A-centric.
    """
    return math.floor(ramp(weight, width, start, stop) + 0.5 + _TIE)


def ramp(weight: float | int, width: int, start: float | int, stop: float | int) -> float:
    """The same before it is rounded: none up to ``start``, all of ``width`` from ``stop`` on, even steps between."""
    return min(max((weight - start) * width / (stop - start), 0.0), float(width))


def edge_weights(weights: Sequence[float]) -> list[float]:
    """How much each face of a triangle counts, by the corner it lies opposite to (eqs 7.6 to 7.8); the sum is 1.

    The face opposite to the corner that counts least has 1 − 2 w, the others share the rest, each by the weights of its
    own corners without that one. In a tetrahedron, whose faces are triangles, it is 1 − 3 w: on a face only this face
    counts, in the middle all count alike.
    """
    least = min(range(len(weights)), key=weights.__getitem__)
    return _face_shares(weights, least)


def totals(weights: Sequence[float], ranks: Sequence[int], width: int, stop: float = HALF_RAMP) -> list[float]:
    """How much of a band each corner fills (eqs 7.9 to 7.11), not rounded; the sum is ``width``.

    Every edge has its own answer for the place projected on to it from the opposite corner (eq. 7.5); what counts is
    their mean by ``edge_weights``, and for a tetrahedron that of its faces. Weights are not negative and sum to 1.
    """
    if len(weights) == 1:
        return [float(width)]
    if len(weights) == 2:
        a, b = weights
        both = a + b
        if ranks[1] > ranks[0]:
            upper = ramp(b / both, width, 0.0, stop)
            return [width - upper, upper]
        upper = ramp(a / both, width, 0.0, stop)
        return [upper, width - upper]
    # On a median two corners count least; rank decides, so that the order in which corners are named does not.
    least = min(range(len(weights)), key=lambda i: (weights[i], ranks[i]))
    out = [0.0] * len(weights)
    for opposite, share in enumerate(_face_shares(weights, least)):
        if share > 0.0:  # a face whose corners count for nothing has no answer, and no say
            corners = [i for i in range(len(weights)) if i != opposite]
            whole = sum(weights[i] for i in corners)
            part = totals([weights[i] / whole for i in corners], [ranks[i] for i in corners], width, stop)
            for corner, amount in zip(corners, part, strict=True):
                out[corner] += share * amount
    return out


def largest_remainder(amounts: Sequence[float], ranks: Sequence[int]) -> list[int]:
    """Whole numbers of the same sum: all rounded down, then one more for those that lost most; ties go to high ranks.

    On an edge this is what eq. 7.1 gives.
    """
    counts = [math.floor(amount + _TIE) for amount in amounts]
    missing = round(sum(amounts)) - sum(counts)
    lost = [round((amount - count) / _TIE) for amount, count in zip(amounts, counts, strict=True)]
    for i in sorted(range(len(counts)), key=lambda i: (lost[i], ranks[i]), reverse=True)[:missing]:
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


def _face_shares(weights: Sequence[float], least: int) -> list[float]:
    n = len(weights)
    rest = sum(weights) - weights[least]
    given_away = (n - 1) * weights[least] / ((n - 2) * rest)
    shares = [given_away * (rest - weight) for weight in weights]
    shares[least] = 1.0 - (n - 1) * weights[least]
    return shares
