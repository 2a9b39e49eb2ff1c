"""C3D files read by ezc3d in a process of its own (``mocapella.files.apart``)."""

from __future__ import annotations

import array
from typing import Any

_NO_POINTS = ("ANGLES", "FORCES", "MOMENTS", "POWERS", "SCALARS")  # groups of labels that are stored as points


def read(data: bytes, options: dict[str, Any]) -> tuple[dict[str, Any], array.array[float]]:
    """The points of a file.

    ezc3d opens the ``file`` of the options by its name; they bound ``points``, of which each takes ``per_point`` bytes
    of the ``budget``. Returns labels, rate and unit; and places, point after point in each frame, NaN where one was not
    seen.
    """
    import ezc3d
    import numpy as np

    opened = ezc3d.c3d(options["file"])
    parameters = opened["parameters"]["POINT"]
    places = opened["data"]["points"]  # (4, points, frames)
    labels = _labels(parameters, "LABELS", *(f"LABELS{i}" for i in range(2, 10)))[: places.shape[1]]
    others = set(_labels(parameters, *_NO_POINTS))
    wanted = [i for i, label in enumerate(labels) if label and label not in others and not label.startswith("*")]
    most = options["budget"] // options["per_point"]
    if places.shape[1] > options["points"] or len(wanted) * places.shape[2] > most:
        raise ValueError(f"holds {places.shape[1]:,} points in {places.shape[2]:,} frames; that is more than is read")
    values = np.ascontiguousarray(places[:3, wanted].transpose(2, 1, 0), dtype=np.float64)
    rate, unit = (parameters[name]["value"] if name in parameters else [] for name in ("RATE", "UNITS"))
    header = {
        "labels": [labels[i] for i in wanted],
        "frames": int(places.shape[2]),
        "rate": float(rate[0]) if len(rate) else 0.0,
        "unit": str(unit[0]).strip() if len(unit) else "",
    }
    return header, array.array("d", values.tobytes())


def _labels(parameters: Any, *groups: str) -> list[str]:
    """The labels of all these groups that there are."""
    return [label.strip() for group in groups if group in parameters for label in parameters[group]["value"]]
