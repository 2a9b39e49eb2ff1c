"""A small network of walks that several tests measure."""

import pytest

import mocapella as mo
from mocapella.actor import perform

WALKS = ((0.9, 0.0), (1.6, 0.0), (1.2, 0.7), (1.3, -0.6))


@pytest.fixture(scope="session")
def walks():
    return [perform("walk", speed=v, turn=w, seed=i)[0].renamed(f"{v:g} {w:g}") for i, (v, w) in enumerate(WALKS)]


@pytest.fixture(scope="session")
def network(walks):
    return mo.build_network(walks, mirror=False)


@pytest.fixture(scope="session")
def streamlined(network):
    from mocapella.blending.rules import streamlined_blend

    return mo.Network(network.nodes, network.triangles, rule=streamlined_blend)


@pytest.fixture(scope="session")
def inside(network):
    """Points in the middle of the triangles and of their edges."""
    corners = network.points[network.corners]
    return [tuple(at) for at in [*corners.mean(axis=1), *corners[:, :2].mean(axis=1), *corners[:, 1:].mean(axis=1)]]
