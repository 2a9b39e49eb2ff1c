"""Limps taken out."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mocapella as mo
from mocapella.analysis.closing.cyclify import cyclify
from mocapella.analysis.closing.planted import _ramp, without_limp
from mocapella.analysis.cycles.find import find_cycle
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


@given(st.integers(30, 200), st.data())
def test_a_foot_makes_up_for_the_ends_while_it_swings(n, data):
    first, last = sorted(data.draw(st.lists(st.integers(1, n - 1), min_size=2, max_size=2)))
    frames = np.arange(n + 1)
    inside = (frames >= first) & (frames <= last)
    ramp = _ramp(inside, 10)
    np.testing.assert_allclose(ramp[0] - ramp[-1], 1.0)
    if n - last + first >= 10:
        np.testing.assert_allclose(ramp[inside], 0.0, atol=1e-12)
    over_the_seam = _ramp(~inside, 10)
    np.testing.assert_allclose(over_the_seam[[0, -1]], [0.5, -0.5])
    assert np.all(np.abs(over_the_seam) <= 0.5)


@pytest.mark.parametrize("name", ["16_47", "16_35", "16_56", "16_29", "08_07", "127_04"])
def test_the_pelvis_stands_over_captured_feet_as_it_did(data_folder, name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mo.MotionWarning)
        found = find_cycle(mo.load(data_folder / "cmu-bvh" / name.split("_")[0] / f"{name}.bvh"))
    cycle = cyclify(found)
    stored = found.cut.root_positions[:, 1, None] - ankle_heights(found.cut)
    limping, walking = (
        np.abs(one.to_clip().root_positions[:, 1, None] - ankle_heights(one.to_clip()) - stored[:-1])
        for one in (cycle, without_limp(cycle, found))
    )
    for i, foot in enumerate(("left", "right")):
        stands = found.contacts.planted(foot)
        # A foot that stands at the seam was captured at two heights there; no closed cycle has both.
        over_the_seam = stands[:6].any() and stands[-6:].any()
        seam = 0.5 * abs(stored[-1, i] - stored[0, i]) if over_the_seam else 0.0
        worst = walking[stands[:-1], i].max()
        assert worst <= seam + 1e-3
        assert worst <= limping[stands[:-1], i].max() + 1e-4
