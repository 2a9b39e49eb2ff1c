"""Bend the toes of a foot so that their tips stay above the ground."""

from __future__ import annotations

import math

from mocapella.geometry.smoothstep import smooth
from mocapella.playback import single
from mocapella.playback.legs import Leg
from mocapella.playback.single import Quaternion, Vector

_FOLLOW = 0.35  # radians that toes unbend with every length of theirs that the ball rises
_SOFT = 0.19  # radians before and after the ground between which toes come to lie on it
_FREE = 5.0  # lengths of the toes: with the ball that high nothing bends them
_BACK, _FOLDED = math.radians(225.0), math.radians(270.0)  # how far from upright toes point so far back that none bends


def bent_toes(leg: Leg, ball: Vector, foot: Quaternion, toes: Quaternion) -> Quaternion | None:
    """A new local rotation of the toes, or None where their tip is above the ground, or nobody knows where it is.

    Captured toes point down when the ball of the foot rises; the ground bends real ones up. They bend forwards about
    the ball, which is a hinge across the foot, even where they point back already and could rise the other way: so
    they never change their mind.
    """
    if leg.tip is None:
        return None
    size, height = leg.tip_length, ball[1] - leg.toe_height
    if height >= _FREE * size:
        return None
    x, y, z = single.rotate(foot, single.rotate(toes, leg.tip))
    a, b, c = single.rotate(foot, leg.across)  # turned about this axis, which points to the right, tips rise
    # Turned by an angle the tip is at level + high · cos(angle) + ahead · sin(angle).
    level = b * (a * x + b * y + c * z)
    high, ahead = y - level, c * x - a * z
    reach = math.hypot(high, ahead)
    if reach < 1e-6:
        return None
    upright = math.atan2(ahead, high)  # how far they would have to turn to point up
    if upright < -0.5 * math.pi:
        upright += math.tau
    flat = math.acos(min(max((leg.tip_height - leg.toe_height - level) / reach, -1.0), 1.0))
    angle = upright - flat - _FOLLOW * max(height, 0.0) / size
    if angle <= -_SOFT or upright >= _FOLDED:
        return None
    if angle < _SOFT:  # the ground is met softly: toes that touch it at the speed of a step would otherwise stop dead
        angle = 0.25 * (angle + _SOFT) ** 2 / _SOFT
    # A ball higher than the toes are long has no ground under them; until far above it they unbend.
    share = smooth(min((_FREE * size - height) / ((_FREE - 1.0) * size), 1.0))
    if upright > _BACK:
        share *= smooth((_FOLDED - upright) / (_FOLDED - _BACK))
    return single.multiply(single.about(leg.across, share * angle), toes)
