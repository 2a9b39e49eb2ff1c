"""mo.example: a capture in one call."""

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import capture


def test_a_ready_made_name_gives_the_capture_of_the_repertoire():
    np.testing.assert_array_equal(mo.example("happy walk").positions, capture("happy walk")[0].positions)


def test_an_action_takes_what_the_actor_is_asked_for():
    slow, fast = mo.example("walk", speed=0.8, cycles=3.0), mo.example("walk", speed=1.6, cycles=3.0)
    lengths = [abs(np.diff(clip.ground_path)).sum() / clip.seconds for clip in (slow, fast)]
    np.testing.assert_allclose(lengths, [0.8, 1.6], rtol=0.1)


@pytest.mark.parametrize(
    ("name", "asked", "message"),
    [
        ("fly", {}, "unknown action 'fly'"),
        ("happy walk", {"speed": 1.0}, r"example\('walk', speed"),
        ("walk", {"sped": 1.0}, "options among speed, turn.* got sped"),
        ("walk", {"speed": 50.0}, "speed"),
    ],
)
def test_what_the_actor_cannot_do_is_refused(name, asked, message):
    with pytest.raises(mo.MotionError, match=message):
        mo.example(name, **asked)
