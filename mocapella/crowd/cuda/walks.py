"""Which warp of a pair computes which joints, and in what order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from mocapella.crowd.legs import LegTable

PAIR = 2  # warps of a pair: each has a leg
_SILENT_COST = 0.3  # of a joint that is only passed, measured on an H200


class Visit(NamedTuple):
    """A joint on a warp's way."""

    joint: int
    kept_from: int = -1  # the kept joint at which it begins, or -1: where the visit before it ended
    silent: bool = False  # whether it is only passed
    reads: int = -1  # the slot in which that joint was kept
    keeps: int = -1  # the slot in which this one is kept, or -1


class Walks(NamedTuple):
    """The ways of both warps through all windows, in rounds after each of which they meet.

    The first window takes two rounds: what no leg touches, then the rest.
    """

    ways: list[list[Visit]]  # of the two warps in the first round, then in the next one
    rounds: list[int]  # which round each window begins with; behind the last window the number of rounds
    slots: int  # places for joints that later visits begin at
    shared: list[int]  # first joints of the pieces that both warps write


def walks_of(parents: Sequence[int], legs: Sequence[LegTable], window: int, piece: int) -> Walks:
    """Distribute the joints of a skeleton over the two warps of a pair.

    Joints are written piece by piece, and a piece by one warp. Pieces of the first window with a joint of a leg, or one
    that hangs on it, come after the others, by the warp of that leg; pieces of both legs are shared. Of the others the
    second warp gets those behind some joint; both pass what they have in common. In later windows pieces are dealt out
    whose joints begin at known ones, round by round.

    ``parents`` give for every joint its parent, −1 for the root. ``window`` is the number of joints whose quaternions
    are known at a time; a multiple of ``piece``. ``piece`` is the number of joints that are written at a time.
    """
    n = len(parents)
    leg_of = _leg_of(parents, legs)
    pieces = [range(first, min(first + piece, n)) for first in range(0, n, piece)]
    first_window = _first_window([joints for joints in pieces if joints[0] < window], leg_of)
    shares = first_window.shares
    early = _split(parents, first_window.early, first_window.needed(parents, leg_of), piece)
    ways = [_way(parents, visited, written) for visited, written in early]
    ways += [_way(parents, share, set(share)) for share in shares]
    rounds = [0, 2]
    for first in range(window, n, window):
        for dealt in _dealt(parents, [joints for joints in pieces if first <= joints[0] < first + window]):
            ways += dealt
        rounds.append(len(ways) // PAIR)
    ways, slots = _with_slots(ways)
    return Walks(ways, rounds, slots, [joints[0] for joints in first_window.shared])


class _FirstWindow(NamedTuple):
    """The joints of the first window, by who writes them and when."""

    early: list[int]  # those of pieces that no leg touches
    shares: list[list[int]]  # the others, leg by leg
    shared: list[range]  # pieces with joints of both legs

    def needed(self, parents: Sequence[int], leg_of: list[int]) -> set[int]:
        """The joints that legs hang on, without the root, which is passed again."""
        above = {parents[joint] for share in self.shares for joint in share}
        return {joint for joint in above if joint > 0 and leg_of[joint] < 0}


def _first_window(pieces: list[range], leg_of: list[int]) -> _FirstWindow:
    late = [joints for joints in pieces if any(leg_of[joint] >= 0 for joint in joints)]
    early = [joint for joints in pieces if joints not in late for joint in joints]
    shared = [joints for joints in late if len({leg_of[joint] for joint in joints} - {-1}) > 1]
    shares: list[list[int]] = [[], []]
    for joints in late:
        leg = max(leg_of[joint] for joint in joints)
        for joint in joints:
            shares[max(leg_of[joint], 0) if joints in shared else leg].append(joint)
    return _FirstWindow(early, shares, shared)


def _with_slots(ways: list[list[Visit]]) -> tuple[list[list[Visit]], int]:
    """The same ways with slots for what is kept, and the number of slots.

    A joint that both warps pass is kept by each in a slot of its own: warps meet between rounds only, so that within a
    round no slot may be written by one and touched by the other. Slots are used again once a round has passed.
    """
    kept: dict[tuple[int, int], int] = {}  # way and place of the visit that is kept, and the last round that reads it
    read: dict[tuple[int, int], tuple[int, int]] = {}
    for number, way in enumerate(ways):
        for at, visit in enumerate(way):
            if visit.kept_from >= 0:
                read[number, at] = source = _last_visit(ways, number, at, visit.kept_from)
                kept[source] = max(kept.get(source, 0), number // PAIR)
    free: list[int] = []  # of every slot the last round that reads what is in it
    slots: dict[tuple[int, int], int] = {}
    for source in sorted(kept, key=lambda source: source[0] // PAIR):
        slot = next((slot for slot, until in enumerate(free) if until < source[0] // PAIR), len(free))
        free[slot : slot + 1] = [kept[source]]
        slots[source] = slot
    reads = {visit: slots[source] for visit, source in read.items()}
    out = [
        [visit._replace(reads=reads.get((i, at), -1), keeps=slots.get((i, at), -1)) for at, visit in enumerate(way)]
        for i, way in enumerate(ways)
    ]
    return out, len(free)


def _last_visit(ways: list[list[Visit]], number: int, at: int, joint: int) -> tuple[int, int]:
    """Where a joint was last visited before a visit: by the same warp, or by the other one in an earlier round."""
    own, other = number % PAIR, 1 - number % PAIR
    before = [(number, place) for place in range(at - 1, -1, -1)]
    for side in (own, other):
        earlier = range(number - number % PAIR - PAIR + side, -1, -PAIR)
        before += [(way, place) for way in earlier for place in range(len(ways[way]) - 1, -1, -1)]
    return next((way, place) for way, place in before if ways[way][place].joint == joint)


def _leg_of(parents: Sequence[int], legs: Sequence[LegTable]) -> list[int]:
    """For every joint the leg that has to be bent before its place is known, or −1."""
    out: list[int] = []
    for joint, parent in enumerate(parents):
        leg = out[parent] if parent >= 0 else -1
        for number, table in enumerate(legs):
            if joint in table.led:
                leg = number
        out.append(leg)
    return out


def _with_ancestors(parents: Sequence[int], joints: Iterable[int]) -> set[int]:
    out = set()
    for joint in joints:
        while joint >= 0:
            out.add(joint)
            joint = parents[joint]
    return out


def _way(parents: Sequence[int], joints: Iterable[int], written: set[int]) -> list[Visit]:
    """Visits in the skeleton's order; each begins where its parent was visited last, but the root is passed again."""
    way: list[Visit] = []
    for joint in sorted(joints):
        parent = parents[joint]
        if parent == 0 and (not way or way[-1].joint != 0):
            way.append(Visit(0, silent=True))
        after = parent < 0 or (way and way[-1].joint == parent)
        way.append(Visit(joint, -1 if after else parent, joint not in written))
    return way


def _split(parents: Sequence[int], joints: list[int], needed: set[int], piece: int) -> list[tuple[set[int], set[int]]]:
    """Joints that each warp visits and those that it writes, so that both have as much to do.

    ``joints`` are those that are written. ``piece`` is the number of joints that are written at a time.
    """
    options = []
    for at in range(len(joints) + 1):
        if 0 < at < len(joints) and joints[at] // piece == joints[at - 1] // piece:
            continue
        before, behind = set(joints[:at]), set(joints[at:])
        first = _with_ancestors(parents, before)
        second = _with_ancestors(parents, {*behind, *(needed - first)})
        parts = [(first, before), (second, behind)]
        costs = [len(written) + _SILENT_COST * len(visited - written) for visited, written in parts]
        options.append((max(costs), at, parts))
    return min(options, key=lambda option: option[:2])[2]


def _dealt(parents: Sequence[int], pieces: list[range]) -> list[list[list[Visit]]]:
    """The visits of each warp, round by round: each piece to the warp with fewer joints, or to that of its parents."""
    out = []
    left = list(pieces)
    while left:
        waiting = {joint for joints in left for joint in joints}
        shares: list[list[int]] = [[] for _ in range(PAIR)]
        for joints in list(left):
            above = {parents[joint] for joint in joints} - set(joints)
            fits = [share for share in shares if all(joint not in waiting or joint in share for joint in above)]
            if fits:
                min(fits, key=len).extend(joints)
                left.remove(joints)
        out.append([_way(parents, share, set(share)) for share in shares])
    return out
