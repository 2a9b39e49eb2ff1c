"""Orientation: which way a body stands and faces, and the same motion with y up and a rest pose that faces +z."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from mocapella.errors import MotionError, Option
from mocapella.files.conventions import Parsed
from mocapella.geometry import quaternions
from mocapella.motion import kinematics
from mocapella.motion.skeleton import Skeleton
from mocapella.rig.standing import TO_Y


class _Looks(NamedTuple):
    """How the axis that points up is looked for."""

    samples: int = 24  # frames looked at
    clear: float = 1.5  # how much longer than the next the strongest axis must be to count
    apart: float = 0.1  # seconds between two frames that show what moves
    # How fast the slower foot is against the head, in the median, where a body stands on its feet: 0.03 to 0.58 in 131
    # captures of walks, runs, jumps, dances and gestures; 1.6 in acrobatics.
    rests: float = 0.75


_LOOKS = _Looks()


class Up(NamedTuple):
    """The axis that points up, and one along which the body is in most frames without standing on its feet there."""

    axis: str | None  # None where unclear
    doubted: str | None = None


def named_up(up: str) -> str:
    """An axis by its name, one of ``TO_Y``."""
    if up not in TO_Y:
        raise MotionError(
            expected=f"an axis of {', '.join(TO_Y)} that points up", got=repr(up), option=Option("up", up)
        )
    return up


def find_up(parsed: Parsed, roles: Mapping[str, int]) -> Up:
    """The axis along which the body stands in most frames, else what the format says, else that of the rest pose.

    Axes other than the usual ones, y and z, are believed where the rest pose stands along them too, or where the feet
    rest while the head moves: a body that lies, or stands on its head, is along some axis as well.
    """
    moving = _axis_name(_upward(_sampled_places(parsed, roles), roles))
    resting = _axis_name(_upward(parsed.skeleton.rest_positions[None], roles))
    if moving is not None and (moving in parsed.usual_up or moving == resting or _stands_on_feet(parsed, roles)):
        return Up(moving)
    return Up(parsed.up_axis or resting, moving)


def _stands_on_feet(parsed: Parsed, roles: Mapping[str, int]) -> bool:
    """Whether one foot or the other rests while the head moves, in most of some pairs of frames."""
    ankles, top = _ends(roles)
    n_frames, apart = len(parsed.root_positions), max(1, round(_LOOKS.apart * parsed.frame_rate))
    if n_frames <= apart or top is None:
        return False
    first = np.unique(np.linspace(0, n_frames - 1 - apart, _LOOKS.samples).astype(np.int64))
    before, after = (
        kinematics.forward(parsed.skeleton, parsed.root_positions[frames], parsed.rotations_wxyz[frames])[0]
        for frames in (first, first + apart)
    )
    moved = np.linalg.norm(after - before, axis=-1)
    return bool(np.median(moved[:, ankles].min(axis=1)) < _LOOKS.rests * np.median(moved[:, top]))


def _sampled_places(parsed: Parsed, roles: Mapping[str, int]) -> Float[np.ndarray, "frames joints 3"]:
    """Where the joints are in some frames, all as if the rest pose turned with the hips.

    That tells up from down as well as posing the whole body does, at a tenth of the cost.
    """
    skeleton = parsed.skeleton
    frames = np.unique(np.linspace(0, len(parsed.root_positions) - 1, _LOOKS.samples).astype(np.int64))
    if "hips" not in roles or _upward(skeleton.rest_positions[None], roles) is None:
        return kinematics.forward(skeleton, parsed.root_positions[frames], parsed.rotations_wxyz[frames])[0]
    turn = np.broadcast_to(quaternions.IDENTITY, (len(frames), 4))
    for joint in reversed(skeleton.path(roles["hips"])):
        turn = quaternions.multiply(turn, parsed.rotations_wxyz[frames, joint])
    return quaternions.rotate(turn[:, None], skeleton.rest_positions[None])


def rest_basis(skeleton: Skeleton, roles: Mapping[str, int]) -> Float[np.ndarray, "3 3"]:
    """The file axes along which left, up and ahead of the rest pose point, as rows; the identity if unclear."""
    upward = _upward(skeleton.rest_positions[None], roles)
    leftward = _nearest_axis(_leftward(skeleton, roles))
    if upward is None or leftward is None or abs(float(upward @ leftward)) > 0:
        return np.eye(3)
    return np.stack([leftward, upward, np.cross(leftward, upward)])


def stood_upright(parsed: Parsed, world: Float[np.ndarray, "3 3"], rest: Float[np.ndarray, "3 3"]) -> Parsed:
    """The same motion in other axes: ``world`` turns the room, ``rest`` the frames in which joints are described.

    Both are rotations that take axes to axes. Every joint stays where it was in the room.
    """
    skeleton = parsed.skeleton
    turn_room, turn_frames = quaternions.from_matrix(world), quaternions.from_matrix(rest)
    rotations = np.array(parsed.rotations_wxyz)
    rotations[..., 1:] = rotations[..., 1:] @ rest.T
    rotations[:, 0] = quaternions.multiply(
        quaternions.multiply(turn_room, parsed.rotations_wxyz[:, 0]), quaternions.conjugate(turn_frames)
    )
    axes = np.array(skeleton.axes_wxyz)
    axes[..., 1:] = axes[..., 1:] @ rest.T
    come_from = np.argmax(np.abs(rest), axis=1)  # new axis i is old axis come_from[i], perhaps the other way round
    reversed_ = rest[np.arange(3), come_from] < 0
    limits = skeleton.limits[:, come_from]
    limits = np.where(reversed_[:, None], -limits[..., ::-1], limits)
    bound = skeleton.binding
    if bound is not None:  # the way back to the axes of the file leads over this turn
        bound = replace(bound, axes_wxyz=quaternions.multiply(turn_frames, bound.axes_wxyz))
    letters = {ord("XYZ"[old]): "XYZ"[new] for new, old in enumerate(come_from)}
    return replace(
        parsed,
        skeleton=replace(
            skeleton,
            offsets=np.concatenate([skeleton.offsets[:1] @ world.T, skeleton.offsets[1:] @ rest.T]),
            end_offsets=skeleton.end_offsets @ rest.T,
            rotation_orders=tuple(order.translate(letters) for order in skeleton.rotation_orders),
            axes_wxyz=axes,
            limits=limits,
            binding=bound,
        ),
        root_positions=parsed.root_positions @ world.T,
        rotations_wxyz=rotations,
        slides=parsed.slides @ rest.T,
    )


def _upward(places: Float[np.ndarray, "frames joints 3"], roles: Mapping[str, int]) -> Float[np.ndarray, 3] | None:
    """The axis from the ankles to the head, in the median over the frames."""
    ankles, top = _ends(roles)
    if not ankles or top is None:
        return None
    return _nearest_axis(np.median(places[:, top] - places[:, ankles].mean(axis=1), axis=0))


def _ends(roles: Mapping[str, int]) -> tuple[list[int], int | None]:
    """The joints of both ends of a standing body: ankles, and the highest joint of the back that is known."""
    ankles = [roles[side] for side in ("left_ankle", "right_ankle") if side in roles]
    return ankles, roles.get("head", roles.get("neck", roles.get("chest", roles.get("hips"))))


def _axis_name(axis: Float[np.ndarray, 3] | None) -> str | None:
    """The key of ``TO_Y`` of a signed unit axis."""
    if axis is None:
        return None
    return f"{'-' if axis.sum() < 0 else ''}{'xyz'[int(np.argmax(np.abs(axis)))]}"


def _leftward(skeleton: Skeleton, roles: Mapping[str, int]) -> Float[np.ndarray, 3]:
    """From right to left hip and shoulder at rest."""
    rest = skeleton.rest_positions
    out = np.zeros(3)
    for part in ("hip", "shoulder"):
        if f"left_{part}" in roles and f"right_{part}" in roles:
            out = out + rest[roles[f"left_{part}"]] - rest[roles[f"right_{part}"]]
    return out


def _nearest_axis(vector: Float[np.ndarray, 3]) -> Float[np.ndarray, 3] | None:
    """The signed unit axis a vector clearly points along."""
    sizes = np.abs(vector)
    strongest = int(np.argmax(sizes))
    if sizes[strongest] <= _LOOKS.clear * np.partition(sizes, 1)[1]:
        return None
    axis = np.zeros(3)
    axis[strongest] = np.sign(vector[strongest])
    return axis
