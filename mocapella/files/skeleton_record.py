"""A skeleton in a ``.moca`` file: names and orders in the header, numbers in arrays."""

from __future__ import annotations

from os import PathLike
from typing import Any

import msgspec
import numpy as np

from mocapella.errors import FormatError, MotionError
from mocapella.files.moca import Arrays
from mocapella.motion.skeleton import Skeleton

_NUMBERS = {"offsets": 2, "end_offsets": 2, "axes_wxyz": 2, "limits": 3}  # name → axes
LARGEST_NUMBER = 1e12  # metres, radians: what is larger is damage, and its square soon no number at all
SMALLEST_BODY = 1e-9  # metres of its longest offset; legs shorter than that cannot be bent
_INDICES = ("parents", "end_joints")


class SkeletonRecord(msgspec.Struct, frozen=True):
    """What the header says of a skeleton."""

    names: list[str]
    rotation_orders: list[str]
    role_names: dict[str, str] = {}


def skeleton_record(skeleton: Skeleton) -> tuple[SkeletonRecord, dict[str, np.ndarray[Any, np.dtype[Any]]]]:
    """The header's part of a skeleton, and its arrays."""
    record = SkeletonRecord(list(skeleton.names), list(skeleton.rotation_orders), dict(skeleton.role_names))
    return record, {f"skeleton.{name}": getattr(skeleton, name) for name in (*_NUMBERS, *_INDICES)}


def read_skeleton(path: str | PathLike[str], record: SkeletonRecord, arrays: Arrays) -> Skeleton:
    """The skeleton of a record; ``FormatError`` where its parts do not make one."""
    parts = {name: array_of(path, arrays, f"skeleton.{name}", np.float64, n) for name, n in _NUMBERS.items()}
    parts |= {name: array_of(path, arrays, f"skeleton.{name}", np.int64, 1) for name in _INDICES}
    n_joints, n_ends = len(record.names), len(parts["end_joints"])
    wanted: dict[str, tuple[int, ...]] = {
        "offsets": (n_joints, 3),
        "end_offsets": (n_ends, 3),
        "axes_wxyz": (n_joints, 4),
    }
    wanted["limits"] = (n_joints, 3, 2)
    for name, shape in wanted.items():
        if parts[name].shape != shape:
            raise FormatError(path, 0, f"expected skeleton.{name} of shape {shape}, found {parts[name].shape}")
    if n_joints > 1 and np.abs(parts["offsets"][1:]).max() < SMALLEST_BODY:
        raise FormatError(path, 0, f"holds a skeleton smaller than {SMALLEST_BODY:g} m, which is no body")
    if parts["end_joints"].size and not (0 <= parts["end_joints"].min() <= parts["end_joints"].max() < n_joints):
        raise FormatError(path, 0, "hangs end sites on joints that do not exist")
    orders = tuple(record.rotation_orders)
    if any(len(order) > 3 or set(order) - set("XYZ") for order in orders):
        raise FormatError(path, 0, "names rotation orders that do not exist")
    try:
        skeleton = Skeleton(
            names=tuple(record.names),
            parents=parts["parents"],
            offsets=parts["offsets"],
            end_joints=parts["end_joints"],
            end_offsets=parts["end_offsets"],
            rotation_orders=orders,
            axes_wxyz=parts["axes_wxyz"],
            limits=parts["limits"],
        )
        return skeleton.with_roles(record.role_names) if record.role_names else skeleton
    except MotionError as error:
        raise FormatError(path, 0, f"holds no skeleton: {error}") from None


def array_of(
    path: str | PathLike[str], arrays: Arrays, name: str, dtype: type[np.generic], n_axes: int
) -> np.ndarray[Any, np.dtype[Any]]:
    """An array that must be there, of this type and number of axes, with no number beyond all reason."""
    array = arrays.get(name)
    if array is None:
        raise FormatError(path, 0, f"lacks the array {name!r}")
    if array.dtype != dtype or array.ndim != n_axes:
        expected = f"{np.dtype(dtype).name} with {n_axes} axes"
        raise FormatError(path, 0, f"expected {name} as {expected}, found {array.dtype.name} with {array.ndim}")
    if array.dtype.kind == "f" and bool(np.any(np.isfinite(array) & (np.abs(array) > LARGEST_NUMBER))):
        raise FormatError(path, 0, f"holds numbers beyond {LARGEST_NUMBER:g} in {name}, which no motion has")
    return array
