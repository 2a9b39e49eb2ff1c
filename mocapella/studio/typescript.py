"""The page's types, written from the messages: ``python -m mocapella.studio.typescript > web/src/messages.ts``."""

from __future__ import annotations

import inspect
import re
import sys
from typing import Any, get_args

import msgspec
from msgspec import inspect as types

from mocapella.studio import messages
from mocapella.studio.messages import frames
from mocapella.studio.messages.fields import Command
from mocapella.studio.messages.unions import AnyAnswer, AnyCommand

_HEAD = "// Written by `python -m mocapella.studio.typescript`; change mocapella/studio/messages instead."
_PLAIN: dict[type[types.Type], str] = {
    types.StrType: "string",
    types.IntType: "number",
    types.FloatType: "number",
    types.BoolType: "boolean",
    types.NoneType: "null",
    types.RawType: "unknown",
    types.AnyType: "unknown",
}
_WIDTH = 120  # columns, as in web/package.json
_NOTE = re.compile(r"^    (\w+): .*?  # (.+)$")  # a field of a struct and the comment behind it


def typescript() -> str:
    """The TypeScript module of all messages: interfaces, ``Command`` and ``Answer``, the layout of pose frames."""
    unions = {"Command": get_args(AnyCommand), "Answer": get_args(AnyAnswer)}
    declared: dict[str, str] = {}
    for members in unions.values():
        for kind in members:
            _declare(kind, declared)
    parts = [_HEAD, "", _comment(messages.__doc__), "", *declared.values()]
    for name, members in unions.items():
        rows = "".join(f"\n  | {kind.__name__}" for kind in members)
        parts.append(f"export type {name} ={rows}\n")
    layout = "\n".join(f"  {name}: {place}," for name, place in frames.PLACES.items())
    parts.append(f"{_comment(frames.__doc__)}\nexport const FRAME = {{\n{layout}\n}} as const\n")
    parts.append(f"export const FRAME_KIND = {frames.KIND}")
    parts.append(f"export const FRAME_FIELDS = {len(frames.FIELDS)}")
    return "\n".join(parts) + "\n"


def _declare(kind: type[msgspec.Struct], declared: dict[str, str]) -> None:
    """Write one struct, and the structs in its fields, as interfaces."""
    if kind.__name__ in declared:
        return
    declared[kind.__name__] = ""  # keeps its place before what it holds
    info = types.type_info(kind)
    assert isinstance(info, types.StructType)
    notes = {name: note for line in inspect.getsource(kind).splitlines() for name, note in _NOTE.findall(line)}
    rows = [] if info.tag is None else [f"  type: {_quoted(info.tag)}"]
    for field in info.fields:
        # What the server sends is always there; what the page may leave out need not be.
        left_out = not field.required and issubclass(kind, Command)
        row = f"  {field.encode_name}{'?' if left_out else ''}: {_written(field.type, declared)}"
        row = _broken(row) if len(row) > _WIDTH else row
        rows.append(f"{row} // {notes[field.name]}" if field.name in notes else row)
    about = _comment(kind.__doc__)
    declared[kind.__name__] = f"{about}\nexport interface {kind.__name__} {{\n" + "\n".join(rows) + "\n}\n"


def _quoted(value: object) -> str:
    """A literal, in single quotes as prettier has it."""
    return msgspec.json.encode(value).decode().replace('"', "'")


def _broken(row: str) -> str:
    """A field too long for a line, the members of its tuple in lines of their own, as prettier breaks it."""
    name, _, members = row.removesuffix("]").partition(": [")
    return "\n".join([f"{name}: [", *(f"    {member}," for member in re.split(r", (?=\{)", members)), "  ]"])


def _comment(text: str | None) -> str:
    lines = inspect.cleandoc(text or "").splitlines()
    if len(lines) == 1:
        return f"/** {lines[0]} */"
    return "\n".join(["/**", *(f" * {line}".rstrip() for line in lines), " */"])


def _written(kind: types.Type, declared: dict[str, str]) -> str:
    if isinstance(kind, types.Metadata):
        return _written(kind.type, declared)
    if type(kind) in _PLAIN:
        return _PLAIN[type(kind)]
    if isinstance(kind, types.LiteralType):
        return " | ".join(_quoted(value) for value in kind.values)
    if isinstance(kind, types.UnionType):
        return " | ".join(_written(member, declared) for member in kind.types)
    if isinstance(kind, types.TupleType):
        return f"[{', '.join(_written(member, declared) for member in kind.item_types)}]"
    if isinstance(kind, types.ListType | types.VarTupleType):
        item = _written(kind.item_type, declared)
        return f"({item})[]" if "|" in item else f"{item}[]"
    if isinstance(kind, types.DictType):
        key = _written(kind.key_type, declared)
        value = _written(kind.value_type, declared)
        # `Record` is a command of ours, so the type of that name cannot be used here.
        return f"{{ [key in {key}]?: {value} }}" if "|" in key else f"{{ [key: {key}]: {value} }}"
    if isinstance(kind, types.StructType):
        _declare(kind.cls, declared)
        return kind.cls.__name__
    raise TypeError(f"no TypeScript for {kind}; add it to mocapella.studio.typescript")


def main(out: Any = None) -> None:
    """Print the module, to standard output unless ``out`` is given."""
    (sys.stdout if out is None else out).write(typescript())


if __name__ == "__main__":
    main()
