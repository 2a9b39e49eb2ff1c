"""VMD files: keys and curves by their definition, legs by targets, and what is refused."""

import json
import shutil
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import mocapella as mo
from mocapella.cli import main
from mocapella.errors import FormatError
from mocapella.files.vmd.vmd_keys import read_keys
from mocapella.files.vmd.vmd_reader import read_vmd
from tests.files.vmd.vmd_samples import ANKLE, LEG, UNIT, Key, performed, place_of, turn_of, written

JS = Path(__file__).resolve().parents[2] / "js"
KNEE, FOOT = (0.0, -4.7, 0.1), (0.0, -5.2, -0.3)  # from the hip, from the knee


@pytest.fixture
def load(tmp_path):
    """Reads keys as a file; places of joints in units."""

    def read(bones, *switches, **options):
        path = tmp_path / "a.vmd"
        path.write_bytes(written(bones, switches, **options))
        parsed = read_vmd(path)
        places = mo.Clip(parsed.skeleton, parsed.root_positions, parsed.rotations_wxyz, 30.0).positions
        return dict(zip(parsed.skeleton.names, np.moveaxis(places, 1, 0), strict=True)), parsed

    return read


@pytest.fixture(scope="module")
def walk():
    return mo.example("walk", frame_rate=30.0)


def test_a_body_that_nothing_moves_stands_on_the_ground_in_the_pose_of_the_models(load):
    places, parsed = load({"センター": [Key(0)]})
    np.testing.assert_allclose(places["左足首"][0], ANKLE, atol=1e-9)
    assert places["頭"][0, 1] * UNIT == pytest.approx(1.376)
    down = places["左手首"][0] - places["左腕"][0]
    assert np.degrees(np.arctan2(-down[1], down[0])) == pytest.approx(37.0, abs=0.1)
    assert parsed.metres_per_unit == UNIT


@pytest.mark.parametrize(("channel", "axis"), [(0, 0), (1, 1), (2, 2)])
@settings(max_examples=15, deadline=None)
@given(handles=st.lists(st.integers(0, 127), min_size=4, max_size=4), frame=st.integers(1, 19))
def test_places_between_keys_follow_their_curves(tmp_path_factory, channel, axis, handles, frame):
    x1, y1, x2, y2 = (value / 127 for value in handles)

    def bezier(first, second, s):
        return 3 * (1 - s) ** 2 * s * first + 3 * (1 - s) * s**2 * second + s**3

    s = brentq(lambda s: bezier(x1, x2, s) - frame / 20, 0.0, 1.0, xtol=1e-14)
    curves = [(20, 20, 107, 107)] * 4
    curves[channel] = handles
    path = tmp_path_factory.mktemp("vmd") / "a.vmd"
    # The curve of a key leads to it; that of the first leads nowhere.
    path.write_bytes(
        written({"センター": [Key(0, handles=[(0, 127, 0, 127)] * 4), Key(20, (3, 3, 3), handles=curves)]})
    )
    places, _ = read_keys(path, partial=False)[0].bones["センター"].at(21)
    wanted = np.full(3, 3 * frame / 20) * [1, 1, -1]
    wanted[axis] *= bezier(y1, y2, s) * 20 / frame
    np.testing.assert_allclose(places[frame], wanted, atol=1e-6)


def test_rotations_between_keys_go_the_shortest_way_by_their_curve(tmp_path):
    ends = Rotation.from_rotvec([[0.0, 0.2, 0.0], [0.0, 1.4, 0.0]])
    late = [(20, 20, 107, 107)] * 3 + [(60, 0, 67, 127)]  # slow, fast, slow
    first, last = turn_of(ends)
    path = tmp_path / "a.vmd"
    path.write_bytes(written({"頭": [Key(0, turn=first), Key(10, turn=[-v for v in last], handles=late)]}))
    _, turns = read_keys(path, partial=False)[0].bones["頭"].at(11)
    angles = Rotation.from_quat(turns[:, [1, 2, 3, 0]]).as_rotvec()[:, 1]
    assert angles[[0, 5, 10]] == pytest.approx([0.2, 0.8, 1.4], abs=1e-6)
    assert angles[2] - angles[0] < 0.6 * 0.24


def test_what_is_above_the_hips_moves_all_and_each_turns_about_its_own_place(load):
    quarter = turn_of(Rotation.from_euler("y", 90, degrees=True))[0]
    places, _ = load(
        {
            "全ての親": [Key(0, (0, 0, -10), quarter)],  # 10 ahead, and facing left
            "センター": [Key(0, (0, 1, -1))],  # 1 up, and 1 ahead of that
            "グルーブ": [Key(0, (0, 2, 0))],
            "左足ＩＫ": [Key(0, (0, 4, 0))],
        }
    )
    np.testing.assert_allclose(places["下半身"][0], [1.0, 12.2 + 3.0, 10.0], atol=1e-6)
    np.testing.assert_allclose(places["左足首"][0], [ANKLE[2], ANKLE[1] + 4.0, 10.0 - ANKLE[0]], atol=1e-6)


def test_the_back_turns_apart_from_the_hips_and_twists_turn_the_arms(load):
    lean, twist = (turn_of(Rotation.from_rotvec(v))[0] for v in ([0.5, 0, 0], np.array([2.2, -1.66, 0]) / 2.756))
    places, _ = load({"下半身": [Key(0, turn=lean)], "左腕捩": [Key(0, turn=twist)], "左ひじ": [Key(0, turn=lean)]})
    np.testing.assert_allclose(places["頭"][0], [0.0, 17.2, 0.0], atol=1e-6)
    np.testing.assert_allclose(places["左ひじ"][0], [3.7, 13.94, 0.0], atol=2e-3)
    bent = Rotation.from_rotvec(np.array([2.2, -1.66, 0]) / 2.756) * Rotation.from_rotvec([0.5, 0, 0])
    np.testing.assert_allclose(places["左手首"][0] - places["左ひじ"][0], bent.apply([1.9, -1.43, 0.0]), atol=2e-3)


@settings(max_examples=25, deadline=None)
@given(
    hips=st.tuples(*[st.floats(-2.0, 2.0)] * 3),
    turn=st.tuples(*[st.floats(-0.6, 0.6)] * 3),
    goal=st.tuples(st.floats(-2.0, 2.0), st.floats(-1.0, 3.0), st.floats(-3.0, 3.0)),
)
def test_an_ankle_is_at_its_target_where_the_leg_is_long_enough_and_knees_bend_ahead(
    tmp_path_factory, hips, turn, goal
):
    path = tmp_path_factory.mktemp("vmd") / "a.vmd"
    pelvis = Rotation.from_rotvec(turn)
    path.write_bytes(
        written(
            {
                "センター": [Key(0, place_of(np.array(hips) - [0, 2.5, 0])[0])],
                "下半身": [Key(0, turn=turn_of(pelvis)[0])],
                "左足ＩＫ": [Key(0, place_of(np.array(goal))[0])],
            }
        )
    )
    parsed = read_vmd(path)
    places = mo.Clip(parsed.skeleton, parsed.root_positions, parsed.rotations_wxyz, 30.0).positions[0]
    hip, knee, ankle = (places[parsed.skeleton.index(name)] for name in ("左足", "左ひざ", "左足首"))
    wanted = np.array(goal) + ANKLE
    gap = np.linalg.norm(wanted - hip)
    reached = wanted if gap < LEG else hip + (wanted - hip) * np.linalg.norm(ankle - hip) / gap
    np.testing.assert_allclose(ankle, reached, atol=1e-4)
    # The lower leg folds back about an axis that points to the left of the thigh.
    thigh = Rotation.from_quat(parsed.rotations_wxyz[0, parsed.skeleton.index("左足")][[1, 2, 3, 0]])
    assert np.cross(knee - hip, ankle - knee) @ (pelvis * thigh).apply([1.0, 0.0, 0.0]) > -1e-6


def test_legs_are_where_the_solver_of_three_js_puts_them(load):
    node = shutil.which("node")
    if node is None or not (JS / "node_modules" / "three").is_dir():
        pytest.skip("needs node and the packages of tests/js")
    rng = np.random.default_rng(3)
    hips = rng.uniform([-3, -2, -3], [3, 0, 3], (40, 3))
    pelvis = Rotation.from_rotvec(rng.uniform(-0.4, 0.4, (40, 3)))
    goals = hips * [0.9, 0.0, 0.9] + rng.uniform([-1, 0, -2], [1, 2, 2], (40, 3))
    places, _ = load(
        {
            "センター": [Key(i, place) for i, place in enumerate(place_of(hips))],
            "下半身": [Key(i, turn=turn) for i, turn in enumerate(turn_of(pelvis))],
            "左足ＩＫ": [Key(i, place) for i, place in enumerate(place_of(goals))],
        }
    )
    legs = [
        {"hip": hip.tolist(), "turn": turn.tolist(), "goal": (goal + ANKLE).tolist()}
        for hip, turn, goal in zip(places["左足"], pelvis.as_quat(), goals, strict=True)
    ]
    words = [node, JS / "legs.mjs", json.dumps({"knee": KNEE, "ankle": FOOT, "legs": legs})]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
    knees, ankles = np.moveaxis(np.array(json.loads(done.stdout)), 1, 0)
    assert np.linalg.norm(ankles - places["左足首"], axis=1).max() * UNIT < 0.002
    off = np.linalg.norm(knees - places["左ひざ"], axis=1) * UNIT
    assert off.mean() < 0.02  # it goes to its answer in steps, and so turns the thigh a little about the leg
    assert off.max() < 0.08


def test_feet_point_to_the_targets_of_toes_which_follow_those_of_ankles(load):
    up = turn_of(Rotation.from_euler("x", -30, degrees=True))[0]
    places, _ = load({"左足ＩＫ": [Key(0, (0, 1, 0), up)], "センター": [Key(0, (0, -1, 0))]})
    foot = places["左つま先"][0] - places["左足首"][0]
    np.testing.assert_allclose(foot, Rotation.from_euler("x", -30, degrees=True).apply([0, -1.3, 1.4]), atol=1e-5)


def test_a_leg_whose_target_is_switched_off_or_has_no_keys_is_turned_by_its_own(load):
    bent = [Key(0, turn=turn_of(Rotation.from_euler("x", 60, degrees=True))[0]), Key(10)]
    bent[1] = Key(10, turn=bent[0].turn)
    knee = {"左ひざ": bent}
    by_keys = load(knee)[0]["左足首"]
    np.testing.assert_allclose(by_keys[0] - load(knee)[0]["左ひざ"][0],
                               Rotation.from_euler("x", 60, degrees=True).apply(FOOT), atol=1e-5)  # fmt: skip
    target = {"左足ＩＫ": [Key(0), Key(10)]}
    switched = load(knee | target, (0, {"左足ＩＫ": True}), (5, {"左足ＩＫ": False, "右足ＩＫ": True}))[0]["左足首"]
    np.testing.assert_allclose(switched[:5], np.tile(ANKLE, (5, 1)), atol=1e-5)
    np.testing.assert_allclose(switched[5:], by_keys[5:], atol=1e-5)


def test_names_may_be_cut_hold_anything_after_their_end_and_come_from_older_programs(load):
    keys = {"センター": [Key(0, (0, 1, 0)), Key(4, (0, 3, 0))]}
    plain, _ = load(keys)
    for options in ({"after_names": b"\0\0\0\0"}, {"magic": b"Vocaloid Motion Data file"}, {"tail": False}):
        np.testing.assert_allclose(load(keys, **options)[0]["頭"], plain["頭"])
    twice, _ = load({"センター": [Key(4, (0, 9, 0)), Key(4, (0, 3, 0)), Key(0, (0, 1, 0))]})
    np.testing.assert_allclose(twice["頭"], plain["頭"])
    _, parsed = load(keys | {"左親指１": [Key(0)], "とても長い名前の骨": [Key(900)]})
    assert len(parsed.root_positions) == 5
    (unused,) = [finding for finding in parsed.findings if finding.code == "bones-unused"]
    assert "左親指1" in unused.message


def test_a_walk_of_the_actor_is_one_by_its_plants_its_cycles_and_the_file_it_becomes(tmp_path, walk):
    bones, ankles, scale = performed(walk)
    (tmp_path / "walk.vmd").write_bytes(written(bones))
    clip = mo.load(tmp_path / "walk.vmd")
    roles = mo.find_roles(clip.skeleton)
    assert len(roles) == 21
    assert not clip.report.warnings
    assert clip.report.height == pytest.approx(1.6, abs=0.01)
    for side, letter in (("left", "左"), ("right", "右")):
        off = np.linalg.norm(clip.positions[:, roles[f"{side}_ankle"]] - UNIT * ankles[letter], axis=1)
        assert np.median(off) < 1e-5
        assert off.max() < 0.012  # out of reach
    cycles = json.loads(_run("cycles", tmp_path / "walk.vmd").stdout)["cycles"]
    plain = json.loads(_run("cycles", _saved(walk, tmp_path)).stdout)["cycles"]
    assert cycles[0]["steps"] == 2
    assert cycles[0]["seconds"] == pytest.approx(plain[0]["seconds"], rel=0.05)
    assert cycles[0]["speed"] == pytest.approx(plain[0]["speed"] * scale * UNIT, rel=0.02)
    assert _run("convert", tmp_path / "walk.vmd", tmp_path / "walk.glb").exit_code == 0
    np.testing.assert_allclose(mo.load(tmp_path / "walk.glb").root_positions[20], clip.root_positions[20], atol=1e-4)
    info = json.loads(_run("info", tmp_path / "walk.vmd").stdout)["files"][0]
    assert (info["format"], info["frame_rate"], info["metres_per_unit"]) == ("vmd", 30.0, UNIT)


def _saved(clip, folder):
    mo.save(clip, folder / "plain.bvh")
    return folder / "plain.bvh"


def _run(*words):
    done = CliRunner().invoke(main, [*map(str, words), "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    return done


WHOLE = written({"センター": [Key(i) for i in range(9)]})


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"Vocaloid", "expected Vocaloid Motion Data at byte 0, found b'Vocaloid'"),
        (WHOLE[:52], "ends at byte 52, before the number of keys of bones"),
        (WHOLE[:400], "expected 9 keys of bones at byte 50, there is room for 3; partial=True reads what there is"),
        (WHOLE[:50] + struct.pack("<I", 2**32 - 1) + WHOLE[54:], "expected 4,294,967,295 keys of bones at byte 50"),
        (written({"左目": [Key(0)]}), "moves no body: expected keys of センター, 上半身, 左足IK …, found 左目"),
        (written({}), "moves no body: .* found none"),
        (written({"頭": [Key(2**32 - 1)]}), "its last key is that of frame 4,294,967,295; at most"),
        (written({"頭": [Key(400_000)]}), "a motion of .* would take"),
        (
            written({"頭": [Key(0), Key(1, (0, float("nan"), 0))]}),
            "the key at byte 165 has values that are not numbers",
        ),
    ],
)
def test_what_is_no_motion_is_refused_with_its_place(tmp_path, content, reason):
    (tmp_path / "a.vmd").write_bytes(content)
    with pytest.raises(FormatError, match=f"a.vmd: {reason}"):
        mo.load(tmp_path / "a.vmd")


def test_of_a_file_that_is_cut_short_what_there_is_can_be_read(tmp_path):
    (tmp_path / "a.vmd").write_bytes(WHOLE[:400])
    with pytest.warns(mo.MotionWarning, match="of 9 keys of bones 3 are there"):
        assert mo.load(tmp_path / "a.vmd", partial=True).n_frames == 3
