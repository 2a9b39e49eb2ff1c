"""The package's source files, parsed."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "mocapella"


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
