"""Motion files read and written by the table of formats; units and axes settled."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from os import PathLike
from pathlib import Path

import numpy as np

from mocapella.arrays import owned
from mocapella.cleaning.faults import count_rest_frames, find_faults
from mocapella.cleaning.repair import repaired
from mocapella.errors import FormatError, MotionError, warn
from mocapella.files.conventions import Parsed, Unit, body_height, infer_unit, named_unit, unit_of
from mocapella.files.format_table import FORMATS, IN_FOLDERS, MOTIONS, READABLE, WRITABLE, Format, find_skeleton
from mocapella.files.orientation import Up, find_up, named_up, rest_basis, stood_upright
from mocapella.motion.clip import Clip
from mocapella.motion.loops import close_loop_in_place, open_loop
from mocapella.motion.loops import in_place as stay_in_place
from mocapella.motion.report import Finding, Report
from mocapella.rig.binding import stood, unbound
from mocapella.rig.naming import named_for
from mocapella.rig.roles import find_roles, read_roles
from mocapella.rig.standing import TO_Y

# What options are where nothing is said.
_USUAL = {"root_motion": "hips", "bones": "limbs", "body": True}


def load(
    path: str | PathLike[str],
    *,
    unit: str | None = None,
    up: str | None = None,
    skeleton: str | PathLike[str] | None = None,
    roles: str | PathLike[str] | Mapping[str, str] | None = None,
    frame_rate: float | None = None,
    animation: str | int | None = None,
    clean: bool = False,
    partial: bool = False,
) -> Clip:
    """Read a motion file as a clip in metres, y up.

    Rotations are quaternions; the clip's report says what was guessed and what is doubtful. Options are those of
    ``mocapella.load``. Raises ``FormatError`` with line and reason where the file is not what it should be.
    """
    place = Path(path)
    format = FORMATS.get(place.suffix.lower())
    if format is None or format.read is None or (format.needs and find_spec(format.needs) is None):
        raise FormatError(place, 0, _why_not_read(place, format))
    options = {"skeleton": skeleton, "frame_rate": frame_rate, "partial": partial, "animation": animation}
    parsed = _parsed(format.read(place, **{name: options[name] for name in format.reading}))
    if roles is not None:
        names = read_roles(roles) if isinstance(roles, str | PathLike) else roles
        parsed = replace(parsed, skeleton=parsed.skeleton.with_roles({**parsed.skeleton.role_names, **names}))
    parsed, findings = stood(parsed, find_roles(parsed.skeleton))
    parsed = replace(parsed, findings=(*parsed.findings, *findings))
    found = find_roles(parsed.skeleton)
    asked = None if unit is None else named_unit(unit)
    clip = _in_metres(parsed, found, place, asked, None if up is None else named_up(up))
    report = replace(
        clip.report,
        findings=(*clip.report.findings, *find_faults(clip, found)),
        files=files_of(place, skeleton, roles),
        asked=reading_words(
            unit=unit, up=up, roles=roles, frame_rate=frame_rate, animation=animation, clean=clean, partial=partial
        ),
    )
    clip = replace(clip, report=report)
    if clean:
        clip = repaired(clip)
    if clip.report.warnings:
        warn(f"{place}: {'; '.join(finding.message for finding in clip.report.warnings)}")
    return clip


def motions_below(folder: Path, *, skeletons: bool = False) -> list[Path]:
    """All motion files in a folder and those below it."""
    wanted = IN_FOLDERS if skeletons else MOTIONS
    found = sorted(path for path in folder.rglob("*") if path.suffix.lower() in wanted and not path.is_dir())
    if not found:
        raise MotionError(f"no motion files in {folder} or below it; those looked for end in {', '.join(wanted)}")
    return found


def save(
    clip: Clip | Sequence[Clip],
    path: str | PathLike[str],
    *,
    unit: str | None = None,
    skeleton: str | PathLike[str] | None = None,
    loop: bool = False,
    in_place: bool = False,
    names: str = "as-captured",
    root_motion: str = "hips",
    bones: str = "limbs",
    body: bool = True,
) -> None:
    """Write a clip in the format its suffix names; the file is there complete or not at all.

    Options are those of ``mocapella.save``. Raises ``MotionError`` where the suffix is that of no format, or an option
    is for another one.
    """
    place = Path(path)
    suffix = place.suffix.lower()
    format = FORMATS.get(suffix)
    if format is None or format.write is None:
        raise MotionError(f"cannot write {place.name}: expected a suffix of {', '.join(WRITABLE)}")
    options = {
        "unit": unit,
        "skeleton": skeleton,
        "root_motion": root_motion,
        "bones": bones,
        "body": body,
    }
    for name, value in options.items():
        if value != _USUAL.get(name) and name not in format.writing:
            takers = ", ".join(other for other in WRITABLE if name in FORMATS[other].writing)
            raise MotionError(f"{name} is for {takers}, not for {suffix}")
    clips = [named_for(one, names) for one in ([clip] if isinstance(clip, Clip) else clip)]
    given = {name: options[name] for name in format.writing}
    if format.several:
        format.write(clips, place, loop=loop, in_place=in_place, **given)
    elif isinstance(clip, Clip):
        one = _as_frames(clips[0], loop=loop, still=in_place)
        format.write(one if format.stands else unbound(one), place, **given)
    else:
        takers = ", ".join(other for other in WRITABLE if FORMATS[other].several)
        raise MotionError(f"{suffix} holds one motion, got {len(clips)}; several are for {takers}")


def _as_frames(clip: Clip, *, loop: bool, still: bool) -> Clip:
    """The frames of a plain file: the last one of a loop is the one before its first."""
    if not loop:
        return stay_in_place(clip) if still else clip
    return open_loop(close_loop_in_place(clip.captured) if still else clip.captured)


def files_of(
    path: str | PathLike[str],
    skeleton: str | PathLike[str] | None = None,
    roles: str | PathLike[str] | Mapping[str, str] | None = None,
) -> tuple[str, ...]:
    """The files that ``load`` reads.

    Returns the motion, its skeleton where that is apart, a file of roles where one is named. Raises ``FormatError``
    where the skeleton of an ``.amc`` cannot be found.
    """
    out = [str(path)]
    if Path(path).suffix.lower() == ".amc":
        out.append(str(find_skeleton(Path(path)) if skeleton is None else skeleton))
    elif skeleton is not None:
        out.append(str(skeleton))
    return (*out, *([str(roles)] if isinstance(roles, str | PathLike) else []))


def reading_words(
    *,
    unit: str | None = None,
    up: str | None = None,
    roles: str | PathLike[str] | Mapping[str, str] | None = None,
    frame_rate: float | None = None,
    animation: str | int | None = None,
    clean: bool = False,
    partial: bool = False,
) -> tuple[str, ...]:
    """The options of ``load`` that replace inferred values, as words; the same for the same options."""
    names = roles if isinstance(roles, Mapping) else {}
    given = ", ".join(f"{role} is {joint}" for role, joint in sorted(names.items()))
    words = {
        f"unit {unit}": unit is not None,
        f"up is {up}": up is not None,
        f"roles: {given}": bool(given),
        f"frame rate {frame_rate}": frame_rate is not None,
        f"animation {animation}": animation is not None,
        "cleaned on reading": clean,
        "as far as it goes": partial,
    }
    return tuple(word for word, said in words.items() if said)


def _parsed(read: Parsed | Clip) -> Parsed:
    """The result of a reader in one form: plug-ins may return clips, which are in metres."""
    if isinstance(read, Parsed):
        return read
    return Parsed(
        read.skeleton,
        read.root_positions,
        read.rotations_wxyz,
        read.frame_rate,
        sliding_joints=read.sliding_joints,
        slides=read.slides,
        findings=read.report.findings,
        metres_per_unit=1.0,
    )


def _why_not_read(place: Path, format: Format | None) -> str:
    """Why a file cannot be read: its suffix is that of no format that is, or a package is missing."""
    if format is not None and format.read is None:
        return f"{format.name} can be written, not read yet"
    if format is not None:
        return f"{format.name} files need another package: pip install '{format.extra}'"
    try:
        if not place.exists():
            return "there is no such file or folder"
        if place.is_dir():
            return f"is a folder; name a motion file in it ({', '.join(MOTIONS)})"
    except OSError as error:  # such as a name longer than any file's
        return f"cannot be read: {error.strerror or error}"
    return f"expected a motion file ({', '.join(READABLE)}), found {place.suffix.lower() or 'no suffix'}"


def _in_metres(parsed: Parsed, roles: Mapping[str, int], place: Path, asked: Unit | None, given: str | None) -> Clip:
    """The clip in metres with y up, and what was guessed on the way."""
    up, doubted = find_up(parsed, roles) if given is None else Up(given)
    world = TO_Y[up or "y"]
    rest = rest_basis(parsed.skeleton, roles)
    faces = math.atan2(*(world @ rest[2])[[0, 2]])
    if not (np.array_equal(world, np.eye(3)) and np.array_equal(rest, np.eye(3))):
        parsed = stood_upright(parsed, world, rest)
    height = body_height(parsed.skeleton, roles)
    if asked is not None:
        unit = asked
    elif parsed.metres_per_unit is not None:
        unit = unit_of(parsed.metres_per_unit)
    else:
        unit = infer_unit(height, parsed.skeleton, roles)
    findings = [*parsed.findings]
    if not unit.plausible:
        message = f"no unit makes a height of {height:g} a person's; {unit.name} is assumed"
        findings.append(Finding("unit-unsure", message))
    if up is None and roles:
        findings.append(Finding("up-unsure", "the body does not stand along an axis; y is taken as up", doubtful=False))
    elif doubted is not None:
        message = f"the body is along {doubted} in most frames, but not on its feet; {up} is taken as up"
        findings.append(Finding("up-unsure", message, doubtful=False))
    if not np.array_equal(world, rest) and not np.array_equal(rest, np.eye(3)):
        words = " ".join(f"{'-' if row.sum() < 0 else '+'}{'xyz'[int(np.argmax(np.abs(row)))]}" for row in rest)
        message = f"the rest pose has left, up and ahead along {words}; it was turned to face +z, the motion stays"
        findings.append(Finding("rest-turned", message, doubtful=False))
    n_rest = count_rest_frames(parsed.rotations_wxyz)
    if n_rest:
        findings.append(Finding("rest-pose", "the first frame is an artificial rest pose", (0,), doubtful=False))
    return Clip(
        skeleton=parsed.skeleton.scaled(unit.metres),
        root_positions=owned(parsed.root_positions * unit.metres),
        rotations_wxyz=parsed.rotations_wxyz,
        frame_rate=parsed.frame_rate,
        name=place.stem,
        source=str(place),
        report=Report(
            metres_per_unit=unit.metres,
            unit=unit.name,
            up_axis=up or "y",
            facing=faces,
            height=height * unit.metres,
            n_rest_frames=n_rest,
            findings=tuple(findings),
        ),
        sliding_joints=parsed.sliding_joints,
        slides=parsed.slides * unit.metres,
    )
