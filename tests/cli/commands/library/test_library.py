from __future__ import annotations

import mocapella as mo


def test_captures_are_added_found_and_checked(answer, run, tmp_path):
    folder = tmp_path / "captures"
    folder.mkdir()
    for name, speed in (("slow", 0.9), ("fast", 1.6)):
        mo.save(mo.example("walk", speed=speed, cycles=3.0, frame_rate=60.0), folder / f"{name}.bvh")
    (folder / "bad.bvh").write_text("nothing")
    where = ("--library", tmp_path / "library")
    said = answer("library", "add", folder, "--workers", 0, *where)
    assert {key: said[key] for key in ("added", "known", "failed", "duplicates")} == {
        "added": 2, "known": 0, "failed": 1, "duplicates": 0,
    }  # fmt: skip
    assert said["failures"][0]["path"].endswith("bad.bvh")
    (found,) = answer("library", "find", "walk", "speed:1.5..1.7", *where)["clips"]
    assert set(found) >= {"name", "path", "start", "frames", "labels", "speed", "turn", "score"}
    assert (found["name"], found["labels"][0]) == ("fast", "walk")
    near = answer("library", "find", "--like", folder / "slow.bvh", "--most", 1, *where)["clips"]
    assert [one["name"] for one in near] == ["slow"]
    assert answer("library", "check", *where)["faults"] == []
    assert answer("library", "repair", "--workers", 0, *where)["added"] == 2
    (folder / "slow.bvh").unlink()
    assert answer("library", "check", *where)["faults"] == [f"{folder / 'slow.bvh'} is gone"]
    assert answer("library", "forget", "--gone", *where)["forgotten"] == [str(folder / "slow.bvh")]
    assert answer("library", "forget", folder, *where)["captures"] == 0
    assert (folder / "fast.bvh").exists()
    assert f"knows no capture at {folder}" in run("library", "forget", folder, *where).stderr


def test_animations_of_a_file_are_added_repaired_and_forgotten(answer, tmp_path):
    walk = mo.example("walk", cycles=2.0, frame_rate=60.0)
    pack, folder = tmp_path / "pack.glb", tmp_path / "library"
    mo.save([walk.renamed("Walk"), walk[20:].renamed("Late"), walk.renamed("Twin")], pack)
    added = answer("library", "add", pack, "--library", folder)
    assert (added["added"], added["failed"]) == (2, 0)
    assert added["left_out"] == [{"path": f"{pack}#Twin", "reason": "shows the very same motion as Walk"}]
    assert {clip["path"] for clip in answer("library", "find", "late", "--library", folder)["clips"]} == {
        f"{pack}#Late"
    }
    assert answer("library", "repair", "--library", folder)["added"] == 2
    assert answer("library", "forget", f"{pack}#Late", "--library", folder)["captures"] == 1
    assert answer("library", "forget", pack, "--library", folder)["forgotten"] == [f"{pack}#Walk"]


def test_what_cannot_be_done_is_said_in_a_line(run, tmp_path):
    missing = run("library", "find", "walk", "--library", tmp_path / "none")
    assert missing.exit_code == 1
    assert "there is no library" in missing.stderr
    assert run("library", "find", "--library", tmp_path).exit_code == 2
    assert run("library", "find", "walk", "--frames", 1, 2, "--library", tmp_path).exit_code == 2
