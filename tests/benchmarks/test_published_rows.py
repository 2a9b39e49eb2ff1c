"""Rows of published tables: delays of transitions, a known bad blend, edited motions."""

import numpy as np
import pytest

from benchmarks.tables import edited_motions, known_bad_blend, latencies
from mocapella.actor import perform
from mocapella.analysis.fourier import analyse
from mocapella.analysis.prepare import prepare
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.rig.roles import find_roles
from mocapella.studies.demo import demo_hybrid


@pytest.mark.parametrize("name", ["run-walk", "walk-twirl-walk"])
def test_a_transition_is_waited_for_half_a_cycle_as_equation_6_4_says(name, monkeypatch):
    monkeypatch.setattr(latencies, "_TRIGGERS", 50)
    hybrid = demo_hybrid(mirrored=False)
    arc = hybrid.arc(name)
    mean, largest_step = latencies.delay(hybrid, arc)
    assert mean == pytest.approx(0.5 * arc.transition.before.duration, rel=0.05)
    assert largest_step < 1.1


def test_the_largest_radius_of_a_turn_is_that_of_its_circle_and_the_sway_of_the_steps():
    speed, turn = 1.1, 1.0
    walk = prepare(perform("walk", speed=speed, turn=turn)[0])
    alone = Network([Node("walk", (0.0, 0.0), analyse(walk, harmonics=10))])
    radius = known_bad_blend.largest_radius(alone, (0.0, 0.0))
    assert speed / turn < radius < speed / turn + 0.1


def test_blends_of_a_pair_are_measured_foot_by_foot_against_the_plain_one(network):
    found = known_bad_blend.measured(network)
    plain, *others = found["ways"]
    assert plain["change_percent"] == [0.0, 0.0]
    for way in others:
        expected = 100.0 * (np.array(way["feet_rad"]) / plain["feet_rad"] - 1.0)
        np.testing.assert_allclose(way["change_percent"], expected)
    assert len(found["ways"]) == 4


def test_the_bend_of_an_elbow_is_that_of_the_law_of_cosines():
    clip = perform("knock", style="angry")[0]
    roles = find_roles(clip.skeleton)
    shoulder, elbow, wrist = (clip.positions[:, roles[f"right_{part}"]] for part in ("shoulder", "elbow", "wrist"))
    a, b, c = (np.linalg.norm(p - q, axis=-1) for p, q in ((elbow, shoulder), (wrist, elbow), (wrist, shoulder)))
    inner = np.degrees(np.arccos((a**2 + b**2 - c**2) / (2.0 * a * b)))
    np.testing.assert_allclose(edited_motions.elbow_bend(clip), 180.0 - inner, atol=1e-6)


def test_a_duck_under_goes_below_what_a_walk_does_not_with_its_feet_where_they_were():
    duck = edited_motions.duck_under()
    heads = duck.positions[:, find_roles(duck.skeleton)["head"], 1]
    assert heads.min() < heads[0] - 0.4
    assert abs(int(heads.argmin()) - 235) < 30
    assert heads[-1] == pytest.approx(heads[0], abs=0.05)
