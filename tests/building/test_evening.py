"""Laws of evening a network out: what goes with the place stays, what goes with the take shrinks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mocapella.actor import CLEAN, perform
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.building.build import build
from mocapella.building.layout.evening import smooth_nodes
from mocapella.errors import NetworkError
from mocapella.motion.spectrum import Spectrum

rng = np.random.default_rng(3)
BASE, ALONG_X, ALONG_Y = (rng.normal(size=(4, 3)) + 1j * rng.normal(size=(4, 3)) for _ in range(3))
PLANE = rng.uniform(-1.0, 1.0, size=(14, 2))
CHAIN = np.stack([np.zeros(9), np.linspace(0.5, 2.0, 9) ** 2], axis=1)


def network(places, noise=0.0, **options):
    """Motions whose harmonics are linear in the place, and noise."""
    made = np.random.default_rng(7)
    nodes = []
    for i, (x, y) in enumerate(places.tolist()):
        coefficients = BASE + x * ALONG_X + y * ALONG_Y + noise * made.normal(size=BASE.shape)
        coefficients[0] = coefficients[0].real
        nodes.append(Node(str(i), (x, y), Spectrum(coefficients, 1.0 + 0.1 * y), **options))
    return Network(nodes)


def stacked(made):
    return np.stack([node.spectrum.coefficients for node in made.nodes])


@pytest.mark.parametrize("places", [PLANE, CHAIN], ids=["plane", "chain"])
def test_what_goes_with_the_place_stays(places):
    before = network(places)
    after = smooth_nodes(before)
    np.testing.assert_allclose(stacked(after), stacked(before), atol=1e-9)
    durations = [[node.spectrum.duration for node in made.nodes] for made in (before, after)]
    np.testing.assert_allclose(*durations, atol=1e-9)
    assert after.triangles == before.triangles


@pytest.mark.parametrize("places", [PLANE, CHAIN], ids=["plane", "chain"])
def test_what_goes_with_the_take_shrinks(places):
    truth, noisy = stacked(network(places)), network(places, noise=0.1)
    before, after = (np.linalg.norm(stacked(made) - truth) for made in (noisy, smooth_nodes(noisy)))
    assert after < 0.85 * before


def test_a_fit_through_the_node_alone_changes_nothing():
    noisy = network(CHAIN, noise=0.1)
    np.testing.assert_allclose(stacked(smooth_nodes(noisy, neighbours=1)), stacked(noisy), atol=1e-12)
    with pytest.raises(NetworkError, match="whole number of nodes from 1 on, got 0"):
        smooth_nodes(noisy, neighbours=0)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_point_a_segment_and_a_triangle_have_nothing_to_even_out(count):
    noisy = network(PLANE[:count], noise=0.1)
    np.testing.assert_allclose(stacked(smooth_nodes(noisy)), stacked(noisy), atol=1e-9)


def test_each_kind_is_evened_out_as_if_it_were_alone():
    offset = np.array([[1.0], [0.5j], [0.0], [0.0]])
    plain = network(CHAIN, noise=0.1).nodes
    styled = [replace(node, name=f"s{node.name}", at=(0.0, node.at[1] + 0.01),
                      spectrum=replace(node.spectrum, coefficients=node.spectrum.coefficients + offset))
              for node in network(CHAIN, noise=0.2).nodes]  # fmt: skip
    together = Network([*plain, *styled])
    after = smooth_nodes(together, kinds={node.name: "styled" for node in styled})
    for kind in (plain, styled):
        alone = smooth_nodes(Network(kind))
        for node in alone.nodes:
            np.testing.assert_allclose(
                after.node(node.name).spectrum.coefficients, node.spectrum.coefficients, atol=1e-9
            )
    washed = smooth_nodes(together)
    assert abs(stacked(washed)[0] - stacked(washed)[9]).mean() < 0.3 * abs(offset).mean()


def test_a_kind_is_told_of_nodes_that_there_are():
    with pytest.raises(NetworkError, match="no node 'sad'"):
        smooth_nodes(network(CHAIN), kinds={"sad": "sad"})


def test_nodes_that_keep_their_own_time_are_left_alone():
    noisy = network(PLANE, noise=0.1)
    idle = replace(noisy.nodes[4], synchronised=False)
    mixed = Network([*noisy.nodes[:4], idle, *noisy.nodes[5:]])
    np.testing.assert_array_equal(stacked(smooth_nodes(mixed))[4], stacked(mixed)[4])


def test_speeds_and_turns_of_walks_stay():
    walks = [(v, w) for v in (0.9, 1.3, 1.7) for w in (0.0, 0.5)]
    clips = [perform("walk", speed=v, turn=w, imperfections=CLEAN)[0].renamed(f"{v:g} {w:g}") for v, w in walks]
    plain = build(clips, thin=False).network
    even = smooth_nodes(plain)
    for node, other in zip(plain.nodes, even.nodes, strict=True):
        assert other.spectrum.speed == pytest.approx(node.spectrum.speed, abs=0.02)
        assert other.spectrum.turn == pytest.approx(node.spectrum.turn, abs=0.02)
        assert other.spectrum.contacts is not None
