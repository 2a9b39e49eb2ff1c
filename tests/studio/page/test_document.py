"""The HTML of a page: nothing from elsewhere, nothing that breaks out of it, notebooks included."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import perform
from mocapella.errors import MotionError
from mocapella.studio.page import document as pages
from mocapella.studio.page.notebook import inline_html

SCRIPT = 'window.shown = JSON.parse(document.getElementById("mocapella-data").textContent)'


@pytest.fixture
def viewer(tmp_path, monkeypatch):
    """A viewer of one line, in place of the built one."""
    (tmp_path / "viewer.js").write_text(SCRIPT)
    (tmp_path / "viewer.css").write_text("body { margin: 0 }")
    monkeypatch.setattr(pages, "STATIC", tmp_path)


@pytest.fixture(scope="module")
def clip() -> mo.Clip:
    return perform("walk", seconds=1.5)[0]


class Elements(HTMLParser):
    """Scripts of a document, and every address it names."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts: list[tuple[dict, str]] = []
        self.addresses: list[str] = []
        self.policy = ""
        self.inside = False

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.addresses += [given[key] for key in ("src", "href") if key in given]
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"]
        self.inside = tag == "script"
        if self.inside:
            self.scripts.append((given, ""))

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, data):
        if self.inside:
            given, text = self.scripts[-1]
            self.scripts[-1] = (given, text + data)


def elements(text: str) -> Elements:
    parser = Elements()
    parser.feed(text)
    return parser


@pytest.mark.usefixtures("viewer")
def test_a_page_names_no_address_and_allows_its_own_scripts_only(clip, tmp_path):
    size, steerable = pages.write_page(clip, tmp_path / "walk.html")
    text = (tmp_path / "walk.html").read_text()
    found = elements(text)
    assert (size, steerable) == (len(text.encode()), False)
    assert all(address.startswith("data:") for address in found.addresses)
    loader = found.scripts[-1][1]
    for script in (loader, SCRIPT):
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in found.policy
    assert "default-src 'none'" in found.policy
    packed = next(body for given, body in found.scripts if given.get("id") == "mocapella-viewer")
    assert zlib.decompress(base64.b64decode(packed)).decode() == SCRIPT


@pytest.mark.usefixtures("viewer")
def test_names_cannot_break_out_of_their_place(clip):
    evil = '</script><script>alert(1)</script><!-- "'
    text = pages.document(pages.content_of(clip.renamed(evil)), title=evil)
    found = elements(text)
    assert len(found.scripts) == 3
    data = json.loads(next(body for given, body in found.scripts if given.get("id") == "mocapella-data"))
    assert data["title"] == evil
    assert data["motions"][0]["name"] == evil


@pytest.mark.usefixtures("viewer")
def test_values_show_themselves_in_a_notebook_in_a_closed_frame(clip):
    frame = clip._repr_html_()
    assert re.match(r'<iframe sandbox="allow-scripts allow-downloads" ', frame)
    inner = unescape(re.search(r'srcdoc="([^"]*)"', frame)[1])
    assert elements(inner).scripts
    assert mo.prepare(clip)._repr_html_().startswith("<iframe")


@pytest.mark.usefixtures("viewer")
def test_an_output_of_a_notebook_keeps_the_beginning_of_a_long_clip(clip):
    long = mo.concatenate([clip] * 40)
    assert long.seconds > 50
    assert len(inline_html(long)) < 1_000_000


@pytest.mark.usefixtures("viewer")
def test_what_has_no_page_is_shown_as_text():
    swing = mo.Spectrum(np.array([[0.0], [0.1 + 0j]]), duration=1.0)  # no layout: which joint swings?
    assert swing._repr_html_() is None


def test_without_the_viewer_a_page_says_how_to_build_it_and_a_notebook_shows_text(clip, tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "STATIC", tmp_path / "nowhere")
    with pytest.raises(MotionError, match="make web"):
        pages.write_page(clip, tmp_path / "walk.html")
    assert not (tmp_path / "walk.html").exists()
    assert clip._repr_html_() is None
