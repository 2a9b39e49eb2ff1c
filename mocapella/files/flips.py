"""Angles that leap although the body does not: Euler angles gone over their edge, found for the report."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from mocapella.motion.report import Finding

_LEAP = 20.0  # degrees an angle changes by within one frame
_CALM = np.radians(_LEAP / 3)  # the most the joint itself turns meanwhile


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
        self._steps = np.empty((0, n_columns))
        self._last: tuple[Float[np.ndarray, " columns"], Float[np.ndarray, "joints 4"]] | None = None

    def add(self, rows: Float[np.ndarray, "rows columns"], rotations_wxyz: Float[np.ndarray, "rows joints 4"]) -> None:
        """The next rows, as numbers and as rotations."""
        if self._last is not None:
            last, turned = self._last
            self._look(np.stack([last, rows[0]]), np.stack([turned, rotations_wxyz[0]]), self._n_rows)
        self._look(rows, rotations_wxyz, self._n_rows + 1)
        if len(rows):
            self._last = rows[-1].copy(), rotations_wxyz[-1].copy()
        self._n_rows += len(rows)

    def findings(self) -> list[Finding]:
        """One finding for all rows in which an angle leaps while its joint hardly turns; harmless as rotations."""
        if not self._flips:
            return []
        shown = ", ".join(self._names[joint] for joint in sorted({joint for _, joint in self._flips})[:4])
        message = f"angles of {shown} leap over their edge while the body turns on; as rotations they are smooth"
        return [Finding("euler-flip", message, tuple(sorted({row for row, _ in self._flips})), doubtful=False)]

    def _look(
        self, rows: Float[np.ndarray, "rows columns"], rotations_wxyz: Float[np.ndarray, "rows joints 4"], second: int
    ) -> None:
        """Find the flips between rows; ``second`` is the number of the second of them."""
        if len(rows) < 2:
            return
        if len(rows) > len(self._steps):
            self._steps = np.empty(rows.shape)  # kept, for fresh memory costs more than the arithmetic
        steps = np.subtract(rows[1:], rows[:-1], out=self._steps[: len(rows) - 1])
        leaping = np.flatnonzero((steps.max(axis=1) > self._leap) | (steps.min(axis=1) < -self._leap))
        if len(leaping) == 0:
            return
        leaps = np.argwhere(np.abs(steps[leaping]) > self._leap)
        joints = self._joint_of[leaps[:, 1]]
        at, joints = leaping[leaps[joints >= 0, 0]], joints[joints >= 0]
        nearness = np.abs(np.einsum("ij,ij->i", rotations_wxyz[at, joints], rotations_wxyz[at + 1, joints]))
        calm = nearness > np.cos(0.5 * _CALM)
        self._flips.update(zip((at[calm] + second).tolist(), joints[calm].tolist(), strict=True))
