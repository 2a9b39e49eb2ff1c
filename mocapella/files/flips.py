"""Angles that leap although the body does not: Euler angles gone over their edge, found for the report."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from mocapella.geometry import quaternions
from mocapella.motion.report import Finding

_LEAP = 20.0  # degrees an angle changes by within one frame
_CALM = np.radians(_LEAP / 3)  # the most the joint itself turns meanwhile
_BLOCK = 256  # rows compared at a time: what lies between stays in the cache


def find_flips(
    values: Float[np.ndarray, "frames columns"],
    columns: Sequence[Sequence[int]],
    names: Sequence[str],
    rotations_wxyz: Float[np.ndarray, "frames joints 4"],
    degrees: float = 1.0,
) -> list[Finding]:
    """One finding for all rows in which an angle leaps while its joint hardly turns; harmless once read as rotations.

    ``columns`` lists for every joint where its angles stand in ``values``, in units of ``degrees``.
    """
    joint_of = {column: joint for joint, mine in enumerate(columns) for column in mine}
    leaps: set[tuple[int, int]] = set()
    scratch = np.empty((min(_BLOCK, len(values)), values.shape[1]))
    for start in range(0, len(values) - 1, _BLOCK):
        block = values[start : start + _BLOCK + 1]
        steps = np.subtract(block[1:], block[:-1], out=scratch[: len(block) - 1])
        if max(float(steps.max()), -float(steps.min())) <= _LEAP / degrees:
            continue
        rows, leaping = np.nonzero(np.abs(steps) > _LEAP / degrees)
        leaps |= {
            (start + row + 1, joint_of[column])
            for row, column in zip(rows.tolist(), leaping.tolist(), strict=True)
            if column in joint_of
        }
    if not leaps:
        return []
    rows, joints = np.array(sorted(leaps)).T
    turned = quaternions.angle_between(rotations_wxyz[rows - 1, joints], rotations_wxyz[rows, joints])
    flipped, who = rows[turned < _CALM], joints[turned < _CALM]
    if len(flipped) == 0:
        return []
    shown = ", ".join(names[joint] for joint in np.unique(who)[:4])
    message = f"angles of {shown} leap over their edge while the body turns on; as rotations they are smooth"
    return [Finding("euler-flip", message, tuple(int(row) for row in np.unique(flipped)), doubtful=False)]
