"""Answers: what the server tells the page, one JSON object each, told apart by ``type``.

Arrays of many numbers travel as base64 of little-endian values; the comment of each says of which kind and shape.
Angles are degrees, lengths metres unless the name says otherwise, times seconds; left is positive.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Pair = tuple[float, float]
Packed = str  # base64
Roles = dict[str, str]  # role → joint
PhasePlants = dict[str, list[Pair]]  # foot point → plants round a cycle: begin and length, as shares of the cycle
RowPlants = dict[str, list[tuple[int, int]]]  # foot point → first and last row, both planted


class Answer(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """What all answers have."""


# Acknowledgements.


class Ack(Answer, frozen=True, tag="ack"):
    """A command was done."""

    seq: int
    python: str = ""  # its line of API, where it has one
    revision: int = 0  # of the project, after it


class Refused(Answer, frozen=True, tag="refused"):
    """A command was not done, or, with ``kept``, only as far as was sound."""

    seq: int  # 0 where the message had none that could be read
    message: str
    expected: str = ""
    got: str = ""
    helps: str = ""
    kept: Pair | None = None  # where a node came to stand instead


class Notice(Answer, frozen=True, tag="notice"):
    """Something worth knowing that no command asked for."""

    level: Literal["info", "doubt", "error"]
    text: str
    about: str = ""  # clip, node or file


# The beginning.


class Destination(msgspec.Struct, frozen=True):
    """A program that files can be written for."""

    name: str  # for commands
    title: str
    about: str
    formats: tuple[str, ...]
    what: tuple[str, ...]  # of "blend", "nodes", "recording"


class EditParameter(msgspec.Struct, frozen=True):
    """One parameter of an edit: a number with its range, a switch, or a choice."""

    name: str
    kind: Literal["number", "switch", "choice", "text"]
    default: float | bool | str
    least: float = 0.0
    most: float = 1.0
    unit: str = ""
    choices: tuple[str, ...] = ()
    about: str = ""


class EditKind(msgspec.Struct, frozen=True):
    """An edit that can be put on a clip."""

    name: str
    title: str
    about: str
    parameters: tuple[EditParameter, ...] = ()


class Hello(Answer, frozen=True, tag="hello"):
    """Sent once, first."""

    version: str
    folder: str  # name of the opened folder, for people
    rate: float  # poses per second
    rules: tuple[str, ...]
    closings: tuple[str, ...]
    units: tuple[str, ...]
    roles: tuple[str, ...]
    suffixes: tuple[str, ...]  # that can be dropped
    upload_limit: int  # bytes
    destinations: tuple[Destination, ...]
    edits: tuple[EditKind, ...]
    commands: tuple[str, ...]  # of the console
    frame: dict[str, int]  # names of the floats of a pose frame → where they stand; see ``frames``


# The skeleton and its body, once for every network.


class Body(Answer, frozen=True, tag="body"):
    """Joints, rest pose and skinned surface; poses refer to it by ``id``."""

    id: int
    joints: tuple[str, ...]
    parents: tuple[int, ...]  # −1 for the root; parents before children
    offsets: list[tuple[float, float, float]]  # of each joint from its parent in the rest pose; the root's is its place
    end_parents: tuple[int, ...]  # joints that limbs end at
    end_offsets: list[tuple[float, float, float]]
    sides: tuple[int, ...]  # of joints: 0 middle, 1 left, 2 right
    roles: dict[str, int]  # role → joint
    height: float
    n_vertices: int
    vertices: Packed  # float32 (vertices, 3), rest pose, metres
    normals: Packed  # float32 (vertices, 3)
    faces: Packed  # uint32 (faces, 3), anticlockwise from outside
    skin_joints: Packed  # uint16 (vertices, 4)
    skin_weights: Packed  # float32 (vertices, 4)


# The project.


class ClipRow(msgspec.Struct, frozen=True):
    """A clip in the list."""

    name: str
    path: str
    state: Literal["waiting", "reading", "ready", "refused"]
    seconds: float = 0.0
    frames: int = 0
    frame_rate: float = 0.0
    node: str = ""  # that it became
    mirrored: bool = False
    doubts: int = 0
    corrected: bool = False  # by hand in any way
    message: str = ""  # why it was refused or left out
    edits: int = 0


class NodeView(msgspec.Struct, frozen=True):
    """A node of a network."""

    name: str
    at: Pair
    period: float
    speed: float
    turn: float  # degrees per second
    plants: PhasePlants
    clip: str = ""  # of the project, that it came from
    source: str = ""  # in words: a file, "mirrored", "blended"
    transition: bool = False  # the way into a change
    synchronised: bool = True
    offset: float = 0.0  # degrees, by hand


class Block(msgspec.Struct, frozen=True):
    """A network in the plane; the whole network is one block with an empty name where it is not hybrid."""

    name: str
    nodes: tuple[NodeView, ...]
    triangles: tuple[tuple[int, ...], ...]  # numbers of nodes; in twos along a line, one alone
    outline: tuple[tuple[int, ...], ...]
    buffers: tuple[tuple[int, ...], ...] = ()


class ArcRow(msgspec.Struct, frozen=True):
    """An arc of a hybrid network."""

    name: str
    source: tuple[str, str]  # block, node
    target: tuple[str, str]
    zone: float
    seconds: float
    key: str = ""
    mirrored: bool = False


class ModeRow(msgspec.Struct, frozen=True):
    """An operating mode."""

    name: str
    key: str
    arcs: tuple[str, ...]
    triangles: dict[str, tuple[tuple[int, ...], ...]]  # block → numbers of nodes


class NetworkView(Answer, frozen=True, tag="network"):
    """The network that is played, whenever it has changed."""

    revision: int
    body: int  # id of the skeleton
    hybrid: bool
    blocks: tuple[Block, ...]
    arcs: tuple[ArcRow, ...]
    modes: tuple[ModeRow, ...]
    rule: str
    harmonics: int  # in use
    most_harmonics: int
    single_source: int | None  # first single-source harmonic
    axes: tuple[str, str]  # what x and y are
    units: tuple[str, str]
    dofs: tuple[str, ...]


class NodePoses(Answer, frozen=True, tag="node_poses"):
    """Small skeletons: every node of a block at even cycle phases, seen from under the root, facing +z."""

    revision: int
    block: str
    nodes: tuple[str, ...]
    phases: int  # poses per node, even over the cycle
    n_points: int  # joints, then ends
    poses: Packed  # int16 (nodes, phases, points, 3), millimetres


class CharacterRow(msgspec.Struct, frozen=True):
    """A character on the stage."""

    at: Pair
    heading: float
    path: list[tuple[float, float, float]]  # x, z, m/s; empty: steered by hand


class EditRow(msgspec.Struct, frozen=True):
    """An edit on a clip."""

    clip: str
    index: int
    name: str
    parameters: dict[str, float | bool | str]


class ProjectState(Answer, frozen=True, tag="project"):
    """The project, after every change."""

    revision: int
    name: str
    path: str  # relative, where it was saved; empty before
    saved: bool  # whether all edits are in that file
    source: Literal["actor", "file", "clips"]
    undo: str  # what undo would take back, in words; empty: nothing
    redo: str
    clips: tuple[ClipRow, ...]
    characters: tuple[CharacterRow, ...]
    edits: tuple[EditRow, ...]
    feet: str
    python: str  # the line of the last edit


# Importing.


class Progress(Answer, frozen=True, tag="progress"):
    """How far a job is; the character walks on meanwhile."""

    job: int
    title: str
    stage: Literal["read", "cut", "step", "place", "map", "export", "done", "failed", "cancelled"]
    about: str = ""  # the file or node it is at
    done: int = 0
    total: int = 0


class Remedy(msgspec.Struct, frozen=True):
    """Something that helps."""

    title: str
    text: str
    command: msgspec.Raw = msgspec.Raw(b"null")  # that does it, without a sequence number; null: not here


class Refusal(msgspec.Struct, frozen=True):
    """A file that was not read."""

    path: str
    message: str
    line: int = 0
    expected: str = ""
    got: str = ""
    lines: list[tuple[int, str]] = []  # of the file round that place
    remedies: tuple[Remedy, ...] = ()


class ImportReport(Answer, frozen=True, tag="import_report"):
    """What became of files that were taken in."""

    job: int
    read: tuple[str, ...]  # names of clips
    refused: tuple[Refusal, ...]
    left_out: tuple[str, ...]  # sentences: takes of nearly the same, other skeletons
    notes: tuple[str, ...]


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
    automatic: tuple[int, int] | None  # start and frames that would be taken without a hand
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
    frames: tuple[int, int]
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
    python: str


class StateLog(Answer, frozen=True, tag="states"):
    """What the first character of this connection played when; after every change of state."""

    entries: list[tuple[float, str, str]]  # from when on in its own time, state, arc
    block: str
    mode: str


# Out.


class FileRow(msgspec.Struct, frozen=True):
    """A file or folder."""

    path: str  # relative to the opened folder
    kind: Literal["folder", "motion", "network", "project", "other"]
    bytes: int = 0


class Folder(Answer, frozen=True, tag="folder"):
    """What lies in a folder."""

    path: str
    files: tuple[FileRow, ...]


class Written(Answer, frozen=True, tag="written"):
    """Files that were written; ``GET /files/PATH`` fetches one."""

    files: tuple[FileRow, ...]
    python: str


class ExportPlan(Answer, frozen=True, tag="export_plan"):
    """What an export would write."""

    destination: str
    files: list[tuple[str, str]]  # name, what is in it
    joints: list[tuple[str, str]]  # role, joint as it is written
    notes: tuple[str, ...]
    python: str


class Recording(Answer, frozen=True, tag="recording"):
    """The state of a recording."""

    recording: bool
    seconds: float
    slip_mm_max: float | None = None  # once it has ended


class ScriptText(Answer, frozen=True, tag="script"):
    """The project as a Python script that runs."""

    text: str


class ConsoleText(Answer, frozen=True, tag="console"):
    """What the console printed."""

    lines: list[str]
    failed: bool


AnyAnswer = (
    Ack | Refused | Notice | Hello | Body | NetworkView | NodePoses | ProjectState | Progress | ImportReport
    | ClipDetails | SyncStrip | Spectra | Traces | Map | ArcDetails | StateLog | Folder | Written | ExportPlan
    | Recording | ScriptText | ConsoleText
)  # fmt: skip
