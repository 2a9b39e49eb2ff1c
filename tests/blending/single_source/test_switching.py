from __future__ import annotations

import numpy as np
import pytest

from mocapella.blending.network import Network
from mocapella.blending.places import Node, Place
from mocapella.blending.single_source import switching
from mocapella.blending.single_source.ssh import SingleSource
from mocapella.blending.single_source.switching import single_source
from mocapella.motion.spectrum import Spectrum

CORNERS = ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0))


def _network(rng, **options):
    shape = (4, 11, 7)
    spectra = rng.normal(size=shape) + 1j * rng.normal(size=shape)
    nodes = [Node(str(i), at, Spectrum(spectra[i], 1.0)) for i, at in enumerate(CORNERS)]
    return Network(nodes, rule="phasor", single_source=SingleSource(first=6, **options))


@pytest.mark.parametrize("options", [{}, {"abstaining": ("1",)}, {"last": 8}], ids=str)
@pytest.mark.parametrize("most", [2, 256])
def test_upper_harmonics_kept_for_a_stack_are_those_that_it_names(options, most, monkeypatch):
    monkeypatch.setattr(switching, "_MOST_TABLES", most)  # with few of them they are dropped and made again
    rng = np.random.default_rng(2)
    network = _network(rng, **options)
    plain = network.with_single_source(None)
    coefficients = np.stack([node.spectrum.coefficients for node in network.nodes])
    seen = set()
    for point in rng.uniform(0.0, 1.0, (60, 2)):
        place = network.place(tuple(point))
        expected = single_source(plain.blend(place).coefficients, coefficients, network.stack(place))
        for _ in range(2):  # at first made, then taken from those at hand
            np.testing.assert_allclose(network.blend(place).coefficients, expected, rtol=0.0, atol=1e-12)
        seen.add(tuple(network.stack(place)))
    assert len(seen) > 8


def test_what_is_kept_for_a_stack_cannot_be_written_to():
    network = _network(np.random.default_rng(3))
    switch = network.switch(network.place((0.4, 0.3)))
    assert switch.upper is not None
    with pytest.raises(ValueError, match="read-only"):
        switch.upper[...] = 0.0
    mixed = switch.mixed(network.bank.coefficients, lambda rows: np.zeros((rows, 7), dtype=np.complex128))
    mixed[...] = 0.0
    assert np.abs(switch.upper).min() > 0.0


def test_the_order_in_which_a_place_has_its_nodes_changes_no_stack():
    rng = np.random.default_rng(3)
    network = _network(rng)
    for point in rng.uniform(0.0, 1.0, (40, 2)):
        place = network.place(tuple(point))
        order = rng.permutation(3)
        turned = Place(place.triangle, place.nodes[order], place.weights[order], place.point, place.inside)
        np.testing.assert_array_equal(network.stack(turned), network.stack(place))


def test_where_weights_fade_between_triangles_the_nodes_that_count_most_share_the_band():
    rng = np.random.default_rng(4)
    network = _network(rng)
    for _ in range(40):
        weights = rng.dirichlet(np.ones(4))
        faded = Place(0, np.arange(4), weights, (0.5, 0.5), True)
        assert set(network.stack(faded)[6:]) <= set(np.argsort(weights)[1:].tolist())
    alone = network.place((0.2, 0.1))
    nodes, weights = np.append(alone.nodes, 3), np.append(alone.weights, 0.0)
    faded = Place(alone.triangle, nodes, weights, alone.point, True)
    np.testing.assert_array_equal(network.stack(faded), network.stack(alone))
