"""Blends of real captures: they walk straight, keep their speed, and come near to what was left out."""

from __future__ import annotations

import functools
import math
from dataclasses import replace

import numpy as np
import pytest

import mocapella as mo
from benchmarks.tables.left_out import left_out
from mocapella.analysis.fourier import analyse, synthesise
from mocapella.analysis.likeness import joint_error
from mocapella.analysis.prepare import prepare
from mocapella.analysis.synchronise import synchronise
from mocapella.blending.arithmetic import with_quality
from mocapella.blending.bank import blend
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.blending.rules import naive_blend, phasor_blend
from mocapella.building.layout.evening import smooth_nodes
from mocapella.building.layout.placement import STRIDE_AND_SPEED
from mocapella.steering.calibration import Calibration, calibrated, rates

pytestmark = [pytest.mark.data, pytest.mark.filterwarnings("ignore::mocapella.errors.MotionWarning")]


@functools.cache
def walks(folder):
    trials = (15, 21, 24, 26, 31, 47, 58)
    cycles = synchronise([prepare(mo.load(folder / f"cmu-bvh/16/16_{i}.bvh")) for i in trials])
    return dict(zip(trials, (analyse(cycle, harmonics=10) for cycle in cycles), strict=True))


def test_half_a_veer_left_and_half_a_veer_right_walk_straight(data_folder):
    left, right = walks(data_folder)[24], walks(data_folder)[26]
    assert np.degrees(left.turn) > 30.0
    assert np.degrees(right.turn) < -30.0
    assert abs(np.degrees(blend([left, right], (0.5, 0.5)).turn)) < 8.0


def test_speed_runs_evenly_between_a_slow_and_a_fast_walk(data_folder):
    slow, fast = walks(data_folder)[15], walks(data_folder)[21]
    speeds = [blend([slow, fast], (1.0 - w, w)).speed for w in np.linspace(0.0, 1.0, 11)]
    assert (np.diff(speeds) > 0.0).all()
    np.testing.assert_allclose(speeds, np.linspace(slow.speed, fast.speed, 11), rtol=0.03)


def test_blended_foot_plants_begin_between_those_of_the_walks(data_folder):
    slow, fast = walks(data_folder)[15], walks(data_folder)[21]
    shares = [s.contacts.share("left") for s in (slow, blend([slow, fast], (0.5, 0.5)), fast)]
    assert min(shares[0], shares[2]) - 0.02 <= shares[1] <= max(shares[0], shares[2]) + 0.02


def test_blended_quaternions_stay_near_unit_length_and_naive_ones_do_not_have_to(data_folder):
    spectra = [walks(data_folder)[i] for i in (15, 21, 47)]
    phases = np.linspace(0.0, 2.0 * np.pi, 50)

    def worst(rule):
        mixed = blend(spectra, (0.4, 0.3, 0.3), rule=rule).at(phases)[:, :-4].reshape(50, -1, 4)
        return np.abs(np.linalg.norm(mixed, axis=-1) - 1.0).max()

    assert worst(phasor_blend) < 0.05
    assert worst(phasor_blend) <= worst(naive_blend)


def test_what_a_left_turn_has_over_a_walk_turns_a_slow_walk(data_folder):
    slow, walk, left = (walks(data_folder)[i] for i in (15, 21, 24))
    made = with_quality(slow, walk, left)
    expected = rates(slow)[0] + rates(left)[0] - rates(walk)[0]
    np.testing.assert_allclose(rates(made)[0], expected, atol=1e-9)


def test_walks_left_out_are_predicted_as_well_as_another_take_by_stride_and_speed(data_folder):
    takes = {  # cm by which two captures of one person at equal speed differ
        "07": (2.7, [f"cmu-asfamc/07/07_{i:02d}.amc" for i in range(1, 12)]),
        "16": (1.5, [f"cmu-bvh/16/16_{i}.bvh" for i in (15, 21, 31, 47, 58)]),
        "08": (2.9, [f"cmu-bvh/08/08_{i:02d}.bvh" for i in (1, 4, 7, 11)]),
    }
    means = []
    for apart, names in takes.values():
        cases = left_out([prepare(mo.load(data_folder / name)) for name in names], STRIDE_AND_SPEED)
        errors = []
        for case in cases:
            spots = STRIDE_AND_SPEED.scaled(np.array([*case.network.points, case.point]))
            nearest = case.others[int(np.argmin(np.linalg.norm(spots[:-1] - spots[-1], axis=1)))]
            naive = []
            for start in np.linspace(0.0, 2.0 * np.pi, 4, endpoint=False):  # naive blends depend on where cycles begin
                nodes = [replace(node, spectrum=node.spectrum.starting_at(start)) for node in case.network.nodes]
                made = Network(nodes, case.network.triangles, rule=naive_blend).blend(case.point)
                naive.append(joint_error(synthesise(made, case.target.n_frames), case.target))
            ours = case.error(case.network.blend(case.point).coefficients)
            errors.append((ours, np.mean(naive), joint_error(nearest, case.target)))
        means.append(np.mean(errors, axis=0))
        assert 100.0 * means[-1][0] < apart
    ours, naive, nearest = np.mean(means, axis=0)
    assert ours < 0.85 * naive
    assert ours < nearest


def test_a_walk_left_out_is_predicted_better_by_a_network_evened_out(data_folder):
    straight = {trial: walks(data_folder)[trial] for trial in (15, 21, 31, 47, 58)}
    errors = []
    for trial in (31, 47, 58):
        others = [Node(str(i), (0.0, s.speed), s) for i, s in straight.items() if i != trial]
        goal, target = (0.0, straight[trial].speed), straight[trial]
        made = [network.blend(goal) for network in (Network(others), smooth_nodes(Network(others)))]
        errors.append([np.linalg.norm((one - target).coefficients[:, :-4]) for one in made])
    as_captured, even = np.mean(errors, axis=0)
    assert even < 0.9 * as_captured


def test_a_calibrated_network_of_captures_walks_as_asked(data_folder):
    network = calibrated({str(trial): walks(data_folder)[trial] for trial in (15, 21, 24, 26, 47)})
    answer = Calibration(network).request(0.1, 1.5)
    assert answer.feasible
    np.testing.assert_allclose((answer.turn_rate, answer.speed), (0.1, 1.5), atol=1e-4)


@pytest.mark.parametrize("speed", [0.0, 0.5, 5.0])
def test_straight_on_is_straight_in_a_network_of_captures_whatever_the_speed(data_folder, speed):
    network = calibrated({str(trial): walks(data_folder)[trial] for trial in (15, 21, 24, 26, 47)})
    answer = Calibration(network).request(0.0, speed)
    assert not answer.feasible
    np.testing.assert_allclose(answer.turn_rate, 0.0, atol=math.radians(0.1))
