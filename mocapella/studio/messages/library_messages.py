"""Commands and answers about a library of captures."""

from __future__ import annotations

from typing import Annotated

import msgspec

from mocapella.studio.messages.fields import Answer, Command, Count, Name, Packed, Pair, Roles, Text

Path = Annotated[str, msgspec.Meta(min_length=1, max_length=4000)]


class AskLibrary(Command, frozen=True, tag="ask_library"):
    """Stretches of the library that fit a query: answered with ``library``."""

    query: Text = ""  # as ``mocapella library find`` takes it; empty: all
    like: Annotated[str, msgspec.Meta(max_length=200)] = ""  # a clip of the project that they are to resemble
    most: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 200


class AskPreview(Command, frozen=True, tag="ask_preview"):
    """A stretch of the library to look at: answered with ``preview``."""

    path: Path
    start: Count = 0
    frames: Count = 100_000


class TakeFromLibrary(Command, frozen=True, tag="take_from_library"):
    """Take captures of the library into the project, and build: edit."""

    paths: Annotated[tuple[Path, ...], msgspec.Meta(min_length=1, max_length=500)]


class LibraryRow(msgspec.Struct, frozen=True):
    """A stretch of a capture."""

    name: str
    path: str
    start: int
    frames: int
    seconds: float
    kind: str  # walk, run, turn, stand, change or other
    speed: float  # m/s
    turn: float  # degrees per second
    slope: float  # degrees
    step: float  # metres
    words: tuple[str, ...]
    score: float | None = None  # distance from an example, in leg lengths


class LibraryRows(Answer, frozen=True, tag="library"):
    """Search results of a library."""

    folder: str  # name of the library, for people; empty: there is none
    captures: int  # in the whole library
    rows: tuple[LibraryRow, ...]


class Preview(Answer, frozen=True, tag="preview"):
    """A stretch as small skeletons, even in time."""

    path: str
    start: int
    seconds: float
    joints: tuple[Name, ...]
    parents: tuple[int, ...]
    end_parents: tuple[int, ...]
    roles: Roles
    height: float
    way: list[Pair]  # of the root over the ground, x and z, metres, from its first place
    poses: Packed  # int16 (poses, points, 3), millimetres
