"""The project: all decisions of the user, as one frozen value with a history.

What follows from it (cycles, the network, maps) is computed elsewhere and never part of it, so that undo only exchanges
the value.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Literal

import msgspec
from msgspec.structs import replace

from mocapella.errors import FormatError, MotionError
from mocapella.files.disk import read_bytes, replacing
from mocapella.files.format_table import split_animation
from mocapella.files.formats import with_animation
from mocapella.playback.settings import Feet
from mocapella.studio.messages.fields import Count, FilePath, FootPoint, Number, Point, Text
from mocapella.studio.network_changes import Added, Change, Joined, Turned

FILE_NAME = "studio.json"
FORMAT, VERSION = "mocapella-studio", 1  # of project files
TRAVEL = "treadmill"  # the edit that lets a walk in place travel
_LONGEST = 300  # steps of a history
_MOST_EDITS = 60  # on a clip: in the script their calls lie within each other, and Python reads some 200 of them
_LARGEST = 64 * 1024**2  # bytes of a project file

Plants = dict[FootPoint, tuple[tuple[Count, Count], ...]]  # foot point → first and last row, both planted


def free_name(name: str, taken: Collection[str]) -> str:
    """A name that is not taken: the name itself, or with a number behind it."""
    return next(word for word in (name, *(f"{name} {i}" for i in range(2, len(taken) + 3))) if word not in taken)


def clip_name(path: str) -> str:
    """What a clip is called by its path: the name of its file, and of the animation."""
    file, animation = split_animation(path)
    return str(with_animation(file.stem, animation))


Animations = Mapping[str, tuple[tuple[str, str], ...]]  # clip of a file → name and path of each of its animations


class EditChoice(msgspec.Struct, frozen=True):
    """An edit on a clip, by its name in the registry of edits."""

    name: Text
    parameters: dict[Text, float | bool | str] = msgspec.field(default_factory=dict)


class StyleChoice(msgspec.Struct, frozen=True):
    """An averaged motion: the style of a clip, under a name."""

    name: Text
    clip: Text


class ClipChoice(msgspec.Struct, frozen=True):
    """A clip of the project and what was decided for it; None leaves a choice to the program."""

    name: Text
    path: FilePath  # relative to the opened folder; ``pack.glb#Walk`` for an animation of a file
    unit: Text | None = None
    up: Text | None = None
    facing: Number | None = None  # degrees
    roles: dict[Text, Text] | None = None
    frame_rate: Number | None = None
    frames: tuple[Count, Count] | None = None
    turning: bool | None = None
    method: Text = "symmetric"
    mirrored: bool = False
    plants: Plants | None = None
    edits: Annotated[tuple[EditChoice, ...], msgspec.Meta(max_length=_MOST_EDITS)] = ()
    apart: bool = False  # not part of the network that is built; a node or an arc was made of it by itself
    new: bool = False  # just taken in: a walk in place will be given the edit that lets it travel

    @property
    def corrected(self) -> bool:
        """Whether the user decided anything for it."""
        return self != ClipChoice(self.name, self.path, apart=self.apart, new=self.new)

    def with_edit(self, choice: EditChoice) -> ClipChoice:
        """The same with one more edit, behind those it has."""
        if len(self.edits) >= _MOST_EDITS:
            raise MotionError(f"{self.name} has {_MOST_EDITS} edits already, the most that a clip can have")
        return replace(self, edits=(*self.edits, choice))


class Character(msgspec.Struct, frozen=True):
    """A character on the stage: where it begins, and its path if it follows one."""

    at: Point = (0.0, 0.0)
    heading: Number = 0.0  # degrees
    path: tuple[tuple[Number, Number, Number], ...] = ()


class Project(msgspec.Struct, frozen=True):
    """All decisions of the user."""

    name: Text = "untitled"
    source: Literal["actor", "file", "clips"] = "actor"
    file: FilePath = ""  # the network that was opened, relative
    clips: tuple[ClipChoice, ...] = ()
    changes: tuple[Change, ...] = ()
    rule: Text | None = None  # None: as it is built or stored
    harmonics: Count | None = None
    single_source: Count | None = None  # first harmonic; 0: none, None: as it is stored
    feet: Feet = "held"
    characters: Annotated[tuple[Character, ...], msgspec.Meta(min_length=1)] = (Character(),)
    styles: tuple[StyleChoice, ...] = ()  # averaged motions of the console

    def clip(self, name: str) -> ClipChoice:
        """The clip of this name."""
        for clip in self.clips:
            if clip.name == name:
                return clip
        raise MotionError(f"no clip {name!r} in this project; there are {', '.join(self.names) or 'none'}")

    def with_clip(self, clip: ClipChoice) -> Project:
        """The same with other choices for a clip, known by its name."""
        return replace(self, clips=tuple(clip if present.name == clip.name else present for present in self.clips))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the clips."""
        return tuple(clip.name for clip in self.clips)

    def offset(self, block: str, node: str) -> float:
        """Degrees by which a node was turned by hand, against the automatic synchronisation."""
        turns = (change for change in self.changes if isinstance(change, Turned))
        return sum(turn.degrees for turn in turns if (turn.block, turn.node) == (block, node))

    def network_part(self) -> Project:
        """Everything that the network depends on."""
        used = {change.clip for change in self.changes if isinstance(change, Added | Joined)}
        clips = tuple(clip for clip in self.clips if clip.name in used or (self.source == "clips" and not clip.apart))
        names = ("source", "file", "changes", "rule", "single_source")
        return Project(**{name: getattr(self, name) for name in names}, clips=clips)

    def settled(self, travelling: Sequence[str], animations: Animations = MappingProxyType({})) -> Project:
        """The project once its new clips were read.

        A clip of a file with several ``animations`` becomes a clip for each. Clips that walk in place, named in
        ``travelling``, are given the edit that lets them travel.
        """
        edits = {name: (EditChoice(TRAVEL),) for name in travelling}
        clips = (replace(clip, new=False, edits=edits.get(clip.name, clip.edits)) for clip in self.parted(animations))
        return replace(self, clips=tuple(clips))

    def parted(self, animations: Animations) -> list[ClipChoice]:
        """The clips, one for each animation where their file has several."""
        return [
            replace(clip, name=name, path=path)
            for clip in self.clips
            for name, path in animations.get(clip.name, ((clip.name, clip.path),))
        ]

    def key(self) -> str:
        """A key of its content, letters and digits."""
        return hashlib.sha256(msgspec.json.encode(self, order="deterministic")).hexdigest()[:24]


class Step(msgspec.Struct, frozen=True):
    """A project, and the edit that led to it."""

    project: Project
    label: str = ""
    python: str = ""
    drag: int = 0
    command: msgspec.Raw = msgspec.Raw(b"null")  # as it came, to replay the session


class History(msgspec.Struct, frozen=True):
    """The steps that led to the present project, and the steps that were taken back."""

    steps: tuple[Step, ...]
    at: int = 0

    @classmethod
    def of(cls, project: Project) -> History:
        """A history that begins with a project."""
        return cls((Step(project),))

    @property
    def step(self) -> Step:
        """The present step."""
        return self.steps[self.at]

    @property
    def project(self) -> Project:
        """The present project."""
        return self.step.project

    @property
    def undoes(self) -> str:
        """The label of the edit that ``back`` would undo; empty where there is none."""
        return self.step.label if self.at else ""

    @property
    def redoes(self) -> str:
        """The label of the edit that ``on`` would redo."""
        return self.steps[self.at + 1].label if self.at + 1 < len(self.steps) else ""

    def with_project(self, project: Project) -> History:
        """The history with another project at the present step."""
        steps = (*self.steps[: self.at], replace(self.step, project=project), *self.steps[self.at + 1 :])
        return replace(self, steps=steps)

    def then(self, step: Step) -> History:
        """The history with one more step; steps of one drag are one.

        Steps that were taken back are forgotten, and so are the oldest of very many.
        """
        last = self.step
        same = self.at > 0 and step.drag != 0 and (step.drag, step.label) == (last.drag, last.label)
        before = self.steps[: self.at if same else self.at + 1]
        steps = (*before, step)[-_LONGEST:]
        return History(steps, len(steps) - 1)

    def back(self) -> History:
        """One step back. Raises ``MotionError`` where there is nothing to take back."""
        if self.at == 0:
            raise MotionError("there is nothing to undo")
        return replace(self, at=self.at - 1)

    def on(self) -> History:
        """One step on again."""
        if self.at + 1 >= len(self.steps):
            raise MotionError("there is nothing to do again")
        return replace(self, at=self.at + 1)


class _ProjectFile(msgspec.Struct, frozen=True):
    """A project as it is stored."""

    format: str
    version: int
    history: History


def save_project(history: History, path: Path) -> None:
    """Write a project with its history."""
    with replacing(path) as file:
        file.write(msgspec.json.encode(_ProjectFile(FORMAT, VERSION, history)))


def load_project(path: Path) -> History:
    """Read what ``save_project`` wrote. Raises ``FormatError`` where it is no project, or one of another version."""
    content = read_bytes(path)
    if len(content) > _LARGEST:
        raise FormatError(path, 0, f"the file holds more than {_LARGEST >> 20} MB; a project is smaller")
    try:
        stored = msgspec.json.decode(content, type=_ProjectFile)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise FormatError(path, 0, f"this is not a project of the studio: {error}") from None
    if (stored.format, stored.version) != (FORMAT, VERSION):
        raise FormatError(
            path, 0, f"expected {FORMAT} version {VERSION}, found {stored.format!r} version {stored.version}"
        )
    steps, at = stored.history.steps, stored.history.at
    if not steps or not 0 <= at < len(steps):
        raise FormatError(path, 0, "the project has no present step")
    for step in steps:
        if len({*step.project.names}) < len(step.project.clips):
            raise FormatError(path, 0, "two clips of the project have one name")
    return History(tuple(replace(step, python="") for step in steps), at)  # a stranger's lines are for nobody to run
