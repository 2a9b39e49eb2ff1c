"""The ground under the feet: what long stands, slopes and changes of gait may not change about it."""

from dataclasses import replace

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.analysis.plants.detect import find_plants
from mocapella.analysis.plants.tracks import resting_shares, track_feet, votes
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
