"""Limps taken out."""

import numpy as np
import pytest

from mocapella.analysis.cyclify import cyclify
from mocapella.analysis.limp import without_limp
from mocapella.errors import MotionError
from mocapella.motion.clip import Clip

KINDS = ("quaternion", "euler")
LEG_JOINTS = ("UpLeg", "Leg", "Foot")


def sunken(walk) -> Clip:
    """A walk that sinks by 3 cm within a cycle: knees bend more and more, the ankles keep their heights."""
    clip = walk(200, drift=0.0)
    heights = np.array(clip.root_positions)
    heights[:, 1] -= 0.03 * np.arange(200) / 120
    low = Clip(clip.skeleton, heights, clip.rotations_wxyz, clip.frame_rate)
    ankles = [clip.skeleton.index(f"{side}Foot") for side in ("Left", "Right")]
    down = low.positions[:, ankles, 1] - clip.positions[:, ankles, 1]
    np.testing.assert_allclose(down[140], -0.03 * 140 / 120)
    return low


def ankle_heights(clip: Clip) -> np.ndarray:
    return clip.positions[:, [clip.skeleton.index(f"{side}Foot") for side in ("Left", "Right")], 1]


@pytest.mark.parametrize("kind", KINDS)
def test_feet_keep_the_heights_they_were_captured_at(walk, kind):
    clip = walk(200, drift=0.05)
    cut = clip[20:141]
    cycle = cyclify(clip, (20, 140), layout=kind)
    mended = without_limp(cycle, cut)
    captured = ankle_heights(cut)
    closed = (captured + (captured[-1] - captured[0]) * (0.5 - np.arange(121) / 120)[:, None])[:-1]
    limping, walking = (np.abs(ankle_heights(c.to_clip()) - closed).max() for c in (cycle, mended))
    assert walking < 1e-3
    assert limping > 3 * walking


def test_the_pelvis_keeps_its_stored_height_over_the_feet(walk):
    clip = sunken(walk)
    mended = without_limp(cyclify(clip, (20, 140)), clip[20:141])
    over = mended.dofs[:, -4, None] - ankle_heights(mended.to_clip())
    stored = (clip.root_positions[:, 1, None] - ankle_heights(clip))[20:140]
    np.testing.assert_allclose(over, stored, atol=1e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_but_the_legs_is_touched_and_the_cycle_stays_closed(walk, kind):
    clip = walk(200, drift=0.05)
    cycle = cyclify(clip, (20, 140), layout=kind)
    mended = without_limp(cycle, clip[20:141])
    legs = {f"{side}{part}" for side in ("Left", "Right") for part in LEG_JOINTS}
    others = [i for i, name in enumerate(cycle.layout.names) if name.split(".")[0] not in legs]
    np.testing.assert_array_equal(mended.dofs[:, others], cycle.dofs[:, others])
    steps = np.abs(np.diff(np.concatenate([mended.dofs, mended.dofs[:1]]), axis=0))
    assert np.all(steps[-1] <= steps[:-1].max(axis=0) + 1e-3)


def test_frames_of_another_cycle_are_refused(walk):
    clip = walk(200)
    with pytest.raises(MotionError, match="expected the 121 frames"):
        without_limp(cyclify(clip, (20, 140)), clip[20:100])
