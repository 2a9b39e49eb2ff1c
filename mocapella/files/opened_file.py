"""Files with several animations, opened once: their motions, what these are called, and which are of no use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from mocapella.errors import FormatError, MotionError
from mocapella.files.animations import named_apart
from mocapella.files.conventions import Animation, Parsed
from mocapella.files.format_table import FORMATS
from mocapella.files.nodes import MOST_ROTATIONS

_UNREAD = MotionError("reading it opens the file once more")
_STILL = 1e-4  # of rotations and file units: what moves no further shows one pose


class _Opened:
    """An animation of a file that was opened, and its motion once it was read."""

    def __init__(self, animation: Animation) -> None:
        self.name, self.size, self.opens_again = animation.name, animation.size, animation.opens_again
        self._read = animation.read

    @cached_property
    def motion(self) -> Parsed | MotionError:
        """The motion, or why it cannot be read."""
        try:
            return self._read()
        except MotionError as error:
            return error


@dataclass(frozen=True, eq=False)
class Titled:
    """The motions of a file with their titles, and why some are of no use beside the others."""

    motions: list[Parsed | MotionError]
    titles: list[str]  # "" for the only one of use
    reasons: list[str]  # "" for those of use
    settled: dict[object, Any] = field(default_factory=dict)  # what was decided about them, by how they are read

    @classmethod
    def of(cls, names: Sequence[str], motions: Sequence[Parsed | MotionError]) -> Titled:
        """Poses are of no use beside motions, nor are motions that are there twice."""
        short = named_apart(names)
        moving = [isinstance(motion, Parsed) and not _is_pose(motion) for motion in motions]
        reasons = [""] * len(motions)
        first: dict[bytes, str] = {}
        for number, motion in enumerate(motions):
            if isinstance(motion, Parsed):
                arrays = (motion.rotations_wxyz, motion.root_positions, motion.slides, np.array(motion.frame_rate))
                twin = first.setdefault(b"".join(array.tobytes() for array in arrays), short[number])
                if twin != short[number]:
                    reasons[number] = f"shows the very same motion as {twin}"
                elif any(moving) and not moving[number]:
                    reasons[number] = "is a pose: nothing moves in it"
        used = [number for number, reason in enumerate(reasons) if not reason]
        titles = ["" if used == [number] else name for number, name in enumerate(short)]
        titled = [
            replace(motion, animation=title) if isinstance(motion, Parsed) else motion
            for motion, title in zip(motions, titles, strict=True)
        ]
        return cls(titled, titles, reasons)


class _OpenedFile:
    """A file with several animations, each read once."""

    def __init__(self, place: Path, frame_rate: float | None) -> None:
        animations = FORMATS[place.suffix.lower()].animations
        assert animations is not None
        self.place, self.frame_rate = place, frame_rate
        self.animations = [_Opened(animation) for animation in animations(place, frame_rate=frame_rate)]
        self.names = [animation.name for animation in self.animations]

    @cached_property
    def titled(self) -> Titled:
        """All motions but those for which the file is opened once more, as far as there is room for them."""
        return Titled.of(self.names, self._motions(again=False))

    def with_all(self) -> Titled:
        """All motions, as far as there is room for them."""
        again = any(animation.opens_again for animation in self.animations)
        return Titled.of(self.names, self._motions(again=True)) if again else self.titled

    def with_motion(self, number: int) -> Titled:
        """Those of ``titled``, and one that is not among them, perhaps since the others left no memory for it."""
        motion = self.animations[number].motion
        if isinstance(motion, MotionError):
            motion = _OpenedFile(self.place, self.frame_rate).animations[number].motion
        motions = [motion if i == number else other for i, other in enumerate(self.titled.motions)]
        return Titled.of(self.names, motions)

    def _motions(self, *, again: bool) -> list[Parsed | MotionError]:
        motions: list[Parsed | MotionError] = []
        size = 0
        for animation in self.animations:
            if size > MOST_ROTATIONS:
                reason = "no room is left for it beside the other animations of its file"
                motions.append(FormatError(self.place, 0, reason))
                continue
            motion = _UNREAD if animation.opens_again and not again else animation.motion
            size += motion.rotations_wxyz[..., 0].size if isinstance(motion, Parsed) else 0
            motions.append(motion)
        return motions


def opened(place: Path, frame_rate: float | None) -> _OpenedFile:
    """The animations of a file; the last file is kept, for its animations are often asked for one by one.

    A ``.gltf`` file is not: its numbers are in other files, which may have changed.
    """
    try:
        status = place.stat()
    except (OSError, ValueError):
        return _OpenedFile(place, frame_rate)  # which says what is wrong
    if place.suffix.lower() == ".gltf":
        return _OpenedFile(place, frame_rate)
    return _opened_last(place, frame_rate, (status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size))


@lru_cache(maxsize=1)
def _opened_last(place: Path, frame_rate: float | None, state: tuple[int, ...]) -> _OpenedFile:
    return _OpenedFile(place, frame_rate)


def _is_pose(motion: Parsed) -> bool:
    spans = [np.ptp(values, axis=0).max(initial=0.0) for values in (motion.rotations_wxyz, motion.root_positions)]
    return bool(max(spans) <= _STILL)
