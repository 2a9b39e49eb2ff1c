"""Edits of cycles: those with a meaning for one take it, the others say why not."""

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.editing.filters.dof_columns import signals_of
from mocapella.editing.paths import follow_path
from mocapella.editing.registry import EDITS
from mocapella.measure.footskate import footing

KNEE = "left_knee.x"


@pytest.fixture(scope="module")
def cycle():
    return mo.prepare(perform("walk", speed=1.2, imperfections=CLEAN)[0])


@pytest.fixture(scope="module")
def turning():
    return mo.prepare(perform("walk", speed=1.2, turn=0.5, imperfections=CLEAN)[0])


@pytest.fixture(scope="module")
def sad():
    return perform("walk", style="sad", speed=1.0, cycles=4.0, imperfections=CLEAN)[0]


def degrees(motion, name=KNEE):
    return np.degrees(signals_of(motion, [name]).values[:, 0])


def _values(name, sad):
    """Parameters with which an edit changes something."""
    return {
        "path": {"points": [(0.0, 0.0), (0.3, 3.0)]},
        "frequencies": {"bands": [[3.0, 8.0, 1.2]]},
        "exaggerate": {"gain": 1.1},
        "speed": {"factor": 1.2},
        "bands": {"gains": [1.0, 1.1]},
        "preset": {"name": "calm"},
        "waveshape": {"dofs": [KNEE], "high": 50.0},
        "displace": {"keys": {KNEE: [[10, 20.0]]}, "span": 0.1},
        "reach": {"joint": "right_wrist", "frame": 5, "place": [-0.25, 0.9, 0.2], "span": 0.1},
        "pose": {"joint": "head", "frame": 5, "place": [0.0, 1.5, 0.1], "span": 0.1},
        "resample": {"rate": 60.0},
        "interpolate": {"other": sad, "amount": 0.3},
        "quality": {"plain": sad, "special": sad, "amount": 0.5},
        "stride": {"length": 0.9},
        "retarget": {"skeleton": sad},
        "restyle": {"style": sad, "ratio": 0.5},
    }.get(name, {})


@pytest.mark.parametrize("name", [name for name, editor in EDITS.items() if editor.cycles])
def test_every_edit_that_says_it_takes_cycles_does(cycle, sad, name):
    made = mo.edit(cycle, mo.Edit(name, **_values(name, sad))).result
    assert isinstance(made, mo.Clip if name == "path" else mo.Cycle)
    places = made.positions if isinstance(made, mo.Clip) else made.to_clip(rounds=2).positions
    assert np.isfinite(places).all()


@pytest.mark.parametrize("name", [name for name, editor in EDITS.items() if not editor.cycles])
def test_an_edit_without_a_meaning_for_cycles_says_why(cycle, sad, name):
    reason = EDITS[name].why_no_cycles
    assert reason
    required = {
        key: {"clip": sad, "points": [[0.0, 0.1, 0.1]], "number": 1.0, "table": {KNEE: [[1, 2.0]]}}.get(one.kind, 1)
        for key, one in EDITS[name].parameters.items()
        if one.required
    }
    with pytest.raises(mo.MotionError) as told:
        mo.edit(cycle, mo.Edit(name, **required))
    assert reason in str(told.value)


def test_a_cycle_walks_a_path_to_its_end_with_feet_that_stay(cycle, turning):
    for one in (cycle, turning):
        walked = follow_path(one, points=[(0.0, 0.0), (0.0, 3.0), (1.5, 6.0)])
        end = walked.root_positions[-1, ::2]
        np.testing.assert_allclose(end, [1.5, 6.0], atol=0.25)
        assert footing(walked, mo.find_plants(walked)).slip_mm_max < 30.0
        assert walked.report.frames("unreachable") == ()


def test_keys_of_a_cycle_are_passed_in_every_round_and_it_stays_closed(cycle):
    for span in (0.0, 0.15):
        for at in (0, 10, cycle.n_frames - 1):
            wanted = degrees(cycle)[at] + 8.0
            made = mo.edit(cycle, mo.Edit("displace", keys={KNEE: [[at, wanted]]}, span=span)).result
            np.testing.assert_allclose(degrees(made)[at], wanted, atol=1e-6)
            change = degrees(made) - degrees(cycle)
            steps = np.abs(np.diff(np.append(change, change[0])))
            assert steps.max() < 2.0  # also from the last frame to the first


def test_a_resampled_cycle_lasts_as_long_and_comes_back(cycle):
    half = mo.edit(cycle, mo.Edit("resample", rate=0.5 * cycle.frame_rate)).result
    np.testing.assert_allclose(half.n_frames / half.frame_rate, cycle.n_frames / cycle.frame_rate)
    np.testing.assert_allclose(half.speed, cycle.speed, rtol=1e-3)
    twice = mo.edit(cycle, mo.Edit("resample", rate=2.0 * cycle.frame_rate)).result
    np.testing.assert_allclose(twice.dofs[::2], cycle.dofs, atol=1e-9)


def test_a_restyled_cycle_has_the_manner_and_feet_that_rest(cycle, sad):
    same = mo.edit(cycle, mo.Edit("restyle", style=sad, ratio=0.0)).result
    np.testing.assert_array_equal(same.dofs, cycle.dofs)
    made = mo.edit(cycle, mo.Edit("restyle", style=sad, ratio=0.8)).result
    assert made.speed < cycle.speed  # sad steps are shorter
    clip = made.to_clip(rounds=2)
    assert footing(clip, mo.find_plants(clip)).slip_mm_max < 30.0
