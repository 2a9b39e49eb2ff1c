"""The stage of one connection: its characters in time, and the frames that the page draws.

Nothing here reads a clock: the connection passes in how much time has gone by.
"""

from __future__ import annotations

import copy
import math
from collections import deque
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from mocapella.arrays import owned
from mocapella.errors import MotionError
from mocapella.hybrid.arranging import Playable
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS, Contacts
from mocapella.motion.pose import Pose
from mocapella.playback.player import Player
from mocapella.studio.character import StagedCharacter
from mocapella.studio.comparing import Beside
from mocapella.studio.messages.frames import figure_record
from mocapella.studio.project import Project

RATE = 60.0  # frames per second
_PAST = 600  # frames that can be stepped back
_LONGEST = 600.0  # seconds of a recording


class Stage:
    """Characters, how their time goes, and what is shown beside them."""

    def __init__(self, network: Playable, project: Project, body: int) -> None:
        self.playing, self.rate = True, 1.0
        self.body = body
        self.network = network
        self.characters: list[StagedCharacter] = []
        self.compared: Beside | None = None
        self.ghosts, self.spacing = 0, 0.15
        self._past: deque[tuple[Player, ...]] = deque(maxlen=_PAST)
        self._undone: list[tuple[Player, ...]] = []
        self._poses: deque[tuple[float, Pose]] = deque(maxlen=int(RATE * 9))
        self._recorded: list[tuple[Pose, tuple[bool, ...]]] | None = None
        self.adopt(network, project, body)

    def adopt(self, network: Playable, project: Project, body: int) -> None:
        """Go on with another project: other characters, another network, other settings."""
        if network is not self.network:
            self._past.clear()
            self._undone.clear()
            self._poses.clear()
            self.compared = None
        self.network, self.body = network, body
        options = {"feet": project.feet, "harmonics": project.harmonics}
        for character in self.characters:
            character.adopt(network, **options)  # type: ignore[arg-type]
        starts = project.characters
        staying = [character for character in self.characters if any(character.start is start for start in starts)]
        by_start = {id(character.start): character for character in staying}
        spare = [character for character in self.characters if character not in staying]
        characters = []
        for start in starts:
            staged = by_start.get(id(start))
            if staged is None and spare:  # the same one with another path, or after a reload
                staged = spare.pop(0)
                staged.start = start
            characters.append(staged or StagedCharacter(network, start, **options))  # type: ignore[arg-type]
        self.characters = characters
        self.names = _numbers(network)

    def character(self, number: int) -> StagedCharacter:
        """A character by its number, from 0."""
        if number >= len(self.characters):
            raise MotionError(f"there is no character {number}; there are {len(self.characters)}, from 0 on")
        return self.characters[number]

    # Time.

    def advance(self, seconds: float) -> None:
        """Let time pass, unless it stands still."""
        if not self.playing:
            return
        if self._recorded is not None:  # what is recorded has even frames, however late they come
            for _ in range(max(0, round(seconds * RATE))):
                self._step(self.rate / RATE)
                first = self.characters[0]
                self._recorded.append((first.pose, first.player.planted))
            if len(self._recorded) > _LONGEST * RATE:
                self.playing = False
        else:
            self._step(self.rate * seconds)

    def _step(self, dt: float) -> None:
        self._past.append(tuple(copy.copy(character.player) for character in self.characters))
        self._undone.clear()
        for character in self.characters:
            character.step(dt)
        first = self.characters[0]
        self._poses.append((first.player.time, first.pose))

    def step_frames(self, frames: int) -> None:
        """Stand still, and go some frames on or back."""
        self.playing = False
        for _ in range(frames):
            self._step(1.0 / RATE)
        for _ in range(-frames):
            if not self._past:
                raise MotionError("the past is kept for ten seconds; there is nothing further back")
            players = self._past.pop()
            for character, player in zip(self.characters, players, strict=False):
                character.player = player
                character.pose = player.step(0.0)
            if self._poses:
                self._poses.pop()

    def scrub(self, number: int, phase: float) -> None:
        """Stand still, and show the blend at a cycle phase in the same place. ``phase`` is in degrees."""
        self.playing = False
        self.character(number).put(phase=math.radians(phase) % math.tau)
        if self.compared is not None:
            self.compared.put_back()

    # Recording.

    @property
    def recording(self) -> float | None:
        """Seconds recorded so far; None while nothing is."""
        return None if self._recorded is None else len(self._recorded) * self.rate / RATE

    def begin_recording(self) -> None:
        """Keep every frame of the first character from now on."""
        self._recorded = []
        self.playing = True

    def end_recording(self, name: str) -> tuple[Clip, Contacts]:
        """End the recording. Returns the frames, and the foot plants by which the player locked feet."""
        rows, self._recorded = self._recorded, None
        if not rows:
            raise MotionError("nothing was recorded; begin a recording and let the character walk")
        skeleton = rows[-1][0].skeleton
        rows = [row for row in rows if row[0].skeleton is skeleton]
        clip = Clip(
            skeleton,
            owned(np.array([pose.root_position for pose, _ in rows])),
            np.array([pose.rotations_wxyz for pose, _ in rows]),
            frame_rate=RATE / self.rate,
            name=name,
        )
        down = np.array([planted for _, planted in rows])
        return clip, Contacts.from_masks({point: down[:, i] for i, point in enumerate(FOOT_POINTS)})

    # Frames.

    def figures(self) -> list[Float[np.ndarray, " floats"]]:
        """Everything that is on the stage, as records of a frame."""
        out = []
        for i, character in enumerate(self.characters):
            fields, pose = character.fields(i, self.body, self.names), character.pose
            out.append(figure_record(fields, pose.root_position, pose.rotations_wxyz, character.anchors))
        first = self.characters[0]  # a project has one at least
        if self.compared is not None:
            out.append(_plain(self.compared.pose(first.player, first.pose), 1, 0.0, self.compared.body, first))
        return [*out, *(_plain(pose, 2, seconds, self.body, first) for seconds, pose in self._onion(first))]

    def _onion(self, first: StagedCharacter) -> Sequence[tuple[float, Pose]]:
        if not self.ghosts:
            return []
        out, now, past = [], first.player.time, list(self._poses)
        for i in range(1, self.ghosts + 1):
            wanted = now - i * self.spacing
            near = [(time, pose) for time, pose in past if time <= wanted and pose.skeleton is first.pose.skeleton]
            if near:
                out.append((near[-1][0] - now, near[-1][1]))
            out.append((i * self.spacing, first.ahead(i * self.spacing)))
        return out


def _plain(pose: Pose, figure: int, number: float, body: int, first: StagedCharacter) -> Float[np.ndarray, " floats"]:
    fields = {"figure": figure, "number": number, "body": body, "phase": first.player.phase, "mode": -1, "arc": -1}
    nodes = {f"node_{letter}": -1 for letter in "abcd"}
    return figure_record({**fields, **nodes, "path_left": -1.0}, pose.root_position, pose.rotations_wxyz)


def _numbers(network: Playable) -> dict[str, dict[str, int]]:
    if not isinstance(network, HybridNetwork):
        return {"blocks": {"": 0}, "modes": {}, "arcs": {}}
    return {
        "blocks": {name: i for i, name in enumerate(network.blocks)},
        "modes": {mode.name: i for i, mode in enumerate(network.modes)},
        "arcs": {arc.name: i for i, arc in enumerate(network.arcs)},
    }
