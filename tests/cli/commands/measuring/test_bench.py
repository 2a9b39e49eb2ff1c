"""``mocapella bench``: our figures, published ones and those of peers."""

import json
import math
from functools import cache

import pytest
from click.testing import CliRunner

from benchmarks.benches.outside import three_folder
from mocapella.cli import main
from mocapella.cli.commands.measuring import bench as bench_command
from mocapella.exporting.embedding import RUNTIME, WASM
from mocapella.studies import checkout
from mocapella.studies.benches import NAMES, available, file_cost, peers
from mocapella.studies.benches.measuring import Row
from mocapella.studies.synthesis_tables import TABLE_5_1, TABLE_6_2, TABLE_6_3

KNOWN = {"bench", "name", "value", "unit", "published", "mark", "peer", "peer_name", "peers", "note"}


@pytest.fixture(autouse=True)
def nobody_else(monkeypatch):
    monkeypatch.delenv("MOCAPELLA_DATA", raising=False)


@pytest.fixture
def alone(monkeypatch):
    """No peer is installed."""
    monkeypatch.setattr(peers.util, "find_spec", lambda name: None)


@cache
def quickly(name):
    """What one bench says, asked once for all tests."""
    result = CliRunner().invoke(main, ["bench", name, "--quick", "--json"], catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.parametrize("name", NAMES)
def test_every_bench_tells_its_figures_without_captures(monkeypatch, tmp_path, name):
    monkeypatch.chdir(tmp_path)
    found = quickly(name)
    rows = found["rows"]
    assert rows
    assert found["quick"]
    assert {row["bench"] for row in rows} == {name}
    for row in rows:
        assert {"name", "value", "unit"} <= set(row) <= KNOWN
        assert math.isfinite(row["value"])
        assert row["value"] > 0.0
        assert row.get("published", 1.0) > 0.0
    assert len({row["name"] for row in rows}) == len(rows)
    assert not list(tmp_path.iterdir())


def test_published_tables_stand_beside_ours():
    rows = {row["name"]: row for row in quickly("synthesis")["rows"]}
    for number, table in (("5.1", TABLE_5_1), ("6.2 euler", TABLE_6_2), ("6.3 quaternion", TABLE_6_3)):
        for harmonics, (blend, synthesis) in table.items():
            title = f"table {number}, {harmonics} harmonic{'s' if harmonics > 1 else ''}:"
            kind = "synthesis, literal" if number == "5.1" else "literal"
            assert rows[f"{title} blend"]["published"] == blend
            assert rows[f"{title} {kind}"]["published"] == synthesis
    off, on = (rows[f"table 7.5 quaternion, literal{words}"] for words in ("", " + SSH"))
    assert (off["published"], on["published"]) == (2.24, 1.64)
    assert rows["table 7.5 euler, stack design"]["published"] == 2.9
    assert rows["whole cycle, 69 dofs × 113 frames, 10 harmonics"]["published"] == 849.0


@pytest.mark.skipif(three_folder() is None, reason="no node, or three.js is not installed")
def test_three_js_stands_beside_our_web_assembly_in_node():
    rows = {row["name"]: row for row in quickly("crowd")["rows"]}
    if not (RUNTIME / WASM).is_file():
        pytest.skip("mocapella.wasm is not built: make runtime")
    plain = rows["WebAssembly in Node, 20 characters, feet held"]
    relaxed = rows.get("WebAssembly with relaxed SIMD in Node, 20 characters, feet held")  # which Node 18 does not know
    times = rows["three.js' mixer over our WebAssembly"]
    theirs = plain["peers"]["three.js' mixer, no feet"]
    assert times["value"] == pytest.approx(theirs / (relaxed or plain)["value"])
    assert "published" not in plain
    if relaxed:
        assert times["note"].endswith(f"plain SIMD: {theirs / plain['value']:.1f} ×")


def test_a_peer_is_the_fastest_of_those_that_are_installed(answer, monkeypatch):
    pytest.importorskip("pymotion")
    monkeypatch.setattr(
        file_cost, "bvh_readers", lambda path, with_slow: {"slow": path.read_bytes, "idle": lambda: None}
    )
    found = answer("bench", "files", "kinematics", "--quick")
    rows = {row["name"].partition(",")[0]: row for row in found["rows"]}
    load = rows["load a BVH of the actor's"]
    assert (load["peer"], load["peer_name"]) == (min(load["peers"].values()), "idle")
    assert set(load["peers"]) == {"slow", "idle"}
    assert rows["forward kinematics"].keys().isdisjoint({"published"})
    assert "upc-pymotion" not in found["missing_peers"]


def test_peers_that_are_not_installed_are_named_and_left_out(run, answer, alone):
    found = answer("bench", "files", "kinematics", "--quick")
    assert found["missing_peers"] == list(peers.MODULES)
    assert {row.get("peer_name") for row in found["rows"]} == {None, "np.loadtxt"}
    result = run("bench", "kinematics", "--quick")
    assert result.stderr.splitlines() == [
        f"not installed, so left out: {', '.join(peers.MODULES)}",
        "measuring kinematics …",
    ]
    assert "µs a pose" in result.stdout
    assert "peers" not in result.stdout


def test_readers_of_all_peers_read_what_is_written(tmp_path):
    for module in peers.MODULES.values():
        pytest.importorskip(module)
    from mocapella.storage.values import save

    save(file_cost.walk(5), tmp_path / "walk.bvh")
    readers = peers.bvh_readers(tmp_path / "walk.bvh", with_slow=True)
    assert list(readers) == list(peers.MODULES)
    assert all(read() is not None for read in readers.values())


def test_an_unknown_bench_is_wrong_usage_and_those_there_are_are_named(run):
    result = run("bench", "everything")
    assert result.exit_code == 2
    assert (
        "'everything' is not one of 'files', 'kinematics', 'analysis', 'synthesis', 'player', 'crowd', 'actor'"
        in result.stderr
    )


def test_people_read_tables_with_what_is_known_beside_each_figure(run, monkeypatch):
    known = Row("a step", 0.123456, "µs", published=1.18, peers={"slow": 1234.5, "quick": 2.0}, note="mind the gap")
    monkeypatch.setattr(bench_command, "measured", lambda name, quick: [known, Row("a jump", 7.0, "µs")])
    lines = run("bench", "actor").stdout.splitlines()
    assert ["ours", "unit", "published", "peers"] in [line.split() for line in lines]
    assert "actor" in [line.strip() for line in lines]
    (step,) = (line.split() for line in lines if line.startswith("a step"))
    assert step == ["a", "step", "0.1235", "µs", "1.18", "quick", "2,", "slow", "1,234;", "mind", "the", "gap"]
    assert next(line for line in lines if line.startswith("a jump")).split() == ["a", "jump", "7", "µs"]


def test_the_installed_package_measures_the_machine_and_says_where_other_benches_are(run, answer, monkeypatch):
    monkeypatch.setattr(checkout, "_ROOT", checkout._ROOT / "nowhere")
    assert available() == ("files", "analysis", "player", "crowd")
    rows = answer("bench", "crowd", "--quick")["rows"]
    assert "state of a character" in [row["name"] for row in rows]
    assert not any("Node" in row["name"] for row in rows)
    refused = run("bench", "synthesis", "--quick")
    assert refused.exit_code == 1
    assert "the bench synthesis is only in a source checkout of mocapella" in " ".join(refused.stderr.split())
