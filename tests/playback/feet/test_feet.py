"""Laws of standing: planted feet stay, legs reach, bodies move on smoothly."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from mocapella.actor import CLEAN, perform
from mocapella.analysis.fourier import analyse
from mocapella.analysis.plants.detect import find_plants
from mocapella.analysis.plants.tracks import foot_places
from mocapella.analysis.prepare import prepare
from mocapella.analysis.synchronise import synchronise
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.geometry import quaternions
from mocapella.measure.footskate import footing
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import CycleContacts, intervals_of
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.spectrum import Spectrum
from mocapella.playback.feet.leg_ik import FootTarget, held, leg_pose, still_down
from mocapella.playback.feet.locks import FootLocks
from mocapella.playback.player import Player
from mocapella.playback.record import record, record_with_contacts
from mocapella.playback.settings import DEFAULTS
from mocapella.rig.legs import leg_roles, legs_of
from mocapella.storage.values import load


def accelerations(clip):
    return np.linalg.norm(np.diff(clip.root_positions, 2, axis=0), axis=1) * clip.frame_rate**2


def turned_by(clip, joint):
    q = clip.rotations_wxyz[:, joint]
    return np.degrees(quaternions.angle_between(q[1:], q[:-1]))


@pytest.mark.parametrize("name", ["walk", "turning", "run"])
def test_planted_feet_neither_slide_nor_sink(name, request):
    clip, contacts = record_with_contacts(Player(request.getfixturevalue(name)), seconds=2.5, frame_rate=60)
    feet = footing(clip, contacts)
    assert len(feet.slips) >= 6
    assert feet.slip_mm_max < 1.0
    assert feet.penetration_mm_max < 1.0


def test_feet_stand_at_every_point_of_a_network(network):
    for point in [(0.0, 1.3), (-0.3, 1.0), (0.25, 1.2), (0.5, 0.95)]:
        clip, contacts = record_with_contacts(Player(network, point=point), seconds=1.5, frame_rate=60)
        feet = footing(clip, contacts)
        assert feet.slip_mm_max < 1.0, point
        assert feet.penetration_mm_max < 2.0, point


def test_feet_stand_while_the_point_moves(network):
    player = Player(network, point=(-0.4, 0.95))
    clips = []
    for point in [(0.4, 1.0), (0.0, 1.5), (-0.3, 1.0)]:
        player.point = point
        clips.append(record_with_contacts(player, seconds=0.8, frame_rate=60))
    for clip, contacts in clips:
        assert footing(clip, contacts).slip_mm_max < 2.0


def test_feet_stand_though_the_turn_is_reversed_in_every_step(network):
    player = Player(network, point=(-0.6, 0.9))
    slips, sides = [], 0.6
    for _ in range(14):
        player.point = (sides, 0.9)
        sides = -sides
        slips.append(footing(*record_with_contacts(player, seconds=0.35, frame_rate=60)).slip_mm_max)
    assert max(slips) < 2.0


def test_a_planted_foot_under_strain_holds_the_motion_back():
    assert FootLocks(strain=0.05).give(DEFAULTS) == 1.0
    assert 0.0 < FootLocks(strain=0.15).give(DEFAULTS) < 1.0
    assert FootLocks(strain=0.21).give(DEFAULTS) == 0.0


def test_the_lower_end_of_a_standing_foot_is_on_the_ground(walk):
    clip, contacts = record_with_contacts(Player(walk), seconds=2.0, frame_rate=60)
    soles = [[leg.heel_height, leg.toe_height] for leg in legs_of(clip.skeleton)]
    heights = foot_places(clip, leg_roles(clip.skeleton))[..., 1] - np.ravel(soles)
    for side in (0, 1):
        lowest = heights[:, 2 * side : 2 * side + 2].min(axis=1)
        flat = contacts.planted(("left_heel", "right_heel")[side]) & contacts.planted(("left_toe", "right_toe")[side])
        assert flat.sum() > 20
        np.testing.assert_allclose(lowest[flat], 0.0, atol=5e-4)


def test_a_foot_comes_to_rest_before_it_is_planted(walk):
    clip, contacts = record_with_contacts(Player(walk), seconds=1.0, frame_rate=240)
    places = foot_places(clip, leg_roles(clip.skeleton))
    speeds = np.linalg.norm(np.diff(places[..., ::2], axis=0), axis=-1) * 240
    for column, name in enumerate(("left_heel", "left_toe", "right_heel", "right_toe")):
        for first, _ in contacts.point(name):
            if first > 1:
                assert speeds[first - 2, column] < 0.15, name


def test_bare_anchoring_keeps_one_foot_to_the_last_digit(walk):
    clip = record(Player(walk, feet="anchored"), seconds=2.0, frame_rate=60)
    places = foot_places(clip, leg_roles(clip.skeleton))[..., ::2]
    steps = np.linalg.norm(np.diff(places, axis=0), axis=-1).min(axis=1)
    assert np.median(steps) < 1e-12
    assert (steps < 1e-9).mean() > 0.9  # all frames but those in which the anchor changes


@pytest.mark.parametrize("speed", [0.9, 1.5])
def test_the_anchor_is_the_foot_that_became_the_lower_one(network, speed):
    clip = record(Player(network, point=(0.1, speed), feet="anchored"), seconds=3.0, frame_rate=120)
    toes = foot_places(clip, leg_roles(clip.skeleton))[:, 1::2]
    still = np.linalg.norm(np.diff(toes[..., ::2], axis=0), axis=-1) < 1e-9
    lower = np.argmin(toes[:-1, :, 1] - [leg.toe_height for leg in legs_of(clip.skeleton)], axis=1)
    assert still.any(axis=1).mean() > 0.95
    assert not still.all(axis=1).any()
    anchors = np.argmax(still, axis=1)
    changes = np.flatnonzero(np.diff(anchors))
    assert len(changes) >= 4
    for frame in changes:  # it was the higher one before, and is the lower one now
        assert (lower[frame], lower[frame + 1]) == (anchors[frame], anchors[frame + 1])


def test_the_blended_velocity_goes_as_far_as_the_capture_did(cycles, walk):
    player = Player(walk, feet="velocity")
    player.step(3.0 * walk.duration)
    captured = cycles[3].to_clip(4).root_positions[:, ::2]
    gone = captured[3 * cycles[3].n_frames] - captured[0]
    np.testing.assert_allclose(np.hypot(*player.position), np.hypot(*gone), atol=0.01)


@pytest.mark.parametrize("name", ["walk", "run"])
def test_feet_carry_the_body_as_far_as_the_capture_went(name, request):
    spectrum = request.getfixturevalue(name)
    player = Player(spectrum)
    player.step(3.0 * spectrum.duration)
    np.testing.assert_allclose(np.hypot(*player.position), 3.0 * spectrum.duration * spectrum.speed, rtol=0.03)


def test_the_body_moves_on_as_smoothly_as_captured(cycles, walk):
    played = accelerations(record(Player(walk), seconds=2.5, frame_rate=60))
    captured = accelerations(cycles[3].to_clip(2).resampled(60.0))
    assert played.max() < 1.3 * captured.max()


def test_the_body_flies_on_as_it_left_the_ground(run):
    clip, contacts = record_with_contacts(Player(run), seconds=1.2, frame_rate=120)
    down = contacts.planted("left") | contacts.planted("right")
    velocities = np.diff(clip.root_positions[:, ::2], axis=0) * 120
    flights = np.flatnonzero(np.diff(down.astype(int)) == -1)
    for start in flights[:-1]:
        end = start + 1 + int(np.argmax(down[start + 1 :]))
        in_flight = velocities[start + 1 : end - 1]
        assert len(in_flight) > 3
        speed = np.linalg.norm(in_flight.mean(axis=0))
        assert np.linalg.norm(np.diff(in_flight, axis=0), axis=1).max() < 0.1 * speed
        heights = clip.root_positions[start + 1 : end, 1]
        assert heights.max() > heights[[0, -1]].max()  # it rises and falls


def test_knees_do_not_snap(walk, run):
    for spectrum in (walk, run):
        held_clip = record(Player(spectrum), seconds=0.8, frame_rate=120)
        free_clip = record(Player(spectrum, feet="velocity"), seconds=0.8, frame_rate=120)
        for leg in legs_of(held_clip.skeleton):
            knee = leg.joints[leg.knee]
            assert turned_by(held_clip, knee).max() < 1.5 * turned_by(free_clip, knee).max()


def test_a_character_that_stands_stays_where_it_is():
    clip, _ = perform("stand", seconds=4.0)
    layout = prepare_stand(clip)
    player = Player(layout)
    start = player.position
    recorded, contacts = record_with_contacts(player, seconds=4.0, frame_rate=30)
    assert np.hypot(player.position[0] - start[0], player.position[1] - start[1]) < 0.1
    assert footing(recorded, contacts).slip_mm_max < 1.0


def prepare_stand(clip) -> Spectrum:
    """A pose that breathes and does not step: both feet rest all the time."""
    from dataclasses import replace

    from mocapella.analysis.closing.cyclify import cyclify

    spectrum = analyse(cyclify(clip, (0, clip.n_frames - 1)), harmonics=3)
    whole = ((0.0, 2.0 * np.pi),)
    return replace(spectrum, contacts=CycleContacts(whole, whole, whole, whole))


def test_turning_in_place_goes_nowhere(walk):
    from dataclasses import replace

    coefficients = np.array(walk.coefficients)
    coefficients[:, -3:-1] = 0.0
    coefficients[:, -1] = 0.0
    coefficients[0, -1] = 0.5
    spot = replace(walk, coefficients=coefficients)
    player = Player(spot, feet="velocity")
    player.step(10.0)
    np.testing.assert_allclose(player.position, (0.0, 0.0), atol=1e-12)
    np.testing.assert_allclose(player.heading, 5.0, atol=1e-9)


def test_a_leg_brings_its_foot_into_its_grip(walk):
    player = Player(walk, feet="velocity")
    pose = player.step(0.35)
    for leg in legs_of(walk.layout.skeleton):
        root = tuple(pose.root_position.tolist())
        turns = pose.rotations_wxyz.tolist()
        stand = leg_pose(leg, root, tuple(turns[0]), turns)
        grip = FootTarget(heel_shift=0.02 + 0.01j, toe_shift=0.02 + 0.01j, heel_hold=1.0, toe_hold=1.0, sink=-0.02)
        bent, high = held(leg, stand, grip)
        for joint, turn in bent.items():
            turns[joint] = list(turn)
        after = leg_pose(leg, root, tuple(turns[0]), turns)
        np.testing.assert_allclose(high, min(after.heel[1] - leg.heel_height, after.toe[1] - leg.toe_height), atol=1e-9)
        np.testing.assert_allclose(after.toe[0], stand.toe[0] + 0.01, atol=1e-9)
        np.testing.assert_allclose(after.toe[2], stand.toe[2] + 0.02, atol=1e-9)
        np.testing.assert_allclose(after.heel[2], stand.heel[2] + 0.02, atol=1e-9)


def test_a_foot_that_is_free_is_left_alone(walk):
    player = Player(walk, feet="velocity")
    pose = player.step(0.35)
    leg = legs_of(walk.layout.skeleton)[0]
    turns = pose.rotations_wxyz.tolist()
    root = tuple((pose.root_position + np.array([0.0, 0.3, 0.0])).tolist())
    stand = leg_pose(leg, root, tuple(turns[0]), turns)
    bent, high = held(leg, stand, FootTarget())
    assert bent == {}
    assert high > 0.25


def test_a_place_out_of_reach_stretches_the_leg_and_breaks_nothing(walk):
    player = Player(walk, feet="velocity")
    pose = player.step(0.2)
    leg = legs_of(walk.layout.skeleton)[0]
    turns = pose.rotations_wxyz.tolist()
    stand = leg_pose(leg, tuple(pose.root_position.tolist()), tuple(turns[0]), turns)
    found, high = held(leg, stand, FootTarget(2.0 + 0j, 2.0 + 0j, 1.0, 1.0))
    assert np.isfinite(list(found.values())).all()
    for joint, turn in found.items():
        turns[joint] = list(turn)
    after = leg_pose(leg, tuple(pose.root_position.tolist()), tuple(turns[0]), turns)
    np.testing.assert_allclose(high, min(after.heel[1] - leg.heel_height, after.toe[1] - leg.toe_height), atol=1e-9)
    assert high > 0.1


def test_a_foot_out_of_reach_never_flips(walk):
    pose = Player(walk, feet="velocity").step(0.35)
    turns = pose.rotations_wxyz.tolist()
    root = tuple(pose.root_position.tolist())
    for leg in legs_of(walk.layout.skeleton):
        stand = leg_pose(leg, root, tuple(turns[0]), turns)
        for away in np.exp(1j * np.linspace(0.0, 2.0 * np.pi, 8, endpoint=False)):
            grips = [FootTarget(toe_shift=complex(far * away), toe_hold=0.9) for far in np.arange(0.0, 0.5, 0.002)]
            ankles = np.array([held(leg, stand, grip)[0].get(leg.joints[-1]) for grip in grips[1:]])
            assert np.degrees(quaternions.angle_between(ankles[1:], ankles[:-1])).max() < 2.0


def test_a_heel_is_let_go_as_far_as_its_leg_is_too_short(walk):
    pose = Player(walk).step(0.2)
    turns = pose.rotations_wxyz.tolist()
    root = tuple(pose.root_position.tolist())
    stands = [(leg, leg_pose(leg, root, tuple(turns[0]), turns)) for leg in legs_of(walk.layout.skeleton)]
    leg, stand = min(stands, key=lambda pair: pair[1].heel[1] + pair[1].toe[1])
    hip, ankle = stand.places[leg.hip], stand.places[-1]
    shifts = math.copysign(1.0, ankle[2] - hip[2]) * np.linspace(0.0, 1.0, 500)
    holds = np.array([still_down(leg, stand, FootTarget(complex(far), complex(far), 1.0, 1.0)) for far in shifts])
    wanted = np.array([math.dist(hip, (ankle[0], ankle[1], ankle[2] + far)) for far in shifts])
    assert holds[0] == 1.0
    assert (np.diff(holds) <= 0.0).all()
    np.testing.assert_array_equal(holds[wanted < leg.length - 0.02], 1.0)
    np.testing.assert_array_equal(holds[wanted > leg.length + 0.05], 0.0)


@pytest.mark.data
@pytest.mark.parametrize("name", ["16_15", "16_35"])
def test_captured_people_stand_too(data_folder, name):
    clip = load(data_folder / "cmu-bvh" / "16" / f"{name}.bvh")
    cycle = prepare(clip)
    player = Player(analyse(cycle, harmonics=10))
    played, contacts = record_with_contacts(player, seconds=2.5, frame_rate=60)
    feet = footing(played, contacts)
    assert feet.slip_mm_max < 1.0
    assert feet.penetration_mm_max < 5.0
    assert accelerations(played).max() < 1.3 * accelerations(cycle.to_clip(2).resampled(60.0)).max()


@pytest.mark.data
def test_captured_people_stand_though_a_sharp_turn_is_reversed_under_a_planted_foot(data_folder):
    clips = [load(data_folder / "cmu-bvh" / "16" / f"16_{take}.bvh") for take in (15, 27, 29)]
    cycles = synchronise([prepare(clip) for clip in clips])
    sharp = Network([Node(c.name, (c.turn / c.duration, c.speed), analyse(c, harmonics=10)) for c in cycles])
    slips = []
    for seconds in (1.15, 1.2, 1.3):  # the leg gets too short for its foot to lie flat, so the heel has to go
        player = Player(sharp, point=sharp.nodes[2].at)
        player.step(seconds)
        player.point = (1.2, 1.0)
        slips.append(footing(*record_with_contacts(player, seconds=0.7, frame_rate=60)).slip_mm_max)
    assert max(slips) < 1.0


def test_the_ground_bends_the_toes_up(walk, run):
    for spectrum in (walk, run):
        clip = record(Player(spectrum), seconds=1.0, frame_rate=60)
        assert clip.end_positions[..., 1].min() > -1e-3


def test_a_capture_that_hovers_is_brought_down_to_the_ground(walk):
    coefficients = np.array(walk.coefficients)
    coefficients[0, -4] += 0.05
    plain, hovering = (record(Player(s), seconds=0.5, frame_rate=30) for s in (walk, changed(walk, coefficients)))
    np.testing.assert_allclose(hovering.root_positions, plain.root_positions, atol=1e-9)
    np.testing.assert_allclose(hovering.rotations_wxyz, plain.rotations_wxyz, atol=1e-9)


def test_feet_stand_though_the_body_shakes(walk):
    coefficients = np.array(walk.coefficients)
    coefficients[6, -3] += 0.15  # more than the few harmonics of the travel can follow
    clip, contacts = record_with_contacts(Player(changed(walk, coefficients)), seconds=1.5, frame_rate=60)
    assert footing(clip, contacts).slip_mm_max < 1.0


def changed(spectrum, coefficients) -> Spectrum:
    return Spectrum(coefficients, spectrum.duration, spectrum.layout, spectrum.contacts)


def test_a_foot_of_which_only_the_ankle_is_known_faces_ahead():
    leg = legs_of(perform("walk")[0].skeleton)[0]
    short = replace(leg, toe=leg.heel)
    assert short.across == (-1.0, 0.0, 0.0)
    assert short.ankle_share == 0.0


def without_toes(clip):
    """The same motion of a body whose legs end at the ankles."""
    whole = clip.skeleton
    kept = [joint for joint, name in enumerate(whole.names) if "Toe" not in name]
    parents = [-1 if joint == 0 else kept.index(int(whole.parents[joint])) for joint in kept]
    body = Skeleton.of([whole.names[joint] for joint in kept], parents, whole.offsets[kept])
    return Clip(body, clip.root_positions, clip.rotations_wxyz[:, kept], clip.frame_rate)


@pytest.mark.parametrize(("action", "speed"), [("walk", 1.3), ("run", 3.0)])
@pytest.mark.parametrize("method", ["symmetric", "feet_kept"])
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_feet_of_no_length_stand_as_well(action, speed, method):
    clip = without_toes(perform(action, speed=speed, imperfections=CLEAN)[0])
    player = Player(analyse(prepare(clip, method=method), harmonics=10))
    played, contacts = record_with_contacts(player, seconds=2.0, frame_rate=60)
    assert footing(played, contacts).slip_mm_max < 0.1
    np.testing.assert_allclose(player.speed, speed, rtol=0.03)


@pytest.mark.data
@pytest.mark.parametrize("take", ["16_47", "16_45"])
def test_a_foot_is_planted_while_it_is_on_the_ground_to_a_millimetre(data_folder, take):
    motion = analyse(prepare(load(data_folder / "cmu-bvh" / "16" / f"{take}.bvh")), harmonics=10)
    clip, contacts = record_with_contacts(Player(motion), seconds=2.0 * motion.duration, frame_rate=120)
    assert footing(clip, contacts).floating_mm_max <= 1.0 + 1e-6
    found = find_plants(clip)  # which knows nothing of the player, and sees as much
    for foot in ("left", "right"):
        assert abs(contacts.planted(foot).mean() - found.planted(foot).mean()) < 0.05


@pytest.mark.data
@pytest.mark.parametrize("take", ["16_45", "16_36"])
def test_a_runner_in_the_air_falls_as_gravity_has_it(data_folder, take):
    motion = analyse(prepare(load(data_folder / "cmu-bvh" / "16" / f"{take}.bvh")), harmonics=10)
    clip = record(Player(motion), seconds=3.0 * motion.duration, frame_rate=120)
    phases = 2.0 * np.pi * np.arange(clip.n_frames) / 120.0 / motion.duration
    air = ~(motion.contacts.planted("left", phases) | motion.contacts.planted("right", phases))
    flights = [clip.root_positions[a : b + 1, 1] for a, b in intervals_of(air) if a > 0 and b < clip.n_frames - 1]
    falls = [2.0 * np.polyfit(np.arange(len(rise)) / 120.0, rise, 2)[0] for rise in flights]
    assert len(falls) >= 4
    np.testing.assert_allclose(falls, -9.81, rtol=0.15)


@pytest.mark.data
def test_no_plant_is_broken_off_for_a_moment(data_folder):
    motion = analyse(prepare(load(data_folder / "cmu-bvh" / "16" / "16_56.bvh")), harmonics=10)
    _, contacts = record_with_contacts(Player(motion), seconds=3.0 * motion.duration, frame_rate=120)
    plants = [contacts.foot(foot) for foot in ("left", "right")]
    assert min(map(len, plants)) >= 3
    gaps = [after - before - 1 for own in plants for (_, before), (after, _) in itertools.pairwise(own)]
    assert min(gaps) > 12  # frames: no foot is off the ground for less than a tenth of a second
