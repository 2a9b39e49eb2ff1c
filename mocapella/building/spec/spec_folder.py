"""The folder that a spec may read from, and the captures that it names there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import msgspec

from mocapella.building.spec.spec_text import SpecText
from mocapella.checks import refuse_no_rate
from mocapella.errors import FormatError, MotionError, Option
from mocapella.files.conventions import named_unit
from mocapella.files.format_table import find_skeleton, split_animation
from mocapella.files.formats import motions_below, read_motion, with_animation
from mocapella.files.orientation import named_up
from mocapella.motion.clip import Clip

_LONGEST_NAME = 4096  # letters of a path


class CaptureSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a spec that may name a motion file, with options for reading it."""

    name: str
    file: str | None = None
    skeleton: str | None = None  # the .asf of an .amc
    roles: str | None = None  # a TOML file of joint roles
    unit: str | None = None
    up: str | None = None  # the axis of the file that points up
    frame_rate: float | None = None


@dataclass(frozen=True)
class SpecFolder:
    """A spec, and the folder its files lie in.

    A spec may be untrusted, so it reads nothing outside of that folder.
    """

    spec: Path
    folder: Path

    @classmethod
    def of(cls, spec: str | PathLike[str], folder: str | PathLike[str] | None) -> SpecFolder:
        """The folder that was named, else the spec's own."""
        return cls(Path(spec), Path(spec).parent if folder is None else Path(folder))

    def file(self, name: str, written: str | None = None) -> Path:
        """A file that the spec names; ``FormatError`` where it does not lie in the folder or below.

        ``written`` is what the spec says, where the name follows from that, as with a file in a folder. The name may
        end in that of an animation, ``pack.glb#Walk``.
        """
        file, animation = split_animation(self.folder / name)
        goal = file.resolve()
        if not all(path.is_relative_to(self.folder.resolve()) for path in (goal, (self.folder / name).resolve())):
            option = Option("folder", "FOLDER")
            reason = f"names {name!r}, which is not in the folder {self.folder}; {option} sets the folder of all files"
            raise FormatError(self.spec, self._line_of(written or name), reason, option=option)
        return with_animation(goal, animation)

    def named(self) -> list[Path]:
        """All files that the spec names anywhere and that exist, so that none of them is written to."""
        files: list[Path] = []
        left: list[Any] = [dict(SpecText.read(self.spec).tables)]
        while left:
            value = left.pop()
            if isinstance(value, dict | list):
                left.extend(value.values() if isinstance(value, dict) else value)
            elif isinstance(value, str) and "\0" not in value and len(value) < _LONGEST_NAME:
                place, _ = split_animation(self.folder / value)
                files += [place] if place.is_file() else []
        return files

    def motions(self, name: str) -> list[Path]:
        """A motion file, or all of a folder and of those below it; none of them may lead out of the spec's folder."""
        place = self.file(name)
        if not place.is_dir():
            self._skeleton(place, name)
            return [place]
        inside = [str(path.relative_to(self.folder.resolve())) for path in motions_below(place)]
        files = [self.file(file, written=name) for file in inside]
        for file in files:
            self._skeleton(file, name)
        return files

    def reading(self, part: CaptureSpec) -> dict[str, Any]:
        """The reading options of a part of the spec, as options of ``load``."""
        return {
            "unit": part.unit,
            "up": part.up,
            "skeleton": self._skeleton(None if part.file is None else self.file(part.file), str(part.file))
            if part.skeleton is None
            else self.file(part.skeleton),
            "roles": None if part.roles is None else self.file(part.roles),
            "frame_rate": part.frame_rate,
        }

    def clip(self, part: CaptureSpec) -> Clip:
        """The capture that a part of the spec names."""
        return read_motion(self.file(str(part.file)), **self.reading(part))

    def _skeleton(self, motion: Path | None, written: str) -> Path | None:
        """The ``.asf`` beside an ``.amc``, which may not lead out of the folder either; None of other files."""
        if motion is None or motion.suffix.lower() != ".amc" or not motion.exists():
            return None
        skeleton = find_skeleton(motion)
        if not skeleton.resolve().is_relative_to(self.folder.resolve()):
            reason = f"names {written!r}, whose skeleton {skeleton.name} leads out of the folder {self.folder}"
            raise FormatError(self.spec, self._line_of(written), reason)
        return skeleton

    def _line_of(self, name: str) -> int:
        """The first line of the spec that names a file; 0 where it is written otherwise, or the spec is gone."""
        try:
            lines = SpecText.read(self.spec).text.splitlines()
        except FormatError:
            return 0
        quoted = (f'"{name}"', f"'{name}'")
        return next((number for number, line in enumerate(lines, start=1) if any(word in line for word in quoted)), 0)


def refuse_odd_reading(text: SpecText, part: CaptureSpec, array: str, index: int) -> None:
    """Raise ``FormatError`` for reading options that no file can have."""
    if part.file is not None and part.file.lower().endswith(".asf"):
        reason = "file: a skeleton without motion; name the .amc, and this as its skeleton"
        raise text.error(reason, "file", array, index)
    checks: dict[str, Callable[[Any], object]] = {"unit": named_unit, "up": named_up, "frame_rate": refuse_no_rate}
    for key, check in checks.items():
        try:
            if getattr(part, key) is not None:
                check(getattr(part, key))
        except MotionError as error:
            raise text.error(f"{key}: {error}", key, array, index) from None
