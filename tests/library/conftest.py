"""A small library of the actor's captures."""

import pytest

import mocapella as mo
from mocapella.library.ingest import add_captures
from mocapella.library.store import Library

ASKED = {
    "slow_walk": ("walk", {"speed": 0.9}),
    "walk": ("walk", {"speed": 1.3}),
    "leftWalk": ("walk", {"speed": 1.2, "turn": 0.6}),
    "right_walk": ("walk", {"speed": 1.2, "turn": -0.6}),
    "run": ("run", {"speed": 3.0}),
    "stand": ("stand", {}),
    "walk-run": ("walk-run", {}),
    "turn_left": ("turn", {"turn": 1.2}),
}


@pytest.fixture(scope="session")
def captures(tmp_path_factory):
    folder = tmp_path_factory.mktemp("captures")
    (folder / "happy").mkdir()
    for name, (action, asked) in ASKED.items():
        mo.save(mo.example(action, frame_rate=60.0, **asked), folder / f"{name}.bvh")
    mo.save(mo.example("walk", frame_rate=60.0, style="happy"), folder / "happy" / "take_03.bvh")
    (folder / "broken.bvh").write_text("HIERARCHY\nRUUT hips\n")
    return folder


@pytest.fixture(scope="session")
def library(captures, tmp_path_factory):
    with Library.at(tmp_path_factory.mktemp("library"), create=True) as opened:
        add_captures(opened, [captures], workers=0)
        yield opened
