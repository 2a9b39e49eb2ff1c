"""Recording a player as a clip."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

import numpy as np

from mocapella.arrays import owned
from mocapella.checks import MOST_FRAMES, checked_recording, explained, shown, whole_number
from mocapella.errors import MotionError, warn
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS, Contacts
from mocapella.motion.loops import is_closed
from mocapella.motion.pose import Pose
from mocapella.playback.player import Player
from mocapella.playback.pointer import Point
from mocapella.playback.reference_character import Planted


@runtime_checkable
class Guide(Protocol):
    """Steers a player while it is recorded."""

    def steer(self, player: Player, time: float | int) -> Point | None:
        """The goal of the blending point, ``time`` seconds into the recording; None leaves it as it is."""
        ...


LONGEST = 3600.0  # seconds at most, where a guide says when it is done
_FEWEST = 8  # frames of a cycle in a loop


@explained
def record(
    player: Player,
    *,
    seconds: float | int | None = None,
    frame_rate: float | int = 60.0,
    script: Guide | None = None,
    name: str = "",
) -> Clip:
    """Record a player for some seconds as a clip; its first frame is the present pose.

    Parameters
    ----------
    player
        Player to record. It advances by one step per frame: a second recording begins with the frame after the last.
    seconds
        Length of the recording. None ends it when ``script`` is done, as a follower of a path is at its end, or after
        ``LONGEST`` seconds.
    frame_rate
        Frames per second; a recording has at most a million frames.
    script
        Guide that sets the goal of the blending point over time, in seconds from the first frame: a ``Script``, or one
        that reacts to the player, such as a ``Follower`` of a path. It is called before every step, including the one
        after the last frame.
    name
        Name of the clip; that of the motion being played if empty.

    Returns
    -------
    Clip
        One frame for each step, on the skeleton of the player.

    Raises
    ------
    MotionError
        For a length or a frame rate that is not above 0, too many frames, or no length where ``script`` has no end.

    Warns
    -----
    MotionWarning
        Where ``script`` was not done within ``LONGEST`` seconds.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> from mocapella.analysis.fourier import analyse
    >>> from mocapella.analysis.prepare import prepare
    >>> player = Player(analyse(prepare(perform("walk")[0]), harmonics=10))
    >>> record(player, seconds=2, frame_rate=30).n_frames
    60
    """
    return record_with_contacts(player, seconds=seconds, frame_rate=frame_rate, script=script, name=name)[0]


def record_with_contacts(
    player: Player,
    *,
    seconds: float | int | None = None,
    frame_rate: float | int = 60.0,
    script: Guide | None = None,
    name: str = "",
) -> tuple[Clip, Contacts]:
    """Record a player for some seconds, as ``record`` does, with the foot plants by which it locked feet.

    Parameters
    ----------
    player, seconds, frame_rate, script, name
        The same as those of ``record``.

    Returns
    -------
    tuple[Clip, Contacts]
        The recorded clip, and the frames in which each foot point was planted.
    """
    if not isinstance(player, Player):
        raise MotionError(f"expected a player to record, got {player!r}")
    if script is not None and not isinstance(script, Guide):
        raise MotionError(f"expected what steers, such as Script.of(rows), got {shown(script)}")
    seconds, frame_rate = checked_recording(seconds, frame_rate, MOST_FRAMES)
    if seconds is None and not hasattr(script, "done"):
        raise MotionError("say for how many seconds to record: nothing here says when it is done")
    n_frames = max(1, round(min((LONGEST if seconds is None else seconds) * frame_rate, MOST_FRAMES)))
    frames = list(_frames(player, n_frames, frame_rate, script, until_done=seconds is None))
    poses, planted = [pose for pose, _ in frames], np.array([down for _, down in frames])
    clip = Clip(
        player.skeleton,
        owned(np.array([pose.root_position for pose in poses])),
        np.array([pose.rotations_wxyz for pose in poses]),
        frame_rate=float(frame_rate),
        name=name or player.spectrum.name,
    )
    return clip, Contacts.from_masks({point: planted[:, i] for i, point in enumerate(FOOT_POINTS)})


def _frames(
    player: Player, n_frames: int, frame_rate: float, script: Guide | None, *, until_done: bool
) -> Iterator[tuple[Pose, Planted]]:
    """Step a player frame by frame: its poses, and which foot points are planted.

    ``until_done`` ends with the frame in which ``script`` is done; otherwise the player goes one step further, to where
    the next recording begins.
    """
    for frame in range(n_frames + 1):
        if until_done and frame == n_frames:
            warn(f"stopped after {n_frames / frame_rate:g} s, before what steers was done")
            return
        point = None if script is None else script.steer(player, frame / frame_rate)
        if point is not None:
            player.point = point
        pose = player.step(1.0 / frame_rate if frame else 0.0)
        if frame == n_frames:
            return
        yield pose, player.planted
        if until_done and getattr(script, "done", False):
            return


def record_loop(
    player: Player, *, rounds: int = 1, frame_rate: float | int = 60.0, frames: int | None = None, name: str = ""
) -> tuple[Clip, Contacts]:
    """Record whole cycles of a player at a resting blending point as a closed loop: the last frame equals the first.

    A cycle has a whole number of frames: ``frames``, or as many as come nearest to ``frame_rate`` (per second) if None.
    The clip has a closing frame, where the next round begins. Raises ``MotionError`` where the motion does not repeat,
    because the point moves, a change is played, or parts of the motion run in their own time.
    """
    if (wanted := whole_number(rounds, "a number of cycles, at least one")) < 1:
        raise MotionError(expected="a number of cycles, at least one", got=rounds)
    duration = player.spectrum.duration
    _, rate = checked_recording(duration * wanted, frame_rate, MOST_FRAMES)
    count = max(_FEWEST, round(duration * rate) if frames is None else whole_number(frames, "a number of frames"))
    exact = count / duration
    seconds = (wanted * count + 1) / exact
    checked_recording(seconds, exact, MOST_FRAMES)
    same = 1e-4  # quaternion components and metres: poses that differ by less are the same in a loop
    settling = 3  # cycles that a character may walk before it repeats: foot locks depend on the cycle before
    first, contacts = record_with_contacts(player, seconds=seconds, frame_rate=exact, name=name)
    clip = first
    for _ in range(settling):
        if is_closed(clip, within=same):
            break
        for _ in range(count - 1):  # on to where the next round begins
            player.step(1.0 / exact)
        clip, contacts = record_with_contacts(player, seconds=seconds, frame_rate=exact, name=name)
    if is_closed(clip, within=same):
        return _begun_at(clip, first), contacts
    raise MotionError(
        "the motion does not repeat cycle by cycle here: the blending point moves, a change is played, or a part "
        "runs in its own time; let the point rest, or record some seconds"
    )


def _begun_at(clip: Clip, other: Clip) -> Clip:
    """The same motion, begun where another clip begins, heading the same way."""
    (x, _, z), (goal_x, _, goal_z) = clip.root_positions[0], other.root_positions[0]
    turn = float(other.headings[0] - clip.headings[0])
    return clip if clip is other else clip.turned(turn, about=(float(x), float(z))).moved(goal_x - x, goal_z - z)
