"""Bend the toes of a foot so that their tips stay above the ground."""

from __future__ import annotations

import math

from mocapella.playback import single
from mocapella.playback.legs import Leg
from mocapella.playback.single import Quaternion, Vector


def bent_toes(leg: Leg, toe_place: Vector, foot: Quaternion, toes: Quaternion) -> Quaternion | None:
    """A new local rotation of the toes, or None where their tip is above the ground, or nobody knows where it is.

    Captured toes point down when the ball of the foot rises; the ground bends real ones up.
    """
    if leg.tip is None:
        return None
    world = single.multiply(foot, toes)
    along = single.rotate(world, leg.tip)
    if toe_place[1] + along[1] >= leg.tip_height:
        return None
    size = single.length(along)
    rise = max(-size, min(size, leg.tip_height - toe_place[1]))
    flat = math.hypot(along[0], along[2])
    if flat < 1e-9:
        return None
    scale = math.sqrt(size * size - rise * rise) / flat
    turn = single.between(along, (scale * along[0], rise, scale * along[2]))
    return single.multiply(single.conjugate(foot), single.multiply(turn, world))
