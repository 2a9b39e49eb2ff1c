"""USD files, read back by usd-core: joints, times, units and the rules of its own checker."""

import numpy as np
import pytest

import mocapella as mo
from mocapella.body.skin import body_mesh

Usd = pytest.importorskip("pxr.Usd", reason="needs usd-core: pip install 'mocapella[usd]'")
from pxr import Gf, UsdGeom, UsdSkel, UsdValidation  # noqa: E402


@pytest.fixture(scope="module")
def walk():
    return mo.example("walk", turn=0.4, frame_rate=30.0)


def posed(path, frame):
    """Joint name → place in the world, as UsdSkel works it out."""
    stage = Usd.Stage.Open(str(path))
    cache = UsdSkel.Cache()
    root = UsdSkel.Root(stage.GetDefaultPrim())
    cache.Populate(root, Usd.TraverseInstanceProxies())
    skeleton = UsdSkel.Skeleton(stage.GetPrimAtPath("/Character/Skeleton"))
    query = cache.GetSkelQuery(skeleton)
    matrices = query.ComputeJointSkelTransforms(Usd.TimeCode(frame))
    names = skeleton.GetJointNamesAttr().Get()
    return {str(name): np.array(matrix.ExtractTranslation()) for name, matrix in zip(names, matrices, strict=True)}


@pytest.mark.parametrize("suffix", [".usda", ".usdc", ".usd", ".usdz"])
@pytest.mark.parametrize("root_motion", ["hips", "root"])
def test_usd_core_finds_every_joint_where_we_put_it(walk, tmp_path, suffix, root_motion):
    path = tmp_path / f"walk{suffix}"
    mo.save(walk, path, root_motion=root_motion)
    for frame in (0, 17, walk.n_frames - 1):
        places = posed(path, frame)
        assert ("root" in places) == (root_motion == "root")
        for joint, name in enumerate(walk.skeleton.names):
            np.testing.assert_allclose(places[name], walk.positions[frame, joint], atol=1e-4)


def test_the_stage_is_in_metres_with_y_up_and_a_time_code_a_frame(walk, tmp_path):
    cycle = mo.prepare(walk)
    mo.save([cycle, cycle], tmp_path / "walk.usda", names="unreal")
    stage = Usd.Stage.Open(str(tmp_path / "walk.usda"))
    assert UsdGeom.GetStageUpAxis(stage) == "Y"
    assert UsdGeom.GetStageMetersPerUnit(stage) == 1.0
    assert stage.GetTimeCodesPerSecond() == cycle.frame_rate
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (0.0, cycle.n_frames)  # the last key is the first
    animations = [prim for prim in stage.Traverse() if prim.IsA(UsdSkel.Animation)]
    assert [prim.GetName() for prim in animations] == ["walk_loop", "walk_loop_"]
    assert "thigh_l" in UsdSkel.Skeleton(stage.GetPrimAtPath("/Character/Skeleton")).GetJointNamesAttr().Get()
    rest = UsdGeom.Mesh(stage.GetPrimAtPath("/Character/Body")).GetPointsAttr().Get()
    assert abs(float(np.array(rest)[:, 1].min())) < 1e-6


def test_the_body_moves_with_its_bones(walk, tmp_path):
    mo.save(walk, tmp_path / "walk.usdc")
    stage = Usd.Stage.Open(str(tmp_path / "walk.usdc"))
    UsdSkel.BakeSkinning(UsdSkel.Root(stage.GetDefaultPrim()), Gf.Interval(20, 20))
    points = np.array(UsdGeom.Mesh(stage.GetPrimAtPath("/Character/Body")).GetPointsAttr().Get(20))
    np.testing.assert_allclose(points, body_mesh(walk.skeleton).posed(*walk.world)[20], atol=1e-4)


def test_the_checker_of_usd_finds_nothing(walk, tmp_path):
    path = tmp_path / "walk.usdc"
    mo.save(walk, path)
    rules = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    assert len(rules) > 20
    found = UsdValidation.ValidationContext(rules).Validate(Usd.Stage.Open(str(path)))
    assert [error.GetMessage() for error in found] == []


def test_motions_of_different_rates_are_refused(walk, tmp_path):
    with pytest.raises(mo.MotionError, match="these have 30, 60 Hz"):
        mo.save([walk, walk.resampled(60.0)], tmp_path / "walk.usda")
