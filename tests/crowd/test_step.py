from __future__ import annotations

import math

import numpy as np

from mocapella.crowd import step, vectors
from mocapella.crowd.crowd import Crowd
from mocapella.crowd.joints import kinematics
from mocapella.crowd.synthesis import waves
from mocapella.geometry import quaternions
from tests.crowd.samples import walks


def test_characters_in_several_chunks_move_as_in_one(monkeypatch):
    whole, parts = (Crowd(walks(), 60, engine="numpy", seed=1) for _ in range(2))
    for frame in range(12):
        for crowd, chunk, block, group in ((whole, 60, 60, 4000), (parts, 17, 7, 14)):
            monkeypatch.setattr(step, "_CHUNK", chunk)
            monkeypatch.setattr(kinematics, "_BLOCK", block)
            monkeypatch.setattr(kinematics, "_GROUP", group)
            if frame == 2:
                crowd.points[...] = crowd.points[::-1].copy()
            crowd.step(1 / 20)
    np.testing.assert_allclose(parts.poses(), whole.poses(), atol=2e-5)
    np.testing.assert_array_equal(parts.planted, whole.planted)


def test_angles_of_points_are_those_of_numpy():
    angle = np.linspace(-math.pi + 1e-6, math.pi - 1e-6, 4001)
    for far in (1e-6, 1.0, 1e6):
        y, x = (far * np.sin(angle)).astype(np.float32), (far * np.cos(angle)).astype(np.float32)
        np.testing.assert_allclose(vectors.arctan2(y, x), np.arctan2(y, x), atol=5e-7)
    nothing = np.zeros(1, dtype=np.float32)
    np.testing.assert_array_equal(vectors.arctan2(nothing, nothing), 0.0)


def test_quaternions_of_any_length_are_rotations():
    wxyz = np.random.default_rng(1).normal(size=(5, 3, 4)) * np.array([1e-3, 1.0, 1e3])[:, None]
    found = vectors.rotations(np.ascontiguousarray(wxyz.swapaxes(1, 2), dtype=np.float32))
    expected = quaternions.to_matrix(quaternions.normalise(wxyz))
    np.testing.assert_allclose(found.transpose(0, 3, 1, 2), expected, atol=2e-6)


def test_waves_are_cosines_and_sines_of_multiples():
    angle = np.linspace(0.0, math.tau, 50, dtype=np.float32)
    for harmonics in (0, 1, 2, 3, 7, 8, 32):
        multiples = np.arange(1, harmonics + 1)[:, None] * angle.astype(float)
        expected = np.stack([np.cos(multiples), np.sin(multiples)])
        np.testing.assert_allclose(waves(angle, harmonics), expected, atol=2e-5)
