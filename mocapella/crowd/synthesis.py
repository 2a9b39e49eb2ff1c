"""Dofs of many characters: harmonics of the corners of their triangles, blended and summed by products of matrices."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from jaxtyping import Float32, Int, Int32

from mocapella.crowd.points import Step
from mocapella.crowd.state import Columns, Lane, Weights
from mocapella.crowd.tables import N_FOOT_DOFS, CrowdTables

_MOST_GAIN = 10.0  # of the energy of an upper harmonic
FeetMoved = Float32[np.ndarray, "8 lanes"]  # metres ahead and to the left, foot point by foot point
_Triangle = Int32[np.ndarray, " lanes"]
_Waves = Float32[np.ndarray, "2 harmonics lanes"]


def waves(angle: Lane, harmonics: int, out: _Waves | None = None) -> _Waves:
    """Cosines and sines of multiples of angles.

    ``angle`` is in radians. ``out`` is where they are written, if not None. Returns an array of shape (2, harmonics,
    lanes): each from those of half as many multiples.
    """
    if out is None:
        out = np.empty((2, harmonics, len(angle)), dtype=np.float32)
    out[0, :1], out[1, :1] = np.cos(angle), np.sin(angle)
    done = 1
    while done < harmonics:
        (c, s), (last_c, last_s) = out[:, : harmonics - done], out[:, done - 1]
        c, s, more = c[:done], s[:done], slice(done, 2 * done)
        np.multiply(c, last_c, out=out[0, more])
        out[0, more] -= s * last_s
        np.multiply(c, last_s, out=out[1, more])
        out[1, more] += s * last_c
        done *= 2
    return out


def synthesised(
    tables: CrowdTables, triangle: _Triangle, weights: Weights, changes: Weights, angle: Lane, step: Step
) -> tuple[Columns, FeetMoved]:
    """The dofs of blends at these angles, and by how much foot points move with the blending points.

    ``weights`` and ``changes`` are those of its corners, and by how much they changed in this step. ``angle`` is that
    of the cycle, radians. Dofs are in the order of the tables' columns.
    """
    n, most, end, last = len(angle), step.harmonics, step.columns, tables.n_columns
    factors = np.ones((2 * most + 1, n), dtype=np.float32)  # the first row those of the means
    wave = waves(angle, most, out=factors[1:].reshape(2, most, n))
    upper, plain, rows = _rows(tables.first, most)
    basis = _basis(tables, triangle, weights, wave, 2 * upper)
    pose = np.empty((last, n), dtype=np.float32)
    moving = bool(changes.any())
    feet = np.empty((3 * N_FOOT_DOFS, n if moving else 0), dtype=np.float32)  # corner by corner
    parts = np.concatenate([[0], np.arange(1, 2 * most, 2), np.arange(2, 2 * most + 1, 2)])
    for lane, corners in _runs(tables, triangle):
        own = tables.coefficients[corners, rows[:, None], :end].reshape(3 * len(rows), -1)
        mixed = basis[..., lane].reshape(len(own), -1)
        np.matmul(own[: 3 * plain, : tables.n_plain].T, mixed[: 3 * plain], out=pose[: tables.n_plain, lane])
        free = slice(tables.n_plain, end)
        np.matmul(own[6 * upper :, free].T, mixed[6 * upper :], out=pose[free, lane])
        if end < last:
            np.matmul(tables.coefficients[corners, 0, end:last].T, weights[:, lane], out=pose[end:, lane])
        if moving:
            points = tables.coefficients[corners[:, None], parts, last : last + N_FOOT_DOFS].swapaxes(1, 2)
            np.matmul(points.reshape(3 * N_FOOT_DOFS, -1), factors[:, lane], out=feet[:, lane])
    if not moving:
        return pose, np.zeros((N_FOOT_DOFS, n), dtype=np.float32)
    return pose, np.asarray(np.einsum("kfn,kn->fn", feet.reshape(3, N_FOOT_DOFS, n), changes))


def _rows(first: int, most: int) -> tuple[int, int, Int[np.ndarray, " rows"]]:
    """How many upper harmonics and plain rows a basis has, and which row of the coefficients each belongs to.

    Upper harmonics stand on both sides of the others: as they are, and with the gains that keep their energy. So the
    bases of all columns are parts of one array.
    """
    upper = max(most - first + 1, 0)
    low, high = np.arange(1, most - upper + 1), np.arange(most - upper + 1, most + 1)
    ends = [2 * high - 1, 2 * high]
    return upper, 2 * most + 1, np.concatenate([*ends, [0], 2 * low - 1, 2 * low, *ends])


def _basis(
    tables: CrowdTables, triangle: _Triangle, weights: Weights, wave: _Waves, ends: int
) -> Float32[np.ndarray, "rows 3 lanes"]:
    """What the rows of the coefficients of all corners are multiplied by."""
    most, n = wave.shape[1:]
    low = most - ends // 2
    basis = np.empty((2 * most + 1 + ends, 3, n), dtype=np.float32)
    basis[ends] = weights
    np.multiply(wave[:, :low, None], weights, out=basis[ends + 1 : ends + 1 + 2 * low].reshape(2, low, 3, n))
    if ends:
        high, gained = basis[:ends].reshape(2, -1, 3, n), basis[-ends:].reshape(2, -1, 3, n)
        np.multiply(wave[:, low:, None], weights, out=high)
        np.multiply(high, _gains(tables, triangle, weights, ends // 2)[:, None], out=gained)
    return basis


def _gains(tables: CrowdTables, triangle: _Triangle, weights: Weights, upper: int) -> np.ndarray:
    """What keeps the energy of upper harmonics where those of the corners differ in phase."""
    a, b, c = weights
    twice = weights + weights
    pairs = np.stack([a * a, b * b, c * c, a * twice[1], a * twice[2], b * twice[2]])
    have, want = np.empty((2, upper, len(triangle)), dtype=np.float32)
    for lane, corners in _runs(tables, triangle):
        np.matmul(tables.products[triangle[lane.start], :upper], pairs[:, lane], out=have[:, lane])
        np.matmul(tables.energies[corners, :upper].T, weights[:, lane], out=want[:, lane])
    want /= np.maximum(have, np.float32(1e-30), out=have)
    return np.sqrt(np.clip(want, 1.0, _MOST_GAIN, out=want), out=want)


def _runs(tables: CrowdTables, triangle: _Triangle) -> Iterator[tuple[slice, Int32[np.ndarray, " 3"]]]:
    """Characters of one triangle after another, and its corners."""
    edges = (np.flatnonzero(triangle[1:] != triangle[:-1]) + 1).tolist()
    for begin, end in zip([0, *edges], [*edges, len(triangle)], strict=True):
        yield slice(begin, end), tables.triangles[triangle[begin]]
