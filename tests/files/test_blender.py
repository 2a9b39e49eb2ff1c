"""FBX through Blender, as far as it goes without one: what is run, and what is said where it fails."""

import stat
import sys

import pytest

import mocapella as mo
from mocapella.files import blender


@pytest.fixture(scope="module")
def walk():
    return mo.example("walk", frame_rate=30.0)[:10]


def program(path, body):
    path.write_text(f"#!{sys.executable}\n{body}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_without_blender_it_is_said_how_to_get_it(walk, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("BLENDER", raising=False)
    monkeypatch.setattr(blender, "find_spec", lambda name: None)
    with pytest.raises(mo.MotionError, match=r"by Blender, and none was found.*BLENDER=/path/to/blender"):
        mo.save(walk, tmp_path / "walk.fbx")
    monkeypatch.setenv("BLENDER", "/nowhere/blender")
    with pytest.raises(mo.MotionError, match="no program '/nowhere/blender'"):
        mo.save(walk, tmp_path / "walk.fbx")


@pytest.mark.skipif(sys.platform == "win32", reason="programs are scripts here")
def test_blender_is_given_a_script_a_glb_and_a_rate_and_its_file_is_taken(walk, tmp_path, monkeypatch):
    told = tmp_path / "told.txt"
    body = (
        "import sys, pathlib\n"
        "own, (source, goal, rate) = sys.argv[:-3], sys.argv[-3:]\n"
        f"pathlib.Path({str(told)!r}).write_text(' '.join(own[1:-2]) + rate)\n"
        "assert pathlib.Path(source).read_bytes()[:4] == b'glTF'\n"
        "compile(pathlib.Path(own[-2]).read_text(), 'script', 'exec')\n"
        "pathlib.Path(goal).write_bytes(b'Kaydara')\n"
    )
    monkeypatch.setenv("BLENDER", str(program(tmp_path / "blender", body)))
    mo.save(walk, tmp_path / "walk.fbx")
    assert (tmp_path / "walk.fbx").read_bytes() == b"Kaydara"
    assert told.read_text() == "--background --factory-startup --python-exit-code 1 --python30.0"


@pytest.mark.skipif(sys.platform == "win32", reason="programs are scripts here")
def test_what_blender_says_when_it_fails_is_passed_on_and_no_file_is_left(walk, tmp_path, monkeypatch):
    monkeypatch.setenv("BLENDER", str(program(tmp_path / "blender", "raise SystemExit('no add-on for FBX')")))
    with pytest.raises(mo.MotionError, match="Blender could not write the file: no add-on for FBX"):
        mo.save(walk, tmp_path / "walk.fbx")
    assert not (tmp_path / "walk.fbx").exists()
    with pytest.raises(mo.MotionError, match="share their frame rate"):
        mo.save([walk, walk.resampled(60.0)], tmp_path / "walk.fbx")
