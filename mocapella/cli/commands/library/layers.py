"""``mocapella library list|modify|make|drop|trust|request|storage``: clips that are made from others on demand."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from mocapella.cli.options import Command, library_folder
from mocapella.cli.options.outputs import check_output, check_outputs, output_option, outputs_option, write_all
from mocapella.cli.printing import Json, command, doubt, say, table
from mocapella.errors import MotionError
from mocapella.files.format_table import WRITABLE
from mocapella.library.store import Library

_KEYS = ("kind", "speed", "curvature", "turn", "slope", "step", "height", "mood", "word", "seconds", "rate")
_HELP = "say it as: kind=walk speed=1.1 curvature=0.2 mood=tired:0.3 height=1.6"


@click.command("list", cls=Command, example="mocapella library list --layer virtual")
@click.option("--layer", type=click.Choice(["real", "virtual"]), help="Only clips of this layer.")
@click.option("--modifiers", "which", flag_value="modifiers", help="List the modifiers instead.")
@library_folder
@command
def _list_clips(layer: str | None, which: str | None, folder: Path) -> Json:
    """List the clips of a library, real and virtual, or its modifiers.

    Every walk and run has a virtual twin that goes to the other side, NAME|sync_mirror. Others are defined with
    modify.
    """
    with Library.at(folder) as opened:
        if which:
            return _modifiers(opened)
        clips = [clip for clip in opened.shelf.listed() if layer in (None, clip.layer)]
    rows = [[clip.name, clip.layer, " ".join(clip.kinds), clip.made] for clip in clips]
    say(table(["", "layer", "kinds", "made of"], rows))
    return {"clips": [asdict(clip) for clip in clips]}


def _modifiers(opened: Library) -> Json:
    from mocapella.library.plugins import untrusted

    modifiers = sorted(
        opened.modifiers().values(), key=lambda modifier: (modifier.origin != "mocapella", modifier.name)
    )
    rows = [
        [modifier.name, modifier.kind, " ".join(modifier.parameters), modifier.about, modifier.origin]
        for modifier in modifiers
    ]
    say(table(["", "clips", "parameters", "", "from"], rows))
    waiting = untrusted(opened.folder)
    for path in waiting:
        doubt(f"{path} is code that is not trusted in its present form; read it, then run: mocapella library trust")
    plain = [
        {"name": modifier.name, "kind": modifier.kind, "about": modifier.about,
         "parameters": list(modifier.parameters), "origin": modifier.origin}
        for modifier in modifiers
    ]  # fmt: skip
    return {"modifiers": plain, "untrusted": [str(path) for path in waiting]}


@click.command(cls=Command, example="mocapella library modify 16_13 sync_mirror turn:90 --as left")
@click.argument("clip")
@click.argument("modifiers", metavar="MODIFIER[:VALUES]…", nargs=-1, required=True)
@click.option("--as", "name", metavar="NAME", help="Store the recipe under this name.")
@output_option(metavar="FILE", help="Write the motion to a file.")
@library_folder
@command
def modify(clip: str, modifiers: tuple[str, ...], name: str | None, output: Path | None, folder: Path) -> Json:
    """Make a virtual clip: a clip and modifiers in order.

    For example: library modify 16_13 sync_mirror turn:90 --as left. Values are written as for mocapella edit; further
    clips as with=A+B: library modify 16_15 to_speed:1.3,with=16_21 --as brisk. Only the recipe is kept; the motion is
    made when it is asked for. library list --modifiers lists what there is.
    """
    if name is None and output is None:
        raise click.UsageError("say --as NAME to keep it, or -o FILE to write it")
    check_output(output, WRITABLE)
    with Library.at(folder) as opened:
        steps = [_step(opened, text) for text in modifiers]
        motion = opened.shelf.of(clip, steps)
        if name is not None:
            opened.define(name, clip, steps)
            motion = motion.renamed(name)
    if output is not None:
        _save(motion, output)
    say(f"{name or output}: {motion.n_frames} frames, {motion.seconds:.2f} s")
    answer = {"name": name, "path": None if output is None else str(output), "frames": motion.n_frames}
    return {**answer, "base": clip, "steps": steps}


def _save(value: Any, output: Path) -> None:
    from mocapella.storage.values import save  # takes long to import, and listing does not need it

    save(value, output)


def _step(opened: Library, text: str) -> dict[str, Any]:
    """A modifier with its values and further clips, from its text."""
    from mocapella.cli.options.edit_options import read_values

    name, _, values = text.partition(":")
    modifier = opened.shelf.modifier(name)
    parts, inputs = [], []
    for part in values.split(",") if values else []:
        if part.startswith("with="):
            inputs = [input_name for input_name in part.removeprefix("with=").split("+") if input_name]
        else:
            parts.append(part)
    left = ",".join(parts).strip()
    given = read_values(f"the modifier {modifier.name}", modifier.parameters, modifier.main, left) if left else {}
    return {"modifier": modifier.name, "parameters": given, "inputs": inputs}


@click.command(cls=Command, example="mocapella library make left -o left.bvh")
@click.argument("name")
@outputs_option(metavar="FILE", help="The motion file to write; repeat it for several.")
@library_folder
@command
def make(name: str, outputs: tuple[Path, ...], folder: Path) -> Json:
    """Write a clip of a library, real or virtual, to a motion file."""
    check_outputs(outputs, WRITABLE)
    with Library.at(folder) as opened:
        motion = opened.make(name)
    files = write_all(motion, outputs)
    say(f"{', '.join(files['files'])}: {motion.n_frames} frames, {motion.seconds:.2f} s")
    return {"name": name, **files, "frames": motion.n_frames, "seconds": motion.seconds}


@click.command(cls=Command, example="mocapella library drop left")
@click.argument("name")
@library_folder
@command
def drop(name: str, folder: Path) -> Json:
    """Forget a virtual clip; the clips it is made of stay."""
    with Library.at(folder) as opened:
        opened.drop(name)
    say(f"{name} is forgotten")
    return {"name": name}


@click.command(cls=Command, example="mocapella library trust")
@click.option("--off", is_flag=True, help="Revoke the permission.")
@library_folder
@command
def trust(off: bool, folder: Path) -> Json:
    """Allow the Python files in a library's folder modifiers to run.

    They are code that runs with all your rights: read them first. A file that is changed afterwards is no longer
    trusted until this command is run again.
    """
    from mocapella.library.plugins import distrust, trust

    Library.at(folder).close()  # says where there is none
    if off:
        distrust(folder)
    files = [] if off else trust(folder)
    say(*(f"trusted: {path}" for path in files) if files else ["no file of modifiers is trusted"])
    return {"trusted": [str(path) for path in files]}


@click.command(
    cls=Command, example="mocapella library request kind=walk speed=1.1 curvature=0.2 height=1.6 -o walk.bvh"
)
@click.argument("wishes", metavar="KEY=VALUE…", nargs=-1, required=True)
@output_option(metavar="FILE", help="A motion file, or a .moca for the network.")
@library_folder
@command
def request(wishes: tuple[str, ...], output: Path | None, folder: Path) -> Json:
    """Ask for a walk or a run by numbers.

    For example: library request kind=walk speed=1.1 curvature=0.2 mood=tired:0.3 height=1.6 -o walk.bvh. Keys: kind,
    speed in m/s, curvature in 1/m or turn in °/s, left positive, slope in °, up positive, step in m, height in m, mood
    (a word of captures, or a usual feeling: angry, brisk, drunk, happy, relaxed, sad, tired), word (of the captures to
    use), seconds and rate of the clip. Values out of reach are reported, and the nearest motion within reach is made.
    An output NET.moca is the network, which can be steered, on level ground.
    """
    given = _wishes(wishes)
    check_output(output, [*WRITABLE, ".moca"])
    network = output is not None and output.suffix.lower() == ".moca"
    if network and given.get("slope"):
        raise MotionError(f"a network is on level ground: {output} cannot have a slope", helps="write a motion file")
    with Library.at(folder) as opened:
        answer = opened.request(**given)
    if output is not None:
        _save(answer.network if network else answer.clip, output)
    rows = [[key, _shown(answer.asked.get(key, "")), _shown(value)] for key, value in answer.had.items()]
    say(table(["", ">asked", ">had"], rows))
    parts = [[part.clip, f"{part.weight:+.3f}", " ".join(part.modifiers), part.path] for part in answer.made_of]
    say(table(["made of", ">weight", "modifiers", "file"], parts))
    if output is not None:
        at = " ".join(f"{round(value, 4) + 0.0:g}" for value in answer.point)
        say(f"{output}: " + (f"a network; mocapella play {output} --point {at} does this" if network else "written"))
    if answer.left_out:
        say(f"left out, since captured on slopes: {', '.join(answer.left_out)}; slope=DEGREES asks for them")
    say(*answer.notes)
    if answer.reason:
        doubt(answer.reason)
    return {
        "path": None if output is None else str(output),
        "point": list(answer.point),
        "asked": dict(answer.asked),
        "had": dict(answer.had),
        "off": dict(answer.off),
        "made_of": [asdict(part) for part in answer.made_of],
        "feasible": answer.feasible,
        "reason": answer.reason,
        "left_out": list(answer.left_out),
        "notes": list(answer.notes),
    }


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{word} {amount:g}" for word, amount in value.items())
    return f"{round(value, 3) + 0.0:.3f}" if isinstance(value, float) else str(value)


def _wishes(words: tuple[str, ...]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for word in words:
        key, mark, value = word.partition("=")
        if not mark or key not in _KEYS:
            raise MotionError(expected=f"KEY=VALUE with one of {', '.join(_KEYS)}", got=repr(word[:40]), helps=_HELP)
        if key == "kind":
            out[key] = value
        elif key == "word":
            out.setdefault("words", []).append(value)
        elif key == "mood":
            moods = [mood.partition(":") for mood in value.split(",")]
            out["mood"] = {name.strip(): _number(key, amount or "1") for name, _, amount in moods}
        elif key in out:
            raise MotionError(f"{key} is asked for twice", helps=_HELP)
        else:
            out["frame_rate" if key == "rate" else key] = _number(key, value)
    return out


def _number(key: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise MotionError(expected=f"a number for {key}", got=repr(text[:40]), helps=_HELP) from None


@click.command(cls=Command, example="mocapella library storage")
@library_folder
@command
def storage(folder: Path) -> Json:
    """Print the size of a library on disk, and the size that storing every clip would take."""
    from mocapella.library.storage import storage_report

    with Library.at(folder) as opened:
        report = storage_report(opened)
    say(table(["", ">bytes", ""], [[row.what, f"{row.size:,}", row.why] for row in report.rows]))
    say(report.words)
    return report.plain()


COMMANDS = (_list_clips, modify, make, drop, trust, request, storage)
