"""The check of a network by playing it: nothing is said of sound motions, and planted faults are found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import mocapella as mo
from benchmarks.strangers.planted import FAULTS
from mocapella.actor import perform
from mocapella.analysis.fourier import analyse
from mocapella.errors import MotionError, NetworkError
from mocapella.measure import check as check_module
from mocapella.measure.check import TESTS, check_blocks, check_network
from mocapella.measure.motion_figures import MotionFigures

MOTIONS = (("walk", 0.8, 0.0), ("walk", 1.2, 0.0), ("walk", 1.6, 0.0), ("walk", 1.2, 0.7), ("walk", 1.3, -0.6))


@pytest.fixture(scope="module")
def cycles():
    clips = [
        perform(action, speed=speed, turn=turn, seed=i)[0].renamed(f"{speed:g} {turn:g}")
        for i, (action, speed, turn) in enumerate(MOTIONS)
    ]
    return [mo.prepare(clip) for clip in clips]


@pytest.fixture(scope="module")
def sound(cycles):
    return mo.build_network(cycles)


def test_nothing_is_found_in_a_sound_network_and_the_verdict_says_so(sound):
    check = check_network(sound)
    assert check.findings == ()
    assert check.lines() == [f"good: {check.n_places} places played, all as captured"]
    check.refuse()


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found_at_its_node(cycles, fault):
    spoiled = [FAULTS[fault](cycle) if i == 1 else cycle for i, cycle in enumerate(cycles)]
    network = mo.build_network(spoiled, thin=False)
    check = check_network(network)
    assert any(finding.nodes == (cycles[1].name,) for finding in check.findings)
    assert check.verdict.startswith(("fair: ", "poor: "))
    with pytest.raises(NetworkError, match="places played"):
        check.refuse()


def test_every_finding_exceeds_its_limit_and_says_what_helps(cycles):
    spoiled = [FAULTS["upside down"](cycles[0]), *cycles[1:]]
    findings = check_network(mo.build_network(spoiled, thin=False)).findings
    assert findings
    for finding in findings:
        assert finding.figure > finding.limit == TESTS[finding.what].limit
        assert finding.helps
        assert {"where", "what", "figure", "limit"} <= set(finding.to_dict())


@pytest.mark.parametrize("times", [0.1, 3.0])
def test_figures_do_not_depend_on_the_size_of_the_body(cycles, times):
    spectrum = analyse(cycles[1], 10)
    layout = replace(spectrum.layout, skeleton=spectrum.layout.skeleton.scaled(times))
    coefficients = np.array(spectrum.coefficients)
    lengths = [spectrum.layout.index(name) for name in ("height", "ahead", "left")]
    coefficients[:, lengths] *= times
    own, other = (
        MotionFigures.of_spectrum(one)
        for one in (spectrum, replace(spectrum, coefficients=coefficients, layout=layout))
    )
    assert other.leg == pytest.approx(times * own.leg)
    for name in ("height", "velocity", "turn", "knees"):
        assert getattr(other, name) == pytest.approx(getattr(own, name), rel=1e-6, abs=1e-9)
    np.testing.assert_allclose(other.steps, own.steps, rtol=1e-6)
    assert own.unlike(other) == pytest.approx(0.0, abs=1e-3)
    slips = [look.low_and_slow.slip_mm_mean / look.leg for look in (own, other)]
    assert slips[0] == pytest.approx(slips[1], rel=1e-6)


def test_large_networks_are_played_at_their_nodes_first(sound, monkeypatch):
    monkeypatch.setattr(check_module, "MOST_PLACES", len(sound.nodes) + 2)
    played = []
    check = check_network(sound, progress=lambda: played.append(1))
    assert check.n_places == len(played) == len(sound.nodes) + 2


def test_blocks_are_told_apart_by_name(cycles, sound):
    spoiled = mo.build_network([FAULTS["travel × 1.5"](cycles[0]), *cycles[1:]], thin=False)
    check = check_blocks({"walking": sound, "spoiled": spoiled})
    assert check.n_places == check_network(sound).n_places + check_network(spoiled).n_places
    assert check.findings
    assert all(finding.where.startswith("spoiled: ") for finding in check.findings)


def test_bodies_without_legs_are_refused():
    skeleton = mo.Skeleton.of(["hips", "tail"], [-1, 0], [[0, 1, 0], [0, 0, -0.3]])
    clip = mo.Clip(skeleton, np.tile([0.0, 1.0, 0.0], (20, 1)), np.tile([1.0, 0.0, 0.0, 0.0], (20, 2, 1)), 20.0)
    from mocapella.motion.cycle import Cycle
    from mocapella.motion.layout import layout_of

    layout = layout_of("quaternion", skeleton)
    dofs = layout.dofs(np.array(clip.rotations_wxyz), np.tile([1.0, 0.0, 0.0, 0.0], (20, 1)))
    network = mo.Network([mo.Node("tail", (0.0, 0.0), analyse(Cycle(layout, dofs, 20.0), 4))])
    with pytest.raises(MotionError, match="its feet cannot be followed"):
        check_network(network)
