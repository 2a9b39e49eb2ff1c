"""Types and shapes are checked in the first calls of every function, and in a sample of the later ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from beartype.roar import BeartypeCallHintViolation
from jaxtyping import Float

from mocapella.geometry import quaternions
from tests import shapes
from tests.shapes import checked


@pytest.fixture(autouse=True)
def every_call_is_checked(monkeypatch):
    monkeypatch.setattr(shapes, "SAMPLE", 1)


@checked
def added(one: Float[np.ndarray, "frames dofs"], other: Float[np.ndarray, " frames"]) -> Float[np.ndarray, " dofs"]:
    return one.T @ other


@checked
def halved(number: int) -> int:
    return number / 2


@checked
@dataclass
class Row:
    values: Float[np.ndarray, " values"]
    weights: Float[np.ndarray, " values"]


@pytest.mark.parametrize(
    "call",
    [
        lambda: added(np.zeros((3, 2)), np.zeros(4)),  # axes of one name differ
        lambda: added(np.zeros((3, 2)), np.zeros((3, 1))),
        lambda: added(np.zeros((3, 2), dtype=complex), np.zeros(3)),
        lambda: halved("2"),
        lambda: halved(3),  # the result is no integer
        lambda: Row(np.zeros(3), np.zeros(2)),
        lambda: quaternions.multiply(np.zeros(3), np.zeros(4)),
    ],
)
def test_what_annotations_exclude_is_refused(call):
    with pytest.raises(BeartypeCallHintViolation):
        call()


def test_what_annotations_allow_is_called():
    np.testing.assert_array_equal(added(np.ones((3, 2)), np.ones(3)), [3.0, 3.0])
    added(np.ones((3, 2)), np.ones(3)), added(np.ones((4, 2)), np.ones(4))  # every call has axes of its own
    Row(np.zeros(3), np.zeros(3))


def test_a_function_that_is_called_often_is_checked_in_a_sample_of_its_calls(monkeypatch):
    monkeypatch.setattr(shapes, "SAMPLE", 13)

    @checked
    def doubled(number: int) -> int:
        return 2 * number

    for _ in range(shapes.FIRST_CALLS):
        with pytest.raises(BeartypeCallHintViolation):
            doubled("2")
    seen = 0
    for _ in range(130):
        try:
            assert doubled("2") == "22"
        except BeartypeCallHintViolation:
            seen += 1
    assert seen == 10
