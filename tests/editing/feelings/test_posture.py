"""How a body is held: turns of trunk, head and arm that come back from the motion they were given to."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.actor import CLEAN, perform
from mocapella.editing.feelings.posture import HELD, posture_between, with_posture
from mocapella.rig.symmetry import mirrored_clip

turns = st.lists(st.floats(-0.4, 0.4), min_size=3 * len(HELD), max_size=3 * len(HELD))


@pytest.fixture(scope="module")
def knock():
    return perform("knock", imperfections=CLEAN)[0][100:130].turned(0.7)


@settings(max_examples=15, deadline=None)
@given(turns, st.sampled_from(["left_wrist", "right_wrist"]))
def test_a_posture_comes_back_from_the_motion_it_was_given_to(knock, angles, end):
    # One axis for the trunk: turns about several axes, shared out to its joints, do not add up.
    posture = np.array(angles).reshape(-1, 3) * [[1, 0, 0], [1, 0, 0], [1, 1, 1], [1, 1, 1]]
    frames = np.arange(knock.n_frames)
    shown = np.ones(len(frames))
    held = with_posture(knock, posture, shown, end)
    np.testing.assert_allclose(posture_between(knock, held, (frames, frames), shown, end), posture, atol=1e-9)


def test_legs_hips_and_the_acting_arm_keep_their_own_turns(knock):
    held = with_posture(knock, np.full((len(HELD), 3), 0.2), np.ones(knock.n_frames), "right_wrist")
    changed = np.abs(held.rotations_wxyz - knock.rotations_wxyz).max(axis=(0, 2)) > 1e-9
    names = {name for name, moved in zip(knock.skeleton.names, changed, strict=True) if moved}
    assert {"LeftArm", "LeftForeArm", "Neck", "Head"} <= names
    assert not [name for name in names if "Leg" in name or "Foot" in name or "Right" in name or name == "Hips"]


def test_the_posture_of_a_left_handed_gesture_is_the_mirror_image(knock):
    posture = np.random.default_rng(1).normal(0.0, 0.2, (len(HELD), 3))
    shown = np.ones(knock.n_frames)
    mirrored = mirrored_clip(with_posture(knock, posture, shown, "right_wrist"))
    left = with_posture(mirrored_clip(knock), posture, shown, "left_wrist")
    np.testing.assert_allclose(left.positions, mirrored.positions, atol=1e-6)
