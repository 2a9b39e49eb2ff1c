"""Clips from plain arrays and as tables."""

import builtins

import numpy as np
import pytest

import mocapella as mo


def parts(clip):
    skeleton = clip.skeleton
    return skeleton.names, skeleton.parents, skeleton.offsets, clip.root_positions, clip.rotations_wxyz


def test_a_clip_made_of_a_clips_arrays_is_that_clip():
    clip = mo.example("walk")
    again = mo.Clip.from_arrays(*parts(clip), frame_rate=clip.frame_rate, name=clip.name)
    np.testing.assert_array_equal(again.positions, clip.positions)
    assert repr(again) == repr(clip)


def test_lists_of_numbers_will_do_and_quaternions_need_no_unit_length():
    clip = mo.Clip.from_arrays(["hips"], [-1], [[0, 0, 0]], [[0, 1, 0]] * 3, [[[2, 0, 0, 0]]] * 3, frame_rate=30)
    np.testing.assert_array_equal(clip.rotations_wxyz, np.tile([1.0, 0, 0, 0], (3, 1, 1)))


def test_changing_the_arrays_afterwards_changes_no_clip():
    places = np.zeros((4, 3))
    clip = mo.Clip.from_arrays(["hips"], [-1], [[0, 0, 0]], places, np.tile([1.0, 0, 0, 0], (4, 1, 1)), frame_rate=30)
    places[:] = 5.0
    assert not clip.root_positions.any()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"offsets": [[0, 0]]}, r"offsets of shape \(1, 3\)"),
        ({"offsets": "far"}, "parents and offsets as numbers"),
        ({"parents": [None]}, "parents and offsets as numbers"),
        ({"root_positions": "here"}, "arrays of numbers"),
        ({"rotations_wxyz": [[1, 0, 0, 0]]}, "rotations of 3 axes"),
        ({"root_positions": [[0, float("nan"), 0]]}, "finite"),
        ({"frame_rate": 0.0}, "frame rate|frames per second"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(change, message):
    right = {
        "names": ["hips"],
        "parents": [-1],
        "offsets": [[0, 0, 0]],
        "root_positions": [[0, 1, 0]],
        "rotations_wxyz": [[[1, 0, 0, 0]]],
        "frame_rate": 30.0,
    }
    with pytest.raises(mo.MotionError, match=message):
        mo.Clip.from_arrays(**{**right, **change})


def test_a_table_has_a_row_per_frame_and_a_column_per_joint_and_axis():
    clip = mo.example("walk", cycles=1.0)
    table = clip.to_dataframe()
    assert table.shape == (clip.n_frames, 3 * clip.skeleton.n_joints)
    knee = clip.skeleton.names[mo.find_roles(clip.skeleton)["left_knee"]]
    np.testing.assert_array_equal(table[(knee, "y")], clip.positions[:, mo.find_roles(clip.skeleton)["left_knee"], 1])
    np.testing.assert_allclose(np.diff(table.index), 1 / clip.frame_rate)
    np.testing.assert_array_equal(
        clip.to_dataframe("rotations").to_numpy().reshape(clip.rotations_wxyz.shape), clip.rotations_wxyz
    )


def test_a_table_of_something_else_is_refused():
    with pytest.raises(mo.MotionError, match="'positions' or 'rotations'"):
        mo.example("walk", cycles=1.0).to_dataframe("angles")


def test_without_pandas_the_error_says_how_to_get_it(monkeypatch):
    real = builtins.__import__

    def without(name, *rest, **kept):
        if name == "pandas":
            raise ImportError(name)
        return real(name, *rest, **kept)

    clip = mo.example("walk", cycles=1.0)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(mo.MotionError, match="pip install pandas"):
        clip.to_dataframe()
