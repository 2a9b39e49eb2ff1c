"""Motions in fewer numbers, on the command line."""

import numpy as np
import pytest

import mocapella as mo


@pytest.fixture(scope="module")
def walks(tmp_path_factory):
    folder = tmp_path_factory.mktemp("walks")
    for name, speed in (("slow", 0.9), ("medium", 1.2), ("fast", 1.5)):
        mo.save(mo.example("walk", speed=speed, frame_rate=30.0, cycles=3.0), folder / f"{name}.bvh")
    return folder


def test_a_motion_is_made_again_from_its_key_postures(answer, walks, tmp_path):
    said = answer("reduce", "postures", walks / "slow.bvh", "--within", 0.03, "-o", tmp_path / "again.bvh")
    assert said["off"] <= 0.03
    assert len(said["postures"]) < said["frames"] / 2
    again, clip = mo.load(tmp_path / "again.bvh"), mo.load(walks / "slow.bvh")
    apart = np.linalg.norm(again.positions - clip.captured.positions, axis=-1)
    np.testing.assert_allclose(apart.max(), said["off"], atol=1e-4)


def test_components_explain_what_was_asked_for(answer, walks):
    files = [walks / f"{name}.bvh" for name in ("slow", "medium", "fast")]
    said = answer("reduce", "components", *files, "--variance", 1.0)
    np.testing.assert_allclose(said["explained"][-1], 1.0)
    assert max(one["left_over"] for one in said["motions"]) < 1e-6
    first = [one["scores"][0] for one in said["motions"]]
    assert first in (sorted(first), sorted(first, reverse=True))  # walks that differ in speed alone lie on one line


def test_a_motion_is_told_by_shares_of_others(answer, run, walks):
    words = ("reduce", "mixture", walks / "medium.bvh", walks / "slow.bvh", walks / "fast.bvh")
    said = answer(*words, "--given", "speed=0.9,1.5")
    assert abs(said["labels"]["speed"] - 1.2) < 0.06
    np.testing.assert_allclose(sum(said["weights"].values()), 1.0)
    for given, reason in (
        ("speed=1", "given for 1 of 2"),
        ("speed=a,b", "a number for speed"),
        ("speed", "a label and"),
    ):
        result = run(*words, "--given", given)
        assert (result.exit_code, reason in result.stderr) == (1, True)
