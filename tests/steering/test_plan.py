"""Laws of rounded corners."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.steering.path import Path
from mocapella.steering.plan import rounded

laws = settings(max_examples=40, deadline=None)


def corner(degrees, leg=12.0):
    angle = math.radians(degrees)
    return Path.of([(0, 0), (0, leg), (leg * math.sin(angle), leg + leg * math.cos(angle))])


def off(way, path):
    """How far beside a path the way lies at most, metres; every tenth place is looked at."""
    return max(abs(path.nearest(tuple(place))[1]) for place in way.places[::10].tolist())


def bends(way):
    """Curvatures over thirty centimetres, per metre."""
    x, z = np.diff(way.places, axis=0).T
    middles = 0.5 * (way.distances[1:] + way.distances[:-1])
    at = np.arange(0.0, way.length, 0.05)
    headings = np.unwrap(np.arctan2(x, z))
    return (np.interp(at + 0.15, middles, headings) - np.interp(at - 0.15, middles, headings)) / 0.3


@laws
@given(st.floats(-180.0, 180.0), st.floats(0.3, 2.0))
def test_a_corner_is_turned_no_tighter_than_the_radius(degrees, radius):
    way, along = rounded(corner(degrees), radius, radius)
    assert np.abs(bends(way)).max() <= 1.02 / radius + 1e-6
    np.testing.assert_allclose(way.places[[0, -1]], corner(degrees).places[[0, -1]], atol=1e-9)
    assert (np.diff(along) >= 0.0).all()
    np.testing.assert_allclose((along[0], along[-1]), (0.0, 24.0), atol=1e-9)


@pytest.mark.parametrize("degrees", [30, 90, 120, 130, 150, 180])
def test_no_corner_is_missed_by_more_than_the_radius(degrees):
    path = corner(degrees)
    assert off(rounded(path, 1.0, 1.0)[0], path) <= 1.0 + 1e-3


def test_a_right_angle_becomes_a_quarter_of_a_circle():
    path = corner(90.0)
    way, _ = rounded(path, 1.0, 1.0)
    np.testing.assert_allclose(way.length, 22.0 + math.pi / 2, atol=1e-3)
    np.testing.assert_allclose(off(way, path), 1.0 - math.sqrt(0.5), atol=0.01)


def test_who_leads_back_goes_round_a_loop_and_comes_back_on_the_line():
    way, _ = rounded(Path.of([(0, 0), (0, 5), (0, 0)]), 1.0, 1.0)
    np.testing.assert_allclose(way.length, 10.0 - 2.0 * math.sqrt(3.0) + 7.0 * math.pi / 3.0, atol=0.01)
    np.testing.assert_allclose(np.abs(way.places[:, 0]).max(), 1.0, atol=0.01)


def test_left_and_right_have_radii_of_their_own():
    left, right = (np.abs(bends(rounded(corner(side * 90.0), 0.5, 2.0)[0])).max() for side in (1, -1))
    np.testing.assert_allclose((left, right), (2.0, 0.5), rtol=0.02)


def test_who_cannot_turn_leaves_corners_as_they_are():
    way, _ = rounded(corner(90.0), math.inf, math.inf)
    np.testing.assert_array_equal(way.places, corner(90.0).places)


def test_short_legs_make_narrow_arcs_and_slips_of_the_hand_no_loops():
    zigzag = Path.of([(0.1 * (i % 2), 0.1 * i) for i in range(40)])
    assert off(rounded(zigzag, 1.0, 1.0)[0], zigzag) < 0.05
    slip = Path.of([(0, 0), (0, 4), (0, 3.95), (0, 8)])
    assert rounded(slip, 1.0, 1.0)[0].length < slip.length + 1e-9


def test_a_smooth_path_stays_as_it_is():
    path = Path.smooth([(0, 0), (1.2, 2.0), (0, 4.0), (-1.2, 6.0), (0, 8.0)])
    np.testing.assert_allclose(rounded(path, 1.0, 1.0)[0].length, path.length, atol=0.01)


@pytest.mark.parametrize("length", [0.05, 0.2, 0.45])
def test_of_a_path_that_leads_back_at_once_something_is_left(length):
    path = Path.of([(0, 0), (0, length), (0, 0)])
    way, along = rounded(path, 0.9, 0.9)
    assert way.length > length
    assert len(along) == len(way.places)
