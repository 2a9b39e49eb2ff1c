"""A project is a value: its history goes both ways, its file gives it back, and its script makes the same network."""

from __future__ import annotations

import contextlib
import json
import os
import warnings
from itertools import pairwise
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import mocapella as mo
from mocapella.errors import FormatError, MotionError
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.studio.editing import edited, imported
from mocapella.studio.messages import commands as c
from mocapella.studio.messages import steering_commands as s
from mocapella.studio.network_changes import Added, Change, Joined, Moved, Removed, Renamed, Turned
from mocapella.studio.project import (
    Character,
    ClipChoice,
    History,
    Project,
    Step,
    load_project,
    save_project,
)
from mocapella.studio.script import Standing, change_line, script
from mocapella.studio.views.network_panel import networks_of
from mocapella.studio.workers.derivation import derive


def quiet(*_):
    """Progress that is not shown."""


def derived(project, folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return derive(project, folder, lambda: None, quiet)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["edit", "back", "on", "drag"]), max_size=40))
def test_whatever_is_done_undone_and_redone_the_present_project_is_the_right_one(actions):
    history, past, future, count = History.of(Project()), [Project()], [], 0
    for action in actions:
        if action in ("edit", "drag"):
            count += 1
            project = Project(name=str(count))
            same = action == "drag" and history.at > 0 and history.step.drag == 7
            history = history.then(Step(project, "an edit", drag=7 if action == "drag" else 0))
            past = [*(past[:-1] if same else past), project]
            future = []
        elif action == "back":
            if len(past) == 1:
                with pytest.raises(MotionError, match="nothing to undo"):
                    history.back()
            else:
                history, future, past = history.back(), [past[-1], *future], past[:-1]
        elif future:
            history, past, future = history.on(), [*past, future[0]], future[1:]
        else:
            with pytest.raises(MotionError, match="again"):
                history.on()
        assert history.project == past[-1]


def test_a_project_file_gives_the_project_and_its_history_back(tmp_path):
    project = Project(
        source="clips",
        clips=(ClipChoice("a", "a.bvh", frames=(3, 40), plants={"left_heel": ((1, 5),)}),),
        changes=(Moved(node="a", at=(0.0, 1.0)), Renamed(node="a", name="b")),
        characters=(Character(), Character((1.0, 2.0), 30.0, ((0.0, 0.0, 1.0), (1.0, 2.0, 1.5)))),
    )
    history = History.of(Project()).then(Step(project, "all of it", "line"))
    save_project(history, tmp_path / "studio.json")
    again = load_project(tmp_path / "studio.json")
    assert again.project == project
    assert again.back().project == Project()
    assert again.project.key() == project.key()


def test_a_project_saved_by_an_earlier_version_is_read_and_written_as_it_was_but_for_its_lines_of_python(tmp_path):
    saved = json.loads((Path(__file__).parent / "saved_project.json").read_text())
    history = load_project(Path(__file__).parent / "saved_project.json")
    save_project(history, tmp_path / "studio.json")
    lines = [step.pop("python") for step in saved["history"]["steps"]]
    written = json.loads((tmp_path / "studio.json").read_text())
    assert {step.pop("python") for step in written["history"]["steps"]} == {""}
    assert written == saved
    assert {type(change) for change in history.project.changes} == set(get_args(Change))
    for (before, step), line in zip(pairwise(history.steps), lines[1:], strict=True):
        project = step.project
        if project.changes != before.project.changes:  # labels and lines of API are what they were
            assert (project.changes[-1].label, change_line(project.changes[-1], project)) == (step.label, line)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format":"x","version":1,"history":{"steps":[]}}', "\x00\x01"])
def test_what_is_no_project_file_is_refused(tmp_path, content):
    (tmp_path / "studio.json").write_text(content)
    with pytest.raises(FormatError):
        load_project(tmp_path / "studio.json")


def walks(folder):
    names = [name for name in folder.motions([""]) if "twirl" not in name]
    return imported(Project(), names, None).project


def test_the_script_of_a_project_runs_and_makes_the_very_same_network(folder):
    base = walks(folder)
    clips = (
        *(replace(clip, method="smooth") if "medium" in clip.name else clip for clip in base.clips),
        ClipChoice("walk-twirl-walk", "walk-twirl-walk.bvh", apart=True),
        ClipChoice("again", "fast-walk-sharp-left.bvh", mirrored=True, apart=True),
    )
    project = replace(
        base,
        clips=clips,
        name="my walk",
        changes=(
            Moved(node="slow-walk-straight", at=(0.5, 0.7)),
            Renamed(node="slow-walk-straight", name="stroll"),
            Turned(node="stroll", degrees=3.0),
            Added(name="middle", at=(2.0, 1.2)),
            Added(name="again", at=(-8.0, 1.3), clip="again"),
            Removed(node="medium-walk-left mirrored"),
            Joined(clip="walk-twirl-walk", name="twirl", key="t"),
        ),
        rule="phasor",
        harmonics=7,
        characters=(Character(), Character((2.0, 0.0), 90.0, ((2.0, 0.0, 1.2), (6.0, 0.5, 1.2)))),
    )
    ours = derived(project, folder).network
    assert isinstance(ours, HybridNetwork)
    text = script(project, [Standing((0.0, 1.2), "walking", "all"), Standing((5.0, 1.1), "walking", "all")])
    scope: dict[str, object] = {}
    before = os.getcwd()  # noqa: PTH109
    with warnings.catch_warnings(), contextlib.chdir(folder.root):
        warnings.simplefilter("ignore")
        exec(compile(text, "script.py", "exec"), scope)
    assert os.getcwd() == before  # noqa: PTH109
    theirs = scope["network"]
    for (name, one), (other_name, other) in zip(networks_of(ours).items(), networks_of(theirs).items(), strict=True):
        assert (name, one.names, one.triangles) == (other_name, other.names, other.triangles)
        np.testing.assert_allclose(one.points, other.points, rtol=1e-5)
        np.testing.assert_allclose(one.bank.coefficients, other.bank.coefficients, atol=1e-12)
    assert mo.load(folder.root / "my-walk.bvh").seconds == pytest.approx(10.0, abs=0.1)
    other = mo.load(folder.root / "my-walk-2.bvh").captured  # the second character, along its own path
    np.testing.assert_allclose(other.root_positions[0, [0, 2]], (2.0, 0.0), atol=0.2)
    assert other.root_positions[-1, 0] > 5.0


def test_a_session_is_replayed_from_its_commands(folder):
    start = walks(folder)
    network = derived(start, folder).network
    commands = [
        c.MoveNode(seq=1, node="slow-walk-straight", at=(0.2, 0.75)),
        c.RenameNode(seq=2, node="slow-walk-straight", name="stroll"),
        c.SetHarmonics(seq=3, harmonics=5),
        s.AddCharacter(seq=4, at=(1.0, 0.0)),
        c.ChooseCycle(seq=5, clip="medium-walk-left", frames=(20, 90)),
    ]

    def replayed():
        project = start
        for command in commands:
            project = edited(project, command, network).project
        return project

    assert replayed() == replayed()
    assert replayed().key() == replayed().key() != start.key()


def test_moves_of_one_node_one_after_the_other_are_one_change(folder):
    start = walks(folder)
    network = derived(start, folder).network
    first = edited(start, c.MoveNode(seq=1, node="slow-walk-straight", at=(0.2, 0.75)), network)
    second = edited(first.project, c.MoveNode(seq=2, node="slow-walk-straight", at=(0.3, 0.7)), first.network)
    assert len(second.project.changes) == 1


def test_two_files_of_one_name_become_two_clips():
    made = imported(Project(), ["a/walk.bvh", "b/walk.bvh"], None).project
    assert made.names == ("walk", "walk 2")
    with pytest.raises(MotionError, match="already"):
        imported(made, ["a/walk.bvh"], None)


def test_the_same_motion_twice_is_used_once(folder):
    before = walks(folder)
    (folder.root / "again").mkdir()
    twin = folder.root / "again" / "slow.bvh"
    twin.write_bytes((folder.root / "slow-walk-straight.bvh").read_bytes())
    project = imported(before, ["again/slow.bvh"], None).project
    made = derived(project, folder)
    (failed,) = made.failed
    assert (failed.clip.name, "same motion as 'slow-walk-straight'" in str(failed.error)) == ("slow", True)


def test_a_clip_that_fails_is_left_out_with_its_reason(folder):
    (folder.root / "broken.bvh").write_text("HIERARCHY\nRUUT\n")
    made = derived(imported(Project(), folder.motions([""]), None).project, folder)
    assert [failed.clip.name for failed in made.failed] == ["broken"]
    assert "broken" not in made.network.names
