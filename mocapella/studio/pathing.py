"""Paths drawn on the ground, made ready to be followed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mocapella.blending.network import Network
from mocapella.errors import MotionError
from mocapella.motion.travel import STANDING
from mocapella.playback.gaits import played_rates
from mocapella.steering.calibration import Calibration
from mocapella.steering.guides import Follower
from mocapella.steering.path import Path
from mocapella.studio.workers.deriving import noted


def make_follower(network: Network, rows: Sequence[tuple[float, float, float]]) -> tuple[Follower, list[str]]:
    """A guide along a path.

    Parameters
    ----------
    network
        What the character's point moves in.
    rows
        x, z (metres) and speed (m/s; 0 where none is said).

    Returns
    -------
    tuple
        The guide, and what is doubtful: speeds and bends that the network has not.

    Raises
    ------
    MotionError
        Where the path cannot be followed.
    """
    speeds = [played_rates(node.spectrum)[1] for node in network.nodes]
    going = [speed for speed in speeds if speed >= STANDING]
    if not going:
        raise MotionError(f"a path is followed by walking; the fastest of these motions goes {max(speeds):.2f} m/s")
    usual = float(np.median(going))
    with noted() as notes:
        path = Path.smooth([(x, z, speed if speed > 0.0 else usual) for x, z, speed in rows])
        follower = Follower(path, Calibration(network, measure=played_rates), speed=usual)
        doubts = follower.plan.doubts(follower.turning)
    return follower, [*notes, *doubts]
