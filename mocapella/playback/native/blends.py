"""Blends of a network mixed by the native core: their gaits, turn rates and speeds."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float
from msgspec import structs

from mocapella.arrays import owned
from mocapella.blending.network import Network
from mocapella.blending.places import Place
from mocapella.errors import MotionError
from mocapella.gait.cycle_on_ground import CycleOnGround
from mocapella.gait.resting import Plant
from mocapella.motion.contacts import CycleContacts
from mocapella.motion.layout import YAW_RATE
from mocapella.motion.spectrum import Spectrum
from mocapella.playback.native import player_core
from mocapella.playback.native.player_core import GAIT, RECORD_SIZE, STATE, STATE_AT
from mocapella.playback.native.player_tables import NativeTables, tables_of
from mocapella.playback.native.state_numbers import settings_numbers
from mocapella.playback.settings import DEFAULTS, PlayerSettings

_NODES = STATE["aim"].stop - STATE["aim"].start  # that a place may have
_AIM = slice(STATE_AT + STATE["n_aim"].start, STATE_AT + STATE["aim_weight"].stop)
_READY, _VELOCITY = GAIT["ready"].start, GAIT["velocity"]
_HALF = player_core.SAMPLES // 2
_ROTATIONS = -(-RECORD_SIZE // 8) * 8  # where the arrays behind a record begin
_GROUND = slice(GAIT["duration"].start, GAIT["swing"].stop)  # duration … swing, one after another


def spectrum_of(tables: NativeTables, numbers: Float[np.ndarray, " numbers"]) -> Spectrum:
    """The blend of a record whose gait is known."""
    rows, duration = (float(numbers[GAIT[name].start]) for name in ("rows", "duration"))
    mixed = mixed_rows(tables, numbers)[: int(rows), :, : tables.layout.n_dofs]
    contacts = None
    if tables.packed.scheduled:
        counts = numbers[GAIT["n_arcs"]].tolist()
        arcs = numbers[GAIT["arc"]].reshape(4, -1, 2)
        contacts = CycleContacts.unchecked(
            *(tuple((a, b) for a, b in of_point[: int(n)].tolist()) for of_point, n in zip(arcs, counts, strict=True))
        )
    name = tables.network.name if isinstance(tables.network, Spectrum) else ""
    return Spectrum.unchecked(owned(mixed[:, 0] + 1j * mixed[:, 1]), duration, tables.layout, contacts, name)


def mixed_rows(tables: NativeTables, numbers: Float[np.ndarray, " numbers"]) -> Float[np.ndarray, "rows 2 stride"]:
    """The mixed harmonics of a record: a view of them, of shape (rows, 2, stride).

    Each row has the real and the imaginary parts of the dofs, then some unused numbers.
    """
    packed = tables.packed
    first = _ROTATIONS + -(-4 * packed.joints // 8) * 8
    return numbers[first : first + 2 * packed.rows * packed.stride].reshape(packed.rows, 2, packed.stride)


def rotations_of(tables: NativeTables, numbers: Float[np.ndarray, " numbers"]) -> Float[np.ndarray, "joints 4"]:
    """The local rotations of a record's pose: a view of them."""
    return numbers[_ROTATIONS : _ROTATIONS + 4 * tables.packed.joints].reshape(-1, 4)


def cycle_of(numbers: Float[np.ndarray, " numbers"], spectrum: Spectrum) -> CycleOnGround:
    """The blend of a record over the ground. The result is as ``cycle_by_feet`` derives it."""
    _, _, even, start, *pairs = numbers[_GROUND].tolist()
    steady, origin, velocity = (complex(*pairs[i : i + 2]) for i in (0, 2, 4))
    lift, *swing = pairs[6:]
    plants = numbers[GAIT["plant"]].reshape(4, -1, 5)
    table = numbers[GAIT["table"]].reshape(player_core.SAMPLES, 2, 8)
    beyond = numbers[GAIT["beyond"]].reshape(-1, 2)[_HALF : max(len(spectrum.coefficients), _HALF)]
    return CycleOnGround.of_table(
        spectrum,
        tuple(
            tuple(Plant(*plant) for plant in of_point[: int(n)].tolist())
            for of_point, n in zip(plants, numbers[GAIT["n_plants"]].tolist(), strict=True)
        ),
        (table[:, 0] + 1j * table[:, 1]).T,
        beyond[:, 0] + 1j * beyond[:, 1],
        velocity,
        (lift, complex(*swing)),
        numbers[GAIT["bearing"]].reshape(player_core.SAMPLES, 4).copy(),
        (even, start, steady, origin),
    )


class NativeBlends:
    """Blends of one network, held by their feet, with all harmonics; mixed and put on the ground one after another."""

    def __init__(self, tables: NativeTables, settings: PlayerSettings = DEFAULTS) -> None:
        core = player_core.player_core()
        assert core is not None
        self._core: Any = core
        self.tables = tables
        self._lock = threading.Lock()  # there is one record, and the core lets other threads run
        self._numbers = np.zeros(-(-tables.room // 8))
        self._record = self._numbers.ctypes.data
        self._settings = settings_numbers(structs.replace(settings, feet=DEFAULTS.feet, harmonics=None))
        self._address, self._settings_at = tables.address, self._settings.ctypes.data
        if self._core.player_open(tables.address, self._record, tables.room) != 0:
            raise MotionError("the native core refused its tables; this is a fault of the program")
        self._mixed = mixed_rows(tables, self._numbers)
        for name in ("pace", "harmonics", "anchor"):
            self._numbers[STATE_AT + STATE[name].start] = -1.0

    @classmethod
    def of(cls, network: Network, settings: PlayerSettings = DEFAULTS) -> NativeBlends | None:
        """The blends of a network; None where the core cannot mix them, is not installed or not wanted."""
        if player_core.fitting_core() is None or os.environ.get("MOCAPELLA_ENGINE") == "numpy":
            return None
        tables = tables_of(network)
        return None if tables is None or not tables.footed or tables.packed.own else cls(tables, settings)

    def cycle(self, nodes: Sequence[int], weights: Sequence[float]) -> CycleOnGround | None:
        """A blend over the ground as ``cycle_by_feet`` derives it; None where the core does not know such blends."""
        with self._lock:
            if not self._made(nodes, weights):
                return None
            return cycle_of(self._numbers, spectrum_of(self.tables, self._numbers))

    def rates(self, nodes: Sequence[int], weights: Sequence[float]) -> tuple[float, complex] | None:
        """How fast a blend turns and goes.

        Returns radians per second, left positive, and metres per second, ahead real and left imaginary; None where the
        core does not know such blends.
        """
        with self._lock:
            if not self._made(nodes, weights):
                return None
            return float(self._mixed[0, 0, self.tables.layout.n_dofs + YAW_RATE]), complex(*self._numbers[_VELOCITY])

    def _made(self, nodes: Sequence[int], weights: Sequence[float]) -> bool:
        """Mix a blend and derive its gait; whether the core can."""
        n = len(nodes)
        if n > _NODES:
            return False
        rest = [0.0] * (_NODES - n)
        self._numbers[_AIM] = n, *nodes, *rest, *weights, *rest
        self._numbers[_READY] = 0.0
        return bool(self._core.player_ready(self._address, self._settings_at, self._record) == 0)


class NativeRates:
    """Turn rates and speeds of a network's blends, as ``played_rates`` measures them."""

    def __init__(self, network: Network, blends: NativeBlends) -> None:
        self._network, self._blends = network, blends

    @classmethod
    def of(cls, network: Network) -> NativeRates | None:
        """The measure of a network's blends; None where the core cannot mix them, is not installed or not wanted."""
        blends = NativeBlends.of(network)
        return None if blends is None else cls(network, blends)

    def __reduce__(self) -> tuple[object, ...]:
        return NativeRates.of, (self._network,)

    def at(self, place: Place) -> tuple[float, float] | None:
        """Turn rate (rad/s, left positive) and speed (m/s) of the blend at a place; None where the core cannot tell."""
        rates = self._blends.rates(place.nodes.tolist(), place.weights.tolist()) if len(place.point) == 2 else None
        return None if rates is None else (rates[0], abs(rates[1]))
