"""How firmly each foot point is held, at every moment of a cycle: eased in before its plants and out after them."""

from __future__ import annotations

import itertools
from functools import cache
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from mocapella.arrays import owned
from mocapella.geometry.angles import TURN
from mocapella.geometry.curves import smoothstep
from mocapella.motion.contacts import Arc, merged
from mocapella.playback.settings import DEFAULTS, PlayerSettings

_ROLL = 0.3  # of a plant, at its end, in which the point may rise as the foot rolls off
FIRM = 0.999  # a weaker hold gives way

Arcs = tuple[tuple[Arc, ...], ...]  # the plants of each foot point


class Plant(NamedTuple):
    """One plant of one foot point, with the stretches of cycle phase in which its hold sets in and out."""

    start: float  # cycle phase, 0 … 2π
    length: float
    approach: float
    release: float
    firmness: float  # 0 … 1
    lap: float = TURN  # after which it comes round again

    @property
    def edges(self) -> tuple[float, float]:
        """The cycle phases at which it begins and ends, 0 … 2π."""
        return self.start, (self.start + self.length) % self.lap

    def since(self, phase: float) -> float:
        """Cycle phase since the plant began; negative where it is about to."""
        since = (phase - self.start) % self.lap
        return since if since < self.lap - self.approach or since < self.length else since - self.lap

    def rests(self, phase: float) -> bool:
        """Whether the point stands in this plant at a phase, and is held there for good."""
        return self.firmness > FIRM and 0.0 <= self.since(phase) < self.length

    def rolls_off(self, since: float) -> bool:
        """Whether the foot may roll off: the end of the plant is near."""
        return since > (1.0 - _ROLL) * self.length

    def hold(self, since: float) -> float:
        """How firmly the point is held over the ground, 0 … 1."""
        if since < 0.0:
            return self.firmness * smoothstep(1.0 + since / self.approach)
        if since < self.length:
            return self.firmness
        return self.firmness * smoothstep(max(0.0, 1.0 - (since - self.length) / self.release))

    def slope(self, since: float) -> float:
        """How fast its hold sets in, or out if it is nearer to its end, at most; per radian."""
        return 1.5 * self.firmness / (self.approach if since < 0.5 * self.length else self.release)

    def press(self, since: float) -> float:
        """How firmly it is held to its height, 0 … 1; no longer at all when the plant ends."""
        if since < 0.0 or self.length >= self.lap:
            return self.hold(since)
        left = (self.length - since) / (_ROLL * self.length)
        if left >= 1.0:
            return self.firmness
        return self.firmness * smoothstep(left) if left > 0.0 else 0.0

    def brake(self, since: float) -> float:
        """What a speed at the plant's beginning, or end, has to be multiplied by so that it is gone by then.

        It is 0 where the plant begins, with slope 1 towards it, and 0 without a slope where the approach does; the same
        for the release. Displaced by this times the speed it would have had, a foot comes to rest without a jerk.
        """
        if since < 0.0:
            return self.firmness * since * (1.0 + since / self.approach) ** 2
        after = since - self.length
        return self.firmness * after * max(0.0, 1.0 - after / self.release) ** 2 if after > 0.0 else 0.0


def plants_of(arcs: Arcs, duration: float, settings: PlayerSettings = DEFAULTS) -> tuple[tuple[Plant, ...], ...]:
    """The plants of each foot point with their easing.

    Parameters
    ----------
    arcs
        Start and length of the plants of each of ``FOOT_POINTS``, radians of cycle phase.
    duration
        Of the cycle, seconds.
    settings
        How a hold sets in and out.

    Returns
    -------
    tuple[tuple[Plant, ...], ...]
        Those of each foot point, in the order of their starts.
    """
    per_second = TURN / duration
    return tuple([_eased(_apart(own, per_second, settings), per_second, settings) for own in arcs])


def bearings_of(
    arcs: Arcs, duration: float, n_samples: int, settings: PlayerSettings = DEFAULTS
) -> Float[np.ndarray, "samples points"]:
    """How much of the body each foot point carries, 0 … 1, evenly over the cycle: nothing at the ends of its plants."""
    per_second = TURN / duration
    parted = [_apart(own, per_second, settings) for own in arcs]
    rows: list[float] = []
    for own in parted:
        for start, length in own:
            rows += _bearing(start, length, per_second, settings)
    if not rows:
        return np.zeros((n_samples, len(arcs)))
    middles, ends, hand_overs, steep, full = np.array(rows).reshape(-1, 5).T
    ramps = _phases(n_samples) - middles
    # Half a turn minus the way round to the middle of the plant, without a remainder, which takes long.
    ramps = np.abs(np.abs(ramps, out=ramps) - 0.5 * TURN)
    ramps += ends
    ramps /= hand_overs
    np.minimum(np.maximum(ramps, 0.0, out=ramps), 1.0, out=ramps)
    shares = ramps * steep
    shares += full
    ramps *= ramps
    shares *= ramps
    counts = [len(own) for own in parted]
    if counts == [1] * len(counts):
        return np.asarray(shares)
    edges = [0, *itertools.accumulate(counts)]
    return np.stack([shares[:, a:b].sum(axis=1) for a, b in itertools.pairwise(edges)], axis=1)


def _bearing(
    start: float, length: float, per_second: float, settings: PlayerSettings
) -> tuple[float, float, float, float, float]:
    """The middle of a plant, half of what it lacks to a round, its hand-over, and −2 and 3 times its firmness."""
    hand_over = max(min(settings.hand_over * per_second, settings.swing_share * length), 1e-9)
    firmness = _firmness(length, settings.shortest_plant * per_second)
    return (start + 0.5 * length) % TURN, 0.5 * (length - TURN), hand_over, -2.0 * firmness, 3.0 * firmness


@cache
def _phases(n_samples: int) -> Float[np.ndarray, "samples 1"]:
    return owned(np.arange(n_samples)[:, None] * (TURN / n_samples))


def _apart(arcs: tuple[Arc, ...], per_second: float, settings: PlayerSettings) -> tuple[Arc, ...]:
    """Arcs that overlap or are too near each other joined into one, round the cycle, and too short ones left out.

    Plants are blended each by itself, so two of one point can come to lie on each other, or next to it.
    """
    shortest = 0.5 * settings.shortest_plant * per_second
    if len(arcs) == 1:
        return arcs if arcs[0][1] > shortest else ()
    return tuple([arc for arc in merged(arcs, settings.nearest_plants * per_second) if arc[1] > shortest])


def _eased(arcs: tuple[Arc, ...], per_second: float, settings: PlayerSettings) -> tuple[Plant, ...]:
    out = []
    for i, (start, length) in enumerate(arcs):
        gap_after = gap_before = TURN - length  # of the only one
        if len(arcs) > 1 and length < TURN:
            before, longest = arcs[i - 1]
            gap_after = (arcs[(i + 1) % len(arcs)][0] - start - length) % TURN
            gap_before = (start - before - longest) % TURN
        approach = max(min(settings.approach * per_second, settings.swing_share * gap_before), 1e-9)
        release = max(min(settings.release * per_second, settings.swing_share * gap_after), 1e-9)
        out.append(Plant(start, length, approach, release, _firmness(length, settings.shortest_plant * per_second)))
    return tuple(out)


def _firmness(length: float, shortest: float) -> float:
    """How firmly a plant that blending has left so long holds its point."""
    return 1.0 if length >= shortest else smoothstep(2.0 * length / shortest - 1.0)
