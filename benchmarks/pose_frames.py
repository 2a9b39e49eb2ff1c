"""Pose frames of the studio read back, as a client reads them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float

from mocapella.studio.messages.frames import FIELDS, HEADER, KIND


def unpack_frame(
    data: bytes, joints: Mapping[int, int]
) -> tuple[int, int, list[tuple[dict[str, float], Float[np.ndarray, "3"], Float[np.ndarray, "joints 4"]]]]:
    """What ``pack_frame`` packed, as clients in Python read it.

    Returns the number acknowledged, the frame's number, and per figure its fields, its root in the world and its
    rotations.
    """
    kind, acknowledged, frame, count = HEADER.unpack_from(data)
    if kind != KIND:
        raise ValueError(f"expected a pose frame, kind {KIND}; got kind {kind}")
    floats = np.frombuffer(data, dtype="<f4", offset=HEADER.size).astype(np.float64)
    figures, at = [], 0
    for _ in range(count):
        fields = dict(zip(FIELDS, floats[at : at + len(FIELDS)].tolist(), strict=True))
        at += len(FIELDS)
        n = joints[int(fields["body"])]
        root = floats[at : at + 3] + np.array([fields["origin_x"], 0.0, fields["origin_z"]])
        figures.append((fields, root, floats[at + 3 : at + 3 + 4 * n].reshape(n, 4)))
        at += 3 + 4 * n
    return acknowledged, frame, figures
