"""From turn rates and speeds to blending points: the inverse of the rates of a network's blends, as a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Float32

from mocapella.arrays import owned
from mocapella.crowd.cutting.pieces import lattice
from mocapella.crowd.state import Goals
from mocapella.crowd.tables import CrowdTables

_CELLS = 64  # of the table, each way
_LEAST = (0.05, 0.05)  # rad/s and m/s: rates that differ less count as equal


@dataclass(frozen=True, eq=False)
class RateTable:
    """Blending points for turn rates and speeds; requests out of reach get the nearest that there is."""

    low: Float[np.ndarray, " 2"]
    high: Float[np.ndarray, " 2"]
    points: Float32[np.ndarray, "cells cells 2"]  # about the network's centre, in its sizes

    @classmethod
    def of(cls, tables: CrowdTables) -> RateTable:
        """The table of a network, by the rates at which its blends are played."""
        shares = np.array(lattice(tables.parts)) / tables.parts
        corners = tables.points[tables.triangles].astype(np.float64)
        places = np.einsum("vk,tka->tva", shares, corners).reshape(-1, 2)
        rates = tables.rates.reshape(-1, 2).astype(np.float64)
        low, high = rates.min(axis=0), rates.max(axis=0)
        spread = np.maximum(high - low, _LEAST)
        own = (rates - low) / spread
        small = (np.arange(len(corners))[:, None, None] * len(shares) + _cells(tables.parts)).reshape(-1, 3)
        axis = np.linspace(0.0, 1.0, _CELLS)
        wanted = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
        points = np.stack([_nearest(one, own, places, small) for one in np.array_split(wanted, _CELLS)])
        return cls(owned(low), owned(low + spread), owned(points.reshape(_CELLS, _CELLS, 2).astype(np.float32)))

    def at(self, turns: Float[np.ndarray, " characters"], speeds: Float[np.ndarray, " characters"]) -> Goals:
        """Points for turn rates (rad/s) and speeds (m/s); NaN for those that are no numbers."""
        return np.asarray(self.looked_up(turns, speeds, self.on(np), np))

    def on(self, arrays: Any) -> tuple[Any, Any, Any]:
        """Lowest rates, highest rates and points as arrays of a module."""
        return arrays.asarray(self.low), arrays.asarray(self.high), arrays.asarray(self.points)

    @staticmethod
    def looked_up(turns: Any, speeds: Any, table: tuple[Any, Any, Any], arrays: Any) -> Any:
        """Points for turn rates (rad/s) and speeds (m/s), with the arrays of any module.

        ``table`` is what ``on`` gives for the module. Returns an array of shape (characters, 2): about the network's
        centre, in its sizes; NaN for rates that are no numbers.
        """
        low, high, points = table
        known = arrays.isfinite(turns) & arrays.isfinite(speeds)
        rates = arrays.stack([arrays.where(known, turns, 0.0), arrays.where(known, speeds, 0.0)], axis=-1)
        share = arrays.clip((rates - low) / (high - low) * (_CELLS - 1), 0.0, _CELLS - 1.0)
        whole = arrays.minimum(share.astype(arrays.int32), _CELLS - 2)
        i, j = whole[:, 0], whole[:, 1]
        a, b = share[:, :1] - whole[:, :1], share[:, 1:] - whole[:, 1:]
        first = (1.0 - b) * points[i, j] + b * points[i, j + 1]
        second = (1.0 - b) * points[i + 1, j] + b * points[i + 1, j + 1]
        return arrays.where(known[:, None], (1.0 - a) * first + a * second, arrays.nan).astype(arrays.float32)


def _cells(parts: int) -> np.ndarray:
    """The small triangles of a lattice, by its vertices."""

    def at(i: int, j: int) -> int:
        return i * (i + 1) // 2 + j

    upper = [(at(i, j), at(i + 1, j), at(i + 1, j + 1)) for i in range(parts) for j in range(i + 1)]
    return np.array(upper + [(at(i, j), at(i, j + 1), at(i + 1, j + 1)) for i in range(parts) for j in range(i)])


def _nearest(wanted: np.ndarray, rates: np.ndarray, places: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Where small triangles hold these rates, or come nearest to them."""
    a, b, c = (rates[cells[:, k]] for k in range(3))
    u, v = b - a, c - a
    area = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    usable = np.abs(area) > 1e-9
    safe = np.where(usable, area, 1.0)
    off = wanted[:, None] - a
    second = (off[..., 0] * v[:, 1] - off[..., 1] * v[:, 0]) / safe
    third = (u[:, 0] * off[..., 1] - u[:, 1] * off[..., 0]) / safe
    weights = np.stack([1.0 - second - third, second, third], axis=-1)
    least = np.where(usable, weights.min(axis=-1), -np.inf)
    best = least.argmax(axis=1)
    rows = np.arange(len(wanted))
    inside = least[rows, best] >= -1e-9
    found = np.einsum("nk,nka->na", weights[rows, best], places[cells[best]])
    vertex = ((wanted[:, None] - rates) ** 2).sum(axis=-1).argmin(axis=1)
    return np.asarray(np.where(inside[:, None], found, places[vertex]))
