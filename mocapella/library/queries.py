"""Finding motions in a library: by words and figures, and by example."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from mocapella.errors import MotionError
from mocapella.library.descriptors import LOOKS, N_NUMBERS, N_POINTS, WINDOW, pose_of, windows_of
from mocapella.library.entries import FIGURES, KINDS, Found
from mocapella.library.store import Library

if TYPE_CHECKING:
    from mocapella.motion.clip import Clip

_LEFT = 8.0  # degrees per second from which a motion turns
_WIDTH = 0.05  # of a single figure that is asked for, to both sides, with the least below
_COLUMNS = {
    **{name: (f"s.{name}", least) for name, least in FIGURES.items()},
    "seconds": ("s.frames / c.frame_rate", 0.1),
    "height": ("c.height", 0.02),
}
_SIDES = {"left": f"s.turn > {_LEFT}", "right": f"s.turn < -{_LEFT}", "none": f"abs(s.turn) <= {_LEFT}"}
_SIDES["straight"] = _SIDES["none"]
_CLOSELY = 1 / 15  # s between windows of an example: stored ones are half a second apart, at any phase of a step
_POSE = 0.2  # s: a shorter example is a pose
_HELP = "say it as: walk speed:1.0..1.3 turn:left word:happy"


@dataclass(frozen=True)
class _Part:
    """A condition in SQL, and what its question marks stand for."""

    sql: str
    values: tuple[Any, ...] = ()


def find(library: Library, query: str, *, most: int = 50) -> list[Found]:
    """Stretches that fit a query.

    ``query`` consists of words, all of which must fit: a kind (walk, run, turn, stand, change, other), a figure or a
    range of one (``speed:1.0..1.3``, ``turn:-20..``, ``step:0.7``, ``slope:``, ``seconds:``, ``height:``),
    ``turn:left``, ``turn:right`` or ``turn:straight``, and any other word of the file's name, its folder's or the text
    beside it. ``most`` is how many to give at most. Returns longest first; duplicates of other captures are left out.
    Raises ``MotionError`` where a part of the query makes no sense.

    Examples
    --------
    >>> import tempfile
    >>> with Library.at(tempfile.mkdtemp(), create=True) as empty:
    ...     find(empty, "walk speed:1.0..1.3 turn:left")
    []
    """
    parts = [_Part("c.twin IS NULL")]
    kinds = []
    for word in query.split():
        if word.lower() in KINDS:
            kinds.append(word.lower())
        else:
            parts.append(_condition(word))
    if kinds:
        parts.append(_Part(f"s.kind IN ({', '.join('?' * len(kinds))})", tuple(kinds)))
    values = [value for part in parts for value in part.values]
    return library.select(" AND ".join(part.sql for part in parts), values, most=most)


def find_like(
    library: Library, example: Clip, *, most: int = 20, keep: Callable[[Found], bool] = lambda result: True
) -> list[Found]:
    """Stretches of a second, or poses, that are most like an example.

    ``example`` is a clip of any length and body; each second of it is compared. Of less than 0.2 s the pose in its
    middle is, with poses of the captures a quarter of a second apart. ``most`` is how many to give at most, one for
    each capture. The nearest first. ``score`` is the mean distance of the joints, and of the way, in leg lengths.
    """
    index = library.index
    if not len(index.numbers):
        return []
    captured = example.captured
    nearest = _poses(library, captured) if captured.seconds < _POSE else _seconds(library, captured)
    out: list[Found] = []
    wanted, tried = most, 0
    while True:
        rows = nearest(wanted)
        for row in rows[tried:]:
            result = row()
            if keep(result):
                out.append(result)
            if len(out) >= most:
                return out
        if len(rows) < wanted:
            return out
        wanted, tried = 4 * wanted, len(rows)  # some were not to be kept


_Nearest = Callable[[int], list[Callable[[], Found]]]  # of so many captures, looked up when they are wanted


def _seconds(library: Library, example: Clip) -> _Nearest:
    """The seconds of captures that are nearest to any of an example."""
    index = library.index
    asked = windows_of(example, hop=_CLOSELY)[0].astype(np.float32)

    def nearest(most: int) -> list[Callable[[], Found]]:
        places, squares = index.nearest(asked, most)
        scores = np.sqrt(squares * 3.0 / N_NUMBERS)
        return [
            partial(library.at_window, int(index.clips[place]), int(index.starts[place]), WINDOW, float(score))
            for place, score in zip(places, scores, strict=True)
        ]

    return nearest


def _poses(library: Library, example: Clip) -> _Nearest:
    """The poses of captures that are nearest to one."""
    index, pose = library.index, pose_of(example)

    def at_pose(clip: int, start: int, look: int, score: float) -> Found:
        window = library.at_window(clip, start, WINDOW, score)
        frame = start + round(look / (LOOKS - 1) * window.frames)
        return library.at_window(clip, frame, 0.0, score)

    def nearest(most: int) -> list[Callable[[], Found]]:
        places, looks, squares = index.nearest_poses(pose, most)
        scores = np.sqrt(squares / N_POINTS)
        return [
            partial(at_pose, int(index.clips[place]), int(index.starts[place]), int(look), float(score))
            for place, look, score in zip(places, looks, scores, strict=True)
        ]

    return nearest


def _condition(word: str) -> _Part:
    """A word of a query as a condition."""
    name, colon, value = word.partition(":")
    name = name.lower()
    if not colon or name == "word":
        called = value.lower() if colon else name
        return _Part("EXISTS (SELECT 1 FROM words w WHERE w.clip = c.id AND w.word = ?)", (called,))
    if name == "turn" and value.lower() in _SIDES:
        return _Part(_SIDES[value.lower()])
    if name not in _COLUMNS:
        raise MotionError(f"a query has no {name!r}; there are {', '.join((*_COLUMNS, 'word'))}", helps=_HELP)
    column, least = _COLUMNS[name]
    return _Part(f"{column} BETWEEN ? AND ?", _range(word, value, least))


def _range(word: str, value: str, least: float) -> tuple[float, float]:
    """The bounds that a figure or a range stands for."""
    number = r"[-+]?(?:\d+(?:\.\d+)?|\.\d+)"
    match = re.fullmatch(rf"({number})?(\.\.)?({number})?", value)
    if not match or not (match[1] or match[3]) or (match[3] and not match[2]):
        raise MotionError(f"{word!r} is neither a number nor a range", helps=_HELP)
    if not match[2]:
        figure = float(match[1])
        width = max(_WIDTH * abs(figure), least)
        return figure - width, figure + width
    low = float(match[1]) if match[1] else -1e30
    high = float(match[3]) if match[3] else 1e30
    if low > high:
        raise MotionError(f"{word!r} ends below where it begins", helps=_HELP)
    return low, high
