"""How alike two poses, frames or motions are."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int
from numpy.lib.stride_tricks import sliding_window_view
from scipy.ndimage import gaussian_filter1d

from mocapella.analysis.plants.ground import FootTracks
from mocapella.errors import NetworkError
from mocapella.geometry import quaternions
from mocapella.geometry.alignment import ground_alignment
from mocapella.geometry.angles import TURN
from mocapella.motion import kinematics
from mocapella.motion.clip import Clip
from mocapella.motion.layout import HEIGHT
from mocapella.motion.rates import turn_and_speed
from mocapella.motion.spectrum import Spectrum
from mocapella.rig.roles import find_roles

# How well a stretch of motion closes: how far its last pose and movement are from its first.

_MOVEMENT = 0.1  # seconds of movement that count as much as the pose they lead away from
_SMOOTHING = 0.02  # seconds


def postures(clip: Clip, tracks: FootTracks) -> Float[np.ndarray, "frames features"]:
    """Pose and movement of each frame as seen by the character; two frames are as unlike as these are far apart.

    Places of the joints that play a role, in leg lengths from the point of the ground under the root, in the
    character's own heading; what they move by in a tenth of a second; and, with the weight of them all, what the body
    travels by. The distance between two frames is then the root mean square over their joints.
    """
    roles = find_roles(clip.skeleton)
    joints = np.array(sorted(set(roles.values())) or range(clip.skeleton.n_joints))
    back = quaternions.about_y(-np.asarray(quaternions.yaw(clip.rotations_wxyz[:, 0])))
    shadow = np.array(clip.root_positions)
    shadow[:, 1] = tracks.level(shadow)
    places = quaternions.rotate(back[:, None], clip.positions[:, joints] - shadow[:, None])
    width = _SMOOTHING * clip.frame_rate
    steady = gaussian_filter1d(places, width, axis=0, mode="nearest")
    travel = quaternions.rotate(back, np.gradient(gaussian_filter1d(shadow, width, axis=0, mode="nearest"), axis=0))
    moves = np.gradient(steady, axis=0)
    per_frame = _MOVEMENT * clip.frame_rate
    n = len(clip)
    parts = [
        places.reshape(n, -1) / np.sqrt(len(joints)),
        moves.reshape(n, -1) * per_frame / np.sqrt(len(joints)),
        travel[:, [0, 2]] * per_frame,
    ]
    return np.concatenate(parts, axis=1) / tracks.leg


def unlikeness(
    features: Float[np.ndarray, "frames features"], lags: tuple[int, int]
) -> Float[np.ndarray, "starts lags"]:
    """How far each frame is from those ``lags[0]`` to ``lags[1]`` frames later; infinite where the clip has ended."""
    first, last = lags
    n = len(features)
    squares = np.einsum("fd,fd->f", features, features)
    out = np.full((n, last - first + 1), np.inf)
    padded = np.concatenate([features, np.zeros((last, features.shape[1]))])
    later = sliding_window_view(padded[first:], last - first + 1, axis=0)[:n]  # (starts, features, lags)
    products = np.matmul(features[:, None, :], later)[:, 0]
    ends = np.arange(n)[:, None] + np.arange(first, last + 1)
    inside = ends < n
    out[inside] = (squares[:, None] + squares[np.minimum(ends, n - 1)] - 2.0 * products)[inside]
    return np.asarray(np.sqrt(np.maximum(out, 0.0)))


def closing_distance(
    first: Float[np.ndarray, "joints 3"], last: Float[np.ndarray, "joints 3"], rise: float = 0.0
) -> float:
    """The mean distance of joints between two poses, one laid over the other on the ground, metres.

    ``rise`` is how much higher the ground is under the last.
    """
    lowered = last - np.array([0.0, rise, 0.0])
    laid_over = ground_alignment(first, lowered).applied(lowered)
    return float(np.linalg.norm(first - laid_over, axis=-1).mean())


def spread(
    features: Float[np.ndarray, "frames features"],
    starts: Int[np.ndarray, " stretches"],
    lengths: Int[np.ndarray, " stretches"],
) -> Float[np.ndarray, " stretches"]:
    """How far any two frames of a stretch are apart on average (root mean square); never quite 0."""
    sums = np.concatenate([np.zeros((1, features.shape[1])), np.cumsum(features, axis=0)])
    squares = np.concatenate([[0.0], np.cumsum(np.einsum("fd,fd->f", features, features))])
    means = (sums[starts + lengths] - sums[starts]) / lengths[:, None]
    variances = (squares[starts + lengths] - squares[starts]) / lengths - np.einsum("sd,sd->s", means, means)
    return np.asarray(np.sqrt(2.0 * np.maximum(variances, 1e-12)))


# How unlike two motions are that are in step: how far apart their joints are, all round the cycle.

_PHASES = 24
_AHEAD = 0.2  # seconds: two motions of unlike speed or turn are as far apart as they are after this time
_ARM = 0.5  # metres from the vertical axis, where a turn is felt


def unlikeness_of(first: Spectrum, second: Spectrum) -> float:
    """How far apart two motions in step are, metres: joints as the character sees them (rms), and travel."""
    joints = np.sqrt(np.mean(np.sum((_places(first) - _places(second)) ** 2, axis=-1)))
    (turn, speed), (other_turn, other_speed) = turn_and_speed(first), turn_and_speed(second)
    travel = np.hypot(speed - other_speed, _ARM * np.radians(turn - other_turn)) * _AHEAD
    return float(np.hypot(joints, travel))


def _places(motion: Spectrum) -> Float[np.ndarray, "phases joints 3"]:
    if motion.layout is None:
        raise NetworkError("these harmonics carry no layout, so nobody can say how a body would look")
    dofs = motion.at(TURN * np.arange(_PHASES) / _PHASES)
    roots = np.zeros((_PHASES, 3))
    roots[:, 1] = dofs[:, HEIGHT]
    return kinematics.forward(motion.layout.skeleton, roots, motion.layout.rotations(dofs))[0]
