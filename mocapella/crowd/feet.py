"""Planted feet of many characters: where they are held, and legs bent to them, as ``playback.feet`` does for one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mocapella.crowd import gaits as rows
from mocapella.crowd.plants import Clock, Plants
from mocapella.crowd.state import Bit, FootMark, Lanes, PointMark, Word
from mocapella.crowd.vectors import Array, chosen, dot, length, smooth_clipped
from mocapella.gait.foot_constants import FOOT
from mocapella.playback.settings import PlayerSettings

_POINT_BITS = 2 * np.arange(4, dtype=np.int32).reshape(2, 2, 1)  # where the bits of foot points begin in MARKS


class Held(NamedTuple):
    """How foot points are held now: (…, feet, ends, lanes)."""

    shift: Array  # (2, …): x, z, metres
    hold: Array
    inside: Array
    firm: Array  # whether its plant holds for good


def marks_of(lanes: Lanes) -> Array:
    """Whether foot points are ``FREE``, ``PLACED`` or ``LEAVING``: (feet, ends, lanes)."""
    return np.asarray((lanes.words[Word.MARKS] >> _POINT_BITS) & 3)


def forget_places(lanes: Lanes, points: Array) -> None:
    """Free the foot points for which ``points`` (feet, ends, lanes) is true; ``lanes`` are changed in place."""
    lanes.words[Word.MARKS] &= ~_joined(points * (np.int32(3) << _POINT_BITS))


def _joined(bits: Array) -> Array:
    """One word of the bits of several."""
    return np.asarray(np.bitwise_or.reduce(bits.reshape(-1, bits.shape[-1]), axis=0))


def hold_points(lanes: Lanes, plants: Plants, clock: Clock, at: Array, apart: Array, settings: PlayerSettings) -> Held:
    """Brake, settle, keep or release foot points, and remember their places.

    ``lanes`` are the characters; places and marks are changed in place. ``at`` is where the pose has them over the
    ground (x, z): (2, feet, ends, lanes). ``apart`` is how far both ends of a foot are from each other on the ground
    (feet, lanes).
    """
    words, since, wanted = lanes.words, plants.since, plants.hold
    marks, first = marks_of(lanes), ((words[Word.MARKS] >> Bit.BEGUN) & 1) == 0
    was_placed, was_leaving = marks == PointMark.PLACED, marks == PointMark.LEAVING
    last = ((words[Word.HOLDS] >> (4 * _POINT_BITS)) & 255).astype(np.float32)
    last *= np.float32(1.0 / 255.0)
    found, over, second_half = wanted > 0.0, since >= plants.length, since >= np.float32(0.5) * plants.length
    early, after = found & (since < 0.0), found & over
    # The end of a plant that moved on with the blending point after its foot had left does not call it back.
    inside = found & ~(early | over) & ~(was_leaving & second_half & ~plants.full)
    leaving = was_placed & ~(inside | early)
    is_leaving = leaving | (was_leaving & ~inside)
    quickest = _quickest(plants, clock, found, second_half, settings)
    if first.any():
        quickest += np.float32(2.0) * first
    gone = since - after * plants.length
    speed = _speeds(plants, clock, after, gone)
    place = lanes.numbers[Word.FEET : Word.FEET + 8].reshape(2, 2, 2, -1).transpose(2, 0, 1, 3)
    off = (early * since) * speed
    off += place
    off -= at
    points = _Points(at, place, off, speed)
    kept = early & was_placed & (dot(off, off) <= np.float32(settings.release_from**2))
    standing, resting = found & ~over, inside | kept
    weaker = last - quickest
    for end, other_placed in enumerate((was_placed[:, 1], resting[:, 0])):
        settling = inside[:, end] & ~was_placed[:, end]
        foot, lane = np.nonzero(settling)
        own = foot, end, lane
        back = np.minimum(since[own], clock.rate[lane] * np.float32(clock.dt)) * ~plants.full[own]
        fading = was_leaving[own] * np.maximum(weaker[own], 0.0)
        points.settle(own, back, fading, (standing[:, 1 - end] & other_placed)[foot, lane], apart[foot, lane])
    points.leave(leaving, after, gone)
    down = np.minimum(wanted, last)
    down *= after
    np.maximum(down, weaker, out=down)
    if first.any():
        np.maximum(down, first * wanted, out=down)
    down *= is_leaving
    up = np.minimum(wanted, np.add(last, quickest, out=last))
    brake = early * up
    brake /= np.maximum(wanted, np.float32(1e-6))
    brake += is_leaving & after
    brake *= plants.brake
    shift = (resting * up) * off
    shift += down * place
    shift -= brake * speed
    mark = np.int32(PointMark.PLACED) * resting + np.int32(PointMark.LEAVING) * (down > 0.0)
    words[Word.MARKS] = (words[Word.MARKS] & ~_joined(np.int32(3) << _POINT_BITS)) | _joined(mark << _POINT_BITS)
    return Held(shift, np.maximum(down, (inside | early) * up), inside, inside & (plants.firmness > FOOT.firm))


def _quickest(plants: Plants, clock: Clock, found: Array, second_half: Array, settings: PlayerSettings) -> Array:
    """By how much holds change in this step at most."""
    width = chosen(second_half, plants.release, plants.approach)
    rate = plants.firmness * (np.float32(1.5) * clock.rate)
    rate *= found
    rate /= width
    np.clip(rate, np.float32(settings.hold_rate), np.float32(settings.steepest_hold_rate), out=rate)
    rate *= np.float32(clock.dt)
    return np.asarray(rate)


def _speeds(plants: Plants, clock: Clock, after: Array, gone: Array) -> Array:
    """How points move in the world where their plants begin or end, by the heading of that moment: (2, …)."""
    angle = -clock.turn * gone
    cosine = np.float32(-0.5) * angle
    cosine *= angle
    cosine += np.float32(1.0)
    c, s = clock.cosine * cosine, clock.sine * cosine
    c -= clock.sine * angle
    s += clock.cosine * angle
    ahead, left = chosen(after, plants.end, plants.begin)
    out = np.empty((2, *gone.shape), dtype=np.float32)
    np.multiply(s, ahead, out=out[0])
    np.multiply(c, ahead, out=out[1])
    out[0] += np.multiply(c, left, out=c)
    out[1] -= np.multiply(s, left, out=s)
    return out


class _Points(NamedTuple):
    """Foot points over the ground (x, z), metres: (2, feet, ends, lanes)."""

    at: Array  # where the pose has them
    place: Array  # where they are held, or what is left of their displacements
    off: Array  # from one to the other
    speed: Array  # per radian

    def settle(
        self, some: tuple[Array, int, Array], back: Array, fading: Array, other_stands: Array, apart: Array
    ) -> None:
        """Let some (feet, ends, lanes) come to rest, a foot's length from the other end where that stands."""
        foot, end, lane = some
        own, opposite = (slice(None), *some), (slice(None), foot, 1 - end, lane)
        at = self.at[own]
        place = at - back * self.speed[own] + fading * self.place[own]
        other = self.place[opposite]
        gap = place - other
        beside = other + apart / np.maximum(length(gap), np.float32(1e-6)) * gap
        place = np.where(other_stands, beside, place)
        self.place[own] = place
        self.off[own] = place - at

    def leave(self, some: Array, after: Array, gone: Array) -> None:
        """Let some go: from now on what is kept is what is left of the displacement."""
        foot, end, lane = np.nonzero(some)
        own = slice(None), foot, end, lane
        gone = after[foot, end, lane] * gone[foot, end, lane]
        self.place[own] += gone * self.speed[own] - self.at[own]


def note_holds(lanes: Lanes, holds: Array) -> None:
    """Remember in ``lanes`` how firmly the foot points are held, 0 … 1 (feet, ends, lanes)."""
    share = np.clip(holds, np.float32(0.0), np.float32(1.0))
    share *= np.float32(255.0)
    lanes.words[Word.HOLDS] = _joined(np.rint(share, out=share).astype(np.int32) << (4 * _POINT_BITS))


def sole_of(plants: Plants, tilt: Array, settings: PlayerSettings) -> tuple[Array, Array]:
    """The tilt that feet stand with, and by how much their heels are let down against their toes now; metres.

    Both are 0 where one end is not held. ``tilt`` is by how much the pose has the heel higher than the toe, over their
    soles (feet, lanes).
    """
    since, lengths, holds = plants.since, plants.length, plants.hold
    heel_later = since[:, 0] < since[:, 1]
    later, gap = np.minimum(since[:, 0], since[:, 1]), np.abs(since[:, 0] - since[:, 1])
    later_length = chosen(heel_later, lengths[:, 0], lengths[:, 1])
    length = lengths[:, 0] + lengths[:, 1]
    length -= later_length  # that of the sooner one
    length -= gap
    np.minimum(later_length, length, out=length)
    held = holds > 0.0
    both = held[:, 0] & held[:, 1] & (length > 0.0)
    stands, coming = plants.sole[0], later < 0.0
    during = np.minimum(plants.firmness[:, 0], plants.firmness[:, 1])
    during *= rows.rocked(tilt - stands, settings.rocking)[0]
    heel_last = heel_later ^ ~(coming | (later_length <= length + np.float32(1e-6)))
    edge, beyond = chosen(coming, plants.sole[1:3], plants.sole[3:5])
    edge *= chosen(heel_last, holds[:, 0], holds[:, 1])
    beyond *= chosen(heel_last, plants.brake[:, 0], plants.brake[:, 1])
    edge += beyond
    turned = chosen(~coming & (later < length), during, edge)
    turned *= both
    return both * stands, turned


def sink_of(plants: Plants, over: Array, rate: Array, settings: PlayerSettings) -> Array:
    """How far feet are let down so that their lower ends stand on the ground, metres.

    ``over`` is the height of their lower ends above the ground (feet, lanes), ``rate`` the cycle phase per second.
    """
    held = plants.hold > 0.0
    press = plants.press()
    press *= held
    landing = np.minimum(np.float32(settings.touchdown) * rate, np.float32(settings.touchdown_share) * plants.length)
    landed = (plants.since >= landing) | plants.full
    share = smooth_clipped(plants.since / np.maximum(landing, np.float32(1e-6)))
    np.maximum(share, landed, out=share)
    sinks = over[:, None] - plants.low
    sinks *= share
    sinks += plants.low
    sinks *= press
    heel, toe = press[:, 0], press[:, 1]
    longer = plants.since[:, 1] > plants.since[:, 0]
    return chosen(held[:, 1] & ((toe > heel) | ((toe == heel) & longer)), sinks[:, 1], sinks[:, 0])


def note_standing(lanes: Lanes, inside: Array, rolling: Array, height: Array, settings: PlayerSettings) -> Array:
    """Remember whether feet are down, and tell whether they are.

    ``lanes`` are changed in place. ``inside`` and ``rolling`` say whether they are in a plant, and whether they may
    roll off (feet, lanes). ``height`` is that of their lower ends above the ground, metres.
    """
    words = lanes.words
    at = Bit.STANDING + np.array([[0], [2]], dtype=np.int32)
    was = chosen(((words[Word.MARKS] >> Bit.BEGUN) & 1) == 1, (words[Word.MARKS] >> at) & 3, np.int32(FootMark.DOWN))
    was_down, lifted = was == FootMark.DOWN, height > settings.down
    now = chosen((was == FootMark.COMING) & ~lifted, np.int32(FootMark.DOWN), was)
    now = chosen(was_down & rolling & lifted, np.int32(FootMark.ROLLING), now)
    now = chosen(~inside | (was_down & (height > settings.lifted) & ~rolling), np.int32(FootMark.COMING), now)
    words[Word.MARKS] = (words[Word.MARKS] & ~(15 << Bit.STANDING)) | _joined(now << at)
    return np.asarray(now == FootMark.DOWN)


def note_step(lanes: Lanes, strain: Array, planted: Array, settings: PlayerSettings) -> None:
    """Remember how much of a change of motion planted feet allow, and which points rest.

    ``lanes`` are changed in place. ``strain`` is how far planted points are from where the pose has them, metres.
    ``planted`` says which foot points rest (feet, ends, lanes).
    """
    easy, taut = settings.strain_from, settings.strain_to
    give = smooth_clipped((taut - strain) / np.float32(taut - easy))
    word = lanes.words[Word.MARKS] & ((1 << Bit.GIVE) - 1) | (1 << Bit.BEGUN)
    word |= np.rint(give * 255.0).astype(np.int32) << Bit.GIVE
    lanes.words[Word.MARKS] = word | _joined(planted * (np.int32(1) << (Bit.PLANTED + _POINT_BITS // 2)))


def slack(far: Array, settings: PlayerSettings) -> Array:
    """The strength of locks, 1 to 0, that displace feet by ``far`` metres over the ground."""
    loose, torn = settings.release_from, settings.release_at
    return smooth_clipped((torn - far) / np.float32(torn - loose))
