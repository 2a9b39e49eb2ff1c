"""A project written as Python: a stranger's names stay names."""

import ast
import json

import msgspec
import pytest

from mocapella.errors import FormatError, MotionError
from mocapella.studio import project as p
from mocapella.studio.network_changes import Added
from mocapella.studio.script import script
from mocapella.studio.toolbox import edit_line


def test_a_strangers_project_writes_no_statement_into_the_script():
    evil = '={}, left_toe=()); __import__("os").system("evil")  #'
    given = {"motion": evil, "ratio": 0.5, "part": evil, "plants": json.dumps({"left_toe": [[1, 2]]})}
    name = 'walk"""\nevil()\n"""'
    choice = p.ClipChoice(name, "a.bvh\nevil()", plants={evil: ((1, 2),)}, edits=(p.EditChoice("blend_motion", given),))
    project = p.Project(name='x"""\nevil()\n"""\\', source="clips", clips=(choice,))
    tree = ast.parse(script(project))
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert called <= {"replace", "turning_of"}
    assert "evil" not in {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def test_lines_of_python_in_a_strangers_project_are_not_shown(tmp_path):
    step = p.Step(p.Project(name="x"), label="move", python="import os; os.system('evil')")
    p.save_project(p.History((step, step), 1), tmp_path / "studio.json")
    history = p.load_project(tmp_path / "studio.json")
    assert [read.python for read in history.steps] == ["", ""]
    assert history.step.label == "move"


def test_plants_of_a_strangers_project_are_those_of_foot_points(tmp_path):
    clip = p.ClipChoice("walk", "a.bvh", plants={"evil": ((1, 2),)})
    p.save_project(p.History.of(p.Project(clips=(clip,))), tmp_path / "studio.json")
    with pytest.raises(FormatError, match="Invalid enum value 'evil'"):
        p.load_project(tmp_path / "studio.json")


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("evil", {}),
        ("turn", {"evil": 1.0}),
        ("blend_motion", {}),
        ("blend_motion", {"motion": "a.bvh", "part": "legs", "ratio": 0.5, "plants": "5"}),
        ("blend_motion", {"motion": "a.bvh", "part": "legs", "ratio": "evil()", "plants": ""}),
        ("blend_motion", {"motion": "a.bvh", "part": "legs", "ratio": 0.5, "plants": '{"evil": []}'}),
    ],
)
def test_an_edit_that_cannot_be_makes_no_line(name, parameters):
    with pytest.raises(MotionError):
        edit_line(p.EditChoice(name, parameters), "clip")


def test_a_clip_takes_as_many_edits_as_its_script_can_be_read_with():
    clip, edit = p.ClipChoice("a", "a.bvh"), p.EditChoice("turn", {"angle": 1.0})
    for _ in range(60):
        clip = clip.with_edit(edit)
    with pytest.raises(MotionError, match="60 edits already"):
        clip.with_edit(edit)
    ast.parse(script(p.Project(source="clips", clips=(clip,), changes=(Added(name="b", at=None, clip="a"),))))


@pytest.mark.parametrize(
    "change",
    [
        {"clips": [{"name": "a", "path": "a.bvh", "plants": {"left_heel": [[-1, 2]]}}]},
        {"clips": [{"name": "a", "path": "a.bvh", "facing": 1e300}]},
        {"clips": [{"name": "a" * 5000, "path": "a.bvh"}]},
        {"characters": []},
        {"characters": [{"at": [1e300, 0.0]}]},
        {"changes": [{"change": "moved", "node": "a" * 5000, "at": [0.0, 0.0]}]},
        {"changes": [{"change": "turned", "node": "a", "degrees": 1e300}]},
        {"clips": [{"name": "a", "path": "a.bvh", "edits": [{"name": "mirror"}] * 61}]},
        {"harmonics": -1},
    ],
)
def test_a_project_file_holds_only_what_the_page_can_ask_for(tmp_path, change):
    assert why(tmp_path, msgspec.json.encode(change)).startswith("this is not a project of the studio")


def test_a_project_file_that_is_no_text_is_refused(tmp_path):
    assert why(tmp_path, b'{"name": "\x85"}').startswith("this is not a project of the studio")


def test_a_project_file_in_which_two_clips_have_one_name_is_refused(tmp_path):
    clip = {"name": "a", "path": "a.bvh"}
    assert why(tmp_path, msgspec.json.encode({"clips": [clip, clip]})) == "two clips of the project have one name"


def why(folder, project):
    """Why a file with this project is refused."""
    head = f'{{"format": "{p.FORMAT}", "version": {p.VERSION}, "history": {{"steps": [{{"project": '
    path = folder / "studio.json"
    path.write_bytes(head.encode() + project + b"}]}}")
    with pytest.raises(FormatError) as refused:
        p.load_project(path)
    return refused.value.reason
