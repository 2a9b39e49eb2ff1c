"""``mocapella mechanics``."""

import mocapella as mo
from mocapella.actor import perform


def test_motions_are_compared_with_the_laws_of_mechanics(answer, run, tmp_path):
    for action in ("walk", "run"):
        mo.save(perform(action)[0], tmp_path / f"{action}.bvh")
    paths = [tmp_path / "walk.bvh", tmp_path / "run.bvh"]
    walk, running = answer("mechanics", *paths)["files"]
    assert (walk["flights"], walk["gravity"]) == ([], None)
    assert len(running["flights"]) > 3
    assert 8.0 < running["gravity"] < 11.0
    assert {"path", "drift", "pulling", "friction", "balance_cm", "balance_cm_mean"} < set(walk)
    said = run("mechanics", *paths)
    assert "gravity is 9.81 m/s²" in said.stdout
    assert "–" in said.stdout
