"""Projects of the studio for the fuzzer: opened, written as a script, built, and put on the stage."""

from __future__ import annotations

import ast
import json
import tempfile
from copy import deepcopy
from functools import cache
from pathlib import Path
from random import Random

import msgspec

import mocapella as mo
from mocapella.studio.network_changes import Added, Moved, Removed, Renamed, Turned
from mocapella.studio.opened_folder import Folder
from mocapella.studio.project import (
    Character,
    ClipChoice,
    EditChoice,
    History,
    Project,
    Step,
    StyleChoice,
    load_project,
    save_project,
)
from mocapella.studio.script import script
from mocapella.studio.stage import Stage
from mocapella.studio.views.network_panel import network_view
from mocapella.studio.views.project_panel import ClipStates, project_state
from mocapella.studio.workers.jobs import actor_file, derived_network
from tests.fuzz.cases import Files, Kind
from tests.fuzz.document_damage import ODD_VALUES, damaged_json
from tests.fuzz.edit_cases import motions
from tests.fuzz.network_cases import stored_networks

_EDITS = (
    EditChoice("turn", {"angle": 30.0}),
    EditChoice("lock_feet"),
    EditChoice("displace", {"keys": '{"Spine.x": [[0, 0.1], [30, 0.2]]}'}),
    EditChoice("blend_motion", {"motion": "other.bvh", "part": "lower", "ratio": 0.4, "plants": '{"left_heel": []}'}),
    EditChoice("restyle", {"style": "other.bvh", "part": "all", "ratio": 0.5}),
)
_CLIPS = (
    ClipChoice("walk", "walk.bvh", unit="cm", up="y", facing=0.0, frame_rate=30.0, turning=True),
    ClipChoice("other", "other.bvh", frames=(3, 40), method="smooth", mirrored=True),
)
_CHARACTERS = (Character(), Character((1.0, -2.0), 30.0, ((0.0, 0.0, 1.0), (1.0, 2.0, 1.2))))


@cache
def _projects() -> list[Files]:
    """Projects of clips, of a stored network, and of the actor, with all that a user can decide."""
    of_clips = Project("clips", "clips", clips=_CLIPS, characters=_CHARACTERS, styles=(StyleChoice("slow", "other"),))
    edited = [
        msgspec.structs.replace(_CLIPS[0], edits=(edit,), plants={"left_heel": ((2, 9), (30, 40))}) for edit in _EDITS
    ]
    stored = Project("stored", "file", "network.moca", characters=_CHARACTERS, rule="lively", harmonics=3)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "network.moca"
        place.write_bytes(stored_networks()[2])
        first, second, *_ = (node.name for node in mo.load_network(place).nodes)
        changes = (
            Moved(node=first, at=(0.3, 1.2)),
            Renamed(node=second, name="brisk"),
            Turned(node=first, degrees=12.0),
            Added(name="between", at=(0.0, 1.25)),
            Removed(node="between"),
        )
        projects = [
            *(msgspec.structs.replace(of_clips, clips=(clip, _CLIPS[1])) for clip in edited),
            *(msgspec.structs.replace(stored, changes=changes[:n], single_source=n) for n in range(len(changes) + 1)),
            Project("actor", characters=_CHARACTERS, feet="anchored", harmonics=4),
        ]
        out = []
        for project in projects:
            history = History.of(Project()).then(Step(project, "an edit", "network = network", 3, msgspec.Raw(b"{}")))
            save_project(history, Path(folder) / "studio.json")
            content = (Path(folder) / "studio.json").read_bytes()
            out.append({**motions(), "network.moca": stored_networks()[2], "studio.json": content})
        return out


def _damaged(files: Files, rng: Random) -> Files:
    if rng.random() < 0.5:
        return {**files, "studio.json": damaged_json(files["studio.json"], rng)}
    document = json.loads(files["studio.json"])  # what a user decides, of the project that is shown
    project = document["history"]["steps"][-1]["project"]
    holders = [project, *project["clips"], *project["characters"], *project["changes"]]
    edits = [edit for clip in project["clips"] for edit in clip["edits"]]
    holders += [*edits, *(edit["parameters"] for edit in edits)]
    for _ in range(rng.choice((1, 1, 2))):
        holder = rng.choice([holder for holder in holders if holder])
        key = rng.choice([*holder])
        same = [value for value in ODD_VALUES if type(value) is type(holder[key])]
        holder[key] = deepcopy(rng.choice(same if same and rng.random() < 0.7 else ODD_VALUES))
    return {**files, "studio.json": json.dumps(document).encode()}


def _open(folder: Path) -> str:
    history = load_project(folder / "studio.json")
    written = script(history.project)
    ast.parse(written)
    assert "import os" not in written
    with tempfile.TemporaryDirectory() as cache_folder:
        actor_file(Path(cache_folder)).write_bytes(stored_networks()[0])
        answer = derived_network(history.project, Folder.of(folder), Path(cache_folder), lambda *_: None)
        if not answer.network:
            raise mo.MotionError(answer.message)
        network = mo.load_network(answer.network)
    assert isinstance(network, mo.Network | mo.HybridNetwork)
    project = history.project.settled(answer.travelling)
    states = ClipStates(answer.clips, answer.refused, frozenset())
    told = [
        network_view(network, project, answer.origins, revision=1, body=1),
        project_state(history.with_project(project), network, states, revision=1, path="", saved=True),
    ]
    for message in told:
        json.loads(msgspec.json.encode(message))
    stage = Stage(network, project, 1)
    for _ in range(4):
        stage.advance(0.1)
    return "opened"


PROJECTS = Kind(_projects, _damaged, _open)
