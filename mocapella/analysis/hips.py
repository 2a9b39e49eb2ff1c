"""Synchronise two-legged gaits by their hips, as the papers do it.

A blend of two gaits that are out of step moves both legs together, so that the difference of the hip angles, added up
over the blend, is least for the worst offset; the best is half a cycle on (eqs 6.1 to 6.3). The difference is taken of
a phasor blend here: with the papers' linear magnitudes the drop is sharp for some pairs and missing for others.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Complex, Float

from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.motion.cycle import TURN, Cycle
from mocapella.motion.rolelist import LEFT, RIGHT
from mocapella.motion.roles import find_roles

_HARMONICS = 10


def hip_angles(cycle: Cycle) -> Float[np.ndarray, "frames 2"]:
    """How far the left and the right thigh are swung forward in the pelvis's frame, radians, in any layout."""
    roles = find_roles(cycle.skeleton)
    rotations = cycle.rotations_wxyz
    angles = []
    for side in (LEFT, RIGHT):
        if side + "hip" not in roles or side + "knee" not in roles:
            raise MotionError(f"synchronising by the hips needs the role {side}hip and {side}knee; name these joints")
        hip, knee = roles[side + "hip"], roles[side + "knee"]
        rest = cycle.skeleton.rest_positions[knee] - cycle.skeleton.rest_positions[hip]
        thigh = quaternions.rotate(rotations[:, hip], rest)
        angles.append(np.unwrap(np.arctan2(thigh[:, 2], -thigh[:, 1])))
    return np.stack(angles, axis=-1)


def difference_table(cycle: Cycle, references: Sequence[Cycle]) -> Float[np.ndarray, "offsets references"]:
    """Eq 6.1 for every whole offset of ``cycle`` against each reference: Σ |left − right| of their 50/50 blend.

    Radians, added up over as many frames as the blend has.
    """
    return np.stack([_accumulated(cycle, reference) for reference in references], axis=-1)


def worst_offset(sums: Float[np.ndarray, " offsets"]) -> float:
    """The middle of the range of low sums, in frames: where the blend is most out of step.

    Low is what lies nearer to the least than to the median; the range may run over the end of the table.
    """
    least = int(np.argmin(sums))
    low = sums < 0.5 * (float(sums[least]) + float(np.median(sums)))
    if low.all() or not low.any():
        return float(least)
    from_least = np.roll(low, -least)
    after = int(np.argmin(from_least))
    before = int(np.argmin(from_least[::-1]))
    return (least + 0.5 * (after - 1 - before)) % len(sums)


def average_offset(first: float, second: float, n_frames: int) -> float:
    """The offset midway between two on the circle of a cycle's frames (eq 6.3)."""
    if abs(first - second) > 0.5 * n_frames:
        return (0.5 * (first + second - n_frames)) % n_frames
    return 0.5 * (first + second)


def best_offset(table: Float[np.ndarray, "offsets references"]) -> int:
    """The offset, in whole frames, that brings a cycle into step with one or two references (eq 6.2)."""
    worst = [worst_offset(column) for column in table.T]
    if not 1 <= len(worst) <= 2:
        raise MotionError(f"expected one or two references, got {len(worst)}")
    n = len(table)
    return int(np.floor(average_offset(worst[0], worst[-1], n) + 0.5 * n + 0.5)) % n


def synchronised_by_hips(cycle: Cycle, references: Sequence[Cycle]) -> Cycle:
    """The cycle in step with one or two references by the papers' rule, in whole frames."""
    frames = best_offset(difference_table(cycle, references))
    moved = cycle.starting_at(TURN * frames / cycle.n_frames)
    return moved.decided("synchronise", f"begun {frames} frames later by the hips (eq 6.1)", frames=frames)


def format_table(table: Float[np.ndarray, "offsets references"], names: Sequence[str], *, around: int = 2) -> str:
    """The rows of a difference table worth printing: the ends and those round the low range, as in table 6.1."""
    n = len(table)
    wanted = {row % n for row in range(-around - 1, around + 1)}
    for column in table.T:
        wanted |= {(round(worst_offset(column)) + k) % n for k in range(-around - 1, around + 2)}
    lines = ["offset  " + "  ".join(f"{name:>10}" for name in names)]
    last = -1
    for row in sorted(wanted):
        if row != last + 1:
            lines.append("…")
        lines.append(f"{row:6d}  " + "  ".join(f"{value:10.2f}" for value in table[row]))
        last = row
    lines.append(f"best offset: {best_offset(table)}")
    return "\n".join(lines)


def _accumulated(cycle: Cycle, reference: Cycle) -> Float[np.ndarray, " offsets"]:
    own, other = _harmonics(cycle), _harmonics(reference)
    rows = min(len(own), len(other))
    n_out = round(0.5 * (cycle.n_frames + reference.n_frames))
    harmonics = np.arange(rows)
    factors = np.exp(1j * TURN * np.arange(n_out)[:, None] * harmonics / n_out)
    factors[:, 1:] *= 2.0
    turns = np.exp(1j * TURN * np.arange(cycle.n_frames)[:, None] * harmonics / cycle.n_frames)
    mixed = 0.5 * (turns * own[:rows] + other[:rows])
    return np.asarray(np.abs((mixed @ factors.T).real).sum(axis=-1))


def _harmonics(cycle: Cycle) -> Complex[np.ndarray, " harmonics"]:
    """The harmonics of left minus right; a phasor blend of differences is the difference of the blends."""
    left, right = hip_angles(cycle).T
    count = min(_HARMONICS, (cycle.n_frames + 1) // 2 - 1)
    return np.asarray(np.fft.rfft(left - right, norm="forward")[: count + 1])
