"""A blending point goes no faster than a body bears, even where the blend changes all at once."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.blending.sliding import brought_in
from mocapella.errors import NetworkError
from mocapella.motion.spectrum import Spectrum
from mocapella.playback.player import Player
from mocapella.playback.pointer import (
    LIMITS,
    Blended,
    Blender,
    Coordinates,
    WeightedPlace,
    WeightFade,
    checked_goal,
    move_point,
    start_at,
)
from mocapella.playback.settings import DEFAULTS, PlayerSettings
from tests.blending.samples import network as sample
from tests.blending.samples import spectrum, star

BEARABLE = 0.05  # of the change in a step


class Sliver:
    """Two motions with next to nothing between them, as nodes make it that lie side by side."""

    width = 0.01

    def blend(self, point: tuple[float, ...]) -> Spectrum:
        share = min(max((point[0] - 0.5) / self.width, 0.0), 1.0)
        return Spectrum(np.array([[share + 0j]]), duration=1.0)


def level(spectrum: Spectrum) -> float:
    return float(spectrum.coefficients[0, 0].real)


class Pointer:
    """A blending point that is moved step by step, as a player does it."""

    def __init__(self, network: Blender, point: Coordinates, settings: PlayerSettings = DEFAULTS) -> None:
        self.network, self.settings = network, settings
        self.now: Blended = start_at(network, point, settings)

    def send(self, goal: tuple[float, ...]) -> None:
        self.now = self.now._replace(at=self.now.at.sent(goal))

    def checked(self, point: Coordinates) -> tuple[float, ...]:
        return checked_goal(self.network, point, self.now.at)

    def move(self, dt, give, load) -> None:
        self.now = move_point(self.network, self.now, self.settings, dt, give, lambda spectrum, _: load(spectrum))

    @property
    def spectrum(self) -> Spectrum:
        return self.now.spectrum

    @property
    def point(self) -> tuple[float, ...]:
        return self.now.at.point


def moves(pointer: Pointer, give: float = 1.0, steps: int = 200) -> list[float]:
    """What is blended after each step on the way."""
    levels = [level(pointer.spectrum)]

    def load(spectrum: Spectrum) -> float:
        return abs(level(spectrum) - levels[-1]) / BEARABLE

    for _ in range(steps):
        pointer.move(1 / 60, give, load)
        levels.append(level(pointer.spectrum))
    return levels


@pytest.mark.parametrize("goal", [0.505, 0.6, 3.0])
def test_no_step_changes_more_than_is_bearable_however_thin_the_triangle(goal):
    pointer = Pointer(Sliver(), (0.0,))
    pointer.send((goal,))
    levels = moves(pointer)
    assert np.abs(np.diff(levels)).max() <= LIMITS.too_much * BEARABLE + 1e-9
    np.testing.assert_allclose(pointer.point, (goal,))


def test_a_point_held_up_in_a_sliver_goes_on_as_quickly_as_before():
    pointer, free = Pointer(Sliver(), (0.0,)), Pointer(Sliver(), (0.0,))
    pointer.send((3.0,))
    free.send((3.0,))
    moves(pointer, steps=60)
    for _ in range(60 - round(1.3 / BEARABLE)):  # a change of 1 takes so many steps, and a few as it comes and goes
        free.move(1 / 60, 1.0, lambda _: 0.0)
    assert pointer.point[0] >= free.point[0]


def test_a_point_that_may_not_move_stays_though_it_was_sent():
    pointer = Pointer(Sliver(), (0.0,))
    pointer.send((1.0,))
    moves(pointer, give=0.0, steps=10)
    assert pointer.point == (0.0,)
    assert pointer.now.at.goal == (1.0,)


def test_between_the_points_of_a_star_the_blend_slides_and_then_glides_over_the_gap():
    network = star()
    tip, other = network.nodes[1].at, network.nodes[3].at
    pointer = Pointer(network, tip)
    pointer.send(other)
    weights = []
    for _ in range(240):
        pointer.move(1 / 60, 1.0, lambda _: 0.0)
        shares = np.zeros(len(network.nodes))
        shares[pointer.now.place.nodes] = pointer.now.place.weights
        weights.append(shares)
    assert np.abs(np.diff(weights, axis=0)).max() < 0.12
    np.testing.assert_allclose(pointer.now.place.point, other, atol=1e-6)


def test_what_cannot_be_blended_leaves_the_point_where_it_was():
    nodes = [Node("short", (0.0, 0.0), spectrum(0, duration=0.5)), Node("long", (1.0, 0.0), spectrum(1, duration=1.0))]
    pointer = Pointer(Network(nodes, outside="extrapolate"), (0.5, 0.0), PlayerSettings(ease=0.0))
    pointer.send((-40.0, 0.0))
    before = pointer.point, pointer.now.place, pointer.spectrum
    with pytest.raises(NetworkError, match="would last"):
        pointer.move(1 / 60, 1.0, lambda _: 0.0)
    assert (pointer.point, pointer.now.place, pointer.spectrum) == before
    pointer.send((0.7, 0.0))
    pointer.move(1 / 60, 1.0, lambda _: 0.0)
    assert pointer.point == (0.7, 0.0)


def test_weights_that_fade_go_over_evenly_and_always_sum_to_one():
    network = star()
    before, after = network.place(network.nodes[1].at), network.place(network.nodes[3].at)
    fade = WeightFade.of(before)
    for age in (0.0, 0.1, 0.25, 0.5):
        place = WeightFade(fade.nodes, fade.weights, age).towards(after, network, 0.5)
        assert place.weights.sum() == pytest.approx(1.0)
        np.testing.assert_allclose(place.point, place.weights @ network.points[place.nodes], atol=1e-12)
    np.testing.assert_array_equal(fade.towards(after, network, 0.5).nodes, before.nodes[before.weights > 0.0])
    np.testing.assert_allclose(place.point, after.point, atol=1e-12)


def test_a_place_as_numbers_is_the_same_place():
    network = star()
    place = network.place((0.1, 0.2))
    again = WeightedPlace.of(place).place
    np.testing.assert_array_equal(again.weights, place.weights)
    np.testing.assert_array_equal(again.nodes, place.nodes)
    assert (again.triangle, again.point, again.inside) == (place.triangle, place.point, place.inside)
    np.testing.assert_array_equal(network.blend(again).coefficients, network.blend(place).coefficients)


# Points outside

coordinates = st.floats(-1e12, 1e12) | st.floats(-3.0, 3.0)


@given(point=st.tuples(coordinates, coordinates))
@settings(max_examples=60, deadline=None)
def test_in_a_rectangle_every_axis_clamps_by_itself_however_far_the_hand_points(point):
    rectangle = sample([(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (0.0, 1.0), (0.7, 0.4)])
    np.testing.assert_allclose(brought_in(rectangle, point), np.clip(point, (0.0, 0.0), (2.0, 1.0)), atol=1e-9)


@given(point=st.tuples(coordinates, coordinates))
@settings(max_examples=60, deadline=None)
def test_a_point_is_brought_in_once_and_for_all_and_how_far_out_it_was_does_not_matter(point):
    network = star()
    low, high = network.points.min(axis=0), network.points.max(axis=0)
    goal = brought_in(network, point)
    assert brought_in(network, np.clip(point, low, high).tolist()) == pytest.approx(goal, abs=1e-9)
    np.testing.assert_allclose(network.place(goal).point, goal, atol=1e-9)
    np.testing.assert_allclose(brought_in(network, goal), goal, atol=1e-9)


def test_who_points_up_goes_straight_up_in_a_network_with_one_high_corner():
    leaning = sample([(-1.0, 0.0), (1.0, 0.0), (0.9, 1.1), (-0.9, 1.0)])
    for far in (1.2, 9.0, 1e5, 1e11):
        np.testing.assert_allclose(Pointer(leaning, (0.0, far)).point, (0.0, 1.05), atol=0.01)
    pointer = Pointer(leaning, (0.3, 0.2))
    assert pointer.checked((0.3, -7.0)) == (0.3, 0.0)
    x, _ = pointer.checked((55.0, 0.2))
    assert 0.95 < x <= 1.0


def test_nodes_that_no_triangle_reaches_do_not_widen_what_is_in_reach():
    network = sample([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (9.0, 9.0)]).limited_to([(0, 1, 2)])
    np.testing.assert_allclose(brought_in(network, (0.2, 50.0)), network.place((0.2, 1.0)).point)


def test_a_point_held_far_outside_comes_back_as_soon_as_one_held_on_the_outline(network):
    def crossing(outside):
        player, seconds = Player(network, point=(0.0, 1.1)), 0.0
        player.point = outside
        for _ in range(60):
            player.step(1 / 30)
        player.point = (-0.3, 1.1)
        while player.point[0] > 0.0:
            player.step(1 / 30)
            seconds += 1 / 30
        return seconds

    assert crossing((1e5, 1.1)) == crossing((float(network.points[:, 0].max()), 1.1)) < 0.4


def test_what_is_too_far_to_be_reckoned_with_is_brought_in_all_the_same(network):
    player = Player(network, point=(0.0, 1.1))
    player.point = (1e300, -1e300)
    player.step(1.0)
    assert network.place(player.goal).point == pytest.approx(player.goal)


@pytest.mark.parametrize(("goal", "reason"), [((1e11, 0.0), "1e\\+11|100000000000"), ((-40.0, 0.0), "would last")])
def test_what_an_extrapolating_network_cannot_blend_is_refused_when_it_is_sent_there(walk, turning, goal, reason):
    nodes = [Node("a", (0.0, 0.0), walk), Node("b", (1.0, 0.0), turning), Node("c", (0.0, 1.0), 2.0 * walk)]
    shorter = Spectrum(turning.coefficients, 0.5 * turning.duration, turning.layout, contacts=turning.contacts)
    nodes[0] = Node("a", (0.0, 0.0), shorter)
    player = Player(Network(nodes, outside="extrapolate"), point=(0.3, 0.3))
    with pytest.raises(NetworkError, match=reason):
        player.point = goal
    assert player.goal == (0.3, 0.3)
    player.point = (1.2, 0.3)  # a little outside is what it is for
    player.step(1.0)
    assert math.dist(player.point, (1.2, 0.3)) < 0.01
