"""Gaits between feelings and beyond, qualities carried over, strides made longer."""

import warnings

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.editing.feelings.gait_quality import interpolate, stride, transfer_quality
from mocapella.measure.footskate import footing


@pytest.fixture(scope="module")
def gaits():
    wishes = {"walk": ("walk", "normal"), "tired": ("walk", "tired"), "run": ("run", "normal")}
    return {
        name: mo.prepare(perform(action, style=style, imperfections=CLEAN)[0])
        for name, (action, style) in wishes.items()
    }


def swing(cycle):
    """How far the thighs swing, quadratic mean."""
    at = mo.find_roles(cycle.skeleton)["left_hip"]
    dofs = cycle.dofs[:, cycle.layout.columns(at)]
    return float(np.sqrt(((dofs - dofs.mean(axis=0)) ** 2).sum(axis=1).mean()))


def test_none_of_another_feeling_is_the_gait_and_all_of_it_the_other(gaits):
    walk, tired = gaits["walk"], gaits["tired"]
    assert interpolate(walk, other=tired, amount=0.0) is walk
    nearly = interpolate(walk, other=tired, amount=1e-12)
    np.testing.assert_allclose(nearly.dofs, walk.dofs, atol=1e-9)
    whole = interpolate(walk, other=tired, amount=1.0)
    assert whole.duration == pytest.approx(tired.duration)
    assert (whole.speed, swing(whole)) == pytest.approx((tired.speed, swing(tired)), rel=0.02)


def test_beyond_both_ends_a_feeling_grows_and_turns_into_its_opposite(gaits):
    made = [interpolate(gaits["walk"], other=gaits["tired"], amount=s) for s in (-0.5, 0.0, 0.5, 1.0, 1.5)]
    for values in ([one.duration for one in made], [-one.speed for one in made], [-swing(one) for one in made]):
        assert (np.diff(values) > 0.0).all()


def test_tiredness_of_a_walk_slows_a_run(gaits):
    made = transfer_quality(gaits["run"], plain=gaits["walk"], special=gaits["tired"])
    assert made.duration > gaits["run"].duration
    assert made.speed < gaits["run"].speed
    assert transfer_quality(gaits["run"], plain=gaits["walk"], special=gaits["tired"], amount=0) is gaits["run"]


def test_a_run_is_slowed_by_the_factor_by_which_a_walk_is(gaits):
    run, walk, tired = (gaits[name] for name in ("run", "walk", "tired"))
    slowed = transfer_quality(run, plain=walk, special=tired)
    assert slowed.duration / run.duration == pytest.approx(tired.duration / walk.duration)


@pytest.mark.parametrize("feeling", ["tired", "sad"])
def test_feet_of_a_run_with_the_feeling_of_a_walk_stay_where_they_are_planted(gaits, feeling):
    run, walk = gaits["run"], gaits["walk"]
    special = mo.prepare(perform("walk", style=feeling, imperfections=CLEAN)[0])
    made = transfer_quality(run, plain=walk, special=special)
    strides = {cycle: cycle.speed * cycle.duration for cycle in (run, walk, special, made)}
    assert strides[made] == pytest.approx(strides[run] + strides[special] - strides[walk], rel=0.02)
    rounds = made.to_clip(4)
    assert all(len(mo.find_plants(rounds).foot(side)) >= 4 for side in ("left", "right"))
    assert footing(rounds).slip_mm_max < 20.0
    assert footing(rounds).penetration_mm_max < 6.0
    assert footing(mo.lock_feet(rounds)).slip_mm_max < 0.5


def test_a_band_of_harmonics_alone_grows_where_it_is_asked_for(gaits):
    rng = np.random.default_rng(2)
    walk = gaits["walk"]
    shivering = mo.Cycle(walk.layout, walk.dofs + 0.01 * rng.normal(size=walk.dofs.shape), walk.frame_rate)
    made = transfer_quality(walk, plain=walk, special=shivering, harmonics=(8, 14))
    before, after = (np.abs(np.fft.rfft(cycle.dofs, axis=0)) for cycle in (walk, made))
    np.testing.assert_allclose(after[:8], before[:8], atol=1e-9)
    np.testing.assert_allclose(after[15:], before[15:], atol=1e-9)
    assert after[8:15].sum() > 1.5 * before[8:15].sum()
    assert made.duration == walk.duration


def test_strides_grow_with_their_length_and_feet_can_be_held(gaits):
    walk = gaits["walk"]
    made = [stride(walk, length=length) for length in (0.7, 1.0, 1.3)]
    assert made[1] is walk
    assert (np.diff([one.speed * one.duration for one in made]) > 0.05).all()
    held = mo.edit(made[2], mo.Edit("lock_feet")).result
    assert footing(held.to_clip(3)).slip_mm_max < 1.0


def test_pace_changes_time_and_not_the_stride(gaits):
    quick = stride(gaits["walk"], pace=1.5)
    assert quick.duration == pytest.approx(gaits["walk"].duration / 1.5)
    assert quick.speed * quick.duration == pytest.approx(gaits["walk"].speed * gaits["walk"].duration)


def test_a_clip_comes_back_as_a_clip_of_about_as_many_rounds():
    walk = perform("walk", speed=1.2, cycles=4.0, imperfections=CLEAN)[0]
    made = mo.edit(walk, mo.Edit("stride", length=1.2)).result
    assert made.frame_rate == pytest.approx(walk.frame_rate, rel=0.02)
    assert abs(made.seconds / walk.seconds - 1.0) < 0.15
    np.testing.assert_allclose(made.root_positions[0, ::2], walk.root_positions[0, ::2], atol=1e-9)


def test_what_cannot_be_is_refused(gaits):
    walk, tired = gaits["walk"], gaits["tired"]
    for call, words in (
        (lambda: interpolate(walk, other=tired, amount=-20.0), "would last"),
        (lambda: stride(walk, length=0.0), "length"),
        (lambda: stride(walk, pace=np.nan), "pace"),
        (lambda: transfer_quality(walk, plain=walk, special=tired, harmonics=(9, 3)), "first and a last harmonic"),
        (lambda: interpolate(walk, other=mo.retarget(tired, walk.skeleton.scaled(0.5))), "retarget"),
    ):
        with pytest.raises(mo.MotionError, match=words):
            call()


@pytest.mark.data
def test_a_captured_sadness_is_exaggerated_and_reversed(data_folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mo.MotionWarning)
        normal, sad = (mo.prepare(mo.load(data_folder / f"cmu-bvh/82/82_{n}.bvh")) for n in ("13", "10"))
    made = [interpolate(normal, other=sad, amount=s) for s in (-0.5, 0.5, 1.5)]
    assert (np.diff([one.speed for one in made]) < 0.0).all()
    assert (np.diff([one.duration for one in made]) > 0.0).all()


@pytest.mark.data
def test_captured_runs_with_the_slowness_of_a_walk_slide_no_further_than_captured(data_folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mo.MotionWarning)
        quick, slow, *runs = (
            mo.prepare(mo.load(data_folder / f"cmu-bvh/16/16_{n}.bvh")) for n in ("21", "15", "35", "45")
        )
    for run in runs:
        made = transfer_quality(run, plain=quick, special=slow)
        assert made.duration > run.duration
        assert made.speed * made.duration < run.speed * run.duration
        before, after = (footing(cycle.to_clip(4)) for cycle in (run, made))
        assert len(after.slips) >= len(before.slips)
        assert after.slip_mm_mean < before.slip_mm_mean
