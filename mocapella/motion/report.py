"""Report: what reading a file found out, what was inferred and what is doubtful."""

from __future__ import annotations

from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Finding:
    """One thing a user should know about a clip.

    Parameters
    ----------
    code
        A short and stable name for programs, such as ``"root-dropout"``.
    message
        A sentence for people.
    frames
        Rows of the file, where the finding concerns some.
    doubtful
        False for what is worth knowing but not wrong.

    Examples
    --------
    >>> Finding("jump", "the left knee jumps", frames=(12,)).doubtful
    True
    """

    code: str
    message: str
    frames: tuple[int, ...] = ()
    doubtful: bool = True


@dataclass(frozen=True)
class Report:
    """Findings of reading a file; clips that were not read have an empty report.

    Parameters
    ----------
    metres_per_unit, unit
        The length unit of the file.
    up_axis
        The axis of the file that points up.
    facing
        Radians from +z to where the rest pose of the file looks, left positive.
    height
        Metres from sole to crown of the rest pose.
    n_rest_frames
        Leading frames that are an artificial rest pose, not captured.
    findings
        What was inferred, and what is doubtful.
    files
        The files that were read: the motion, then a skeleton and roles where they are separate.
    asked
        Options of reading that replaced inferred values, such as ``"unit cm"``.

    Examples
    --------
    >>> Report(findings=(Finding("unit", "taken for centimetres", doubtful=False),)).warnings
    ()
    """

    metres_per_unit: float = 1.0
    unit: str = "m"
    up_axis: str = "y"
    facing: float = 0.0
    height: float = 0.0
    n_rest_frames: int = 0
    findings: tuple[Finding, ...] = field(default=())
    files: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()

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
