"""One character in the native core: its record, and how a player's state is written into it and read out of it."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from mocapella.arrays import owned
from mocapella.blending.network import Network
from mocapella.checks import named
from mocapella.errors import MotionError
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.motion.layout import YAW_RATE
from mocapella.motion.pose import Pose
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.spectrum import Spectrum
from mocapella.playback.blend import Blend, Playable, open_network
from mocapella.playback.harmonic_count import limited_swings, played_count
from mocapella.playback.modes import HybridState, network_of
from mocapella.playback.native import player_core
from mocapella.playback.native.blends import cycle_of, mixed_rows, rotations_of, spectrum_of
from mocapella.playback.native.player_core import GAIT, HEADER, POSE, STATE, STATE_AT, STATE_SIZE
from mocapella.playback.native.player_tables import NativeTables, tables_of
from mocapella.playback.native.state_numbers import numbers_of, settings_numbers, state_of
from mocapella.playback.reference_character import Planted
from mocapella.playback.settings import PlayerSettings
from mocapella.playback.state import PlayerState

Engine = Literal["native", "numpy"]
_ENGINES: dict[str, Engine] = {"native": "native", "numpy": "numpy"}


class NativeCharacter:
    """A player's state in the memory of the native core, and its steps there.

    Steps that the core does not make (captured changes and the crossover after them, a point that jumps over a gap)
    leave this record unchanged: they are made by ``playback.step``, and the new state is written into the record.
    """

    __slots__ = (
        "_answer",
        "_arrays",
        "_blend",
        "_core",
        "_going",
        "_hybrid",
        "_network",
        "_numbers",
        "_record",
        "_settings",
        "_settings_at",
        "_settings_numbers",
        "_spectrum",
        "_tables",
        "live",
    )

    def __init__(self, network: Playable) -> None:
        self._network = network
        self._core: Any = player_core.player_core()
        self._tables: NativeTables | None = None
        self._settings: PlayerSettings | None = None
        self._settings_numbers, self._settings_at = np.zeros(0), 0  # the same as numbers, and their address
        self._hybrid: HybridState | None = None
        self._blend: tuple[float, Blend] | None = None  # with the number of the gait that it is of
        self._spectrum: tuple[float, Spectrum] | None = None
        self._answer = np.zeros(4)
        self._going: tuple[float, float, float, float] | None = None  # the course, until the next step
        self.live = False  # whether the record is up to date; if not, the player's state is written into it first

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self._network,)  # a copy has its own memory, into which the state of its player is written

    def step(self, settings: PlayerSettings, state: PlayerState | None, dt: float) -> Pose | None:
        """The pose ``dt`` seconds later; None, with nothing changed, where the core does not make this step.

        ``state`` is its state, where the record is not ``live``.
        """
        if not self.live and not (state is not None and self._write(settings, state)):
            return None
        tables = self._tables
        assert tables is not None
        self._going = None
        if self._core.player_step(tables.address, self.under(settings)._settings_at, self._record, dt) != 0:
            return None
        self.live = True
        root, rotations = self._arrays
        return Pose.unchecked(tables.layout.skeleton, owned(root.copy()), owned(rotations.copy()))

    def send(self, goal: tuple[float, ...]) -> bool:
        """Send the blending point to a goal inside the network; False where it is outside or the core cannot tell."""
        tables = self._tables
        if not self.live or tables is None or self._hybrid is not None or len(goal) != 2:
            return False
        return bool(self._core.player_send(tables.address, self._record, *goal) == 0)

    def state(self) -> PlayerState:
        """The state as a player has it."""
        assert self._tables is not None
        return state_of(self._tables, self._numbers[STATE_AT : STATE_AT + STATE_SIZE].tolist(), self._hybrid)

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton of its poses."""
        assert self._tables is not None
        return self._tables.layout.skeleton

    @property
    def time(self) -> float:
        """Seconds that it has played."""
        return float(self._numbers[STATE_AT + STATE["time"].start])

    @property
    def position(self) -> tuple[float, float]:
        """Where its root is on the ground (x, z), metres."""
        first = POSE["root"].start
        return float(self._numbers[first]), float(self._numbers[first + 2])

    @property
    def heading(self) -> float:
        """Which way it faces, radians."""
        return float(self._numbers[STATE_AT + STATE["yaw"].start] + self._numbers[POSE["over"].start + 2])

    @property
    def phase(self) -> float:
        """How far into the cycle it is, 0 … 2π."""
        return float(self._numbers[STATE_AT + STATE["phase"].start])

    @property
    def course(self) -> tuple[float, float, float, float]:
        """Position without the sway of the steps (x, z; metres), direction of travel (radians) and speed (m/s)."""
        if self._going is None:
            self._core.player_course(self._ready().address, self._record, self._answer.ctypes.data)
            x, z, course, speed = self._answer.tolist()
            self._going = x, z, course, speed
        return self._going

    @property
    def turn_rate(self) -> float:
        """The mean turn rate of the motion being played, rad/s, left positive."""
        tables = self._ready()
        return float(mixed_rows(tables, self._numbers)[0, 0, tables.layout.n_dofs + YAW_RATE])

    @property
    def spectrum(self) -> Spectrum:
        """The motion being played."""
        tables = self._ready()
        serial = float(self._numbers[POSE["serial"].start])
        if self._spectrum is None or self._spectrum[0] != serial:
            self._spectrum = serial, spectrum_of(tables, self._numbers)
        return self._spectrum[1]

    @property
    def planted(self) -> Planted:
        """Which foot points rest."""
        a, b, c, d = self._numbers[POSE["planted"]].tolist()
        return bool(a), bool(b), bool(c), bool(d)

    @property
    def blend(self) -> Blend:
        """The blend with its root motion, as the core has computed it."""
        tables = self._ready()
        serial = float(self._numbers[POSE["serial"].start])
        if self._blend is None or self._blend[0] != serial:
            self._blend = serial, self._computed_blend(tables)
        return self._blend[1]

    def under(self, settings: PlayerSettings) -> NativeCharacter:
        """The same character, which goes by these settings from now on; a gait by other settings is dropped."""
        if self._settings is not settings:
            self._settings, self._settings_numbers, self._going = settings, settings_numbers(settings), None
            self._settings_at = int(self._settings_numbers.ctypes.data)
            self._numbers[GAIT["ready"]] = 0.0
        return self

    def _ready(self) -> NativeTables:
        """The tables, with the gait of the state worked out."""
        tables = self._tables
        assert tables is not None
        if self._core.player_ready(tables.address, self._settings_at, self._record) != 0:
            raise MotionError("the native core lost its blend; this is a fault of the program")
        return tables

    def _computed_blend(self, tables: NativeTables) -> Blend:
        state, settings = self.state(), self._settings
        assert settings is not None
        aim = spot = None
        if state.point.aim is not None:
            aim = spot = state.point.aim.place
            if state.point.fade is not None and isinstance(tables.network, Network):
                spot = state.point.fade.towards(aim, tables.network, settings.fade)
        cycle = cycle_of(self._numbers, self.spectrum)
        own_time = limited_swings(tables.own, played_count(state.point.harmonics, settings))
        return Blend(tables.network, aim, spot, cycle.spectrum, own_time, cycle)

    def _write(self, settings: PlayerSettings, state: PlayerState) -> bool:
        """Write a state into the record; False for a state that the core cannot hold."""
        here = state.hybrid
        if _in_change(state):
            return False
        inner = open_network(self._network, state)
        tables = tables_of(inner) if isinstance(inner, Network | Spectrum) else None
        if tables is None or not (tables.footed or settings.feet == "velocity"):
            return False
        numbers = numbers_of(tables, state)
        if numbers is None:
            return False
        self._going = None
        triggers: tuple[tuple[int, float], ...] = ()
        if here is not None and isinstance(self._network, HybridNetwork):
            triggers = _triggers(self._network, here.block, here.mode, here.wanted)
        if len(triggers) > player_core.TRIGGERS:
            return False
        if tables is not self._tables:
            self._open(tables)
        self._hybrid = here
        self._numbers[STATE_AT : STATE_AT + STATE_SIZE] = numbers
        self._numbers[GAIT["ready"]] = 0.0
        self._numbers[HEADER["n_triggers"]] = len(triggers)
        for i, (node, zone) in enumerate(triggers):
            self._numbers[HEADER["trigger"].start + i] = node
            self._numbers[HEADER["zone"].start + i] = zone
        return True

    def _open(self, tables: NativeTables) -> None:
        """A record for other tables."""
        self._numbers = np.zeros(-(-tables.room // 8))
        self._record = self._numbers.ctypes.data
        if self._core.player_open(tables.address, self._record, tables.room) != 0:
            raise MotionError("the native core refused its tables; this is a fault of the program")
        self._tables, self._blend, self._spectrum, self._settings = tables, None, None, None
        self._arrays = self._numbers[POSE["root"]], rotations_of(tables, self._numbers)


def _in_change(state: PlayerState) -> bool:
    """Whether a change of motion is under way, or its crossover."""
    here = state.hybrid
    if here is not None and not (here.state == "network" and here.taken is None):
        return True
    return not (state.root.offset is None and state.locks.offset is None and state.drawn is None)


def character_for(network: Playable, settings: PlayerSettings, engine: str | None) -> NativeCharacter | None:
    """The native character of a player; None where it is stepped by NumPy.

    ``engine`` is ``"native"`` or ``"numpy"``; None takes what ``$MOCAPELLA_ENGINE`` says, else the native core where it
    can. Raises ``MotionError`` where the native core is asked for, and is not installed or does not play this.
    """
    wanted = engine if engine is not None else os.environ.get("MOCAPELLA_ENGINE") or None
    if wanted is not None:
        named(wanted, _ENGINES, "an engine")
    if wanted == "numpy":
        return None
    reason = _unplayable(network, settings)
    if reason is None:
        return NativeCharacter(network)
    if engine == "native":
        raise MotionError(f"{reason}, or engine='numpy'")
    return None


def _unplayable(network: Playable, settings: PlayerSettings) -> str | None:
    """Why the core cannot play a network; None where it can."""
    if player_core.player_core() is None:
        return "the native engine needs an extra package: pip install 'mocapella[fast]'"
    for block in network.networks if isinstance(network, HybridNetwork) else [network]:
        tables = tables_of(block) if isinstance(block, Network | Spectrum) else None
        if tables is not None and (tables.footed or settings.feet == "velocity"):
            return None
    return "the native engine plays networks of quaternions by the lively and the phasor rule: take such a network"


@lru_cache(maxsize=256)
def _triggers(network: HybridNetwork, block: str, mode: str, wanted: str | None) -> tuple[tuple[int, float], ...]:
    """Nodes of a block, and the weights from which on an arc begins there: steps into such zones are not the core's."""
    inner, arcs = network_of(network, block, mode), network.arcs_from(block, mode)
    return tuple((inner.index(arc.source.node), arc.zone) for arc in arcs if wanted is None or arc.name == wanted)
