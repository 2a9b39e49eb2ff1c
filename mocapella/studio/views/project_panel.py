"""The project as the page lists it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from mocapella.hybrid.arranging import Playable
from mocapella.studio.messages.answers import CharacterRow, ClipRow, EditRow, ProjectState, Refusal
from mocapella.studio.messages.fields import copied
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
    return copied(
        ProjectState,
        project,
        revision=revision,
        path=path,
        saved=saved,
        undo=history.undoes,
        redo=history.redoes,
        clips=tuple(_clip_row(clip, clips, nodes) for clip in project.clips),
        characters=tuple(copied(CharacterRow, row, path=list(row.path)) for row in project.characters),
        edits=tuple(
            EditRow(clip.name, i, edit.name, edit.parameters)
            for clip in project.clips
            for i, edit in enumerate(clip.edits)
        ),
        python=history.step.python,
    )


def _clip_row(clip: ClipChoice, clips: ClipStates, nodes: frozenset[str]) -> ClipRow:
    summary, refused = clips.read.get(clip.name), clips.refused.get(clip.name)
    state = "refused" if refused else "reading" if clip.name in clips.reading else "ready"
    node = clip.name if clip.name in nodes else ""
    left_out = "" if node or refused or clip.apart else "left out of the network; the import report says why"
    return copied(
        ClipRow,
        summary or ClipSummary(0.0, 0, 0.0, 0),
        clip,
        state=state,
        node=node,
        message=refused.message if refused else left_out,
        edits=len(clip.edits),
    )
