"""Records of a library: files, stretches, cycles, captures, search results.

A column of the database is a field of one of them (see ``columns.py``).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

KINDS = ("walk", "run", "turn", "stand", "change", "other")  # of motion
PIECE = 1 << 20  # bytes read at once


def digest_of_file(path: Path) -> str:
    """SHA-256 of a file's content."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            digest.update(piece)
    return digest.hexdigest()


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


def _figure(least: float) -> Any:
    """A figure that queries may ask for; a single value stands for a range of no less than ``least`` to both sides."""
    return field(default=0.0, metadata={"least": least})


@dataclass(frozen=True)
class _Span:
    """Frames of a clip, with figures of the motion in them."""

    kind: str  # one of ``KINDS``
    start: int  # first frame, counted from the clip's own first frame
    frames: int
    speed: float = _figure(0.05)  # mean over the ground, m/s
    turn: float = _figure(2.0)  # mean, degrees per second, left positive
    slope: float = _figure(1.0)  # of the way, degrees, up positive


@dataclass(frozen=True)
class Stretch(_Span):
    """A part of a clip that shows one kind of motion."""

    step: float = _figure(0.02)  # mean length of a step, metres; 0 where there are none


@dataclass(frozen=True)
class KeptCycle(_Span):
    """A cycle of a walk or a run; with its bounds known it is prepared without a search.

    The frame after its last shows the first pose again.
    """

    closing: float = 0.0  # metres between the joints of both ends


@dataclass(frozen=True, kw_only=True)
class Described:
    """Columns of a capture that are read back."""

    name: str
    frames: int
    frame_rate: float
    height: float  # metres
    skeleton: str = ""  # digest of joints and offsets
    plants: Mapping[str, Sequence[Sequence[int]]] = field(default_factory=dict)  # foot point → [first, last] frames


@dataclass(frozen=True, kw_only=True)
class Capture(Described):
    """A real clip of a library, the lowest of its layers."""

    number: int
    path: Path
    file: Known
    words: tuple[str, ...]
    cycles: tuple[KeptCycle, ...]
    twin: int | None = None  # the capture that shows the same motion and was there before


@dataclass(frozen=True, kw_only=True)
class ClipRow(Described):
    """All columns of a capture that are computed from its file."""

    motion: str  # digest
    joints: int
    signature: bytes  # 32-bit floats


@dataclass(frozen=True, kw_only=True)
class Entry(ClipRow):
    """The record of a capture."""

    path: str  # as it was named, made absolute
    file: Known
    stretches: tuple[Stretch, ...]
    words: tuple[str, ...]
    numbers: bytes  # of windows, 16-bit floats
    starts: bytes  # 32-bit integers
    cycles: tuple[KeptCycle, ...] = ()


@dataclass(frozen=True)
class Refusal:
    """A file that could not be read, and why."""

    path: str
    file: Known
    reason: str


@dataclass(frozen=True, kw_only=True)
class Found(Stretch):
    """A stretch of a capture, as a search result."""

    name: str
    path: str
    words: tuple[str, ...]
    frame_rate: float
    score: float = 0.0  # how far from what was asked; 0 where it only fits or not
