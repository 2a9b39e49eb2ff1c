"""The tables of a network in the order in which the kernels read them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Float32, Int, UInt32

from mocapella.crowd import gaits
from mocapella.crowd.cuda.source import NOTHING, TRAVEL, Sizes
from mocapella.crowd.tables import N_FOOT_DOFS

_AT_ONCE = 512  # triangles that are packed at a time: networks of other rules have thousands


class Packed(NamedTuple):
    """Arrays for a device; the ``.cu`` files beside this one read them."""

    maps: Float32[np.ndarray, "triangles 9"]
    neighbours: np.ndarray
    seconds: Float32[np.ndarray, "triangles 3"]
    corners: Float32[np.ndarray, "triangles 3 2"]
    coefficients: UInt32[np.ndarray, "triangles words"]
    energies: Float32[np.ndarray, "triangles upper 12"]
    gaits: Float32[np.ndarray, "triangles vertices numbers"]
    means: Float32[np.ndarray, "triangles joints 3 4"]


def packed(sizes: Sizes) -> Packed:
    """The tables of a network for a device.

    Parameters
    ----------
    sizes
        How the kernels are laid out.

    Returns
    -------
    Packed
        Contiguous arrays.
    """
    tables = sizes.tables
    triangles = tables.triangles
    n = len(triangles)
    energies = np.zeros((n, max(sizes.upper, 1), 12), dtype=np.float32)
    if sizes.upper:
        energies[:, :, :6] = tables.products
        energies[:, :, 6:9] = tables.energies[triangles].transpose(0, 2, 1)
    means = tables.coefficients[:, 0][:, tables.columns[:, None] + np.arange(4)]
    return Packed(
        _ready(tables.maps.reshape(n, 9)),
        np.ascontiguousarray(tables.neighbours, dtype=np.int32),
        _ready(tables.seconds),
        _ready(tables.points[triangles]),
        _fragments(sizes),
        energies,
        _rows(sizes),
        _ready(means[triangles].transpose(0, 2, 1, 3)),
    )


def _ready(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values, dtype=np.float32)


def _rows(sizes: Sizes) -> Float32[np.ndarray, "triangles vertices numbers"]:
    """Gaits by fours of numbers: the whole, then of every slot left heel with its sole, left toe, and the right."""
    tables = sizes.tables
    plants = tables.n_plants
    out = np.zeros((*tables.gaits.shape[:2], 4 * sizes.row), dtype=np.float32)
    out[..., : gaits.PLANTS] = tables.gaits[..., : gaits.PLANTS]
    soles = gaits.PLANTS + 4 * plants * gaits.N_PLANT
    for point in range(4):
        for slot in range(plants):
            to = 4 * (6 + 14 * slot + 7 * (point // 2) + 4 * (point % 2))
            at = gaits.PLANTS + (point * plants + slot) * gaits.N_PLANT
            out[..., to : to + gaits.N_PLANT] = tables.gaits[..., at : at + gaits.N_PLANT]
            if point % 2 == 0:
                at = soles + (point // 2 * plants + slot) * gaits.N_SOLE
                to += gaits.N_PLANT
                out[..., to : to + gaits.N_SOLE] = tables.gaits[..., at : at + gaits.N_SOLE]
    return out


def _pairs(sizes: Sizes) -> list[list[tuple[int, int]]]:
    """The harmonic and the corner of every slot and thread of four; harmonic 0 the means, −1 nothing."""
    harmonics = sizes.tables.n_harmonics
    whole, rest = divmod(harmonics, 4)
    out = []
    for slot in range(2 * sizes.tiles):
        left = slot - 3 * whole
        if left < 0:
            out.append([(4 * (slot // 3) + thread + 1, slot % 3) for thread in range(4)])
        else:
            last = (0, left) if left < 2 else (-1, 0)
            harmonic = 4 * whole + 1 + left
            out.append([*((harmonic if left < rest else -1, corner) for corner in range(3)), last])
    return out


def _basis_rows(
    sizes: Sizes, triangles: Int[np.ndarray, "triangles 3"]
) -> Float[np.ndarray, "triangles tiles 16 columns"]:
    """The coefficients that belong to every row of a basis, of some triangles."""
    own = sizes.tables.coefficients[triangles].astype(np.float64)  # triangles, corners, parts, columns
    out = np.zeros((len(own), sizes.tiles, 16, own.shape[-1]))
    for slot, threads in enumerate(_pairs(sizes)):
        for thread, (harmonic, corner) in enumerate(threads):
            row = 8 * (slot % 2) + 2 * thread
            for part in range(2):
                if harmonic > 0:
                    out[:, slot // 2, row + part] = own[:, corner, 2 * harmonic - 1 + part]
                elif harmonic == 0 and 2 * corner + part < 3:
                    out[:, slot // 2, row + part] = own[:, 2 * corner + part, 0]
    return out


def _foot_rows(
    sizes: Sizes, triangles: Int[np.ndarray, "triangles 3"]
) -> Float[np.ndarray, "triangles tiles 16 pieces 2 8"]:
    """The coefficients of foot points for each row of a basis without weights: corners 0 and 1, then corner 2."""
    tables = sizes.tables
    own = tables.coefficients[..., tables.n_columns : tables.n_columns + N_FOOT_DOFS].astype(np.float64)
    own = own[triangles]  # triangles, corners, parts, foot dofs
    whole = tables.n_harmonics // 4
    out = np.zeros((len(own), sizes.foot_tiles, 16, 2, 2, N_FOOT_DOFS))
    for slot in range(whole + 1):
        for thread in range(4):
            harmonic, row = 4 * slot + thread + 1, 8 * (slot % 2) + 2 * thread
            for corner in range(3):
                to = out[:, slot // 2, :, corner // 2, corner % 2]
                if harmonic <= tables.n_harmonics:
                    to[:, row : row + 2] = own[:, corner, 2 * harmonic - 1 : 2 * harmonic + 1]
                elif harmonic == tables.n_harmonics + 1:
                    to[:, row] = own[:, corner, 0]
    return out


def _fragments(sizes: Sizes) -> UInt32[np.ndarray, "triangles words"]:
    """Coefficients as the tensor cores' threads hold them, first of quaternions, then of foot points."""
    triangles = sizes.tables.triangles
    parts = range(0, len(triangles), _AT_ONCE)
    return np.concatenate([_some_fragments(sizes, triangles[first : first + _AT_ONCE]) for first in parts])


def _some_fragments(sizes: Sizes, triangles: Int[np.ndarray, "triangles 3"]) -> UInt32[np.ndarray, "triangles words"]:
    tables = sizes.tables
    rows = _basis_rows(sizes, triangles)
    eights = sizes.eights
    columns = np.full((8 * eights, 4), -1)
    for quad, joint in enumerate(sizes.order):
        if joint != NOTHING:
            columns[quad] = (tables.n_plain - 4 if joint == TRAVEL else tables.columns[joint]) + np.arange(4)
    # (pieces of 16 numbers, of two groups of eight)
    pieces = columns.reshape(eights, 8, 2, 2).transpose(0, 2, 3, 1).reshape(2 * eights, 2, 8)
    values = np.where(pieces >= 0, rows[..., np.maximum(pieces, 0)], 0.0)
    return np.concatenate([_halved(values), _halved(_foot_rows(sizes, triangles))], axis=1)


def _halved(values: Float[np.ndarray, "triangles tiles 16 pieces 2 8"]) -> UInt32[np.ndarray, "triangles words"]:
    """Each number as a half and what that half leaves, in the order of the registers of a warp's threads."""
    n, tiles, _, n_pieces = values.shape[:4]
    high = values.astype(np.float16)
    low = (values - high.astype(np.float64)).astype(np.float16)
    lane = np.arange(32)
    group, thread = lane >> 2, lane & 3
    out = np.empty((n, n_pieces, tiles, 2, 32, 4), dtype=np.uint32)
    for which, part in enumerate((high, low)):
        for register in range(4):
            at = 2 * thread + 8 * (register >> 1)
            first = part[:, :, at, :, register & 1, group]  # lanes, triangles, tiles, pieces
            second = part[:, :, at + 1, :, register & 1, group]
            words = np.ascontiguousarray(np.stack([first, second], axis=-1)).view(np.uint32)[..., 0]
            out[:, :, :, which, :, register] = words.transpose(1, 3, 2, 0)
    return np.ascontiguousarray(out.reshape(n, -1))
