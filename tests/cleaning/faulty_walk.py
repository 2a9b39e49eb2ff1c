"""A leg that walks, the faults that are planted in it, and what was done about them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mocapella.cleaning.faults import find_faults
from mocapella.geometry import quaternions as qs
from mocapella.motion.clip import Clip
from mocapella.motion.report import Report
from mocapella.motion.skeleton import Skeleton

RATES = [24.0, 30.0, 60.0, 120.0, 240.0]
N = 90
LEG = Skeleton.of(
    ["Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToeBase"],
    [-1, 0, 1, 2, 3],
    [[0, 0, 0], [0.1, -0.05, 0], [0, -0.42, 0], [0, -0.4, 0], [0, -0.07, 0.14]],
)
KNEE, ANKLE, TOE = 2, 3, 4
FIRST = 10  # the row that frame 0 was


def a_walk(frame_rate=120.0, n_frames=N):
    """Smooth motion well away from the origin, rows counted from ``FIRST``."""
    at = np.arange(n_frames) / frame_rate
    roots = np.stack([1.0 + 0.02 * np.sin(6 * at), 0.9 + 0.02 * np.cos(12 * at), 2.0 + 1.4 * at], axis=-1)
    swing = np.zeros((n_frames, 5, 3))
    swing[..., 0] = np.sin(6 * at[:, None] + np.arange(5)) * [0.1, 0.5, 0.7, 0.3, 0.2]
    swing[:, 0, 1] = 0.5 * at
    return Clip(LEG, roots, qs.from_rotvec(swing), frame_rate, first_row=FIRST)


def planted(clip, *, frames=slice(0), joint=None, angle=0.0, root=None):
    """The clip with a joint turned, or the root put elsewhere, in some frames."""
    rotations, roots = np.array(clip.rotations_wxyz), np.array(clip.root_positions)
    if joint is not None:
        rotations[frames, joint] = qs.multiply(rotations[frames, joint], qs.from_rotvec(np.array([0.0, angle, 0.0])))
    if root is not None:
        roots[frames] = root
    return replace(clip, rotations_wxyz=rotations, root_positions=roots)


def rows_by_code(clip):
    return {finding.code: finding.frames for finding in find_faults(clip)}


def reported(clip):
    return replace(clip, report=Report(findings=tuple(find_faults(clip))))


def touched(before, after):
    """Rows in which anything differs."""
    turned = qs.angle_between(before.rotations_wxyz, after.rotations_wxyz).max(axis=1) > 1e-12
    moved = np.abs(before.root_positions - after.root_positions).max(axis=1) > 1e-12
    return set((np.flatnonzero(turned | moved) + before.first_row).tolist())


def listed(clip):
    return {row for finding in clip.report.findings if finding.code.startswith("repaired") for row in finding.frames}
