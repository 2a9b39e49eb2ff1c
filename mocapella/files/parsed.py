"""What a file says, in its own length unit, before anybody decides how long that unit is."""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike

import numpy as np
from jaxtyping import Float, Int

from mocapella.errors import FormatError
from mocapella.motion.report import Finding
from mocapella.motion.skeleton import Skeleton

_MOST_UNSTATED = 10_000_000  # rotations, 32 bytes each, that no number in the file stands for


@dataclass(frozen=True, eq=False, repr=False)
class Parsed:
    """A motion as it was read: lengths in file units, angles already rotations.

    ``metres_per_unit`` is known only where the format states it; None leaves it to be told from the skeleton's height.
    """

    skeleton: Skeleton  # file units
    root_positions: Float[np.ndarray, "frames 3"]  # file units
    rotations_wxyz: Float[np.ndarray, "frames joints 4"]
    frame_rate: float  # frames per second
    sliding_joints: Int[np.ndarray, " sliding"] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    slides: Float[np.ndarray, "_ sliding 3"] = field(default_factory=lambda: np.zeros((0, 0, 3)))  # their offsets
    findings: tuple[Finding, ...] = ()
    metres_per_unit: float | None = None


def refuse_more_than_the_file_pays_for(path: str | PathLike[str], n_frames: int, n_columns: int, n_joints: int) -> None:
    """Refuse frames of so many joints without channels that a small file would fill the memory."""
    if n_frames * (n_joints - n_columns) > _MOST_UNSTATED:
        raise FormatError(
            path, 0, f"{n_joints:,} joints with only {n_columns:,} channels in {n_frames:,} frames are not read"
        )
