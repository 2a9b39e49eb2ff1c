"""Foot plants of several motions, paired and blended: start and end of a plant are weighted means.

Plants are paired once for all motions of a network, so that a blend changes smoothly wherever the blending point goes.
A plant that a motion lacks counts as one of no length, in the middle of where the others have it.

In a sharp turn a heel may rest twice in one step and swivel in between, where in a straight walk it rests once. In a
blend of the two the swivel would shrink to a hundredth of a second, too short to release the foot: a gap shorter than
half the shortest one of all motions is closed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float

from mocapella.arrays import owned
from mocapella.geometry.angles import TURN, circular_mean, wrap
from mocapella.geometry.assignment import cheapest_assignment
from mocapella.motion.contacts import FEET, FOOT_POINTS, Arc, CycleContacts, merge_arcs

_FULL = TURN - 1e-6  # radians; a plant as long as this never ends, and its start has no meaning
_CLOSED = 0.5  # of the shortest gap that a motion has between two plants of a point: less is none
_SHORTEST = 1e-9  # radians; a blended plant below this is none


@dataclass(frozen=True, eq=False)
class Schedule:
    """The foot plants of some motions, paired: for every pair a beginning and a length in each motion."""

    points: tuple[str, ...]  # which foot point each pair belongs to
    starts: Float[np.ndarray, "nodes plants"]  # cycle phase, not wrapped, so that weighted sums make sense
    lengths: Float[np.ndarray, "nodes plants"]

    def blended(self, weights: Float[np.ndarray, " nodes"]) -> CycleContacts:
        """The contacts of a blend; plants without length are left out."""
        return self.contacts((weights @ self.edges).tolist())

    def contacts(self, edges: list[float]) -> CycleContacts:
        """The contacts that blended ``edges`` make."""
        n = len(self.points)
        arcs: list[list[Arc]] = [[], [], [], []]
        for number, start, length in zip(self.numbers, edges[:n], edges[n:], strict=True):
            if length > _SHORTEST:
                arcs[number].append((start % TURN, length if length < TURN else TURN))
        for number, least in self.least_gaps:
            plants = arcs[number]
            if len(plants) > 1:
                arcs[number] = sorted(merge_arcs(plants, _CLOSED * least) if least else plants)
        return CycleContacts.unchecked(*map(tuple, arcs))

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """The number of the foot point of each pair."""
        return tuple(FOOT_POINTS.index(point) for point in self.points)

    @cached_property
    def least_gaps(self) -> list[tuple[int, float]]:
        """For foot points that rest more than once in a cycle, by number, the shortest time between in any motion.

        In radians; 0 for those that no motion has rest more than once.
        """
        gaps = []
        for number in sorted({number for number in self.numbers if self.numbers.count(number) > 1}):
            least = 0.0
            for starts, lengths in zip(self.starts.tolist(), self.lengths.tolist(), strict=True):
                rows = zip(self.numbers, starts, lengths, strict=True)
                plants = merge_arcs(
                    [(start % TURN, long) for which, start, long in rows if which == number and long > 0.0]
                )
                if len(plants) > 1:
                    least = min([least or TURN, *(length for _, length in _gaps(plants))])
            gaps.append((number, least))
        return gaps

    @cached_property
    def edges(self) -> Float[np.ndarray, "nodes both"]:
        """Starts, then lengths, so that one product blends both."""
        return np.concatenate([self.starts, self.lengths], axis=1)


def paired(contacts: Sequence[CycleContacts]) -> Schedule:
    """The foot plants of several motions that are in step, every plant with its counterparts in the other motions.

    The motion with the most plants of a foot point leads; those of the others go to the nearest ones, each to one of
    its own.
    """
    points: list[str] = []
    starts: list[Float[np.ndarray, " nodes"]] = []
    lengths: list[Float[np.ndarray, " nodes"]] = []
    for point in FOOT_POINTS:
        arcs = [each.point(point) for each in contacts]
        for middles, spans in _slots(arcs):
            points.append(point)
            starts.append(middles - spans / 2.0)
            lengths.append(spans)
    shape = (len(points), len(contacts))
    return Schedule(
        tuple(points), owned(np.array(starts).reshape(shape).T.copy()), owned(np.array(lengths).reshape(shape).T.copy())
    )


def blend_contacts(contacts: Sequence[CycleContacts], weights: Float[np.ndarray, " nodes"]) -> CycleContacts:
    """The contacts of motions that are in step, blended."""
    return paired(contacts).blended(np.asarray(weights))


def _slots(arcs: Sequence[Sequence[Arc]]) -> list[tuple[Float[np.ndarray, " nodes"], Float[np.ndarray, " nodes"]]]:
    """Middle and length of every plant of one foot point in each motion."""
    # A plant without end has no middle, so another motion leads where there is one.
    leader = max(arcs, key=lambda plants: (len(plants), -max((length for _, length in plants), default=0.0)))
    if not leader:
        return []
    goals = np.array([start + length / 2.0 for start, length in leader])
    middles = np.full((len(goals), len(arcs)), np.nan)
    spans = np.zeros((len(goals), len(arcs)))
    for node, given in enumerate(arcs):
        plants = _cut(given, leader)
        if not plants:
            continue
        plant_middles = np.array([start + length / 2.0 for start, length in plants])
        apart = wrap(plant_middles[:, None] - goals)
        ends = np.array([length < _FULL for _, length in plants])
        rows, columns = cheapest_assignment(np.where(ends[:, None], np.abs(apart), 0.0))
        spans[columns, node] = [plants[row][1] for row in rows.tolist()]
        middles[columns, node] = np.where(ends[rows], goals[columns] + apart[rows, columns], np.nan)
    for slot, goal in enumerate(goals):
        missing = np.isnan(middles[slot])
        apart = wrap(middles[slot, ~missing] - goal)
        middles[slot, missing] = goal + (float(circular_mean(apart)) if apart.size else 0.0)
    return list(zip(middles, spans, strict=True))


def _gaps(arcs: Sequence[Arc]) -> list[Arc]:
    """The gaps between consecutive plants of one foot point."""
    onward = [*arcs[1:], *arcs[:1]]
    return [(a + length, (b - a - length) % TURN) for (a, length), (b, _) in zip(arcs, onward, strict=True)]


def _cut(arcs: Sequence[Arc], leader: Sequence[Arc]) -> list[Arc]:
    """The plants of a motion that has fewer than the leader, cut where it rests on while the leader's point does not.

    Each part then has its counterpart, and the gap between them, none here, grows evenly towards the leader's.
    """
    out = list(arcs)
    for end, gap in sorted(_gaps(leader), key=lambda between: between[1]):
        at = end + gap / 2.0
        for i, (start, length) in enumerate(out):
            before = (at - start) % TURN
            if len(out) < len(leader) and before < length < _FULL:
                out[i : i + 1] = [(start, before), (at, length - before)]
                break
    return out


_SHORTEST_STEP = 0.02 * TURN  # radians; a plant below this is a flaw of the detection, not a step
_LATEST = np.radians(15.0)  # a synchronised motion cannot be later than that; its plants were misread


@dataclass(frozen=True, eq=False)
class Stances:
    """The contact stages of whole feet, paired over several motions: where each begins and how long it lasts."""

    feet: tuple[int, ...]  # per plant, 0 left or 1 right
    starts: Float[np.ndarray, "nodes plants"]  # cycle phase, not wrapped
    lengths: Float[np.ndarray, "nodes plants"]  # radians of the cycle

    @classmethod
    def of(cls, contacts: Sequence[CycleContacts]) -> Stances:
        """The stances of motions in step; heel and toe count as one foot, and plants over the seam as one."""
        # Whole feet are passed as heels, so that they are paired in the same way.
        feet = [CycleContacts(left_heel=each.foot("left"), right_heel=each.foot("right")) for each in contacts]
        schedule = paired(feet)
        sides = tuple(FEET.index(point.split("_")[0]) for point in schedule.points)
        return cls(sides, schedule.starts, schedule.lengths)

    @property
    def known(self) -> Bool[np.ndarray, "nodes plants"]:
        """Which motions take which step: a foot that rests neither all the time nor next to none of it."""
        return np.asarray((self.lengths >= _SHORTEST_STEP) & (self.lengths <= _FULL))

    @cached_property
    def lateness(self) -> Float[np.ndarray, " nodes"]:
        """How much later than the others each motion takes its steps, radians of the cycle, 15° at most.

        The mean over all that its feet do, coming down and leaving; 0 for a motion that takes no steps.
        """
        known = np.tile(self.known, 2)
        events = np.concatenate([self.starts, self.starts + self.lengths], axis=1)
        usual = np.sum(np.where(known, events, 0.0), axis=0) / np.maximum(known.sum(axis=0), 1)
        late = np.sum(np.where(known, events - usual, 0.0), axis=1) / np.maximum(known.sum(axis=1), 1)
        return owned(np.clip(late, -_LATEST, _LATEST))
