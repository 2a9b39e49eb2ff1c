"""Demonstrations of small networks: what is steered is had, with feet that stay."""

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


def test_a_rectangle_of_walks_is_gone_round_and_left_for_a_stand(tmp_path):
    found = run_rectangle(tmp_path)
    assert len(found["captures"]) == 4
    assert found["figures"]["slip_mm_max"] < 1.5
    assert found["stand"]["slip_mm_max"] < 1.5
    stood = mo.load(tmp_path / "stand.bvh")
    speeds = abs(stood.ground_path[60:] - stood.ground_path[:-60]) * stood.frame_rate / 60
    assert speeds.min() < 0.1 < 0.6 < speeds.max()  # it stands, and walks before and after
    assert mo.load_network(tmp_path / "person.moca").blocks.keys() == {"walking", "standing"}
