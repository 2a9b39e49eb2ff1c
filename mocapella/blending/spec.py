"""Networks from a TOML file that says everything: files, frames, places, triangles.

::

    harmonics = 10
    triangles = [["slow", "fast", "left"]]

    [[nodes]]
    name = "slow"
    file = "slow.bvh"    # beside this file, or in a folder below it
    frames = [120, 400]  # where its cycle is looked for
    speed = 0.8          # m/s wanted
    at = [0.0, 0.8]

A node may instead be made of others: ``base = "slow"``, ``plus = "left"``, ``minus = "fast"``. Angles are degrees.
A table ``[single_source]`` asks for single-source harmonics; it may be empty, or say ``first = 6`` and what else
``SingleSource`` takes.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import msgspec

from mocapella.blending.single_source_record import SingleSourceSpec
from mocapella.errors import FormatError
from mocapella.files.disk import read_bytes

LARGEST = 1024**2  # bytes; a spec is a page or two
MOST_NODES = 1000
LARGEST_NUMBER = 1e6  # metres, degrees, frames: what is larger is a slip of the pen
_LOOKING = ("frames", "speed", "turn", "turning")  # what says which cycle of a file is meant


class NodeSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One node as the file describes it."""

    name: str
    file: str | None = None
    skeleton: str | None = None  # the .asf of an .amc
    roles: str | None = None  # a TOML file
    unit: str | None = None
    frame_rate: float | None = None
    frames: tuple[int, int] | None = None
    speed: float | None = None
    turn: float | None = None  # degrees per cycle
    turning: bool | None = None
    mirrored: bool = False
    offset: float | None = None  # frames by which the cycle begins later, instead of what falls in step
    synchronised: bool | None = None
    at: tuple[float, float] | None = None
    base: str | None = None
    plus: str | None = None
    minus: str | None = None
    scale: float = 1.0


class NetworkSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A whole network as its file describes it."""

    nodes: list[NodeSpec]
    triangles: list[tuple[str, str, str]] | None = None
    harmonics: int = 10
    rule: Literal["phasor", "streamlined", "unit", "naive", "series", "approximate"] = "phasor"
    outside: Literal["clamp", "extrapolate"] = "clamp"
    layout: Literal["quaternion", "euler"] = "quaternion"
    single_source: SingleSourceSpec | None = None


def read_spec(path: str | PathLike[str]) -> NetworkSpec:
    """Read and look through a spec; no motion file is opened yet.

    Raises
    ------
    FormatError
        Where it is no TOML, has keys that mean nothing (the nearest that does is named), or says too little.
    """
    text = _text(path)
    try:
        tables = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        place = re.search(r"at line (\d+)", str(error))
        raise FormatError(path, int(place[1]) if place else text.count("\n") + 1, f"is no TOML: {error}") from None
    _refuse_unknown(path, text, tables)
    try:
        spec = msgspec.convert(tables, NetworkSpec)
    except msgspec.ValidationError as error:
        node, key = _place_of(str(error))
        reason = str(error).split(" - at ")[0].replace("`", "")
        raise FormatError(path, line_of(text, key, node), f"{key}: {reason}" if key else reason) from None
    for i, one in enumerate(spec.nodes):
        _refuse_odd_numbers(path, text, i, one)
        _refuse_half_a_node(path, text, i, one, [other.name for other in spec.nodes])
    if not 1 <= len(spec.nodes) <= MOST_NODES:
        raise FormatError(path, 0, f"describes {len(spec.nodes)} nodes; expected 1 to {MOST_NODES}")
    single_source = spec.single_source
    if single_source is not None:
        own = {
            "winners": [name for pair in single_source.winners for name in pair],
            "abstaining": single_source.abstaining,
        }
        for key, listed in own.items():
            for name in listed:
                _refuse_stranger(path, line_of(text, key), name, [one.name for one in spec.nodes])
    for names in spec.triangles or ():
        for name in names:
            _refuse_stranger(path, line_of(text, "triangles"), name, [one.name for one in spec.nodes])
    return spec


def confined(spec: str | PathLike[str], folder: Path, name: str) -> Path:
    """A file that a spec names, which must lie in the folder or below; ``FormatError`` where it does not.

    A spec may come from anyone. It reads nothing that whoever runs it did not put beside it.
    """
    goal = (folder / name).resolve()
    if Path(name).is_absolute() or not goal.is_relative_to(folder.resolve()):
        raise FormatError(spec, 0, f"names {name!r}, which is not in the folder {folder}; name that folder yourself")
    return goal


def line_of(text: str, key: str, node: int | None = None) -> int:
    """The line on which a key is set, of a node where one is meant; 0 where it cannot be found."""
    block = count = -1
    for number, line in enumerate(text.splitlines(), start=1):
        if re.match(r"\s*\[\[\s*nodes\s*\]\]", line):
            block = count = count + 1
            if node == block and key == "":
                return number
        elif re.match(r"\s*\[\s*\w+\s*\]\s*(#|$)", line):  # a table of the network, wherever it stands
            block = -1
            if node is None and key and key in line:
                return number
        mine = block == node if node is not None else block == -1
        if mine and key and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", line):
            return number
    return line_of(text, "", node) if node is not None and key else 0


def _refuse_unknown(path: str | PathLike[str], text: str, tables: dict[str, Any]) -> None:
    _refuse_keys(path, text, tables, NetworkSpec.__struct_fields__, None)
    if isinstance(tables.get("single_source"), dict):
        _refuse_keys(path, text, tables["single_source"], SingleSourceSpec.__struct_fields__, None)
    nodes = tables.get("nodes")
    if not isinstance(nodes, list):
        raise FormatError(path, line_of(text, "nodes"), "expected nodes, each below a line [[nodes]]")
    for i, node in enumerate(nodes):
        if isinstance(node, dict):
            _refuse_keys(path, text, node, NodeSpec.__struct_fields__, i)


def _refuse_keys(
    path: str | PathLike[str], text: str, table: dict[str, Any], known: Iterable[str], node: int | None
) -> None:
    for key in table:
        if key not in set(known):
            where = "a network" if node is None else "a node"
            raise FormatError(path, line_of(text, key, node), f"{where} has no {key!r}{_meant(key, known)}")


def _refuse_odd_numbers(path: str | PathLike[str], text: str, i: int, node: NodeSpec) -> None:
    for key in NodeSpec.__struct_fields__:
        value = getattr(node, key)
        for number in value if isinstance(value, tuple) else (value,):
            if isinstance(number, int | float) and not abs(number) <= LARGEST_NUMBER:
                raise FormatError(path, line_of(text, key, i), f"{key}: expected a finite number, found {number}")


def _refuse_half_a_node(path: str | PathLike[str], text: str, i: int, node: NodeSpec, names: list[str]) -> None:
    sum_of = {"base": node.base, "plus": node.plus, "minus": node.minus}
    given = [key for key, value in sum_of.items() if value is not None]
    if names.index(node.name) != i:
        raise FormatError(path, line_of(text, "name", i), f"two nodes are called {node.name!r}; names tell nodes apart")
    if (node.file is None) != bool(given) or 0 < len(given) < 3:
        reason = f"node {node.name!r} needs a file, or base, plus and minus to be made of"
        raise FormatError(path, line_of(text, "name", i), reason)
    for key in given:
        _refuse_stranger(path, line_of(text, key, i), str(sum_of[key]), names[:i])
    if given or str(node.file).lower().endswith(".moca"):
        for key in (*_LOOKING, *(("mirrored", "offset") if given else ())):
            if getattr(node, key) not in (None, False):
                what = "is made of others" if given else "is a cycle already"
                raise FormatError(path, line_of(text, key, i), f"node {node.name!r} {what}; {key} means nothing there")


def _refuse_stranger(path: str | PathLike[str], line: int, name: str, names: list[str]) -> None:
    if name not in names:
        raise FormatError(path, line, f"there is no node {name!r} before this{_meant(name, names)}")


def _meant(word: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(known)}"


def _place_of(error: str) -> tuple[int | None, str]:
    """Which node and which key an error of msgspec is about: ``… - at `$.nodes[2].file```."""
    node = re.search(r"\$\.nodes\[(\d+)\]", error)
    keys = re.findall(r"\.(\w+)", error.partition("`$")[2])
    key = keys[-1] if keys else ""
    return (int(node[1]) if node else None), "" if node and key == "nodes" else key


def _text(path: str | PathLike[str]) -> str:
    content = read_bytes(path)
    if len(content) > LARGEST:
        raise FormatError(path, 0, "holds more than 1 MiB; a spec is a short table")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(path, content[: error.start].count(b"\n") + 1, "is no UTF-8 text") from None
