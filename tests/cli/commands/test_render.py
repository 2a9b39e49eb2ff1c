from __future__ import annotations

import struct

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CLEAN, capture, perform
from mocapella.files.moca import write_moca
from mocapella.hybrid.builder import HybridBuilder


def png_size(path) -> tuple[int, int]:
    header = path.read_bytes()[:24]
    assert header[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", header[16:24])


def test_render_draws_a_contact_sheet(run, bvh, tmp_path):
    picture = tmp_path / "sheet.png"
    assert run("render", bvh, picture).exit_code == 0
    width, height = png_size(picture)
    assert width > 700
    assert height > 500


def test_chosen_frames_are_checked(run, bvh, tmp_path):
    assert run("render", bvh, tmp_path / "a.png", "--frames", "0,10,39").exit_code == 0
    result = run("render", bvh, tmp_path / "b.png", "--frames", "0,40")
    assert result.exit_code == 1
    assert "expected frames from 0 to 39" in result.stderr
    assert run("render", bvh, tmp_path / "b.png", "--frames", "a,b").exit_code == 2


@pytest.mark.parametrize("name", ["sheet.doc", "sheet"])
def test_an_unknown_picture_format_is_refused(run, bvh, tmp_path, name):
    result = run("render", bvh, tmp_path / name)
    assert result.exit_code == 1
    assert ".png" in result.stderr


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A network and a cycle, stored."""
    folder = tmp_path_factory.mktemp("stored")
    clips = [perform("walk", speed=v, turn=w, imperfections=CLEAN)[0] for v, w in ((0.9, 0.0), (1.6, 0.0), (1.2, 0.7))]
    mo.save(mo.build_network(clips), folder / "net.moca")
    mo.save(mo.prepare(clips[0]), folder / "cycle.moca")
    draft = HybridBuilder({"walking": mo.build_network(clips)})
    draft = draft.with_transition(mo.find_transition(capture("walk-twirl-walk")[0], name="twirl"), "walking", key="x")
    draft = draft.with_transition(mo.find_transition(capture("walk-stand")[0], name="stop"), "walking", "standing")
    mo.save(draft.finished([draft.mode("turn", ["twirl"], key="t"), draft.mode("halt", ["stop"])]),
                   folder / "person.moca")  # fmt: skip
    return folder


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("net", ()),
        ("net", ("--show", "sweep", "--along", -20, 1.0, 20, 1.2)),
        ("cycle", ()),
        ("cycle", ("--show", "spectrum")),
        ("person", ()),
        ("person", ("--mode", "turn")),
    ],
)
def test_stored_networks_and_cycles_are_drawn(run, stored, tmp_path, name, words):
    result = run("render", stored / f"{name}.moca", tmp_path / "a.png", *words)
    assert result.exit_code == 0, result.stderr
    assert min(png_size(tmp_path / "a.png")) > 400


@pytest.mark.parametrize(
    ("name", "show", "has"),
    [("net", "poses", "map, sweep"), ("cycle", "map", "poses, spectrum"), ("person", "sweep", "map")],
)
def test_what_a_file_does_not_hold_is_not_drawn(run, stored, tmp_path, name, show, has):
    result = run("render", stored / f"{name}.moca", tmp_path / "a.png", "--show", show)
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    assert f"has no {show} to draw; expected --show with one of {has}" in result.stderr


def test_a_single_motion_is_a_map_but_nothing_to_sweep_across(run, stored, tmp_path):
    mo.save(mo.Network(mo.load_network(stored / "net.moca").nodes[:1]), tmp_path / "one.moca")
    assert run("render", tmp_path / "one.moca", tmp_path / "map.png").exit_code == 0
    result = run("render", tmp_path / "one.moca", tmp_path / "a.png", "--show", "sweep")
    assert result.exit_code == 1
    assert "nothing to go across; a sweep needs two nodes or more" in result.stderr


def test_a_stored_thing_of_another_kind_is_refused(run, tmp_path):
    write_moca(tmp_path / "a.moca", "poem", 1, {}, {"lines": np.zeros(3)})
    result = run("render", tmp_path / "a.moca", tmp_path / "a.png")
    assert result.exit_code == 1
    assert "found a 'poem'" in result.stderr


@pytest.mark.parametrize(
    ("name", "mode", "reason"),
    [("person", "dance", "no mode 'dance'; there are turn, halt"), ("net", "turn", "a network has no operating modes")],
)
def test_modes_that_are_not_there_are_named(run, stored, tmp_path, name, mode, reason):
    result = run("render", stored / f"{name}.moca", tmp_path / "a.png", "--mode", mode)
    assert result.exit_code == 1
    assert reason in result.stderr


def test_a_mode_shows_its_own_arcs_only(run, stored, tmp_path):
    for mode in ("turn", "halt"):
        assert run("render", stored / "person.moca", tmp_path / f"{mode}.svg", "--mode", mode).exit_code == 0
    turn, halt = ((tmp_path / f"{mode}.svg").read_text() for mode in ("turn", "halt"))
    assert "<!-- twirl [x] -->" in turn
    assert "<!-- twirl [x] -->" not in halt
    assert "<!-- stop -->" in halt
    assert "<!-- stop before -->" not in turn  # nothing leads there


@pytest.fixture(scope="module")
def turner(tmp_path_factory):
    path = tmp_path_factory.mktemp("turner") / "walk.bvh"
    mo.save(perform("walk", turn=0.4, cycles=3.0, frame_rate=60.0)[0], path)
    return path


@pytest.mark.parametrize(
    "words",
    [
        ["--show", "cycles", "--straight"],
        ["--show", "closing", "--frames", "30,95", "--method", "smooth"],
        ["--show", "spectrum", "--within", 10, 190, "--layout", "euler"],
        ["--show", "spectrum", "--dof", "height", "--dof", "yaw_rate"],
    ],
)
def test_the_cycle_that_is_drawn_is_steered_as_in_cycles(run, turner, tmp_path, words):
    result = run("render", turner, tmp_path / "a.png", *words)
    assert result.exit_code == 0, result.stderr
    assert png_size(tmp_path / "a.png")[0] > 700


def test_two_motions_are_drawn_side_by_side_dof_by_dof(run, turner, stored, tmp_path):
    words = ["--show", "spectrum", "--beside", stored / "cycle.moca"]
    assert run("render", turner, tmp_path / "a.png", *words, "--dof", "height").exit_code == 0
    assert run("render", turner, tmp_path / "a.png", *words).exit_code == 2
    assert run("render", turner, tmp_path / "a.png", "--dof", "height").exit_code == 2
    assert run("render", turner, tmp_path / "a.png", "--show", "closing", "--frames", "3").exit_code == 2


def test_an_unknown_dof_is_answered_with_a_few_that_are_near(run, turner, tmp_path):
    result = run("render", turner, tmp_path / "a.png", "--show", "spectrum", "--dof", "hieght")
    assert result.exit_code == 1
    assert "did you mean height" in result.stderr
    assert len(result.stderr) < 300
