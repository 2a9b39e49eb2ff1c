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
    FREE,
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
from mocapella.crowd.vectors import Array, smooth_clipped
from mocapella.playback.feet.plants import FIRM
from mocapella.playback.settings import PlayerSettings


class Held(NamedTuple):
    """How a foot point is held now."""

    shift: Array  # (2, lanes): x, z, metres
    hold: Array
    inside: Array
    firm: Array  # whether its plant holds for good


def hold_point(
    lanes: Lanes,
    point: int,
    plant: Plants,
    clock: Clock,
    at: Array,
    other: Array,
    other_stands: Array,
    apart: Array,
    settings: PlayerSettings,
) -> Held:
    """Brake, settle, keep or release a foot point, and remember its place.

    Parameters
    ----------
    lanes
        The characters; place, marks and holds are changed in place.
    point
        Which foot point.
    plant
        The one that holds it.
    clock
        When.
    at
        Where the pose has it over the ground (x, z).
    other, other_stands, apart
        Where the other end of the foot stands, if it does, and how far from it this one is on the ground.
    settings
        Those of a player.

    Returns
    -------
    Held
        Its displacement and how firmly it is held.
    """
    state, words = lanes.numbers, lanes.words
    marks = words[MARKS]
    mark = (marks >> (2 * point)) & 3
    begun = ((marks >> BEGUN) & 1) == 1
    last = ((words[HOLDS] >> (8 * point)) & 255).astype(np.float32) * np.float32(1.0 / 255.0)
    place = state[FEET + 2 * point : FEET + 2 * point + 2]
    found = plant.hold > 0.0
    inside = found & plant.inside
    # The end of its plant moved with the blending point after its release: it is not locked again.
    inside &= ~((mark == LEAVING) & (plant.since >= 0.5 * plant.length) & ~plant.full)
    early, after = found & (plant.since < 0.0), found & (plant.since >= plant.length)
    # How the point moves in the world where its plant begins or ends, by the heading of that moment.
    gone = np.where(after, plant.since - plant.length, plant.since)
    angle = -clock.turn * gone
    cosine = 1.0 - 0.5 * angle * angle
    c, s = clock.cosine * cosine - clock.sine * angle, clock.sine * cosine + clock.cosine * angle
    ahead, left = np.where(after, plant.end, plant.begin)
    speed = np.stack([s * ahead + c * left, c * ahead - s * left])
    slope = 1.5 * plant.firmness / np.where(plant.since < 0.5 * plant.length, plant.approach, plant.release)
    quickest = np.clip(slope * clock.rate, settings.hold_rate, settings.steepest_hold_rate) * np.float32(clock.dt)
    quickest = np.where(found, quickest, np.float32(settings.hold_rate * clock.dt))
    quickest = np.where(begun, quickest, 2.0)
    fading = np.where(mark == LEAVING, np.maximum(last - quickest, 0.0), 0.0)
    # Settle.
    settling = inside & (mark != PLACED)
    back = np.minimum(plant.since, clock.rate * np.float32(clock.dt))
    back = np.where(plant.full, 0.0, back)
    new = at - back * speed + fading * np.where(mark == LEAVING, place, 0.0)
    gap = new - other
    reach = apart / np.maximum(np.hypot(*gap), 1e-6)
    new = np.where(other_stands, other + reach * gap, new)
    place = np.where(settling, new, place)
    # Release: from now on the remaining displacement is stored.
    leaving = ~inside & ~early & (mark == PLACED)
    place = np.where(leaving, place - at + np.where(after, gone, 0.0) * speed, place)
    foretold = at - plant.since * speed
    kept = early & (mark == PLACED) & (np.hypot(*(place - foretold)) <= settings.release_from)
    brake = plant.brake() * speed
    wanted = np.where(found, plant.hold, 0.0)
    is_leaving = leaving | (~inside & (mark == LEAVING))
    down = np.maximum(np.where(after, np.minimum(wanted, last), 0.0), last - quickest)
    down = np.maximum(np.where(begun, down, wanted), 0.0)
    up = np.minimum(wanted, last + quickest)
    eased = up / np.maximum(wanted, 1e-6)
    hold = np.where(is_leaving, np.where(early, np.maximum(down, up), down), np.where(inside | early, up, 0.0))
    shift = np.where(inside, up * (place - at), 0.0)
    shift = np.where(early, eased * (np.where(kept, plant.hold * (place - foretold), 0.0) - brake), shift)
    rest = down * np.where(is_leaving, place, 0.0)
    shift = shift + np.where(is_leaving, rest, 0.0) - np.where(is_leaving & after, brake, 0.0)
    gone_for_good = is_leaving & (down <= 0.0)
    mark = np.where(inside | kept, PLACED, np.where(is_leaving & ~gone_for_good, LEAVING, FREE))
    state[FEET + 2 * point : FEET + 2 * point + 2] = place
    words[MARKS] = (words[MARKS] & ~(3 << (2 * point))) | (mark << (2 * point))
    return Held(shift.astype(np.float32), hold.astype(np.float32), inside, inside & (plant.firmness > FIRM))


def note_holds(lanes: Lanes, holds: list[Array]) -> None:
    """Remember how firmly the foot points are held.

    Parameters
    ----------
    lanes
        The characters; changed in place.
    holds
        Of each foot point, 0 … 1.
    """
    word = np.zeros_like(lanes.words[HOLDS])
    for point, hold in enumerate(holds):
        word |= np.rint(np.clip(hold, 0.0, 1.0) * 255.0).astype(np.int32) << (8 * point)
    lanes.words[HOLDS] = word


def sole_of(heel: Plants, toe: Plants, tilt: Array, settings: PlayerSettings) -> tuple[Array, Array]:
    """The tilt that a foot stands with, and by how much its heel is let down against its toe now; metres.

    Parameters
    ----------
    heel, toe
        The plants of both ends.
    tilt
        By how much the pose has the heel higher than the toe, over their soles.
    settings
        Those of a player.

    Returns
    -------
    stands, turned
        Both 0 where one of them is not held.
    """
    both = (heel.hold > 0.0) & (toe.hold > 0.0)
    heel_later = heel.since < toe.since
    later = np.where(heel_later, heel.since, toe.since)
    later_length, sooner_length = np.where(heel_later, [heel.length, toe.length], [toe.length, heel.length])
    gap = np.abs(heel.since - toe.since)
    length = np.minimum(later_length, sooner_length - gap)
    both &= length > 0.0
    stands = heel.sole[0]
    firmness = np.minimum(heel.firmness, toe.firmness)
    during = firmness * rows.rocked(tilt - stands, settings.rocking)[0]
    heel_last = np.where((later < 0.0) | (later_length <= length + 1e-6), heel_later, ~heel_later)
    hold, brake = np.where(heel_last, [heel.hold, heel.brake()], [toe.hold, toe.brake()])
    before, beyond = np.where(later < 0.0, heel.sole[1:3], heel.sole[3:5])
    turned = np.where((later >= 0.0) & (later < length), during, hold * before + brake * beyond)
    return np.where(both, stands, 0.0), np.where(both, turned, 0.0)


def sink_of(plants: tuple[Plants, Plants], over: Array, rate: Array, settings: PlayerSettings) -> Array:
    """How far a foot is let down so that its lower end stands on the ground, metres.

    Parameters
    ----------
    plants
        Of heel and toe.
    over
        How far the lower one of them is above the ground.
    rate
        Radians of the cycle per second.
    settings
        Those of a player.

    Returns
    -------
    array of the shape of ``over``
        Metres.
    """
    best = np.zeros_like(over)
    longest, sink = np.zeros_like(over), np.zeros_like(over)
    for plant in plants:
        press = np.where(plant.hold > 0.0, plant.press(), 0.0)
        better = (plant.hold > 0.0) & ((press > best) | ((press == best) & (plant.since > longest)))
        landing = np.minimum(settings.touchdown * rate, settings.touchdown_share * plant.length)
        coming = (plant.since < landing) & ~plant.full
        share = smooth_clipped(plant.since / np.maximum(landing, 1e-6))
        lowered = np.where(coming, plant.low + share * (over - plant.low), over)
        sink = np.where(better, press * lowered, sink)
        best, longest = np.where(better, press, best), np.where(better, plant.since, longest)
    return sink


def note_standing(
    lanes: Lanes, foot: int, inside: Array, rolling: Array, height: Array, settings: PlayerSettings
) -> Array:
    """Remember whether a foot is down, and tell whether it is.

    Parameters
    ----------
    lanes
        The characters; changed in place.
    foot
        0 the left one, 1 the right one.
    inside, rolling
        Whether it is in a plant, and whether it may roll off.
    height
        Of its lower end above the ground, metres.
    settings
        Those of a player.

    Returns
    -------
    array of bool
        Whether it is down.
    """
    words = lanes.words
    at = STANDING + 2 * foot
    was = np.where(((words[MARKS] >> BEGUN) & 1) == 1, (words[MARKS] >> at) & 3, DOWN)
    lifted = ~inside | ((was == DOWN) & (height > settings.lifted) & ~rolling)
    now = np.where((was == COMING) & (height <= settings.down), DOWN, was)
    now = np.where((was == DOWN) & rolling & (height > settings.down), ROLLING, now)
    now = np.where(lifted, COMING, now)
    words[MARKS] = (words[MARKS] & ~(3 << at)) | (now << at)
    return np.asarray(now == DOWN)


def note_step(lanes: Lanes, strain: Array, planted: list[Array], settings: PlayerSettings) -> None:
    """Remember how much of a change of motion planted feet allow, and which points rest.

    Parameters
    ----------
    lanes
        The characters; changed in place.
    strain
        How far planted points are from where the pose has them, metres.
    planted
        Of each foot point, whether it rests.
    settings
        Those of a player.
    """
    easy, taut = settings.strain_from, settings.strain_to
    give = smooth_clipped((taut - strain) / np.float32(taut - easy))
    word = lanes.words[MARKS] & ((1 << GIVE) - 1) | (1 << BEGUN)
    word |= np.rint(give * 255.0).astype(np.int32) << GIVE
    for point, rests in enumerate(planted):
        word |= rests.astype(np.int32) << (PLANTED + point)
    lanes.words[MARKS] = word


def slack(shift: Array, settings: PlayerSettings) -> Array:
    """The strength of a lock that displaces a foot so far.

    Parameters
    ----------
    shift
        Displacement over the ground (x, z), metres.
    settings
        Those of a player.

    Returns
    -------
    array
        From 1 to 0.
    """
    loose, torn = settings.release_from, settings.release_at
    return smooth_clipped((torn - np.hypot(*shift)) / np.float32(torn - loose))
