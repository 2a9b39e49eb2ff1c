"""Whatever a page writes into a path, it stays in the folder that was opened."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.errors import MotionError
from mocapella.studio.opened_folder import Folder

PARTS = st.sampled_from(["..", ".", "a", "b.bvh", "", "/", "\\", "C:", "~", "\x00", "%2e%2e", "link", "....//", "con"])


@settings(max_examples=200, deadline=None)
@given(st.lists(PARTS, max_size=6))
def test_no_path_leads_out_of_the_folder(tmp_path_factory, parts):
    base = tmp_path_factory.getbasetemp() / "opened"
    if not base.exists():
        base.mkdir()
        (base / "link").symlink_to("/etc")
    folder = Folder.of(base)
    try:
        place = folder.path("/".join(parts))
    except MotionError:
        return
    assert place.resolve().is_relative_to(folder.root)


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", "a/../../x", "link/passwd", "..\\x", "C:/x", "a\x00b"])
def test_ways_out_are_refused(tmp_path, name):
    (tmp_path / "link").symlink_to("/etc")
    with pytest.raises(MotionError, match="out of the opened folder"):
        Folder.of(tmp_path).path(name)


def test_an_animation_is_named_of_a_file_in_the_folder_alone(tmp_path):
    (tmp_path / "link.glb").symlink_to("/etc/passwd")
    (tmp_path / "odd.glb#x").symlink_to("/etc")
    folder = Folder.of(tmp_path)
    for name in ("link.glb#Walk", "odd.glb#x", "odd.glb#x/passwd", "../pack.glb#Walk"):
        with pytest.raises(MotionError, match="out of the opened folder"):
            folder.path(name)
    (tmp_path / "pack.glb").write_bytes(b"")
    assert folder.path("pack.glb#Walk") == tmp_path / "pack.glb#Walk"
    assert folder.file("pack.glb#Walk") == tmp_path / "pack.glb"
    assert folder.motions(["pack.glb#Walk"]) == ["pack.glb#Walk"]


@pytest.mark.parametrize("name", ["a" * 5000, "b" * 256 + "/a", "\ud800"])
def test_names_that_no_file_can_have_are_refused(tmp_path, name):
    with pytest.raises(MotionError, match="cannot be read"):
        Folder.of(tmp_path).path(name)


def test_exports_of_the_studio_are_no_captures_of_its_folder(tmp_path):
    (tmp_path / "exports" / "plain").mkdir(parents=True)
    for name in ("walk.bvh", "exports/plain/walk.bvh"):
        (tmp_path / name).write_text("x")
    assert len(Folder.of(tmp_path).motions([""])) == 2  # the user's own
    (tmp_path / ".mocapella").mkdir()
    assert Folder.of(tmp_path).motions([""]) == ["walk.bvh"]
    assert Folder.of(tmp_path).motions(["exports"]) == ["exports/plain/walk.bvh"]


async def pieces(*content):
    for one in content:
        yield one


def test_an_upload_is_stored_whole_or_not_at_all(tmp_path, monkeypatch):
    folder = Folder.of(tmp_path)
    name = asyncio.run(folder.store("take 1/walk.bvh", "7", pieces(b"HIER", b"ARCHY")))
    assert folder.path(name).read_bytes() == b"HIERARCHY"
    monkeypatch.setattr("mocapella.studio.opened_folder.LARGEST_UPLOAD", 5)
    with pytest.raises(MotionError, match="larger than"):
        asyncio.run(folder.store("large.bvh", "7", pieces(b"1234", b"5678")))
    assert not list(tmp_path.rglob("*large*"))


def test_a_folder_is_listed_with_folders_first_and_nothing_hidden(tmp_path):
    (tmp_path / "takes").mkdir()
    (tmp_path / ".git").mkdir()
    for name in ("b.bvh", "a.moca", "studio.json", "notes.txt"):
        (tmp_path / name).write_text("x")
    rows = Folder.of(tmp_path).listed()
    assert [(row.path, row.kind) for row in rows] == [
        ("takes", "folder"), ("a.moca", "network"), ("b.bvh", "motion"), ("notes.txt", "other"),
        ("studio.json", "project"),
    ]  # fmt: skip


def test_an_asf_beside_its_motions_is_no_motion_of_its_own(tmp_path):
    for name in ("a.asf", "a_01.amc", "a_02.amc", "walk.bvh"):
        (tmp_path / name).write_text("x")
    assert Folder.of(tmp_path).motions([""]) == ["a_01.amc", "a_02.amc", "walk.bvh"]
