"""Scripts: blending points and key presses by time."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Protocol, runtime_checkable

import numpy as np

from mocapella.checks import finite_numbers
from mocapella.errors import MotionError, warn
from mocapella.playback.pointer import Point

_ROW = "a script is rows of a time in seconds and coordinates, all of them finite, perhaps with a key"


@runtime_checkable
class _Keyboard(Protocol):
    """Anything with keys to press, such as a player."""

    def press(self, key: str) -> None:
        """Press a key; ``MotionError`` if it does nothing."""
        ...


@dataclass(frozen=True)
class Script:
    """Blending points by time; between two of them the point goes evenly from one to the other.

    Two points at the same time make a jump there, which the player eases. Before the first and after the last the point
    rests. In a hybrid network a row may have a key, which is pressed at its time; one that does nothing then is left
    out, with a warning. From a row without a point on, the point is left where it is until the next row with one.

    Examples
    --------
    >>> Script.of([(0.0, 0.0, 0.0), (2.0, 1.0, 0.5)]).at(1.0)
    (0.5, 0.25)
    """

    times: tuple[float, ...]
    points: tuple[Point | None, ...]
    keys: tuple[str, ...] = ()  # one for each row, mostly none; or none at all
    _until: list[float] = field(default_factory=lambda: [-math.inf], repr=False, compare=False)  # pressed so far

    @classmethod
    def of(cls, rows: Iterable[Sequence[Any] | np.ndarray]) -> Script:
        """A script from rows in order of time.

        Parameters
        ----------
        rows
            Seconds, coordinates and perhaps a key, ``(time, x, y[, key])``; a row ``(time, key)`` leaves the point
            alone.

        Returns
        -------
        Script
            One row for each.

        Raises
        ------
        MotionError
            For malformed rows, rows that run back in time, or rows with different numbers of coordinates.
        """
        _refuse_other(rows, Iterable)
        table = [_checked_row(row) for row in rows]
        placed = [numbers for numbers, key in table if len(numbers) > 1 or not key]
        if not placed:
            raise MotionError("a script needs at least one row of time, x and y")
        if any(len(numbers) != len(placed[0]) or len(numbers) < 2 for numbers in placed):
            raise MotionError("every row of a script holds a time and the same number of coordinates")
        times, keys = tuple(numbers[0] for numbers, _ in table), tuple(key for _, key in table)
        _refuse_backwards(times)
        return cls(times, tuple(numbers[1:] or None for numbers, _ in table), keys if any(keys) else ())

    def since(self, time: float | int) -> Script:
        """The same from a time on: the keys up to then have been pressed already."""
        return replace(self, _until=[float(time)])

    def steer(self, player: object, time: float | int) -> Point | None:
        """The goal of the blending point at a time; keys since the last call are pressed first."""
        if self.keys and isinstance(player, _Keyboard):
            since = self._until[0] if time >= self._until[0] else -math.inf  # a script can be played again
            self._until[0] = float(time)
            for at, key in zip(self.times, self.keys, strict=True):
                if key and since < at <= time:
                    _press(player, key, at)
        return self.at(time)

    def at(self, time: float | int) -> Point | None:
        """The goal of the blending point at a time, seconds; None where it is left alone."""
        after = bisect_right(self.times, time)
        if after == 0:
            return self.points[0]
        here, there = self.points[after - 1], self.points[min(after, len(self.points) - 1)]
        if here is None or there is None or after == len(self.times):
            return here
        start, end = self.times[after - 1], self.times[after]
        share = (time - start) / (end - start)
        return tuple(a + share * (b - a) for a, b in zip(here, there, strict=True))


def _refuse_other(value: object, kind: Any) -> None:
    if isinstance(value, str | bytes) or not isinstance(value, kind):
        raise MotionError(f"{_ROW}; got {value!r}")


def _checked_row(row: Sequence[Any] | np.ndarray) -> tuple[tuple[float, ...], str]:
    """The numbers of a row, and its key or no text."""
    _refuse_other(row, Sequence | np.ndarray)
    keyed = len(row) > 0 and isinstance(row[-1], str)
    numbers = finite_numbers(row[:-1] if keyed else row, _ROW)
    if not numbers:
        raise MotionError(f"{_ROW}; got {row!r}")
    return numbers, row[-1] if keyed else ""


def _refuse_backwards(times: Sequence[float]) -> None:
    """Raise where times do not run forward from 0 on."""
    if times[0] < 0.0:
        raise MotionError(f"a script begins at 0 s; its first row is at {times[0]:g} s")
    for number, (before, after) in enumerate(pairwise(times), start=1):
        if after < before:
            raise MotionError(f"a script runs forward; row {number} is at {after:g} s, before its neighbour")


def _press(player: _Keyboard, key: str, time: float) -> None:
    try:
        player.press(key)
    except MotionError as error:
        warn(f"{time:g} s: {error}")
