"""Recording a character that follows a path from end to end, for ``play --path`` and the demo."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

from mocapella.blending.network import Network
from mocapella.errors import MotionError, warn
from mocapella.gait.root_motion import played_rates
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import Contacts
from mocapella.motion.travel import STANDING
from mocapella.playback.player import Player
from mocapella.playback.pointer import Point
from mocapella.playback.record import record_with_contacts
from mocapella.playback.settings import Feet
from mocapella.steering.calibration import Calibration
from mocapella.steering.guides import Follower
from mocapella.steering.path import Path

_NEAR = 1.0  # metres: a character that ends further from the end of a path has only come abreast of it
_PATIENCE = 2.0  # times the expected duration of a path, after which a character that goes in circles is stopped


@dataclass(frozen=True, eq=False)
class Followed:
    """The recording of a character on a path, frame by frame."""

    clip: Clip
    contacts: Contacts
    path: Path
    walked: float  # metres of the path
    finished: bool  # whether its end was reached, to within a metre
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
    frame_rate: float = 60.0,
    feet: Feet = "held",
    patience: float = _PATIENCE,
    progress: Callable[[float], None] = lambda share: None,
) -> Followed:
    """Record a character that follows a path from its beginning, to its end or for some seconds.

    A network without triangles has one degree of freedom: with straight walks it follows the path's speeds, and makes
    only the turns it has.

    ``rows`` are places on the ground, ``(x, z)`` in metres or ``(x, z, speed)`` with m/s, joined by straight lines, or
    a curve if ``smooth``. What is left out is chosen: corners are rounded as tightly as the network turns, ``speed``
    (m/s) is the middle of what it has, and the recording ends with the path. It takes at most ``patience`` times as
    long as the path should. ``progress`` is called in every frame with the share done, 0 to 1.

    Raises ``MotionError`` where no motion of the network travels. Warns with ``MotionWarning`` where the end of the
    path was not reached, or the network lacks its speeds or bends, or triangles to turn in.
    """
    path = (Path.smooth if smooth else Path.of)([tuple(float(value) for value in row) for row in rows])
    usual = usual_speed(network)
    rates = Calibration(network, measure=played_rates)
    if rates.along_line:
        least, most = (math.degrees(turn) for turn in rates.turns)
        why = "has no triangles" if network.corners.shape[1] < 3 else "goes straight everywhere"
        text = f"the network {why}, so only the turns along it are walked: {least:+.1f} to {most:+.1f} °/s"
        warn(f"{text}; add turns to the left and to the right to follow any path")
        patience = min(patience, 1.0)  # without turns back to the path, it is walked as far as the path is long
    speed = usual if speed is None else speed
    follower = Follower(path, rates, speed=speed, radius=radius)
    first = rates.request(0.0, path.speed(0.0) or speed).point
    player = Player(network, point=first, feet=feet, position=path.at(0.0), heading=path.heading(0.0))
    way = follower.plan.way
    should = float((np.diff(way.distances) / way.speeds[1:]).sum())
    recorder = _RecordingFollower(follower, progress, seconds, patience=patience * (should + 2.0))
    began = time.perf_counter()
    clip, contacts = record_with_contacts(player, seconds=seconds, frame_rate=frame_rate, script=recorder)
    cost = (time.perf_counter() - began) / clip.n_frames
    apart = math.dist(path.at(path.length), player.centre)
    if not follower.done:
        why = f"gave up after {clip.seconds:.0f} s" if seconds is None else f"ended after {clip.seconds:g} s"
        left = f"{path.length - follower.reached:.1f} m before the end of the path"
        warn(f"{why}, {left}: {follower.reached:.1f} of {path.length:.1f} m")
    elif apart > _NEAR:
        warn(f"came abreast of the end of the path, {apart:.1f} m beside it")
    finished = follower.done and apart <= _NEAR
    points, played, wanted = (np.array(column) for column in zip(*recorder.rows[: clip.n_frames], strict=True))
    return Followed(clip, contacts, path, follower.reached, finished, points, played, wanted, cost)


def usual_speed(network: Network) -> float:
    """The median speed, m/s, of the nodes that travel, as they are played; those that stand or turn do not count."""
    speeds = [played_rates(node.spectrum)[1] for node in network.nodes]
    if max(speeds) < STANDING:
        raise MotionError(f"a path is followed by walking; the fastest of these motions goes {max(speeds):.2f} m/s")
    return float(np.median([speed for speed in speeds if speed >= STANDING]))


@dataclass
class _RecordingFollower:
    """A follower that records points and speeds, and gives up after ``patience`` seconds."""

    follower: Follower
    progress: Callable[[float], None]
    seconds: float | None  # that are asked for
    patience: float
    time: float = 0.0
    rows: list[tuple[Point, float, float]] = field(default_factory=list)  # point, speed played, speed asked for

    @property
    def done(self) -> bool:
        return self.follower.done or self.time >= self.patience

    def steer(self, player: Player, time: float) -> Point | None:
        self.time = time
        answer = self.follower.steer(player, time)
        self.rows.append((player.point, player.speed, self.follower.asked))
        gone = self.follower.reached / self.follower.path.length
        self.progress(min(1.0, gone if self.seconds is None else max(gone, time / self.seconds)))
        return answer
