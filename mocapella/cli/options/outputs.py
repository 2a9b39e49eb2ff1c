"""Output files of commands: options, checks before the work, and one motion written to several files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click

from mocapella.cli.options import FILE
from mocapella.errors import MotionError
from mocapella.files.format_table import FORMATS, find_skeleton, split_animation
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import Cycle
from mocapella.pictures import check_matplotlib

PICTURES = (".png", ".svg", ".pdf")


def output_option(name: str = "output", **settings: Any) -> Callable[..., Any]:
    """``-o`` of a command that writes one file or folder; giving it twice is a usage error.

    The argument ``name`` of the command is a path, or None where the option is left out and has no default.
    ``settings`` are those of ``click.option``; ``default`` is a single path.
    """

    def only(context: click.Context, parameter: click.Parameter, paths: tuple[Path, ...]) -> Path | None:
        if len(paths) > 1:
            given = ", ".join(map(str, paths))
            raise click.UsageError(f"this command writes to one place; -o was given {len(paths)} times: {given}")
        return paths[0] if paths else None

    if "default" in settings:
        settings["default"] = [settings["default"]]
    return click.option("-o", "--output", name, multiple=True, type=FILE, callback=only, **settings)


def outputs_option(**settings: Any) -> Callable[..., Any]:
    """``-o`` of a command that writes its result to every file named; the argument is ``outputs``.

    The argument is a tuple of one or more paths that differ. ``settings`` are those of ``click.option``.
    """

    def differing(context: click.Context, parameter: click.Parameter, paths: tuple[Path, ...]) -> tuple[Path, ...]:
        twice = [path for i, path in enumerate(paths) if path.absolute() in {other.absolute() for other in paths[:i]}]
        if twice:
            raise click.UsageError(f"-o {twice[0]} was given twice; every output needs a name of its own")
        return paths

    return click.option(
        "-o", "--output", "outputs", multiple=True, required=True, type=FILE, callback=differing, **settings
    )


def check_output(output: Path | None, suffixes: Sequence[str], inputs: Iterable[Path] = ()) -> None:
    """Raise an error, before any work is done, for a file that cannot be written or would replace an input.

    ``output`` is None where the option was not given. Inputs include the ``.asf`` that belongs to an ``.amc``. Raises
    ``MotionError`` where the suffix is not one of ``suffixes``, the folder does not exist, or the file, or the ``.asf``
    that is written beside it, is an input; for a picture, where matplotlib is not installed.
    """
    if output is None:
        return
    if output.suffix.lower() not in suffixes:
        raise MotionError(f"cannot write {output.name}: expected a suffix of {', '.join(suffixes)}")
    if output.suffix.lower() in (*PICTURES, ".gif"):
        check_matplotlib()
    _refuse_other_than_file(output)
    written = [output, output.with_suffix(".asf")] if output.suffix.lower() == ".amc" else [output]
    places = [split_animation(path)[0] for path in inputs]
    read = [file for path in places for file in (path, *_skeleton_of(path)) if file.exists()]
    for path in written:
        if path.exists() and any(path.samefile(file) for file in read):
            raise MotionError(f"{path} would replace the file that is read; write to another name")


def _refuse_other_than_file(output: Path) -> None:
    if not output.parent.is_dir():
        raise MotionError(f"cannot write {output}: there is no folder {output.parent}")
    if output.is_dir():
        raise MotionError(f"cannot write {output}: it is a folder")
    if output.exists() and not output.is_file():
        raise MotionError(f"cannot write {output}: it is a pipe, a socket or a device")


def check_outputs(outputs: Iterable[Path], suffixes: Sequence[str], inputs: Iterable[Path] = ()) -> None:
    """``check_output`` of each. ``suffixes`` and ``inputs`` are as ``check_output`` takes them."""
    read = list(inputs)
    for output in outputs:
        check_output(output, suffixes, read)


def write_all(
    motion: Clip | Cycle,
    outputs: Sequence[Path],
    *,
    options: Mapping[str, Any] = MappingProxyType({}),
    loop: bool | None = None,
) -> dict[str, Any]:
    """Write a motion to every file named, each in the format of its suffix and named after the file.

    ``options`` and ``loop`` are those of ``save``; an option that only some formats take is used for these, and refused
    where no file takes it. Returns ``path``, the first file, and ``files``, all of them, for the command's answer.
    """
    from mocapella.storage.values import save  # takes long to import, and options are declared by every command

    takes = [FORMATS[path.suffix.lower()].writing if path.suffix.lower() in FORMATS else () for path in outputs]
    for output, names in zip(outputs, takes, strict=True):
        others = {name for other_names in takes for name in other_names} - set(names)
        given = {name: value for name, value in options.items() if name not in others}
        save(motion.renamed(output.stem) if isinstance(motion, Clip) else motion, output, loop=loop, **given)
    return {"path": str(outputs[0]), "files": list(map(str, outputs))}


def _skeleton_of(path: Path) -> list[Path]:
    if path.suffix.lower() != ".amc":
        return []
    try:
        return [find_skeleton(path)]
    except MotionError:
        return []  # reading says so in better words
