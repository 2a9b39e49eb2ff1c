"""``period``, ``plants`` and ``cycles``: the keys other programs rely on, rows of the file, and who is at fault."""

from __future__ import annotations

import json

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CAPTURED, perform
from mocapella.analysis.prepare import prepare
from tests.analysis.regression.noisy_clips import shaken

CYCLE_KEYS = {"start", "frames", "seconds", "speed", "turn", "closing_cm", "steps", "contacts"}
POINTS = ("left_heel", "left_toe", "right_heel", "right_toe")


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    """A walk that turns right at 60 Hz, as a file, and what is true of it."""
    path = tmp_path_factory.mktemp("walks") / "walk.bvh"
    clip, truth = perform("walk", turn=-0.3, imperfections=CAPTURED, seed=3, cycles=4.0, frame_rate=60.0)
    mo.save(clip, path)
    return path, truth


@pytest.fixture(scope="module")
def standing(tmp_path_factory):
    path = tmp_path_factory.mktemp("stands") / "statue.bvh"
    clip = perform("walk", frame_rate=60.0)[0]
    still = np.zeros(120, dtype=int)
    mo.save(mo.Clip(clip.skeleton, clip.root_positions[still], clip.rotations_wxyz[still], 60.0), path)
    return path


def test_period_has_the_keys_of_the_contract(answer, walk):
    path, truth = walk
    told = answer("period", path)
    assert {"frames", "seconds", "per_dof"} <= told.keys()
    assert told["spectral"] == pytest.approx(told["frames"], rel=0.1)
    assert told["seconds"] == pytest.approx(truth.period, abs=1 / 60)
    assert told["frames"] == pytest.approx(60.0 * told["seconds"])
    assert all(isinstance(frames, float) for frames in told["per_dof"].values())


def test_plants_are_first_and_last_rows_in_order(answer, walk):
    told = answer("plants", walk[0])
    assert set(told) == {*POINTS, "report"}
    for intervals in (told[point] for point in POINTS):
        assert len(intervals) >= 3
        edges = [edge for interval in intervals for edge in interval]
        assert edges == sorted(edges)


def test_cycles_have_the_keys_of_the_contract_and_one_is_what_build_takes(answer, walk):
    path, truth = walk
    told = answer("cycles", path)["cycles"]
    for one in told:
        assert one.keys() >= {*CYCLE_KEYS, "unlikeness", "chosen"}
        assert one["seconds"] == pytest.approx(truth.period, abs=2.5 / 60)
        assert one["turn"] == pytest.approx(-np.degrees(0.3 * truth.period), abs=4.0)
        assert one["steps"] == 2
        for intervals in one["contacts"].values():
            assert all(one["start"] <= a <= b <= one["start"] + one["frames"] for a, b in intervals)
    assert sum(one["chosen"] for one in told) == 1
    assert [one["unlikeness"] for one in told] == sorted(one["unlikeness"] for one in told)


@pytest.mark.parametrize("name", ["16_17", "16_25", "16_29"])
def test_the_marked_cycle_is_the_one_that_build_takes(answer, data_folder, tmp_path, name):
    path = data_folder / "cmu-bvh" / "16" / f"{name}.bvh"
    (chosen,) = [one for one in answer("cycles", path)["cycles"] if one["chosen"]]
    built = answer("build", path, "-o", tmp_path / "net.moca", "--no-mirror")["nodes"][0]
    assert built["seconds"] == pytest.approx(chosen["seconds"])
    assert built["turn"] == pytest.approx(chosen["turn"], abs=1e-6)
    assert built["root_speed"] == pytest.approx(chosen["speed"], rel=2e-3)
    assert built["speed"] == pytest.approx(chosen["speed"], rel=0.1)  # feet that slid in the capture do not
    answer("cycles", path, "-o", tmp_path / "one.moca")
    assert mo.load_cycle(tmp_path / "one.moca").start_row == chosen["start"]


def test_rows_are_the_files_own_though_a_rest_pose_is_left_out(answer, data_folder):
    path = data_folder / "cmu-bvh" / "16" / "16_15.bvh"
    best = answer("cycles", path)["cycles"][0]
    assert best["start"] == prepare(mo.load(path)).start_row


def test_what_is_stored_is_cleaned_closed_and_written_as_asked(answer, run, walk, tmp_path):
    goal = tmp_path / "walk.moca"
    told = answer("cycles", walk[0], "--frames", 30, 95, "-o", goal, "--layout", "euler", "--method", "smooth")
    assert [(one["start"], one["frames"], one["chosen"]) for one in told["cycles"]] == [(30, 65, True)]
    cycle = mo.load_cycle(goal)
    assert (cycle.layout.kind, cycle.start_row, cycle.n_frames) == ("euler", 30, 65)
    assert "frames (30, 95); method smooth; layout euler" in cycle.decisions[0].text
    assert run("cycles", walk[0], "-o", goal, "--limp").exit_code == 0
    assert mo.load_cycle(goal).decisions[-1].step == "limp"
    result = run("cycles", walk[0], "-o", goal, "--limp", "--method", "smooth")
    assert (result.exit_code, "closed symmetric, not smooth" in result.stderr) == (1, True)


def test_the_raw_clip_can_be_asked_too(answer, data_folder):
    path = data_folder / "cmu-bvh" / "16" / "16_11.bvh"  # joints jump within its cycles
    assert answer("cycles", path)["cycles"][0]["start"] != answer("cycles", path, "--raw")["cycles"][0]["start"]


def test_a_table_says_why_the_marked_cycle_is_taken(run, data_folder, walk):
    result = run("cycles", data_folder / "cmu-bvh" / "16" / "16_17.bvh")
    assert "the clip turns by +93° in all, so the sharpest turn" in result.stdout
    assert "the ends that meet best" in run("cycles", walk[0], "--straight").stdout


@pytest.mark.parametrize("command", ["period", "cycles"])
def test_a_statue_is_at_fault_and_one_line_says_so(run, standing, command):
    result = run(command, standing, "--json")
    assert result.exit_code == 1
    assert result.stdout == ""
    error = [line for line in result.stderr.splitlines() if line.startswith("error:")]
    assert len(error) == 1
    assert "nothing moves" in error[0]


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["--within", 5, 9999], "--within 5 9999 is not a range of frames"),
        (["--frames", 5, 7], "at least 3 frames"),
        (["--frames", 5, 70, "--turning"], "has nothing to choose"),
    ],
)
def test_wishes_that_cannot_be_met_are_named_as_they_were_given(run, walk, words, part):
    result = run("cycles", walk[0], *words)
    assert result.exit_code == 1
    assert part in result.stderr


@pytest.mark.parametrize("words", [["--within", 5], ["--frames", "a", "b"], ["--method", "glue"], []])
def test_wrong_usage_is_status_two(run, walk, words):
    place = [walk[0]] if words else []
    assert run("cycles", *place, *words).exit_code == 2


def test_a_missing_file_is_at_fault(run, tmp_path):
    for command in ("period", "plants", "cycles"):
        result = run(command, tmp_path / "none.bvh")
        assert (result.exit_code, result.stderr.startswith("error:")) == (1, True)


def test_errors_speak_of_options_where_the_library_speaks_of_arguments(run, walk, tmp_path):
    roles = tmp_path / "roles.toml"
    roles.write_text("[roles]\n" + "\n".join(f'{side}_{part} = ""' for side in ("left", "right") for part in ("knee",)))
    result = run("cycles", walk[0], "--roles", roles)
    assert result.exit_code == 1
    assert "--roles FILE.toml" in result.stderr
    assert "load(" not in result.stderr
    result = run("cycles", walk[0], "--frames", 5, 70, "--straight")
    assert "--frames 5 70 say which cycle is meant, so --straight has nothing to choose" in result.stderr


@pytest.fixture(scope="module")
def noisy(tmp_path_factory):
    path = tmp_path_factory.mktemp("noisy") / "noisy.bvh"
    clip = perform("walk", speed=1.2, cycles=5.0, frame_rate=30.0)[0]
    mo.save(shaken(clip, degrees=3.0, centimetres=2.0), path)
    return path


def test_noise_is_told_and_the_mean_of_repetitions_marked(answer, run, noisy, tmp_path):
    told = answer("cycles", noisy)
    assert told["noise_deg"] == pytest.approx(4.7, rel=0.15)
    assert told["noise_mm"] == pytest.approx(31.0, rel=0.2)
    assert told["repetitions"] == pytest.approx(5.0, abs=0.5)
    mean = told["cycles"][0]
    assert mean["chosen"]
    assert mean["closing_cm"] == pytest.approx(told["left_cm"])
    assert mean["steps"] == 2
    words = run("cycles", noisy).stdout
    assert "the mean of 5.0 repetitions" in words
    assert "mm from frame to frame; 5.0 repetitions leave" in words
    run("cycles", noisy, "-o", tmp_path / "mean.moca")
    assert "regress" in [decision.step for decision in mo.load(tmp_path / "mean.moca").decisions]


def test_the_best_single_cycle_of_a_noisy_capture_can_be_asked_for(answer, noisy):
    told = answer("cycles", noisy, "--repetitions", "best")["cycles"]
    assert all(row["closing_cm"] > 3.0 for row in told)


def test_noise_of_a_clean_capture_is_told_without_what_averaging_leaves(answer, walk):
    told = answer("cycles", walk[0])
    assert told["noise_deg"] < 0.5
    assert "left_cm" not in told


def test_json_is_one_object_and_nothing_else(run, walk):
    for command in ("period", "plants", "cycles"):
        assert isinstance(json.loads(run(command, walk[0], "--json").stdout), dict)
