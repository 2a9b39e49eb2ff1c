"""Laws of paths: places joined by straight lines or by a smooth curve, with speeds along them."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.errors import MotionError
from mocapella.steering.path import SPACING, Path, between

laws = settings(max_examples=50, deadline=None)
places = st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=2, max_size=8).filter(
    lambda rows: all(a != b for a, b in pairwise(rows))
)
SQUARE = [(0, 0), (0, 5), (5, 5), (5, 0), (0, 0)]


@laws
@given(places)
def test_a_polyline_is_as_long_as_its_pieces_and_passes_its_corners(rows):
    path = Path.of(rows)
    at = np.concatenate([[0.0], np.cumsum([math.dist(a, b) for a, b in pairwise(rows)])])
    np.testing.assert_allclose(path.length, at[-1], rtol=1e-12)
    np.testing.assert_allclose([path.at(distance) for distance in at], rows, atol=1e-9)
    assert np.diff(path.distances).max() <= SPACING + 1e-9


@laws
@given(places)
def test_a_smooth_path_passes_its_places_in_order(rows):
    path, reached = Path.smooth(rows), 0.0
    for place in rows:
        later = path.distances >= reached - 1e-9
        off = np.linalg.norm(path.places[later] - np.array(place), axis=1)
        near = int(np.argmax(off <= SPACING))
        assert off[near] <= SPACING
        reached = path.distances[later][near]


def test_headings_are_those_of_the_legs():
    path = Path.of([(0, 0), (0, 4), (3, 4)])
    np.testing.assert_allclose((path.heading(1.0), path.heading(6.0)), (0.0, np.pi / 2), atol=1e-9)


def test_a_square_stays_a_square_unless_it_is_to_be_smooth():
    square, curve = Path.of(SQUARE), Path.smooth(SQUARE)
    np.testing.assert_array_equal((square.places.min(), square.places.max()), (0.0, 5.0))
    assert -0.7 < curve.places.min() < -0.3  # no further out than an eighth of a side
    np.testing.assert_allclose(curve.heading(0.0), curve.heading(curve.length), atol=0.05)


def test_places_close_together_make_no_loop_in_a_smooth_path():
    path = Path.smooth([(0, 0), (0, 5), (0.1, 5), (0.1, 0)])
    assert path.places[:, 1].max() < 5.3
    assert path.length < 10.8


def test_a_spline_through_a_circle_is_a_circle():
    angles = np.linspace(0.0, np.pi, 9)
    path = Path.smooth(np.stack([3.0 - 3.0 * np.cos(angles), 3.0 * np.sin(angles)], axis=1))
    np.testing.assert_allclose(path.length, 3.0 * np.pi, rtol=1e-3)
    radii = np.linalg.norm(path.places - np.array([3.0, 0.0]), axis=1)
    np.testing.assert_allclose(radii, 3.0, atol=0.02)


def test_places_to_the_left_of_a_path_are_on_its_left():
    path = Path.of([(0, 0), (0, 10)])
    reached, side = path.nearest((0.5, 4.0))
    np.testing.assert_allclose((reached, side), (4.0, 0.5), atol=1e-9)
    assert path.nearest((-0.5, 4.0))[1] < 0.0


def test_a_path_that_crosses_itself_is_followed_round():
    path = Path.of([(0, 0), (0, 6), (3, 6), (3, 3), (-3, 3)])
    assert path.nearest((0.0, 3.0), near=2.8)[0] < 4.0
    assert path.nearest((0.0, 3.0), near=14.8)[0] > 14.0


def test_speeds_go_gently_from_row_to_row():
    path = Path.of([(0, 0, 1.0), (0, 5, 1.0), (0, 10, 2.0)])
    assert path.speed(2.0) == pytest.approx(1.0)
    assert 1.0 < path.speed(7.5) < 2.0
    assert Path.of([(0, 0), (0, 5)]).speed(1.0) is None


@pytest.mark.parametrize("kind", [Path.of, Path.smooth])
@pytest.mark.parametrize("rows", [[(0, 0), (0, 1e7)], [(0, 0), (0, 1e300)], [(1e308, 0), (-1e308, 0), (0, 0)]])
def test_a_path_too_long_to_walk_is_refused_at_once(rows, kind):
    with pytest.raises(MotionError, match="at most 10,000 m long"):
        kind(rows)


@pytest.mark.parametrize("kind", [Path.of, Path.smooth])
def test_a_path_of_very_many_rows_is_made(kind):
    angles = np.linspace(0.0, 40.0, 20_000)
    path = kind(np.stack([10.0 * np.cos(angles), 10.0 * np.sin(angles)], axis=1))
    np.testing.assert_allclose(path.length, 400.0, rtol=1e-4)


def test_beyond_its_end_a_path_runs_straight_on():
    np.testing.assert_allclose(Path.of([(0, 0), (0, 2)]).at(3.5), (0.0, 3.5), atol=1e-9)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([], "rows of x and z"),
        ([(0, 0)], "from one place to another"),
        ([(0, 0), (0, 0)], "from one place to another"),
        ([(0, 0), (0, math.nan)], "finite"),
        ([(0, 0, -1.0), (0, 1, 1.0)], "0.001 m/s or more"),
        ([(0, 0), (0, 1, 1.0)], "rows of x and z"),
    ],
)
def test_what_is_no_path_is_refused(rows, reason):
    with pytest.raises(MotionError, match=reason):
        Path.of(rows)


def test_only_the_way_ahead_is_looked_at_where_that_is_asked_for():
    path = Path.of(SQUARE)
    assert path.nearest((0.0, 0.0), near=0.0, back=0.0, ahead=0.5)[0] == 0.0
    assert path.nearest((0.0, 0.0), near=19.7, back=0.0, ahead=0.5)[0] == 20.0
    assert path.nearest((0.0, 9.0), near=3.0, back=0.0, ahead=0.5)[0] == pytest.approx(3.5, abs=2 * SPACING)


@settings(deadline=None, max_examples=25)
@given(places, st.tuples(st.floats(-9.0, 9.0), st.floats(-9.0, 9.0)), st.floats(-1.0, 30.0), st.floats(0.0, 4.0))
def test_the_nearest_place_is_the_nearest_of_all_that_is_looked_at(rows, place, near, ahead):
    path = Path.of(rows)
    for looked, window in (((None, 2.0, 2.0), (0.0, path.length)), ((near, 0.5, ahead), (near - 0.5, near + ahead))):
        along, side = path.nearest(place, looked[0], back=looked[1], ahead=looked[2])
        low, high = (min(max(edge, 0.0), path.length) for edge in window)
        every = np.array([path.at(distance) for distance in np.linspace(low, high, 400)])
        apart = np.hypot(*(every - place).T)
        assert abs(side) <= apart.min() + 1e-9
        np.testing.assert_allclose(math.dist(path.at(along), place), abs(side), atol=1e-9)
        if looked[0] is not None:
            assert low - SPACING - 1e-9 <= along <= high + SPACING + 1e-9


@given(st.lists(st.floats(-5.0, 5.0), min_size=2, max_size=8, unique=True), st.floats(-6.0, 6.0))
def test_one_number_between_others_is_what_numpy_makes_of_it(xs, x):
    xs, values = sorted(xs), [math.sin(7.0 * one) for one in xs]
    assert between(x, xs, values) == np.interp(x, xs, values)
