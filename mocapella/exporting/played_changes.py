"""Captured changes of a hybrid network as the engine plays them, recorded for programs and pages without it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from mocapella.crowd.blocks.handover import settled
from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.hybrid.hybrid_network import Arc, HybridNetwork
from mocapella.motion.pose import Pose
from mocapella.playback.player import Player

_RATE = 60.0  # frames per second
_LONGEST = 120.0  # seconds from the trigger until nothing is left of the change


@dataclass(frozen=True, eq=False)
class PlayedChange:
    """One version of an arc as it is played, seen from the character as it stands when the change begins."""

    arc: Arc  # with the version's transition
    mode: str  # in which it is open
    mirrored: bool
    at: tuple[float, ...]  # where the blending point has to be
    phase: float  # radians of the cycle at which it begins
    block: str  # that it leads to
    to: tuple[float, ...]  # where the blending point is afterwards
    arrive: float  # radians of the cycle at which that block goes on
    frame_rate: float
    places: Float[np.ndarray, "frames 2"]  # of the root, metres to the left and ahead
    yaws: Float[np.ndarray, " frames"]  # headings, radians, left positive
    heights: Float[np.ndarray, " frames"]  # of the root, metres
    rotations_wxyz: Float[np.ndarray, "frames joints 4"]  # local; the root's without heading
    planted: Bool[np.ndarray, "frames 4"]


def played_changes(hybrid: HybridNetwork) -> list[PlayedChange]:
    """All arcs of a hybrid network as they are played.

    The result is in the order of the arcs, each followed by its mirror image where it has one; each in the first mode
    in which its arc is open.
    """
    changes = []
    for arc in hybrid.arcs:
        mode = next(mode.name for mode in hybrid.modes if arc.name in mode.arcs)
        changes += [_played(hybrid, arc, number, mode) for number in range(len(arc.versions))]
    return changes


def _played(hybrid: HybridNetwork, arc: Arc, number: int, mode: str) -> PlayedChange:
    """The poses from the last one of the source until nothing is left of the change, with feet held as in the engine.

    The player waits for most of a cycle before the change, so that feet have settled: it begins after the moment of the
    arc's other version, or of the same where there is no other.
    """
    at = hybrid.block(arc.source.block).network.node(arc.source.node).at
    later = 0.2  # radians after a moment at which a version of the change could have begun: the next one is recorded
    begun = arc.versions[number - 1].transition.leave_phase + later
    player = Player(hybrid, at, block=arc.source.block, mode=mode, phase=begun)
    player.trigger(arc.name)  # before the first step: other arcs may have the same zone
    pose = player.step(0.0)
    phase, point, gone = player.phase, player.point, player.state == "change"
    rows = [_row(player, pose)]
    for _ in range(round(_LONGEST * _RATE)):
        pose = player.step(1.0 / _RATE)
        gone = gone or player.state == "change"
        if not gone:
            rows, phase, point = [], player.phase, player.point
        rows.append(_row(player, pose))
        if gone and settled(player):
            break
    else:
        raise MotionError(f"the change {arc.name!r} was not played within {_LONGEST:g} s")
    yaws = np.unwrap([row[1] for row in rows])
    ways = (np.array([row[0] for row in rows]) - rows[0][0]) * np.exp(-1j * yaws[0])
    rotations = np.array([row[3] for row in rows])
    rotations[:, 0] = quaternions.multiply(quaternions.about_y(-yaws), rotations[:, 0])
    return PlayedChange(
        arc=arc.versions[number],
        mode=mode,
        mirrored=number > 0,
        at=tuple(point),
        phase=phase,
        block=player.block,
        to=tuple(player.point),
        arrive=player.phase,
        frame_rate=_RATE,
        places=np.stack([ways.imag, ways.real], axis=-1),
        yaws=yaws - yaws[0],
        heights=np.array([row[2] for row in rows]),
        rotations_wxyz=_alike(rotations),
        planted=np.array([row[4] for row in rows], dtype=bool),
    )


def _row(player: Player, pose: Pose) -> tuple[complex, float, float, np.ndarray, tuple[bool, ...]]:
    """Place and heading, height, local rotations and foot plants of one frame."""
    x, y, z = pose.root_position.tolist()
    return complex(z, x), player.heading, y, pose.rotations_wxyz, player.planted


def _alike(rotations_wxyz: Float[np.ndarray, "frames joints 4"]) -> Float[np.ndarray, "frames joints 4"]:
    """The same rotations with signs that do not jump from frame to frame, so that frames can be averaged."""
    signs = np.where((rotations_wxyz[1:] * rotations_wxyz[:-1]).sum(axis=-1) < 0.0, -1.0, 1.0)
    out = np.array(rotations_wxyz)
    out[1:] *= np.cumprod(signs, axis=0)[..., None]
    return out
