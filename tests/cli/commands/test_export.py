from __future__ import annotations

from pathlib import Path

import mocapella as mo
from tests.exporting.hybrids import twirling


def stored(tmp_path):
    asked = ((0.9, 0.0), (1.25, 0.6), (1.6, 0.0))
    network = mo.build_network([mo.example("walk", speed=speed, turn=turn) for speed, turn in asked])
    mo.save(network, tmp_path / "walks.moca")
    return tmp_path / "walks.moca"


def test_export_says_which_files_and_loops_it_wrote(answer, tmp_path):
    said = answer("export", stored(tmp_path), "-o", tmp_path / "out", "--for", "godot", "--grid", 2, 2)
    assert {one["kind"] for one in said["files"]} == {"character", "table", "script", "scene"}
    assert set(said["grid"][0]) >= {"name", "at", "seconds", "phase", "speed", "turn"}
    assert len(said["grid"]) >= 3


def test_a_network_is_written_for_programs_that_embed_the_library(answer, run, tmp_path):
    network = stored(tmp_path)
    (tmp_path / "net.mocar").write_text("an older one")
    said = answer("export", network, "-o", tmp_path / "net.mocar", "--for", "c")
    assert said == {"files": [{"path": str(tmp_path / "net.mocar"), "kind": "network"}], "grid": []}
    assert (tmp_path / "net.mocar").read_bytes().startswith(b"\x89MOCAR")
    said = answer("export", network, "-o", tmp_path / "c", "--for", "c")
    assert {"include/mocapella.h", "src/network.cpp", "poses.c", "network.mocar"} <= {
        str(Path(one["path"]).relative_to(tmp_path / "c")) for one in said["files"]
    }
    assert run("export", network, "-o", tmp_path / "c", "--for", "c", "--grid", 2, 2).exit_code == 2


def test_a_hybrid_network_is_written_with_all_blocks_and_changes_or_one_block_alone(run, tmp_path):
    mo.save(twirling(), tmp_path / "person.moca")
    whole, one = (tmp_path / f"{name}.mocar" for name in ("whole", "one"))
    words = "export", tmp_path / "person.moca", "--for", "c", "-o"
    assert "2 blocks and 3 captured changes for c" in run(*words, whole).stdout
    assert "1 motion for c" in run(*words, one, "--block", "standing").stdout
    assert b"change_words" in whole.read_bytes()
    assert b"change_words" not in one.read_bytes()


def test_what_cannot_be_exported_is_said_in_a_line(run, bvh, tmp_path):
    network = stored(tmp_path)
    (tmp_path / "file").write_text("")
    for words, reason in (
        ((network, "-o", tmp_path / "file", "--for", "three"), "it is a file"),
        ((network, "-o", tmp_path / "out", "--for", "three", "--block", "walk"), "plain network"),
        ((bvh, "-o", tmp_path / "out", "--for", "three"), "moca"),
    ):
        result = run("export", *words)
        assert result.exit_code == 1
        assert result.stderr.startswith("error: ")
        assert reason in result.stderr
    assert run("export", network, "-o", tmp_path / "out", "--for", "maya").exit_code == 2
