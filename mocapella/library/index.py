"""An exact nearest-neighbour index of windows that compares few numbers first.

Windows are projected onto the directions in which they differ most. Distances there are never larger than those of all
numbers, so windows that are further away in the projection than the nearest ones found need not be compared.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int, Shaped

from mocapella.arrays import freeze
from mocapella.library.descriptors import LOOKS

_DIRECTIONS = 16  # of the projection: a ninth of the numbers
_SAMPLE = 20_000  # windows from which they are found
_BLOCK = 20_000  # windows compared at once, so that memory stays flat
_FIRST = 20  # windows per wanted capture that are compared first
_ROUNDING = 1e-3  # of a square: what single precision may be off by


@dataclass(frozen=True, eq=False)
class WindowIndex:
    """Windows and their projections, in memory."""

    numbers: Shaped[np.ndarray, "windows numbers"]  # 16-bit floats
    clips: Int[np.ndarray, " windows"]
    starts: Int[np.ndarray, " windows"]
    axes: Float[np.ndarray, "directions numbers"]
    middle: Float[np.ndarray, " numbers"]
    projected: Float[np.ndarray, "windows directions"]
    squares: Float[np.ndarray, " windows"]  # of the lengths of projections

    def __post_init__(self) -> None:
        freeze(self, np.float32, "axes", "middle", "projected", "squares")

    @classmethod
    def of(
        cls,
        numbers: Shaped[np.ndarray, "windows numbers"],
        clips: Int[np.ndarray, " windows"],
        starts: Int[np.ndarray, " windows"],
    ) -> WindowIndex:
        """Build it.

        ``numbers``, ``clips`` and ``starts`` are windows, the captures they belong to, and their first frames, as
        ``Library.windows`` gives them.
        """
        some = (numbers if len(numbers) else np.zeros((1, numbers.shape[1])))[:: max(1, len(numbers) // _SAMPLE)]
        some = some.astype(np.float64)
        middle = some.mean(axis=0).astype(np.float32)
        vectors = np.linalg.eigh((some - middle).T @ (some - middle))[1]
        axes = np.ascontiguousarray(vectors[:, ::-1][:, :_DIRECTIONS].T, dtype=np.float32)
        projected = np.empty((len(numbers), len(axes)), dtype=np.float32)
        for first in range(0, len(numbers), _BLOCK):
            projected[first : first + _BLOCK] = (numbers[first : first + _BLOCK].astype(np.float32) - middle) @ axes.T
        return cls(numbers, clips, starts, axes, middle, projected, np.einsum("ij,ij->i", projected, projected))

    def nearest(
        self, asked: Float[np.ndarray, "asked numbers"], most: int
    ) -> tuple[Int[np.ndarray, " found"], Float[np.ndarray, " found"]]:
        """Windows that are nearest to any of some asked for, one of each capture.

        Returns ``places`` and ``squares``: numbers of windows, and squares of their distances, the nearest first: the
        same as comparing all.
        """
        least = self._bounds(asked)
        count = min(_FIRST * most, len(least))
        near = np.argpartition(least, count - 1)[:count]
        _, squares = self._one_each(*self._exact(asked, near), most)
        if len(squares) == most:  # what is further off than these, even in the projection, cannot be nearer
            near = np.flatnonzero(least <= squares[-1] * (1.0 + _ROUNDING) + _ROUNDING)
        else:
            near = np.arange(len(least))
        return self._one_each(*self._exact(asked, near), most)

    def nearest_poses(
        self, pose: Float[np.ndarray, "points 3"], most: int
    ) -> tuple[Int[np.ndarray, " found"], Int[np.ndarray, " found"], Float[np.ndarray, " found"]]:
        """The moments of windows at which bodies stand most like a pose, one of each capture, however they head.

        ``pose`` is as ``pose_of`` gives it. Returns ``places``, ``looks`` and ``squares``: numbers of windows, which of
        their times it is, and squares of the distances, the nearest first. A turn about the vertical that lays one pose
        over the other has a closed form, and is taken.
        """
        n_windows, n_points = len(self.numbers), len(pose)
        ground, heights = pose[:, 2] + 1j * pose[:, 0], pose[:, 1]
        apart = np.empty((n_windows, LOOKS), dtype=np.float32)
        for first in range(0, n_windows, _BLOCK):
            some = self.numbers[first : first + _BLOCK, : LOOKS * n_points * 3].astype(np.float32)
            some = some.reshape(-1, LOOKS, n_points, 3)
            level = some[..., 2] + 1j * some[..., 0]
            sizes = (np.abs(level) ** 2).sum(axis=-1) + float((np.abs(ground) ** 2).sum())
            apart[first : first + _BLOCK] = (
                sizes - 2.0 * np.abs(level @ ground.conj()) + ((some[..., 1] - heights) ** 2).sum(axis=-1)
            )
        looks = apart.argmin(axis=1)
        squares = np.maximum(apart[np.arange(n_windows), looks], 0.0)
        order = np.argsort(squares, kind="stable")
        places, nearest = self._one_each(order, squares[order], most)
        return places, looks[places], nearest

    def _bounds(self, asked: np.ndarray) -> Float[np.ndarray, " windows"]:
        """Squares that no distance from the nearest asked window is less than."""
        goals = (asked - self.middle) @ self.axes.T
        lengths = np.einsum("ij,ij->i", goals, goals)[:, None]
        out = np.empty(len(self.projected), dtype=np.float32)
        for first in range(0, len(out), _BLOCK):
            # asked ones first: the least of each column is found along rows, as memory lies
            apart = (-2.0 * goals) @ self.projected[first : first + _BLOCK].T + lengths
            out[first : first + _BLOCK] = apart.min(axis=0)
        return np.asarray(np.maximum(out + self.squares, 0.0))

    def _exact(self, asked: np.ndarray, near: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Some windows and the squares of their distances from the nearest asked one, nearest first."""
        lengths = np.einsum("ij,ij->i", asked, asked)[:, None]
        squares = np.empty(len(near), dtype=np.float32)
        for first in range(0, len(near), _BLOCK):
            stored = self.numbers[near[first : first + _BLOCK]].astype(np.float32)
            apart = (-2.0 * asked) @ stored.T + lengths
            squares[first : first + _BLOCK] = apart.min(axis=0) + np.einsum("ij,ij->i", stored, stored)
        order = np.argsort(squares, kind="stable")
        return near[order], np.maximum(squares[order], 0.0)

    def _one_each(self, places: np.ndarray, squares: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
        """The nearest window of each capture, at most so many."""
        _, first = np.unique(self.clips[places], return_index=True)
        chosen = np.sort(first)[:most]
        return places[chosen], squares[chosen]
