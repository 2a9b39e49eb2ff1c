"""One character in the native core: its record, and how a player's state is written into it and read out of it."""

from __future__ import annotations

import math
import os
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from mocapella.arrays import owned
from mocapella.blending.network import Network
from mocapella.checks import named
from mocapella.errors import MotionError
from mocapella.hybrid.network import HybridNetwork
from mocapella.motion.contacts import CycleContacts
from mocapella.motion.pose import Pose
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.spectrum import Spectrum
from mocapella.playback.blend import Blend, Playable, open_network
from mocapella.playback.detail import limited_swings, played_count
from mocapella.playback.feet.locks import FootLocks, PointLock
from mocapella.playback.feet.plants import Plant
from mocapella.playback.handover import RootMotion
from mocapella.playback.modes import HybridState, network_of
from mocapella.playback.motion_on_ground import CycleOnGround, Playhead
from mocapella.playback.native import library
from mocapella.playback.native.library import GAIT, HEADER, POSE, STATE, STATE_AT, STATE_SIZE
from mocapella.playback.native.tables import NativeTables, tables_of
from mocapella.playback.pointer import PointState, WeightedPlace, WeightFade
from mocapella.playback.settings import FEET_MODES, PlayerSettings
from mocapella.playback.state import PlayerState

Engine = Literal["native", "numpy"]
_ENGINES: dict[str, Engine] = {"native": "native", "numpy": "numpy"}
_STANDING: tuple[Literal["coming", "down", "leaving"], ...] = ("coming", "down", "leaving")
_NONE = -1.0  # a number that is not given


class NativeCharacter:
    """A player's state in the core's own memory, and the steps that the core knows.

    A step that it does not know (a captured change and what it leaves, a point that leaps over a gap) changes nothing
    here: it is made by ``playback.step`` and written down anew.

    Parameters
    ----------
    network
        What is played.
    """

    __slots__ = (
        "_arrays",
        "_blend",
        "_core",
        "_hybrid",
        "_network",
        "_numbers",
        "_record",
        "_settings",
        "_tables",
        "live",
    )

    def __init__(self, network: Playable) -> None:
        self._network = network
        self._core: Any = library.player_core()
        self._tables: NativeTables | None = None
        self._settings: tuple[PlayerSettings, np.ndarray, int] | None = None  # with the address of the numbers
        self._hybrid: HybridState | None = None
        self._blend: tuple[float, Blend] | None = None
        self.live = False  # whether the record is the player's state; else it is written into it first

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (
            self._network,
        )  # copies have memory of their own, into which their player's state is written

    def step(self, settings: PlayerSettings, state: PlayerState | None, dt: float) -> Pose | None:
        """The pose ``dt`` seconds later; None where this step is not one for the core, and nothing was changed.

        Parameters
        ----------
        settings
            Those of the player.
        state
            Its state, where the record is not ``live``.
        dt
            Seconds.

        Returns
        -------
        Pose | None
            The pose.
        """
        if not self.live and not (state is not None and self._write(settings, state)):
            return None
        tables = self._tables
        assert tables is not None
        if self._core.player_step(tables.address, self._settled(settings), self._record, dt) != 0:
            return None
        self.live = True
        root, rotations = self._arrays
        return Pose.unchecked(tables.layout.skeleton, owned(root.copy()), owned(rotations.copy()))

    def send(self, goal: tuple[float, ...]) -> bool:
        """Send the blending point to a goal inside the network; False where it is not, or others have to tell."""
        tables = self._tables
        if not self.live or tables is None or self._hybrid is not None or len(goal) != 2:
            return False
        return bool(self._core.player_send(tables.address, self._record, *goal) == 0)

    def state(self) -> PlayerState:
        """The state as a player has it.

        Returns
        -------
        PlayerState
            Of the moment after the last step.
        """
        tables = self._tables
        assert tables is not None
        numbers = self._numbers[STATE_AT : STATE_AT + STATE_SIZE].tolist()
        axes = tables.packed.axes

        def one(name: str) -> float:
            return float(numbers[STATE[name].start])

        def some(name: str, count: int) -> tuple[float, ...]:
            first = STATE[name].start
            return tuple(numbers[first : first + count])

        aim, fade = None, None
        if isinstance(tables.network, Network):
            n = int(one("n_aim"))
            nodes = tuple(map(int, some("aim", n)))
            aim = WeightedPlace(
                int(one("simplex")), nodes, some("aim_weight", n), some("aim_point", axes), bool(one("inside"))
            )
            if n := int(one("n_fade")):
                fade = WeightFade(tuple(map(int, some("fade", n))), some("fade_weight", n), one("fade_age"))
        pace, harmonics = one("pace"), one("harmonics")
        point = PointState(
            some("point", axes),
            some("goal", axes),
            some("velocity", axes),
            None if pace < 0.0 else pace,
            aim,
            fade,
            None if harmonics < 0.0 else harmonics,
        )
        x, z = some("position", 2)
        root = RootMotion(Playhead(one("phase"), (x, z), one("yaw")), complex(*some("owed", 2)))
        placed, hold, leaving = some("placed", 4), some("hold", 4), some("leaving", 4)
        place, shift = some("place", 8), some("shift", 8)
        a, b, c, d = (
            PointLock(
                complex(*place[2 * i : 2 * i + 2]) if placed[i] else None,
                hold[i],
                complex(*shift[2 * i : 2 * i + 2]),
                bool(leaving[i]),
            )
            for i in range(4)
        )
        left, right = some("standing", 2)
        anchor = int(one("anchor"))
        locks = FootLocks(
            (a, b, c, d),
            bool(one("begun")),
            one("strain"),
            None,
            (_STANDING[int(left)], _STANDING[int(right)]),
            None if anchor < 0 else anchor,
            complex(*some("anchor_place", 2)),
        )
        clocks = some("clock", tables.packed.own)
        return PlayerState(point, root, locks, self._hybrid, clocks, one("time"))

    @property
    def skeleton(self) -> Skeleton:
        """Whose poses it gives."""
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
    def planted(self) -> tuple[bool, bool, bool, bool]:
        """Which foot points rest."""
        a, b, c, d = self._numbers[POSE["planted"]].tolist()
        return bool(a), bool(b), bool(c), bool(d)

    def blend(self, settings: PlayerSettings) -> Blend:
        """What is blended, with its way over the ground, as the core has worked it out.

        Parameters
        ----------
        settings
            Those of the player.

        Returns
        -------
        Blend
            The same object until the blend changes.
        """
        tables, numbers = self._tables, self._numbers
        assert tables is not None
        if self._core.player_ready(tables.address, self._settled(settings), self._record) != 0:
            raise MotionError("the native core lost its blend; this is a fault of the program")
        serial = float(numbers[POSE["serial"].start])
        if self._blend is None or self._blend[0] != serial:
            self._blend = serial, self._made_blend(tables, settings)
        return self._blend[1]

    def _settled(self, settings: PlayerSettings) -> int:
        """The address of the settings' numbers; what follows from others is forgotten."""
        known = self._settings
        if known is None or known[0] is not settings:
            numbers = _settings(settings)
            known = self._settings = settings, numbers, numbers.ctypes.data
            self._numbers[GAIT["ready"]] = 0.0
        return known[2]

    def _made_blend(self, tables: NativeTables, settings: PlayerSettings) -> Blend:
        state = self.state()
        aim = spot = None
        if state.point.aim is not None:
            aim = spot = state.point.aim.place
            if state.point.fade is not None and isinstance(tables.network, Network):
                spot = state.point.fade.towards(aim, tables.network, settings.fade)
        cycle = self._cycle(tables)
        own = limited_swings(tables.own, played_count(state.point.harmonics, settings))
        return Blend(tables.network, aim, spot, cycle.spectrum, own, cycle)

    def _cycle(self, tables: NativeTables) -> CycleOnGround:
        """The way of the blend, of the core's numbers."""

        def some(name: str) -> list[float]:
            return list(self._numbers[GAIT[name]].tolist())

        rows, stride = int(some("rows")[0]), tables.packed.stride
        mixed = self._after("mixed").reshape(-1, 2, stride)[:rows, :, : tables.layout.n_dofs]
        arcs, plants = (
            np.array(some("arc")).reshape(4, -1, 2).tolist(),
            np.array(some("plant")).reshape(4, -1, 5).tolist(),
        )
        contacts = None
        if tables.packed.scheduled:
            own = [tuple((a, b) for a, b in one[: int(n)]) for one, n in zip(arcs, some("n_arcs"), strict=True)]
            contacts = CycleContacts.unchecked(*own)
        name = tables.network.name if isinstance(tables.network, Spectrum) else ""
        spectrum = Spectrum.unchecked(
            owned(mixed[:, 0] + 1j * mixed[:, 1]), some("duration")[0], tables.layout, contacts, name
        )
        table = np.array(some("table")).reshape(library.SAMPLES, 2, 8)
        beyond = np.array(some("beyond")).reshape(-1, 2)[library.SAMPLES // 2 : max(rows, library.SAMPLES // 2)]
        return CycleOnGround.of_table(
            spectrum,
            tuple(
                tuple(Plant(*numbers) for numbers in one[: int(n)])
                for one, n in zip(plants, some("n_plants"), strict=True)
            ),
            (table[:, 0] + 1j * table[:, 1]).T,
            beyond[:, 0] + 1j * beyond[:, 1],
            complex(*some("velocity")),
            (some("lift")[0], complex(*some("swing"))),
            np.array(some("bearing")).reshape(library.SAMPLES, 4),
            (some("even")[0], some("start")[0], complex(*some("steady")), complex(*some("origin"))),
        )

    def _after(self, name: str) -> np.ndarray:
        """One of the arrays behind the record: rotations, or the mixed coefficients."""
        assert self._tables is not None
        packed = self._tables.packed
        first = -(-library.RECORD_SIZE // 8) * 8
        if name == "rotations":
            return self._numbers[first : first + 4 * packed.joints]
        first += -(-4 * packed.joints // 8) * 8
        return self._numbers[first : first + 2 * packed.rows * packed.stride]

    def _write(self, settings: PlayerSettings, state: PlayerState) -> bool:
        """Write a state into the record; False where it is not one that the core knows."""
        here = state.hybrid
        if here is not None and not (here.state == "network" and here.taken is None):
            return False
        if state.root.offset is not None or state.locks.offset is not None or state.drawn is not None:
            return False
        inner = open_network(self._network, state)
        tables = tables_of(inner) if isinstance(inner, Network | Spectrum) else None
        if tables is None or not (tables.footed or settings.feet == "velocity"):
            return False
        numbers = _numbers(tables, state)
        if numbers is None:
            return False
        triggers = () if here is None else _zones(self._network, here)
        if len(triggers) > library.TRIGGERS:
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
        self._tables, self._blend, self._settings = tables, None, None
        self._arrays = self._numbers[POSE["root"]], self._after("rotations").reshape(-1, 4)


def character_for(network: Playable, settings: PlayerSettings, engine: str | None) -> NativeCharacter | None:
    """The native character of a player; None where it is stepped by NumPy.

    Parameters
    ----------
    network
        What is played.
    settings
        Those of the player.
    engine
        ``"native"`` or ``"numpy"``; None takes what ``$MOCAPELLA_ENGINE`` says, else the native core where it can.

    Returns
    -------
    NativeCharacter | None
        A new one.

    Raises
    ------
    MotionError
        Where the native core is asked for, and is not installed or does not play this.
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
    if library.player_core() is None:
        return "the native engine needs an extra package: pip install 'mocapella[fast]'"
    inner = list(network.networks) if isinstance(network, HybridNetwork) else [network]
    for one in inner:
        tables = tables_of(one) if isinstance(one, Network | Spectrum) else None
        if tables is not None and (tables.footed or settings.feet == "velocity"):
            return None
    return "the native engine plays networks of quaternions by the lively and the phasor rule: take such a network"


@lru_cache(maxsize=64)
def _settings(settings: PlayerSettings) -> np.ndarray:
    """Settings as the core takes them."""
    given = {
        "pace": math.inf if settings.pace is None else settings.pace,
        "harmonics": _NONE if settings.harmonics is None else float(settings.harmonics),
        "feet": float(FEET_MODES.index(settings.feet)),
    }
    return owned(np.array([given[name] if name in given else getattr(settings, name) for name in library.SETTINGS]))


def _zones(network: Playable, here: HybridState) -> tuple[tuple[int, float], ...]:
    assert isinstance(network, HybridNetwork)
    return _triggers(network, here.block, here.mode, here.wanted)


@lru_cache(maxsize=256)
def _triggers(network: HybridNetwork, block: str, mode: str, wanted: str | None) -> tuple[tuple[int, float], ...]:
    """Nodes of a block, and the weights from which on an arc begins there: steps into such zones are not the core's."""
    inner = network_of(network, block, mode)
    arcs = network.arcs_from(block, mode)
    return tuple((inner.index(arc.source.node), arc.zone) for arc in arcs if wanted is None or arc.name == wanted)


def _numbers(tables: NativeTables, state: PlayerState) -> list[float] | None:
    """A state as the core's numbers; None where it has more of something than there is room for."""
    point, root, locks = state.point, state.root, state.locks
    axes, aim, fade = tables.packed.axes, point.aim, point.fade
    if isinstance(tables.network, Spectrum):
        aim = WeightedPlace(0, (0,), (1.0,), point.point, True)
    if aim is None or len(aim.nodes) > 4 or (fade is not None and len(fade.nodes) > library.FADING):
        return None
    if len(point.point) != axes or len(state.clocks) != tables.packed.own or axes > library.AXES:
        return None
    out = [0.0] * STATE_SIZE

    def put(name: str, *values: float) -> None:
        first = STATE[name].start
        out[first : first + len(values)] = values

    put("point", *point.point)
    put("goal", *point.goal)
    put("velocity", *point.velocity)
    put("pace", _NONE if point.pace is None else point.pace)
    put("harmonics", _NONE if point.harmonics is None else point.harmonics)
    put("simplex", float(aim.triangle))
    put("inside", float(aim.inside))
    put("n_aim", float(len(aim.nodes)))
    put("aim", *map(float, aim.nodes))
    put("aim_weight", *aim.weights)
    put("aim_point", *aim.point)
    if fade is not None:
        put("fade_age", fade.age)
        put("n_fade", float(len(fade.nodes)))
        put("fade", *map(float, fade.nodes))
        put("fade_weight", *fade.weights)
    head = root.head
    put("phase", head.phase)
    put("position", *head.position)
    put("yaw", head.yaw)
    put("owed", root.owed.real, root.owed.imag)
    for i, lock in enumerate(locks.points):
        first = STATE["place"].start + 2 * i
        out[STATE["placed"].start + i] = float(lock.place is not None)
        if lock.place is not None:
            out[first : first + 2] = lock.place.real, lock.place.imag
        out[STATE["hold"].start + i] = lock.hold
        out[STATE["shift"].start + 2 * i : STATE["shift"].start + 2 * i + 2] = lock.shift.real, lock.shift.imag
        out[STATE["leaving"].start + i] = float(lock.leaving)
    put("begun", float(locks.begun))
    put("strain", locks.strain)
    put("standing", *(float(_STANDING.index(one)) for one in locks.standing))
    put("anchor", _NONE if locks.anchor is None else float(locks.anchor))
    put("anchor_place", locks.anchor_place.real, locks.anchor_place.imag)
    put("clock", *state.clocks)
    put("time", state.time)
    return out
