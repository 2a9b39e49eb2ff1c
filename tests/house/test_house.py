"""The order of the code stays: sizes, names, constants, contracts, what stands twice; no room is exempt."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import re
import warnings

import pytest

import mocapella
from benchmarks.house.contracts import contracts_missing
from benchmarks.house.figures import complex_functions, figures, numeric_constants, twins
from benchmarks.house.header import unsaid
from benchmarks.house.sources import ROOT, Module, modules

SOURCES = modules()


@pytest.mark.parametrize("figure", list(figures(SOURCES)), ids=lambda figure: figure.name)
def test_a_figure_of_the_house_is_within_its_limit(figure):
    assert figure.is_kept, f"{figure.value} of {figure.limit}: {figure.listed}"


def test_every_module_opens_with_a_sentence_that_says_what_it_is_for():
    silent = [module.name for module in SOURCES if not (ast.get_docstring(module.tree) or "").strip()]
    assert silent == []


def parsed(source: str, tmp_path) -> list[Module]:
    return [Module(tmp_path / "sample.py", "sample", ast.parse(source), source)]


def test_ways_through_a_function_are_counted_as_mccabe_does(tmp_path):
    source = "def f(a):\n    for b in a:\n" + "".join(
        f"        if b > {i} and a:\n            pass\n" for i in range(7)
    )
    assert complex_functions(parsed(source, tmp_path)) == {"sample.f:1": 16}  # itself, the loop, seven times two


def test_constants_without_a_word_beside_them_are_seen(tmp_path):
    source = "A = 3\nB = 2 * np.pi  # radians\n# metres\nC, D = 1.0, (2, -3)\nE = 'x'\n\n\nclass F:\n    g = 4\n"
    constants = dict(numeric_constants(parsed(source, tmp_path)))
    assert constants == {"sample.A": False, "sample.B": True, "sample.C": True, "sample.D": True}


def test_a_run_of_statements_in_two_functions_is_seen(tmp_path):
    body = "".join(f"    a{i} = b{i}\n" for i in range(8))
    assert twins(parsed(f"def f():\n{body}\ndef g():\n    c = 1\n{body}", tmp_path)) == [{"sample.f", "sample.g"}]


def _is_error(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Exception)


def test_the_public_names_are_what_dir_lists():
    assert set(dir(mocapella)) == {*mocapella.__all__}


def test_public_names_say_what_each_of_their_arguments_is():
    values = {name: getattr(mocapella, name) for name in mocapella.__all__ if name != "__version__"}
    silent = [
        f"{name}({argument})"
        for name, value in values.items()
        if not _is_error(value)
        for argument in inspect.signature(value).parameters
        if argument[0] != "_" and not re.search(rf"^(\w+, )*\**{argument}(, \w+)*$", inspect.getdoc(value) or "", re.M)
    ]
    assert silent == []


@pytest.mark.parametrize("name", [name for name in mocapella.__all__ if name != "__version__"])
def test_a_public_name_has_an_example_that_runs(name, tmp_path, monkeypatch):
    value = getattr(mocapella, name)
    if _is_error(value):
        return  # raised, not called
    finder = doctest.DocTestFinder(recurse=False)
    home = importlib.import_module(value.__module__)
    tests = [test for test in finder.find(value, name, module=home) if test.examples]
    assert tests, f"{name} has no example"
    monkeypatch.chdir(tmp_path)
    assert not failures(tests)


def failures(tests: list[doctest.DocTest]) -> int:
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sum(runner.run(test).failed for test in tests)


@pytest.mark.parametrize("name", [module.name for module in SOURCES if ">>> " in module.source])
def test_examples_inside_run_as_well(name, tmp_path, monkeypatch):
    try:
        module = importlib.import_module(f"mocapella.{name}".removesuffix(".__init__"))
    except ModuleNotFoundError as error:
        pytest.skip(f"needs the extra package {error.name}")
    values = (getattr(mocapella, word) for word in mocapella.__all__)
    public = {value.__doc__ for value in values if not _is_error(value)}  # they have a test of their own
    tests = [test for test in doctest.DocTestFinder().find(module) if test.examples and test.docstring not in public]
    monkeypatch.chdir(tmp_path)
    assert not failures(tests)


def test_the_c_header_says_of_every_function_what_it_does_and_what_its_arguments_are():
    assert unsaid((ROOT / "native/include/mocapella.h").read_text()) == []


def test_a_function_of_a_header_without_a_word_or_with_an_argument_that_is_not_named_is_seen():
    said = "/* Turn `body` by `angle`, radians. */\nMOCAPELLA_EXPORT int turn(int body, double angle);\n"
    assert unsaid(said) == []
    assert unsaid(said.replace("`angle`, radians", "some")) == ["turn: angle"]
    assert unsaid(said + "MOCAPELLA_EXPORT void stop(int body);\n") == ["stop: no comment"]


def test_a_field_that_the_contract_of_a_plug_in_does_not_name_is_seen(tmp_path):
    text = "_HOMES = {}\n"
    said = '"""A format.\n\n    Parameters\n    ----------\n    name\n        In messages.\n    """'
    source = f"class Format:\n    {said}\n    name: str\n    read: int\n"
    modules = [
        Module(tmp_path / "__init__.py", "__init__", ast.parse(text), text),
        Module(tmp_path / "format_table.py", "files.format_table", ast.parse(source), source),
    ]
    assert contracts_missing(modules) == ["files.format_table.Format: field read"]
