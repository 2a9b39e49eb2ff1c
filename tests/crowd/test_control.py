from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import cKDTree

from mocapella.crowd.control import Avoidance, FollowPaths
from mocapella.crowd.crowd import Crowd
from mocapella.errors import MotionError
from tests.crowd.samples import walks


def test_two_who_meet_push_each_other_apart_alike():
    places, velocities = np.array([(0.0, 0.0), (0.1, 4.0)]), np.array([(0.0, 1.3), (0.0, -1.3)])
    forces = Avoidance().forces(places, velocities)
    np.testing.assert_allclose(forces[0], -forces[1], atol=1e-12)
    assert forces[0, 0] < 0.0
    sooner = Avoidance().forces(places * (1.0, 0.4), velocities)
    assert np.linalg.norm(sooner[0]) > 2.0 * np.linalg.norm(forces[0])


def test_those_who_go_apart_are_left_alone():
    forces = Avoidance().forces(np.array([(0.0, 0.0), (0.1, 4.0)]), np.array([(0.0, -1.3), (0.0, 1.3)]))
    assert np.abs(forces).max() < 1e-4


def test_turning_the_ground_turns_the_forces():
    rng = np.random.default_rng(1)
    places, velocities = rng.uniform(-3.0, 3.0, (12, 2)), rng.normal(size=(12, 2))
    turn = np.array([[0.8, 0.6], [-0.6, 0.8]])
    np.testing.assert_allclose(
        Avoidance().forces(places @ turn, velocities @ turn), Avoidance().forces(places, velocities) @ turn, atol=1e-9
    )


def test_characters_keep_to_their_paths():
    circle = 8.0 * np.stack([np.sin(np.linspace(0.0, 2.0 * np.pi, 60)), np.cos(np.linspace(0.0, 2.0 * np.pi, 60))], 1)
    circle[-1] = circle[0]
    starts = circle[[0, 20, 40]]
    headings = np.arctan2(*(circle[[1, 21, 41]] - starts).T)
    guide = FollowPaths([circle], speed=1.2, avoid=None)
    crowd = Crowd(walks(), 3, positions=starts, headings=headings, controller=guide)
    off, around = [], np.zeros(3)
    last = np.arctan2(*crowd.positions.T)
    for _ in range(300):
        crowd.step(1 / 15)
        off.append(np.abs(np.linalg.norm(crowd.positions, axis=1) - 8.0).max())
        now = np.arctan2(*crowd.positions.T)
        around += (now - last + np.pi) % (2.0 * np.pi) - np.pi
        last = now
    assert max(off) < 0.8
    np.testing.assert_allclose(around * 8.0 / 20.0, 1.2, atol=0.25)


def test_characters_on_open_paths_come_back():
    guide = FollowPaths([[(0.0, 0.0), (0.0, 8.0)]], speed=1.2)
    crowd = Crowd(walks(), 1, positions=np.zeros((1, 2)), headings=np.zeros(1), controller=guide)
    along = []
    for _ in range(330):
        crowd.step(1 / 15)
        along.append(crowd.positions[0, 1])
    assert max(along) > 6.0
    assert along[-1] < 4.0


def test_avoidance_keeps_groups_that_meet_apart():
    met = {}
    for avoid in (None, Avoidance()):
        met[avoid] = _meetings(avoid, 40, 120)
    assert met[None] > 15
    assert met[Avoidance()] < 0.5 * met[None]


def _meetings(avoid, n, frames):
    """How many pairs of two groups that cross come nearer than 0.4 m."""
    rng = np.random.default_rng(0)
    half = n // 2
    rows = np.arange(n) % half
    start = np.stack([rows % 5 * 2.0, rows // 5 * 2.0 + 2.0], axis=1) + rng.uniform(-0.3, 0.3, (n, 2))
    start[:half, 1] *= -1.0
    ahead = np.where(np.arange(n) < half, 30.0, -30.0)
    paths = [[(x, z), (x, z + way)] for (x, z), way in zip(start, ahead, strict=True)]
    crowd = Crowd(
        walks(),
        n,
        positions=start,
        headings=np.where(ahead > 0.0, 0.0, np.pi),
        points=np.tile((0.0, 1.2), (n, 1)),
        controller=FollowPaths(paths, avoid=avoid, speed=1.2),
    )
    met = set()
    for _ in range(frames):
        crowd.step(1 / 15)
        met |= crowd_pairs(crowd)
    return len(met)


def crowd_pairs(crowd):
    return cKDTree(crowd.positions).query_pairs(0.4)


@pytest.mark.parametrize("path", [[], [(0.0, 0.0)], [(0.0, 0.0), (0.0, 0.0)], [(0.0, np.nan), (1.0, 1.0)]])
def test_paths_that_lead_nowhere_are_refused(path):
    with pytest.raises(MotionError, match="a path"):
        FollowPaths([path])
