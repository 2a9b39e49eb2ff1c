"""Report: what reading a file found out, what was inferred and what is doubtful."""

from __future__ import annotations

from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Finding:
    """One thing a user should know about a clip.

    Examples
    --------
    >>> Finding("jump", "the left knee jumps", frames=(12,)).doubtful
    True
    """

    code: str  # short and stable, for programs: "root-dropout"
    message: str  # a sentence, for people
    frames: tuple[int, ...] = ()  # the file's own rows, where the finding concerns some
    doubtful: bool = True  # False: worth knowing, nothing wrong


@dataclass(frozen=True)
class Report:
    """Findings of reading a file; clips that were not read have an empty report.

    Examples
    --------
    >>> Report(findings=(Finding("unit", "taken for centimetres", doubtful=False),)).warnings
    ()
    """

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
        """The report without findings that name rows, for clips whose rows are no longer the file's."""
        return replace(self, findings=tuple(finding for finding in self.findings if not finding.frames))

    def frames(self, code: str) -> tuple[int, ...]:
        """All rows that findings of this code concern."""
        return tuple(row for finding in self.findings if finding.code == code for row in finding.frames)
