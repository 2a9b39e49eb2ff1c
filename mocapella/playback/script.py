"""Where the blending point is sent, and when."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from mocapella.errors import MotionError
from mocapella.playback.easing import Coordinates, Point, checked_point


@dataclass(frozen=True)
class Script:
    """Blending points by time; between two of them the point goes evenly from one to the other.

    Two points at the same time make a jump there, which the player eases. Before the first and after the last the point
    rests.

    Examples
    --------
    >>> Script.of([(0.0, 0.0, 0.0), (2.0, 1.0, 0.5)]).at(1.0)
    (0.5, 0.25)
    """

    times: tuple[float, ...]
    points: tuple[Point, ...]

    @classmethod
    def of(cls, rows: Iterable[Coordinates]) -> Script:
        """A script from rows of time and coordinates, ``(time, x, y)``, in order of time."""
        table = [checked_point(row) for row in rows]
        if not table:
            raise MotionError("a script needs at least one row of time, x and y")
        if any(len(row) != len(table[0]) or len(row) < 2 for row in table):
            raise MotionError("every row of a script holds a time and the same number of coordinates")
        times = tuple(row[0] for row in table)
        if any(np.diff(times) < 0.0):
            row_number = int(np.argmax(np.diff(times) < 0.0)) + 1
            raise MotionError(
                f"a script runs forward; row {row_number} is at {times[row_number]:g} s, before its neighbour"
            )
        return cls(times, tuple(row[1:] for row in table))

    def steer(self, player: object, time: float | int) -> Point:
        """As ``at``; a script goes on whatever the player does."""
        return self.at(time)

    def at(self, time: float | int) -> Point:
        """Where the blending point belongs at a time, seconds."""
        after = bisect_right(self.times, time)
        if after == 0:
            return self.points[0]
        if after == len(self.times):
            return self.points[-1]
        start, end = self.times[after - 1], self.times[after]
        share = (time - start) / (end - start)
        return tuple(a + share * (b - a) for a, b in zip(self.points[after - 1], self.points[after], strict=True))
