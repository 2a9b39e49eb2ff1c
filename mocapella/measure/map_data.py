"""Distortion maps as data, for other programs."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path

import msgspec
import numpy as np
from jaxtyping import Float

from mocapella.errors import MotionError
from mocapella.files.disk import replacing
from mocapella.measure.maps import DistortionMap

SUFFIXES = (".npz", ".json", ".csv")

Columns = dict[str, Float[np.ndarray, "*shape"]]


def save_maps(maps: Mapping[str, DistortionMap], path: str | PathLike[str]) -> None:
    """Write maps of one survey, by name, as ``.npz``, ``.json`` or ``.csv``.

    Every map gives ``NAME_left``, ``NAME_right`` and ``NAME_uhd``, radians, and ``NAME_liveliness`` of the upper band
    where there is one. ``x`` and ``y`` are the blending points. ``.npz`` holds arrays (rows, columns), NaN outside of
    the network; ``.json`` the same as lists with null; ``.csv`` a line for every point inside.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise MotionError(f"cannot write {Path(path).name}: expected a suffix of {', '.join(SUFFIXES)}")
    columns = _columns(maps)
    with replacing(path) as file:
        if suffix == ".npz":
            np.savez_compressed(file, **columns)  # type: ignore[arg-type]
        elif suffix == ".json":
            file.write(msgspec.json.encode({name: _listed(values) for name, values in columns.items()}))
        else:
            inside = np.logical_and.reduce([np.isfinite(found.values) for found in maps.values()])
            rows = np.stack([values[inside] for values in columns.values()], axis=1)
            lines = [",".join(columns), *(",".join(f"{value:.9g}" for value in row) for row in rows)]
            file.write(("\n".join(lines) + "\n").encode())


def _columns(maps: Mapping[str, DistortionMap]) -> Columns:
    first = next(iter(maps.values()))
    if not all(np.array_equal(found.points, first.points) for found in maps.values()):
        raise MotionError("maps are written together that were made by one survey")
    columns: Columns = {"x": first.points[..., 0], "y": first.points[..., 1]}
    for name, found in maps.items():
        columns |= {f"{name}_left": found.feet[..., 0], f"{name}_right": found.feet[..., 1]}
        columns[f"{name}_uhd"] = found.values
        if found.has_upper_band:
            columns[f"{name}_liveliness"] = found.liveliness()
    return columns


def _listed(values: Float[np.ndarray, "rows columns"]) -> list[list[float | None]]:
    return [[value if np.isfinite(value) else None for value in row] for row in values.tolist()]
