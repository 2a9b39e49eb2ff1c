"""Edits of a project: for each command a function from project to project."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from msgspec.structs import replace

from mocapella.analysis.closing.cyclify import closing_method
from mocapella.blending.rules import rule_of
from mocapella.errors import MotionError
from mocapella.files.format_table import split_animation
from mocapella.hybrid.arranging import Playable, moved_soundly, network_in
from mocapella.quoting import python_call, python_literal
from mocapella.studio import network_changes as changes
from mocapella.studio import project as p
from mocapella.studio.messages import commands as c
from mocapella.studio.messages import steering_commands as s
from mocapella.studio.messages.fields import Command, copied
from mocapella.studio.script import change_line, clip_line, cycle_line, settings_lines
from mocapella.studio.toolbox import BLEND_MOTION, checked_edit

_MOST_CHARACTERS = 24  # that a page can steer and draw at once


class Edited(NamedTuple):
    """A project after an edit, with its label and its line of API."""

    project: p.Project
    label: str  # in words, for undo
    python: str  # its line of API
    drag: int = 0
    network: Playable | None = None  # where it was made on the way
    kept: tuple[float, float] | None = None  # where a node was stopped short of its goal


def edited(project: p.Project, command: Command, network: Playable) -> Edited | None:
    """A project after a command; None for commands that edit nothing.

    The project's ``network`` decides how far a node can be moved. Raises ``MotionError`` where the command does not
    fit.
    """
    edit = _EDITS.get(type(command))
    return None if edit is None else edit(project, command, network)


def is_edit(command: Command) -> bool:
    """Whether a command changes the project."""
    return type(command) in _EDITS


# Clips.


def imported(project: p.Project, paths: list[str], at: tuple[float, float] | None) -> Edited:
    """A project with more clips.

    ``at`` is a place of the network: a single clip becomes a node there. The network is built of the clips; one that
    was opened, or the actor's, makes way. Raises ``MotionError`` where all files are in the project already.
    """
    present = {part for clip in project.clips for part in (clip.path, str(split_animation(clip.path)[0]))}
    new = [path for path in paths if path not in present]
    if not new:
        raise MotionError("these files are in the project already")
    names = {clip.name for clip in project.clips}
    clips = []
    for path in new:
        name = p.free_name(p.clip_name(path), names)
        names.add(name)
        clips.append(p.ClipChoice(name, path, apart=at is not None, new=True))
    if at is None:
        return _built_of(project, clips)
    if len(clips) > 1:
        raise MotionError(f"drop one clip at a time on the network, not {len(clips)}; drop them beside it to build")
    name = clips[0].name
    return _changed(replace(project, clips=(*project.clips, *clips)), changes.Added(name=name, at=at, clip=name))


def _built_of(project: p.Project, clips: list[p.ClipChoice]) -> Edited:
    """A project whose network is built of its clips and new ones; any other network, with its changes, makes way."""
    if project.source == "clips":
        after = replace(project, clips=(*project.clips, *clips))
    else:
        folder = PurePosixPath(clips[0].path).parent.name or "untitled"
        name = folder if project.name == "untitled" else project.name
        name = "untitled" if name.isdigit() else name  # the folder of an upload
        after = replace(project, source="clips", file="", clips=tuple(clips), changes=(), name=name)
    label = f"take in {clips[0].name}" if len(clips) == 1 else f"take in {len(clips)} clips"
    return Edited(after, label, _building(clip.path for clip in clips))


def _building(paths: Iterable[str]) -> str:
    return f"network = {python_call('mo.build_network', python_literal(list(paths)))}"


def _clip(label: str, change: Callable[[p.ClipChoice, Any], p.ClipChoice]) -> Callable[..., Edited]:

    def edit(project: p.Project, command: Any, network: Playable) -> Edited:
        before = project.clip(command.clip)
        after = change(before, command)
        text = f"clip = {clip_line(after)}\ncycle = {cycle_line(after)}"
        return Edited(project.with_clip(after), f"{label} of {before.name}", text, getattr(command, "drag", 0))

    return edit


def _corrected(clip: p.ClipChoice, command: c.Correct) -> p.ClipChoice:
    given = {name: getattr(command, name) for name in ("unit", "up", "facing", "roles", "frame_rate")}
    chosen = {name: value for name, value in given.items() if value is not None}
    return replace(clip, **chosen, **{name: None for name in command.guess if name not in chosen})


def _marked(clip: p.ClipChoice, command: c.ChooseCycle) -> p.ClipChoice:
    if command.frames is not None and command.frames[1] - command.frames[0] < 3:
        raise MotionError(f"a cycle needs at least 3 frames, got {command.frames[0]} to {command.frames[1]}")
    return replace(clip, frames=command.frames)


def _closed(clip: p.ClipChoice, command: c.ChooseClosing) -> p.ClipChoice:
    closing_method(command.method)
    return replace(clip, method=command.method)


def _planted(clip: p.ClipChoice, command: c.SetPlants) -> p.ClipChoice:
    return replace(clip, plants=command.plants)


def _remove_clip(project: p.Project, command: c.RemoveClip, network: Playable) -> Edited:
    gone = project.clip(command.clip)
    if any(getattr(change, "clip", "") == gone.name for change in project.changes):
        raise MotionError(f"a node or an arc was made of {gone.name!r}; take that out first")
    clips = tuple(clip for clip in project.clips if clip is not gone)
    if project.source == "clips" and all(clip.apart for clip in clips):
        raise MotionError(f"{gone.name!r} is the only clip of the network; drop another one first")
    built = _building(clip.path for clip in clips if not clip.apart)
    return Edited(replace(project, clips=clips), f"remove {gone.name}", built)


def _with_edit(clip: p.ClipChoice, command: c.AddEdit) -> p.ClipChoice:
    choice = p.EditChoice(command.name, dict(command.parameters))
    checked_edit(choice)
    return clip.with_edit(choice)


def _edit_at(clip: p.ClipChoice, index: int) -> p.EditChoice:
    if not 0 <= index < len(clip.edits):
        raise MotionError(f"{clip.name!r} has {len(clip.edits)} edits, there is no number {index}")
    return clip.edits[index]


def _edit_changed(clip: p.ClipChoice, command: c.ChangeEdit) -> p.ClipChoice:
    before = _edit_at(clip, command.index)
    after = replace(before, parameters={**before.parameters, **command.parameters})
    if after.name != BLEND_MOTION:
        checked_edit(after)
    return replace(clip, edits=tuple(after if i == command.index else edit for i, edit in enumerate(clip.edits)))


def _edit_removed(clip: p.ClipChoice, command: c.RemoveEdit) -> p.ClipChoice:
    _edit_at(clip, command.index)
    return replace(clip, edits=tuple(edit for i, edit in enumerate(clip.edits) if i != command.index))


# The network.


def _changed(project: p.Project, change: changes.Change) -> Edited:
    after = replace(project, changes=(*project.changes, change))
    return Edited(after, change.label, change_line(change, after))


def _change(kind: type[changes.Change]) -> Callable[..., Edited]:
    """An edit whose command has the fields of its change."""

    def edit(project: p.Project, command: Any, network: Playable) -> Edited:
        return _changed(project, copied(kind, command))

    return edit


def _move(project: p.Project, command: c.MoveNode, network: Playable) -> Edited:
    moved_network, at = moved_soundly(network, command.node, command.at, block=command.block)
    change = copied(changes.Moved, command, at=at)
    last = project.changes[-1] if project.changes else None
    again = isinstance(last, changes.Moved) and (last.node, last.block) == (command.node, command.block)
    # A node that is moved again lies only where it came to stand at last.
    before = replace(project, changes=project.changes[:-1]) if again else project
    stopped = None if at == tuple(map(float, command.at)) else at
    return _changed(before, change)._replace(drag=command.drag, network=moved_network, kept=stopped)


def _turn(project: p.Project, command: c.SetOffset, network: Playable) -> Edited:
    """The offset by hand is counted from the automatic choice, whatever was turned before."""
    before = project.offset(command.block, command.node)
    return _changed(project, copied(changes.Turned, command, degrees=command.degrees - before))


def _add(project: p.Project, command: c.AddNode, network: Playable) -> Edited:
    if command.clip:
        clip = project.clip(command.clip)
        if not clip.apart:
            raise MotionError(f"{clip.name!r} is part of the network already, or was left out of it; move its node")
    elif command.at is None:
        raise MotionError("a node without a clip is the blend at a place; say where")
    name = p.free_name(command.name or command.clip or "blend", network_in(network, command.block).names)
    return _changed(project, copied(changes.Added, command, name=name))


def _join(project: p.Project, command: s.FindTransition, network: Playable) -> Edited:
    clip = project.clip(command.clip)
    apart = project.with_clip(replace(clip, apart=True))
    if apart.source == "clips" and all(clip.apart for clip in apart.clips):
        raise MotionError("a change joins blocks; drop captures of the motions it leads from and to as well")
    return _changed(apart, copied(changes.Joined, command, name=command.name or clip.name))


def _rule(project: p.Project, command: c.SetRule, network: Playable) -> Edited:
    rule_of(command.rule)
    after = replace(project, rule=command.rule)
    return Edited(after, f"rule {command.rule}", settings_lines(after)[0])


def _harmonics(project: p.Project, command: c.SetHarmonics, network: Playable) -> Edited:
    after = replace(project, harmonics=command.harmonics)
    label = "all harmonics" if command.harmonics is None else f"{command.harmonics} harmonics"
    return Edited(after, label, f"player.harmonics = {command.harmonics}", command.drag)


def _single_source(project: p.Project, command: c.SetSingleSource, network: Playable) -> Edited:
    after = replace(project, single_source=command.first or 0)
    label = "blend all harmonics" if command.first is None else f"single source from harmonic {command.first}"
    return Edited(after, label, settings_lines(after)[-1])


# Characters and the project itself.


def _feet(project: p.Project, command: s.Feet, network: Playable) -> Edited:
    line = f"player = {python_call('mo.Player', 'network', feet=command.feet)}"
    return Edited(replace(project, feet=command.feet), f"feet {command.feet}", line)


def _add_character(project: p.Project, command: s.AddCharacter, network: Playable) -> Edited:
    if len(project.characters) >= _MOST_CHARACTERS:
        raise MotionError(f"there are {_MOST_CHARACTERS} characters already, the most that can be steered at once")
    character = p.Character(command.at, command.heading)
    line = f"another = mo.Player(network, position=({command.at[0]:g}, {command.at[1]:g}))"
    return Edited(replace(project, characters=(*project.characters, character)), "add a character", line)


def _remove_character(project: p.Project, command: s.RemoveCharacter, network: Playable) -> Edited:
    if len(project.characters) == 1 or command.character >= len(project.characters):
        raise MotionError(f"there is no character {command.character} that could go; one has to stay")
    characters = tuple(character for i, character in enumerate(project.characters) if i != command.character)
    return Edited(replace(project, characters=characters), "remove a character", "")


def _follow(project: p.Project, command: s.Follow, network: Playable) -> Edited:
    if command.character >= len(project.characters):
        raise MotionError(f"there is no character {command.character}")
    if 0 < len(command.path) < 2:
        raise MotionError("a path needs at least two places")
    characters = tuple(
        replace(character, path=command.path) if i == command.character else character
        for i, character in enumerate(project.characters)
    )
    line = "follower = Follower(Path.of(rows), Calibration(network))\nclip = mo.record(player, script=follower)"
    label = "draw a path" if command.path else "end the path"
    return Edited(replace(project, characters=characters), label, line if command.path else "")


def _rename(project: p.Project, command: c.Rename, network: Playable) -> Edited:
    return Edited(replace(project, name=command.name), f"call it {command.name}", "")


_EDITS: dict[type[Command], Callable[..., Edited]] = {
    c.Correct: _clip("reading", _corrected),
    c.ChooseCycle: _clip("cycle", _marked),
    c.ChooseTurning: _clip("turning", lambda clip, command: replace(clip, turning=command.turning)),
    c.Mirror: _clip("mirror image", lambda clip, command: replace(clip, mirrored=command.mirrored)),
    c.ChooseClosing: _clip("closing", _closed),
    c.SetPlants: _clip("plants", _planted),
    c.AddEdit: _clip("edit", _with_edit),
    c.ChangeEdit: _clip("edit", _edit_changed),
    c.RemoveEdit: _clip("edit", _edit_removed),
    c.RemoveClip: _remove_clip,
    c.SetOffset: _turn,
    c.MoveNode: _move,
    c.RenameNode: _change(changes.Renamed),
    c.AddNode: _add,
    c.RemoveNode: _change(changes.Removed),
    c.AddTriangle: _change(changes.TriangleAdded),
    c.RemoveTriangle: _change(changes.TriangleRemoved),
    c.FlipEdge: _change(changes.Flipped),
    c.SetRule: _rule,
    c.SetHarmonics: _harmonics,
    c.SetSingleSource: _single_source,
    c.Rename: _rename,
    s.Feet: _feet,
    s.AddCharacter: _add_character,
    s.RemoveCharacter: _remove_character,
    s.Follow: _follow,
    s.SetZone: _change(changes.Zoned),
    s.FindTransition: _join,
    s.RemoveArc: _change(changes.ArcRemoved),
}
