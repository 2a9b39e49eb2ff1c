"""Whether there is a GPU to test on."""

from __future__ import annotations

import importlib
from functools import cache


@cache
def no_gpu() -> str:
    """Why there is nothing to run on; empty where there is."""
    try:
        found = importlib.import_module("cupy").cuda.runtime.getDeviceCount()
    except Exception as error:
        return f"no GPU: {type(error).__name__}"
    return "" if found else "no GPU"
