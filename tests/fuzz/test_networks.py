"""Stored networks, plain and hybrid, damaged in every way: refused with a reason, or played."""

from random import Random

import pytest

from tests.fuzz.network_cases import make_network_case, run_network_case, stored_networks
from tests.fuzz.network_damage import damaged_arrays, damaged_bytes, damaged_header

SEED = 20090917
COUNT = 15


def test_the_undamaged_networks_are_played(tmp_path):
    for content in set(stored_networks()):
        assert run_network_case(content, tmp_path) == "played"


@pytest.mark.parametrize("damage", [damaged_bytes, damaged_header, damaged_arrays])
def test_a_damaged_hybrid_network_is_refused_or_played(tmp_path, damage):
    hybrid = stored_networks()[0]
    outcomes = {run_network_case(damage(hybrid, Random(f"{SEED}/{i}")), tmp_path) for i in range(COUNT)}
    assert "refused" in outcomes


def test_a_damaged_network_of_any_kind_is_refused_or_played(tmp_path):
    for number in range(COUNT):
        run_network_case(make_network_case(SEED, number), tmp_path)


def test_a_case_is_the_same_every_time():
    assert make_network_case(1, 2) == make_network_case(1, 2)
    assert make_network_case(1, 2) != make_network_case(1, 3)
