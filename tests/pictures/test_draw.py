"""``mo.draw`` draws every value, writes nothing unless asked to, and notebooks show what it returns."""

from __future__ import annotations

import matplotlib.figure
import pytest

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.errors import MotionError
from tests.hybrid.hybrids import WALKS, block, hybrid, transition

CLIP = perform("walk", imperfections=CLEAN)[0]
VALUES = {
    "clip": lambda: CLIP,
    "found cycle": lambda: mo.find_cycle(CLIP),
    "cycle": lambda: mo.prepare(CLIP),
    "spectrum": lambda: mo.analyse(mo.prepare(CLIP), harmonics=8),
    "network": lambda: block(WALKS),
    "hybrid": hybrid,
    "transition": lambda: transition("walk-run"),
    "player": lambda: mo.Player(block(WALKS)),
}


@pytest.mark.parametrize("kind", VALUES)
def test_every_value_is_drawn_and_nothing_is_written(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = mo.draw(VALUES[kind]())
    assert isinstance(made, matplotlib.figure.Figure)
    assert made.axes
    assert list(tmp_path.iterdir()) == []


def test_a_notebook_gets_a_picture_and_a_file_is_written_where_named(tmp_path):
    made = mo.draw(CLIP, tmp_path / "walk.png")
    assert (tmp_path / "walk.png").read_bytes()[:4] == b"\x89PNG"
    assert made._repr_png_()[:4] == b"\x89PNG"


def test_a_player_that_is_drawn_stays_where_it_is():
    player = mo.Player(block(WALKS))
    player.step(0.3)
    mo.draw(player)
    assert player.time == pytest.approx(0.3)


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(MotionError, match=r"expected what can be drawn \(Clip, .*Player\), got 3"):
        mo.draw(3)
