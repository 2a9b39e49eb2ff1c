"""Real captures, dropped as they are: what is built walks, and what cannot be used is named."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from mocapella.studio.editing import imported
from mocapella.studio.opened_folder import Folder
from mocapella.studio.project import EditChoice, Project
from mocapella.studio.stage import RATE, Stage
from mocapella.studio.views.clip_panel import clip_details
from mocapella.studio.workers.derivation import derive

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
def test_a_walk_in_place_is_given_the_edit_that_lets_it_travel_until_it_is_taken_off(data_folder):
    folder = Folder.of(data_folder)
    project = imported(Project(), folder.motions(["makehuman/walk1.bvh"]), None).project
    made = derive(project, folder, lambda: None, lambda *_: None)
    assert made.travelling == ("walk1",)
    assert any("it was given the edit treadmill, and travels" in note for note in made.notes)
    assert made.network.nodes[0].spectrum.speed > 0.5
    taken = project.settled(made.travelling)
    assert taken.clips[0].edits == (EditChoice("treadmill"),)
    again = derive(taken, folder, lambda: None, lambda *_: None)
    assert again.travelling == ()
    assert not any("treadmill" in note for note in again.notes)
    np.testing.assert_array_equal(
        again.network.nodes[0].spectrum.coefficients, made.network.nodes[0].spectrum.coefficients
    )
    off = derive(project.settled(()), folder, lambda: None, lambda *_: None)
    assert off.network.nodes[0].spectrum.speed < 0.01
    assert any("the edit treadmill lets it travel" in note for note in off.notes)
