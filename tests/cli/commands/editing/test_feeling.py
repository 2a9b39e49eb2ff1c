"""The command that learns a feeling from two performances of a gesture."""

import mocapella as mo
from mocapella.actor import perform


def test_a_feeling_is_learnt_kept_and_given_to_another_gesture(tmp_path, answer, run):
    for name, wishes in {"calm": {}, "angry": {"style": "angry"}}.items():
        mo.save(perform("drink", **wishes)[0], tmp_path / f"{name}.bvh")
    mo.save(perform("knock")[0], tmp_path / "knock.bvh")
    told = answer("feeling", tmp_path / "calm.bvh", tmp_path / "angry.bvh", "-o", tmp_path / "anger.toml")
    assert (told["periods"], len(told["durations"]), len(told["amplitudes"]["hand"])) == (4, 4, 4)
    assert max(told["durations"]) < 0.8
    made = answer("edit", tmp_path / "knock.bvh", "--edits", tmp_path / "anger.toml", "-o", tmp_path / "out.bvh")
    assert made["after"]["seconds"] < made["before"]["seconds"]
    wrong = run("feeling", tmp_path / "calm.bvh", tmp_path / "angry.bvh", "--end", "nose")
    assert wrong.exit_code == 1
    assert "error: expected the role of an end" in wrong.stderr


def test_a_feeling_is_learnt_from_performances_of_two_bodies(tmp_path, answer):
    angry = perform("drink", style="angry")[0]
    small = mo.retarget(angry, angry.skeleton.scaled(0.7))
    for name, clip in {"calm": perform("drink")[0], "angry": angry, "small": small}.items():
        mo.save(clip, tmp_path / f"{name}.bvh")
    own, other = (answer("feeling", tmp_path / "calm.bvh", tmp_path / f"{name}.bvh") for name in ("angry", "small"))
    assert [round(ratio, 2) for ratio in other["durations"]] == [round(ratio, 2) for ratio in own["durations"]]
    assert (len(own["retargeted"]), len(other["retargeted"])) == (0, 1)
