"""Networks as grids of loops."""

from dataclasses import replace

import numpy as np
import pytest

import mocapella as mo
from mocapella.exporting.grid import blend_grid
from mocapella.measure.measures import MOTION, MeasuredMotion, figures
from mocapella.motion.loops import is_closed


@pytest.fixture(scope="session")
def network():
    asked = ((0.9, 0.0), (1.25, 0.6), (1.25, -0.6), (1.6, 0.0))
    return mo.build_network([mo.example("walk", speed=speed, turn=turn) for speed, turn in asked])


@pytest.fixture(scope="session")
def grid(network):
    return blend_grid(network, columns=4, rows=3)


def test_every_node_and_the_lattice_between_them_have_a_loop(network, grid):
    points = [loop.point for loop in grid.loops]
    assert [tuple(at) for at in network.points.tolist()] == points[: len(network.nodes)]
    assert len(points) > len(network.nodes)
    assert len(set(points)) == len(points)
    assert all(network.holds(point) for point in points)


def test_every_loop_closes_and_holds_its_feet(grid):
    for loop in grid.loops:
        assert is_closed(loop.clip, within=1e-9)
        measured = figures(MOTION, MeasuredMotion(loop.clip, loop.contacts), ("slip_mm_max",))
        assert measured["slip_mm_max"] <= 1.0


def test_no_loop_is_joined_at_its_fastest_moment(grid):
    assert len({loop.phase for loop in grid.loops}) == 1  # equal shares of a round match
    for loop in grid.loops:
        steps = np.sqrt((np.diff(loop.clip.positions, axis=0) ** 2).sum(axis=-1).mean(axis=-1))
        assert max(steps[0], steps[-1]) < 0.8 * steps.max()


def test_a_loop_lies_where_it_goes(grid):
    """What an engine asks for is what its character does."""
    for loop in grid.loops:
        path = loop.clip.ground_path
        np.testing.assert_allclose(abs(path[-1] - path[0]) / loop.seconds, loop.at[1], rtol=0.06)  # a chord of an arc
        turned = np.degrees(loop.clip.headings[-1] - loop.clip.headings[0]) / loop.seconds
        np.testing.assert_allclose(turned, loop.at[0], atol=1e-6)


def test_a_network_placed_by_hand_keeps_its_places(network):
    places = dict(zip(network.names, [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)], strict=True))
    moved = network.moved(places)
    assert [loop.at for loop in blend_grid(moved, columns=2, rows=2).loops[:4]] == [tuple(p) for p in moved.points]


def test_triangles_cover_the_network(network, grid):
    at = np.array([loop.at for loop in grid.loops])
    areas = areas_of(at[grid.triangles])
    assert (areas > 0.0).all()
    np.testing.assert_allclose(areas.sum(), np.abs(areas_of(network.points[network.corners])).sum(), rtol=0.1)


def areas_of(shapes):
    """Of triangles, positive where their corners go anticlockwise."""
    b, c = shapes[:, 1] - shapes[:, 0], shapes[:, 2] - shapes[:, 0]
    return 0.5 * (b[:, 0] * c[:, 1] - b[:, 1] * c[:, 0])


def test_a_line_of_nodes_is_a_line_of_loops():
    line = mo.build_network([mo.example("walk", speed=speed) for speed in (0.9, 1.5)])
    grid = blend_grid(line)
    assert len(grid.loops) == 2
    assert grid.triangles.shape == (0, 3)


def test_names_that_godot_would_shorten_are_short_already_and_differ(network):
    names = dict(zip(network.names, ("walk_cycle", "walk-loop", "Walk.Loop_2", "walk_CYCLE2"), strict=True))
    nodes = [replace(node, name=names[node.name]) for node in network.nodes]
    found = [loop.name for loop in blend_grid(mo.Network(nodes), columns=2, rows=2).loops]
    assert found == ["walk", "walk_2", "Walk_Loop_2", "walk2"]


@pytest.mark.parametrize("size", [(1, 5), (100, 100)])
def test_grids_of_no_sense_are_refused(network, size):
    with pytest.raises(mo.MotionError, match="a grid of 2 × 2 to 1024 loops"):
        blend_grid(network, columns=size[0], rows=size[1])
