"""Untrusted TOML files read in bounded time and memory, with errors that name the line."""

from __future__ import annotations

import re
import tomllib
from os import PathLike
from typing import Any

from mocapella.errors import FormatError

LARGEST = 1 << 20  # bytes; what people write by hand is far shorter
_DEEPEST = 32  # tables or arrays within each other; the parser's time grows with the square of it
_LONGEST_NUMBER = 400  # digits in a row; Python refuses to read whole numbers of more than some thousand


def read_toml(path: str | PathLike[str], content: bytes) -> tuple[str, dict[str, Any]]:
    """The text and the tables of a TOML file.

    Raises ``FormatError`` where it is longer than 1 MiB, not UTF-8 or not TOML, nested too deeply, or holds very long
    numbers.
    """
    if len(content) > LARGEST:
        raise FormatError(path, 0, "holds more than 1 MiB; such a file is a short table")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(path, content[: error.start].count(b"\n") + 1, "is not UTF-8 text") from None
    for number, line in enumerate(text.splitlines(), start=1):
        if line.partition("=")[0].count(".") > _DEEPEST or line.count("[") > _DEEPEST or line.count("{") > _DEEPEST:
            raise FormatError(path, number, f"is nested more than {_DEEPEST} deep")
        if re.search(rf"\d{{{_LONGEST_NUMBER},}}", line):
            raise FormatError(path, number, f"holds a number of more than {_LONGEST_NUMBER} digits")
    try:
        return text, tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        place = re.search(r"at line (\d+)", str(error))
        line_number = int(place[1]) if place else text.count("\n") + 1
        raise FormatError(path, line_number, f"is not TOML: {error}") from None
