"""``plants``: other tests, plants somebody is sure of, plants that replace what is found, and what is odd."""

from __future__ import annotations

import json

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.motion.contacts import FOOT_POINTS


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    path = tmp_path_factory.mktemp("walks") / "walk.bvh"
    clip, _ = perform("walk", imperfections=CLEAN, cycles=3.0, frame_rate=60.0)
    mo.save(clip, path)
    return path


def test_another_method_finds_other_plants(answer, walk):
    usual = answer("plants", walk)
    assert answer("plants", walk, "--method", "resting") == usual
    told = [answer("plants", walk, "--method", name) for name in ("displacement", "velocity", "knees", "prior")]
    assert all(len(one["left_heel"]) >= 2 for one in told)
    assert sum(one != usual for one in told) >= 3


def test_an_override_is_taken_as_given_and_may_come_from_a_file(answer, walk, tmp_path):
    usual = answer("plants", walk)
    told = answer("plants", walk, "--override", "left_heel:10-20,50-61", "--override", "right_toe:")
    assert told["left_heel"] == [[10, 20], [50, 61]]
    assert told["right_toe"] == []
    assert told["right_heel"] == usual["right_heel"]
    (tmp_path / "mine.json").write_text(json.dumps(told))
    assert answer("plants", walk, "--override", tmp_path / "mine.json") == told


@pytest.mark.parametrize("learner", [(), ("--method", "speed"), ("--method", "neighbours")])
def test_seeds_are_among_what_they_teach(answer, walk, learner):
    (first, last), *rest = answer("plants", walk)["left_toe"][1:]
    told = answer("plants", walk, "--seeds", f"left_toe:{first}-{last}", *learner)["left_toe"]
    assert any(a <= first and last <= b for a, b in told)
    assert len(told) >= 1 + len(rest)


def test_what_is_implausible_is_reported_with_its_rows(run, answer, walk):
    assert answer("plants", walk)["report"] == []
    words = ("plants", walk, "--override", "left_heel:", "--override", "left_toe:")
    report = answer(*words)["report"]
    assert {"missed-step"} <= {one["code"] for one in report}
    assert all(one["frames"] for one in report)
    result = run(*words)
    assert [line for line in result.stderr.splitlines() if line.startswith("doubtful: ")] == [
        f"doubtful: {one['message']}" for one in report
    ]


@pytest.mark.parametrize(
    ("words", "status", "match"),
    [
        (("--seeds", "nothing"), 1, "left_heel:63-113"),
        (("--override", "left_knee:1-2"), 1, "left_knee"),
        (("--method", "neighbours"), 2, "--seeds"),
        (("--method", "knees", "--seeds", "left_heel:1-9"), 2, "--seeds"),
    ],
)
def test_marks_that_cannot_be_read_are_refused(run, walk, words, status, match):
    result = run("plants", walk, *words)
    assert result.exit_code == status
    assert match in result.stderr


@pytest.mark.parametrize("content", [b'{"left_heel": [[1, "x"]]}', b'{"\x85": []}'])
def test_a_file_of_marks_must_hold_plants(run, walk, tmp_path, content):
    (tmp_path / "mine.json").write_bytes(content)
    result = run("plants", walk, "--override", tmp_path / "mine.json")
    assert result.exit_code == 1
    assert "holds no plants" in result.stderr


def test_feet_of_a_walk_in_place_rest_where_they_move_with_the_belt(run, answer, tmp_path):
    clip, _ = perform("walk", imperfections=CLEAN, cycles=4.0, frame_rate=60.0)
    roots = clip.root_positions * [0.0, 1.0, 0.0]
    mo.save(clip, tmp_path / "walk.bvh")
    mo.save(mo.Clip(clip.skeleton, roots, clip.rotations_wxyz, 60.0), tmp_path / "treadmill.bvh")
    ahead, still = (answer("plants", tmp_path / name) for name in ("walk.bvh", "treadmill.bvh"))
    for point in FOOT_POINTS:
        np.testing.assert_allclose(still[point], ahead[point], atol=4)
    ahead, still = (answer("cycles", tmp_path / name)["cycles"][0] for name in ("walk.bvh", "treadmill.bvh"))
    assert still["steps"] == 2
    assert still["speed"] == pytest.approx(ahead["speed"], rel=0.1)
    assert "treadmill" in run("cycles", tmp_path / "treadmill.bvh").stderr
    assert answer("cycles", tmp_path / "treadmill.bvh", "--raw")["cycles"][0]["speed"] < 0.1
