"""Motion files read and written by the table of formats; units and axes settled."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from mocapella.arrays import owned
from mocapella.checks import refuse_no_rate
from mocapella.cleaning.faults import count_rest_frames, find_faults
from mocapella.cleaning.repair import repaired
from mocapella.errors import FormatError, MotionError, warn
from mocapella.files.animations import Wanted, matching, named_apart, one_of
from mocapella.files.conventions import Parsed, Unit, body_height, infer_unit, named_unit, stated_unit
from mocapella.files.format_table import (
    FORMATS,
    IN_FOLDERS,
    MOTIONS,
    READABLE,
    WRITABLE,
    Format,
    find_skeleton,
    split_animation,
)
from mocapella.files.opened_file import Titled, opened
from mocapella.files.orientation import Up, find_up, named_up, rest_basis, stood_upright
from mocapella.files.whole_file import cut_out, end_to_end
from mocapella.motion.clip import Clip
from mocapella.motion.loops import close_loop_in_place, open_loop
from mocapella.motion.loops import in_place as stay_in_place
from mocapella.motion.report import Finding, Report
from mocapella.quoting import whole_characters
from mocapella.rig.binding import stood, unbound
from mocapella.rig.naming import named_for
from mocapella.rig.roles import find_roles, read_roles
from mocapella.rig.standing import TO_Y

_WRITING = {"unit": None, "skeleton": None, "root_motion": "hips", "bones": "limbs", "body": True}  # option → default


@dataclass(frozen=True)
class Reading:
    """The options of ``mocapella.load`` for motion files; its contract says what each of them does."""

    unit: str | None = None
    up: str | None = None
    skeleton: str | PathLike[str] | None = None
    roles: str | PathLike[str] | Mapping[str, str] | None = None
    frame_rate: float | None = None
    animation: Wanted = None
    clean: bool = False
    partial: bool = False

    def files(self, path: Path) -> tuple[str, ...]:
        """The files that are read: the motion, its skeleton where that is apart, a file of roles where one is named.

        Raises ``FormatError`` where the skeleton of an ``.amc`` cannot be found.
        """
        file, _ = split_animation(path)
        skeleton = find_skeleton(file) if self.skeleton is None and file.suffix.lower() == ".amc" else self.skeleton
        roles = None if isinstance(self.roles, Mapping) else self.roles
        return tuple(str(file) for file in (file, skeleton, roles) if file is not None)

    def words(self) -> tuple[str, ...]:
        """The options that replace inferred values, as words; the same for the same options."""
        names = self.roles if isinstance(self.roles, Mapping) else {}
        animations = [self.animation] if isinstance(self.animation, str | int) else self.animation or ()
        roles = ", ".join(f"{role} is {joint}" for role, joint in sorted(names.items()))
        words = {
            f"unit {self.unit}": self.unit is not None,
            f"up is {self.up}": self.up is not None,
            f"roles: {roles}": bool(roles),
            f"frame rate {self.frame_rate}": self.frame_rate is not None,
            f"animation {', '.join(map(str, animations))}": self.animation is not None,
            "cleaned on reading": self.clean,
            "as far as it goes": self.partial,
        }
        return tuple(word for word, applies in words.items() if applies)


def read_motion(path: str | PathLike[str], **options: Any) -> Clip:
    """A motion file as a clip in metres, y up; ``options`` are those of ``Reading``.

    A path may name an animation of the file, ``pack.glb#Walk``. The clip's report says what was guessed and what is
    doubtful. Raises ``FormatError`` with line and reason where the file is not what it should be.
    """
    place, format, reading = _opening(path, options)
    if format.animations is None:
        assert format.read is not None
        given = {name: getattr(reading, name) for name in format.reading}
        return _Together([_parsed(format.read(place, **given))], reading).clip(0, place, reading)
    file = opened(place, reading.frame_rate)
    sizes = [0 if file.titled.reasons[i] else animation.size for i, animation in enumerate(file.animations)]
    try:
        number = one_of(file.names, sizes, reading.animation) or 0
    except ValueError as error:
        raise FormatError(place, 0, str(error)) from None
    is_read = isinstance(file.titled.motions[number], Parsed)
    clip = _clips(file.titled if is_read else file.with_motion(number), place, reading)[number]()
    if reading.animation is not None or len(file.names) == 1:
        return clip
    others = ", ".join(name for i, name in enumerate(named_apart(file.names)) if i != number)
    message = f"animation {named_apart(file.names)[number]!r} is read; there are also {others[:300]}"
    findings = (Finding("animations", message, doubtful=False), *clip.report.findings)
    return replace(clip, report=replace(clip.report, findings=findings))


@dataclass(frozen=True, eq=False)
class FileMotion:
    """A motion of a file, read when it is asked for."""

    path: Path  # of the file, or ``file#animation`` where it has several
    read: Callable[[], Clip]
    left_out: str = ""  # why it is of no use beside the others of its file


def motions_in(path: str | PathLike[str], **options: Any) -> list[FileMotion]:
    """All motions of a file, which is opened once; ``options`` are those of ``Reading``.

    Beside others a pose is left out, in which nothing moves, and a motion that is there twice; none of those that are
    asked for by name. Where the file or one of its animations is not what it should be, reading that one raises
    ``FormatError``; a file that cannot be opened has one motion.
    """
    try:
        return _motions_in(path, **options)
    except MotionError as error:
        return [FileMotion(Path(path), partial(_refuse, error))]


def _motions_in(path: str | PathLike[str], **options: Any) -> list[FileMotion]:
    place, format, reading = _opening(path, options)
    if format.animations is None:
        return [FileMotion(place, partial(read_motion, path, **options))]
    file = opened(place, reading.frame_rate)
    try:
        numbers = matching(file.names, reading.animation)
    except ValueError as error:
        raise FormatError(place, 0, str(error)) from None
    titled = file.with_all()
    clips = _clips(titled, place, reading)
    reasons = titled.reasons if reading.animation is None else [""] * len(clips)
    return [FileMotion(with_animation(place, titled.titles[i]), clips[i], reasons[i]) for i in numbers]


def used_motions(path: str | PathLike[str], **options: Any) -> list[FileMotion]:
    """The motions of a file that are of use, as ``motions_in`` has them; a ``MotionWarning`` names the others."""
    motions = motions_in(path, **options)
    if without := [motion for motion in motions if motion.left_out]:
        reasons = [f"{str(motion.path.name).partition('#')[2]} {motion.left_out}" for motion in without]
        warn(f"{split_animation(path)[0]}: left out of {len(motions)} animations: {'; '.join(reasons)}")
    return [motion for motion in motions if not motion.left_out]


def with_animation(file: str | PathLike[str], title: str | None) -> Path:
    """The path that names an animation of a file; the file's own where it has no title."""
    return Path(f"{file}#{title}" if title else file)


def _opening(path: str | PathLike[str], options: Mapping[str, Any]) -> tuple[Path, Format, Reading]:
    """The file of a path, its format and how it is read; ``FormatError`` where it cannot be."""
    place, animation = split_animation(path)
    reading = Reading(**options)
    format = FORMATS.get(place.suffix.lower())
    if format is None or not format.is_read or (format.needs and find_spec(format.needs) is None):
        raise FormatError(place, 0, _why_not_read(place, format))
    if reading.frame_rate is not None and "frame_rate" in format.reading:
        refuse_no_rate(reading.frame_rate)
    return place, format, reading if animation is None else replace(reading, animation=animation)


def _clips(titled: Titled, place: Path, reading: Reading) -> list[Callable[[], Clip]]:
    """For each motion of a file what makes it a clip, or raises its error; those with the same joints go together."""
    roles = tuple(sorted(reading.roles.items())) if isinstance(reading.roles, Mapping) else reading.roles
    groups: dict[object, list[int]] = {}
    for number, motion in enumerate(titled.motions):
        if isinstance(motion, Parsed):
            groups.setdefault((motion.skeleton.names, motion.skeleton.parents.tobytes()), []).append(number)
    clips: dict[int, Callable[[], Clip]] = {}
    for key, group in groups.items():
        asked = (key, reading.unit, reading.up, roles)
        if asked not in titled.settled or not isinstance(roles, tuple | None):  # a file of roles may change
            parts = [motion for motion in map(titled.motions.__getitem__, group) if isinstance(motion, Parsed)]
            titled.settled[asked] = _Together(parts, reading)
        together = titled.settled[asked]
        clips |= {number: partial(together.clip, part, place, reading) for part, number in enumerate(group)}
    return [
        partial(_refuse, motion) if isinstance(motion, MotionError) else clips[number]
        for number, motion in enumerate(titled.motions)
    ]


def _refuse(error: MotionError) -> NoReturn:
    raise error


@dataclass(frozen=True, eq=False)
class _Together:
    """Motions of the same joints out of one file, about which root, axes and unit are decided once."""

    parts: Sequence[Parsed]
    reading: Reading

    @cached_property
    def starts(self) -> list[int]:
        """The first frame of each motion among all."""
        return [0, *np.cumsum([len(part.root_positions) for part in self.parts])[:-1].tolist()]

    @cached_property
    def whole(self) -> tuple[Clip, Mapping[str, int]]:
        """All frames as a clip in metres, y up, and the roles of its joints."""
        parsed = replace(end_to_end(self.parts), findings=())
        if self.reading.roles is not None:
            given = self.reading.roles
            roles = read_roles(given) if isinstance(given, str | PathLike) else given
            parsed = replace(parsed, skeleton=parsed.skeleton.with_roles({**parsed.skeleton.role_names, **roles}))
        parsed, findings = stood(parsed, find_roles(parsed.skeleton), self.starts)
        joints = find_roles(parsed.skeleton)
        return _in_metres(replace(parsed, findings=tuple(findings)), joints, self.reading), joints

    def clip(self, number: int, place: Path, reading: Reading) -> Clip:
        """One of the motions, with all that was found in it."""
        (whole, joints), part = self.whole, self.parts[number]
        if len(self.parts) > 1:
            whole = cut_out(whole, self.starts[number], len(part.root_positions), part.frame_rate)
        name, source = (str(with_animation(file, part.animation)) for file in (place.stem, place))
        n_rest = count_rest_frames(whole.rotations_wxyz)
        findings = [*part.findings, *whole.report.findings]
        if n_rest:
            findings.append(Finding("rest-pose", "the first frame is an artificial rest pose", (0,), doubtful=False))
        report = replace(whole.report, n_rest_frames=n_rest, files=reading.files(place), asked=reading.words())
        clip = replace(whole, name=whole_characters(name), source=source, report=report)
        clip = replace(clip, report=replace(report, findings=(*findings, *find_faults(clip, joints))))
        if reading.clean:
            clip = repaired(clip)
        if clip.report.warnings:
            warn(f"{clip.source}: {'; '.join(finding.message for finding in clip.report.warnings)}")
        return clip


def motions_below(folder: Path, *, skeletons: bool = False) -> list[Path]:
    """All motion files in a folder and those below it."""
    suffixes = IN_FOLDERS if skeletons else MOTIONS
    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() in suffixes and not path.is_dir())
    if not files:
        raise MotionError(f"no motion files in {folder} or below it; those looked for end in {', '.join(suffixes)}")
    return files


def write_motion(
    clip: Clip | Sequence[Clip],
    path: str | PathLike[str],
    *,
    loop: bool = False,
    in_place: bool = False,
    names: str = "as-captured",
    **options: Any,
) -> None:
    """Write a clip, or several, in the format of a suffix; the file is there complete or not at all.

    ``options`` are those of the format, as ``mocapella.save`` has them. Raises ``MotionError`` where the suffix is that
    of no format, or an option is for another one.
    """
    place = Path(path)
    suffix = place.suffix.lower()
    format = FORMATS.get(suffix)
    if format is None or format.write is None:
        raise MotionError(f"cannot write {place.name}: expected a suffix of {', '.join(WRITABLE)}")
    style = _options_of(format, suffix, options)
    clips = [named_for(motion, names) for motion in ([clip] if isinstance(clip, Clip) else clip)]
    if format.several:
        format.write(clips, place, loop=loop, in_place=in_place, **style)
    elif isinstance(clip, Clip):
        motion = _as_frames(clips[0], loop=loop, still=in_place)
        format.write(motion if format.stands else unbound(motion), place, **style)
    else:
        takers = ", ".join(other for other in WRITABLE if FORMATS[other].several)
        raise MotionError(f"{suffix} holds one motion, got {len(clips)}; several are for {takers}")


def _options_of(format: Format, suffix: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that a writer takes; ``MotionError`` where one was changed that it does not take."""
    for name, value in options.items():
        if name not in format.writing and value != _WRITING.get(name):
            takers = ", ".join(other for other in WRITABLE if name in FORMATS[other].writing)
            raise MotionError(f"{name} is for {takers}, not for {suffix}")
    return {name: options.get(name, _WRITING.get(name)) for name in format.writing}


def _as_frames(clip: Clip, *, loop: bool, still: bool) -> Clip:
    """The frames of a plain file: the last one of a loop is the one before its first."""
    if not loop:
        return stay_in_place(clip) if still else clip
    return open_loop(close_loop_in_place(clip.captured) if still else clip.captured)


def _parsed(read: Parsed | Clip) -> Parsed:
    """The result of a reader in one form: plug-ins may return clips, which are in metres."""
    if isinstance(read, Parsed):
        return read
    names = ("skeleton", "root_positions", "rotations_wxyz", "frame_rate", "sliding_joints", "slides")
    fields = {name: getattr(read, name) for name in names}
    return Parsed(**fields, findings=read.report.findings, metres_per_unit=1.0)


def _why_not_read(place: Path, format: Format | None) -> str:
    """Why a file cannot be read: its suffix is that of no format that is, or a package is missing."""
    if format is not None and not format.is_read:
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


def _in_metres(parsed: Parsed, roles: Mapping[str, int], reading: Reading) -> Clip:
    """The clip in metres with y up, and what was guessed on the way."""
    up, doubted = find_up(parsed, roles) if reading.up is None else Up(named_up(reading.up))
    world, rest = TO_Y[up or "y"], rest_basis(parsed.skeleton, roles)
    if not (np.array_equal(world, np.eye(3)) and np.array_equal(rest, np.eye(3))):
        parsed = stood_upright(parsed, world, rest)
    height = body_height(parsed.skeleton, roles)
    unit = _unit(parsed, roles, height, reading.unit)
    findings = [*parsed.findings]
    if not unit.plausible:
        message = unit.doubt or f"no unit makes a height of {height:g} a person's; {unit.name} is assumed"
        findings.append(Finding("unit-unsure", message))
    if up is not None or roles:
        findings += _axis_findings(up, doubted)
    if not np.array_equal(world, rest) and not np.array_equal(rest, np.eye(3)):
        words = " ".join(f"{'-' if row.sum() < 0 else '+'}{'xyz'[int(np.argmax(np.abs(row)))]}" for row in rest)
        message = f"the rest pose has left, up and ahead along {words}; it was turned to face +z, the motion stays"
        findings.append(Finding("rest-turned", message, doubtful=False))
    return Clip(
        skeleton=parsed.skeleton.scaled(unit.metres),
        root_positions=owned(parsed.root_positions * unit.metres),
        rotations_wxyz=parsed.rotations_wxyz,
        frame_rate=parsed.frame_rate,
        report=Report(
            metres_per_unit=unit.metres,
            unit=unit.name,
            up_axis=up or "y",
            facing=math.atan2(*(world @ rest[2])[[0, 2]]),
            height=height * unit.metres,
            findings=tuple(findings),
        ),
        sliding_joints=parsed.sliding_joints,
        slides=parsed.slides * unit.metres,
    )


def _unit(parsed: Parsed, roles: Mapping[str, int], height: float, name: str | None) -> Unit:
    """The length unit: the one asked for, else the file's own, else one that makes the body a person's height."""
    if name is not None:
        return named_unit(name)
    if parsed.metres_per_unit is not None:
        return stated_unit(parsed.metres_per_unit, height, roles)
    return infer_unit(height, parsed.skeleton, roles)


def _axis_findings(up: str | None, doubted: str | None) -> list[Finding]:
    """Doubts about the axis that points up, of a body that has one."""
    if up is None:
        message = "the body does not stand along an axis; y is taken as up"
    elif doubted is not None:
        message = f"the body is along {doubted} in most frames, but not on its feet; {up} is taken as up"
    else:
        return []
    return [Finding("up-unsure", message, doubtful=False)]
