"""``mocapella build``: networks from files and specs, and answers as the contract has them."""

import functools
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mocapella as mo
from benchmarks.strangers.planted import FAULTS
from mocapella.actor import CLEAN, perform
from mocapella.blending.interpolants import natural_neighbours, nearest_neighbours
from mocapella.blending.single_source import setup
from mocapella.building.layout.evening import smooth_nodes
from mocapella.geometry.simplices import random_points
from mocapella.measure.distortion import Yardstick
from mocapella.storage.stored_networks import load_with_origins
from tests.analysis.regression.noisy_clips import shaken

WALKS = {"slow": (0.9, 0.0), "fast": (1.6, 0.0), "left": (1.4, 0.6)}


@pytest.fixture(scope="module")
def walks(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("walks")
    for name, (speed, turn) in WALKS.items():
        mo.save(perform("walk", speed=speed, turn=turn, imperfections=CLEAN)[0], folder / f"{name}.bvh")
    return folder


def test_files_become_a_network_that_loads(answer, walks, tmp_path):
    files = [walks / f"{name}.bvh" for name in WALKS]
    found = answer("build", *files, "-o", tmp_path / "net.moca")
    assert {"nodes", "triangles", "arcs"} <= set(found)
    assert found["arcs"] == []
    assert [node["name"] for node in found["nodes"]] == ["slow", "fast", "left", "left mirrored"]
    names = {node["name"] for node in found["nodes"]}
    assert all(len(three) == 3 and set(three) <= names for three in found["triangles"])
    left = found["nodes"][2]
    assert left["source"] == str(walks / "left.bvh")
    assert left["at"] == [pytest.approx(left["turn"] / left["seconds"]), pytest.approx(left["speed"])]
    assert left["turn"] / left["seconds"] == pytest.approx(np.degrees(0.6), abs=2.0)
    network = mo.load_network(tmp_path / "net.moca")
    assert [list(names) for names in network.triangles] == found["triangles"]


def test_noise_of_the_noisiest_capture_is_told_and_kept(answer, walks, tmp_path):
    clip = perform("walk", speed=1.1, cycles=5.0, frame_rate=30.0, imperfections=CLEAN)[0]
    mo.save(shaken(clip, degrees=3.0, centimetres=2.0), tmp_path / "noisy.bvh")
    net = tmp_path / "net.moca"
    assert answer("build", walks / "slow.bvh", walks / "fast.bvh", "-o", net)["noise_mm"] < 2.0
    told = answer("build", walks / "fast.bvh", tmp_path / "noisy.bvh", "-o", net)
    assert told["noise_mm"] == pytest.approx(31.0, rel=0.2)
    assert answer("info", net)["files"][0]["noise_mm"] == told["noise_mm"]
    steps = load_with_origins(net)[1]["noisy"].steps
    assert any(step.startswith("regress: the mean of 5.0 repetitions") for step in steps)


@pytest.fixture(scope="module")
def acclaim(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("acclaim")
    for name in ("slow", "fast"):
        clip = perform("walk", speed=WALKS[name][0], imperfections=CLEAN)[0]
        mo.save(clip, folder / f"{name}.amc", skeleton=folder / "actor.asf")
    return folder


@pytest.mark.parametrize("named", ["the folder", "all its files"])
def test_skeletons_beside_motions_are_no_motions(answer, acclaim, tmp_path, named):
    places = [acclaim] if named == "the folder" else sorted(acclaim.iterdir())
    found = answer("build", *places, "-o", tmp_path / "net.moca")
    assert {node["name"] for node in found["nodes"]} == {"fast", "slow"}


def test_a_skeleton_alone_is_refused_for_what_it_is(run, acclaim, tmp_path):
    result = run("build", acclaim / "actor.asf", "-o", tmp_path / "net.moca")
    assert result.exit_code == 1
    assert "actor.asf: a skeleton without motion; give the .amc files that go with it" in result.stderr


def test_a_subject_of_captured_motions_is_built_from_its_folder(answer, data_folder, tmp_path):
    found = answer("build", data_folder / "cmu-asfamc/07", "-o", tmp_path / "net.moca")
    assert all(node["source"].endswith(".amc") for node in found["nodes"])
    assert len(found["nodes"]) > 5


def test_one_motion_and_two_make_no_triangles(answer, walks, tmp_path):
    alone = answer("build", walks / "slow.bvh", "-o", tmp_path / "one.moca")
    assert alone["triangles"] == []
    assert "segments" not in alone
    pair = answer("build", walks / "slow.bvh", walks / "fast.bvh", "-o", tmp_path / "two.moca")
    assert pair["triangles"] == []
    assert pair["segments"] == [["slow", "fast"]]


def test_other_weights_are_asked_for_by_name_and_kept(answer, run, walks, tmp_path):
    for name, kind in (("natural", natural_neighbours), ("nearest-3", nearest_neighbours(3)), ("triangles", None)):
        answer("build", walks, "-o", tmp_path / "net.moca", "--interpolant", name)
        assert mo.load_network(tmp_path / "net.moca").interpolant == kind
    result = run("build", walks, "-o", tmp_path / "net.moca", "--interpolant", "smooth")
    assert result.exit_code == 2
    assert "there is no interpolant 'smooth'" in result.stderr
    result = run("build", walks, "-o", tmp_path / "net.moca", "--interpolant", "bilinear")
    assert result.exit_code == 1
    assert "need a full grid" in result.stderr


def test_two_bodies_are_named_with_what_helps(run, walks, tmp_path):
    clip = mo.load(walks / "fast.bvh")
    mo.save(replace(clip, skeleton=clip.skeleton.scaled(1.1)), tmp_path / "large.bvh")
    result = run("build", walks / "slow.bvh", tmp_path / "large.bvh", "-o", tmp_path / "net.moca", "--strict")
    assert result.exit_code == 1
    assert "'large' has another skeleton than 'slow': it is 1.1 times as large; --unit cm" in result.stderr
    assert "share one skeleton; retarget(motion, skeleton) carries one over" in result.stderr
    assert "Cycle(" not in result.stderr


def test_a_folder_that_is_empty_or_not_there_is_told_as_that(run, tmp_path):
    result = run("build", tmp_path / "walks", "-o", tmp_path / "net.moca")
    assert result.exit_code == 1
    assert "there is no such file or folder" in result.stderr
    (tmp_path / "walks").mkdir()
    for command in (("build", tmp_path / "walks", "-o", tmp_path / "net.moca"), ("convert", tmp_path, tmp_path / "x")):
        result = run(*command, *(("--to", "bvh") if command[0] == "convert" else ()))
        assert result.exit_code == 1
        assert "or below it; those looked for end in .bvh, .amc" in result.stderr


def test_a_folder_stands_for_its_files(answer, walks, tmp_path):
    found = answer("build", walks, "-o", tmp_path / "net.moca", "--no-mirror")
    assert sorted(node["name"] for node in found["nodes"]) == ["fast", "left", "slow"]


def test_missing_turns_are_substituted_on_request(answer, walks, tmp_path):
    found = answer("build", walks, "-o", tmp_path / "net.moca", "--substitute")
    sources = {node["name"]: node["source"] for node in found["nodes"]}
    named = {source: name for name, source in sources.items()}
    assert re.fullmatch(r"walk \d\.\d m/s, left \d+°", named["slow + (left − fast)"])
    assert len(sources) == 6


def test_cycles_are_closed_as_asked(answer, walks, tmp_path):
    answer("build", walks, "-o", tmp_path / "net.moca", "--method", "feet_kept")
    closed = [step for origin in load_with_origins(tmp_path / "net.moca")[1].values() for step in origin.steps]
    assert sum(step.startswith("cyclify: closed (feet kept)") for step in closed) >= 3


def test_places_are_those_of_what_is_played_unless_others_are_asked_for(answer, walks, tmp_path):
    found = answer("build", walks, "-o", tmp_path / "net.moca")
    network = mo.load_network(tmp_path / "net.moca")
    assert [node["name"] for node in found["nodes"]] == list(network.names)
    for row, node in zip(found["nodes"], network.nodes, strict=True):
        assert node.at[1] == pytest.approx(mo.Player(node.spectrum).speed)
        assert row["speed"] == pytest.approx(node.at[1])
    answer("build", walks, "-o", tmp_path / "net.moca", "--as-captured")
    for node in mo.load_network(tmp_path / "net.moca").nodes:
        assert node.at[1] == pytest.approx(node.spectrum.speed)


def test_a_spec_can_be_laid_out_as_played_unless_it_places_its_nodes(run, answer, walks, tmp_path):
    (walks / "laid.toml").write_text("".join(f'[[nodes]]\nname = "{name}"\nfile = "{name}.bvh"\n' for name in WALKS))
    answer("build", walks / "laid.toml", "-o", tmp_path / "net.moca")
    for node in mo.load_network(tmp_path / "net.moca").nodes:  # a spec says everything
        assert node.at[1] == pytest.approx(node.spectrum.speed)
    answer("build", walks / "laid.toml", "-o", tmp_path / "net.moca", "--as-played")
    for node in mo.load_network(tmp_path / "net.moca").nodes:
        assert node.at[1] == pytest.approx(mo.Player(node.spectrum).speed)
    (walks / "placed.toml").write_text('[[nodes]]\nname = "slow"\nfile = "slow.bvh"\nat = [0.0, 5.0]\n')
    refused = run("build", walks / "placed.toml", "-o", tmp_path / "other.moca", "--as-played")
    assert refused.exit_code == 1
    assert "only networks laid out by turn" in refused.stderr


@pytest.mark.data
def test_edges_that_are_parted_have_nodes_that_say_of_what(answer, data_folder, tmp_path):
    takes = [data_folder / "cmu-bvh" / "16" / f"16_{take}.bvh" for take in (15, 17, 19, 21)]
    found = answer("build", *takes, "-o", tmp_path / "net.moca")
    named = {node["source"]: node["name"] for node in found["nodes"]}
    assert re.fullmatch(r"walk \d\.\d m/s(, (left|right) \d+°)?", named["blended: 16_17 and 16_19"])


def test_takes_are_evened_out_on_request(answer, walks, tmp_path):
    answer("build", walks, "-o", tmp_path / "plain.moca", "--as-captured")
    answer("build", walks, "-o", tmp_path / "even.moca", "--even", "--as-captured")
    plain, even = (mo.load_network(tmp_path / f"{name}.moca") for name in ("plain", "even"))
    for node, other in zip(even.nodes, smooth_nodes(plain).nodes, strict=True):
        np.testing.assert_allclose(node.spectrum.coefficients, other.spectrum.coefficients, atol=1e-9)
    assert abs(even.nodes[0].spectrum.coefficients - plain.nodes[0].spectrum.coefficients).max() > 1e-4


def test_a_spec_says_everything(answer, walks, tmp_path):
    spec = walks / "net.toml"
    spec.write_text('harmonics = 6\n[[nodes]]\nname = "a"\nfile = "slow.bvh"\nat = [0.0, 0.5]\n')
    found = answer("build", spec, "-o", tmp_path / "net.moca")
    assert found["nodes"][0]["at"] == [0.0, 0.5]
    assert mo.load_network(tmp_path / "net.moca").n_harmonics == 6


def test_a_spec_with_a_slip_is_reported_with_its_line(run, walks, tmp_path):
    spec = walks / "slip.toml"
    spec.write_text('[[nodes]]\nname = "a"\nflie = "slow.bvh"\n')
    result = run("build", spec, "-o", tmp_path / "net.moca")
    assert result.exit_code == 1
    assert result.stderr == f"error: {spec}:3: a node has no 'flie'; did you mean 'file'?\n"
    assert not (tmp_path / "net.moca").exists()


def test_the_files_of_a_spec_may_lie_elsewhere_if_the_user_says_so(run, answer, walks, tmp_path):
    spec = tmp_path / "net.toml"
    spec.write_text('[[nodes]]\nname = "a"\nfile = "slow.bvh"\n')
    assert "no such file" in run("build", spec, "-o", tmp_path / "net.moca").stderr
    assert answer("build", spec, "--folder", walks, "-o", tmp_path / "net.moca")["nodes"][0]["name"] == "a"


def test_every_file_without_a_cycle_is_named_in_one_line(run, walks, bvh, tmp_path):
    files = bvh, tmp_path / "none.bvh", walks / "slow.bvh"
    result = run("build", *files, "-o", tmp_path / "net.moca", "--strict")
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("error: 2 of 3 motions cannot be used: ")
    assert "swing.bvh: no cycle" in result.stderr
    assert "none.bvh: " in result.stderr


def test_one_unusable_file_does_not_sink_a_folder(run, walks, bvh, tmp_path):
    for name in ("slow", "left"):
        (tmp_path / f"{name}.bvh").write_bytes((walks / f"{name}.bvh").read_bytes())
    (tmp_path / "rubbish.bvh").write_text("HIERARCHY\nROOT hips\n{\n")
    (tmp_path / "swing.bvh").write_bytes(bvh.read_bytes())
    mo.save(perform("walk", speed=1.0, height=1.5, imperfections=CLEAN)[0], tmp_path / "child.bvh")
    result = run("build", tmp_path, "-o", tmp_path / "net.moca")
    assert result.exit_code == 0
    assert f"2 of 5 motions are left out: {tmp_path / 'rubbish.bvh'}:" in result.stderr
    assert "swing.bvh (action:" in result.stderr
    assert "retargeted to the skeleton that most motions have: child" in result.stderr
    assert {"slow", "left"} <= set(mo.load(tmp_path / "net.moca").names)


@pytest.mark.parametrize("words", [(), ("a.toml", "b.bvh", "-o", "n.moca"), ("b.bvh",)])
def test_wrong_usage_is_status_2(run, words):
    assert run("build", *words).exit_code == 2


def test_people_read_a_table(run, walks, tmp_path):
    result = run("build", walks / "slow.bvh", "-o", tmp_path / "net.moca")
    assert result.exit_code == 0
    assert "1 node" in result.stdout
    assert "slow.bvh" in result.stdout


def test_a_map_is_drawn_on_request(run, walks, tmp_path):
    pytest.importorskip("matplotlib")
    result = run("build", walks, "-o", tmp_path / "net.moca", "--map", tmp_path / "map.png")
    assert result.exit_code == 0
    assert "map.png: map" in "".join(result.stdout.split("\n"))
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.data
def test_subject_16_walks_and_keeps_its_feet(answer, run, data_folder, tmp_path):
    takes = [data_folder / f"cmu-bvh/16/16_{take}.bvh" for take in (15, 21, 24, 26, 47)]
    result = run("build", *takes, "-o", tmp_path / "net.moca", "--json")
    assert len(json.loads(result.stdout)["nodes"]) == 5
    played = answer("play", tmp_path / "net.moca", "-o", tmp_path / "walk.bvh", "--point", 20, 1.5, "--seconds", 6)
    assert played["distance"] == pytest.approx(9.0, rel=0.1)
    assert played["turn"] == pytest.approx(120.0, abs=12.0)
    assert played["slip_mm_max"] <= 1.0
    assert played["penetration_mm_max"] <= 5.0


def test_upper_harmonics_come_whole_from_one_motion_on_request(answer, walks, tmp_path):
    answer("build", walks, "-o", tmp_path / "net.moca", "--single-source", "default")
    assert mo.load_network(tmp_path / "net.moca").single_source.first == 6


def test_the_measured_distortion_sets_single_source_harmonics_up(answer, walks, tmp_path, monkeypatch):
    coarse = functools.partial(setup.set_up, columns=15, rows=9, probes=500)
    monkeypatch.setattr(setup, "set_up", coarse)
    words = ("--no-mirror", "--rule", "streamlined", "--single-source", "measured")
    told = answer("build", walks, "-o", tmp_path / "net.moca", *words)["single_source"]
    made = mo.load_network(tmp_path / "net.moca")
    points = random_points(made.points[made.corners], 500, np.random.default_rng(7))
    yardstick = Yardstick(made.with_single_source(None), points)
    before, after = (yardstick.measure(network).scores for network in (None, made))
    assert made.single_source is not None
    assert np.mean(after > before + 1e-9) <= 0.01  # points that were neither sampled nor reported on
    assert told["worse"] <= 0.01
    assert told["points"] == 2000


def test_a_spec_with_files_elsewhere_is_told_the_option_that_names_their_folder(run, tmp_path):
    (tmp_path / "spec.toml").write_text('[[nodes]]\nname = "a"\nfile = "/captures/walk.bvh"\nat = [0.0, 0.0]\n')
    told = run("build", tmp_path / "spec.toml", "-o", tmp_path / "net.moca")
    assert told.exit_code == 1
    assert "--folder FOLDER sets the folder of all files" in told.stderr


def test_a_sound_network_is_called_good_in_the_last_line(run, walks, tmp_path):
    result = run("build", walks, "-o", tmp_path / "net.moca")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1].startswith("good: ")
    assert json.loads(run("build", walks, "-o", tmp_path / "net.moca", "--json").stdout)["check"] == []


def test_a_motion_that_is_not_played_as_captured_is_named_and_strict_refuses_it(run, answer, walks, tmp_path):
    cycle = mo.prepare(mo.load(walks / "fast.bvh"))
    mo.save(FAULTS["plants half a cycle off"](cycle), tmp_path / "fast.moca")
    files = walks / "slow.bvh", walks / "left.bvh", tmp_path / "fast.moca"
    found = answer("build", *files, "-o", tmp_path / "net.moca")["check"]
    assert found
    assert all({"where", "what", "figure", "limit"} <= set(row) and row["figure"] > row["limit"] for row in found)
    assert "fast" in {row["where"] for row in found}
    result = run("build", *files, "-o", tmp_path / "net.moca")
    assert result.exit_code == 0
    assert "doubtful: " in result.stderr
    assert "poor: " in result.stdout
    refused = run("build", *files, "-o", tmp_path / "refused.moca", "--strict")
    assert refused.exit_code == 1
    assert "fast" in refused.stderr
    assert not (tmp_path / "refused.moca").exists()
