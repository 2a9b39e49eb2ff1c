"""``mocapella edit``."""

import re
from dataclasses import replace

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import perform
from mocapella.cli.options.edit_options import read_edit
from mocapella.measure.footskate import footing


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    path = tmp_path_factory.mktemp("walks") / "walk.bvh"
    mo.save(perform("walk", cycles=3.0, frame_rate=60.0)[0], path)
    return path


def test_edits_are_applied_in_the_order_of_the_options(answer, walk, tmp_path):
    out = tmp_path / "out.bvh"
    named = answer("edit", walk, "-o", out, "--turn", "30", "--mirror", "--edit", "turn:angle=10")["edits"]
    assert [(one["name"], one["parameters"]) for one in named] == [
        ("turn", {"angle": 30.0}),
        ("mirror", {}),
        ("turn", {"angle": 10.0}),
    ]


def test_the_answer_has_figures_before_and_after(answer, walk, tmp_path):
    found = answer("edit", walk, "-o", tmp_path / "out.bvh", "--turn", "30")
    keys = {"slip_mm_max", "slip_mm_mean", "penetration_mm_max", "root_acceleration_p99", "drift_m", "seconds"}
    assert set(found["before"]) == set(found["after"]) == keys
    assert found["after"]["slip_mm_max"] == pytest.approx(found["before"]["slip_mm_max"], abs=1e-6)
    assert found["unreachable"] == []


def test_the_slip_of_feet_that_are_never_planted_is_unknown_and_not_none(answer, run, walk, tmp_path):
    clip = mo.load(walk)
    mo.save(replace(clip, root_positions=clip.root_positions * [2.0, 1.0, 2.0]), tmp_path / "skating.bvh")
    words = ("edit", tmp_path / "skating.bvh", "-o", tmp_path / "out.bvh", "--lock-feet")
    found = answer(*words)
    assert [found[when][key] for when in ("before", "after") for key in ("slip_mm_max", "slip_mm_mean")] == [None] * 4
    shown = run(*words)
    assert re.search(r"planted foot slides +– +–", shown.stdout)
    assert f": {clip.n_frames} frames, 1 edit\n" in shown.stdout
    assert "nothing was locked" in shown.stderr


def test_feet_are_measured_over_their_own_plants_where_frames_show_other_moments(answer, walk, tmp_path):
    mo.save(perform("walk", speed=0.9, cycles=2.0, frame_rate=60.0)[0], tmp_path / "slow.bvh")
    out = tmp_path / "out.bvh"
    found = answer("edit", walk, "-o", out, "--band-blend", f"{tmp_path / 'slow.bvh'},weights=1")
    assert mo.load(out).n_frames == mo.load(walk).n_frames
    assert found["after"]["slip_mm_max"] == pytest.approx(footing(mo.load(out)).slip_mm_max, rel=0.01, abs=0.01)


def test_a_root_that_follows_its_feet_reports_how_far_its_path_drifts(answer, walk, tmp_path):
    found = answer("edit", walk, "-o", tmp_path / "out.bvh", "--follow-feet")
    ends = [mo.load(path).root_positions[-1, ::2] for path in (walk, tmp_path / "out.bvh")]
    assert found["before"]["drift_m"] == 0.0
    assert found["after"]["drift_m"] == pytest.approx(float(np.linalg.norm(ends[1] - ends[0])), abs=1e-5)
    cut = answer("edit", walk, "-o", tmp_path / "cut.bvh", "--cut", "5,last=60")
    assert cut["after"]["drift_m"] is None


def test_saved_edits_make_the_same_file_again(answer, walk, tmp_path):
    first, second, record = tmp_path / "a.bvh", tmp_path / "b.bvh", tmp_path / "edits.toml"
    answer("edit", walk, "-o", first, "--turn", "30", "--cut", "5,last=60", "--save-edits", record)
    answer("edit", walk, "-o", second, "--edits", record)
    assert first.read_bytes() == second.read_bytes()
    assert mo.load(first).n_frames == 56


def test_a_picture_shows_before_and_after(run, walk, tmp_path):
    result = run("edit", walk, "-o", tmp_path / "out.bvh", "--mirror", "--picture", tmp_path / "out.png")
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / "out.png").stat().st_size > 10_000
    assert "before" in result.stdout


def test_a_stored_cycle_is_edited_as_a_cycle(answer, tmp_path):
    cycle = mo.prepare(perform("walk", turn=0.4)[0])
    mo.save(cycle, tmp_path / "cycle.moca")
    answer("edit", tmp_path / "cycle.moca", "-o", tmp_path / "out.moca", "--mirror")
    np.testing.assert_allclose(mo.load_cycle(tmp_path / "out.moca").turn, -cycle.turn)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--turn", "left"), "error: expected a number from -3600 to 3600 for angle"),
        (("--edit", "trun:3"), "error: there is no edit 'trun'; did you mean turn?"),
        (("--filter", "turn:3"), "error: turn is not a filter"),
        (("--edits", "nowhere.toml"), "nowhere.toml: there is no such file"),
        (("--cut", "9999"), "error: edit 1, cut: expected a first and a last frame"),
        (("--edit", "mirror:3"), "error: expected NAME=VALUE for mirror"),
    ],
)
def test_bad_edits_are_one_line_and_nothing_is_written(run, walk, tmp_path, words, says):
    result = run("edit", walk, "-o", tmp_path / "out.bvh", *words)
    assert result.exit_code == 1
    assert says in result.stderr
    assert len([line for line in result.stderr.splitlines() if line.startswith("error")]) == 1
    assert not (tmp_path / "out.bvh").exists()


def test_values_are_read_by_name_or_as_the_main_parameter():
    assert read_edit("restyle", "a,b.bvh,ratio=0.3,part=lower").parameters["style"].path == "a,b.bvh"
    assert dict(read_edit("cut", "first=3,last=9").parameters) == {"first": 3, "last": 9}
