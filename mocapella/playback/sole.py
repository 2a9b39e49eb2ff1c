"""How a sole lies while both ends of its foot are planted.

A captured sole never lies quite flat, and rocks a little while it stands. It is kept near the tilt that the pose has in
the middle of the stand, and what that takes is eased in before and out after it: laid flat all at once, a foot would
drag its ankle down, and the knee straight.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from mocapella.playback.footfalls import Footfalls
from mocapella.playback.holding import Plant
from mocapella.playback.legs import Leg

ROCKING = 0.007  # metres: how far the heel may rise or sink against the toe while both are planted
STEEPEST = 0.004  # metres from heel to toe: a foot that stands more tilted than that is laid down so far

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
    stands = STEEPEST * math.tanh(stands / STEEPEST)
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
