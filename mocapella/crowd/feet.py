"""Planted feet of many characters: where they are held, and legs bent to them, as ``playback.feet`` does for one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mocapella.crowd import gaits as rows
from mocapella.crowd.plants import Clock, Plants
from mocapella.crowd.state import (
    BEGUN,
    COMING,
    DOWN,
    FEET,
    GIVE,
    HOLDS,
    LEAVING,
    MARKS,
    PLACED,
    PLANTED,
    ROLLING,
    STANDING,
    Lanes,
)
from mocapella.crowd.vectors import Array, length, smooth_clipped
from mocapella.playback.feet.plants import FIRM
from mocapella.playback.settings import PlayerSettings

_POINT_BITS = 2 * np.arange(4, dtype=np.int32).reshape(2, 2, 1)  # where the bits of foot points begin in MARKS


class Held(NamedTuple):
    """How the heels, or the toes, of both feet are held now."""

    shift: Array  # (2, feet, lanes): x, z, metres
    hold: Array  # (feet, lanes), as the others
    inside: Array
    firm: Array  # whether its plant holds for good


def marks_of(lanes: Lanes) -> Array:
    """Whether foot points are free, placed or leaving.

    Parameters
    ----------
    lanes
        The characters.

    Returns
    -------
    array of shape (feet, ends, lanes)
        ``FREE``, ``PLACED`` or ``LEAVING``.
    """
    return np.asarray((lanes.words[MARKS] >> _POINT_BITS) & 3)


def forget_places(lanes: Lanes, points: Array) -> None:
    """Free some foot points.

    Parameters
    ----------
    lanes
        The characters; changed in place.
    points
        Which (feet, ends, lanes).
    """
    lanes.words[MARKS] &= ~_joined(points * (np.int32(3) << _POINT_BITS))


def _joined(bits: Array) -> Array:
    """One word of the bits of several."""
    return np.asarray(np.bitwise_or.reduce(bits.reshape(-1, bits.shape[-1]), axis=0))


def hold_ends(
    lanes: Lanes, end: int, plants: Plants, clock: Clock, at: Array, apart: Array, settings: PlayerSettings
) -> Held:
    """Brake, settle, keep or release the heels, or the toes, of both feet, and remember their places.

    Parameters
    ----------
    lanes
        The characters; places and marks are changed in place.
    end
        0 heels, 1 toes.
    plants
        Those that hold the foot points.
    clock
        When.
    at
        Where the pose has them over the ground (x, z): (2, feet, lanes).
    apart
        How far from the other end of its foot each is on the ground.
    settings
        Those of a player.

    Returns
    -------
    Held
        Their displacements, and how firmly they are held.
    """
    words = lanes.words
    plant, opposite = plants.of_end(end), plants.of_end(1 - end)
    marks = marks_of(lanes)
    mark, begun = marks[:, end], ((words[MARKS] >> BEGUN) & 1) == 1
    was_placed, was_leaving = mark == PLACED, mark == LEAVING
    other_stands = (marks[:, 1 - end] == PLACED) & (opposite.since < opposite.length) & (opposite.hold > 0.0)
    last = ((words[HOLDS] >> (4 * _POINT_BITS[:, end])) & 255).astype(np.float32) * np.float32(1.0 / 255.0)
    places = lanes.numbers[FEET : FEET + 8].reshape(2, 2, 2, -1).transpose(1, 2, 0, 3)
    place, other = places[end], places[1 - end]
    found = plant.hold > 0.0
    full, began = plant.full, plant.since >= 0.0
    over = plant.since >= plant.length
    # The end of a plant that moved on with the blending point after its foot had left does not call it back.
    inside = found & began & ~over & ~(was_leaving & (plant.since >= 0.5 * plant.length) & ~full)
    early, after = found & ~began, found & over
    # How the point moves in the world where its plant begins or ends, by the heading of that moment.
    gone = plant.since - after * plant.length
    angle = -clock.turn * gone
    cosine = 1.0 - 0.5 * angle * angle
    c, s = clock.cosine * cosine - clock.sine * angle, clock.sine * cosine + clock.cosine * angle
    ahead, left = np.where(after, plant.end, plant.begin)
    speed = np.empty_like(at)
    speed[0], speed[1] = s * ahead + c * left, c * ahead - s * left
    slope = 1.5 * plant.firmness / np.where(plant.since < 0.5 * plant.length, plant.approach, plant.release)
    quickest = np.minimum(np.maximum(slope * clock.rate, settings.hold_rate), settings.steepest_hold_rate)
    quickest = np.where(found, quickest, np.float32(settings.hold_rate)) * np.float32(clock.dt)
    quickest = quickest + np.float32(2.0) * ~begun  # at once where feet have not been held before
    settling = inside & ~was_placed
    if settling.any():
        back = np.minimum(plant.since, clock.rate * np.float32(clock.dt)) * ~full
        fading = was_leaving * np.maximum(last - quickest, 0.0)
        new = at - back * speed + fading * place
        gap = new - other
        new = np.where(other_stands, other + apart / np.maximum(length(gap), 1e-6) * gap, new)
        place = np.where(settling, new, place)
    # Leave: from now on what is kept is what is left of the displacement.
    leaving = ~inside & ~early & was_placed
    if leaving.any():
        place = np.where(leaving, place - at + after * gone * speed, place)
    is_leaving = leaving | (~inside & was_leaving)
    off = place - (at - early * plant.since * speed)  # before a plant: from where its foot will come down
    kept = early & was_placed & (length(off) <= settings.release_from)
    brake = plant.brake() * speed
    down = np.maximum(after * np.minimum(plant.hold, last), last - quickest)
    down = np.maximum(np.where(begun, down, plant.hold), 0.0)
    up = np.minimum(plant.hold, last + quickest)
    eased = up / np.maximum(plant.hold, 1e-6)
    hold = np.where(is_leaving, np.maximum(down, early * up), (inside | early) * up)
    shift = (inside * up + kept * (eased * plant.hold)) * off - early * eased * brake
    shift = shift + is_leaving * (down * place - after * brake)
    mark = np.int32(PLACED) * (inside | kept) + np.int32(LEAVING) * (is_leaving & (down > 0.0))
    places[end] = place
    bits = _POINT_BITS[:, end]
    words[MARKS] = (words[MARKS] & ~_joined(np.int32(3) << bits)) | _joined(mark << bits)
    return Held(shift, hold, inside, inside & (plant.firmness > FIRM))


def note_holds(lanes: Lanes, holds: Array) -> None:
    """Remember how firmly the foot points are held.

    Parameters
    ----------
    lanes
        The characters; changed in place.
    holds
        0 … 1 (feet, ends, lanes).
    """
    share = np.minimum(np.maximum(holds, 0.0), 1.0)
    lanes.words[HOLDS] = _joined(np.rint(share * 255.0).astype(np.int32) << (4 * _POINT_BITS))


def sole_of(plants: Plants, tilt: Array, settings: PlayerSettings) -> tuple[Array, Array]:
    """The tilt that feet stand with, and by how much their heels are let down against their toes now; metres.

    Parameters
    ----------
    plants
        Of both ends.
    tilt
        By how much the pose has the heel higher than the toe, over their soles (feet, lanes).
    settings
        Those of a player.

    Returns
    -------
    stands, turned
        Both 0 where one end is not held.
    """
    heel, toe = plants.of_end(0), plants.of_end(1)
    heel_later = heel.since < toe.since
    later, gap = np.minimum(heel.since, toe.since), np.abs(heel.since - toe.since)
    later_length = np.where(heel_later, heel.length, toe.length)
    sooner_length = np.where(heel_later, toe.length, heel.length)
    length = np.minimum(later_length, sooner_length - gap)
    both = (heel.hold > 0.0) & (toe.hold > 0.0) & (length > 0.0)
    stands, coming = heel.sole[0], later < 0.0
    during = np.minimum(heel.firmness, toe.firmness) * rows.rocked(tilt - stands, settings.rocking)[0]
    heel_last = heel_later ^ ~(coming | (later_length <= length + 1e-6))
    brake = plants.brake()
    hold = np.where(heel_last, heel.hold, toe.hold)
    slowed = np.where(heel_last, brake[:, 0], brake[:, 1])
    before, beyond = np.where(coming, heel.sole[1:3], heel.sole[3:5])
    turned = np.where(~coming & (later < length), during, hold * before + slowed * beyond)
    return both * stands, both * turned


def sink_of(plants: Plants, over: Array, rate: Array, settings: PlayerSettings) -> Array:
    """How far feet are let down so that their lower ends stand on the ground, metres.

    Parameters
    ----------
    plants
        Of heels and toes.
    over
        How far the lower one of them is above the ground (feet, lanes).
    rate
        Radians of the cycle per second.
    settings
        Those of a player.

    Returns
    -------
    array of the shape of ``over``
        Metres.
    """
    held = plants.hold > 0.0
    press = held * plants.press()
    landing = np.minimum(settings.touchdown * rate, settings.touchdown_share * plants.length)
    share = smooth_clipped(plants.since / np.maximum(landing, 1e-6))
    share = np.maximum(share, (plants.since >= landing) | plants.full)
    sinks = press * (plants.low + share * (over[:, None] - plants.low))
    heel, toe = press[:, 0], press[:, 1]
    longer = plants.since[:, 1] > plants.since[:, 0]
    return np.asarray(np.where(held[:, 1] & ((toe > heel) | ((toe == heel) & longer)), sinks[:, 1], sinks[:, 0]))


def note_standing(lanes: Lanes, inside: Array, rolling: Array, height: Array, settings: PlayerSettings) -> Array:
    """Remember whether feet are down, and tell whether they are.

    Parameters
    ----------
    lanes
        The characters; changed in place.
    inside, rolling
        Whether they are in a plant, and whether they may roll off (feet, lanes).
    height
        Of their lower ends above the ground, metres.
    settings
        Those of a player.

    Returns
    -------
    array of bool
        Whether they are down.
    """
    words = lanes.words
    at = STANDING + np.array([[0], [2]], dtype=np.int32)
    was = np.where(((words[MARKS] >> BEGUN) & 1) == 1, (words[MARKS] >> at) & 3, np.int32(DOWN))
    was_down, lifted = was == DOWN, height > settings.down
    now = np.where((was == COMING) & ~lifted, np.int32(DOWN), was)
    now = np.where(was_down & rolling & lifted, np.int32(ROLLING), now)
    now = np.where(~inside | (was_down & (height > settings.lifted) & ~rolling), np.int32(COMING), now)
    words[MARKS] = (words[MARKS] & ~(15 << STANDING)) | _joined(now << at)
    return np.asarray(now == DOWN)


def note_step(lanes: Lanes, strain: Array, planted: Array, settings: PlayerSettings) -> None:
    """Remember how much of a change of motion planted feet allow, and which points rest.

    Parameters
    ----------
    lanes
        The characters; changed in place.
    strain
        How far planted points are from where the pose has them, metres.
    planted
        Which foot points rest (feet, ends, lanes).
    settings
        Those of a player.
    """
    easy, taut = settings.strain_from, settings.strain_to
    give = smooth_clipped((taut - strain) / np.float32(taut - easy))
    word = lanes.words[MARKS] & ((1 << GIVE) - 1) | (1 << BEGUN)
    word |= np.rint(give * 255.0).astype(np.int32) << GIVE
    lanes.words[MARKS] = word | _joined(planted * (np.int32(1) << (PLANTED + _POINT_BITS // 2)))


def slack(far: Array, settings: PlayerSettings) -> Array:
    """The strength of a lock that displaces a foot so far.

    Parameters
    ----------
    far
        Displacement over the ground, metres.
    settings
        Those of a player.

    Returns
    -------
    array
        From 1 to 0.
    """
    loose, torn = settings.release_from, settings.release_at
    return smooth_clipped((torn - far) / np.float32(torn - loose))
