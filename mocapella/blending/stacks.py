"""Stacks: how the counts of an SSH band are laid over its harmonics, from the lowest to the highest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from mocapella.blending.cardinality import FULL_RAMP, HALF_RAMP

Pattern = Callable[[Sequence[int], Sequence[int], Sequence[int]], list[int]]  # nodes, their counts and ranks


@dataclass(frozen=True)
class Structure:
    """How a band changes from one node's harmonics to another's along an edge."""

    stop: float  # the winner's weight from which on it fills the whole band
    pattern: Pattern


def winner_on_top(nodes: Sequence[int], counts: Sequence[int], ranks: Sequence[int]) -> list[int]:
    """Nodes of higher rank higher up (eqs 7.3, 7.4 and 7.12): near a node the harmonics that matter are its own."""
    return [nodes[i] for i in sorted(range(len(nodes)), key=ranks.__getitem__) for _ in range(counts[i])]


def winner_below(nodes: Sequence[int], counts: Sequence[int], ranks: Sequence[int]) -> list[int]:
    """The other way round, as in the upper half of figure 7.13: low harmonics switch last."""
    return winner_on_top(nodes, counts, ranks)[::-1]


def interleaved(nodes: Sequence[int], counts: Sequence[int], ranks: Sequence[int]) -> list[int]:
    """All nodes spread evenly over the band: b, a, b, a, b."""
    width, used = sum(counts), [0] * len(counts)
    out = []
    for slot in range(1, width + 1):
        due = max(range(len(counts)), key=lambda i: (counts[i] * slot - used[i] * width, ranks[i]))
        used[due] += 1
        out.append(nodes[due])
    return out


# The first is the thesis's; it names the others as those it rejected.
STRUCTURES: Mapping[str, Structure] = MappingProxyType(
    {
        "half ramp": Structure(HALF_RAMP, winner_on_top),
        "low last": Structure(HALF_RAMP, winner_below),
        "full ramp": Structure(FULL_RAMP, winner_on_top),
        "interleaved": Structure(FULL_RAMP, interleaved),
    }
)
