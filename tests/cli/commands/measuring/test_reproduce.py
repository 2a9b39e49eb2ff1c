"""``mocapella reproduce``: published tables, ours beside theirs."""

from functools import partial

import pytest

from benchmarks.tables import hybrid_tables, single_source, upper_harmonic_walks
from mocapella.actor import perform
from mocapella.pictures import canvas
from mocapella.studies import checkout, cost_tables, paper_tables
from mocapella.studies.synthesis_tables import blending_costs, table_rows

WALKS = ((0.9, 0.0), (1.6, 0.0), (1.2, 0.7), (1.3, -0.6))


@pytest.fixture(autouse=True)
def nobody_else(monkeypatch):
    monkeypatch.delenv("MOCAPELLA_DATA", raising=False)


def test_tables_7_1_to_7_3_are_those_of_the_thesis():
    found = single_source.stack_tables()
    assert all(table["equal"] for table in found.values())
    assert found["7.2"]["ours"][1] == "aaaab"  # from harmonic 6 up


def test_rules_blend_as_published(answer):
    rows = {row["rule"]: row for row in answer("reproduce", "blending")["blending"]["rows"]}
    for name, phase in (("unit", 45.0), ("streamlined", 5.711), ("phasor", 5.711)):
        assert rows[name]["phase_deg"] == pytest.approx(phase, abs=1e-3)
    assert rows["naive"]["ten_and_350_deg"] == pytest.approx(180.0)
    assert rows["phasor"]["rms_from_time_domain"] < 1e-12 < 0.5 < rows["streamlined"]["rms_from_time_domain"]


def test_the_actor_performs_where_there_are_no_captures(run, tmp_path):
    result = run("reproduce", "harmonics", "sync", "--captures", tmp_path)
    assert result.exit_code == 0
    assert "lacks walks of CMU subject 16; the embedded actor performs" in " ".join(result.stderr.split())
    assert "medium walk straight" in result.stdout
    assert "best offset" in result.stdout
    missing = run("reproduce", "harmonics", "--captures", tmp_path / "nowhere")
    assert missing.exit_code == 1
    assert "is not a folder" in missing.stderr
    assert run("reproduce", "everything").exit_code == 2


def test_the_experiment_on_upper_harmonics_is_told_in_full(answer, run, monkeypatch, tmp_path):
    pytest.importorskip("matplotlib")
    walks = [perform("walk", speed=v, turn=w, seed=i)[0].renamed(f"{v:g} {w:g}") for i, (v, w) in enumerate(WALKS)]
    monkeypatch.setattr(upper_harmonic_walks, "actor_walks", lambda: walks)
    monkeypatch.setattr(single_source, "blending_costs", partial(blending_costs, rounds=1))
    monkeypatch.setattr(canvas, "save_figure", lambda figure, path: path.write_text(figure.get_suptitle()))
    told = answer("reproduce", "single-source", "--grid", "7x5", "-o", tmp_path)["single-source"]
    names = [one["name"] for one in told["candidates"]]
    assert {"streamlined", "streamlined + SSH", "phasor", "phasor + SSH", "phasor + SSH, set up", "lively"} <= set(
        names
    )
    assert told["default"]["rule"] == "lively"
    assert told["motions"] == "the embedded actor"
    opposed = told["opposed_sixth_harmonics"]
    assert opposed["lively"]["max"] < 0.5 * opposed["streamlined + SSH"]["max"] < 0.4 * opposed["streamlined"]["max"]
    assert {row["name"] for row in told["costs"]} >= {"literal", "literal + SSH", "stack design"}
    for path in told["files"]:
        assert (tmp_path / path).read_text()


def test_captures_are_found_in_any_folder_below(data_folder):
    sources = paper_tables.Sources(data_folder)
    assert sources.real
    assert sources.named == "CMU subject 16"
    assert sources.found(["16_11.bvh", "nothing.bvh"]) is None
    assert sources.cycle("16_15.bvh", "medium walk straight").name == "16_15"


def test_without_a_name_all_tables_go_into_one_report(answer, run, monkeypatch, tmp_path):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(single_source, "made", lambda sources: {"files": []})
    monkeypatch.setattr(single_source, "printed", lambda told: ["tables 7.1 to 7.5"])
    monkeypatch.setattr(cost_tables, "table_rows", partial(table_rows, quick=True))
    for name, few in (("_SAMPLES", 3), ("_COMPARED", 8)):
        monkeypatch.setattr(hybrid_tables, name, few)
    told = answer("reproduce")
    assert all(figure["possible"] <= 1.0 for figure in (told["comparison"]["ours"], told["comparison"]["baseline"]))
    assert told["comparison"]["ours"]["possible"] == 1.0
    rows = {row["what"]: row for row in told["comparison"]["rows"]}
    assert len(rows) == 10  # of the published table
    assert rows["navigation smooth"]["published_baseline"] == "can look robotic"
    assert 0.0 < told["comparison"]["swerves"]["ours"] < 200.0
    assert set(told) == {*paper_tables.NAMES, "files"}
    text = (tmp_path / "reproduced" / "report.html").read_text()
    for words in (
        "table 4.2",
        "tables 4.6, 4.7",
        "table 5.1",
        "table 6.1",
        "table 6.4",
        "tables 7.1 to 7.5",
        "25 inputs",
    ):
        assert words in text
    for name in ("harmonics", "sync", "plants", "periods", "cost"):
        assert f"src='{name}.png'" in text
        assert (tmp_path / "reproduced" / f"{name}.png").stat().st_size > 10_000
    (tmp_path / "taken").write_text("")
    refused = run("reproduce", "blending", "-o", tmp_path / "taken")
    assert refused.exit_code == 1
    assert "it is a file" in refused.stderr


def test_the_installed_package_makes_the_papers_tables_and_says_where_experiments_are(run, answer, monkeypatch):
    monkeypatch.setattr(checkout, "_ROOT", checkout._ROOT / "nowhere")
    assert paper_tables.available() == ("blending", "harmonics", "sync", "plants", "periods", "cost", "figures")
    assert answer("reproduce", "blending")["blending"]["rows"]
    refused = run("reproduce", "single-source")
    assert refused.exit_code == 1
    assert "the table single-source is only in a source checkout of mocapella" in " ".join(refused.stderr.split())
