from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from mocapella.analysis.fourier import analyse
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.crowd.control import FollowPaths
from mocapella.crowd.crowd import Crowd
from mocapella.crowd.detail import Level, Turns
from mocapella.crowd.state import PointMark, Word, recentre
from mocapella.crowd.tables import CrowdTables
from mocapella.errors import MotionError, MotionWarning
from mocapella.motion import kinematics
from mocapella.playback.player import Player
from tests.crowd.samples import foot_points, played, slips, walks
from tests.playback.samples import small_hybrid, walking_cycles

POINTS = [(0.0, 1.1), (0.3, 1.0), (-0.3, 1.2), (0.05, 1.4)]


def crowd_of(points, **options):
    n = len(points)
    start = {"phases": np.zeros(n), "positions": np.zeros((n, 2)), "headings": np.zeros(n), **options}
    return Crowd(start.pop("network", None) or walks(), n, points=np.array(points), **start)


def facing(players):
    """Where the hips of players face: their headings to begin with are where they go."""
    return np.array([player.heading for player in players])


def test_a_crowd_takes_the_engine_that_the_environment_names(monkeypatch):
    monkeypatch.setenv("MOCAPELLA_ENGINE", "numpy")
    assert [Crowd(walks(), 1, engine=engine).engine for engine in (None, "auto", "numpy")] == ["numpy"] * 3


@pytest.mark.parametrize("engine", ["auto", "numpy"])
def test_characters_with_a_constant_point_go_as_players_do(engine):
    players = [Player(walks(), point=point) for point in POINTS]
    crowd = crowd_of(POINTS, engine=engine, headings=facing(players))
    ours, theirs, agree = [], [], []
    for _ in range(150):
        crowd.step(1 / 60)
        ours.append(crowd.poses()[..., 3].copy())
        poses = [player.step(1 / 60) for player in players]
        roots = np.array([pose.root_position for pose in poses])
        rotations = np.array([pose.rotations_wxyz for pose in poses])
        theirs.append(kinematics.forward(crowd.skeleton, roots, rotations)[0])
        agree.append(crowd.planted == np.array([player.planted for player in players]))
    ours, theirs = np.array(ours), np.array(theirs)
    apart = (ours - ours[:, :, :1]) - (theirs - theirs[:, :, :1])
    assert np.linalg.norm(apart, axis=-1).mean(axis=(0, 2)).max() < 1e-3
    assert np.mean(agree) > 0.99
    ways = [np.linalg.norm(np.diff(one[:, :, 0, ::2], axis=0), axis=-1).sum(axis=0) for one in (ours, theirs)]
    np.testing.assert_allclose(ways[0], ways[1], rtol=2e-3)
    assert np.linalg.norm(ours[-1, :, 0] - theirs[-1, :, 0], axis=-1).max() < 0.02


def test_feet_of_steered_characters_stand():
    rng = np.random.default_rng(3)
    crowd = Crowd(walks(), 24, seed=2)
    low, high = walks().points.min(axis=0), walks().points.max(axis=0)

    def send(frame):
        if frame % 45 == 0:
            crowd.points[...] = rng.uniform(low, high, (24, 2))

    tracks, planted, joints = played(crowd, 240, each=send)
    slid = 1000.0 * slips(tracks, planted)
    assert len(slid) > 200
    assert slid.mean() < 0.4
    assert np.quantile(slid, 0.99) < 1.0
    assert slid.max() < 2.0
    assert tracks[..., 1].min() > -0.002
    own = joints - joints[:, :, :1]
    steps = np.linalg.norm(np.diff(own, axis=0), axis=-1)
    captured = max(_largest_step(node.spectrum) for node in walks().nodes)
    assert steps.max() < 1.5 * captured


@pytest.mark.parametrize("engine", ["auto", "numpy"])
def test_a_heel_comes_to_rest_a_foot_from_a_toe_whose_plant_moved_later(engine):
    """A plant that moves with the blending point begins anew: its point keeps its place, and the foot its length."""
    crowd = crowd_of(POINTS[:1], engine=engine)
    leg = crowd.tables.legs[0]
    mark = {name: slice(Word.FEET + 2 * point, Word.FEET + 2 * point + 2) for point, name in enumerate(("heel", "toe"))}
    words = crowd._records.view(np.int32)
    for _ in range(200):
        before = words[0, Word.MARKS] & 3
        toe = foot_points(crowd)[0, 1, ::2]
        # As if it stood since a moment ago.
        words[0, Word.MARKS] = (words[0, Word.MARKS] & ~(3 << 2)) | (PointMark.PLACED << 2)
        crowd._records[0, mark["toe"]] = toe + np.array([0.0, 0.03])
        crowd.step(1 / 120)
        if before != PointMark.PLACED and (words[0, Word.MARKS] & 3) == PointMark.PLACED:
            break
    else:
        pytest.fail("the heel never came to rest")
    apart = np.linalg.norm(crowd._records[0, mark["heel"]] - crowd._records[0, mark["toe"]])
    assert abs(apart - leg.flat_length) < 1e-3


def _largest_step(spectrum):
    player = Player(spectrum)
    poses = [player.step(1 / 60) for _ in range(90)]
    rotations = np.array([pose.rotations_wxyz for pose in poses])
    places, _ = kinematics.forward(player.skeleton, np.zeros((90, 3)), rotations)
    return np.linalg.norm(np.diff(places, axis=0), axis=-1).max()


def test_a_crowd_is_as_many_lone_characters():
    rng = np.random.default_rng(5)
    n = 12
    start = {
        "points": rng.uniform((-0.5, 0.9), (0.5, 1.5), (n, 2)),
        "phases": rng.uniform(0.0, 6.0, n),
        "positions": rng.uniform(-5.0, 5.0, (n, 2)),
        "headings": rng.uniform(-3.0, 3.0, n),
    }
    goals = rng.uniform((-0.5, 0.9), (0.5, 1.5), (n, 2))
    together = Crowd(walks(), n, **start)
    together.points[...] = goals
    for _ in range(40):
        together.step(1 / 60)
    for one in range(0, n, 3):
        alone = Crowd(walks(), 1, **{name: value[one : one + 1] for name, value in start.items()})
        alone.points[...] = goals[one]
        for _ in range(40):
            alone.step(1 / 60)
        np.testing.assert_allclose(alone.poses()[0], together.poses()[one], atol=2e-5)


def test_turning_and_moving_a_character_turns_and_moves_its_poses():
    turn, by = 1.1, np.array([3.0, -2.0])
    plain, other = crowd_of(POINTS), crowd_of(POINTS, headings=np.full(4, turn), positions=np.tile(by, (4, 1)))
    for _ in range(50):
        plain.step(1 / 60)
        other.step(1 / 60)
    c, s = math.cos(turn), math.sin(turn)
    matrix = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    expected = np.einsum("ab,njbc->njac", matrix, plain.poses())
    expected[..., 3] += np.array([by[0], 0.0, by[1]])
    np.testing.assert_allclose(other.poses(), expected, atol=5e-5)


def test_fewer_frames_go_as_far_and_turn_as_much():
    seconds, point = 6, (0.35, 1.05)
    player = Player(walks(), point=point)
    start = facing([player])
    player.step(seconds)  # in closed form: how finely time is cut changes nothing
    for rate in (100, 50, 25, 10):
        crowd = crowd_of([point], headings=start)
        for _ in range(seconds * rate):
            crowd.step(1 / rate)
        assert abs(math.remainder(float(crowd.headings[0]) - player.heading, math.tau)) < 0.005 * 0.35 * seconds
        assert math.dist(crowd.positions[0], player.position) < 0.005 * 1.05 * seconds


def test_levels_of_detail_cost_accuracy_in_order_and_no_speed():
    detail = (Level(), Level(harmonics=5, joints=0.7), Level(harmonics=3, joints=0.5), Level(every=4))
    crowd = crowd_of([POINTS[1]] * 4, detail=detail)
    crowd.levels[:] = [0, 1, 2, 3]
    errors = []
    for _ in range(80):
        crowd.step(1 / 60)
        own = crowd.poses()[..., 3] - crowd.poses()[:, :1, :, 3]
        errors.append(np.linalg.norm(own - own[:1], axis=-1).mean(axis=1))
    mean = np.mean(errors, axis=0)
    assert mean[0] == 0.0
    assert 0.0 < mean[1] < mean[2] < 0.05
    np.testing.assert_allclose(crowd.positions[1:], np.tile(crowd.positions[0], (3, 1)), atol=0.06)


@given(st.lists(st.integers(1, 6), min_size=1, max_size=3), st.lists(st.integers(1, 8), min_size=6, max_size=30))
def test_all_characters_of_all_levels_are_moved_by_the_time_that_passed(rates, lengths):
    turns, detail = Turns(), [Level(every=every) for every in rates]
    moved = {(level, turn): 0.0 for level, every in enumerate(rates) for turn in range(every)}
    for steps, dt in enumerate(map(float, lengths), 1):
        for level, turn, seconds in turns.next(detail, dt):
            moved[level, turn] += seconds
            assert moved[level, turn] == sum(lengths[:steps])
    for (level, _), seconds in moved.items():  # each within the last steps
        assert seconds >= sum(lengths[: len(lengths) - rates[level] + 1])


def test_fewer_updates_go_as_far_and_turn_as_much():
    rare, often = (crowd_of([POINTS[1]] * 4, detail=(level,)) for level in (Level(every=4), Level()))
    moved = []
    for _ in range(80):
        before = rare.poses().copy()
        rare.step(1 / 60)
        often.step(1 / 60)
        moved.append((rare.poses() != before).any(axis=(1, 2, 3)))
    np.testing.assert_array_equal(np.array(moved)[4:], np.tile(np.eye(4, dtype=bool), (19, 1)))
    last = 3  # the others are up to three steps behind
    way = np.linalg.norm(often.positions[last])
    np.testing.assert_allclose(rare.positions[last], often.positions[last], atol=0.005 * way)
    np.testing.assert_allclose(rare.headings[last], often.headings[last], atol=0.005)


def test_fewer_joints_or_fewer_harmonics_alone_cost_accuracy_in_order():
    levels = (Level(), Level(harmonics=5), Level(harmonics=2), Level(joints=0.7), Level(joints=0.5), Level(joints=0.0))
    crowd = crowd_of([POINTS[1]] * len(levels), detail=levels)
    crowd.levels[:] = range(len(levels))
    errors = []
    for _ in range(60):
        crowd.step(1 / 60)
        own = crowd.poses()[..., 3] - crowd.poses()[:, :1, :, 3]
        errors.append(np.linalg.norm(own - own[:1], axis=-1).mean(axis=1))
        feet = foot_points(crowd)
        np.testing.assert_allclose(feet[3:], np.tile(feet[0], (3, 1, 1)), atol=1e-6)
        legs = [joint for leg in crowd.tables.legs for joint in (*leg.joints, leg.toe_joint)]
        np.testing.assert_allclose(own[3:, legs], np.tile(own[0, legs], (3, 1, 1)), atol=1e-6)
    mean = np.mean(errors, axis=0)
    assert 0.0 < mean[1] < mean[2]
    assert 0.0 < mean[3] < mean[4] <= mean[5]


def test_characters_near_a_camera_have_more_detail():
    crowd = crowd_of([POINTS[0]] * 3, positions=np.array([(0.0, 1.0), (0.0, 20.0), (0.0, 90.0)]))
    crowd.look_from((0.0, 0.0))
    assert crowd.levels.tolist() == [0, 1, 2]
    with pytest.raises(MotionError, match="at most 2 limits"):
        crowd.look_from((0.0, 0.0), (1.0, 2.0, 3.0))


def test_resting_characters_stay_as_they_are():
    crowd = crowd_of(POINTS)
    crowd.step(0.3)
    crowd.resting[1] = True
    before, state = crowd.poses().copy(), crowd._records.copy()
    for _ in range(10):
        crowd.step(1 / 60)
    np.testing.assert_array_equal(crowd.poses()[1], before[1])
    np.testing.assert_array_equal(crowd._records[1], state[1])
    assert (crowd.poses()[0] != before[0]).any()


def test_noise_makes_characters_differ_is_bounded_and_moves_no_foot():
    n, amount = 6, 0.08
    plain, noisy = crowd_of([POINTS[0]] * n), crowd_of([POINTS[0]] * n, noise=amount)
    turned, spread = [], []
    for _ in range(40):
        plain.step(1 / 15)
        noisy.step(1 / 15)
        np.testing.assert_array_equal(foot_points(noisy), foot_points(plain))
        spread.append(np.ptp(noisy.poses()[..., 3], axis=0).max())
        for joint in np.flatnonzero(np.isin(noisy.tables.columns, noisy.tables.noisy_columns)):
            parent = int(noisy.skeleton.parents[joint])
            local = [
                np.swapaxes(c.poses()[:, parent, :, :3], 1, 2) @ c.poses()[:, joint, :, :3] for c in (plain, noisy)
            ]
            trace = np.einsum("nab,nab->n", *local)
            turned.append(np.arccos(np.clip(0.5 * (trace - 1.0), -1.0, 1.0)).max())
    assert max(spread) > 0.01
    assert 0.3 * amount < max(turned) <= amount + 1e-3


def test_characters_start_out_of_step_with_motions_of_their_own():
    crowd, same, other = Crowd(walks(), 50, seed=4), Crowd(walks(), 50, seed=4), Crowd(walks(), 50, seed=5)
    np.testing.assert_array_equal(crowd.poses(), same.poses())
    assert (crowd.phases != other.phases).all()
    assert len(np.unique(crowd.phases)) == 50
    assert np.ptp(crowd.points, axis=0).min() > 0.3
    assert np.histogram(crowd.phases, 4, (0.0, math.tau))[0].min() > 4


def test_steering_asks_for_turn_rates_and_speeds():
    turns, speeds = np.array([0.3, -0.3, 0.0]), np.array([1.0, 1.0, 1.3])
    crowd = crowd_of([(0.0, 1.1)] * 3)
    crowd.steer(turns, speeds)
    for _ in range(30):
        crowd.step(1 / 15)
    yaw, place = crowd.headings.copy(), crowd.positions.copy()
    way = np.zeros(3)
    for _ in range(120):
        crowd.step(1 / 15)
        way += np.linalg.norm(crowd.positions - place, axis=1)
        place = crowd.positions.copy()
    turned = (crowd.headings - yaw - turns * 8.0 + math.pi) % math.tau - math.pi
    np.testing.assert_allclose(turned, 0.0, atol=0.25)
    np.testing.assert_allclose(way / 8.0, speeds, rtol=0.06)


def test_feet_stand_a_hundred_kilometres_away():
    near, far = (crowd_of(POINTS, positions=np.full((4, 2), at)) for at in (0.0, 102_400.0))
    for crowd in (near, far):
        for _ in range(50):
            crowd.step(1 / 60)
    np.testing.assert_allclose(far._records[:, 4:20], near._records[:, 4:20], atol=1e-4)
    np.testing.assert_allclose(far.positions - 102_400.0, near.positions, atol=1e-4)


def test_another_origin_changes_no_pose():
    crowd, other = (crowd_of(POINTS, positions=np.full((4, 2), 127.0)) for _ in range(2))
    for frame in range(60):
        crowd.step(1 / 30)
        other.step(1 / 30)
        if frame % 7 == 0:
            recentre(other._records)
    np.testing.assert_allclose(other.poses(), crowd.poses(), atol=2e-3)
    np.testing.assert_array_equal(other.planted, crowd.planted)


def test_points_that_are_no_numbers_stop_nobody_else():
    crowd, good = crowd_of(POINTS), crowd_of(POINTS)
    crowd.points[1] = math.nan, 1.0
    crowd.points[2] = math.inf, 1.0
    with pytest.warns(MotionWarning, match="2 characters"):
        crowd.step(1 / 60)
    good.step(1 / 60)
    for _ in range(30):
        crowd.step(1 / 60)
        good.step(1 / 60)
    assert crowd.faults.tolist() == [False, True, True, False]
    np.testing.assert_array_equal(crowd.poses(), good.poses())  # those two go on as they were: their goals are kept
    crowd.points[1:3] = POINTS[0]
    crowd.step(1 / 60)
    assert not crowd.faults.any()


def test_points_outside_go_to_the_outline():
    crowd = crowd_of([(0.0, 1.1)] * 3)
    crowd.points[...] = [(9.0, 1.0), (0.0, 9.0), (-1e12, -1e12)]
    for _ in range(50):
        crowd.step(1 / 20)
    network = walks()
    for point in crowd.blending_points:
        found = network.place(tuple(point))
        assert np.linalg.norm(np.subtract(found.point, point)) < 1e-5
        assert found.weights.min() < 1e-4


@pytest.mark.parametrize("n", [0, -1, True])
def test_no_number_of_characters_is_refused(n):
    with pytest.raises(MotionError, match="from 1 on"):
        Crowd(walks(), n)


def test_more_characters_than_memory_are_refused_with_what_they_need():
    with pytest.raises(MotionError, match=r"1,000,000,000 characters needs 1,[0-9]{3}\.[0-9] GB, this machine has"):
        Crowd(walks(), 10**9)


COPIES = {"copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": lambda crowd: pickle.loads(pickle.dumps(crowd))}


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize(
    ("engine", "options"),
    [("auto", {}), ("numpy", {}), ("auto", {"noise": 0.1, "controller": FollowPaths([np.eye(3)[:, :2]])})],
)
def test_a_copy_is_independent_and_goes_on_alike(copied, engine, options):
    crowd = Crowd(walks(), 6, engine=engine, **options)
    crowd.levels[:] = [0, 1, 2] * 2
    for _ in range(7):
        crowd.step(1 / 30)
    twin = copied(crowd)
    assert twin.engine == crowd.engine
    before = twin.state.copy()
    for _ in range(20):
        crowd.step(1 / 30)
    np.testing.assert_array_equal(twin.state, before)
    for _ in range(20):
        twin.step(1 / 30)
    assert twin.time == crowd.time
    np.testing.assert_array_equal(twin.state, crowd.state)
    np.testing.assert_array_equal(twin.poses(), crowd.poses())


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_a_copy_of_a_hybrid_crowd_has_players_of_its_own(copied):
    crowd = Crowd(small_hybrid(), 3, seed=1, mode="change", block="walking")
    crowd.trigger([0, 1], "walk-run")
    for _ in range(20):
        crowd.step(1 / 30)
    assert crowd.players
    twin = copied(crowd)
    before = twin.poses().copy()
    for _ in range(40):
        crowd.step(1 / 30)
    np.testing.assert_array_equal(twin.poses(), before)
    for _ in range(40):
        twin.step(1 / 30)
    assert twin.blocks == crowd.blocks
    np.testing.assert_array_equal(twin.poses(), crowd.poses())


def test_headings_of_many_turns_begin_within_half_a_turn():
    turned = Crowd(walks(), 2, seed=1, headings=[0.5 + 300 * 2 * math.pi, -0.5])
    np.testing.assert_allclose(turned.headings, [0.5, -0.5], atol=1e-6)


def test_wrong_shapes_and_words_are_refused():
    with pytest.raises(MotionError, match=r"points of shape \(3, 2\).*shape \(2, 2\)"):
        Crowd(walks(), 3, points=np.zeros((2, 2)))
    with pytest.raises(MotionError, match="finite"):
        Crowd(walks(), 1, phases=[math.nan])
    with pytest.raises(MotionError, match="engine"):
        Crowd(walks(), 1, engine="steam")
    crowd = Crowd(walks(), 2)
    with pytest.raises(MotionError, match=r"points of shape \(2, 2\).*shape \(3, 2\)"):
        crowd.points = np.zeros((3, 2))
    for dt in (-1.0, math.nan, math.inf):
        with pytest.raises(MotionError, match="seconds from 0 on"):
            crowd.step(dt)
    crowd.levels[:] = 7
    with pytest.raises(MotionError, match="levels of detail from 0 to 2"):
        crowd.step(0.1)
    with pytest.raises(MotionError, match="network in the plane"):
        CrowdTables.of(small_hybrid())


def test_a_line_and_a_single_motion_are_played():
    cycles = walking_cycles()
    line = Network([Node(str(i), (float(i), 0.0), analyse(cycles[i], harmonics=8)) for i in (3, 2)])
    for network, point in ((line, (2.4, 0.0)), (Network(line.nodes[:1]), (3.0, 0.0))):
        player = Player(network, point=point)
        crowd = crowd_of([point], network=network, headings=facing([player]))
        for _ in range(60):
            crowd.step(1 / 60)
            player.step(1 / 60)
        np.testing.assert_allclose(crowd.positions[0], player.position, atol=0.01)


def test_euler_networks_are_played():
    runs = small_hybrid().blocks["running"].network
    point = tuple(runs.points.mean(axis=0))
    player = Player(runs, point=point)
    crowd = crowd_of([point], network=runs, headings=facing([player]))
    for _ in range(60):
        crowd.step(1 / 60)
        player.step(1 / 60)
    np.testing.assert_allclose(crowd.positions[0], player.position, atol=0.05)


@settings(max_examples=8, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(st.lists(st.floats(0.0, 0.4), min_size=1, max_size=12), st.integers(0, 2**31))
def test_steps_of_any_length_leave_numbers_and_feet_on_the_ground(steps, seed):
    crowd = Crowd(walks(), 5, seed=seed)
    for dt in steps:
        crowd.points[...] = np.random.default_rng(seed).uniform(-2.0, 3.0, (5, 2))
        crowd.step(dt)
        assert np.isfinite(crowd.poses()).all()
        assert foot_points(crowd)[..., 1].min() > -0.01
        turns = crowd.poses()[..., :3]
        np.testing.assert_allclose(
            np.swapaxes(turns, -1, -2) @ turns, np.broadcast_to(np.eye(3), turns.shape), atol=2e-5
        )


def test_poses_are_written_into_a_buffer_of_the_callers():
    crowd = crowd_of(POINTS)
    whole, places = np.empty_like(crowd.poses()), np.empty((4, crowd.skeleton.n_joints, 3), dtype=np.float32)
    crowd.step(1 / 60)
    assert crowd.poses(out=whole) is whole
    assert crowd.poses(positions=True, out=places) is places
    np.testing.assert_array_equal(whole, crowd.poses())
    np.testing.assert_array_equal(places, crowd.poses(positions=True))
    np.testing.assert_array_equal(places, whole[..., 3])
    for out in (places, np.empty(whole.shape)):
        with pytest.raises(MotionError, match="float32 and shape"):
            crowd.poses(out=out)


def test_rates_that_are_no_numbers_stop_nobody_else():
    crowd, good = crowd_of(POINTS), crowd_of(POINTS)
    crowd.steer([0.1, math.nan, 0.0, math.inf], 1.2)
    good.steer([0.1, 0.0, 0.0, 0.0], 1.2)
    with pytest.warns(MotionWarning, match="2 characters"):
        crowd.step(1 / 60)
    good.step(1 / 60)
    assert crowd.faults.tolist() == [False, True, False, True]
    np.testing.assert_array_equal(crowd.poses()[::2], good.poses()[::2])
    assert np.isfinite(crowd.poses()).all()


@pytest.mark.parametrize(
    ("what", "reason"),
    [
        (lambda crowd: crowd.steer([0.1, 0.2], 1.0), "turns of shape"),
        (lambda crowd: crowd.step(1e9), "at most 1,000,000 seconds"),
        (lambda crowd: crowd.look_from((0.0,)), "x and z"),
        (lambda crowd: setattr(crowd, "levels", np.zeros(3, dtype=int)) or crowd.step(0.1), "for levels"),
        (lambda crowd: Crowd(walks(), 2, seed=-1), "for seed"),
        (lambda crowd: Level(harmonics=True), "whole number of harmonics"),
    ],
)
def test_what_no_crowd_can_do_is_refused_in_our_words(what, reason):
    with pytest.raises(MotionError, match=reason):
        what(crowd_of(POINTS))
