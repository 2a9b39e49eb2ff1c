"""Which way a file's body stands and faces, and the same motion stood upright: y up, rest pose facing +z."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from mocapella.files.parsed import Parsed
from mocapella.geometry import quaternions
from mocapella.motion import kinematics
from mocapella.motion.skeleton import Skeleton

_SAMPLES = 24  # frames looked at to see which way is up
_CLEAR = 1.5  # how much longer than the next the strongest axis must be to count
Z_TO_Y = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])  # what faced −y then faces +z


def up_axis(parsed: Parsed, roles: Mapping[str, int]) -> str | None:
    """The axis along which the body stands, ``"y"`` or ``"z"``, in most frames, else at rest; None where unclear."""
    for places in (_sampled_places(parsed, roles), parsed.skeleton.rest_positions[None]):
        upward = _upward(places, roles)
        if upward is not None and upward[0] == 0.0 and upward.sum() > 0:
            return "y" if upward[1] else "z"
    return None


def _sampled_places(parsed: Parsed, roles: Mapping[str, int]) -> Float[np.ndarray, "frames joints 3"]:
    """Where the joints are in some frames; where the rest pose stands, as if it were only turned as the hips are.

    That tells up from down as well as posing the whole body does, at a tenth of the cost.
    """
    skeleton = parsed.skeleton
    frames = np.unique(np.linspace(0, len(parsed.root_positions) - 1, _SAMPLES).astype(np.int64))
    if "hips" not in roles or _upward(skeleton.rest_positions[None], roles) is None:
        return kinematics.forward(skeleton, parsed.root_positions[frames], parsed.rotations_wxyz[frames])[0]
    turn = np.broadcast_to(quaternions.IDENTITY, (len(frames), 4))
    for joint in reversed(skeleton.path(roles["hips"])):
        turn = quaternions.multiply(turn, parsed.rotations_wxyz[frames, joint])
    return quaternions.rotate(turn[:, None], skeleton.rest_positions[None])


def rest_basis(skeleton: Skeleton, roles: Mapping[str, int]) -> Float[np.ndarray, "3 3"]:
    """Rows: where left, up and ahead of the rest pose point, as file axes; the identity where they cannot be told."""
    upward = _upward(skeleton.rest_positions[None], roles)
    leftward = _nearest_axis(_leftward(skeleton, roles))
    if upward is None or leftward is None or abs(float(upward @ leftward)) > 0:
        return np.eye(3)
    return np.stack([leftward, upward, np.cross(leftward, upward)])


def stood_upright(parsed: Parsed, world: Float[np.ndarray, "3 3"], rest: Float[np.ndarray, "3 3"]) -> Parsed:
    """The same motion in other axes: ``world`` turns the room, ``rest`` the frames in which joints are described.

    Both are rotations that take axes to axes. Every joint stays where it was in the room; only the words for it change.
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
        ),
        root_positions=parsed.root_positions @ world.T,
        rotations_wxyz=rotations,
        slides=parsed.slides @ rest.T,
    )


def _upward(places: Float[np.ndarray, "frames joints 3"], roles: Mapping[str, int]) -> Float[np.ndarray, 3] | None:
    """The axis from the ankles to the head, in the median over the frames."""
    ankles = [roles[side] for side in ("left_ankle", "right_ankle") if side in roles]
    top = roles.get("head", roles.get("neck", roles.get("chest", roles.get("hips"))))
    if not ankles or top is None:
        return None
    return _nearest_axis(np.median(places[:, top] - places[:, ankles].mean(axis=1), axis=0))


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
    if sizes[strongest] <= _CLEAR * np.partition(sizes, 1)[1]:
        return None
    axis = np.zeros(3)
    axis[strongest] = np.sign(vector[strongest])
    return axis
