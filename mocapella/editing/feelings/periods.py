"""Basic periods of a gesture: from one moment at which the leading hand or foot rests to the next.

Drinking has four: the hand goes to the cup, the cup to the mouth, the cup down, the hand back.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy
from jaxtyping import Float

from mocapella.errors import MotionError, Option
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.rig.names import SIDES
from mocapella.rig.roles import find_roles
from mocapella.stages import refuse_other_stage

ENDS = tuple(side + part for part in ("wrist", "ankle") for side in SIDES)


class _PeriodSettings(NamedTuple):
    """What counts as a basic period of a gesture."""

    smoothing: float = 0.04  # seconds: jitter of a capture is no rest
    moving: float = 0.15  # of the top speed that a period reaches at least: a resting hand moves more slowly
    still: float = 0.06  # of the top speed: slower is no part of a gesture
    deep: float = 0.45  # of the lower of two peaks: a deeper minimum between them parts two periods
    shortest: float = 0.08  # seconds that a period lasts at least


_PERIOD = _PeriodSettings()


@dataclass(frozen=True)
class BasicPeriods:
    """The frames between which a gesture's periods lie, and the end that leads it."""

    end: str  # role of the hand or foot: "right_wrist"
    frames: tuple[int, ...]  # frames of the clip: each period lasts from one to the next

    @property
    def count(self) -> int:
        """How many periods there are."""
        return len(self.frames) - 1


def basic_periods(
    clip: Clip, *, end: str | None = None, frames: Sequence[int] = (), at_most: int | None = None
) -> BasicPeriods:
    """The basic periods of a gesture, by minima of the speed of its leading end.

    Frames are those of ``clip.captured``. Raises ``MotionError`` where the skeleton has no such end, nothing moves, or
    the frames are not in order within the clip.

    Parameters
    ----------
    clip
        A gesture, begun and ended at rest or cut from a longer motion; an artificial rest pose is left out.
    end
        Role of the end that leads, such as ``right_wrist``; the one that moves furthest relative to the hips if None.
    frames
        Rows of the source between which the periods lie, instead of finding them; two at least, in order.
    at_most
        Find no more than so many: those parted by the deepest minima.

    Examples
    --------
    >>> from mocapella.actor import CLEAN, perform
    >>> basic_periods(perform("drink", imperfections=CLEAN)[0]).count
    4
    """
    refuse_other_stage(clip, "Clip")
    clip = clip.captured
    paths = _paths(clip)
    if end is not None and end not in paths:
        raise MotionError(expected=f"the role of an end, one of {', '.join(paths) or 'none'}", got=repr(end))
    if not paths:
        raise MotionError(
            "the skeleton has neither wrists nor ankles, so nothing leads its gestures",
            helps=f"say which joints they are when the file is loaded: {Option('roles', {'right_wrist': 'Hand.R'})}",
            option=Option("roles", {"right_wrist": "Hand.R"}),
        )
    lengths = {role: float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum()) for role, path in paths.items()}
    leading = end or max(lengths, key=lambda role: lengths[role])
    if len(frames):
        return BasicPeriods(leading, _given(clip, frames))
    speed = end_speed(clip, leading)
    if not speed.max() > 0.0:
        raise MotionError(f"{clip!r} stands still, so it has no basic periods")
    return BasicPeriods(leading, _found(speed, clip.frame_rate, at_most))


def end_speed(clip: Clip, end: str, *, smoothing: float = _PERIOD.smoothing) -> Float[np.ndarray, " frames"]:
    """The speed of an end relative to the hips.

    Parameters
    ----------
    clip
        A motion.
    end
        The role of a wrist or an ankle, such as ``right_wrist``.
    smoothing
        Seconds over which the way of the end is smoothed.

    Returns
    -------
    numpy.ndarray
        m/s, one value for each frame.
    """
    path = end_path(clip, end)
    if len(path) < 2:
        return np.zeros(len(path))
    smooth = scipy.ndimage.gaussian_filter1d(path, smoothing * clip.frame_rate, axis=0, mode="nearest")
    return np.asarray(np.linalg.norm(np.gradient(smooth, axis=0), axis=1) * clip.frame_rate)


def end_path(clip: Clip, end: str) -> Float[np.ndarray, "frames 3"]:
    """The path of an end seen from the hips, in axes that turn with the heading, metres."""
    return _paths(clip)[end]


def _paths(clip: Clip) -> dict[str, Float[np.ndarray, "frames 3"]]:
    """Paths of hands and feet seen from the hips, in axes that turn with the heading, metres."""
    roles = find_roles(clip.skeleton)
    back = quaternions.about_y(-clip.headings)
    return {
        end: quaternions.rotate(back, clip.positions[:, roles[end]] - clip.root_positions)
        for end in ENDS
        if end in roles
    }


def _found(speed: Float[np.ndarray, " frames"], rate: float, at_most: int | None) -> tuple[int, ...]:
    """Where periods begin and end: deep minima of the speed, between the first and the last moment of movement."""
    quiet = _PERIOD.still * float(speed.max())
    moving = np.flatnonzero(speed > quiet)
    first, last = max(int(moving[0]) - 1, 0), min(int(moving[-1]) + 1, len(speed) - 1)
    high = _PERIOD.moving * float(speed.max())
    peaks = [i for i in range(first + 1, last) if speed[i] >= speed[i - 1] and speed[i] > speed[i + 1] > 0.0]
    peaks = [i for i in peaks if speed[i] > high]
    bounds: dict[int, float] = {}  # frame → depth, in the lower of the peaks beside it
    top = peaks[0] if peaks else first
    for peak in peaks[1:]:
        low = float(speed[top : peak + 1].min())
        depth = low / min(speed[top], speed[peak])
        if depth < _PERIOD.deep:
            rest = top + np.flatnonzero(speed[top : peak + 1] <= max(low, quiet))
            middle = round(0.5 * (rest[0] + rest[-1]))  # of a rest, not the moment it is quietest
            if middle - max(bounds, default=first) >= _PERIOD.shortest * rate:
                bounds[middle] = depth
            top = peak
        elif speed[peak] > speed[top]:
            top = peak
    deepest = sorted(bounds, key=lambda frame: bounds[frame])
    return (first, *sorted(deepest if at_most is None else deepest[: max(at_most - 1, 0)]), last)


def _given(clip: Clip, frames: Sequence[int]) -> tuple[int, ...]:
    ends = [int(frame) - clip.first_row for frame in frames]
    if len(ends) < 2 or ends[0] < 0 or ends[-1] >= clip.n_frames or any(b <= a for a, b in itertools.pairwise(ends)):
        rows = f"{clip.first_row} to {clip.first_row + clip.n_frames - 1}"
        raise MotionError(expected=f"two rows or more in order, among {rows}", got=list(frames))
    return tuple(ends)
