"""How many harmonics each node fills: the tables of the thesis, and laws that hold everywhere."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.blending.single_source.stacks import (
    FULL_RAMP,
    HALF_RAMP,
    STRUCTURES,
    face_weights,
    largest_remainder,
    thesis_rounding,
    totals,
)

TENTHS = [i / 10 for i in range(11)]
ORDERS = list(itertools.permutations(range(3)))
STEPS = 60


@st.composite
def places(draw, corners=3):
    """Weights of a place, some of them 0 now and then, with ranks in any order."""
    raw = draw(st.lists(st.sampled_from([0.0, 1.0, 2.0]) | st.floats(0.0, 1.0), min_size=corners, max_size=corners))
    raw = [x if x > 1e-6 else 0.0 for x in raw]
    if not any(raw):
        raw[draw(st.integers(0, corners - 1))] = 1.0
    return [x / sum(raw) for x in raw], draw(st.permutations(range(corners)))


def lattice():
    return [(i, j, STEPS - i - j) for i in range(STEPS + 1) for j in range(STEPS + 1 - i)]


def letters(weight_b, structure="half ramp", b_wins=True):
    """The stack of an edge from its lowest harmonic up, as a word."""
    ranks = [0, 1] if b_wins else [1, 0]
    amounts = totals([1.0 - weight_b, weight_b], ranks, 5, STRUCTURES[structure].stop)
    counts = largest_remainder(amounts, ranks)
    return "".join("ab"[i] for i in STRUCTURES[structure].pattern([0, 1], counts, ranks))


def test_table_7_1_counts_of_both_nodes_along_an_edge():
    type_b = [letters(w).count("b") for w in TENTHS]
    assert type_b == [0, 1, 2, 3, 4, 5, 5, 5, 5, 5, 5]
    assert [5 - k for k in type_b] == [5, 4, 3, 2, 1, 0, 0, 0, 0, 0, 0]


def test_table_7_2_the_winner_comes_in_from_the_top():
    table = ["aaaaa", "aaaab", "aaabb", "aabbb", "abbbb", *["bbbbb"] * 6]
    assert [letters(w) for w in TENTHS] == table


def test_table_7_3_the_other_winner_goes_out_from_the_bottom():
    table = [*["aaaaa"] * 6, "baaaa", "bbaaa", "bbbaa", "bbbba", "bbbbb"]
    assert [letters(w, b_wins=False) for w in TENTHS] == table


def test_rejected_structures_are_those_the_thesis_describes():
    assert [letters(w, "low last") for w in TENTHS[:6]] == ["aaaaa", "baaaa", "bbaaa", "bbbaa", "bbbba", "bbbbb"]
    assert [letters(w, "full ramp").count("b") for w in TENTHS] == [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    assert letters(0.5, "interleaved") == "babab"
    assert letters(0.5, "interleaved", b_wins=False) == "ababa"


@given(places())
def test_edge_weights_sum_to_one(place):
    weights, _ = place
    np.testing.assert_allclose(sum(face_weights(weights)), 1.0, atol=1e-12)


def test_edge_weights_are_one_on_the_edge_and_a_third_in_the_middle():
    np.testing.assert_allclose(face_weights([0.3, 0.7, 0.0]), [0.0, 0.0, 1.0], atol=1e-15)
    np.testing.assert_allclose(face_weights([1 / 3] * 3), [1 / 3] * 3, atol=1e-15)
    np.testing.assert_allclose(face_weights([0.5, 0.3, 0.2]), [0.4 * 3 / 8, 0.4 * 5 / 8, 0.6], atol=1e-15)
    np.testing.assert_allclose(face_weights([0.25] * 4), [0.25] * 4, atol=1e-15)


@given(st.integers(2, 4).flatmap(places), st.integers(1, 12), st.sampled_from([HALF_RAMP, FULL_RAMP]))
def test_counts_are_not_negative_and_sum_to_the_width_of_the_band(place, width, stop):
    weights, ranks = place
    amounts = totals(weights, ranks, width, stop)
    np.testing.assert_allclose(sum(amounts), width, atol=1e-12)
    for rounding in (largest_remainder, thesis_rounding):
        counts = rounding(amounts, ranks)
        assert min(counts) >= 0
        assert sum(counts) == width


@given(places(), st.floats(0.001, 1.0))
def test_what_an_edge_answers_is_constant_along_rays_from_the_opposite_corner(place, scale):
    weights, ranks = place
    a, b = weights[0] + 0.01, weights[1]
    moved = [a * scale, b * scale]
    np.testing.assert_allclose(totals([a, b], ranks[:2], 5), totals(moved, ranks[:2], 5), atol=1e-9)


@given(st.integers(3, 4).flatmap(places), st.data())
def test_on_a_face_the_opposite_corner_has_no_say(place, data):
    weights, ranks = place
    out = data.draw(st.integers(0, len(weights) - 1))
    weights[out] = 0.0
    if not any(weights):
        weights[out - 1] = 1.0
    kept = [i for i in range(len(weights)) if i != out]
    inner = totals(weights, ranks, 5)
    np.testing.assert_allclose(inner[out], 0.0, atol=1e-12)
    alone = totals([weights[i] for i in kept], [ranks[i] for i in kept], 5)
    np.testing.assert_allclose([inner[i] for i in kept], alone, atol=1e-12)


@given(places(), st.permutations(range(3)))
def test_the_order_in_which_corners_are_named_means_nothing(place, order):
    weights, ranks = place
    amounts = totals(weights, ranks, 5)
    named_otherwise = totals([weights[i] for i in order], [ranks[i] for i in order], 5)
    np.testing.assert_allclose([amounts[i] for i in order], named_otherwise, atol=1e-12)


@pytest.mark.parametrize("ranks", ORDERS)
@pytest.mark.parametrize("stop", [HALF_RAMP, FULL_RAMP])
def test_neighbouring_places_differ_by_one_harmonic_of_a_node_at_most(ranks, stop):
    counts = {at: largest_remainder(totals([x / STEPS for x in at], ranks, 5, stop), ranks) for at in lattice()}
    for (i, j, k), here in counts.items():
        for step in ((1, -1, 0), (1, 0, -1), (0, 1, -1)):
            there = counts.get((i + step[0], j + step[1], k + step[2]), here)
            assert max(abs(a - b) for a, b in zip(here, there, strict=True)) <= 1


@given(st.floats(0.0, 1.0 / 3.0), st.sampled_from(ORDERS), st.integers(0, 2), st.booleans())
@settings(max_examples=200)
def test_crossing_a_median_changes_no_count_by_more_than_one(least, ranks, corner, far):
    other = 1.0 - 2.0 * least if far else least
    alike = least if far else (1.0 - least) / 2.0
    base = [alike, alike, alike]
    base[corner] = other
    i, j = (k for k in range(3) if k != corner)
    sides = []
    for step in (1e-7, -1e-7):
        weights = list(base)
        weights[i] = max(weights[i] + step, 0.0)
        weights[j] = max(weights[j] - step, 0.0)
        sides.append(largest_remainder(totals(weights, ranks, 5), ranks))
    assert max(abs(a - b) for a, b in zip(*sides, strict=True)) <= 1


def test_a_tie_on_an_edge_goes_to_the_winner_as_in_equation_7_1():
    for ranks, winner in (([0, 2, 1], 1), ([2, 0, 1], 0)):
        weights = [0.25, 0.25, 0.0]
        weights[1 - winner] = 0.75
        for rounding in (largest_remainder, thesis_rounding):
            counts = rounding(totals(weights, ranks, 5), ranks)
            assert (counts[winner], counts[2]) == (3, 0)


def test_the_repair_as_printed_would_make_counts_negative():
    assert thesis_rounding([2.5, 2.5, 0.0], [0, 1, 2]) == [2, 3, 0]
    assert thesis_rounding([1.4, 2.3, 1.3], [0, 1, 2]) == [1, 3, 1]
    assert largest_remainder([1.4, 2.3, 1.3], [0, 1, 2]) == [2, 2, 1]
