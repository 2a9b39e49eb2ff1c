"""Which functions users may call, and what their docstrings lack."""

from __future__ import annotations

import ast
import re

from benchmarks.house.sources import ROOT, Module, documented

PAGES = ("README.md", "docs/**/*.md", "examples/**/*.py")  # what users read: names in it are theirs to call
# What other packages make to add formats and modifiers: their contracts name every field.
PLUG_INS = (("files.format_table", "Format"), ("files.conventions", "Parsed"), ("library.modifiers", "Modifier"))
SENTENCE = 2  # parameters that the sentence of a documented function or method can say without sections


def public_surface(found: list[Module]) -> dict[tuple[str, str], str]:
    """(module, name) → why users may call it.

    It is a ``"name"`` of the package itself, a ``"plug-in"``, named on a ``"page"``, or a ``"base"`` or ``"result"``.
    A page names functions and classes by import, by dotted path, in a directive, or in backticks beside their module.
    Classes that the named ones derive from, or that their functions and methods return, belong to the surface, too.
    """
    homes = {module.name: module for module in found}
    surface: dict[tuple[str, str], str] = {}
    for node in homes["__init__"].tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_HOMES":
            for home, names in ast.literal_eval(node.value).items():
                for name in names.split():
                    _add(surface, homes, (home, name), "name")
    for name in PLUG_INS:
        _add(surface, homes, name, "plug-in")
    for page in (path for pattern in PAGES for path in sorted(ROOT.glob(pattern))):
        text = page.read_text()
        for home, names in re.findall(r"from mocapella\.([\w.]+) import (\([^)]*\)|[\w, ]+)", text):
            for name in re.findall(r"\w+", names):
                _add(surface, homes, (home, name), "page")
        quoted = set(re.findall(r"`(\w+)", text)) if page.suffix == ".md" else set()
        whole = set(re.findall(r"automodule:: mocapella\.([\w.]+)", text))
        for path in re.findall(r"mocapella\.([\w.]*\w)", text):
            _add(surface, homes, path.rpartition(".")[::2], "page")
            for node in homes[path].definitions if path in homes else ():
                if node.name[0] != "_" and (path in whole or node.name in quoted):
                    _add(surface, homes, (path, node.name), "page")
    for home, name in list(surface):
        node = _definition(homes[home], name)
        parts = node.bases if isinstance(node, ast.ClassDef) else []
        for part in parts:
            _add(surface, homes, (home, ast.unparse(part)), "base")
        for function in functions_of(node):
            for word in re.findall(r"\b[A-Z]\w+", ast.unparse(function.returns) if function.returns else ""):
                _add(surface, homes, (home, word), "result")
    return surface


def _add(surface: dict[tuple[str, str], str], homes: dict[str, Module], name: tuple[str, str], why: str) -> None:
    """Add a definition by any module that has it under that name; nothing where it is none of ours."""
    home, last = name
    if home not in homes or name in surface:
        return
    if _definition(homes[home], last) is not None:
        surface[name] = why
        return
    for node in ast.walk(homes[home].tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("mocapella."):
            for alias in node.names:
                if last == (alias.asname or alias.name):
                    _add(surface, homes, ((node.module or "").removeprefix("mocapella."), alias.name), why)
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == last and isinstance(node.value, ast.Call):
            for argument in node.value.args:  # a function made of another one has its documentation
                _add(surface, homes, (home, ast.unparse(argument)), why)


def _definition(module: Module, name: str) -> ast.FunctionDef | ast.ClassDef | None:
    return next((node for node in module.definitions if node.name == name), None)


def functions_of(node: ast.AST | None) -> list[ast.FunctionDef]:
    """A function itself, or the methods of a class that have no underscore and are no properties."""
    members = node.body if isinstance(node, ast.ClassDef) else [node]
    return [
        one
        for one in members
        if isinstance(one, ast.FunctionDef)
        and (one.name[0] != "_" or one is node)
        and not any("property" in ast.unparse(mark) or "setter" in ast.unparse(mark) for mark in one.decorator_list)
    ]


def parameters_of(function: ast.FunctionDef) -> list[str]:
    """The names of its parameters but for ``self``, ``cls`` and what it gathers."""
    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    return [one.arg for one in arguments if one.arg not in ("self", "cls")]


def missing_sections(function: ast.FunctionDef) -> list[str]:
    """Which of Parameters and Returns a docstring lacks, and which parameters it does not name."""
    text = ast.get_docstring(function) or ""
    names = parameters_of(function)
    lacking = []
    section = re.search(r"Parameters\n-{10}\n(.*?)(?=\n[A-Z][a-z]+\n-{3,}|\Z)", text, re.S)
    if names and section is None:
        lacking.append("Parameters")
    elif section is not None:
        said = {
            name.strip(" *")
            for line in re.findall(r"^\S.*", section[1], re.M)
            for name in line.split(":")[0].split(",")
        }
        lacking += [f"parameter {name}" for name in names if name not in said]
    gives = function.returns is not None and ast.unparse(function.returns) not in ("None", "NoReturn", "Never")
    if gives and not re.search(r"(Returns|Yields)\n-{6}", text):
        lacking.append("Returns")
    return lacking


def contracts_missing(found: list[Module]) -> list[str]:
    """A line for every function that users may call and whose docstring is no full contract.

    Functions of the package itself have sections. Methods, and functions that pages name by their module, may say it in
    prose: from three parameters on, each of them is named there.
    """
    homes = {module.name: module for module in found}
    lines = []
    for (home, name), why in public_surface(found).items():
        node = _definition(homes[home], name)
        if why == "plug-in" and (fields := unnamed_fields(node)):
            lines.append(f"{home}.{name}: {', '.join(fields)}")
        for function in functions_of(node) if why in ("name", "page", "plug-in") else ():
            in_prose = function is not node or why == "page"
            lacking = unnamed_parameters(function) if in_prose else missing_sections(function)
            if lacking and not (in_prose and len(parameters_of(function)) <= SENTENCE):
                title = name if function is node else f"{name}.{function.name}"
                lines.append(f"{home}.{title}: {', '.join(lacking)}")
    return lines


def unnamed_fields(node: ast.FunctionDef | ast.ClassDef | None) -> list[str]:
    """The public fields of a class that the sections of its docstring do not name."""
    if node is None:
        return []
    text = ast.get_docstring(node) or ""
    fields = [one.target.id for one in node.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)]
    return [f"field {name}" for name in fields if not re.search(rf"^(\w+, )*{name}(, \w+)*$", text, re.M)]


def unnamed_parameters(function: ast.FunctionDef) -> list[str]:
    """The parameters that a docstring names neither in a section nor in prose."""
    text = ast.get_docstring(function) or ""
    return [
        f"parameter {name}"
        for name in parameters_of(function)
        if not re.search(rf"``{name}\b|^(\*?\w+, )*\**{name}(, \w+)*( :.*)?$", text, re.M)
    ]


def internal_contracts(found: list[Module]) -> list[str]:
    """Functions that nothing outside can call, but whose docstrings have sections for parameters or results."""
    surface = public_surface(found)
    return [
        f"{module.name}.{title}"
        for module in found
        for title, node in documented(module)
        if not is_public(surface, module.name, title)
        and re.search(r"^(Parameters|Returns|Yields)\n-{3,}$", ast.get_docstring(node) or "", re.M)
    ]


def is_public(surface: dict[tuple[str, str], str], home: str, title: str) -> bool:
    """Whether users may call a function or method, by its dotted name within its module."""
    first, *rest = title.split(".")
    return (home, first) in surface and all(part[0] != "_" or part == "__init__" for part in rest)
