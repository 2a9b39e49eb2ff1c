"""Turn rates and speeds of a network's blends measured by the native core, as ``played_rates`` measures them."""

from __future__ import annotations

import math
import os
import threading
from typing import Any

import numpy as np

from mocapella.blending.network import Network
from mocapella.blending.places import Place
from mocapella.errors import MotionError
from mocapella.motion.layout import YAW_RATE
from mocapella.playback.native import library
from mocapella.playback.native.library import GAIT, RECORD_SIZE, STATE, STATE_AT
from mocapella.playback.native.record import settings_numbers
from mocapella.playback.native.tables import NativeTables, tables_of
from mocapella.playback.settings import DEFAULTS

_NODES = STATE["aim"].stop - STATE["aim"].start  # that a place may have
_POINT = slice(STATE_AT + STATE["point"].start, STATE_AT + STATE["goal"].stop)
_AIM = slice(STATE_AT + STATE["simplex"].start, STATE_AT + STATE["aim_point"].stop)
_READY, _VELOCITY = GAIT["ready"].start, GAIT["velocity"]


class NativeRates:
    """Measures blends of one network.

    Parameters
    ----------
    tables
        Of the network.
    """

    def __init__(self, tables: NativeTables) -> None:
        core = library.player_core()
        assert core is not None
        self._core: Any = core
        self._tables = tables
        self._lock = threading.Lock()  # there is one record, and the core lets other threads run
        self._numbers = np.zeros(-(-tables.room // 8))
        self._record = self._numbers.ctypes.data
        self._settings = settings_numbers(DEFAULTS)
        self._address, self._settings_at = tables.address, self._settings.ctypes.data
        if self._core.player_open(tables.address, self._record, tables.room) != 0:
            raise MotionError("the native core refused its tables; this is a fault of the program")
        packed = tables.packed
        mixed = -(-RECORD_SIZE // 8) * 8 + -(-4 * packed.joints // 8) * 8
        self._turning = mixed + tables.layout.n_dofs + YAW_RATE  # the mean of the yaw rate in the mixed harmonics
        self._put("pace", -1.0)
        self._put("harmonics", -1.0)
        self._put("anchor", -1.0)

    @classmethod
    def of(cls, network: Network) -> NativeRates | None:
        """The measure of a network's blends; None where the core cannot mix them, is not installed or not wanted.

        Parameters
        ----------
        network
            Any.

        Returns
        -------
        NativeRates | None
            A new one.
        """
        if library.player_core() is None or os.environ.get("MOCAPELLA_ENGINE") == "numpy":
            return None
        tables = tables_of(network)
        return None if tables is None or not tables.footed or tables.packed.own else cls(tables)

    def __reduce__(self) -> tuple[object, ...]:
        return NativeRates.of, (self._tables.network,)

    def at(self, place: Place) -> tuple[float, float] | None:
        """The turn rate (rad/s, left positive) and the speed (m/s) of the blend at a place.

        Parameters
        ----------
        place
            Of the network.

        Returns
        -------
        tuple[float, float] | None
            As ``played_rates`` has them of the blend; None where the core does not know such places.
        """
        if len(place.nodes) > _NODES or len(place.point) != 2:
            return None
        n, x, y = len(place.nodes), *place.point
        rest = [0.0] * (_NODES - n)
        numbers = self._numbers
        with self._lock:
            numbers[_POINT] = x, y, 0.0, x, y, 0.0
            numbers[_AIM] = (
                place.triangle, place.inside, n, *place.nodes.tolist(), *rest, *place.weights.tolist(), *rest, x, y, 0.0
            )  # fmt: skip
            numbers[_READY] = 0.0
            if self._core.player_ready(self._address, self._settings_at, self._record) != 0:
                return None
            ahead, left = numbers[_VELOCITY].tolist()
            return float(numbers[self._turning]), math.hypot(ahead, left)

    def _put(self, name: str, *values: float) -> None:
        first = STATE_AT + STATE[name].start
        self._numbers[first : first + len(values)] = values
