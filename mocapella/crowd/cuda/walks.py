"""Which warp of a team computes which joints, and in what order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mocapella.crowd.legs import LegTable

TEAM = 4  # warps of a team: one for each leg, two for the rest
_SILENT_COST = 0.7  # of a joint that is only passed


class Visit(NamedTuple):
    """A joint on a warp's way."""

    joint: int
    kept_from: int = -1  # the kept joint at which it begins, or -1: where the visit before it ended
    silent: bool = False  # whether it is only passed
    awaited: bool = False  # whether another warp waits for it


class Walks(NamedTuple):
    """The ways of all warps through all windows.

    The first window takes one round; in later ones warps meet after each round.
    """

    ways: list[list[Visit]]  # of the four warps in the first round, then in the next one
    rounds: list[int]  # which round each window begins with; behind the last window the number of rounds
    kept: list[int]  # joints that later visits begin at
    awaits: bool  # whether the last warp waits for the one before it


def walks_of(parents: Sequence[int], legs: Sequence[LegTable], window: int) -> Walks:
    """Distribute the joints of a skeleton over the warps of a team.

    In the first window a leg and all that hangs on it belong to its own warp, since nothing of it is known before it is
    bent; the other joints are shared by two warps, of which the second waits until the first has passed what they have
    in common. In later windows chains are dealt out whose first joint is known, round by round.

    Parameters
    ----------
    parents
        Of every joint its parent, −1 for the root.
    legs
        The left and the right one.
    window
        Joints that are written at a time.

    Returns
    -------
    Walks
        Ways on which every joint comes after its parent.
    """
    n = len(parents)
    own = _leg_of(parents, legs)
    shares = [[joint for joint in range(min(window, n)) if own[joint] == leg] for leg in (0, 1)]
    upper = [joint for joint in range(min(window, n)) if own[joint] < 0]
    lead, follow, last = _split(parents, upper)
    ways = [_way(parents, share, _ancestors(parents, share)) for share in shares]
    ways += [_way(parents, lead, set()), _way(parents, follow, set())]
    ways[2] = [visit._replace(awaited=visit.joint == last) for visit in ways[2]]
    rounds = [0, 1]
    for first in range(window, n, window):
        for dealt in _dealt(parents, range(first, min(first + window, n))):
            ways += dealt
        rounds.append(len(ways) // TEAM)
    kept = sorted({visit.kept_from for way in ways for visit in way if visit.kept_from >= 0})
    return Walks(ways, rounds, kept, last >= 0)


def _leg_of(parents: Sequence[int], legs: Sequence[LegTable]) -> list[int]:
    """For every joint the leg that has to be bent before its place is known, or −1."""
    own: list[int] = []
    for joint, parent in enumerate(parents):
        leg = own[parent] if parent >= 0 else -1
        for number, table in enumerate(legs):
            if joint in (*table.above_knee, *table.below_knee, table.ankle):
                leg = number
        own.append(leg)
    return own


def _ancestors(parents: Sequence[int], joints: Sequence[int]) -> set[int]:
    """All joints above some, without these."""
    out = set()
    for joint in joints:
        while (joint := parents[joint]) >= 0:
            out.add(joint)
    return out - set(joints)


def _way(parents: Sequence[int], joints: Sequence[int], passed: set[int]) -> list[Visit]:
    """Visits in the skeleton's order; a joint whose parent was not just visited begins where that was kept."""
    way: list[Visit] = []
    for joint in sorted({*joints, *passed}):
        after = parents[joint] < 0 or (way and way[-1].joint == parents[joint])
        way.append(Visit(joint, -1 if after else parents[joint], joint in passed))
    return way


def _split(parents: Sequence[int], joints: list[int]) -> tuple[list[int], list[int], int]:
    """Joints of the first warp, of the one that follows it, and the joint for which it waits; −1 if for none."""
    best: tuple[float, list[int], list[int], int] = (float(len(joints)), joints, [], -1)
    for at in range(1, len(joints)):
        lead, follow = joints[:at], joints[at:]
        last = max(parents[joint] for joint in follow if parents[joint] in lead)
        cost = max(len(lead), _SILENT_COST + lead.index(last) + 1 + len(follow))
        if cost < best[0]:
            best = (cost, lead, follow, last)
    return best[1:]


def _dealt(parents: Sequence[int], joints: range) -> list[list[list[Visit]]]:
    """The visits of each warp, round by round: chains of joints, the longest first, each to the least loaded warp."""
    out = []
    left = list(joints)
    while left:
        waiting = set(left)
        chains: list[list[int]] = []
        for top in left:
            if parents[top] in left or top not in waiting:
                continue
            chain = [top]
            waiting.remove(top)
            while below := [joint for joint in left if joint in waiting and parents[joint] == chain[-1]]:
                chain.append(below[0])
                waiting.remove(below[0])
            chains.append(chain)
        shares: list[list[Visit]] = [[] for _ in range(TEAM)]
        for chain in sorted(chains, key=len, reverse=True):
            visits = [Visit(joint, parents[joint] if joint == chain[0] else -1) for joint in chain]
            shares[int(np.argmin([len(share) for share in shares]))] += visits
        out.append(shares)
        left = sorted(waiting)
    return out
