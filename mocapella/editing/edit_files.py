"""Lists of edits as TOML files, read in bounded time and written completely or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from mocapella.checks import explained
from mocapella.editing.edits import Edit
from mocapella.editing.parameters import EditError, Source
from mocapella.errors import FormatError
from mocapella.files.disk import read_bytes, replacing
from mocapella.motion.clip import Clip
from mocapella.quoting import toml_key, toml_literal
from mocapella.toml import LARGEST, read_toml

_FORMAT, _VERSION = "mocapella edits", 1  # of the files: newer versions are refused
_MOST_EDITS = 1000  # in a file: more are a mistake, and would be applied for hours
_FIELDS = {"name", "parameters", "input", "skeleton"}


@explained
def load_edits(path: str | PathLike[str]) -> tuple[Edit, ...]:
    """Read a list of edits.

    Parameters
    ----------
    path
        A TOML file as ``save_edits`` writes it. Second motions are looked for from its folder.

    Returns
    -------
    tuple of Edit
        In order.

    Raises
    ------
    FormatError
        Where the file is no list of edits, with the line where one can be named.

    Examples
    --------
    >>> import tempfile
    >>> file = f"{tempfile.mkdtemp()}/edits.toml"
    >>> save_edits([Edit("turn", angle=90), Edit("mirror")], file)
    >>> load_edits(file)
    (Edit('turn', angle=90.0), Edit('mirror'))
    """
    text, tables = read_toml(path, read_bytes(path, most=LARGEST))
    format, version = tables.pop("format", _FORMAT), tables.pop("version", _VERSION)
    if format != _FORMAT or not isinstance(version, int):
        raise FormatError(path, 1, f"expected format = {_FORMAT!r}, found {str(format)[:40]!r}")
    if version > _VERSION:
        raise FormatError(path, 1, f"was written by a newer version ({version}; this one reads {_VERSION})")
    entries = tables.pop("edit", [])
    if tables or not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        others = ", ".join(tables) or "another"
        raise FormatError(path, 0, f"expected tables [[edit]], found {others[:80]}")
    if len(entries) > _MOST_EDITS:
        raise FormatError(path, 0, f"holds {len(entries)} edits; at most {_MOST_EDITS} are read")
    lines = [number for number, line in enumerate(text.splitlines(), start=1) if line.strip() == "[[edit]]"]
    out = []
    for place, entry in enumerate(entries):
        line = lines[place] if len(lines) == len(entries) else 0
        try:
            out.append(_from_file(entry, Path(path).parent))
        except EditError as error:
            raise FormatError(path, line, f"edit {place + 1}: {error}") from None
    return tuple(out)


@explained
def save_edits(edits: Iterable[Edit], path: str | PathLike[str]) -> None:
    """Write a list of edits as a TOML file that ``load_edits`` reads back equal.

    Parameters
    ----------
    edits
        In order; with digests where they were applied.
    path
        The file. Paths of second motions are written relative to its folder.

    Raises
    ------
    EditError
        Where a second motion is a clip that came from no file.

    Examples
    --------
    >>> import tempfile
    >>> save_edits([Edit("mirror")], f"{tempfile.mkdtemp()}/edits.toml")
    """
    try:
        written = _edits_text(edits, Path(path).parent).encode()
    except UnicodeEncodeError:
        raise EditError("a file name or word of these edits cannot be written as text; rename it") from None
    with replacing(path) as file:
        file.write(written)


def _edits_text(edits: Iterable[Edit], folder: Path) -> str:
    """The text of a file of edits in a folder."""
    parts = [
        "# Edits of a motion, in the order in which they are applied: mocapella edit IN -o OUT --edits FILE",
        f"format = {toml_literal(_FORMAT)}",
        f"version = {_VERSION}",
    ]
    for place, edit in enumerate(edits):
        parts += ["", "[[edit]]", f"name = {toml_literal(edit.name)}"]
        digests = {"input": edit.input, "skeleton": edit.skeleton}
        parts += [f"{key} = {toml_literal(value)}" for key, value in digests.items() if value]
        given = {key: _portable(value, folder, place, key) for key, value in edit.parameters.items()}
        if given:
            parts += [
                "[edit.parameters]",
                *(f"{toml_key(key)} = {toml_literal(value)}" for key, value in given.items()),
            ]
    return "\n".join(parts) + "\n"


def _from_file(entry: Mapping[str, Any], folder: Path) -> Edit:
    unknown = [key for key in entry if key not in _FIELDS]
    if unknown or not isinstance(entry.get("name"), str):
        raise EditError(f"expected name, parameters, input and skeleton, found {', '.join(map(str, entry))[:80]}")
    parameters, marks = entry.get("parameters", {}), [entry.get(key, "") for key in ("input", "skeleton")]
    if not isinstance(parameters, dict) or not all(isinstance(mark, str) for mark in marks):
        raise EditError("expected a table of parameters, and digests in quotes")
    edit = Edit(entry["name"], **parameters)
    sources = {
        key: Source(os.path.normpath(folder / value.path), value.digest)  # an absolute path stays what it is
        for key, value in edit.parameters.items()
        if isinstance(value, Source)
    }
    return edit.stamped(input=marks[0], skeleton=marks[1], sources=sources)


def _portable(value: Any, folder: Path, place: int, key: str) -> Any:
    """A second motion as its path from the folder; everything else as it is."""
    if isinstance(value, Clip):
        if not value.source:
            raise EditError(f"edit {place + 1}: {key} is a clip that came from no file", helps="save it first")
        value = Source(value.source)
    if not isinstance(value, Source):
        return value
    try:
        relative = os.path.relpath(value.path, folder)
    except ValueError:  # another drive
        relative = str(Path(value.path).absolute())
    return {"path": relative.replace(os.sep, "/"), **({"digest": value.digest} if value.digest else {})}
