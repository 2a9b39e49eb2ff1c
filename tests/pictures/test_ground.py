"""Paths over the ground are drawn, with the path that was wanted and with what was done."""

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.pictures.ground import COLOURS, draw_states, draw_way
from mocapella.playback.modes import Entry

pytest.importorskip("matplotlib")


def test_every_state_has_its_colour_and_every_change_its_name(tmp_path):
    walk = mo.prepare(perform("walk", imperfections=CLEAN)[0])
    clip = mo.record(mo.Player(mo.analyse(walk, harmonics=8)), seconds=3, frame_rate=30)
    states = [Entry(0.0, "network", "", "walking"), Entry(1.0, "waiting", "leap"), Entry(1.4, "change", "leap"),
              Entry(2.2, "network", "leap", "flying")]  # fmt: skip
    draw_states(clip, states, tmp_path / "way.svg")
    drawn = (tmp_path / "way.svg").read_text()
    for colour in COLOURS.values():
        assert colour in drawn
    assert all(f"<!-- {word} -->" in drawn for word in ("walking", "leap", "flying"))


def test_a_way_is_drawn_with_and_without_its_path(network, tmp_path):
    walk = mo.record(mo.Player(network, point=(0.0, 1.2)), seconds=2, frame_rate=30)
    path = np.array([[0.0, 0.0], [0.0, 1.0], [0.5, 3.0]])
    draw_way(walk, tmp_path / "a.png")
    draw_way(walk, tmp_path / "b.png", wanted=path)
    draw_way(walk, tmp_path / "c.svg", wanted=path, speeds=np.array([1.0, 1.2, 0.8]))
    assert len(list(tmp_path.iterdir())) == 3
