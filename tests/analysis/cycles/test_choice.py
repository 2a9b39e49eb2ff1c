"""Which of a clip's cycles is taken for its turn: one that closes, that goes the clip's own way, and that travels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CAPTURED, CLEAN, perform
from mocapella.analysis.cycles import search as searching
from mocapella.geometry import quaternions


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "sign"), [("82/82_10", -1.0), ("137/137_29", -1.0), ("16/16_19", -1.0), ("16/16_17", 1.0)]
)
def test_a_turn_is_taken_where_its_ends_meet_and_it_goes_the_clips_way(data_folder, name, sign):
    cycle = mo.find_cycle(mo.load(data_folder / "cmu-bvh" / f"{name}.bvh", clean=True), turning="own")
    assert cycle.unlikeness <= 0.4
    assert sign * cycle.turn > np.radians(15.0)


def test_where_no_cycle_closes_better_the_sharpest_turn_is_taken_all_the_same():
    clip = perform("walk", speed=1.2, turn=0.6, imperfections=CLEAN)[0]
    cycles = mo.find_cycles(clip, turning="own")
    assert cycles[0].turn >= 0.99 * max(cycle.turn for cycle in cycles)


def test_laps_do_not_make_one_cycle_of_three(monkeypatch):
    """A jogger whose arms come back every third stride still has a cycle of two steps."""
    clip, truth = perform("run", speed=2.4, turn=0.9, seed=1, cycles=12.0, imperfections=CAPTURED)
    lap = 3.0 * truth.period * clip.frame_rate
    sway = np.radians(35.0) * np.sin(2.0 * np.pi * np.arange(len(clip)) / lap)
    turns = quaternions.from_rotvec(sway[:, None] * np.array([0.0, 0.0, 1.0]))
    rotations = np.array(clip.rotations_wxyz)
    for role in ("spine", "left_shoulder", "right_shoulder", "left_elbow", "right_elbow"):
        joint = mo.find_roles(clip.skeleton)[role]
        rotations[:, joint] = quaternions.multiply(turns, rotations[:, joint])
    swaying = replace(clip, rotations_wxyz=rotations)
    assert mo.find_cycle(swaying).unlikeness > searching.MEETS  # else the period would not be asked
    found = searching.find_period

    def of_a_lap(clip, **options):
        return replace(found(clip, **options), frames=lap, confidence=0.9)

    monkeypatch.setattr(searching, "find_period", of_a_lap)
    cycle = mo.find_cycle(swaying)
    assert cycle.n_steps == 2
    np.testing.assert_allclose(cycle.n_frames, lap / 3.0, rtol=0.05)


def test_ends_far_apart_are_refused_however_wild_the_motion_between_them():
    clip, truth = perform("walk", speed=1.2, cycles=6.0, imperfections=CLEAN)
    angles = np.radians(150.0) * np.sin(2.0 * np.pi * np.arange(len(clip)) / (1.6 * truth.period * clip.frame_rate))
    spine, rotations = mo.find_roles(clip.skeleton)["spine"], np.array(clip.rotations_wxyz)
    bows = quaternions.from_rotvec(angles[:, None] * np.array([1.0, 0.0, 0.0]))
    rotations[:, spine] = quaternions.multiply(bows, rotations[:, spine])
    with pytest.raises(mo.MotionError, match=r"the ends of the best stretch are \d+ cm apart"):
        mo.find_cycle(replace(clip, rotations_wxyz=rotations))
