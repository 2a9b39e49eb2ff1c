"""Angles that leap although the body does not: Euler angles gone over their edge, found for the report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from mocapella.motion.report import Finding

_LEAP = 20.0  # degrees an angle changes by within one frame
_CALM = np.radians(_LEAP / 3)  # the most the joint itself turns meanwhile


class Leaps(NamedTuple):
    """Where angles leap within one frame, more than once where several of a joint do.

    Anywhere else a joint turns so little that its quaternion, made from the angles, keeps its sign.
    """

    frames: Int[np.ndarray, " leaps"]
    joints: Int[np.ndarray, " leaps"]
    nearness: Float[np.ndarray, " leaps"]  # scalar product of the quaternions before and after


class FlipFinder:
    """Looks at angles and the rotations they stand for, block after block."""

    def __init__(
        self, columns: Sequence[Sequence[int]], names: Sequence[str], n_columns: int, degrees: float = 1.0
    ) -> None:
        """``columns`` lists for every joint where in a row its angles stand, in units of ``degrees``."""
        self._names = names
        self._leap = _LEAP / degrees
        self._joint_of = np.full(n_columns, -1)  # of a column; −1 for those that are no angles
        for joint, mine in enumerate(columns):
            self._joint_of[list(mine)] = joint
        self._flips: set[tuple[int, int]] = set()
        self._n_rows = 0
        self._last_row = np.empty(0)
        self._steps, self._far = np.empty((0, n_columns)), np.empty((0, n_columns), dtype=bool)

    def add(
        self, rows: Float[np.ndarray, "rows columns"], rotations_wxyz: Float[np.ndarray, "frames joints 4"]
    ) -> Leaps:
        """The next rows, as numbers and as rotations; where angles leap.

        The rotations begin with that of the last row before, unless there was none.
        """
        if self._n_rows == 0:
            self._last_row = rows[:1].copy()
        if len(rows) > len(self._steps):  # kept, for fresh memory costs more than the arithmetic
            self._steps, self._far = np.empty(rows.shape), np.empty(rows.shape, dtype=bool)
        steps = self._steps[: len(rows)]
        np.subtract(rows[:1], self._last_row, out=steps[:1])
        np.subtract(rows[1:], rows[:-1], out=steps[1:])
        far = np.greater(np.abs(steps, out=steps), self._leap, out=self._far[: len(rows)])
        row, column = np.divmod(np.flatnonzero(far), len(self._joint_of))
        joint = self._joint_of[column]
        row, joint = row[joint >= 0], joint[joint >= 0]
        frame = row + len(rotations_wxyz) - len(rows)
        leaps = Leaps(
            frame, joint, np.einsum("li,li->l", rotations_wxyz[frame - 1, joint], rotations_wxyz[frame, joint])
        )
        calm = np.abs(leaps.nearness) > np.cos(0.5 * _CALM)
        self._flips.update(zip((row[calm] + self._n_rows).tolist(), joint[calm].tolist(), strict=True))
        self._last_row = rows[-1:].copy()
        self._n_rows += len(rows)
        return leaps

    def findings(self) -> list[Finding]:
        """One finding for all rows in which an angle leaps while its joint hardly turns; harmless as rotations."""
        if not self._flips:
            return []
        shown = ", ".join(self._names[joint] for joint in sorted({joint for _, joint in self._flips})[:4])
        message = f"angles of {shown} leap over their edge while the body turns on; as rotations they are smooth"
        return [Finding("euler-flip", message, tuple(sorted({row for row, _ in self._flips})), doubtful=False)]
