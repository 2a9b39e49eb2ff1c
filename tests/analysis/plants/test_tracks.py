"""The ground under the feet: what long stands, slopes and changes of gait may not change about it."""

from dataclasses import replace

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.analysis.plants.detect import find_plants
from mocapella.analysis.plants.tracks import resting_shares, track_feet, votes
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from tests.analysis.plants.plant_masks import overlap


def after_a_stand(clip, seconds):
    """The clip with its first frame held before it, with a tremor, so that it is not frozen."""
    n = int(seconds * clip.frame_rate)
    roots = np.repeat(clip.root_positions[:1], n, axis=0) + 1e-5 * np.sin(np.arange(n))[:, None]
    rotations = np.repeat(clip.rotations_wxyz[:1], n, axis=0)
    return Clip(
        clip.skeleton,
        np.concatenate([roots, clip.root_positions]),
        np.concatenate([rotations, clip.rotations_wxyz]),
        clip.frame_rate,
    )


def tilted(clip, slope):
    """The clip on a floor that rises along z."""
    roots = np.array(clip.root_positions)
    roots[:, 1] += slope * roots[:, 2]
    return Clip(clip.skeleton, roots, clip.rotations_wxyz, clip.frame_rate)


@pytest.mark.parametrize(("action", "speed"), [("walk", 1.3), ("run", 3.2)])
def test_a_long_stand_before_a_gait_changes_neither_its_ground_nor_its_plants(action, speed):
    clip = tilted(perform(action, speed=speed, imperfections=CLEAN)[0], 0.03)
    stood = after_a_stand(clip, 10.0)
    np.testing.assert_allclose(track_feet(stood).ground[1:], track_feet(clip).ground[1:], atol=0.006)
    n = stood.n_frames - clip.n_frames
    assert overlap(find_plants(stood)[n:], find_plants(clip)) > 0.93


def test_all_samples_of_one_plant_share_one_vote():
    speeds = np.full((1000, 4), 5.0)
    speeds[100:700, 0] = 0.1
    speeds[100:130, 1] = 0.1
    shared = votes(speeds, 120.0)
    np.testing.assert_allclose(shared[100:700, 0].sum(), 60.0)
    np.testing.assert_array_equal(shared[:, 1:], 1.0)


def test_the_floor_of_a_run_after_a_stand_is_that_of_the_run(data_folder):
    clip = mo.load(data_folder / "cmu-bvh/127/127_04.bvh").captured
    slopes = np.degrees(np.arctan(track_feet(clip).ground[1:]))
    assert -1.1 < slopes[1] < -0.5  # along the way; the run alone says -0.75
    heels = [interval for interval in find_plants(clip).left_heel if interval[0] > 300]
    np.testing.assert_allclose(heels, [(311, 324), (405, 418)], atol=3)


def test_how_still_feet_rest_is_told_for_each_part_of_a_clip():
    tracks = track_feet(perform("walk", imperfections=CLEAN)[0])
    n, walking = 960, np.arange(960) < 600
    shares = np.full((n, 4), 1.0)
    shares[:, 0] = np.where(walking, 0.004, 0.02)  # a walk that rests still, then a run that skids
    still = np.zeros((n, 4, 3))
    long = replace(tracks, places=still, heights=shares, speeds=5.0 * shares)
    usual = resting_shares(long, shares)
    np.testing.assert_allclose(usual[[0, 400, 780, n - 1]], [0.004, 0.004, 0.02, 0.02], atol=1e-3)


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::mocapella.MotionWarning")
@pytest.mark.parametrize("name", ["127/127_04", "16/16_08"])
def test_a_body_that_stands_and_then_climbs_steep_ground_keeps_its_plants(data_folder, name):
    """Ten degrees up: a search from level ground finds the place of the stand and loses every step."""
    clip = mo.load(data_folder / f"cmu-bvh/{name}.bvh").captured
    turn = quaternions.from_rotvec(np.radians([10.0, 0.0, 0.0]))
    rotations = np.array(clip.rotations_wxyz)
    rotations[:, 0] = quaternions.multiply(turn, rotations[:, 0])
    steep = replace(clip, root_positions=quaternions.rotate(turn, clip.root_positions), rotations_wxyz=rotations)
    assert overlap(find_plants(steep), find_plants(clip)) > 0.98
