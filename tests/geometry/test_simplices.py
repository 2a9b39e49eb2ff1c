"""Triangles: sides, circles, weights and nearest places; polygons cut by lines."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mocapella.errors import NetworkError
from mocapella.geometry.simplices import (
    clip_polygon,
    flatness,
    in_circle,
    nearest_on_segments,
    nearest_on_triangles,
    orientation,
    overlap,
    polygon_area,
    weight_maps,
)
from mocapella.geometry.triangulation import delaunay

numbers = st.floats(-1e3, 1e3)
points = st.tuples(numbers, numbers)


@given(points, points, points)
def test_sides_are_what_exact_arithmetic_says(a, b, c):
    (ax, ay), (bx, by), (cx, cy) = ((Fraction(x), Fraction(y)) for x, y in (a, b, c))
    exact = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    assert orientation(a, b, c) == (exact > 0) - (exact < 0)


def test_a_point_one_rounding_step_off_a_line_is_seen_to_be_off():
    assert orientation((0.0, 0.0), (3.0, 3.0), (0.1, 0.1)) == 0
    assert orientation((0.0, 0.0), (3.0, 3.0), (0.1, np.nextafter(0.1, 1.0))) == 1


def test_corners_of_a_square_lie_on_one_circle_exactly():
    a, b, c, d = (0.1, 0.1), (0.4, 0.1), (0.4, 0.4), (0.1, 0.4)
    assert in_circle(a, b, c, d) == 0
    assert in_circle(a, b, c, (0.2, 0.2)) == 1
    assert in_circle(a, b, c, (0.1, np.nextafter(0.4, 1.0))) == -1


@given(st.integers(0, 10_000), st.sampled_from([1, 2, 3]))
def test_weight_maps_reproduce_points_and_sum_to_one(seed, axes):
    rng = np.random.default_rng(seed)
    corners = rng.normal(size=(axes + 1, axes))
    assume(flatness(corners) > 1e-3)
    point = rng.normal(size=axes)
    weights = weight_maps(corners) @ np.concatenate([[1.0], point])
    np.testing.assert_allclose(weights.sum(), 1.0, atol=1e-9)
    np.testing.assert_allclose(weights @ corners, point, atol=1e-9)


def test_flatness_is_zero_on_a_line_and_does_not_change_with_size():
    line = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    right = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    np.testing.assert_allclose(flatness(line), 0.0, atol=1e-15)
    np.testing.assert_allclose(flatness(1e-6 * right), flatness(right))


@given(points, points, points)
def test_no_place_on_a_segment_is_nearer_than_the_nearest(point, start, end):
    goal, a, b = map(np.array, (point, start, end))
    nearest = nearest_on_segments(goal, a[None], b[None])[0]
    for share in np.linspace(0.0, 1.0, 11):
        assert np.linalg.norm(nearest - goal) <= np.linalg.norm(a + share * (b - a) - goal) + 1e-9


@given(st.integers(0, 10_000))
def test_no_place_on_a_triangle_in_space_is_nearer_than_the_nearest(seed):
    rng = np.random.default_rng(seed)
    corners, point = rng.normal(size=(1, 3, 3)), rng.normal(size=3)
    nearest = nearest_on_triangles(point, corners)[0]
    weights = rng.dirichlet(np.ones(3), size=50)
    apart = np.linalg.norm(weights @ corners[0] - point, axis=1)
    assert np.linalg.norm(nearest - point) <= apart.min() + 1e-12


def test_triangles_that_touch_do_not_overlap_and_those_that_cross_do():
    a = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    beside = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    inner = 0.2 + 0.2 * a
    assert not overlap(a, beside)
    assert overlap(a, inner)
    assert overlap(a, a)


@given(st.integers(0, 500), st.integers(3, 14))
def test_no_node_lies_inside_the_circle_of_a_delaunay_triangle(seed, count):
    places = np.random.default_rng(seed).uniform(size=(count, 2))
    places[0], places[1] = 0.0, 1.0  # the axes keep their scale
    assume(np.linalg.svd(places - places.mean(axis=0))[1][1] > 1e-2)
    corners = delaunay(places)
    for row in corners:
        for other in set(range(count)) - set(row.tolist()):
            assert in_circle(*places[row].tolist(), places[other].tolist()) <= 0
    assert set(np.unique(corners)) == set(range(count))


@given(st.integers(2, 6), st.integers(2, 6))
def test_a_grid_is_covered_once(columns, rows):
    places = np.array([(x, 3.0 * y) for x in range(columns) for y in range(rows)], dtype=float)
    corners = delaunay(places)
    sizes = [polygon_area(places[row]) for row in corners]
    assert min(sizes) > 0.0
    np.testing.assert_allclose(sum(sizes), (columns - 1) * 3.0 * (rows - 1))


def test_points_on_a_line_have_no_triangles():
    with pytest.raises(NetworkError, match="one line"):
        delaunay(np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]))


@given(st.floats(0.0, 1.0), st.floats(0.0, 6.28))
def test_a_cut_polygon_and_its_rest_make_the_whole(share, angle):
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    point, outward = np.array([share, 0.5]), np.array([np.cos(angle), np.sin(angle)])
    parts = polygon_area(clip_polygon(square, point, outward)) + polygon_area(clip_polygon(square, point, -outward))
    np.testing.assert_allclose(parts, 1.0, atol=1e-9)
