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
    straight = [name for name, (x, _) in places.items() if abs(x) < STRAIGHT and not stands(motions[name])]
    turning = [name for name, (x, _) in places.items() if abs(x) >= STRAIGHT]
    if len(straight) < 2 or not turning:
        return []

    def nearest(name: str, among: Sequence[str]) -> str:
        return min(among, key=lambda other: abs(places[other][1] - places[name][1]))

    plain_of = {name: nearest(name, straight) for name in turning}
    substitutes: list[_Substitute] = []
    for sign in (1.0, -1.0):
        side = [name for name in turning if sign * places[name][0] > 0.0]
        complete = sorted({plain_of[name] for name in side}, key=lambda name: places[name][1])
        for base in straight if complete else ():
            if base not in complete:
                plain = nearest(base, complete)
                turns = [name for name in side if plain_of[name] == plain]
                substitutes += _turned(motions, base, plain, turns)
    return _apart(substitutes, list(places.values()))


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
