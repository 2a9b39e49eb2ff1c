"""Real clips, modifiers, virtual clips: made on demand, cascaded, of users' own code only where it is trusted."""

import json
import os
from importlib.metadata import EntryPoint

import numpy as np
import pytest

import mocapella as mo
from mocapella.library import plugins
from mocapella.library.gait_modifiers import gait_figures
from mocapella.library.ingest import add_captures
from mocapella.library.modifiers import MODIFIERS, Modifier, modifier_of
from mocapella.library.plugins import distrust, found_modifiers, trust, untrusted
from mocapella.library.storage import storage_report
from mocapella.library.store import Library

CROUCH = '''
from dataclasses import replace
import numpy as np

def crouch(clip, *, depth=0.1):
    """Lower the hips."""
    roots = np.array(clip.root_positions)
    roots[:, 1] -= depth
    return replace(clip, root_positions=roots)
'''  # ten lines


def step(modifier, *inputs, **parameters):
    return {"modifier": modifier, "parameters": parameters, "inputs": list(inputs)}


@pytest.fixture
def own(captures, tmp_path, monkeypatch):
    """A library of its own with two walks, and settings of its own."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    folder = tmp_path / "captures"
    folder.mkdir()
    for name in ("walk.bvh", "leftWalk.bvh"):
        (folder / name).write_bytes((captures / name).read_bytes())
    with Library.at(tmp_path / "library", create=True) as opened:
        add_captures(opened, [folder], workers=0)
        yield opened


def test_mirroring_twice_and_rotating_once_round_change_nothing(own):
    walk = own.make("walk")
    twice = own.shelf.of("walk", [step("mirror"), step("mirror")])
    np.testing.assert_allclose(twice.rotations_wxyz, walk.rotations_wxyz, atol=1e-12)
    round_once = own.shelf.of("walk", [step("rotate_path", angle=360.0)])
    np.testing.assert_allclose(round_once.root_positions, walk.root_positions, atol=1e-9)


def test_the_traditional_mirror_starts_on_the_other_foot(own):
    plants = [mo.find_plants(clip) for clip in (own.make("leftWalk"), own.make("leftWalk|mirror"))]
    assert plants[0].left_heel == plants[1].right_heel


def test_virtual_clips_are_listed_and_the_disk_holds_real_ones_alone(own):
    before = {path.name for path in own.folder.rglob("*")}
    own.define("curved", "leftWalk", [step("sync_mirror"), step("turn", angle=45.0)])
    made = own.make("curved")
    listed = {one.name: one for one in own.shelf.listed()}
    assert listed["walk"].layer == "real"
    assert listed["leftWalk|sync_mirror"].layer == listed["curved"].layer == "virtual"
    assert listed["curved"].made == "leftWalk, then sync_mirror, then turn angle=45.0"
    assert {path.name for path in own.folder.rglob("*")} == before
    assert made.name == "curved"
    assert own.make("curved").rotations_wxyz is made.rotations_wxyz  # kept, not made again


def test_modifiers_cascade_over_virtual_clips(own):
    own.define("other side", "leftWalk", [step("sync_mirror")])
    own.define("straight", "other side", [step("to_curvature", "leftWalk", curvature=0.0)])
    straight = own.make("straight")
    figures = gait_figures(straight, mo.find_cycle(straight).seconds)
    np.testing.assert_allclose(figures.curvature, 0.0, atol=0.01)
    own.define("faster", "straight", [step("speed", factor=1.5)])
    np.testing.assert_allclose(own.make("faster").seconds, straight.seconds / 1.5, rtol=0.02)


def test_second_motions_of_edits_are_clips_of_the_library_and_no_files(own, captures):
    made = own.shelf.of("walk", [step("restyle", style="leftWalk", ratio=0.5)])
    assert made.n_frames == own.make("walk").n_frames
    with pytest.raises(mo.MotionError, match="no clip called"):
        own.shelf.of("walk", [step("restyle", style=str(captures / "run.bvh"))])
    with pytest.raises(mo.MotionError, match="no clip called"):
        own.make("../../etc/passwd")


def test_recipes_survive_and_are_kept_as_text(own):
    own.define("twice", "walk", [step("mirror"), step("mirror")])
    with Library.at(own.folder) as again:
        assert again.recipes()["twice"] == ("walk", [step("mirror"), step("mirror")])
        again.drop("twice")
    assert own.recipes() == {}


def test_circles_and_missing_clips_are_refused_when_defined(own):
    own.define("a", "walk", [step("mirror")])
    own.define("b", "a", [step("mirror")])
    with pytest.raises(mo.MotionError, match="needs itself"):
        own.define("a", "b", [step("mirror")])
    with pytest.raises(mo.MotionError, match="no clip called 'nobody'"):
        own.define("c", "nobody", [step("mirror")])
    with pytest.raises(mo.MotionError, match="a real clip called 'walk'"):
        own.define("walk", "leftWalk", [step("mirror")])
    with pytest.raises(mo.MotionError, match="a is needed by b"):
        own.drop("a")
    with pytest.raises(mo.MotionError, match="a name for a virtual clip"):
        own.define("x|y", "walk", [step("mirror")])


@pytest.mark.parametrize(
    ("modifier", "reason"),
    [
        (step("fly"), "no modifier 'fly'"),
        (step("turn"), "needs angle"),
        (step("turn", angle="far"), "a number"),
        (step("turn", angel=3.0), "no parameter 'angel'"),
        (step("to_speed", speed=1.2), "takes 1 further clips, got 0"),
        (step("mirror", "walk"), "takes 0 further clips, got 1"),
    ],
)
def test_what_a_modifier_cannot_take_is_refused_before_anything_is_made(own, modifier, reason):
    with pytest.raises(mo.MotionError, match=reason):
        own.define("new", "walk", [modifier])
    assert own.recipes() == {}


def test_a_file_that_is_gone_or_has_changed_is_named(own):
    path = own.shelf.capture("walk").path
    text = path.read_bytes()
    os.utime(path, (1, 1))
    assert own.make("walk|mirror").n_frames > 0  # touched, and the same
    path.write_bytes(text + b"\n")
    with pytest.raises(mo.MotionError, match=r"has changed since it was taken in; mocapella library add"):
        own.make("walk|mirror")
    path.unlink()
    with pytest.raises(mo.MotionError, match="is gone"):
        own.make("walk")
    path.write_bytes(text)
    add_captures(own, [path], workers=0)


def test_a_users_file_is_code_and_runs_only_once_it_is_trusted(own):
    folder = own.folder / "modifiers"
    folder.mkdir()
    (folder / "crouch.py").write_text(CROUCH)
    with pytest.raises(mo.MotionError, match=r"not trusted; read them, then: mocapella library trust"):
        own.make("walk|crouch")
    assert [path.name for path in untrusted(own.folder)] == ["crouch.py"]
    assert [path.name for path in trust(own.folder)] == ["crouch.py"]
    with Library.at(own.folder) as again:
        lower = again.shelf.of("walk", [step("crouch", depth=0.2)])
        np.testing.assert_allclose(lower.root_positions[:, 1], own.make("walk").root_positions[:, 1] - 0.2)
        assert again.modifiers()["crouch"].about == "Lower the hips"
        assert again.modifiers()["crouch"].main == "depth"
    (folder / "crouch.py").write_text(CROUCH + "\nopen('/tmp/never', 'w')\n")
    assert "crouch" not in found_modifiers(own.folder)  # what was trusted is not what is there
    trust(own.folder)
    distrust(own.folder)
    assert "crouch" not in found_modifiers(own.folder)


def test_a_library_cannot_vouch_for_itself(own, tmp_path):
    """Trust lies beside the user's settings; a folder that was copied elsewhere is not trusted."""
    (own.folder / "modifiers").mkdir()
    (own.folder / "modifiers" / "crouch.py").write_text(CROUCH)
    trust(own.folder)
    kept = json.loads((tmp_path / "settings" / "mocapella" / "trusted-modifiers.json").read_text())
    assert list(kept) == [str(own.folder.resolve())]
    assert not any("trust" in path.name for path in own.folder.rglob("*"))


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("def bad(clip):\n    return 1 / 0", r"the modifier bad of modifiers/bad.py failed: ZeroDivisionError"),
        ("def bad(clip):\n    return 3", r"gave int, not a clip"),
        ("def bad(clip, *, table={}):\n    return clip", r"neither a number nor a flag nor a word"),
        ("def bad(*, depth=1.0):\n    return None", r"takes no clip by position"),
        ("def bad(clip:\n", r"modifiers/bad.py cannot be loaded: SyntaxError"),
        ("def mirror(clip):\n    return clip", r"mirror, which mocapella has already"),
        ("import nothing_of_this_name", r"cannot be loaded: ModuleNotFoundError"),
    ],
)
def test_a_modifier_that_fails_is_one_line(own, code, reason):
    folder = own.folder / "modifiers"
    folder.mkdir()
    (folder / "bad.py").write_text(code)
    trust(own.folder)
    with pytest.raises(mo.MotionError, match=reason) as failed:
        own.make("walk|bad")
    assert "\n" not in str(failed.value)


def test_an_installed_package_adds_modifiers_by_an_entry_point(own, monkeypatch):
    point = EntryPoint("double", "tests.library.made_up:double", plugins.ENTRY_POINTS)
    monkeypatch.setattr(EntryPoint, "load", lambda self: lambda clip, *, times=2.0: mo.concatenate([clip, clip]))
    monkeypatch.setattr(plugins, "entry_points", lambda group: [point])
    assert own.make("walk|double").n_frames == 2 * own.make("walk").n_frames
    monkeypatch.setattr(EntryPoint, "load", lambda self: exec("raise OSError('no disk')"))
    with pytest.raises(mo.MotionError, match="cannot be loaded: OSError: no disk"):
        found_modifiers(own.folder)


def test_the_number_of_clips_tells_the_kind():
    def mix(clip, other):
        return clip

    def every(*clips, much: float):
        return clips[0]

    assert modifier_of(mix, name="mix", origin="here").kind == "bi"
    made = modifier_of(every, name="every", origin="here")
    assert (made.kind, made.parameters["much"].required) == ("multi", True)
    assert {MODIFIERS[name].kind for name in ("to_speed", "to_slope", "to_curvature")} == {"bi"}
    assert isinstance(MODIFIERS["gait"], Modifier)


def test_storing_every_clip_takes_more_than_making_them(own):
    report = storage_report(own)
    assert report.gaits == report.virtual == 2
    assert report.size("all clips stored") == 2 * report.size("real clips")  # SyncMirror halves what is stored
    n = max(cycle.frames for one in own.captures() for cycle in one.cycles)
    assert report.size("root paths by increments") == 2 * n * 2 * 8
    assert report.size("root paths by pairs") == 1 * n * 3 * 8
    own.define("other", "walk", [step("mirror")])
    assert storage_report(own).size("all clips stored") > report.size("all clips stored")
