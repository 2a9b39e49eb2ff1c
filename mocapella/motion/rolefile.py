"""The user's own roles, read from a TOML file."""

from __future__ import annotations

import re
import tomllib
from os import PathLike
from pathlib import Path

from mocapella.errors import FormatError
from mocapella.motion.rolelist import ROLES, unknown_role

_LARGEST_FILE = 2**20  # bytes


def read_roles(path: str | PathLike[str]) -> dict[str, str]:
    """The user's own roles from a TOML file: role → joint name, ``""`` where there is no such joint.

    The file has one table::

        [roles]
        left_knee = "Bone.004"
        left_toe = ""

    Raises
    ------
    FormatError
        Where the file cannot be read, is no TOML, has no such table, or names a role that does not exist.
    """
    text = _read_text(path)
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"at line (\d+)", str(error))
        raise FormatError(path, int(place[1]) if place else text.count("\n") + 1, f"is no TOML: {error}") from None
    roles = tables.get("roles")
    if not isinstance(roles, dict):
        raise FormatError(path, 0, f"expected a table [roles], found {', '.join(tables) or 'nothing'}")
    for role, name in roles.items():
        if role not in ROLES:
            raise FormatError(path, _line_of(role, text), unknown_role(role))
        if not isinstance(name, str):
            raise FormatError(path, _line_of(role, text), f"expected a joint name in quotes for {role}, found {name!r}")
    return roles


def _line_of(key: str, text: str) -> int:
    """The line on which a key is set, 0 where it is not found: TOML can spell a key in many ways."""
    for number, line in enumerate(text.splitlines(), start=1):
        if re.match(rf"\s*(roles\s*\.\s*)?[\"']?{re.escape(key)}[\"']?\s*=", line):
            return number
    return 0


def _read_text(path: str | PathLike[str]) -> str:
    try:
        with Path(path).open("rb") as file:
            content = file.read(_LARGEST_FILE + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise FormatError(path, 0, f"cannot be read: {reason}") from None
    if len(content) > _LARGEST_FILE:
        raise FormatError(path, 0, "holds more than 1 MiB; an override file is a short table")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(path, content[: error.start].count(b"\n") + 1, "is no UTF-8 text") from None
