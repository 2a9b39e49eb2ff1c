from __future__ import annotations

import re
import subprocess

import numpy as np
import pytest

from mocapella.crowd.crowd import Crowd
from mocapella.errors import MotionError
from mocapella.pictures import film
from tests.crowd.samples import walks


def shots(n_frames):
    crowd = Crowd(walks(), 3, seed=1)
    out = []
    for _ in range(n_frames):
        crowd.step(1 / 10)
        out.append(crowd.poses().copy())
    return crowd.skeleton, np.array(out)


def test_a_crowd_becomes_a_film_of_as_many_frames(tmp_path):
    pytest.importorskip("imageio_ffmpeg", reason="no ffmpeg: pip install 'mocapella[film]'")
    skeleton, poses = shots(5)
    ticks = []
    film.film_crowd(skeleton, poses, 10.0, tmp_path / "crowd.mp4", tick=lambda: ticks.append(1))
    assert len(ticks) == 5
    command = [film.film_encoder(), "-i", str(tmp_path / "crowd.mp4"), "-f", "null", "-"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    assert re.search(r"h264.*1280x716.*10 fps", said)
    assert re.findall(r"frame=\s*(\d+)", said)[-1] == "5"


def test_without_ffmpeg_a_remedy_is_named_and_nothing_is_written(tmp_path, monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(film.importlib, "import_module", missing)
    monkeypatch.setattr(film.shutil, "which", lambda name: None)
    with pytest.raises(MotionError, match=r"ffmpeg: pip install 'mocapella\[film\]'"):
        film.film_encoder()
    monkeypatch.setattr(film.shutil, "which", lambda name: "/bin/false")
    skeleton, poses = shots(2)
    with pytest.raises(MotionError, match=r"ffmpeg could not write crowd\.mp4"):
        film.film_crowd(skeleton, poses, 10.0, tmp_path / "crowd.mp4")
    assert not list(tmp_path.iterdir())
