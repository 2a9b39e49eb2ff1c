"""A character handed over from a crowd to a player, and back: the same place, phase, blending point and feet."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Float32

from mocapella.blending.network import Network
from mocapella.crowd.state import FAR, GRID, N_WORDS, OWED_UNIT, Bit, FootMark, PointMark, Word, origins, paired, pairs
from mocapella.crowd.tables import CrowdTables
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.playback.blend import base_motion, own_offset, remembered, sway
from mocapella.playback.feet.locks import FootLocks, LaidPath, PointLock
from mocapella.playback.handover import RootMotion
from mocapella.playback.modes import HybridState
from mocapella.playback.own_time import started
from mocapella.playback.player import Player
from mocapella.playback.playhead import GroundMotion, Playhead
from mocapella.playback.pointer import PointState, blended, checked_goal
from mocapella.playback.settings import PlayerSettings
from mocapella.playback.state import PlayerState, Snapshot

Record = Float32[np.ndarray, " 24"]
Goal = Float[np.ndarray, " 2"]
_Feet = Float[np.ndarray, "4 3"]  # places of the foot points, metres
_STEP = 1.5 / 255.0  # of a hold in a record
# Marks of a foot, as locks of players call them.
_PHASES: dict[int, str] = {FootMark.COMING: "coming", FootMark.DOWN: "down", FootMark.ROLLING: "leaving"}


def player_of(
    hybrid: HybridNetwork,
    here: HybridState,
    network: Network,
    tables: CrowdTables,
    settings: PlayerSettings,
    record: Record,
    goal: Goal,
    feet: _Feet,
    time: float,
) -> Player:
    """A player that continues a character of a crowd.

    ``feet`` are the places of its foot points in the pose, metres; ``time`` is that of the crowd, seconds. The player
    has the same pose, up to the approximation of the crowd's tables.
    """
    words = record.view(np.int32)
    point = tuple((record[Word.POINT : Word.POINT + 2].astype(np.float64) * tables.size + tables.centre).tolist())
    velocity = tuple((record[Word.SPEED : Word.SPEED + 2].astype(np.float64) * tables.size).tolist())
    point = checked_goal(network, point)
    found = blended(network, PointState(point, checked_goal(network, goal), velocity), settings)
    blend = remembered(network, settings, found)
    x, z = (record[Word.X : Word.Z + 1].astype(np.float64) + origins(record[None])[0]).tolist()
    head = Playhead(float(record[Word.PHASE]), (x, z), float(record[Word.YAW]))
    owed_x, owed_z = (float(one[0]) * OWED_UNIT for one in pairs(words[Word.OWED : Word.OWED + 1]))
    state = PlayerState(
        found.at,
        RootMotion(head, complex(owed_z, owed_x)),
        _locks(record, blend.cycle, head, settings, feet),
        here,
        started(network, head.phase),
        time,
    )
    over = own_offset(blend, state)
    if over is not None:
        by_x, by_z = sway(over, head, settings)
        moved = Playhead(head.phase, (x - by_x, z - by_z), head.yaw - over.yaw)
        state = PlayerState(state.point, RootMotion(moved, state.root.owed), state.locks, here, state.clocks, time)
    return Player.resumed(hybrid, Snapshot(settings, state))


def _locks(record: Record, motion: GroundMotion, head: Playhead, settings: PlayerSettings, feet: _Feet) -> FootLocks:
    words, origin = record.view(np.int32), origins(record[None])[0].astype(np.float64)
    marks, holds = int(words[Word.MARKS]), int(words[Word.HOLDS])
    points = []
    for point in range(4):
        mark, hold = (marks >> (2 * point)) & 3, ((holds >> (8 * point)) & 255) / 255.0
        x, z = record[Word.FEET + 2 * point : Word.FEET + 2 * point + 2].astype(np.float64).tolist()
        if mark == PointMark.PLACED:
            points.append(PointLock(complex(z + origin[1], x + origin[0]), hold))
        elif mark == PointMark.LEAVING:  # its displacement from where its plant ended is kept
            kept, left = complex(z, x), _leaving(point, motion, head, settings)
            if left is None:
                drawn = complex(feet[point, 2], feet[point, 0]) - hold * kept
                points.append(PointLock(kept + drawn, hold, hold * kept, True))
            else:
                hold = left.hold if abs(hold - left.hold) < _STEP else hold  # records round it
                points.append(PointLock(kept + left.place, hold, hold * kept - left.braked, True))
        else:
            points.append(PointLock(None, hold))
    first, second = (_PHASES.get((marks >> (Bit.STANDING + 2 * foot)) & 3, "coming") for foot in range(2))
    a, b, c, d = points
    return FootLocks((a, b, c, d), bool((marks >> Bit.BEGUN) & 1), standing=(first, second))  # type: ignore[arg-type]


class _Leaving(NamedTuple):
    """The state of a foot point that leaves its plant."""

    place: complex  # where the plant ended
    braked: complex  # by how much it is held back
    hold: float


def _leaving(point: int, motion: GroundMotion, head: Playhead, settings: PlayerSettings) -> _Leaving | None:
    """The plant that a foot point leaves; None where it leaves none."""
    ended = [(plant, since) for plant in motion.plants[point] if (since := plant.since(head.phase)) >= plant.length]
    plant, since = max(ended, key=lambda plant_since: plant_since[0].hold(plant_since[1]), default=(None, 0.0))
    if plant is None or (hold := plant.hold(since)) <= 0.0:
        return None
    end = plant.edges[1]
    laid, rounds = LaidPath(motion, head, settings), head.phase - since + plant.length - end
    touch = motion.touch(point, end)
    return _Leaving(laid.world(touch.place, rounds), plant.brake(since) * laid.turned(touch.speed, rounds), hold)


def settled(player: Player) -> bool:
    """Whether a player blends in its block, with nothing left of a change, and its point is not called to a node."""
    state = player.snapshot().state
    here = state.hybrid
    calm = state.root.offset is None and state.locks.offset is None and state.point.fade is None
    return calm and here is not None and here.state == "network" and here.wanted is None


def record_of(player: Player, tables: CrowdTables) -> tuple[Record, tuple[float, float]]:
    """The record of a character that a player has played, and where its blending point is sent.

    ``player`` is one that is ``settled``. The triangle is to be found; velocities are those of the next step, which may
    take no time.
    """
    snapshot = player.snapshot()
    settings, state = snapshot.settings, snapshot.state
    record = np.zeros(N_WORDS, dtype=np.float32)
    words = record.view(np.int32)
    scale = 1.0 / tables.size
    record[Word.POINT : Word.POINT + 2] = (np.array(state.point.point) - tables.centre) * scale
    record[Word.SPEED : Word.SPEED + 2] = np.array(state.point.velocity) * scale
    origin = put_in_place(record, player)
    owed = state.root.owed
    words[Word.OWED] = paired(np.array([owed.imag / OWED_UNIT]), np.array([owed.real / OWED_UNIT]))[0]
    motion = base_motion(player.network, settings, state)
    marks, holds = (int(state.locks.begun) << Bit.BEGUN) | (round(255.0 * state.locks.give(settings)) << Bit.GIVE), 0
    for point, lock in enumerate(state.locks.points):
        mark, kept = PointMark.FREE, 0j
        if lock.place is not None and not lock.leaving:
            mark, kept = PointMark.PLACED, lock.place - origin
        elif lock.place is not None:
            left = _leaving(point, motion, state.root.head, settings)
            mark, kept = (PointMark.FREE, 0j) if left is None else (PointMark.LEAVING, lock.place - left.place)
        record[Word.FEET + 2 * point : Word.FEET + 2 * point + 2] = kept.imag, kept.real
        marks |= (mark << (2 * point)) | (int(player.planted[point]) << (Bit.PLANTED + point))
        holds |= round(255.0 * min(max(lock.hold, 0.0), 1.0)) << (8 * point)
    numbers = {name: number for number, name in _PHASES.items()}
    for foot, phase in enumerate(state.locks.standing):
        marks |= numbers[phase] << (Bit.STANDING + 2 * foot)
    words[Word.MARKS], words[Word.HOLDS] = marks, np.array(holds, dtype=np.uint32).view(np.int32)
    x, y = player.goal
    return record, (x, y)


def put_in_place(record: Record, player: Player) -> complex:
    """Write where a player is into a record: place, heading, phase, and which foot points rest.

    ``record`` is changed in place. Returns the origin of the record, z + ix, metres.
    """
    words = record.view(np.int32)
    place = np.array(player.position)
    steps = np.rint(place / FAR) * (FAR / GRID)
    words[Word.ORIGIN] = paired(steps[:1], steps[1:])[0]
    record[Word.X : Word.Z + 1] = place - steps * GRID
    record[Word.PHASE], record[Word.YAW] = player.phase, math.remainder(player.heading, math.tau)
    bits = sum(int(rests) << (Bit.PLANTED + point) for point, rests in enumerate(player.planted))
    words[Word.MARKS] = (int(words[Word.MARKS]) & ((1 << Bit.PLANTED) - 1)) | bits
    return complex(steps[1] * GRID, steps[0] * GRID)
