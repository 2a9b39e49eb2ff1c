"""The project as the page lists it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from mocapella.hybrid.arranging import Playable
from mocapella.studio.messages.answers import CharacterRow, ClipRow, EditRow, ProjectState, Refusal
from mocapella.studio.project import ClipChoice, History
from mocapella.studio.views.network_panel import networks_of
from mocapella.studio.workers.jobs import ClipSummary


class ClipStates(NamedTuple):
    """The states of the clips of a project, by name."""

    read: Mapping[str, ClipSummary]
    refused: Mapping[str, Refusal]
    reading: frozenset[str]


def project_state(
    history: History, network: Playable, clips: ClipStates, *, revision: int, path: str, saved: bool
) -> ProjectState:
    """The present project."""
    project = history.project
    nodes = frozenset(name for block in networks_of(network).values() for name in block.names)
    return ProjectState(
        revision=revision,
        name=project.name,
        path=path,
        saved=saved,
        source=project.source,
        undo=history.undoes,
        redo=history.redoes,
        clips=tuple(_clip_row(clip, clips, nodes) for clip in project.clips),
        characters=tuple(
            CharacterRow(character.at, character.heading, list(character.path)) for character in project.characters
        ),
        edits=tuple(
            EditRow(clip.name, i, edit.name, edit.parameters)
            for clip in project.clips
            for i, edit in enumerate(clip.edits)
        ),
        feet=project.feet,
        python=history.step.python,
    )


def _clip_row(clip: ClipChoice, clips: ClipStates, nodes: frozenset[str]) -> ClipRow:
    summary, refused = clips.read.get(clip.name), clips.refused.get(clip.name)
    state = "refused" if refused else "reading" if clip.name in clips.reading else "ready"
    node = clip.name if clip.name in nodes else ""
    left_out = "" if node or refused or clip.apart else "left out of the network; the import report says why"
    return ClipRow(
        name=clip.name,
        path=clip.path,
        state=state,  # type: ignore[arg-type]
        seconds=summary.seconds if summary else 0.0,
        frames=summary.frames if summary else 0,
        frame_rate=summary.frame_rate if summary else 0.0,
        node=node,
        mirrored=clip.mirrored,
        doubts=summary.doubts if summary else 0,
        corrected=clip.corrected,
        message=refused.message if refused else left_out,
        edits=len(clip.edits),
    )
