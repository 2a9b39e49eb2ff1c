"""Scripts of console commands from the command line."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import mocapella as mo
from mocapella.cli import main
from mocapella.studio.console import run_line
from mocapella.studio.opened_folder import Folder
from mocapella.studio.project import ClipChoice, Project
from mocapella.studio.workers.derivation import examined_clip

LINES = """
# a slow walk's manner, on a quicker one
left_stances slow.bvh 20 110 200
right_stances slow.bvh 65 155
set_name 1 tired
blend_motion walk.bvh tired LOWER 0.4
turn walk.bvh angle=30   # and away
root_path walk.bvh
"""


@pytest.fixture
def place(tmp_path):
    for name, speed in (("walk", 1.2), ("slow", 0.8)):
        mo.save(mo.example("walk", speed=speed, frame_rate=60.0), tmp_path / f"{name}.bvh")
    return tmp_path


def run(place, text, *options):
    (place / "script.txt").write_text(text)
    words = ["script", str(place / "script.txt"), str(place / "walk.bvh"), str(place / "slow.bvh"), *options]
    return CliRunner().invoke(main, words)


def test_a_script_does_what_its_lines_do_when_they_are_typed(place):
    done = run(place, LINES, "-o", str(place / "out"), "--json")
    assert done.exit_code == 0, done.stderr
    said = json.loads(done.stdout)
    project = Project(source="clips", clips=tuple(ClipChoice(name, f"{name}.bvh") for name in ("walk", "slow")))
    lines = []
    for line in LINES.splitlines():
        outcome = run_line(project, line)
        lines += outcome.lines
        project = outcome.edited.project if outcome.edited else project
    assert [line for line in said["lines"] if line in lines] == lines
    assert any("m in" in line for line in said["lines"])  # the root path
    assert said["written"] == [{"path": str(place / "out" / "walk.bvh"), "edits": ["blend_motion", "turn"]}]
    typed = examined_clip(project.clip("walk"), Folder.of(place)).clip.captured
    np.testing.assert_allclose(mo.load(place / "out" / "walk.bvh").positions, typed.positions, atol=1e-5)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("motions\n\ndance walk.bvh", ":3: no command 'dance'"),
        ("turn walk.bvh angle=3\nturn nobody.bvh 3", ":2: no motion"),
        ("cut walk.bvh first=90000", ":1: "),
        ("motions", "edits no motion"),
    ],
)
def test_a_line_that_cannot_be_done_is_named_and_nothing_is_written(place, text, said):
    done = run(place, text, "-o", str(place / "out"))
    assert done.exit_code == 1
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (place / "out").exists()


def test_what_was_printed_before_a_line_that_cannot_be_done_is_shown(place):
    done = run(place, "root_path walk.bvh\nturn nobody.bvh 3")
    assert (done.exit_code, ":2: no motion" in done.stderr) == (1, True)
    assert " m in " in done.stdout
    assert run(place, "root_path walk.bvh\nturn nobody.bvh 3", "--json").stdout == ""


def test_outputs_that_cannot_be_written_are_refused_before_the_work(place):
    for options, said in (
        (["-o", str(place / "out"), "--to", "docx"], "expected a suffix of"),
        (["-o", str(place / "walk.bvh")], "it is a file"),
        (["-o", str(place)], "would replace the file that is read"),
        (["-o", str(place / "out"), str(place / "nobody.bvh")], "there is no such file"),
    ):
        done = run(place, "turn walk.bvh angle=3", *options)
        assert (done.exit_code, said in done.stderr) == (1, True), done.stderr
    assert run(place, "motions", "--to", "glb").exit_code == 2
