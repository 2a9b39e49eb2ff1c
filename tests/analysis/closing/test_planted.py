"""Closing that leaves standing feet where they were captured."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.analysis.closing.cyclify import cyclify
from mocapella.analysis.closing.displacement import cut_dofs, symmetric
from mocapella.analysis.closing.planted import feet_kept, swing_shares
from mocapella.analysis.cycles.find import find_cycle
from mocapella.analysis.cycles.raw_cycle import RawCycle, mark_cycle
from mocapella.analysis.plants.detect import find_plants
from mocapella.analysis.prepare import prepare
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET, Contacts, intervals_of
from mocapella.motion.layout import layout_of
from mocapella.motion.skeleton import Skeleton
from mocapella.rig.roles import find_roles

KINDS = ("quaternion", "euler")


@pytest.fixture(scope="module")
def short():
    """A walk of the actor's round a bend, cut six frames before it comes round, as captures of sharp turns end."""
    clip, truth = perform("walk", speed=1.2, turn=0.8, seconds=5.0, imperfections=CLEAN)
    plants = Contacts(
        clip.n_frames, **{name: tuple(map(tuple, rows.tolist())) for name, rows in truth.contacts.items()}
    )
    whole = find_cycle(clip, contacts=plants)
    return mark_cycle(clip, (whole.start, whole.start + whole.n_frames - 6), contacts=plants)


@pytest.fixture(scope="module")
def sharp(data_folder):
    """A sharp turn at a run: its feet lie 36 and 16 cm apart from one end to the other."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mo.MotionWarning)
        return find_cycle(mo.load(data_folder / "cmu-bvh" / "16" / "16_41.bvh"), turning=True)


def shuffling(found: RawCycle, method=feet_kept, layout="quaternion") -> float:
    """The furthest any ankle moves over the ground within a plant beyond what it was captured to, metres."""
    cut, cycle = found.cut, cyclify(found, method=method, layout=layout)
    x, _, z = cut.root_positions[0]
    closed = cycle.to_clip(position=(float(x), float(z)), heading=float(cut.headings[0]))
    ankles = [find_roles(cut.skeleton)[f"{side}_ankle"] for side in FEET]
    moved = (closed.positions[:, ankles] - cut.positions[:-1, ankles])[..., ::2]
    plants = [(i, a, b) for i, s in enumerate(FEET) for a, b in intervals_of(found.contacts.planted(s)[:-1])]
    return max(float(np.linalg.norm(moved[a : b + 1, i] - moved[a, i], axis=-1).max()) for i, a, b in plants)


@pytest.mark.parametrize("kind", KINDS)
def test_a_standing_foot_moves_no_more_than_captured(short, kind):
    assert shuffling(short, layout=kind) < 2e-3
    assert shuffling(short, symmetric, kind) > 2e-2


@pytest.mark.parametrize("kind", KINDS)
def test_a_captured_sharp_turn_keeps_its_feet(sharp, kind):
    assert shuffling(sharp, layout=kind) < 5e-3
    assert shuffling(sharp, symmetric, kind) > 5e-2


@pytest.mark.parametrize("kind", KINDS)
def test_the_ends_meet(short, sharp, kind):
    for found in (short, sharp):
        rows = []
        cyclify(found, method=lambda cut, rows=rows: rows.append(feet_kept(cut)) or rows[-1], layout=kind)
        np.testing.assert_allclose(rows[0][-1], rows[0][0], atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_a_cycle_that_closes_already_is_left_alone(walk, kind):
    clip = walk(300, turn=0.8)
    plants = Contacts(300, left_heel=((50, 100), (170, 220)), right_toe=((110, 160),))
    cycle = cyclify(clip, (60, 180), method=feet_kept, layout=kind, contacts=plants)
    raw = cut_dofs(clip[60:181], layout_of(kind, clip.skeleton))
    np.testing.assert_allclose(cycle.dofs, raw[:120], atol=1e-6)


def test_a_ground_that_rises_is_levelled(short):
    clip, frames = short.clip, (short.start, short.start + short.n_frames)
    way = short.cut.root_positions[-1] - short.cut.root_positions[0]
    tilt = quaternions.from_rotvec(0.02 * np.cross(way, [0.0, 1.0, 0.0]) / np.linalg.norm(way[::2]))
    rotations = np.array(clip.rotations_wxyz)
    rotations[:, 0] = quaternions.multiply(tilt, rotations[:, 0])
    tilted = Clip(clip.skeleton, quaternions.rotate(tilt, clip.root_positions), rotations, clip.frame_rate)
    plants = short.contacts.shifted(short.start, clip.n_frames)
    ankles = [find_roles(clip.skeleton)[f"{side}_ankle"] for side in FEET]
    stands = np.stack([short.contacts.planted(side)[:-1] for side in FEET], axis=1)

    def lifted(one, two):
        return (one.positions[: len(stands), ankles, 1] - two.positions[: len(stands), ankles, 1])[stands]

    closed = [cyclify(c, frames, method=feet_kept, contacts=plants).to_clip() for c in (tilted, clip)]
    risen, left = lifted(tilted[frames[0] :], clip[frames[0] :]), lifted(*closed)
    assert np.ptp(risen) > 0.01
    assert np.ptp(left) < 0.3 * np.ptp(risen)


def test_only_legs_differ_from_the_plain_closing(sharp):
    plain, kept = cyclify(sharp), cyclify(sharp, method=feet_kept)
    skeleton = plain.skeleton
    hips = [find_roles(skeleton)[f"{side}_hip"] for side in FEET]
    legs = {joint for joint in range(skeleton.n_joints) if set(hips) & set(skeleton.path(joint))}
    differ = np.abs(plain.dofs - kept.dofs).max(axis=0) > 1e-12
    changed = {joint for joint in range(skeleton.n_joints) if differ[plain.layout.columns(joint)].any()}
    assert changed
    assert changed <= legs
    assert not differ[-4:].any()


def test_turning_and_moving_the_clip_changes_nothing(sharp):
    clip = Clip(sharp.clip.skeleton, sharp.clip.root_positions, sharp.clip.rotations_wxyz, sharp.clip.frame_rate)
    turn, frames = quaternions.about_y(1.1), (sharp.start, sharp.start + sharp.n_frames)
    rotations = np.array(clip.rotations_wxyz)
    rotations[:, 0] = quaternions.multiply(turn, rotations[:, 0])
    places = quaternions.rotate(turn, clip.root_positions) + np.array([3.0, 0.0, -2.0])
    other = Clip(clip.skeleton, places, rotations, clip.frame_rate)
    plants = find_plants(clip)
    one, two = (cyclify(c, frames, method=feet_kept, contacts=plants) for c in (clip, other))
    np.testing.assert_allclose(two.dofs, one.dofs, atol=1e-6)


def test_both_layouts_put_the_feet_in_the_same_places(sharp):
    one, two = (cyclify(sharp, method=feet_kept, layout=kind).to_clip() for kind in KINDS)
    ankles = [find_roles(one.skeleton)[f"{side}_ankle"] for side in FEET]
    np.testing.assert_allclose(one.positions[:, ankles], two.positions[:, ankles], atol=2e-3)


def test_knees_turn_hardly_faster_than_captured(sharp):
    knees = [find_roles(sharp.clip.skeleton)[f"{side}_knee"] for side in FEET]
    cycle = cyclify(sharp, method=feet_kept).to_clip(2).rotations_wxyz[: sharp.n_frames + 1, knees]
    fastest = [quaternions.angle_between(q[1:], q[:-1]).max() for q in (cycle, sharp.cut.rotations_wxyz[:, knees])]
    assert fastest[0] < 1.1 * fastest[1]


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(8, 30), st.booleans()), min_size=2, max_size=6), st.booleans())
def test_shares_stay_while_a_foot_stands_and_fall_while_it_swings(runs, first):
    planted = np.concatenate([np.full(length, first ^ bool(i % 2)) for i, (length, _) in enumerate(runs)])
    shares = swing_shares(planted, 5)
    np.testing.assert_allclose(shares[0] - shares[-1], 1.0)
    assert np.all(np.diff(shares) <= 1e-12)
    for begin, end in intervals_of(planted):
        np.testing.assert_allclose(shares[begin : end + 1], shares[begin], atol=1e-12)
    np.testing.assert_allclose(shares.mean(), 0.0, atol=1e-12)


def test_a_foot_that_hardly_lifts_goes_nowhere_meanwhile():
    planted = np.ones(101, dtype=bool)
    planted[20:23] = planted[60:90] = False
    shares = swing_shares(planted, 12)
    assert np.ptp(shares[:60]) == 0.0
    np.testing.assert_allclose(shares[0] - shares[-1], 1.0)


@pytest.mark.parametrize("stands", [False, True])
def test_a_foot_that_never_lifts_or_never_stands_takes_the_gap_evenly(stands):
    np.testing.assert_allclose(swing_shares(np.full(11, stands), 3), 0.5 - np.arange(11) / 10)


def test_without_plants_the_feet_are_left_alone_and_the_record_says_so(walk):
    clip = walk(300, drift=0.05)
    plain, kept = (cyclify(clip, (60, 180), method=method) for method in (symmetric, feet_kept))
    assert kept.dofs.tobytes() == plain.dofs.tobytes()
    assert "their plants are not known" in kept.decisions[-1].text


def test_without_legs_the_record_says_which_joints_are_missing():
    arm = Skeleton.of(["Root", "Arm"], [-1, 0], [(0.0, 1.0, 0.0), (0.2, 0.0, 0.0)])
    turns = np.linspace(0.0, 0.5, 41)[:, None, None] * np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    rotations = quaternions.from_rotvec(turns)
    cycle = cyclify(Clip(arm, np.zeros((41, 3)), rotations, 40.0), method=feet_kept, contacts=Contacts(41))
    assert "the skeleton has no left_hip" in cycle.decisions[-1].text


def test_preparing_takes_it_by_name_and_tells_what_the_feet_make_up_for(data_folder):
    cycle = prepare(mo.load(data_folder / "cmu-bvh" / "16" / "16_19.bvh"), turning=True, method="feet_kept")
    assert "feet make up for 47 mm (left), 97 mm (right)" in cycle.decisions[-1].text
