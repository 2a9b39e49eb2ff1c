"""SyncMirror: to the other side, in phase."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mocapella as mo
from mocapella.analysis.examined import examine
from mocapella.analysis.prepare import turning_of
from mocapella.editing.synced import sync_mirror
from mocapella.geometry.angles import TURN, wrap
from mocapella.motion.contacts import FEET
from mocapella.rig.symmetry import mirrored


def events(cycle):
    """Frames at which feet are set down and lifted, as the record has them."""
    out = {}
    for side in FEET:
        ((start, length),) = cycle.contacts.foot(side)
        out[side] = np.array([start, start + length]) % TURN
    return out


def apart(one, other):
    """Frames between the key events of two cycles, the most."""
    return max(np.abs(wrap(one_events - events(other)[side])).max() for side, one_events in events(one).items()) * (
        one.n_frames / TURN
    )


def detected(cycle):
    """The frames in a round at which left and right feet are set down, found on the motion itself."""
    n = cycle.n_frames
    plants = examine(cycle.to_clip(5)).plants
    out = []
    for side in FEET:
        down = plants.planted(f"{side}_heel") | plants.planted(f"{side}_toe")
        begins = np.flatnonzero(down[1:] & ~down[:-1]) + 1
        out.append(next(int(frame) - 2 * n for frame in begins if 2 * n <= frame < 3 * n))
    return np.array(out)


@pytest.fixture(scope="module")
def turning():
    return mo.prepare(mo.example("walk", speed=1.2, turn=-0.6, frame_rate=120.0), turning=True)


def test_it_turns_to_the_other_side_at_the_same_speed_in_the_same_time(turning):
    made = sync_mirror(turning)
    np.testing.assert_allclose(made.turn, -turning.turn, atol=1e-6)
    np.testing.assert_allclose(made.speed, turning.speed, rtol=5e-3)
    assert (made.n_frames, made.frame_rate) == (turning.n_frames, turning.frame_rate)


def test_feet_are_set_down_and_lifted_when_those_of_the_original_are(turning):
    assert apart(turning, sync_mirror(turning)) < 1.0
    assert apart(turning, mirrored(turning)) > 20.0  # the traditional mirror starts on the other foot
    assert np.abs(detected(sync_mirror(turning)) - detected(turning)).max() <= 1


def test_twice_is_the_original(turning):
    back = sync_mirror(sync_mirror(turning))
    np.testing.assert_allclose(back.dofs, turning.dofs, atol=0.02)
    assert apart(turning, back) < 1.0


def test_a_blend_half_way_walks_straight(turning):
    nodes = [mo.Node(name, (x, 0.0), mo.analyse(cycle, 10)) for name, x, cycle in
             (("right", -1.0, turning), ("left", 1.0, sync_mirror(turning)))]  # fmt: skip
    middle = mo.Network(nodes).blend((0.0, 0.0))
    assert abs(np.degrees(middle.turn)) < 1e-6
    assert middle.speed > 0.95 * turning.speed


@settings(max_examples=8, deadline=None)
@given(st.floats(0.0, TURN))
def test_it_goes_along_with_where_the_cycle_begins(turning, phase):
    """Beginning later and mirroring is mirroring and beginning later."""
    frames = round(phase / TURN * turning.n_frames)
    begun = turning.starting_at(TURN * frames / turning.n_frames)
    made, other = sync_mirror(begun), sync_mirror(turning).starting_at(TURN * frames / turning.n_frames)
    assert apart(made, other) < 1.0
    np.testing.assert_allclose(made.dofs, other.dofs, atol=0.05)


def test_of_a_clip_it_has_the_frames_and_the_steps_where_the_clip_begins():
    clip = mo.example("walk", speed=1.2, turn=-0.6, frame_rate=60.0)
    made = mo.edit(clip, mo.Edit("sync_mirror")).result
    np.testing.assert_allclose(made.root_positions[0, ::2], clip.root_positions[0, ::2], atol=1e-9)
    assert made.n_frames == clip.n_frames
    assert np.sign(made.headings[-1] - made.headings[0]) == -np.sign(clip.headings[-1] - clip.headings[0])
    for side in FEET:  # the same feet rest at the same time
        down = [examine(one).plants.planted(f"{side}_toe") for one in (clip, made)]
        assert np.mean(down[0] == down[1]) > 0.93
        assert np.mean(down[0] == examine(mo.edit(clip, mo.Edit("mirror")).result).plants.planted(f"{side}_toe")) < 0.6


def test_a_motion_without_steps_is_put_in_step_by_its_harmonics():
    cycle = mo.prepare(mo.example("walk", frame_rate=60.0))
    made = sync_mirror(mo.Cycle(cycle.layout, cycle.dofs, cycle.frame_rate))
    assert "by its harmonics" in made.decisions[-1].text


@pytest.mark.data
@pytest.mark.parametrize("name", ["16_13", "16_11", "16_29", "16_49", "69_24"])
def test_key_events_of_captures_agree_within_a_frame(data_folder, name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clip = mo.load(data_folder / "cmu-bvh" / name[:2] / f"{name}.bvh")
        cycle = mo.prepare(clip, turning=turning_of(clip))
    made = sync_mirror(cycle)
    assert apart(cycle, made) < 1.0
    np.testing.assert_allclose(made.turn, -cycle.turn, atol=1e-6)
