"""SMPL and AMASS motions read: axis-angle poses of a body model, in ``.npz`` files with either style of keys.

Older files have ``poses``, ``trans`` and ``mocap_framerate``; those of SMPL-X have ``root_orient``, ``pose_body``, …,
and ``mocap_frame_rate``; programs that estimate poses from video write ``global_orient``, ``body_pose`` and ``transl``.
The model's pelvis lies beside its origin, so it stands at ``trans`` plus the pelvis of the body at rest.
"""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from mocapella.arrays import owned
from mocapella.checks import MOST_FRAMES, is_usable
from mocapella.files.conventions import Parsed
from mocapella.files.orientation import find_up
from mocapella.files.smpl.npz import Archive
from mocapella.files.smpl.smpl_body import COUNTS, HEIGHT, body_of_model, default_body
from mocapella.files.smpl.smpl_writer import OFFSETS
from mocapella.geometry import quaternions
from mocapella.motion import kinematics
from mocapella.motion.report import Finding
from mocapella.motion.skeleton import Skeleton
from mocapella.rig.roles import find_roles
from mocapella.rig.standing import TO_Y

_RATES = ("mocap_framerate", "mocap_frame_rate", "fps", "frame_rate")
_PLACES = ("trans", "transl", "smpl_trans")
_WHOLE = ("poses", "smpl_poses", "pose", "fullpose")
_ROOTS, _BODIES = ("root_orient", "global_orient"), ("pose_body", "body_pose")
_JAWS, _HANDS = ("pose_jaw", "jaw_pose"), ("pose_hand",)
_UP = "z"  # in AMASS; poses estimated from video often have y up, or y down, which is inferred from their motion
_USUAL, _OF_CAMERAS = ("y", "z"), ("y", "z", "-y")  # the latter where the body does not travel: feet then tell nothing


class _Reading(NamedTuple):
    """What files of poses leave open, and their limits."""

    assumed_rate: float = 30.0  # frames per second where a file states none
    furthest: float = 1e6  # metres and radians: no motion is anywhere near
    sizes: tuple[float, float] = (0.55, 1.35)  # of the default body: from a small child to the tallest
    travels: float = 0.2  # m/s a foot on the ground moves against the pelvis where a size can be told from it
    low: float = 0.02  # metres above its lowest place within which a foot is on the ground


_READING = _Reading()

Places = Float[np.ndarray, "frames 3"]


def read_npz(path: Path, *, skeleton: str | PathLike[str] | None = None, frame_rate: float | None = None) -> Parsed:
    """The motion of a SMPL or AMASS ``.npz`` file.

    ``skeleton`` is a body model of the user's own, the ``.npz`` of SMPL+H or SMPL-X; the default body if None, as large
    as makes its feet stand still on the ground. ``frame_rate`` is in frames per second; the file's if None, 30 where it
    states none. The result is in metres, z up where nothing else is told from the motion. Raises ``FormatError`` where
    it is no archive, holds no poses, or arrays that do not fit each other.
    """
    archive = Archive(path)
    vectors = _poses(archive)
    n_frames, count = vectors.shape[:2]
    places, findings = _trans(archive, n_frames)
    rate, assumed = _rate(archive, frame_rate)
    findings += assumed
    rotations = quaternions.unroll(quaternions.from_rotvec(vectors))
    if skeleton is not None:
        body = body_of_model(Archive(skeleton), _betas(archive), count)
        roots = places + body.offsets[0]
    elif OFFSETS in archive:
        body, roots = _stated_body(archive, count), places
    else:
        body, roots, noted = _sized(default_body(count), places, rotations, rate, betas=bool(_betas(archive).any()))
        findings.append(noted)
    return replace(_motion(body, owned(roots), owned(rotations), rate), findings=tuple(findings), metres_per_unit=1.0)


def _motion(body: Skeleton, roots: Places, rotations: Float[np.ndarray, "frames joints 4"], rate: float) -> Parsed:
    """Poses of a body with what is usually up in such files."""
    travels = bool(np.ptp(roots, axis=0).any())
    return Parsed(body, roots, rotations, rate, up_axis=_UP, usual_up=_USUAL if travels else _OF_CAMERAS)


def _first(archive: Archive, names: tuple[str, ...]) -> str | None:
    return next((name for name in names if name in archive), None)


def _numbers(archive: Archive, name: str) -> Float[np.ndarray, "..."]:
    """An array of finite numbers."""
    values = np.asarray(archive[name], dtype=np.float64)
    if not (np.abs(values) <= _READING.furthest).all():  # what is not a number is not, either
        row = int(np.argwhere(~(np.abs(np.atleast_1d(values)) <= _READING.furthest))[0, 0])
        archive.fail(f"its array {name!r} holds a value that is not a usable number, first in row {row}")
    return values


def _poses(archive: Archive) -> Float[np.ndarray, "frames joints 3"]:
    """Axis-angle vectors of all joints."""
    array = _first(archive, _WHOLE)
    flat = _joined_parts(archive) if array is None else _rows(archive, array)
    count, odd = divmod(flat.shape[1], 3)
    if odd or count not in COUNTS:
        expected = ", ".join(str(3 * joints) for joints in COUNTS)
        archive.fail(f"expected {expected} numbers a frame, found {flat.shape[1]}")
    if not 0 < len(flat) <= MOST_FRAMES:
        archive.fail(f"holds {len(flat):,} frames of {count} joints; that is more than is read, or none")
    archive.budget.take_motion(len(flat), count)
    return flat.reshape(len(flat), count, 3)


def _joined_parts(archive: Archive) -> Float[np.ndarray, "frames columns"]:
    """Poses of a file that has root, body, face and hands apart."""
    root, body = _first(archive, _ROOTS), _first(archive, _BODIES)
    if root is None or body is None:
        arrays = ", ".join(archive.names[:12]) or "nothing"
        archive.fail(f"holds no motion: expected poses, or root_orient and pose_body, found {arrays[:200]}")
    parts = [_rows(archive, root), _rows(archive, body)]
    both = _first(archive, _HANDS)
    names = [both] if both else [name for name in ("left_hand_pose", "right_hand_pose") if name in archive]
    hands = [_rows(archive, name) for name in names]
    if sum(part.shape[1] for part in hands) == 90 and parts[1].shape[1] == 63:
        parts += _face(archive, len(parts[0])) + hands
    lengths = sorted({len(part) for part in parts})
    if len(lengths) > 1:
        archive.fail(f"its arrays of poses have {' and '.join(f'{length:,}' for length in lengths)} frames")
    return np.concatenate(parts, axis=1)


def _rows(archive: Archive, name: str) -> Float[np.ndarray, "frames columns"]:
    values = _numbers(archive, name)
    if values.ndim < 2 or values.size == 0:
        archive.fail(f"its array {name!r} has the shape {values.shape}; expected frames and numbers")
    return values.reshape(len(values), -1)


def _face(archive: Archive, n_frames: int) -> list[Float[np.ndarray, "frames columns"]]:
    """Jaw and eyes, which SMPL-X has between the body and the hands; at rest where a file has none."""
    jaw = _first(archive, _JAWS)
    eyes = ["pose_eye"] if "pose_eye" in archive else [name for name in ("leye_pose", "reye_pose") if name in archive]
    out = []
    for count, names in ((1, [jaw] if jaw else []), (2, eyes)):
        parts = [_rows(archive, name) for name in names]
        fits = sum(part.shape[1] for part in parts) == 3 * count and all(len(part) == n_frames for part in parts)
        out.append(np.concatenate(parts, axis=1) if fits else np.zeros((n_frames, 3 * count)))
    return out


def _trans(archive: Archive, n_frames: int) -> tuple[Places, list[Finding]]:
    name = _first(archive, _PLACES)
    if name is None:
        return np.zeros((n_frames, 3)), [Finding("no-travel", "holds no trans: the body stays where it is")]
    places = _rows(archive, name)
    if places.shape != (n_frames, 3):
        archive.fail(f"its array {name!r} has the shape {places.shape}; expected {(n_frames, 3)}")
    return places, []


def _rate(archive: Archive, asked: float | None) -> tuple[float, list[Finding]]:
    """Frames per second, and a word where they are assumed."""
    if asked is not None:
        return float(asked), []
    name = _first(archive, _RATES)
    if name is None:
        message = f"states no frame rate; {_READING.assumed_rate:g} frames per second are assumed"
        return _READING.assumed_rate, [Finding("frame-rate-assumed", message, doubtful=False)]
    values = _numbers(archive, name)
    if values.size != 1 or not is_usable(float(values.ravel()[0])):
        archive.fail(f"its {name} is not a frame rate")
    return float(values.ravel()[0]), []


def _stated_body(archive: Archive, count: int) -> Skeleton:
    """The body whose offsets a file holds, as ``save`` writes them."""
    offsets = _numbers(archive, OFFSETS)
    if offsets.shape != (count, 3):
        archive.fail(f"its array {OFFSETS!r} has the shape {offsets.shape}; expected {(count, 3)}")
    body = default_body(count)
    return Skeleton.of(body.names, body.parents, offsets)


def _betas(archive: Archive) -> Float[np.ndarray, " betas"]:
    """The shape of the person: of the first frame, where there is one for each."""
    if "betas" not in archive:
        return np.zeros(0)
    betas = _numbers(archive, "betas")
    return np.atleast_1d(betas[0] if betas.ndim > 1 and len(betas) else betas).ravel()


# How large the person is: the models that turn shapes into lengths are licensed, but feet stand still on the ground.


def _sized(
    body: Skeleton, places: Places, rotations: Float[np.ndarray, "frames joints 4"], rate: float, *, betas: bool
) -> tuple[Skeleton, Places, Finding]:
    """The default body as large as the motion is, its soles on the ground, and what to say of it."""
    room = TO_Y[find_up(_motion(body, places, rotations, rate), find_roles(body)).axis or _UP]
    posed, world = kinematics.forward(body, np.zeros_like(places), rotations)
    ends = kinematics.end_positions(body, posed, world)
    feet = np.concatenate([posed[:, 7:9], posed[:, 10:12], ends[:, 1:3]], axis=1) @ room.T
    size = _size(feet, places @ room.T, rate)
    soles = places @ room[1] + (1.0 if size is None else size) * feet[:, :, 1].min(axis=1)
    lift = -float(np.percentile(soles, 5.0))
    roots = np.array(places)
    if abs(lift) < 0.5 * body.offsets[0, 1]:  # else the ground is elsewhere, or the motion was seen by a camera
        roots += lift * room[1]
    told = "its size cannot be told from the feet" if size is None else f"{size:.3f} of that by its feet"
    shaped = "; its betas need a model file, named as skeleton" if betas else ""
    message = f"a body of {HEIGHT:.2f} m stands in for the model, {told}{shaped}"
    return body.scaled(size or 1.0), roots, Finding("default-body", message, doubtful=False)


def _size(feet: Float[np.ndarray, "frames points 3"], places: Places, rate: float) -> float | None:
    """The factor by which feet on the ground travel against the pelvis as fast as the pelvis over it; y is up."""
    if len(places) < 4:
        return None
    low = feet[..., 1] - feet[..., 1].min(axis=1, keepdims=True) < _READING.low
    down = low[1:] & low[:-1]
    against = np.diff(feet, axis=0)[..., [0, 2]] * rate
    ahead = np.broadcast_to(np.diff(places, axis=0)[:, None, [0, 2]] * rate, against.shape)
    fast = down & (np.linalg.norm(against, axis=-1) > _READING.travels)
    if fast.sum() < 0.1 * len(places):
        return None
    shares = -np.einsum("nx,nx->n", ahead[fast], against[fast]) / np.einsum("nx,nx->n", against[fast], against[fast])
    size = float(np.median(shares))
    return size if _READING.sizes[0] <= size <= _READING.sizes[1] else None
