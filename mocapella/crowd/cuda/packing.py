"""The tables of a network in the order in which the kernels read them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Float32, Int, UInt32

from mocapella.crowd import gaits
from mocapella.crowd.cuda.source import NOTHING, TRAVEL, Sizes
from mocapella.crowd.tables import N_FOOT_DOFS

_Corners = Int[np.ndarray, "triangles 3"]
_Words = UInt32[np.ndarray, "triangles words"]
_Registers = UInt32[np.ndarray, "triangles pieces tiles 2 32 4"]
_AT_ONCE = 512  # triangles that are packed at a time: networks of other rules have thousands


class Packed(NamedTuple):
    """Arrays for a device; the ``.cu`` files beside this one read them."""

    maps: Float32[np.ndarray, "triangles 9"]
    neighbours: np.ndarray
    seconds: Float32[np.ndarray, "triangles 3"]
    corners: Float32[np.ndarray, "triangles 3 2"]
    coefficients: _Words
    energies: Float32[np.ndarray, "triangles upper 12"]
    gaits: Float32[np.ndarray, "triangles vertices numbers"]
    means: Float32[np.ndarray, "triangles joints 3 4"]


def packed(sizes: Sizes) -> Packed:
    """The tables of a network for a device."""
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


def _pairs(sizes: Sizes) -> list[tuple[int, int]]:
    """The harmonic and the corner of every pair of rows of a basis; harmonic 0 the means, −1 nothing."""
    harmonics = sizes.tables.n_harmonics
    out = [(0, 0), (0, 1), *((harmonic, corner) for harmonic in range(1, harmonics + 1) for corner in range(3))]
    return out + [(-1, 0)] * (8 * sizes.tiles - len(out))


def _row(pair: int) -> int:
    """The first of its two rows among the 16 of its tile."""
    return 2 * (pair % 8)


def _basis_rows(sizes: Sizes, triangles: _Corners) -> Float[np.ndarray, "triangles tiles 16 columns"]:
    """The coefficients that belong to every row of a basis, of some triangles."""
    own = sizes.tables.coefficients[triangles].astype(np.float64)  # triangles, corners, parts, columns
    out = np.zeros((len(own), sizes.tiles, 16, own.shape[-1]))
    for pair, (harmonic, corner) in enumerate(_pairs(sizes)):
        for part in range(2):
            if harmonic > 0:
                out[:, pair // 8, _row(pair) + part] = own[:, corner, 2 * harmonic - 1 + part]
            elif harmonic == 0 and 2 * corner + part < 3:
                out[:, pair // 8, _row(pair) + part] = own[:, 2 * corner + part, 0]
    return out


def _foot_rows(sizes: Sizes, triangles: _Corners) -> Float[np.ndarray, "triangles tiles 16 1 2 8"]:
    """The coefficients of foot points for each row of a basis without weights: corners 1 and 2 less corner 0."""
    tables = sizes.tables
    own = tables.coefficients[..., tables.n_columns : tables.n_columns + N_FOOT_DOFS].astype(np.float64)
    own = own[triangles]  # triangles, corners, parts, foot dofs
    own = own[:, 1:] - own[:, :1]
    out = np.zeros((len(own), sizes.foot_tiles, 16, 1, 2, N_FOOT_DOFS))
    for harmonic in range(tables.n_harmonics + 1):
        parts = own[:, :, max(2 * harmonic - 1, 0) : 2 * harmonic + 1]
        at = _row(harmonic)
        out[:, harmonic // 8, at : at + parts.shape[2], 0] = parts.transpose(0, 2, 1, 3)
    return out


def _fragments(sizes: Sizes) -> _Words:
    """Coefficients as the tensor cores' threads hold them, first of quaternions, then of foot points."""
    triangles = sizes.tables.triangles
    parts = range(0, len(triangles), _AT_ONCE)
    return np.concatenate([_some_fragments(sizes, triangles[first : first + _AT_ONCE]) for first in parts])


def _some_fragments(sizes: Sizes, triangles: _Corners) -> _Words:
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
    late = np.zeros((len(triangles), 0), dtype=np.uint32)
    if sizes.shared_eight >= 0:
        own, both = slice(2 * sizes.shared_eight, 2 * sizes.shared_eight + 2), values.copy()
        plain = pieces[own] < tables.n_plain
        values[:, sizes.gained :, :, own] *= plain
        both[:, sizes.gained :, :, own] *= ~plain
        late = _by_eight(sizes, _halved(both[:, :, :, own]), sizes.gained)
    feet = _halved(_foot_rows(sizes, triangles)).reshape(len(triangles), -1)
    return np.concatenate([_by_eight(sizes, _halved(values)), late, feet], axis=1)


def _by_eight(sizes: Sizes, words: _Registers, first: int = 0) -> _Words:
    """Eight by eight and tile by tile, from a first tile on: both pieces; with what halves leave where that counts."""
    n, tiles = len(words), range(first, sizes.tiles)
    whole = words.reshape(n, -1, 2, *words.shape[2:])
    parts = [
        (whole[:, :, :, tile] if tile < sizes.fine else whole[:, :, :, tile, :1]).reshape(n, whole.shape[1], -1)
        for tile in tiles
    ]
    return np.concatenate(parts, axis=2).reshape(n, -1) if parts else np.zeros((n, 0), dtype=np.uint32)


def _halved(values: Float[np.ndarray, "triangles tiles 16 pieces 2 8"]) -> _Registers:
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
    return out
