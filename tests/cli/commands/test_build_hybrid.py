"""``mocapella build`` with a spec of transitions: arcs as the contract has them."""

from pathlib import Path

import pytest

import mocapella as mo
from mocapella.actor import CLEAN, capture, perform
from mocapella.storage.values import load_network

SPEC = """\
[[blocks]]
name = "walking"
files = ["slow.bvh", "fast.bvh", "left.bvh"]

[[transitions]]
name = "twirl"
file = "twirl.bvh"
source = "walking"
key = "t"
mirrored = true
"""


@pytest.fixture(scope="module")
def spec(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hybrid")
    for name, speed, turn in (("slow", 0.9, 0.0), ("fast", 1.6, 0.0), ("left", 1.4, 0.6)):
        mo.save(perform("walk", speed=speed, turn=turn, imperfections=CLEAN)[0], folder / f"{name}.bvh")
    mo.save(capture("walk-twirl-walk")[0], folder / "twirl.bvh")
    (folder / "hybrid.toml").write_text(SPEC)
    return folder / "hybrid.toml"


def test_a_spec_with_transitions_becomes_a_hybrid_network(answer, spec, tmp_path):
    found = answer("build", spec, "-o", tmp_path / "net.moca")
    assert {"nodes", "triangles", "arcs", "blocks", "modes", "written", "check"} <= set(found)
    assert [node["name"] for node in found["nodes"]] == ["slow", "fast", "left", "left mirrored", "twirl before"]
    assert {node["block"] for node in found["nodes"]} == {"walking"}
    (arc,) = found["arcs"]
    stop = {"block": "walking", "node": "twirl before"}
    assert (arc["name"], arc["source"], arc["target"], arc["key"]) == ("twirl", stop, stop, "t")
    assert arc["leave"] < arc["loop"][0] < arc["loop"][1] <= arc["arrive"]
    assert arc["seconds"] == pytest.approx((arc["arrive"] - arc["leave"]) / 120.0)
    assert [seam["at"] for seam in arc["seams"]] == ["leave", "arrive"]
    assert max(seam["pose_cm"] for seam in arc["seams"]) < 0.5
    assert [mode["arcs"] for mode in found["modes"]] == [[], ["twirl"]]
    loaded = load_network(tmp_path / "net.moca")
    assert [list(names) for block in loaded.blocks.values() for names in (*block.plain, *block.buffers)] == found[
        "triangles"
    ]


def test_people_get_a_table_of_arcs_and_maps_of_the_blocks(run, spec, tmp_path):
    result = run("build", spec, "-o", tmp_path / "net.moca", "--map", tmp_path / "map.png")
    assert result.exit_code == 0
    assert "walking: twirl before" in result.stdout
    assert "HybridNetwork(1 block, 1 arc, 2 modes)" in result.stdout
    assert (tmp_path / "map-walking.png").is_file()
    assert "map-walking.png: map" in "".join(result.stdout.split("\n"))


def test_every_file_that_was_written_is_named(answer, spec, tmp_path):
    pytest.importorskip("matplotlib")
    found = answer("build", spec, "-o", tmp_path / "net.moca", "--map", tmp_path / "map.png")
    pictures = [tmp_path / f"map-{block}.png" for block in found["blocks"]]
    assert found["written"] == [str(path) for path in (tmp_path / "net.moca", *pictures)]
    assert sorted(tmp_path.iterdir()) == sorted(map(Path, found["written"]))


def test_a_slip_in_the_spec_is_one_line(run, spec, tmp_path):
    odd = spec.with_name("odd.toml")
    odd.write_text(SPEC.replace("source", "sauce"))
    result = run("build", odd, "-o", tmp_path / "net.moca")
    assert result.exit_code == 1
    assert result.stderr.startswith("error: ")
    assert "odd.toml:8: a transition has no 'sauce'; did you mean 'source'?" in result.stderr


def test_a_clip_that_is_torn_at_its_ends_and_has_nothing_to_join_is_refused(run, spec, tmp_path):
    whole = capture("walk-twirl-walk")[0]
    change = mo.find_transition(whole)
    mo.save(whole[change.leave - 20 : change.arrive + 20], spec.with_name("torn.bvh"))
    alone = spec.with_name("alone.toml")
    alone.write_text('[[transitions]]\nname = "twirl"\nfile = "torn.bvh"\nsource = "walking"\n')
    result = run("build", alone, "-o", tmp_path / "net.moca")
    assert result.exit_code == 1
    assert "frames that neither repeat nor stand still" in result.stderr
    joined = spec.with_name("joined.toml")
    joined.write_text(SPEC.replace("twirl.bvh", "torn.bvh"))
    result = run("build", joined, "-o", tmp_path / "net.moca")
    assert result.exit_code == 0  # walks to borrow from are there; that is doubtful, and said
    assert "twirl has less than a cycle at its beginning; one was borrowed and bent" in result.stderr


def test_transitions_of_another_motion_and_keys_that_mean_two_things_are_refused(run, spec, swinging, tmp_path):
    mo.save(swinging, spec.with_name("swing.bvh"))
    odd = spec.with_name("other.toml")
    for text, reason in (
        (SPEC.replace("twirl.bvh", "swing.bvh"), "twirl (legs 1.04 times as long)"),
        (SPEC + '\n[[modes]]\nname = "turn"\nkey = "t"\narcs = ["twirl"]\n', "the key 't' is for mode 'turn' and for"),
    ):
        odd.write_text(text)
        result = run("build", odd, "-o", tmp_path / "net.moca")
        assert result.exit_code == 1
        assert reason in result.stderr
        assert not (tmp_path / "net.moca").exists()
