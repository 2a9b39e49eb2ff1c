"""Paths: a clip split into a smooth path and its deviation from it, and moved to another path."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from mocapella.analysis.examined import examine
from mocapella.checks import counted
from mocapella.editing.added_steps import Laid, carried, overstretched, with_steps
from mocapella.editing.edits import with_findings
from mocapella.editing.feet.lock import lock
from mocapella.editing.ground_curves import GroundCurve, Places, Signal, SmoothPath, Track, bezier, directions
from mocapella.editing.parameters import EditError
from mocapella.errors import warn
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET
from mocapella.motion.cycle import Cycle
from mocapella.motion.report import Finding
from mocapella.rig.legs import leg_roles
from mocapella.stages import refuse_no_motion, refuse_other_stage


class _PathSettings(NamedTuple):
    """How the smooth path of a motion is made, and which paths it may follow."""

    every: int = 15  # frames between control points of the smooth path
    handles: float = 5.0 / 400.0  # handles a frame
    shortest: float = 0.05  # metres: a shorter motion has no path
    least_ratio: float = 0.25  # of the lengths of two paths: below it steps are implausible
    most_ratio: float = 4.0  # of the same: above it, too
    longest: float = 1e5  # metres
    most_rounds: int = 1000  # of a cycle


_PATH = _PathSettings()

Rows = Sequence[Sequence[float | int]] | Float[np.ndarray, "rows columns"]


def smooth_path(clip: Clip) -> SmoothPath:
    """The path of a clip without the sway of its steps: the Bézier curve through every 15th frame's root.

    It begins and ends where the root does.
    """
    return _described(*bezier(*_controls(clip)))


def path_handles(clip: Clip) -> Places:
    """Handles of a clip's path, five for every 400 frames and at least two, evenly spaced in time.

    Returns places (x, z) on its smooth path, metres.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> walk, _ = perform("walk", cycles=3.0)
    >>> path_handles(walk[:400]).shape
    (5, 2)
    """
    controls, _ = _controls(clip)
    count = max(2, round(_PATH.handles * clip.n_frames))
    return bezier(controls, np.linspace(0.0, 1.0, count))[0]


def follow_path(
    clip: Clip | Cycle,
    *,
    points: Rows,
    keep_length: bool = True,
    femurs: bool = False,
    lock_feet: bool = True,
    fill: bool = False,
) -> Clip:
    """The clip on another path: its deviation from its smooth path, moved to a curve through points.

    Its report names frames in which feet are out of reach. Raises ``EditError`` where points coincide or the clip goes
    nowhere.

    Parameters
    ----------
    clip
        The motion. A cycle is repeated as often as it takes to get to the end of the path, 1,000 rounds at most.
    points
        A .csv file of x,z in metres. In Python two rows or more; the clip begins at the first and goes straight
        on beyond the last.
    keep_length
        Keep the length of steps. The motion goes as far along the new path as along the old; otherwise all of
        it.
    femurs
        Swing the thighs further where the path is longer. A cheap way to reduce sliding.
    lock_feet
        Hold the feet where they rest afterwards.
    fill
        Add steps where the path is too long for them. Stretches of the motion are shown twice.

    Warns
    -----
    MotionWarning
        Where steps are too long for the legs, so that the body sinks.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> walk, _ = perform("walk", cycles=3.0)
    >>> bent = follow_path(walk, points=[(0.0, 0.0), (0.5, 2.0), (2.0, 3.0)])
    >>> bent.n_frames == walk.n_frames
    True
    """
    refuse_no_motion(clip)
    curve = GroundCurve.through(_checked(points))
    if isinstance(clip, Cycle):
        clip = _rounds(clip, curve.length)
    body = clip.captured
    old = smooth_path(body)
    if old.lengths[-1] < _PATH.shortest:
        raise EditError(
            f"{clip.name or 'the motion'!r} goes nowhere, so it has no path", helps="lead another motion along it"
        )
    ratio = 1.0 if keep_length else _ratio(curve.length, float(old.lengths[-1]))
    frames = np.arange(body.n_frames)

    def laid(moments: Signal) -> SmoothPath:
        lengths = ratio * np.interp(moments, frames, old.lengths)
        places, speeds = curve.at_length(lengths)
        return SmoothPath(places, _facing(directions(speeds), float(old.directions[0])), lengths)

    return _carried(clip, body, old, laid, ratio if femurs else 1.0, lock_feet, fill)


def bend_path(
    clip: Clip,
    *,
    moves: Rows,
    keep_length: bool = False,
    femurs: bool = False,
    lock_feet: bool = True,
    fill: bool = False,
) -> Clip:
    """The clip with handles of its path dragged elsewhere.

    Raises ``EditError`` where there is no such handle, or the clip goes nowhere.

    Parameters
    ----------
    clip
        The motion.
    moves
        Rows of handle, x and z in metres. Handles are counted from 0, as ``path_handles`` has them, and moved
        by x and z.
    keep_length
        Keep the length of steps. Otherwise the motion ends where the last handle is.
    femurs
        Swing the thighs further where the path is longer.
    lock_feet
        Hold the feet where they rest afterwards.
    fill
        Add steps where the path is too long for them.
    """
    refuse_other_stage(clip, "Clip")
    body = clip.captured
    handles = path_handles(body)
    moved = np.array(handles)
    for row in moves:
        if len(row) != 3 or not np.isfinite(row).all() or row[0] != round(row[0]) or max(map(abs, row)) > _PATH.longest:
            raise EditError(expected="[handle, x, z] for each move", got=tuple(row))
        if not 0 <= row[0] < len(handles):
            raise EditError(expected=f"a handle from 0 to {len(handles) - 1}", got=int(row[0]))
        moved[int(row[0])] += row[1:]
    if np.array_equal(moved, handles):
        return clip
    knots = np.linspace(0.0, body.n_frames - 1.0, len(handles))
    before, after = GroundCurve(handles, knots), GroundCurve(moved, knots)
    old = _described(*before.at(np.arange(body.n_frames, dtype=np.float64)))
    if old.lengths[-1] < _PATH.shortest or after.length < _PATH.shortest:
        raise EditError(f"{clip.name or 'the motion'!r} goes nowhere, so it has no path to bend")

    def laid(moments: Signal) -> SmoothPath:
        if keep_length:
            lengths = before.lengths(moments)
            places, speeds = after.at_length(lengths)
        else:
            lengths = after.lengths(moments)
            places, speeds = after.at(moments)
        return SmoothPath(places, _facing(directions(speeds), float(old.directions[0])), lengths)

    ratio = 1.0 if keep_length or not femurs else _ratio(after.length, before.length)
    return _carried(clip, body, old, laid, ratio, lock_feet, fill)


def _rounds(cycle: Cycle, length: float) -> Clip:
    """As many rounds of a cycle as get it so far, metres."""
    each = abs(cycle.speed) * cycle.n_frames / cycle.frame_rate
    if each < _PATH.shortest:
        raise EditError(f"{cycle!r} goes nowhere, so it follows no path", helps="lead a walk or a run along it")
    count = math.ceil(length / each)
    if count > _PATH.most_rounds:
        raise EditError(f"the path takes {count:,} rounds of {each:.2f} m", expected=f"{_PATH.most_rounds:,} at most")
    clip = cycle.to_clip(rounds=count)
    return clip[: max(2, min(clip.n_frames, math.ceil(length / each * cycle.n_frames) + 1))]


def _carried(clip: Clip, body: Clip, old: SmoothPath, laid: Laid, ratio: float, hold: bool, fill: bool) -> Clip:
    """A clip moved from its smooth path to another, with feet held there; what is before ``body`` stays."""
    if ratio != 1.0:
        body = _swinging_further(body, ratio)
    moved = carried(body, old, laid(np.arange(body.n_frames, dtype=np.float64)))
    if hold:
        moved = _held(body, moved, old, laid, fill)
    skip = clip.n_frames - body.n_frames
    if not skip:
        return moved
    return replace(
        moved,
        root_positions=np.concatenate([clip.root_positions[:skip], moved.root_positions]),
        rotations_wxyz=np.concatenate([clip.rotations_wxyz[:skip], moved.rotations_wxyz]),
        slides=np.concatenate([clip.offsets_of(moved.sliding_joints)[:skip], moved.slides]),
        first_row=clip.first_row,
    )


def _held(body: Clip, moved: Clip, old: SmoothPath, laid: Laid, fill: bool) -> Clip:
    """The clip on its new path with feet locked, with steps added where requested and needed."""
    plants = examine(body).plants
    locked = lock(moved, constraints=plants)
    off = overstretched(locked)
    if not off.any():
        return locked.clip
    if fill:
        stepped = with_steps(body, old, laid, plants, locked)
        locked, off = stepped.locked, overstretched(stepped.locked)
        if stepped.added:
            text = f"{counted(stepped.added, 'stretch', 'stretches')} shown once more, where steps were too long"
            note = Finding("added-steps", text, doubtful=False)
            locked = replace(locked, clip=with_findings(locked.clip, note))
    if off.any():
        sunk = 100.0 * float(np.linalg.norm(locked.root_shift[off], axis=-1).max())
        first, last = (int(row) + body.first_row for row in np.flatnonzero(off)[[0, -1]])
        helps = "a shorter path or keep_length helps" if fill else "fill adds steps there"
        warn(
            f"the path is too long for the steps between rows {first} and {last}: "
            f"the body is moved by up to {sunk:.0f} cm for feet to stay; {helps}"
        )
    return locked.clip


def _swinging_further(body: Clip, ratio: float) -> Clip:
    """The clip with thighs that swing further to and fro about their mean."""
    rotations, roles = np.array(body.rotations_wxyz), leg_roles(body.skeleton)
    for side in FEET:
        hip = roles[f"{side}_hip"]
        mean = quaternions.mean(rotations[:, hip])
        swing = quaternions.to_rotvec(quaternions.multiply(rotations[:, hip], quaternions.conjugate(mean)))
        further = swing * np.array([ratio, 1.0, 1.0])  # about the pelvis's own sideways axis
        rotations[:, hip] = quaternions.multiply(quaternions.from_rotvec(further), mean)
    return replace(body, rotations_wxyz=rotations)


def _controls(clip: Clip) -> tuple[Places, Signal]:
    """Every 15th place of the root and the last, and where each frame is on the curve."""
    last = clip.n_frames - 1
    frames = np.unique(np.append(np.arange(0, last, _PATH.every), last))
    return clip.root_positions[frames][:, ::2], np.arange(clip.n_frames) / max(last, 1)


def _described(places: Track, speeds: Track) -> SmoothPath:
    steps = np.linalg.norm(np.diff(places, axis=0), axis=-1)
    return SmoothPath(places, directions(speeds), np.concatenate([[0.0], np.cumsum(steps)]))


def _facing(new: Signal, first: float) -> Signal:
    """The new directions with whole turns added, so that they begin near another, radians."""
    return np.asarray(new - 2.0 * np.pi * np.round((new[0] - first) / (2.0 * np.pi)))


def _ratio(new: float, old: float) -> float:
    ratio = new / old
    if not _PATH.least_ratio <= ratio <= _PATH.most_ratio:
        raise EditError(
            f"the new path is {ratio:.2g} times as long as the old one ({old:.2f} m)",
            helps="keep_length goes only as far along it as the motion does",
        )
    return ratio


def _checked(points: Rows) -> Places:
    rows = [tuple(row[:2]) for row in points]
    places = np.array(rows, dtype=np.float64).reshape(len(rows), -1)
    if places.shape[1:] != (2,) or not np.isfinite(places).all() or np.abs(places).max(initial=0.0) > _PATH.longest:
        raise EditError(expected=f"points (x, z) within {_PATH.longest:g} m", got=f"{len(rows)} rows")
    return places
