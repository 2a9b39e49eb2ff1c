"""Maps are drawn, whatever the shape of the network."""

import pytest

import mocapella as mo
from mocapella.pictures.networks import draw_network

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def nodes(walks):
    return mo.build_network(walks).nodes


@pytest.mark.parametrize("count", [1, 2, 4])
def test_points_chains_and_triangles_are_drawn(nodes, tmp_path, count):
    draw_network(mo.Network(nodes[:count]), tmp_path / "map.png", track=[(0.0, 1.0), (10.0, 1.2)])
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")
