"""``mocapella crowd``: many characters as a file or a picture."""

import json

import pygltflib
import pytest

import mocapella as mo
from tests.crowd.samples import walks
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


@pytest.mark.parametrize(
    ("words", "message"),
    [
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
