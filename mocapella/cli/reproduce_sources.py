"""Whose motions published tables are made again of: CMU captures where there are some, else the embedded actor's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mocapella.actor import capture
from mocapella.blending.axes import TURN_AND_SPEED, Axes
from mocapella.blending.build import build_network
from mocapella.blending.network import Network
from mocapella.blending.sources import Source, cycles_of
from mocapella.errors import MotionError
from mocapella.files.formats import READABLE
from mocapella.motion.cycle import Cycle

_WALKS = (11, 13, 15, 17, 19, 21, 23, 24, 25, 26, 27, 29, 31, 33, 47, 58)  # subject 16, straight to 90° turns
_RUNS = (35, 36, 37, 39, 41, 43, 45, 46, 48, 49, 50, 51, 53, 55, 56)
_STYLES = ("normal", "tired", "brisk", "sad", "happy", "relaxed", "marching", "drunk")
_TURNS = ("straight", "left", "right", "sharp left", "sharp right")
SUBJECT_16 = tuple(f"16_{i}.bvh" for i in _WALKS)
# By title the captures of each set, and by what they lie; straight ones on a line by their speed.
LEFT_OUT: Mapping[str, tuple[tuple[str, ...], Axes | None]] = {
    "07, straight walks": (tuple(f"07_{i:02d}.amc" for i in range(1, 12)), None),
    "08, straight walks": (tuple(f"08_{i:02d}.bvh" for i in (1, 4, 7, 11)), None),
    "16, straight walks": (tuple(f"16_{i}.bvh" for i in (15, 21, 31, 47, 58)), None),
    "16, walks and turns": (tuple(f"16_{i}.bvh" for i in _WALKS if i != 33), TURN_AND_SPEED),
    "16, runs and turns": (tuple(f"16_{i}.bvh" for i in _RUNS), TURN_AND_SPEED),
}


@dataclass(frozen=True)
class Sources:
    """A folder of CMU's captures, with folders in it, or None for the actor."""

    folder: Path | None
    tell: Callable[[str], None] = lambda words: None

    def __post_init__(self) -> None:
        if self.folder is not None and not self.folder.is_dir():
            raise MotionError(f"{self.folder} is no folder; --captures names one that holds CMU's motion files")

    @property
    def real(self) -> bool:
        """Whether there is what a network of captured walks takes."""
        return self.found(SUBJECT_16) is not None

    @property
    def named(self) -> str:
        """Whose walks these are, in words."""
        return "CMU subject 16" if self.real else "the embedded actor"

    def found(self, names: Sequence[str]) -> list[Path] | None:
        """The files of these names; None where one of them is missing."""
        paths = [self._files.get(name) for name in names]
        there = [path for path in paths if path is not None]
        return there if len(there) == len(paths) else None

    def walks(self) -> Network:
        """A network of walks, all takes kept, none mirrored: straight to sharp turns, slow to fast."""
        self.tell("preparing walks")
        files = self.found(SUBJECT_16)
        takes: Sequence[Source] = _actor_walks() if files is None else files
        return build_network(takes, mirror=False, thin=False)

    def left_out(self) -> dict[str, tuple[list[Cycle], Axes | None]]:
        """Sets of cycles to leave one out of, and by what they lie."""
        if not self.real:
            return {"actor, walks and turns": (cycles_of(_actor_walks()), TURN_AND_SPEED)}
        out = {}
        for title, (names, axes) in LEFT_OUT.items():
            files = self.found(names)
            if files is not None:
                self.tell(f"preparing {title}")
                out[title] = (cycles_of(files), axes)
        return out

    def cycle(self, name: str, instead: str) -> Cycle:
        """The cycle of one capture by its file name, or of one of the actor's."""
        files = self.found([name]) if self.real else None
        return cycles_of([capture(instead)[0]] if files is None else files)[0]

    @cached_property
    def _files(self) -> dict[str, Path]:
        if self.folder is None:
            return {}
        inside = sorted(self.folder.rglob("*"), reverse=True)  # of two of one name the first counts
        return {path.name: path for path in inside if path.suffix.lower() in READABLE and path.is_file()}


def _actor_walks() -> list[Source]:
    names = [f"{speed} walk {turn}" for speed in ("slow", "medium", "fast") for turn in _TURNS]
    return [capture(name)[0] for name in (*names, *(f"{style} walk" for style in _STYLES))]
