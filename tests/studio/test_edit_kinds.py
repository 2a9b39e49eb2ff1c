"""Edits as the page offers them: every one can be put on a clip with what its controls begin with."""

from __future__ import annotations

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import perform
from mocapella.editing.registry import EDITS
from mocapella.errors import MotionError
from mocapella.studio.edit_kinds import edit_kinds, edited_clip


@pytest.fixture(scope="module")
def walk() -> mo.Clip:
    return perform("walk", seconds=3.0)[0]


@pytest.mark.parametrize("kind", edit_kinds(), ids=lambda kind: kind.name)
def test_every_edit_begins_with_values_that_it_takes(walk, kind):
    edited = edited_clip(walk, kind.name, {one.name: one.default for one in kind.parameters})
    assert edited.name == walk.name
    assert np.isfinite(edited.root_positions).all()


def test_controls_have_the_limits_of_the_registry():
    for kind in edit_kinds():
        for one in kind.parameters:
            known = EDITS[kind.name].parameters[one.name]
            assert one.kind != "number" or known.least <= one.default <= known.most
            assert one.kind != "choice" or one.default in one.choices


def test_an_edit_by_numbers_and_by_words_is_the_same(walk):
    by_number = edited_clip(walk, "turn", {"angle": 90.0})
    by_words = edited_clip(walk, "turn", {"angle": "90"})
    np.testing.assert_array_equal(by_number.rotations_wxyz, by_words.rotations_wxyz)
    assert by_number.headings[0] - walk.headings[0] == pytest.approx(np.pi / 2)


def test_empty_words_leave_a_parameter_at_its_default(walk):
    assert edited_clip(walk, "cut", {"first": 10.0, "last": ""}).n_frames == walk.n_frames - 10


@pytest.mark.parametrize(
    ("name", "parameters", "says"),
    [
        ("fly", {}, "no edit 'fly'"),
        ("restyle", {}, "no edit 'restyle'"),  # it needs a second motion
        ("turn", {"angle": "left"}, "a number for angle"),
        ("turn", {"angle": 90.0, "speed": 1.0}, "no parameter 'speed'"),
    ],
)
def test_what_is_no_edit_is_refused(walk, name, parameters, says):
    with pytest.raises(MotionError, match=says):
        edited_clip(walk, name, parameters)
