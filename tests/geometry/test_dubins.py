"""The shortest way between two headings: it arrives, turns no tighter than allowed, and is as short as published."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.geometry.dubins import shortest_turns

laws = settings(max_examples=80, deadline=None)
poses = st.tuples(st.floats(-4, 4), st.floats(-4, 4), st.floats(-7, 7))


def length(places):
    return float(np.hypot(*np.diff(places, axis=0).T).sum())


@laws
@given(poses, poses, st.floats(0.3, 2.0))
def test_it_leads_from_one_pose_to_the_other(start, end, radius):
    places = shortest_turns(start, end, radius, spacing=0.005)
    np.testing.assert_allclose(places[[0, -1]], [start[:2], end[:2]], atol=1e-9)
    hops = np.diff(places, axis=0)
    assert np.hypot(*hops.T).max(initial=0.0) <= 0.0051
    hops = hops[np.hypot(*hops.T) > 1e-6]
    if len(hops) > 4 and length(places) > 0.1:
        for hop, heading in ((hops[0], start[2]), (hops[-1], end[2])):
            ahead = hop @ np.array([math.sin(heading), math.cos(heading)]) / np.linalg.norm(hop)
            assert ahead > 0.95


@laws
@given(poses, poses, st.floats(0.3, 2.0))
def test_it_turns_no_tighter_than_its_radius(start, end, radius):
    places = shortest_turns(start, end, radius, spacing=0.02)
    hops = np.diff(places, axis=0)
    sizes = np.hypot(*hops.T)
    long = sizes > 0.5 * sizes.max(initial=0.0)
    bends = np.abs(np.diff(np.unwrap(np.arctan2(*hops.T))))
    means = 0.5 * (sizes[1:] + sizes[:-1])
    assert (bends <= 1.05 * means / radius + 1e-6)[long[1:] & long[:-1]].all()


@laws
@given(poses, poses, st.floats(0.3, 2.0))
def test_the_way_back_is_as_long(start, end, radius):
    there = length(shortest_turns(start, end, radius))
    turned = [(x, z, heading + math.pi) for x, z, heading in (end, start)]
    np.testing.assert_allclose(there, length(shortest_turns(turned[0], turned[1], radius)), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(
    ("end", "expected"),
    [
        ((0.0, 3.0, 0.0), 3.0),  # straight on
        ((2.0, 0.0, math.pi), math.pi),  # half a circle
        ((1.0, 1.0, math.pi / 2), math.pi / 2),  # a quarter
        ((0.0, 0.0, math.pi), 7 * math.pi / 3),  # right round on the spot: 60°, 300°, 60°
    ],
)
def test_known_ways_are_as_long_as_known(end, expected):
    np.testing.assert_allclose(length(shortest_turns((0.0, 0.0, 0.0), end, 1.0)), expected, rtol=2e-4)
