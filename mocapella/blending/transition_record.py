"""A transition as it stands in files: words and small numbers in a header, frames in arrays."""

from __future__ import annotations

from os import PathLike
from typing import Any

import msgspec
import numpy as np

from mocapella.arrays import owned
from mocapella.blending.transition import Transition
from mocapella.errors import FormatError
from mocapella.files.moca import Arrays
from mocapella.files.skeleton_record import array_of
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS, Contacts, CycleContacts
from mocapella.motion.cycle import Cycle, Decision
from mocapella.motion.layout import layout_of
from mocapella.motion.skeleton import Skeleton

Made = dict[str, np.ndarray[Any, np.dtype[Any]]]


class DecisionRecord(msgspec.Struct, frozen=True):
    """One decision."""

    step: str
    text: str
    numbers: dict[str, float] = {}


class CycleRecord(msgspec.Struct, frozen=True):
    """A transition's cycle without its frames."""

    layout: str
    frame_rate: float
    name: str = ""
    source: str = ""
    start_row: int = 0
    offset: float = 0.0
    contacts: dict[str, list[tuple[float, float]]] | None = None
    decisions: list[DecisionRecord] = []


class TransitionRecord(msgspec.Struct, frozen=True):
    """A transition without its frames; what reading its file once found out is left behind."""

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


def transition_record(transition: Transition, prefix: str) -> tuple[TransitionRecord, Made]:
    """What of a transition goes into a header, and into arrays whose names begin with ``prefix``."""
    clip = transition.clip
    record = TransitionRecord(
        name=transition.name,
        frame_rate=clip.frame_rate,
        leave=transition.leave,
        arrive=transition.arrive,
        before=_cycle_record(transition.before),
        after=_cycle_record(transition.after),
        contacts={point: list(transition.contacts.point(point)) for point in FOOT_POINTS},
        clip=clip.name,
        source=clip.source,
        first_row=clip.first_row,
        loop=transition.loop,
        decisions=_noted(transition.decisions),
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
    clip = Clip(
        skeleton=skeleton,
        root_positions=places,
        rotations_wxyz=rotations,
        frame_rate=record.frame_rate,
        name=record.clip,
        source=record.source,
        first_row=record.first_row,
        sliding_joints=array_of(path, arrays, f"{prefix}sliding_joints", np.int64, 1),
        slides=array_of(path, arrays, f"{prefix}slides", np.float64, 3),
    )
    return Transition(
        name=record.name,
        clip=clip,
        contacts=Contacts(clip.n_frames, **{name: tuple(record.contacts.get(name, ())) for name in FOOT_POINTS}),
        before=_cycle(path, record.before, arrays, f"{prefix}before", skeleton),
        after=_cycle(path, record.after, arrays, f"{prefix}after", skeleton),
        leave=record.leave,
        arrive=record.arrive,
        loop=record.loop,
        decisions=_read(record.decisions),
    )


def _cycle_record(cycle: Cycle) -> CycleRecord:
    contacts = None
    if cycle.contacts is not None:
        contacts = {point: list(cycle.contacts.point(point)) for point in FOOT_POINTS}
    return CycleRecord(
        layout=cycle.layout.kind,
        frame_rate=cycle.frame_rate,
        name=cycle.name,
        source=cycle.source,
        start_row=cycle.start_row,
        offset=cycle.offset,
        contacts=contacts,
        decisions=_noted(cycle.decisions),
    )


def _cycle(path: str | PathLike[str], record: CycleRecord, arrays: Arrays, name: str, skeleton: Skeleton) -> Cycle:
    contacts = None
    if record.contacts is not None:
        contacts = CycleContacts(**{point: tuple(record.contacts.get(point, ())) for point in FOOT_POINTS})
    return Cycle(
        layout=layout_of(record.layout, skeleton),
        dofs=owned(array_of(path, arrays, name, np.float64, 2)),
        frame_rate=record.frame_rate,
        contacts=contacts,
        name=record.name,
        source=record.source,
        start_row=record.start_row,
        offset=record.offset,
        decisions=_read(record.decisions),
    )


def _noted(decisions: tuple[Decision, ...]) -> list[DecisionRecord]:
    return [DecisionRecord(one.step, one.text, {k: float(v) for k, v in one.numbers.items()}) for one in decisions]


def _read(records: list[DecisionRecord]) -> tuple[Decision, ...]:
    return tuple(Decision(one.step, one.text, one.numbers) for one in records)
