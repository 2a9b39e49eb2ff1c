"""A crowd as a film: every frame drawn in perspective, encoded by ffmpeg."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float32

from mocapella.errors import MotionError
from mocapella.files.disk import replacing
from mocapella.motion.skeleton import Skeleton
from mocapella.pictures.canvas import INK, figure
from mocapella.pictures.ground import draw_perspective

_WIDTH, _HEIGHT, _DPI = 10.0, 5.6, 128  # inches and dots per inch: 1280 × 716


def film_encoder() -> str:
    """Where ffmpeg is: that of the package ``imageio-ffmpeg``, else the system's."""
    try:
        return str(importlib.import_module("imageio_ffmpeg").get_ffmpeg_exe())
    except (ImportError, RuntimeError):
        program = shutil.which("ffmpeg")
    if program is None:
        raise MotionError("a film needs ffmpeg: pip install 'mocapella[film]', or install ffmpeg")
    return program


def film_crowd(
    skeleton: Skeleton,
    poses: Float32[np.ndarray, "frames characters joints 3 4"],
    frame_rate: float,
    path: str | PathLike[str],
    *,
    tick: Callable[[], None] = lambda: None,
) -> None:
    """Write a crowd as a film (H.264 in MP4), seen from one place.

    ``poses`` are the world rotations and positions (last column, metres) of all joints in every frame. ``path`` is the
    film to write; it is there when it is complete. ``tick`` is called after every frame. Raises ``MotionError`` without
    ffmpeg or matplotlib, or where ffmpeg cannot write the film.
    """
    program = film_encoder()
    picture = figure(_WIDTH, _HEIGHT)
    picture.set_layout_engine("none")
    picture.set_dpi(_DPI)
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    drawn: Any = FigureCanvasAgg(picture)
    width, height = (side - side % 2 for side in drawn.get_width_height())
    with replacing(path) as file, tempfile.TemporaryDirectory() as folder:
        film = Path(folder) / "film.mp4"
        command = [
            program, "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}",
            "-r", f"{frame_rate:g}", "-i", "-", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "20",
            "-movflags", "+faststart", str(film),
        ]  # fmt: skip
        encoder = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        assert encoder.stdin is not None
        assert encoder.stderr is not None
        try:
            for crowd in poses:
                picture.clear()
                axes = picture.add_axes((0.0, 0.0, 1.0, 1.0))
                draw_perspective(axes, skeleton, crowd, seen=poses[0])
                axes.set_title("")
                axes.text(0.98, -0.7, f"{len(crowd):,} characters", color=INK, ha="right")
                drawn.draw()
                pixels = np.asarray(drawn.buffer_rgba())[:height, :width, :3]
                encoder.stdin.write(np.ascontiguousarray(pixels).tobytes())
                tick()
            encoder.stdin.close()
            said = encoder.stderr.read().decode(errors="replace").strip()
            if encoder.wait() != 0:
                raise MotionError(f"ffmpeg could not write {Path(path).name}: {said[-300:] or 'no reason given'}")
            file.write(film.read_bytes())
        except BrokenPipeError:
            said = encoder.stderr.read().decode(errors="replace").strip()
            raise MotionError(f"ffmpeg could not write {Path(path).name}: {said[-300:] or 'no reason given'}") from None
        finally:
            encoder.kill()
            encoder.wait()
