"""Skeletons, cycles and transitions as headers and arrays."""

from __future__ import annotations

import math
from os import PathLike
from typing import Any

import msgspec
import numpy as np

from mocapella.arrays import owned
from mocapella.errors import FormatError, MotionError
from mocapella.files.moca import Arrays
from mocapella.hybrid.transition import TREMOR, Transition
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS, Contacts, CycleContacts
from mocapella.motion.cycle import Cycle, Decision
from mocapella.motion.layout import layout_of
from mocapella.motion.report import Report
from mocapella.motion.skeleton import Skeleton

# A skeleton in a ``.moca`` file: names and orders in the header, numbers in arrays.

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


# A cycle as it stands in files: words and small numbers in a header, its frames in an array.

MOST_PLANTS = 100  # of one point of a foot, in one cycle

PlantsRecord = dict[str, list[tuple[float, float]]]


class DecisionRecord(msgspec.Struct, frozen=True):
    """One decision."""

    step: str
    text: str
    numbers: dict[str, float] = {}


class CycleRecord(msgspec.Struct, frozen=True):
    """A cycle without its frames and its skeleton."""

    layout: str
    frame_rate: float
    name: str = ""
    source: str = ""
    start_row: int = 0
    offset: float = 0.0
    contacts: PlantsRecord | None = None
    decisions: list[DecisionRecord] = []


def cycle_record(cycle: Cycle) -> CycleRecord:
    """What of a cycle goes into a header."""
    return CycleRecord(
        layout=cycle.layout.kind,
        frame_rate=cycle.frame_rate,
        name=cycle.name,
        source=cycle.source,
        start_row=cycle.start_row,
        offset=cycle.offset,
        contacts=plants_record(cycle.contacts),
        decisions=noted(cycle.decisions),
    )


def read_cycle(path: str | PathLike[str], record: CycleRecord, arrays: Arrays, name: str, skeleton: Skeleton) -> Cycle:
    """The cycle of a record, whose frames are the array ``name``; ``MotionError`` where they do not make one."""
    return Cycle(
        layout=layout_of(record.layout, skeleton),
        dofs=owned(array_of(path, arrays, name, np.float64, 2)),
        frame_rate=record.frame_rate,
        contacts=read_plants(path, record.contacts),
        name=record.name,
        source=record.source,
        start_row=record.start_row,
        offset=record.offset,
        decisions=decided(record.decisions),
    )


def plants_record(contacts: CycleContacts | None) -> PlantsRecord | None:
    """The foot plants of a cycle as they go into a header."""
    if contacts is None:
        return None
    record = {point: list(contacts.point(point)) for point in FOOT_POINTS}
    most = max(map(len, record.values()))
    if most > MOST_PLANTS:
        raise MotionError(f"a cycle with {most} plants of one foot is not stored; at most {MOST_PLANTS} are")
    return record


def read_plants(path: str | PathLike[str], record: PlantsRecord | None) -> CycleContacts | None:
    """The foot plants of a cycle as a header has them; ``MotionError`` where they are none."""
    if record is None:
        return None
    most = max((len(plants) for plants in record.values()), default=0)
    if most > MOST_PLANTS:  # all are compared with each other
        raise FormatError(path, 0, f"lists {most} plants of one foot in a cycle; at most {MOST_PLANTS} are read")
    return CycleContacts(**{point: tuple(record.get(point, ())) for point in FOOT_POINTS})


def noted(decisions: tuple[Decision, ...]) -> list[DecisionRecord]:
    """Decisions as they go into a header."""
    return [DecisionRecord(one.step, one.text, {k: float(v) for k, v in one.numbers.items()}) for one in decisions]


def decided(records: list[DecisionRecord]) -> tuple[Decision, ...]:
    """Decisions as a header has them."""
    return tuple(Decision(one.step, one.text, one.numbers) for one in records)


# A transition as it stands in files: words and small numbers in a header, frames in arrays.

Made = dict[str, np.ndarray[Any, np.dtype[Any]]]


class TransitionRecord(msgspec.Struct, frozen=True):
    """A transition without its frames."""

    name: str
    frame_rate: float
    leave: int
    arrive: int
    before: CycleRecord
    after: CycleRecord
    contacts: dict[str, list[tuple[int, int]]]
    clip: str = ""
    source: str = ""
    first_row: int = 0
    loop: tuple[int, int] | None = None
    decisions: list[DecisionRecord] = []
    report: Report = msgspec.field(default_factory=Report)  # files of earlier programs have none
    tremor: float | None = TREMOR  # nor this; None where nothing counts as tremor, since JSON knows no infinity


def transition_record(transition: Transition, prefix: str) -> tuple[TransitionRecord, Made]:
    """What of a transition goes into a header, and into arrays whose names begin with ``prefix``."""
    clip = transition.clip
    record = TransitionRecord(
        name=transition.name,
        frame_rate=clip.frame_rate,
        leave=transition.leave,
        arrive=transition.arrive,
        before=cycle_record(transition.before),
        after=cycle_record(transition.after),
        contacts={point: list(transition.contacts.point(point)) for point in FOOT_POINTS},
        clip=clip.name,
        source=clip.source,
        first_row=clip.first_row,
        loop=transition.loop,
        decisions=noted(transition.decisions),
        report=clip.report,
        tremor=None if math.isinf(transition.tremor) else transition.tremor,
    )
    return record, {
        f"{prefix}root_positions": clip.root_positions,
        f"{prefix}rotations_wxyz": clip.rotations_wxyz,
        f"{prefix}sliding_joints": clip.sliding_joints,
        f"{prefix}slides": clip.slides,
        f"{prefix}before": transition.before.dofs,
        f"{prefix}after": transition.after.dofs,
    }


def read_transition(
    path: str | PathLike[str], record: TransitionRecord, arrays: Arrays, prefix: str, skeleton: Skeleton
) -> Transition:
    """The transition of a record; ``MotionError`` where its parts do not make one."""
    places = array_of(path, arrays, f"{prefix}root_positions", np.float64, 2)
    rotations = array_of(path, arrays, f"{prefix}rotations_wxyz", np.float64, 3)
    if places.shape != (len(rotations), 3) or rotations.shape[1:] != (skeleton.n_joints, 4):
        raise FormatError(
            path,
            0,
            f"expected places and rotations of {skeleton.n_joints} joints over the same frames in {prefix}…, "
            f"found {places.shape} and {rotations.shape}",
        )
    sliding = array_of(path, arrays, f"{prefix}sliding_joints", np.int64, 1)
    slides = array_of(path, arrays, f"{prefix}slides", np.float64, 3)
    if slides.shape != (len(places), len(sliding), 3):
        raise FormatError(
            path, 0, f"expected a place for each sliding joint and frame in {prefix}…, got {slides.shape}"
        )
    clip = Clip(
        skeleton=skeleton,
        root_positions=places,
        rotations_wxyz=rotations,
        frame_rate=record.frame_rate,
        name=record.clip,
        source=record.source,
        report=record.report,
        first_row=record.first_row,
        sliding_joints=sliding,
        slides=slides,
    )
    return Transition(
        name=record.name,
        clip=clip,
        contacts=Contacts(clip.n_frames, **{name: tuple(record.contacts.get(name, ())) for name in FOOT_POINTS}),
        before=read_cycle(path, record.before, arrays, f"{prefix}before", skeleton),
        after=read_cycle(path, record.after, arrays, f"{prefix}after", skeleton),
        leave=record.leave,
        arrive=record.arrive,
        loop=record.loop,
        decisions=decided(record.decisions),
        tremor=math.inf if record.tremor is None else record.tremor,
    )
