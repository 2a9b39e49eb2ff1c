"""Commands, measures and views are listed where they are registered, and ``--help`` reads those lists."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys

import click
import pytest

import mocapella as mo
from mocapella.actor import perform
from mocapella.cli.commands.render import VIEWS
from mocapella.cli.main import main
from mocapella.editing.registry import EDITS
from mocapella.measure.measures import NETWORK

COMMANDS = main.list_commands(click.Context(main))


def leaves(command, *words):
    """All commands that do something, with the words that call them."""
    if not isinstance(command, click.Group):
        return [(words, command)]
    inner = {
        name: command.get_command(click.Context(main), name) for name in command.list_commands(click.Context(main))
    }
    return [leaf for name, one in inner.items() for leaf in leaves(one, *words, name)]


LEAVES = leaves(main)
EACH_COMMAND = pytest.mark.parametrize(("words", "command"), LEAVES, ids=[" ".join(words) for words, _ in LEAVES])


def test_python_runs_the_package_as_a_command():
    told = subprocess.run([sys.executable, "-m", "mocapella", "--version"], capture_output=True, text=True, check=True)
    assert told.stdout.startswith("mocapella, version ")


def test_info_starts_without_the_slow_parts_of_scipy():
    code = (
        "import sys, mocapella.cli.commands.info; print(*(name for name in sys.modules if name.startswith('scipy.')))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"scipy.linalg", "scipy.spatial", "scipy.interpolate", "scipy.optimize"} & set(told.stdout.split())


def test_help_is_there_before_any_command_is_imported():
    code = (
        "import sys; from mocapella.cli.main import main; main(['--help'], standalone_mode=False); print(*sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = told.stdout.splitlines()[-1].split()
    assert "numpy" not in loaded
    assert not any(name.startswith("mocapella.cli.commands.") for name in loaded)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_says_in_one_short_line_what_it_does(run, name):
    told = run(name, "--help")
    assert told.exit_code == 0
    first = main.get_command(click.Context(main), name).help.splitlines()[0]
    assert first.endswith(".")
    assert len(first) <= 60
    assert re.search(rf"^  {name} +{re.escape(first)}$", run("--help").stdout, re.MULTILINE)


def test_help_lists_every_measure_with_its_unit(run):
    told = run("measure", "--help").stdout
    for key, measure in NETWORK.items():
        assert re.search(rf"^  {key} +{re.escape(measure.unit)} +{re.escape(measure.about)}$", told, re.MULTILINE), key


def test_help_lists_every_view_with_the_files_that_have_it(run):
    told = run("render", "--help").stdout
    for name, view in VIEWS.items():
        line = f"  {name:10}{', '.join(view.of)}: {view.about}"
        assert line in told.splitlines()


def listed(text):
    """Options that a help text lists."""
    return set(re.findall(r"^  (?:-\w, )?(--[a-z-]+)", text, re.MULTILINE))


def examples(text):
    return re.findall(r"(?<=Example: ).*", text)


def test_help_groups_commands_by_task(run):
    told = run("--help").stdout
    titles = re.findall(r"^(\w.*):$", told, re.MULTILINE)
    assert [title.split()[0].lower() for title in titles[1:]] == [
        "read", "make", "play", "edit", "keep", "export", "measure", "develop"
    ]  # fmt: skip
    assert "library" in titles[5]
    assert len(examples(told)) == len(titles) - 1
    assert all(f"\n  {name} " in told for name in COMMANDS)


def test_the_examples_of_the_tasks_run(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "captures").mkdir()
    for name, speed, turn in (("slow", 0.8, 0.0), ("fast", 1.6, 0.0), ("left", 1.2, 0.5)):
        mo.save(perform("walk", speed=speed, turn=turn, frame_rate=60.0)[0], f"captures/{name}.bvh")
    mo.save(perform("walk", speed=1.2, frame_rate=60.0)[0], "walk.bvh")
    for line in examples(run("--help").stdout):
        told = run(*shlex.split(line)[1:])
        assert told.exit_code == 0, f"{line}: {told.stderr}"


@EACH_COMMAND
def test_the_example_of_a_command_calls_it(words, command):
    called = shlex.split(command.example)
    assert called[: len(words) + 1] == ["mocapella", *words]
    command.make_context(
        command.name, called[len(words) + 1 :], parent=main.make_context("mocapella", [], None, resilient_parsing=True)
    )


@EACH_COMMAND
def test_help_lists_everyday_options_and_help_all_lists_every_option(run, words, command):
    few, every = (listed(run(*words, how).stdout) for how in ("--help", "--help-all"))
    all_options = {
        option.opts[-1] for option in command.params if isinstance(option, click.Option) and not option.hidden
    }
    assert all_options <= every
    assert few <= every
    assert len(few) <= 22
    assert ("--help-all" in few) == (few != every)


def test_options_for_experts_work_as_others_do(run, bvh):
    assert "--unit" not in listed(run("info", "--help").stdout)
    assert run("info", bvh, "--unit", "m").exit_code == 0


def test_ten_edits_have_options_that_are_listed_and_the_others_have_some_too(run):
    (edit,) = (command for words, command in LEAVES if words == ("edit",))
    options = {option.name: option for option in edit.params if option.name in EDITS}
    assert set(options) == {name for name, editor in EDITS.items() if editor.group == "edit"}
    assert sum(not option.hidden for option in options.values()) == 10
    told = run("edit", "--help").stdout
    for name in EDITS:
        assert name in told or f"--{name.replace('_', '-')}" in told
    every = run("edit", "--help-all").stdout
    for editor in EDITS.values():
        assert all(f"    {key}" in every for key in editor.parameters)


@pytest.mark.parametrize(("lesser", "greater"), [("period", "cycles"), ("restyle", "edit"), ("spectrum", "render")])
def test_a_command_that_does_less_names_the_one_that_does_more(run, lesser, greater):
    assert f"mocapella {greater}" in " ".join(run(lesser, "--help").stdout.split())
