"""The panels Hybrid, Signals, Clips and Edits, used as a person does, in a real browser against a real server."""

from __future__ import annotations

from typing import Any

import numpy as np


def _went_well(panels: dict[str, Any], name: str) -> dict[str, Any]:
    result = panels[name]
    assert not result["error"], result["error"]
    assert result["said"] == []
    print(f"{name}: {result['seconds']:.1f} s")
    return result["figures"]


def test_modes_are_switched_and_a_change_is_taken_and_shown(panels):
    assert 0.5 < _went_well(panels, "switches_modes_and_takes_a_change")["zone"] <= 1.0


def test_both_poses_of_a_seam_are_shown_with_what_they_differ_by(panels):
    figures = _went_well(panels, "switches_modes_and_takes_a_change")
    for seam, words in zip(figures["seams"], figures["seam_words"], strict=True):
        assert 0.0 < seam["mean"] <= seam["most"]
        assert f"{seam['mean']:.1f}" in words
        assert f"{seam['angle']:.1f}" in words


def test_the_curve_that_is_drawn_is_the_array_of_the_dof(panels):
    figures = _went_well(panels, "sets_harmonics_while_it_plays")
    print(f"all curves of the chart, drawn anew: {figures['chart_ms']:.2f} ms")
    curve = figures["curve"]
    given, drawn = np.array(curve["given"]), np.array(curve["drawn"])
    scale, offset = np.polyfit(given, drawn, 1)
    assert scale < 0  # pixels count downwards
    np.testing.assert_allclose(scale * given + offset, drawn, atol=0.15)  # tenths of pixels are written


def test_harmonics_change_while_it_plays_without_a_jump_of_phase(panels):
    phases, times, periods = np.array(_went_well(panels, "sets_harmonics_while_it_plays")["phases"]).T
    due = 2.0 * np.pi * np.diff(times) / periods[1:]  # however many frames were left out on the way
    steps = np.diff(phases) - due
    np.testing.assert_allclose(steps - 2.0 * np.pi * np.round(steps / (2.0 * np.pi)), 0.0, atol=0.05)


def test_clips_are_read_corrected_and_marked_by_hand(panels):
    figures = _went_well(panels, "reads_corrects_and_marks_clips")
    assert abs(figures["offset"]) > 5.0
    assert "nanx" in figures["refusal"]


def test_edits_are_put_on_a_clip_and_taken_off_again(panels):
    speeds = _went_well(panels, "puts_edits_on_a_clip_and_takes_them_off")["restyled"]
    assert 0.9 < speeds["half"] < speeds["before"] < 1.7  # between the slow walk and the fast one


def test_a_capture_is_found_in_the_library_looked_at_and_taken_in(panels):
    assert _went_well(panels, "finds_a_capture_in_the_library")["query"] == "turn:right"
