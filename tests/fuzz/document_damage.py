"""Ways in which a document gets damaged that stays one: values of JSON or TOML become others, at any depth."""

from __future__ import annotations

import json
import tomllib
from copy import deepcopy
from random import Random
from typing import Any

from mocapella.quoting import toml_key, toml_literal
from tests.fuzz.mutations import damaged

ODD_TEXTS = (
    *("", "x", "walking", "\0", "é" * 300, "a" * 5000, "../../etc/passwd", "/etc/passwd", "\\\\server\\share", "C:\\x"),
    *('"', "'''", '"""', "\n", "\r\n", "${x}", "{0.node}", "%s%n", "--", "]]>", "</script>", "<!--", "*/", "# x"),
    *("\u202e", "\U0001f600", "\ud83d", "a\u0300", "\ufeff", "\x1b[31m", "[0, 0]", '{"a": 1}', "1e999", "null", "con"),
    *("\u00b2", "\u0663", "\u2028", "1_000", "-1", "0x10", "~", "*", "a/b", "a.bvh", "None", "nan", "."),
)
ODD_NUMBERS: tuple[int | float, ...] = (
    *(0, 1, -1, 2, 3, 7, 10**4, 10**9, 2**31, 2**63 - 1, 2**63, -(2**63), 10**30, 10**400),
    *(0.0, -0.5, 0.5, 1e-320, 1e-9, 1e9, 1e300, -1e308, 359.999, -0.0, 1e-3),
)
_ODD_LISTS: tuple[Any, ...] = (
    *([], [[]], [[[[[]]]]], {}, {"a": {"b": {}}}, [1, 2, 3], [0.5, "x"], [[0, 10**12]], [[-1, 5]], [[5, 2]]),
    *([[0.0, 1e300]], [["a", "b"]], [[0, 1], [1, 2], [0, 1]], [0.0] * 400, {"left_heel": [[0, 5]]}, {"": 0}),
)
ODD_VALUES: tuple[Any, ...] = (None, True, False, *ODD_TEXTS, *ODD_NUMBERS, *_ODD_LISTS)


def change_somewhere(document: Any, rng: Random) -> None:
    """One value, at any depth, goes, comes twice, becomes an odd one, or one that stands elsewhere."""
    places = list(_places(document))
    if not places:
        return
    holder, key = rng.choice(places)
    match rng.randrange(7):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, list):
            holder.extend([holder[key]] * rng.choice((1, 2, 1500)))
        case 2:
            other, name = rng.choice(places)
            if name in other if isinstance(other, dict) else name < len(other):
                holder[key] = json.loads(json.dumps(other[name]))
        case 3 if isinstance(holder[key], int | float):
            holder[key] = rng.choice((-holder[key], holder[key] * 10**6, holder[key] + 1, f"{holder[key]}"))
        case 4 if isinstance(holder[key], int | float):
            holder[key] = rng.choice(ODD_NUMBERS)
        case 4 if isinstance(holder[key], str):
            holder[key] = rng.choice(ODD_TEXTS)
        case 5 if isinstance(holder, dict):
            holder[rng.choice(ODD_TEXTS)] = holder.pop(key)
        case _:
            holder[key] = deepcopy(rng.choice(ODD_VALUES))


def damaged_json(content: bytes, rng: Random) -> bytes:
    """JSON whose values are others, now and then whose bytes are."""
    if rng.random() < 0.15:
        return damaged(content, [content], rng)
    document = json.loads(content)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        change_somewhere(document, rng)
    return json.dumps(document).encode()


def damaged_toml(content: bytes, rng: Random) -> bytes:
    """TOML whose values are others, now and then whose bytes are."""
    if rng.random() < 0.2:
        return damaged(content, [content], rng)
    tables = tomllib.loads(content.decode())
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        change_somewhere(tables, rng)
    return toml_text(tables).encode()


def toml_text(tables: dict[str, Any]) -> str:
    """Tables as TOML, arrays of tables below lines ``[[name]]``."""
    lines, later = [], []
    for key, value in tables.items():
        if isinstance(value, list) and value and all(isinstance(entry, dict) for entry in value):
            for entry in value:
                later += ["", f"[[{toml_key(_plain(key))}]]", *map(_line, entry.items())]
        else:
            lines.append(_line((key, value)))
    return "\n".join([*lines, *later]) + "\n"


def _line(pair: tuple[str, Any]) -> str:
    return f"{toml_key(_plain(pair[0]))} = {toml_literal(_plain(pair[1]))}"


def _plain(value: Any) -> Any:
    """A value that TOML has: it has no null, and no halves of surrogate pairs."""
    match value:
        case dict():
            return {_plain(key): _plain(part) for key, part in value.items()}
        case list():
            return [_plain(part) for part in value]
        case str():
            return value.encode(errors="replace").decode()
        case _:
            return "none" if value is None else value


def _places(value: Any) -> Any:
    """Every place in a document: what holds it, and its key there."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])
