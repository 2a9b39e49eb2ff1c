"""One part of what a crowd plays: a network, or a block of a hybrid network, with its tables and engine."""

from __future__ import annotations

import os
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float, Float32, Int

from mocapella.blending.network import Network
from mocapella.checks import shown
from mocapella.crowd.cutting.pieces import weight_map
from mocapella.crowd.native import NativeEngine, fits, native_library
from mocapella.crowd.rates import RateTable
from mocapella.crowd.step import NumpyEngine
from mocapella.crowd.tables import CrowdTables
from mocapella.errors import MotionError
from mocapella.geometry.simplices import random_points
from mocapella.motion.spectrum import Spectrum
from mocapella.playback.modes import Version

_AT_ONCE = 1 << 20  # pairs of points and triangles that are compared at a time
_INSIDE = -1e-6  # a weight this far below zero is rounding


class Part:
    """A network with its tables and its engine.

    ``engine`` and ``threads`` are as those of ``Crowd``. ``block`` and ``taken`` are of a hybrid network: the block's
    name, and the arc by which it was entered while the node it leads to has not been left.
    """

    def __init__(
        self,
        network: Network | Spectrum,
        engine: str | None,
        threads: int,
        block: str = "",
        taken: Version | None = None,
    ) -> None:
        self.network, self.block, self.taken = network, block, taken
        self.tables = CrowdTables.of(network, coarse=taken is not None)
        self.engine = _engine(engine, self.tables, threads)

    @cached_property
    def rates(self) -> RateTable:
        """Blending points by turn rate and speed."""
        return RateTable.of(self.tables)

    @cached_property
    def corners(self) -> tuple[Float[np.ndarray, " 2"], Float[np.ndarray, " 2"]]:
        """The least and the greatest coordinates of its points, in the engine's units."""
        points = self.tables.points.astype(np.float64)
        return points.min(axis=0), points.max(axis=0)

    def found(self, goals: Float32[np.ndarray, "some 2"]) -> Int[np.ndarray, " some"]:
        """The triangles that hold points, in the engine's units, or come nearest."""
        maps = self.tables.maps
        out = np.empty(len(goals), dtype=np.int32)
        rows = max(_AT_ONCE // len(maps), 1)
        for begin in range(0, len(goals), rows):
            x, y = goals[begin : begin + rows].T
            weights = maps[:, :, 0, None] + maps[:, :, 1, None] * x + maps[:, :, 2, None] * y
            out[begin : begin + rows] = weights.min(axis=1).argmax(axis=0)
        return out

    def anywhere(self, rng: np.random.Generator, n: int) -> Float[np.ndarray, "n 2"]:
        """Random points in random triangles."""
        tables = self.tables
        places = random_points(tables.points[tables.triangles].astype(np.float64), n, rng)
        return np.asarray(places * tables.size + tables.centre)

    def near_node(self, name: str, points: Float[np.ndarray, "some 2"], least: float) -> Bool[np.ndarray, " some"]:
        """Whether the weight of a node is at least so much at points of the plane."""
        network = self.network
        assert isinstance(network, Network)
        node = network.index(name)
        out = np.zeros(len(points), dtype=bool)
        for own in network.corners.tolist():
            if node in own:
                weights = weight_map(network.points[own])[: len(own)] @ np.stack([np.ones(len(points)), *points.T])
                out |= (weights.min(axis=0) >= _INSIDE) & (weights[own.index(node)] >= least)
        return out


def _engine(asked: str | None, tables: CrowdTables, threads: int) -> NativeEngine | NumpyEngine:
    if asked not in (None, "auto", "numpy", "native"):
        raise MotionError(expected="engine 'native' or 'numpy', or None", got=shown(asked))
    if isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= 256:
        raise MotionError(expected="a number of threads from 1 to 256", got=shown(threads))
    name = asked if asked in ("numpy", "native") else os.environ.get("MOCAPELLA_ENGINE")
    if asked == "native" or (name != "numpy" and native_library() is not None and fits(tables)):
        return NativeEngine(tables, threads)
    return NumpyEngine(tables)
