"""A TOML file with its lines, and the folder it may read from."""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar, get_args, get_origin, get_type_hints, runtime_checkable

import msgspec

from mocapella.checks import refuse_no_rate
from mocapella.errors import FormatError, MotionError, NetworkError, Option
from mocapella.files.conventions import named_unit
from mocapella.files.disk import read_bytes
from mocapella.files.formats import load, motions_below
from mocapella.motion.clip import Clip

# A TOML file that describes a network, as text: what is wrong in it is reported with its line.

LARGEST = 1024**2  # bytes; a spec is a page or two
LARGEST_NUMBER = 1e6  # metres, degrees, frames: what is larger is a slip of the pen

# The keys of a spec by the arguments of our functions.
_KEYS = {"within": "frames"} | {
    name: name for name in ("frames", "roles", "unit", "frame_rate", "turning", "turn", "speed", "boundaries", "loop")
}

T = TypeVar("T", bound=msgspec.Struct)


@dataclass(frozen=True, eq=False)
class SpecText:
    """The text of a spec, and the tables that it holds."""

    path: str | PathLike[str]
    text: str
    tables: Mapping[str, Any]

    @classmethod
    def read(cls, path: str | PathLike[str]) -> SpecText:
        """Read a file; ``FormatError`` where it is too long, no text or no TOML."""
        content = read_bytes(path)
        if len(content) > LARGEST:
            raise FormatError(path, 0, "holds more than 1 MiB; a spec is a short table")
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise FormatError(path, content[: error.start].count(b"\n") + 1, "is no UTF-8 text") from None
        try:
            return cls(path, text, tomllib.loads(text))
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            place = re.search(r"at line (\d+)", str(error))
            line = int(place[1]) if place else text.count("\n") + 1
            raise FormatError(path, line, f"is no TOML: {error}") from None

    def error(self, reason: str, key: str = "", array: str = "", index: int | None = None) -> FormatError:
        """The error that points at a key."""
        return FormatError(self.path, self.line(key, array, index), reason)

    def told(self, error: MotionError, name: str, key: str, array: str, index: int) -> NetworkError:
        """What is wrong with a thing that the spec describes: with the line of the key at fault, in the spec's words.

        ``key`` is where it is described, for errors that name none.
        """
        if isinstance(error, FormatError) and error.path == fspath(self.path):
            return NetworkError(str(error))  # knows its line
        words = error.spelled(as_key)
        keys = (_KEYS.get(option.name, "") for option in error.option if str(option) in str(error))
        at_fault = next((one for one in keys if one in self.arrays(array)[index]), key)
        named = words if words.startswith(f"{name}: ") else f"{name}: {words}"
        return NetworkError(f"{fspath(self.path)}:{self.line(at_fault, array, index)}: {named}")

    @contextmanager
    def at_fault(self, *keys: str) -> Iterator[None]:
        """Errors of the network that the spec describes, with the line of the first of these keys that it has."""
        try:
            yield
        except FormatError:
            raise
        except MotionError as error:
            key = next((key for key in keys if key in self.tables), None)
            place = "" if key is None else f"{fspath(self.path)}:{self.line(key)}: {key}: "
            raise NetworkError(f"{place}{error.spelled(as_key)}") from None

    def line(self, key: str, array: str = "", index: int | None = None) -> int:
        """The line on which a key is set, in the table ``[[array]]`` number ``index`` where one is meant; 0 if none."""
        here, counts = ("", -1), dict.fromkeys([array], -1)
        for number, line in enumerate(self.text.splitlines(), start=1):
            if opened := re.match(r"\s*\[\[\s*(\w+)\s*\]\]", line):
                name = opened[1]
                counts[name] = counts.get(name, -1) + 1
                here = name, counts[name]
                if (index is None and name == key) or (index is not None and here == (array, index) and key == ""):
                    return number
            elif re.match(r"\s*\[\s*\w+\s*\]\s*(#|$)", line):  # a table of the whole, wherever it stands
                here = "", -1
                if index is None and key and key in line:
                    return number
            mine = here == (array, index) if index is not None else here == ("", -1)
            if mine and key and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", line):
                return number
        return self.line("", array, index) if index is not None and key else 0

    def refuse_keys(
        self, table: Mapping[str, Any], known: Iterable[str], what: str, array: str = "", index: int | None = None
    ) -> None:
        """Keys that mean nothing are an error, which names the nearest that does."""
        names = list(known)
        for key in table:
            if key not in names:
                raise self.error(f"{what} has no {key!r}{meant(key, names)}", key, array, index)

    def arrays(self, array: str) -> list[Any]:
        """The tables ``[[array]]``; none where there is no such array."""
        found = self.tables.get(array, [])
        if not isinstance(found, list):
            raise self.error(f"expected {array}, each below a line [[{array}]]", array)
        return found

    def converted(self, kind: type[T]) -> T:
        """All tables as a value of this type; ``FormatError`` where one has another type than expected."""
        try:
            return msgspec.convert(self.tables, kind)
        except msgspec.ValidationError as error:
            array, index, key = _place_of(str(error))
            reason = str(error).split(" - at ")[0].replace("`", "")
            if found := re.fullmatch(r"Invalid enum value '(.*)'", reason, re.DOTALL):
                reason = f"there is no {found[1]!r}{one_of(found[1], _choices(kind, str(error)))}"
            raise self.error(f"{key}: {reason}" if key else reason, key, array, index) from None

    def refuse_odd_numbers(self, record: msgspec.Struct, array: str, index: int) -> None:
        """Numbers that nobody can have meant are an error."""
        for key in record.__struct_fields__:
            value = getattr(record, key)
            for number in value if isinstance(value, tuple) else (value,):
                if isinstance(number, int | float) and not abs(number) <= LARGEST_NUMBER:
                    bounds = f"a finite number from -{LARGEST_NUMBER:g} to {LARGEST_NUMBER:g}"
                    raise self.error(f"{key}: expected {bounds}, found {number}", key, array, index)


def confined(spec: str | PathLike[str], folder: Path, name: str, written: str | None = None) -> Path:
    """A file that a spec names, which must lie in the folder or below; ``FormatError`` where it does not.

    ``written`` is what the spec says, where the name follows from that, as with a file in a folder.

    A spec may come from anyone. It reads nothing that whoever runs it did not put beside it.
    """
    goal = (folder / name).resolve()
    if Path(name).is_absolute() or not goal.is_relative_to(folder.resolve()):
        line = _line_of(spec, name if written is None else written)
        raise FormatError(spec, line, f"names {name!r}, which is not in the folder {folder}; name that folder yourself")
    return goal


def as_key(option: Option) -> str:
    """An argument that an error names, as a spec has it; as Python has it where specs have no such key.

    Parameters
    ----------
    option
        The argument.

    Returns
    -------
    str
        A line of TOML.

    Examples
    --------
    >>> as_key(Option("frames", (3, 40))), as_key(Option("turning", True)), as_key(Option("clean", True))
    ('frames = [3, 40]', 'turning = true', 'clean=True')
    """
    value = option.value
    if option.name not in _KEYS:
        return str(option)
    if isinstance(value, tuple):
        written = f"[{', '.join(map(str, value))}]"
    elif isinstance(value, Mapping):
        written = '"FILE.toml"'
    else:
        written = json.dumps(value)
    return f"{_KEYS[option.name]} = {written}"


def meant(word: str, known: Iterable[str]) -> str:
    """What may have been meant by a word that means nothing, for the end of a message."""
    names = list(known)
    near = difflib.get_close_matches(word, names, n=1, cutoff=0.5)
    return f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(names) or 'none'}"


def one_of(word: str, known: Iterable[str]) -> str:
    """Which of a few words may have been meant, and all that there are, for the end of a message.

    >>> one_of("phasr", ("lively", "phasor"))
    "; did you mean 'phasor'? There are lively, phasor"
    """
    names = list(known)
    near = difflib.get_close_matches(word, names, n=1, cutoff=0.5)
    return f"; did you mean {near[0]!r}? There are {', '.join(names)}" if near else f"; there are {', '.join(names)}"


def _line_of(spec: str | PathLike[str], name: str) -> int:
    """The first line of a spec that names a file; 0 where it is written otherwise, or the spec is no longer there."""
    try:
        lines = SpecText.read(spec).text.splitlines()
    except FormatError:
        return 0
    quoted = (f'"{name}"', f"'{name}'")
    return next((number for number, line in enumerate(lines, start=1) if any(word in line for word in quoted)), 0)


def _choices(kind: Any, error: str) -> tuple[str, ...]:
    """The words that a key may have which an error of msgspec is about."""
    for key in re.findall(r"\.(\w+)", error.partition("`$")[2]):
        kind = get_type_hints(kind)[key]
        while get_origin(kind) not in (None, Literal):  # a list of something, or something or nothing
            kind = next(part for part in get_args(kind) if part is not type(None))
    return get_args(kind)


def _place_of(error: str) -> tuple[str, int | None, str]:
    """Which table and which key an error of msgspec is about: ``… - at `$.nodes[2].file```."""
    table = re.search(r"\$\.(\w+)\[(\d+)\]", error)
    keys = re.findall(r"\.(\w+)", error.partition("`$")[2])
    key = keys[-1] if keys else ""
    if table is None:
        return "", None, key
    return table[1], int(table[2]), "" if key == table[1] else key


# The folder below which all files lie that a spec may name.


@runtime_checkable
class NamesCapture(Protocol):
    """A part of a spec that names a motion file, and says what the file leaves open."""

    @property
    def file(self) -> str | None:
        """The motion file."""

    @property
    def skeleton(self) -> str | None:
        """The ``.asf`` of an ``.amc``."""

    @property
    def roles(self) -> str | None:
        """A TOML file of joint roles."""

    @property
    def unit(self) -> str | None:
        """The unit of length."""

    @property
    def frame_rate(self) -> float | None:
        """Frames per second."""


@dataclass(frozen=True)
class SpecFolder:
    """A spec, and the folder its files lie in."""

    spec: Path
    folder: Path

    @classmethod
    def of(cls, spec: str | PathLike[str], folder: str | PathLike[str] | None) -> SpecFolder:
        """The folder that was named, else the spec's own."""
        return cls(Path(spec), Path(spec).parent if folder is None else Path(folder))

    def file(self, name: str) -> Path:
        """A file that the spec names; ``FormatError`` where it does not lie in the folder or below."""
        return confined(self.spec, self.folder, name)

    def motions(self, name: str) -> list[Path]:
        """A motion file, or all of a folder and of those below it; none of them may lead out of the spec's folder."""
        place = self.file(name)
        if not place.is_dir():
            return [place]
        inside = [str(path.relative_to(self.folder.resolve())) for path in motions_below(place)]
        return [confined(self.spec, self.folder, file, written=name) for file in inside]

    def reading(self, part: NamesCapture) -> dict[str, Any]:
        """What a part of the spec says about reading its capture, as options of ``load``."""
        return {
            "unit": part.unit,
            "skeleton": None if part.skeleton is None else self.file(part.skeleton),
            "roles": None if part.roles is None else self.file(part.roles),
            "frame_rate": part.frame_rate,
        }

    def clip(self, part: NamesCapture) -> Clip:
        """The capture that a part of the spec names."""
        return load(self.file(str(part.file)), **self.reading(part))


def refuse_odd_reading(text: SpecText, part: NamesCapture, array: str, index: int) -> None:
    """What a part of a spec says of its capture, and no file can have, is an error with its line."""
    if part.file is not None and part.file.lower().endswith(".asf"):
        reason = "file: a skeleton without motion; name the .amc, and this as its skeleton"
        raise text.error(reason, "file", array, index)
    try:
        key = "unit"
        if part.unit is not None:
            named_unit(part.unit)
        key = "frame_rate"
        if part.frame_rate is not None:
            refuse_no_rate(part.frame_rate)
    except MotionError as error:
        raise text.error(f"{key}: {error}", key, array, index) from None
