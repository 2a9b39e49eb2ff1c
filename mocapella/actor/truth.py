"""Ground truth of a performance, known because it was planned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from jaxtyping import Float, Int

from mocapella.arrays import readonly


@dataclass(frozen=True, eq=False, repr=False)
class Truth:
    """Ground truth of a performed clip; frames count from 0, intervals hold their first and last frame."""

    action: str
    style: str
    period: float | None  # seconds per cycle; of the old motion in a transition, None if nothing repeats
    speed: float  # metres per second along the way, mean of the clip
    turn: float  # radians per second, left positive, mean of the clip
    phases: Float[np.ndarray, " frames"]  # cycle phase, 0 … 2π; 0 is the left foot's first contact
    contacts: Mapping[str, Int[np.ndarray, "contacts 2"]]  # left_heel, left_toe, right_heel, right_toe
    ground_normal: Float[np.ndarray, 3]  # the ground passes through the origin, square to this
    boundaries: Int[np.ndarray, "boundaries 2"] = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))
    # of a transition: before, change, after
    period_after: float | None = None  # of a transition: seconds per cycle of the new motion
    dropouts: tuple[int, ...] = ()  # frames in which the root was lost
    jumps: tuple[int, ...] = ()  # frames in which a joint jumped

    def __post_init__(self) -> None:
        object.__setattr__(self, "phases", readonly(self.phases, np.float64))
        object.__setattr__(self, "ground_normal", readonly(self.ground_normal, np.float64))
        object.__setattr__(self, "boundaries", readonly(self.boundaries, np.int64))
        frozen = {name: readonly(rows, np.int64) for name, rows in self.contacts.items()}
        object.__setattr__(self, "contacts", MappingProxyType(frozen))

    def planted(self, contact: str) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Frame by frame, whether a heel or toe (``"left_heel"``) is planted."""
        down = np.zeros(len(self.phases), dtype=bool)
        for first, last in self.contacts[contact]:
            down[first : last + 1] = True
        return down

    def __repr__(self) -> str:
        period = "no period" if self.period is None else f"period {self.period:.3f} s"
        return f"Truth({self.action!r}, {self.style}, {period}, {self.speed:.2f} m/s, {self.turn:+.2f} rad/s)"
