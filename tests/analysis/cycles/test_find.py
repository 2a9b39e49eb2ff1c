import csv
import itertools
import warnings
from dataclasses import replace

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CAPTURED, capture, captures, perform
from mocapella.analysis.closing.cyclify import cyclify
from mocapella.analysis.cycles.find import find_cycle, find_cycles
from mocapella.analysis.cycles.search import MEETS, _strides, one_footfall_each, pose_distance, pose_features
from mocapella.analysis.period import find_period
from mocapella.analysis.plants.detect import find_plants
from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.geometry.alignment import ground_alignment
from mocapella.geometry.angles import TURN
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import round_cycle
from mocapella.rig.symmetry import mirrored_clip

SUBJECTS = ("07", "08", "16", "35")


@pytest.fixture(scope="module")
def stroll():
    return perform("walk", speed=1.2, turn=0.3, imperfections=CAPTURED, seed=4, cycles=5.0)


@pytest.fixture(scope="module")
def gaits(data_folder):
    """Every CMU walk, run and jog of the four subjects: name → (motion, clip, best cycle)."""
    with (data_folder / "index.csv").open() as file:
        rows = list(csv.DictReader(file))
    out = {}
    for row in rows:
        path = row["file"]
        parts = path.split("/")
        if parts[0] != "cmu-bvh" or len(parts) != 3 or parts[1] not in SUBJECTS:
            continue
        clip = load(data_folder / path)
        out[parts[2].removesuffix(".bvh")] = (row["motion"], clip, find_cycle(clip))
    return out


def load(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mo.MotionWarning)
        return mo.load(path).captured


def is_run(motion):
    return "run" in motion or "jog" in motion


def shares(cycle):
    """Stance of either foot, both feet down, neither down, as shares of the cycle."""
    contacts = round_cycle(cycle.contacts)
    phases = np.linspace(0.0, TURN, 500, endpoint=False)
    left, right = contacts.planted("left", phases), contacts.planted("right", phases)
    return left.mean(), right.mean(), (left & right).mean(), (~(left | right)).mean()


def test_laying_one_pose_over_another_undoes_a_turn_and_a_move_on_the_ground():
    rng = np.random.default_rng(0)
    cloud = rng.standard_normal((20, 3))
    moved = quaternions.rotate(quaternions.about_y(1.1), cloud) + np.array([2.0, 0.0, -3.0])
    lift = np.array([0.0, 0.3, 0.0])
    np.testing.assert_allclose(ground_alignment(cloud, moved).applied(moved), cloud, atol=1e-12)
    assert pose_distance(cloud, moved) == pytest.approx(0.0, abs=1e-12)
    assert pose_distance(cloud, moved + lift) == pytest.approx(0.3)
    assert pose_distance(cloud, moved + lift, rise=0.3) == pytest.approx(0.0, abs=1e-12)


def test_pose_features_do_not_know_where_on_the_ground_or_which_way(stroll):
    clip, _ = stroll
    features = pose_features(clip)
    elsewhere = clip.turned(1.3).moved(4.0, 5.0)
    np.testing.assert_allclose(pose_features(elsewhere), features, atol=2e-3)


def test_strides_go_from_a_footfall_to_the_next_of_the_same_foot():
    left, right = np.array([10, 110, 205]), np.array([60, 158])
    assert _strides(left, right) == [100.0, 95.0, 98.0]
    assert _strides(left, np.array([60])) == [100.0]  # a step is missing in the second


def test_a_cycle_has_one_footfall_of_each_foot():
    allowed = one_footfall_each([np.array([10, 110]), np.array([60, 160])], 200, (40, 120))
    assert allowed[0, 100 - 40]
    assert not allowed[0, 50 - 40]  # one step
    assert not allowed[5, 106 - 40]  # a footfall too many
    assert not one_footfall_each([np.array([], dtype=np.int64)] * 2, 200, (40, 120)).any()


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_five_noisy_cycles_give_one_of_their_length_that_closes_better_than_chance(seed):
    clip, truth = perform("walk", imperfections=CAPTURED, seed=seed, cycles=5.0)
    cycle = find_cycle(clip)
    period = truth.period * clip.frame_rate
    assert cycle.n_frames == pytest.approx(period, abs=2.0)
    rng = np.random.default_rng(seed)
    pairs = rng.integers(0, clip.n_frames, (200, 2))
    chance = np.median([pose_distance(clip.positions[a], clip.positions[b]) for a, b in pairs])
    assert cycle.closing < 0.2 * chance


def test_moving_turning_and_scaling_a_clip_leave_its_cycle(stroll):
    clip, _ = stroll
    cycle = find_cycle(clip)
    large = Clip(clip.skeleton.scaled(1.7), 1.7 * clip.root_positions, clip.rotations_wxyz, clip.frame_rate)
    for other, size in ((clip.moved(3.0, -4.0), 1.0), (clip.turned(2.0), 1.0), (large, 1.7)):
        found = find_cycle(other)
        assert abs(found.start - cycle.start) <= 2
        assert abs(found.n_frames - cycle.n_frames) <= 1
        assert found.turn == pytest.approx(cycle.turn, abs=0.02)
        assert found.speed == pytest.approx(size * cycle.speed, rel=0.02)


def test_a_mirrored_clip_turns_the_other_way(stroll):
    clip, _ = stroll
    cycle, mirrored = find_cycle(clip), find_cycle(mirrored_clip(clip))
    assert mirrored.n_frames == pytest.approx(cycle.n_frames, abs=1)
    assert mirrored.turn == pytest.approx(-cycle.turn, abs=0.03)


@pytest.mark.parametrize(("speed", "turn"), [(1.3, 0.0), (1.0, 0.8), (1.4, -1.1)])
def test_a_walk_round_a_circle_has_the_speed_and_turn_it_was_walked_with(speed, turn):
    clip, truth = perform("walk", speed=speed, turn=turn)
    cycle = find_cycle(clip)
    assert cycle.n_steps == 2
    assert cycle.speed == pytest.approx(speed, rel=0.02)
    assert cycle.turn == pytest.approx(turn * truth.period, abs=0.03)
    assert cycle.closing < 0.005
    assert cycle.unlikeness < 0.05


@pytest.mark.parametrize("slope", [-0.1, 0.1])
def test_a_cycle_closes_uphill_and_downhill(slope):
    clip, truth = perform("walk", slope=slope, imperfections=CAPTURED, seed=2)
    cycle = find_cycle(clip)
    assert cycle.n_frames == pytest.approx(truth.period * clip.frame_rate, abs=2.0)
    assert cycle.closing < 0.02


def test_every_cyclic_motion_of_the_actor_holds_a_cycle_of_its_length():
    for name, clip, truth in captures(imperfections=CAPTURED, seed=1, frame_rate=60.0):
        if truth.period is None:
            continue
        cycle = find_cycle(clip)
        periods = [60.0 * period for period in (truth.period, truth.period_after) if period is not None]
        assert min(abs(cycle.n_frames - period) for period in periods) <= 2.5, name
        if truth.action in ("walk", "run"):
            assert cycle.n_steps == 2, name


def test_the_cut_holds_the_closing_frame_and_its_contacts(stroll):
    clip, _ = stroll
    cycle = find_cycle(clip)
    assert cycle.cut.n_frames == cycle.n_frames + 1 == cycle.contacts.n_frames
    assert cycle.contacts == find_plants(clip)[cycle.start : cycle.start + cycle.n_frames + 1]
    assert cycle.seconds == cycle.n_frames / clip.frame_rate


def test_cycles_come_best_first_and_do_not_repeat_themselves(stroll):
    cycles = find_cycles(stroll[0])
    assert len(cycles) >= 3
    assert [c.unlikeness for c in cycles] == sorted(c.unlikeness for c in cycles)
    starts = sorted(c.start for c in cycles)
    assert np.diff(starts).min() > 0.2 * cycles[0].n_frames


def test_a_cycle_stays_within_the_frames_it_is_told(stroll):
    clip, truth = stroll
    period = round(truth.period * clip.frame_rate)
    for cycle in find_cycles(clip, within=(100, 110 + 2 * period)):
        assert cycle.start >= 100
        assert cycle.start + cycle.n_frames <= 110 + 2 * period


@pytest.mark.parametrize("within", [(-1, 50), (60, 60), (10, 100000)])
def test_frames_that_are_no_range_of_the_clip_are_refused(stroll, within):
    with pytest.raises(MotionError, match="not a range of frames"):
        find_cycle(stroll[0], within=within)


def test_the_wanted_speed_decides_between_walking_and_running():
    clip, truth = perform("walk-run", imperfections=CAPTURED, seed=3)
    walking, running = find_cycle(clip, speed=1.2), find_cycle(clip, speed=3.0)
    assert walking.seconds == pytest.approx(truth.period, abs=0.03)
    assert running.seconds == pytest.approx(truth.period_after, abs=0.03)
    assert walking.speed < 1.6 < 2.5 < running.speed


def test_known_contacts_are_used_as_they_are(stroll):
    clip, _ = stroll
    plants = find_plants(clip)
    cycle = find_cycle(clip, contacts=plants)
    assert cycle.n_frames == find_cycle(clip).n_frames
    shuffled = replace(plants, right_heel=(), right_toe=())
    assert find_cycle(clip, contacts=shuffled).n_steps == 1  # who says that only one foot steps is believed


def test_a_gesture_holds_no_cycle():
    for name in ("drink neutral", "reach high left"):
        with pytest.raises(MotionError, match="no cycle"):
            find_cycle(capture(name)[0])


def test_a_statue_holds_no_cycle(stroll):
    clip, _ = stroll
    roots, rotations = (np.repeat(values[:1], 400, axis=0) for values in (clip.root_positions, clip.rotations_wxyz))
    with pytest.raises(MotionError, match=r"0 of the left foot and 0 of the right foot.*nothing moves"):
        find_cycle(Clip(clip.skeleton, roots, rotations, 120.0))


def test_noise_on_a_statue_holds_no_cycle(stroll):
    clip, _ = stroll
    rng = np.random.default_rng(0)
    rotations = np.repeat(clip.rotations_wxyz[:1], 400, axis=0)
    rotations = quaternions.multiply(rotations, quaternions.from_rotvec(0.004 * rng.standard_normal((400, 23, 3))))
    with pytest.raises(MotionError, match="no cycle"):
        find_cycle(Clip(clip.skeleton, np.repeat(clip.root_positions[:1], 400, axis=0), rotations, 120.0))


@pytest.mark.parametrize("action", ["walk", "run"])
@pytest.mark.parametrize("share", [0.5, 0.75, 0.92])
def test_one_stride_too_few_is_refused_and_no_step_is_sold_as_a_cycle(action, share):
    clip, truth = perform(action, imperfections=CAPTURED, seed=6)
    for start in (0, 37, 80):
        part = clip[start : start + round(share * truth.period * clip.frame_rate)]
        with pytest.raises(MotionError, match="no cycle"):
            find_cycle(part)


@pytest.mark.parametrize("action", ["walk", "run"])
def test_a_stride_and_a_third_is_enough(action):
    clip, truth = perform(action, imperfections=CAPTURED, seed=6)
    period = truth.period * clip.frame_rate
    for start in (0, 37, 80):
        cycle = find_cycle(clip[start : start + round(1.33 * period)])
        assert cycle.n_frames == pytest.approx(period, abs=2.5)


def test_a_cycle_never_reaches_over_lost_frames(stroll):
    clip, truth = stroll
    roots = np.array(clip.moved(2.0, 3.0).root_positions)
    roots[250:256] = 0.0
    lost = Clip(clip.skeleton, roots, clip.rotations_wxyz, clip.frame_rate)
    for cycle in find_cycles(lost):
        assert cycle.start + cycle.n_frames < 250 or cycle.start > 255
        assert cycle.n_frames == pytest.approx(truth.period * clip.frame_rate, abs=3.0)
    with pytest.raises(MotionError, match="clean=True"):
        find_cycle(lost[150:360])


def test_constant_dofs_do_not_disturb(stroll):
    clip, truth = stroll
    rotations = np.array(clip.rotations_wxyz)
    stiff = [i for i, name in enumerate(clip.skeleton.names) if "Arm" in name or "Spine" in name or name == "Head"]
    rotations[:, stiff] = quaternions.IDENTITY
    cycle = find_cycle(Clip(clip.skeleton, clip.root_positions, rotations, clip.frame_rate))
    assert cycle.n_frames == pytest.approx(truth.period * clip.frame_rate, abs=2.0)


def test_a_skeleton_without_legs_says_what_it_lacks(stroll):
    clip, _ = stroll
    legless = replace(clip, skeleton=clip.skeleton.with_roles({"left_knee": ""}))
    with pytest.raises(MotionError, match=r"no left_knee.*roles="):
        find_cycle(legless)


@pytest.mark.data
def test_every_real_walk_and_run_holds_a_full_cycle_of_two_steps(gaits):
    assert len(gaits) == 50
    for name, (motion, clip, cycle) in gaits.items():
        shortest, longest = (0.49, 0.9) if is_run(motion) else (0.85, 1.5)
        assert cycle.n_steps == 2, name
        assert shortest <= cycle.seconds <= longest, name
        assert cycle.closing < (0.11 if is_run(motion) else 0.08), name
        assert 0 <= cycle.start < cycle.start + cycle.n_frames < clip.n_frames, name


@pytest.mark.data
def test_real_walks_have_double_support_and_real_runs_have_flight(gaits):
    plausible = {}
    for name, (motion, _, cycle) in gaits.items():
        left, right, both, neither = shares(cycle)
        if is_run(motion):
            plausible[name] = neither > 0.1 and both == 0.0
        else:
            plausible[name] = 0.5 <= left <= 0.65 and 0.5 <= right <= 0.65 and both > 0.0 and neither == 0.0
    odd = [name for name, fine in plausible.items() if not fine]
    assert len(odd) <= 0.05 * len(plausible), odd


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "least", "most"), [("16_17", 85, 95), ("16_19", -100, -85), ("16_11", 39, 45), ("16_13", -49, -43)]
)
def test_turning_captures_offer_their_turn(gaits, name, least, most):
    _, clip, _ = gaits[name]
    cycle = find_cycle(clip, turning=True)
    assert least <= np.degrees(cycle.turn) <= most
    assert cycle.n_steps == 2
    assert cycle.closing < 0.06
    assert abs(np.degrees(find_cycle(clip, turning=False).turn)) < 15
    wanted = find_cycle(clip, turn=np.radians(0.5 * (least + most)))
    assert np.degrees(wanted.turn) == pytest.approx(0.5 * (least + most), abs=12)


@pytest.mark.data
def test_clips_in_which_nothing_repeats_say_so(data_folder):
    for file in ("05/05_11", "104/104_11", "127/127_05"):
        with pytest.raises(MotionError, match="nothing repeats well enough: the best stretch"):
            find_cycle(load(data_folder / "cmu-bvh" / f"{file}.bvh"))


@pytest.mark.data
@pytest.mark.parametrize(
    ("file", "seconds"),
    [("odd-bvh/GPmat-Swagger.bvh", 1.06), ("odd-bvh/bvh-toolbox-walk01.bvh", 1.08), ("cmu-bvh/09/09_10.bvh", 0.76)],
)
def test_other_skeletons_frame_rates_and_lost_starts_are_no_hindrance(data_folder, file, seconds):
    cycle = find_cycle(load(data_folder / file))
    assert cycle.seconds == pytest.approx(seconds, abs=0.06)
    assert cycle.n_steps == 2


@pytest.mark.parametrize("asked", [{"speed": float("nan")}, {"turn": float("inf")}])
def test_a_wish_that_is_no_number_is_refused(asked):
    clip, _ = perform("walk")
    with pytest.raises(MotionError, match="finite number"):
        find_cycles(clip, **asked)


def test_every_found_cycle_given_back_as_its_own_frames_is_found_again(gaits):
    for name, (_, clip, cycle) in itertools.islice(gaits.items(), 0, None, 5):
        for share in (1.0, 1.15):
            spare = round((share - 1.0) * cycle.n_frames)
            first = max(cycle.start - spare // 2, 0)
            within = first, min(first + cycle.n_frames + spare, clip.n_frames - 1)
            again = find_cycle(clip, within=within)
            assert within[0] <= again.start < again.start + again.n_frames <= within[1], name
            assert again.n_frames == pytest.approx(cycle.n_frames, rel=0.06), (name, share)


@pytest.mark.parametrize("action", ["walk", "run"])
@pytest.mark.parametrize("start", [0, 37, 80])
def test_a_clip_that_is_one_cycle_needs_no_period_to_be_known_for_one(action, start):
    clip, truth = perform(action, imperfections=CAPTURED, seed=6)
    period = truth.period * clip.frame_rate
    cycle = find_cycle(clip[start : start + round(period) + 2])
    assert cycle.n_frames == pytest.approx(period, abs=2.5)
    assert cycle.unlikeness < MEETS


@pytest.mark.parametrize("file", ["60/60_10.bvh", "61/61_10.bvh", "55/55_01.bvh"])
def test_where_feet_do_not_step_in_turn_a_certain_period_makes_the_cycle(data_folder, file):
    clip = load(data_folder / "cmu-bvh" / file)
    cycle, period = find_cycle(clip), find_period(clip)
    assert cycle.n_frames == pytest.approx(period.frames, rel=0.1)
    assert cycle.n_steps > 2


def test_a_dance_of_which_nothing_comes_back_is_refused(data_folder):
    with pytest.raises(MotionError, match="no cycle"):
        find_cycle(load(data_folder / "cmu-asfamc" / "05" / "05_02.amc"))


def test_no_cycle_of_a_run_begins_in_the_stand_before_it(data_folder):
    clip = load(data_folder / "cmu-bvh" / "127" / "127_17.bvh")  # run, stop, run
    places = clip.root_positions[:, [0, 2]]
    for cycle in find_cycles(clip):
        quarter, end = cycle.n_frames // 4, cycle.start + cycle.n_frames
        first = np.linalg.norm(places[cycle.start + quarter] - places[cycle.start])
        last = np.linalg.norm(places[end] - places[end - quarter])
        assert 0.5 < first / last < 2.0


@pytest.mark.parametrize("frame_rate", [30.0, 60.0, 240.0])
def test_a_run_to_a_stop_has_two_steps_at_any_frame_rate(data_folder, frame_rate):
    clip = load(data_folder / "cmu-bvh" / "16" / "16_57.bvh").resampled(frame_rate)
    assert find_cycle(clip).n_steps == 2


def test_a_raw_cycle_and_the_closed_one_go_by_one_definition_of_speed(gaits):
    for name, (_, _, cycle) in gaits.items():
        if name != "08_01":  # whose thumb turns right round
            way = np.linalg.norm(np.diff(cycle.cut.root_positions[:, [0, 2]], axis=0), axis=1).sum() / cycle.seconds
            assert cycle.speed <= way, name
            assert cyclify(cycle).speed == pytest.approx(cycle.speed, rel=2e-3), name


def test_no_cycle_is_faster_than_its_way_however_sharply_it_turns(data_folder):
    for cycle in find_cycles(load(data_folder / "cmu-bvh" / "61" / "61_10.bvh"), turning=True):
        way = np.linalg.norm(np.diff(cycle.cut.root_positions[:, [0, 2]], axis=0), axis=1).sum() / cycle.seconds
        assert cycle.speed <= way
