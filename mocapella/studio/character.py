"""One character on the stage: its player, its guide, and what is measured while it plays."""

from __future__ import annotations

import contextlib
import copy
import math
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float

from mocapella.blending.network import Network
from mocapella.blending.places import Place
from mocapella.errors import MotionError
from mocapella.gait.root_motion import played_rates
from mocapella.geometry import quaternions
from mocapella.hybrid.arranging import Playable
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.motion.pose import Pose
from mocapella.motion.skeleton import Skeleton
from mocapella.playback.player import Player
from mocapella.playback.settings import Feet
from mocapella.rig.legs import foot_points, leg_roles
from mocapella.steering.guides import Follower
from mocapella.studio.project import Character
from mocapella.studio.views.network_panel import placed_by_turn

_STATES = {"network": 0, "waiting": 1, "change": 2}
_ACROSS = 1.5  # seconds in which a held key takes the point from one side of a network to the other
_NODES = 4  # weights in a frame


@dataclass
class _SlipMeter:
    """How far planted points slide, plant by plant, as ``mocapella.measure.footskate.footing`` has it."""

    skeleton: Skeleton
    memory: float = 3.0  # seconds over which the slip of plants is reported
    shortest: int = 3  # frames: shorter plants are not measured, as in mocapella.measure.footskate
    recent: deque[tuple[float, float]] = field(default_factory=deque)  # when a plant ended, millimetres
    _plants: list[tuple[Float[np.ndarray, " 2"], float, int] | None] = field(default_factory=lambda: [None] * 4)

    def __post_init__(self) -> None:
        self._points: tuple[Any, Any] | None = None
        with contextlib.suppress(MotionError):
            self._points = foot_points(self.skeleton, leg_roles(self.skeleton))[:2]

    def see(self, pose: Pose, planted: tuple[bool, ...], time: float) -> None:
        """Take a pose into account, ``time`` seconds into the play."""
        if self._points is None:
            return
        joints, offsets = self._points
        positions, world = pose.world
        flat = (positions[joints] + quaternions.rotate(world[joints], offsets))[:, ::2]
        for i, down in enumerate(planted):
            plant = self._plants[i]
            if down:
                first, slid, frames = plant or (flat[i], 0.0, 0)
                slid = max(slid, 1000.0 * math.dist(flat[i], first))
                self._plants[i] = first, slid, frames + 1
            elif plant is not None:
                if plant[2] >= self.shortest:
                    self.recent.append((time, plant[1]))
                self._plants[i] = None
        while self.recent and self.recent[0][0] < time - self.memory:
            self.recent.popleft()

    @property
    def figures(self) -> tuple[float, float]:
        """The worst and the mean of plants that are under way or ended a moment ago, millimetres."""
        slips = [slid for _, slid in self.recent]
        slips += [plant[1] for plant in self._plants if plant is not None and plant[2] >= self.shortest]
        return (max(slips), sum(slips) / len(slips)) if slips else (0.0, 0.0)


class StagedCharacter:
    """A player with its guide."""

    def __init__(
        self, network: Playable, start: Character, *, feet: Feet = "held", harmonics: int | None = None
    ) -> None:
        heading = math.radians(start.heading)
        self.start = start
        self.player = Player(
            network, middle_of(network), feet=feet, harmonics=harmonics, position=start.at, heading=heading
        )
        self.follower: Follower | None = None
        self.planned: tuple[Any, ...] = ()  # the path and the network that its follower was made for
        self.steering = (0.0, 0.0)
        self.pose = self.player.step(0.0)
        self.slips = _SlipMeter(self.player.skeleton)
        self._way: deque[tuple[float, float, float]] = deque()  # time, metres gone, heading
        self._gone, self._centre = 0.0, self.player.centre
        self._place: Place | None = None
        self._asked: tuple[tuple[float, ...], tuple[float, float]] = ((), (0.0, 0.0))

    @property
    def network(self) -> Network:
        """The network in which its blending point moves at the moment."""
        playable = self.player.network
        if isinstance(playable, HybridNetwork):
            return playable.network(self.player.block, self.player.mode)
        assert isinstance(playable, Network)
        return playable

    def step(self, dt: float) -> Pose:
        """Go on by ``dt`` seconds of its own time."""
        player = self.player
        if self.follower is not None and player.state == "network":
            wanted = self.follower.steer(player, player.time)
            if wanted is not None:
                player.point = wanted
            if self.follower.done:
                self.follower = None
        elif self.steering != (0.0, 0.0) and player.state == "network":
            network = self.network
            spread = np.ptp(network.points, axis=0)
            goal = [
                value + rate * dt * float(size) / _ACROSS
                for value, rate, size in zip(player.goal, self.steering, spread, strict=True)
            ]
            player.point = network.place(goal).point
        self.pose = player.step(dt)
        self.slips.see(self.pose, player.planted, player.time)
        self._walked()
        return self.pose

    def _walked(self) -> None:
        player = self.player
        x, z = player.centre
        self._gone += math.dist((x, z), self._centre)
        self._centre = (x, z)
        if self._way and player.time < self._way[-1][0]:  # a player on other motions, whose time begins anew
            self._way.clear()
        self._way.append((player.time, self._gone, player.heading))
        period = max(player.spectrum.duration, 0.1)
        while len(self._way) > 2 and self._way[1][0] < player.time - period:
            self._way.popleft()

    @property
    def rates(self) -> tuple[float, float]:
        """Speed (m/s) and turn (degrees per second) over the last cycle."""
        if len(self._way) < 2:
            turn, speed = played_rates(self.player.spectrum)
            return speed, math.degrees(turn)
        (before, gone, heading), (now, here, last) = self._way[0], self._way[-1]
        seconds = max(now - before, 1e-6)
        return (here - gone) / seconds, math.degrees(last - heading) / seconds

    @property
    def asked(self) -> tuple[float, float]:
        """Speed and turn that the goal of the point stands for."""
        goal = self.player.goal
        if self._asked[0] != goal:
            network = self.network
            if placed_by_turn(network):
                rates = (goal[1], goal[0])
            else:
                turn, speed = played_rates(network.blend(network.place(goal)))
                rates = (speed, math.degrees(turn))
            self._asked = (goal, rates)
        return self._asked[1]

    def fields(self, number: int, body: int, names: dict[str, dict[str, int]]) -> dict[str, float | int]:
        """The fields of a frame besides its pose, by the names of ``frames.FIELDS``.

        ``names`` has the numbers of ``blocks``, ``modes`` and ``arcs`` by name.
        """
        player = self.player
        self._place = place = self.network.place(player.point, self._place)
        order = np.argsort(-place.weights, kind="stable")[:_NODES]
        speed, turn = self.rates
        asked_speed, asked_turn = self.asked
        slip, mean = self.slips.figures
        out: dict[str, float | int] = {
            "number": number,
            "body": body,
            "time": player.time,
            "phase": player.phase,
            "period": player.spectrum.duration,
            "point_x": player.point[0],
            "point_y": player.point[1],
            "goal_x": player.goal[0],
            "goal_y": player.goal[1],
            "asked_speed": asked_speed,
            "asked_turn": asked_turn,
            "speed": speed,
            "turn": turn,
            "slip": slip,
            "slip_mean": mean,
            "planted": sum(1 << i for i, down in enumerate(player.planted) if down),
            "state": _STATES[player.state],
            "block": names["blocks"].get(player.block, 0),
            "mode": names["modes"].get(player.mode, -1),
            "arc": names["arcs"].get(player.states[-1].arc, -1) if player.state != "network" else -1,
            "progress": self._progress(),
            "inside": self.network.holds(player.goal, place),
            "triangle": place.triangle,
            "heading": player.heading,
            "path_left": -1.0 if self.follower is None else self.follower.path.length - self.follower.reached,
        }
        for i, letter in enumerate("abcd"):
            used = i < len(order)
            out[f"node_{letter}"] = int(place.nodes[order[i]]) if used else -1
            out[f"weight_{letter}"] = float(place.weights[order[i]]) if used else 0.0
        return out

    def _progress(self) -> float:
        player = self.player
        if player.state != "change" or not isinstance(player.network, HybridNetwork):
            return 0.0
        entry = player.states[-1]
        return min(1.0, (player.time - entry.time) / max(player.network.arc(entry.arc).transition.seconds, 1e-6))

    @property
    def anchors(self) -> tuple[complex | None, ...]:
        """Where planted points are held, z + ix; None where a point is free."""
        points = self.player.snapshot().state.locks.points
        return tuple(lock.place if down else None for lock, down in zip(points, self.player.planted, strict=True))

    def ahead(self, seconds: float) -> Pose:
        """The pose it will have if it is not steered until then."""
        return copy.copy(self.player).step(seconds)

    def adopt(self, network: Playable, *, feet: Feet, harmonics: int | None) -> None:
        """Continue with another network: within the present step where its motions are the same."""
        player = self.player
        if player.network is not network:
            self.player = _resumed(player, network, feet)
            self._place, self._asked, self.follower = None, ((), (0.0, 0.0)), None
        elif player.feet != feet:
            self.player = _again(player, network, feet)
        if self.player.skeleton is not self.slips.skeleton:
            self._measure_anew()
        if self.player.harmonics != harmonics:
            self.player.harmonics = harmonics
        self.pose = self.player.step(0.0)

    def put(self, *, phase: float | None = None, start: Character | None = None) -> None:
        """Begin anew at another cycle phase in the same place, or at the start.

        None keeps the present ``phase`` (radians), or the present place.
        """
        player = self.player
        assert isinstance(player.network, Playable)
        self.player = _again(player, player.network, player.feet, phase=phase, start=start)
        self.pose = self.player.step(0.0)
        self._measure_anew()

    def _measure_anew(self) -> None:
        self.slips = _SlipMeter(self.player.skeleton)
        self._way.clear()
        self._centre = self.player.centre


def middle_of(network: Playable) -> tuple[float, ...]:
    """A blending point to begin with: the middle of the nodes, in the first block of a hybrid network."""
    if isinstance(network, HybridNetwork):
        network = network.network(next(iter(network.blocks)), network.modes[0].name)
    return network.place(network.points[np.unique(network.corners)].mean(axis=0)).point


def _resumed(player: Player, network: Playable, feet: Feet) -> Player:
    """The player on another network: continued where that has the same motions, else a new one at the same place."""
    old = player.network
    if player.feet == feet:
        try:
            if isinstance(old, Network) and isinstance(network, Network) and network.rearranges(old):
                player.network = network
                return player
            if isinstance(old, HybridNetwork) and isinstance(network, HybridNetwork) and _alike(old, network):
                return Player.resumed(network, player.snapshot())
        except MotionError:
            pass
    return _again(player, network, feet)


def _alike(first: HybridNetwork, other: HybridNetwork) -> bool:
    """Whether two hybrid networks have the same nodes, arcs and modes, wherever they lie."""

    def parts(hybrid: HybridNetwork) -> tuple[Any, ...]:
        nodes = {name: block.network.names for name, block in hybrid.blocks.items()}
        return nodes, [arc.name for arc in hybrid.arcs], [(mode.name, dict(mode.triangles)) for mode in hybrid.modes]

    return parts(first) == parts(other)


def _again(
    player: Player, network: Playable, feet: Feet, *, phase: float | None = None, start: Character | None = None
) -> Player:
    hybrid = network if isinstance(network, HybridNetwork) else None
    block = player.block if hybrid and player.block in hybrid.blocks else None
    mode = player.mode if hybrid and player.mode in {choice.name for choice in hybrid.modes} else None
    same = len(player.goal) == 2 and (hybrid is None or block is not None or not player.block)
    return Player(
        network,
        player.goal if same else middle_of(network),
        block=block,
        mode=mode,
        feet=feet,
        harmonics=player.harmonics,
        phase=player.phase if phase is None else phase,
        position=player.position if start is None else start.at,
        heading=player.heading if start is None else math.radians(start.heading),
    )
