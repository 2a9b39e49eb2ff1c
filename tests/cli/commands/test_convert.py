from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pygltflib
import pytest

import mocapella as mo


@pytest.mark.parametrize("suffix", ["bvh", "amc", "glb", "gltf"])
def test_convert_says_what_it_wrote(answer, bvh, tmp_path, suffix):
    goal = tmp_path / f"out.{suffix}"
    assert answer("convert", bvh, goal) == {"path": str(goal), "format": suffix, "frames": 40}
    assert goal.stat().st_size > 1000


def test_a_chain_of_conversions_leaves_every_joint_where_it_was(answer, bvh, swinging, tmp_path):
    answer("convert", bvh, tmp_path / "a.amc")
    answer("convert", tmp_path / "a.amc", tmp_path / "b.bvh")
    clip = mo.load(tmp_path / "b.bvh")
    same = [clip.skeleton.index(name) for name in swinging.skeleton.names[1:]]
    np.testing.assert_allclose(clip.positions[:, same], swinging.positions[:, 1:], atol=1e-6)


def test_resampling_and_another_unit_on_the_way(answer, bvh, tmp_path):
    told = answer("convert", bvh, tmp_path / "out.bvh", "--out-rate", 60, "--out-unit", "m")
    assert told["frames"] == 79
    clip = mo.load(tmp_path / "out.bvh")
    assert (clip.frame_rate, clip.report.unit) == (60.0, "m")


def test_a_folder_is_converted_file_by_file(answer, bvh, tmp_path):
    (tmp_path / "in").mkdir()
    bvh.rename(tmp_path / "in" / "swing.bvh")
    told = answer("convert", tmp_path / "in", tmp_path / "out", "--to", "glb")
    assert [one["frames"] for one in told["files"]] == [40]
    assert (tmp_path / "out" / "swing.glb").exists()


def test_a_refused_file_leaves_nothing_behind(run, tmp_path):
    broken = tmp_path / "broken.bvh"
    broken.write_text("HIERARCHY\n")
    result = run("convert", broken, tmp_path / "out.glb")
    assert result.exit_code == 1
    assert result.stderr.startswith(f"error: {broken}:")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["broken.bvh"]


def test_an_interrupted_conversion_leaves_nothing_behind(run, bvh, tmp_path, monkeypatch):
    def interrupt(*_args: object, **_options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("mocapella.files.bvh_writer._hierarchy", interrupt)
    result = run("convert", bvh, tmp_path / "out.bvh")
    assert result.exit_code != 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["swing.bvh"]


def test_an_unknown_suffix_is_refused_with_those_there_are(run, bvh, tmp_path):
    result = run("convert", bvh, tmp_path / "out.doc")
    assert result.exit_code == 1
    assert ".bvh, .amc, .glb, .gltf" in result.stderr


def test_clean_says_which_frames_it_touched(run, data_folder, tmp_path):
    source = data_folder / "cmu-bvh/104/104_01.bvh"
    assert run("convert", source, tmp_path / "clean.bvh", "--clean").exit_code == 0
    told = json.loads(run("info", source, "--clean", "--json").stdout)["files"][0]
    frames = {warning["code"]: warning.get("frames") for warning in told["warnings"]}
    assert frames["repaired-dropout"] == list(range(1, 56))
    assert "root-dropout" not in frames


def test_a_stored_cycle_becomes_one_closed_loop(answer, run, tmp_path):
    cycle = mo.prepare(mo.example("walk"))
    mo.save(cycle, tmp_path / "walk.moca")
    said = answer("convert", tmp_path / "walk.moca", tmp_path / "walk.glb", "--root-motion", "root", "--no-body")
    assert said["frames"] == cycle.n_frames
    file = pygltflib.GLTF2().load(str(tmp_path / "walk.glb"))
    assert [animation.name[-5:] for animation in file.animations] == ["-loop"]
    assert file.nodes[0].name == "root"
    assert answer("convert", tmp_path / "walk.moca", tmp_path / "walk.bvh", "--in-place")["frames"] == cycle.n_frames
    refused = run("convert", tmp_path / "walk.moca", tmp_path / "walk.bvh", "--out-rate", "30")
    assert (refused.exit_code, refused.stderr) == (
        1,
        "error: a cycle is written as it is stored; --out-rate and --captured are for captures\n",
    )


def test_a_network_is_not_converted_but_played(run, tmp_path):
    mo.save(mo.build_network([mo.example("walk")]), tmp_path / "net.moca")
    refused = run("convert", tmp_path / "net.moca", tmp_path / "walk.glb")
    assert refused.exit_code == 1
    assert "mocapella play" in refused.stderr


def test_a_file_that_cannot_be_read_does_not_sink_a_folder(answer, run, bvh, tmp_path):
    captures = tmp_path / "captures"
    captures.mkdir()
    bvh = bvh.rename(captures / bvh.name)
    (captures / "rubbish.bvh").write_text("rubbish")
    os.mkfifo(captures / "pipe.bvh")  # reading it would never end
    (captures / "gone.bvh").symlink_to(tmp_path / "nowhere")
    found = answer("convert", captures, tmp_path / "out", "--to", "glb")
    assert [Path(one["path"]).name for one in found["files"]] == ["swing.glb"]
    assert {Path(one["path"]).name for one in found["failures"]} == {"rubbish.bvh", "pipe.bvh", "gone.bvh"}
    strict = run("convert", captures, tmp_path / "strict", "--to", "glb", "--strict")
    assert strict.exit_code == 1
    bvh.unlink()
    none = run("convert", captures, tmp_path / "none", "--to", "glb")
    assert (none.exit_code, none.stderr.count("error: ")) == (1, 1)


@pytest.fixture
def pack(tmp_path, swinging):
    """Two animations."""
    path = tmp_path / "pack.glb"
    mo.save([swinging.renamed("Swing"), swinging[10:].renamed("Late?")], path)
    return path


def test_animations_go_into_one_file_where_its_format_holds_several(answer, pack, tmp_path):
    told = answer("convert", pack, tmp_path / "out.gltf")
    assert told == {"path": str(tmp_path / "out.gltf"), "format": "gltf", "frames": 70}
    names = [animation.name for animation in pygltflib.GLTF2().load(str(tmp_path / "out.gltf")).animations]
    assert names == ["Swing", "Late?"]


def test_animations_go_into_files_of_their_own_where_a_format_holds_one(answer, pack, tmp_path):
    told = answer("convert", pack, tmp_path / "out", "--to", "bvh")
    places = [tmp_path / "out" / name for name in ("pack#Swing.bvh", "pack#Late_.bvh")]
    assert [file["path"] for file in told["files"]] == [str(place) for place in places]
    assert [mo.load(place).n_frames for place in places] == [40, 30]
    (tmp_path / "in").mkdir()
    pack.rename(tmp_path / "in" / "pack.glb")
    again = answer("convert", tmp_path / "in", tmp_path / "again", "--to", "bvh")
    assert (again["frames"], again["failures"]) == (70, [])
    assert (tmp_path / "again" / "pack#Swing.bvh").read_bytes() == places[0].read_bytes()


@pytest.mark.parametrize("words", [["--animation", "L*"], ["--animation", "1"]])
def test_one_animation_is_chosen_by_an_option_or_by_the_path(answer, run, pack, tmp_path, words):
    answer("convert", pack, tmp_path / "a.bvh", *words)
    answer("convert", f"{pack}#Late?", tmp_path / "b.bvh")
    assert (tmp_path / "a.bvh").read_bytes() == (tmp_path / "b.bvh").read_bytes()
    refused = run("convert", pack, tmp_path / "c.bvh")
    assert (refused.exit_code, "there are 2: Swing, Late?" in refused.stderr) == (1, True)
    refused = run("convert", f"{pack}#Swing", pack)
    assert (refused.exit_code, "would replace the file" in refused.stderr) == (1, True)
