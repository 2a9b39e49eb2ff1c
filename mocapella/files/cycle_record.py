"""A cycle as it stands in files: words and small numbers in a header, its frames in an array."""

from __future__ import annotations

from os import PathLike

import msgspec
import numpy as np

from mocapella.arrays import owned
from mocapella.errors import FormatError, MotionError
from mocapella.files.moca import Arrays
from mocapella.files.skeleton_record import array_of
from mocapella.motion.contacts import FOOT_POINTS, CycleContacts
from mocapella.motion.cycle import Cycle, Decision
from mocapella.motion.layout import layout_of
from mocapella.motion.skeleton import Skeleton

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
