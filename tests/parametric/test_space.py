from __future__ import annotations

import itertools
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from mocapella.actor import perform
from mocapella.analysis.fourier import analyse
from mocapella.analysis.prepare import prepare
from mocapella.errors import MotionError
from mocapella.geometry.simplices import axis_spread
from mocapella.parametric.labels import LABELS, measured, reach_of
from mocapella.parametric.mixing import in_step
from mocapella.parametric.mixture import mixture_of
from mocapella.parametric.principal import Principal, unlike_mean
from mocapella.parametric.simplify import key_postures, rebuilt, simplified
from mocapella.parametric.space import FORMS, MotionSpace

GRID = [(turn, speed) for speed in (0.8, 1.2, 1.6) for turn in (-0.6, 0.0, 0.6)]
TARGETS = [(x, y, z) for x in (-0.25, 0.0) for y in (-0.05, 0.25) for z in (0.25, 0.38)]
REACH = ["reach_left", "reach_up", "reach_ahead"]


@cache
def walks(*heights):
    asked = [(t, v, 1.75) for t, v in GRID] + [(0.0, 1.2, height) for height in heights]
    clips = [perform("walk", speed=v, turn=t, height=h)[0].renamed(f"{t} {v} {h}") for t, v, h in asked]
    return [analyse(cycle, harmonics=8) for cycle in in_step([prepare(clip) for clip in clips])]


@cache
def reaches():
    return [perform("reach", target=target, frame_rate=30.0)[0] for target in TARGETS]


@pytest.mark.parametrize("form", [form for form in FORMS if form not in ("grid", "principal")])
def test_examples_come_back_for_their_own_labels(form):
    space = MotionSpace.of(walks(), ["speed", "turn"], form=form)
    for spectrum, labels in zip(walks(), space.labels, strict=True):
        made = space.at(speed=labels[0], turn=labels[1])
        if form != "inverse":  # several mixtures may have the same labels
            np.testing.assert_allclose(made.motion.at(np.zeros(1)), spectrum.at(np.zeros(1)), atol=1e-6)
        assert made.feasible


@pytest.mark.parametrize("form", ["inverse", "weights", "numbers", "principal"])
def test_what_is_asked_is_what_is_measured(form):
    space = MotionSpace.of(walks(), ["speed", "turn"], form=form)
    for speed in (0.9, 1.2, 1.5):
        for turn in (-0.4, 0.1, 0.5):
            had = measured(space.at(speed=speed, turn=turn).motion, ["speed", "turn"])
            np.testing.assert_allclose(had, (speed, turn), rtol=0.02, atol=0.005)


def test_more_of_a_label_is_more_of_what_it_measures():
    space = MotionSpace.of(walks(), ["step_length"])
    low, high = space.ranges["step_length"]
    had = [space.at(step_length=x).had["step_length"] for x in np.linspace(low, high, 6)]
    assert (np.diff(had) > 0.0).all()


def test_labels_that_are_given_are_mixed_with_those_that_are_measured():
    tired = analyse(prepare(perform("walk", speed=1.0, style="tired")[0]), harmonics=8)
    space = MotionSpace.of([*walks(), tired], ["speed"], given={"tired": [0.0] * 9 + [1.0]})
    made = space.at(speed=1.1, tired=0.5)
    assert made.feasible
    assert abs(made.had["speed"] - 1.1) < 0.01
    assert abs(made.had["tired"] - 0.5) < 0.01


def test_what_is_out_of_reach_is_named_with_the_nearest():
    made = MotionSpace.of(walks(), ["speed"]).at(speed=4.0)
    assert not made.feasible
    assert made.reason.startswith("speed 4 m/s is out of reach: 1.")
    assert made.had["speed"] > 1.5


def test_a_label_out_of_reach_draws_no_other_away():
    made = MotionSpace.of(walks()[:6], ["speed", "turn"]).at(speed=1.0, turn=3.0)
    np.testing.assert_allclose(made.had["speed"], 1.0, rtol=0.02)
    assert made.reason.startswith("turn 3 rad/s is out of reach with the other labels: 0.")
    assert "speed" not in made.reason


@pytest.mark.parametrize("seed", [10, 14])
def test_no_mixture_is_nearer_than_the_nearest(seed):
    rng = np.random.default_rng(seed)
    targets = rng.uniform((-0.3, -0.1, 0.22), (0.05, 0.28, 0.4), (6, 3)).tolist()
    space = MotionSpace.of([perform("reach", target=tuple(at), frame_rate=30.0)[0] for at in targets], REACH)
    scale = axis_spread(space.labels)
    others = [measured(space.examples.sketch(weights), REACH) for weights in rng.dirichlet(np.full(6, 0.5), 200)]
    for goal in rng.uniform(space.labels.min(axis=0), space.labels.max(axis=0), (4, 3)):
        made = space.at(**dict(zip(REACH, goal.tolist(), strict=True)))
        off = np.linalg.norm((np.array([made.had[name] for name in REACH]) - goal) / scale)
        assert off < np.linalg.norm((others - goal) / scale, axis=1).min() + 0.005


def test_a_form_that_does_not_search_names_no_nearest():
    made = MotionSpace.of(walks()[1::3], ["speed"], form="grid").at(speed=4.0)
    assert "is what the form grid gives" in made.reason


def test_a_height_between_examples_gives_a_body_between():
    space = MotionSpace.of(walks(1.5, 1.9), ["speed", "height"])
    heights = space.labels[:, 1]
    wanted = 0.5 * (heights.min() + heights[0])
    made = space.at(speed=1.2, height=wanted)
    assert made.feasible
    assert abs(measured(made.motion, ["height"])[0] - wanted) < 0.02 * wanted
    assert abs(made.had["speed"] - 1.2) < 0.02


@pytest.mark.parametrize("factor", [0.7, 1.3])
def test_a_height_that_no_example_has_scales_the_body(factor):
    space = MotionSpace.of(walks(), ["speed", "height"])
    wanted = factor * float(space.labels[0, 1])
    made = space.at(speed=1.1, height=wanted)
    assert abs(measured(made.motion, ["height"])[0] / wanted - 1.0) < 1e-9
    assert abs(made.had["speed"] - 1.1) < 0.01
    ours, theirs = (one.layout.skeleton.offsets for one in (made.motion, walks()[0]))
    np.testing.assert_allclose(ours[1:], factor * theirs[1:], atol=1e-12)


def test_a_hand_meets_targets_given_in_advance():
    space = MotionSpace.of(reaches(), REACH)
    rng = np.random.default_rng(0)
    for _ in range(4):
        target = rng.uniform((-0.2, 0.0, 0.29), (-0.04, 0.2, 0.36))
        made = space.at(**dict(zip(REACH, target.tolist(), strict=True)))
        assert np.linalg.norm(reach_of(made.motion) - target) < 0.02


def test_clips_are_met_at_the_examples_by_numbers():
    space = MotionSpace.of(reaches(), REACH, form="numbers")
    for clip, labels in list(zip(reaches(), space.labels, strict=True))[:2]:
        made = space.at(**dict(zip(REACH, labels.tolist(), strict=True)))
        assert abs(made.motion.seconds - clip.seconds) < 1.5 / clip.frame_rate
        np.testing.assert_allclose(reach_of(made.motion), labels, atol=2e-3)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: MotionSpace.of(walks()[:1], ["speed"]), "two examples or more"),
        (lambda: MotionSpace.of(walks(), []), "one label or more"),
        (lambda: MotionSpace.of(walks(), ["sped"]), "a label that is measured"),
        (lambda: MotionSpace.of(walks(), ["slope"]), "slope is measured from a clip"),
        (lambda: MotionSpace.of(walks(), ["speed"], given={"tired": [1.0]}), "tired is given for 1 of 9"),
        (lambda: MotionSpace.of(walks(), ["speed"], form="best"), "a form out of"),
        (lambda: MotionSpace.of([walks()[0], reaches()[0]], ["speed"]), "all cycles or all clips"),
        (lambda: MotionSpace.of(walks(), ["speed"]).at(turn=1.0), "a label out of speed"),
        (lambda: MotionSpace.of(walks(), ["speed"]).at(speed=float("nan")), "a number for speed"),
        (lambda: MotionSpace.of(reaches(), REACH, keys=[[0, 5]]), "rows of as many rising key frames"),
    ],
)
def test_contradictions_are_refused(call, says):
    with pytest.raises(MotionError, match=says):
        call()


def test_every_label_says_what_it_is():
    assert all(label.says and (label.of_cycle or label.of_clip) for label in LABELS.values())


def test_a_straight_line_needs_two_points():
    line = np.linspace(0.0, 1.0, 50)[:, None] * np.array([[1.0, 2.0, -1.0]])
    assert simplified(line, 1e-6).tolist() == [0, 49]


@pytest.mark.parametrize("within", [0.01, 0.1, 0.5])
def test_no_point_is_further_off_than_asked(within):
    rng = np.random.default_rng(2)
    curve = np.cumsum(rng.normal(size=(200, 3)), axis=0)
    kept = simplified(curve, within)
    for first, last in itertools.pairwise(kept):
        along = curve[last] - curve[first]
        for point in curve[first : last + 1]:
            share = np.clip((point - curve[first]) @ along / (along @ along), 0.0, 1.0)
            assert np.linalg.norm(point - curve[first] - share * along) <= within + 1e-12


@pytest.mark.parametrize("within", [0.005, 0.03])
def test_key_postures_make_the_clip_again(within):
    clip = reaches()[0]
    kept = key_postures(clip, within)
    assert np.linalg.norm(rebuilt(clip, kept).positions - clip.positions, axis=-1).max() <= within
    assert len(kept) < clip.n_frames / 2


def test_components_explain_what_they_say_and_all_of_them_everything():
    few, every = (Principal.of(walks(), variance=share) for share in (0.9, 1.0))
    assert few.explained[-1] >= 0.9
    assert few.n_components < every.n_components
    rows = every.examples.rows
    off = rows - rows.mean(axis=0)
    for principal in (few, every):
        left = off - principal.scores @ principal.components
        share = 1.0 - np.square(left).sum() / np.square(off).sum()
        assert abs(share - principal.explained[-1]) < 1e-9
    again = every.motion(every.scores[3])
    np.testing.assert_allclose(again.coefficients, every.examples.from_row(rows[3]).coefficients, atol=1e-9)


def test_scores_are_straight_lines_in_labels_beyond_the_examples_too():
    space = MotionSpace.of(walks(), ["speed", "turn"], form="principal")
    low, middle, high, beyond = (space.at(speed=v, turn=0.1).motion.coefficients for v in (0.9, 1.2, 1.5, 2.1))
    np.testing.assert_allclose(low + high, 2.0 * middle, atol=1e-9)
    np.testing.assert_allclose(beyond - middle, 3.0 * (middle - low), atol=1e-9)
    weights = Principal.of(walks()).weights(space.labels, np.array([1.1, 0.2]))
    assert weights.sum() == pytest.approx(1.0)


def test_examples_on_one_line_come_back_and_what_is_particular_to_one_does_not():
    slow, fast = walks()[0], walks()[-1]
    shares = (0.0, 0.3, 0.6, 1.0)
    mixed = [replace(slow, coefficients=(1 - x) * slow.coefficients + x * fast.coefficients) for x in shares]
    space = MotionSpace.of(mixed, given={"haste": shares}, form="principal")
    made = space.at(haste=0.3).motion
    np.testing.assert_allclose(made.coefficients, mixed[1].coefficients, atol=1e-9)
    odd = replace(mixed[1], coefficients=mixed[1].coefficients + 0.01)
    of_all = MotionSpace.of([mixed[0], odd, *mixed[2:]], given={"haste": shares}, form="principal").at(haste=0.3)
    off = np.abs(of_all.motion.coefficients - mixed[1].coefficients).max()
    assert off < 0.006  # a line through four examples, not through each of them


def test_examples_like_the_mean_say_nothing():
    found = unlike_mean(walks(), 0.3)
    assert 4 not in found  # the middle of the grid
    assert 0 in found
    assert 8 in found


def test_the_shares_of_a_mixture_are_found_again():
    space = MotionSpace.of(walks(), ["speed", "turn"])
    wanted = np.array([0.1, 0.0, 0.2, 0.0, 0.4, 0.0, 0.0, 0.3, 0.0])
    rows = space.examples.rows
    mixed = space.examples.from_row(wanted @ rows)
    found = mixture_of(mixed, walks(), {"happy": wanted.tolist()})
    np.testing.assert_allclose(found.weights, wanted, atol=1e-4)
    assert found.unlike < 1e-4
    assert abs(found.labels["happy"] - wanted @ wanted) < 1e-4
