"""A motion shown beside a character at the same moment of its cycle: the capture of a node as it was read."""

from __future__ import annotations

import cmath
import math

import numpy as np

from mocapella.geometry import quaternions
from mocapella.geometry.angles import TURN
from mocapella.hybrid.arranging import Playable, network_in
from mocapella.motion.layout import HEIGHT
from mocapella.motion.pose import Pose
from mocapella.playback.player import Player
from mocapella.studio import project as p
from mocapella.studio.network_changes import Added, Renamed
from mocapella.studio.workers.captures import MIRRORED, CapturedStretch

_BESIDE = 1.1  # metres to the right of the character
_FAR = 4.0  # metres: a capture that has walked off further is put beside the character again


class CapturedBeside:
    """A capture that is played beside a character, in phase with it, with its own travel.

    It begins beside the character and travels as it was captured; a cycle that ends is followed by the same frames,
    continued where the last one ended. It is not closed: a jump at the end of the stretch is in the capture.
    """

    def __init__(self, stretch: CapturedStretch, body: int, *, beside: bool = True) -> None:
        self.body = body
        self._aside = _BESIDE if beside else 0.0
        self._skeleton = stretch.skeleton()
        self._n, self._offset = stretch.frames, stretch.offset
        self._roots, self._turns = stretch.root_positions(), stretch.rotations_wxyz()
        headings = np.unwrap(quaternions.yaw(self._turns[:, 0]))
        self._turn = float(headings[self._n] - headings[0])  # of a whole cycle
        self._frame: tuple[float, complex] | None = None  # turn and place by which captured ground becomes the stage's
        self._last = 0.0

    def put_back(self) -> None:
        """Begin beside the character again with the next pose."""
        self._frame = None

    def pose(self, player: Player, shown: Pose) -> Pose:
        """The captured pose at the player's phase, carried to where the capture has come to."""
        at = ((player.phase - self._offset) / TURN % 1.0) * self._n
        root, turns = self._row(at)
        ground = complex(root[2], root[0])
        x, z = player.position
        here = complex(z, x)
        if self._frame is not None and abs(at - self._last) > 0.5 * self._n:
            self._frame = self._next_round(self._frame, forward=at < self._last)
        if self._frame is None or abs(self._placed(ground) - here) > _FAR:
            turn = float(quaternions.yaw(shown.rotations_wxyz[0]) - quaternions.yaw(turns[0]))
            aside = -1j * self._aside * cmath.exp(1j * player.heading)  # to the right
            self._frame = turn, here + aside - ground * cmath.exp(1j * turn)
        self._last = at
        turn, _ = self._frame
        place = self._placed(ground)
        turns[0] = quaternions.multiply(quaternions.about_y(np.array(turn)), turns[0])
        return Pose(self._skeleton, np.array([place.imag, root[1], place.real]), turns)

    def _placed(self, ground: complex) -> complex:
        assert self._frame is not None
        turn, moved = self._frame
        return ground * cmath.exp(1j * turn) + moved

    def _row(self, at: float) -> tuple[np.ndarray, np.ndarray]:
        first = min(int(at), self._n - 1)
        share = at - first
        root = (1.0 - share) * self._roots[first] + share * self._roots[first + 1]
        before, after = self._turns[first], self._turns[first + 1]
        sign = np.where((before * after).sum(axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
        return root, quaternions.normalise((1.0 - share) * before + share * sign * after)

    def _next_round(self, frame: tuple[float, complex], *, forward: bool) -> tuple[float, complex]:
        """The frame of the next round: its first row lies where the last one of this round does; or back again."""
        way = self._turn if forward else -self._turn
        first, last = (complex(self._roots[i, 2], self._roots[i, 0]) for i in (0, self._n))
        if not forward:
            first, last = last, first
        turn = frame[0] + way
        return turn, last * cmath.exp(1j * frame[0]) + frame[1] - first * cmath.exp(1j * turn)


class ClosedBeside:
    """The closed cycle of a node, carried along beside a character: where no capture is at hand."""

    def __init__(self, node: str, block: str, body: int, *, beside: bool = True) -> None:
        self.body = body
        self._node, self._block, self._aside = node, block, _BESIDE if beside else 0.0

    def put_back(self) -> None:
        """It is beside the character at all times."""

    def pose(self, player: Player, shown: Pose) -> Pose:
        """The pose of the cycle at the player's phase."""
        assert isinstance(player.network, Playable)
        spectrum = network_in(player.network, self._block).node(self._node).spectrum
        layout = spectrum.layout
        assert layout is not None
        dofs = spectrum.at(np.array([player.phase]))
        rotations = layout.rotations(dofs)[0]
        turn = quaternions.about_y(np.array(player.heading))
        rotations = np.concatenate([quaternions.multiply(turn, rotations[0])[None], rotations[1:]])
        x, z = player.position
        aside, heading = self._aside, player.heading
        root = np.array([x - aside * math.cos(heading), dofs[0, HEIGHT], z + aside * math.sin(heading)])
        return Pose(layout.skeleton, root, rotations)


Beside = CapturedBeside | ClosedBeside


def source_of(project: p.Project, block: str, node: str) -> tuple[p.ClipChoice | None, str]:
    """The clip from which a node was made, None without one, and the node's name before the user renamed it."""
    called = node
    for change in reversed(project.changes):
        if change.block != block:
            continue
        if isinstance(change, Renamed) and change.name == called:
            called = change.node
        elif isinstance(change, Added) and change.name == called:
            return (project.clip(change.clip) if change.clip else None), called
    plain = called.removesuffix(MIRRORED)
    source = next((clip for clip in project.clips if clip.name == plain and not clip.apart), None)
    return (source if project.source == "clips" else None), called
