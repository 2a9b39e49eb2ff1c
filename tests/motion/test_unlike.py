"""How two skeletons differ is said in words that lead to the place."""

from dataclasses import replace

import numpy as np
import pytest

from mocapella.motion.skeleton import Skeleton, unlike


def body(names=("hips", "thigh", "shin"), parents=(-1, 0, 1), offsets=((0, 0.9, 0), (0.1, 0, 0), (0, -0.4, 0))):
    return Skeleton.of(names, np.array(parents), np.array(offsets, dtype=np.float64))


@pytest.mark.parametrize(
    ("own", "words"),
    [
        (body(), ""),
        (body(offsets=((0, 5.0, 0), (0.1, 0, 0), (0, -0.4, 0))), ""),
        (body(("hips", "thigh"), (-1, 0), ((0, 0.9, 0), (0.1, 0, 0))), "it lacks joint 'shin'"),
        (body(("hips", "thigh", "calf")), "it lacks joint 'shin', the other lacks joint 'calf'"),
        (body(("hips", "shin", "thigh")), "it has the same joints in another order"),
        (body(parents=(-1, 0, 0)), "joint 'shin' hangs on 'hips', not on 'thigh'"),
        (body().scaled(0.01), "it is 0.01 times as large; unit=cm, or another, helps where that was read wrongly"),
        (
            body(offsets=((0, 0.9, 0), (0.1, 0, 0), (0, -0.43, 0))),
            "joint 'shin' lies 0.43 m from its parent, not 0.4 m",
        ),
        (
            body(offsets=((0, 0.9, 0), (0.1, 0, 0), (0.4, 0, 0))),
            "joint 'shin' rests in another direction from its parent",
        ),
    ],
)
def test_the_first_difference_of_two_skeletons_is_named(own, words):
    assert unlike(own, body()) == words
    assert own.same_as(body()) == (words == "")


def test_many_joints_are_counted_not_listed():
    more = body(("hips", "thigh", "shin", "a", "b", "c", "d", "e"), (-1, 0, 1, 0, 0, 0, 0, 0), np.ones((8, 3)))
    assert unlike(more, body()) == "the other lacks joints 'a', 'b', 'c' and 2 others"


def test_what_a_skeleton_says_of_its_roles_is_no_difference():
    assert unlike(replace(body(), role_names={"hips": "hips"}), body()) == ""
