"""Maps of distortion: the colours mean what they should, and networks of any shape are drawn."""

import numpy as np
import pytest

import mocapella as mo
from mocapella.blending.rules import streamlined_blend
from mocapella.measure.distortion_maps import Survey
from mocapella.pictures.maps import BLUE, RED, draw_columns, draw_distortion, shades
from mocapella.pictures.signals import draw_foot_traces

pytest.importorskip("matplotlib")


def test_shades_run_from_blue_and_white_to_black_and_red():
    colours = shades(np.array([[0.0, 0.02, 1.0], [1.98, 2.0, np.nan]]), 2.0)
    assert colours[0, 0] == pytest.approx(BLUE)
    assert colours[0, 1, :3] == pytest.approx([0.99] * 3)
    assert colours[0, 2, :3] == pytest.approx([0.5] * 3)  # half of the scale is mid-grey
    assert colours[1, 0] == pytest.approx(RED)
    assert colours[1, 1] == pytest.approx(RED)
    assert len(set(colours[1, 2, :3])) > 1  # outside has a colour of its own, no grey


def test_clamped_shades_are_black_from_two_thirds_on():
    colours = shades(np.array([[0.0, 0.67, 1.34, 3.0]]), 2.0, clamp=True)
    np.testing.assert_allclose(colours[0, :, 0], [1.0, 0.5, 0.0, 0.0], atol=1e-12)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_maps_of_points_chains_and_triangles_are_drawn(network, tmp_path, count):
    part = mo.Network(network.nodes[:count])
    survey = Survey(part, columns=9, rows=5)
    before = survey.map(mo.Network(part.nodes, rule=streamlined_blend))
    draw_distortion(part, before, tmp_path / "both.png", after=survey.map())
    draw_distortion(part, before, tmp_path / "one.png")
    draw_columns(part, before, tmp_path / "columns.png", after=survey.map())
    draw_foot_traces({"a": part}, part.points[0], tmp_path / "traces.svg")
    assert len(list(tmp_path.iterdir())) == 4
    assert (tmp_path / "both.png").read_bytes().startswith(b"\x89PNG")
