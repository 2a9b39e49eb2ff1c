"""A project written as Python: a stranger's names stay names."""

import ast
import json

from mocapella.studio import project as p
from mocapella.studio.script import script


def test_a_strangers_project_writes_no_statement_into_the_script():
    evil = '={}, left_toe=()); __import__("os").system("evil")  #'
    given = {"motion": "a.bvh", "ratio": 0.5, "part": "legs", "plants": json.dumps({evil: [[1, 2]]})}
    name = 'walk"""\nevil()\n"""'
    choice = p.ClipChoice(name, "a.bvh\nevil()", plants={evil: ((1, 2),)}, edits=(p.EditChoice("blend_motion", given),))
    project = p.Project(name='x"""\nevil()\n"""\\', source="clips", clips=(choice,))
    tree = ast.parse(script(project))
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert called <= {"replace", "turning_of"}
    assert "evil" not in {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
