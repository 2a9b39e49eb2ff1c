"""Answers: what the server tells the page, one JSON object each, told apart by ``type``.

Arrays of many numbers travel as base64 of little-endian values; the comment of each says of which kind and shape.
Angles are degrees, lengths metres unless the name says otherwise, times seconds; left is positive.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from mocapella.studio.messages.fields import Answer, Packed, Pair, PhasePlants, Remedy

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
    names: str = "as-captured"  # of ``hello.namings``, by which it knows joints
    travel: str = "hips"  # the bone that travels there
    grid: bool = False  # whether "nodes" are a folder with loops between them, whose names and root bone are fixed


class FormatRow(msgspec.Struct, frozen=True):
    """A format that motions are written in."""

    name: str  # the suffix without its dot
    travels: tuple[str, ...]  # of "hips", "root", "place"
    names: bool  # whether joints can be named otherwise
    unit: bool  # whether its length unit can be chosen
    loop: bool  # whether it says that a motion repeats
    onto: bool  # whether a motion can be written onto a character


class EditParameter(msgspec.Struct, frozen=True):
    """One parameter of an edit: a number with its range, a switch, or a choice."""

    name: str
    kind: Literal["number", "switch", "choice", "clip", "text"]  # of a clip, the path of its file
    default: float | bool | str
    least: float = 0.0
    most: float = 1.0
    unit: str = ""
    choices: tuple[str, ...] = ()
    about: str = ""
    required: bool = False  # the user has to set it: there is no default


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
    recent: tuple[str, ...]  # projects that were begun without a folder, the latest first
    rate: float  # poses per second
    rules: tuple[str, ...]
    closings: tuple[str, ...]
    units: tuple[str, ...]
    roles: tuple[str, ...]
    suffixes: tuple[str, ...]  # that can be dropped
    upload_limit: int  # bytes
    destinations: tuple[Destination, ...]
    library: str  # name of the library of captures; empty: there is none
    formats: tuple[FormatRow, ...]
    namings: tuple[str, ...]  # of joints in files
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
    """The result of an import."""

    job: int
    read: tuple[str, ...]  # names of clips
    refused: tuple[Refusal, ...]
    left_out: tuple[str, ...]  # sentences: takes of nearly the same, other skeletons
    notes: tuple[str, ...]


# Out.


class FileRow(msgspec.Struct, frozen=True):
    """A file or folder."""

    path: str  # relative to the opened folder
    kind: Literal["folder", "motion", "network", "project", "other"]
    bytes: int = 0


class Folder(Answer, frozen=True, tag="folder"):
    """The contents of a folder."""

    path: str
    files: tuple[FileRow, ...]


class Written(Answer, frozen=True, tag="written"):
    """Files that were written; ``GET /files/PATH`` fetches one."""

    files: tuple[FileRow, ...]
    place: str  # their folder on the server's disk
    python: str


class ExportPlan(Answer, frozen=True, tag="export_plan"):
    """The files an export would write."""

    destination: str
    files: list[tuple[str, str]]  # name, what is in it
    joints: list[tuple[str, str]]  # role, joint as it is written
    notes: tuple[str, ...]
    place: str  # the folder they would be in, for people
    python: str


class Compared(Answer, frozen=True, tag="compared"):
    """The motion that is shown beside the first character."""

    node: str  # empty: nothing
    kind: Literal["", "capture", "cycle"] = ""
    text: str = ""  # of which file and rows, or why it is no capture


class Recording(Answer, frozen=True, tag="recording"):
    """The state of a recording."""

    recording: bool
    seconds: float
    slip_mm_max: float | None = None  # once it has ended


class ScriptText(Answer, frozen=True, tag="script"):
    """The project as a Python script that runs."""

    text: str


class ConsoleText(Answer, frozen=True, tag="console"):
    """Output of the console."""

    lines: list[str]
    failed: bool
