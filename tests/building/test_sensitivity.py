"""Squashed and stretched networks answer more or less finely about the middle, and as far as before at the borders."""

from __future__ import annotations

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.building.layout.placement import stretch_axis
from mocapella.errors import NetworkError
from mocapella.measure.coherence import across, sweep


@pytest.fixture(scope="module")
def network():
    """Two rows of five turns; the upper one has the motions of the lower."""
    clips = [perform("walk", speed=1.2, turn=turn, imperfections=CLEAN)[0].renamed(f"{turn:g}") for turn in (0.45, 0.9)]
    row = mo.build_network([*clips, perform("walk", speed=1.2, imperfections=CLEAN)[0].renamed("0")]).nodes
    above = [mo.Node(f"{node.name} above", (node.at[0], node.at[1] + 1.0), node.spectrum) for node in row]
    return mo.Network([*row, *above])


@pytest.mark.parametrize("fineness", [2.0, 3.0, 0.5])
def test_the_middle_answers_more_finely_and_the_borders_as_before(network, fineness):
    stops = across(network)
    plain, fine = (sweep(one, stops, steps=101) for one in (network, stretch_axis(network, fineness)))
    # The slight turns lie half-way out; the formula puts them here:
    expected = (fineness + 1.0) / (2.0 * fineness)
    np.testing.assert_allclose(fine.turn_sensitivity() / plain.turn_sensitivity(), expected, rtol=0.05)
    np.testing.assert_allclose(fine.turn_rates[[0, -1]], plain.turn_rates[[0, -1]], atol=0.5)


def test_nodes_on_the_line_and_on_the_borders_stay(network):
    moved = stretch_axis(network, 2.0)
    for node in network.nodes:
        at = moved.node(node.name).at
        assert at[1] == node.at[1]
        if node.name.startswith("0.45"):
            assert abs(at[0]) > abs(node.at[0]) + 5.0
    assert network.points[:, 0].max() == moved.points[:, 0].max()


def test_a_fineness_undone_is_the_network_as_it_was(network):
    np.testing.assert_allclose(stretch_axis(stretch_axis(network, 3.0), 1.0 / 3.0).points, network.points, atol=1e-9)


def test_nonsense_is_refused(network):
    with pytest.raises(NetworkError, match="fineness above 0"):
        stretch_axis(network, 0.0)
    with pytest.raises(NetworkError, match="axis 0 or 1"):
        stretch_axis(network, 2.0, axis=2)
    with pytest.raises(NetworkError, match="centre line"):
        stretch_axis(mo.Network(network.nodes[:1]), 2.0, centre=network.nodes[0].at[0])
