"""Motions by numbers: what is asked is what is measured, or it is said why not."""

import warnings

import numpy as np
import pytest

import mocapella as mo
from mocapella.analysis.period import find_period
from mocapella.library.gait_modifiers import gait_figures
from mocapella.library.ingest import add_captures
from mocapella.library.requests import request
from mocapella.library.store import Library
from mocapella.measure.footskate import footing
from mocapella.playback.record import record_with_contacts


@pytest.mark.parametrize(("speed", "curvature"), [(1.1, 0.2), (1.0, -0.15), (1.25, 0.0)])
def test_what_is_asked_for_is_measured_on_the_file_that_was_written(library, tmp_path, speed, curvature):
    answer = library.request(seconds=2.0, kind="walk", speed=speed, curvature=curvature)
    assert answer.feasible
    assert answer.reason == ""
    mo.save(answer.clip, tmp_path / "walk.bvh")
    clip = mo.load(tmp_path / "walk.bvh")
    made = gait_figures(clip, find_period(clip).seconds)
    np.testing.assert_allclose(made.speed, speed, rtol=0.03)
    np.testing.assert_allclose(made.curvature, curvature, atol=0.03 * max(abs(curvature), 0.2))


def test_the_answer_says_what_it_is_made_of_and_can_be_played(library):
    answer = library.request(seconds=2.0, kind="walk", speed=1.15, curvature=0.2)
    np.testing.assert_allclose(sum(part.weight for part in answer.made_of), 1.0)
    assert {part.clip for part in answer.made_of} <= {"walk", "slow_walk", "leftWalk", "right_walk", "walk-run"}
    assert mo.Player(answer.network, point=answer.point).step(0.1).root_position is not None


def test_a_turn_in_degrees_is_another_word_for_a_curvature(library):
    one = library.request(seconds=2.0, kind="walk", speed=1.2, turn=np.degrees(1.2 * 0.2))
    np.testing.assert_allclose(one.had["curvature"], 0.2, rtol=0.03)


@pytest.mark.parametrize("slope", [8.0, -12.0])
def test_a_walk_climbs_as_asked_and_its_feet_stay_where_they_rest(library, tmp_path, slope):
    answer = library.request(seconds=3.0, kind="walk", speed=1.2, slope=slope)
    assert answer.feasible
    mo.save(answer.clip, tmp_path / "up.bvh")
    clip = mo.load(tmp_path / "up.bvh")
    made = gait_figures(clip, find_period(clip).seconds)
    np.testing.assert_allclose([made.slope, made.speed], [slope, 1.2], rtol=0.03)
    assert all(part.modifiers[-1] == f"incline slope={slope:g}" for part in answer.made_of)


def test_steps_are_as_long_as_asked_at_the_speed_asked_for(library):
    """Footfalls in the frames say so, not the network."""
    plain = library.request(seconds=3.0, kind="walk", speed=1.2)
    answer = library.request(seconds=4.0, kind="walk", speed=1.2, step=0.9 * plain.had["step"])
    assert answer.feasible
    np.testing.assert_allclose([answer.had["speed"], answer.had["step"]], [1.2, 0.9 * plain.had["step"]], rtol=0.03)
    plants = mo.find_plants(answer.clip)
    down = [plants.planted(f"{side}_heel") | plants.planted(f"{side}_toe") for side in ("left", "right")]
    falls = sorted(int(n) + 1 for one in down for n in np.flatnonzero(one[1:] & ~one[:-1]))
    apart = np.abs(np.diff(answer.clip.ground_path[falls]))
    np.testing.assert_allclose(np.median(apart), 0.9 * plain.had["step"], rtol=0.05)


def test_a_smaller_person_is_smaller_and_goes_as_asked(library):
    answer = library.request(seconds=2.0, kind="walk", speed=1.1, curvature=0.1, height=1.6)
    np.testing.assert_allclose([answer.had["height"], answer.had["speed"]], [1.6, 1.1], rtol=0.03)
    assert answer.feasible


def test_a_mood_is_learnt_from_a_capture_with_that_word(library):
    plain = library.request(seconds=2.0, kind="walk", speed=1.2)
    happy = library.request(seconds=2.0, kind="walk", speed=1.2, mood={"happy": 0.5})
    assert happy.feasible
    moody = [part for part in happy.made_of if "quality happy" in part.modifiers]
    assert [(part.clip, part.weight) for part in moody] == [("take_03", 0.5)]
    roles = mo.find_roles(happy.clip.skeleton)

    def swing(clip):
        wrist = clip.positions[:, roles["left_wrist"]] - clip.positions[:, roles["left_shoulder"]]
        return np.ptp(np.linalg.norm(wrist[:, ::2], axis=1))

    assert swing(happy.clip) > 1.05 * swing(plain.clip)


def test_a_usual_feeling_that_no_capture_has_is_the_actors_and_said_to_be(library):
    plain = library.request(seconds=2.0, kind="walk")
    tired = library.request(seconds=2.0, kind="walk", mood={"tired": 1.0})
    assert tired.feasible
    assert tired.had["speed"] < 0.9 * plain.had["speed"]
    actors = [part for part in tired.made_of if not part.path]
    assert [(part.clip, part.weight) for part in actors] == [
        ("the embedded actor's tired walk", 1.0), ("the embedded actor's walk", -1.0)
    ]  # fmt: skip
    assert tired.notes == ("no walk in the library shows 'tired' beside a plain one: it is the embedded actor's",)
    assert plain.notes == library.request(seconds=2.0, kind="walk", mood={"happy": 0.5}).notes == ()
    roles = mo.find_roles(tired.clip.skeleton)

    def nod(clip):
        head = clip.positions[:, roles["head"]] - clip.positions[:, roles["hips"]]
        ahead = np.exp(1j * clip.headings) * (head[:, 2] - 1j * head[:, 0])
        return float(ahead.real.mean())

    assert nod(tired.clip) > nod(plain.clip) + 0.03  # the head hangs forward
    assert footing(tired.clip).slip_mm_max < 1.0


def test_what_is_usual_for_a_performer_is_no_slow_walk(tmp_path):
    takes = {"walk": {}, "slow_walk": {"speed": 0.8}, "grumpy_walk": {"style": "angry"}}
    for name, wishes in takes.items():
        mo.save(mo.example("walk", frame_rate=60.0, **wishes), tmp_path / f"{name}.bvh")
    with Library.at(tmp_path / "library", create=True) as library:
        add_captures(library, [tmp_path], workers=0)
        answer = library.request(seconds=2.0, kind="walk", mood={"grumpy": 1.0})
    assert [part.clip for part in answer.made_of if "quality grumpy, plain" in part.modifiers] == ["walk"]


def test_a_mood_of_another_performer_is_carried_over(tmp_path):
    for name, wishes in {"a": {}, "b": {"speed": 1.7}, "c": {"turn": 0.6}}.items():
        mo.save(mo.example("walk", frame_rate=60.0, **wishes), tmp_path / f"{name}.bvh")
    for name, wishes in {"small": {}, "small_sad": {"style": "sad"}}.items():
        mo.save(mo.example("walk", frame_rate=60.0, height=1.5, **wishes), tmp_path / f"{name}.bvh")
    with Library.at(tmp_path / "library", create=True) as library:
        add_captures(library, [tmp_path], workers=0)
        answer = library.request(seconds=2.0, kind="walk", speed=1.3, mood={"sad": 0.4})
        assert answer.feasible
        assert "small_sad" in {part.clip for part in answer.made_of}


def test_a_mood_that_was_captured_in_a_turn_turns_no_straight_walk(tmp_path):
    for name, wishes in {"a": {}, "b": {"speed": 1.5}, "sad": {"style": "sad", "speed": 1.0, "turn": -0.6}}.items():
        mo.save(mo.example("walk", frame_rate=60.0, **wishes), tmp_path / f"{name}.bvh")
    with Library.at(tmp_path / "library", create=True) as library:
        add_captures(library, [tmp_path], workers=0)
        answer = library.request(seconds=3.0, kind="walk", speed=1.1, mood={"sad": 1.0})
    assert answer.feasible, answer.reason
    np.testing.assert_allclose(answer.had["curvature"], 0.0, atol=0.01)


@pytest.mark.parametrize(
    ("wishes", "reason"),
    [
        ({"speed": 3.5}, r"speed 3.5 m/s is out of reach .* the nearest is 1\.\d\d m/s"),
        ({"speed": 1.2, "curvature": 3.0}, r"out of reach.*the nearest is"),
        ({"speed": 1.2, "slope": 44.0}, r"slope 44° is out of reach .* the nearest is [1-3]\d\.\d°"),
        ({"speed": 1.2, "step": 1.6}, r"steps of 1.6 m are out of reach at 1.2 m/s; the nearest are [01]\.\d+ m"),
    ],
)
def test_out_of_reach_is_named_and_the_nearest_is_made(library, wishes, reason):
    answer = library.request(seconds=2.0, kind="walk", **wishes)
    assert not answer.feasible
    with pytest.raises(AssertionError, match=reason):
        raise AssertionError(answer.reason)
    assert answer.clip.n_frames > 60


@pytest.mark.parametrize(
    ("wishes", "reason"),
    [
        ({"kind": "walk", "speed": 0.0}, "contradicts itself"),
        ({"kind": "walk", "speed": -1.0}, "contradicts itself"),
        ({"kind": "walk", "speed": 1.0, "curvature": 0.2, "turn": 90.0}, "contradict"),
        ({"kind": "walk", "turn": 20.0}, "needs a speed"),
        ({"kind": "walk", "step": 0.0}, "contradicts itself"),
        ({"kind": "walk", "slope": 80.0}, "a slope of up to 45°, got 80°"),
        ({"kind": "walk", "slope": float("inf")}, "a number for slope"),
        ({"kind": "stand", "speed": 1.0}, "not made by numbers"),
        ({"kind": "hop"}, "not a kind of motion"),
        ({"kind": "walk", "speed": float("nan")}, "a number for speed"),
        ({"kind": "walk", "height": 12.0}, "a height from"),
        ({"kind": "walk", "mood": {"grumpy": 0.2}}, "word 'grumpy', and .* are: happy; usual feelings are .* tired"),
        ({"kind": "walk", "mood": {"happy": 40.0}}, "an amount of happy"),
        ({"kind": "walk", "words": ["nobody"]}, "has the word 'nobody'"),
        ({"kind": "walk", "seconds": -1.0}, "seconds"),
    ],
)
def test_requests_that_contradict_themselves_are_refused_in_one_line(library, wishes, reason):
    with pytest.raises(mo.MotionError, match=reason) as refused:
        request(library, **wishes)
    assert "\n" not in str(refused.value)


def test_one_turning_walk_answers_all_curves_between_both_sides(tmp_path):
    mo.save(mo.example("walk", frame_rate=60.0, speed=1.1, turn=-0.7), tmp_path / "clockwise.bvh")
    with Library.at(tmp_path / "library", create=True) as library:
        add_captures(library, [tmp_path / "clockwise.bvh"], workers=0)
        for curvature in (0.0, 0.5):
            answer = library.request(seconds=2.0, kind="walk", curvature=curvature)
            assert answer.feasible
            assert {part.clip for part in answer.made_of} == {"clockwise"}


@pytest.fixture(scope="module")
def one_walk(tmp_path_factory):
    """A library of one straight walk at 1.2 m/s."""
    folder = tmp_path_factory.mktemp("one")
    mo.save(mo.example("walk", frame_rate=60.0, speed=1.2), folder / "straight.bvh")
    with Library.at(folder / "library", create=True) as library:
        add_captures(library, [folder / "straight.bvh"], workers=0)
        yield library


@pytest.mark.parametrize(("speed", "curvature"), [(1.2, 0.3), (0.85, 0.0), (1.5, -0.2)])
def test_one_straight_walk_is_bent_and_stretched(one_walk, speed, curvature):
    answer = one_walk.request(seconds=3.0, kind="walk", speed=speed, curvature=curvature)
    assert answer.feasible, answer.reason
    made = gait_figures(answer.clip, answer.network.blend(answer.point).duration)
    np.testing.assert_allclose([made.speed, made.curvature], [speed, curvature], rtol=0.03, atol=0.005)
    said = " ".join(word for part in answer.made_of for word in part.modifiers)
    assert ("bend curvature" in said) == (curvature != 0.0)
    assert "stride length" in said or speed == 1.2
    clip, contacts = record_with_contacts(mo.Player(answer.network, point=answer.point), seconds=3.0, frame_rate=60.0)
    assert footing(clip, contacts).slip_mm_max < 1.0


def test_a_body_leans_into_the_curve_it_is_bent_to(one_walk):
    """As far as the centrifugal force demands: tan(lean) = speed² curvature / g."""
    clip = one_walk.request(seconds=4.0, kind="walk", speed=1.2, curvature=0.3).clip
    head = clip.positions[:, mo.find_roles(clip.skeleton)["head"]] - clip.root_positions
    left = np.cos(clip.headings) * head[:, 0] - np.sin(clip.headings) * head[:, 2]
    np.testing.assert_allclose(left.mean() / head[:, 1].mean(), 1.2**2 * 0.3 / 9.81, atol=0.015)


def test_a_walk_is_not_stretched_to_a_run_nor_bent_beyond_its_steps(one_walk):
    assert "speed 3.2 m/s is out of reach" in one_walk.request(seconds=2.0, kind="walk", speed=3.2).reason
    assert "curvature 2 1/m is out of reach" in one_walk.request(seconds=2.0, speed=1.2, curvature=2.0).reason


@pytest.mark.data
def test_a_request_over_real_captures_is_met(data_folder, tmp_path):
    names = ("16_11", "16_13", "16_15", "16_21", "16_23", "16_47")
    with Library.at(tmp_path, create=True) as library, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        add_captures(library, [data_folder / "cmu-bvh" / "16" / f"{name}.bvh" for name in names], workers=0)
        answer = library.request(seconds=2.0, kind="walk", speed=1.1, curvature=0.2, height=1.6)
    assert answer.feasible
    assert max(answer.off.values()) < 0.01


@pytest.mark.data
def test_a_library_of_captures_without_the_word_makes_a_tired_walk_as_the_manual_asks(data_folder, tmp_path):
    files = [data_folder / f"cmu-bvh/16/16_{number}.bvh" for number in (15, 21, 31)]
    with warnings.catch_warnings(), Library.at(tmp_path / "library", create=True) as library:
        warnings.simplefilter("ignore", mo.MotionWarning)
        add_captures(library, files, workers=0)
        answer = library.request(kind="walk", speed=1.1, mood={"tired": 0.3}, height=1.6)
    assert answer.feasible, answer.reason
    assert "the embedded actor's tired walk" in {part.clip for part in answer.made_of}
    assert footing(answer.clip).slip_mm_max < 1.0
