"""Arrays of a page read back, as its viewer reads them."""

from __future__ import annotations

import base64
import zlib

import numpy as np


def unpacked(text):
    """The array of a JSON object made by ``packed``, as the viewer reads it."""
    shape = text["shape"]
    planes = np.frombuffer(zlib.decompress(base64.b64decode(text["data"])), np.uint8).reshape(text["planes"], -1)
    folded = np.zeros(planes.shape[1], dtype=np.uint32)
    for place, plane in enumerate(planes):
        folded |= plane.astype(np.uint32) << np.uint32(8 * place)
    steps = (folded >> np.uint32(1)).astype(np.int64) ^ -(folded & np.uint32(1)).astype(np.int64)
    rows = steps.reshape(shape[0] if shape else 1, -1)
    for _ in range(text["differences"]):
        rows = np.cumsum(rows, axis=0)
    return np.asarray(rows.astype(np.int32).reshape(shape) * text["step"])
