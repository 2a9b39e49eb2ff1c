"""Nodes of transitions lie at the turn and speed they are played at, in blocks that are laid out so."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import capture
from mocapella.building.spec.make_hybrid import build_hybrid_spec
from mocapella.gait.root_motion import played_rates
from mocapella.hybrid.builder import HybridBuilder
from tests.hybrid.hybrids import RUNS, WALKS, transition

pytestmark = pytest.mark.filterwarnings("ignore::mocapella.errors.MotionWarning")

SPEC = """\
[[blocks]]
name = "walking"
files = ["walks"]

[[blocks]]
name = "running"
files = ["runs"]

[[transitions]]
name = "off"
file = "off.bvh"
source = "walking"
target = "running"
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    place = tmp_path_factory.mktemp("hybrid")
    for folder, names in (("walks", WALKS), ("runs", RUNS)):
        (place / folder).mkdir()
        for name in names:
            mo.save(capture(name)[0], place / folder / f"{name}.bvh")
    mo.save(capture("walk-run")[0], place / "off.bvh")
    (place / "spec.toml").write_text(SPEC)
    return build_hybrid_spec(place / "spec.toml", measure=played_rates).hybrid


def test_the_axis_called_speed_is_the_speed_in_every_block(built):
    for block in built.blocks.values():
        for node in block.network.nodes:
            assert node.at[1] == pytest.approx(played_rates(node.spectrum)[1], rel=0.02), node.name


def test_a_point_half_way_up_is_played_at_its_own_speed(built):
    for name in built.blocks:
        network = built.network(name, "armed")
        for corners in network.corners[:6]:
            point = network.points[corners].mean(axis=0)
            assert played_rates(network.blend(tuple(point)))[1] == pytest.approx(point[1], rel=0.08)


def test_without_a_measure_a_node_lies_among_those_most_like_it():
    walks = mo.build_network([capture(name)[0] for name in WALKS])
    plain, laid = (HybridBuilder({"walking": walks}, measure=one) for one in (None, played_rates))
    twirl = transition("walk-twirl-walk")
    speeds = []
    for builder in (plain, laid):
        node = builder.with_transition(twirl, "walking").blocks["walking"].network.node("walk-twirl-walk before")
        speeds.append((node.at[1], played_rates(node.spectrum)[1]))
    assert abs(speeds[0][0] - speeds[0][1]) > 0.05
    assert speeds[1][0] == pytest.approx(speeds[1][1], abs=1e-3)


def test_every_way_in_is_a_sound_triangle(built):
    for block in built.blocks.values():
        for names in block.buffers:
            points = np.array([block.network.node(name).at for name in names]) / np.ptp(block.network.points, axis=0)
            sides = [np.linalg.norm(a - b) for a, b in itertools.combinations(points, 2)]
            (ax, ay), (bx, by), (cx, cy) = points
            area = 0.5 * abs((bx - ax) * (cy - ay) - (by - ay) * (cx - ax))
            assert area > 0.01 * max(sides) ** 2


def test_a_block_founded_on_a_transition_lies_at_its_played_speed():
    draft = HybridBuilder(measure=played_rates).with_transition(transition("walk-run"), "walking", "running")
    for name in ("walking", "running"):
        (node,) = draft.blocks[name].network.nodes
        assert node.at[1] == pytest.approx(played_rates(node.spectrum)[1])
