"""A transition as it stands in files: words and small numbers in a header, frames in arrays."""

from __future__ import annotations

import math
from os import PathLike
from typing import Any

import msgspec
import numpy as np

from mocapella.blending.transition import Transition
from mocapella.blending.tremor import TREMOR
from mocapella.errors import FormatError
from mocapella.files.cycle_record import CycleRecord, DecisionRecord, cycle_record, decided, noted, read_cycle
from mocapella.files.moca import Arrays
from mocapella.files.skeleton_record import array_of
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS, Contacts
from mocapella.motion.report import Report
from mocapella.motion.skeleton import Skeleton

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
