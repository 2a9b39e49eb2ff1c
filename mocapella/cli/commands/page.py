"""``mocapella page``: a motion or a network as one HTML file, or two motions to judge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mocapella.cli.options import FILE, Command, expert_option
from mocapella.cli.options.motion_files import reading_options
from mocapella.cli.options.outputs import check_output, output_option
from mocapella.cli.printing import Json, command, progress, say
from mocapella.errors import MotionError
from mocapella.storage.values import load
from mocapella.studio.page.document import write_document, write_page
from mocapella.studio.page.judging import QUESTION, judging_content, judging_pairs


@click.command(cls=Command, example="mocapella page walk.moca --steerable -o walk.html")
@click.argument("source", metavar="[IN]", type=FILE, required=False)
@output_option(metavar="OUT.html", required=True, help="The file to write.")
@click.option("--compare", nargs=2, metavar="A B", type=FILE,
              help="Two motions, or two folders, for a blind comparison.")  # fmt: skip
@expert_option("--question", default=QUESTION, help="With --compare: what to ask.")
@expert_option("--rounds", type=click.IntRange(1, 50), default=2, help="With --compare: how often a pair is shown.")
@click.option("--steerable", is_flag=True, help="Embed the engine in the page: it plays the network instead of loops.")
@click.option("--title", default="", help="Title of the page; the file's name if left out.")
@expert_option("--out-rate", type=float, help="Largest frame rate of the page, frames per second.")
@reading_options
@command
def page(source: Path | None, output: Path, compare: tuple[Path, Path] | None, question: str, rounds: int,
         steerable: bool, title: str, out_rate: float | None, **options: Any) -> Json:  # fmt: skip
    """Write one HTML file that shows a motion or a network.

    IN is a motion file, a recording, a stored cycle or a stored network. A network can be steered in the page, which
    contains a grid of closed loops and blends those around the point. The file needs no server and loads nothing from
    the network.

    With --steerable the page contains the network itself and the engine, as WebAssembly: it blends harmonics and locks
    feet in the page, like a crowd in Python. For a hybrid network it contains all blocks and transitions.

    With --compare two motions are shown side by side in random order, without names; the page asks which one is better
    and why, and saves the answers as CSV. If two folders are given, files with the same name are compared.
    """
    if (source is None) == (compare is None):
        raise click.UsageError("name one file to show, or two to --compare")
    if compare is not None and steerable:
        raise click.UsageError("--compare shows motions; --steerable is for one network")
    if compare is not None:
        read = [path for pair in judging_pairs(*compare) for path in pair]
        check_output(output, [".html"], read)
        clips = [_loaded(path, options) for path in read]
        content = judging_content(clips, [str(path) for path in read], question, rounds, frame_rate=out_rate)
        size = write_document(content, output, title=title or "judging")
    else:
        assert source is not None
        check_output(output, [".html"], [source])
        with progress("writing", None):
            value = _loaded(source, options)
            size, steerable = write_page(
                value, output, title=title or source.stem, frame_rate=out_rate, steerable=steerable
            )
    say(f"{output}: {size / 1000:.0f} kB{', can be steered' if steerable else ''}")
    return {"path": str(output), "bytes": size, "steerable": steerable}


def _loaded(path: Path, options: dict[str, Any]) -> Any:
    if path.suffix.lower() != ".moca":
        return load(path, **reading_options.of(options))
    if given := [name for name, value in reading_options.of(options).items() if value]:
        raise MotionError(f"{' and '.join(given)} concern motion files; {path.name} holds stored values")
    return load(path)
