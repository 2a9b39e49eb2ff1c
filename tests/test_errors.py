"""Errors carry what interfaces need to say in their own words, and survive being sent to another process."""

from __future__ import annotations

import copy
import pickle

import pytest

from mocapella.building.spec.spec_text import as_key
from mocapella.cli.printing import as_option
from mocapella.errors import FormatError, MotionError, MotionWarning, NetworkError, Option, SkeletonError, warn

FRAMES = Option("frames", (3, 40))
ERRORS = [
    MotionError("a text"),
    SkeletonError(expected="a tree", got="a ring", helps="cut it"),
    NetworkError("no network", helps=f"say {FRAMES}", option=FRAMES),
    FormatError("walk.bvh", 7, f"expected ROOT; {FRAMES}", option=FRAMES),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("again", [lambda error: pickle.loads(pickle.dumps(error)), copy.copy, copy.deepcopy])
def test_an_error_survives_copying_and_pickling_with_all_its_fields(error, again):
    twin = again(error)
    assert type(twin) is type(error)
    assert str(twin) == str(error)
    assert twin.args == error.args
    assert vars(twin) == vars(error)


def test_a_format_error_keeps_its_place_when_pickled():
    twin = pickle.loads(pickle.dumps(FormatError("walk.bvh", 7, "expected ROOT")))
    assert (twin.path, twin.line, twin.reason) == ("walk.bvh", 7, "expected ROOT")


def test_a_message_is_made_of_its_fields_where_no_text_is_given():
    error = MotionError(expected="a number above 0", got=-3, helps="count from 1")
    assert str(error) == "expected a number above 0, got -3; count from 1"
    assert (error.expected, error.got, error.helps) == ("a number above 0", "-3", "count from 1")


@pytest.mark.parametrize("kind", [MotionError, NetworkError, lambda text: FormatError("a.bvh", 3, text)])
def test_a_name_of_any_length_and_letters_makes_no_long_message(kind):
    message = str(kind(f"no node {'a' * 5000!r}\x1b[31m\ud800; did you mean 'b'?"))
    assert len(message) < 1000
    assert message.isprintable()


def test_the_end_of_a_long_message_says_what_helps():
    assert str(MotionError("a" * 5000, helps="name it otherwise")).endswith("; name it otherwise")


def test_the_path_of_a_file_is_shown_as_it_is_unless_it_is_very_long():
    assert str(FormatError("b" * 299, 3, "is empty")) == f"{'b' * 299}:3: is empty"
    error = FormatError("b" * 5000, 3, "is empty")
    assert error.path == "b" * 5000
    assert str(error) == f"{'b' * 300} …:3: is empty"


def test_a_warning_is_no_longer_than_an_error():
    with pytest.warns(MotionWarning) as caught:
        warn("these turn: " + ", ".join(["a" * 5000] * 3))
    assert len(str(caught[0].message)) < 1000


@pytest.mark.parametrize(
    ("option", "python", "toml"),
    [
        (Option("frames", (3, 40)), "frames=(3, 40)", "frames = [3, 40]"),
        (Option("within", (3, 40)), "within=(3, 40)", "frames = [3, 40]"),
        (Option("unit", "cm"), "unit=cm", 'unit = "cm"'),
        (Option("turning", False), "turning=False", "turning = false"),
        (Option("turn", 0.5), "turn=0.5", "turn = 0.5"),
        (Option("clean", True), "clean=True", "clean=True"),  # no spec has it
        (Option("roles", {"hips": "Bone"}), "roles={'hips': 'Bone', ...}", 'roles = "FILE.toml"'),
    ],
)
def test_an_argument_is_spelled_as_each_interface_has_it(option, python, toml):
    error = MotionError(f"try {option}", option=option)
    assert str(error) == f"try {python}"
    assert error.spelled(as_key) == f"try {toml}"
    assert error.spelled(as_option) == f"try {python}"  # no command runs that could have it


def test_a_reason_of_letters_that_are_escaped_is_no_longer_than_others():
    assert len(str(FormatError("a.bvh", 1, "\U000e0001" * 5000))) < 700
