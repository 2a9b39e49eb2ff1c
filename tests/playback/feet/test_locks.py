"""Laws of places that feet keep: each plant has its own, also where one follows closely upon another."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.actor import perform
from mocapella.analysis.plants.tracks import foot_places
from mocapella.building.build import build
from mocapella.gait.cycle_on_ground import Touch
from mocapella.gait.resting import plants_of
from mocapella.measure.footskate import footing
from mocapella.playback.feet.leg_ik import LegPose
from mocapella.playback.feet.locks import FootLocks, foot_targets
from mocapella.playback.player import Player
from mocapella.playback.playhead import Playhead
from mocapella.playback.record import record_with_contacts
from mocapella.playback.settings import DEFAULTS
from mocapella.playback.state import Snapshot
from mocapella.rig.legs import leg_roles, legs_of

DURATION, RATE = 1.2, 60.0  # seconds; steps per second
LEGS = legs_of(perform("walk")[0].skeleton)


@dataclass
class Shuffle:
    """A body that stays where it is while its left heel rests twice, ``gap`` seconds and ``far`` apart."""

    gap: float
    far: complex

    def __post_init__(self):
        per_second = math.tau / DURATION
        self.first, self.second = (1.0, 0.3 * per_second), (1.0 + (0.3 + self.gap) * per_second, 0.2 * per_second)
        self.plants = plants_of(((self.first, self.second), (), (), ()), DURATION)
        self.rate, self.lap = per_second, math.tau

    def way(self, phase):
        return 0.0, 0j

    def bearing(self, phase):
        return [0.0] * 4

    def posture(self, phase):
        return np.zeros((1, 4)), 1.0

    def heel(self, phase):
        """Here, there, and back again in the rest of the cycle."""
        leaves, comes = sum(self.first), self.second[0]
        goes, again = sum(self.second), self.first[0] + math.tau
        phase = (phase - self.first[0]) % math.tau + self.first[0]
        out, back = ((phase - a) / (b - a) for a, b in ((leaves, comes), (goes, again)))
        return self.far * (1.0 - min(max(back, 0.0), 1.0) if phase > comes else min(max(out, 0.0), 1.0))

    def height(self, point, phase):
        return LEGS[0].heel_height

    def touch(self, point, phase):
        return Touch(self.heel(phase), 0j, LEGS[0].heel_height)

    def stands(self, phase):
        at = self.heel(phase)
        heel = (at.imag, LEGS[0].heel_height, at.real)
        toe = (at.imag, LEGS[0].toe_height, at.real + LEGS[0].flat_length)
        one = LegPose((1.0, 0.0, 0.0, 0.0), [], [], heel, toe)
        return one, one


def heels(gait):
    """Where the heel is in a round, step by step, and the phases."""
    locks, out = FootLocks(), []
    phases = np.arange(0.5, 0.5 + math.tau, gait.rate / RATE)
    for phase in phases.tolist():
        (target, _), locks, _ = foot_targets(
            locks, gait, Playhead(phase), LEGS, gait.stands(phase), DEFAULTS, 1.0 / RATE
        )
        out.append(gait.heel(phase) + target.heel_shift)
    return np.array(out), phases


@settings(deadline=None, max_examples=50)
@given(gap=st.floats(DEFAULTS.nearest_plants + 1e-3, 0.3), far=st.floats(0.02, 0.2), way=st.floats(-math.pi, math.pi))
def test_a_point_stands_in_both_of_two_plants_that_follow_each_other(gap, far, way):
    gait = Shuffle(gap, far * np.exp(1j * way))
    places, phases = heels(gait)
    for (start, length), place in ((gait.first, 0j), (gait.second, gait.far)):
        resting = places[(phases >= start) & (phases < start + length)]
        np.testing.assert_allclose(resting, place, atol=1e-9)
    out = np.abs(places[(phases >= gait.first[0]) & (phases < sum(gait.second))])
    assert (np.diff(out) > -1e-9).all()  # it never turns back on the way


def test_a_point_that_is_off_the_ground_for_a_moment_has_not_stepped():
    gait = Shuffle(0.9 * DEFAULTS.nearest_plants, 0.03 + 0j)
    places, phases = heels(gait)
    np.testing.assert_allclose(places[(phases >= gait.first[0]) & (phases < sum(gait.second))], 0j, atol=1e-9)


@pytest.mark.parametrize("steps", [1, 2, 4])
def test_a_point_that_has_begun_to_leave_is_not_called_back_when_its_plant_gets_longer(steps):
    short, places = Shuffle(0.3, 0.15 + 0j), []
    longer = Shuffle(0.3, 0.15 + 0j)
    longer.plants = plants_of((((1.0, 1.6 * short.first[1]),), (), (), ()), DURATION)
    locks, phase, end = FootLocks(), 0.5, sum(short.first)
    while phase < end + 0.2 * short.rate:
        gait = short if phase < end + (steps + 0.5) * short.rate / RATE else longer
        (target, _), locks, _ = foot_targets(
            locks, gait, Playhead(phase), LEGS, short.stands(phase), DEFAULTS, 1.0 / RATE
        )
        if phase >= short.first[0]:
            places.append(abs(short.heel(phase) + target.heel_shift))
        phase += short.rate / RATE
    assert (np.diff(places) > -1e-9).all()
    np.testing.assert_allclose(places[-1], abs(short.heel(phase - short.rate / RATE)), atol=1e-9)


@pytest.fixture(scope="module")
def swivelling(data_folder):
    """A walk in a tight turn, whose right heel swivels about the ball by 9 cm in an eighth of a second."""
    return build([data_folder / "cmu-bvh" / "16" / "16_19.bvh"], mirror=False).network


@pytest.mark.data
def test_a_captured_heel_that_swivels_stays_where_it_went(swivelling):
    clip, contacts = record_with_contacts(Player(swivelling), seconds=1.3, frame_rate=60)
    (_, last), (first, _) = contacts.right_heel[:2]
    heel = foot_places(clip, leg_roles(clip.skeleton))[:, 2, ::2]
    away = np.linalg.norm(heel[last : first + 1] - heel[last], axis=-1)
    assert away[-1] > 0.08
    assert away.max() < away[-1] + 0.005
    assert footing(clip).slip_mm_max < 1.0


@pytest.mark.data
def test_a_player_resumed_between_two_plants_goes_on_with_the_same_frames(swivelling):
    player = Player(swivelling)
    frames, others = [], []
    for _ in range(70):
        frames.append(player.step(1.0 / 60.0).rotations_wxyz)
        for other in others:
            np.testing.assert_array_equal(other.step(1.0 / 60.0).rotations_wxyz, frames[-1])
        if 48 <= len(frames) < 56:
            others.append(Player.resumed(swivelling, Snapshot.from_json(player.snapshot().to_json())))
