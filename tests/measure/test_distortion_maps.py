"""Maps of distortion: what lies where, what became better, and what is written down."""

import csv
import json
from dataclasses import replace

import numpy as np
import pytest

import mocapella as mo
from mocapella.blending.rules import phasor_blend
from mocapella.errors import MotionError
from mocapella.measure.coherence import edges, phase_differences
from mocapella.measure.distortion import Yardstick, distortion
from mocapella.measure.distortion_maps import Improvement, Survey, energies, grid, liveliness, save_maps
from mocapella.measure.traces import COLUMNS, distortion_by_harmonics, root_paths, save_traces, trace_contributions


@pytest.fixture(scope="module")
def survey(network):
    return Survey(network, columns=21, rows=9)


@pytest.fixture(scope="module")
def maps(survey, streamlined):
    return survey.map(streamlined), survey.map()


def test_a_map_holds_the_distortion_of_its_points_and_nothing_outside(network, streamlined, maps):
    before, after = maps
    assert before.values.shape == (9, 21)
    inside = np.array([[network.place(point).inside for point in row] for row in before.points])
    np.testing.assert_array_equal(np.isfinite(before.values), inside)
    assert before.samples == inside.sum()
    row, column = np.argwhere(inside)[before.samples // 2]
    at = before.points[row, column]
    assert before.values[row, column] == pytest.approx(distortion(streamlined, at))
    assert after.values[row, column] == pytest.approx(distortion(network, at))
    assert distortion(streamlined, before.worst) == pytest.approx(before.max)


def test_columns_are_summed_up_as_they_stand(maps):
    before, _ = maps
    for column in range(21):
        own = before.values[:, column][np.isfinite(before.values[:, column])]
        if len(own):
            assert before.column_max[column] == own.max()
            assert before.column_mean[column] == pytest.approx(own.mean())
        else:
            assert np.isnan(before.column_max[column])


def test_rows_of_the_table_add_up_and_nothing_changes_against_itself(maps):
    before, after = maps
    rows = Improvement(before, after).table()
    assert [row.threshold for row in rows] == [0.0, 0.05, 0.1, 0.15, 0.2, 0.25]
    for row in rows:
        assert row.improved + row.worsened + row.unchanged == pytest.approx(1.0)
    assert rows[0].improved > 0.5
    assert (np.diff([row.improved for row in rows]) <= 0.0).all()
    for row in Improvement(before, before).table():
        assert (row.improved, row.worsened, row.unchanged) == (0.0, 0.0, 1.0)
    back = Improvement(after, before).table()
    assert back[0].worsened == pytest.approx(rows[0].improved)


def test_hotspots_are_counted_on_the_scale_of_before(maps):
    before, after = maps
    known = before.measured
    assert before.hotspots() == (known >= 0.67 * known.max()).sum() > 0
    both = Improvement(before, after)
    assert both.hotspots == (before.hotspots(), after.hotspots(before.max))
    assert both.hotspots_gone == 1.0 - both.hotspots[1] / both.hotspots[0]
    assert both.to_dict()["table"][1]["threshold_percent"] == 5.0


def test_maps_of_different_grids_are_not_compared(network, maps):
    with pytest.raises(MotionError, match="one survey"):
        Improvement(maps[0], Survey(network, columns=5, rows=3).map())


def test_a_chain_is_mapped_along_its_line_and_a_node_at_itself(network):
    chain = mo.Network(network.nodes[:2])
    found = Survey(chain, columns=9, rows=7).map()
    assert found.values.shape == (1, 9)
    assert found.samples == 9
    np.testing.assert_allclose(found.values[0, [0, -1]], 0.0, atol=1e-9)
    assert found.max > 0.005
    alone = Survey(mo.Network(network.nodes[:1])).map()
    assert (alone.samples, alone.hotspots()) == (1, 0)
    assert alone.max == pytest.approx(0.0, abs=1e-9)


def test_where_nothing_steps_there_is_no_map(network):
    still = mo.Network([replace(node, synchronised=False) for node in network.nodes], network.triangles)
    with pytest.raises(MotionError, match="step of both feet"):
        Survey(still, columns=5, rows=3)
    with pytest.raises(MotionError, match="take more columns"):
        Survey(network, columns=1, rows=1)
    with pytest.raises(MotionError, match="0 × 3"):
        grid(network, 0, 3)


def test_liveliness_is_one_at_nodes_and_less_the_more_phase_angles_disagree(network, survey, maps):
    before, after = maps[0], survey.map(mo.Network(network.nodes, network.triangles, rule=phasor_blend))
    inside = np.isfinite(before.values)
    linear, phasors = before.liveliness()[inside], after.liveliness()[inside]
    assert (phasors <= linear + 1e-12).all()  # |Σ w c| ≤ Σ w |c| …
    assert (linear <= 1.0 + 1e-12).all()  # … whose square is at most Σ w |c|²
    alone = Survey(mo.Network(network.nodes[:1])).map()
    np.testing.assert_allclose(alone.liveliness((1, 10)), 1.0)
    with pytest.raises(MotionError, match="band"):
        after.liveliness((11, 12))
    assert np.isnan(after.liveliness()[~inside]).all()


def test_swings_of_one_and_three_in_step_keep_four_fifths_of_their_energy():
    swings = np.zeros((2, 8, 5), complex)
    swings[0, 7, 0], swings[1, 7, 0] = 1.0, 3.0
    weights = np.array([0.5, 0.5])
    blended = energies(np.tensordot(weights, swings, axes=1))
    assert liveliness(blended, energies(swings), weights) == pytest.approx(2.0**2 / ((1.0 + 9.0) / 2.0))
    assert liveliness(blended, energies(swings), weights, (1, 5)) == 1.0  # nothing there to lose


def test_opposed_upper_harmonics_leave_no_life_in_their_mean(network):
    spectrum = network.nodes[0].spectrum
    opposed = replace(spectrum, coefficients=spectrum.coefficients * np.where(np.arange(11) >= 6, -1, 1)[:, None])
    pair = mo.Network([mo.Node("a", (0, 0), spectrum), mo.Node("b", (1, 0), opposed)])
    found = Survey(pair, columns=3).map()
    np.testing.assert_allclose(found.liveliness()[0], [1.0, 0.0, 1.0], atol=1e-12)
    np.testing.assert_allclose(found.liveliness((1, 5))[0], 1.0)


def test_what_harmonics_add_to_a_trace_adds_up_to_it(network, inside):
    parts = trace_contributions(network, inside[0], frames=64)
    stages = Yardstick(network, [inside[0]], samples=64).traces(0)
    assert set(parts) == {"left", "right"}
    for stage in stages:
        np.testing.assert_allclose(parts[stage.foot].sum(axis=0), stage.places, atol=1e-12)
        swings = np.ptp(parts[stage.foot][1:, :, 0], axis=1)
        assert swings[0] > 10 * swings[-1]


def test_the_last_harmonic_brings_the_distortion_to_what_it_is(network, inside):
    growing = distortion_by_harmonics(network, inside)
    assert growing.shape == (10, len(inside))
    np.testing.assert_allclose(growing[-1], Yardstick(network, inside).measure().scores)
    np.testing.assert_allclose(distortion_by_harmonics(network, network.points), 0.0, atol=1e-9)


def test_the_root_of_a_node_keeps_to_its_ideal_way_and_that_of_a_blend_sways(network, streamlined, inside):
    for way in root_paths(streamlined, network.points[2]):
        np.testing.assert_allclose(way.deviation, 0.0, atol=1e-9)
    for way in root_paths(streamlined, inside[0]):
        assert 1e-4 < way.sway < 0.05
        np.testing.assert_allclose(way.played[0], 0.0)
        assert way.played[-1, 0] == pytest.approx(0.0, abs=1e-9)
        assert 0.4 < way.played[-1, 1] < 1.0
        assert 0.3 < way.seconds[-1] < 1.2


def test_nodes_begun_later_are_found_out_of_step(network):
    assert np.degrees(phase_differences(network)).max() < 15.0
    late = network.with_spectra({network.names[0]: network.nodes[0].spectrum.starting_at(np.radians(60.0))})
    touched = (edges(network.corners) == 0).any(axis=1)
    moved = np.degrees(phase_differences(late) - phase_differences(network))
    np.testing.assert_allclose(moved[~touched], 0.0, atol=1e-9)
    assert (np.abs(np.degrees(phase_differences(late))[touched] - 60.0) < 15.0).all()


@pytest.mark.parametrize("suffix", ["npz", "json", "csv"])
def test_maps_are_written_and_read_back(maps, tmp_path, suffix):
    path = tmp_path / f"maps.{suffix}"
    before, after = maps
    save_maps({"before": before, "after": after}, path)
    inside = np.isfinite(before.values)
    if suffix == "npz":
        with np.load(path, allow_pickle=False) as read:
            np.testing.assert_array_equal(read["after_uhd"], after.values)
    elif suffix == "json":
        read = json.loads(path.read_text())
        values = np.array([[np.nan if value is None else value for value in row] for row in read["before_uhd"]])
        np.testing.assert_array_equal(values, before.values)
    else:
        rows = list(csv.DictReader(path.open()))
        assert len(rows) == inside.sum()
        np.testing.assert_allclose([float(row["before_left"]) for row in rows], before.feet[inside][:, 0], rtol=1e-8)
    with pytest.raises(MotionError, match="suffix"):
        save_maps({"before": before}, tmp_path / "maps.txt")


def test_traces_are_written_as_they_are_measured(network, inside, tmp_path):
    stages = Yardstick(network, [inside[0]]).traces(0)
    save_traces({'a "quoted" name': stages}, tmp_path / "traces.csv")
    rows = list(csv.DictReader((tmp_path / "traces.csv").open()))
    assert tuple(rows[0]) == COLUMNS
    assert rows[0]["network"] == 'a "quoted" name'
    assert len(rows) == 200 * len(stages)
    np.testing.assert_allclose([float(row["blend_x"]) for row in rows[:200]], stages[0].blend[:, 0], atol=1e-9)
    with pytest.raises(MotionError, match="csv"):
        save_traces({"a": stages}, tmp_path / "traces.txt")
