"""The demonstration of a layered database: all curves from one clip."""

import pytest

import mocapella as mo
from mocapella.studies import layered


def test_one_clip_gives_all_curves_and_increments_keep_their_length(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(layered, "_SHARES", (-1.0, 0.0, 1.0))
    monkeypatch.setattr(layered, "_SECONDS", 2.0)
    answer = layered.run_layered(tmp_path)
    assert answer["curvature"] < -0.3
    assert answer["apart"]["sync_mirror"] <= 1.0 < 20.0 < answer["apart"]["mirror"]
    for row in answer["curves"]:
        assert abs(row["had"] - row["asked"]) <= 0.03 * 0.5
    assert answer["flip"]["incremental"] == pytest.approx(4.95, rel=1e-3)
    assert answer["flip"]["ordinary"] == pytest.approx(3.13, rel=0.02)  # published: 3.13 m, with collapse
    stored = answer["storage"]["bytes"]
    assert stored["all clips stored"] > 5 * (stored["real clips"] + stored["recipes"])
    assert {"curves.png", "key_events.png", "root_flip.png", "poses.png", "sync_mirror.bvh"} <= set(answer["files"])
    assert "| curve_straight | +0.000 |" in (tmp_path / "report.md").read_text()


def test_a_clip_that_does_not_turn_is_refused(tmp_path):
    mo.save(mo.example("walk", frame_rate=60.0), tmp_path / "straight.bvh")
    with pytest.raises(mo.MotionError, match=r"turns by .* a cycle; give one that turns"):
        layered.run_layered(tmp_path / "out", capture=tmp_path / "straight.bvh")
