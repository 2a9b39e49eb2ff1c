"""Turns on the spot by commands alone: performed, cut into a cycle, built into a network, played in place."""

import pytest

from mocapella.studies.demo import write_captures

NAMES = ("slow walk straight", "slow walk sharp left", "turn left")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("captures")
    write_captures(NAMES, place)
    return place


def test_the_cycle_of_a_turn_is_two_steps_on_the_spot(answer, folder):
    found = answer("cycles", folder / "turn-left.bvh")
    best = found["cycles"][0]
    assert best["steps"] == 2
    assert best["speed"] < 0.02
    assert best["turn"] == pytest.approx(92.0, abs=4.0)


def test_a_network_with_a_turn_is_built_and_turns_in_place(answer, folder, tmp_path, recwarn):
    network = tmp_path / "turning.moca"
    built = answer("build", *sorted(folder.glob("*.bvh")), "-o", network)
    places = {node["name"]: tuple(node["at"]) for node in built["nodes"]}
    assert places["turn-left"] == pytest.approx((91.7, 0.0), abs=1.0)
    assert places["turn-left mirrored"] == pytest.approx((-91.7, 0.0), abs=1.0)
    found = answer("play", network, "-o", tmp_path / "spin.bvh", "--point", 90, 0, "--seconds", 4, "--rate", 30)
    assert found["turn"] == pytest.approx(360.0, abs=10.0)
    assert found["distance"] < 0.1
    assert found["slip_mm_max"] < 1.0
    assert not [warning for warning in recwarn if "outside" in str(warning.message)]
