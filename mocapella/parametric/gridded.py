"""Examples on a regular grid, mixed by the position in a cell, as Wiley and Hahn (1997) do: a baseline.

A cell has two corners for every label, so the number of examples needed grows as a power of two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from jaxtyping import Float

from mocapella.errors import MotionError


@dataclass(frozen=True, eq=False)
class Grid:
    """A grid of examples.

    Examples
    --------
    >>> square = Grid.of(np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]))
    >>> square.weights(np.array([0.25, 0.5])).tolist()
    [0.375, 0.375, 0.125, 0.125]
    """

    axes: tuple[tuple[float, ...], ...]
    numbers: dict[tuple[int, ...], int]  # of the example at each place of the grid

    @classmethod
    def of(cls, places: Float[np.ndarray, "examples axes"], *, within: float = 1e-6) -> Grid:
        """The grid that examples lie on.

        Labels that differ by at most ``within`` of their range are on one line of the grid. Raises ``MotionError``
        where examples are missing for a full grid, with how many it would take.
        """
        axes = tuple(_lines(column, within) for column in places.T)
        wanted = int(np.prod([len(axis) for axis in axes]))
        if wanted != len(places):
            lines = " × ".join(str(len(axis)) for axis in axes)
            text = f"a grid of {lines} labels takes {wanted} examples, there are {len(places)}"
            raise MotionError(text, helps="form='inverse' takes examples that lie anywhere")
        numbers: dict[tuple[int, ...], int] = {}
        for number, place in enumerate(places):
            at = tuple(int(np.argmin(np.abs(np.array(axis) - x))) for axis, x in zip(axes, place, strict=True))
            numbers[at] = number
        if len(numbers) != wanted:
            raise MotionError("two examples lie at one crossing of the grid", helps="leave one out")
        return cls(axes, numbers)

    def weights(self, place: Float[np.ndarray, " axes"] | Sequence[float]) -> Float[np.ndarray, " examples"]:
        """How much every example counts; places beyond the grid count as the nearest on its border.

        The result sums to 1; the corners of one cell, 2 to the power of the labels, are not 0.
        """
        cells = [_cell(axis, float(x)) for axis, x in zip(self.axes, place, strict=True)]
        out = np.zeros(len(self.numbers))
        for sides in product((0, 1), repeat=len(cells)):
            corners = list(zip(cells, sides, self.axes, strict=True))
            at = tuple(min(cell + side, len(axis) - 1) for (cell, _), side, axis in corners)
            out[self.numbers[at]] += float(np.prod([part if side else 1.0 - part for (_, part), side, _ in corners]))
        return out


def _lines(column: np.ndarray, within: float) -> tuple[float, ...]:
    ordered = np.sort(column)
    near = within * max(float(np.ptp(column)), 1e-12)
    return tuple(float(x) for i, x in enumerate(ordered) if i == 0 or x - ordered[i - 1] > near)


def _cell(axis: tuple[float, ...], x: float) -> tuple[int, float]:
    """Which cell of an axis a number lies in, and how far into it, 0 … 1."""
    if len(axis) == 1:
        return 0, 0.0
    cell = int(np.clip(np.searchsorted(axis, x, side="right") - 1, 0, len(axis) - 2))
    return cell, float(np.clip((x - axis[cell]) / (axis[cell + 1] - axis[cell]), 0.0, 1.0))
