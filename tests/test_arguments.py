"""What public names say to arguments of the wrong kind, outside of the tests' own type checks."""

import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
import pytest
from jaxtyping import Float

from mocapella.arguments import wrong_argument

_CALLS = """
import warnings
import numpy as np
import mocapella as mo

warnings.simplefilter("ignore")
walk = mo.example("walk", cycles=3.0)
odd = {"number": 1, "nothing": None, "text": "xyz", "bytes": b"ab", "nan": float("nan"), "list": [],
       "array": np.zeros(0), "nans": np.full((4, 3), np.nan), "dictionary": {}, "object": object(), "huge": 10**12,
       "clip": walk, "names": ["a"]}
for name in dir(mo):
    door = getattr(mo, name)
    if not callable(door) or (isinstance(door, type) and issubclass(door, (Exception, Warning))):
        continue
    for kind, value in odd.items():
        for given in ([value], [value] * 2, [walk, value], [value] * 4):
            try:
                door(*given)
            except mo.MotionError as error:
                if len(given) == 1:
                    print(f"{name} {kind}: {error}")
            except TypeError as error:  # Python's own, of too many or too few arguments
                assert "missing" in str(error) or "positional argument" in str(error), (name, kind, error)
"""


def test_every_public_name_refuses_odd_arguments_in_plain_words(tmp_path):
    done = subprocess.run([sys.executable, "-c", _CALLS], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-800:]
    said = done.stdout.splitlines()
    assert "load number: expected a path for path, got 1" in said
    assert "find_roles nothing: expected a skeleton for skeleton, got None" in said


_METHODS = """
import inspect
import warnings
import numpy as np
import mocapella as mo

warnings.simplefilter("ignore")
walk = mo.example("walk", cycles=3.0)
cycle = mo.prepare(walk)
spectrum = mo.analyse(cycle, harmonics=6)
network = mo.Network([mo.Node("walk", (0.0, 0.0), spectrum)])
odd = {"nothing": None, "text": "xyz", "list": [], "dictionary": {}, "object": object(), "array": np.zeros((2, 3)),
       "clip": walk}
for one in (walk, walk.skeleton, cycle, spectrum, network, mo.Player(network), mo.Crowd(network, 3)):
    for name in dir(type(one)):
        method = inspect.getattr_static(type(one), name)
        if name.startswith("_") or not (inspect.isfunction(method) or isinstance(method, classmethod)):
            continue
        call = getattr(one, name)
        first = next(iter(inspect.signature(call).parameters.values()), None)
        for kind, value in odd.items() if first is not None else ():
            try:
                call(**{first.name: value}) if first.kind is first.KEYWORD_ONLY else call(value)
            except mo.MotionError as error:
                print(f"{type(one).__name__}.{name} {kind}: {error}")
            except TypeError as error:  # Python's own, of too few arguments
                assert "missing" in str(error), (type(one).__name__, name, kind, error)
for what, call in {"seed": lambda: mo.RandomChanges(1.0, seed=-1), "frame": lambda: walk[30]}.items():
    try:
        call()
    except mo.MotionError as error:
        print(f"{what}: {error}")
"""


def test_methods_of_public_values_refuse_odd_arguments_in_plain_words(tmp_path):
    done = subprocess.run([sys.executable, "-c", _METHODS], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-800:]
    said = done.stdout.splitlines()
    assert "Clip.moved text: expected a number for x, got 'xyz'" in said
    assert "Clip.turned text: expected a number for yaw, got 'xyz'" in said
    assert "Skeleton.scaled nothing: expected a number for factor, got None" in said
    assert "seed: expected a whole number from 0 on for seed, got -1" in said
    assert "frame: expected frames as a slice, clip[30:90], got 30; one frame is clip.pose(30)" in said


def _asked(
    path: str | PathLike[str],
    places: Float[np.ndarray, "places 3"] | None = None,
    *names: str,
    weights: Sequence[float | int] = (),
    roles: Mapping[str, int] | None = None,
    way: Literal["near", "far"] = "near",
    done: Callable[[], None] | None = None,
    later: "Unknown" = None,  # noqa: F821
) -> None: ...


@pytest.mark.parametrize(
    ("args", "options", "name", "expected"),
    [
        ((1,), {}, "path", "a path"),
        (("a", np.zeros(3)), {}, "places", "an array of shape (places, 3) or None"),
        (("a", [["b"]]), {}, "places", "an array of shape (places, 3) or None"),
        (("a", None, "b", 3), {}, "names", "text"),
        (("a",), {"weights": [0.5, "b"]}, "weights", "a list of numbers"),
        (("a",), {"weights": b"ab"}, "weights", "a list of numbers"),
        (("a",), {"roles": {"hips": 1.5}}, "roles", "a dictionary of text → a whole number or None"),
        (("a",), {"way": "up"}, "way", "'near' or 'far'"),
        (("a",), {"done": 3}, "done", "a function or None"),
    ],
)
def test_the_argument_that_does_not_fit_is_named(args: Any, options: Any, name: str, expected: str):
    wrong = wrong_argument(_asked, args, options)
    assert wrong is not None
    assert (wrong.name, wrong.expected) == (name, expected)


def test_arguments_that_fit_or_cannot_be_judged_are_not_blamed():
    fitting = {"weights": (1, np.float64(2.0)), "roles": {"hips": np.int64(1)}, "way": "far", "done": print, "later": 3}
    assert wrong_argument(_asked, ("a", np.zeros((2, 3)), "b"), fitting) is None
    assert wrong_argument(_asked, (), {}) is None  # the call itself is wrong, and Python says so
