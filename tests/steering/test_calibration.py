"""Laws of requests to networks without triangles."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from mocapella.actor import CLEAN, perform
from mocapella.blending.network import Network
from mocapella.blending.volume import Volume
from mocapella.building.build import build
from mocapella.errors import NetworkError
from mocapella.gait.root_motion import played_rates
from mocapella.playback.native.blends import NativeRates
from mocapella.steering.calibration import Calibration

WALKS = ((0.9, 0.0), (1.3, 0.0), (1.7, 0.0), (1.3, 0.6), (1.3, -0.6))


@pytest.fixture(scope="module")
def nodes():
    clips = [perform("walk", speed=v, turn=w, imperfections=CLEAN)[0].renamed(f"{v:g} {w:g}") for v, w in WALKS]
    return build(clips, thin=False).network.nodes


@pytest.fixture(scope="module")
def straight(nodes):
    return Calibration(Network([replace(node, at=(0.0, node.at[1])) for node in nodes[:3]]))


def test_straight_walks_answer_to_speed_whatever_the_turn(straight):
    for turn in (0.0, 0.5):
        found = straight.request(turn, 1.2)
        np.testing.assert_allclose(found.speed, 1.2, atol=0.02)
        assert not (turn and found.feasible)


def test_a_chain_from_left_to_right_answers_to_turns(nodes):
    places = {3: -1.0, 1: 0.0, 4: 1.0}  # left turns on the left, as hands expect it
    chain = Calibration(Network([replace(nodes[i], at=(x, 0.0)) for i, x in places.items()]))
    np.testing.assert_allclose(chain.request(0.3, 1.3).turn_rate, 0.3, atol=0.03)
    right, left = chain.turns
    np.testing.assert_allclose((right, left), (-0.6, 0.6), atol=0.05)


def test_beyond_its_ends_a_chain_gives_its_ends(straight):
    slow, _, fast = straight.network.nodes
    assert straight.request(0.0, 9.0).point == pytest.approx(fast.at)
    assert straight.request(0.0, 0.0).point == pytest.approx(slow.at)


def test_a_single_node_gives_itself(nodes):
    found = Calibration(Network(nodes[:1])).request(1.0, 0.3)
    assert found.point == nodes[0].at
    assert not found.feasible
    assert math.isclose(found.speed, nodes[0].spectrum.speed)


def test_networks_without_triangles_or_turns_have_one_thing_to_choose(nodes):
    assert not Calibration(Network(nodes)).along_line
    assert Calibration(Network(nodes[:2])).along_line
    assert Calibration(Network([*nodes[:2], replace(nodes[2], at=(1.0, 1.7))])).along_line


def test_volumes_and_requests_that_are_no_numbers_are_refused(nodes):
    places = np.vstack([np.zeros(3), np.eye(3)])
    volume = Volume([replace(node, at=tuple(at)) for node, at in zip(nodes, places.tolist(), strict=False)])
    with pytest.raises(NetworkError, match="in the plane"):
        Calibration(volume)
    with pytest.raises(NetworkError, match="finite"):
        Calibration(Network(nodes[:2])).request(math.nan, 1.0)


def test_the_native_core_measures_blends_as_players_go(nodes):
    network = Network(nodes)
    native = NativeRates.of(network)
    if native is None:
        pytest.skip("the native core is not installed")
    rng = np.random.default_rng(1)
    for point in rng.uniform(network.points.min(axis=0) - 0.1, network.points.max(axis=0) + 0.1, (12, 2)).tolist():
        place = network.place(point)
        np.testing.assert_allclose(native.at(place), played_rates(network.blend(place)), rtol=1e-9, atol=1e-9)
    assert NativeRates.of(Network(nodes, rule="streamlined")) is None  # measured in Python


def test_a_calibration_answers_alike_with_and_without_the_native_core(nodes, monkeypatch):
    network = Network(nodes)
    asked = [(0.2, 1.3), (-0.4, 1.1), (0.0, 5.0)]
    ours = [Calibration(network, measure=played_rates).request(*one) for one in asked]
    monkeypatch.setenv("MOCAPELLA_ENGINE", "numpy")
    theirs = [Calibration(network, measure=played_rates).request(*one) for one in asked]
    for own, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(own.point, other.point, atol=1e-7)
        assert own.feasible == other.feasible
