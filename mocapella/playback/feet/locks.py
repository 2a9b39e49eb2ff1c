"""Where planted feet stand, and how they come and go."""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from mocapella.geometry.curves import smoothstep
from mocapella.motion.contacts import FOOT_POINTS
from mocapella.playback.feet.plants import FIRM, Plant
from mocapella.playback.feet.reach import Grip, Stand, still_down
from mocapella.playback.handover import MOMENT, SOONEST, Leftover, Moment, leftover
from mocapella.playback.motion_on_ground import Footfalls, Playhead
from mocapella.rig.legs import Leg

# The path of a motion laid into the world, so that places on it can be told ahead of time and afterwards.


class LaidPath:
    """A gait's own path laid into the world so that it passes through the playhead."""

    def __init__(self, gait: Footfalls, head: Playhead) -> None:
        self.gait, self.phase = gait, head.phase
        yaw, path = gait.way(head.phase)
        self._turn = cmath.exp(1j * (head.yaw - yaw))
        self._origin = head.place - self._turn * path

    def world(self, place: complex, rounds: float) -> complex:
        """A place of the path, or of the round before or after (``rounds`` of −2π, 0 or 2π), in the world."""
        turn, way = self._round(rounds)
        return self._origin + self._turn * (way + turn * place)

    def turned(self, speed: complex, rounds: float) -> complex:
        """A velocity on the path, in the world's axes."""
        return self._turn * self._round(rounds)[0] * speed

    def _round(self, rounds: float) -> tuple[complex, complex]:
        if abs(rounds) < 1.0:
            return 1.0 + 0j, 0j
        yaw, path = self.gait.way(math.copysign(math.tau, rounds))
        return cmath.exp(1j * yaw), path


# How a sole lies while both ends of its foot are planted.
#
# A captured sole never lies quite flat, and rocks a little while it stands. It is kept near the tilt that the pose has
# in the middle of the stand, and what that takes is eased in before and out after it: laid flat all at once, a foot
# would drag its ankle down, and the knee straight.

ROCKING = 0.007  # metres: how far the heel may rise or sink against the toe while both are planted
SOLE_STEEPEST = 0.004  # metres from heel to toe: a foot that stands more tilted than that is laid down so far

Now = tuple[Plant, float, float]  # the plant that holds a point, the phase since it began, and how firmly it does


class Sole(NamedTuple):
    """How a foot stands on both its ends, and what of its tilt that takes now."""

    tilt: float = 0.0  # metres by which the heel is higher than the toe, over their soles
    turned: float = 0.0  # metres by which the heel is let down against the toe now

    def apart(self, leg: Leg) -> float:
        """How far heel and toe are from each other over the ground."""
        rise = leg.heel_height - leg.toe_height
        return math.sqrt(max(leg.flat_length**2 + rise**2 - (rise + self.tilt) ** 2, 0.0))


def sole_of(gait: Footfalls, leg: Leg, heel: int, now: tuple[Now | None, Now | None], tilt: float) -> Sole:
    """How the foot of a heel lies; ``tilt`` is what its pose has now."""
    own, other = now
    if own is None or other is None:
        return Sole()
    later, sooner = (own, other) if own[1] < other[1] else (other, own)
    gap = round(sooner[1] - later[1], 9)  # to the last digit the same in every step, so that moments are known again
    length = min(later[0].length, sooner[0].length - gap)
    if length <= 0.0:
        return Sole()
    middle, soles = later[0].start + 0.5 * length, leg.heel_height - leg.toe_height
    stands = gait.height(heel, middle) - gait.height(heel + 1, middle) - soles
    stands = SOLE_STEEPEST * math.tanh(stands / SOLE_STEEPEST)
    since = later[1]
    if 0.0 <= since < length:
        return Sole(stands, min(own[0].firmness, other[0].firmness) * _beyond(tilt - stands)[0])
    last = later if since < 0.0 or later[0].length <= length + 1e-9 else sooner
    edge = later[0].start + (0.0 if since < 0.0 else length)
    back, front = gait.touch(heel, edge), gait.touch(heel + 1, edge)
    beyond, slope = _beyond(back.height - front.height - soles - stands)
    plant, since, hold = last
    return Sole(stands, hold * beyond + plant.brake(since) * slope * (back.rise - front.rise))


def _beyond(tilt: float) -> tuple[float, float]:
    """What of a tilt is more than a foot may rock, and how fast that grows with it."""
    part = math.tanh(tilt / ROCKING)
    return tilt - ROCKING * part, part * part


# Where the planted feet of one character stand.

LOOSE, TORN = 0.22, 0.45  # metres: a foot this far from where its pose has it is held less, and no longer
EASY, TAUT = 0.10, 0.20  # metres: with a planted foot displaced this far the motion changes less, and no further
TOUCHDOWN, SOON = 0.03, 0.25  # seconds, and share of its plant, in which a foot that is held comes down to the ground
HOVERS = 0.006  # metres above the ground at which it may be held already
DOWN = 0.001  # metres: a foot that is higher has not come down, or rolls off, firmly as it may be held
LIFTED = 0.005  # metres: so far a leg that is too short may lift a foot that stands all the same
LETTING_GO = 0.5  # m/s, by which the displacement of a point that is let go early may still grow
LONG = 0.1  # seconds: in a longer step a point may have been lifted and have come down again
QUICKEST = 16.0  # per second: how fast a hold may change; by themselves they take 0.15 s
STEEPEST = 50.0  # per second: where plants follow each other so closely that their holds by themselves are quicker
FREE = Grip()
FootState = Literal["coming", "down", "leaving"]  # a foot that is planted or not: not yet, now, no longer
_Holding = tuple[Plant, float, float]  # a plant, the cycle phase since it began, and how firmly it holds its point


@dataclass
class Locks:
    """The places at which foot points came to rest, remembered until they have left them.

    Before a plant, the foot is braked so that it comes to rest where its gait would have it touch down; there it is
    settled and stays, whatever the blending point does. After the plant what is left of its displacement fades.
    """

    settled: list[complex | None] = field(default_factory=lambda: [None] * len(FOOT_POINTS))
    holds: list[float] | None = None  # how firmly each point was held a step ago
    shifts: list[complex] = field(default_factory=lambda: [0j] * len(FOOT_POINTS))  # and how far it was displaced
    strain: float = 0.0  # metres: how far planted points are from where the pose has them
    left: Leftover | None = None  # of the hold before another motion took over
    leaving: list[bool] = field(default_factory=lambda: [False] * len(FOOT_POINTS))  # whose plant is over
    standing: list[FootState] = field(default_factory=lambda: ["down", "down"])  # of each foot

    def __post_init__(self) -> None:
        self._bearing = [(False, False), (False, False)]  # whether a foot is in a plant, and whether it may roll off

    @property
    def give(self) -> float:
        """How much of a change of motion planted feet allow, 0 … 1: they would have to slide, or legs to tear."""
        return 1.0 if self.strain <= EASY else smoothstep(max(0.0, (TAUT - self.strain) / (TAUT - EASY)))

    def rests(self, point: int) -> bool:
        """Whether a point is held as firmly as planted ones are, and its foot on the ground.

        One whose plant came early is still to settle; one that rolls off its toes is held while it rises already.
        """
        if self.left is not None and not self.left.settled(point):
            return False
        return self.holds is None or (self.holds[point] > FIRM and self.standing[point // 2] == "down")

    def notice(self, foot: int, height: float) -> None:
        """Take note of how high over the ground, metres, the lower end of a foot is in its grip.

        It stands from when it has come down to when it rolls off, without a break for what a leg lifts it in between.
        """
        held, rolling = self._bearing[foot]
        was = self.standing[foot]
        if not held or (was == "down" and height > LIFTED and not rolling):
            self.standing[foot] = "coming"
        elif was == "coming" and height <= DOWN:
            self.standing[foot] = "down"
        elif was == "down" and rolling and height > DOWN:
            self.standing[foot] = "leaving"

    def grips(
        self, gait: Footfalls, head: Playhead, legs: tuple[Leg, Leg], stands: tuple[Stand, Stand], dt: float
    ) -> tuple[Grip, Grip]:
        """How the left and the right foot are held now, ``dt`` seconds after the last time."""
        laid = LaidPath(gait, head)
        self.strain = 0.0
        if self.left is not None:
            self.left = self.left.after(dt)
            if self.left.done:
                self.left = None
        if dt > LONG:
            self._forget(laid, dt - LONG)
        if self.holds is None:
            self.holds, dt = [0.0] * len(FOOT_POINTS), math.inf
        left = self._foot(laid, legs[0], stands[0], 0, self.holds, dt)
        right = self._foot(laid, legs[1], stands[1], 2, self.holds, dt)
        return (left, right) if self.left is None else self.left.over((left, right))

    def hand_over(
        self,
        old: tuple[Moment, Moment],
        new: tuple[Moment, Moment],
        legs: tuple[Leg, Leg],
        dt: float,
        seconds: float,
    ) -> None:
        """Another motion takes over, ``dt`` seconds after the last grips; in ``seconds`` nothing is left of the old.

        Both motions are given at that moment and a ``MOMENT`` later.
        """

        def at(moment: Moment, dt: float) -> tuple[Grip, Grip]:
            return self.grips(moment.way, moment.head, legs, moment.stands, dt)

        def ahead(moment: Moment) -> tuple[Grip, Grip]:
            settled, holds, shifts = list(self.settled), list(self.holds or ()), list(self.shifts)
            trial = replace(self, settled=settled, holds=holds, shifts=shifts, leaving=list(self.leaving))
            return trial.grips(moment.way, moment.head, legs, moment.stands, MOMENT)

        held = at(old[0], dt)
        before = held, ahead(old[1])
        laid = LaidPath(new[0].way, new[0].head)
        for point, gone in enumerate(self.leaving):
            if gone:  # to a place of the old motion no foot is called back
                self.leaving[point], self.settled[point] = False, None
        kept = [place is not None for place in self.settled]
        times = [self._taken_over(laid, point, old, before, seconds) for point in range(len(FOOT_POINTS))]
        for heel, leg, stand in zip((0, 2), legs, old[0].stands, strict=True):
            # The foot is rigid: both ends come to rest a foot's length apart; who stands, or is lower, decides.
            first = heel + (kept[heel + 1] or (not kept[heel] and stand.toe[1] < stand.heel[1]))
            last = 2 * heel + 1 - first
            place, other = self.settled[first], self.settled[last]
            if place is not None and other is not None and not kept[last]:
                self.settled[last] = _at_distance(other, place, leg.flat_length)
        self.left, self.holds = None, None
        after = at(new[0], 0.0)
        self.left = leftover(before, (after, ahead(new[1])), times)

    def _taken_over(
        self,
        laid: LaidPath,
        point: int,
        old: tuple[Moment, Moment],
        before: tuple[tuple[Grip, Grip], tuple[Grip, Grip]],
        seconds: float,
    ) -> float:
        """In how many seconds a point is held in the new way; if it is to rest too soon, it stops near where it is."""
        now = self._under_way(laid, point)
        if now is None or now[1] >= now[0].length:
            return max(seconds, SOONEST)
        wait = -now[1] / laid.gait.rate
        if wait >= SOONEST:
            return max(min(seconds, wait), SOONEST)
        if self.settled[point] is None:
            here, there = (
                _place(moment.stands, point) + _shifted(grips, point) for moment, grips in zip(old, before, strict=True)
            )
            self.settled[point] = here + (there - here) / MOMENT * SOONEST / 3.0  # the way on which it is braked
        return SOONEST

    def _foot(self, laid: LaidPath, leg: Leg, stand: Stand, heel: int, holds: list[float], dt: float) -> Grip:
        toe = heel + 1
        heel_now, toe_now = self._under_way(laid, heel), self._under_way(laid, toe)
        heel_stands, toe_stands = _stands(heel_now), _stands(toe_now)
        rolling = not any(now and _stands(now) and not now[0].rolls_off(now[1]) for now in (heel_now, toe_now))
        self._bearing[heel // 2] = heel_stands or toe_stands, rolling
        if heel_now is None and toe_now is None and not holds[heel] and not holds[toe]:
            return FREE
        sole = sole_of(laid.gait, leg, heel, (heel_now, toe_now), _tilt(leg, stand))
        apart = sole.apart(leg)
        # The foot is rigid: where one point has come to rest, the other can only be a foot's length away.
        at_heel, at_toe = complex(stand.heel[2], stand.heel[0]), complex(stand.toe[2], stand.toe[0])
        heel_shift = self._shift(laid, heel, heel_now, at_heel, self._kept(toe, toe_now), apart)
        toe_shift = self._shift(laid, toe, toe_now, at_toe, self._kept(heel, heel_now), apart)
        sink = self._sink(laid, leg, stand, heel, (heel_now, toe_now))
        down = 1.0
        if heel_stands and toe_stands:
            down = still_down(leg, stand, Grip(heel_shift, toe_shift, 1.0, 1.0, sink, sole.turned))
        heel_hold, heel_shift = self._gradual(laid, heel, heel_now, down * heel_shift, at_heel, holds, dt, down)
        toe_hold, toe_shift = self._gradual(laid, toe, toe_now, toe_shift, at_toe, holds, dt)
        part = min(_slack(heel_shift), _slack(toe_shift))
        if heel_stands:
            self.strain = max(self.strain, abs(heel_shift))
        if toe_stands:
            self.strain = max(self.strain, abs(toe_shift))
        heel_hold = part * (heel_hold if heel_stands else min(heel_hold, FIRM))  # who stands decides
        toe_hold = part * (toe_hold if toe_stands else min(toe_hold, FIRM))
        return Grip(part * heel_shift, part * toe_shift, heel_hold, toe_hold, sink, part * sole.turned)

    def _gradual(
        self,
        laid: LaidPath,
        point: int,
        now: _Holding | None,
        shift: complex,
        at: complex,
        holds: list[float],
        dt: float,
        part: float = 1.0,
    ) -> tuple[float, complex]:
        """Hold and displacement of a point, changed no more quickly than a foot can; ``part`` of the hold is wanted.

        A blending point that moves takes the plants along; their holds must not leap for that.
        """
        before, hold = holds[point], part * now[2] if now else 0.0
        if now is not None and now[1] >= now[0].length and hold > before:  # off the ground before its plant ended
            shift *= before / hold
            hold = before
        place = self.settled[point]
        quickest = QUICKEST * dt
        if now is not None and abs(hold - before) > quickest:
            quickest = min(max(QUICKEST, now[0].slope(now[1]) * laid.gait.rate), STEEPEST) * dt
        if hold < before - quickest and place is not None:
            hold = before - quickest
            shift = hold * (place - at)
            most = abs(self.shifts[point]) + LETTING_GO * dt
            if abs(shift) > most:  # it was on its way already: it is not called back
                shift *= most / abs(shift)
        elif hold > before + quickest:
            shift *= (before + quickest) / hold
            hold = before + quickest
        elif now is None:
            self.settled[point] = None
        holds[point] = hold
        self.shifts[point] = shift
        return hold, shift

    def _forget(self, laid: LaidPath, seconds: float) -> None:
        """Forget places of plants that are over, where those under way have begun within some seconds.

        After a long step a point may stand again in what is the same plant of the cycle, a round later and metres on.
        """
        for point, own in enumerate(laid.gait.plants):
            firmest = max(own, key=lambda plant: plant.hold(plant.since(laid.phase)), default=None)
            if firmest is None or firmest.length >= firmest.lap:
                continue
            if firmest.since(laid.phase) < seconds * laid.gait.rate:
                self.settled[point], self.shifts[point], self.leaving[point] = None, 0j, False

    def _kept(self, point: int, now: _Holding | None) -> complex | None:
        """Where a point rests in its present plant; a place that it is leaving binds the foot no more."""
        return None if now is None or now[1] >= now[0].length else self.settled[point]

    def _under_way(self, laid: LaidPath, point: int) -> _Holding | None:
        """The plant that holds a point now."""
        best, found = 0.0, None
        for plant in laid.gait.plants[point]:
            since = plant.since(laid.phase)
            hold = plant.hold(since)
            if hold > best and (since < plant.length or self.settled[point] is not None):
                best, found = hold, (plant, since, hold)
        if found is not None:
            plant, since, _ = found
            if since >= plant.length:
                self.leaving[point] = True
            elif self.leaving[point]:
                if 0.5 * plant.length <= since and plant.length < plant.lap:
                    return None  # its end moved on with the blending point: it is not called back
                self.leaving[point], self.settled[point] = False, None  # the next plant has a place of its own
        return found

    def _shift(
        self,
        laid: LaidPath,
        point: int,
        now: _Holding | None,
        at: complex,
        other: complex | None,
        apart: float,
    ) -> complex:
        """By how much a foot point is displaced over the ground."""
        if now is None:
            return 0j
        plant, since, hold = now
        place = self.settled[point]
        if place is None or since < 0.0:
            start = laid.gait.touch(point, plant.start)
            rounds = laid.phase - since - plant.start
            foretold = laid.world(start.place, rounds)
            # A place that is kept although the plant is still to come: its start moved later with the blending point.
            if place is None or abs(place - foretold) > LOOSE:
                place = foretold if since < 0.0 else self._left_behind(point, foretold)
                place = place if other is None else _at_distance(place, other, apart)
                self.settled[point] = None if since < 0.0 else place
            if since < 0.0:
                braked = plant.brake(since) * laid.turned(start.speed, rounds)
                return hold * (place - foretold) - braked
        if since < plant.length:
            return plant.firmness * (place - at)
        end = plant.edges[1]
        rounds = laid.phase - since + plant.length - end
        left = laid.gait.touch(point, end)
        braked = plant.brake(since) * laid.turned(left.speed, rounds)
        return hold * (place - laid.world(left.place, rounds)) - braked

    def _left_behind(self, point: int, place: complex) -> complex:
        """Where a point comes to rest: what is left of an old hold then stays."""
        if self.left is not None:
            place += self.left.of(point)
            self.left = self.left.without(point)
        return place

    @staticmethod
    def _sink(laid: LaidPath, leg: Leg, stand: Stand, heel: int, under_way: Sequence[_Holding | None]) -> float:
        """How far the foot is let down so that the lower one of heel and toe stands on the ground."""
        best, longest, sink = 0.0, 0.0, 0.0
        for now in under_way:
            if now is None:
                continue
            plant, since, _ = now
            press = plant.press(since)
            if press < best or (press == best and since <= longest):  # a foot that is down need not come down again
                continue
            best, longest = press, since
            over = min(stand.heel[1] - leg.heel_height, stand.toe[1] - leg.toe_height)
            landing = min(TOUCHDOWN * laid.gait.rate, SOON * plant.length)
            if since < landing and plant.length < plant.lap:  # still coming down: by what it will be too high then
                high, low = _over(laid, leg, heel, plant.start), _over(laid, leg, heel, plant.start + landing)
                low = max(low, high - HOVERS)
                over = low + (smoothstep(since / landing) * (over - low) if since > 0.0 else 0.0)
            sink = best * over
        return sink


def _over(laid: LaidPath, leg: Leg, heel: int, phase: float) -> float:
    """How far above the ground the lower one of heel and toe of a foot is at a phase."""
    heel_height, toe_height = laid.gait.touch(heel, phase).height, laid.gait.touch(heel + 1, phase).height
    return min(heel_height - leg.heel_height, toe_height - leg.toe_height)


def _place(stands: tuple[Stand, Stand], point: int) -> complex:
    """Where the pose has a foot point on the ground."""
    stand = stands[point // 2]
    x, _, z = stand.toe if point % 2 else stand.heel
    return complex(z, x)


def _shifted(grips: tuple[Grip, Grip], point: int) -> complex:
    """By how much a grip displaces it."""
    grip = grips[point // 2]
    return grip.toe_shift if point % 2 else grip.heel_shift


def _at_distance(place: complex, other: complex, reach: float) -> complex:
    """A place moved along the ground to the distance from the other one that heel and toe have."""
    apart = place - other
    return other + apart * (reach / abs(apart)) if abs(apart) > 1e-9 else place


def _stands(now: _Holding | None) -> bool:
    """Whether a point is in the midst of its plant."""
    return now is not None and 0.0 <= now[1] < now[0].length


def _tilt(leg: Leg, stand: Stand) -> float:
    """By how much the pose has the heel of a foot higher than its toe, over their soles."""
    return stand.heel[1] - leg.heel_height - stand.toe[1] + leg.toe_height


def _slack(shift: complex) -> float:
    """How much of a hold is left, 0 … 1, when it displaces a foot so far: sooner a slide than a torn leg."""
    return 1.0 if abs(shift) <= LOOSE else smoothstep(max(0.0, (TORN - abs(shift)) / (TORN - LOOSE)))
