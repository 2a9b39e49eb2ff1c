"""The console: 002's commands and every edit of the toolbox, typed or as a script."""

from __future__ import annotations

import os
import warnings
from dataclasses import replace as with_fields

import numpy as np
import pytest
from msgspec.structs import replace

import mocapella as mo
from mocapella.editing.registry import EDITS
from mocapella.errors import MotionError
from mocapella.studio.console import COMMANDS, run_line
from mocapella.studio.editing import edited
from mocapella.studio.messages import commands as c
from mocapella.studio.project import ClipChoice, EditChoice, Project
from mocapella.studio.script import clip_line
from mocapella.studio.toolbox import checked_edit, edit_kinds
from mocapella.studio.workers.derivation import examined_clip

ALONE = mo.Network([mo.Node("a", (0.0, 0.0), mo.Spectrum(np.array([[0.0], [0.1 + 0j]]), duration=1.0))])
EXAMPLES = """
left_stance drunk_01.bvh 0 8 15 25 50 52 110 115 120 130 160
left_stances marching_01.bvh 65 195 320
right_stances marching_01.bvh 130 260
left_heel_strike drunk_01.bvh 0 52 110 160 222 270
right_toe_strikes drunk_01.bvh 60 100   # the other foot
set_name 1 sad_walk
print_averaged_motions
blend_motion marching_01.bvh sad_walk ALL 0.5
root_path run.bvh
display_root_path run.bvh
""".strip().splitlines()


@pytest.fixture
def project(folder):
    files = {"drunk_01": "slow-walk-straight", "marching_01": "medium-walk-left", "run": "fast-walk-straight"}
    for name, source in files.items():
        (folder.root / f"{name}.bvh").write_bytes((folder.root / f"{source}.bvh").read_bytes())
    return Project(source="clips", clips=tuple(ClipChoice(name, f"{name}.bvh") for name in files))


def ran(project, lines):
    told = []
    for line in lines:
        outcome = run_line(project, line)
        told += outcome.lines
        project = outcome.edited.project if outcome.edited else project
    return project, told


def test_every_example_runs_and_changes_the_state_as_documented(project):
    after, told = ran(project, EXAMPLES)
    assert [style.name for style in after.styles] == ["sad_walk", "marching_01"]
    assert after.clip("drunk_01").plants["left_heel"] == ((0, 52), (110, 160), (222, 270))
    assert len(after.clip("marching_01").plants["left_toe"]) == 3
    (edit,) = after.clip("marching_01").edits
    assert (edit.name, edit.parameters["part"], edit.parameters["ratio"]) == ("blend_motion", "all", 0.5)
    assert any("sad_walk" in line for line in told)


def test_singular_and_plural_are_the_same(project):
    one, other = (run_line(project, f"left_heel_strike{s} run.bvh 3 9").edited.project for s in ("", "s"))
    assert one == other


@pytest.mark.parametrize("ratio", ["nan", "inf", "x", "true"])
def test_a_ratio_is_a_number_that_a_project_file_can_hold(project, ratio):
    marked = run_line(project, "left_stances run.bvh 1 20").edited.project
    with pytest.raises(MotionError, match="expected a ratio such as"):
        run_line(marked, f"blend_motion run.bvh 1 ALL {ratio}")


@pytest.mark.parametrize(
    "line",
    ["left_stances nobody.amc 1 2", "left_stances run.bvh", "left_stances run.bvh 5 3", "left_stances run.bvh x",
     "left_heel_strikes run.bvh 1 2 3", "left_heel_strikes run.bvh 1 99999999999", "set_name 1 x", "set_name one x",
     "set_name ² x", "blend_motion run.bvh nobody ALL 0.5",
     "dance", "turn run.bvh", "turn run.bvh angle=x", "cut run.bvh first=-3", 'left "', "root_path"],
)  # fmt: skip
def test_an_error_is_one_line_and_leaves_the_state_untouched(project, line):
    with pytest.raises(MotionError) as caught:
        run_line(project, line)
    assert "\n" not in str(caught.value)


def test_help_lists_every_command_and_every_edit(project):
    assert set(run_line(project, "help").lines) == {*COMMANDS, *EDITS}


def test_a_blend_of_stances_is_the_librarys(project, folder):
    lines = ["left_stances drunk_01.bvh 20 104 188", "right_stances drunk_01.bvh 62 146 230",
             "blend_motion run.bvh drunk_01 UPPER 0.7"]  # fmt: skip
    after, _ = ran(project, lines)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = examined_clip(after.clip("run"), folder).clip
        style = mo.load(folder.root / "drunk_01.bvh")
        marks = with_fields(mo.find_plants(style), **after.clip("drunk_01").plants)
        theirs = mo.blend_stances(
            mo.load(folder.root / "run.bvh"), mo.average_stances(style, contacts=marks), 0.7, part="upper"
        )
    np.testing.assert_allclose(ours.rotations_wxyz, theirs.rotations_wxyz, atol=1e-12)


def test_edits_of_the_toolbox_are_applied_in_order_and_taken_off_again(project, folder):
    before = examined_clip(project.clip("run"), folder).clip
    after, _ = ran(project, ["turn run.bvh angle=90", "cut run.bvh first=10 last=100"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = examined_clip(after.clip("run"), folder).clip
    assert made.n_frames == 91
    np.testing.assert_allclose(np.degrees(made.headings[0] - before.headings[10]), 90.0, atol=1e-6)
    text = clip_line(after.clip("run"))
    scope = {"mo": mo}
    here = os.getcwd()  # noqa: PTH109
    os.chdir(folder.root)
    try:
        theirs = eval(text, scope)
    finally:
        os.chdir(here)
    np.testing.assert_allclose(theirs.rotations_wxyz, made.rotations_wxyz)
    off = edited(after, c.RemoveEdit(seq=1, clip="run", index=0), ALONE).project
    off = edited(off, c.RemoveEdit(seq=2, clip="run", index=0), ALONE).project
    assert replace(off, styles=()) == project


def test_every_edit_is_offered_with_sliders_that_end():
    kinds = edit_kinds()
    assert [kind.name for kind in kinds] == list(EDITS)
    for kind in kinds:
        for one in kind.parameters:
            assert np.isfinite([one.least, one.most]).all()
            assert one.least <= one.most


def test_parameters_come_as_texts_and_numbers_of_a_page():
    assert checked_edit(EditChoice("cut", {"first": 3.0, "last": ""})).parameters == {"first": 3}
    with pytest.raises(MotionError, match="no parameter"):
        checked_edit(EditChoice("cut", {"colour": 1.0}))
    with pytest.raises(MotionError):
        checked_edit(EditChoice("none", {}))
