"""Maps are drawn, whatever the shape of the network."""

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.pictures.networks import draw_network, draw_way

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def nodes():
    walks = [perform("walk", speed=v, turn=w, imperfections=CLEAN)[0].renamed(f"{v} {w}") for v, w in
             ((0.9, 0.0), (1.6, 0.0), (1.3, 0.6))]  # fmt: skip
    return mo.build_network(walks).nodes


@pytest.mark.parametrize("count", [1, 2, 4])
def test_points_chains_and_triangles_are_drawn(nodes, tmp_path, count):
    draw_network(mo.Network(nodes[:count]), tmp_path / "map.png", track=[(0.0, 1.0), (10.0, 1.2)])
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")


def test_a_way_is_drawn_with_and_without_its_path(nodes, tmp_path):
    walk = mo.record(mo.Player(mo.Network(nodes), point=(0.0, 1.2)), seconds=2, frame_rate=30)
    path = np.array([[0.0, 0.0], [0.0, 1.0], [0.5, 3.0]])
    draw_way(walk, tmp_path / "a.png")
    draw_way(walk, tmp_path / "b.png", wanted=path)
    draw_way(walk, tmp_path / "c.svg", wanted=path, speeds=np.array([1.0, 1.2, 0.8]))
    assert len(list(tmp_path.iterdir())) == 3
