"""The slope of the ground that a cycle was captured on."""

from __future__ import annotations

import math

import numpy as np

from mocapella.analysis.cycles.raw_cycle import RawCycle
from mocapella.analysis.examined import Examined
from mocapella.rig.legs import leg_length, leg_roles

# Radians: ground that is steeper is a slope, ground that is less so is the floor of a studio. Of 337 cycles of 113 real
# captures on level floors none is steeper than 1.2°, the tilt of some floors as calibrated, which closing a cycle
# takes out. Ramps for wheelchairs begin at 2.9° (1 in 20).
SLOPED = math.radians(2.0)
_GOES = 0.1  # leg lengths: what goes less far in a cycle has no slope


def slope_of(cycle: RawCycle) -> float:
    """The slope of the ground along the way of a cycle.

    It is told by the ground under the feet in the whole stretch of sound frames, a plane, where the rise of the root
    from end to end agrees on whether that is level. The root errs where the poses of both ends differ, the plane where
    the ground bends; then the ground under the feet in this cycle alone decides, by the median of all three.

    Returns radians, up positive; 0 for a cycle that stays in its place. Up to ``SLOPED`` a floor counts as level.
    """
    way = cycle.speed * cycle.seconds
    if way < _GOES * leg_length(cycle.clip.skeleton, leg_roles(cycle.clip.skeleton)):
        return 0.0
    last = cycle.start + cycle.n_frames
    ends = cycle.clip.root_positions[[cycle.start, last]]

    def under(examined: Examined) -> float:
        return math.atan2(float(np.diff(examined.feet.level(ends))[0]), way)

    root, ground = math.atan2(float(ends[1, 1] - ends[0, 1]), way), under(_sound_part(cycle))
    if _side(root) == _side(ground):
        return ground
    return float(np.median([root, ground, under(cycle.examined.part(cycle.start, last + 1))]))


def _sound_part(cycle: RawCycle) -> Examined:
    """The sound stretch around a cycle, whose feet are known already; all of the capture where there is none."""
    examined, last = cycle.examined, cycle.start + cycle.n_frames
    around = (stretch.start <= cycle.start and last < stretch.stop for stretch in examined.sound.stretches)
    return next((part for part, holds in zip(examined.stretches, around, strict=True) if holds), examined)


def _side(slope: float) -> int:
    """1 uphill, −1 downhill, 0 level."""
    return 0 if abs(slope) <= SLOPED else 1 if slope > 0.0 else -1
