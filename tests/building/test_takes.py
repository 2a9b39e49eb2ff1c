"""What takes give to a network: each kind of motion in a long one, nothing that is no gait, no pivots by accident."""

import functools
import warnings

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CAPTURED, capture, perform
from mocapella.analysis.prepare import prepare
from mocapella.building.build import build
from mocapella.building.takes import cycles_in, motion_of, n_kinds, named_by_kind
from mocapella.errors import MotionWarning, NetworkError
from mocapella.geometry import quaternions
from mocapella.motion.clip import concatenate

AS_USUAL = {"turning": None, "method": "symmetric", "layout": "quaternion"}


@functools.cache
def performed(action, speed=0.0, turn=0.0, cycles=5.0):
    return perform(action, speed=speed, turn=turn, cycles=cycles, imperfections=CAPTURED)[0]


@functools.cache
def mixed():
    """A walk, a run and a turn, one after the other in one file."""
    parts = [performed("walk", 1.2), performed("run", 3.0), performed("walk", 1.0, 0.9)]
    return concatenate(parts).renamed("session")


@functools.cache
def seated():
    """Somebody who looks about from a chair: hips low, thighs level."""
    clip = capture("look-around")[0]
    roles = mo.find_roles(clip.skeleton)
    rotations, roots = np.array(clip.rotations_wxyz), np.array(clip.root_positions)
    for side in ("left", "right"):
        bent = quaternions.from_rotvec(np.radians([[-90.0, 0.0, 0.0], [90.0, 0.0, 0.0]]))
        for part, turn in zip(("hip", "knee"), bent, strict=True):
            joint = roles[f"{side}_{part}"]
            rotations[:, joint] = quaternions.multiply(rotations[:, joint], turn)
    shin = np.linalg.norm(clip.skeleton.offsets[roles["left_ankle"]])
    roots[:, 1] += 1.25 * shin - roots[:, 1].mean()
    return mo.Clip(clip.skeleton, roots, rotations, clip.frame_rate, name="seated")


def test_a_long_take_gives_one_cycle_of_each_kind():
    cycles = [named_by_kind(cycle) for cycle in cycles_in(mixed(), **AS_USUAL)]
    assert {"session, walk", "session, run", "session, walk left"} <= {cycle.name for cycle in cycles}
    assert all(n_kinds(cycle) == len(cycles) for cycle in cycles)
    by_name = {cycle.name: cycle for cycle in cycles}
    assert by_name["session, walk"].speed == pytest.approx(1.2, rel=0.1)
    assert by_name["session, run"].speed == pytest.approx(3.0, rel=0.1)
    left = by_name["session, walk left"]
    assert left.turn / left.duration == pytest.approx(0.9, rel=0.2)


def test_a_short_take_gives_the_cycle_that_prepare_finds():
    clip = performed("walk", 1.2, cycles=4.0)
    (cycle,) = cycles_in(clip, **AS_USUAL)
    np.testing.assert_array_equal(cycle.dofs, prepare(clip).dofs)
    assert named_by_kind(cycle) is cycle


def test_a_long_take_of_one_kind_gives_one_cycle():
    clip = performed("walk", 1.2, cycles=14.0)
    (cycle,) = cycles_in(clip, **AS_USUAL)
    np.testing.assert_array_equal(cycle.dofs, prepare(clip).dofs)


def test_kinds_come_out_of_the_cache_as_they_went_in(tmp_path):
    path = tmp_path / "session.bvh"
    mo.save(mixed(), path)
    first, second = (build([path], cache=tmp_path / "kept").network for _ in range(2))
    assert first.names == second.names
    assert len(first.names) >= 3
    for one, other in zip(first.nodes, second.nodes, strict=True):
        np.testing.assert_array_equal(one.spectrum.coefficients, other.spectrum.coefficients)


def test_who_sits_or_dances_is_left_out_of_walks_and_named():
    walks = [performed("walk", 1.0), performed("walk", 1.5)]
    (cycle,) = cycles_in(seated(), **AS_USUAL)
    assert motion_of(cycle)[0] == "action"
    with pytest.warns(MotionWarning, match="seated is an action"):
        network = build([*walks, seated()]).network
    assert len(network.names) == 2
    with pytest.raises(NetworkError, match="seated is an action"):
        build([*walks, seated()], strict=True)


def test_who_stands_stays_among_walks():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        network = build([performed("walk", 1.0), performed("walk", 1.5), capture("stand")[0]]).network
    assert "stand" in network.names


def test_a_cycle_that_was_chosen_stays_whatever_it_is():
    network = build([performed("walk", 1.0), performed("walk", 1.5), prepare(seated())]).network
    assert "seated" in network.names
    assert build([seated()]).network.names == ("seated",)


def test_a_pivot_in_the_middle_of_a_walk_makes_no_node():
    walk, pivot = performed("walk", 1.2, cycles=3.0), performed("turn", 0.0, 1.4, cycles=2.0)
    clip = concatenate([walk, pivot, walk])
    assert abs(np.degrees(clip.headings[-1] - clip.headings[0])) > 60.0
    for cycle in cycles_in(clip, **AS_USUAL):
        assert cycle.speed > 0.8


def test_a_clip_that_is_a_pivot_makes_one():
    (cycle,) = cycles_in(performed("turn", 0.0, 1.4), **AS_USUAL)
    assert cycle.turn / cycle.duration == pytest.approx(1.4, rel=0.1)
    assert cycle.speed < 0.1


@pytest.mark.parametrize("file", ["55/55_01.bvh", "60/60_10.bvh", "61/61_10.bvh", "05/05_11.bvh"])
def test_captured_dances_are_left_out_of_walks(data_folder, file):
    walks = [performed("walk", 1.0), performed("walk", 1.5)]
    with pytest.warns(MotionWarning, match=r"1 of 3 motions is left out: .*(action|transition)"):
        assert len(build([*walks, data_folder / "cmu-bvh" / file]).network.names) == 2


def test_a_figure_of_eight_gives_both_turns_and_the_way_between(data_folder):
    clip = mo.load(data_folder / "cmu-bvh" / "104" / "104_22.bvh")
    turns = sorted(np.degrees(cycle.turn / cycle.duration) for cycle in cycles_in(clip, **AS_USUAL))
    assert turns[0] < -40.0
    assert turns[-1] > 40.0
    assert min(map(abs, turns)) < 8.0


def test_of_runs_round_a_pivot_the_run_is_taken():
    fast = performed("run", 3.0, cycles=1.2)
    clip = concatenate([fast, performed("turn", 0.0, 1.4, cycles=2.0), fast, fast])
    (cycle,) = cycles_in(clip, **AS_USUAL)
    assert motion_of(cycle) == ("gait", "")
    assert cycle.speed == pytest.approx(3.0, rel=0.1)
