"""Commands: what the page asks of the server, one JSON object each, told apart by ``type``.

Every command has a sequence number of its own. The server answers each with an ``ack`` or a ``refused`` of the same
number; commands that ask for data are answered with that data first. Commands marked *edit* make a new project, which
can be undone; all others leave the project as it is.

Angles are degrees, lengths metres, speeds m/s, turns degrees per second, left positive; frames count from 0 in the
file's own rows.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from mocapella.studio.messages.fields import Command, Count, FootPoint, Name, Number, Point, Text

# Files and the project.


class Open(Command, frozen=True, tag="open"):
    """Open a network (``.moca``), a project (``studio.json``) or a capture of the opened folder, or the actor: edit."""

    path: Text = ""  # relative to the opened folder; empty: the embedded actor's network
    recent: Text = ""  # of ``hello.recent``, instead of a path: its folder is opened


class ImportFiles(Command, frozen=True, tag="import"):
    """Take captures in that were uploaded or lie in the opened folder, and build the network of all clips: edit."""

    paths: Annotated[tuple[Text, ...], msgspec.Meta(min_length=1, max_length=2000)]  # files or folders, relative
    at: Point | None = None  # dropped on the network there: one clip becomes a node at this place


class Cancel(Command, frozen=True, tag="cancel"):
    """Stop the job that is under way (import, build, map); what was there before stays."""

    job: Count = 0  # 0: all


class Files(Command, frozen=True, tag="files"):
    """List a folder of the opened folder: answered with ``folder``."""

    path: Text = ""


class Undo(Command, frozen=True, tag="undo"):
    """Take the last edit back."""


class Redo(Command, frozen=True, tag="redo"):
    """Do it again."""


class Save(Command, frozen=True, tag="save"):
    """Write the project file, and the network as ``.moca``: answered with ``written``."""

    path: Text = ""  # relative to the opened folder; empty: where it was saved or opened


class Rename(Command, frozen=True, tag="rename"):
    """Give the project another name: edit."""

    name: Name


class Script(Command, frozen=True, tag="script"):
    """Ask for the Python script of the project as it is: answered with ``script``."""


# Clips. All are edits of the choices for one clip; what depends on them is worked out again.


class Correct(Command, frozen=True, tag="correct"):
    """Overrule what was understood when a file was read: edit. None leaves a choice as it is."""

    clip: Name
    unit: Literal["m", "cm", "mm", "inch", "dm", "cmu", "ft", "mmd"] | None = None
    up: Literal["x", "y", "z", "-x", "-y", "-z"] | None = None  # axis of the file
    facing: Number | None = None  # degrees from +z to where the body looks in the rest pose
    roles: dict[Name, Name] | None = None  # role → joint; those that are left out are found
    frame_rate: Annotated[float, msgspec.Meta(gt=0, le=10_000)] | None = None
    guess: tuple[Literal["unit", "up", "facing", "roles", "frame_rate"], ...] = ()  # left to the reader again


class ChooseCycle(Command, frozen=True, tag="choose_cycle"):
    """Take this stretch of a clip as its cycle: edit. None returns to the automatic choice."""

    clip: Name
    frames: tuple[Count, Count] | None = None  # first row, and the row that shows the same pose a cycle later


class ChooseTurning(Command, frozen=True, tag="choose_turning"):
    """Look for turns or for straight stretches in a clip: edit. None goes by its heading."""

    clip: Name
    turning: bool | None = None


class Mirror(Command, frozen=True, tag="mirror"):
    """Mirror a clip, or not: edit."""

    clip: Name
    mirrored: bool


class ChooseClosing(Command, frozen=True, tag="choose_closing"):
    """Close the cycle of a clip by this method of ``hello.closings``: edit."""

    clip: Name
    method: Name


class SetPlants(Command, frozen=True, tag="set_plants"):
    """Foot plants of a clip, by hand: edit. None returns to those that were found."""

    clip: Name
    plants: dict[FootPoint, tuple[tuple[Count, Count], ...]] | None = None  # first and last row, both planted


class SetOffset(Command, frozen=True, tag="set_offset"):
    """Turn the motion of a node against the others, beside the automatic synchronisation: edit."""

    node: Name
    degrees: Number  # of its cycle; 0 is the automatic choice
    block: Text = ""


class RemoveClip(Command, frozen=True, tag="remove_clip"):
    """Leave a clip out of the project; its file stays: edit."""

    clip: Name


class AskClip(Command, frozen=True, tag="ask_clip"):
    """Everything about one clip: answered with ``clip``."""

    clip: Name


class AskSync(Command, frozen=True, tag="ask_sync"):
    """Two nodes half and half, by their synchronisation: answered with ``sync``."""

    first: Name
    second: Name
    degrees: Number = 0.0  # offset tried, beside that of the project
    block: Text = ""


# The network. ``block`` is a block of a hybrid network, empty elsewhere.


class MoveNode(Command, frozen=True, tag="move_node"):
    """Move a node: edit. A move that would fold a triangle ends at the last sound place on its way.

    Moves of one drag have the same ``drag`` and make one step of undo.
    """

    node: Name
    at: Point
    block: Text = ""
    drag: Count = 0  # 0: a move by itself


class RenameNode(Command, frozen=True, tag="rename_node"):
    """Give a node another name: edit."""

    node: Name
    name: Name
    block: Text = ""


class AddNode(Command, frozen=True, tag="add_node"):
    """Add a node: of a clip of the project, or, without one, the blend at that place: edit."""

    at: Point | None = None  # None: where the clip's turn and speed have it
    clip: Text = ""
    name: Text = ""
    block: Text = ""


class RemoveNode(Command, frozen=True, tag="remove_node"):
    """Take a node out; triangles close over the gap: edit."""

    node: Name
    block: Text = ""


class AddTriangle(Command, frozen=True, tag="add_triangle"):
    """Join three nodes: edit."""

    nodes: tuple[Name, Name, Name]
    block: Text = ""


class RemoveTriangle(Command, frozen=True, tag="remove_triangle"):
    """Take a triangle out: edit."""

    nodes: tuple[Name, Name, Name]
    block: Text = ""


class FlipEdge(Command, frozen=True, tag="flip_edge"):
    """The other diagonal of the two triangles at an edge: edit."""

    nodes: tuple[Name, Name]
    block: Text = ""


class SetRule(Command, frozen=True, tag="set_rule"):
    """Blend by this rule of ``hello.rules``: edit."""

    rule: Name


class SetHarmonics(Command, frozen=True, tag="set_harmonics"):
    """Use this many harmonics, while it plays: edit. None is all."""

    harmonics: Annotated[int, msgspec.Meta(ge=1, le=200)] | None
    drag: Count = 0  # changes of one drag make one step of undo


class SetSingleSource(Command, frozen=True, tag="set_single_source"):
    """Take harmonics from ``first`` on whole from one node: edit. None blends all."""

    first: Annotated[int, msgspec.Meta(ge=1, le=200)] | None


class AskMap(Command, frozen=True, tag="ask_map"):
    """A layer over the network, with its worst spot and what helps: answered with ``map`` when it is made."""

    layer: Literal["distortion", "slip"]
    block: Text = ""


class AskSpectra(Command, frozen=True, tag="ask_spectra"):
    """Curves, magnitudes and phase angles of one dof, or of a joint's flexion: answered with ``spectra``."""

    dof: Name  # a name of ``network.dofs``
    sources: Annotated[tuple[Text, ...], msgspec.Meta(max_length=6)] = ("",)  # nodes; empty: the blend at ``point``
    point: Point | None = None  # None: where the first character's point is
    harmonics: Annotated[int, msgspec.Meta(ge=1, le=200)] | None = None  # None: as the network has them
    block: Text = ""


class AskTraces(Command, frozen=True, tag="ask_traces"):
    """Foot traces of the blend at a point, of its corners and of the ideal: answered with ``traces``."""

    point: Point | None = None
    block: Text = ""


# Edits of motions, and the console.


class AddEdit(Command, frozen=True, tag="add_edit"):
    """Put an edit of ``hello.edits`` on a clip, behind those it has: edit."""

    clip: Name
    name: Name
    parameters: dict[Name, float | bool | str] = msgspec.field(default_factory=dict)


class ChangeEdit(Command, frozen=True, tag="change_edit"):
    """Other parameters for an edit of a clip: edit. Changes of one drag make one step of undo."""

    clip: Name
    index: Count
    parameters: dict[Name, float | bool | str]
    drag: Count = 0


class RemoveEdit(Command, frozen=True, tag="remove_edit"):
    """Take an edit off again: edit."""

    clip: Name
    index: Count


class Console(Command, frozen=True, tag="console"):
    """A line, or a script of several, for the console: answered with ``console``."""

    text: Annotated[str, msgspec.Meta(max_length=100_000)]


# What goes out.


class _Exporting(Command, frozen=True):
    """Options of exports."""

    destination: Name  # of ``hello.destinations``
    what: Literal["blend", "nodes", "recording"] = "recording"
    format: Annotated[str, msgspec.Meta(max_length=12)] = ""  # of the destination's; empty: its first
    names: Annotated[str, msgspec.Meta(max_length=40)] = ""  # of ``hello.namings``; empty: the destination's
    travel: Literal["hips", "root", "place"] | None = None  # the bone that travels, or none; None: the destination's
    onto: Text = ""  # a character of the opened folder, .glb or .vrm, that the motion goes onto; empty: a plain body


class AskExport(_Exporting, frozen=True, tag="ask_export"):
    """Ask for the files of an export to a destination: answered with ``export_plan``."""


class Export(_Exporting, frozen=True, tag="export"):
    """Write files for a destination: answered with ``written``."""

    loop: bool = True
    frame_rate: Annotated[float, msgspec.Meta(ge=1, le=480)] = 60.0
    seconds: Annotated[float, msgspec.Meta(gt=0, le=600)] = 10.0  # of a recording that was not made
    unit: Literal["m", "cm", "mm", "inch", "dm", "ft"] | None = None
    character: Count = 0
    path: Text = ""  # relative to the opened folder; empty: the project's name


class Record(Command, frozen=True, tag="record"):
    """Begin or end a recording of what the first character does: answered with ``recording``."""

    recording: bool


class Ping(Command, frozen=True, tag="ping"):
    """Answered with ``ack`` at once."""
