"""``mocapella edit``: apply edits to a motion, and say what they did to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mocapella.checks import counted
from mocapella.cli.options import FILE, expert_option
from mocapella.cli.options.edit_options import EditCommand, edit_options, given_edits, motions_named
from mocapella.cli.options.motion_files import reading_options
from mocapella.cli.options.outputs import PICTURES, check_output, check_outputs, outputs_option, write_all
from mocapella.cli.printing import Json, command, doubt, progress, say, table
from mocapella.editing.edit_files import save_edits
from mocapella.editing.edits import edit as apply_edits
from mocapella.files.format_table import WRITABLE
from mocapella.measure.comparison import FIGURES, edited_figures, unreachable_frames
from mocapella.measure.measures import MOTION
from mocapella.motion.clip import Clip
from mocapella.pictures.edited import draw_edited
from mocapella.storage.values import load


@click.command(cls=EditCommand, example="mocapella edit walk.bvh -o edited.bvh --lock-feet --turn 90")
@click.argument("source", metavar="IN", type=FILE)
@outputs_option(metavar="OUT", help="The motion file to write; repeat it for several.")
@edit_options
@expert_option("--limited", is_flag=True, help="Keep joints within their limits after every edit.")
@click.option("--save-edits", "record", type=FILE, help="Write the edits as a .toml file for --edits.")
@click.option("--picture", type=FILE, help="Draw before and after: .png, .svg or .pdf.")
@reading_options
@command
def edit(
    source: Path, outputs: tuple[Path, ...], limited: bool, record: Path | None, picture: Path | None, **options: Any
) -> Json:
    """Apply edits to a motion, in the order they are given.

    IN is a motion file, or a stored cycle (.moca) for edits that apply to cycles; it is not changed. --save-edits
    writes the list of edits, which can be applied again with --edits, also to another motion. An edited cycle is
    written as .moca, or as one closed cycle in a motion file.
    """
    edits = given_edits(click.get_current_context())
    stored = source.suffix.lower() == ".moca"
    read = [source, *map(Path, options["edits"]), *motions_named(edits)]
    check_outputs(outputs, [".moca", *WRITABLE] if stored else WRITABLE, read)
    check_output(record, [".toml"], read)
    check_output(picture, PICTURES, read)
    motion = load(source) if stored else load(source, **reading_options.of(options))
    with progress("editing", None):
        done = apply_edits(motion, edits, limits=limited)
        numbers, missed = edited_figures(done), unreachable_frames(done)
        if picture is not None:
            draw_edited(done, picture)
    files = write_all(done.result, outputs)
    if record is not None:
        save_edits(done.edits, record)
    result = done.result
    frames = f"{result.n_frames} frames" + ("" if isinstance(result, Clip) else " a cycle")
    say(f"{', '.join(files['files'])}: {frames}, {counted(len(done.edits), 'edit')}", _shown(numbers), *done.retargeted)
    for first, last in missed:
        doubt(f"frames {first}–{last}: out of reach")
    return {
        **files,
        "frames": result.n_frames,
        "edits": [edit.plain() for edit in done.edits],
        **numbers,
        "retargeted": list(done.retargeted),
        "unreachable": [list(pair) for pair in missed],
    }


def _shown(numbers: dict[str, dict[str, Any]]) -> Any:
    rows = [
        [MOTION[key].about, *(_number(numbers[when][key]) for when in ("before", "after")), MOTION[key].unit]
        for key in FIGURES
    ]
    return table(["", ">before", ">after", ""], rows)


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
