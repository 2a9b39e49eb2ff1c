"""``mocapella page``: what it answers, and what it refuses."""

from __future__ import annotations

import base64
import json
import re
import zlib

import pytest

import mocapella as mo
from mocapella.exporting import embedding
from mocapella.exporting.mocar import mocar_bytes
from mocapella.studio.page import document as pages
from tests.crowd.samples import walks


@pytest.fixture(autouse=True)
def viewer(tmp_path, monkeypatch):
    folder = tmp_path / "static"
    folder.mkdir()
    for kind in ("js", "css"):
        (folder / f"viewer.{kind}").write_text("/* a viewer */")
    monkeypatch.setattr(pages, "STATIC", folder)


def test_a_page_of_a_clip_says_where_it_is_and_how_large(answer, bvh, tmp_path):
    goal = tmp_path / "out.html"
    told = answer("page", bvh, "-o", goal)
    assert told == {"path": str(goal), "bytes": goal.stat().st_size, "steerable": False}


def test_two_motions_are_compared_without_their_names_in_sight(answer, bvh, tmp_path):
    goal = tmp_path / "judge.html"
    assert answer("page", "--compare", bvh, bvh, "-o", goal, "--question", "Which one limps?")["steerable"] is False
    text = goal.read_text()
    assert "Which one limps?" in text
    assert "<title>judging</title>" in text


def test_a_steerable_page_holds_the_network_and_the_engine(answer, run, bvh, tmp_path, monkeypatch):
    network, goal = tmp_path / "walks.moca", tmp_path / "out.html"
    mo.save(walks(), network)
    monkeypatch.setattr(embedding, "RUNTIME", tmp_path)
    refused = run("page", network, "-o", goal, "--steerable")
    assert (refused.exit_code, goal.exists()) == (1, False)
    assert "make runtime" in refused.stderr
    (tmp_path / embedding.WASM).write_bytes(b"\0asm")
    assert answer("page", network, "-o", goal, "--steerable")["steerable"] is True
    text = goal.read_text()
    data = json.loads(re.search(r'id="mocapella-data">(.*?)</script>', text)[1])
    assert zlib.decompress(base64.b64decode(data["wasm"])) == b"\0asm"
    assert zlib.decompress(base64.b64decode(data["network"])) == mocar_bytes(walks())
    assert "'wasm-unsafe-eval'" in text
    assert "error: " in run("page", bvh, "-o", goal, "--steerable").stderr


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (("-o", "out.html"), 2, "name one file to show, or two to --compare"),
        (("--compare", "{bvh}", "{bvh}", "-o", "{out}", "--steerable"), 2, "one network"),
        (("{bvh}", "-o", "out.png"), 1, "expected a suffix of .html"),
        (("{missing}", "-o", "{out}"), 1, "there is no such file"),
        (("{bvh}", "-o", "{out}", "--out-rate", "-3"), 1, "frame"),
        (("--compare", "{bvh}", "{folder}", "-o", "{out}"), 1, "two motion files or two folders"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_one_line(run, bvh, tmp_path, words, status, says):
    places = {"bvh": bvh, "missing": tmp_path / "none.bvh", "out": tmp_path / "out.html", "folder": tmp_path}
    result = run("page", *(word.format(**places) for word in words))
    assert result.exit_code == status
    assert says in result.stderr
    assert not (tmp_path / "out.html").exists()
