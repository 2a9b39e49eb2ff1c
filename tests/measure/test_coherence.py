"""What a blending point changes on its way: even inside a triangle, at once where it crosses an edge."""

from __future__ import annotations

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.blending.interpolants import bilinear
from mocapella.errors import MotionError
from mocapella.measure.coherence import across, edges, steepness, sweep


@pytest.fixture(scope="module")
def nodes():
    walks = [perform("walk", speed=v, turn=w, imperfections=CLEAN)[0] for v, w in ((0.9, 0.0), (1.7, 0.0), (0.9, 0.9))]
    made = mo.build_network(walks, mirror=False, thin=False).nodes
    places = ((0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0))
    return [mo.Node(str(i), at, made[i % 3].spectrum) for i, at in enumerate(places)]


def test_inside_a_triangle_nothing_jumps_and_turn_changes_evenly(nodes):
    network = mo.Network(nodes[:3])
    found = sweep(network, [(0.05, 0.1), (0.8, 0.1)], steps=50)
    assert len(found.crossings) == 0
    assert found.roughness < 0.05
    np.testing.assert_allclose(found.turn_sensitivity(0.2), found.turn_sensitivity(0.9), rtol=1e-6)


def test_crossing_an_edge_shows_where_it_happens(nodes):
    network = mo.Network(nodes)
    found = sweep(network, [(0.02, 0.5), (0.98, 0.5)], steps=97)
    assert len(found.crossings) == 1
    np.testing.assert_allclose(found.points[found.crossings[0], 0], 0.5, atol=0.02)
    jumps = np.abs(np.diff(found.pose_speeds))
    assert abs(int(np.argmax(jumps)) + 1 - int(found.crossings[0])) <= 1


def test_bilinear_weights_cross_the_same_edge_more_evenly(nodes):
    stops = [(0.02, 0.5), (0.98, 0.5)]
    smooth = mo.Network(nodes, interpolant=bilinear)
    assert sweep(smooth, stops).roughness < 0.3 * sweep(mo.Network(nodes), stops).roughness


def test_a_sweep_by_itself_goes_from_side_to_side(nodes):
    assert across(mo.Network(nodes)) == ((0.0, 0.5), (1.0, 0.5))
    assert across(mo.Network(nodes[:2])) == ((0.0, 0.0), (0.0, 1.0))


def test_a_sweep_that_goes_nowhere_is_refused(nodes):
    network = mo.Network(nodes)
    with pytest.raises(MotionError, match="got the same"):
        sweep(network, [(0.1, 0.1), (0.1, 0.1)])
    with pytest.raises(MotionError, match="expected two points"):
        sweep(network, [(0.1, 0.1)])
    with pytest.raises(MotionError, match="expected two points"):
        sweep(network, [(0.1, 0.1), (np.nan, 0.1)])


def test_an_edge_between_nodes_on_nearly_one_spot_is_the_steepest(nodes):
    near = mo.Node("near", (0.01, 0.0), nodes[1].spectrum)
    network = mo.Network([*nodes, near])
    times = steepness(network)
    a, b = edges(network.corners)[int(np.argmax(times))]
    assert {network.names[a], network.names[b]} == {"0", "near"}
    assert times.max() > 10.0
    assert np.median(times) == pytest.approx(1.0)


def test_steepness_does_not_depend_on_units_or_places_moved(nodes):
    scaled = [mo.Node(node.name, (60.0 * node.at[0] + 3.0, node.at[1]), node.spectrum) for node in nodes]
    np.testing.assert_allclose(sorted(steepness(mo.Network(scaled))), sorted(steepness(mo.Network(nodes))), rtol=1e-9)


def test_a_single_motion_is_not_steep(nodes):
    assert steepness(mo.Network(nodes[:1])).size == 0
