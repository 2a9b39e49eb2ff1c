"""All that a player is in the middle of, as plain data: from it another one goes on with the same frames.

What is played, a network, is not part of it; neither is anything that can be worked out again.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Annotated, Literal

import msgspec
import numpy as np
from jaxtyping import Float

from mocapella.blending.network import Network
from mocapella.errors import MotionError
from mocapella.hybrid.network import Arc, HybridNetwork
from mocapella.playback.feet.anchor import Anchor
from mocapella.playback.feet.locks import FootState, Locks
from mocapella.playback.handover import Carriage, Join, Joined, Leftover
from mocapella.playback.modes import Entry, State, Transit
from mocapella.playback.motion_on_ground import Playhead
from mocapella.playback.pointer import EasedPoint, Glide, Pointer
from mocapella.playback.step import Performance

Number = Annotated[float, msgspec.Meta(ge=-1e6, le=1e6)]  # metres, radians, and both per second: beyond is no motion
Moment = Annotated[float, msgspec.Meta(ge=0.0, le=1e9)]  # seconds
Span = Annotated[float, msgspec.Meta(gt=0.0, le=1e3)]  # seconds that are divided by
Vector = Annotated[float, msgspec.Meta(ge=-math.pi, le=math.pi)]  # of half a rotation, radians
Pair = tuple[Number, Number]
Triple = tuple[Number, Number, Number]
Turn = tuple[Vector, Vector, Vector]
Share = Annotated[float, msgspec.Meta(ge=-1e-6, le=1.0 + 1e-6)]  # 0 … 1, rounded
VERSION = 4


class PointerState(msgspec.Struct, frozen=True):
    """A blending point on its way."""

    point: tuple[Number, ...]
    goal: tuple[Number, ...]
    velocity: tuple[Number, ...]
    ease: Moment
    pace: float | None  # None is no limit
    own_pace: float | None
    triangle: int | None
    gliding: tuple[tuple[int, ...], tuple[Number, ...], Number] | None
    aim: tuple[float, ...] | None = None  # where it has slid to along the outline

    @classmethod
    def of(cls, pointer: Pointer) -> PointerState:
        """What a pointer is in the middle of."""
        at, glide = pointer.eased, pointer.glide
        return cls(
            at.point,
            at.goal,
            at.velocity,
            at.ease,
            _limited(at.pace),
            _limited(pointer.pace),
            None if pointer.aim is None else pointer.aim.triangle,
            None if glide is None else (glide.nodes, glide.weights, glide.age),
            None if pointer.aim is None else pointer.aim.point,
        )

    def put_into(self, pointer: Pointer) -> None:
        """Let a pointer go on from here, in the network it is in."""
        pointer.pace = _unlimited(self.own_pace)
        pointer.eased = EasedPoint(self.point, self.goal, self.velocity, self.ease, _unlimited(self.pace))
        pointer.glide = None if self.gliding is None else Glide(*self.gliding)
        if isinstance(pointer.network, Network):
            at = self.point if self.aim is None else self.aim
            pointer.aim = replace(pointer.network.place(at, self.triangle), inside=at == self.point)
        pointer.spectrum = pointer.blended()


class JoinState(msgspec.Struct, frozen=True):
    """A join, how old it is, and since which phase of the motion it lies over it."""

    seconds: Span
    turns: tuple[Turn, ...]
    spins: tuple[Triple, ...]
    height: Number
    rise: Number
    velocity: Pair
    turning: Number
    age: Number
    laid: Pair  # phase of the motion, age of the join


class CarriageState(msgspec.Struct, frozen=True):
    """How far a body has been carried."""

    phase: Number
    position: Pair
    yaw: Number
    owed: Pair
    join: JoinState | None

    @classmethod
    def of(cls, carriage: Carriage) -> CarriageState:
        """How far a carriage has got."""
        head, join, way = carriage.head, carriage.join, carriage.way
        state = None
        if join is not None and isinstance(way, Joined):
            state = JoinState(
                join.seconds,
                _triples(join.turns),
                _triples(join.spins),
                join.height,
                join.rise,
                _pair(join.velocity),
                join.turning,
                carriage.age,
                (way.phase, way.time),
            )
        return cls(head.phase, head.position, head.yaw, _pair(carriage.owed), state)

    def put_into(self, carriage: Carriage) -> None:
        """Let a carriage, which has its motion already, go on from here."""
        carriage.head = Playhead(self.phase, self.position, self.yaw)
        carriage.owed = complex(*self.owed)
        carriage.join, carriage.way, state = None, carriage.base, self.join
        if state is not None:
            join = Join(
                state.seconds,
                np.array(state.turns),
                np.array(state.spins),
                state.height,
                state.rise,
                complex(*state.velocity),
                state.turning,
            )
            carriage.join, carriage.age = join, state.age
            carriage.way = Joined(carriage.base, join, *state.laid, carriage.legs)


class FeetState(msgspec.Struct, frozen=True):
    """Where feet stand."""

    settled: tuple[Pair | None, ...]
    holds: tuple[Share, ...] | None
    shifts: tuple[Pair, ...]
    strain: Number
    left: tuple[tuple[Pair, ...], tuple[Pair, ...], tuple[Number, ...], Number] | None
    anchor: int | None
    anchored_at: Pair
    leaving: tuple[bool, bool, bool, bool] = (False, False, False, False)  # as if all stood: it was not stored once
    standing: tuple[FootState, FootState] = ("down", "down")  # nor was this

    @classmethod
    def of(cls, locks: Locks, anchor: Anchor) -> FeetState:
        """Where locks and anchor have them."""
        settled = tuple(None if place is None else _pair(place) for place in locks.settled)
        holds = None if locks.holds is None else tuple(locks.holds)
        shifts = tuple(map(_pair, locks.shifts))
        old, left = locks.left, None
        if old is not None:
            left = tuple(map(_pair, old.gaps)), tuple(map(_pair, old.rates)), old.seconds, old.age
        a, b, c, d = locks.leaving
        anchored = anchor.point, _pair(anchor.place)
        first, second = locks.standing
        return cls(settled, holds, shifts, locks.strain, left, *anchored, (a, b, c, d), (first, second))

    @property
    def locks(self) -> Locks:
        """The locks that hold them."""
        settled = [None if place is None else complex(*place) for place in self.settled]
        holds = None if self.holds is None else list(self.holds)
        left = None
        if self.left is not None:
            gaps, rates, seconds, age = self.left
            left = Leftover(tuple(complex(*gap) for gap in gaps), tuple(complex(*one) for one in rates), seconds, age)
        shifts = [complex(*shift) for shift in self.shifts]
        return Locks(settled, holds, shifts, self.strain, left, list(self.leaving), list(self.standing))

    @property
    def anchored(self) -> Anchor:
        """The anchor that holds one of them."""
        return Anchor(self.anchor, complex(*self.anchored_at))


class TransitState(msgspec.Struct, frozen=True):
    """Where a character is in a hybrid network; an arc is known by its name and which of its versions is meant."""

    block: str
    mode: str
    state: State
    arc: tuple[str, int] | None
    taken: tuple[str, int] | None
    wanted: str | None
    times: Annotated[int, msgspec.Meta(ge=1)]
    log: tuple[tuple[Moment, State, str, str, str], ...]

    @classmethod
    def of(cls, transit: Transit) -> TransitState:
        """What a transit is in the middle of."""
        return cls(
            transit.block,
            transit.mode,
            transit.state,
            _numbered(transit.hybrid, transit.arc),
            _numbered(transit.hybrid, transit.taken),
            None if transit.wanted is None else transit.wanted.name,
            transit.times,
            tuple((time, state, arc, block, mode) for time, state, arc, block, mode in transit.log),
        )

    def put_into(self, transit: Transit) -> None:
        """Let a transit, which has block and mode already, go on from here."""
        hybrid = transit.hybrid
        transit.state, transit.times = self.state, self.times
        transit.arc, transit.taken = _version(hybrid, self.arc), _version(hybrid, self.taken)
        transit.wanted = None if self.wanted is None else hybrid.arc(self.wanted)
        transit.log = [Entry(*entry) for entry in self.log]


class Snapshot(msgspec.Struct, frozen=True):
    """A player at one moment: ``Player.resumed(network, snapshot)`` goes on from there.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> from mocapella.analysis.fourier import analyse
    >>> from mocapella.analysis.prepare import prepare
    >>> from mocapella.playback.player import Player
    >>> walk = analyse(prepare(perform("walk")[0]), harmonics=10)
    >>> player = Player(walk)
    >>> stored = player.snapshot().to_json()
    >>> again = Player.resumed(walk, Snapshot.from_json(stored))
    >>> bool((again.step(0.5).rotations_wxyz == player.step(0.5).rotations_wxyz).all())
    True
    """

    time: Moment
    feet: Literal["held", "anchored", "velocity"]
    join: Moment
    pointer: PointerState
    carriage: CarriageState
    standing: FeetState
    transit: TransitState | None = None
    voices: tuple[Number, ...] | None = None  # cycle phases of the nodes that keep their own time
    version: int = VERSION

    @classmethod
    def of(cls, playing: Performance) -> Snapshot:
        """All that a character is in the middle of."""
        footwork, transit, chorus = playing.footwork, playing.transit, playing.chorus
        return cls(
            playing.time,
            footwork.feet,
            playing.join,
            PointerState.of(playing.pointer),
            CarriageState.of(playing.carriage),
            FeetState.of(footwork.locks, footwork.anchor),
            None if transit is None else TransitState.of(transit),
            None if chorus is None else tuple(chorus.phases),
        )

    def put_into(self, playing: Performance) -> None:
        """Let a character that was made of the same network, block and mode go on from here.

        Raises
        ------
        MotionError
            Where the network is another one.
        """
        footwork, pointer, carriage, transit = playing.footwork, playing.pointer, playing.carriage, playing.transit
        stored = self.carriage.join
        if stored is not None and len(stored.turns) != footwork.skeleton.n_joints:
            raise MotionError(f"this is the snapshot of {len(stored.turns)} joints, not of {footwork.skeleton!r}")
        playing.time, footwork.locks, footwork.anchor = self.time, self.standing.locks, self.standing.anchored
        if transit is not None and self.transit is not None:
            self.transit.put_into(transit)
            pointer.network = transit.network
        self.pointer.put_into(pointer)
        playing.take_up(pointer.spectrum)
        if transit is not None and transit.state == "change":
            carriage.base = footwork.passage(transit.transition)
        self.carriage.put_into(carriage)
        if playing.chorus is not None:
            phases, expected = self.voices or (), len(playing.chorus.nodes)
            if len(phases) != expected:
                raise MotionError(f"this is the snapshot of {len(phases)} nodes with their own time, not of {expected}")
            playing.chorus.phases = list(phases)
        playing.recall()

    def to_json(self) -> bytes:
        """As one JSON object; numbers keep every bit."""
        return msgspec.json.encode(self)

    @classmethod
    def from_json(cls, stored: bytes | str) -> Snapshot:
        """What ``to_json`` wrote.

        Raises
        ------
        MotionError
            Where it says something else.
        """
        try:
            snapshot = msgspec.json.decode(stored, type=cls)
        except msgspec.MsgspecError as error:
            raise MotionError(f"this is no snapshot of a player: {error}") from None
        if snapshot.version != VERSION:
            raise MotionError(f"expected a snapshot of version {VERSION}, got version {snapshot.version}")
        return snapshot


def _numbered(hybrid: HybridNetwork, arc: Arc | None) -> tuple[str, int] | None:
    """The name of an arc, and 1 where its mirrored version is meant."""
    return None if arc is None else (arc.name, int(arc.transition is not hybrid.arc(arc.name).transition))


def _version(hybrid: HybridNetwork, numbered: tuple[str, int] | None) -> Arc | None:
    if numbered is None:
        return None
    name, version = numbered
    versions = hybrid.arc(name).versions
    if not 0 <= version < len(versions):
        raise MotionError(f"the snapshot plays arc {name!r} mirrored, and here it has no mirrored change")
    return versions[version]


def _pair(value: complex) -> Pair:
    return value.real, value.imag


def _triples(rows: Float[np.ndarray, "joints 3"]) -> tuple[Triple, ...]:
    return tuple((x, y, z) for x, y, z in rows.tolist())


def _limited(pace: float) -> float | None:
    return None if math.isinf(pace) else pace  # JSON has no infinity


def _unlimited(pace: float | None) -> float:
    return math.inf if pace is None else pace
