"""Contact traces as data, for other programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path

import numpy as np

from mocapella.errors import MotionError
from mocapella.files.disk import replacing
from mocapella.measure.distortion import FootTrace

COLUMNS = ("network", "foot", "stance", "sample", "x", "z", "blend_x", "blend_z", "reference_x", "reference_z")


def save_traces(traces: Mapping[str, Sequence[FootTrace]], path: str | PathLike[str]) -> None:
    """Write the contact traces at a point, those of several networks by their labels, as ``.csv``; metres.

    ``x`` and ``z`` are seen from under the root; blend and reference are aligned, as they are compared.
    """
    if Path(path).suffix.lower() != ".csv":
        raise MotionError(f"cannot write {Path(path).name}: traces are written as .csv")
    lines = [",".join(COLUMNS)]
    for label, stages in traces.items():
        name = '"' + label.replace('"', '""') + '"'
        for stage in stages:
            rows = np.concatenate([stage.places, stage.blend, stage.reference], axis=1)
            for sample, row in enumerate(rows.tolist()):
                numbers = ",".join(f"{value:.9g}" for value in row)
                lines.append(f"{name},{stage.foot},{stage.plant},{sample},{numbers}")
    with replacing(path) as file:
        file.write(("\n".join(lines) + "\n").encode())
