"""Files on disk: read whole or refused with a reason, written completely or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import BinaryIO

from mocapella.errors import FormatError, MotionError

LARGEST_FILE = 2 * 1024**3  # bytes; an hour of 31 joints at 120 Hz is 0.4 GB of BVH
_PIECE = 1 << 20


def read_bytes(path: str | PathLike[str]) -> bytes:
    """The content of a file.

    Parameters
    ----------
    path
        The file; a pipe will do.

    Returns
    -------
    bytes
        All of it, at most 2 GiB, at least one letter.

    Raises
    ------
    FormatError
        Where it cannot be read, is empty or too large.
    """
    place = Path(path)
    try:
        if place.is_dir():
            raise FormatError(path, 0, "expected a file, found a folder")
        size = place.stat().st_size
        if size > LARGEST_FILE:
            raise FormatError(path, 0, f"the file is {size / 1024**3:.1f} GiB; at most 2 GiB are read")
        with place.open("rb") as file:
            content = file.read(size + 1)
            while len(content) <= LARGEST_FILE and (more := file.read(_PIECE)):  # a pipe, or a file that grows
                content += more
    except FileNotFoundError:
        raise FormatError(path, 0, "there is no such file") from None
    except PermissionError:
        raise FormatError(path, 0, "no permission to read the file") from None
    except OSError as error:
        raise FormatError(path, 0, f"cannot be read: {error.strerror or error}") from None
    except ValueError as error:  # a zero byte in the name
        raise FormatError(path, 0, f"is no file name: {error}") from None
    if len(content) > LARGEST_FILE:
        raise FormatError(path, 0, "the file holds more than 2 GiB")
    if not content or content.isspace():
        raise FormatError(path, 0, "the file is empty")
    return content


@contextmanager
def replacing(path: str | PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing that takes its name only once it is complete.

    It is written beside its goal under a temporary name; on any error or interruption that is removed and whatever was
    at ``path`` before is still there.

    Parameters
    ----------
    path
        The name it takes.

    Returns
    -------
    context manager of a binary file
        What to write to.

    Raises
    ------
    MotionError
        Where it cannot be written.
    """
    goal = Path(path)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{goal.name[:40]}.", suffix=".part", dir=goal.parent)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise MotionError(f"cannot write {goal}: {reason}") from None
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.chmod(0o666 & ~_umask())
        part.replace(goal)
    except OSError as error:
        raise MotionError(f"cannot write {goal}: {error.strerror or error}") from None
    finally:
        part.unlink(missing_ok=True)


def _umask() -> int:
    """The permissions that new files lack; they can only be read by setting them."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, where they are missing.

    Parameters
    ----------
    folder
        Its path.

    Raises
    ------
    MotionError
        Where it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MotionError(f"cannot make the folder {folder}: {error.strerror or error}") from None
