"""A stand-in for CuPy where no GPU is: arrays of NumPy, and kernels that are not run but written down.

It shows which characters a crowd on a GPU moves in which step, and by how many seconds; what kernels compute is tested
on a GPU.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np


class StandIn(SimpleNamespace):
    """What ``mocapella.crowd.cuda`` asks of CuPy; ``launched`` has the arguments of each kernel that was started."""

    def __init__(self):
        self.launched: list[tuple[str, tuple]] = []
        self._recorded: list[tuple[str, tuple]] | None = None
        functions = (
            np.asarray,
            np.zeros,
            np.arange,
            np.flatnonzero,
            np.stack,
            np.isfinite,
            np.where,
            np.clip,
            np.broadcast_to,
        )
        kinds = (np.float16, np.float32, np.float64, np.int32)
        super().__init__(minimum=np.minimum, nan=np.nan, **{one.__name__: one for one in (*functions, *kinds)})
        attributes = {"MaxSharedMemoryPerBlockOptin": 232_448, "MultiProcessorCount": 132}
        runtime = SimpleNamespace(
            CUDARuntimeError=RuntimeError,
            getDeviceCount=lambda: 1,
            memGetInfo=lambda: (10**9, 10**9),
            getDeviceProperties=lambda _: {"name": b"stand-in"},
        )
        self.cuda = SimpleNamespace(
            runtime=runtime,
            Device=lambda: SimpleNamespace(compute_capability="90", attributes=attributes, id=0),
            Stream=lambda **_: _Stream(self),
            get_current_stream=lambda: None,
        )
        self.RawModule = lambda **_: SimpleNamespace(get_function=lambda name: _Kernel(self, name))

    def start(self, *launch):
        (self.launched if self._recorded is None else self._recorded).append(launch)


class _Kernel:
    def __init__(self, device, name):
        self.device, self.name = device, name

    def __call__(self, grid, block, arguments, shared_mem=0):
        self.device.start(self.name, arguments)


class _Stream:
    def __init__(self, device):
        self.device = device

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def begin_capture(self):
        self.device._recorded = []

    def end_capture(self):
        recorded, self.device._recorded = self.device._recorded, None
        return SimpleNamespace(launch=lambda _: self.device.launched.extend(recorded))
