"""``mocapella play`` of a hybrid network: keys, arcs and modes; stored in the middle of a change and gone on with."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import capture
from mocapella.hybrid.builder import HybridBuilder

WALKS = ("slow walk straight", "fast walk straight", "medium walk sharp left")


@pytest.fixture(scope="module")
def person(tmp_path_factory) -> Path:
    """Walks with a twirl and a stop, standing, and the way back."""
    draft = HybridBuilder({"walking": mo.build_network([capture(name)[0] for name in WALKS])})
    for name, source, target, key in (
        ("walk-twirl-walk", "walking", None, "x"),
        ("walk-stand", "walking", "standing", "s"),
        ("stand-walk", "standing", "walking", ""),
    ):
        change = mo.find_transition(capture(name)[0], name=name)
        draft = draft.with_transition(change, source, target, key=key)
    modes = [
        draft.mode("blend", key="b"),
        draft.mode("twirl", ["walk-twirl-walk"], key="t"),
        draft.mode("stop", ["walk-stand", "stand-walk"], key="c"),
    ]
    path = tmp_path_factory.mktemp("net") / "person.moca"
    mo.save(draft.finished(modes), path)
    return path


def told(found, name):
    return [entry[name] for entry in found["states"]]


def test_keys_switch_modes_and_take_arcs(answer, person, table, tmp_path):
    script = table("time,x,y,key\n0,0,1.2,\n0.5,,,t\n0.6,,,x\n9,,,\n".replace("9,,,", "9,0,1.2,"))
    found = answer("play", person, "-o", tmp_path / "a.bvh", "--script", script, "--rate", 30)
    assert told(found, "state") == ["network", "waiting", "change", "network"]
    assert told(found, "arc") == ["", *["walk-twirl-walk"] * 3]
    assert told(found, "mode") == ["blend", "twirl", "twirl", "twirl"]
    assert told(found, "time") == sorted(told(found, "time"))
    assert abs(found["turn"]) == pytest.approx(360.0, abs=45.0)
    assert found["slip_mm_max"] <= 1.5


@pytest.mark.parametrize(
    ("row", "reason"),
    [("1,0,1.2,q", "the key 'q' does nothing here; there are b, t, c, x, s"), ("1,,1.2,x", "expected a number for x")],
)
def test_a_key_for_nothing_is_reported_with_its_line_before_anything_is_written(
    run, person, table, tmp_path, row, reason
):
    script = table(f"time,x,y,key\n0,0,1.2,\n{row}\n")
    result = run("play", person, "-o", tmp_path / "a.bvh", "--script", script, "--save-state", tmp_path / "s.json")
    assert result.exit_code == 1
    assert result.stderr.startswith(f"error: {script}:3: {reason}")
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]


def test_an_arc_that_is_closed_then_is_a_doubt_and_the_player_goes_on(run, person, table, tmp_path):
    script = table("time,x,y,key\n0,0,1.2,\n0.5,0,1.2,x\n2,0,1.2,\n")
    result = run("play", person, "-o", tmp_path / "a.bvh", "--script", script, "--rate", 30, "--json")
    assert result.exit_code == 0
    assert "doubtful: 0.5 s: arc 'walk-twirl-walk' is closed in mode 'blend'; it is open in twirl" in result.stderr
    assert told(json.loads(result.stdout), "state") == ["network"]


def test_arcs_are_taken_one_after_the_other(answer, run, person, tmp_path):
    words = ("play", person, "-o", tmp_path / "a.glb", "--trigger", "walk-stand", "--trigger", "stand-walk")
    found = answer(*words, "--rate", 20)
    assert told(found, "block") == ["walking", "walking", "walking", "standing", "standing", "standing", "walking"]
    result = run(*words[:6], "--rate", 10)
    assert "change   walk-stand" in result.stdout


def test_a_twirl_goes_round_as_often_as_asked(answer, person, tmp_path):
    words = ("play", person, "-o", tmp_path / "a.bvh", "--trigger", "walk-twirl-walk", "--rate", 20)
    once, thrice = answer(*words), answer(*words, "--times", 3)
    assert abs(thrice["turn"] - once["turn"]) == pytest.approx(720.0, abs=20.0)
    assert told(thrice, "state") == told(once, "state")


def test_each_arc_may_have_times_of_its_own(answer, person, tmp_path):
    words = ("play", person, "-o", tmp_path / "a.bvh", "--trigger", "walk-twirl-walk", "--trigger", "walk-stand")
    found = answer(*words, "--times", 2, "--times", 1, "--rate", 20)
    assert abs(found["turn"]) == pytest.approx(720.0, abs=60.0)
    assert told(found, "block")[-1] == "standing"


def test_arcs_are_taken_from_where_the_point_is_if_one_likes(answer, person, tmp_path):
    words = ("play", person, "-o", tmp_path / "a.bvh", "--trigger", "walk-twirl-walk", "--point", -5, 0.8, "--rate", 30)
    travelled, at_once = (told(answer(*words, *more), "time")[1] for more in ((), ("--anywhere",)))
    assert at_once == pytest.approx(2.0, abs=0.1)  # the pause before the first arc, and nothing else
    assert travelled > at_once + 0.2


def test_a_block_is_begun_in_and_a_path_is_walked_in_one(answer, person, table, tmp_path):
    found = answer("play", person, "-o", tmp_path / "a.bvh", "--point", 0, 0, "--block", "standing", "--seconds", 1)
    assert found["distance"] < 0.2
    assert found["states"] == [{"time": 0.0, "state": "network", "arc": "", "block": "standing", "mode": "blend"}]
    found = answer("play", person, "-o", tmp_path / "a.bvh", "--path", table("x,z\n0,0\n0,2\n"), "--rate", 30)
    assert found["distance"] == pytest.approx(2.0, abs=0.4)
    assert told(found, "block") == ["walking"]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--trigger", "leap"), "no arc 'leap'; there are walk-twirl-walk"),
        (("--trigger", "walk-stand", "--trigger", "walk-stand"), "leads to block 'standing'"),
        (("--trigger", "walk-stand", "--block", "standing"), "begins in block 'walking', not in 'standing'"),
        (("--trigger", "walk-stand", "--times", 2), "nothing in arc 'walk-stand' can be repeated"),
        (
            ("--trigger", "walk-twirl-walk", "--trigger", "walk-stand", "--times", 2),
            "nothing in arc 'walk-stand' can be repeated, so it cannot be made 2 times",
        ),
        (("--point", 0, 1, "--mode", "dance"), "no mode 'dance'; there are blend, twirl, stop"),
        (("--point", 0, 1, "--block", "attic"), "no block 'attic'; there are walking, standing"),
    ],
)
def test_what_is_not_there_is_named(run, person, tmp_path, words, reason):
    result = run("play", person, "-o", tmp_path / "a.bvh", *words)
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    assert reason in result.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "words",
    [
        ("--trigger", "walk-stand", "--script", "a.csv"),
        ("--resume", "a.json", "--point", 0, 1),
        ("--path", "a.csv", "--save-state", "a.json"),
        ("--point", 0, 1, "--times", 2),
        ("--script", "a.csv", "--anywhere"),
        ("--trigger", "walk-twirl-walk", "--times", 0),
        ("--trigger", "walk-twirl-walk", "--times", 101),
        ("--trigger", "walk-twirl-walk", "--times", 2, "--times", 3),
    ],
)
def test_what_does_not_go_together_is_wrong_usage(run, person, tmp_path, words):
    assert run("play", person, "-o", tmp_path / "a.bvh", *words).exit_code == 2


def test_a_player_stored_in_the_middle_of_a_change_goes_on_in_another_process_with_the_same_frames(
    person, table, tmp_path
):
    script = table("time,x,y,key\n0,0,1.0,t\n0.5,0,1.2,x\n4,,,c\n7,0,1.4,s\n8,0,1.4,\n")

    def play(name, *words):
        command = [
            sys.executable,
            "-c",
            "from mocapella.cli import main; main()",
            "play",
            person,
            "-o",
            tmp_path / f"{name}.bvh",
            "--script",
            script,
        ]
        done = subprocess.run([*map(str, (*command, *words, "--rate", 30, "--json"))], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout), mo.load(tmp_path / f"{name}.bvh")

    state = tmp_path / "state.json"
    told_whole, whole = play("whole", "--seconds", 8)
    told_first, first = play("first", "--seconds", 3, "--save-state", state)
    assert told_first["states"][-1]["state"] == "change"
    told_second, second = play("second", "--seconds", 5, "--resume", state)
    assert told_second["states"] == told_whole["states"]
    assert len(told_whole["states"]) >= 5
    places = np.concatenate([first.root_positions, second.root_positions])
    assert np.array_equal(places, whole.root_positions)
    turns = np.concatenate([first.rotations_wxyz, second.rotations_wxyz])
    signs = np.sign(np.sum(turns * whole.rotations_wxyz, axis=-1, keepdims=True))  # signs run on from a file's first
    np.testing.assert_allclose(signs * turns, whole.rotations_wxyz, rtol=0.0, atol=1e-15)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda state: state["state"]["hybrid"].update(block="attic"), "no block 'attic'"),
        (lambda state: state["state"]["hybrid"].update(taken=["leap", 0]), "no arc 'leap'"),
        (lambda state: state["state"]["locks"]["points"][0].update(hold=7.0), "is not a snapshot of a player"),
        (lambda state: state["state"].update(time="soon"), "this is not a snapshot of a player"),
        (lambda state: state["state"].update(hybrid=None), "snapshot of a plain network's player"),
    ],
)
def test_what_is_no_snapshot_of_this_network_is_refused(answer, run, person, tmp_path, change, reason):
    place = tmp_path / "s.json"
    answer("play", person, "-o", tmp_path / "a.bvh", "--point", 0, 1.2, "--seconds", 0.2, "--save-state", place)
    (tmp_path / "a.bvh").unlink()
    state = json.loads(place.read_text())
    change(state)
    place.write_text(json.dumps(state))
    result = run("play", person, "-o", tmp_path / "a.bvh", "--resume", place)
    assert result.exit_code == 1
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert reason in result.stderr
    assert not (tmp_path / "a.bvh").exists()
