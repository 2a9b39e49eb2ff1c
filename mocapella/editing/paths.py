"""Paths: a clip split into a smooth path and what it does about it, and put onto another path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from mocapella.analysis.examined import examine
from mocapella.editing.curves import GroundCurve, Places, Signal, Track, bezier, directions
from mocapella.editing.feet.lock import lock
from mocapella.editing.parameters import EditError
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET, FOOT_POINTS, Contacts
from mocapella.rig.legs import leg_roles

_EVERY = 15  # frames between control points of the smooth path
_HANDLES = 5.0 / 400.0  # handles a frame
_SHORTEST = 0.05  # metres: a motion that gets no further has no path
_LEAST_RATIO, _MOST_RATIO = 0.25, 4.0  # of path lengths: beyond them steps are no steps
_LONGEST = 1e5  # metres

Rows = Sequence[Sequence[float | int]] | Float[np.ndarray, "rows columns"]


@dataclass(frozen=True, eq=False)
class _SmoothPath:
    """The smooth path of a clip: in every frame a place, a direction and the length so far."""

    places: Track  # (x, z), metres
    directions: Signal  # radians from +z, left positive, continuous
    lengths: Signal  # metres from the first frame


def smooth_path(clip: Clip) -> _SmoothPath:
    """The way of a clip without the sway of its steps: the Bézier curve of every 15th frame's root.

    Parameters
    ----------
    clip
        The motion.

    Returns
    -------
    _SmoothPath
        It begins and ends where the root does.
    """
    controls, shares = _controls(clip)
    places, speeds = bezier(controls, shares)
    return _described(places, speeds)


def path_handles(clip: Clip) -> Places:
    """Handles of a clip's path, five for every 400 frames and at least two, evenly spaced in time.

    Parameters
    ----------
    clip
        The motion.

    Returns
    -------
    array of shape (handles, 2)
        Places (x, z) on its smooth path, metres.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> walk, _ = perform("walk", cycles=3.0)
    >>> path_handles(walk[:400]).shape
    (5, 2)
    """
    controls, _ = _controls(clip)
    return bezier(controls, np.linspace(0.0, 1.0, _count(clip)))[0]


def follow_path(
    clip: Clip,
    *,
    points: Rows,
    keep_length: bool = True,
    femurs: bool = False,
    lock_feet: bool = True,
) -> Clip:
    """The clip on another path: its own way about its smooth path, carried over to a curve through points.

    Parameters
    ----------
    clip
        The motion.
    points
        (x, z) in metres, two or more; the clip begins at the first and goes straight on beyond the last.
    keep_length
        Go as far along the new path as along the old, so that steps keep their length; otherwise go all of it.
    femurs
        Swing the thighs by as much more as the path is longer: a cheap way to reduce sliding.
    lock_feet
        Hold the feet where they rest, afterwards.

    Returns
    -------
    Clip
        With as many frames. Its report names frames in which feet are out of reach.

    Raises
    ------
    EditError
        Where points coincide or the clip goes nowhere.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> walk, _ = perform("walk", cycles=3.0)
    >>> bent = follow_path(walk, points=[(0.0, 0.0), (0.5, 2.0), (2.0, 3.0)])
    >>> bent.n_frames == walk.n_frames
    True
    """
    body = clip.captured
    old = smooth_path(body)
    if old.lengths[-1] < _SHORTEST:
        raise EditError(
            f"{clip.name or 'the motion'!r} goes nowhere, so it has no path", helps="lead another motion along it"
        )
    curve = GroundCurve.through(_checked(points))
    ratio = 1.0 if keep_length else _ratio(curve.length, float(old.lengths[-1]))
    places, speeds = curve.at_length(ratio * old.lengths)
    new = _SmoothPath(places, _facing(directions(speeds), old.directions), ratio * old.lengths)
    return _carried(clip, body, old, new, ratio if femurs else 1.0, lock_feet)


def bend_path(
    clip: Clip,
    *,
    moves: Rows,
    keep_length: bool = False,
    femurs: bool = False,
    lock_feet: bool = True,
) -> Clip:
    """The clip with handles of its path dragged elsewhere.

    Parameters
    ----------
    clip
        The motion.
    moves
        Rows of a handle, counted from 0 as ``path_handles`` has them, and how far it is moved: x and z, metres.
    keep_length, femurs, lock_feet
        As in ``follow_path``; without ``keep_length`` the motion ends where the last handle is.

    Returns
    -------
    Clip
        The clip itself where nothing moves.

    Raises
    ------
    EditError
        Where there is no such handle, or the clip goes nowhere.
    """
    body = clip.captured
    handles = path_handles(body)
    moved = np.array(handles)
    for row in moves:
        if len(row) != 3 or not np.isfinite(row).all() or row[0] != round(row[0]) or max(map(abs, row)) > _LONGEST:
            raise EditError(expected="[handle, x, z] for each move", got=tuple(row))
        if not 0 <= row[0] < len(handles):
            raise EditError(expected=f"a handle from 0 to {len(handles) - 1}", got=int(row[0]))
        moved[int(row[0])] += row[1:]
    if np.array_equal(moved, handles):
        return clip
    knots = np.linspace(0.0, body.n_frames - 1.0, len(handles))
    before, after = GroundCurve(handles, knots), GroundCurve(moved, knots)
    frames = np.arange(body.n_frames, dtype=np.float64)
    old = _described(*before.at(frames))
    if old.lengths[-1] < _SHORTEST or after.length < _SHORTEST:
        raise EditError(f"{clip.name or 'the motion'!r} goes nowhere, so it has no path to bend")
    if keep_length:
        places, speeds = after.at_length(before.lengths(frames))
        lengths = before.lengths(frames)
    else:
        places, speeds = after.at(frames)
        lengths = after.lengths(frames)
    new = _SmoothPath(places, _facing(directions(speeds), old.directions), lengths)
    ratio = 1.0 if keep_length or not femurs else _ratio(after.length, before.length)
    return _carried(clip, body, old, new, ratio, lock_feet)


def _carried(clip: Clip, body: Clip, old: _SmoothPath, new: _SmoothPath, ratio: float, hold: bool) -> Clip:
    """A clip moved from its smooth path to another: offset and heading turn with the tangent."""
    turns = new.directions - old.directions
    by = quaternions.about_y(turns)
    off = body.root_positions.copy()
    off[:, ::2] -= old.places
    roots = quaternions.rotate(by, off)
    roots[:, ::2] += new.places
    rotations = np.array(body.rotations_wxyz)
    rotations[:, 0] = quaternions.multiply(by, rotations[:, 0])
    if ratio != 1.0:
        _swing_further(body, rotations, ratio)
    skip = clip.n_frames - body.n_frames
    made = replace(
        clip,
        root_positions=np.concatenate([clip.root_positions[:skip], roots]),
        rotations_wxyz=np.concatenate([clip.rotations_wxyz[:skip], rotations]),
    )
    if not hold:
        return made
    plants = examine(body).plants
    shifted = Contacts(clip.n_frames, **{
        point: tuple((first + skip, last + skip) for first, last in plants.point(point)) for point in FOOT_POINTS
    })  # fmt: skip
    return lock(made, constraints=shifted).clip


def _swing_further(body: Clip, rotations: Float[np.ndarray, "frames joints 4"], ratio: float) -> None:
    """Scale how far the thighs swing to and fro about their mean, in place."""
    roles = leg_roles(body.skeleton)
    for side in FEET:
        hip = roles[f"{side}_hip"]
        mean = quaternions.mean(rotations[:, hip])
        swing = quaternions.to_rotvec(quaternions.multiply(rotations[:, hip], quaternions.conjugate(mean)))
        further = swing * np.array([ratio, 1.0, 1.0])  # about the pelvis's own sideways axis
        rotations[:, hip] = quaternions.multiply(quaternions.from_rotvec(further), mean)


def _controls(clip: Clip) -> tuple[Places, Signal]:
    """Every 15th place of the root and the last, and where each frame is on the curve."""
    last = clip.n_frames - 1
    frames = np.unique(np.append(np.arange(0, last, _EVERY), last))
    shares = np.arange(clip.n_frames) / max(last, 1)
    return clip.root_positions[frames][:, ::2], shares


def _count(clip: Clip) -> int:
    return max(2, round(_HANDLES * clip.n_frames))


def _described(places: Track, speeds: Track) -> _SmoothPath:
    steps = np.linalg.norm(np.diff(places, axis=0), axis=-1)
    return _SmoothPath(places, directions(speeds), np.concatenate([[0.0], np.cumsum(steps)]))


def _facing(new: Signal, old: Signal) -> Signal:
    """The new directions with whole turns added, so that they begin near the old ones."""
    return np.asarray(new - 2.0 * np.pi * np.round((new[0] - old[0]) / (2.0 * np.pi)))


def _ratio(new: float, old: float) -> float:
    ratio = new / old
    if not _LEAST_RATIO <= ratio <= _MOST_RATIO:
        raise EditError(
            f"the new path is {ratio:.2g} times as long as the old one ({old:.2f} m)",
            helps="keep_length goes only as far along it as the motion does",
        )
    return ratio


def _checked(points: Rows) -> Places:
    rows = [tuple(row[:2]) for row in points]
    found = np.array(rows, dtype=np.float64).reshape(len(rows), -1)
    if found.shape[1:] != (2,) or not np.isfinite(found).all() or np.abs(found).max(initial=0.0) > _LONGEST:
        raise EditError(expected=f"points (x, z) within {_LONGEST:g} m", got=f"{len(rows)} rows")
    return found
