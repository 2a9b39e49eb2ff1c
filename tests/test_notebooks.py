"""Notebooks of the examples: stored without outputs, and every cell runs."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from mocapella.inline import ShownInline
from mocapella.studio.page import document as pages

NOTEBOOKS = sorted((Path(__file__).parents[1] / "examples").rglob("*.ipynb"))


@pytest.fixture
def viewer(tmp_path, monkeypatch):
    for kind in ("js", "css"):
        (tmp_path / f"viewer.{kind}").write_text("/* a viewer */")
    monkeypatch.setattr(pages, "STATIC", tmp_path)


def code_of(notebook: Path) -> list[str]:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_without_outputs(notebook):
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in cells if cell["cell_type"] == "code")


@pytest.mark.usefixtures("viewer")
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_runs_and_shows_its_last_value(notebook):
    names: dict = {}
    shown = 0
    for source in code_of(notebook):
        tree = ast.parse(source)
        *before, last = tree.body
        exec(compile(ast.Module(before, []), str(notebook), "exec"), names)
        if not isinstance(last, ast.Expr):
            exec(compile(ast.Module([last], []), str(notebook), "exec"), names)
            continue
        value = eval(compile(ast.Expression(last.value), str(notebook), "eval"), names)
        if isinstance(value, ShownInline):
            assert value._repr_html_().startswith("<iframe")
            shown += 1
    assert NOTEBOOKS
    assert shown >= 4
