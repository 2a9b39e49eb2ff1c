"""USD files read: joints where usd-core has them, on stages that others make."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import mocapella as mo
from mocapella.cli import main
from mocapella.errors import FormatError
from tests.files.fbx.fbx_samples import person

Usd = pytest.importorskip("pxr.Usd", reason="needs usd-core: pip install 'mocapella[usd]'")
from pxr import Gf, Sdf, UsdGeom, UsdSkel, Vt  # noqa: E402
from scipy.spatial.transform import Rotation  # noqa: E402

N = 12


def stage_of(path, *, up="Y", metres=0.01, rate=24.0, times=None, animations=("Walk",)):
    """A stage with a walking body in centimetres; what stands above the skeleton is moved as well.

    Its animation has the joints in another order than the skeleton, and lacks the last.
    """
    bones = person(N, prefix="")
    stage = Usd.Stage.CreateNew(str(path))
    UsdGeom.SetStageUpAxis(stage, up)
    UsdGeom.SetStageMetersPerUnit(stage, metres)
    stage.SetTimeCodesPerSecond(rate)
    root = UsdSkel.Root.Define(stage, "/Root")
    stage.SetDefaultPrim(root.GetPrim())
    above = UsdGeom.Xform.Define(stage, "/Root/Rig")
    if up == "Z":
        above.AddRotateXOp().Set(90.0)
    slides = above.AddTranslateOp()
    skeleton = UsdSkel.Skeleton.Define(stage, "/Root/Rig/Skeleton")
    joints, rest, world = [], [], []
    for bone in bones:
        joints.append((joints[bone.parent] + "/" if bone.parent >= 0 else "") + bone.name)
        local = np.eye(4)
        local[3, :3] = np.atleast_2d(bone.place)[0]
        rest.append(local)
        world.append(local if bone.parent < 0 else local @ world[bone.parent])
    skeleton.CreateJointsAttr(joints)
    skeleton.CreateRestTransformsAttr([Gf.Matrix4d(matrix) for matrix in rest])
    skeleton.CreateBindTransformsAttr([Gf.Matrix4d(matrix) for matrix in world])
    for number, name in enumerate(animations):
        animation = UsdSkel.Animation.Define(stage, f"/Root/Rig/{name}")
        order = [*range(len(joints) - 1)][::-1]
        animation.CreateJointsAttr([joints[i] for i in order])
        animation.CreateScalesAttr(Vt.Vec3hArray([Gf.Vec3h(1, 1, 1)] * len(order)))
        for frame, time in enumerate(np.arange(N) if times is None else times):
            places = [np.broadcast_to(bones[i].place, (N, 3))[frame].tolist() for i in order]
            angles = [(1.0 + number) * np.broadcast_to(bones[i].angles, (N, 3))[frame] for i in order]
            turns = Rotation.from_euler("xyz", angles, degrees=True).as_quat()
            animation.CreateTranslationsAttr().Set([Gf.Vec3f(*place) for place in places], float(time))
            quats = [Gf.Quatf(w, x, y, z) for x, y, z, w in turns.tolist()]
            animation.CreateRotationsAttr().Set(Vt.QuatfArray(quats), float(time))
            slides.Set(Gf.Vec3d(3.0 * frame, 0.0, 0.0), float(time))
        if number == len(animations) - 1:
            UsdSkel.BindingAPI.Apply(skeleton.GetPrim()).CreateAnimationSourceRel().SetTargets([animation.GetPath()])
    stage.GetRootLayer().Save()
    return path, [bone.name for bone in bones]


def judged(path, times):
    """Places of joints in the world, as UsdSkel works them out for the animation that is bound."""
    stage = Usd.Stage.Open(str(path))
    cache = UsdSkel.Cache()
    cache.Populate(UsdSkel.Root(stage.GetDefaultPrim()), Usd.TraverseInstanceProxies())
    skeleton = UsdSkel.Skeleton(stage.GetPrimAtPath("/Root/Rig/Skeleton"))
    query = cache.GetSkelQuery(skeleton)
    out = []
    for time in times:
        matrices = query.ComputeJointWorldTransforms(UsdGeom.XformCache(Usd.TimeCode(time)))
        out.append([np.array(matrix.ExtractTranslation()) for matrix in matrices])
    return np.array(out)


def found(clip, names):
    return clip.positions[:, [clip.skeleton.index(name) for name in names]]


@pytest.mark.parametrize("suffix", [".usda", ".usdc"])
def test_joints_are_where_usd_core_has_them(tmp_path, suffix):
    path, names = stage_of(tmp_path / f"walk{suffix}")
    clip = mo.load(path)
    np.testing.assert_allclose(found(clip, names), 0.01 * judged(path, range(N)), atol=1e-6)
    assert (clip.frame_rate, clip.n_frames, clip.report.unit) == (24.0, N, "cm")
    assert len(mo.find_roles(clip.skeleton)) == 21


def test_a_room_with_z_up_is_turned(tmp_path):
    path, names = stage_of(tmp_path / "walk.usda", up="Z")
    clip = mo.load(path)
    assert clip.report.up_axis == "z"
    turned = 0.01 * judged(path, range(N))[..., [0, 2, 1]] * [1, 1, -1]
    np.testing.assert_allclose(found(clip, names), turned, atol=1e-6)


def test_samples_at_uneven_times_are_resampled(tmp_path):
    times = np.sort(np.random.default_rng(3).uniform(0.0, 30.0, N))
    path, names = stage_of(tmp_path / "walk.usda", times=times)
    clip = mo.load(path)
    assert clip.frame_rate == 60.0
    codes = times[0] + np.arange(clip.n_frames) * 24.0 / 60.0
    np.testing.assert_allclose(
        found(clip, names), 0.01 * judged(path, codes), atol=2e-4
    )  # it mixes rotations another way
    assert "resampled" in {finding.code for finding in clip.report.findings}


def test_each_animation_has_its_name_and_the_bound_one_comes_first(tmp_path):
    path, names = stage_of(tmp_path / "walk.usda", animations=("Walk", "Run"))
    np.testing.assert_allclose(found(mo.load(path), names), 0.01 * judged(path, range(N)), atol=1e-6)
    info = CliRunner().invoke(main, ["info", str(path), "--json"], catch_exceptions=False)
    assert [entry["path"].rpartition("#")[2] for entry in json.loads(info.stdout)["files"]] == ["Run", "Walk"]
    assert np.abs(found(mo.load(f"{path}#Walk"), names) - found(mo.load(f"{path}#Run"), names)).max() > 0.01


@pytest.mark.parametrize("suffix", [".usda", ".usdc", ".usd", ".usdz"])
def test_what_is_written_comes_back(tmp_path, suffix):
    walk = mo.example("walk", turn=0.4, frame_rate=30.0)[:40]
    mo.save(walk, tmp_path / f"walk{suffix}")
    clip = mo.load(tmp_path / f"walk{suffix}")
    np.testing.assert_allclose(found(clip, walk.skeleton.names), walk.positions, atol=1e-5)
    done = CliRunner().invoke(main, ["convert", str(tmp_path / f"walk{suffix}"), str(tmp_path / "a.bvh"), "--json"])
    assert json.loads(done.stdout)["frames"] == 40


def test_a_file_may_be_made_of_others_in_its_folder_alone(tmp_path):
    folder = tmp_path / "scene"
    folder.mkdir()
    _, names = stage_of(folder / "body.usda")
    near, far = (Sdf.Layer.CreateNew(str(folder / name)) for name in ("near.usda", "far.usda"))
    near.subLayerPaths.append("body.usda")
    near.defaultPrim = "Root"
    for key, value in (("metersPerUnit", 0.01), ("upAxis", "Y"), ("timeCodesPerSecond", 24.0)):
        near.pseudoRoot.SetInfo(key, value)
    near.Save()
    assert set(names) <= set(mo.load(folder / "near.usda").skeleton.names)
    (folder / "body.usda").rename(tmp_path / "body.usda")
    far.subLayerPaths.append("../body.usda")
    far.Save()
    with pytest.raises(FormatError, match=r"is made of a file outside of its folder: .*body.usda"):
        mo.load(folder / "far.usda")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"#usda 1.0\n", "holds no skeleton: there is no UsdSkel skeleton with joints in it"),
        (b"no scene", "is not a readable USD file"),
        (b"PXR-USDC" + b"\0" * 80, "USD"),
        (b'#usda 1.0\ndef Skeleton "s"\n{\n uniform token[] joints = ["a", "a/b"]\n}\n', "rest transforms of 0 of 2"),
    ],
)
def test_what_is_no_motion_is_refused(tmp_path, content, reason):
    (tmp_path / "a.usd").write_bytes(content)
    with pytest.raises(FormatError, match=reason):
        mo.load(tmp_path / "a.usd")
