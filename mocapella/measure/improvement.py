"""What a change of the blend rule improves and what it worsens, all over a network (thesis, table 7.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from mocapella.errors import MotionError
from mocapella.measure.maps import ROUNDING, DistortionMap

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
