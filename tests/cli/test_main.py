"""Commands, measures and views are listed where they are registered, and ``--help`` reads those lists."""

from __future__ import annotations

import re
import subprocess
import sys

import click
import pytest

from mocapella.cli.commands.render import VIEWS
from mocapella.cli.main import main
from mocapella.measure.measures import NETWORK

COMMANDS = main.list_commands(click.Context(main))


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
