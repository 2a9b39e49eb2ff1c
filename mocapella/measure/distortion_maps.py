"""Distortion and liveliness over a whole network: maps, maps compared, and maps as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from jaxtyping import Complex, Float

from mocapella.arrays import owned
from mocapella.blending.network import Network
from mocapella.errors import MotionError
from mocapella.files.disk import replacing
from mocapella.measure.distortion import SAMPLES, Yardstick
from mocapella.measure.traced_points import TracedPoint
from mocapella.motion.layout import N_ROOT_DOFS
from mocapella.quoting import csv_line

COLUMNS, ROWS = 161, 41  # of a grid
HOTSPOT = 0.67  # of the largest distortion; points with as much or more are hotspots
UPPER = (6, 10)  # the thesis's upper band, first and last harmonic
_THRESHOLDS = (0.0, 0.05, 0.10, 0.15, 0.20, 0.25)  # of the largest distortion before
_ROUNDING = 1e-9  # radians

_MOST_POINTS = 1_000_000  # of a grid
_NO_ENERGY = 1e-18  # smaller energies are rounding
_SUFFIXES = (".npz", ".json", ".csv")

_Columns = dict[str, Float[np.ndarray, "*shape"]]


def energies(coefficients: Complex[np.ndarray, "*batch harmonics dofs"]) -> Float[np.ndarray, "*batch harmonics"]:
    """Energy of every harmonic: the sum of squared magnitudes of all dofs of rotations; 0 for harmonic 0."""
    turning = coefficients[..., :-N_ROOT_DOFS]
    out = np.einsum("...hd,...hd->...h", turning.real, turning.real)
    out += np.einsum("...hd,...hd->...h", turning.imag, turning.imag)
    out[..., 0] = 0.0
    return np.asarray(out)


def liveliness(
    blended: Float[np.ndarray, "*batch harmonics"],
    nodes: Float[np.ndarray, "nodes harmonics_of_nodes"],
    weights: Float[np.ndarray, "*batch nodes"],
    band: tuple[int, int] = UPPER,
) -> Float[np.ndarray, "*batch"]:
    """Liveliness: energy of blends in a ``band`` of harmonics over the weighted mean of their nodes'.

    ``blended`` and ``nodes`` are ``energies`` of blends and nodes, ``weights`` those of the nodes in each blend. It is
    1 where nothing is lost, and less where opposed phase angles cancel; 1 where the nodes have no energy in the band.
    The band includes both its ends, up to the highest harmonic there is.
    """
    first, last = band
    if not 1 <= first <= last or first >= nodes.shape[-1]:
        raise MotionError(f"expected a band from harmonic 1 to at most {nodes.shape[-1] - 1}, got {first} to {last}")
    rows = slice(first, last + 1)
    there = weights @ nodes[:, rows].sum(axis=-1)
    return np.where(there > _NO_ENERGY, blended[..., rows].sum(axis=-1) / np.maximum(there, _NO_ENERGY), 1.0)


@dataclass(frozen=True, eq=False, repr=False)
class DistortionMap:
    """Distortion over a grid of blending points.

    It is NaN outside of the network and where it cannot be measured. Rows go up with y, columns right with x. A network
    along a line has one row, a single node one point.
    """

    points: Float[np.ndarray, "rows columns 2"]
    feet: Float[np.ndarray, "rows columns 2"]  # radians, left and right
    turned: Float[np.ndarray, "rows columns 2"]  # radians by which traces lie turned against their references
    energies: Float[np.ndarray, "rows columns harmonics"]  # of the blends; NaN outside of the network
    node_energies: Float[np.ndarray, "nodes harmonics_of_nodes"]
    weights: Float[np.ndarray, "rows columns nodes"]

    @cached_property
    def values(self) -> Float[np.ndarray, "rows columns"]:
        """The distortion: both feet together, radians."""
        return owned(self.feet.sum(axis=-1))

    @property
    def measured(self) -> Float[np.ndarray, " samples"]:
        """The distortion of every point that has one."""
        return np.asarray(self.values[np.isfinite(self.values)])

    @property
    def samples(self) -> int:
        """How many points were measured."""
        return int(np.isfinite(self.values).sum())

    @property
    def mean(self) -> float:
        """The mean of all points measured."""
        return float(self.measured.mean())

    @property
    def max(self) -> float:
        """The largest distortion."""
        return float(self.measured.max())

    @property
    def worst(self) -> tuple[float, float]:
        """The blending point of the largest distortion."""
        row, column = np.unravel_index(int(np.nanargmax(self.values)), self.values.shape)
        x, y = self.points[row, column].tolist()
        return x, y

    def hotspots(self, scale: float | None = None) -> int:
        """How many points have at least 67 % of ``scale``; the map's own largest distortion if None.

        A scale below 1e-9 rad is rounding, and nothing is a hotspot then.
        """
        most = self.max if scale is None else scale
        return int((self.measured >= HOTSPOT * most).sum()) if most > _ROUNDING else 0

    def summary(self, scale: float | None = None) -> dict[str, Any]:
        """Mean, max, hotspots and samples, as commands report them."""
        return {"mean": self.mean, "max": self.max, "hotspots": self.hotspots(scale), "samples": self.samples}

    @property
    def column_max(self) -> Float[np.ndarray, " columns"]:
        """The largest distortion of each column; NaN where no point of it was measured."""
        return _per_column(self.values, np.nanmax)

    @property
    def column_mean(self) -> Float[np.ndarray, " columns"]:
        """The mean distortion of each column; NaN where no point of it was measured."""
        return _per_column(self.values, np.nanmean)

    @property
    def has_upper_band(self) -> bool:
        """Whether there are harmonics in the upper band, from the sixth on."""
        return bool(self.node_energies.shape[1] > UPPER[0])

    def liveliness(self, band: tuple[int, int] = UPPER) -> Float[np.ndarray, "rows columns"]:
        """Energy of blends in a band over the weighted mean of their nodes'; NaN as ``values``."""
        shares = liveliness(self.energies, self.node_energies, self.weights, band)
        return np.where(np.isfinite(self.values), shares, np.nan)

    def __repr__(self) -> str:
        rows, columns = self.values.shape
        return f"DistortionMap({columns} × {rows}, {self.samples} measured, mean {self.mean:.4f}, max {self.max:.4f})"


class Change(NamedTuple):
    """Shares of points that changed by more than a threshold; they sum to 1."""

    threshold: float  # of the largest distortion before
    improved: float
    worsened: float
    unchanged: float


@dataclass(frozen=True, eq=False)
class Improvement:
    """Two maps of one network, before and after a change of its rule (thesis, table 7.4)."""

    before: DistortionMap
    after: DistortionMap

    def __post_init__(self) -> None:
        if not np.array_equal(self.before.points, self.after.points):
            raise MotionError("maps are compared point by point, so both must be made by one survey")

    @property
    def difference(self) -> Float[np.ndarray, " samples"]:
        """By how much the distortion of every point grew, radians."""
        both = np.isfinite(self.before.values) & np.isfinite(self.after.values)
        return np.asarray(self.after.values[both] - self.before.values[both])

    def table(self, thresholds: Sequence[float] = _THRESHOLDS) -> tuple[Change, ...]:
        """Shares of points improved, worsened and unchanged, for thresholds relative to the largest before."""
        change = self.difference
        rows = []
        for threshold in thresholds:
            limit = max(threshold * self.before.max, _ROUNDING)
            improved, worsened = float((change < -limit).mean()), float((change > limit).mean())
            rows.append(Change(float(threshold), improved, worsened, float((np.abs(change) <= limit).mean())))
        return tuple(rows)

    @property
    def hotspots(self) -> tuple[int, int]:
        """How many points had, and have, at least 67 % of the largest distortion before."""
        return self.before.hotspots(), self.after.hotspots(self.before.max)

    @property
    def hotspots_gone(self) -> float:
        """The share of hotspots that are gone, 0 … 1; below 0 where there are more, 0 where there were none."""
        before, after = self.hotspots
        return 1.0 - after / before if before else 0.0

    def to_dict(self) -> dict[str, Any]:
        """The table and ``hotspots_gone``, in per cent."""
        rows = [{f"{name}_percent": 100.0 * share for name, share in row._asdict().items()} for row in self.table()]
        return {"hotspots_gone_percent": 100.0 * self.hotspots_gone, "table": rows}


class Survey:
    """A grid of points over a network with its yardstick, for maps of any rules over the same nodes.

    Parameters
    ----------
    network
        Gives the nodes and triangles.
    columns, rows
        Of the grid over the bounding box of the nodes; ``rows`` is 1 for nodes on one line.
    joint, leaps, samples
        As ``Yardstick`` takes them.

    Raises
    ------
    MotionError
        Where no point can be measured, and where ``Yardstick`` raises one.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> from mocapella.building.build import build
    >>> network = build([perform("walk", speed=speed)[0] for speed in (0.9, 1.3, 1.7)]).network
    >>> survey = Survey(network, columns=21)
    >>> survey.map().max < 0.5
    True
    """

    def __init__(
        self,
        network: Network,
        *,
        columns: int = COLUMNS,
        rows: int = ROWS,
        joint: TracedPoint = "ankle",
        leaps: bool = False,
        samples: int = SAMPLES,
    ) -> None:
        self.network = network
        self.grid = grid(network, columns, rows)
        places = self.grid.reshape(-1, 2)
        self._inside = owned(np.array([network.place(point).inside for point in places]))
        if not self._inside.any():
            raise MotionError(f"none of {len(places)} points lies in the network; take more columns and rows")
        self.yardstick = _somewhere(Yardstick(network, places[self._inside], joint=joint, leaps=leaps, samples=samples))

    def tracing(self, joint: TracedPoint) -> Survey:
        """The same survey for traces of another point of the body."""
        other = copy(self)
        other.yardstick = _somewhere(self.yardstick.tracing(joint))
        return other

    def map(self, network: Network | None = None) -> DistortionMap:
        """The map of a network over the same nodes and triangles; of the surveyed one if None."""
        return self.map_of(self.yardstick.blends(network))

    def map_of(self, coefficients: Complex[np.ndarray, "points harmonics dofs"]) -> DistortionMap:
        """The map of blends made elsewhere, one per point of ``yardstick.points``."""
        distortions = self.yardstick.measure_blends(coefficients)
        return DistortionMap(
            self.grid,
            self._spread(distortions.feet),
            self._spread(distortions.turned),
            self._spread(energies(coefficients)),
            owned(energies(self.network.bank.coefficients)),
            self._spread(self.yardstick.weights),
        )

    def _spread(self, values: Float[np.ndarray, "points some"]) -> Float[np.ndarray, "rows columns some"]:
        out = np.full((len(self._inside), values.shape[1]), np.nan)
        out[self._inside] = values
        return owned(out.reshape(*self.grid.shape[:2], -1))


def _somewhere(yardstick: Yardstick) -> Yardstick:
    """A yardstick that measures at one point at least; ``MotionError`` for others."""
    if not yardstick.measured.any():
        raise MotionError(
            "nowhere in this network is there a step of both feet to measure: its motions stand, glide, or keep "
            "their own time"
        )
    return yardstick


def grid(network: Network, columns: int = COLUMNS, rows: int = ROWS) -> Float[np.ndarray, "rows columns 2"]:
    """Even points over the bounding box of a network's nodes, or along its line, or the only node."""
    if network.n_axes != 2:
        raise MotionError(f"maps are of networks in the plane, this one has {network.n_axes} axes")
    if columns < 1 or rows < 1 or columns * rows > _MOST_POINTS:
        raise MotionError(f"expected a grid of 1 to {_MOST_POINTS} points, got {columns} × {rows}")
    low, high = network.points.min(axis=0), network.points.max(axis=0)
    if len(network.nodes) == 1:
        return owned(network.points[None].copy())
    if network.corners.shape[1] == 2:
        first, last = network.points[list(network.outline[0])]
        return owned((first + np.linspace(0.0, 1.0, columns)[:, None] * (last - first))[None])
    xs, ys = np.linspace(low[0], high[0], columns), np.linspace(low[1], high[1], rows)
    return owned(np.stack(np.broadcast_arrays(xs[None, :], ys[:, None]), axis=-1).copy())


def _per_column(values: Float[np.ndarray, "rows columns"], reduce: Callable[..., Any]) -> Float[np.ndarray, " columns"]:
    finite = np.isfinite(values).any(axis=0)
    out = np.full(values.shape[1], np.nan)
    out[finite] = reduce(values[:, finite], axis=0)
    return out


def save_maps(maps: Mapping[str, DistortionMap], path: str | PathLike[str]) -> None:
    """Write maps of one survey as ``.npz``, ``.json`` or ``.csv``.

    Every map gives ``NAME_left``, ``NAME_right`` and ``NAME_uhd``, radians, and ``NAME_liveliness`` of the upper band
    where there is one. ``x`` and ``y`` are the blending points. ``.npz`` holds arrays (rows, columns), NaN outside of
    the network; ``.json`` the same as lists with null; ``.csv`` a line for every point inside.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in _SUFFIXES:
        raise MotionError(f"cannot write {Path(path).name}: expected a suffix of {', '.join(_SUFFIXES)}")
    columns = _columns(maps)
    with replacing(path) as file:
        if suffix == ".npz":
            np.savez_compressed(file, **columns)  # type: ignore[arg-type]
        elif suffix == ".json":
            lists = {name: values.tolist() for name, values in columns.items()}
            file.write(msgspec.json.encode(lists))  # NaN becomes null
        else:
            inside = np.logical_and.reduce([np.isfinite(drawn.values) for drawn in maps.values()])
            rows = np.stack([values[inside] for values in columns.values()], axis=1)
            file.write("".join([csv_line(*columns), *(csv_line(*row) for row in rows.tolist())]).encode())


def _columns(maps: Mapping[str, DistortionMap]) -> _Columns:
    first = next(iter(maps.values()))
    if not all(np.array_equal(drawn.points, first.points) for drawn in maps.values()):
        raise MotionError("maps that are written together must be made by one survey")
    columns: _Columns = {"x": first.points[..., 0], "y": first.points[..., 1]}
    for name, drawn in maps.items():
        feet = {f"{name}_left": drawn.feet[..., 0], f"{name}_right": drawn.feet[..., 1]}
        columns |= {**feet, f"{name}_uhd": drawn.values}
        if drawn.has_upper_band:
            columns[f"{name}_liveliness"] = drawn.liveliness()
    return columns
