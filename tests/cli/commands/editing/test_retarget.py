"""The command that carries a motion to another skeleton."""

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import perform


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bodies")
    mo.save(perform("walk", speed=1.2)[0], folder / "walk.bvh")
    mo.save(perform("walk", height=1.2)[0], folder / "child.bvh")
    return folder


def test_retarget_writes_what_the_library_carries_over(files, tmp_path, answer):
    told = answer("retarget", files / "walk.bvh", files / "child.bvh", "-o", tmp_path / "out.bvh", "--as-captured")
    walk, child = (mo.load(files / f"{name}.bvh") for name in ("walk", "child"))
    wanted, written = mo.retarget(walk, child), mo.load(tmp_path / "out.bvh")
    np.testing.assert_allclose(written.positions, wanted.positions, atol=1e-4)
    assert {"path", "roles", "unmatched", "scale", "slip_mm_max"} <= set(told)
    assert (told["roles"]["left_knee"], told["unmatched"]) == ("LeftLeg", [])
    assert 0.6 < told["scale"] < 0.8


def test_a_hand_can_be_pinned_and_both_bodies_drawn(files, tmp_path, run):
    place = mo.load(files / "child.bvh").positions[
        0, mo.find_roles(mo.load(files / "child.bvh").skeleton)["left_wrist"]
    ]
    words = ("--pin", "left_wrist", *place, "--picture", tmp_path / "both.png")
    result = run("retarget", files / "walk.bvh", files / "child.bvh", "-o", tmp_path / "out.bvh", *words)
    assert result.exit_code == 0, result.stderr
    assert "21 roles" in result.stdout
    assert (tmp_path / "both.png").stat().st_size > 10_000


def test_a_skeleton_without_legs_is_refused_in_one_line(files, tmp_path, run):
    (tmp_path / "chain.bvh").write_text(
        "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
        "JOINT b\n{\nOFFSET 0 50 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 50 0\n}\n}\n}\n"
        "MOTION\nFrames: 1\nFrame Time: 0.01\n0 0 0 0 0 0 0 0 0\n"
    )
    result = run("retarget", files / "walk.bvh", tmp_path / "chain.bvh", "-o", tmp_path / "out.bvh")
    assert result.exit_code == 1
    assert "error: the skeleton to retarget to has no hips" in result.stderr
    assert not (tmp_path / "out.bvh").exists()
