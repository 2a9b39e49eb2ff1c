"""How values are written to ``.moca`` files and read again, and the records of skeletons and cycles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec
import numpy as np

from mocapella.arrays import owned
from mocapella.errors import FormatError, MotionError
from mocapella.files.moca import Arrays, Contents, read_moca, write_moca
from mocapella.motion.contacts import FOOT_POINTS, CycleContacts
from mocapella.motion.cycle import Cycle, Decision
from mocapella.motion.layout import layout_of
from mocapella.motion.skeleton import Binding, Skeleton

_LARGEST_NUMBER = 1e12  # metres, radians: larger numbers are damage, and their squares overflow

Made = dict[str, np.ndarray[Any, np.dtype[Any]]]
_Value = TypeVar("_Value")
_Record = TypeVar("_Record", bound=msgspec.Struct)


@dataclass(frozen=True, eq=False)
class Stored:
    """The arrays of a file, or those of a part of it, whose names begin with a prefix."""

    path: str | PathLike[str]
    arrays: Arrays
    prefix: str = ""

    def part(self, prefix: str) -> Stored:
        """The arrays of a part."""
        return replace(self, prefix=f"{self.prefix}{prefix}")

    def error(self, reason: str) -> FormatError:
        """The error that says what is wrong with the file."""
        return FormatError(self.path, 0, reason)

    def array(
        self, name: str, dtype: type[np.generic], n_axes: int, shape: tuple[int, ...] | None = None
    ) -> np.ndarray[Any, np.dtype[Any]]:
        """An array of this type, number of axes and shape; ``FormatError`` where it is not there."""
        name = f"{self.prefix}{name}"
        array = self.arrays.get(name)
        if array is None:
            raise self.error(f"lacks the array {name!r}")
        if array.dtype != dtype or array.ndim != n_axes:
            expected = f"{np.dtype(dtype).name} with {n_axes} axes"
            raise self.error(f"expected {name} as {expected}, found {array.dtype.name} with {array.ndim}")
        if shape is not None and array.shape != shape:
            raise self.error(f"expected {name} of shape {shape}, found {array.shape}")
        if array.dtype.kind == "f" and bool(np.any(np.isfinite(array) & (np.abs(array) > _LARGEST_NUMBER))):
            raise self.error(f"holds numbers beyond {_LARGEST_NUMBER:g} in {name}, which no motion has")
        return array


@dataclass(frozen=True)
class Kind(Generic[_Value, _Record]):
    """How values of one type are stored: the format's name and version, and both directions.

    ``record`` is the type of the JSON header; keys that it does not know are left alone. ``describe`` makes the record
    and the arrays of a value for a path; options of ``write`` are handed to it. ``make`` makes the value again;
    ``MotionError`` where its parts do not make one. ``least_version`` is the least version whose readers ignore nothing
    that a record holds; ``version`` if None.
    """

    format: str
    version: int
    called: str
    record: type[_Record]
    describe: Callable[..., tuple[_Record, Made]]
    make: Callable[[_Record, Stored], _Value]
    least_version: Callable[[_Record], int] | None = None

    def write(self, value: _Value, path: str | PathLike[str], **options: Any) -> None:
        """Write a value; ``MotionError`` where the path is no ``.moca`` or the value cannot be stored."""
        if Path(path).suffix.lower() != ".moca":
            raise MotionError(f"this {self.called} is stored as .moca, got {Path(path).name!r}")
        record, arrays = self.describe(value, Path(path), **options)
        version = self.version if self.least_version is None else self.least_version(record)
        write_moca(path, self.format, version, msgspec.to_builtins(record), arrays)

    def load(self, path: str | PathLike[str]) -> _Value:
        """Read a value as it was written; ``FormatError`` where the file holds none."""
        return self.value(*self.opened(path, read_moca(path, self.format)))

    def opened(self, path: str | PathLike[str], contents: Contents) -> tuple[_Record, Stored]:
        """The record and the arrays of a file of this format; ``FormatError`` where it has no such record."""
        if contents.version > self.version:
            text = f"was written as version {contents.version}; this program reads up to {self.version}: update it"
            raise FormatError(path, 0, text)
        try:
            return msgspec.json.decode(contents.header, type=self.record), Stored(path, contents.arrays)
        except (msgspec.DecodeError, RecursionError) as error:
            raise FormatError(path, 0, f"has a header that describes no {self.called}: {error}") from None
        except MotionError as error:
            raise FormatError(path, 0, f"holds no {self.called}: {error}") from None

    def value(self, record: _Record, stored: Stored) -> _Value:
        """The value of a record; ``FormatError`` where its parts do not make one."""
        try:
            return self.make(record, stored)
        except FormatError:
            raise
        except MotionError as error:
            raise stored.error(f"holds no {self.called}: {error}") from None


def taken_from(value: object, record: type[_Record], **others: Any) -> _Record:
    """A record of a value's attributes of the same names, and ``others`` that it has in another form or not at all."""
    fields = {name: getattr(value, name) for name in record.__struct_fields__ if name not in others}
    return record(**fields, **others)


# Skeletons: names and orders in the header, numbers in arrays.

_SMALLEST_BODY = 1e-9  # metres of its longest offset; legs shorter than that cannot be bent
_ARRAYS: dict[str, tuple[type[np.generic], int]] = {  # name → type, axes
    "offsets": (np.float64, 2),
    "end_offsets": (np.float64, 2),
    "axes_wxyz": (np.float64, 2),
    "limits": (np.float64, 3),
    "parents": (np.int64, 1),
    "end_joints": (np.int64, 1),
}


class SkeletonRecord(msgspec.Struct, frozen=True):
    """The header's part of a skeleton."""

    names: tuple[str, ...]
    rotation_orders: tuple[str, ...]
    role_names: dict[str, str] = {}
    original: SkeletonRecord | msgspec.UnsetType = msgspec.UNSET  # the file's own, where the skeleton was bound
    original_travels: bool | msgspec.UnsetType = msgspec.UNSET  # see ``Binding.travels``


def skeleton_record(skeleton: Skeleton) -> tuple[SkeletonRecord, Made]:
    """The header's part of a skeleton, and its arrays."""
    bound = skeleton.binding
    original: SkeletonRecord | msgspec.UnsetType = msgspec.UNSET
    arrays: Made = {f"skeleton.{name}": getattr(skeleton, name) for name in _ARRAYS}
    if bound is not None:
        original, original_arrays = skeleton_record(bound.original)
        arrays |= {f"original.{name}": array for name, array in original_arrays.items()}
        arrays |= {"original.joints": bound.joints, "original.joint_axes_wxyz": bound.axes_wxyz}
    others = {"role_names": dict(skeleton.role_names), "original": original}
    travels = True if bound is not None and bound.travels else msgspec.UNSET
    return taken_from(skeleton, SkeletonRecord, **others, original_travels=travels), arrays


def read_skeleton(record: SkeletonRecord, stored: Stored) -> Skeleton:
    """The skeleton of a record, with the roles given to its joints; ``FormatError`` where its parts do not make one."""
    n_joints = len(record.names)
    shapes = {"offsets": (n_joints, 3), "axes_wxyz": (n_joints, 4), "limits": (n_joints, 3, 2)}
    parts: dict[str, Any] = {
        name: stored.array(f"skeleton.{name}", dtype, n_axes, shapes.get(name))
        for name, (dtype, n_axes) in _ARRAYS.items()
    }
    ends = parts["end_joints"]
    if parts["end_offsets"].shape != (len(ends), 3):
        raise stored.error(f"expected skeleton.end_offsets of shape {(len(ends), 3)}")
    if n_joints > 1 and np.abs(parts["offsets"][1:]).max() < _SMALLEST_BODY:
        raise stored.error(f"holds a skeleton smaller than {_SMALLEST_BODY:g} m, too small for a body")
    if ends.size and not (0 <= ends.min() <= ends.max() < n_joints):
        raise stored.error("hangs end sites on joints that do not exist")
    if any(len(order) > 3 or set(order) - set("XYZ") for order in record.rotation_orders):
        raise stored.error("names rotation orders that do not exist")
    try:
        binding = None
        if record.original is not msgspec.UNSET:
            binding = _read_binding(record.original, stored, n_joints, travels=record.original_travels is True)
        skeleton = Skeleton(names=record.names, rotation_orders=record.rotation_orders, **parts, binding=binding)
        return skeleton.with_roles(record.role_names) if record.role_names else skeleton
    except MotionError as error:
        raise stored.error(f"holds no skeleton: {error}") from None


def _read_binding(record: SkeletonRecord, stored: Stored, n_joints: int, *, travels: bool) -> Binding:
    """The skeleton of the file that a bound one was made of."""
    if record.original is not msgspec.UNSET:
        raise stored.error("binds a skeleton that is bound itself")
    part = stored.part("original.")
    original = read_skeleton(record, part)
    joints = part.array("joints", np.int64, 1, (n_joints,))
    axes = part.array("joint_axes_wxyz", np.float64, 2, (n_joints, 4))
    if len(np.unique(joints)) != n_joints or not (0 <= joints.min() <= joints.max() < original.n_joints):
        raise stored.error("binds joints that the original skeleton does not have")
    if not np.allclose(np.linalg.norm(axes, axis=-1), 1.0, atol=1e-6):
        raise stored.error("binds joints by axes that are not rotations")
    return Binding(original, joints, axes, travels)


# Cycles: words and small numbers in a header, frames in an array.

_MOST_PLANTS = 100  # of one point of a foot, in one cycle; all are compared with each other


class CycleRecord(msgspec.Struct, frozen=True):
    """A cycle without its frames and its skeleton."""

    layout: str
    frame_rate: float
    name: str = ""
    source: str = ""
    start_row: int = 0
    offset: float = 0.0
    contacts: CycleContacts | None = None
    decisions: tuple[Decision, ...] = ()


def cycle_record(cycle: Cycle) -> CycleRecord:
    """The header's part of a cycle."""
    contacts, decisions = storable_contacts(cycle.contacts), storable_decisions(cycle.decisions)
    return taken_from(cycle, CycleRecord, layout=cycle.layout.kind, contacts=contacts, decisions=decisions)


def read_cycle(record: CycleRecord, stored: Stored, name: str, skeleton: Skeleton) -> Cycle:
    """The cycle of a record, whose frames are the array ``name``; ``MotionError`` where its parts do not make one."""
    refuse_many_plants(record.contacts, stored)
    fields = {key: getattr(record, key) for key in CycleRecord.__struct_fields__}
    fields |= {"layout": layout_of(record.layout, skeleton), "dofs": owned(stored.array(name, np.float64, 2))}
    return Cycle(**fields)


def storable_contacts(contacts: CycleContacts | None) -> CycleContacts | None:
    """Foot plants as they go into a header; ``MotionError`` where they are too many to be read again."""
    if (most := _plants_of_one_point(contacts)) > _MOST_PLANTS:
        raise MotionError(f"a cycle with {most} plants of one foot is not stored; at most {_MOST_PLANTS} are")
    return contacts


def refuse_many_plants(contacts: CycleContacts | None, stored: Stored) -> None:
    """Raise ``FormatError`` where a file lists more plants of a foot than a cycle can have."""
    if (most := _plants_of_one_point(contacts)) > _MOST_PLANTS:
        raise stored.error(f"lists {most} plants of one foot in a cycle; at most {_MOST_PLANTS} are read")


def storable_decisions(decisions: tuple[Decision, ...]) -> tuple[Decision, ...]:
    """Decisions as they go into a header: all their numbers as Python's floats."""
    return tuple(
        replace(decision, numbers={k: float(v) for k, v in decision.numbers.items()}) for decision in decisions
    )


def _plants_of_one_point(contacts: CycleContacts | None) -> int:
    return 0 if contacts is None else max(len(contacts.point(point)) for point in FOOT_POINTS)
