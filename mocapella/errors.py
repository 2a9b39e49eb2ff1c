"""What can go wrong with a user's motion: the errors and the warning that mocapella raises."""

from __future__ import annotations

from os import PathLike, fspath

LONGEST = 600  # letters of a reason


class MotionError(Exception):
    """Something the user gave cannot be used; the message says what was expected, found, and what helps."""


class FormatError(MotionError):
    """A file does not say what its format wants; points at the place as a compiler would.

    Parameters
    ----------
    path
        The file at fault.
    line
        Its line, counted from 1; 0 where the trouble has no line, as with an empty or missing file.
    reason
        What was expected and what was found; cut where it grows long, since what a broken file names may have any
        length.
    """

    def __init__(self, path: str | PathLike[str], line: int, reason: str) -> None:
        self.path = fspath(path)
        self.line = line
        self.reason = reason if len(reason) <= LONGEST else f"{reason[:LONGEST]} …"
        super().__init__(f"{self.path}:{line}: {self.reason}")


class SkeletonError(MotionError):
    """A joint tree that is no tree, or a joint that is not in it."""


class NetworkError(MotionError):
    """Nodes, triangles or points that make no network, or a blend that no network can give."""


class MotionWarning(UserWarning):
    """A motion is usable but doubtful; the clip's report says the same with frames and codes."""
