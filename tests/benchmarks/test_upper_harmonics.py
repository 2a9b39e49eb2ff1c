"""The experiment on upper harmonics: candidates, captures left out, and what is said of both."""

import json

import numpy as np
import pytest

import mocapella as mo
from benchmarks.tables.left_out import left_out
from benchmarks.tables.upper_harmonics import LIVELY, STREAMLINED, Study
from mocapella.analysis.likeness import joint_error
from mocapella.blending.rules import phasor_blend
from mocapella.errors import MotionError
from mocapella.measure.coherence import node_errors
from mocapella.studies.published import by_rule


@pytest.fixture(scope="module")
def cycles(walks):
    return [mo.prepare(walk) for walk in walks]


@pytest.fixture(scope="module")
def study(network, cycles):
    return Study(network, {"walks": left_out(cycles)}, columns=9, rows=5)


def test_the_streamlined_rule_changes_nothing_against_itself(study):
    found = study.judge(STREAMLINED)
    assert found.change.table()[0].unchanged == 1.0
    assert not found.goals["improved"]
    assert found.goals["worsened"]


def test_a_verdict_says_in_plain_numbers_what_was_measured(study, network):
    found = study.judge(LIVELY)
    told = json.loads(json.dumps(found.to_dict()))
    own = study.survey.map()  # the network's own rule is the same
    hotspots = own.hotspots(study.before.max)
    assert told["uhd"] == {"mean": own.mean, "max": own.max, "hotspots": hotspots, "samples": own.samples}
    assert told["liveliness"]["mean"] == pytest.approx(float(np.nanmean(own.liveliness())))
    assert set(told["goals"]) == {"hotspots_gone", "improved", "worsened", "liveliness"}
    errors = []
    for one in study.sets["walks"]:
        made = mo.synthesise(one.network.blend(one.point), one.target.n_frames)
        errors.append(joint_error(made, one.target))
    assert told["left_out_cm"]["walks"] == pytest.approx(100.0 * np.mean(errors))
    assert 0.2 < told["left_out_cm"]["walks"] < 8.0


def test_upper_harmonics_are_needed_for_a_study_of_them(network):
    few = mo.Network(network.nodes, network.triangles, harmonics=5)
    with pytest.raises(MotionError, match="begins with the sixth"):
        Study(few, {}, columns=5, rows=3)


def test_only_captures_between_others_are_left_out(cycles):
    speeds = sorted(cycle.speed for cycle in cycles)
    cases = left_out(cycles)
    assert sorted(one.target.speed for one in cases) == speeds[1:-1]
    for one in cases:
        assert one.target.name not in [cycles[int(name)].name for name in one.network.names]


def test_a_cycle_is_no_distance_from_itself_begun_elsewhere(cycles):
    assert joint_error(cycles[0], cycles[0].starting_at(1.0)) < 1e-6
    assert joint_error(cycles[0], cycles[1]) > 0.005


def test_more_harmonics_miss_the_motion_by_less(cycles):
    errors = node_errors(cycles[0], (1, 3, 5, 10))
    assert (np.diff(errors) < 0.0).all()
    assert node_errors(cycles[0], (cycles[0].n_frames // 2 - 1,))[0] < 1e-3


def test_another_rule_over_the_same_nodes_keeps_everything_else(network):
    other = by_rule(network, phasor_blend)
    assert other.triangles == network.triangles
    assert other.rule is phasor_blend
