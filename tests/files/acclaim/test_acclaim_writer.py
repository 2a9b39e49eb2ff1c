import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.errors import MotionError
from mocapella.files.acclaim.acclaim_writer import write_amc
from mocapella.files.acclaim.asf import read_asf
from mocapella.files.bvh import read_bvh
from mocapella.geometry import euler, quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.report import Report
from mocapella.motion.skeleton import Skeleton
from tests.files.acclaim.asf_samples import load_amc

CMU = 0.0254 / 0.45  # metres
seeds = st.integers(0, 2**32 - 1)


def clip_of(parsed, source="", metres_per_unit=None):
    scale = metres_per_unit or parsed.metres_per_unit or 1.0
    return Clip(
        parsed.skeleton.scaled(scale),
        parsed.root_positions * scale,
        parsed.rotations_wxyz,
        parsed.frame_rate,
        source=str(source),
        report=Report(metres_per_unit=scale),
    )


def written(clip, folder):
    write_amc(clip, folder / "out.amc")
    return clip_of(load_amc(folder / "out.amc", folder / "out.asf"), folder / "out.amc")


def degrees_apart(a, b):
    return np.degrees(quaternions.angle_between(a, b)).max()


# Laws


def random_tree(seed, *, acclaim):
    """Any tree; one of Acclaim has axes, few dofs, and children where their bone ends."""
    rng = np.random.default_rng(seed)
    n_joints = int(rng.integers(2, 8))
    parents = [-1, *(int(rng.integers(0, joint)) for joint in range(1, n_joints))]
    offsets = rng.normal(size=(n_joints, 3))
    offsets[rng.random(n_joints) < 0.2] = 0.0
    leaves = sorted(set(range(1, n_joints)) - set(parents))
    ends = [(f"j{joint}", rng.normal(size=3)) for joint in leaves]
    if not acclaim:
        ends += [(f"j{rng.integers(0, n_joints)}", rng.normal(size=3))]
        orders = list(rng.choice(np.array(euler.ORDERS), n_joints))
        return Skeleton.of([f"j{i}" for i in range(n_joints)], parents, offsets, ends=ends, rotation_orders=orders)
    offsets[0] = 0.0
    for joint in range(1, n_joints):
        first = parents.index(parents[joint])
        offsets[joint] = 0.0 if parents[joint] == 0 else offsets[first]
    orders = ["ZYX", *rng.choice(np.array(["", "X", "Y", "Z", "ZX", "XY", "YX", "ZYX", "XZY"]), n_joints - 1)]
    axes = quaternions.normalise(rng.normal(size=(n_joints, 4)))
    axes[0] = quaternions.IDENTITY
    limits = np.tile([-np.inf, np.inf], (n_joints, 3, 1))
    for joint, order in enumerate(orders):
        if joint and len(order) > 1:
            limits[joint, "XYZ".index(order[0])] = [-1.0, 2.0]
    names = ["root", *(f"j{i}" for i in range(1, n_joints))]
    return Skeleton.of(names, parents, offsets, ends=ends, rotation_orders=orders, axes_wxyz=axes, limits=limits)


def motion(skeleton, seed, n_frames=9):
    """A motion within the dofs: angles that wander through all the circle."""
    rng = np.random.default_rng(seed)
    rotations = np.tile(quaternions.IDENTITY, (n_frames, skeleton.n_joints, 1))
    for joint, order in enumerate(skeleton.rotation_orders):
        if order:
            angles = rng.uniform(-4, 4, len(order)) + np.cumsum(rng.normal(size=(n_frames, len(order))), axis=0)
            stated = euler.to_quaternion(angles, order)
            axis = skeleton.axes_wxyz[joint]
            turned = quaternions.multiply(quaternions.multiply(axis, stated), quaternions.conjugate(axis))
            rotations[:, joint] = turned
    return Clip(skeleton, rng.normal(size=(n_frames, 3)), rotations, frame_rate=60.0)


@settings(max_examples=40, deadline=None)
@given(seed=seeds)
def test_what_fits_acclaim_comes_back_with_its_bones_axes_dofs_and_limits(tmp_path_factory, seed):
    skeleton = random_tree(seed, acclaim=True)
    clip = motion(skeleton, seed)
    clip = Clip(skeleton, clip.root_positions, clip.rotations_wxyz, 60.0, source="x.amc", report=Report(CMU))
    back = written(clip, tmp_path_factory.mktemp("acclaim"))
    order = [back.skeleton.index(name) for name in skeleton.names]  # depth first now
    assert back.skeleton.n_joints == skeleton.n_joints
    assert back.frame_rate == 60.0
    assert tuple(back.skeleton.rotation_orders[i] for i in order) == skeleton.rotation_orders
    np.testing.assert_allclose(back.skeleton.offsets[order], skeleton.offsets, atol=1e-9)
    np.testing.assert_allclose(back.skeleton.limits[order], skeleton.limits, atol=1e-9)
    assert degrees_apart(back.skeleton.axes_wxyz[order], skeleton.axes_wxyz) < 1e-6
    assert degrees_apart(back.rotations_wxyz[:, order], clip.rotations_wxyz) < 1e-6
    np.testing.assert_allclose(back.positions[:, order], clip.positions, atol=1e-8)


@settings(max_examples=40, deadline=None)
@given(seed=seeds)
def test_any_tree_keeps_all_its_joints_and_ends_where_they_are(tmp_path_factory, seed):
    skeleton = random_tree(seed, acclaim=False)
    clip = motion(skeleton, seed)
    back = written(clip, tmp_path_factory.mktemp("acclaim"))
    order = [0, *(back.skeleton.index(name) for name in skeleton.names[1:])]
    np.testing.assert_allclose(back.positions[:, order], clip.positions, atol=1e-7)
    assert degrees_apart(back.world[1][:, order], clip.world[1]) < 1e-6
    ends = np.concatenate([back.positions, back.end_positions], axis=1)
    for place in np.moveaxis(clip.end_positions, 1, 0):
        assert np.linalg.norm(ends - place[:, None], axis=-1).max(axis=0).min() < 1e-7


@settings(max_examples=15, deadline=None)
@given(seed=seeds)
def test_writing_what_was_written_adds_no_more_bones(tmp_path_factory, seed):
    folder = tmp_path_factory.mktemp("acclaim")
    once = written(motion(random_tree(seed, acclaim=False), seed), folder)
    twice = written(once, folder)
    assert twice.skeleton.names == once.skeleton.names
    assert twice.skeleton.rotation_orders == once.skeleton.rotation_orders
    np.testing.assert_allclose(twice.positions, once.positions, atol=1e-8)


# Examples


def chain(orders=("ZYX", "X", ""), **options):
    return Skeleton.of(
        ["root", "knee", "toe"],
        [-1, 0, 1],
        [[0, 0, 0], [0, 0, 0], [0, -1, 0]],
        ends={"toe": [0, 0, 0.1]},
        rotation_orders=list(orders),
        **options,
    )


def test_a_rotation_that_does_not_fit_its_dofs_gets_all_three(tmp_path):
    clip = motion(chain(), 1)
    assert written(clip, tmp_path).skeleton.rotation_orders == ("ZYX", "X", "")
    edited = np.array(clip.rotations_wxyz)
    edited[3, 1] = quaternions.multiply(edited[3, 1], quaternions.from_rotvec(np.array([0.0, 1e-3, 0.0])))
    edited[5, 2] = quaternions.from_rotvec(np.array([0.0, 0.0, 0.2]))
    clip = Clip(clip.skeleton, clip.root_positions, edited, 60.0)
    back = written(clip, tmp_path)
    assert back.skeleton.rotation_orders == ("ZYX", "ZYX", "ZYX")
    assert degrees_apart(back.rotations_wxyz, clip.rotations_wxyz) < 1e-6


def test_angles_run_on_past_half_a_turn(tmp_path):
    turns = np.linspace(0, 4 * np.pi, 50)
    rotations = np.tile(quaternions.IDENTITY, (50, 3, 1))
    rotations[:, 1] = euler.to_quaternion(turns[:, None], "X")
    write_amc(Clip(chain(), np.zeros((50, 3)), rotations, 60.0), tmp_path / "out.amc")
    lines = (tmp_path / "out.amc").read_text().splitlines()
    angles = [float(line.split()[1]) for line in lines if line.startswith("knee")]
    np.testing.assert_allclose(angles, np.degrees(turns), atol=1e-6)


def test_children_at_different_places_hang_on_stiff_bones(tmp_path):
    names = ["hips", "left leg", "right leg", "left leg_base"]
    skeleton = Skeleton.of(names, [-1, 0, 0, 1], [[0, 0, 0], [1, 0, 0], [-1, 0, 0], [0, -1, 0]])
    back = written(motion(skeleton, 2), tmp_path)
    assert back.skeleton.names == (
        "root", "left_leg_base_2", "left_leg", "left_leg_base", "right_leg_base", "right_leg",
    )  # fmt: skip
    assert [back.skeleton.rotation_orders[i] for i in (1, 4)] == ["", ""]


def test_names_that_files_cannot_hold_are_respelled_and_stay_different(tmp_path):
    names = ["hips", "a b", "a_b", "12", "root", "#x", ":y", "50%", "kné", "end"]
    offsets = np.zeros((10, 3))
    skeleton = Skeleton.of(names, [-1, *range(9)], offsets)
    back = written(motion(skeleton, 3), tmp_path)
    assert back.skeleton.names == ("root", "a_b", "a_b_2", "_12", "root_2", "_x", "_:y", "50%", "kné", "end")


def test_joints_that_slide_cannot_be_written(tmp_path):
    clip = motion(chain(), 1)
    sliding = Clip(
        clip.skeleton, clip.root_positions, clip.rotations_wxyz, 60.0,
        sliding_joints=np.array([1]), slides=np.zeros((9, 1, 3)),
    )  # fmt: skip
    with pytest.raises(MotionError, match="cannot slide, and knee"):
        write_amc(sliding, tmp_path / "out.amc")
    assert list(tmp_path.iterdir()) == []


def test_skeleton_and_motion_cannot_be_one_file(tmp_path):
    with pytest.raises(MotionError, match="two files"):
        write_amc(motion(chain(), 1), tmp_path / "out.asf")


def test_the_unit_of_the_source_is_kept_where_it_will_be_understood(tmp_path):
    clip = motion(chain(), 1)

    def length(source, metres_per_unit):
        report = Report(metres_per_unit=metres_per_unit)
        write_amc(
            Clip(clip.skeleton, clip.root_positions, clip.rotations_wxyz, 60.0, source=source, report=report),
            tmp_path / "out.amc",
        )
        asf = read_asf(tmp_path / "out.asf")
        assert np.linalg.norm(asf.skeleton.offsets[2]) * asf.metres_per_unit == pytest.approx(1.0)
        return asf.length

    assert length("walk.amc", 1.0) == pytest.approx(0.0254)
    assert length("walk.amc", CMU) == pytest.approx(0.45)
    assert length("walk.amc", 0.123) == pytest.approx(0.45)
    assert length("walk.bvh", 0.01) == pytest.approx(0.45)
    assert length("", 1.0) == pytest.approx(0.45)


# Real captures


@pytest.mark.data
@pytest.mark.parametrize("trial", ["07_01", "05_11"])
def test_a_capture_comes_back_as_it_was(data_folder, tmp_path, trial):
    folder = data_folder / "cmu-asfamc" / trial[:2]
    clip = clip_of(load_amc(folder / f"{trial}.amc", folder / f"{trial[:2]}.asf"), f"{trial}.amc")
    back = written(clip, tmp_path)
    assert back.skeleton.names == clip.skeleton.names
    assert back.skeleton.rotation_orders == clip.skeleton.rotation_orders
    np.testing.assert_allclose(back.skeleton.limits, clip.skeleton.limits)
    np.testing.assert_allclose(back.skeleton.offsets, clip.skeleton.offsets, atol=1e-10)
    np.testing.assert_allclose(back.skeleton.end_offsets, clip.skeleton.end_offsets, atol=1e-10)
    assert degrees_apart(back.rotations_wxyz, clip.rotations_wxyz) < 1e-6
    np.testing.assert_allclose(back.positions, clip.positions, atol=1e-8)


@pytest.mark.data
def test_a_motion_by_endorphin_comes_back_as_it_was(data_folder, tmp_path):
    folder = data_folder / "odd-asfamc"
    clip = clip_of(load_amc(folder / "endorphin-walking.amc", folder / "endorphin-skeleton.asf"), "walking.amc")[:200]
    back = written(clip, tmp_path)
    assert back.skeleton.names == clip.skeleton.names
    assert back.skeleton.rotation_orders == clip.skeleton.rotation_orders
    np.testing.assert_allclose(back.end_positions, clip.end_positions, atol=1e-7)


@pytest.mark.data
@pytest.mark.parametrize("name", ["cmu-bvh/07/07_01.bvh", "odd-bvh/pybvh-bvh_test3.bvh", "makehuman/walk1.bvh"])
def test_a_bvh_file_written_as_acclaim_has_its_joints_where_they_were(data_folder, tmp_path, name):
    parsed = read_bvh(data_folder / name)
    clip = clip_of(parsed, name, metres_per_unit=CMU if "cmu" in name else 0.01)[:100]
    back = written(clip, tmp_path)
    order = [0, *(back.skeleton.index(joint.replace(" ", "_")) for joint in clip.skeleton.names[1:])]
    np.testing.assert_allclose(back.positions[:, order], clip.positions, atol=1e-6)
