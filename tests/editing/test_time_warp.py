"""The path of least work between two motions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.editing.time_warp import least_work, warp_path
from mocapella.geometry.curves import catmull_rom

SIGNAL = np.stack([np.sin(np.linspace(0.0, 9.0, 181)), np.cos(np.linspace(0.0, 14.0, 181))], axis=1)


@settings(max_examples=15)
@given(size=st.floats(-0.035, 0.035), waves=st.integers(1, 3), length=st.integers(120, 260))
def test_a_warped_copy_of_a_signal_is_recovered_within_a_frame(size, waves, length):
    u = np.linspace(0.0, 1.0, length)
    at = 180.0 * (u + size / waves * np.sin(2.0 * np.pi * waves * u))
    rows, columns = least_work(SIGNAL, catmull_rom(SIGNAL, at))
    assert np.abs(rows - at[columns]).max() <= 1.6  # pairs are whole samples of both
    assert min(np.diff(rows).min(), np.diff(columns).min()) >= 1  # never back, never still
    assert (rows[0], columns[0], rows[-1], columns[-1]) == (0, 0, 180, length - 1)


def test_a_signal_paired_with_itself_is_itself():
    rows, columns = least_work(SIGNAL, SIGNAL)
    np.testing.assert_array_equal(rows, columns)


def test_exchanging_the_signals_exchanges_the_pairs():
    other = catmull_rom(SIGNAL, np.linspace(0.0, 180.0, 150) ** 1.02 / 180.0**0.02)
    rows, columns = least_work(SIGNAL, other)
    back = least_work(other, SIGNAL)
    there = np.interp(np.arange(150), columns, rows)
    np.testing.assert_allclose(np.interp(np.arange(150), *back), there, atol=1.5)


def test_work_is_not_more_than_that_of_any_other_path():
    rng = np.random.default_rng(3)
    one, two = rng.normal(size=(7, 2)), rng.normal(size=(6, 2))
    assert cost(one, two, *least_work(one, two)) == pytest.approx(
        min(cost(one, two, *zip(*p, strict=True)) for p in paths())
    )


def paths(at=(0, 0)):
    """All paths by the steps allowed, from the start to samples 6 and 5."""
    if at == (6, 5):
        yield [at]
    for p, q in ((1, 1), (1, 2), (2, 1), (1, 3), (3, 1)):
        if at[0] + p <= 6 and at[1] + q <= 5:
            for rest in paths((at[0] + p, at[1] + q)):
                yield [at, *rest]


def cost(one, two, rows, columns):
    total = 0.0
    for a, b, c, d in zip(rows[:-1], columns[:-1], rows[1:], columns[1:], strict=True):
        x, y = one[c] - one[a], two[d] - two[b]
        sizes = np.linalg.norm(x), np.linalg.norm(y)
        total += 0.5 * (c - a + d - b) * np.sum((one[c] - two[d]) ** 2)
        total += (sizes[0] - sizes[1]) ** 2 + 2.0 * (sizes[0] * sizes[1] - x @ y)
    return total


def test_a_motion_of_another_length_is_warped_onto_it_from_end_to_end():
    slow, fast = (perform("walk", speed=speed, cycles=3.0, imperfections=CLEAN)[0] for speed in (0.9, 1.4))
    one, two = warp_path(slow, fast)
    assert min(np.diff(one).min(), np.diff(two).min()) > 0.0
    np.testing.assert_allclose([one[0], two[0], one[-1], two[-1]], [0, 0, slow.n_frames - 1, fast.n_frames - 1])


def test_motions_of_very_unlike_length_are_refused_with_what_helps():
    walk = perform("walk", seconds=4.0)[0]
    with pytest.raises(mo.MotionError, match=r"at most three times as long.*align=length"):
        warp_path(walk, walk[:100])
