"""Records of a library: files, cycles, captures, search results."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

KINDS = ("walk", "run", "turn", "stand", "change", "other")  # of motion
_PIECE = 1 << 20  # bytes read at once


def digest_of_file(path: Path) -> str:
    """SHA-256 of a file's content."""
    found = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            found.update(piece)
    return found.hexdigest()


@dataclass(frozen=True)
class Known:
    """A file as it was when it was taken in."""

    size: int
    changed: int  # nanoseconds
    digest: str  # SHA-256 of its content

    @classmethod
    def of(cls, path: Path) -> Known:
        """A file as it is now; ``OSError`` where it cannot be read."""
        status = path.stat()
        return cls(status.st_size, status.st_mtime_ns, digest_of_file(path))

    def still_in(self, path: Path) -> bool:
        """Whether a file holds what it held; where only its date has changed its content decides.

        Parameters
        ----------
        path
            The file.

        Returns
        -------
        bool
            True where nothing has changed.

        Raises
        ------
        OSError
            Where it is gone.
        """
        status = path.stat()
        if (status.st_size, status.st_mtime_ns) == (self.size, self.changed):
            return True
        return status.st_size == self.size and digest_of_file(path) == self.digest


@dataclass(frozen=True)
class Stretch:
    """A part of a clip that shows one kind of motion."""

    kind: str  # one of ``KINDS``
    start: int  # first frame, counted from the clip's own first frame
    frames: int
    speed: float  # mean over the ground, m/s
    turn: float  # mean, degrees per second, left positive
    slope: float  # of the way, degrees, up positive
    step: float  # mean length of a step, metres; 0 where there are none


@dataclass(frozen=True)
class KeptCycle:
    """A cycle of a gait in a capture; with its bounds known it is prepared without a search."""

    kind: str  # walk or run
    start: int  # first frame of the clip
    frames: int  # the frame after these shows the first pose again
    speed: float  # m/s
    turn: float  # degrees per second, left positive
    slope: float  # degrees
    closing: float  # metres between the joints of both ends


@dataclass(frozen=True)
class Capture:
    """A real clip of a library, the lowest of its layers."""

    number: int
    name: str
    path: Path
    file: Known
    frames: int
    frame_rate: float
    height: float  # metres
    skeleton: str  # digest of joints and offsets
    words: tuple[str, ...]
    cycles: tuple[KeptCycle, ...]
    plants: Mapping[str, Sequence[Sequence[int]]]
    twin: int | None = None  # the capture that shows the same motion and was there before


@dataclass(frozen=True)
class Entry:
    """The record of a capture."""

    path: str  # as it was named, made absolute
    file: Known
    name: str
    motion: str  # digest
    frames: int
    frame_rate: float
    joints: int
    height: float  # metres
    signature: bytes
    stretches: tuple[Stretch, ...]
    words: tuple[str, ...]
    numbers: bytes  # of windows, 16-bit floats
    starts: bytes  # 32-bit integers
    skeleton: str = ""  # digest of joints and offsets
    cycles: tuple[KeptCycle, ...] = ()
    plants: Mapping[str, Sequence[Sequence[int]]] = field(default_factory=dict)  # foot point → [first, last] frames


@dataclass(frozen=True)
class Refusal:
    """A file that could not be read, and why."""

    path: str
    file: Known
    reason: str


@dataclass(frozen=True)
class Found:
    """A stretch of a capture, as a search result."""

    name: str
    path: str
    start: int
    frames: int
    kind: str
    speed: float  # m/s
    turn: float  # degrees per second, left positive
    slope: float  # degrees
    step: float  # metres
    words: tuple[str, ...]
    frame_rate: float
    score: float = 0.0  # how far from what was asked; 0 where it only fits or not
