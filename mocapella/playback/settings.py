"""Settings of a player: how its point moves, how motions take over from each other, how feet are locked."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import msgspec

from mocapella.checks import finite_number, real_or_nan, shown
from mocapella.errors import MotionError
from mocapella.gait.resting import PlantSettings, Share, Span
from mocapella.motion.spectrum import refuse_no_count

_LONGEST = 1e9  # seconds
_MOST_HARMONICS = 10**6  # larger numbers mean all there are
Feet = Literal["held", "anchored", "velocity"]
FEET_MODES: tuple[Feet, ...] = ("held", "anchored", "velocity")

Seconds = Annotated[float, msgspec.Meta(ge=0.0, le=_LONGEST)]
_Count = Annotated[int, msgspec.Meta(ge=0, le=_MOST_HARMONICS)]
_Positive = Annotated[float, msgspec.Meta(gt=0.0, le=1e6)]
FARTHEST = 1e6  # metres, radians and both per second: beyond is no motion
Number = Annotated[float, msgspec.Meta(ge=-FARTHEST, le=FARTHEST)]


class PlayerSettings(PlantSettings, frozen=True, kw_only=True, omit_defaults=True):
    """Settings of a player; units are metres, radians and seconds. No step changes them.

    ``feet`` is ``"held"``: planted feet drive the body, and legs bend so that none slides; ``"anchored"``: the body
    moves so that the lower planted foot stays put; ``"velocity"``: the blended root velocity alone.
    """

    feet: Feet = "held"
    harmonics: _Count | None = None  # how many are played; None: all there are

    # The blending point.
    ease: Seconds = 0.3  # s in which it covers 90 % of its way; 0 jumps
    pace: _Positive | None = None  # most units of the plane per second; None: no limit
    crossing: Span = 1.0  # s that it takes at least to cross the network to the node of a triggered arc
    fade: Span = 0.5  # s in which old weights fade where triangles or places change
    harmonic_rate: _Positive = 8.0  # per s: how fast the number of harmonics changes
    agility: _Positive = 4.0  # rad/s by which joints may change with the point
    rise: _Positive = 0.6  # m/s by which the height of the root may change with the point
    strain_from: _Positive = 0.10  # m that a planted foot is displaced, from which on the point slows down,
    strain_to: _Positive = 0.20  # and at which it stops

    # One motion takes over from another.
    join: Seconds = 0.25  # s of the crossover between a blend and a captured change; 0 cuts
    far_join: Span = 0.4  # s at least where the change is entered far from its own node
    join_agility: _Positive = 4.0  # rad/s: joints that are further apart take longer,
    longest_join: Span = 0.8  # but at most so many s
    foot_join: Span = 0.12  # s at least in which foot locks cross over
    root_shift_speed: _Positive = 0.8  # m/s by which the root moves so that planted feet stay while the blend changes
    root_shift_time: Span = 0.03  # s in which two thirds of such a shift are made

    # Held feet.
    hold_rate: _Positive = 16.0  # per s: how fast a hold may change,
    steepest_hold_rate: _Positive = 50.0  # and where plants follow each other closely
    release_from: _Positive = 0.22  # m from foot to pose: the hold fades between these two distances
    release_at: _Positive = 0.45
    release_speed: _Positive = 0.5  # m/s by which the displacement of a point that is released early may still grow
    long_step: Span = 0.1  # s: within a longer step a point may have lifted and come down again
    touchdown: Span = 0.03  # s in which a held foot comes down to the ground,
    touchdown_share: Share = 0.25  # and at most so much of its plant
    hover: _Positive = 0.006  # m above the ground at which it may be held already
    down: _Positive = 0.001  # m: a foot that is higher has not come down, or rolls off
    lifted: _Positive = 0.005  # m that a leg that is too short may lift a foot that still counts as standing
    rocking: _Positive = 0.007  # m that a heel may rise or sink against its toe while both are planted
    sole_tilt: _Positive = 0.004  # m from heel to toe: a foot that stands more tilted is laid down so far


DEFAULTS = PlayerSettings()


def checked_ease(seconds: float | int) -> float:
    """Seconds of easing; ``MotionError`` below 0."""
    if not 0.0 <= (value := real_or_nan(seconds)) <= _LONGEST:
        raise MotionError(f"expected ease from 0 s on, got {shown(seconds)}")
    return value


def checked_pace(most: float | int) -> float | None:
    """A limit on the blending point per second; None where it is infinite, ``MotionError`` unless above 0."""
    if not (value := real_or_nan(most)) > 0.0:
        raise MotionError(f"expected a pace above 0, got {shown(most)}")
    return None if math.isinf(value) else value


def checked_join(seconds: float | int) -> float:
    """Seconds of a join; ``MotionError`` below 0."""
    return finite_number(seconds, "joins to take 0 seconds or more", least=0.0)


def checked_count(harmonics: int | None) -> int | None:
    """A number of harmonics to play; None for all, ``MotionError`` for what is no whole number from 0 on."""
    if harmonics is None:
        return None
    refuse_no_count(harmonics)
    return min(int(harmonics), _MOST_HARMONICS)
