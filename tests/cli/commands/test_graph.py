from __future__ import annotations

import mocapella as mo
from mocapella.actor import capture


def test_a_graph_is_built_walked_and_drawn(answer, run, tmp_path):
    for name, turn in (("left", 0.6), ("right", -0.6)):
        mo.save(mo.example("walk", turn=turn, cycles=4.0, frame_rate=30.0), tmp_path / f"{name}.bvh")
    stored = tmp_path / "walks.moca"
    said = answer("graph", "build", tmp_path / "left.bvh", tmp_path / "right.bvh", "-o", stored)
    assert said["strongly_connected"] is True
    assert set(said) >= {"nodes", "edges", "frames"}
    walked = answer("graph", "walk", stored, "-o", tmp_path / "out.bvh", "--to", 0.5, 2.5)
    assert set(walked) >= {"frames", "distance_to_goal", "joins", "step_max"}
    assert walked["distance_to_goal"] <= 0.2
    words = ("graph", "walk", stored, "-o", tmp_path / "out.bvh", "--to", 0.5, 2.5)
    arrived = answer(*words, "--arrive", "left", "--search", "both")
    assert arrived["distance_to_goal"] <= 0.2
    assert 0 < arrived["looked_at"] <= 40_000
    assert "none numbered 9999" in run(*words, "--arrive", "9999").stderr
    assert run("graph", "walk", stored, "-o", tmp_path / "out.bvh", "--seconds", 2, "--arrive", "left").exit_code == 2
    (tmp_path / "way.csv").write_text("x,z\n0,0\n0,2\n")
    assert answer("graph", "walk", stored, "-o", tmp_path / "out.glb", "--path", tmp_path / "way.csv")["frames"] > 30
    assert answer("graph", "walk", stored, "-o", tmp_path / "out.bvh", "--seconds", 2)["frames"] == 60
    assert answer("graph", "walk", stored, "-o", tmp_path / "out.bvh")["frames"] == 300  # ten seconds at random
    answer("graph", "draw", stored, tmp_path / "graph.png")
    assert (tmp_path / "graph.png").stat().st_size > 10_000


def test_a_graph_joins_the_animations_of_a_file(answer, tmp_path):
    turns = {"left": 0.6, "right": -0.6, "wide": 0.3}
    clips = [mo.example("walk", turn=turn, cycles=4.0, frame_rate=30.0).renamed(name) for name, turn in turns.items()]
    mo.save(clips, tmp_path / "pack.glb")
    words = ("graph", "build", tmp_path / "pack.glb", "-o", tmp_path / "walks.moca")
    assert answer(*words, "--animation", "left", "--animation", "r*")["clips"] == 2
    assert {clip.name for clip in mo.load(tmp_path / "walks.moca").clips} == {"pack#left", "pack#right"}
    assert answer(*words)["clips"] == 3


def test_what_cannot_be_walked_is_said_in_a_line(run, tmp_path):
    mo.save(mo.build_network([mo.example("walk")]), tmp_path / "net.moca")
    for words, status in (
        (("walk", tmp_path / "net.moca", "-o", tmp_path / "x.bvh", "--seconds", 2), 1),
        (("draw", tmp_path / "net.moca", tmp_path / "x.png"), 1),
        (("walk", tmp_path / "net.moca", "-o", tmp_path / "x.bvh", "--seconds", 2, "--to", 1, 1), 2),
    ):
        result = run("graph", *words)
        assert result.exit_code == status
        assert "Traceback" not in result.stderr


def test_rubbish_and_other_bodies_and_rates_do_not_sink_a_graph(run, answer, tmp_path):
    walk = mo.example("walk", turn=0.6, cycles=4.0, frame_rate=30.0)
    mo.save(walk, tmp_path / "a.bvh")
    mo.save(mo.example("walk", turn=0.5, cycles=4.0, frame_rate=60.0), tmp_path / "b.bvh")
    mo.save(walk[:8], tmp_path / "short.bvh")
    mo.save(mo.retarget(walk, walk.skeleton.scaled(0.8)), tmp_path / "small.bvh")
    (tmp_path / "rubbish.bvh").write_text("rubbish")
    made = run("graph", "build", tmp_path, "-o", tmp_path / "walks.moca")
    assert made.exit_code == 0, made.stderr
    assert "left out: " in made.stderr
    assert "small is retargeted to the skeleton that most motions have" in made.stderr
    assert "b is brought to the 30 frames a second that most motions have" in made.stderr
    assert "short is left out: no 0.99 s" in made.stderr
    assert run("graph", "build", tmp_path, "-o", tmp_path / "strict.moca", "--strict").exit_code == 1


def test_a_hybrid_network_is_proposed_from_a_graph(answer, run, tmp_path):
    for name in ("medium walk straight", "medium run straight", "walk-run", "run-walk"):
        mo.save(capture(name, frame_rate=60.0)[0], tmp_path / f"{name}.bvh")
    answer("graph", "build", tmp_path, "-o", tmp_path / "graph.moca")
    said = answer("graph", "hybrid", tmp_path / "graph.moca", "-o", tmp_path / "net.moca")
    assert [block["name"] for block in said["blocks"]] == ["walking", "running"]
    assert {arc["name"]: arc["clips"] for arc in said["arcs"]} == {
        "walking to running": ["walk-run"],
        "running to walking": ["run-walk"],
    }
    assert said["left_out"] == []
    assert set(mo.load_network(tmp_path / "net.moca").blocks) == {"walking", "running"}
    shown = run("graph", "hybrid", tmp_path / "graph.moca", "-o", tmp_path / "net.moca").stdout
    assert "running to walking" in shown
    answer("graph", "build", tmp_path / "medium walk straight.bvh", "-o", tmp_path / "walk.moca")
    refused = run("graph", "hybrid", tmp_path / "walk.moca", "-o", tmp_path / "none.moca")
    assert refused.exit_code == 1
    assert refused.stderr.startswith("error: 1 cycle of the graph is walking")
    assert not (tmp_path / "none.moca").exists()
