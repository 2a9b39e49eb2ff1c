"""Numbers that are none, fractions of frames, and sizes beyond reason are refused in our words."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CLEAN, capture, perform
from mocapella.errors import MotionError, SkeletonError

WALK = perform("walk", imperfections=CLEAN)[0]
SPECTRUM = mo.analyse(mo.prepare(WALK), harmonics=8)

# In a process of its own, for here every call is checked against its signature before it begins.
CODE = """
import json, math
import mocapella as mo
from mocapella.actor import CLEAN, capture, perform
walk = perform("walk", imperfections=CLEAN)[0]
cycle = mo.prepare(walk)
spectrum = mo.analyse(cycle, harmonics=8)
frames = math.nan, math.inf, 2.5, -1e9, "three", None, 10**12, [3]
angles = math.nan, math.inf, "half", None, [0.5]
calls = {
    "synthesise": (lambda odd: mo.synthesise(spectrum, odd), frames),
    "to_clip": (cycle.to_clip, frames),
    "pose": (walk.pose, frames),
    "cyclify from": (lambda odd: mo.cyclify(walk, (odd, 200)), frames),
    "cyclify to": (lambda odd: mo.cyclify(walk, (0, odd)), frames),
    "synchronise": (lambda odd: mo.synchronise([cycle, cycle], harmonics=odd), frames),
    "starting_at of a cycle": (cycle.starting_at, angles),
    "starting_at of a spectrum": (spectrum.starting_at, angles),
    "tremor": (lambda odd: mo.find_transition(capture("walk-run")[0], tremor=odd), ("fast", None)),
}
told = {}
for name, (call, odds) in calls.items():
    for odd in odds:
        try:
            told[f"{name} {odd!r}"] = repr(call(odd))
        except Exception as error:
            told[f"{name} {odd!r}"] = type(error).__name__ if isinstance(error, mo.MotionError) else repr(error)
print(json.dumps(told))
"""


def test_what_is_no_number_is_refused_in_our_words():
    told = subprocess.run([sys.executable, "-W", "ignore", "-c", CODE], capture_output=True, text=True, check=True)
    others = {call: words for call, words in json.loads(told.stdout).items() if not words.endswith("Error")}
    assert not others


def scaled(clip, factor, joints=None):
    """The clip of a larger or smaller body, or of one with some bones longer or shorter."""
    offsets = np.array(clip.skeleton.offsets)
    rows = slice(None) if joints is None else [clip.skeleton.index(name) for name in joints]
    offsets[rows] *= factor
    ends = clip.skeleton.end_offsets * (factor if joints is None else 1.0)
    skeleton = replace(clip.skeleton, offsets=offsets, end_offsets=ends)
    return replace(clip, skeleton=skeleton, root_positions=clip.root_positions * (factor if joints is None else 1.0))


@pytest.mark.parametrize("frames", [1, 2])
def test_a_clip_of_hardly_a_frame_shows_no_change(frames):
    with pytest.raises(MotionError, match="a change of motion takes 3 frames or more"):
        mo.find_transition(WALK[:frames], before=SPECTRUM, after=SPECTRUM)


@pytest.mark.parametrize("hz", [1e-9, 1e-3, 0.0, -1.0, math.nan])
def test_tremor_begins_at_a_frequency_that_shakes(hz):
    with pytest.raises(MotionError, match=r"tremor to begin at 0\.1 Hz or more"):
        mo.find_transition(capture("walk-run")[0], tremor=hz)


@pytest.mark.parametrize("factor", [1e-12, 0.0, 0.01])
def test_a_body_too_small_to_walk_is_refused_for_its_legs(factor):
    with pytest.raises(SkeletonError, match=r"its legs, thigh and shank together, are .* m long, and 0\.03 m"):
        mo.prepare(scaled(WALK, factor))


@pytest.mark.parametrize("factor", [0.0, 1e-12])
def test_legs_of_no_length_hold_no_feet(factor):
    legs = [name for side in ("Left", "Right") for name in (f"{side}Leg", f"{side}Foot")]
    short = scaled(WALK, factor, legs)
    with pytest.raises(SkeletonError, match="its legs"):
        mo.find_plants(short)
    with pytest.raises(MotionError, match="its legs"):
        mo.find_transition(short)


@pytest.mark.parametrize("factor", [0.1, 10.0, 100.0])
def test_a_dwarf_and_a_giant_walk_as_people_do(factor):
    player = mo.Player(mo.analyse(mo.prepare(scaled(WALK, factor)), harmonics=8))
    usual = mo.Player(SPECTRUM)
    for _ in range(120):
        far, pose = player.step(1 / 60), usual.step(1 / 60)
    np.testing.assert_allclose(np.array(player.position) / factor, usual.position, rtol=0.01, atol=0.01)
    np.testing.assert_allclose(far.positions[:, 1] / factor, pose.positions[:, 1], atol=0.02)
