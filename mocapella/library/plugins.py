"""Modifiers that users write: of installed packages, by an entry point, and of Python files in a library's folder.

A Python file is code, and a library's folder may be untrusted. Its files are therefore run only after the user has
trusted them, one by one, by the digest of their content. The list of trusted files is kept with the user's settings and
not in the library, so that a library cannot declare itself trusted.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import types
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from mocapella.errors import FormatError, MotionError
from mocapella.files.disk import make_folder, read_bytes, replacing
from mocapella.library.modifiers import MODIFIERS, Modifier, modifier_of

ENTRY_POINTS = "mocapella.modifiers"
FOLDER = "modifiers"  # of a library's folder
_LARGEST = 1 << 20  # bytes of a file of modifiers
_TRUSTED = "trusted-modifiers.json"


def _files_of_modifiers(folder: Path) -> list[Path]:
    """The Python files in a library's folder of modifiers."""
    return sorted(path for path in (folder / FOLDER).glob("*.py") if path.is_file())


def trust(folder: Path) -> list[Path]:
    """Trust the files of modifiers in a library's folder as they are now.

    Returns what is trusted. A file that changes afterwards is not, until it is trusted again.
    """
    files = _files_of_modifiers(folder)
    trusted = _trusted()
    trusted[_key(folder)] = {path.name: _digest(read_bytes(path, most=_LARGEST)) for path in files}
    _write(trusted)
    return files


def distrust(folder: Path) -> None:
    """No longer trust any file of a library's folder."""
    trusted = _trusted()
    if trusted.pop(_key(folder), None) is not None:
        _write(trusted)


def untrusted(folder: Path) -> list[Path]:
    """The files of modifiers in a library's folder that are not run: they are not trusted in their present form."""
    digests = _trusted().get(_key(folder), {})
    out = []
    for path in _files_of_modifiers(folder):
        try:
            if digests.get(path.name) != _digest(read_bytes(path, most=_LARGEST)):
                out.append(path)
        except FormatError:
            out.append(path)
    return out


def found_modifiers(folder: Path) -> dict[str, Modifier]:
    """All modifiers: those of the package, of installed packages, and of trusted files in a library's folder.

    Raises ``MotionError`` where one takes a name that is taken, or its code cannot be loaded.
    """
    out = dict(MODIFIERS)
    for modifier in (*_of_packages(), *_of_files(folder)):
        if modifier.name in out:
            raise MotionError(
                f"{modifier.origin} has a modifier {modifier.name}, which {out[modifier.name].origin} has already",
                helps="rename it",
            )
        out[modifier.name] = modifier
    return out


def _of_packages() -> Iterator[Modifier]:
    for point in entry_points(group=ENTRY_POINTS):
        origin = f"the package {point.dist.name}" if point.dist is not None else f"the entry point {point.name}"
        try:
            value = point.load()
        except Exception as error:  # third-party code may raise anything
            raise MotionError(f"the modifier {point.name} of {origin} cannot be loaded: {_words(error)}") from error
        yield value if isinstance(value, Modifier) else modifier_of(value, name=point.name, origin=origin)


def _of_files(folder: Path) -> Iterator[Modifier]:
    digests = _trusted().get(_key(folder), {})
    for path in _files_of_modifiers(folder):
        if path.name not in digests:
            continue
        source = read_bytes(path, most=_LARGEST)
        if digests[path.name] != _digest(source):  # what runs is what was trusted: the file is read once
            continue
        origin = f"{FOLDER}/{path.name}"
        module = types.ModuleType(f"mocapella_modifiers_{path.stem}")
        module.__file__ = str(path)
        try:
            exec(compile(source, str(path), "exec", dont_inherit=True), module.__dict__)
        except Exception as error:  # a user's own file may raise anything when it is run
            raise MotionError(f"{origin} cannot be loaded: {_words(error)}") from error
        for name, value in vars(module).items():
            if inspect.isfunction(value) and value.__module__ == module.__name__ and not name.startswith("_"):
                yield modifier_of(value, name=name, origin=origin)


def _settings() -> Path:
    home = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(home) / "mocapella" / _TRUSTED


def _trusted() -> dict[str, dict[str, str]]:
    """Digests of trusted files by library and file name; none where nothing can be read."""
    try:
        stored: Any = json.loads(read_bytes(_settings(), most=_LARGEST))
    except (FormatError, ValueError, RecursionError):
        return {}
    return {key: value for key, value in stored.items() if isinstance(value, dict)} if isinstance(stored, dict) else {}


def _write(trusted: dict[str, dict[str, str]]) -> None:
    make_folder(_settings().parent)
    with replacing(_settings()) as file:
        file.write(json.dumps(trusted, indent=1).encode())


def _key(folder: Path) -> str:
    return str(folder.resolve())


def _digest(source: bytes) -> str:
    return hashlib.sha256(source).hexdigest()


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
