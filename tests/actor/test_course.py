"""The course: places and headings that follow from speeds and turn rates, footsteps that stay clear of each other."""

import numpy as np
import pytest

from mocapella.actor import ground_points
from mocapella.actor.course import course
from mocapella.actor.gait import walking


def test_a_circle_is_walked_exactly_even_in_coarse_steps():
    times = np.linspace(0.0, 4.0, 21)
    way = course(times, np.full(21, 1.5), np.full(21, 0.5 * np.pi), walking(1.4).spread(21))
    radius = 1.5 / (0.5 * np.pi)
    np.testing.assert_allclose(np.linalg.norm(way.places - [radius, 0.0], axis=-1), radius, atol=1e-12)
    np.testing.assert_allclose(way.places[-1], way.places[0], atol=1e-12)


def test_a_course_passes_the_origin_along_z_at_time_zero():
    times = np.linspace(-1.0, 2.0, 61)
    way = course(times, np.full(61, 1.0), np.full(61, 0.7), walking(1.2).spread(61), start=0.25)
    place, heading = way.place_at(np.zeros(1))
    np.testing.assert_allclose(place[0], 0.0, atol=1e-12)
    np.testing.assert_allclose(heading[0], 0.0, atol=1e-12)
    np.testing.assert_allclose(np.interp(0.0, times, way.cycles), 0.25)


def test_time_and_cycles_undo_each_other_beyond_the_ends_too():
    times = np.linspace(0.0, 2.0, 41)
    way = course(times, np.full(41, 1.0), np.zeros(41), walking(1.2).spread(41))
    cycles = np.array([-1.5, 0.3, 1.0, 4.2])
    np.testing.assert_allclose(way.time_of(cycles), cycles * float(walking(1.2).period), atol=1e-9)


@pytest.mark.parametrize("name", ["medium walk straight", "medium walk sharp left", "fast run sharp right", "dance"])
def test_one_foot_never_passes_through_the_other(clean, name):
    points = ground_points(clean[name][0])
    along = np.linspace(0.0, 1.0, 8)[:, None, None]
    left, right = ((1.0 - along) * points[f"{s}_heel"] + along * points[f"{s}_tip"] for s in ("left", "right"))
    assert np.linalg.norm(left[:, None] - right[None], axis=-1).min() > 0.07
