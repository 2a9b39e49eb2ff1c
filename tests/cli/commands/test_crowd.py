"""``mocapella crowd``: many characters as a file, a picture or a page."""

import base64
import json
import re
import zlib

import pygltflib
import pytest

import mocapella as mo
from mocapella.exporting.embedding import RUNTIME, WASM
from mocapella.exporting.mocar import mocar_bytes
from mocapella.studio.page import document
from tests.crowd.samples import walks
from tests.exporting.library import needed
from tests.files.test_gltf import validated

KEYS = {"path", "characters", "frames", "engine", "ns_per_character", "slip_mm_max", "slip_mm_p99"}


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    path = tmp_path_factory.mktemp("crowd") / "walks.moca"
    mo.save(walks(), path)
    return path


def test_a_crowd_becomes_one_file_with_one_body(run, network, tmp_path):
    out = tmp_path / "crowd.glb"
    done = run("crowd", network, "--count", 5, "--seconds", 1, "-o", out, "--json")
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert set(found) == KEYS | {"files"}
    assert (found["characters"], found["frames"]) == (5, 60)
    assert found["slip_mm_max"] < 2.0
    read = pygltflib.GLTF2().load(out)
    assert (len(read.meshes), len(read.skins), len(read.animations)) == (1, 5, 1)
    assert len({skin.inverseBindMatrices for skin in read.skins}) == 1
    report = validated([out])[str(out)]
    assert report["numErrors"] == report["numWarnings"] == 0


def test_a_crowd_is_drawn(run, network, tmp_path):
    pytest.importorskip("matplotlib")
    out = tmp_path / "crowd.png"
    done = run("crowd", network, "--count", 12, "--seconds", 0.5, "-o", out, "--walk", "anyhow", "--engine", "numpy")
    assert done.exit_code == 0
    assert out.stat().st_size > 10_000
    assert "numpy" in done.stdout


def test_a_page_has_the_network_and_who_plays_it(run, network, tmp_path, monkeypatch):
    needed((RUNTIME / WASM).is_file(), "mocapella.wasm is not built: make runtime")
    (tmp_path / "viewer.js").write_text("0")
    (tmp_path / "viewer.css").write_text("main {}")
    monkeypatch.setattr(document, "STATIC", tmp_path)
    out, film = tmp_path / "crowd.html", tmp_path / "crowd.glb"
    words = ("--count", 7, "--seconds", 0.5, "--speed", 1.1, "--noise", 0.1, "--seed", 3, "-o", out, "-o", film)
    done = run("crowd", network, *words, "--json")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["files"] == [str(out), str(film)]
    text = out.read_text()
    assert "wasm-unsafe-eval" in text
    given = json.loads(re.search(r'id="mocapella-data">(.*?)</script>', text)[1])
    asked = {"kind": "crowd", "count": 7, "speed": 1.1, "noise": 0.1, "changes": 4.0, "seed": 3, "title": "walks"}
    assert {name: given[name] for name in asked} == asked
    assert zlib.decompress(base64.b64decode(given["network"])) == mocar_bytes(mo.load(network))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--count", 5001, "-o", "a.html"), "expected 1 to 5,000 characters in a page, got 5001"),
        (("--count", 10**9, "-o", "a.glb"), "1,000,000,000 characters needs"),
        (("-o", "a.bvh"), "cannot write a.bvh: expected a suffix of .glb, .mp4"),
        (("-o", "a.glb", "--block", "b"), "only a hybrid one has blocks"),
    ],
)
def test_what_cannot_be_done_is_one_line(run, network, words, message):
    done = run("crowd", network, *words)
    assert done.exit_code == 1
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
