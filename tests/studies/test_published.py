"""Synchronising by the hips, with the published table."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.analysis.closing.cyclify import cyclify
from mocapella.blending.rules import streamlined_blend, unit_blend
from mocapella.building.sources import gather
from mocapella.errors import MotionError
from mocapella.rig.legs import hip_angles
from mocapella.studies.published import (
    average_offset,
    best_offset,
    difference_table,
    synchronised_by_hips,
    worst_offset,
)

# Table 6.1: the sums for a cycle of 102 frames against two nodes; rows left out in print lie between their neighbours.
PUBLISHED = {
    0: (56.81, 55.66), 1: (56.77, 55.68), 2: (58.01, 55.69), 76: (56.77, 55.33), 77: (56.77, 8.46), 78: (7.28, 9.44),
    79: (7.20, 55.62), 80: (57.29, 55.60), 99: (56.78, 55.58), 100: (56.79, 55.43), 101: (56.83, 55.64),
}  # fmt: skip


def published_table() -> np.ndarray:
    rows = sorted(PUBLISHED)
    values = np.array([PUBLISHED[row] for row in rows])
    return np.stack([np.interp(np.arange(102), rows, column) for column in values.T], axis=-1)


def test_the_published_table_gives_the_published_offset():
    table = published_table()
    assert [worst_offset(column) for column in table.T] == [78.5, 77.5]
    assert best_offset(table) == 27
    assert best_offset(table[:, [0]]) == 28  # half a frame is rounded up


@given(first=st.floats(0.0, 101.9), second=st.floats(0.0, 101.9))
@settings(max_examples=50, deadline=None)
def test_the_average_offset_lies_midway_on_the_shorter_side(first, second):
    if abs(abs(first - second) - 51.0) < 1e-6:
        return
    middle = np.exp(2j * np.pi * average_offset(first, second, 102) / 102)
    sides = [np.exp(2j * np.pi * offset / 102) for offset in (first, second)]
    np.testing.assert_allclose(abs(middle - sides[0]), abs(middle - sides[1]), atol=1e-9)
    assert abs(middle - sides[0]) <= np.sqrt(2.0) + 1e-9


def test_a_low_range_may_run_over_the_end_of_the_table():
    sums = np.full(100, 50.0)
    sums[[98, 99, 0, 1, 2]] = [9.0, 7.0, 6.0, 6.0, 8.0]
    np.testing.assert_allclose(worst_offset(sums), 0.0)


@given(start=st.floats(0.0, 1.0))
@settings(max_examples=12, deadline=None)
def test_gaits_shifted_by_a_known_amount_are_found_within_two_frames(walk, start):
    reference = cyclify(walk(250, period=113.0), (20, 133))
    other = cyclify(walk(250, period=102.0, start=start, size=0.9, uneven=0.1), (20, 122))
    found = synchronised_by_hips(other, [reference])
    left = [np.angle(np.fft.rfft(hip_angles(c)[:, 0] - hip_angles(c)[:, 1])[1]) for c in (reference, found)]
    apart = abs((left[1] - left[0] + np.pi) % (2 * np.pi) - np.pi)
    assert apart / (2 * np.pi) * 102 <= 2.0


def test_hip_angles_are_the_same_in_both_layouts(walk):
    clip = walk(200)
    one, other = (hip_angles(cyclify(clip, (20, 140), layout=kind)) for kind in ("quaternion", "euler"))
    np.testing.assert_allclose(one, other, atol=1e-9)


def test_a_table_has_a_row_for_every_offset_and_a_column_for_every_reference(walk):
    cycles = [cyclify(walk(200, start=start), (20, 140)) for start in (0.0, 0.3, 0.6)]
    assert difference_table(cycles[0], cycles[1:]).shape == (120, 2)


def test_phasor_blends_of_hips_are_means_in_time(walk):
    first, second = (cyclify(walk(250, start=start), (20, 140)) for start in (0.0, 0.2))
    swings = [np.diff(hip_angles(cycle), axis=1)[:, 0] for cycle in (first, second)]
    means = [0.5 * (np.roll(swings[0], -offset) + swings[1]) for offset in (0, 31, 77)]
    sums = difference_table(first, [second])[[0, 31, 77], 0]
    np.testing.assert_allclose(sums, np.abs(means).sum(axis=1), rtol=0.02)  # ten harmonics of all


def test_the_sums_of_captured_walks_drop_as_sharply_as_published_by_the_rule_of_2010(data_folder):
    files = [data_folder / "cmu-bvh" / "16" / f"16_{take}.bvh" for take in (47, 58)]
    cycle, reference = gather(files).cycles
    phasors, units, streamlined = (
        difference_table(cycle, [reference], **rule)[:, 0]
        for rule in ({}, {"rule": unit_blend}, {"rule": streamlined_blend})
    )
    low = units < 0.5 * np.median(units)
    assert 1 <= low.sum() <= 4  # 2 of 102 are printed
    assert units[low].max() < 0.25 * np.median(units)  # 7.20 to 9.44 of 57 are printed
    assert units[~low].min() > 0.9 * np.median(units)
    assert (phasors < 0.5 * np.median(phasors)).sum() > 20
    assert streamlined.min() > 0.4 * np.median(streamlined)
    worst = [worst_offset(sums) for sums in (phasors, units)]
    assert abs(worst[0] - worst[1]) <= 1.5
    by_units = synchronised_by_hips(cycle, [reference], rule=unit_blend)
    assert by_units.decisions[-1].numbers["frames"] == best_offset(units[:, None])


def test_three_references_are_one_too_many():
    with pytest.raises(MotionError, match="one or two references, got 3"):
        best_offset(np.ones((10, 3)))
