"""Automatic set-up: what a measure prefers is chosen, and nothing gets worse, also where it was not measured."""

import numpy as np
import pytest

from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.blending.rules import streamlined_blend
from mocapella.blending.single_source.setup import TOLERANCE, compared, set_up
from mocapella.blending.single_source.ssh import SingleSource
from mocapella.errors import NetworkError
from mocapella.geometry.simplices import random_points
from tests.blending.samples import spectrum

FIVE = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (0.45, 0.55)]
GRID = {"columns": 9, "rows": 7}
FEW = {**GRID, "probes": 200}


def net(places=FIVE):
    nodes = [Node(f"n{i}", at, spectrum(i, harmonics=10)) for i, at in enumerate(places)]
    return Network(nodes, rule=streamlined_blend)


def likes(goal):
    """A measure: how far the upper harmonics are from those of a goal, given as coefficients."""

    def score(network, points):
        return np.abs(network.coefficients_at(points)[:, 6:] - goal[6:]).sum(axis=(1, 2))

    return score


def crossings(network):
    low, high = network.points.min(axis=0), network.points.max(axis=0)
    axes = [np.linspace(a, b, n) for a, b, n in zip(low, high, GRID.values(), strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    return points[[network.place(point).inside for point in points]]


@pytest.mark.parametrize("seed", range(3))
def test_where_it_is_used_it_is_not_much_worse_than_the_default(seed):
    network, score = net(), likes(spectrum(50 + seed, harmonics=10).coefficients)
    made = set_up(network, score, **FEW)
    override = made.single_source.override
    points = np.array([at for at in crossings(network) if override is None or override.amount(at) == 0.0])
    before, after = score(network, points), score(made, points)
    default = score(network.with_single_source(SingleSource()), points)
    assert (after <= before + 1e-9).all()
    assert (after <= default + TOLERANCE * before.max() + 1e-9).all()


@pytest.mark.parametrize("seed", range(3))
def test_points_that_were_not_sampled_are_not_worse_than_with_ordinary_blending(seed):
    network, score = net(), likes(spectrum(50 + seed, harmonics=10).coefficients)
    made = set_up(network, score, **GRID, probes=1000)
    points = random_points(network.points[network.corners], 1000, np.random.default_rng(100 + seed))
    before, after = score(network, points), score(made, points)
    assert np.mean(after > before + 1e-9) <= 0.006  # 3 of 1000 would have shown with 95 % confidence
    assert after.mean() < before.mean()
    figures = compared(made, score, points=1000, rng=np.random.default_rng(100 + seed))
    assert figures.worse == np.mean(after > before + 1e-9 * before.max())
    assert figures.better == np.mean(after < before - 1e-9 * before.max())


@pytest.mark.parametrize("liked", [0, 2, 4])
def test_a_node_that_the_measure_likes_wins_its_edges(liked):
    network = net()
    score = likes(network.nodes[liked].spectrum.coefficients)
    won = set_up(network, score, firsts=(6,), tolerance=10.0, **FEW).single_source.winners
    mine = [pair for pair in won if f"n{liked}" in pair]
    assert mine
    assert {winner for winner, _ in mine} == {f"n{liked}"}


def test_the_chosen_side_of_an_edge_scores_lower():
    network = net(FIVE[:3])
    score = likes(spectrum(70, harmonics=10).coefficients)
    made = set_up(network, score, firsts=(6,), tolerance=10.0, **FEW)
    plain = SingleSource(winners=made.single_source.winners)
    other = SingleSource(winners=tuple((b, a) for a, b in plain.winners))
    for a, b in plain.winners:
        along = np.array([[0.25], [0.5], [0.75]])
        points = (1 - along) * network.node(a).at + along * network.node(b).at
        scores = [score(network.with_single_source(each), points).sum() for each in (plain, other)]
        assert scores[0] < scores[1]


def test_where_the_measure_wants_no_upper_harmonics_they_are_clipped():
    network = net()
    made = set_up(network, likes(np.zeros((11, 3))), **FEW)
    override = made.single_source.override
    assert override.instead == "clip"
    clipped = [point for point in crossings(network) if override.amount(point) == 1.0]
    assert clipped
    np.testing.assert_allclose(made.coefficients_at(clipped)[:, 6:], 0.0, atol=1e-12)


def test_where_ordinary_blending_is_best_the_map_brings_it_back():
    network = net()

    def score(other, points):
        return np.abs(other.coefficients_at(points) - network.coefficients_at(points)).sum(axis=(1, 2))

    made = set_up(network, score, **FEW)
    points = crossings(network)
    np.testing.assert_allclose(made.coefficients_at(points), network.coefficients_at(points), atol=1e-12)


def test_points_that_cannot_be_measured_do_no_harm():
    network = net()
    inner = likes(spectrum(60, harmonics=10).coefficients)

    def score(other, points):
        return np.where(points[:, 0] < 0.5, np.nan, inner(other, points))

    points = crossings(network)
    points = points[points[:, 0] >= 0.5]
    made = set_up(network, score, **FEW)
    assert (inner(made, points) <= inner(network, points) + 1e-9).all()


def test_a_line_has_no_map():
    with pytest.raises(NetworkError, match="network of triangles"):
        set_up(net([(0.0, 0.0), (1.0, 0.0)]), likes(np.zeros((11, 3))))
