"""A project as Python: the line of API of every edit, and the whole as a script that runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mocapella.quoting import python_call, python_docstring, python_literal
from mocapella.studio import project as p
from mocapella.studio.network_changes import Change, Expression, Joined
from mocapella.studio.saving import file_stem
from mocapella.studio.toolbox import edit_line

_HEAD = "{name}: made in the studio of mocapella. Run it in the folder that was opened there."
_IMPORTS = {
    "arranging": "from mocapella.hybrid import arranging",
    "rejoining": "from mocapella.hybrid import rejoining",
    "faced": "from mocapella.rig.binding import faced",
    "mirrored_clip": "from mocapella.rig.symmetry import mirrored_clip",
    "turning_of": "from mocapella.analysis.prepare import turning_of",
    "demo_hybrid": "from mocapella.studies.demo import demo_hybrid",
    "Follower": "from mocapella.steering.guides import Follower",
    "Calibration": "from mocapella.steering.calibration import Calibration",
    "Path": "from mocapella.steering.path import Path",
}


def clip_line(choice: p.ClipChoice) -> str:
    """The expression that reads a clip as a project has it."""
    given = {name: getattr(choice, name) for name in ("unit", "up", "roles", "frame_rate")}
    text = f"{python_call('mo.load', python_literal(choice.path), **given)}.renamed({python_literal(choice.name)})"
    if choice.facing is not None:
        text = f"faced({text}, {choice.facing:g})"
    if choice.mirrored:
        text = f"mirrored_clip({text})"
    for edit in choice.edits:
        text = edit_line(edit, text)
    return text


def cycle_line(choice: p.ClipChoice, first_row: int = 0) -> str:
    """The expression that gives the closed cycle of a clip."""
    options = []
    if choice.frames is not None:
        options.append(f"frames={python_literal((choice.frames[0] - first_row, choice.frames[1] - first_row))}")
    elif choice.turning is not None:
        options.append(f"turning={python_literal(choice.turning)}")
    if choice.plants is not None:
        options.append(f"contacts=replace(mo.find_plants(clip), **{python_literal(choice.plants)})")
    if choice.method != "symmetric":
        options.append(f"method={python_literal(choice.method)}")
    if choice.frames is None and choice.turning is None:
        options.append("turning=turning_of(clip)")
    return f"mo.prepare({', '.join(['clip', *options])})"


class _Expressions(NamedTuple):
    """The clips of a project as expressions; the clip itself is in the variable ``clip`` by then."""

    project: p.Project

    def cycle(self, clip: str) -> Expression:
        """The cycle of a clip."""
        return Expression(cycle_line(self.project.clip(clip)))

    def transition(self, clip: str, name: str) -> Expression:
        """The transition that a clip shows."""
        return Expression(python_call("mo.find_transition", "clip", name=name))


def change_line(change: Change, project: p.Project) -> str:
    """The statement that makes a change of the network, and before it the one that reads its clip."""
    line = change.python(_Expressions(project))
    clip = getattr(change, "clip", "")
    return f"clip = {clip_line(project.clip(clip))}\n{line}" if clip else line


def settings_lines(project: p.Project) -> list[str]:
    """The statements that set rule and single-source harmonics; none where all is as built."""
    lines = []
    if project.rule is not None:
        lines.append(f"network = arranging.with_rule(network, {python_literal(project.rule)})")
    if project.single_source is not None:
        value = f"mo.SingleSource(first={project.single_source})" if project.single_source else "None"
        lines.append(f"network = arranging.with_single_source(network, {value})")
    return lines


class Standing(NamedTuple):
    """Where a character is in its network at the moment."""

    point: tuple[float, ...] = (0.0, 0.0)
    block: str = ""
    mode: str = ""


def script(project: p.Project, standing: Sequence[Standing] = ()) -> str:
    """The project as a script: reads, builds, changes, plays every character and writes its recording.

    ``standing`` is where each character is at the moment; further ones begin at the origin of the plane. The script
    runs in the opened folder.
    """
    lines = _source_lines(project)
    lines += [change_line(change, project) for change in project.changes] + settings_lines(project)
    options = f", harmonics={project.harmonics}" if project.harmonics is not None else ""
    options += f", feet={python_literal(project.feet)}" if project.feet != "held" else ""
    stem = file_stem(project.name)
    for i, character in enumerate(project.characters):
        at = standing[i] if i < len(standing) else Standing()
        end = f"_{i + 1}" if i else ""
        lines += ["", *_character_lines(project, character, at, options, end)]
        lines.append(f"mo.save(clip{end}, {python_literal(stem + end.replace('_', '-') + '.bvh')})")
    text = "\n".join(lines)
    imports = [line for word, line in _IMPORTS.items() if f"{word}(" in text or f"{word}." in text]
    standard = ["import math"] if "math." in text else []
    standard += ["from dataclasses import replace"] if "replace(" in text else []
    standard += [""] if standard else []
    head = python_docstring(_HEAD.format(name=project.name))
    return "\n".join([head, "", *standard, "import mocapella as mo", *sorted(imports), "", text, ""])


def _character_lines(project: p.Project, character: p.Character, at: Standing, options: str, end: str) -> list[str]:
    """A player for one character, and its recording: along its path, or as it stands."""
    where = "".join(
        f", {name}={python_literal(value)}" for name, value in (("block", at.block), ("mode", at.mode)) if value
    )
    place = ", ".join(f"{value:.6g}" for value in at.point)
    stand = ""
    if (character.at, character.heading) != ((0.0, 0.0), 0.0):
        x, z = character.at
        stand = f", position=({x:.6g}, {z:.6g}), heading=math.radians({character.heading:g})"
    lines = [f"player{end} = mo.Player(network, ({place}){where}{options}{stand})"]
    if not character.path:
        return [*lines, f"clip{end} = mo.record(player{end}, seconds=10, frame_rate=60)"]
    rows = ", ".join(f"({x:.4g}, {z:.4g}, {speed:.3g})" for x, z, speed in character.path)
    joined = any(isinstance(change, Joined) for change in project.changes)
    is_plain = project.source == "clips" and not joined
    plain = "network" if is_plain else f"arranging.network_in(network, player{end}.block)"
    return [
        *lines,
        f"follower{end} = Follower(Path.of([{rows}]), Calibration({plain}))",
        f"clip{end} = mo.record(player{end}, frame_rate=60, script=follower{end})",
    ]


def _source_lines(project: p.Project) -> list[str]:
    if project.source == "actor":
        return ["network = demo_hybrid()"]
    if project.source == "file":
        return [f"network = mo.load({python_literal(project.file)})"]
    lines = ["sources = []"]
    for choice in project.clips:
        if not choice.apart:
            lines += [f"clip = {clip_line(choice)}", f"sources.append({cycle_line(choice)})"]
    return [*lines, "network = mo.build_network(sources)"]
