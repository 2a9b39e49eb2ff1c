"""Real captures, dropped as they are: what is built walks, and what cannot be used is named."""

from __future__ import annotations

import warnings

import pytest
from msgspec.structs import replace

from mocapella.studio.editing import imported
from mocapella.studio.folder import Folder
from mocapella.studio.project import EditChoice, Project
from mocapella.studio.stage import RATE, Stage
from mocapella.studio.views.clip import clip_details
from mocapella.studio.workers.deriving import derive

TAKES = ["cmu-bvh/16/16_15.bvh", "cmu-bvh/16/16_17.bvh", "cmu-bvh/16/16_21.bvh", "cmu-bvh/16/16_23.bvh"]


@pytest.mark.data
def test_four_captures_of_a_person_become_a_character_whose_feet_stay(data_folder):
    folder = Folder.of(data_folder)
    project = imported(Project(), folder.motions([*TAKES, "odd-bvh/BVH.jl-DAZ3D.bvh"]), None).project
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = derive(project, folder, lambda: None, lambda *_: None)
        assert [failed.clip.name for failed in made.failed] == ["BVH.jl-DAZ3D"]
        assert len(made.network.nodes) >= 4
        stage = Stage(made.network, project, 1)
        for _ in range(120):
            stage.advance(1 / RATE)
        details = clip_details(project.clips[0], folder)
    speed, _ = stage.characters[0].rates
    assert 0.5 < speed < 2.5
    assert stage.characters[0].slips.figures[0] < 3.0
    assert details.unit == "cmu"
    assert any("jump" in finding.code for finding in details.findings)


@pytest.mark.data
def test_a_walk_in_place_is_named_with_the_edit_that_lets_it_travel(data_folder):
    folder = Folder.of(data_folder)
    project = imported(Project(), folder.motions(["makehuman/walk1.bvh"]), None).project
    made = derive(project, folder, lambda: None, lambda *_: None)
    assert any("the edit treadmill lets it travel" in note for note in made.notes)
    edited = replace(project, clips=(replace(project.clips[0], edits=(EditChoice("treadmill"),)),))
    made = derive(edited, folder, lambda: None, lambda *_: None)
    assert not any("treadmill" in note for note in made.notes)
    assert made.network.nodes[0].spectrum.speed > 0.5
