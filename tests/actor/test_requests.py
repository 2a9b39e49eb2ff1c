"""What no body can do is refused at the door, and the message names what is possible."""

import re

import pytest

from mocapella.actor import capture, perform
from mocapella.errors import MotionError


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ({"action": "fly"}, "walk, run, turn, stand"),
        ({"action": "walk", "style": "grumpy"}, "normal, tired, brisk, sad, happy, angry, relaxed, marching, drunk"),
        ({"action": "drink", "style": "sad"}, "normal, angry"),
        ({"action": "run", "style": "marching"}, "normal, tired, brisk, sad, happy, angry, relaxed, drunk"),
        ({"action": "walk", "speed": -3.0}, "0.215 to 2.06 m/s"),
        ({"action": "walk", "speed": 5.0}, "0.215 to 2.06 m/s"),
        ({"action": "run", "speed": 0.5}, "1.55 to 4.47 m/s"),
        ({"action": "walk", "speed": float("nan")}, "0.215 to 2.06 m/s"),
        ({"action": "walk", "speed": 1.2, "turn": 9.0}, "rad/s"),
        ({"action": "run", "speed": 4.0, "turn": -3.0}, "-0.932 to 0.932 rad/s"),
        ({"action": "walk", "slope": 1.0}, "-0.175 to 0.175 rad"),
        ({"action": "walk", "slope": 0.1, "turn": 0.5}, "turn=0"),
        ({"action": "dance", "speed": 1.0}, "stays on the spot"),
        ({"action": "turn", "turn": 0.0}, "0.2 to 1.6 rad/s to either side"),
        ({"action": "turn", "turn": -2.0}, "0.2 to 1.6 rad/s to either side"),
        ({"action": "turn", "turn": float("nan")}, "0.2 to 1.6 rad/s to either side"),
        ({"action": "turn", "turn": 1.0, "speed": 0.4}, "its speed is 0"),
        ({"action": "turn", "turn": 1.0, "slope": 0.1}, "level ground"),
        ({"action": "walk-run", "turn": 0.5}, "goes straight"),
        ({"action": "twist", "slope": 0.1}, "level ground"),
        ({"action": "walk", "height": 0.5}, "1.2 to 2.2 m"),
        ({"action": "walk", "height": float("nan")}, "height"),
        ({"action": "walk", "frame_rate": 0.0}, "10 to 1e+03 Hz"),
        ({"action": "walk", "seconds": -1.0}, "0.1 to 600"),
        ({"action": "walk", "seconds": 1.0, "cycles": 2.0}, "not both"),
        ({"action": "knock", "seconds": 1.0}, "its own time"),
        ({"action": "walk", "seed": -1}, "0 or more"),
        ({"action": "walk", "target": (0.0, 0.0, 0.4)}, "'reach'"),
        ({"action": "reach", "target": (0.0, 0.0, 3.0)}, "reaches from 0.14 to 0.55 m"),
        ({"action": "reach", "target": (-0.4, 0.1, -0.2)}, "in front"),
    ],
)
def test_an_impossible_request_is_refused_with_what_is_possible(asked, names):
    with pytest.raises(MotionError, match=re.escape(names)):
        perform(**asked)


def test_an_unknown_capture_is_refused_with_the_repertoire():
    with pytest.raises(MotionError, match="medium walk straight"):
        capture("moonwalk")


@pytest.mark.parametrize(("action", "speed"), [("walk", 0.2149), ("walk", 2.062), ("run", 1.5467), ("run", 4.468)])
def test_the_named_limits_themselves_are_possible(action, speed):
    perform(action, speed=speed, cycles=1.0)


def test_clips_are_as_long_as_asked():
    assert len(perform("walk", seconds=2.5, frame_rate=100.0)[0]) == 250
    clip, truth = perform("run", cycles=3.0)
    assert abs(len(clip) - 3.0 * truth.period * clip.frame_rate) <= 1.0
