"""The capture beside a character: as it was read, in phase, with its own travel."""

from __future__ import annotations

import numpy as np
import pytest

import mocapella as mo
from mocapella.geometry import quaternions
from mocapella.geometry.angles import TURN
from mocapella.playback.player import Player
from mocapella.rig.roles import find_roles
from mocapella.studio.comparing import CapturedBeside, source_of
from mocapella.studio.network_changes import Added, Renamed
from mocapella.studio.project import ClipChoice, EditChoice, Project
from mocapella.studio.workers.captures import CaptureJob, captured_stretch

NAME = "medium-walk-left"


@pytest.fixture(scope="module")
def network(captures):
    names = ("slow-walk-straight", "fast-walk-straight", NAME)
    return mo.build_network([captures / f"{name}.bvh" for name in names])


def stretch_of(network, folder, clip=None, node=NAME):
    mo.save(network, folder.root / "net.moca")
    choice = clip or ClipChoice(NAME, f"{NAME}.bvh")
    job = CaptureJob(folder, str(folder.root / "net.moca"), "", node, choice, node, actor=False)
    return captured_stretch(job)


def limbs(pose):
    """Places of feet and hands about the hips, headings left out."""
    roles = find_roles(pose.skeleton)
    joints = [roles[f"{side}_{part}"] for side in ("left", "right") for part in ("ankle", "wrist")]
    back = quaternions.about_y(-quaternions.yaw(pose.rotations_wxyz[0]))
    return quaternions.rotate(back, pose.positions[joints] - pose.positions[0])


def test_the_rows_are_those_of_the_file_whatever_edits_the_clip_has(network, folder):
    edited = ClipChoice(NAME, f"{NAME}.bvh", edits=(EditChoice("turn", {"angle": 40.0}),))
    clip = mo.load(folder.root / f"{NAME}.bvh")
    for stretch in (stretch_of(network, folder), stretch_of(network, folder, edited)):
        rows = slice(stretch.first_row - clip.first_row, stretch.first_row - clip.first_row + stretch.frames + 1)
        np.testing.assert_allclose(stretch.root_positions(), clip.root_positions[rows], atol=1e-12)
        np.testing.assert_allclose(stretch.rotations_wxyz(), clip.rotations_wxyz[rows], atol=1e-6)


def test_it_is_in_phase_with_its_node_and_travels_as_it_was_captured(network, folder):
    stretch = stretch_of(network, folder)
    player = Player(network, network.node(NAME).at)
    beside = CapturedBeside(stretch, 1)
    steps = 48
    apart, places, first = [], [], None
    for _ in range(2 * steps + 1):
        pose = player.step(player.spectrum.duration / steps)
        shown = beside.pose(player, pose)
        first = first if first is not None else (pose, shown)
        apart.append(np.linalg.norm(limbs(pose) - limbs(shown), axis=-1).mean())
        places.append(shown.root_position[[0, 2]])
    assert np.mean(apart) < 0.015  # metres: what closing and ten harmonics leave out
    np.testing.assert_allclose(np.linalg.norm(first[0].root_position - first[1].root_position), 1.1, atol=0.05)
    roots = stretch.root_positions()[:, [0, 2]]
    went = np.linalg.norm(roots[-1] - roots[0])
    for i in (0, steps):  # each round it goes as far as the capture did
        np.testing.assert_allclose(np.linalg.norm(places[i + steps] - places[i]), went, rtol=0.02)


def test_a_step_back_over_the_seam_undoes_a_step_on(network, folder):
    stretch = stretch_of(network, folder)
    beside = CapturedBeside(stretch, 1)
    players = [Player(network, network.node(NAME).at, phase=stretch.offset + share * TURN) for share in (-0.02, 0.02)]
    poses = [player.step(0.0) for player in players]
    places = [beside.pose(players[i], poses[i]).root_position for i in (0, 1, 0)]
    np.testing.assert_allclose(places[2], places[0], atol=1e-9)
    assert 0.005 < np.linalg.norm(places[1] - places[0]) < 0.2


def test_a_mirror_image_is_shown_beside_the_mirrored_capture(network, folder):
    node = f"{NAME} mirrored"
    shown = CapturedBeside(stretch_of(network, folder, node=node), 1)
    player = Player(network, network.node(node).at)
    pose = player.step(0.0)
    assert np.linalg.norm(limbs(pose) - limbs(shown.pose(player, pose)), axis=-1).mean() < 0.02


def test_a_node_is_traced_to_its_clip_through_new_names():
    clips = (ClipChoice("walk", "walk.bvh"), ClipChoice("run", "run.bvh", apart=True))
    changes = (
        Renamed(node="walk", name="stroll"),
        Added(name="sprint", at=(0.0, 3.0), clip="run"),
        Renamed(node="sprint", name="dash"),
        Added(name="between", at=(0.0, 2.0)),
    )
    project = Project(source="clips", clips=clips, changes=changes)
    assert source_of(project, "", "stroll") == (clips[0], "walk")
    assert source_of(project, "", "dash") == (clips[1], "sprint")
    assert source_of(project, "", "walk mirrored") == (clips[0], "walk mirrored")
    assert source_of(project, "", "between") == (None, "between")
