"""A library in the studio: listed, filtered, previewed, and taken into the opened folder."""

from __future__ import annotations

import base64
from pathlib import Path

import numpy as np
import pytest

import mocapella as mo
from mocapella.errors import MotionError
from mocapella.library.ingest import add_captures
from mocapella.library.store import Library
from mocapella.studio.opened_folder import Folder
from mocapella.studio.views.library_panel import library_of, library_rows, listed_file, preview, taken_in


@pytest.fixture(scope="module")
def library(captures, tmp_path_factory):
    place = tmp_path_factory.mktemp("opened") / "mocapella-library"
    wanted = [captures / f"{name}.bvh" for name in ("slow-walk-straight", "medium-walk-left")]
    with Library.at(place, create=True) as opened:
        add_captures(opened, wanted, workers=0)
    return place


def test_the_library_below_the_opened_folder_is_found_and_none_is_made_up(library, tmp_path):
    assert library_of(library.parent) == library
    assert library_of(library) == library
    assert library_of(tmp_path) is None
    assert library_rows(None, "walk", like=None, most=5).rows == ()
    with pytest.raises(MotionError, match="no library"):
        library_of(tmp_path, tmp_path / "elsewhere")


def test_rows_fit_the_query_and_an_example_orders_them(library, captures):
    everything = library_rows(library, "", like=None, most=50)
    assert everything.captures == 2
    left = library_rows(library, "walk turn:left", like=None, most=50)
    assert {row.name for row in left.rows} == {"medium-walk-left"}
    assert all(row.kind == "walk" and row.turn > 8.0 for row in left.rows)
    like = library_rows(library, "walk", like=captures / "medium-walk-left.bvh", most=50)
    assert like.rows[0].name == "medium-walk-left"
    assert like.rows[0].score < like.rows[-1].score
    with pytest.raises(MotionError, match="no 'sped'"):
        library_rows(library, "sped:1", like=None, most=5)


def test_a_preview_shows_the_poses_and_the_way_of_the_stretch(library):
    row = library_rows(library, "walk turn:left", like=None, most=1).rows[0]
    shown = preview(Path(row.path), row.start, row.frames)
    clip = mo.load(row.path)
    points = np.frombuffer(base64.b64decode(shown.poses), "<i2").reshape(len(shown.way), -1, 3)
    assert points.shape[1] == clip.skeleton.n_joints + clip.skeleton.n_ends
    assert shown.seconds == pytest.approx(row.seconds, abs=0.05)
    went = np.abs(np.diff(np.array(shown.way) @ [1j, 1.0])).sum()
    assert went == pytest.approx(row.speed * row.seconds, rel=0.1)


def test_an_animation_of_a_file_is_previewed_and_taken_in_as_that(captures, tmp_path):
    walk = mo.load(next(iter(sorted(captures.glob("*walk*.bvh")))))
    (tmp_path / "packs").mkdir()
    mo.save([walk.renamed("Whole"), walk[: walk.n_frames // 2].renamed("Half")], tmp_path / "packs" / "pack.glb")
    with Library.at(tmp_path / "library", create=True) as opened:
        add_captures(opened, [tmp_path / "packs"], workers=0)
    file = listed_file(tmp_path / "library", f"{tmp_path}/packs/pack.glb#Half")
    assert preview(file, 0, 10_000).seconds < 0.6 * walk.seconds
    (tmp_path / "opened").mkdir()
    folder = Folder.of(tmp_path / "opened")
    assert taken_in([file], folder) == [".mocapella/library/packs/pack.glb#Half"]
    assert folder.motions([".mocapella/library/packs/pack.glb#Half"]) == [".mocapella/library/packs/pack.glb#Half"]


def test_only_files_of_the_library_can_be_named_and_those_from_elsewhere_are_copied(library, tmp_path):
    row = library_rows(library, "", like=None, most=1).rows[0]
    folder = Folder.of(tmp_path)
    (name,) = taken_in([listed_file(library, row.path)], folder)
    assert folder.path(name).read_bytes() == Path(row.path).read_bytes()
    assert name.startswith(".mocapella/")
    for path in ("/etc/passwd", str(library / "library.sqlite"), f"{row.path}/../x.bvh"):
        with pytest.raises(MotionError, match="no file"):
            listed_file(library, path)
