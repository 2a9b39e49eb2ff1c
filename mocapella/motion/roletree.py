"""The joint tree as roles ask about it: who carries whom, where chains meet, how far apart joints rest."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from mocapella.motion.skeleton import NO_PARENT, Skeleton


class JointTree:
    """A skeleton with the questions that roles ask of it answered in constant time."""

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton = skeleton
        self.names = skeleton.names
        self.parents: list[int] = skeleton.parents.tolist()
        self.places = skeleton.rest_positions
        sizes = [1] * len(self.parents)
        for joint in range(len(self.parents) - 1, 0, -1):
            sizes[self.parents[joint]] += sizes[joint]
        # A joint's whole subtree is numbered without gaps from the joint's own number on.
        self.first, self.depth, after = [0] * len(sizes), [0] * len(sizes), [1] * len(sizes)
        for joint, parent in enumerate(self.parents):
            if parent != NO_PARENT:
                self.first[joint], self.depth[joint] = after[parent], self.depth[parent] + 1
                after[parent] += sizes[joint]
            after[joint] = self.first[joint] + 1
        self.last = [first + size for first, size in zip(self.first, sizes, strict=True)]

    def holds(self, upper: int, lower: int) -> bool:
        """Whether ``lower`` is ``upper`` or hangs somewhere below it."""
        return self.first[upper] <= self.first[lower] < self.last[upper]

    def above(self, upper: int, lower: int) -> bool:
        """Whether ``lower`` hangs somewhere below ``upper``."""
        return upper != lower and self.holds(upper, lower)

    def meeting(self, joints: Iterable[int]) -> int:
        """The lowest joint that holds them all."""
        first, *others = joints
        while not all(self.holds(first, other) for other in others):
            first = self.parents[first]
        return first

    def distance(self, a: int, b: int) -> float:
        """Metres, or file units, between two joints of the rest pose."""
        return float(np.linalg.norm(self.places[a] - self.places[b]))
