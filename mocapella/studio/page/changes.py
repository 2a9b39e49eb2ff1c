"""Captured changes of a hybrid network as a page plays them, recorded from the engine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.hybrid.network import Arc, HybridNetwork
from mocapella.playback.player import Player

_RATE = 60.0  # frames per second
_LONGEST = 60.0  # seconds from the trigger to the arrival
_LATER = 0.2  # radians after the moment of a change at which its source begins to be played


@dataclass(frozen=True, eq=False)
class _PlayedChange:
    """One arc as it is played, seen from the character as it stands when the change begins."""

    name: str
    key: str
    source: str  # block
    at: tuple[float, ...]  # where the blending point has to be
    phase: float  # radians of the cycle at which it begins
    target: str  # block
    to: tuple[float, ...]  # where the blending point is afterwards
    arrive: float  # radians of the cycle at which the target goes on
    frame_rate: float
    places: Float[np.ndarray, "frames 2"]  # of the root, metres to the left and ahead
    yaws: Float[np.ndarray, " frames"]  # headings, radians, left positive
    heights: Float[np.ndarray, " frames"]  # of the root, metres
    rotations_wxyz: Float[np.ndarray, "frames joints 4"]  # local; the root's without heading
    planted: Bool[np.ndarray, "frames 4"]


def played_changes(hybrid: HybridNetwork) -> list[_PlayedChange]:
    """All arcs of a hybrid network as they are played.

    Parameters
    ----------
    hybrid
        Networks joined by captured changes.

    Returns
    -------
    list of _PlayedChange
        In the order of the arcs; those that no mode opens are left out.
    """
    made = []
    for arc in hybrid.arcs:
        mode = next((mode.name for mode in hybrid.modes if arc.name in mode.arcs), None)
        if mode is not None:
            made.append(_played(hybrid, arc, mode))
    return made


def _played(hybrid: HybridNetwork, arc: Arc, mode: str) -> _PlayedChange:
    """The poses from the last one of the source to the first one of the target, with feet held as in the engine."""
    at = hybrid.block(arc.source.block).network.node(arc.source.node).at
    begun = arc.transition.leave_phase + _LATER  # nearly a whole cycle before the change, so that feet have settled
    player = Player(hybrid, at, block=arc.source.block, mode=mode, phase=begun)
    player.step(0.0)
    if player.state == "network":  # else its zone has called for it already
        player.trigger(arc.name)
    rows: list[tuple[complex, float, float, np.ndarray, tuple[bool, ...]]] = []
    phase, point = 0.0, tuple(at)
    for _ in range(round(_LONGEST * _RATE)):
        changing = player.state == "change"
        pose = player.step(1.0 / _RATE)
        if changing and player.state == "network":
            break
        if player.state != "change":
            rows, phase, point = [], player.phase, player.point
        place = complex(pose.root_position[2], pose.root_position[0])
        height = float(pose.root_position[1])
        rows.append((place, player.heading, height, pose.rotations_wxyz, player.planted))
    else:
        raise MotionError(f"the change {arc.name!r} was not played within {_LONGEST:g} s")
    place = complex(pose.root_position[2], pose.root_position[0])
    rows.append((place, player.heading, float(pose.root_position[1]), pose.rotations_wxyz, player.planted))
    yaws = np.unwrap([row[1] for row in rows])
    ways = (np.array([row[0] for row in rows]) - rows[0][0]) * np.exp(-1j * yaws[0])
    rotations = np.array([row[3] for row in rows])
    rotations[:, 0] = quaternions.multiply(quaternions.about_y(-yaws), rotations[:, 0])
    return _PlayedChange(
        name=arc.name,
        key=arc.key,
        source=arc.source.block,
        at=tuple(point),
        phase=phase,
        target=player.block,
        to=tuple(player.point),
        arrive=player.phase,
        frame_rate=_RATE,
        places=np.stack([ways.imag, ways.real], axis=-1),
        yaws=yaws - yaws[0],
        heights=np.array([row[2] for row in rows]),
        rotations_wxyz=_alike(rotations),
        planted=np.array([row[4] for row in rows], dtype=bool),
    )


def _alike(rotations_wxyz: Float[np.ndarray, "frames joints 4"]) -> Float[np.ndarray, "frames joints 4"]:
    """The same rotations with signs that do not jump from frame to frame, so that frames can be averaged."""
    signs = np.where((rotations_wxyz[1:] * rotations_wxyz[:-1]).sum(axis=-1) < 0.0, -1.0, 1.0)
    out = np.array(rotations_wxyz)
    out[1:] *= np.cumprod(signs, axis=0)[..., None]
    return out
