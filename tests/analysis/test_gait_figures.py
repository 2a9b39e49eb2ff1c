"""What makes a cycle a gait: figures without a scale, taken round the seam."""

import functools
from dataclasses import asdict, replace

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CLEAN, capture, perform
from mocapella.analysis.gait_figures import gait_figures, why_not_gait, why_not_idle
from mocapella.rig.legs import leg_length, leg_roles


@functools.cache
def cycle(action="walk", speed=1.3, turn=0.0):
    return mo.prepare(perform(action, speed=speed, turn=turn, imperfections=CLEAN)[0])


def figures(clip):
    return np.array(list(asdict(gait_figures(clip)).values()))


def one_round(motion):
    return motion.to_clip(2)[: motion.n_frames + 1]


def test_no_figure_depends_on_the_unit():
    clip = one_round(cycle())
    large = replace(clip, skeleton=clip.skeleton.scaled(10.0), root_positions=10.0 * clip.root_positions)
    np.testing.assert_allclose(figures(large), figures(clip), rtol=1e-6)


def test_no_figure_depends_on_place_and_heading():
    clip = one_round(cycle(turn=0.4))
    np.testing.assert_allclose(figures(clip.turned(1.0).moved(3.0, -2.0)), figures(clip), rtol=1e-6, atol=1e-9)


def test_hardly_a_figure_depends_on_the_frame_that_a_cycle_begins_with():
    for phase in (1.0, 3.0, 5.0):
        later = figures(one_round(cycle().starting_at(phase)))
        np.testing.assert_allclose(later, figures(one_round(cycle())), rtol=0.05, atol=0.05)


@pytest.mark.parametrize(("action", "speed", "turn"), [("walk", 0.6, 0.0), ("walk", 1.8, 0.6), ("run", 3.5, 0.0)])
def test_walks_and_runs_are_gaits(action, speed, turn):
    motion = cycle(action, speed, turn)
    found = gait_figures(one_round(motion))
    assert why_not_gait(found) == []
    leg = leg_length(motion.skeleton, leg_roles(motion.skeleton))
    assert found.speed * leg == pytest.approx(speed, rel=0.1)


def test_a_walk_held_in_place_has_the_speed_of_its_feet():
    clip = one_round(cycle())
    still = replace(clip, root_positions=clip.root_positions * [0.0, 1.0, 0.0])
    assert gait_figures(still).speed == pytest.approx(gait_figures(clip).speed, rel=0.1)
    assert why_not_gait(gait_figures(still)) == []


def test_feet_that_swing_together_are_no_gait():
    clip = one_round(cycle())
    roles = mo.find_roles(clip.skeleton)
    rotations = np.array(clip.rotations_wxyz)
    for part in ("hip", "knee", "ankle"):
        rotations[:, roles[f"right_{part}"]] = rotations[:, roles[f"left_{part}"]]
    reasons = why_not_gait(gait_figures(replace(clip, rotations_wxyz=rotations)))
    assert any(reason.startswith("feet do not swing in turn") for reason in reasons)


def test_who_stands_is_idle_and_who_reaches_or_walks_is_not():
    assert why_not_idle(capture("stand")[0]) == ""
    assert why_not_idle(capture("reach high right")[0]).startswith("hands go")
    assert why_not_idle(perform("walk", speed=1.0)[0]).startswith("feet go")
    stand = capture("stand")[0]
    assert why_not_idle(stand[:4]) == "4 frames are too few"
    frozen = replace(
        stand[:100],
        root_positions=np.repeat(stand.root_positions[:1], 100, axis=0),
        rotations_wxyz=np.repeat(stand.rotations_wxyz[:1], 100, axis=0),
    )
    assert why_not_idle(frozen) == "does not move: a pose"
