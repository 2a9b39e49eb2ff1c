"""Characters of a hybrid network in a crowd: played by players from before a change of motion until after it."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from jaxtyping import Bool, Float, Float32
from msgspec.structs import replace

from mocapella.crowd.blocks.handover import Goal, Record, player_of, put_in_place, record_of, settled
from mocapella.crowd.blocks.part import Part
from mocapella.crowd.noise import add_noise
from mocapella.crowd.points import Step
from mocapella.crowd.state import Goals, Numbers, Points, Poses, Records, Rows, Word
from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.motion import kinematics
from mocapella.motion.pose import Pose
from mocapella.playback.modes import HybridState, network_of, open_arc, version_of
from mocapella.playback.player import Player
from mocapella.playback.settings import PlayerSettings
from mocapella.rig.legs import Leg

_ROUNDING = 1e-6  # of a weight
_Pose = Float32[np.ndarray, "joints 3 4"]  # of one character
_LEFT = 1e-6  # a node with a smaller weight has been left


class Changes:
    """The characters of a crowd that are in a change, and the blocks in which all others are.

    A character whose blending point enters the trigger zone of an arc, or that is told to take one, is handed over to a
    ``Player``, which waits for the start of the change and plays it. When the crossover after the change is over it is
    handed back, at the same place with the same feet planted.

    ``mode`` is its operating mode; the first if None. ``engine`` and ``threads`` are as those of ``Crowd``.
    """

    def __init__(
        self, hybrid: HybridNetwork, mode: str | None, settings: PlayerSettings, engine: str | None, threads: int
    ) -> None:
        self.hybrid, self.settings = hybrid, settings
        self.mode = hybrid.modes[0].name if mode is None else hybrid.mode(mode).name
        self.players: dict[int, Player] = {}
        made = [Part(network_of(hybrid, block, self.mode), engine, threads, block) for block in hybrid.blocks]
        for arc in hybrid.arcs:
            if arc.name in hybrid.mode(self.mode).arcs:
                for number, version in enumerate(arc.versions):
                    taken = arc.name, number
                    network = network_of(hybrid, version.target.block, self.mode, taken)
                    made.append(Part(network, engine, threads, version.target.block, taken))
        self.parts = tuple(made)

    def __contains__(self, character: int) -> bool:
        return character in self.players

    @property
    def open_arcs(self) -> dict[str, tuple[str, ...]]:
        """The names of the arcs that begin in each block."""
        hybrid = self.hybrid
        return {block: tuple(arc.name for arc in hybrid.arcs_from(block, self.mode)) for block in hybrid.blocks}

    def start_block(self, block: str | None) -> int:
        """The number of the part that characters begin in."""
        if block is None:
            return 0
        self.hybrid.block(block)
        return list(self.hybrid.blocks).index(block)

    def hand_over(self, character: int, part: int, record: Record, goal: Goal, pose: _Pose, time: float) -> Player:
        """Hand a character over to a player.

        ``record``, ``goal`` and ``pose`` are the character's state, where its blending point is sent, and its joints in
        the world. ``time`` is the seconds that the crowd has played.
        """
        own = self.parts[part]
        here = replace(HybridState.start(own.block, self.mode), taken=own.taken)
        network = network_of(self.hybrid, own.block, self.mode, own.taken)
        feet = _feet(own.tables.legs, pose)
        player = player_of(self.hybrid, here, network, own.tables, self.settings, record, goal, feet, time)
        self.players[character] = player
        return player

    def trigger(self, characters: list[int], arc: str, times: int, anywhere: bool) -> None:
        """Let players take an arc, all or none of them.

        ``arc``, ``times`` and ``anywhere`` are as those of ``Player.trigger``. Raises ``MotionError`` where one of them
        cannot take it now.
        """
        players = [self.players[one] for one in characters]
        for player in players:
            open_arc(self.hybrid, player.snapshot().state.here, arc, times)
        for player in players:
            player.trigger(arc, times=times, anywhere=anywhere)

    def due(self, parts: Numbers, points: Points) -> list[int]:
        """Characters that are in the trigger zone of an arc that they may take."""
        out: list[int] = []
        for number, part in enumerate(self.parts):
            rows = np.flatnonzero(parts == number)
            if rows.size:
                out += [row for row in rows[self._in_zone(part, points[rows])].tolist() if row not in self.players]
        return out

    def _in_zone(self, part: Part, points: Points) -> Bool[np.ndarray, " characters"]:
        """Which points are in the trigger zone of an arc, but for arcs of the node by which the part was entered."""
        arrived_at = None if part.taken is None else version_of(self.hybrid, part.taken).target.node
        near = np.zeros(len(points), dtype=bool)
        for arc in self.hybrid.arcs_from(part.block, self.mode):
            if arc.source.node != arrived_at:
                near |= part.near_node(arc.source.node, points, arc.zone - _ROUNDING)
        return near

    def left(self, parts: Numbers, points: Points) -> Iterator[tuple[Rows, int]]:
        """Characters that have left the node by which they came into their block, and the part that they go on in."""
        names = list(self.hybrid.blocks)
        for number in range(len(names), len(self.parts)):
            rows = np.flatnonzero(parts == number)
            part = self.parts[number]
            if rows.size and part.taken is not None:
                away = ~part.near_node(version_of(self.hybrid, part.taken).target.node, points[rows], _LEFT)
                if away.any():
                    yield rows[away], names.index(part.block)

    def step(self, step: Step, records: Records, poses: Poses, points: Points, parts: Numbers, goals: Goals) -> None:
        """Step the characters in a change, write their poses, and hand back those that have arrived.

        ``records``, ``poses``, ``points``, ``parts`` and ``goals`` are the crowd's; those of these characters are
        written. ``points`` of one that comes into another block, or is called to a node, are where its player sends it.
        """
        drawn: list[tuple[int, Pose]] = []
        for number, player in list(self.players.items()):
            block, free = player.block, player.state == "network" and player.snapshot().state.here.wanted is None
            if free and np.isfinite(points[number]).all():
                player.point = points[number]
            drawn.append((number, player.step(step.dt)))
            put_in_place(records[number], player)
            if not free or player.block != block or player.state != "network":
                points[number] = player.goal
        if drawn:
            rows = np.array([number for number, _ in drawn])
            poses[rows] = self._matrices([pose for _, pose in drawn], rows, step)
        for number, player in list(self.players.items()):
            if settled(player):
                part = self._part_of(player.snapshot().state.here)
                if not self._in_zone(self.parts[part], np.array([player.point]))[0]:  # else it would leave at once
                    parts[number] = part
                    self._take_back(number, self.parts[part], records, points, goals)

    def _part_of(self, here: HybridState) -> int:
        for number, part in enumerate(self.parts):
            if part.block == here.block and part.taken == here.taken:
                return number
        raise MotionError(f"the mode {here.mode!r} does not lead to block {here.block!r}")

    def _take_back(self, number: int, part: Part, records: Records, points: Points, goals: Goals) -> None:
        records[number], points[number] = record_of(self.players.pop(number), part.tables)
        goals[number] = (points[number] - part.tables.centre) / part.tables.size
        records.view(np.int32)[number, Word.TRIANGLE] = part.found(records[number : number + 1, :2])[0]

    def _matrices(self, drawn: list[Pose], rows: Rows, step: Step) -> Poses:
        """World matrices of poses, with the noise that their characters have."""
        tables = self.parts[0].tables
        rotations = np.array([pose.rotations_wxyz for pose in drawn])
        if step.noise > 0.0:
            columns = tables.columns[:, None] + np.arange(4)
            spread = np.zeros((tables.n_columns, len(drawn)), dtype=np.float32)
            spread[columns] = rotations.transpose(1, 2, 0)
            add_noise(tables, spread, rows, step)
            rotations = quaternions.normalise(spread[columns].transpose(2, 0, 1).astype(np.float64))
        roots = np.array([pose.root_position for pose in drawn])
        places, world = kinematics.forward(tables.skeleton, roots, rotations)
        out = np.empty((*places.shape, 4), dtype=np.float32)
        out[..., :3], out[..., 3] = quaternions.to_matrix(world), places
        return out


def _feet(legs: tuple[Leg, Leg], pose: _Pose) -> Float[np.ndarray, "4 3"]:
    out = []
    for leg in legs:
        turn, place = pose[leg.joints[-1], :, :3].astype(np.float64), pose[leg.joints[-1], :, 3].astype(np.float64)
        out += [turn @ np.array(end) + place for end in (leg.heel, leg.toe)]
    return np.array(out)


def player_settings(ease: float, pace: float) -> PlayerSettings:
    """The settings of a crowd's players."""
    return PlayerSettings(ease=ease, pace=None if math.isinf(pace) else pace)
