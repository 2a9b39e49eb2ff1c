from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from mocapella.actor import perform
from mocapella.cli.main import main
from mocapella.library.gait_modifiers import gait_figures
from mocapella.storage.values import load, save


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("walks")
    for name, speed, turn in (("slow", 0.9, 0.0), ("fast", 1.5, 0.0), ("left", 1.2, 0.6)):
        save(perform("walk", speed=speed, turn=turn)[0], place / f"{name}.bvh")
    return place


def ask(folder, *words):
    files = [str(folder / f"{name}.bvh") for name in ("slow", "fast", "left")]
    return CliRunner().invoke(main, ["between", *files, *words])


def test_a_motion_is_written_that_goes_as_asked(folder, tmp_path):
    out = tmp_path / "out.bvh"
    answer = ask(folder, "--ask", "speed=1.1", "--ask", "turn=0.2", "--seconds", "4", "-o", str(out), "--json")
    assert answer.exit_code == 0, answer.output
    found = json.loads(answer.output)
    assert set(found) == {"path", "asked", "had", "made_of", "feasible", "reason"}
    assert found["feasible"]
    assert abs(found["had"]["speed"] - 1.1) < 0.02
    clip = load(out)
    way = np.abs(np.diff(clip.ground_path)).sum() / clip.seconds
    assert abs(way - 1.1) < 0.06


@pytest.mark.parametrize("speed", [1.0, 1.2, 1.4])
def test_what_is_printed_is_measured_on_the_file(folder, tmp_path, speed):
    out = tmp_path / "out.bvh"
    also = [
        word for name in ("turn", "curvature", "step_length", "duration", "hip_height") for word in ("--also", name)
    ]
    answer = ask(folder, "--ask", f"speed={speed}", *also, "--seconds", "8", "-o", str(out), "--json")
    had, clip = json.loads(answer.output)["had"], load(out)
    figures = gait_figures(clip, had["duration"])
    written = [figures.speed, np.radians(figures.turn), figures.curvature, figures.step]
    np.testing.assert_allclose(written[0], speed, rtol=2e-3)
    np.testing.assert_allclose(
        [had[name] for name in ("speed", "turn", "curvature", "step_length")], written, rtol=5e-3, atol=2e-3
    )
    np.testing.assert_allclose(had["hip_height"], clip.root_positions[:, 1].mean(), atol=5e-3)


def test_what_is_out_of_reach_is_said(folder, tmp_path):
    answer = ask(folder, "--ask", "speed=5", "-o", str(tmp_path / "out.bvh"))
    assert answer.exit_code == 0
    assert "speed 5 m/s is out of reach" in answer.output


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--ask", "speed"], "a label and its number"),
        (["--ask", "speed=fast"], "a number for speed"),
        (["--ask", "tired=1"], "tired is not measured"),
        (["--ask", "tired=1", "--given", "tired=0,1"], "tired is given for 2 of 3"),
    ],
)
def test_slips_are_told_in_one_line(folder, tmp_path, words, says):
    answer = ask(folder, *words, "-o", str(tmp_path / "out.bvh"))
    assert answer.exit_code == 1
    assert says in answer.output
    assert not (tmp_path / "out.bvh").exists()


def test_an_example_with_other_joints_is_retargeted_to_those_of_the_first(folder, tmp_path):
    save(perform("walk", speed=1.6)[0], tmp_path / "other.bvh", names="mixamo")
    words = ["between", str(folder / "slow.bvh"), str(tmp_path / "other.bvh"), "--ask", "speed=1.2"]
    answer = CliRunner().invoke(main, [*words, "-o", str(tmp_path / "out.bvh"), "--json"])
    assert "other has other joints than slow, and is retargeted to them" in answer.stderr
    np.testing.assert_allclose(json.loads(answer.stdout)["had"]["speed"], 1.2, rtol=0.02)
