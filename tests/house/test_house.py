"""The order of the code stays: files in a folder, how long they are, what contracts say, what stands twice."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import re
import warnings
from collections import defaultdict

import pytest

import mocapella
from benchmarks.house import (
    contracts_missing,
    could_be_private,
    docstring_share,
    folder_sizes,
    internal_contracts,
    modules,
)

MOST_IN_A_FOLDER = 20
MOST_LINES = 460
MOST_MODULES = 225  # without the rooms below, each of which holds at most a folder of its own
ROOMS = (
    "studio",
    "editing",
    "crowd",
    "graphs",
    "parametric",
    "library",
    "exporting",
    "studies",
    "cli.commands",
    "files.points",
    "files.smpl",
    "files.fbx",
    "files.apart",
    "playback.native",
)
MOST_DOCSTRINGS = 0.18  # of all lines: contracts for users, sentences for everything else
ALIKE = 8  # statements in a row that make two functions twins


@pytest.fixture(scope="module")
def sources():
    return modules()


def test_no_folder_holds_more_modules_than_one_looks_through():
    full = {folder: count for folder, count in folder_sizes().items() if count > MOST_IN_A_FOLDER}
    assert full == {}


def test_there_are_no_more_modules_than_one_finds_a_way_among(sources):
    """Files that open a package are not counted, nor rooms for a capability of their own."""
    rooms = tuple(f"{room}." for room in ROOMS)
    core = [m for m in sources if m.path.name != "__init__.py" and not m.name.startswith(rooms)]
    assert len(core) <= MOST_MODULES


def test_no_file_grows_past_what_one_reads_in_a_sitting(sources):
    long = {module.name: lines for module in sources if (lines := module.source.count("\n")) > MOST_LINES}
    assert long == {}


def test_every_module_opens_with_a_sentence_that_says_what_it_is_for(sources):
    silent = [module.name for module in sources if not (ast.get_docstring(module.tree) or "").strip()]
    assert silent == []


def test_functions_that_users_call_have_full_contracts(sources):
    assert contracts_missing(sources) == []


def test_functions_that_users_do_not_call_say_in_prose_what_their_names_and_types_do_not(sources):
    assert internal_contracts(sources) == []


def test_docstrings_are_a_small_part_of_the_package(sources):
    assert docstring_share(sources) <= MOST_DOCSTRINGS


def test_what_only_its_own_file_uses_is_private(sources):
    assert could_be_private(sources) == []


def test_no_two_functions_are_written_twice(sources):
    """Runs of equal statements in two places, names of variables included."""
    seen: dict[str, set[str]] = defaultdict(set)
    for module in sources:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef):
                body = node.body[1:] if ast.get_docstring(node) is not None else node.body
                for first in range(len(body) - ALIKE + 1):
                    run = "\n".join(ast.unparse(statement) for statement in body[first : first + ALIKE])
                    seen[run].add(f"{module.name}.{node.name}")
    assert [places for places in seen.values() if len(places) > 1] == []


def test_the_public_names_are_what_dir_lists():
    assert set(dir(mocapella)) == {*mocapella.__all__}


def test_public_names_say_what_each_of_their_arguments_is():
    values = {name: getattr(mocapella, name) for name in mocapella.__all__ if name != "__version__"}
    silent = [
        f"{name}({argument})"
        for name, value in values.items()
        if not (isinstance(value, type) and issubclass(value, Exception))
        for argument in inspect.signature(value).parameters
        if argument[0] != "_" and not re.search(rf"^(\w+, )*\**{argument}(, \w+)*$", inspect.getdoc(value) or "", re.M)
    ]
    assert silent == []


@pytest.mark.parametrize("name", [name for name in mocapella.__all__ if name != "__version__"])
def test_a_public_name_has_an_example_that_runs(name, tmp_path, monkeypatch):
    value = getattr(mocapella, name)
    if isinstance(value, type) and issubclass(value, Exception):
        return  # raised, not called
    finder = doctest.DocTestFinder(recurse=False)
    home = importlib.import_module(value.__module__)
    tests = [test for test in finder.find(value, name, module=home) if test.examples]
    assert tests, f"{name} has no example"
    monkeypatch.chdir(tmp_path)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        failed = sum(runner.run(test).failed for test in tests)
    assert not failed
