"""Captured-like flaws: each switched by itself, the same for the same seed, and none in a clean performance."""

from dataclasses import replace

import numpy as np
import pytest

from mocapella.actor import CAPTURED, CLEAN, Imperfections, capture, captures, ground_points, perform, repertoire
from mocapella.geometry import quaternions

FLAWS = ("asymmetry", "detail", "variation", "drift", "noise", "framing")


def apart(a, b):
    n = min(len(a), len(b))
    return np.abs(a.positions[:n] - b.positions[:n]).max()


def test_the_same_seed_gives_the_same_clip_and_another_seed_another():
    first, again, other = (perform("walk", seed=seed, imperfections=CAPTURED)[0] for seed in (3, 3, 4))
    assert apart(first, again) == 0.0
    assert apart(first, other) > 0.01


def test_a_clean_performance_does_not_depend_on_the_seed():
    assert apart(perform("run", seed=1)[0], perform("run", seed=2)[0]) == 0.0


@pytest.mark.parametrize("flaw", FLAWS)
def test_each_flaw_alone_changes_something(flaw):
    clean, _ = perform("walk", seed=5)
    flawed, _ = perform("walk", seed=5, imperfections=replace(CLEAN, **{flaw: 1.0}))
    assert apart(clean, flawed) > 1e-4


@pytest.mark.parametrize("flaw", FLAWS)
def test_switching_one_flaw_off_leaves_the_laws_of_the_rest(flaw):
    clip, truth = perform("walk", seed=5, imperfections=replace(CAPTURED, **{flaw: 0.0}))
    assert len(clip) == len(truth.phases)


@pytest.mark.parametrize("flaw", ["asymmetry", "detail", "variation", "drift", "framing"])
def test_only_the_sensors_make_planted_feet_slip(flaw):
    clip, truth = perform("walk", seed=7, imperfections=replace(CLEAN, **{flaw: 1.0}))
    points = ground_points(clip)
    for contact, rows in truth.contacts.items():
        for first, last in rows:
            planted = points[contact][first : last + 1]
            assert np.linalg.norm(planted - planted[0], axis=-1).max() < 1e-3


def test_asymmetry_makes_left_and_right_differ():
    def difference(imperfections):
        clip, truth = perform("walk", seed=2, imperfections=imperfections)
        half = 0.5 * truth.period * clip.frame_rate
        frames = np.arange(60)
        arms = [
            quaternions.to_rotvec(clip.rotations_wxyz[:, clip.skeleton.index(f"{s}ForeArm")])[:, 1]
            for s in ("Left", "Right")
        ]
        return np.abs(-arms[0][frames] - np.interp(frames + half, np.arange(len(clip)), arms[1])).max()

    assert difference(CLEAN) < 0.01
    assert difference(replace(CLEAN, asymmetry=1.0)) > 0.01


def test_cycles_vary_and_ends_do_not_match():
    clip, truth = perform("walk", seed=2, imperfections=CAPTURED)
    cycles = len(clip) / (truth.period * clip.frame_rate)
    assert abs(cycles - round(cycles)) > 0.02
    assert quaternions.angle_between(clip.rotations_wxyz[0, 1:], clip.rotations_wxyz[-1, 1:]).max() > 0.05


def test_captures_start_anywhere_facing_anywhere():
    clips = [perform("walk", seed=seed, imperfections=CAPTURED) for seed in range(6)]
    assert np.ptp([truth.phases[0] for _, truth in clips]) > 1.0
    assert np.ptp([quaternions.yaw(clip.rotations_wxyz[:1, 0])[0] for clip, _ in clips]) > 1.0


def test_noise_is_of_the_size_of_a_good_camera_system():
    clean, _ = perform("stand", imperfections=CLEAN)
    noisy, _ = perform("stand", imperfections=replace(CLEAN, noise=1.0))
    shake = np.linalg.norm(noisy.positions - clean.positions, axis=-1)
    assert 1e-4 < np.sqrt((shake**2).mean()) < 3e-3


def test_dropouts_and_jumps_are_there_where_the_truth_says():
    clip, truth = perform("walk", seed=9, imperfections=Imperfections(dropouts=4, jumps=3))
    assert len(truth.dropouts) == 4
    assert len(truth.jumps) == 3
    np.testing.assert_array_equal(np.flatnonzero((clip.root_positions == 0.0).all(axis=-1)), truth.dropouts)
    leaps = quaternions.angle_between(clip.rotations_wxyz[1:], clip.rotations_wxyz[:-1]).max(axis=-1)
    for frame in truth.jumps:
        assert np.degrees(leaps[frame - 1]) > 14.0


def test_no_flaws_no_faults():
    _, truth = perform("walk")
    assert truth.dropouts == truth.jumps == ()


def test_truth_follows_the_drift():
    clip, truth = perform("walk", speed=1.3, cycles=6.0, seed=4, imperfections=replace(CLEAN, drift=1.0))
    assert truth.speed != 1.3
    later = round(truth.period * clip.frame_rate)
    gone = np.linalg.norm(clip.root_positions[later:, ::2] - clip.root_positions[:-later, ::2], axis=-1).mean()
    np.testing.assert_allclose(gone * clip.frame_rate / later, truth.speed, rtol=0.02)


def test_the_whole_repertoire_is_performed_and_no_two_clips_share_their_length_by_design():
    lengths = {}
    for name, clip, truth in captures():
        assert len(clip) == len(truth.phases)
        lengths[name] = len(clip)
    assert tuple(lengths) == repertoire()
    walks = [lengths[f"{pace} walk straight"] for pace in ("slow", "medium", "fast")]
    assert len(set(walks)) == 3


def test_a_capture_can_be_had_by_name_at_any_rate():
    clip, _ = capture("medium walk left", frame_rate=30.0)
    assert clip.frame_rate == 30.0
    assert clip.name == "medium walk left"


def test_the_opposed_pair_has_its_sixth_harmonics_in_anti_phase():
    def sixth(name):
        clip, truth = capture(name, imperfections=CLEAN)
        yaws = quaternions.to_rotvec(clip.rotations_wxyz[:, clip.skeleton.index("Head")])[:, 1]
        frames = np.arange(round(3 * truth.period * clip.frame_rate))
        return np.mean(yaws[frames] * np.exp(-6j * np.unwrap(truth.phases)[frames]))

    one, other = sixth("sixth harmonic walk"), sixth("opposed sixth harmonic walk")
    assert abs(one) > np.radians(0.2)
    assert abs(np.angle(one / -other)) < 0.2
