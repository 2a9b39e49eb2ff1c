"""Motions led up or down a slope, or from a slope to level ground, with feet locked where they rest."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Annotated

import numpy as np

from mocapella.analysis.examined import examine
from mocapella.analysis.plants.tracks import foot_places
from mocapella.editing.feet.lock import lock
from mocapella.editing.parameters import Domain
from mocapella.errors import MotionError
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import Contacts
from mocapella.motion.loops import smooth_course
from mocapella.rig.legs import leg_roles
from mocapella.rig.names import SIDES

STEEPEST = 45.0  # degrees
_SHORT_WAY = 1.0  # m: on a shorter one no slope can be measured
_HELD_BACK = 0.15  # share of a slope by which a root may climb less, or more: foot locks shift it at the ends
_SLIGHT = math.tan(math.radians(5.0))  # slopes below this one have that much to miss
# Degrees by which an ankle may bend beyond its sharpest angle on level ground: about what people's ankles have left.
# Slopes of 40° would fold feet against shins.
_BENDS = 30.0


def incline(clip: Clip, *, slope: Annotated[float, Domain(-45.0, 45.0, "°")] = 5.0) -> Clip:
    """A motion led up or down a slope, with feet locked on it.

    An artificial rest pose in front is left out. Raises ``MotionError`` for a slope of more than 45°, or one that the
    legs cannot follow.

    Parameters
    ----------
    clip
        The motion. One that was captured on a slope comes to level ground by the opposite slope.
    slope
        Up positive (°).

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> downhill = perform("walk", slope=-0.1)[0]
    >>> level = incline(downhill, slope=5.73)
    >>> bool(abs(level.root_positions[-1, 1] - level.root_positions[0, 1]) < 0.05)
    True
    """
    if not abs(slope) <= STEEPEST:
        raise MotionError(expected=f"a slope of up to {STEEPEST:g}°", got=f"{slope:g}°")
    captured = clip.captured
    return captured if slope == 0.0 else on_slope(captured, slope, examine(captured).plants)


def on_slope(clip: Clip, slope: float, plants: Contacts) -> Clip:
    """A motion that climbs evenly along its way, feet held where they come to rest on the slope.

    ``slope`` is in degrees, up positive; it is added to the slope of the clip.
    """
    made, reached = climbing(clip, slope, plants)
    if not reached:
        raise MotionError(f"legs cannot follow this motion on a slope of {slope:g}°", helps="ask for a gentler slope")
    return made


def climbing(clip: Clip, slope: float, plants: Contacts, *, level_at: int = 0) -> tuple[Clip, bool]:
    """``on_slope``, and whether legs can follow.

    Legs cannot follow where feet hold the root back or ankles would bend further than people's do. ``level_at`` is the
    frame in which the root keeps its height. Returns the motion, as far as legs can follow, and whether they do.
    """
    course = smooth_course(clip)
    way = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(course.places)))])
    roots = np.array(clip.root_positions)
    rise = math.tan(math.radians(slope))
    roots[:, 1] += rise * (way - way[level_at])
    locked = lock(replace(clip, root_positions=roots), constraints=plants)
    follow = not locked.unreachable and _sharpest_ankle(locked.clip) >= _sharpest_ankle(clip) - _BENDS
    if way[-1] < _SHORT_WAY:
        return locked.clip, follow
    climb, _ = np.polyfit(way, locked.clip.root_positions[:, 1] - clip.root_positions[:, 1], 1)
    return locked.clip, follow and abs(float(climb) - rise) <= _HELD_BACK * max(abs(rise), _SLIGHT)


def _sharpest_ankle(clip: Clip) -> float:
    """The smallest angle between a shin and its foot, from knee over ankle to toe, degrees."""
    roles = leg_roles(clip.skeleton)
    knees, ankles = (clip.positions[:, [roles[side + part] for side in SIDES]] for part in ("knee", "ankle"))
    shins, feet = knees - ankles, foot_places(clip, roles)[:, 1::2] - ankles
    cosines = np.sum(shins * feet, axis=-1) / (np.linalg.norm(shins, axis=-1) * np.linalg.norm(feet, axis=-1))
    return math.degrees(math.acos(min(float(cosines.max()), 1.0)))
