from __future__ import annotations

import struct

import pytest


def png_size(path) -> tuple[int, int]:
    header = path.read_bytes()[:24]
    assert header[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", header[16:24])


def test_render_draws_a_contact_sheet(run, bvh, tmp_path):
    picture = tmp_path / "sheet.png"
    assert run("render", bvh, picture).exit_code == 0
    width, height = png_size(picture)
    assert width > 700
    assert height > 500


def test_chosen_frames_are_checked(run, bvh, tmp_path):
    assert run("render", bvh, tmp_path / "a.png", "--frames", "0,10,39").exit_code == 0
    result = run("render", bvh, tmp_path / "b.png", "--frames", "0,40")
    assert result.exit_code == 1
    assert "expected frames from 0 to 39" in result.stderr
    assert run("render", bvh, tmp_path / "b.png", "--frames", "a,b").exit_code == 2


@pytest.mark.parametrize("name", ["sheet.doc", "sheet"])
def test_an_unknown_picture_format_is_refused(run, bvh, tmp_path, name):
    result = run("render", bvh, tmp_path / name)
    assert result.exit_code == 1
    assert ".png" in result.stderr
