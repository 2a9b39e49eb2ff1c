"""Constants of foot plants, leg IK, toes and root motion by feet, the same in every engine.

The native core reads them from native/src/foot_constants.h, which ``python -m benchmarks.foot_header`` writes; kernels
for GPUs get them as definitions.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from mocapella.geometry import limbs


class FootConstants(NamedTuple):
    """Constants of foot locks; not settings of a player, because other engines are compiled with them."""

    # Foot plants: the strength of a lock, and the part of a plant in which the point rests.
    roll: float = 0.3  # share of a plant, at its end, in which the point may rise as the foot rolls off
    firm: float = 0.999  # strength of a lock, 0 to 1; a weaker one counts as released
    risen: float = 0.014  # metres: a point that much higher than in the middle of its plant has left the ground
    landing: float = 0.004  # metres more, at its beginning: a foot is braked before it is held
    tilted: float = 0.007  # metres: a point that much higher than then over the other end of its foot does not rest
    low: float = 0.025  # metres over that end all the time, from which on it rests in less of its plant
    high: float = 0.04  # metres over that end at which it rests in nothing of its plant
    clear: float = 0.004  # metres above the ground: a point that is lower has not left it
    swivel: float = 1.2  # radians per second: a foot that turns faster on its toe has lifted its heel
    sooner: float = 1.0  # samples before it rises at which a heel is released

    # Leg IK.
    straightest: float = 0.9999  # of the leg's length: how far a foot may be held from its hip
    unmoved: float = 1e-9  # metres: a foot displaced by less is where its pose has it
    soft: float = 1.5  # exponent by which a nearly straight leg stops stretching, where its foot is free
    sharp: float = 8.0  # the same where its foot is held at both ends, far from its pose
    far: float = 0.06  # metres of displacement of a foot from which on that is sharpest
    too_short: float = 0.03  # metres that a leg is too short for its foot to lie flat: then the heel is not held at all
    furthest: float = 0.45  # radians by which a foot rolls at most for a leg that is too short: further, it would flip
    knee_straight: float = limbs.STRAIGHT  # radians of fold up to which the hinge says how a knee bends
    knee_bent: float = limbs.BENT  # radians of fold from which on the pose says so

    # Toes, bent so that their tips stay above the ground.
    follow: float = 0.35  # radians that toes unbend with every length of theirs that the ball rises
    toes_soft: float = 0.19  # radians before and after the ground between which toes come to lie on it
    free: float = 5.0  # lengths of the toes: with the ball that high nothing bends them
    back: float = math.radians(225.0)  # radians from upright from which on toes that point back bend less
    folded: float = math.radians(270.0)  # radians from upright from which on nothing bends them

    # Root motion fitted to planted feet.
    rolling: float = 0.08  # of the speed: a point that requires that much more or less rolls off, and counts half
    no_length: float = 1e-300  # metres: nothing beside any length, and something to divide by
    stays: float = 0.02  # m/s: a motion as slow as this stays where it is
    goes: float = 0.05  # m/s: a motion as fast as this travels
    turns: float = 0.1  # rad/s: a turn on the spot as fast as this is left as a circle
    stiffness: float = 0.003  # penalty of a harmonic of the fit, times its number squared: decides where no foot rests


FOOT = FootConstants()
