"""Smooth a cycle by leaving out what is small in its spectrum."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mocapella.arrays import owned
from mocapella.errors import MotionError
from mocapella.motion.cycle import Cycle
from mocapella.motion.layout import N_ROOT_DOFS

SMALL = 0.1  # of the largest harmonic, as published


def smoothed(cycle: Cycle, share: float | int = SMALL) -> Cycle:
    """The cycle without harmonics smaller than ``share`` of the largest of the same joint (EDT-01), the means aside.

    All dofs of a joint keep the same harmonics, so that its rotations stay rotations; height, travel and yaw rate are
    judged each on its own. Jitter goes, and with it what is quick and meant: a strike of the foot goes soft.
    """
    if not 0.0 <= share < 1.0:
        raise MotionError(f"the share below which harmonics are left out is 0 or more and less than 1, got {share}")
    spectrum = np.fft.rfft(cycle.dofs, axis=0)
    n_dofs = cycle.dofs.shape[1]
    joints = [cycle.layout.columns(joint) for joint in range(cycle.skeleton.n_joints)]
    alone = [slice(column, column + 1) for column in range(n_dofs - N_ROOT_DOFS, n_dofs)]
    for columns in (*joints, *alone):
        sizes = np.linalg.norm(np.abs(spectrum[1:, columns]), axis=1)
        spectrum[1:, columns][sizes < share * sizes.max(initial=0.0)] = 0.0
    dofs = np.fft.irfft(spectrum, cycle.n_frames, axis=0)
    text = f"harmonics smaller than {100.0 * share:g} % of the largest of a joint were left out"
    return replace(cycle, dofs=owned(dofs)).decided("smooth", text, share=float(share))
