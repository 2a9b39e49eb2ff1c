"""``mocapella library``: clips made of others and by numbers, on the command line."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import mocapella as mo
from mocapella.cli import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("library")
    for name, wishes in {"walk": {}, "slow": {"speed": 0.9}, "left": {"turn": 0.6}}.items():
        mo.save(mo.example("walk", frame_rate=60.0, cycles=3.0, **wishes), place / f"{name}.bvh")
    run(place, "add", str(place), "--workers", "0", "--take")
    return place


def run(folder, command, *words, status=0):
    result = CliRunner().invoke(main, ["library", command, *words, "--library", str(folder / "own"), "--json"])
    assert result.exit_code == status, result.output
    return json.loads(result.stdout) if status == 0 else result.stderr


def test_files_that_are_taken_in_are_copied_and_known_again(folder):
    assert run(folder, "add", str(folder / "walk.bvh"), "--workers", "0", "--take")["known"] == 1
    copies = sorted(path.name for path in (folder / "own" / "captures").rglob("*.bvh"))
    assert copies == ["left.bvh", "slow.bvh", "walk.bvh"]
    listed = run(folder, "list", "--layer", "real")["clips"]
    assert all(str(folder / "own") in one["made"] for one in listed)


def test_a_library_that_was_taken_in_can_be_moved(folder, tmp_path):
    (folder / "own").rename(tmp_path / "own")
    try:
        made = run(tmp_path, "make", "walk", "-o", str(tmp_path / "walk.bvh"))
        assert mo.load(made["path"]).n_frames == made["frames"]
    finally:
        (tmp_path / "own").rename(folder / "own")


def test_recipes_are_kept_and_made(folder, tmp_path):
    answer = run(folder, "modify", "left", "sync_mirror", "turn:90", "--as", "right")
    assert answer["steps"][1] == {"modifier": "turn", "parameters": {"angle": 90.0}, "inputs": []}
    run(folder, "modify", "right", "to_curvature:0.1,with=left", "--as", "mild")
    assert "mild" in {one["name"] for one in run(folder, "list", "--layer", "virtual")["clips"]}
    made = run(folder, "make", "mild", "-o", str(tmp_path / "mild.bvh"))
    assert mo.load(made["path"]).n_frames == made["frames"]
    assert "right is needed by mild" in run(folder, "drop", "right", status=1)
    assert run(folder, "drop", "mild") == {"name": "mild"}
    assert "no virtual clip" in run(folder, "drop", "mild", status=1)


def test_modifiers_and_bytes_are_listed(folder):
    found = {one["name"]: one for one in run(folder, "list", "--modifiers")["modifiers"]}
    assert (found["sync_mirror"]["kind"], found["to_speed"]["kind"], found["gait"]["kind"]) == ("uni", "bi", "multi")
    report = run(folder, "storage")
    assert report["bytes"]["all clips stored"] > report["bytes"]["real clips"]


def test_a_request_answers_by_the_contract(folder, tmp_path):
    out = tmp_path / "walk.bvh"
    answer = run(folder, "request", "kind=walk", "speed=1.1", "curvature=0.1", "seconds=2", "-o", str(out))
    assert {"path", "asked", "had", "made_of", "feasible", "reason"} <= set(answer)
    assert answer["feasible"]
    assert answer["asked"] == {"kind": "walk", "speed": 1.1, "curvature": 0.1}
    assert mo.load(out).n_frames == 120
    network = run(folder, "request", "kind=walk", "speed=1.1", "seconds=2", "-o", str(tmp_path / "net.moca"))
    made = mo.load_network(network["path"])
    assert made.names
    speed = mo.Player(made, point=tuple(network["point"])).step(1.0).root_position
    np.testing.assert_allclose(np.hypot(speed[0], speed[2]), 1.1, rtol=0.1)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["spede=1"], "KEY=VALUE with one of kind, speed"),
        (["speed=fast"], "a number for speed"),
        (["kind=walk", "speed=1", "curvature=0.2", "turn=80"], "contradict"),
        (["kind=walk", "speed=1", "speed=2"], "asked for twice"),
        (["kind=walk", "slope=5", "-o", "net.moca"], "a network is on level ground"),
        (["kind=walk", "mood=grumpy:0.3"], "has the word 'grumpy', and it is no usual feeling"),
    ],
)
def test_a_request_that_makes_no_sense_is_one_line(folder, words, reason):
    text = run(folder, "request", *words, status=1)
    assert text.startswith("error: ")
    assert reason in text
    assert text.count("\n") == 1


def test_trust_is_said_and_taken_back(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (folder / "own" / "modifiers").mkdir()
    path = folder / "own" / "modifiers" / "same.py"
    path.write_text("def same(clip):\n    return clip\n")
    assert run(folder, "list", "--modifiers")["untrusted"] == [str(path)]
    assert run(folder, "trust") == {"trusted": [str(path)]}
    assert run(folder, "modify", "walk", "same", "--as", "again")["frames"] > 0
    assert run(folder, "trust", "--off") == {"trusted": []}
    assert "not trusted" in run(folder, "make", "again", "-o", str(tmp_path / "x.bvh"), status=1)


def test_what_is_found_is_drawn(folder, tmp_path):
    pytest.importorskip("matplotlib")
    answer = run(folder, "find", "walk", "--most", "2", "--picture", str(tmp_path / "found.png"))
    assert len(answer["clips"]) == 2
    assert (tmp_path / "found.png").read_bytes()[:4] == b"\x89PNG"
