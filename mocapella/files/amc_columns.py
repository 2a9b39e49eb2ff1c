"""Which values of an Acclaim motion file belong to which bone, once its frames are a table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mocapella.files.asf import AsfSkeleton


@dataclass(frozen=True)
class Columns:
    """The columns of a skeleton's motions: joints in their order, values in the order of the file."""

    names: tuple[str, ...]
    counts: tuple[int, ...]  # values per joint
    firsts: tuple[int, ...]  # the column of a joint's first value
    joints: dict[str, int]  # by name
    skeleton_path: str

    @classmethod
    def of(cls, asf: AsfSkeleton) -> Columns:
        """The columns for one skeleton."""
        names = asf.skeleton.names
        counts = (len(asf.root_channels), *(len(letters) for letters in asf.dofs[1:]))
        firsts = np.cumsum((0, *counts[:-1])).tolist()
        return cls(names, counts, tuple(firsts), {name: i for i, name in enumerate(names)}, asf.path)

    @property
    def total(self) -> int:
        """How many columns there are."""
        return sum(self.counts)
