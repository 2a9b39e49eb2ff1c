"""Pose frames: the binary message of what is on the stage at one instant.

Everything is little-endian. A frame is a header of four uint32, then one record of float32 per figure, then the local
rotations of its joints:

    uint32   KIND          1
    uint32   acknowledged  sequence number of the last command of this connection that the poses take into account,
                           modulo 2**32
    uint32   frame         counts the frames of this connection; a gap means that stale ones were left out
    uint32   figures       how many follow

    per figure:
    float32  FIELDS        one number for each name of ``FIELDS``, in that order
    float32  root          x, y, z of the root, metres, from (origin_x, 0, origin_z)
    float32  rotations     w, x, y, z per joint: local, unit, in the order of ``body.joints``

The number of joints is that of the ``body`` message with the id of field ``body``. World positions follow by forward
kinematics alone: a joint lies at its parent's place plus its ``offset``, turned by the parent's world rotation. The
origin is a whole multiple of 16 m, exact in float32, so that joints keep their precision far from where it began.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float

KIND = 1  # number of this kind of frame, its first word
FIELDS = (
    "figure",  # 0 a character, 1 a capture shown beside it, 2 an onion skin
    "number",  # of the character; for onion skins seconds from the present
    "body",  # id of its skeleton
    "time",  # seconds played, in its own time
    "phase",  # radians into the cycle, 0 … 2π
    "period",  # seconds of the cycle that is played
    "point_x", "point_y",  # where the blending point is
    "goal_x", "goal_y",  # where it was sent
    "asked_speed", "asked_turn",  # m/s and degrees per second that the goal stands for
    "speed", "turn",  # had, over the last cycle
    "slip", "slip_mean",  # millimetres per plant over the last seconds, worst and mean
    "planted",  # 1 left heel + 2 left toe + 4 right heel + 8 right toe
    "state",  # 0 network, 1 waiting for the moment of a change, 2 a change
    "block", "mode", "arc",  # numbers in the ``network`` message; −1: none
    "progress",  # of a change, 0 … 1
    "inside",  # 1 where the goal lies in the network, 0 where the point stays on the outline
    "triangle",  # number of the triangle in use, in the triangles of the mode
    "node_a", "node_b", "node_c", "node_d",  # the nodes that count most, −1: none
    "weight_a", "weight_b", "weight_c", "weight_d",
    "heading",  # radians, left positive
    "anchor_0_x", "anchor_0_z", "anchor_1_x", "anchor_1_z",  # where planted points are held, from the origin, in the
    "anchor_2_x", "anchor_2_z", "anchor_3_x", "anchor_3_z",  # order of ``planted``; NaN where one is free
    "path_left",  # metres of a path that are still to go, −1 without one
    "origin_x", "origin_z",
)  # fmt: skip
PLACES: dict[str, int] = {name: i for i, name in enumerate(FIELDS)}
HEADER = struct.Struct("<4I")
_CELL = 16.0  # metres


def figure_record(
    fields: Mapping[str, float | int],
    root: Float[np.ndarray, "3"],
    rotations_wxyz: Float[np.ndarray, "joints 4"],
    anchors: Sequence[complex | None] = (None,) * 4,
) -> Float[np.ndarray, " floats"]:
    """One figure as its floats.

    ``fields`` are values for names of ``FIELDS``; what is left out is 0. Anchors and the origin are filled in. ``root``
    is the position of the root in the world, metres. ``rotations_wxyz`` are the local rotations. ``anchors`` are where
    each foot point is held, z + ix in the world, None where it is free. Returns float32,
    ``len(FIELDS) + 3 + 4 * joints`` numbers.
    """
    n = len(FIELDS)
    out = np.zeros(n + 3 + rotations_wxyz.size, dtype="<f4")
    for name, value in fields.items():
        out[PLACES[name]] = value
    x, z = (_CELL * round(float(root[i]) / _CELL) for i in (0, 2))
    first = PLACES["anchor_0_x"]
    for i, place in enumerate(anchors):
        held = (np.nan, np.nan) if place is None else (place.imag - x, place.real - z)
        out[first + 2 * i : first + 2 * i + 2] = held
    out[PLACES["origin_x"]], out[PLACES["origin_z"]] = x, z
    out[n : n + 3] = root[0] - x, root[1], root[2] - z
    out[n + 3 :] = rotations_wxyz.ravel()
    return out


def pack_frame(figures: Sequence[Float[np.ndarray, " floats"]], *, acknowledged: int, frame: int) -> bytes:
    """A frame of figures as it travels.

    ``figures`` are as ``figure_record`` gives them. ``acknowledged`` is the sequence number of the last command that is
    taken into account.
    """
    header = HEADER.pack(KIND, acknowledged & 0xFFFFFFFF, frame & 0xFFFFFFFF, len(figures))
    return b"".join([header, *(figure.tobytes() for figure in figures)])
