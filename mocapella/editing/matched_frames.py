"""Corresponding frames of two motions: by length, by supports, by key times or by a dynamic time warp.

A ``TimeMap`` is a list of pairs of frames, increasing in both motions, with straight lines between them; so time never
stands still or runs backwards, whichever of the two is played.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from mocapella.analysis.plants.detect import find_plants
from mocapella.arrays import freeze
from mocapella.checks import explained, named, shown
from mocapella.editing.stances import Stance, find_stances
from mocapella.editing.time_warp import warp_path
from mocapella.errors import MotionError, Option
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import Contacts
from mocapella.stages import refuse_other_stage

_LEAST_APART = 1e-6  # frames between two keys
_SAME_STANCES = 2  # supports that two motions must have in common


@dataclass(frozen=True, eq=False)
class TimeMap:
    """Pairs of frames of two clips that correspond, increasing in both; between pairs both move on evenly.

    Examples
    --------
    >>> twice_as_slow = TimeMap(np.array([0.0, 10.0]), np.array([0.0, 20.0]))
    >>> twice_as_slow.second_at(np.array([2.5])).tolist()
    [5.0]
    """

    first: Float[np.ndarray, " pairs"]  # frames of the first clip, fractions allowed
    second: Float[np.ndarray, " pairs"]  # frames of the second

    def __post_init__(self) -> None:
        freeze(self, np.float64, "first", "second")
        if self.first.shape != self.second.shape or self.first.ndim != 1 or len(self.first) < 2:
            raise MotionError(
                expected="two lists of frames, as many in each and two at least",
                got=f"{len(self.first)} and {len(self.second)}",
            )
        for frames in (self.first, self.second):
            if not np.isfinite(frames).all() or np.diff(frames).min() <= 0.0:
                raise MotionError(expected="frames that increase from pair to pair", got=_shown(frames))

    def second_at(self, frames: Float[np.ndarray, " points"]) -> Float[np.ndarray, " points"]:
        """Frames of the second clip that correspond to frames of the first."""
        return np.asarray(np.interp(frames, self.first, self.second))

    def reversed(self) -> TimeMap:
        """The same correspondence, the clips exchanged."""
        return TimeMap(self.second, self.first)


@explained
def align_clips(
    first: Clip,
    second: Clip,
    method: str = "warp",
    *,
    keys: Sequence[Sequence[float | int]] = (),
    contacts: tuple[Contacts, Contacts] | None = None,
) -> TimeMap:
    """Find which frames of two clips correspond.

    Parameters
    ----------
    first, second
        Two clips, on any skeletons; artificial rest poses at their starts are left out, and frames counted without
        them.
    method
        ``"length"``: first frames correspond, and last ones. ``"stances"``: landings correspond, and lift-offs between
        them, from the first support that both have. ``"keys"``: given frames do, and the ends. ``"warp"``: what a
        dynamic time warp of the poses finds.
    keys
        For ``"keys"``: pairs of rows of the two sources, in order.
    contacts
        For ``"stances"``: foot plants of the clips; found if None.

    Returns
    -------
    TimeMap
        All frames of both, or with ``"stances"`` those in which both step alike.

    Raises
    ------
    MotionError
        Where there is no such method, or the clips have nothing to align by.

    Examples
    --------
    >>> import mocapella as mo
    >>> from mocapella.actor import perform
    >>> slow, fast = (perform("walk", speed=speed, cycles=3.0)[0] for speed in (0.9, 1.5))
    >>> found = mo.align_clips(slow, fast, "stances")
    >>> bool(found.first[-1] - found.first[0] > found.second[-1] - found.second[0])
    True
    """
    for clip in (first, second):
        refuse_other_stage(clip, "Clip")
    align = named(method, ALIGNMENTS, "a way to align two clips")
    if (keys and align is not _by_keys) or (contacts is not None and align is not _by_stances):
        given = "keys" if keys else "contacts"
        raise MotionError(f"{given} are for another way to align than {method!r}", option=Option("method", given))
    return align(first.captured, second.captured, {"keys": keys, "contacts": contacts})


_Align = Callable[[Clip, Clip, Mapping[str, Any]], TimeMap]


def _by_length(first: Clip, second: Clip, _: Mapping[str, Any]) -> TimeMap:
    """First frames correspond, and last ones."""
    _refuse_short(first, second)
    return TimeMap(np.array([0.0, first.n_frames - 1.0]), np.array([0.0, second.n_frames - 1.0]))


def _by_keys(first: Clip, second: Clip, options: Mapping[str, Any]) -> TimeMap:
    """Given frames correspond; so do the ends, where no keys are there."""
    _refuse_short(first, second)
    try:
        given = np.array(list(options["keys"]), dtype=np.float64).reshape(-1, 2)
    except (TypeError, ValueError):
        raise MotionError(expected="keys as pairs of rows of the two motions", got=shown(options["keys"])) from None
    keys = given - [first.first_row, second.first_row]
    lasts = np.array([first.n_frames - 1.0, second.n_frames - 1.0])
    if len(keys) == 0:
        raise MotionError("aligning by keys needs some", helps=str(Option("keys", ((30, 42), (95, 120)))))
    if not np.isfinite(keys).all() or keys.min() < 0.0 or (keys > lasts).any():
        raise MotionError(expected="keys among the rows of both motions", got=_shown(keys))
    ends = [end for end in (np.zeros(2), lasts) if not np.isclose(keys, end, atol=_LEAST_APART).any()]
    pairs = np.array(sorted([*keys.tolist(), *(end.tolist() for end in ends)]))
    return TimeMap(pairs[:, 0], pairs[:, 1])


def _by_stances(first: Clip, second: Clip, options: Mapping[str, Any]) -> TimeMap:
    """Landings of the same foot correspond, and where the other foot lifts off between them (Glardon and Boulic)."""
    given = options["contacts"] or (None, None)
    events = []
    for clip, contacts in zip((first, second), given, strict=True):
        plants = find_plants(clip, gait=True) if contacts is None else contacts
        events.append((find_stances(clip, plants), plants))
    (stances, plants), (other_stances, others) = events
    pairs = _matched(stances, other_stances)
    if len(pairs) < _SAME_STANCES:
        raise MotionError(
            "the two motions have no steps in common to align by",
            helps=f"align them by their poses: {Option('method', 'warp')}",
            option=Option("method", "warp"),
        )
    frames: list[tuple[float, float]] = []
    for a, b in pairs:
        frames.append((a.begin, b.begin))
        lifts = _lift_off(a, plants), _lift_off(b, others)
        if lifts[0] is not None and lifts[1] is not None:
            frames.append((lifts[0], lifts[1]))
    frames.append((min(pairs[-1][0].end, first.n_frames - 1.0), min(pairs[-1][1].end, second.n_frames - 1.0)))
    rising = [frames[0]]
    for pair in frames[1:]:
        if min(pair[0] - rising[-1][0], pair[1] - rising[-1][1]) > _LEAST_APART:
            rising.append(pair)
    return TimeMap(*(np.array(values) for values in zip(*_with_ends(rising, first, second), strict=True)))


ALIGNMENTS: Mapping[str, _Align] = {
    "warp": lambda first, second, _: TimeMap(*warp_path(first, second)),
    "stances": _by_stances,
    "length": _by_length,
    "keys": _by_keys,
}


def _matched(first: Sequence[Stance], second: Sequence[Stance]) -> list[tuple[Stance, Stance]]:
    """Stances of the same feet in order, begun where most of them are complete in both."""
    ours, theirs = ([stance for stance in part if stance.complete and not stance.pause] for part in (first, second))
    best: list[tuple[Stance, Stance]] = []
    for a, b in itertools.product(range(min(2, len(ours))), range(min(2, len(theirs)))):
        pairs = zip(ours[a:], theirs[b:], strict=False)
        best = max(best, list(itertools.takewhile(lambda pair: pair[0].foot == pair[1].foot, pairs)), key=len)
    return best


def _lift_off(stance: Stance, plants: Contacts) -> float | None:
    """The frame in which the other foot leaves the ground within a stance; None where it is not seen."""
    other = "right" if stance.foot == "left" else "left"
    lifts = [last for _, last in plants.foot(other) if stance.first < last < stance.last]
    return float(lifts[0]) if lifts else None


def _with_ends(frames: list[tuple[float, float]], first: Clip, second: Clip) -> list[tuple[float, float]]:
    """The pairs with one more at either end, as far on as both clips go at the pace beside it."""
    (a, b), (c, d) = frames[0], frames[1]
    share = min(a / (c - a), b / (d - b))
    if share > 0.02:
        frames = [(a - share * (c - a), b - share * (d - b)), *frames]
    (a, b), (c, d) = frames[-2], frames[-1]
    share = min((first.n_frames - 1.0 - c) / (c - a), (second.n_frames - 1.0 - d) / (d - b))
    return [*frames, (c + share * (c - a), d + share * (d - b))] if share > 0.02 else frames


def _refuse_short(*clips: Clip) -> None:
    for clip in clips:
        if clip.n_frames < 2:
            raise MotionError(expected="clips of two frames or more to align", got=repr(clip))


def _shown(values: Float[np.ndarray, "*shape"]) -> str:
    return ", ".join(f"{value:g}" for value in np.ravel(values)[:8]) + (" …" if values.size > 8 else "")
