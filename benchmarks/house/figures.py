"""Figures of the code itself, and the limits that the tests of the house hold them to."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.house.contracts import contracts_missing, internal_contracts
from benchmarks.house.sources import PACKAGE, ROOT, Module

USERS = ("mocapella", "tests", "benchmarks", "examples", "docs")
ALIKE = 8  # statements in a row that make two functions twins
COMPLEX = 15  # McCabe's number, boolean operators and comprehensions counted, above which a function is hard to test
DIALECT = ("one", "own", "found", "made", "known", "kept", "whole")  # local names that do not say what they hold
PI = ("np.pi", "math.pi", "np.inf", "math.inf", "math.tau")


def docstring_share(found: list[Module]) -> float:
    """The share of docstrings in all lines."""
    return sum(one.docstring_lines for one in found) / sum(one.source.count("\n") for one in found)


def could_be_private(found: list[Module]) -> list[str]:
    """Public names at the top of a module that no other file of the package, its tests or docs mentions."""
    words: dict[str, set[Path]] = defaultdict(set)
    for folder in USERS:
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".py", ".md", ".toml"):
                for word in set(re.findall(r"\b[A-Za-z]\w*", path.read_text())):
                    words[word].add(path)
    lines = []
    for module in found:
        names = [node.name for node in module.definitions]
        for node in module.tree.body:
            if isinstance(node, ast.Assign | ast.AnnAssign):
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                names += [target.id] if isinstance(target, ast.Name) else []
        lines += [f"{module.name}.{name}" for name in names if name[0] != "_" and words[name] <= {module.path}]
    return lines


def folder_sizes() -> dict[str, int]:
    """How many modules lie directly in each folder of the package."""
    return Counter(str(path.parent.relative_to(ROOT)) for path in PACKAGE.rglob("*.py") if path.name != "__init__.py")


def repeated_module_names(found: list[Module]) -> dict[str, int]:
    """File names that stand in two folders or more, with how many times."""
    names = Counter(module.path.stem for module in found if module.path.stem[:2] != "__")
    return {name: count for name, count in sorted(names.items()) if count > 1}


def twins(found: list[Module]) -> list[set[str]]:
    """Functions that share a run of equal statements, names of variables included."""
    seen: dict[str, set[str]] = defaultdict(set)
    for module in found:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef):
                body = node.body[1:] if ast.get_docstring(node) is not None else node.body
                for first in range(len(body) - ALIKE + 1):
                    run = "\n".join(ast.unparse(statement) for statement in body[first : first + ALIKE])
                    seen[run].add(f"{module.name}.{node.name}")
    return [places for places in seen.values() if len(places) > 1]


def numeric_constants(found: list[Module]) -> Iterator[tuple[str, bool]]:
    """Numbers, and rows of numbers, that a module names at its top, and whether a comment stands beside or above.

    Fields of settings classes do not count.
    """
    for module in found:
        lines = module.source.splitlines()
        for node in module.tree.body:
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                pairs = [(target, node.value)]
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    pairs = list(zip(target.elts, node.value.elts, strict=True))
                beside = "#" in lines[node.lineno - 1] + lines[(node.end_lineno or 0) - 1]
                above = lines[node.lineno - 2].startswith("#")
                for name, value in pairs:
                    if _is_numeric(value):
                        yield f"{module.name}.{ast.unparse(name)}", beside or above


def _is_numeric(value: ast.expr) -> bool:
    match value:
        case ast.Constant(value=number):
            return isinstance(number, int | float | complex) and not isinstance(number, bool)
        case ast.UnaryOp(operand=part):
            return _is_numeric(part)
        case ast.BinOp(left=left, right=right):
            return _is_numeric(left) and _is_numeric(right)
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Call(args=parts):
            return bool(parts) and all(map(_is_numeric, parts))
        case _:
            return ast.unparse(value) in PI


def complex_functions(found: list[Module]) -> dict[str, int]:
    """Functions and methods whose number of ways, as McCabe counts them, is above the limit."""
    numbers = {
        f"{module.name}.{node.name}:{node.lineno}": 1
        + sum(_ways(part) for statement in node.body for part in ast.walk(statement))
        for module in found
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    return {name: number for name, number in sorted(numbers.items(), key=lambda item: -item[1]) if number > COMPLEX}


def _ways(node: ast.AST) -> int:
    match node:
        case ast.If() | ast.IfExp() | ast.Assert() | ast.ExceptHandler() | ast.match_case():
            return 1
        case ast.For() | ast.AsyncFor() | ast.While():
            return 1 + bool(node.orelse)
        case ast.BoolOp():
            return len(node.values) - 1
        case ast.comprehension():
            return 1 + len(node.ifs)
        case _:
            return 0


def dialect(found: list[Module]) -> Counter[str]:
    """How often a module assigns a local name that does not say what it holds."""
    return Counter(
        module.name
        for module in found
        for node in ast.walk(module.tree)
        if (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in DIALECT)
        or (isinstance(node, ast.arg) and node.arg in DIALECT)
    )


class Figure(NamedTuple):
    """A figure with its limit, and what it counts."""

    name: str
    value: float
    limit: float
    listed: list[str]

    @property
    def is_kept(self) -> bool:
        """Whether it is within its limit."""
        return self.value <= self.limit


def figures(found: list[Module]) -> Iterator[Figure]:
    """All figures that have a limit."""

    def counted(name: str, limit: int, listed: list[str]) -> Figure:
        return Figure(name, len(listed), limit, listed)

    constants = list(numeric_constants(found))
    lines = {module.name: module.source.count("\n") for module in found}
    yield Figure("lines of the package", sum(lines.values()), 92_000, [])
    yield Figure("lines of code", sum(module.code_lines for module in found), 62_000, [])
    yield Figure("docstrings, per cent of lines", 100 * docstring_share(found), 18, [])
    yield counted("public functions without a contract", 0, contracts_missing(found))
    yield counted("internal functions with sections", 0, internal_contracts(found))
    yield counted("names that could be private", 0, could_be_private(found))
    yield Figure("modules in the fullest folder", max(folder_sizes().values()), 20, [])
    yield Figure("lines of the longest file", max(lines.values()), 460, [max(lines, key=lines.__getitem__)])
    repeated = repeated_module_names(found)
    yield counted("module names used twice", 45, [f"{name} {count}" for name, count in repeated.items()])
    yield counted("runs of statements written twice", 0, [", ".join(sorted(places)) for places in twins(found)])
    yield counted("numeric constants of modules", 1000, [name for name, _ in constants])
    yield counted("such without a unit or reason", 0, [name for name, told in constants if not told])
    hard = complex_functions(found)
    yield counted("functions of more than 15 ways", 40, [f"{name} {number}" for name, number in hard.items()])
