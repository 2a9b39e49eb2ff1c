"""C3D files read: points that ezc3d finds in them, made a skeleton in motion."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mocapella.checks import MOST_FRAMES, is_usable, refuse_no_rate
from mocapella.errors import FormatError
from mocapella.files.apart.run import read_apart
from mocapella.files.conventions import UNITS, Parsed
from mocapella.files.points import c3d_worker
from mocapella.files.points.fit import fit_points
from mocapella.files.points.marker_files import placed


class _Limits(NamedTuple):
    """The largest files that are read."""

    points: int = 2000  # in a frame
    numbers: int = 100_000_000  # in all frames; 800 MB
    furthest: float = 1e7  # in any unit


_LIMITS = _Limits()


def read_c3d(path: Path, *, frame_rate: float | None = None) -> Parsed:
    """The motion of a ``.c3d`` file, of joints or markers.

    ``frame_rate`` is in frames per second; the file's if None. The result is on a skeleton made of the points, in the
    file's unit, millimetres where it names none. Raises ``FormatError`` where it is no C3D, ezc3d crashes on it, or its
    points make no body.
    """
    if frame_rate is not None:
        refuse_no_rate(frame_rate)
    options = {"file": str(path.absolute()), "points": _LIMITS.points, "numbers": _LIMITS.numbers}
    header, numbers = read_apart(path, str(c3d_worker.__file__), options, name="C3D", library="ezc3d")
    names, n_frames = [str(label) for label in header["labels"]], int(header["frames"])
    if not names or not 0 < n_frames <= MOST_FRAMES or len(numbers) != 3 * len(names) * n_frames:
        raise FormatError(path, 0, "holds no labelled points")
    rate = header["rate"] if frame_rate is None else float(frame_rate)
    if not is_usable(rate):
        raise FormatError(path, 0, "states no frame rate; name one")
    unit = str(header["unit"]).lower() or "mm"
    if unit not in UNITS:
        raise FormatError(path, 0, f"expected a unit of {', '.join(UNITS)}, found {unit[:20]!r}")
    places = np.array(numbers).reshape(n_frames, len(names), 3)
    places[~(np.abs(places) <= _LIMITS.furthest).all(axis=2)] = np.nan
    own = [i for i, name in enumerate(names) if name not in names[:i]]  # of points with one label the first
    metres = UNITS[unit]
    parsed = placed(path, lambda: fit_points([names[i] for i in own], places[:, own], rate, metre=1.0 / metres))
    return replace(parsed, metres_per_unit=metres)
