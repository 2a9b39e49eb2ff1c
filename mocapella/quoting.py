"""Names and values as literals of the languages that files are written in.

These are Python, Godot's scenes, TOML, CSV, Markdown, HTML, and the texts of pictures, of which SVG is one kind.
Nothing else formats a name into such a text. Any text comes back unchanged from a parser of the language, and adds no
statement, node, cell or element to the file; what a language cannot hold becomes U+FFFD. Scripts for engines in C#,
JavaScript, GDScript and Python, and the library in C, are the same for all networks: they read names from JSON and
``.mocar`` files.
"""

from __future__ import annotations

import csv
import html
import io
import json
import keyword
import math
import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_HALVES = re.compile("[\ud800-\udfff]")  # of pairs of UTF-16, which no UTF-8 holds
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_MARKS_OF_MARKDOWN = re.compile(r"""[!-/:-@\[-`{-~]""")  # all of which a backslash makes plain
_BEGIN_FORMULAS = ("=", "+", "-", "@", "\t", "\r")  # in spreadsheets
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_NOT_IN_BONES = str.maketrans({":": "_", "/": "_"})  # Godot's importer of glTF replaces them in names of bones
_NOT_IN_NODES = str.maketrans(dict.fromkeys('.:@/"%', "_"))  # and these in names of nodes


def whole_characters(text: str) -> str:
    """The text as UTF-8 can hold it: halves of surrogate pairs become U+FFFD.

    Names have them where a file escapes them in JSON, and where the name of a file is not UTF-8.
    """
    return _HALVES.sub(_REPLACEMENT, text)


def python_literal(value: Any) -> str:
    """A plain value (text, number, None, path, or a tuple, list or mapping of such) as a Python expression.

    Raises ``TypeError`` for anything else, whose ``repr`` might be any text.

    >>> python_literal({"name": 'quote "', "at": (1.0, float("inf"))})
    '{\\'name\\': \\'quote "\\', \\'at\\': (1.0, float(\\'inf\\'))}'
    """
    match value:
        case None | bool():
            return repr(value)
        case int():
            return repr(int(value))
        case float():
            return repr(float(value)) if math.isfinite(value) else f"float({str(float(value))!r})"
        case str():
            return repr(str(value))
        case PurePath():
            return repr(value.as_posix())
        case tuple():
            return f"({', '.join(map(python_literal, value))}{',' * (len(value) == 1)})"
        case list():
            return f"[{', '.join(map(python_literal, value))}]"
        case Mapping():
            return (
                "{" + ", ".join(f"{python_literal(key)}: {python_literal(part)}" for key, part in value.items()) + "}"
            )
        case _:
            raise TypeError(f"no literal of Python for a {type(value).__name__}")


def python_call(function: str, *arguments: str, **options: Any) -> str:
    """A call in Python: ``arguments`` are expressions, ``options`` plain values; those that are None are left out.

    >>> python_call("mo.load", python_literal("a.bvh"), unit="cm", up=None, **{"odd name": 1})
    "mo.load('a.bvh', unit='cm', **{'odd name': 1})"
    """
    given = {name: value for name, value in options.items() if value is not None}
    odd = {name: given.pop(name) for name in [*given] if not name.isidentifier() or keyword.iskeyword(name)}
    words = [f"{name}={python_literal(value)}" for name, value in given.items()]
    return f"{function}({', '.join([*arguments, *words, *([f'**{python_literal(odd)}'] if odd else [])])})"


def python_docstring(text: str) -> str:
    """A text of one line as the docstring of a module."""
    line = " ".join(text.split())
    return '"""' + "".join(_python_character(character) for character in line) + '"""'


def _python_character(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return character if character.isprintable() else character.encode("unicode_escape").decode()


def godot_string(text: str) -> str:
    """A text as Godot's scenes and scripts quote it; characters that do not print are written as escapes.

    Godot has no NUL in its texts and no lone surrogates: both become U+FFFD, as when it reads a file with them.
    """
    return '"' + "".join(map(_godot_character, text)) + '"'


def _godot_character(character: str) -> str:
    code = ord(character)
    if character in '"\\':
        return f"\\{character}"
    if code == 0 or 0xD800 <= code < 0xE000:
        return "\\ufffd"
    if character.isprintable():
        return character
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:06x}"


def godot_name(text: str, *, bone: bool) -> str:
    """The name that Godot's importer gives to a bone or a node of a glTF file: parts of paths cannot be in it."""
    return text.translate(_NOT_IN_BONES if bone else _NOT_IN_NODES)


def toml_literal(value: Any) -> str:
    """A plain value as TOML writes it; floats so that they are read back bit for bit.

    Raises ``UnicodeEncodeError`` for lone surrogates, which no TOML file can hold.
    """
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            value.encode("utf-8")
            return "".join(map(_toml_character, json.dumps(value, ensure_ascii=False)))
        case Mapping():
            pairs = ", ".join(f"{toml_key(key)} = {toml_literal(part)}" for key, part in value.items())
            return f"{{ {pairs} }}" if pairs else "{}"
        case list() | tuple():
            return "[" + ", ".join(map(toml_literal, value)) + "]"
        case int() | float():
            return repr(value)
        case _:
            raise TypeError(f"no literal of TOML for a {type(value).__name__}")


def _toml_character(character: str) -> str:
    """A character of a JSON text, which may also stand in a TOML text; bidirectional controls are escaped as well."""
    if character.isprintable() or character == " ":
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def toml_key(key: str) -> str:
    """A key as TOML writes it: bare where it may be."""
    return key if _BARE_KEY.fullmatch(key) else toml_literal(key)


def csv_line(*cells: str | int | float) -> str:
    """A line of CSV, with its end: texts quoted where they must be, floats with nine digits.

    A text that begins like a formula gets an apostrophe before it, for spreadsheets run formulas even where they are
    quoted. Halves of surrogate pairs become U+FFFD.
    """
    with io.StringIO() as line:
        csv.writer(line, lineterminator="\r\n").writerow(map(_csv_cell, cells))  # both ends of lines are quoted then
        return line.getvalue().removesuffix("\r\n") + "\n"


def _csv_cell(cell: str | int | float) -> str:
    match cell:
        case float():
            return f"{cell:.9g}"
        case str():
            return whole_characters(f"'{cell}" if cell.startswith(_BEGIN_FORMULAS) else cell)
        case _:
            return str(cell)


def markdown_text(text: str) -> str:
    """A text as ``picture_text`` has it, in a paragraph or a cell of a table in Markdown: one line, single blanks."""
    line = picture_text(" ".join(text.split()))
    return _MARKS_OF_MARKDOWN.sub(lambda mark: f"\\{mark[0]}", line)


def picture_text(text: str) -> str:
    """A text to be drawn: what XML, and thus SVG, cannot hold becomes U+FFFD."""
    return _NOT_IN_XML.sub(_REPLACEMENT, text)


def html_text(text: str) -> str:
    """A text between tags or within a quoted attribute. NUL and lone surrogates, which HTML lacks, become U+FFFD."""
    sound = whole_characters(text.replace("\0", _REPLACEMENT))
    return html.escape(sound, quote=True).replace("\r", "&#13;")


def json_in_html(text: str) -> str:
    """JSON for a ``script`` element, which no HTML parser ends early: ``<`` within its texts becomes an escape."""
    return text.replace("<", "\\u003c")
