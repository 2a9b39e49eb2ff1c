"""Answers with what the panels show: a clip, two motions in step, signals, layers over the network, an arc."""

from __future__ import annotations

from typing import Literal

import msgspec

from mocapella.studio.messages.fields import Answer, Packed, Pair, PhasePlants, Remedy, Roles, RowPlants

# One clip.


class FindingRow(msgspec.Struct, frozen=True):
    """Something to know about a clip."""

    code: str
    message: str
    doubtful: bool
    frames: list[int] = []


class Candidate(msgspec.Struct, frozen=True):
    """A cycle that could be taken."""

    start: int
    frames: int
    seconds: float
    speed: float
    turn: float
    closing_cm: float
    unlikeness: float
    steps: int


class Closing(msgspec.Struct, frozen=True):
    """One joint before and after the cycle was closed."""

    joint: str
    before: list[float]  # degrees of flexion, frames + 1 of the cut
    after: list[float]


class ClipDetails(Answer, frozen=True, tag="clip"):
    """All that the clip panel shows."""

    name: str
    path: str
    format: str
    frames: int
    first_row: int  # the file's row of the first captured frame
    frame_rate: float
    seconds: float
    n_joints: int
    joints: tuple[str, ...]
    parents: tuple[int, ...]
    end_parents: tuple[int, ...]
    unit: str
    metres_per_unit: float
    up_axis: str
    facing: float
    height: float
    noise: str  # in words, and what averaging leaves of it
    rest_frames: int
    findings: tuple[FindingRow, ...]
    roles: Roles
    missing_roles: tuple[str, ...]
    plants: RowPlants
    plants_found: RowPlants  # the automatic ones, where those in use are by hand; the same otherwise
    heights: dict[str, list[float]]  # foot point → centimetres, every ``height_step`` frames
    height_step: int
    speed: list[float]  # m/s, every ``height_step`` frames
    candidates: tuple[Candidate, ...]
    taken: Candidate | None  # None where the clip gives no cycle
    automatic: tuple[int, int] | None  # start and frames of the automatic choice
    method: str
    mirrored: bool
    turning: bool | None
    closing: tuple[Closing, ...]
    decisions: list[tuple[str, str]]
    node: str
    at: Pair | None
    pose_frames: list[int]  # rows of ``poses``
    poses: Packed  # int16 (poses, points, 3), millimetres, from under the root, facing +z; joints, then ends
    python: str
    message: str = ""  # why there is no cycle


class SyncStrip(Answer, frozen=True, tag="sync"):
    """Two motions and their half-way blend, and how well they agree by offset."""

    first: str
    second: str
    block: str
    frames: tuple[int, int]  # of a cycle at 60 a second
    seconds: Pair
    agreement: list[float]  # −1 … 1, at even offsets over a cycle, from 0
    best: float  # degrees of the automatic choice, beside the present one
    offset: float  # degrees by hand, as in the project
    tried: float  # degrees, as asked
    n_points: int
    phases: int
    a: Packed  # int16 (phases, points, 3), millimetres
    b: Packed
    half: Packed
    plants: tuple[PhasePlants, PhasePlants, PhasePlants]
    decision: str


# Signals.


class SpectrumView(msgspec.Struct, frozen=True):
    """One dof of one motion."""

    name: str
    period: float
    curve: list[float]  # over a cycle at even phases, in ``unit``
    magnitudes: list[float]  # from harmonic 0 on
    phases: list[float]  # degrees
    source: list[int]  # for every harmonic the node it comes from, −1: blended


class Spectra(Answer, frozen=True, tag="spectra"):
    """Curves and spectra of one dof."""

    dof: str
    unit: str
    block: str
    harmonics: int
    motions: tuple[SpectrumView, ...]


class FootTraceView(msgspec.Struct, frozen=True):
    """The trace of one foot, seen from above, on the spot."""

    foot: str
    blend: list[Pair]  # millimetres
    reference: list[Pair]
    inputs: list[list[Pair]]
    names: tuple[str, ...]


class Traces(Answer, frozen=True, tag="traces"):
    """Foot traces at a point."""

    block: str
    point: Pair
    distortion: float | None  # radians
    feet: tuple[FootTraceView, ...]


class Map(Answer, frozen=True, tag="map"):
    """A layer over a block."""

    layer: Literal["distortion", "slip"]
    block: str
    revision: int  # of the network it belongs to
    columns: int
    rows: int
    low: Pair
    high: Pair
    values: list[float | None]  # rows going up, None outside
    unit: str
    mean: float
    most: float
    worst: Pair
    why: str
    remedies: tuple[Remedy, ...]


# Hybrid.


class SeamView(msgspec.Struct, frozen=True):
    """Both poses where a network and a captured change meet, laid over each other on the ground."""

    block: str
    node: str
    frame: int  # of the clip
    mean_mm: float  # distance of joints
    most_mm: float
    most_joint: str
    angle: float  # degrees: the joint turned most
    angle_joint: str
    velocity: float  # degrees per second: the largest change of a joint's velocity
    roots: list[tuple[float, float, float]]  # of the network's pose, then of the change's, metres
    rotations: Packed  # float32 (2, joints, 4)


class ArcDetails(Answer, frozen=True, tag="arc"):
    """One arc."""

    name: str
    seconds: float
    leave: int
    arrive: int
    frames: int
    zone: float
    mirrored: bool
    seams: dict[str, float]
    decisions: list[tuple[str, str]]
    pose_frames: list[int]
    n_points: int
    poses: Packed  # int16 (poses, points, 3), millimetres
    meets: tuple[SeamView, SeamView]  # where it is left for, and where it is arrived from
    python: str


class StateLog(Answer, frozen=True, tag="states"):
    """The log of the first character of this connection; sent after every change of state."""

    entries: list[tuple[float, str, str]]  # from when on in its own time, state, arc
    block: str
    mode: str
