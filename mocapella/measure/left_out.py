"""Captures left out and blended again; what a change improves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Complex, Float

from mocapella.analysis.fourier import analyse, synthesise
from mocapella.analysis.synchronise import synchronise, synchronised_to
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.building.build import joined
from mocapella.building.placement import Axes
from mocapella.errors import MotionError
from mocapella.measure.maps import ROUNDING, DistortionMap
from mocapella.motion import kinematics
from mocapella.motion.cycle import Cycle
from mocapella.motion.spectrum import Spectrum

# Leave-one-out: how far what all other captures make of one is from that capture itself.

HARMONICS = 10
_FRAMES = 60  # in which two cycles are compared
_SMALL = ("hand", "finger", "thumb")  # joints of which captures tell little


@dataclass(frozen=True, eq=False)
class LeftOut:
    """A capture, the others as captured, and the network that ``build`` makes of them, in which it has a place."""

    target: Cycle
    others: tuple[Cycle, ...]
    network: Network
    point: tuple[float, float]

    def error(self, coefficients: Complex[np.ndarray, "harmonics dofs"]) -> float:
        """How far a blend, made at the place of what was left out, is from it; metres."""
        blend = replace(self._blend, coefficients=coefficients)
        return joint_error(synthesise(blend, self.target.n_frames), self.target)

    @cached_property
    def _blend(self) -> Spectrum:
        return self.network.blend(self.point)


def left_out(cycles: Sequence[Cycle], axes: Axes | None = None, *, harmonics: int = HARMONICS) -> list[LeftOut]:
    """Each cycle that lies between slower and faster ones, with the network of all others.

    Motions lie by ``axes``, or without any by speed alone. Where turns count only those are left out that lie inside
    the network of the others; by stride and speed a place outside goes to the outline, as any point does.
    """
    places = [(0.0, cycle.speed) if axes is None else axes.measure(cycle) for cycle in cycles]
    out = []
    for i, target in enumerate(cycles):
        others = [j for j in range(len(cycles)) if j != i]
        speeds = [cycles[j].speed for j in others]
        if not min(speeds) < target.speed < max(speeds):
            continue
        spectra = [analyse(cycle, harmonics) for cycle in synchronise([cycles[j] for j in others])]
        nodes = [Node(str(j), places[j], one) for j, one in zip(others, spectra, strict=True)]
        network = joined(nodes, axes=axes)
        if axes is None or not axes.turns or network.place(places[i]).inside:
            out.append(LeftOut(target, tuple(cycles[j] for j in others), network, places[i]))
    return out


def joint_error(one: Cycle, other: Cycle) -> float:
    """Mean distance of all joints but hands, root on root, over a cycle, after both were brought into step; metres."""
    other = synchronised_to(other, [one])
    return float(np.linalg.norm(_places(one) - _places(other), axis=-1).mean())


def _places(cycle: Cycle) -> Float[np.ndarray, "frames joints 3"]:
    made, skeleton = synthesise(analyse(cycle), _FRAMES), cycle.skeleton
    joints = [j for j, name in enumerate(skeleton.names) if not any(word in name.lower() for word in _SMALL)]
    return kinematics.forward(skeleton, np.zeros((_FRAMES, 3)), made.rotations_wxyz)[0][:, joints]


# What a change of the blend rule improves and what it worsens, all over a network (thesis, table 7.4).

THRESHOLDS = (0.0, 0.05, 0.10, 0.15, 0.20, 0.25)  # of the largest distortion before


@dataclass(frozen=True)
class Change:
    """How many points changed by more than a threshold, as shares of all measured; they sum to 1."""

    threshold: float  # of the largest distortion before
    improved: float
    worsened: float
    unchanged: float


@dataclass(frozen=True, eq=False)
class Improvement:
    """Two maps of one network, before and after, on the scale of the one before."""

    before: DistortionMap
    after: DistortionMap

    def __post_init__(self) -> None:
        if not np.array_equal(self.before.points, self.after.points):
            raise MotionError("two maps are compared point by point; make both by one survey")

    @property
    def difference(self) -> Float[np.ndarray, " samples"]:
        """By how much every point became worse, radians."""
        both = np.isfinite(self.before.values) & np.isfinite(self.after.values)
        return np.asarray(self.after.values[both] - self.before.values[both])

    def table(self, thresholds: Sequence[float] = THRESHOLDS) -> tuple[Change, ...]:
        """Table 7.4: for every threshold the shares of points improved, worsened and unchanged.

        A change below 1e-9 rad is rounding.
        """
        change = self.difference
        rows = []
        for threshold in thresholds:
            limit = max(threshold * self.before.max, ROUNDING)
            improved, worsened = float((change < -limit).mean()), float((change > limit).mean())
            rows.append(Change(float(threshold), improved, worsened, float((np.abs(change) <= limit).mean())))
        return tuple(rows)

    @property
    def hotspots(self) -> tuple[int, int]:
        """Points with at least 67 % of the largest distortion before: how many there were, and how many there are."""
        return self.before.hotspots(), self.after.hotspots(self.before.max)

    @property
    def hotspots_gone(self) -> float:
        """The share of hotspots that are gone, 0 … 1; below 0 where there are more, 0 where there never were any."""
        before, after = self.hotspots
        return 1.0 - after / before if before else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain numbers, shares in per cent."""
        before, after = self.hotspots
        return {
            "mean": [self.before.mean, self.after.mean],
            "max": [self.before.max, self.after.max],
            "hotspots": [before, after],
            "hotspots_gone_percent": 100.0 * self.hotspots_gone,
            "table": [
                {
                    "threshold_percent": 100.0 * row.threshold,
                    "improved_percent": 100.0 * row.improved,
                    "worsened_percent": 100.0 * row.worsened,
                    "unchanged_percent": 100.0 * row.unchanged,
                }
                for row in self.table()
            ],
        }
