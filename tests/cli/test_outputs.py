"""Commands refuse an output that cannot be written, or that is their input, before they do any work."""

from __future__ import annotations

import sys

import click
import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.cli import main


@pytest.fixture(scope="module")
def walks(tmp_path_factory):
    folder = tmp_path_factory.mktemp("walks")
    for name, speed in (("slow", 0.9), ("fast", 1.5)):
        mo.save(perform("walk", speed=speed, imperfections=CLEAN)[0], folder / f"{name}.bvh")
    return folder


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("convert", "slow.bvh", "slow.bvh"), "would replace the file that is read"),
        (("restyle", "slow.bvh", "fast.bvh", "-o", "fast.bvh"), "would replace the file that is read"),
        (("convert", "slow.bvh", "none/slow.glb"), "there is no folder"),
        (("build", "slow.bvh", "fast.bvh", "-o", "walks.zip"), "expected a suffix of .moca"),
        (("build", "slow.bvh", "fast.bvh", "-o", "none/walks.moca"), "there is no folder"),
        (("cycles", "slow.bvh", "-o", "slow.txt"), "expected a suffix of .moca"),
        (("play", "none.moca", "-o", "out.txt"), "expected a suffix of .bvh"),
        (("play", "none.moca", "-o", "out.bvh", "-o", "none/out.glb"), "there is no folder"),
        (("build", "slow.bvh", "fast.bvh", "-o", "walks.png"), "name a .moca for the network, too"),
        (("build", "slow.bvh", "fast.bvh", "-o", "walks.moca", "--map", "none/map.png"), "there is no folder"),
        (("edit", "slow.bvh", "-o", "fast.bvh", "--restyle", "fast.bvh"), "would replace the file that is read"),
        (("edit", "slow.bvh", "-o", "out.bvh", "--mirror", "--picture", "none/out.png"), "there is no folder"),
        (("render", "slow.bvh", "none/slow.png"), "there is no folder"),
        (("render", "slow.bvh", "slow.bvh"), "expected a suffix of .png"),
        (("crowd", "none.moca", "-o", "none/crowd.glb"), "there is no folder"),
        (("measure", "none.moca", "--map", "none/map.png"), "there is no folder"),
    ],
)
def test_an_output_is_checked_before_the_work(run, walks, words, reason, monkeypatch):
    monkeypatch.chdir(walks)
    before = {path.name: path.read_bytes() for path in walks.glob("*.bvh")}
    result = run(*words)
    assert result.exit_code == 1
    assert reason in result.stderr
    assert {path.name: path.read_bytes() for path in walks.glob("*.bvh")} == before


@pytest.mark.parametrize(
    "words",
    [
        ("play", "none.moca", "-o", "out.bvh", "--picture", "way.png"),
        ("measure", "none.moca", "--map", "map.png"),
        ("crowd", "none.moca", "-o", "crowd.png"),
        ("retarget", "slow.bvh", "fast.bvh", "-o", "out.bvh", "--picture", "both.png"),
        ("demo", "--editing", "-o", "edits"),
    ],
)
def test_where_matplotlib_is_missing_a_picture_is_refused_before_the_work(run, walks, words, monkeypatch):
    monkeypatch.chdir(walks)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    before = set(walks.iterdir())
    result = run(*words)
    assert result.exit_code == 1
    assert "mocapella[plots]" in result.stderr
    assert set(walks.iterdir()) == before


@pytest.mark.parametrize("words", [("--map", "walks.png"), ("-o", "walks.svg")])
def test_where_matplotlib_is_missing_a_network_is_written_without_its_map(run, walks, words, monkeypatch):
    monkeypatch.chdir(walks)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = run("build", "slow.bvh", "fast.bvh", "-o", "walks.moca", *words)
    assert (result.exit_code, "no map is drawn" in result.stderr) == (0, True), result.stderr
    assert "mocapella[plots]" in result.stderr
    assert mo.load("walks.moca").names == ("slow", "fast")
    assert not (walks / words[1]).exists()
    assert run("build", "slow.bvh", "-o", "walks.moca", "--map", "walks.txt").exit_code == 1


def test_a_network_is_played_in_its_middle_where_no_point_is_named(answer, walks, tmp_path):
    answer("build", walks / "slow.bvh", walks / "fast.bvh", "-o", tmp_path / "walks.moca")
    played = answer("play", tmp_path / "walks.moca", "-o", tmp_path / "out.bvh", "--seconds", 4)
    assert 0.8 < played["distance"] / played["seconds"] < 1.6


def test_the_skeleton_that_is_read_is_not_replaced_by_the_one_that_is_written(run, walks, tmp_path):
    mo.save(mo.load(walks / "slow.bvh"), tmp_path / "slow.amc")
    before = (tmp_path / "slow.asf").read_bytes()
    result = run("edit", walks / "fast.bvh", "-o", tmp_path / "out.amc", "--mirror")
    assert result.exit_code == 0, result.stderr  # beside it, not instead of it
    (tmp_path / "out.asf").unlink()
    (tmp_path / "slow.amc").rename(tmp_path / "slow_01.amc")
    result = run("convert", tmp_path / "slow_01.amc", tmp_path / "slow.amc")
    assert (result.exit_code, "slow.asf would replace the file that is read" in result.stderr) == (1, True)
    assert (tmp_path / "slow.asf").read_bytes() == before


def test_a_spec_is_not_built_onto_a_file_that_it_names(run, walks, tmp_path):
    mo.save(mo.prepare(mo.load(walks / "slow.bvh")), tmp_path / "slow.moca")
    mo.save(mo.prepare(mo.load(walks / "fast.bvh")), tmp_path / "fast.moca")
    (tmp_path / "spec.toml").write_text('[[nodes]]\nfile = "slow.moca"\n[[nodes]]\nfile = "fast.moca"\n')
    result = run("build", tmp_path / "spec.toml", "-o", tmp_path / "fast.moca")
    assert (result.exit_code, "would replace the file that is read" in result.stderr) == (1, True)


def _commands_with_output(group, *words):
    context = click.Context(group)
    for name in group.list_commands(context):
        one = group.get_command(context, name)
        if isinstance(one, click.Group):
            yield from _commands_with_output(one, *words, name)
        elif found := [parameter for parameter in one.params if "-o" in parameter.opts]:
            yield (*words, name), one, found[0].name == "outputs"


def test_a_second_output_is_written_or_refused_in_every_command(run, tmp_path):
    several = set()
    for words, command, writes_several in _commands_with_output(main):
        needed = sum(max(one.nargs, 1) for one in command.params if isinstance(one, click.Argument) and one.required)
        files = [tmp_path / f"none{i}.bvh" for i in range(needed)]
        extra = ("--for", "godot") if words == ("export",) else ()
        twice = run(*words, *files, *extra, "-o", tmp_path / "a", "-o", tmp_path / "a")
        assert (twice.exit_code, "given" in twice.stderr) == (2, True), words
        if writes_several:
            several.add(" ".join(words))
        else:
            other = run(*words, *files, *extra, "-o", tmp_path / "a", "-o", tmp_path / "b")
            assert (other.exit_code, "writes to one place" in other.stderr) == (2, True), words
    assert several >= {"play", "build", "edit", "restyle", "retarget", "crowd", "graph walk"}


def test_edits_and_networks_are_written_to_every_file_that_is_named(answer, walks, tmp_path):
    outs = [tmp_path / "a.bvh", tmp_path / "b.glb", tmp_path / "c.amc"]
    words = [word for file in outs for word in ("-o", file)]
    assert answer("edit", walks / "slow.bvh", *words, "--turn", 30)["files"] == list(map(str, outs))
    heads = [mo.load(file).headings for file in outs]
    np.testing.assert_allclose([head[0] for head in heads], heads[0][0], atol=1e-3)
    nets = [tmp_path / "one.moca", tmp_path / "two.moca", tmp_path / "map.png"]
    words = [word for file in nets for word in ("-o", file)]
    assert answer("build", walks, *words)["written"] == list(map(str, nets))
    assert nets[0].read_bytes() == nets[1].read_bytes()
    assert nets[2].read_bytes().startswith(b"\x89PNG")


def test_an_edited_cycle_is_stored_and_written_as_a_motion(answer, walks, tmp_path):
    cycle = mo.prepare(mo.load(walks / "slow.bvh"))
    mo.save(cycle, tmp_path / "in.moca")
    answer("edit", tmp_path / "in.moca", "-o", tmp_path / "out.moca", "-o", tmp_path / "out.bvh", "--mirror")
    assert mo.load_cycle(tmp_path / "out.moca").n_frames == cycle.n_frames
    assert mo.load(tmp_path / "out.bvh").n_frames == cycle.n_frames


def test_options_of_some_formats_are_for_those_among_several_files(run, walks, tmp_path):
    mo.save(mo.build_network([mo.load(path) for path in sorted(walks.glob("*.bvh"))]), tmp_path / "net.moca")
    files = ("-o", tmp_path / "a.bvh", "-o", tmp_path / "b.glb")
    words = ("play", tmp_path / "net.moca", "--seconds", 1)
    assert run(*words, *files, "--no-body", "--in-place").exit_code == 0
    clip = mo.load(tmp_path / "a.bvh")
    np.testing.assert_allclose(np.ptp(clip.root_positions[:, [0, 2]], axis=0), 0.0, atol=0.1)  # in place, too
    refused = run(*words, "-o", tmp_path / "a.bvh", "-o", tmp_path / "c.amc", "--no-body")
    assert (refused.exit_code, "body is for" in refused.stderr) == (1, True)


def test_play_writes_every_file_that_is_named(run, answer, tmp_path):
    clips = [perform("walk", speed=speed, imperfections=CLEAN)[0] for speed in (0.9, 1.5)]
    mo.save(mo.build_network(clips), tmp_path / "net.moca")
    files = [tmp_path / "a.bvh", tmp_path / "b.glb", tmp_path / "c.amc"]
    words = [word for file in files for word in ("-o", file)]
    told = answer("play", tmp_path / "net.moca", *words, "--seconds", 1)
    assert told["files"] == [str(file) for file in files]
    places = [mo.load(file).root_positions for file in files]
    for other in places[1:]:
        np.testing.assert_allclose(other[-1] - other[0], places[0][-1] - places[0][0], atol=1e-3)
