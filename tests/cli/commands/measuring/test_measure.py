"""``mocapella measure``: numbers, data and pictures of a stored network."""

from dataclasses import replace

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.measure.footskate import trial_places

WALKS = ((0.9, 0.0), (1.6, 0.0), (1.3, 0.7))


@pytest.fixture(scope="module")
def network():
    clips = [perform("walk", speed=v, turn=w, imperfections=CLEAN)[0].renamed(f"{v:g} {w:g}") for v, w in WALKS]
    return mo.build_network(clips, mirror=False)


@pytest.fixture(scope="module")
def stored(network, tmp_path_factory):
    path = tmp_path_factory.mktemp("net") / "walks.moca"
    mo.save(network, path)
    return path


def test_a_network_is_measured_all_over(answer, stored):
    found = answer("measure", stored, "--grid", "15x7", "--no-play")
    assert (found["rule"], found["harmonics"], found["single_source"]) == ("lively", 10, None)
    uhd = found["uhd"]
    assert set(uhd) >= {"mean", "max", "hotspots", "samples"}
    assert 0.0 < uhd["mean"] < uhd["max"] < 0.5
    assert 0 < uhd["samples"] < 15 * 7
    assert found["before"]["hotspots"] > 0
    assert 0.0 < found["sync_deg_max"] < 30.0
    assert 0.3 < found["liveliness"]["min"] <= found["liveliness"]["mean"] <= 1.0
    table = found["change"]["table"]
    assert [row["threshold_percent"] for row in table] == [0, 5, 10, 15, 20, 25]
    for row in table:
        assert row["improved_percent"] + row["worsened_percent"] + row["unchanged_percent"] == pytest.approx(100.0)


def test_distortion_is_told_for_ankles_toes_ends_of_legs_and_hands(answer, run, stored):
    found = answer("measure", stored, "--grid", "9x5", "--no-play", "--joint", "end")
    points = found["uhd_points"]
    assert set(points) == {"ankle", "toe", "end", "hand"}
    assert len({traced["mean"] for traced in points.values()}) == 4
    for key in ("mean", "max", "hotspots", "samples"):
        assert points["end"][key] == found["uhd"][key]
        assert points["end"]["before"][key] == found["before"][key]
    ankles = answer("measure", stored, "--grid", "9x5", "--no-play")
    assert ankles["uhd_points"] == points
    assert ankles["uhd"]["mean"] == points["ankle"]["mean"]
    told = run("measure", stored, "--grid", "9x5", "--no-play").stdout
    hands = "{mean:.3f} / {max:.3f}".format(**points["hand"])
    assert hands in next(line for line in told.splitlines() if line.startswith("hand"))


def test_a_network_against_its_own_rule_is_unchanged(answer, stored):
    found = answer("measure", stored, "--grid", "9x5", "--no-play", "--against", "lively")
    assert found["change"]["table"][0]["unchanged_percent"] == 100.0
    assert found["uhd"]["max"] == found["before"]["max"]
    assert found["uhd"]["hotspots"] == found["before"]["hotspots"] > 0
    assert found["slip_mm_max"] is None


def test_feet_are_played_at_every_point_of_the_grid_that_was_asked_for(answer, run, stored, network):
    found = answer("measure", stored, "--grid", "5")
    feet = found["feet"]
    inside = [point for point in feet["places"] if network.place(point).inside]
    assert len(feet["places"]) == len(inside) == len(trial_places(network)) + found["uhd"]["samples"]
    assert len(feet["slip_mm"]) == len(feet["penetration_mm"]) == len(inside)
    assert found["slip_mm_max"] == max(feet["slip_mm"]) > 0.0
    assert found["penetration_mm_max"] == max(feet["penetration_mm"])
    assert found["approach_m_s_max"] == max(feet["approach_m_s"]) > 0.1  # who walks sets feet down that still move
    assert len(feet["approach_m_s"]) == len(inside)
    assert feet["slip_at"] == feet["places"][int(np.argmax(feet["slip_mm"]))]
    assert feet["slipping"] == sum(slip > 1.0 for slip in feet["slip_mm"]) == 0
    told = run("measure", stored, "--grid", "2").stdout
    assert "m/s: speed of a foot over the ground in the three frames before it rests" in " ".join(told.split())
    assert "0 of 8 with more than 1 mm of slip" in " ".join(told.split())


def test_data_and_pictures_are_written(run, stored, tmp_path):
    pytest.importorskip("matplotlib")
    files = {name: tmp_path / f"{name}.png" for name in ("map", "columns", "traces", "contributions", "phases")}
    options = [word for name, path in files.items() for word in (f"--{name}", path)]
    data = tmp_path / "maps.npz"
    result = run("measure", stored, "--grid", "9x5", "--no-play", "--at", 5.0, 1.3, "--data", data, *options)
    assert result.exit_code == 0, result.stderr
    assert "liveliness" in result.stdout
    assert "improved %" in result.stdout
    for path in files.values():
        assert path.read_bytes().startswith(b"\x89PNG")
    with np.load(data, allow_pickle=False) as read:
        assert read["after_uhd"].shape == (5, 9)
    assert run("measure", stored, "--grid", "9x5", "--no-play", "--traces", tmp_path / "t.csv").exit_code == 0
    assert (tmp_path / "t.csv").read_text().startswith("network,foot")


def test_a_single_node_is_played_and_has_no_distortion(answer, network, tmp_path):
    mo.save(mo.Network(network.nodes[:1]), tmp_path / "one.moca")
    found = answer("measure", tmp_path / "one.moca")
    assert found["slip_mm_max"] <= 1.0
    assert found["penetration_mm_max"] <= 5.0
    assert 0.0 <= found["closing_cm_max"] < 0.01
    assert found["uhd"]["samples"] == 1
    assert found["uhd"]["hotspots"] == 0
    assert found["uhd"]["max"] == pytest.approx(0.0, abs=1e-9)
    assert found["sync_deg_max"] == 0.0


def test_a_network_is_tried_at_nodes_and_half_way_between_them(network):
    places = trial_places(network)
    assert len(places) == 3 + 3 + 1
    assert places[:3] == [node.at for node in network.nodes]
    np.testing.assert_allclose(places[-1], network.points.mean(axis=0))
    assert len(trial_places(mo.Network(network.nodes[:2]))) == 2 + 1
    assert trial_places(mo.Network(network.nodes[:1])) == [network.nodes[0].at]


def test_what_cannot_be_measured_is_refused_in_one_line(run, network, stored, tmp_path):
    bare = network.with_spectra({node.name: replace(node.spectrum, contacts=None) for node in network.nodes})
    mo.save(bare, tmp_path / "bare.moca")
    result = run("measure", tmp_path / "bare.moca")
    assert result.exit_code == 1
    assert result.stderr.startswith("error: no foot plants are known of 0.9 0")
    assert run("measure", tmp_path / "missing.moca").exit_code == 1
    assert run("measure", stored, "--grid", "9by5").exit_code == 2
    wrong = run("measure", stored, "--grid", "9x5", "--no-play", "--data", tmp_path / "maps.txt")
    assert wrong.exit_code == 1
    assert "suffix" in wrong.stderr


def test_of_a_hybrid_network_every_block_that_steps_is_measured(answer, run, network, tmp_path):
    still = mo.Network([replace(network.nodes[0], synchronised=False)])
    path = tmp_path / "hybrid.moca"
    mo.save(mo.HybridNetwork({"walking": network, "standing": still}), path)
    found = answer("measure", path, "--grid", "9x5", "--no-play")
    alone = answer("measure", path, "--grid", "9x5", "--no-play", "--block", "walking")
    assert found["blocks"]["walking"] == alone
    assert "step of both feet" in found["blocks"]["standing"]["reason"]
    assert found["uhd"]["max"] == alone["uhd"]["max"]
    assert (found["rule"], found["slip_mm_max"]) == ("lively", None)
    for options, reason in (
        (["--block", "running"], "no block 'running'; there are walking, standing"),
        (["--data", tmp_path / "map.npz"], "are of one block"),
    ):
        result = run("measure", path, "--grid", "9x5", "--no-play", *options)
        assert result.exit_code == 1
        assert reason in result.stderr
    assert "walking" in run("measure", path, "--grid", "9x5", "--no-play").stdout
