"""Damaged input of every kind is used or refused in words; these seeds stay, ``make fuzz`` takes others."""

from __future__ import annotations

import os

import pytest

from tests.fuzz.campaign import Campaign
from tests.fuzz.cases import Kind, TooLargeError, TooSlowError, judged, write_files
from tests.fuzz.dying import DYING
from tests.fuzz.kinds import KINDS
from tests.fuzz.motion_cases import motion_kind

SEED = 20080401
COUNTS = {"motions": 300, "apart": 16, "edits": 40, "scripts": 12, "specs": 20, "projects": 40, "networks": 50}
CHANGED = {"motions", "apart", "networks", "mocar", "tables"}  # kinds of which every whole sample is used, not refused


def usable(name: str) -> Kind:
    """A kind that can be run here; skipped where it cannot, failed in CI."""
    if reason := KINDS[name].missing():
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    return KINDS[name]


@pytest.mark.parametrize("name", KINDS)
def test_whole_samples_are_used(tmp_path, name):
    kind = usable(name)
    kind.warm_up(tmp_path)
    outcomes = []
    for files in kind.samples():
        write_files(tmp_path, dict(files))
        outcomes.append(judged(kind.run, tmp_path))
    refused = outcomes.count("refused")
    assert refused == 0 if name in CHANGED else refused < len(outcomes) / 2


@pytest.mark.parametrize("name", KINDS)
def test_damaged_input_is_used_or_refused_in_words(tmp_path, name):
    kind = usable(name) if name != "motions" else motion_kind(None, share=1.0)
    kind.warm_up(tmp_path)
    for number in range(COUNTS.get(name, 100)):
        write_files(tmp_path, kind.case(name, SEED, number))
        judged(kind.run, tmp_path)


@pytest.mark.data
@pytest.mark.parametrize("begin", range(0, 300, 100))
def test_a_damaged_capture_loads_soundly_or_is_refused(tmp_path, data_folder, begin):
    kind = motion_kind(data_folder, share=1.0)
    for number in range(begin, begin + 100):
        write_files(tmp_path, kind.case("captures", SEED, number))
        judged(kind.run, tmp_path)


@pytest.mark.parametrize("name", KINDS)
def test_a_case_is_the_same_every_time(name):
    kind = KINDS[name]
    assert kind.case(name, 1, 2) == kind.case(name, 1, 2)
    assert any(kind.case(name, 1, 2) != kind.case(name, 1, other) for other in (3, 4))


def test_what_computes_or_takes_too_much_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr("mocapella.files.budget.SECONDS", 0.05)

    def compute(folder):
        while True:
            sum(range(1000))

    with pytest.raises(TooSlowError):
        judged(compute, tmp_path)
    monkeypatch.undo()
    with pytest.raises(TooLargeError):
        judged(lambda folder: str(len(bytearray(200 << 20))), tmp_path)


def test_a_long_message_and_a_warning_of_others_are_found(tmp_path):
    import warnings

    from mocapella.errors import MotionError

    def refuse(folder):
        error = MotionError("x")
        error.args = ("x" * 2000,)
        raise error

    with pytest.raises(AssertionError, match="a message of 2000 letters"):
        judged(refuse, tmp_path)
    with pytest.raises(AssertionError, match="RuntimeWarning: overflow"):
        judged(lambda folder: warnings.warn("overflow", RuntimeWarning, stacklevel=1) or "done", tmp_path)


def test_every_finding_is_told_once_with_its_seed_and_its_files_are_kept(tmp_path, capsys):
    campaign = Campaign(7, {"bytes": DYING}, tmp_path / "found")
    assert not campaign.run(600.0, 1, most=4)
    assert campaign.n_found == 4
    said = capsys.readouterr().out
    assert said.startswith("FOUND bytes 0: ")
    assert "repeat: python -m tests.fuzz --seed 7 --kind bytes --case 0" in said
    stories = {path.name: (path / "finding.txt").read_text() for path in (tmp_path / "found").iterdir()}
    assert len(stories) == said.count("FOUND") == 2
    for name, story in stories.items():
        died = (tmp_path / "found" / name / "a.txt").read_bytes()[0] % 2
        assert ("signal 6" if died else "KeyError") in story
