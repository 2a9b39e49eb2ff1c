"""Bend the toes of a foot so that their tips stay above the ground."""

from __future__ import annotations

import math

from mocapella.playback import single
from mocapella.playback.legs import Leg
from mocapella.playback.single import Quaternion, Vector

_FOLLOW = 0.35  # of the height of the ball, by which the tip may be lower: toes that lift off unbend gently

_SOFT = 0.012  # metres above and below the ground between which toes come to lie on it
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
    near = along[1] - lowest
    if near >= _SOFT:
        return None
    size = single.length(along)
    # The ground is met softly: toes that touch it at the speed of a step would otherwise stop dead.
    up = along[1] + (0.25 * (_SOFT - near) ** 2 / _SOFT if near > -_SOFT else -near)
    rise = max(-size, min(size, up))
    # Toes that lie much flatter then than now ask the body which way is forwards, others know: it may have turned away.
    flat = math.sqrt(size * size - rise * rise)
    forwards = 2.0 * max(flat - math.hypot(along[0], along[2]), 0.0)
    x, z = along[0] - forwards * aside[2], along[2] + forwards * aside[0]
    scale = flat / (math.hypot(x, z) + 1e-9)
    turn = single.between(along, (scale * x, rise, scale * z))
    # A ball higher than the toes are long has no ground under them; until far above it they unbend.
    share = (_FREE * size - toe_place[1] + leg.toe_height) / ((_FREE - 1.0) * size)
    if share <= 0.0:
        return None
    # Toes that point backwards could bend either way: where that is undecided they do not.
    share = min(share, 2.0 * math.hypot(x, z) / (flat + 1e-9))
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
