from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.geometry.mesh import Mesh
from mocapella.geometry.refinement import bisected, edges_of, with_longest


def _angle(points, triangle):
    """The smallest one of a triangle."""
    a, b, c = points[list(triangle)]
    sides = np.array([b - a, c - b, a - c])
    unit = sides / np.linalg.norm(sides, axis=1)[:, None]
    return float(np.arccos(np.clip(-(unit * np.roll(unit, 1, axis=0)).sum(axis=1), -1.0, 1.0)).min())


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=12))
@settings(deadline=None, max_examples=25)
def test_halved_triangles_meet_in_full_and_never_become_thin(chosen):
    points = np.array([[0.0, 0.0], [1.0, 0.1], [0.9, 1.0], [0.0, 0.8], [0.5, 0.45]])
    triangles = [(0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)]
    area = _areas(points, triangles).sum()
    least = min(_angle(points, triangle) for triangle in triangles)
    for number in chosen:

        def length(edge, points=points):
            return float(np.linalg.norm(points[edge[0]] - points[edge[1]]))

        edges = sorted({edge for triangle in triangles for edge in edges_of(triangle)})
        marked = sorted(with_longest(triangles, [edges[number % len(edges)]], length))
        middles = {edge: len(points) + i for i, edge in enumerate(marked)}
        cut = [part for triangle in triangles for part in bisected(triangle, middles, length)]
        points = np.concatenate([points, [0.5 * (points[a] + points[b]) for a, b in marked]])
        triangles = cut
    areas = _areas(points, triangles)
    assert (areas > 0.0).all()  # they all go round the same way
    np.testing.assert_allclose(areas.sum(), area)
    assert min(_angle(points, triangle) for triangle in triangles) > 0.5 * least - 1e-9
    border = Mesh(points, np.array(triangles)).border  # an edge half-way along another one would be border too
    ways = points[border[:, 0]] - points[border[:, 1]]
    np.testing.assert_allclose(np.linalg.norm(ways, axis=1).sum(), _outline())


def _areas(points, triangles):
    a, b, c = (points[np.array(triangles)[:, k]] for k in range(3))
    return 0.5 * ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0])


def _outline():
    square = np.array([[0.0, 0.0], [1.0, 0.1], [0.9, 1.0], [0.0, 0.8]])
    return np.linalg.norm(square - np.roll(square, 1, axis=0), axis=1).sum()
