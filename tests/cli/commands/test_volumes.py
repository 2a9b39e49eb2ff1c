"""Networks in space and cascades on the command line; what they cannot do is said in one line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.cli import main

PLACES = ((0.0, 0.9), (0.0, 1.5), (35.0, 1.2))
MOODS = {"sad": 0.0, "happy": 1.0}


def node(name: str, **keys: object) -> str:
    lines = [f"{key} = {value!r}" for key, value in {"name": name, **keys}.items()]
    return "\n".join(["[[nodes]]", *lines, ""])


IN_SPACE = "".join(
    node(f"{mood} {i}", file=f"{mood}{i}.moca", at=[*place, height])
    for mood, height in MOODS.items()
    for i, place in enumerate(PLACES)
)
IN_PLANE = "".join(node(f"n{i}", file=f"happy{i}.moca", at=list(PLACES[i])) for i in (1, 2))
CASCADE = node("slow", network="moods.moca", point=[0.0, 0.0], at=[0.0, 0.9]) + IN_PLANE


def build(folder: Path, name: str, text: str) -> Path:
    (folder / f"{name}.toml").write_text(text)
    words = ["build", str(folder / f"{name}.toml"), "-o", str(folder / f"{name}.moca")]
    made = CliRunner().invoke(main, words, catch_exceptions=False)
    assert made.exit_code == 0, made.stderr
    return folder / f"{name}.moca"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Cycles of two moods, networks of each, a volume of both and a cascade with both inside."""
    place = tmp_path_factory.mktemp("moods")
    for mood in MOODS:
        for i, (turn, speed) in enumerate(PLACES):
            clip, _ = perform("walk", speed=speed, turn=np.radians(turn), style=mood, imperfections=CLEAN)
            mo.save(mo.prepare(clip), place / f"{mood}{i}.moca")
        build(place, mood, "".join(node(f"n{i}", file=f"{mood}{i}.moca", at=list(PLACES[i])) for i in range(3)))
    build(place, "space", IN_SPACE)
    build(place, "moods", "".join(node(mood, file=f"{mood}0.moca", at=[x, 0.0]) for mood, x in MOODS.items()))
    build(place, "cascade", CASCADE)
    return place


def test_a_spec_of_three_coordinates_makes_a_volume(answer, folder, tmp_path):
    found = answer("build", folder / "space.toml", "-o", tmp_path / "m.moca", "--map", tmp_path / "m.png")
    assert [one["at"] for one in found["nodes"]][3:5] == [[0.0, 0.9, 1.0], [0.0, 1.5, 1.0]]
    assert [len(names) for names in found["tetrahedra"]] == [4, 4, 4]
    assert found["triangles"] == []  # which are in threes
    assert found["written"] == [str(tmp_path / "m.moca"), str(tmp_path / "m.png")]
    assert (tmp_path / "m.png").stat().st_size > 10_000


def test_tetrahedra_can_be_given_by_hand(folder):
    rows = [["sad 0", "sad 1", "sad 2", "happy 2"], ["sad 0", "sad 1", "happy 0", "happy 2"],
            ["sad 1", "happy 0", "happy 1", "happy 2"]]  # fmt: skip
    network = mo.load_network(build(folder, "hand", f"tetrahedra = {rows}\n{IN_SPACE}"))
    assert [list(names) for names in network.triangles] == rows


def test_stored_networks_are_laid_above_each_other(folder, answer, tmp_path):
    text = "".join(f'[[layers]]\nname = "{mood}"\nnetwork = "{mood}.moca"\nheight = {z}\n' for mood, z in MOODS.items())
    volume = mo.load_network(build(folder, "layers", text))
    assert volume.names[::3] == ("sad/n0", "happy/n0")
    sad = mo.load_network(folder / "sad.moca")
    np.testing.assert_allclose(
        volume.blend((5.0, 1.2, 0.0)).coefficients, sad.blend((5.0, 1.2)).coefficients, atol=1e-9
    )
    found = answer("play", folder / "layers.moca", "-o", tmp_path / "a.bvh", "--point", 5, 1.2, 0.5, "--seconds", 2)
    assert found["slip_mm_max"] < 1.0


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        (node("a", file="sad0.moca", at=[0.0]), 4, "at: expected two numbers, or three in space, found 1"),
        (node("a", file="sad0.moca", at=[0.0] * 4), 4, "found 4"),
        (IN_SPACE + node("b", file="sad0.moca", at=[0.0, 3.0]), 28, "'b' needs three numbers"),
        (IN_SPACE + node("b", file="sad0.moca"), 25, "'b' needs three numbers"),
        ('triangles = [["sad 0", "sad 1", "sad 2"]]\n' + IN_SPACE, 1, "joined by tetrahedra"),
        ('tetrahedra = [["sad 0", "sad 1", "sad 2", "hapy 0"]]\n' + IN_SPACE, 1, "did you mean 'happy 0'"),
        ('tetrahedra = [["n1", "n2", "n1", "n2"]]\n' + IN_PLANE, 1, "give every node three numbers"),
        (CASCADE + node("b", network="moods.moca"), 15, "needs a network and a point in it"),
        (CASCADE + node("b", network="moods.moca", point=[0.0, 0.0], file="sad0.moca"), 15, "needs a file, or"),
        (CASCADE + node("b", network="moods.moca", point=[0.0, 0.0], speed=1.0), 18, "speed means nothing there"),
        ("even = true\n" + CASCADE, 1, "not evened out"),
        ('[[layers]]\nname = "a"\nnetwork = "sad.moca"\nheight = 1.0\n', 1, "expected 2 to 1000 layers"),
        ('[[layers]]\nname = "a"\nnetwork = "sad.moca"\nheight = 1.0\n' * 2, 6, "two layers are called 'a'"),
        ('[[layers]]\nname = "a"\nnetwork = "sad.moca"\nhight = 1.0\n', 4, "did you mean 'height'"),
        (
            "".join(f'[[layers]]\nname = "{name}"\nnetwork = "sad.moca"\nheight = 1.0\n' for name in "ab"),
            8,
            "expected more than the 1 of the one below",
        ),
    ],
)
def test_a_spec_at_fault_is_reported_with_its_line(run, folder, tmp_path, text, line, reason):
    (folder / "odd.toml").write_text(text)
    found = run("build", folder / "odd.toml", "-o", tmp_path / "odd.moca")
    assert found.exit_code == 1
    assert f"odd.toml:{line}: " in found.stderr
    assert reason in found.stderr


@pytest.mark.parametrize("name", ["../sad.moca", "/etc/passwd"])
@pytest.mark.parametrize(
    "text",
    [
        'network = "NAME"\npoint = [0.0, 0.0]\nat = [0.0, 1.0]\n',
        'network = "NAME"\nheight = 0.0\n[[layers]]\nname = "b"\nnetwork = "sad.moca"\nheight = 1.0\n',
    ],
)
def test_networks_outside_of_the_folder_are_not_read(run, folder, tmp_path, text, name):
    kind = "layers" if "height" in text else "nodes"
    (folder / "odd.toml").write_text(f'[[{kind}]]\nname = "a"\n' + text.replace("NAME", name))
    found = run("build", folder / "odd.toml", "-o", tmp_path / "odd.moca")
    assert found.exit_code == 1
    assert "is not in the folder" in found.stderr


def test_a_point_in_space_is_played(answer, run, folder, tmp_path):
    words = ("play", folder / "space.moca", "-o", tmp_path / "a.bvh", "--seconds", 2)
    assert answer(*words, "--point", 0, 1.2, 0.4)["slip_mm_max"] < 1.0
    outside = run(*words, "--point", 0, 1.2, "-3")
    assert "(0, 1.2, -3) lies outside the network" in outside.stderr
    few = run(*words, "--point", 0, 1.2)
    assert (few.exit_code, few.stderr.count("\n")) == (1, 1)
    assert "a blending point of 3 finite numbers" in few.stderr
    for none in (("--point",), ("--point", 1)):
        assert run(*words, *none).exit_code == 2


def test_a_script_moves_a_point_in_space_and_goes_on_where_it_was(answer, run, folder, table, tmp_path):
    script = table("time,x,y,z\n0,0,1.2,0\n2,10,1.2,1\n")
    space = folder / "space.moca"

    def play(name, *words):
        answer("play", space, "-o", tmp_path / f"{name}.bvh", "--script", script, "--rate", 15, *words)
        return mo.load(tmp_path / f"{name}.bvh").rotations_wxyz

    whole = play("whole")
    first = play("first", "--seconds", 1, "--save-state", tmp_path / "s.json")
    second = play("second", "--resume", tmp_path / "s.json", "--seconds", 1)
    assert np.array_equal(np.concatenate([first, second]), whole)
    flat = run("play", space, "-o", tmp_path / "a.bvh", "--script", table("time,x,y\n0,0,1\n1,0,1\n"))
    assert "table.csv:1: expected the columns time,x,y,z, found time,x,y" in flat.stderr


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("measure", "space.moca"), "space.moca lies in space"),
        (("render", "space.moca", "out.png", "--show", "sweep"), "a network in space has no sweep to draw"),
        (("play", "space.moca", "-o", "a.bvh", "--path", "path.csv"), "a path needs a network in the plane"),
    ],
)
def test_what_a_volume_cannot_do_is_said_in_one_line(run, folder, monkeypatch, words, reason):
    monkeypatch.chdir(folder)
    Path("path.csv").write_text("x,z\n0,0\n0,3\n")
    found = run(*words)
    assert (found.exit_code, found.stderr.count("\n")) == (1, 1)
    assert reason in found.stderr


def test_a_volume_is_drawn(run, folder, tmp_path):
    assert run("render", folder / "space.moca", tmp_path / "v.png").exit_code == 0
    assert (tmp_path / "v.png").stat().st_size > 10_000


# Cascades


def test_the_points_of_a_cascade_are_played_together(answer, run, folder, table, tmp_path):
    words = ("play", folder / "cascade.moca", "-o", tmp_path / "a.bvh", "--rate", 15)
    script = table("time,x,y,slow.x,slow.y\n0,0,0.9,0,0\n1,0,0.9,1,0\n2,0,0.9,1,0\n")
    assert answer(*words, "--script", script)["slip_mm_max"] < 1.0
    moved = mo.load(tmp_path / "a.bvh").rotations_wxyz[-1]
    answer(*words, "--script", table("time,x,y\n0,0,0.9\n2,0,0.9\n"))
    stayed = mo.load(tmp_path / "a.bvh").rotations_wxyz[-1]
    assert np.abs(moved - stayed).max() > 0.05
    assert answer(*words, "--point", 0, 0.9, 1, 0, "--seconds", 1)["frames"] == 15
    odd = run(*words, "--point", 0, 0.9, 1, "--seconds", 1)
    assert odd.exit_code == 1
    assert "those of x, y, slow.x, slow.y; got 3" in odd.stderr
    outside = run(*words, "--point", 0, 0.9, 9, 0, "--seconds", 1)
    assert "the point (9, 0) lies outside the network" in outside.stderr


def test_a_cascade_is_measured_and_drawn_as_it_was_stored(answer, run, folder, tmp_path):
    assert answer("measure", folder / "cascade.moca", "--no-play", "--grid", 5)["uhd"]["samples"] > 0
    assert run("render", folder / "cascade.moca", tmp_path / "c.png").exit_code == 0
