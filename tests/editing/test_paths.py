"""Paths bent and replaced: identities, offsets, lengths, feet."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.editing.edits import Edit, edit
from mocapella.editing.ground_curves import GroundCurve, bezier, directions
from mocapella.editing.parameters import EditError
from mocapella.editing.paths import bend_path, follow_path, path_handles, smooth_path
from mocapella.measure.comparison import edited_figures
from mocapella.measure.footskate import footing
from mocapella.motion.contacts import FOOT_POINTS, Contacts


@pytest.fixture(scope="module")
def walk():
    clip, truth = perform("walk", speed=1.3, cycles=3.3, imperfections=CLEAN)
    plants = {name: tuple(map(tuple, truth.contacts[name].tolist())) for name in FOOT_POINTS}
    return clip, Contacts(clip.n_frames, **plants)


def de_casteljau(controls, share):
    points = np.array(controls)
    while len(points) > 1:
        points = (1.0 - share) * points[:-1] + share * points[1:]
    return points[0]


@given(st.integers(2, 40), st.floats(0.0, 1.0), st.integers(0, 9))
def test_the_bezier_curve_is_de_casteljaus(count, share, seed):
    controls = np.random.default_rng(seed).normal(size=(count, 2))
    found = bezier(controls, np.array([share]))[0][0]
    np.testing.assert_allclose(found, de_casteljau(controls, share), atol=1e-9)


def test_a_bezier_curve_of_a_thousand_points_begins_and_ends_at_its_ends():
    controls = np.random.default_rng(0).normal(size=(1000, 2))
    found, _ = bezier(controls, np.linspace(0.0, 1.0, 11))
    np.testing.assert_array_equal(found[[0, -1]], controls[[0, -1]])
    assert np.isfinite(found).all()


def test_the_smooth_path_begins_and_ends_with_the_root_and_does_not_sway(walk):
    clip, _ = walk
    path = smooth_path(clip)
    np.testing.assert_array_equal(path.places[[0, -1]], clip.root_positions[[0, -1]][:, ::2])
    middle = slice(clip.n_frames // 4, -clip.n_frames // 4)
    captured = directions(np.diff(clip.root_positions[:, ::2], axis=0))
    assert np.ptp(path.directions[middle]) < 0.6 * np.ptp(captured[middle])


def test_there_are_five_handles_for_every_four_hundred_frames(walk):
    clip, _ = walk
    long = mo.concatenate([clip, clip, clip], aligned=True)
    for frames, count in ((400, 5), (800, 10), (60, 2)):
        assert len(path_handles(long[:frames])) == count


@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(-5, 5)), min_size=2, max_size=8, unique=True))
def test_a_curve_passes_its_points_in_order(points):
    places = np.array(points)
    if np.linalg.norm(np.diff(places, axis=0), axis=-1).min() < 1e-3:
        return
    curve = GroundCurve.through(places)
    np.testing.assert_allclose(curve.at(curve.knots)[0], places, atol=1e-12)
    assert curve.length >= np.linalg.norm(np.diff(places, axis=0), axis=-1).sum() - 1e-9


def test_a_straight_path_of_another_direction_only_turns_the_clip(walk):
    clip, _ = walk
    straight = np.column_stack([np.zeros(clip.n_frames), np.linspace(0.0, 4.0, clip.n_frames)])
    line = mo.Clip(
        clip.skeleton,
        np.insert(straight, 1, clip.root_positions[:, 1], axis=1),
        clip.rotations_wxyz,
        clip.frame_rate,
    )
    made = follow_path(line, points=[(1.0, 0.0), (9.0, 0.0)], lock_feet=False)
    turned = line.turned(np.pi / 2).moved(1.0, 0.0)
    np.testing.assert_allclose(made.positions, turned.positions, atol=1e-9)


def test_handles_that_stay_leave_the_clip_itself(walk):
    clip, _ = walk
    assert bend_path(clip, moves=[]) is clip
    assert bend_path(clip, moves=[[1, 0.0, 0.0]]) is clip


def test_handles_moved_there_and_back_are_the_identity(walk):
    clip, _ = walk
    there = bend_path(clip, moves=[[i, 2.0, 1.0] for i in range(len(path_handles(clip)))], lock_feet=False)
    np.testing.assert_allclose(there.positions, clip.moved(2.0, 1.0).positions, atol=1e-9)


def test_an_arc_keeps_the_offset_from_the_path_and_the_length_of_the_way(walk):
    clip, _ = walk
    angles = np.linspace(0.0, 1.5, 12)
    arc = np.column_stack([3.0 - 3.0 * np.cos(angles), 3.0 * np.sin(angles)])
    made = follow_path(clip, points=arc, lock_feet=False)
    old = smooth_path(clip)
    curve = GroundCurve.through(arc)
    new, _ = curve.at_length(old.lengths)
    np.testing.assert_allclose(
        np.linalg.norm(made.root_positions[:, ::2] - new, axis=-1),
        np.linalg.norm(clip.root_positions[:, ::2] - old.places, axis=-1),
        atol=1e-9,
    )
    speeds = np.linalg.norm(np.diff(new, axis=0), axis=-1)
    np.testing.assert_allclose(speeds, np.diff(old.lengths), rtol=0.01)
    np.testing.assert_array_equal(made.rotations_wxyz[:, 1:], clip.rotations_wxyz[:, 1:])


def test_a_longer_path_slides_less_where_steps_keep_their_length_or_thighs_swing_further(walk):
    clip, plants = walk
    longer = [(0.0, 0.0), (0.0, 1.25 * smooth_path(clip).lengths[-1])]
    slips = {
        name: footing(follow_path(clip, points=longer, lock_feet=False, **options), plants).slip_mm_mean
        for name, options in {
            "stretched": {"keep_length": False},
            "femurs": {"keep_length": False, "femurs": True},
            "kept": {"keep_length": True},
        }.items()
    }
    assert slips["kept"] < slips["femurs"] < 0.8 * slips["stretched"]


def test_feet_are_locked_on_the_new_path(walk):
    clip, plants = walk
    bent = follow_path(clip, points=[(0.0, 0.0), (0.3, 2.0), (2.0, 3.5)])
    found = edited_figures(edit(clip, Edit("path", points=[(0.0, 0.0), (0.3, 2.0), (2.0, 3.5)])))
    assert found["after"]["slip_mm_max"] < 1.0
    assert bent.n_frames == plants.n_frames


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda clip: follow_path(clip, points=[(0, 0), (0, 0)]), "points 0 and 1 of the path coincide"),
        (lambda clip: follow_path(clip, points=[(0, 0)]), "two or more points"),
        (lambda clip: follow_path(clip, points=[(0, 0), (0, np.nan)]), "points .* within"),
        (lambda clip: follow_path(clip, points=[(0, 0), (0, 900)], keep_length=False), "times as long"),
        (lambda clip: bend_path(clip, moves=[[99, 0, 1]]), "a handle from 0 to"),
        (lambda clip: bend_path(clip, moves=[[0.5, 0, 1]]), r"\[handle, x, z\]"),
        (lambda clip: bend_path(clip, moves=[[0, np.inf, 1]]), r"\[handle, x, z\]"),
        (lambda clip: follow_path(clip[:1], points=[(0, 0), (0, 1)]), "goes nowhere"),
    ],
)
def test_paths_that_are_none_are_refused(walk, make, says):
    with pytest.raises(EditError, match=says):
        make(walk[0])


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::mocapella.MotionWarning")
@pytest.mark.parametrize("name", ["16/16_15", "16/16_35"])
def test_captures_walk_and_run_along_other_paths_with_feet_that_stay(name, data_folder):
    clip = mo.load(data_folder / f"cmu-bvh/{name}.bvh")
    found = edited_figures(edit(clip, Edit("path", points=[(0.0, 0.0), (0.0, 1.5), (1.0, 3.5), (3.0, 5.0)])))
    assert found["after"]["slip_mm_max"] < 1.0
    assert found["after"]["root_acceleration_p99"] < 1.2 * found["before"]["root_acceleration_p99"]


def test_steps_are_added_where_a_path_is_too_long_for_them(walk):
    clip, _ = walk
    ahead = clip.root_positions[-1, ::2] - clip.root_positions[0, ::2]
    far = [(0.0, 0.0), tuple(2.0 * ahead)]
    with pytest.warns(mo.MotionWarning, match="too long for the steps .* fill adds steps"):
        sunk = follow_path(clip, points=far, keep_length=False)
    assert sunk.n_frames == clip.n_frames
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        filled = follow_path(clip, points=far, keep_length=False, fill=True)
    assert filled.n_frames > 1.5 * clip.n_frames
    assert [one.message for one in filled.report.findings if one.code == "added-steps"]
    inside = slice(60, -60)  # a step at the very ends has nothing to be repeated round it
    lowest = clip.root_positions[:, 1].min()
    assert sunk.root_positions[inside, 1].min() < lowest - 0.15
    assert filled.root_positions[inside, 1].min() > lowest - 0.12
    gone = filled.root_positions[-1, ::2] - filled.root_positions[0, ::2]
    np.testing.assert_allclose(gone, 2.0 * ahead, atol=0.15)  # as far as the path leads
    steps = np.linalg.norm(np.diff(filled.positions, axis=0), axis=-1)
    most = np.linalg.norm(np.diff(clip.positions, axis=0), axis=-1).max()
    assert steps.max() < 1.6 * most  # no seam shows as a jump
    assert footing(filled, mo.find_plants(filled)).slip_mm_max < 40.0


def test_filling_changes_nothing_where_steps_are_short_enough(walk):
    clip, _ = walk
    points = [(0.0, 0.0), (0.3, 2.0), (1.0, 4.0)]
    plain, filled = (follow_path(clip, points=points, fill=fill) for fill in (False, True))
    np.testing.assert_array_equal(plain.rotations_wxyz, filled.rotations_wxyz)
