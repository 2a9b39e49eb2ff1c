"""Recording a player as a clip."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from mocapella.arrays import owned
from mocapella.checks import MOST_FRAMES, checked_recording, explained, shown, whole_number
from mocapella.errors import MotionError, warn
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS, Contacts
from mocapella.motion.loops import is_closed
from mocapella.playback.player import Player
from mocapella.playback.pointer import Point


@runtime_checkable
class Guide(Protocol):
    """Steers a player while it is recorded."""

    def steer(self, player: Player, time: float | int) -> Point | None:
        """The goal of the blending point, ``time`` seconds into the recording; None leaves it as it is."""
        ...


LONGEST = 3600.0  # seconds at most, where a guide says when it is done
_FEWEST = 8  # frames of a cycle in a loop
_SETTLING = 3  # cycles that a character may walk before it repeats: foot locks depend on the cycle before
_SAME = 1e-4  # quaternion components and metres: poses that differ by less are the same in a loop


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
        It advances by one step per frame: a second recording begins with the frame after the last.
    seconds, frame_rate
        How long, and how many frames per second, at most a million frames in all. Without ``seconds`` the recording
        ends when ``script`` is done, as a follower of a path is at its end, within ``LONGEST`` seconds.
    script
        Sets the goal of the blending point over time, in seconds from the first frame: a ``Script``, or a guide that
        reacts to the player, such as a ``Follower`` of a path. It is called before every step, including the one after
        the last frame.
    name
        Of the clip; that of the motion being played if left out.

    Returns
    -------
    Clip
        The frames.

    Raises
    ------
    MotionError
        For times and rates that make no recording, or one of too many frames.

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
    """Record a player for some seconds, as ``record`` does, with its foot plants.

    Parameters
    ----------
    player, seconds, frame_rate, script, name
        As ``record`` takes them.

    Returns
    -------
    tuple[Clip, Contacts]
        The frames, and the foot plants by which the player locked feet.
    """
    if not isinstance(player, Player):
        raise MotionError(f"expected a player to record, got {player!r}")
    if script is not None and not isinstance(script, Guide):
        raise MotionError(f"expected what steers, such as Script.of(rows), got {shown(script)}")
    seconds, frame_rate = checked_recording(seconds, frame_rate, MOST_FRAMES)
    if seconds is None and not hasattr(script, "done"):
        raise MotionError("say for how many seconds to record: nothing here says when it is done")
    count = max(1, round(min((LONGEST if seconds is None else seconds) * frame_rate, MOST_FRAMES)))
    roots, rotations, planted = [], [], []
    for frame in range(count + (seconds is not None)):
        point = None if script is None else script.steer(player, frame / frame_rate)
        if point is not None:
            player.point = point
        pose = player.step(1.0 / frame_rate if frame else 0.0)
        if frame == count:  # where the next recording begins
            break
        roots.append(pose.root_position)
        rotations.append(pose.rotations_wxyz)
        planted.append(player.planted)
        if seconds is None and getattr(script, "done", False):
            break
    else:
        if seconds is None:
            text = f"stopped after {count / frame_rate:g} s, before what steers was done"
            warn(text)
    clip = Clip(
        player.skeleton,
        owned(np.array(roots)),
        np.array(rotations),
        frame_rate=float(frame_rate),
        name=name or player.spectrum.name,
    )
    down = np.array(planted)
    return clip, Contacts.from_masks({point: down[:, i] for i, point in enumerate(FOOT_POINTS)})


def record_loop(
    player: Player, *, rounds: int = 1, frame_rate: float | int = 60.0, frames: int | None = None, name: str = ""
) -> tuple[Clip, Contacts]:
    """Record whole cycles of a player at a resting blending point as a closed loop: the last frame equals the first.

    ``frame_rate`` is about how many frames per second; a cycle is divided into a whole number of them. ``frames`` says
    into how many frames a cycle is divided, whatever their rate; by ``frame_rate`` if None. ``name`` is that of the
    clip; that of the motion being played if left out. The returned ``Clip`` has a closing frame, where the next round
    begins. Raises ``MotionError`` where the motion does not repeat, because the point moves, a change is played, or
    parts of the motion run in their own time.
    """
    if (wanted := whole_number(rounds, "a number of cycles, at least one")) < 1:
        raise MotionError(expected="a number of cycles, at least one", got=rounds)
    duration = player.spectrum.duration
    _, rate = checked_recording(duration * wanted, frame_rate, MOST_FRAMES)
    count = max(_FEWEST, round(duration * rate) if frames is None else whole_number(frames, "a number of frames"))
    exact = count / duration
    seconds = (wanted * count + 1) / exact
    checked_recording(seconds, exact, MOST_FRAMES)
    first, contacts = record_with_contacts(player, seconds=seconds, frame_rate=exact, name=name)
    clip = first
    for _ in range(_SETTLING):
        if is_closed(clip, within=_SAME):
            break
        for _ in range(count - 1):  # on to where the next round begins
            player.step(1.0 / exact)
        clip, contacts = record_with_contacts(player, seconds=seconds, frame_rate=exact, name=name)
    if is_closed(clip, within=_SAME):
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
