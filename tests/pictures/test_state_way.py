"""Ways through hybrid networks are drawn, coloured by what was done."""

import pytest

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.pictures.networks import COLOURS, draw_states
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
