"""Demonstrations of small networks: what is steered is had, with feet that stay."""

import numpy as np
import pytest

import mocapella as mo
from mocapella.studies.steered_shows import run_rectangle, run_turns, steered_report


def test_two_short_captures_turn_to_either_side(tmp_path):
    found = run_turns(tmp_path)
    assert [one["seconds"] for one in found["captures"]] == pytest.approx([3.5, 3.5])
    turns = found["figures"]
    assert turns["turn_left_deg_s"] == pytest.approx(turns["turn_right_deg_s"], rel=0.1)  # one side was never captured
    assert turns["turn_left_deg_s"] > 45.0
    assert turns["slip_mm_max"] < 1.0
    assert mo.load(tmp_path / "turns.bvh").seconds == pytest.approx(turns["seconds"], abs=0.05)
    assert "2 captures" in steered_report(found)


@pytest.fixture(scope="module")
def rectangle(tmp_path_factory):
    """The folder of the demonstration, and what it found."""
    folder = tmp_path_factory.mktemp("rectangle")
    return folder, run_rectangle(folder)


def test_three_short_captures_make_a_rectangle_of_six_walks(rectangle):
    folder, found = rectangle
    assert [one["seconds"] for one in found["captures"]] == pytest.approx([3.5, 3.5, 3.5])
    network = mo.load_network(folder / "rectangle.moca")
    assert (len(network.nodes), len(network.triangles)) == (6, 4)  # figure 5.12
    way = found["figures"]
    assert min(way["turn_left_deg_s"], way["turn_right_deg_s"]) > 45.0  # no turn to the right was captured
    assert way["slip_mm_max"] < 1.5
    assert mo.load(folder / "rectangle.bvh").seconds == pytest.approx(way["seconds"], abs=0.05)


def test_four_motions_on_the_spot_blend_without_leaving_it(rectangle):
    folder, idle = rectangle[0], rectangle[1]["idle"]
    assert [node["name"] for node in idle["nodes"]] == ["dance", "twist", "stand", "look-around"]  # figure 5.11
    clip = mo.load(folder / "idle.bvh")
    assert idle["figures"]["farthest_m"] < 0.2
    assert idle["figures"]["slip_mm_max"] < 1.5
    wrist = mo.find_roles(clip.skeleton)["right_wrist"]
    hands = clip.positions[:, wrist] - clip.root_positions
    parts = [np.ptp(hands[first : first + 60], axis=0).max() for first in range(0, clip.n_frames - 60, 60)]
    assert min(parts) < 0.1 < 0.4 < max(parts)  # from standing to dancing
