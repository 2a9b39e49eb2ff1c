"""``mocapella script``: commands of the console, from a file."""

from __future__ import annotations

from pathlib import Path

import click

from mocapella.cli.options import FILE, Command
from mocapella.cli.options.outputs import check_outputs, output_option
from mocapella.cli.printing import Json, command, say
from mocapella.errors import MotionError
from mocapella.files.disk import make_folder
from mocapella.files.format_table import WRITABLE
from mocapella.storage.values import save
from mocapella.studio.scripted import run_script


@click.command(cls=Command, example="mocapella script steps.txt walk.bvh march.bvh -o edited")
@click.argument("source", metavar="SCRIPT", type=FILE)
@click.argument("motions", metavar="MOTION...", type=FILE, nargs=-1, required=True)
@output_option("folder", metavar="FOLDER", help="Folder for the edited motions, which keep their names.")
@click.option("--to", "suffix", metavar="SUFFIX", help="Format of the edited motions, such as .glb; .bvh if left out.")
@command
def script(source: Path, motions: tuple[Path, ...], folder: Path | None, suffix: str | None) -> Json:
    """Run a script of console commands on motions.

    A command in a line, on motions by their file names: the style editor's (left_stances, right_stances,
    left_heel_strikes, set_name, print_averaged_motions, blend_motion, root_path) and every edit of mocapella edit,
    such as "lock_feet walk.bvh" or "turn walk.bvh angle=90". The line "help" lists them. The studio's console takes the
    same lines. Nothing is written where a line cannot be done; what the lines before it printed is shown.

    \b
      left_stances march.bvh 65 195 320
      right_stances march.bvh 130 260
      blend_motion walk.bvh march ALL 0.5
      lock_feet walk.bvh
    """
    if suffix is not None and folder is None:
        raise click.UsageError("--to is the format of what -o writes; name a folder with -o")
    ending = "." + (suffix or ".bvh").lower().removeprefix(".")
    if ending not in WRITABLE:
        raise MotionError(f"cannot write {ending}: expected a suffix of {', '.join(WRITABLE)}")
    if folder is not None and folder.exists() and not folder.is_dir():
        raise MotionError(f"cannot write into {folder}: it is a file")
    done = run_script(source, motions, tell=say)
    written: Json = {"lines": list(done.lines), "written": []}
    if folder is None:
        return written
    if not done.clips:
        raise MotionError(f"{source} edits no motion, so there is nothing to write into {folder}")
    make_folder(folder)
    outputs = [folder / f"{choice.name}{ending}" for choice, _ in done.clips]
    check_outputs(outputs, WRITABLE, motions)
    for path, (choice, clip) in zip(outputs, done.clips, strict=True):
        save(clip, path)
        edits = [edit.name for edit in choice.edits]
        say(f"{path}: {', '.join(edits)}")
        written["written"].append({"path": str(path), "edits": edits})
    return written
