"""Harmonics and what they add to foot traces are drawn, or refused with a reason."""

import pytest

from mocapella.errors import MotionError
from mocapella.measure.traces import distortion_by_harmonics
from mocapella.pictures.signals import draw_contributions, draw_phase_angles

pytest.importorskip("matplotlib")


def test_harmonics_are_drawn(network, tmp_path):
    middle = network.points.mean(axis=0)
    draw_contributions(network, middle, distortion_by_harmonics(network, [middle]), tmp_path / "contributions.png")
    first, second = (node.spectrum for node in network.nodes[:2])
    draw_phase_angles([first, second], ["LeftUpLeg.x"], tmp_path / "phases.png")
    assert len(list(tmp_path.iterdir())) == 2
    with pytest.raises(MotionError, match="no dof"):
        draw_phase_angles([first, second], ["Tail.x"], tmp_path / "none.png")
    with pytest.raises(MotionError, match="no harmonics"):
        draw_phase_angles([first.truncated(0), second], ["LeftUpLeg.x"], tmp_path / "none.png")
