"""How unlike frames are: laws of the two distances."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mocapella as mo
from mocapella.errors import MotionError
from mocapella.geometry.alignment import ground_alignment
from mocapella.graphs.distance import cloud_distances, clouds_of, distances, windows_of
from tests.gpu import no_gpu


@pytest.fixture(scope="module")
def walk():
    return mo.example("walk", speed=1.2, frame_rate=30.0)


@settings(max_examples=10, deadline=None)
@given(st.floats(-3, 3), st.floats(-20, 20), st.floats(-20, 20))
def test_a_copy_moved_and_turned_on_the_ground_is_at_no_distance(yaw, x, z):
    clip = mo.example("walk", frame_rate=30.0, cycles=2.0)
    there = clouds_of(clip.turned(yaw).moved(x, z))
    np.testing.assert_allclose(np.diag(cloud_distances(clouds_of(clip), there)), 0.0, atol=1e-6)


def test_distances_are_the_same_from_both_sides(walk):
    run = mo.example("run", frame_rate=30.0)
    one, other = clouds_of(walk), clouds_of(run)
    np.testing.assert_allclose(cloud_distances(one, other), cloud_distances(other, one).T, atol=1e-9)


def test_the_closed_form_is_what_laying_clouds_over_each_other_leaves(walk):
    run = mo.example("run", frame_rate=30.0)
    apart = cloud_distances(clouds_of(walk), clouds_of(run))
    looks = np.round(np.linspace(0, round(0.33 * 30), 5)).astype(int)
    for i, j in ((0, 0), (7, 31), (40, 12)):
        a, b = (clip.positions[frame + looks].reshape(-1, 3) for clip, frame in ((walk, i), (run, j)))
        left = a - ground_alignment(a, b).applied(b)
        np.testing.assert_allclose(apart[i, j], np.sqrt((left**2).sum(axis=-1).mean()), rtol=1e-9)


@pytest.mark.parametrize("measure", ["clouds", "angles"])
def test_frames_a_cycle_apart_are_nearer_than_others(walk, measure):
    windows = windows_of(walk, distance=measure)
    apart = distances(windows, windows)
    row = apart[5, 20:60]
    period = 5 + mo.find_period(walk).frames
    assert abs(20 + int(np.argmin(row)) - period) <= 2


def test_angles_over_a_window_are_the_mean_of_those_of_its_frames(walk):
    run = mo.example("run", frame_rate=30.0).turned(1.0).moved(2.0, 3.0)
    apart = distances(*(windows_of(clip, distance="angles") for clip in (walk, run)))
    single = distances(*(windows_of(clip, distance="angles", window=0.0) for clip in (walk, run)))
    looks = np.round(np.linspace(0, round(0.33 * 30), 5)).astype(int)
    for i, j in ((0, 0), (7, 21), (40, 12)):
        np.testing.assert_allclose(apart[i, j], np.sqrt(np.mean(single[i + looks, j + looks] ** 2)), rtol=1e-9)
    with pytest.raises(mo.MotionError, match="by clouds or angles"):
        windows_of(walk, distance="mesh")
    with pytest.raises(mo.MotionError, match="on the CPU alone"):
        distances(*(windows_of(clip, distance="angles") for clip in (walk, run)), device="cuda")


def test_a_clip_shorter_than_the_window_is_refused(walk):
    with pytest.raises(mo.MotionError, match="shorter than the window"):
        clouds_of(walk[:5])


def test_without_a_gpu_the_remedy_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    clouds = clouds_of(mo.example("walk", frame_rate=30.0))
    with pytest.raises(MotionError, match=r"mocapella\[cuda\].*device='cpu'"):
        cloud_distances(clouds, clouds, device="cuda")
    with pytest.raises(MotionError, match="device 'cpu' or 'cuda'"):
        cloud_distances(clouds, clouds, device="tpu")


@pytest.mark.skipif(bool(no_gpu()), reason=no_gpu() or "there is one")
def test_a_gpu_finds_the_same_distances():
    one, other = (clouds_of(mo.example("walk", speed=speed, frame_rate=30.0)) for speed in (1.0, 1.4))
    here, there = (cloud_distances(one, other, device=device) for device in ("cpu", "cuda"))
    np.testing.assert_allclose(there, here, atol=1e-9)
