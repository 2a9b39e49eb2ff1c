"""Where heels and toes are during a clip: how high above the ground and how fast."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float
from scipy.ndimage import gaussian_filter1d

from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import intervals_of
from mocapella.rig.legs import foot_points, leg_length, leg_roles
from mocapella.rig.names import Roles

SMOOTHING = 0.010  # seconds, the width of the Gaussian that takes the jitter out of jittery feet
_JITTERY = 0.01  # of the fastest: where the slowest samples are as fast as that, a capture is jittery
_ROUNDS = ((0.15, 3), (0.05, 3), (0.02, 4))  # how far, in legs, a resting point may lie off the ground, and how often
_STEEPEST = 0.1  # how steep the ground commonly is, where it is crossed: without evidence it is level
_UNEVEN = 0.02  # how far, in legs, a point at rest commonly lies over or under the sole
_EVIDENCE = 20.0  # how many independent plants the samples of a clip amount to
_SLOW = 0.3  # the share of a foot's samples that are taken as resting while the ground is looked for
_LONGEST_VOTE = 0.5  # seconds: a foot that stays longer in one place tells no more about the ground than a step does
_STAYS = 1.0  # leg lengths per second: a foot that is slower stays where it is


@dataclass(frozen=True, eq=False)
class FootTracks:
    """Heel and toe of both feet over time, in leg lengths, so that no threshold knows a unit or a body's size."""

    places: Float[np.ndarray, "frames 4 3"]  # of ``FOOT_POINTS``, smoothed, metres
    heights: Float[np.ndarray, "frames 4"]  # above the ground, in leg lengths
    speeds: Float[np.ndarray, "frames 4"]  # into a frame or out of it, the slower; leg lengths per second
    leg: float  # thigh and shank together, metres
    frame_rate: float
    ground: Float[np.ndarray, 3]  # its height is ground · (1, x, z), metres
    clip: Clip  # whose feet they are

    def level(self, places: Float[np.ndarray, "*batch 3"]) -> Float[np.ndarray, "*batch"]:
        """How high the ground is under these places, metres."""
        return level(self.ground, places)


def track_feet(clip: Clip) -> FootTracks:
    """Follow heel and toe of both feet through a clip.

    Raises
    ------
    MotionError
        Where the skeleton's legs are not known.
    """
    roles = leg_roles(clip.skeleton)
    leg = leg_length(clip.skeleton, roles)
    raw = foot_places(clip, roles)
    thickness = foot_points(clip.skeleton, roles)[2]
    places = steadied(raw, clip.frame_rate)
    speeds = _speeds(places, clip.frame_rate) / leg
    soles = places - np.array([0.0, 1.0, 0.0]) * thickness[:, None]
    ground, over = find_ground(soles, speeds, votes(speeds, clip.frame_rate), leg)
    heights = (places[..., 1] - thickness - level(ground, places)) / leg - over
    return FootTracks(places, heights, speeds, leg, clip.frame_rate, ground, clip)


def steadied(places: Float[np.ndarray, "frames 4 3"], frame_rate: float) -> Float[np.ndarray, "frames 4 3"]:
    """Places without the jitter of the capture, smoothed by no more than there is of it.

    How much there is, the slowest tenth of all samples tells: some point rests for so long in any motion. Motion
    without jitter is left alone, since smoothing blurs the moment of a strike.
    """
    speeds = _speeds(places, frame_rate)
    slowest, fast = np.quantile(speeds, [0.1, 0.95])
    jitter = float(slowest) / max(_JITTERY * float(fast), 1e-12)
    width = SMOOTHING * frame_rate * min(jitter, max(1.0, 0.5 * float(np.sqrt(jitter))), 2.0)
    return gaussian_filter1d(places, width, axis=0, mode="nearest") if width > 0.25 else places


def foot_places(clip: Clip, roles: Roles) -> Float[np.ndarray, "frames 4 3"]:
    """Where ``FOOT_POINTS`` are in the world, as captured, metres."""
    joints, offsets, _ = foot_points(clip.skeleton, roles)
    positions, world_wxyz = clip.world
    return np.asarray(positions[:, joints] + quaternions.rotate(world_wxyz[:, joints], offsets))


def _speeds(places: Float[np.ndarray, "frames 4 3"], frame_rate: float) -> Float[np.ndarray, "frames 4"]:
    """The slower of the moves into a frame and out of it.

    To a test that looks both ways at once, the first frame of a plant still shows how hard the foot came down, yet the
    point is there and stays: what counts is that it rests on one side of the frame.
    """
    if len(places) < 2:
        return np.zeros(places.shape[:2])
    moves = np.linalg.norm(np.diff(places, axis=0), axis=-1) * frame_rate
    return np.asarray(np.minimum(np.concatenate([moves[:1], moves]), np.concatenate([moves, moves[-1:]])))


def level(ground: Float[np.ndarray, 3], places: Float[np.ndarray, "*batch 3"]) -> Float[np.ndarray, "*batch"]:
    """How high a plane of ground is under these places, metres."""
    return np.asarray(ground[0] + places[..., 0] * ground[1] + places[..., 2] * ground[2])


def votes(speeds: Float[np.ndarray, "frames 4"], frame_rate: float) -> Float[np.ndarray, "frames 4"]:
    """How much each sample says about the ground: those of one plant share a vote, however long the foot stays.

    Else ten seconds of standing would outvote all the steps that lead away from there.
    """
    out = np.ones(speeds.shape)
    for point in range(speeds.shape[1]):
        for first, last in intervals_of(speeds[:, point] < _STAYS):
            out[first : last + 1, point] = min(1.0, _LONGEST_VOTE * frame_rate / (last + 1 - first))
    return out


def find_ground(
    soles: Float[np.ndarray, "frames 4 3"],
    speeds: Float[np.ndarray, "frames 4"],
    votes: Float[np.ndarray, "frames 4"],
    leg: float,
) -> tuple[Float[np.ndarray, 3], Float[np.ndarray, 4]]:
    """The plane on which the slower points rest, and how far over it each of the four does.

    The plane is its height at the origin and its slopes along x and z. Capture floors are often a degree off level,
    which lifts a foot by centimetres on its way through a room, so the plane may tilt; and a skeleton's sole is a
    guess, so each point may rest a little over or under it. Points high above the plane count for less and less. What
    the feet do not tell, as a tilt across the way, is taken to be level.
    """
    slow = np.stack([_slowest(*point) for point in zip(speeds.T, votes.T, strict=True)], axis=1)
    points, shares = np.nonzero(slow)[1], votes[slow] / votes[slow].sum()
    x, y, z = soles[slow].T
    middle = np.array([shares @ x, shares @ z])
    place = np.stack([x - middle[0], z - middle[1]], axis=1) / leg
    design = np.concatenate([np.ones((len(x), 1)), place, np.eye(4)[points]], axis=1)
    heights = y / leg
    solution = np.zeros(7)
    solution[0] = np.quantile(heights, 0.1)
    crossed = min(1.0, float((shares @ place**2).sum()))  # a tilt under someone who stays in one place is a guess
    stiffness = np.array([0.0, *[(crossed * _STEEPEST + 1e-3) ** -2] * 2, *[_UNEVEN**-2] * 4])
    for width, rounds in _ROUNDS:
        for _ in range(rounds):
            off = heights - design @ solution
            off = np.where(off > 0.0, off, 0.25 * off)  # what lies below the ground speaks for a lower ground
            weights = shares / (1.0 + (off / width) ** 2) ** 2
            evidence = design.T @ (weights[:, None] * design) * (_EVIDENCE / weights.sum())
            goal = design.T @ (weights * heights) * (_EVIDENCE / weights.sum())
            solution = np.linalg.solve(evidence + width**2 * np.diag(stiffness), goal)
    slopes = solution[1:3]
    return np.array([solution[0] * leg - slopes @ middle, *slopes]), solution[3:]


def _slowest(speeds: Float[np.ndarray, " frames"], votes: Float[np.ndarray, " frames"]) -> Bool[np.ndarray, " frames"]:
    """The slowest samples of a point, up to a share of its votes."""
    order = np.argsort(speeds)
    counted = np.cumsum(votes[order])
    return np.asarray(speeds <= speeds[order[min(np.searchsorted(counted, _SLOW * counted[-1]), len(order) - 1)]])
