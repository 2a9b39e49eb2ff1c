"""Values of the wrong kind are answered in one line that says what was expected, and change nothing.

All in one process of its own, for here every call is checked against its signature before it begins.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

CODE = """
import json
import numpy as np
import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.blending.synthesis import Mixer

cycle = mo.prepare(perform("walk", speed=1.2, imperfections=CLEAN)[0])
motion = mo.analyse(cycle, harmonics=6)
nodes = [mo.Node(name, at, motion) for name, at in (("a", (0, 0)), ("b", (1, 0)), ("c", (0, 1)))]
network = mo.Network(nodes)
player = mo.Player(network)
mixer = Mixer(network, (0.2, 0.2))
cascade = mo.Cascade(network, {"a": network}, {"a": (0.1, 0.1)})

def pose():
    return [player.time, *player.position, *mixer.point, *player.step(0.0).positions.ravel().tolist()]

calls = {
    "half a harmonic": lambda: mo.analyse(cycle, harmonics=2.5),
    "half a harmonic kept": lambda: motion.truncated(2.5),
    "half a harmonic blended": lambda: mo.Network(nodes, harmonics=2.5),
    "a name that is a number": lambda: mo.Node(3, (0, 0), motion),
    "a node of a cycle": lambda: mo.Node("a", (0, 0), cycle),
    "a node alone": lambda: mo.Network(nodes[0]),
    "a node that is none": lambda: mo.Network([*nodes, motion]),
    "a name for an interpolant": lambda: mo.Network(nodes, interpolant="bilinear"),
    "a node moved to letters": lambda: network.moved({"a": "ab"}),
    "a step of letters": lambda: player.step("a"),
    "a step of nothing": lambda: player.step(None),
    "a point of letters": lambda: setattr(player, "point", "ab"),
    "a mixer's point of letters": lambda: setattr(mixer, "point", "ab"),
    "a mixer's point of nothing": lambda: setattr(mixer, "point", None),
    "a position of one": lambda: mo.Player(network, position=(1,)),
    "a position of three": lambda: mo.Player(network, position=(1, 2, 3)),
    "a position of letters": lambda: mo.Player(network, position="ab"),
    "a heading of letters": lambda: mo.Player(network, heading="north"),
    "an ease of letters": lambda: mo.Player(network, ease="slow"),
    "a join of letters": lambda: mo.Player(network, join="soft"),
    "an inner point of letters": lambda: cascade.moved("a", "ab"),
    "all points of letters": lambda: cascade.blend("abcd"),
    "no motions": lambda: mo.build_network(None),
    "a motion that is none": lambda: mo.build_network([cycle, None]),
    "a file in place of a list": lambda: mo.build_network("x.bvh"),
    "a motion in place of a list": lambda: mo.build_network(cycle),
}
before = pose()
answers = {}
for name, call in calls.items():
    try:
        call()
        answers[name] = "nothing was raised"
    except mo.MotionError as error:
        answers[name] = "refused: " + str(error)
    except Exception as error:
        answers[name] = repr(error)
answers["changed"] = pose() != before
print(json.dumps(answers))
"""

EXPECTED = {
    "half a harmonic": "a whole number of harmonics from 0 on, got 2.5",
    "half a harmonic kept": "a whole number of harmonics from 0 on, got 2.5",
    "half a harmonic blended": "a whole number of harmonics, or None for all, got 2.5",
    "a name that is a number": "a node's name as text, got 3",
    "a node of a cycle": "analyse(cycle) makes one",
    "a node alone": "a single one is Network([node])",
    "a node that is none": "expected nodes, such as",
    "a name for an interpolant": "expected a function that gives weights",
    "a node moved to letters": "a blending point of 2 finite numbers",
    "a step of letters": "expected seconds from 0 on, got 'a'",
    "a step of nothing": "expected seconds from 0 on, got None",
    "a point of letters": "got 'ab'",
    "a mixer's point of letters": "a blending point of 2 finite numbers up to 1e+09, got 'ab'",
    "a mixer's point of nothing": "got None",
    "a position of one": "a position (x, z), two numbers of metres; got (1,)",
    "a position of three": "a position (x, z), two numbers of metres; got (1, 2, 3)",
    "a position of letters": "a position (x, z), two numbers of metres; got 'ab'",
    "a heading of letters": "a heading to begin with, radians, got 'north'",
    "an ease of letters": "expected ease from 0 on and pace above 0, got 'slow'",
    "a join of letters": "joins to take 0 seconds or more, got 'soft'",
    "an inner point of letters": "a blending point of 2 finite numbers",
    "all points of letters": "numbers for x, y, a.x, a.y; got 'abcd'",
    "no motions": "a list of motion files, clips or cycles, got None",
    "a motion that is none": "expected motion files, clips or cycles, found None among them",
    "a file in place of a list": "got 'x.bvh'; put a single one in [ ]",
    "a motion in place of a list": "a list of motion files, clips or cycles, got Cycle(",
}


@pytest.fixture(scope="module")
def answers():
    told = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    return json.loads(told.stdout)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_value_of_the_wrong_kind_is_refused_in_one_line(answers, name):
    assert answers[name].startswith("refused: ")
    assert EXPECTED[name] in answers[name]
    assert "\n" not in answers[name]


def test_what_was_refused_changed_nothing(answers):
    assert answers["changed"] is False
