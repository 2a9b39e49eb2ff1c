"""The single tests of plants: displacement, speed, windows, intervals, knees, seeds, neighbours, prior."""

from dataclasses import replace

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CAPTURED, perform
from mocapella.analysis.plants.detect import PLANT_TESTS, doubts, find_plants
from mocapella.analysis.plants.gait_rules import check_plants, drop_enclosed, merge_near
from mocapella.analysis.plants.heuristics import (
    displacement_plants,
    fold_frames,
    midstances,
    velocity_plants,
    window_filter,
)
from mocapella.analysis.plants.learned import (
    by_neighbours,
    cycle_prior,
    frame_features,
    nearest_neighbours,
    threshold_from_seeds,
)
from mocapella.analysis.plants.tracks import resting, track_feet
from mocapella.analysis.prepare import prepare
from mocapella.errors import MotionError
from mocapella.motion.contacts import FOOT_POINTS, Contacts
from tests.analysis.plants.plant_masks import contacts_from, overlap, true_contacts


def test_displacement_alone_finds_the_plants_of_a_clean_walk(clean_walk):
    clip, truth = clean_walk
    assert overlap(contacts_from(displacement_plants(track_feet(clip))), true_contacts(truth)) >= 0.9


def test_the_other_foots_speed_helps_in_noisy_marching():
    clip, truth = perform("walk", style="marching", imperfections=replace(CAPTURED, noise=6.0), seed=1)
    tracks, true = track_feet(clip), true_contacts(truth)
    alone = overlap(contacts_from(displacement_plants(tracks)), true)
    together = overlap(contacts_from(velocity_plants(tracks)), true)
    assert together > alone
    assert together >= 0.6
    assert overlap(contacts_from(resting(tracks)), true) >= 0.85


def test_the_window_filter_removes_one_flip_in_twenty_completely():
    rng = np.random.default_rng(3)
    mask = np.zeros(600, dtype=bool)
    for first in range(40, 600, 130):
        mask[first : first + 65] = True
    flipped = mask ^ (rng.random(600) < 0.05)
    filtered = window_filter(flipped, 21)
    assert len(contacts_from(np.stack([filtered] * 4, axis=1)).left_heel) == 5
    apart = np.flatnonzero(filtered != mask)
    edges = np.flatnonzero(np.diff(mask.astype(int)))
    assert np.abs(apart[:, None] - edges).min(axis=1).max(initial=0) <= 10  # only next to true edges


def test_the_window_filter_leaves_clean_intervals_alone():
    mask = np.zeros(200, dtype=bool)
    mask[20:80], mask[120:180] = True, True
    np.testing.assert_array_equal(window_filter(mask, 21), mask)


def test_a_plant_inside_one_of_the_other_foot_is_dropped():
    contacts = Contacts(200, left_heel=((10, 90),), right_heel=((40, 60), (85, 150)))
    assert drop_enclosed(contacts).right_heel == ((85, 150),)
    assert drop_enclosed(contacts).left_heel == ((10, 90),)


def test_short_plants_in_a_row_become_one_unless_the_other_foot_rests_between():
    pieces = Contacts(300, left_toe=((10, 25), (29, 45), (150, 210)), right_toe=((60, 140),))
    assert merge_near(pieces, 6).left_toe == ((10, 45), (150, 210))
    apart = replace(pieces, right_toe=((26, 28), (60, 140)))
    assert merge_near(apart, 6).left_toe == pieces.left_toe


def test_what_a_walk_or_run_cannot_do_is_reported_with_its_frames():
    walk = Contacts(100, left_heel=((0, 40), (60, 99)), right_heel=((44, 70),))
    (flight,) = check_plants(walk, running=False)
    assert (flight.code, flight.frames) == ("flight", (41, 42, 43))
    (both,) = check_plants(walk, running=True)
    assert (both.code, both.frames) == ("both-planted", tuple(range(60, 71)))
    inside = Contacts(100, left_heel=((0, 80),), right_heel=((20, 30), (75, 99)))
    assert [f.frames for f in check_plants(inside) if f.code == "enclosed"] == [tuple(range(20, 31))]
    hop = Contacts(100, left_heel=((10, 20), (40, 50)))
    assert [f.frames for f in check_plants(hop) if f.code == "missed-step"] == [tuple(range(21, 40))]


def test_an_artificial_rest_pose_and_lost_frames_are_not_held_against_the_plants(data_folder):
    clip = mo.load(data_folder / "cmu-bvh/07/07_01.bvh")
    assert doubts(clip, find_plants(clip)) == []
    roots = np.array(clip.root_positions)
    roots[150:160] = 0.0
    lost = replace(clip, root_positions=roots)
    assert doubts(lost, find_plants(lost)) == []


def test_doubts_name_the_rows_of_the_file(data_folder):
    clip = mo.load(data_folder / "cmu-bvh/07/07_01.bvh").captured
    lame = find_plants(clip, override={"left_heel": [], "left_toe": []})
    found = {finding.code: finding for finding in doubts(clip, lame)}
    assert {"missed-step"} <= set(found) <= {"missed-step", "flight"}
    plants = lame.foot("right")
    assert found["missed-step"].frames[0] == plants[0][1] + 1 + clip.first_row
    assert str(plants[0][1] + 1 + clip.first_row) in found["missed-step"].message


def test_what_is_odd_about_the_plants_of_a_prepared_cycle_is_on_record(clean_walk):
    clip, truth = clean_walk
    assert not [d for d in prepare(clip).decisions if d.step == "plants"]
    span = (20, 20 + round(truth.period * clip.frame_rate))
    (odd,) = [d for d in prepare(clip, frames=span, contacts=Contacts(clip.n_frames)).decisions if d.step == "plants"]
    assert odd.text.startswith("doubtful: neither foot ever rests")
    assert odd.numbers["frames"] == span[1] - span[0] + 1


@pytest.mark.parametrize("style", ["normal", "marching", "drunk"])
def test_knees_fold_once_a_cycle_in_the_middle_of_the_other_foots_stance(style):
    clip, truth = perform("walk", style=style, imperfections=CAPTURED, seed=1, cycles=6.0)
    n_cycles = clip.seconds / truth.period
    for foot, frames in midstances(clip).items():
        assert n_cycles - 1.6 <= len(frames) <= n_cycles + 1
        np.testing.assert_allclose(np.diff(frames), truth.period * clip.frame_rate, rtol=0.15)
        rests = truth.planted(f"{foot}_heel") | truth.planted(f"{foot}_toe")
        assert rests[frames].all()


def test_a_knee_that_never_folds_has_no_folds():
    assert len(fold_frames(np.full(200, 0.3), 60)) == 0


def test_seeds_give_the_threshold_that_reproduces_them(clean_walk):
    clip, truth = clean_walk
    rows = {name: [tuple(int(f) for f in truth.contacts[name][1])] for name in FOOT_POINTS}
    plants = find_plants(clip, seeds=rows)
    for name, (row,) in rows.items():
        np.testing.assert_allclose([p for p in plants.point(name) if p[0] <= row[1] and row[0] <= p[1]], [row], atol=1)
    assert overlap(plants, true_contacts(truth)) > 0.9


def test_plants_that_were_found_are_seeds_and_overrides_too(clean_walk):
    clip = clean_walk[0]
    known = find_plants(clip)
    named = {point: known.point(point) for point in FOOT_POINTS}
    assert find_plants(clip, seeds=known) == find_plants(clip, seeds=named)
    assert find_plants(clip, override=known.mirrored()) == known.mirrored()
    for given in ("seeds", "override"):
        with pytest.raises(MotionError, match="do not belong to a clip"):
            find_plants(clip, **{given: known[:-1]})


def test_seeds_without_a_frame_are_refused(clean_walk):
    clip, _ = clean_walk
    with pytest.raises(MotionError, match="at least one plant"):
        threshold_from_seeds(track_feet(clip).speeds, np.zeros((clip.n_frames, 4), dtype=bool))


def test_seeds_on_one_side_of_lost_frames_teach_the_other_side_too(data_folder):
    clip = mo.load(data_folder / "cmu-asfamc/07/07_01.amc")
    roots = np.array(clip.root_positions)
    roots[150:160] = 0.0
    lost = replace(clip, root_positions=roots)
    seeds = {"left_heel": [(63, 113)]}
    taught, whole = find_plants(lost, seeds=seeds), find_plants(clip, seeds=seeds)
    np.testing.assert_allclose(taught.left_heel[-1], whole.left_heel[-1], atol=6)
    with pytest.raises(MotionError, match="no sound frame"):
        find_plants(lost, seeds={"left_heel": [(152, 155)]})


def test_an_override_replaces_plants_exactly(stroll):
    clip, _ = stroll
    found = find_plants(clip)
    plants = find_plants(clip, override={"left_heel": [(12, 40), (150, 200)], "right_toe": []})
    assert plants.left_heel == ((12, 40), (150, 200))
    assert plants.right_toe == ()
    assert plants.left_toe == found.left_toe


@pytest.mark.parametrize(
    ("override", "match"), [({"left_knee": []}, "left_knee"), ({"left_toe": [(5, 9999)]}, "frames")]
)
def test_an_override_of_no_foot_point_or_beyond_the_clip_is_refused(stroll, override, match):
    with pytest.raises(MotionError, match=match):
        find_plants(stroll[0], override=override)


def test_twenty_labelled_frames_teach_the_rest_of_a_clip(stroll):
    clip, truth = stroll
    true = true_contacts(truth)
    labels = np.stack([true.planted(name) for name in FOOT_POINTS], axis=1)
    frames = np.linspace(0, clip.n_frames - 1, 20).astype(np.int64)
    features = frame_features(track_feet(clip))
    taught = [nearest_neighbours(features, i, frames, labels[frames, i])(features) for i in range(4)]
    assert overlap(contacts_from(np.stack(taught, axis=1)), true) >= 0.9


def test_twenty_frames_marked_by_hand_teach_the_rest_of_a_capture(data_folder):
    clip = mo.load(data_folder / "cmu-asfamc" / "07" / "07_01.amc")
    marked = {  # table 4.2 of the thesis on re-using motion capture
        "left_heel": ((63, 113), (197, 243)), "left_toe": ((71, 138), (201, 263)),
        "right_heel": ((0, 47), (131, 167), (259, 310)), "right_toe": ((7, 68), (136, 195), (265, 315)),
    }  # fmt: skip
    labels = np.stack([Contacts(clip.n_frames, **marked).planted(name) for name in FOOT_POINTS], axis=1)
    features, found = frame_features(track_feet(clip)), []
    for seed in range(5):
        frames = np.sort(np.random.default_rng(seed).choice(clip.n_frames, 20, replace=False))
        rest = np.setdiff1d(np.arange(clip.n_frames), frames)
        for i in range(4):
            taught = nearest_neighbours(features, i, frames, labels[frames, i])(features)[rest]
            found.append((taught & labels[rest, i]).sum() / (taught | labels[rest, i]).sum())
    assert np.mean(found) >= 0.9


def test_one_marked_plant_of_each_point_finds_the_others_by_likeness(stroll):
    clip, truth = stroll
    seeds = {name: [tuple(int(f) for f in truth.contacts[name][1])] for name in FOOT_POINTS}
    plants = find_plants(clip, seeds=seeds, learn=by_neighbours)
    assert overlap(plants, true_contacts(truth)) >= 0.85
    half = find_plants(clip, seeds={"left_heel": seeds["left_heel"]}, learn=by_neighbours)
    assert half.right_toe == find_plants(clip, seeds={"left_heel": seeds["left_heel"]}).right_toe


def test_a_method_and_seeds_to_learn_one_exclude_each_other(stroll):
    with pytest.raises(MotionError, match="give one of them"):
        find_plants(stroll[0], method=resting, seeds={"left_heel": [(10, 20)]})


@pytest.mark.parametrize(("name", "least"), [("displacement", 0.7), ("velocity", 0.5), ("knees", 0.5), ("prior", 0.93)])
def test_every_named_method_finds_plants(stroll, name, least):
    clip, truth = stroll
    assert overlap(find_plants(clip, method=name), true_contacts(truth)) >= least


def test_a_method_goes_by_its_name(stroll):
    clip, _ = stroll
    for name, test in PLANT_TESTS.items():
        assert find_plants(clip, method=name) == find_plants(clip, method=test)
    seeds = {"left_heel": [find_plants(clip).left_heel[1]]}
    assert find_plants(clip, seeds=seeds, learn="neighbours") == find_plants(clip, seeds=seeds, learn=by_neighbours)
    with pytest.raises(MotionError, match=r"expected a test of foot plants, one of resting, displacement.*got 'knee'"):
        find_plants(clip, method="knee")
    with pytest.raises(MotionError, match=r"expected a way to learn from seeds, one of speed, neighbours, got 'sped'"):
        find_plants(clip, seeds=seeds, learn="sped")


def test_a_test_made_easier_only_adds_plants(stroll):
    tracks = track_feet(stroll[0])
    hard, usual, easy = (resting(tracks, ease) for ease in (0.5, 1.0, 1.5))
    assert not (hard & ~usual).any()
    assert not (usual & ~easy).any()
    assert easy.sum() > usual.sum() > hard.sum()


def test_gaits_have_their_plants_tidied_on_request():
    clip, truth = perform("walk", style="marching", imperfections=replace(CAPTURED, noise=6.0), seed=1)
    plain, tidy = (find_plants(clip, method=displacement_plants, gait=g) for g in (False, True))
    assert sum(len(tidy.point(p)) for p in FOOT_POINTS) < sum(len(plain.point(p)) for p in FOOT_POINTS)
    assert overlap(tidy, true_contacts(truth)) >= overlap(plain, true_contacts(truth))


def test_the_prior_of_a_cycle_says_where_the_other_cycles_rest():
    masks = np.zeros((400, 4), dtype=bool)
    for first in (10, 110, 210, 310):
        masks[first : first + 50] = True
    masks[130:140, 0] = False  # a hole in one cycle
    prior = cycle_prior(masks, 100.0)
    assert prior[135, 0] == 1.0
    assert prior[95, 0] == 0.0
    np.testing.assert_array_equal(cycle_prior(masks[:80], 100.0), 0.5)
