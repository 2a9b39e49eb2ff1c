"""A character on a path, recorded: what ``play --path`` and the demo share."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

from mocapella.blending.axes import STANDING
from mocapella.blending.chain import Chain, answering
from mocapella.blending.network import Network
from mocapella.errors import MotionError, MotionWarning
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import Contacts
from mocapella.playback.easing import Point
from mocapella.playback.follow import Follower
from mocapella.playback.footwork import Feet
from mocapella.playback.path import Path
from mocapella.playback.played import played_rates
from mocapella.playback.player import Player
from mocapella.playback.record import record_with_contacts

NEAR = 1.0  # metres: who ends further from the end of a path has not reached it, only come abreast of it
PATIENCE = 2.0  # times what the path should take: a character that goes in circles will not find back


@dataclass(frozen=True, eq=False)
class Followed:
    """What a character did on a path, frame by frame."""

    clip: Clip
    contacts: Contacts
    path: Path
    walked: float  # metres of the path
    finished: bool  # whether its end was reached, to within ``NEAR`` metres
    points: Float[np.ndarray, "frames 2"]  # of the network
    speeds: Float[np.ndarray, " frames"]  # m/s: what was played
    wanted: Float[np.ndarray, " frames"]  # m/s: what the path asked for
    seconds_per_step: float  # what a frame cost, steering included


def follow(
    network: Network,
    rows: Sequence[Sequence[float]] | Float[np.ndarray, "rows columns"],
    *,
    smooth: bool = False,
    radius: float | None = None,
    speed: float | None = None,
    seconds: float | None = None,
    rate: float = 60.0,
    feet: Feet = "held",
    patience: float = PATIENCE,
) -> Followed:
    """Let a character walk a path, rows of ``(x, z)`` or ``(x, z, speed)``, to its end or for some seconds.

    It starts on the path and in its direction. The rows are joined by straight lines, with corners rounded by a radius
    in metres, or else as tightly as the network turns; or by a smooth curve. ``speed``, where the rows say none, is the
    middle of what the network has. ``patience`` is how many times as long as the path should take it may take. A
    network without triangles has only one thing to steer by: of straight walks it takes the path's speeds, and goes the
    turns it has.

    Raises
    ------
    MotionError
        Where nothing in the network goes anywhere.

    Warns
    -----
    MotionWarning
        Where the end of the path was not reached, the network has not the speeds or bends of the path, or no triangles
        to turn in.
    """
    path = (Path.smooth if smooth else Path.of)([tuple(float(value) for value in row) for row in rows])
    speeds_had = [played_rates(node.spectrum)[1] for node in network.nodes]
    if max(speeds_had) < STANDING:
        raise MotionError(
            f"a path is followed by who walks; the fastest of these motions goes {max(speeds_had):.2f} m/s"
        )
    rates = answering(network, measure=played_rates)
    if isinstance(rates, Chain):
        least, most = (math.degrees(turn) for turn in rates.turns)
        why = "has no triangles" if network.corners.shape[1] < 3 else "goes straight everywhere"
        text = f"the network {why}, so only the turns along it are walked: {least:+.1f} to {most:+.1f} °/s"
        warnings.warn(f"{text}; add turns to the left and to the right to follow any path", MotionWarning, stacklevel=2)
        patience = min(patience, 1.0)  # who cannot turn back to the path walks as far as it is long
    going = [had for had in speeds_had if had >= STANDING]  # who stands, or turns on the spot, has no say
    usual = float(np.median(going)) if speed is None else speed
    follower = Follower(path, rates, speed=usual, radius=radius)
    first = rates.request(0.0, path.speed(0.0) or usual).point
    swing = Player(network, point=first, feet=feet).course  # hips swing: who faces ahead may be going aside
    player = Player(network, point=first, feet=feet, position=path.at(0.0), heading=path.heading(0.0) - swing)
    way = follower.plan.way
    should = float((np.diff(way.distances) / way.speeds[1:]).sum())
    diary = _Diary(follower, patience=patience * (should + 2.0))
    began = time.perf_counter()
    clip, contacts = record_with_contacts(player, seconds=seconds, frame_rate=rate, script=diary)
    cost = (time.perf_counter() - began) / clip.n_frames
    apart = math.dist(path.at(path.length), player.centre)
    if follower.done and apart > NEAR:
        text = f"came abreast of the end of the path, {apart:.1f} m beside it"
        warnings.warn(text, MotionWarning, stacklevel=2)
    if not follower.done:
        why = f"gave up after {clip.seconds:.0f} s" if seconds is None else f"ended after {clip.seconds:g} s"
        left = f"{path.length - follower.reached:.1f} m before the end of the path"
        warnings.warn(f"{why}, {left}: {follower.reached:.1f} of {path.length:.1f} m", MotionWarning, stacklevel=2)
    count = clip.n_frames
    points, speeds, wanted = (np.array(column[:count]) for column in (diary.points, diary.speeds, diary.wanted))
    finished = follower.done and apart <= NEAR
    return Followed(clip, contacts, path, follower.reached, finished, points, speeds, wanted, cost)


@dataclass
class _Diary:
    """A follower that writes down what it sees, and gives up when its patience, seconds, is at an end."""

    follower: Follower
    patience: float
    time: float = 0.0
    points: list[Point] = field(default_factory=list)
    speeds: list[float] = field(default_factory=list)
    wanted: list[float] = field(default_factory=list)

    @property
    def done(self) -> bool:
        return self.follower.done or self.time >= self.patience

    def steer(self, player: Player, time: float) -> Point | None:
        self.time = time
        answer = self.follower.steer(player, time)
        self.points.append(player.point)
        self.speeds.append(player.speed)
        self.wanted.append(self.follower.asked)
        return answer
