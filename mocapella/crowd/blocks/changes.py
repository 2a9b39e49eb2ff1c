"""Characters of a hybrid network in a crowd: played by players from before a change of motion until after it."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from jaxtyping import Bool, Float, Float32, Int
from msgspec.structs import replace

from mocapella.crowd.blocks.handover import player_of, put_in_place, record_of, settled
from mocapella.crowd.blocks.part import Part
from mocapella.crowd.noise import add_noise
from mocapella.crowd.points import Step
from mocapella.crowd.state import Records, Word
from mocapella.crowd.step import Poses
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
        names = list(self.hybrid.blocks)
        if block is not None:
            self.hybrid.block(block)
        return 0 if block is None else names.index(block)

    def hand_over(
        self,
        character: int,
        part: int,
        record: Float32[np.ndarray, " 24"],
        goal: Float[np.ndarray, " 2"],
        pose: Float32[np.ndarray, "joints 3 4"],
        time: float,
    ) -> Player:
        """Hand a character over to a player.

        ``record``, ``goal`` and ``pose`` are the character's state, where its blending point is sent, and its joints in
        the world. ``time`` is the seconds that the crowd has played.
        """
        own = self.parts[part]
        here = HybridState.start(own.block, self.mode)
        here = replace(here, taken=own.taken)
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
            here = player.snapshot().state.hybrid
            assert here is not None
            open_arc(self.hybrid, here, arc, times)
        for player in players:
            player.trigger(arc, times=times, anywhere=anywhere)

    def due(self, parts: Int[np.ndarray, " characters"], points: Float[np.ndarray, "characters 2"]) -> list[int]:
        """Characters that are in the trigger zone of an arc that they may take."""
        out: list[int] = []
        for number, part in enumerate(self.parts):
            rows = np.flatnonzero(parts == number)
            if not rows.size:
                continue
            arrived_at = None if part.taken is None else version_of(self.hybrid, part.taken).target.node
            near = np.zeros(len(rows), dtype=bool)
            for arc in self.hybrid.arcs_from(part.block, self.mode):
                if arc.source.node != arrived_at:
                    near |= part.near_node(arc.source.node, points[rows], arc.zone - _ROUNDING)
            out += [row for row in rows[near].tolist() if row not in self.players]
        return out

    def left(
        self, parts: Int[np.ndarray, " characters"], points: Float[np.ndarray, "characters 2"]
    ) -> Iterator[tuple[Int[np.ndarray, " some"], int]]:
        """Characters that have left the node by which they came into their block, and the part that they go on in."""
        names = list(self.hybrid.blocks)
        for number in range(len(names), len(self.parts)):
            rows = np.flatnonzero(parts == number)
            part = self.parts[number]
            if rows.size and part.taken is not None:
                node = version_of(self.hybrid, part.taken).target.node
                away = ~part.near_node(node, points[rows], _LEFT)
                if away.any():
                    yield rows[away], names.index(part.block)

    def step(
        self,
        step: Step,
        records: Records,
        poses: Poses,
        points: Float[np.ndarray, "characters 2"],
        parts: Int[np.ndarray, " characters"],
        goals: Float32[np.ndarray, "characters 2"],
    ) -> None:
        """Step the characters in a change, write their poses, and hand back those that have arrived.

        ``records``, ``poses``, ``points``, ``parts`` and ``goals`` are the crowd's; those of these characters are
        written. ``points`` of one that comes into another block, or is called to a node, are where its player sends it.
        """
        drawn: list[tuple[int, Pose]] = []
        for number, player in list(self.players.items()):
            block, free = player.block, player.state == "network" and player.snapshot().state.hybrid.wanted is None  # type: ignore[union-attr]
            if free and np.isfinite(points[number]).all():
                player.point = points[number]
            drawn.append((number, player.step(step.dt)))
            put_in_place(records[number], player)
            if not free or player.block != block or player.state != "network":
                points[number] = player.goal
        if drawn:
            rows = np.array([number for number, _ in drawn])
            poses[rows] = self._matrices([pose for _, pose in drawn], rows, step)
        back = [number for number, player in self.players.items() if settled(player) and self._may_stay(player)]
        for number in back:
            self._take_back(number, records, points, parts, goals)

    def _may_stay(self, player: Player) -> bool:
        """Whether the player would not take an arc immediately."""
        here = player.snapshot().state.hybrid
        assert here is not None
        part = self.parts[self._part_of(here)]
        arrived_at = None if here.taken is None else version_of(self.hybrid, here.taken).target.node
        arcs = [arc for arc in self.hybrid.arcs_from(here.block, self.mode) if arc.source.node != arrived_at]
        point = np.array([player.point])
        return not any(bool(part.near_node(arc.source.node, point, arc.zone - _ROUNDING)[0]) for arc in arcs)

    def _part_of(self, here: HybridState) -> int:
        for number, part in enumerate(self.parts):
            if part.block == here.block and part.taken == here.taken:
                return number
        raise MotionError(f"the mode {here.mode!r} does not lead to block {here.block!r}")

    def _take_back(
        self,
        number: int,
        records: Records,
        points: Float[np.ndarray, "characters 2"],
        parts: Int[np.ndarray, " characters"],
        goals: Float32[np.ndarray, "characters 2"],
    ) -> None:
        player = self.players.pop(number)
        here = player.snapshot().state.hybrid
        assert here is not None
        parts[number] = self._part_of(here)
        part = self.parts[parts[number]]
        records[number], points[number] = record_of(player, part.tables)
        goals[number] = (points[number] - part.tables.centre) / part.tables.size
        records.view(np.int32)[number, Word.TRIANGLE] = part.found(records[number : number + 1, :2])[0]

    def _matrices(self, drawn: list[Pose], rows: Int[np.ndarray, " some"], step: Step) -> Poses:
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

    def changing(self, n: int) -> Bool[np.ndarray, " n"]:
        """Which of so many characters are stepped by a player."""
        out = np.zeros(n, dtype=bool)
        out[list(self.players)] = True
        return out


def _feet(legs: tuple[Leg, Leg], pose: Float32[np.ndarray, "joints 3 4"]) -> Float[np.ndarray, "4 3"]:
    """Heels and toes of a pose."""
    out = []
    for leg in legs:
        turn, place = pose[leg.joints[-1], :, :3].astype(np.float64), pose[leg.joints[-1], :, 3].astype(np.float64)
        out += [turn @ np.array(end) + place for end in (leg.heel, leg.toe)]
    return np.array(out)


def player_settings(ease: float, pace: float) -> PlayerSettings:
    """The settings of a crowd's players."""
    return PlayerSettings(ease=ease, pace=None if math.isinf(pace) else pace)
