"""Spikes: one frame out of place is put back, whatever moves on its own is left alone."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mocapella as mo
from mocapella.actor import CAPTURED, CLEAN, capture
from mocapella.cleaning.repair import repaired, without_spikes
from mocapella.geometry import quaternions as qs

CLEAN_CLIPS = ("08_01", "08_11", "16_21", "16_35", "16_47", "35_24", "69_20", "82_10", "127_06")


def listed(clip, part="spike"):
    return {row for finding in clip.report.findings if part in finding.code for row in finding.frames}


def with_spike(clip, frame, joint, degrees, axis):
    rotations = np.array(clip.rotations_wxyz)
    turn = qs.from_rotvec(np.radians(degrees) * np.asarray(axis) / np.linalg.norm(axis))
    rotations[frame, joint] = qs.multiply(rotations[frame, joint], turn)
    return replace(clip, rotations_wxyz=rotations)


@pytest.fixture(scope="module")
def walks():
    """The same walk at three frame rates, with the size of a spike that is to be seen there."""
    clip, _ = capture("medium walk straight", imperfections=CLEAN)
    return {rate: clip.resampled(rate) for rate in (120.0, 60.0, 30.0)}


@settings(max_examples=25, deadline=None)
@given(st.data(), st.sampled_from([(120.0, 14.0), (60.0, 20.0), (30.0, 45.0)]))
def test_a_planted_spike_is_removed_and_its_neighbours_stay(walks, data, case):
    rate, degrees = case
    clip = walks[rate]
    joint = data.draw(
        st.sampled_from([clip.skeleton.index(name) for name in ("LeftUpLeg", "Spine", "RightArm", "Head")])
    )
    frame = data.draw(st.integers(3, clip.n_frames - 4))
    axis = data.draw(st.tuples(*[st.floats(0.1, 1.0)] * 3))
    mended = repaired(with_spike(clip, frame, joint, degrees, axis))
    apart = np.degrees(qs.angle_between(mended.rotations_wxyz, clip.rotations_wxyz))
    assert apart[frame, joint] < 0.2 * degrees  # a hip may lose more than a seventh at 120 frames per second
    apart[frame, joint] = 0.0
    assert apart.max() < 0.05 * degrees


@pytest.mark.parametrize("centimetres", [2.0, 4.0, 12.0, 30.0])
def test_a_root_that_is_knocked_aside_for_a_frame_is_put_back(walks, centimetres):
    clip = walks[120.0]
    roots = np.array(clip.root_positions)
    roots[100, 1] += 0.01 * centimetres
    mended = repaired(replace(clip, root_positions=roots))
    np.testing.assert_allclose(mended.root_positions, clip.root_positions, atol=2e-3)
    assert 100 + clip.first_row in listed(mended, "root")


def test_what_happens_at_every_stride_is_no_spike():
    times = np.arange(600)
    signal = np.sin(2 * np.pi * times / 120)
    signal[50::120] += 0.2
    once = np.array(signal)
    once[301] += 1.2
    free = np.zeros((600, 1), dtype=bool)
    assert not without_spikes(signal[:, None, None], 120.0, 0.05, free)[1].any()
    np.testing.assert_array_equal(np.flatnonzero(without_spikes(once[:, None, None], 120.0, 0.05, free)[1]), [301])
    assert not without_spikes(once[:, None, None], 120.0, 0.05, times[:, None] == 303)[1].any()


@pytest.mark.parametrize("bend", [np.abs, np.sign, lambda x: np.maximum(x, 0.0)], ids=["turns back", "steps", "starts"])
def test_steps_and_sudden_starts_are_no_spikes(bend):
    signal = bend(np.linspace(-3.0, 3.0, 301))
    assert not without_spikes(signal[:, None, None], 120.0, 1e-6, np.zeros((301, 1), dtype=bool))[1].any()


@pytest.mark.parametrize("rate", [120.0, 60.0, 30.0])
@pytest.mark.parametrize("imperfections", [CLEAN, CAPTURED], ids=["clean", "captured"])
@pytest.mark.parametrize("name", ["fast run sharp left", "walk-run", "marching walk", "dance"])
def test_the_actor_has_no_spikes(name, imperfections, rate):
    clip, _ = capture(name, imperfections=imperfections)
    assert listed(repaired(clip.resampled(rate))) == set()


@pytest.mark.parametrize("name", CLEAN_CLIPS)
def test_captures_said_to_be_clean_lose_a_handful_of_frames_at_most(data_folder, name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mo.MotionWarning)
        clip = mo.load(data_folder / "cmu-bvh" / name.split("_")[0] / f"{name}.bvh")
    mended = repaired(clip)
    assert len(listed(mended, "repaired-spike")) <= 3
    assert listed(mended, "repaired-root-spike") == set()
    np.testing.assert_array_equal(repaired(mended).rotations_wxyz, mended.rotations_wxyz)
