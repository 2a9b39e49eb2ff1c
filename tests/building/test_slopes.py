"""Captures on slopes in networks, which are level: left out or levelled, never taken as they are."""

import functools
import math
import warnings

import pytest

import mocapella as mo
from mocapella.actor import CAPTURED, perform
from mocapella.analysis.cycles.find import find_cycle, find_cycles
from mocapella.analysis.cycles.slope import SLOPED, slope_of
from mocapella.analysis.prepare import prepare
from mocapella.building.build import build
from mocapella.building.level_ground import side_of
from mocapella.building.takes import cycles_in
from mocapella.editing.feet.incline import incline
from mocapella.errors import MotionWarning
from mocapella.measure.mechanics import mechanics
from mocapella.motion.clip import concatenate

AS_USUAL = {"turning": None, "method": "symmetric", "layout": "quaternion"}


@functools.cache
def walk(speed=1.1, slope=0.0, cycles=5.0):
    name = f"{'uphill' if slope > 0 else 'downhill' if slope < 0 else 'level'} {speed}"
    return perform("walk", speed=speed, slope=slope, cycles=cycles, imperfections=CAPTURED)[0].renamed(name)


def flights(network, node):
    point = network.nodes[network.names.index(node)].at
    return len(mechanics(mo.record(mo.Player(network, point=point), seconds=4, frame_rate=60)).flights)


@pytest.mark.parametrize("slope", [-0.12, -0.06, 0.0, 0.06, 0.12])
def test_the_slope_of_a_cycle_is_that_of_its_ground(slope):
    assert slope_of(find_cycle(walk(slope=slope))) == pytest.approx(slope, abs=0.01)


def test_a_cycle_in_place_has_no_slope():
    assert slope_of(find_cycle(perform("stand")[0])) == 0.0


@pytest.mark.parametrize(
    "file", ["07/07_04", "08/08_04", "16/16_41", "16/16_53", "104/104_01", "104/104_22", "137/137_16"]
)
def test_floors_of_studios_are_level_though_they_are_calibrated_a_degree_off(data_folder, file):
    """The captures whose root, whose ground or whose plants alone tell the steepest slopes of all."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MotionWarning)
        found = find_cycles(mo.load(data_folder / "cmu-bvh" / f"{file}.bvh"))
    assert max(abs(slope_of(one)) for one in found) < 0.75 * SLOPED


def test_captures_on_slopes_are_left_out_by_name_where_there_are_level_ones():
    asked = [walk(0.8), walk(1.1, -0.12), walk(1.6), walk(1.1, 0.12)]
    with pytest.warns(
        MotionWarning, match=r"2 of 4 .*downhill 1.1 was captured on a slope of -6\.\d°.*--incline 6\.\d"
    ):
        assert build(asked).network.names == ("level 0.8", "level 1.6")


def test_uphill_and_downhill_alone_are_levelled_and_not_merged():
    asked = [walk(1.1, -0.12), walk(1.1, 0.12)]
    with pytest.warns(
        MotionWarning, match=r"brought to level ground.*downhill 1.1 \(-6\.\d°\), uphill 1.1 \(\+6\.\d°\)"
    ):
        network = build(asked, merge=True).network
    assert {side_of(cycle) for one in asked for cycle in cycles_in(one, **AS_USUAL)} == {"uphill", "downhill"}
    assert set(network.names) == {"downhill 1.1", "uphill 1.1"}
    assert [flights(network, name) for name in network.names] == [0, 0]


def test_a_downhill_walk_that_is_closed_as_it_is_flies_and_a_levelled_one_does_not():
    (level,) = cycles_in(walk(1.1, -0.12), **AS_USUAL)
    assert "level" in [decision.step for decision in level.decisions]
    closed, made = (build([cycle]).network for cycle in (prepare(walk(1.1, -0.12)), level))
    assert flights(closed, "downhill 1.1") > 0
    assert flights(made, "downhill 1.1") == 0


def test_each_kind_of_a_take_over_a_hill_is_levelled_by_its_own_slope():
    up, down = walk(0.8, 0.12), walk(1.5, -0.12)
    over = concatenate([up, down.moved(0.0, 0.0)])
    cycles = cycles_in(over, **AS_USUAL)
    assert {side_of(cycle) for cycle in cycles} == {"uphill", "downhill"}


def test_a_prepared_cycle_on_a_slope_is_kept_also_from_a_file(tmp_path):
    mo.save(prepare(walk(1.3, 0.12)), tmp_path / "steep.moca")
    with warnings.catch_warnings():
        warnings.simplefilter("error", MotionWarning)
        built = build([walk(0.8), walk(1.7), tmp_path / "steep.moca"])
    assert len(built.network.names) == 3


def test_an_inclined_capture_is_levelled_by_the_opposite_slope():
    level = walk(1.1)
    there = incline(level, slope=8.0)
    assert math.degrees(slope_of(find_cycle(there))) == pytest.approx(8.0, abs=0.5)
    back = incline(there, slope=-8.0)
    assert abs(math.degrees(slope_of(find_cycle(back)))) < 0.5
