"""Changes of motion found in one raw clip: boundaries, joins that are the capture itself, seams that are told."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from mocapella.actor import CLEAN, capture, perform
from mocapella.analysis.fourier import analyse
from mocapella.building.build import build
from mocapella.errors import MotionError, MotionWarning
from mocapella.geometry import quaternions
from mocapella.hybrid.boundaries import Surroundings, last_of_the_old
from mocapella.hybrid.ends import MOST_BENT, idle_cycle
from mocapella.hybrid.transition import Transition
from mocapella.hybrid.transition_search import find_transition
from mocapella.motion.contacts import Contacts
from mocapella.motion.travel import stands
from mocapella.rig.symmetry import mirrored_clip
from mocapella.storage.values import load

CHANGES = ("walk-run", "run-walk", "walk-twirl-walk", "run-twirl-run", "stand-walk", "walk-stand")


@pytest.fixture(scope="module")
def captured():
    """The actor's changes by name: clip, truth, transition."""
    found = {}
    for name in CHANGES:
        clip, truth = capture(name)
        found[name] = clip, truth, find_transition(clip)
    return found


def apart(cycle, frame, clip, at):
    """How far the joints of a cycle's frame are turned from those of a clip's, the root by its tilt, degrees."""
    raw = np.array(clip.rotations_wxyz[at])
    raw[0] = quaternions.multiply(quaternions.about_y(-quaternions.yaw(raw[0])), raw[0])
    return np.degrees(quaternions.angle_between(cycle.rotations_wxyz[frame], raw)).max()


@pytest.mark.parametrize("name", CHANGES)
def test_the_last_frame_before_and_the_first_after_are_those_of_the_clip(captured, name):
    clip, _, found = captured[name]
    assert apart(found.before, -1, found.clip, found.leave) < 1e-9
    assert apart(found.after, 0, found.clip, found.arrive) < 1e-9
    np.testing.assert_array_equal(found.change.rotations_wxyz, clip.rotations_wxyz[found.leave : found.arrive + 1])
    np.testing.assert_array_equal(found.change.root_positions, clip.root_positions[found.leave : found.arrive + 1])


@pytest.mark.parametrize("name", CHANGES)
def test_boundaries_lie_at_the_change_that_was_performed(captured, name):
    clip, truth, found = captured[name]
    first, last = truth.boundaries[1] / clip.frame_rate
    leave, arrive = found.leave / clip.frame_rate, found.arrive / clip.frame_rate
    assert first - found.before.duration < leave < first + 0.4  # a change sets in and out gently
    assert last - 0.4 < arrive < last + found.after.duration
    for cycle, period in ((found.before, truth.period), (found.after, truth.period_after)):
        assert abs(cycle.duration / period - 1.0) < 0.02


def test_little_of_what_changes_is_taken_for_what_repeats(captured):
    inside = []
    for clip, truth, found in captured.values():
        first, last = truth.boundaries[1]
        inside += [max(found.leave - first, 0) / clip.frame_rate, max(last - found.arrive, 0) / clip.frame_rate]
    assert np.mean(inside) < 0.12


@pytest.mark.parametrize("seed", [1, 2])
def test_boundaries_lie_near_the_change_whatever_the_habits(seed):
    for name in ("walk-run", "walk-stand"):
        clip, truth = capture(name, seed=seed)
        found = find_transition(clip)
        first, last = truth.boundaries[1]
        assert abs(found.leave - first) < 0.6 * clip.frame_rate
        assert abs(found.arrive - last) < 0.6 * clip.frame_rate


@pytest.mark.parametrize("name", CHANGES)
def test_the_seam_of_a_clean_capture_is_no_jump(captured, name):
    seams = captured[name][2].seams
    assert max(seams["leave_pose_m"], seams["arrive_pose_m"]) < 1e-9
    assert np.degrees(max(seams["leave_velocity_rad_s"], seams["arrive_velocity_rad_s"])) < 25.0


def test_phases_tell_where_the_captured_frames_stand_after_synchronisation(captured):
    _, _, found = captured["walk-twirl-walk"]
    moved = replace(found, before=found.before.starting_at(1.1), after=found.after.starting_at(4.0))
    assert moved.leave_phase == pytest.approx((found.leave_phase - 1.1) % (2 * np.pi))
    assert moved.arrive_phase == pytest.approx((found.arrive_phase - 4.0) % (2 * np.pi))
    for cycle, phase, frame in (
        (moved.before, moved.leave_phase, found.leave),
        (moved.after, moved.arrive_phase, found.arrive),
    ):
        assert apart(cycle.starting_at(phase), 0, found.clip, frame) < 1.0  # frames between frames are interpolated


def test_a_walk_in_the_mirror_is_left_half_a_cycle_later(captured):
    _, _, found = captured["walk-twirl-walk"]
    other = found.mirrored()
    apart_by = (other.leave_phase - found.leave_phase) % (2 * np.pi)
    assert apart_by == pytest.approx(np.pi, abs=0.3)
    assert np.diff(other.clip.headings[[other.leave, other.arrive]])[0] == pytest.approx(
        -np.diff(found.clip.headings[[found.leave, found.arrive]])[0]
    )
    again = other.mirrored()
    np.testing.assert_allclose(again.clip.root_positions, found.clip.root_positions, atol=1e-12)
    assert again.contacts == found.contacts
    assert np.cos(again.leave_phase - found.leave_phase) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("name", ["walk-twirl-walk", "run-twirl-run"])
def test_a_twirl_can_be_repeated_between_two_frames_a_turn_apart(captured, name):
    _, _, found = captured[name]
    first, last = found.loop
    assert found.leave <= first < last <= found.arrive
    turned = np.degrees(np.diff(found.clip.headings[[first, last]])[0])
    assert abs(abs(turned) - 360.0) < 15.0


def test_only_what_turns_right_round_is_repeated(captured):
    assert captured["walk-run"][2].loop is None
    assert captured["walk-stand"][2].loop is None


def test_somebody_who_stands_has_a_breath_for_a_cycle(captured):
    for name, part in (("stand-walk", "before"), ("walk-stand", "after")):
        cycle = getattr(captured[name][2], part)
        assert stands(cycle)
        assert 1.0 <= cycle.duration <= 2.4 + 1e-9


def test_a_moment_of_standing_is_played_there_and_back_in_a_breath():
    clip, truth = capture("walk-stand")
    short = clip[: int(truth.boundaries[2][0]) + 20]
    found = find_transition(short)
    assert found.after.duration == pytest.approx(4.0)
    assert apart(found.after, 0, found.clip, found.arrive) < 1e-9
    dofs = found.after.dofs[:, :-4]
    np.testing.assert_allclose(dofs[1:], dofs[:0:-1], atol=1e-12)  # back the way it came
    assert found.after.speed == 0.0


@pytest.mark.parametrize(("at_end", "join"), [(True, 59), (False, 0)])
def test_somebody_who_comes_to_rest_does_not_fidget(at_end, join):
    clip, _ = capture("walk-stand")  # walking is further from standing than anything that passes for it
    cut = clip[200:260]
    for layout in ("quaternion", "euler"):
        cycle = idle_cycle(cut, (0, 59), at_end=at_end, layout=layout, contacts=Contacts(60))
        places = cycle.to_clip(2).positions
        away = np.linalg.norm((places - places[:, :1]) - (places[0] - places[0, 0]), axis=-1).max()
        assert 0.01 < away <= 0.021
        steps = np.linalg.norm(np.diff(places, axis=0), axis=-1)
        assert steps.max() * cycle.frame_rate < 0.04  # m/s, over the seam too
        assert apart(cycle, 0, cut, join) < 1e-9


def test_given_boundaries_are_kept_in_the_rows_of_the_file(captured):
    clip, _, _ = captured["walk-twirl-walk"]
    found = find_transition(clip[20:], boundaries=(280, 650))
    assert (found.leave + found.clip.first_row, found.arrive + found.clip.first_row) == (280, 650)
    assert abs(found.before.duration - 1.118) < 0.03


def test_a_clip_in_which_nothing_changes_is_refused():
    with pytest.raises(MotionError, match=r"nothing changes in .* give boundaries=\(leave, arrive\)"):
        find_transition(perform("walk", imperfections=CLEAN)[0])


def test_rows_that_are_no_boundaries_are_refused(captured):
    clip = captured["walk-run"][0]
    for rows in ((500, 400), (-1, 400), (300, 5000)):
        with pytest.raises(MotionError, match="not two frames, in this order"):
            find_transition(clip, boundaries=rows)


def test_less_than_a_cycle_asks_for_the_motion_it_joins_and_bends_a_cycle_of_it(data_folder):
    folder = data_folder / "cmu-bvh" / "127"
    clip = load(folder / "127_17.bvh")  # run, stop, run: hardly a step of the first run
    with pytest.raises(MotionError, match=r"begins with frames that neither repeat nor stand still.*give before="):
        find_transition(clip)
    run = build([load(folder / f"127_{number}.bvh") for number in ("06", "12")]).network
    with pytest.warns(MotionWarning, match="less than a cycle at its beginning; one was borrowed"):
        found = find_transition(clip, before=run, after=run)
    assert apart(found.before, 0, found.clip, found.leave) < 1e-6  # it leaves where it would begin again
    assert found.leave_phase == 0.0
    assert found.before.duration == pytest.approx(
        run.node("127_06").spectrum.duration, rel=0.02
    )  # not the one that turns
    assert any(one.step == "borrow" and one.numbers["bent_deg"] > 1.0 for one in found.before.decisions)
    assert np.isfinite(found.seams["leave_velocity_rad_s"])


def test_a_spectrum_of_another_skeleton_is_refused():
    clip, _ = capture("walk-run")
    stranger = perform("walk", height=1.2, imperfections=CLEAN)[0]
    spectrum = build([stranger]).network.nodes[0].spectrum
    with pytest.raises(MotionError, match="another skeleton"):
        find_transition(clip, before=spectrum)


def test_frames_in_the_wrong_order_make_no_transition(captured):
    _, _, found = captured["walk-twirl-walk"]
    with pytest.raises(MotionError, match="leaves at frame 9 and arrives at 9"):
        replace(found, leave=9, arrive=9)
    with pytest.raises(MotionError, match="cannot be repeated between frames 3 and 400"):
        replace(found, loop=(3, 400))
    with pytest.raises(MotionError, match="foot plants for 5 frames"):
        replace(found, contacts=Contacts(5))
    with pytest.raises(MotionError, match="another skeleton"):
        replace(found, clip=perform("walk", height=1.2, seconds=9.0)[0][: found.clip.n_frames])


def test_a_transition_can_be_made_by_hand(captured):
    _, _, found = captured["run-walk"]
    made = Transition("mine", found.clip, found.contacts, found.before, found.after, found.leave, found.arrive)
    assert made.seams == {}
    assert made.seconds == pytest.approx((found.arrive - found.leave) / 120.0)
    np.testing.assert_array_equal(mirrored_clip(made.clip).root_positions, made.mirrored().clip.root_positions)


@pytest.mark.parametrize(
    ("file", "before", "after"),
    [
        ("127/127_04", "standing", "cycle"),
        ("16/16_57", "cycle", "standing"),
        ("16/16_33", "cycle", "standing"),
        ("16/16_31", "standing", "cycle"),
    ],
)
def test_real_starts_and_stops_are_found(data_folder, file, before, after):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MotionWarning)
        found = find_transition(load(data_folder / "cmu-bvh" / f"{file}.bvh"))
    for part, kind in (("before", before), ("after", after)):
        note = next(one for one in found.decisions if one.step == part)
        assert kind in note.text
    assert apart(found.before, -1, found.clip, found.leave) < 1e-6 or stands(found.before)
    assert apart(found.after, 0, found.clip, found.arrive) < 1e-6
    assert 0.5 < found.seconds < 2.5
    if after == "standing":  # these captures end as the body comes to rest, so nearly all of that is played
        assert found.clip.n_frames - found.arrive < 0.25 * found.clip.frame_rate
    assert max(found.seams["leave_pose_m"], found.seams["arrive_pose_m"]) < 1e-6
    turns = found.clip.rotations_wxyz
    usual = np.percentile(quaternions.angle_between(turns[1:], turns[:-1]), 99.0) * found.clip.frame_rate
    for part, end in (("before", "leave"), ("after", "arrive")):
        mark = usual if stands(getattr(found, part)) else np.radians(60.0)  # who stands has none of a capture's jitter
        assert found.seams[f"{end}_velocity_rad_s"] < mark


def test_a_pirouette_without_a_cycle_borrows_a_walk_of_the_same_dancer(data_folder):
    folder = data_folder / "cmu-asfamc" / "05"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MotionWarning)
        walk = build([folder / "05_01.amc"]).network
        clip = load(folder / "05_11.amc")
        with pytest.raises(MotionError, match="neither repeat nor stand still"):
            find_transition(clip)
        found = find_transition(clip, boundaries=(50, 450), before=walk)
    assert found.before.duration == pytest.approx(walk.nodes[0].spectrum.duration, rel=0.01)
    assert found.seams["arrive_pose_m"] < 1e-6
    assert 0.05 < found.seams["leave_pose_m"] < 0.2  # a walk that met the dance all the way would be no walk
    numbers = next(one.numbers for one in found.before.decisions if one.step == "borrow")
    assert numbers["bent_deg"] == pytest.approx(np.degrees(MOST_BENT))
    assert numbers["missing_deg"] == pytest.approx(np.degrees(found.seams["leave_turn_rad"]), rel=1e-6)
    assert analyse(found.before, 10).n_harmonics == 10


def test_the_old_motion_ends_with_its_last_cycle_where_poses_go_on_alike_and_none_closes():
    phases = 2.0 * np.pi * np.arange(400) / 100.0
    around = Surroundings(
        features=np.stack([np.sin(phases), np.cos(phases), 0.0 * phases, 0.0 * phases], axis=1),
        speeds=np.ones(400),
        headings=np.zeros(400),
        starts=np.array([2]),
        lengths=np.array([100]),
        unlike=np.array([0.01]),
        strikes=(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)),
        frame_rate=100.0,
    )
    found = last_of_the_old(around)
    assert found is not None
    assert (found.kind, found.frame, found.length) == ("cycle", 102, 100)
