import os
import stat

import pytest

from mocapella.errors import FormatError, MotionError
from mocapella.files import disk
from mocapella.files.disk import read_bytes, replacing

as_root = hasattr(os, "geteuid") and os.geteuid() == 0


# Reading


def test_the_content_is_what_is_in_the_file(tmp_path):
    path = tmp_path / "walk.bvh"
    path.write_bytes(b"a\r\n\x00\xff")
    assert read_bytes(path) == read_bytes(str(path)) == b"a\r\n\x00\xff"


@pytest.mark.parametrize("content", [b"", b"\n", b" \t\r\n" * 1000])
def test_an_empty_file_is_refused(tmp_path, content):
    path = tmp_path / "walk.bvh"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"walk.bvh: the file is empty"):
        read_bytes(path)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(FormatError, match=r"walk.bvh: there is no such file"):
        read_bytes(tmp_path / "walk.bvh")
    with pytest.raises(FormatError, match=r"walk.bvh: there is no such file"):
        read_bytes(tmp_path / "no folder" / "walk.bvh")


def test_a_folder_is_refused(tmp_path):
    (tmp_path / "walk.bvh").mkdir()
    with pytest.raises(FormatError, match=r"walk.bvh: expected a file, found a folder"):
        read_bytes(tmp_path / "walk.bvh")


def test_a_file_below_a_file_is_refused(tmp_path):
    (tmp_path / "walk.bvh").write_text("x")
    with pytest.raises(FormatError, match=r"cannot be read: Not a directory"):
        read_bytes(tmp_path / "walk.bvh" / "run.bvh")


@pytest.mark.parametrize("name", ["zero\0byte.bvh", "x" * 5000 + ".bvh"])
def test_what_can_be_no_file_name_is_refused(tmp_path, name):
    with pytest.raises(FormatError, match=r"is not a file name|cannot be read: File name too long"):
        read_bytes(tmp_path / name)


def test_no_permission_is_said_so(tmp_path, monkeypatch):
    path = tmp_path / "walk.bvh"
    path.write_text("x")
    path.chmod(0)
    if as_root:  # root may read everything

        def refuse(*_, **__):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(disk.Path, "open", refuse)
    with pytest.raises(FormatError, match=r"walk.bvh: no permission to read the file"):
        read_bytes(path)


def test_a_disk_that_fails_is_said_so(tmp_path, monkeypatch):
    path = tmp_path / "walk.bvh"
    path.write_text("x")

    def fail(*_, **__):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(disk.Path, "open", fail)
    with pytest.raises(FormatError, match=r"cannot be read: Input/output error"):
        read_bytes(path)


def test_a_file_too_large_is_refused_before_it_is_read(tmp_path, monkeypatch):
    path = tmp_path / "walk.bvh"
    with path.open("wb") as file:
        file.truncate(disk.LARGEST_FILE + 1)  # takes no room on the disk
    monkeypatch.setattr(disk.Path, "open", None)  # opening it would fail
    with pytest.raises(FormatError, match=r"the file holds 2 GiB; at most 2 GiB are read"):
        read_bytes(path)


def test_a_pipe_or_a_device_is_refused_at_once(tmp_path):
    pipe = tmp_path / "walk.bvh"
    os.mkfifo(pipe)  # nothing writes to it: opening it would wait for ever
    for place in (pipe, "/dev/zero"):
        with pytest.raises(FormatError, match="expected a regular file, found a pipe, a socket or a device"):
            read_bytes(place)


def test_a_file_that_holds_more_than_it_said_is_not_read_beyond_the_limit(tmp_path, monkeypatch):
    path = tmp_path / "walk.bvh"
    path.write_bytes(b"abc" * 50_000)
    monkeypatch.setattr(disk, "_PIECE", 1000)
    monkeypatch.setattr(disk.stat, "S_ISREG", lambda mode: True)
    monkeypatch.setattr(disk.Path, "stat", lambda self: os.stat_result([0o100644, *[0] * 9]))
    assert read_bytes(path) == b"abc" * 50_000
    monkeypatch.setattr(disk, "LARGEST_FILE", 10_000)
    with pytest.raises(FormatError, match="the file holds more than"):
        read_bytes(path)


# Writing


@pytest.mark.parametrize("error", [MotionError("half way"), ValueError("half way"), KeyboardInterrupt(), SystemExit(1)])
@pytest.mark.parametrize("before", [None, b"old content"])
def test_whatever_breaks_in_the_middle_leaves_what_was_there_and_nothing_else(tmp_path, error, before):
    goal = tmp_path / "walk.bvh"
    if before is not None:
        goal.write_bytes(before)

    def write():
        with replacing(goal) as file:
            file.write(b"new" * 100_000)
            file.flush()
            raise error

    with pytest.raises(type(error)):
        write()
    assert list(tmp_path.iterdir()) == ([] if before is None else [goal])
    assert before is None or goal.read_bytes() == before


def test_the_name_is_taken_only_once_all_is_written(tmp_path):
    goal = tmp_path / "walk.bvh"
    goal.write_bytes(b"old")
    with replacing(goal) as file:
        file.write(b"new")
        file.flush()
        assert goal.read_bytes() == b"old"
    assert goal.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [goal]


def test_a_disk_that_is_full_leaves_nothing_half(tmp_path, monkeypatch):
    goal = tmp_path / "walk.bvh"
    goal.write_bytes(b"old")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(MotionError, match=r"cannot write .*walk.bvh: No space left on device"), replacing(goal) as file:
        file.write(b"new")
    assert goal.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [goal]


def test_there_must_be_a_folder_to_write_in(tmp_path):
    goal = tmp_path / "no folder" / "walk.bvh"
    with pytest.raises(MotionError, match=r"cannot write .*walk.bvh: No such file or directory"), replacing(goal):
        pass


def test_a_folder_is_not_replaced(tmp_path):
    goal = tmp_path / "walk.bvh"
    (goal / "inside").mkdir(parents=True)
    with pytest.raises(MotionError, match=r"cannot write .*walk.bvh"), replacing(goal) as file:
        file.write(b"new")
    assert [path.name for path in tmp_path.rglob("*")] == ["walk.bvh", "inside"]


def test_a_name_with_a_zero_byte_is_refused(tmp_path):
    with pytest.raises(MotionError, match="cannot write"), replacing(tmp_path / "a\0b.bvh"):
        pass


def test_names_may_be_as_long_as_the_disk_allows(tmp_path):
    goal = tmp_path / ("x" * 250 + ".bvh")
    with replacing(goal) as file:
        file.write(b"new")
    assert goal.read_bytes() == b"new"


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_new_files_have_the_permissions_the_user_gives_new_files(tmp_path, mask, mode):
    before = os.umask(mask)
    try:
        with replacing(tmp_path / "walk.bvh") as file:
            file.write(b"new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "walk.bvh").stat().st_mode) == mode


def test_a_file_that_is_replaced_hands_its_permissions_on(tmp_path):
    goal = tmp_path / "walk.bvh"
    goal.write_bytes(b"old")
    goal.chmod(0o640)
    with replacing(goal) as file:
        file.write(b"new")
    assert (goal.read_bytes(), stat.S_IMODE(goal.stat().st_mode)) == (b"new", 0o640)


def test_what_a_killed_program_left_behind_is_swept(tmp_path):
    goal = tmp_path / "walk[1].bvh"
    old, fresh, other = (tmp_path / f".{name}.part" for name in ("walk[1].bvh.aa", "walk[1].bvh.bb", "run.bvh.cc"))
    for part in (old, fresh, other):
        part.write_bytes(b"half")
    for part in (old, other):
        os.utime(part, (0.0, 0.0))
    with replacing(goal) as file:
        file.write(b"new")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([fresh.name, other.name, goal.name])


def test_without_permission_to_write_nothing_is_written(tmp_path, monkeypatch):
    folder = tmp_path / "locked"
    folder.mkdir()
    folder.chmod(0o500)
    if as_root:

        def refuse(*_, **__):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(disk.os, "open", refuse)
    with (
        pytest.raises(MotionError, match=r"cannot write .*walk.bvh: Permission denied"),
        replacing(folder / "walk.bvh"),
    ):
        pass
    assert list(folder.iterdir()) == []
