"""SMPL and AMASS motions: both styles of keys, z up, a body that nobody licensed, and files of strangers."""

import io
import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

import mocapella as mo
from mocapella.cli import main
from mocapella.errors import FormatError
from mocapella.files.smpl import npz
from mocapella.files.smpl.smpl_body import HEIGHT, default_body
from mocapella.geometry import quaternions
from mocapella.rig.names import ROLES
from tests.files.smpl.doubles import PELVIS, Y_TO_Z, arrays, model, performed


@pytest.fixture(scope="module")
def walk():
    return mo.example("walk", frame_rate=60.0)


def written(path, content):
    np.savez(path, **content)
    return path


@pytest.mark.parametrize("count", [22, 24, 52, 55])
def test_the_default_body_stands_on_its_soles_and_plays_every_role(count):
    body = default_body(count)
    assert len(mo.find_roles(body)) == len(ROLES)
    np.testing.assert_allclose(body.rest_end_positions[:, 1].min(), 0.0, atol=1e-9)
    np.testing.assert_allclose(body.rest_end_positions[:, 1].max(), HEIGHT, atol=1e-3)


@pytest.mark.parametrize(("count", "style"), [(24, "amass"), (52, "amass"), (22, "smplx"), (55, "smplx")])
def test_joints_are_where_the_model_puts_them(tmp_path, walk, count, style):
    """By SMPL's own definition: the pelvis at trans plus its rest place, all else by rotations down the tree."""
    clip = performed(walk, count)
    file = written(tmp_path / "walk.npz", arrays(clip, style=style))
    read = mo.load(file, skeleton=model(tmp_path / "model.npz", clip.skeleton))
    assert (read.frame_rate, read.report.up_axis, read.n_frames) == (clip.frame_rate, "z", clip.n_frames)
    np.testing.assert_allclose(read.positions, clip.positions, atol=1e-5)
    assert len(mo.find_roles(read.skeleton)) == len(ROLES)


def test_axis_angles_mean_what_scipy_makes_of_them(tmp_path):
    from scipy.spatial.transform import Rotation

    rng = np.random.default_rng(2)
    vectors = rng.normal(scale=0.7, size=(5, 22, 3))
    vectors[2, 3] *= 1e-9
    body = default_body(22)
    content = {"poses": vectors.reshape(5, 66), "trans": rng.normal(size=(5, 3)), "mocap_framerate": 100.0}
    read = mo.load(written(tmp_path / "a.npz", content), skeleton=model(tmp_path / "m.npz", body))
    turns = Rotation.from_rotvec(vectors.reshape(-1, 3)).as_matrix().reshape(5, 22, 3, 3)
    world, places = np.zeros_like(turns), np.zeros((5, 22, 3))
    for joint, parent in enumerate(body.parents):
        if parent < 0:
            world[:, 0], places[:, 0] = turns[:, 0], content["trans"] + PELVIS
        else:
            world[:, joint] = world[:, parent] @ turns[:, joint]
            places[:, joint] = places[:, parent] + world[:, parent] @ body.offsets[joint]
    up = Y_TO_Z.T if read.report.up_axis == "z" else np.eye(3)
    np.testing.assert_allclose(read.positions, places @ up.T, atol=1e-6)


def test_betas_shape_the_body_of_a_model(tmp_path, walk):
    content = arrays(performed(walk))
    file, body = tmp_path / "walk.npz", model(tmp_path / "model.npz", default_body(24))
    plain = mo.load(written(file, content), skeleton=body)
    content["betas"][1] = 1.0
    taller = mo.load(written(file, content), skeleton=body)
    np.testing.assert_allclose(taller.skeleton.offsets[1:], 1.1 * plain.skeleton.offsets[1:], atol=1e-9)


@pytest.mark.parametrize("size", [0.8, 1.0, 1.12])
def test_without_a_model_the_feet_tell_the_size(tmp_path, walk, size):
    clip = performed(walk, 52, size)
    read = mo.load(written(tmp_path / "walk.npz", arrays(clip)))
    assert read.report.height == pytest.approx(size * HEIGHT, rel=0.04)
    (finding,) = [one for one in read.report.findings if one.code == "default-body"]
    assert not finding.doubtful
    soles = read.end_positions[..., 1].min(axis=1)
    assert np.percentile(soles, 5) == pytest.approx(0.0, abs=0.01)


def test_other_keys_and_missing_ones_are_read_and_told(tmp_path, walk):
    content = arrays(performed(walk, 22))
    poses = content["poses"]
    plain = {"global_orient": poses[:, :3].reshape(-1, 1, 3), "body_pose": poses[:, 3:].reshape(-1, 21, 3)}
    read = mo.load(written(tmp_path / "video.npz", plain | {"transl": content["trans"]}))
    assert read.frame_rate == 30.0
    assert "frame-rate-assumed" in {one.code for one in read.report.findings}
    assert mo.load(tmp_path / "video.npz", frame_rate=50.0).frame_rate == 50.0
    with pytest.warns(mo.MotionWarning, match="holds no trans"):
        mo.load(written(tmp_path / "still.npz", plain))


@pytest.mark.parametrize("travels", [True, False])
@pytest.mark.filterwarnings("ignore::mocapella.MotionWarning")
def test_poses_in_the_axes_of_a_camera_whose_y_points_down_are_stood_upright(tmp_path, walk, travels):
    content = arrays(performed(walk, 22))
    upright = mo.load(written(tmp_path / "room.npz", content))
    turn = np.diag([1.0, -1.0, -1.0]) @ Y_TO_Z.T  # from z up to the camera's axes: x to the right, y down
    spin = quaternions.from_matrix(turn)
    first = quaternions.multiply(spin, quaternions.from_rotvec(content["poses"][:, :3]))
    content["poses"] = np.concatenate([quaternions.to_rotvec(first), content["poses"][:, 3:]], axis=1)
    content["trans"] = content["trans"] @ turn.T
    if not travels:
        del content["trans"]
    read = mo.load(written(tmp_path / "camera.npz", content))
    assert read.report.up_axis == "-y"
    if travels:
        np.testing.assert_allclose(read.skeleton.offsets[1:], upright.skeleton.offsets[1:], atol=1e-9)
        np.testing.assert_allclose(read.positions[..., 1], upright.positions[..., 1], atol=1e-6)
    else:
        roles = mo.find_roles(read.skeleton)
        assert (read.positions[:, roles["head"], 1] > read.positions[:, roles["left_ankle"], 1] + 1.0).all()


def test_someone_who_lies_is_still_read_with_z_up(tmp_path, walk):
    poses = np.zeros((4, 66))
    poses[:, :3] = [0.9, 0.9, 0.4]
    read = mo.load(written(tmp_path / "a.npz", {"poses": poses, "trans": np.zeros((4, 3)), "mocap_framerate": 60.0}))
    assert read.report.up_axis == "z"


# Writing


def test_a_motion_of_smpls_own_joints_is_written_and_read_without_loss(tmp_path, walk):
    clip = performed(walk, 52, 1.07)
    mo.save(clip, tmp_path / "a.npz")
    read = mo.load(tmp_path / "a.npz")
    np.testing.assert_allclose(read.positions, clip.positions, atol=1e-9)
    with np.load(tmp_path / "a.npz") as stored:
        assert stored["poses"].shape == (clip.n_frames, 156)
        np.testing.assert_allclose(stored["trans"][:, 2], clip.root_positions[:, 1])


def test_a_motion_of_any_body_is_written_as_smpl_has_it(tmp_path, walk):
    mo.save(walk, tmp_path / "a.npz")
    read = mo.load(tmp_path / "a.npz")
    own, roles = mo.find_roles(walk.skeleton), mo.find_roles(read.skeleton)
    assert set(roles) == set(ROLES)
    for role in ("hips", "left_hip", "left_knee", "left_ankle", "right_toe", "right_ankle"):
        np.testing.assert_allclose(read.positions[:, roles[role]], walk.positions[:, own[role]], atol=1e-4)
    off = np.linalg.norm(read.positions[:, roles["left_wrist"]] - walk.positions[:, own["left_wrist"]], axis=1)
    assert off.max() < 0.03  # joints between spine and chest are one


def test_poses_are_about_the_t_pose_of_the_models(tmp_path):
    """A body that stands in its T-pose has poses of nothing but the turn to z up."""
    still = performed(mo.example("walk", frame_rate=60.0))[:2]
    still = replace(still, rotations_wxyz=np.tile([1.0, 0.0, 0.0, 0.0], (2, still.skeleton.n_joints, 1)))
    renamed = replace(still, skeleton=replace(still.skeleton, names=tuple(f"{n}_x" for n in still.skeleton.names)))
    roles = {role: still.skeleton.names[joint] + "_x" for role, joint in mo.find_roles(still.skeleton).items()}
    mo.save(replace(renamed, skeleton=renamed.skeleton.with_roles(roles)), tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as stored:
        poses = stored["poses"].reshape(2, 24, 3)
    np.testing.assert_allclose(poses[:, 0], [[np.pi / 2, 0, 0]] * 2, atol=1e-9)
    assert np.degrees(np.linalg.norm(poses[:, 1:], axis=2)).max() < 12.0  # its limbs are not quite straight


# Files of strangers


def npy(shape, dtype="<f8", content=b"", fortran=False):
    file = io.BytesIO()
    header = {"descr": dtype, "fortran_order": fortran, "shape": shape}
    np.lib.format.write_array_header_1_0(file, header)
    return file.getvalue() + content


def archive(path, **members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(f"{name}.npy", content)
    return path


def test_pickles_are_never_opened(tmp_path):
    class Trap:
        def __reduce__(self):
            return (open, (str(tmp_path / "sprung"), "w"))

    np.savez(tmp_path / "a.npz", poses=np.array([Trap()], dtype=object), trans=np.zeros((1, 3)))
    with pytest.raises(FormatError, match=r"'poses' holds pickled objects, which are never read"):
        mo.load(tmp_path / "a.npz")
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ({"poses": npy((10**9, 72))}, "would take 576,000,000,000 bytes; 0 are there"),
        ({"poses": npy((2**59, 2**59))}, "would take"),
        ({"poses": npy((-4, 72))}, "cannot be read"),
        ({"poses": b"not an array"}, "not a NumPy array"),
        ({"poses": npy((1, 72), "<U4", bytes(288 * 4))}, "not numbers"),
        ({"poses": npy((1, 70), content=bytes(560))}, "expected 66, 72, 156, 165 numbers a frame, found 70"),
        ({"poses": npy((0, 72))}, "expected frames and numbers"),
        ({"poses": npy((72,), content=bytes(576))}, "expected frames and numbers"),
        ({"other": npy((1,), content=bytes(8))}, "holds no motion: expected poses, or root_orient"),
        ({"poses": npy((1, 72), content=bytes(576)), "trans": npy((2, 3), content=bytes(48))}, "expected \\(1, 3\\)"),
        ({"poses": npy((1, 72), content=np.full(72, np.nan).tobytes())}, "not a usable number, first in row 0"),
        ({"poses": npy((1, 72), content=bytes(576)), "mocap_framerate": npy((), content=bytes(8))}, "not a frame rate"),
    ],
)
def test_what_is_no_motion_is_refused_with_its_reason(tmp_path, members, reason):
    with pytest.raises(FormatError, match=reason):
        mo.load(archive(tmp_path / "a.npz", **members))


def test_an_archive_that_unpacks_to_more_than_is_read_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(npz, "LARGEST", 10**6)
    bomb = archive(tmp_path / "a.npz", poses=npy((20_000, 72)) + bytes(20_000 * 72 * 8))
    assert bomb.stat().st_size < 30_000
    with pytest.raises(FormatError, match="would take 11,520,000 bytes"):
        mo.load(bomb)
    (tmp_path / "b.npz").write_bytes(b"PK\x03\x04" + bytes(50))
    with pytest.raises(FormatError, match=r"is not an .npz archive"):
        mo.load(tmp_path / "b.npz")


def test_a_file_that_is_no_model_is_refused_by_name(tmp_path, walk):
    file = written(tmp_path / "walk.npz", arrays(performed(walk)))
    with pytest.raises(FormatError, match=r"walk.npz: is not a body model: it has no v_template"):
        mo.load(file, skeleton=file)
    with pytest.raises(FormatError, match="a model of 22 joints, the motion has 24"):
        mo.load(file, skeleton=model(tmp_path / "model.npz", default_body(22)))


@pytest.mark.parametrize("content", [b"", b"\x93NUMPY", b"\x93NUMPY\x01\x00"])
def test_an_array_that_ends_within_its_header_is_refused(tmp_path, content):
    with zipfile.ZipFile(tmp_path / "walk.npz", "w") as file:
        file.writestr("poses.npy", content)
    with pytest.raises(FormatError, match="its array 'poses' is not a NumPy array"):
        mo.load(tmp_path / "walk.npz")


# Real captures, as AMASS would have them


@pytest.mark.data
def test_real_captures_come_back_and_make_a_network(tmp_path, data_folder):
    names = []
    for trial in ("35/35_01", "35/35_17", "35/35_29"):
        clip = mo.load(data_folder / "cmu-bvh" / f"{trial}.bvh")
        clip = performed(replace(clip.captured.resampled(60.0), name=clip.name), 52)
        names.append(str(written(tmp_path / f"{clip.name}.npz", arrays(clip))))
        exact = mo.load(names[-1], skeleton=model(tmp_path / "model.npz", clip.skeleton))
        np.testing.assert_allclose(exact.positions, clip.positions, atol=1e-4)
    told = json.loads(CliRunner().invoke(main, ["info", *names, "--json"], catch_exceptions=False).stdout)
    assert [len(one["roles"]) for one in told["files"]] == [len(ROLES)] * 3
    assert [one["up_axis"] for one in told["files"]] == ["z"] * 3
    network = str(tmp_path / "net.moca")
    built = CliRunner().invoke(main, ["build", *names, "-o", network, "--json"], catch_exceptions=False)
    assert built.exit_code == 0
    assert len(json.loads(built.stdout)["nodes"]) >= 2
    played = ["play", network, "--point", "0", "1.4", "--seconds", "2", "-o", str(tmp_path / "out.bvh"), "--json"]
    assert json.loads(CliRunner().invoke(main, played, catch_exceptions=False).stdout)["slip_mm_max"] < 1.0
