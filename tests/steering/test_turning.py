"""Turning on the spot: a node of its own in a walking network, played in place, and asked for by who looks away."""

import math
from dataclasses import replace

import numpy as np
import pytest

from mocapella.actor import CLEAN, capture, perform
from mocapella.analysis.prepare import prepare
from mocapella.building.build import build
from mocapella.errors import MotionWarning
from mocapella.gait.root_motion import played_rates
from mocapella.measure.footskate import footing
from mocapella.measure.ground_path import lateral_errors
from mocapella.motion.travel import stands
from mocapella.playback.player import Player
from mocapella.playback.record import record, record_with_contacts
from mocapella.steering.calibration import Calibration
from mocapella.steering.guides import Follower, GoTo, Request
from mocapella.steering.path import Path
from mocapella.steering.plan import tips
from mocapella.steering.turning import TURNS, AboutTurn
from mocapella.storage.values import load

RATE = 20  # frames per second that are played
WALKS = ("slow walk straight", "fast walk straight", "slow walk sharp left", "fast walk sharp left")


@pytest.fixture(scope="module")
def turning():
    """Walks and a turn on the spot, to the right as the mirror has it."""
    return build([capture(name)[0] for name in (*WALKS, "turn left")]).network


@pytest.fixture(scope="module")
def rates(turning):
    return Calibration(turning, measure=played_rates, steps=2)


@pytest.fixture(scope="module")
def walking_rates():
    return Calibration(build([capture(name)[0] for name in WALKS]).network, measure=played_rates, steps=2)


def rounds(player, count):
    """So many turns of a player, in whole cycles: the clip, its plants, and how far place and heading are off."""
    motion = player.spectrum
    cycles = math.ceil(count * math.tau / abs(motion.turn))
    seconds = cycles * motion.duration
    heading, start = player.heading, player.centre
    frames = math.floor(seconds * RATE)
    clip, contacts = record_with_contacts(player, seconds=frames / RATE, frame_rate=RATE)
    player.step(seconds - frames / RATE)
    return clip, contacts, math.dist(start, player.centre), player.heading - heading - cycles * motion.turn


def test_a_turn_on_the_spot_has_a_place_in_the_network_and_keeps_step(turning):
    for name, side in (("turn left", 1.0), ("turn left mirrored", -1.0)):
        node = turning.node(name)
        np.testing.assert_allclose(node.at, (side * 91.7, 0.0), atol=2.0)
        assert node.synchronised
        assert not stands(node.spectrum)


def test_feet_are_set_down_at_like_phases_in_walks_and_turns(turning):
    landings = [
        [getattr(turning.node(name).spectrum.contacts, f"{side}_heel")[0][0] for side in ("left", "right")]
        for name in ("slow walk straight", "turn left", "turn left mirrored")
    ]
    apart = np.abs(np.exp(1j * np.array(landings)) - np.exp(1j * np.array(landings[0])))
    assert apart.max() < 1.0  # less than a sixth of a cycle


@pytest.mark.parametrize(("rate", "count"), [(90.0, 10), (-50.0, 2)])
def test_turns_on_the_spot_stay_on_the_spot(turning, rate, count):
    player = Player(turning, point=turning.place((rate, 0.0)).point)
    clip, contacts, gone, off = rounds(player, count)
    np.testing.assert_allclose(math.degrees(player.spectrum.turn / player.spectrum.duration), rate, rtol=0.02)
    assert gone < 0.01
    assert abs(math.degrees(off)) < 0.01
    places = clip.root_positions[:, ::2]
    assert np.linalg.norm(places - places.mean(axis=0), axis=-1).max() < 0.06
    assert footing(clip, contacts).slip_mm_max < 1.0
    assert footing(clip).slip_mm_max < 1.0
    assert footing(clip, contacts).penetration_mm_max < 1.0


def test_the_heading_is_the_sum_of_the_turn_rates_while_the_point_moves(turning):
    player = Player(turning, point=(0.0, 1.0))
    summed, heading = 0.0, player.heading
    for frame in range(150):
        if frame % 25 == 0:
            player.point = turning.place(((90.0, 0.0), (-60.0, 0.3), (20.0, 0.8))[frame // 25 % 3]).point
        before = player.phase
        player.step(1 / 60)
        motion = player.spectrum
        yaw_rates = motion.at(np.array([before, before + math.tau / motion.duration / 60]))[:, -1]
        summed += float(yaw_rates.mean()) / 60
    assert abs(math.degrees(player.heading - heading - summed)) < 0.5


def test_from_walking_to_turning_and_back_nothing_leaps_and_no_foot_slides(turning):
    player = Player(turning, point=(0.0, 1.2))
    poses, clips = [], []
    for point in ((0.0, 1.2), (90.0, 0.0), (0.0, 1.2), (-90.0, 0.0), (-45.0, 0.4)):
        player.point = turning.place(point).point
        clips.append(record_with_contacts(player, seconds=1.5, frame_rate=RATE))
        poses += list(clips[-1][0].positions[1:])
    steps = np.linalg.norm(np.diff(poses, axis=0), axis=-1)
    captured = capture("fast walk straight", frame_rate=float(RATE))[0]
    assert steps.max() < 1.5 * np.linalg.norm(np.diff(captured.positions, axis=0), axis=-1).max()
    assert max(footing(clip, contacts).slip_mm_max for clip, contacts in clips) < 1.5


def test_speed_comes_down_evenly_from_a_walk_to_a_turn(turning):
    start, end = np.array(turning.node("slow walk straight").at), np.array(turning.node("turn left").at)
    speeds, turns = np.array(
        [
            (played_rates(blend)[1], played_rates(blend)[0])
            for blend in (turning.blend(tuple(start + share * (end - start))) for share in np.linspace(0.0, 1.0, 9))
        ]
    ).T
    assert (np.diff(speeds) < 0.0).all()
    assert (np.diff(turns) > 0.0).all()


def test_a_request_for_a_turn_without_speed_is_met_without_a_warning(turning, rates, recwarn):
    player = Player(turning, point=(0.0, 1.0))
    record(player, seconds=2.0, frame_rate=10, script=Request(rates, lambda time: (1.2, 0.0)))
    assert not [warning for warning in recwarn if issubclass(warning.category, MotionWarning)]
    assert player.spectrum.turn / player.spectrum.duration == pytest.approx(1.2, abs=0.02)
    assert player.speed < 0.03


def test_who_turns_on_the_spot_goes_the_way_he_faces(turning):
    player = Player(turning, point=turning.node("turn left").at)
    for _ in range(40):
        player.step(1 / 20)
        assert abs(math.remainder(player.course - player.heading, math.tau)) < math.radians(8.0)


def test_networks_that_cannot_turn_on_the_spot_are_left_to_their_curves(rates, walking_rates):
    left_and_right = AboutTurn(rates).fastest
    np.testing.assert_allclose(np.degrees(left_and_right), (-91.0, 91.0), atol=5.0)
    walking = AboutTurn(walking_rates)
    assert walking.fastest == (0.0, 0.0)
    assert walking.point(math.pi) is None


def test_a_turn_begins_far_away_and_goes_on_until_it_nearly_looks_there(rates):
    turn = AboutTurn(rates)
    assert turn.point(TURNS.away - 0.1) is None
    assert turn.point(TURNS.away + 0.1)[0] > 80.0
    assert turn.point(-TURNS.away - 0.1)[0] < -80.0
    assert turn.point(0.6)[0] == pytest.approx(math.degrees(0.6 / 0.5), abs=2.0)
    assert turn.point(TURNS.towards - 0.01) is None
    assert turn.point(TURNS.towards + 0.1) is None


def led_along(measured, away):
    """What becomes of who looks away from a straight path and is led along it."""
    player = Player(measured.network, point=measured.request(0.0, 1.0).point, heading=away)
    guide = Follower(Path.of([(0.0, 0.0), (0.0, 3.0)]), measured, speed=1.1)
    clip, contacts = record_with_contacts(player, frame_rate=20, script=guide)
    assert guide.done
    return clip, contacts


@pytest.mark.parametrize("away", [math.pi, -2.0])
def test_a_path_is_begun_by_turning_to_it(rates, away):
    clip, contacts = led_along(rates, away)
    assert np.abs(clip.root_positions[:, 0]).max() < 0.35
    assert clip.root_positions[:, 2].min() > -0.5
    assert footing(clip, contacts).slip_mm_max < 1.5


def test_a_network_of_walks_begins_it_by_a_curve(walking_rates):
    clip, _ = led_along(walking_rates, 2.0)
    assert np.abs(clip.root_positions[:, 0]).max() > 0.8


BACK, TIP = [(0, 0), (0, 4), (0, 0)], [(0, 0), (0, 4), (1, 0.5)]
STAR = [(3.0 * math.sin(angle), 3.0 * math.cos(angle)) for angle in 0.8 * math.pi * np.arange(4)]


@pytest.mark.parametrize("rows", [BACK, TIP, STAR], ids=["back", "tip", "star"])
def test_at_a_tip_it_turns_round_instead_of_going_round_it(rates, walking_rates, rows):
    path, most = Path.of(rows), []
    for measured in (rates, walking_rates):
        start = measured.request(0.0, 1.1).point
        player = Player(measured.network, point=start, position=path.at(0.0), heading=path.heading(0.0))
        guide = Follower(path, measured, speed=1.1)
        clip = record(player, frame_rate=30, script=guide)
        assert guide.done
        most.append(lateral_errors(clip, path.places).max())
    assert most[0] < 0.25 < 0.8 < most[1]


def test_a_tip_is_come_to_slowly_and_is_no_bend(rates):
    path = Path.of(BACK)
    plan = Follower(path, rates, speed=1.1).plan
    np.testing.assert_allclose(plan.tips, [4.0])
    np.testing.assert_allclose(plan.way.length, 8.0)
    np.testing.assert_allclose(plan.curvatures, 0.0, atol=1e-9)
    assert plan.way.speed(4.0) < 0.4 < 1.0 < min(plan.way.speed(2.5), plan.way.speed(5.5))
    assert plan.leg_end(3.9) == plan.tips[0]
    assert plan.leg_end(4.1) == math.inf


def test_a_bend_too_tight_to_be_walked_is_left_in_the_end(rates):
    path = Path.smooth([(0, 0), (0, 2), (0.3, 0.5), (0, 2), (0, 0)])
    player = Player(rates.network, point=rates.request(0.0, 1.0).point)
    guide = Follower(path, rates, speed=1.0)
    with pytest.warns(MotionWarning, match="radii down to"):
        clip = record(player, frame_rate=12, script=guide)
    assert guide.done
    assert lateral_errors(clip, path.places).max() < 0.5


def test_who_asks_for_a_radius_has_tips_gone_round(rates):
    path = Path.of(BACK)
    assert len(Follower(path, rates, radius=1.0).plan.tips) == 0


def test_a_tip_with_a_short_leg_is_a_slip_of_the_hand():
    assert len(tips(Path.of([(0, 0), (0, 4), (0, 3.8)]))) == 0
    np.testing.assert_allclose(tips(Path.of([(0, 0), (0, 4), (0, 3.2)])), [4.0])
    np.testing.assert_allclose(tips(Path.of([(0, 0), (0, 4), (0.1, 3.5), (0.2, 8)])), [4.0, 4.0 + np.hypot(0.1, 0.5)])


@pytest.mark.parametrize(("goal", "seconds"), [((0.0, -2.0), 5.0), ((0.7, 0.2), 2.5)])
def test_a_goal_behind_or_too_near_to_its_side_is_turned_to(turning, rates, goal, seconds):
    player = Player(turning, point=rates.request(0.0, 1.0).point)
    guide = GoTo(goal, rates)
    clip = record(player, seconds=None, frame_rate=20, script=guide)
    assert guide.arrived
    assert clip.seconds < seconds
    away = np.linalg.norm(clip.root_positions[:, ::2] - np.array(goal), axis=-1)
    assert away.max() < away[0] + 0.35  # it did not walk away first


@pytest.mark.data
def test_a_capture_of_a_walk_and_its_about_turn_makes_a_network_that_turns_on_the_spot(data_folder):
    clip = load(data_folder / "odd-bvh" / "AnimatedDrawings-zombie.bvh")
    network = build(
        [replace(prepare(clip, turning=turn), name=name) for name, turn in (("turn", True), ("walk", False))]
    ).network
    assert sorted(network.names) == ["turn", "turn mirrored", "walk"]
    player = Player(network, point=network.node("turn").at)
    played, contacts, _, off = rounds(player, 4)
    assert abs(math.degrees(off)) < 0.01
    places = played.root_positions[:, ::2]
    assert np.linalg.norm(places - places.mean(axis=0), axis=-1).max() < 0.35  # as captured: he steps round a foot
    assert footing(played, contacts).slip_mm_max < 1.0
    assert footing(played).slip_mm_max < 1.0


def test_clean_performances_play_as_well_as_flawed_ones():
    network = build([perform("turn", turn=1.0, imperfections=CLEAN)[0]]).network
    player = Player(network, point=network.nodes[0].at)
    clip, contacts, gone, off = rounds(player, 2)
    assert gone < 0.005
    assert abs(math.degrees(off)) < 0.01
    assert footing(clip, contacts).slip_mm_max < 1.0
