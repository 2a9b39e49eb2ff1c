"""Bend the toes of a foot so that their tips stay above the ground."""

from __future__ import annotations

import math

from mocapella.playback import single
from mocapella.playback.legs import Leg
from mocapella.playback.single import Quaternion, Vector

_FOLLOW = 0.35  # of the height of the ball, by which the tip may be lower: toes that lift off unbend gently

_FREE = 3.5  # lengths of the toes: with the ball that high nothing bends them


def bent_toes(leg: Leg, toe_place: Vector, foot: Quaternion, toes: Quaternion, aside: Vector) -> Quaternion | None:
    """A new local rotation of the toes, or None where their tip is above the ground, or nobody knows where it is.

    Captured toes point down when the ball of the foot rises; the ground bends real ones up. They bend forwards, where
    ``aside``, to the left of the body, says that is, so that toes which point straight down know which way to go.
    """
    if leg.tip is None:
        return None
    world = single.multiply(foot, toes)
    along = single.rotate(world, leg.tip)
    lowest = leg.tip_height - leg.toe_height - _FOLLOW * (toe_place[1] - leg.toe_height)
    if along[1] >= lowest:
        return None
    size = single.length(along)
    rise = max(-size, min(size, lowest))
    # Only toes that are far from where they belong ask the body which way is forwards: it may have turned over the foot.
    forwards = 0.5 * min(rise - along[1], size)
    x, z = along[0] - forwards * aside[2], along[2] + forwards * aside[0]
    scale = math.sqrt(size * size - rise * rise) / (math.hypot(x, z) + 1e-9)
    turn = single.between(along, (scale * x, rise, scale * z))
    # A ball higher than the toes are long has no ground under them; until far above it they unbend.
    share = (_FREE * size - toe_place[1] + leg.toe_height) / ((_FREE - 1.0) * size)
    if share <= 0.0:
        return None
    if share < 1.0:
        turn = _part_of(turn, share * share * (3.0 - 2.0 * share))
    return single.multiply(single.conjugate(foot), single.multiply(turn, world))


def _part_of(turn: Quaternion, share: float) -> Quaternion:
    """A rotation about the same axis by a share of the angle."""
    w, x, y, z = turn
    sine = math.sqrt(x * x + y * y + z * z)
    if sine < 1e-12:
        return single.NO_TURN
    return single.about((x / sine, y / sine, z / sine), share * 2.0 * math.atan2(sine, w))
