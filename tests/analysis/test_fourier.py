"""Analysis and synthesis undo each other."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.analysis.closing.cyclify import cyclify
from mocapella.analysis.fourier import analyse, resampled, synthesise
from mocapella.errors import MotionError, MotionWarning
from mocapella.motion.cycle import Cycle
from mocapella.motion.layout import layout_of
from mocapella.motion.skeleton import Skeleton


def noise(n_frames: int, seed: int = 0) -> Cycle:
    """A cycle of nothing but noise, the hardest to put together again."""
    layout = layout_of("quaternion", Skeleton.of(["hips"], [-1], [[0, 0, 0]]))
    return Cycle(layout, np.random.default_rng(seed).normal(size=(n_frames, 8)), 30.0)


@given(n_frames=st.integers(3, 90), seed=st.integers(0, 1000))
@settings(max_examples=30, deadline=None)
def test_synthesis_undoes_analysis(n_frames, seed):
    cycle = noise(n_frames, seed)
    np.testing.assert_allclose(synthesise(analyse(cycle), n_frames).dofs, cycle.dofs, atol=1e-12)


def test_coefficients_are_numpys_divided_by_the_length():
    cycle = noise(31)
    np.testing.assert_allclose(analyse(cycle).coefficients, np.fft.rfft(cycle.dofs, axis=0) / 31, atol=1e-15)
    by_hand = np.exp(-2j * np.pi * np.outer(np.arange(16), np.arange(31)) / 31) @ cycle.dofs / 31
    np.testing.assert_allclose(analyse(cycle).coefficients, by_hand, atol=1e-12)


@given(phase=st.floats(0.0, 6.28))
@settings(max_examples=20, deadline=None)
def test_turning_the_harmonics_is_starting_the_cycle_later(phase):
    cycle = noise(31)
    later, turned = analyse(cycle.starting_at(phase)), analyse(cycle).starting_at(phase)
    np.testing.assert_allclose(later.coefficients, turned.coefficients, atol=1e-12)


def test_cycles_of_unlike_length_and_equal_swing_have_equal_magnitudes(walk):
    sizes = [analyse(cyclify(walk(200, period=float(n)), (10, 10 + n)), 3).magnitudes for n in (60, 84, 140)]
    np.testing.assert_allclose(sizes[1][1:, :-4], sizes[0][1:, :-4], atol=1e-4)
    np.testing.assert_allclose(sizes[2][1:, :-4], sizes[0][1:, :-4], atol=1e-4)


def test_more_harmonics_than_frames_determine_are_clamped_with_a_notice():
    with pytest.warns(MotionWarning, match="30 frames hold 14"):
        spectrum = analyse(noise(30), 29)
    assert spectrum.n_harmonics == 14


def test_fewer_harmonics_than_none_are_refused():
    with pytest.raises(MotionError, match="from 0 on"):
        analyse(noise(30), -1)


@given(frames=st.integers(12, 200))
@settings(max_examples=20, deadline=None)
def test_a_smooth_cycle_comes_back_from_any_number_of_frames(frames):
    smooth = synthesise(analyse(noise(60), 5), 60)
    there = resampled(smooth, frames)
    np.testing.assert_allclose(resampled(there, 60).dofs, smooth.dofs, atol=1e-10)
    np.testing.assert_allclose([there.turn, there.duration], [smooth.turn, smooth.duration], atol=1e-12)


@pytest.mark.parametrize("frames", [60, 61])
@pytest.mark.parametrize("more", [1, 2, 30, 31])
def test_a_rough_cycle_comes_back_from_more_frames(frames, more):
    rough = noise(frames)
    np.testing.assert_allclose(resampled(resampled(rough, frames + more), frames).dofs, rough.dofs, atol=1e-10)


def test_the_wrap_of_a_stretched_cycle_is_no_larger_than_its_steps(walk):
    longer = synthesise(analyse(cyclify(walk(200, period=30.0), (10, 40)), 10), 42).dofs
    steps = np.abs(np.diff(np.concatenate([longer, longer[:1]]), axis=0))
    assert np.all(steps[-1] <= steps[:-1].max(axis=0) + 1e-12)


def test_error_falls_with_every_harmonic(walk):
    cycle = cyclify(walk(200, drift=0.05), (20, 140))
    errors = [np.linalg.norm(synthesise(analyse(cycle, h), 120).dofs - cycle.dofs) for h in range(12)]
    assert np.all(np.diff(errors) <= 0.0)


def test_harmonics_without_a_layout_make_no_cycle():
    with pytest.raises(MotionError, match="make no motion"):
        synthesise(replace(analyse(noise(30)), layout=None), 30)
