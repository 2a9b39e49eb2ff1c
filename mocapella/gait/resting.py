"""Foot plants of a cycle: the part of each in which the point really rests, and the strength of its lock over time."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from functools import cache
from operator import neg, sub
from typing import Annotated, NamedTuple

import msgspec
import numpy as np
from jaxtyping import Float

from mocapella.arrays import owned
from mocapella.gait.foot_constants import FOOT
from mocapella.geometry.angles import TURN
from mocapella.geometry.curves import smoothstep
from mocapella.motion.contacts import Arc, CycleContacts, merge_arcs

Heights = Sequence[list[float]]  # of each of ``FOOT_POINTS``, metres, evenly over the cycle
_Rest = tuple[Arc, ...]  # when one foot point rests
Arcs = tuple[_Rest, ...]  # when each does

Span = Annotated[float, msgspec.Meta(gt=0.0, le=1e3)]  # seconds that are divided by
Share = Annotated[float, msgspec.Meta(ge=-1e-6, le=1.0 + 1e-6)]  # 0 … 1, up to rounding


class PlantSettings(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How the lock of a foot point eases in and out around its plants."""

    approach: Span = 0.15  # s before a plant in which a foot comes to rest
    release: Span = 0.15  # s after a plant in which it eases into its swing
    swing_share: Share = 0.45  # of the swing that each of these may take, of a plant that each hand-over may
    shortest_plant: Span = 0.04  # s: a shorter plant is locked less firmly, one of half this length not at all
    hand_over: Span = 0.10  # s in which the body's weight shifts to a foot or away from it
    nearest_plants: Span = 0.08  # s: plants of a point that are nearer to each other are joined


PLANT_DEFAULTS = PlantSettings()


class Plant(NamedTuple):
    """One plant of one foot point, with the intervals of cycle phase in which its lock eases in and out."""

    start: float  # cycle phase, 0 … 2π
    length: float
    approach: float
    release: float
    firmness: float  # 0 … 1
    lap: float = TURN  # phase after which it repeats

    @property
    def edges(self) -> tuple[float, float]:
        """The cycle phases at which it begins and ends, 0 … 2π."""
        return self.start, (self.start + self.length) % self.lap

    def since(self, phase: float) -> float:
        """Cycle phase since the plant began; negative where it is about to."""
        since = (phase - self.start) % self.lap
        return since if since < self.lap - self.approach or since < self.length else since - self.lap

    def rests(self, phase: float) -> bool:
        """Whether the point is fully locked in this plant at a phase."""
        return self.firmness > FOOT.firm and 0.0 <= self.since(phase) < self.length

    def rolls_off(self, since: float) -> bool:
        """Whether the foot may roll off: the end of the plant is near."""
        return since > (1.0 - FOOT.roll) * self.length

    def hold(self, since: float) -> float:
        """How firmly the point is held over the ground, 0 … 1."""
        if since < 0.0:
            return self.firmness * smoothstep(1.0 + since / self.approach)
        if since < self.length:
            return self.firmness
        return self.firmness * smoothstep(max(0.0, 1.0 - (since - self.length) / self.release))

    def slope(self, since: float) -> float:
        """How fast its hold sets in, or out if it is nearer to its end, at most; per radian."""
        return 1.5 * self.firmness / (self.approach if since < 0.5 * self.length else self.release)

    def press(self, since: float) -> float:
        """How firmly it is held to its height, 0 … 1; no longer at all when the plant ends."""
        if since < 0.0 or self.length >= self.lap:
            return self.hold(since)
        left = (self.length - since) / (FOOT.roll * self.length)
        if left >= 1.0:
            return self.firmness
        return self.firmness * smoothstep(left) if left > 0.0 else 0.0

    def brake(self, since: float) -> float:
        """The factor by which a speed is multiplied to give the displacement that brings it to 0 at the plant's edge.

        It is 0 where the plant begins, with slope 1 towards it, and 0 without a slope where the approach does; the same
        for the release. A foot displaced by this factor times its speed comes to rest without a jump in velocity.
        """
        if since < 0.0:
            return self.firmness * since * (1.0 + since / self.approach) ** 2
        after = since - self.length
        return self.firmness * after * max(0.0, 1.0 - after / self.release) ** 2 if after > 0.0 else 0.0


def plants_of(arcs: Arcs, duration: float, settings: PlantSettings = PLANT_DEFAULTS) -> tuple[tuple[Plant, ...], ...]:
    """The plants of each foot point with their easing, in the order of their starts.

    ``arcs`` are start and length of the plants of each of ``FOOT_POINTS``, in radians of cycle phase; ``duration`` is
    that of the cycle in seconds.
    """
    per_second = TURN / duration
    return tuple([_eased(_apart(own, per_second, settings), per_second, settings) for own in arcs])


def bearings_of(
    arcs: Arcs, duration: float, n_samples: int, settings: PlantSettings = PLANT_DEFAULTS
) -> Float[np.ndarray, "samples points"]:
    """Share of the body's weight on each foot point, 0 … 1, evenly over the cycle; 0 at the ends of its plants."""
    per_second = TURN / duration
    parted = [_apart(own, per_second, settings) for own in arcs]
    rows = [_bearing(start, length, per_second, settings) for own in parted for start, length in own]
    if not rows:
        return np.zeros((n_samples, len(arcs)))
    middles, ends, hand_overs, steep, full = np.array(rows).T
    ramps = _phases(n_samples) - middles
    # Half a turn minus the way round to the middle of the plant, without a remainder, which takes long.
    ramps = np.abs(np.abs(ramps, out=ramps) - 0.5 * TURN)
    ramps += ends
    ramps /= hand_overs
    np.minimum(np.maximum(ramps, 0.0, out=ramps), 1.0, out=ramps)
    shares = ramps * steep
    shares += full
    ramps *= ramps
    shares *= ramps
    counts = [len(own) for own in parted]
    if counts == [1] * len(counts):
        return np.asarray(shares)
    edges = [0, *itertools.accumulate(counts)]
    return np.stack([shares[:, a:b].sum(axis=1) for a, b in itertools.pairwise(edges)], axis=1)


def _bearing(start: float, length: float, per_second: float, settings: PlantSettings) -> tuple[float, ...]:
    """The middle of a plant, half of what it lacks to a round, its hand-over, and −2 and 3 times its firmness."""
    hand_over = max(min(settings.hand_over * per_second, settings.swing_share * length), 1e-9)
    firmness = _firmness(length, settings.shortest_plant * per_second)
    return (start + 0.5 * length) % TURN, 0.5 * (length - TURN), hand_over, -2.0 * firmness, 3.0 * firmness


@cache
def _phases(n_samples: int) -> Float[np.ndarray, "samples 1"]:
    return owned(np.arange(n_samples)[:, None] * (TURN / n_samples))


def _apart(arcs: _Rest, per_second: float, settings: PlantSettings) -> _Rest:
    """Arcs that overlap or are too near each other joined into one, round the cycle, and too short ones left out.

    Plants are blended one by one, so two plants of one point can overlap or nearly touch after blending.
    """
    shortest = 0.5 * settings.shortest_plant * per_second
    if len(arcs) == 1:
        return arcs if arcs[0][1] > shortest else ()
    return tuple([arc for arc in merge_arcs(arcs, settings.nearest_plants * per_second) if arc[1] > shortest])


def _eased(arcs: _Rest, per_second: float, settings: PlantSettings) -> tuple[Plant, ...]:
    out = []
    for i, (start, length) in enumerate(arcs):
        gap_after = gap_before = TURN - length  # of the only one
        if len(arcs) > 1 and length < TURN:
            before, longest = arcs[i - 1]
            gap_after = (arcs[(i + 1) % len(arcs)][0] - start - length) % TURN
            gap_before = (start - before - longest) % TURN
        approach = max(min(settings.approach * per_second, settings.swing_share * gap_before), 1e-9)
        release = max(min(settings.release * per_second, settings.swing_share * gap_after), 1e-9)
        out.append(Plant(start, length, approach, release, _firmness(length, settings.shortest_plant * per_second)))
    return tuple(out)


def _firmness(length: float, shortest: float) -> float:
    """The strength, 0 … 1, of the lock of a plant of this length: short plants are locked less."""
    return 1.0 if length >= shortest else smoothstep(2.0 * length / shortest - 1.0)


# Which part of a plant is real rest, told by how high the point stands in the pose that is played.


def resting_arcs(contacts: CycleContacts, heights: Heights, ground: float = -math.inf) -> Arcs:
    """The plants of each of ``FOOT_POINTS`` without the ends in which a point is well above where it stands.

    A foot that comes down or rolls off slowly is detected as planted, but locking it there would stretch the leg.
    ``heights`` are those of the foot points over a flat sole, taken to be linear between the samples. A point that a
    pose has below the ``ground``, where that is known, rests until it has come out.
    """
    arcs = contacts.left_heel, contacts.left_toe, contacts.right_heel, contacts.right_toe
    return tuple([_resting(own, over, ground) for own, over in zip(arcs, heights, strict=True)])


def until_heels_rise(arcs: Arcs, heights: Heights, swivel: Callable[[int, int], float]) -> Arcs:
    """The same plants with those of heels lasting until the heel rises, as long as its toe stands.

    A heel that slides in a capture is detected as lifted although it is still down: released, it would drift over the
    ground. ``heights`` are above the ground. ``swivel`` says how fast a foot, 0 or 1, turns over it at a sample,
    radians per second, and is called where a heel stays down: a foot that swivels on its toe moves its heel although
    the heel is low.
    """
    left, left_toe, right, right_toe = arcs
    left = _until_up(left, left_toe, heights[0], lambda sample: swivel(0, sample))
    right = _until_up(right, right_toe, heights[2], lambda sample: swivel(1, sample))
    return left, left_toe, right, right_toe


def _resting(arcs: _Rest, heights: list[float], ground: float) -> _Rest:
    n = len(heights)
    per_radian, rounds = n / TURN, heights * 3
    if len(arcs) == 1 and _all_along(arcs[0], rounds, per_radian, ground):  # as most do
        return arcs
    stands = []
    falling, highest, longest = 0.0, 0.0, -1.0
    for start, length in arcs:
        middle = n + ((start + 0.5 * length) * per_radian) % n
        stand = _between(rounds, middle)
        stands.append((middle, stand))
        if length > longest:  # the longest plant says how high the point stands
            risen, longest = stand + FOOT.risen, length
            falling, highest = risen + FOOT.landing, max(risen, ground + FOOT.clear)
    out = []
    for arc, (middle, stand) in zip(arcs, stands, strict=True):
        length = arc[1]
        if length >= TURN:
            out.append(arc)
        elif stand <= highest:
            half = 0.5 * length * per_radian
            falls = max(stand, falling)
            if _stays_below(rounds, middle - half, middle + half, min(falls, highest)):  # as most do
                out.append(arc)
                continue
            before = _until(rounds, middle, stand, half, -1, falls)
            after = _until(rounds, middle, stand, half, 1, highest)
            out.append((((middle - before) / per_radian) % TURN, (before + after) / per_radian))
    return tuple(out)


def _all_along(arc: Arc, rounds: list[float], per_radian: float, ground: float) -> bool:
    """Whether the only plant of a point is rest from end to end, told by the samples in it and on either side."""
    start, length = arc
    n, half = len(rounds) // 3, 0.5 * length * per_radian
    middle = n + (start * per_radian + half) % n
    risen = _between(rounds, middle) + FOOT.risen
    highest = max(rounds[int(middle - half) : int(middle + half) + 2])
    return highest <= risen + FOOT.landing and (highest <= risen or highest <= ground + FOOT.clear)


def level_arcs(arcs: Arcs, heights: Heights) -> Arcs:
    """The same plants without the ends in which a point is up over the other end of its foot, which rests.

    A heel that rises from its toe does not rest, nor a toe that is still to come down, however low the body has them
    both. Nor does a heel in a run on the balls of the feet, however slowly it moves: laid down, it would straighten the
    knee. A foot that loses one of the two plants stands on the other.
    """
    left, left_toe, right, right_toe = arcs
    return *_levelled(left, left_toe, heights[0], heights[1]), *_levelled(right, right_toe, heights[2], heights[3])


def _levelled(heels: _Rest, toes: _Rest, heel_heights: list[float], toe_heights: list[float]) -> tuple[_Rest, _Rest]:
    tilts = list(map(sub, heel_heights, toe_heights))
    heels = tuple([_level(arc, toes, tilts * 3) for arc in heels])
    return heels, tuple([_level(arc, heels, list(map(neg, tilts)) * 3) for arc in toes])


def _level(arc: Arc, others: _Rest, tilts: list[float]) -> Arc:
    """A plant of a point, given the plants of the other end of its foot.

    ``tilts`` say by how much the point is higher than that, evenly over three rounds of the cycle.
    """
    start, length = arc
    if length >= TURN:
        return arc
    n = len(tilts) // 3
    per_radian, half = n / TURN, 0.5 * length
    middle, samples = n + ((start + half) * per_radian) % n, half * per_radian
    tilt = _between(tilts, middle)
    steepest = max(tilt, 0.0) + FOOT.tilted
    if tilt <= FOOT.low and _stays_below(tilts, middle - samples, middle + samples, steepest):  # as most do
        return arc
    before = after = half
    for begin, span in others:
        since, left = (start - begin) % TURN, (start + length - begin) % TURN  # the other plant, at both ends
        if since <= span:
            down = _until(tilts, middle, tilt, samples, -1, steepest) / per_radian
            before = max(down, since + half - span)
        if left <= span:
            down = _until(tilts, middle, tilt, samples, 1, steepest) / per_radian
            after = max(down, half - left)
        if tilt > FOOT.low and since + length <= span and length < 0.5 * TURN:  # in standing, heels are down
            rest = smoothstep(max(0.0, (FOOT.high - tilt) / (FOOT.high - FOOT.low)))
            before, after = rest * before, rest * after
    return (start + half - before) % TURN, before + after


def _until_up(heels: _Rest, toes: _Rest, heights: list[float], swivel: Callable[[int], float]) -> _Rest:
    """The plants of a heel made longer up to where it rises or swivels, or the toe is gone."""
    n = len(heights)
    per_radian = n / TURN
    out = []
    for start, length in heels:
        end = start + length
        if heights[int(end * per_radian + FOOT.sooner) % n] <= FOOT.risen:  # still low at the earliest release
            room = min(max([span - (end - begin) % TURN for begin, span in toes], default=0.0), TURN - length)
            if room > 0.0:
                longer = _up_after(heights, swivel, end * per_radian, room * per_radian) - FOOT.sooner
                length += max(0.0, longer) / per_radian
        out.append((start, length))
    return tuple(out)


def _up_after(heights: list[float], swivel: Callable[[int], float], here: float, most: float) -> float:
    """How many samples after a place a heel is up, or its foot swivels; 0 where it does already, at most ``most``."""
    n = len(heights)
    low = int(here)
    before, at = 0.0, low - here
    for sample in range(low, math.ceil(here + most) + 1):
        there = sample % n
        up = max(heights[there] / FOOT.risen, abs(swivel(there)) / FOOT.swivel)
        if sample == low + 1 and before + (here - low) * (up - before) >= 1.0:
            return 0.0
        if sample > low and up > 1.0:
            return min(at + (1.0 - before) / (up - before), most)
        before, at = up, sample - here
    return most


def _between(heights: list[float], place: float) -> float:
    low = int(place)
    here = heights[low]
    return here + (place - low) * (heights[low + 1] - here)


def _stays_below(heights: list[float], start: float, end: float, highest: float) -> bool:
    """Whether heights rise nowhere above ``highest`` between two places."""
    first, last = int(start), int(end)
    if max(heights[first + 1 : last + 1], default=highest) > highest:
        return False
    return max(heights[first], heights[last + 1]) <= highest or (
        _between(heights, start) <= highest and _between(heights, end) <= highest
    )


def _until(heights: list[float], middle: float, stand: float, half: float, way: int, highest: float) -> float:
    """How many samples from the middle of a plant one way heights first rise above ``highest``; at most to its end.

    ``heights`` are those of three rounds, and the middle lies in the second, at the height ``stand``.
    """
    first = math.floor(middle) + 1 if way > 0 else math.ceil(middle) - 1
    gone = (first - middle) * way
    at, before = 0.0, stand
    part = heights[first : first + math.ceil(half - gone) * way : way]
    if part and max(part) <= highest:  # as most are
        at, before = gone + len(part) - 1.0, part[-1]
    else:
        for height in part:
            if height > highest:
                return at + (gone - at) * (highest - before) / (height - before)
            at, before = gone, height
            gone += 1.0
    end = _between(heights, middle + way * half)
    return half if end <= highest else at + (half - at) * (highest - before) / (end - before)
