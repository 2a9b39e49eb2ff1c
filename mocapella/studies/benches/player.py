"""What playing costs, how well feet stand, and how near a character keeps to a path."""

from __future__ import annotations

import numpy as np

from mocapella.blending.network import Network
from mocapella.measure.feet import footing
from mocapella.motion.clip import Clip
from mocapella.playback.gaits import played_rates
from mocapella.playback.player import Player
from mocapella.playback.record import record_with_contacts
from mocapella.steering.calibration import Calibration
from mocapella.steering.guides import Follower
from mocapella.steering.path import Path
from mocapella.studies.benches.measuring import Row
from mocapella.studies.benches.steps import ROUNDS, step_rows, walking_network


def rows(*, quick: bool = False) -> list[Row]:
    """A step at rest and under way, a recording, slip over the network, and unless it is to be quick a path."""
    network = walking_network()
    found = [*step_rows(rounds=1 if quick else ROUNDS), *standing_rows("walking network", network, 1 if quick else 5)]
    if not quick:
        lateral, speed = _along_an_s(network)
        found.append(Row("S-shaped path, mean distance beside it", 100.0 * lateral, "cm"))
        found.append(Row("S-shaped path, speed over the one asked for", speed, "×"))
    return found


def standing_rows(title: str, network: Network, side: int = 5, *, most_push: float | None = None) -> list[Row]:
    """How feet stand at ``side`` times ``side`` points all over a network.

    With ``most_push``, m/s², also how its root is pushed about, as a multiple of that.
    """
    slips, depths, pushes = [], [], []
    low, high = network.points.min(axis=0), network.points.max(axis=0)
    for x in np.linspace(low[0], high[0], side):
        for y in np.linspace(low[1], high[1], side):
            clip, contacts = record_with_contacts(Player(network, point=(x, y)), seconds=2.5, frame_rate=60)
            feet = footing(clip, contacts)
            slips.append(feet.slip_mm_max)
            depths.append(feet.penetration_mm_max)
            pushes.append(push(clip))
    found = [
        Row(f"{title}: slip per plant, most", max(slips), "mm"),
        Row(f"{title}: penetration, most", max(depths), "mm"),
    ]
    if most_push is not None:
        found.append(Row(f"{title}: root acceleration over the captures'", max(pushes) / most_push, "×"))
    return found


def push(clip: Clip) -> float:
    """The greatest acceleration of the root, m/s²."""
    return float(np.linalg.norm(np.diff(clip.root_positions, 2, axis=0), axis=1).max() * clip.frame_rate**2)


def _along_an_s(network: Network) -> tuple[float, float]:
    """Mean distance beside a path of two half circles, metres, and the speed over that asked for."""
    radius = 3.0
    angles = np.linspace(0.0, np.pi, 9)
    first = [(radius - radius * np.cos(a), radius * np.sin(a)) for a in angles]
    second = [(3.0 * radius - radius * np.cos(a), -radius * np.sin(a)) for a in angles[1:]]
    path = Path.smooth(first + second)
    guide = Follower(path, Calibration(network, measure=played_rates), speed=1.2)
    player = Player(network, point=(0.0, 1.2), heading=path.heading(0.0))
    sides, steps = [], 0
    while not guide.done and steps < 3600:
        point = guide.steer(player, steps / 60)
        if point is not None:
            player.point = point
        player.step(1 / 60)
        sides.append(abs(guide.side))
        steps += 1
    return float(np.mean(sides)), path.length / (steps / 60) / 1.2
