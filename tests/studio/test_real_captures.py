"""Real captures, dropped as they are: what is built walks, and what cannot be used is named."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from mocapella.errors import MotionError
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


@pytest.mark.data
def test_every_animation_of_a_dropped_file_is_a_clip(data_folder):
    folder = Folder.of(data_folder)
    project = imported(Project(), folder.motions(["game-loops/Med_MovementBasic.glb"]), None).project
    made = derive(project, folder, lambda: None, lambda *_: None)
    taken = project.settled(made.travelling, made.animations)
    names = [clip.name.partition("#")[2] for clip in taken.clips]
    assert {"Walking_A", "Walking_B", "Walking_C", "Running_A", "Running_B"} < set(names)
    assert "T-Pose" not in names
    assert any("T-Pose is a pose: nothing moves in it" in note for note in made.notes)
    assert all(
        clip.path == f"game-loops/Med_MovementBasic.glb#{name}" for clip, name in zip(taken.clips, names, strict=True)
    )
    again = derive(taken, folder, lambda: None, lambda *_: None)
    assert again.animations == {}
    assert [node.name for node in again.network.nodes] == [node.name for node in made.network.nodes]
    details = clip_details(taken.clips[-1], folder)
    assert (details.format, details.name) == ("glb", "Med_MovementBasic#Walking_C")
    with pytest.raises(MotionError, match="in the project already"):
        imported(taken, folder.motions(["game-loops/Med_MovementBasic.glb"]), None)
