"""The commands that write motions in the forms of papers and physics tools."""

import json

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import perform
from mocapella.motion.cycle import in_layout


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    path = tmp_path_factory.mktemp("forms") / "walk.bvh"
    mo.save(perform("walk", speed=1.2)[0], path)
    return path


@pytest.mark.parametrize("form", ["cosine", "sine", "series"])
def test_every_form_of_the_series_evaluates_to_the_cycle(walk, answer, form):
    told = answer("spectrum", walk, "--form", form, "--dof", "LeftUpLeg.x", "--harmonics", 40)
    cycle = in_layout(mo.prepare(mo.load(walk)), "euler")
    wanted = cycle.dofs[:, cycle.layout.index("LeftUpLeg.x")]
    one, two = (np.array(values) for values in told["dofs"]["LeftUpLeg.x"].values())
    angles = np.arange(1, len(one)) * cycle.phases[:, None]
    made = {
        "cosine": lambda: one[1:] * np.cos(angles + two[1:]),
        "sine": lambda: one[1:] * np.sin(angles + two[1:]),
        "series": lambda: one[1:] * np.cos(angles) + two[1:] * np.sin(angles),
    }[form]()
    np.testing.assert_allclose(one[0] + made.sum(axis=1), wanted, atol=2e-3)


@pytest.mark.parametrize("form", ["cosine", "sine"])
def test_the_sign_of_a_mean_is_applied_once(walk, answer, form):
    told = answer("spectrum", walk, "--form", form)["dofs"].values()
    assert min(values["magnitude"][0] for values in told) < 0.0
    assert [values["phase"][0] for values in told] == [0.0] * len(told)


def test_every_number_of_a_spectrum_stands_beside_the_name_of_its_dof(walk, run, answer):
    told = answer("spectrum", walk, "--form", "sine")
    lines = [line.split() for line in run("spectrum", walk, "--form", "sine").stdout.splitlines()]
    assert lines[0] == ["dof", "h", "magnitude", "phase"]
    wanted = [
        [name, str(h), *(f"{values[word][h]:.4f}" for word in ("magnitude", "phase"))]
        for name, values in told["dofs"].items()
        for h in range(told["harmonics"] + 1)
    ]
    assert lines[1:] == wanted


def test_a_clip_is_windowed_to_a_power_of_two_and_peaks_at_its_cycle(walk, answer):
    told = answer("spectrum", walk, "--form", "window", "--dof", "LeftUpLeg.x")
    assert told["window"] >= told["frames"] > told["window"] / 2
    assert told["window"].bit_count() == 1
    assert told["peaks"]["LeftUpLeg.x"] == pytest.approx(1.0 / mo.find_period(mo.load(walk)).seconds, abs=0.15)


def test_curves_and_key_poses_are_written_as_files(walk, answer, run, tmp_path):
    told = answer("curves", walk, "-o", tmp_path / "curves.json", "--keys", 12)
    kept = json.loads((tmp_path / "curves.json").read_text())
    assert len(kept["shape"]) == len(kept["times"]) == told["values"] == 12 * told["dofs"]
    poses = answer("key-poses", walk, "-o", tmp_path / "poses.json")
    assert json.loads((tmp_path / "poses.json").read_text())["period"] == poses["period"]
    wrong = run("spectrum", walk, "--dof", "Nose.x")
    assert wrong.exit_code == 1
    assert "error: no dof 'Nose.x'" in wrong.stderr
