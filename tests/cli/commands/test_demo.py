"""``mocapella demo``: the main job, and captures for everything else."""

import json
import sys
from dataclasses import replace

import pytest

import mocapella as mo
from mocapella.actor import repertoire
from mocapella.cli.commands import demo as demo_module
from mocapella.exporting.embedding import RELAXED, RUNTIME
from mocapella.studies import demo, edit_shows
from mocapella.studio.page import document
from mocapella.studio.page.demonstration import with_pages
from mocapella.studio.page.document import STATIC
from tests.exporting.library import needed


@pytest.fixture(scope="module")
def job(tmp_path_factory) -> demo.Job:
    """The main job with fewer captures and a shorter way, done once."""
    folder = tmp_path_factory.mktemp("job") / "demo"
    with pytest.MonkeyPatch.context() as patch:
        _make_smaller(patch)
        return demo.run_main_job(folder)


def _make_smaller(patch):
    patch.setattr(demo, "WALKS", ("slow walk straight", "fast walk sharp left", "slow walk sharp right"))
    path, speeds = demo.winding_path()
    patch.setattr(demo, "winding_path", lambda: (path[:35], speeds[:35]))
    patch.setattr(demo, "_FILM", 0.2)
    patch.setattr(demo, "_PAUSE", 0.3)
    patch.setattr(demo, "RUNS", ("slow run straight", "fast run straight", "medium run sharp left"))


def test_the_folder_holds_all_that_the_report_lists(job):
    for name in job.files:
        assert (job.folder / name).exists(), name
    assert {"captures", "walking.moca", "walk.bvh", "walk.glb"} <= set(job.files)


def test_pages_to_steer_and_of_a_crowd_are_in_the_folder(job):
    needed((STATIC / "viewer.js").is_file() and (RUNTIME / RELAXED).is_file(), "not built: make web runtime")
    whole = with_pages(job)
    assert set(whole.files) - set(job.files) == {"person.html", "crowd.html"}
    for name, kind in (("person.html", "steered"), ("crowd.html", "crowd")):
        assert f'"kind":"{kind}"' in (job.folder / name).read_text()


def test_where_pages_cannot_be_made_the_rest_is_there_and_the_remedy_named(job, monkeypatch, tmp_path):
    monkeypatch.setattr(document, "STATIC", tmp_path)
    whole = with_pages(replace(job, missing="a picture"))
    assert whole.files == job.files
    assert whole.missing.startswith("a picture; pages: the viewer of pages is not built")
    assert "make web" in whole.missing


def test_the_stored_network_is_the_one_that_walked(job):
    network = mo.load_network(job.folder / "walking.moca")
    assert network.names == job.built.network.names
    captured = [name for name in network.names if not job.built.origins[name].source.startswith("blended: ")]
    assert len(captured) == 5  # two of them mirrored


def test_the_character_keeps_to_its_path_and_its_feet_to_the_ground(job):
    assert job.figures["path_error_m_mean"] < 0.15
    assert job.figures["speed_error_mean"] < 0.10
    assert job.figures["slip_mm_max"] <= 1.0
    assert job.figures["penetration_mm_max"] <= 5.0
    assert 0.1 < job.figures["approach_m_s_max"] < 5.0
    assert mo.load(job.folder / "walk.bvh").n_frames == job.figures["frames"]


def test_the_tour_runs_walks_twirls_and_walks_unattended(job):
    changes = [entry.arc for entry in job.toured.states if entry.state == "change"]
    assert changes == ["run-walk", "walk-twirl-walk"]
    assert [entry.block for entry in job.toured.states if entry.state == "network"] == ["running", "walking", "walking"]
    assert job.figures["tour_slip_mm_max"] <= 1.5
    assert mo.load(job.folder / "tour.bvh").n_frames == job.toured.clip.n_frames
    person = mo.load_network(job.folder / "person.moca")
    assert set(person.blocks) == {"walking", "running"}
    assert [arc.name for arc in person.arcs] == ["walk-run", "run-walk", "walk-twirl-walk", "run-twirl-run"]


def test_the_demo_has_as_many_motions_and_changes_as_the_published_network():
    assert len(demo.WALKS) + len(demo.RUNS) + len(demo.CHANGES) == 25
    assert len(demo.CHANGES) == 4


def test_captures_were_read_back_from_files(job):
    sources = [one.source for one in job.built.origins.values() if not one.source.startswith("blended: ")]
    assert all(source.endswith(".bvh") and "captures" in source for source in sources)


def test_the_command_says_what_to_open_in_its_last_line(run, job, tmp_path, monkeypatch):
    _make_smaller(monkeypatch)
    monkeypatch.setattr(demo, "follow", lambda *_, **__: job.walked)
    monkeypatch.setattr(demo, "run_tour", lambda *_, **__: job.toured)
    result = run("demo", "-o", tmp_path / "out")
    assert result.exit_code == 0, result.stderr
    last = result.stdout.splitlines()[-1]
    assert last.startswith(f"open {tmp_path / 'out'}")
    assert (tmp_path / "out" / "report.md").read_text() in result.stdout + "\n"
    assert f"feet about to rest moved | {job.figures['approach_m_s_max']:.2f} m/s at most" in result.stdout


def test_without_matplotlib_it_says_what_is_missing_and_does_the_rest(answer, job, tmp_path, monkeypatch):
    _make_smaller(monkeypatch)
    monkeypatch.setattr(demo, "follow", lambda *_, **__: job.walked)
    monkeypatch.setattr(demo, "run_tour", lambda *_, **__: job.toured)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    found = answer("demo", "-o", tmp_path)
    assert "mocapella[plots]" in found["missing"]
    assert not list(tmp_path.glob("*.png"))
    assert (tmp_path / "walk.glb").exists()
    assert "mocapella[plots]" in (tmp_path / "report.md").read_text()


def test_captures_alone_are_the_whole_repertoire(answer, tmp_path, monkeypatch):
    monkeypatch.setattr(demo_module, "repertoire", lambda: repertoire()[:2])
    found = answer("demo", "--captures", tmp_path, "--format", "amc", "--rate", 60)
    assert [one["frames"] for one in found["captures"]] == [mo.load(one["path"]).n_frames for one in found["captures"]]
    truth = json.loads((tmp_path / "slow-walk-straight.truth.json").read_text())
    assert truth["action"] == "walk"


def test_a_folder_that_cannot_be_made_is_one_line(run, tmp_path):
    (tmp_path / "file").write_text("")
    result = run("demo", "-o", tmp_path / "file" / "below")
    assert result.exit_code == 1
    assert result.stderr.startswith("error: cannot make the folder")


def test_the_editing_demonstration_writes_motions_edits_and_pictures_with_feet_that_stay(tmp_path, answer):
    told = answer("demo", "--editing", "-o", tmp_path / "edits")
    assert len(told["edits"]) == 10
    for row in told["edits"]:
        for suffix in ("bvh", "toml", "png"):
            assert (tmp_path / "edits" / f"{row['name']}.{suffix}").stat().st_size > 0
        assert row["after"]["slip_mm_max"] < 1.0 or row["name"] == "swinging", row["name"]
        assert row["unreachable"] == []
    assert "exaggerated by half" in (tmp_path / "edits" / "report.md").read_text()


def test_the_demonstration_of_feelings_slows_tired_gaits_and_hurries_angry_gestures(tmp_path, answer, monkeypatch):
    every = edit_shows.feelings_shown
    some = ("very_tired_walk", "tired_run", "angry_knock")
    monkeypatch.setattr(edit_shows, "feelings_shown", lambda folder: [one for one in every(folder) if one.name in some])
    told = answer("demo", "--feelings", "-o", tmp_path / "feel")
    rows = {row["name"]: row for row in told["edits"]}
    assert set(rows) == set(some)
    for name in some:
        for suffix in ("bvh", "toml", "png"):
            assert (tmp_path / "feel" / f"{name}.{suffix}").stat().st_size > 0
    for name in ("very_tired_walk", "tired_run"):
        was, became = rows[name]["was"], rows[name]["became"]
        assert became["cycle_s"] > 1.2 * was["cycle_s"]
        assert became["speed"] < 0.95 * was["speed"]
        assert became["arm_swing_m"] < 0.9 * was["arm_swing_m"]
        assert rows[name]["after"]["slip_mm_max"] < 1.0
    was, became = rows["angry_knock"]["was"], rows["angry_knock"]["became"]
    assert became["seconds"] < 0.8 * was["seconds"]
    assert became["hand_m_s"] > 1.3 * was["hand_m_s"]
    unplanted = {**rows["tired_run"], "after": {**rows["tired_run"]["after"], "slip_mm_max": None}}
    assert "| 0.00 |" not in edit_shows.feelings_report([unplanted])
    assert "a knock with the anger of a drink" in (tmp_path / "feel" / "report.md").read_text()


def test_demonstrations_are_asked_for_one_at_a_time(run, tmp_path):
    assert run("demo", "--feelings", "--editing", "-o", tmp_path / "demo").exit_code == 2


def test_demonstrations_go_one_at_a_time(run, tmp_path):
    refused = run("demo", "--turns", "--rectangle", "-o", tmp_path)
    assert refused.exit_code == 2
    assert "give one of" in refused.stderr
    told = run("demo", "--turns", "--json", "-o", tmp_path)
    assert set(json.loads(told.stdout)) == {"folder", "captures", "nodes", "figures", "pictures"}
