"""Motions that were not captured: turns to the other side by a mirror, turns at other speeds by arithmetic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from mocapella.blending.arithmetic import with_quality
from mocapella.building.layout.placement import APART, TURN_AND_SPEED, Axes
from mocapella.errors import NetworkError
from mocapella.motion.cycle import Cycle
from mocapella.motion.spectrum import Spectrum
from mocapella.motion.travel import STRAIGHT, stands, turn_and_speed
from mocapella.rig.symmetry import mirrored

_COUNTERPART = 0.2  # of the spread: a right turn this near to the mirror image of a left one is its counterpart


@dataclass(frozen=True, eq=False)
class _Substitute:
    """The motion ``base + (special − plain)`` with the names of its parts."""

    base: str
    plain: str
    special: str
    spectrum: Spectrum

    @property
    def recipe(self) -> str:
        """How it was made, in words."""
        return f"{self.base} + ({self.special} − {self.plain})"


def missing_sides(cycles: Sequence[Cycle], axes: Axes = TURN_AND_SPEED) -> list[Cycle]:
    """The mirror images of those turns, or side steps, that have no counterpart to the other side."""
    if not cycles or axes.middle is None:
        return []
    places = np.array([axes.measure(cycle) for cycle in cycles])
    images = places * [-1.0, 1.0]
    spots = axes.scaled(np.concatenate([places, images]))
    captured, mirror = spots[: len(cycles)], spots[len(cycles) :]
    out = []
    for i, cycle in enumerate(cycles):
        if abs(places[i, 0]) < axes.middle:
            continue
        other_side = places[:, 0] * places[i, 0] < 0.0
        apart = np.hypot(*(captured - mirror[i]).T)
        if not (other_side & (np.abs(places[:, 0]) >= axes.middle) & (apart < _COUNTERPART)).any():
            out.append(replace(mirrored(cycle), name=f"{cycle.name} mirrored"))
    return out


def missing_turns(motions: Mapping[str, Spectrum]) -> list[_Substitute]:
    """For every straight motion that no turn goes with, the turns of the straight motion nearest in speed.

    A turn goes with the straight motion that is nearest in speed to it. All motions must be in step. With the slow walk
    C, the walk A and its left turn B, the missing slow left turn is C + (B − A).
    """
    places = {name: turn_and_speed(motion) for name, motion in motions.items()}
    turning = [name for name, (turn, _) in places.items() if abs(turn) >= STRAIGHT]
    straight = [name for name, motion in motions.items() if name not in turning and not stands(motion)]
    if len(straight) < 2 or not turning:
        return []
    speeds = {name: speed for name, (_, speed) in places.items()}
    left = [name for name in turning if places[name][0] > 0.0]
    right = [name for name in turning if places[name][0] < 0.0]
    substitutes = [*_of_side(motions, speeds, straight, left), *_of_side(motions, speeds, straight, right)]
    return _apart(substitutes, list(places.values()))


def _of_side(
    motions: Mapping[str, Spectrum], speeds: Mapping[str, float], straight: Sequence[str], turning: Sequence[str]
) -> Iterator[_Substitute]:
    """The turns to one side of every straight motion that none of ``turning`` goes with."""

    def nearest(name: str, among: Sequence[str]) -> str:
        return min(among, key=lambda other: abs(speeds[other] - speeds[name]))

    plain_of = {name: nearest(name, straight) for name in turning}
    complete = sorted(set(plain_of.values()), key=lambda name: speeds[name])
    for base in straight if complete else ():
        if base not in complete:
            plain = nearest(base, complete)
            yield from _turned(motions, base, plain, [name for name in turning if plain_of[name] == plain])


def _turned(motions: Mapping[str, Spectrum], base: str, plain: str, turns: Sequence[str]) -> Iterator[_Substitute]:
    """A straight motion with each of the turns of another one, except where they are too unlike to be added up."""
    for special in turns:
        with suppress(NetworkError):
            turned = with_quality(motions[base], motions[plain], motions[special], name=f"{base} as {special}")
            yield _Substitute(base, plain, special, turned)


def _apart(substitutes: Sequence[_Substitute], places: Sequence[tuple[float, float]]) -> list[_Substitute]:
    """The substitutes that lie apart from the captured places and from all substitutes before them."""
    rates = [turn_and_speed(substitute.spectrum) for substitute in substitutes]
    spots = TURN_AND_SPEED.scaled(np.array([*places, *rates]))
    return [
        substitute
        for i, substitute in enumerate(substitutes, start=len(places))
        if np.hypot(*(spots[:i] - spots[i]).T).min() >= APART
    ]
