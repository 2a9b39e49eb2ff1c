"""CuPy, where a GPU is."""

from __future__ import annotations

import importlib
from typing import Any

from mocapella.errors import MotionError


def cuda_arrays(what: str, instead: str) -> Any:
    """CuPy with a device that answers.

    Raises ``MotionError`` without the package or without a GPU that CUDA can use.
    """
    try:
        cupy = importlib.import_module("cupy")
    except ImportError:
        text = f"{what} needs an extra package: pip install 'mocapella[cuda]'"
        raise MotionError(text, helps=f"or {instead}") from None
    try:
        n_devices = int(cupy.cuda.runtime.getDeviceCount())
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise MotionError(f"no GPU that CUDA can use: {error}", helps=instead) from None
    if not n_devices:
        raise MotionError("no GPU that CUDA can use", helps=instead)
    return cupy
