"""What was found out about a clip while it was read: guesses that were made, and reasons for doubt."""

from __future__ import annotations

from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Finding:
    """One thing a user should know about a clip."""

    code: str  # short and stable, for programs: "root-dropout"
    message: str  # a sentence, for people
    frames: tuple[int, ...] = ()  # the file's own rows, where the finding concerns some
    doubtful: bool = True  # False: worth knowing, nothing wrong


@dataclass(frozen=True)
class Report:
    """What reading a file found out; made clips have an empty one."""

    metres_per_unit: float = 1.0
    unit: str = "m"
    up_axis: str = "y"
    facing: float = 0.0  # radians from +z to where the rest pose of the file looks, left positive
    height: float = 0.0  # metres from sole to crown of the rest pose
    n_rest_frames: int = 0  # leading frames that are an artificial rest pose, not captured
    findings: tuple[Finding, ...] = field(default=())
    files: tuple[str, ...] = ()  # that it was read from: the motion, then a skeleton and roles where they are apart
    asked: tuple[str, ...] = ()  # what the reader was told instead of guessing: "unit cm"

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """The findings that make the clip doubtful."""
        return tuple(finding for finding in self.findings if finding.doubtful)

    def without_rows(self) -> Report:
        """What still holds once rows are no longer the file's: findings that name some are left behind."""
        return replace(self, findings=tuple(finding for finding in self.findings if not finding.frames))

    def frames(self, code: str) -> tuple[int, ...]:
        """All rows that findings of this code concern."""
        return tuple(row for finding in self.findings if finding.code == code for row in finding.frames)
