"""Figures of the code itself: files, lines, missing contracts, names that could be private, walks through files.

``python -m benchmarks.house`` prints the table, ``--missing [PACKAGE]`` what docstrings lack, ``--private [PACKAGE]``
the names that only their own file uses, ``--walks`` how many files the main calls pass through.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "mocapella"
USERS = ("mocapella", "tests", "benchmarks", "examples", "docs")
PAGES = ("README.md", "docs/**/*.md", "examples/**/*.py")  # what users read: names in it are theirs to call
SENTENCE = 2  # parameters that the sentence of a documented function or method can say without sections


@dataclass
class Module:
    """One source file, parsed."""

    path: Path
    name: str  # dotted, without "mocapella."
    tree: ast.Module = field(repr=False)
    source: str = field(repr=False)

    @property
    def package(self) -> str:
        """The first part of its name."""
        return self.name.split(".")[0]

    @cached_property
    def code_lines(self) -> int:
        """Lines that are neither blank nor comment nor docstring."""
        kept = set()
        skipped = {
            tokenize.COMMENT,
            tokenize.NL,
            tokenize.NEWLINE,
            tokenize.INDENT,
            tokenize.DEDENT,
            tokenize.ENDMARKER,
        }
        for token in tokenize.generate_tokens(io.StringIO(self.source).readline):
            if token.type not in skipped:
                kept.update(range(token.start[0], token.end[0] + 1))
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
                kept -= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
        return len(kept)

    @cached_property
    def docstring_lines(self) -> int:
        """Lines of docstrings, those with the quotes included."""
        return sum(
            (node.body[0].end_lineno or 0) - node.body[0].lineno + 1
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and ast.get_docstring(node) is not None
        )

    @property
    def definitions(self) -> Iterator[ast.FunctionDef | ast.ClassDef]:
        """Functions and classes at its top."""
        return (node for node in self.tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef))


def modules(folder: Path = PACKAGE) -> list[Module]:
    found = []
    for path in sorted(folder.rglob("*.py")):
        source = path.read_text()
        name = ".".join(path.relative_to(folder).with_suffix("").parts).removesuffix(".__init__") or "__init__"
        found.append(Module(path, name, ast.parse(source), source))
    return found


def public_surface(found: list[Module]) -> dict[tuple[str, str], str]:
    """(module, name) → why users may call it: ``"name"`` of the package itself, ``"page"``, ``"base"`` or ``"result"``.

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
        for function in functions_of(node) if why in ("name", "page") else ():
            in_prose = function is not node or why == "page"
            lacking = unnamed_parameters(function) if in_prose else missing_sections(function)
            if lacking and not (in_prose and len(parameters_of(function)) <= SENTENCE):
                title = name if function is node else f"{name}.{function.name}"
                lines.append(f"{home}.{title}: {', '.join(lacking)}")
    return lines


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


Documented = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def documented(module: Module) -> Iterator[tuple[str, Documented]]:
    """Functions, classes and methods with docstrings, by their dotted names within the module."""

    def inside(node: ast.AST, path: str) -> Iterator[tuple[str, Documented]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, Documented):
                title = f"{path}{child.name}"
                if ast.get_docstring(child) is not None:
                    yield title, child
                yield from inside(child, f"{title}.")
            elif isinstance(child, ast.stmt):
                yield from inside(child, path)

    return inside(module.tree, "")


def is_public(surface: dict[tuple[str, str], str], home: str, title: str) -> bool:
    """Whether users may call a function or method, by its dotted name within its module."""
    first, *rest = title.split(".")
    return (home, first) in surface and all(part[0] != "_" or part == "__init__" for part in rest)


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


class Walk:
    """Which files and functions of the package a call passes through, in order."""

    def __init__(self) -> None:
        self.calls: Counter[tuple[str, str]] = Counter()
        self.visits: list[str] = []  # the file of every function when it is called first

    def of(self, call: Callable[[], object]) -> object:
        """Make a call and note its way; what it returns."""
        sys.setprofile(self._profile)
        try:
            return call()
        finally:
            sys.setprofile(None)

    def _profile(self, frame: object, event: str, _: object) -> None:
        code = frame.f_code  # type: ignore[attr-defined]
        if event != "call" or not code.co_filename.startswith(str(PACKAGE)) or code.co_name.startswith("<"):
            return
        key = code.co_filename[len(str(PACKAGE)) + 1 :], code.co_qualname
        if key not in self.calls:
            self.visits.append(key[0])
        self.calls[key] += 1

    @property
    def files(self) -> int:
        """How many files it passes through."""
        return len(set(self.visits))

    @property
    def returns(self) -> int:
        """How often a function that is called first lies in a file that had been left."""
        seen: set[str] = set()
        count, last = 0, ""
        for file in self.visits:
            count += file != last and file in seen
            seen.add(file)
            last = file
        return count


def walks(paths: list[Path]) -> Iterator[tuple[str, Walk]]:
    """The six lines and steps of both engines, each as a walk; everything is imported beforehand."""
    import pkgutil
    from importlib import import_module

    import mocapella as mo
    from mocapella.studies.benches.player import engines

    for info in pkgutil.walk_packages(mo.__path__, "mocapella."):
        if "__main__" not in info.name:
            import_module(info.name)
    everything: list[Walk] = []

    def walked(call: Callable[[], object]) -> tuple[Walk, object]:
        walk = Walk()
        value = walk.of(call)
        everything.append(walk)
        return walk, value

    walk, clip = walked(lambda: mo.load(paths[0]))
    yield "load", walk
    walk, raw = walked(lambda: mo.find_cycle(clip))
    yield "find_cycle", walk
    walk, cycle = walked(lambda: mo.cyclify(raw))
    yield "cyclify", walk
    others = [mo.cyclify(mo.find_cycle(mo.load(path))) for path in paths[1:]]
    walk, cycles = walked(lambda: mo.synchronise([cycle, *others]))
    yield "synchronise", walk
    walk, spectra = walked(lambda: [mo.analyse(one, harmonics=8) for one in cycles])
    yield "analyse", walk
    places = ((0.0, 0.0), (1.0, 0.0), (0.5, 1.0))
    nodes = [mo.Node(str(i), *pair) for i, pair in enumerate(zip(places, spectra, strict=True))]
    walk, network = walked(lambda: mo.Network(nodes))
    yield "Network", walk
    before = len(everything)
    for engine in engines():  # the default comes last: it records, and counts for the six lines
        del everything[before:]
        walk, player = walked(partial(mo.Player, network, point=(0.4, 0.3), engine=engine))
        yield f"Player, {engine}", walk
        yield f"  step at rest, {engine}", walked(partial(player.step, 1 / 60))[0]
        yield f"  step moving, {engine}", walked(partial(_moving_step, player))[0]
    walk, take = walked(lambda: mo.record(player, seconds=1, frame_rate=60))
    yield "record, 1 s", walk
    yield "save", walked(lambda: mo.save(take, "/tmp/walk-of-the-house.bvh"))[0]
    whole = Walk()
    whole.visits = [file for walk in everything for file in walk.visits]
    yield "six lines and a step", whole


def _moving_step(player: Any) -> object:
    player.point = (0.6, 0.2)
    return player.step(1 / 60)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--missing", nargs="?", const="", metavar="PACKAGE")
    parser.add_argument("--private", nargs="?", const="", metavar="PACKAGE")
    parser.add_argument("--walks", nargs="*", type=Path, metavar="CLIP")
    words = parser.parse_args()
    found = modules()
    if words.missing is not None:
        print(*(line for line in contracts_missing(found) if line.startswith(words.missing)), sep="\n")
    elif words.private is not None:
        print(*(line for line in could_be_private(found) if line.startswith(words.private)), sep="\n")
    elif words.walks is not None:
        captures = ROOT.parent / "shared" / "data" / "cmu-bvh" / "16"
        paths = words.walks or [captures / f"16_{number}.bvh" for number in (15, 21, 47)]
        for name, walk in walks(paths):
            print(f"{name:22} {walk.files:3} files {len(walk.visits):4} functions {walk.returns:3} returns")
    else:
        packages: dict[str, list[Module]] = defaultdict(list)
        for module in found:
            packages[module.package].append(module)
        print(f"{'package':12} files  code  docstrings  longest file (lines)")
        for name, members in packages.items():
            longest = max(members, key=lambda one: one.source.count("\n"))
            code = sum(one.code_lines for one in members)
            share = f"{docstring_share(members):10.1%}"
            print(f"{name:12} {len(members):5} {code:5}  {share}  {longest.name} {longest.source.count(chr(10))}")
        code = sum(one.code_lines for one in found)
        print(f"{'all':12} {len(found):5} {code:5}  {docstring_share(found):10.1%}")
        print(f"most modules in a folder: {max(folder_sizes().values())}")
        print(f"contracts missing: {len(contracts_missing(found))}")
        print(f"contracts of internal functions: {len(internal_contracts(found))}")
        print(f"names that could be private: {len(could_be_private(found))}")


if __name__ == "__main__":
    main()
