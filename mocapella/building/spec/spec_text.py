"""TOML files that describe networks: read into structs, with every fault reported by its line.

The structs declare what a key may hold: ``Annotated[str, name_in(RULES)]`` is a name in a registry, ``Annotated[int,
msgspec.Meta(ge=0, title="a whole number from 0 on")]`` a number within a range, with the words for the message.
``title`` of a struct is what messages call it.
"""

from __future__ import annotations

import difflib
import json
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike, fspath
from types import MappingProxyType
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from mocapella.errors import FormatError, MotionError, NetworkError, Option
from mocapella.files.disk import read_bytes
from mocapella.toml import LARGEST, read_toml

_LARGEST_NUMBER = 1e6  # metres, degrees, frames: larger numbers are typing errors
_MOST = 1000  # tables of one array

# The keys of a spec by the arguments of our functions.
_KEYS = {"within": "frames"} | {
    name: name
    for name in ("frames", "roles", "unit", "up", "frame_rate", "turning", "turn", "speed", "boundaries", "loop")
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
        text, tables = read_toml(path, read_bytes(path, most=LARGEST))
        return cls(path, text, tables)

    def error(self, reason: str, key: str = "", array: str = "", index: int | None = None) -> FormatError:
        """The error that points at a key."""
        return FormatError(self.path, self.line(key, array, index), reason)

    def told(self, error: MotionError, name: str, key: str, array: str, index: int) -> NetworkError:
        """An error about a part of the spec, with the line of the key at fault and options spelled as in the spec.

        ``key`` is where it is described, for errors that name none.
        """
        if isinstance(error, FormatError) and error.path == fspath(self.path):
            return NetworkError(str(error), option=error.option)  # knows its line
        words = error.spelled(as_key)
        keys = (_KEYS.get(option.name, "") for option in error.option if str(option) in str(error))
        at_fault = next((at for at in keys if at in self.arrays(array)[index]), key)
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

    @contextmanager
    def describing(self, name: str, key: str, array: str, index: int) -> Iterator[None]:
        """Errors of a thing that the spec describes, as ``told`` has them; those of files stay as they are."""
        try:
            yield
        except FormatError:
            raise
        except MotionError as error:
            raise self.told(error, name, key, array, index) from None

    def line(self, key: str, array: str = "", index: int | None = None) -> int:
        """The line on which a key is set, in the table ``[[array]]`` number ``index`` where one is meant; 0 if none."""
        goal = ("", -1) if index is None else (array, index)
        table = ("", -1)
        counts: Counter[str] = Counter()
        for number, line in enumerate(self.text.splitlines(), start=1):
            if opened := re.match(r"\s*\[\[\s*(\w+)\s*\]\]", line):
                name = opened[1]
                table = name, counts[name]
                counts[name] += 1
                if name == key if index is None else (table == goal and key == ""):
                    return number
            elif re.match(r"\s*\[\s*\w+\s*\]\s*(#|$)", line):  # a table of the whole, wherever it stands
                table = "", -1
                if index is None and key and key in line:
                    return number
            if table == goal and key and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", line):
                return number
        return self.line("", array, index) if index is not None and key else 0

    def values(self, kind: type[T], least: Mapping[str, int] = MappingProxyType({})) -> T:
        """All tables as a struct; unknown keys, other types, odd numbers and doubled names are a ``FormatError``.

        ``kind`` is the struct; its fields that are lists of structs are the arrays of tables. ``least`` is how many
        tables an array has at least, where it has to have any.
        """
        self._refuse_keys(self.tables, kind)
        for array in least:
            if array not in self.tables:
                raise self.error(f"expected {array}, each below a line [[{array}]]")
        arrays = {name: part for name, hint in _hints(kind).items() if (part := _struct_in(hint)) is not None}
        for array, part in arrays.items():
            self._refuse_keys_within(array, part)
        try:
            record = msgspec.convert(self.tables, kind)
        except msgspec.ValidationError as error:
            raise self._invalid(kind, str(error)) from None
        self._check(record)
        for array in arrays:
            if isinstance(parts := getattr(record, array), list):
                self._check_array(array, parts, least.get(array, 0))
        return record

    def _refuse_keys_within(self, array: str, kind: type[msgspec.Struct]) -> None:
        """Raise ``FormatError`` for unknown keys of a table, or of all tables of an array."""
        if isinstance(self.tables.get(array), Mapping):
            self._refuse_keys(self.tables[array], kind)
            return
        for i, table in enumerate(self.arrays(array)):
            if isinstance(table, dict):
                self._refuse_keys(table, kind, array, i)

    def _check_array(self, array: str, parts: Sequence[Any], least: int) -> None:
        """Raise ``FormatError`` for too few or too many tables of an array, odd values, and names that occur twice."""
        if not least <= len(parts) <= _MOST:
            reason = f"expected {least} to {_MOST} {array}, found {len(parts)}"
            raise self.error(reason, array if parts else "")
        names = [part.name for part in parts]
        for i, part in enumerate(parts):
            self._check(part, array, i)
            if names.index(part.name) != i:
                reason = f"two {array} are called {part.name!r}; names tell {array} apart"
                raise self.error(reason, "name", array, i)

    def arrays(self, array: str) -> list[Any]:
        """The tables ``[[array]]``; none where there is no such array."""
        tables = self.tables.get(array, [])
        if not isinstance(tables, list):
            raise self.error(f"expected {array}, each below a line [[{array}]]", array)
        return tables

    def _refuse_keys(
        self, table: Mapping[str, Any], kind: type[msgspec.Struct], array: str = "", index: int | None = None
    ) -> None:
        for key in table:
            if key not in kind.__struct_fields__:
                reason = f"{_title(kind)} has no {key!r}{meant(key, kind.__struct_fields__)}"
                raise self.error(reason, key, array, index)

    def _invalid(self, kind: type[msgspec.Struct], error: str) -> FormatError:
        """An error of msgspec, in the words of the struct where it has some."""
        place = re.search(r"\$\.(\w+)\[(\d+)\]", error)
        array, index = (place[1], int(place[2])) if place else ("", None)
        keys = re.findall(r"\.(\w+)", error.partition("`$")[2])
        hint, value = self._at(kind, keys, index)
        key = "" if not keys or keys[-1] == array else keys[-1]
        reason = _in_words(error.split(" - at ")[0].replace("`", ""), hint, value)
        return self.error(f"{key}: {reason}" if key else reason, key, array, index)

    def _at(self, kind: type[msgspec.Struct], keys: Sequence[str], index: int | None) -> tuple[Any, Any]:
        """The type and the value that keys lead to, one inside the other; ``index`` is for the list on the way."""
        hint: Any = kind
        value: Any = self.tables
        for key in keys:
            hint = _hints(_struct_in(hint) or hint)[key]
            value = value[index] if index is not None and isinstance(value, list) else value
            value = value.get(key) if isinstance(value, Mapping) else None
        return hint, value

    def _check(self, record: msgspec.Struct, array: str = "", index: int | None = None) -> None:
        """Raise ``FormatError`` for names that are not in a registry, and numbers out of range."""
        for key, hint in _hints(type(record)).items():
            if reason := _why_odd(getattr(record, key), hint):
                raise self.error(f"{key}: {reason}", key, array, index)


def _in_words(reason: str, hint: Any, value: Any) -> str:
    """The reason of msgspec for refusing a value, with the names or the range that its annotation has."""
    if unknown := re.fullmatch(r"Invalid enum value '(.*)'", reason, re.DOTALL):
        return f"there is no {unknown[1]!r}{meant(unknown[1], get_args(hint), listed=True)}"
    meta = next((part for part in _parts(hint) if isinstance(part, msgspec.Meta)), None)
    if meta is not None and meta.title and re.search(r" [<>]=? ", reason):
        return f"expected {meta.title}, found {value}" + (f"; {meta.description}" if meta.description else "")
    return reason


def _why_odd(value: Any, hint: Any) -> str:
    """Why a value is a name that is not in its registry, or a number out of range; empty if it is neither."""
    extra = [part.extra or {} for part in _parts(hint) if isinstance(part, msgspec.Meta)]
    for names in (annotation["names"] for annotation in extra if "names" in annotation):
        if value is not None and value not in names:
            return f"there is no {value!r}{meant(value, names, listed=True)}"
    largest = math.inf if any(annotation.get("endless") for annotation in extra) else _LARGEST_NUMBER
    for number in value if isinstance(value, tuple) else (value,):
        if isinstance(number, int | float) and not abs(number) <= largest:
            return f"expected a finite number from -{_LARGEST_NUMBER:g} to {_LARGEST_NUMBER:g}, found {number}"
    return ""


def name_in(registry: Collection[str]) -> msgspec.Meta:
    """The annotation of a text that must be a name in a registry, which is looked at when a spec is read."""
    return msgspec.Meta(extra={"names": registry})


def as_key(option: Option) -> str:
    """An argument that an error names, as a spec has it; as Python has it where specs have no such key.

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


def meant(word: str, known: Iterable[str], *, listed: bool = False) -> str:
    """Suggestions for an unknown word, as the end of a message.

    >>> meant("phasr", ("lively", "phasor"), listed=True)
    "; did you mean 'phasor'? There are lively, phasor"
    """
    names = list(known)
    near = difflib.get_close_matches(word, names, n=1, cutoff=0.5)
    there = f"here are {', '.join(names) or 'none'}"
    if not near:
        return f"; t{there}"
    return f"; did you mean {near[0]!r}?" + (f" T{there}" if listed else "")


def _hints(kind: Any) -> dict[str, Any]:
    """The types of a struct's fields, with what they are annotated with; none for other types."""
    if not (isinstance(kind, type) and issubclass(kind, msgspec.Struct)):
        return {}
    hints = get_type_hints(kind, include_extras=True)
    return {name: hints[name] for name in kind.__struct_fields__}


def _parts(hint: Any) -> Iterator[Any]:
    """A type and all that it is made of or annotated with."""
    yield hint
    if get_origin(hint) is Annotated:
        yield from hint.__metadata__
        yield from _parts(hint.__origin__)
    else:
        for part in get_args(hint):
            yield from _parts(part)


def _struct_in(hint: Any) -> type[msgspec.Struct] | None:
    """The struct that a field holds, or a list of it."""
    structs = (part for part in _parts(hint) if isinstance(part, type) and issubclass(part, msgspec.Struct))
    return next(structs, None)


def _title(kind: type[msgspec.Struct]) -> str:
    return str(getattr(kind, "title", "a network"))
