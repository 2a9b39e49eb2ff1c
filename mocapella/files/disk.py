"""Files on disk: read whole or refused with a reason, written completely or not at all."""

from __future__ import annotations

import glob
import os
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import BinaryIO

from mocapella.errors import FormatError, MotionError

LARGEST_FILE = 2 * 1024**3  # bytes; an hour of 31 joints at 120 Hz is 0.4 GB of BVH
_PIECE = 1 << 20  # bytes read at a time
_FORGOTTEN = 3600.0  # seconds after which a part that was never finished is taken for left behind


def read_bytes(path: str | PathLike[str], *, most: int | None = None) -> bytes:
    """The content of a file.

    Raises ``FormatError`` where it cannot be read, is empty, has more than ``most`` bytes (2 GiB if None), or is no
    regular file: a pipe might never end, and a device never does.
    """
    place = Path(path)
    most = LARGEST_FILE if most is None else most
    try:
        status = place.stat()
        if stat.S_ISDIR(status.st_mode):
            raise FormatError(path, 0, "expected a file, found a folder")
        if not stat.S_ISREG(status.st_mode):
            raise FormatError(path, 0, "expected a regular file, found a pipe, a socket or a device")
        if status.st_size > most:
            raise FormatError(path, 0, f"the file holds {_size(status.st_size)}; at most {_size(most)} are read")
        with place.open("rb") as file:
            pieces = [file.read(status.st_size + 1)]
            size = len(pieces[0])
            while size <= most and (more := file.read(_PIECE)):  # it grows, or its size was not stated
                pieces.append(more)
                size += len(more)
        content = b"".join(pieces)
    except FileNotFoundError:
        raise FormatError(path, 0, "there is no such file") from None
    except PermissionError:
        raise FormatError(path, 0, "no permission to read the file") from None
    except OSError as error:
        raise FormatError(path, 0, f"cannot be read: {error.strerror or error}") from None
    except ValueError as error:  # a zero byte in the name
        raise FormatError(path, 0, f"is not a file name: {error}") from None
    if len(content) > most:
        raise FormatError(path, 0, f"the file holds more than {_size(most)}")
    if not content or content.isspace():
        raise FormatError(path, 0, "the file is empty")
    return content


def _size(size: int) -> str:
    """A number of bytes in words."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB")):
        if size >= unit:
            return f"{size / unit:.3g} {name}"
    return f"{size:,} bytes"


@contextmanager
def replacing(path: str | PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing that takes its name only once it is complete.

    It is written beside its goal under a temporary name; on any error or interruption that is removed and whatever was
    at ``path`` before is still there. A file that is replaced hands its permissions on.
    """
    goal = Path(path)
    prefix = f".{goal.name[:40]}."
    part = goal.with_name(f"{prefix}{secrets.token_hex(4)}.part")
    try:
        _sweep(goal.parent, prefix)
        mode = stat.S_IMODE(goal.stat().st_mode) if goal.is_file() else None
        handle = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)  # less what the user's umask takes
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise MotionError(f"cannot write {goal}: {reason}") from None
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            part.chmod(mode)
        part.replace(goal)
    except OSError as error:
        raise MotionError(f"cannot write {goal}: {error.strerror or error}") from None
    finally:
        part.unlink(missing_ok=True)


def _sweep(folder: Path, prefix: str) -> None:
    """Remove parts that a program left behind when it was killed while it wrote the same file."""
    for part in folder.glob(f"{glob.escape(prefix)}*.part"):
        if time.time() - part.stat().st_mtime > _FORGOTTEN:
            part.unlink(missing_ok=True)


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, where they are missing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MotionError(f"cannot make the folder {folder}: {error.strerror or error}") from None
