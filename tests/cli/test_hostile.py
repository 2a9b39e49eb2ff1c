"""Names that a terminal would obey, disks that are full, options in messages: each ends in one plain line."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from rich.console import Console

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.cli import main, printing
from mocapella.cli.options.numbers import NumberRange
from mocapella.errors import FormatError, printable

RED = "\x1b[31m"


def test_a_file_name_that_is_no_text_ends_in_one_line(run):
    told = run("info", "--json", "wal\udcffk.bvh")
    assert told.exit_code == 1
    assert told.stderr.startswith("error: ")
    assert "bytes that are not UTF-8" in told.stderr


def test_a_graph_of_what_is_no_motion_is_refused_in_one_line(run, tmp_path):
    mo.save(mo.prepare(perform("walk", cycles=3.0)[0]), tmp_path / "cycle.moca")
    told = run("graph", "build", tmp_path / "cycle.moca", "-o", tmp_path / "graph.moca")
    assert told.exit_code == 1
    assert told.stderr.startswith(f"error: {tmp_path / 'cycle.moca'}: ")


@pytest.fixture
def odd(tmp_path):
    """A file whose root is called what colours a terminal."""
    clip = perform("walk", imperfections=CLEAN)[0][:20]
    path = tmp_path / "odd.bvh"
    mo.save(clip, path)
    path.write_text(path.read_text().replace("Hips", f"Hi{RED}ps"))
    return path


def test_control_characters_in_names_are_shown_escaped(run, odd):
    told = run("info", odd)
    assert RED not in told.output
    assert "Hi\\x1b[31mps" in told.stdout


def test_control_characters_in_errors_and_file_names_are_shown_escaped(run, tmp_path):
    path = tmp_path / f"wal{RED}k.bvh"
    path.write_text(f"HIERARCHY\nROOT\nRU{RED}UT\n")
    told = run("info", path)
    assert told.exit_code == 1
    assert RED not in told.output
    assert told.stderr.count("\n") == 1


@pytest.mark.parametrize("name", ["a:cat:b", "[red]a[/]", "[/a]", "{task.total}", "%s"])
def test_names_that_look_like_markup_are_printed_as_they_are(capsys, monkeypatch, name):
    printing.say(name, printing.table([name], [[name]], title=name))
    assert [line.strip() for line in capsys.readouterr().out.splitlines()] == [name] * 4
    terminal = io.StringIO()
    monkeypatch.setattr(printing, "err", Console(file=terminal, force_terminal=True, width=120))
    with printing.progress("reading", 2) as tick:
        tick(name)
    assert f"reading {name}" in terminal.getvalue()


@pytest.mark.parametrize("text", ["walk", "läuft–schnell 歩く", "two\nlines\tand a tab"])
def test_plain_text_stays_as_it_is(text):
    assert printable(text) == text


@pytest.mark.parametrize("text", ["\x1b[2J", "a\rb", "\u202eright to left", "\x9b31m", "half \ud800"])
def test_nothing_that_steers_a_terminal_is_left(text):
    assert printable(text).isprintable()


def test_an_error_without_a_line_names_the_file_alone():
    assert str(FormatError("walk.bvh", 0, "the file is empty")) == "walk.bvh: the file is empty"
    assert str(FormatError("walk.bvh", 3, "odd")) == "walk.bvh:3: odd"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full here")
@pytest.mark.parametrize("words", [["info", "FILE"], ["info", "FILE", "--json"], ["--help"], ["build", "--help"]])
def test_a_full_disk_ends_in_one_line(odd, words):
    words = [str(odd) if word == "FILE" else word for word in words]
    with Path("/dev/full").open("w") as full:
        told = subprocess.run(
            [sys.executable, "-m", "mocapella", *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert told.returncode == 1
    lines = [line for line in told.stderr.splitlines() if not line.startswith("doubtful")]
    assert lines == ["error: cannot write the answer: No space left on device"]


def test_what_is_left_out_is_told_in_the_words_of_the_command_line(run, tmp_path):
    clip = perform("walk", imperfections=CLEAN)[0]
    mo.save(clip, tmp_path / "walk.bvh")
    (tmp_path / "broken.bvh").write_text("HIERARCHY\nRUUT Hips\n")
    text = (tmp_path / "walk.bvh").read_text()
    for name in ("LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToeBase"):
        text = text.replace(name, f"Bone{len(name)}{name[-1]}")
    (tmp_path / "nameless.bvh").write_text(text.replace("OFFSET", "OFFSET", 1))
    told = run("build", tmp_path, "-o", tmp_path / "net.moca")
    left = next(line for line in told.stderr.splitlines() if "left out" in line)
    assert f"{tmp_path / 'broken.bvh'}:2: expected ROOT" in left
    assert "broken.bvh: " not in left.replace(f"{tmp_path / 'broken.bvh'}:2: ", "")  # its name once
    assert "roles={" not in left


def test_a_wanted_turn_is_told_in_degrees(run, tmp_path):
    mo.save(perform("walk", imperfections=CLEAN)[0], tmp_path / "walk.bvh")
    told = run("cycles", tmp_path / "walk.bvh", "--turn", "90", "--frames", "10", "150")
    assert told.exit_code == 1
    assert "--turn 90 " in told.stderr


def test_one_of_a_kind_is_told_in_the_singular(run, tmp_path):
    mo.save(perform("walk", imperfections=CLEAN)[0], tmp_path / "walk.bvh")
    told = run("build", tmp_path / "walk.bvh", "-o", tmp_path / "net.moca")
    assert "Network(1 node, a point, 10 harmonics)" in told.stdout
    assert "of 1 motion cannot" in run("build", tmp_path / "none.bvh", "-o", tmp_path / "net.moca").stderr


@pytest.mark.parametrize(("name", "most"), [("spec.toml", 1 << 20), ("net.moca", 512 << 20), ("walk.asf", 16 << 20)])
def test_a_file_beyond_its_kind_is_refused_before_it_is_read(run, tmp_path, name, most):
    path = tmp_path / name
    with path.open("wb") as file:
        os.truncate(file.fileno(), 1 << 32)  # takes no room on the disk, and would take four gigabytes of memory
    command = ("build", path, "-o", tmp_path / "x.moca") if name == "spec.toml" else ("info", path)
    told = run(*command)
    assert told.exit_code == 1
    assert "the file holds 4 GiB; at most" in told.stderr
    assert most <= 512 << 20


def _commands(group, words=()):
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from _commands(command, (*words, name))
        else:
            yield " ".join((*words, name)), command


def test_no_range_of_numbers_holds_what_is_no_number():
    ranges = {
        (name, option.opts[0]): option.type
        for name, command in _commands(main)
        for option in command.params
        if isinstance(option.type, click.FloatRange)
    }
    assert len(ranges) > 15
    assert [which for which, kind in ranges.items() if not isinstance(kind, NumberRange)] == []


@pytest.mark.parametrize("word", ["nan", "inf", "-inf"])
def test_a_length_that_is_no_number_is_wrong_usage(run, odd, tmp_path, word):
    told = run("play", odd, "-o", tmp_path / "out.bvh", "--seconds", word)
    assert (told.exit_code, f"'--seconds': {word} is not in the range" in told.stderr) == (2, True)


def test_a_seed_below_zero_and_a_frame_beyond_all_numbers_are_refused_in_one_line(run, odd, tmp_path):
    told = run("graph", "walk", odd, "-o", tmp_path / "out.bvh", "--seconds", 3, "--seed", -1)
    assert (told.exit_code, "'--seed': -1 is not in the range" in told.stderr) == (2, True)
    told = run("render", odd, tmp_path / "out.png", "--frames", 10**20)
    assert (told.exit_code, told.stderr) == (1, f"error: expected frames from 0 to 19, got [{10**20}]\n")
