from __future__ import annotations

import json

import pytest

import mocapella as mo
from benchmarks.strangers.doubles import ZERO_POSES, still_root, with_axes
from mocapella.actor import CLEAN, perform
from tests.analysis.regression.noisy_clips import shaken

KEYS = {"path", "format", "joints", "frames", "frame_rate", "seconds", "metres_per_unit", "up_axis", "height_m"}
KEYS |= {"roles", "warnings"}


def test_info_says_what_the_contract_promises(answer, bvh):
    (one,) = answer("info", bvh)["files"]
    assert set(one) >= KEYS
    assert (one["format"], one["joints"], one["frames"], one["frame_rate"]) == ("bvh", 10, 40, 30.0)
    assert one["metres_per_unit"] == 0.01
    assert one["up_axis"] == "y"
    assert one["height_m"] == pytest.approx(1.73, abs=0.02)
    assert one["roles"]["left_knee"] == "LeftLeg"


def test_noise_is_told_and_what_averaging_leaves_of_it(answer, run, tmp_path):
    clip = perform("walk", speed=1.2, cycles=4.0, frame_rate=30.0, imperfections=CLEAN)[0]
    mo.save(clip, tmp_path / "clean.bvh")
    mo.save(shaken(clip, degrees=2.0, centimetres=1.0), tmp_path / "noisy.bvh")
    clean, noisy = (answer("info", tmp_path / f"{name}.bvh")["files"][0] for name in ("clean", "noisy"))
    assert clean["noise_deg"] < 0.5 < 2.5 < noisy["noise_deg"] < 4.0
    assert clean["noise_mm"] < 2.0 < 10.0 < noisy["noise_mm"]
    assert "left_cm" not in clean
    assert 0.5 < noisy["left_cm"] < 3.0
    assert "repetitions leave" in run("info", tmp_path / "noisy.bvh").stdout


def test_a_broken_file_is_named_and_the_others_are_listed(run, bvh, tmp_path):
    broken = tmp_path / "broken.bvh"
    broken.write_text("HIERARCHY\nRUUT Hips\n")
    result = run("info", bvh, broken, "--json")
    assert result.exit_code == 1
    assert [one["path"] for one in json.loads(result.stdout)["files"]] == [str(bvh)]
    assert result.stderr == f"error: {broken}:2: expected ROOT, found 'RUUT'\n"


def test_a_folder_stands_for_the_motion_files_in_it(answer, bvh):
    (bvh.parent / "notes.txt").write_text("not a motion")
    assert [one["path"] for one in answer("info", bvh.parent)["files"]] == [str(bvh)]


def test_skeletons_are_told_about_as_well(answer, swinging, tmp_path):
    mo.save(swinging, tmp_path / "swing.amc", skeleton=tmp_path / "body.asf")
    assert [one["format"] for one in answer("info", tmp_path)["files"]] == ["asf", "amc"]
    assert [one["format"] for one in answer("info", *sorted(tmp_path.iterdir()))["files"]] == ["asf", "amc"]


def test_a_folder_without_motion_is_an_error(run, tmp_path):
    result = run("info", tmp_path)
    assert result.exit_code == 1
    assert f"no motion files in {tmp_path} or below it; those looked for end in .bvh, .amc, .asf" in result.stderr


def test_beside_a_folder_without_motion_other_files_are_told_about_all_the_same(run, bvh, tmp_path):
    (tmp_path / "empty").mkdir()
    result = run("info", tmp_path / "empty", bvh, "--json")
    assert result.exit_code == 1
    assert [one["format"] for one in json.loads(result.stdout)["files"]] == ["bvh"]
    assert "no motion files" in result.stderr


@pytest.mark.parametrize("command", ["info", "period", "plants", "cycles"])
def test_what_is_not_there_is_told_from_what_is_no_motion_file(run, command, tmp_path):
    result = run(command, tmp_path / "walk")
    assert result.exit_code == 1
    assert "there is no such file or folder" in result.stderr
    if command != "info":
        assert "is a folder; name a motion file in it (.bvh, .amc, .glb, .gltf" in run(command, tmp_path).stderr


def test_people_get_words_instead_of_json(run, bvh):
    result = run("info", bvh)
    assert result.exit_code == 0
    assert "40 at 30 Hz" in result.stdout


def test_wrong_usage_leaves_with_status_two(run):
    assert run("info").exit_code == 2
    assert run("info", "--no-such-option").exit_code == 2


def test_findings_come_with_code_message_and_the_files_own_rows(answer, data_folder):
    (one,) = answer("info", data_folder / "cmu-bvh/104/104_01.bvh")["files"]
    found = {warning["code"]: warning for warning in one["warnings"]}
    assert found["root-dropout"]["frames"] == list(range(1, 56))
    assert found["frozen"]["frames"] == list(range(278, 386))
    assert "rest pose" in found["rest-pose"]["message"]
    assert one["frames"] == 386


def test_every_file_of_the_data_folder_is_told_about_in_one_command(run, data_folder):
    result = run("info", data_folder, "--json")
    told = json.loads(result.stdout)
    there = [path for path in data_folder.rglob("*") if path.suffix in (".amc", ".asf", ".bvh", ".glb")]
    files = {row["path"].partition("#")[0] for row in (*told["files"], *told["errors"])}
    assert files == {str(path) for path in there}
    refused = {error["path"].rsplit("/", 1)[1]: error["message"] for error in told["errors"]}
    assert set(refused) == {"07_12-truncated.amc", "16_11-all-3dof.amc", "zeros.amc"}
    assert result.exit_code == 1


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    path = tmp_path_factory.mktemp("walks") / "walk.bvh"
    mo.save(perform("walk", speed=1.2, imperfections=CLEAN)[0], path)
    return path


def test_guesses_say_how_sure_they_are(answer, walk, tmp_path):
    (one,) = answer("info", walk)["files"]
    assert (one["root"], one["standing_pose"]) == ("Hips", "file")
    assert one["facing"] == pytest.approx(0.0, abs=1e-6)
    assert one["sure"] == {"unit": True, "up_axis": True, "standing_pose": True, "roles": 1.0}
    clip = mo.load(walk)
    mo.save(with_axes(clip, ZERO_POSES["bones along x"](clip.skeleton)), tmp_path / "odd.bvh")
    (odd,) = answer("info", tmp_path / "odd.bvh")["files"]
    assert (odd["standing_pose"], odd["sure"]["standing_pose"]) == ("motion", True)
    for asked in (("--up", "-z"), ("--up=-z",)):
        (turned,) = answer("info", walk, *asked)["files"]
        assert turned["up_axis"] == "-z"
    (still,) = answer("info", still_root(walk, tmp_path / "still.bvh"))["files"]
    assert still["root"] == "Hips"


def test_stored_values_are_described(answer, run, walk, tmp_path):
    cycle = mo.prepare(mo.load(walk))
    mo.save(cycle, tmp_path / "cycle.moca")
    network = mo.Network([mo.Node(name, (x, 1.0), mo.analyse(cycle, 6)) for name, x in (("a", 0.0), ("b", 1.0))])
    mo.save(network, tmp_path / "network.moca")
    one, two = answer("info", tmp_path / "cycle.moca", tmp_path / "network.moca")["files"]
    assert (one["kind"], one["frames"]) == ("Cycle", cycle.n_frames)
    assert (two["kind"], two["segments"]) == ("Network", [["a", "b"]])
    assert [node["name"] for node in two["nodes"]] == ["a", "b"]
    told = run("info", tmp_path / "network.moca").stdout
    assert "Network(2 nodes" in told
    assert all(node.name in told for node in network.nodes)
    assert "m/s" in told


def test_every_animation_of_a_file_is_described_and_what_is_left_out_of_it(answer, run, swinging, tmp_path):
    path = tmp_path / "pack.glb"
    mo.save([swinging.renamed("swing"), swinging[10:].renamed("late"), swinging.renamed("twin")], path)
    rows = answer("info", path)["files"]
    assert [row["path"] for row in rows] == [f"{path}#swing", f"{path}#late", f"{path}#twin"]
    assert {row["format"] for row in rows} == {"glb"}
    left_out = [[row["message"] for row in row["warnings"] if row["code"] == "left-out"] for row in rows]
    assert left_out == [[], [], ["shows the very same motion as swing; networks leave it out"]]
    assert [row["frames"] for row in answer("info", path, "--animation", "late")["files"]] == [30]
    refused = run("info", path, "--animation", "no*")
    assert (refused.exit_code, "has no animation 'no*'" in refused.stderr) == (1, True)
