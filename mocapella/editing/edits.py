"""Edits as records: named, with parameters, applied in order to a motion and removable."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from mocapella.analysis.examined import examine
from mocapella.checks import explained, shown
from mocapella.editing.parameters import EditError, Source, Value
from mocapella.editing.registry import EDITS, Editor
from mocapella.errors import MotionError
from mocapella.files.formats import read_motion
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import Contacts
from mocapella.motion.cycle import Cycle
from mocapella.motion.report import Finding
from mocapella.motion.skeleton import Skeleton
from mocapella.stages import refuse_other_stage

Motion = Clip | Cycle
_Loader = Callable[[str], Clip]

UNREACHABLE = "unreachable"  # code of findings in a clip's report: frames in which an edit could not do all it should
_RETARGETED = "second-retargeted"  # code of findings and of decisions: what was done to a second motion of another body
_MICROMETRES = 6  # digits: two readings of one skeleton agree to that
_MOST_GROWTH = 64  # times as long as the original: a list of edits of a few words must not fill the memory
_ALWAYS = 200_000  # rotations of joints that any motion may be lengthened to, some 60 MB


@explained
@dataclass(frozen=True, eq=False, init=False)
class Edit:
    """One edit: its name, its parameters, and the digest of the motion it was applied to.

    Parameters that are left out have their defaults and are not recorded, so that a record says what was chosen.

    Parameters
    ----------
    name
        One of ``EDITS``, ``"lock_feet"`` say; blanks and dashes are read as underscores.
    parameters
        By keyword. A second motion is a clip, the path of a motion file, or a ``Source``.

    Raises
    ------
    EditError
        Where there is no such edit, or a parameter is missing, unknown or of another kind.

    Examples
    --------
    >>> Edit("turn", angle=90)
    Edit('turn', angle=90.0)
    """

    name: str
    parameters: Mapping[str, Value]
    input: str = ""  # digest of the motion it was applied to, as ``digest_of`` makes it; "" before that
    skeleton: str = ""  # digest of the skeleton whose joints or dofs parameters name; it is then applied to no other

    def __init__(self, name: str, /, **parameters: Any) -> None:
        plain = str(name).strip().lower().replace("-", "_").replace(" ", "_")
        editor = _editor(plain)
        for key in parameters:
            if key not in editor.parameters:
                there = ", ".join(editor.parameters) or "none"
                raise EditError(f"the edit {plain} has no parameter {key!r}", helps=f"there are {there}")
        for key, parameter in editor.parameters.items():
            if parameter.required and parameters.get(key) is None:
                raise EditError(f"the edit {plain} needs {key}: {parameter.about}")
        allowed = editor.parameters
        checked = {key: allowed[key].checked(parameters[key], key) for key in allowed if key in parameters}
        recorded = {key: value for key, value in checked.items() if value is not None}
        object.__setattr__(self, "name", plain)
        object.__setattr__(self, "parameters", MappingProxyType(recorded))

    @property
    def editor(self) -> Editor:
        """The entry of ``EDITS``."""
        return EDITS[self.name]

    @property
    def names_joints(self) -> bool:
        """Whether a parameter names joints or dofs of one skeleton."""
        return any(self.editor.parameters[key].names_joints for key in self.parameters)

    def changed(self, **parameters: Any) -> Edit:
        """The same edit with other values for some parameters, not yet applied to anything."""
        return Edit(self.name, **{**self.parameters, **parameters}).stamped(skeleton=self.skeleton)

    def stamped(self, *, input: str = "", skeleton: str = "", sources: Mapping[str, Source] | None = None) -> Edit:
        """The same edit with other digests, and second motions replaced by what they were found to be.

        ``input`` and ``skeleton`` are digests of the motion it is applied to; ``sources`` replace second motions by
        parameter.
        """
        edit = copy(self)
        parameters = MappingProxyType({**self.parameters, **(sources or {})})
        for name, value in (("parameters", parameters), ("input", input), ("skeleton", skeleton)):
            object.__setattr__(edit, name, value)
        return edit

    def plain(self) -> dict[str, Any]:
        """Name and parameters as JSON and TOML hold them; a second motion as its path and digest."""
        return {"name": self.name, "parameters": {key: _plain(value) for key, value in self.parameters.items()}}

    def same_as(self, other: Edit) -> bool:
        """Whether both have the same effect: equal names and parameters, second motions compared by digest."""
        return self.plain() == other.plain()

    def __repr__(self) -> str:
        given = "".join(f", {key}={_plain(value)!r}" for key, value in self.parameters.items())
        return f"Edit({self.name!r}{given})"


@explained
@dataclass(frozen=True, eq=False)
class Edited:
    """A motion, the edits applied to it, and the motion after each of them; the original is never changed.

    Parameters
    ----------
    original
        A clip or a cycle.
    edits
        In order, each with the digest of the motion it was applied to.
    steps
        The motion after each edit.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> walk, _ = perform("walk")
    >>> done = edit(walk, [Edit("turn", angle=90), Edit("mirror")])
    >>> [change.name for change in done.undone().edits], done.original is walk
    (['turn'], True)
    """

    original: Motion
    edits: tuple[Edit, ...] = ()
    steps: tuple[Motion, ...] = field(default=(), repr=False)

    @property
    def result(self) -> Motion:
        """The motion after all edits: the original itself where there are none."""
        return self.steps[-1] if self.steps else self.original

    @property
    def retargeted(self) -> tuple[str, ...]:
        """Second motions of another body that were retargeted for an edit, in sentences."""
        notes: list[tuple[str, str]] = []
        for motion in self.steps:
            if isinstance(motion, Clip):
                notes += [(finding.code, finding.message) for finding in motion.report.findings]
            else:
                notes += [(decision.step, decision.text) for decision in motion.decisions]
        return tuple(dict.fromkeys(text for code, text in notes if code == _RETARGETED))

    def then(self, change: Edit, *, load: _Loader = read_motion) -> Edited:
        """With one more edit at the end."""
        self._refuse_growth(change)
        edited, record = _applied(self.result, change, len(self.edits) + 1, load, self._plants(change))
        return Edited(self.original, (*self.edits, record), (*self.steps, edited))

    def _refuse_growth(self, change: Edit) -> None:
        """Raise ``EditError`` where an edit would make a motion of the original that is out of proportion to it."""
        now, growth = self.result, change.editor.growth
        if growth is None:
            return
        n_frames = int(now.n_frames * growth(now.frame_rate, change.parameters))
        most = max(_MOST_GROWTH * self.original.n_frames, _ALWAYS // now.skeleton.n_joints, now.n_frames)
        if n_frames > most:
            raise EditError(
                f"edit {len(self.edits) + 1}, {change.name}: expected at most {most:,} frames of a motion of "
                f"{self.original.n_frames:,}, got {n_frames:,}"
            )

    def _plants(self, change: Edit) -> Contacts | None:
        """Foot plants of the motion before the last edits that kept every frame in its time, for edits that hold them.

        Edits of feet hide where they should rest.
        """
        place = len(self.edits)
        while place > 0 and self.edits[place - 1].editor.in_time:
            place -= 1
        base, now = self.steps[place - 1] if place else self.original, self.result
        if not change.editor.holds_plants or base is now or not isinstance(base, Clip) or not isinstance(now, Clip):
            return None
        for clip in (base, base.captured):  # some edits leave a rest pose out
            if clip.n_frames == now.n_frames:
                return examine(clip).plants
        return None

    def undone(self, count: int = 1) -> Edited:
        """Without the last edits; nothing is computed again, so the result is bit-equal to what was there before."""
        n_left = max(len(self.edits) - max(count, 0), 0)
        return Edited(self.original, self.edits[:n_left], self.steps[:n_left])

    def without(self, place: int, *, load: _Loader = read_motion) -> Edited:
        """Without the edit at a place, counted from 0; those after it are applied again."""
        if not 0 <= place < len(self.edits):
            raise EditError(expected=f"an edit from 0 to {len(self.edits) - 1}", got=place)
        return edit(self.undone(len(self.edits) - place), self.edits[place + 1 :], load=load)


@explained
def edit(
    motion: Motion | Edited, edits: Iterable[Edit] | Edit, *, load: _Loader = read_motion, limits: bool = False
) -> Edited:
    """Apply edits in order.

    Parameters
    ----------
    motion
        A clip, a cycle where every edit has a meaning for one, or what was edited before.
    edits
        One edit or several.
    load
        Reads the files that edits name as second motions.
    limits
        Keep joints within their limits after every edit, as further edits.

    Returns
    -------
    Edited
        The original, the edits with digests filled in, and ``result``.

    Raises
    ------
    EditError
        Where an edit does not fit the motion; the message names the edit and its place.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> walk, _ = perform("walk")
    >>> slow = edit(walk, Edit("resample", rate=30)).result
    >>> slow.frame_rate
    30.0
    """
    done = motion if isinstance(motion, Edited) else Edited(motion)
    if not isinstance(done.original, Cycle):
        refuse_other_stage(done.original, "Clip")
    for change in [edits] if isinstance(edits, Edit) else edits:
        if not isinstance(change, Edit):
            raise EditError(expected="edits, Edit('lock_feet') say", got=shown(change))
        done = done.then(change, load=load)
        if limits and change.name != "limits":
            done = done.then(Edit("limits"), load=load)
    return done


def digest_of(motion: Motion) -> str:
    """A digest of everything that decides a motion: skeleton, frames and rate; not of its name or source.

    Returns ``"sha256:"`` and 64 hexadecimal digits.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> walk, _ = perform("walk")
    >>> digest_of(walk) == digest_of(walk.renamed("stroll"))
    True
    """
    digest = hashlib.sha256(skeleton_digest(motion.skeleton).encode())
    digest.update(f"{type(motion).__name__} {motion.frame_rate!r}".encode())
    arrays: Sequence[np.ndarray[Any, np.dtype[Any]]]
    if isinstance(motion, Clip):
        arrays = (motion.root_positions, motion.rotations_wxyz, motion.sliding_joints, motion.slides)
    else:
        digest.update(f"{motion.layout.kind} {motion.contacts!r}".encode())
        arrays = (motion.dofs,)
    for array in arrays:
        digest.update(f"{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return f"sha256:{digest.hexdigest()}"


def skeleton_digest(skeleton: Skeleton) -> str:
    """A digest of joint names, tree and offsets, to the micrometre; where the root rests does not count."""
    offsets = np.round(skeleton.offsets[1:], _MICROMETRES) + 0.0  # no negative zeros
    digest = hashlib.sha256("\0".join(skeleton.names).encode(errors="surrogateescape"))
    digest.update(skeleton.parents.tobytes() + offsets.tobytes())
    return digest.hexdigest()[:16]


def _applied(motion: Motion, change: Edit, place: int, load: _Loader, plants: Contacts | None) -> tuple[Motion, Edit]:
    """The motion after one edit, and its record with digests filled in."""
    where = f"edit {place}, {change.name}"
    editor, body = change.editor, skeleton_digest(motion.skeleton)
    if isinstance(motion, Cycle) and not editor.cycles:
        raise EditError(
            f"{where}: this edit is for clips, not for {motion!r}: {editor.why_no_cycles}",
            helps="cycle.to_clip() makes a clip of it",
        )
    if change.skeleton and change.skeleton != body:
        raise EditError(
            f"{where}: it names joints of another skeleton ({change.skeleton}) than {motion.skeleton!r} ({body})",
            helps="retarget the motion first, or write the edit for this skeleton",
        )
    values, sources = dict(change.parameters), {}
    if plants is not None:
        values.setdefault("constraints", plants)
    for key, parameter in editor.parameters.items():
        if parameter.kind == "clip" and key in values:
            values[key], source = _read(values[key], where, load)
            if source is not None:
                sources[key] = source
    try:
        values, notes = _on_one_body(motion, editor, values)
        edited = editor.function(motion, **values)
    except MotionError as error:
        raise EditError(f"{where}: {error}", option=error.option) from None
    named = body if change.names_joints else ""
    return _noted(edited, notes), change.stamped(input=digest_of(motion), skeleton=named, sources=sources)


def _on_one_body(motion: Motion, editor: Editor, values: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The values of an edit with second motions on the skeletons that it needs, and what was done for it."""
    from mocapella.editing.retarget import on_body  # which holds feet, and these import this module

    out = dict(values)
    notes: list[str] = []
    for key, parameter in editor.parameters.items():
        body = motion if parameter.on_body_of == "motion" else out.get(parameter.on_body_of)
        if isinstance(out.get(key), Clip) and body is not None:
            out[key], done = on_body(out[key], body.skeleton)
            notes += done
    return out, notes


def _noted(motion: Motion, notes: Sequence[str]) -> Motion:
    """The motion with these notes on its record."""
    for note in notes:
        if isinstance(motion, Clip):
            motion = with_findings(motion, Finding(_RETARGETED, note, doubtful=False))
        else:
            motion = motion.decided(_RETARGETED, note)
    return motion


def with_findings(clip: Clip, *findings: Finding) -> Clip:
    """The clip with further findings in its report."""
    return replace(clip, report=replace(clip.report, findings=(*clip.report.findings, *findings)))


def _read(value: Source | Clip, where: str, load: _Loader) -> tuple[Clip, Source | None]:
    """A second motion, and its record where it came from a file."""
    if isinstance(value, Clip):
        return value, Source(value.source, digest_of(value)) if value.source else None
    clip = load(value.path)
    if not isinstance(clip, Clip):
        raise EditError(f"{where}: {value.path} holds {clip!r}, not a clip")
    digest = digest_of(clip)
    if value.digest and digest != value.digest:
        raise EditError(
            f"{where}: {value.path} holds another motion than when the edit was recorded",
            helps="restore that file, or remove its digest from the edit",
        )
    return clip, replace(value, digest=digest)


def _editor(name: str) -> Editor:
    if name in EDITS:
        return EDITS[name]
    near = difflib.get_close_matches(name, EDITS, n=3, cutoff=0.5)
    meant = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(EDITS)}"
    raise EditError(f"there is no edit {name[:40]!r}", helps=meant)


def _plain(value: Value) -> Any:
    if isinstance(value, Source):
        return {"path": value.path, **({"digest": value.digest} if value.digest else {})}
    if isinstance(value, Clip):
        return {"digest": digest_of(value)}
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, tuple) else value
