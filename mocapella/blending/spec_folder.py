"""The folder below which all files lie that a spec may name."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from mocapella.blending.spec_text import SpecText, confined
from mocapella.errors import MotionError
from mocapella.files.formats import load, motions_below
from mocapella.files.units import named_unit
from mocapella.motion.clip import Clip
from mocapella.motion.frame_rates import refuse_no_rate


@runtime_checkable
class NamesCapture(Protocol):
    """A part of a spec that names a motion file, and says what the file leaves open."""

    @property
    def file(self) -> str | None:
        """The motion file."""

    @property
    def skeleton(self) -> str | None:
        """The ``.asf`` of an ``.amc``."""

    @property
    def roles(self) -> str | None:
        """A TOML file of joint roles."""

    @property
    def unit(self) -> str | None:
        """The unit of length."""

    @property
    def frame_rate(self) -> float | None:
        """Frames per second."""


@dataclass(frozen=True)
class SpecFolder:
    """A spec, and the folder its files lie in."""

    spec: Path
    folder: Path

    @classmethod
    def of(cls, spec: str | PathLike[str], folder: str | PathLike[str] | None) -> SpecFolder:
        """The folder that was named, else the spec's own."""
        return cls(Path(spec), Path(spec).parent if folder is None else Path(folder))

    def file(self, name: str) -> Path:
        """A file that the spec names; ``FormatError`` where it does not lie in the folder or below."""
        return confined(self.spec, self.folder, name)

    def motions(self, name: str) -> list[Path]:
        """A motion file, or all of a folder and of those below it; none of them may lead out of the spec's folder."""
        place = self.file(name)
        if not place.is_dir():
            return [place]
        inside = [str(path.relative_to(self.folder.resolve())) for path in motions_below(place)]
        return [confined(self.spec, self.folder, file, written=name) for file in inside]

    def reading(self, part: NamesCapture) -> dict[str, Any]:
        """What a part of the spec says about reading its capture, as options of ``load``."""
        return {
            "unit": part.unit,
            "skeleton": None if part.skeleton is None else self.file(part.skeleton),
            "roles": None if part.roles is None else self.file(part.roles),
            "frame_rate": part.frame_rate,
        }

    def clip(self, part: NamesCapture) -> Clip:
        """The capture that a part of the spec names."""
        return load(self.file(str(part.file)), **self.reading(part))


def refuse_odd_reading(text: SpecText, part: NamesCapture, array: str, index: int) -> None:
    """What a part of a spec says of its capture, and no file can have, is an error with its line."""
    if part.file is not None and part.file.lower().endswith(".asf"):
        reason = "file: a skeleton without motion; name the .amc, and this as its skeleton"
        raise text.error(reason, "file", array, index)
    try:
        key = "unit"
        if part.unit is not None:
            named_unit(part.unit)
        key = "frame_rate"
        if part.frame_rate is not None:
            refuse_no_rate(part.frame_rate)
    except MotionError as error:
        raise text.error(f"{key}: {error}", key, array, index) from None
