"""Commands refuse an output that cannot be written, or that is their input, before they do any work."""

from __future__ import annotations

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CLEAN, perform


@pytest.fixture(scope="module")
def walks(tmp_path_factory):
    folder = tmp_path_factory.mktemp("walks")
    for name, speed in (("slow", 0.9), ("fast", 1.5)):
        mo.save(perform("walk", speed=speed, imperfections=CLEAN)[0], folder / f"{name}.bvh")
    return folder


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("convert", "slow.bvh", "slow.bvh"), "would replace the file that is read"),
        (("restyle", "slow.bvh", "fast.bvh", "-o", "fast.bvh"), "would replace the file that is read"),
        (("convert", "slow.bvh", "none/slow.glb"), "there is no folder"),
        (("build", "slow.bvh", "fast.bvh", "-o", "walks.zip"), "expected a suffix of .moca"),
        (("build", "slow.bvh", "fast.bvh", "-o", "none/walks.moca"), "there is no folder"),
        (("cycles", "slow.bvh", "-o", "slow.txt"), "expected a suffix of .moca"),
        (("play", "none.moca", "-o", "out.txt"), "expected a suffix of .bvh"),
    ],
)
def test_an_output_is_checked_before_the_work(run, walks, words, reason, monkeypatch):
    monkeypatch.chdir(walks)
    before = {path.name: path.read_bytes() for path in walks.glob("*.bvh")}
    result = run(*words)
    assert result.exit_code == 1
    assert reason in result.stderr
    assert {path.name: path.read_bytes() for path in walks.glob("*.bvh")} == before


def test_a_network_is_played_in_its_middle_where_no_point_is_named(answer, walks, tmp_path):
    answer("build", walks / "slow.bvh", walks / "fast.bvh", "-o", tmp_path / "walks.moca")
    played = answer("play", tmp_path / "walks.moca", "-o", tmp_path / "out.bvh", "--seconds", 4)
    assert 0.8 < played["distance"] / played["seconds"] < 1.6


def test_play_writes_every_file_that_is_named(run, answer, tmp_path):
    clips = [perform("walk", speed=speed, imperfections=CLEAN)[0] for speed in (0.9, 1.5)]
    mo.save(mo.build_network(clips), tmp_path / "net.moca")
    files = [tmp_path / "a.bvh", tmp_path / "b.glb", tmp_path / "c.amc"]
    words = [word for file in files for word in ("-o", file)]
    told = answer("play", tmp_path / "net.moca", *words, "--seconds", 1)
    assert told["files"] == [str(file) for file in files]
    places = [mo.load(file).root_positions for file in files]
    for other in places[1:]:
        np.testing.assert_allclose(other[-1] - other[0], places[0][-1] - places[0][0], atol=1e-3)
