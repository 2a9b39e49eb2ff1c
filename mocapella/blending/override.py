"""Where a network does without single-source harmonics after all: a map, smooth so that nothing pops at its borders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from jaxtyping import Float

from mocapella.arrays import readonly
from mocapella.errors import NetworkError


@dataclass(frozen=True, eq=False)
class Override:
    """A grid over the plane of a network: 0 keeps single-source harmonics, 1 overrides them, between it fades.

    Parameters
    ----------
    low, high
        Opposite corners of the grid. Points beyond it have what its nearest place has.
    amounts
        One per crossing of the grid, 0 … 1, an axis of the array per axis of the plane; linear in between.
    instead
        What takes their place: ``"blend"``, ordinary blending, or ``"clip"``, nothing.
    """

    low: tuple[float, ...]
    high: tuple[float, ...]
    amounts: Float[np.ndarray, "*crossings"]
    instead: Literal["blend", "clip"] = "blend"

    def __post_init__(self) -> None:
        amounts = readonly(self.amounts, np.float64)
        object.__setattr__(self, "amounts", amounts)
        for name in ("low", "high"):
            object.__setattr__(self, name, tuple(map(float, getattr(self, name))))
        if self.instead not in ("blend", "clip"):
            raise NetworkError(f"expected 'blend' or 'clip' instead of single-source harmonics, got {self.instead!r}")
        if not len(self.low) == len(self.high) == amounts.ndim or not all(amounts.shape):
            raise NetworkError(
                f"a map from {self.low} to {self.high} needs one axis of amounts each, got shape {amounts.shape}"
            )
        if not ((amounts >= 0.0) & (amounts <= 1.0)).all():
            raise NetworkError("amounts of a map lie between 0, which keeps single-source harmonics, and 1")
        if not all(-np.inf < a <= b < np.inf for a, b in zip(self.low, self.high, strict=True)):
            raise NetworkError(f"a map goes from its lowest to its highest corner, got {self.low} and {self.high}")

    def amount(self, point: Sequence[float | int] | Float[np.ndarray, " axes"]) -> float:
        """How far single-source harmonics are overridden at a point."""
        part = self._nested
        corners: list[tuple[Any, float]] = [(part, 1.0)]
        for x, low, high, size in zip(point, self.low, self.high, self.amounts.shape, strict=True):
            along = min(max((x - low) / (high - low), 0.0), 1.0) * (size - 1) if high > low else 0.0
            i = min(int(along), max(size - 2, 0))
            rest = along - i
            steps = ((i, 1.0 - rest), (i + 1, rest)) if rest > 0.0 else ((i, 1.0),)
            corners = [(part[j], share * own) for part, share in corners for j, own in steps]
        return float(sum(share * value for value, share in corners))

    @cached_property
    def _nested(self) -> Any:
        return self.amounts.tolist()  # plain numbers: a place asks for four of them, at every blend
