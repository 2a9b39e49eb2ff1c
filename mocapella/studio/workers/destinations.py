"""Where files can go: programs and formats, with the options of ``mocapella.save`` that each of them takes."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any

from mocapella.errors import MotionError
from mocapella.exporting.embedding import EMBEDDED, RELAXED, WASM, runtime_file
from mocapella.exporting.targets import TARGETS
from mocapella.files.format_table import FORMATS, WRITABLE
from mocapella.files.gltf.skinned_character import CHARACTERS
from mocapella.rig.naming import NAMINGS
from mocapella.studio.messages.answers import Destination, FormatRow
from mocapella.studio.messages.commands import AskExport, Export
from mocapella.studio.page.document import STATIC

_ALL = ("blend", "nodes", "recording")
_ABOUT: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "blender": ("Blender", "actions, with an import script"),
        "unreal": ("Unreal", "root motion, a blend space by script"),
        "unity": ("Unity", "a blend tree by its importer"),
        "godot": ("Godot", "a scene with a blend space"),
        "three": ("three.js", "clips, a blend space as a module"),
        "c": ("C and C++", "a library that plays the network"),
        "wasm": ("WebAssembly", "a module that plays the network"),
        "page": ("Web page", "a character to steer, in one file"),
        "crowd": ("Crowd page", "200 characters, in one file"),
    }
)
NETWORKS = ("moca", "mocar", "html")  # formats that hold the network itself, not motions of it
_OWN_NAMES = ("vrma", "npz", "usd", "usda", "usdc", "usdz")  # formats that say by themselves what joints are


def _here(name: str) -> bool:
    """Whether a format can be written on this machine: USD needs a package, FBX a Blender."""
    if name.startswith("usd"):
        return find_spec("pxr") is not None
    if name == "fbx":
        return bool(os.environ.get("BLENDER") or shutil.which("blender") or find_spec("bpy"))
    return True


def _writable(*names: str) -> tuple[str, ...]:
    return tuple(name for name in names if f".{name}" in WRITABLE and _here(name))


def _engines() -> list[Destination]:
    order = [*(name for name in _ABOUT if name in TARGETS), *(name for name in TARGETS if name not in _ABOUT)]
    about = {name: _ABOUT.get(name, (name, "loops and scripts")) for name in order}
    files = _writable("glb", "gltf")
    return [Destination(name, *about[name], files, _ALL, TARGETS[name].names, "root", grid=True) for name in order]


def _formats() -> list[Destination]:
    """Destinations that are no program: VRM, scenes, plain files."""
    animation = _writable("vrma")
    vrm = "animations for VRM characters" if animation else "glTF with the bone names of VRM 1.0"
    destinations = [Destination("vrm", "VRM", vrm, (*animation, *_writable("glb", "gltf")), _ALL, "vrm")]
    if scenes := _writable("usda", "usdc", "usd", "usdz"):
        destinations.append(Destination("usd", "USD", "scenes with a skeleton and its animation", scenes, _ALL))
    plain = tuple(name for name in _writable(*(suffix[1:] for suffix in WRITABLE)) if name not in (*scenes, *animation))
    about = ", ".join(dict.fromkeys(FORMATS[f".{name}"].name for name in plain))
    return [*destinations, Destination("plain", "Plain file", about, plain, _ALL)]


def _embedded() -> list[Destination]:
    """The library for other programs, where its files are there: a checkout may not have built them."""
    destinations = []
    for name, files in EMBEDDED.items():
        with suppress(MotionError):
            for file in files:
                runtime_file(file)
            destinations.append(Destination(name, *_ABOUT.get(name, (name, "")), ("mocar",), ("nodes",)))
    return destinations


def _pages() -> list[Destination]:
    """Pages in which the engine plays, where that and the viewer are there."""
    if not (STATIC / "viewer.js").is_file():
        return []
    with suppress(MotionError):
        for file in (WASM, RELAXED):
            runtime_file(file)
        return [Destination(name, *_ABOUT[name], ("html",), ("nodes",)) for name in ("page", "crowd")]
    return []


DESTINATIONS: tuple[Destination, ...] = (
    *_engines(),
    *_formats(),
    Destination("mocapella", "mocapella", "the network as .moca", ("moca",), ("nodes",)),
    *_pages(),
    *_embedded(),
)
"""By program, in the order in which they are offered; formats that cannot be written here are left out."""

FORMAT_ROWS: tuple[FormatRow, ...] = tuple(
    FormatRow(
        name=suffix.removeprefix("."),
        travels=("hips", *(("root",) if "root_motion" in FORMATS[suffix].writing else ()), "place"),
        names=suffix.removeprefix(".") not in _OWN_NAMES,
        unit="unit" in FORMATS[suffix].writing,
        loop=FORMATS[suffix].several,
        onto=suffix in CHARACTERS,
    )
    for suffix in WRITABLE
)
NAMES: tuple[str, ...] = ("as-captured", *NAMINGS)


def destination_of(name: str) -> Destination:
    """A destination by its name. Raises ``MotionError`` where there is none of this name."""
    destinations = {destination.name: destination for destination in DESTINATIONS}
    if name not in destinations:
        raise MotionError(f"no destination {name!r}; there are {', '.join(destinations)}")
    return destinations[name]


def format_of(destination: Destination, name: str) -> str:
    """A format of a destination, by its suffix without the dot; the first where ``name`` is empty.

    Raises ``MotionError`` where files for the destination have another format.
    """
    if name and name not in destination.formats:
        raise MotionError(f"files for {destination.name} are {', '.join(destination.formats)}, not {name}")
    return name or destination.formats[0]


def saving_options(destination: Destination, format: str, command: Export | AskExport, *, onto: str) -> dict[str, Any]:
    """The options of ``mocapella.save`` for the motions of a command that differ from the usual.

    ``onto`` is the file of a character; empty for a plain body. Raises ``MotionError`` for names that no convention
    has, and options that the format lacks.
    """
    row = next(row for row in FORMAT_ROWS if row.name == format)
    unit = getattr(command, "unit", None)
    loop = getattr(command, "loop", True) and command.what != "recording"
    naming = command.names or destination.names
    if naming not in NAMES:
        raise MotionError(f"no names {naming!r}; there are {', '.join(NAMES)}")
    way = _way(destination, row, command.travel)
    if onto and not row.onto:
        raise MotionError(f"characters are written as {' or '.join(CHARACTERS)}, not as {format}")
    named = naming != "as-captured" and row.names
    options: dict[str, tuple[bool, Any]] = {  # whether each is said, and its value
        "onto": (bool(onto), onto),
        "names": (not onto and named, naming),
        "in_place": (way == "place", True),
        "root_motion": (way == "root", "root"),
        "unit": (row.unit and unit is not None, unit),
        "loop": (row.loop and loop, True),
    }
    return {name: value for name, (is_said, value) in options.items() if is_said}


def _way(destination: Destination, row: FormatRow, travel: str | None) -> str:
    """The bone that travels, or none, as it was asked for or as the destination has it."""
    way = travel or (destination.travel if destination.travel in row.travels else "hips")
    if way not in row.travels:
        raise MotionError(f"{row.name} has no {way} bone that travels; choose {' or '.join(row.travels)}")
    return way
