"""Heels and toes over time: how high above the ground they are, how fast, and when they rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from jaxtyping import Bool, Float

from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS, intervals_of
from mocapella.rig.legs import foot_points, leg_length, leg_roles
from mocapella.rig.names import Roles

_Masks = Bool[np.ndarray, "frames 4"]
_PerPoint = Float[np.ndarray, "frames 4"]


@dataclass(frozen=True, eq=False)
class FootTracks:
    """Heel and toe of both feet over time, in leg lengths, so that no threshold depends on unit or body size."""

    places: Float[np.ndarray, "frames 4 3"]  # of ``FOOT_POINTS``, denoised, metres
    heights: _PerPoint  # above the ground, in leg lengths
    speeds: _PerPoint  # the slower of the moves into a frame and out of it; leg lengths per second
    leg: float  # thigh and shank together, metres
    frame_rate: float
    ground: Float[np.ndarray, 3]  # its height is ground · (1, x, z), metres
    clip: Clip  # whose feet they are

    def level(self, places: Float[np.ndarray, "*batch 3"]) -> Float[np.ndarray, "*batch"]:
        """Height of the ground under these places, metres."""
        return level(self.ground, places)


def track_feet(clip: Clip, smoothing: float = 0.0) -> FootTracks:
    """Follow heel and toe of both feet through a clip, and find the ground they rest on.

    The clip must be sound throughout, since lost frames would be taken for moves of the feet. Places are smoothed in
    proportion to their jitter, and by a Gaussian of ``smoothing`` seconds where that is asked for. Raises
    ``MotionError`` where the skeleton's legs are not known.
    """
    roles = leg_roles(clip.skeleton)
    leg = leg_length(clip.skeleton, roles)
    thickness = foot_points(clip.skeleton, roles)[2]
    places = _denoised(foot_places(clip, roles), clip.frame_rate)
    if smoothing:
        places = scipy.ndimage.gaussian_filter1d(places, smoothing * clip.frame_rate, axis=0, mode="nearest")
    speeds = _speeds(places, clip.frame_rate) / leg
    soles = places - np.array([0.0, 1.0, 0.0]) * thickness[:, None]
    ground, over = _find_ground(soles, speeds, votes(speeds, clip.frame_rate), leg)
    heights = (places[..., 1] - thickness - level(ground, places)) / leg - over
    return FootTracks(places, heights, speeds, leg, clip.frame_rate, ground, clip)


def foot_places(clip: Clip, roles: Roles) -> Float[np.ndarray, "frames 4 3"]:
    """World positions of ``FOOT_POINTS``, as captured, metres; the ``roles`` include legs (``leg_roles``)."""
    joints, offsets, _ = foot_points(clip.skeleton, roles)
    positions, world_wxyz = clip.world
    return np.asarray(positions[:, joints] + quaternions.rotate(world_wxyz[:, joints], offsets))


@dataclass(frozen=True)
class _Denoising:
    """How the jitter of a capture is told and taken out of the places of feet."""

    smoothing: float = 0.010  # seconds, the width of the Gaussian that takes the jitter out of jittery feet
    calm_share: float = 0.1  # of all samples, the calmest, which tell the noise of a capture
    calm_noise: float = 0.76 * np.sqrt(20.0)  # size that this share of third differences of white noise stays below
    noise_slope: float = 0.5 * np.pi**-0.25  # of white noise after a Gaussian of width 1, from frame to frame
    quiet: float = 0.015  # of the fastest: the apparent speed of a point at rest that noise may make
    widest: float = 0.06  # seconds: a wider Gaussian blurs plants away
    jittery: float = 0.01  # of the fastest: a capture whose slowest samples are as fast as that is jittery


_DENOISING = _Denoising()


def _denoised(places: Float[np.ndarray, "frames 4 3"], frame_rate: float) -> Float[np.ndarray, "frames 4 3"]:
    """Places without the jitter of the capture, smoothed in proportion to it.

    The amount of jitter is told from the slowest tenth of all samples, since some point rests for that long in any
    motion. Motion without jitter is left alone: smoothing blurs the moment of a strike.
    """
    slowest, fast = np.quantile(_speeds(places, frame_rate), [0.1, 0.95])
    jitter = float(slowest) / max(_DENOISING.jittery * float(fast), 1e-12)
    width = _DENOISING.smoothing * frame_rate * min(jitter, max(1.0, 0.5 * float(np.sqrt(jitter))), 2.0)
    width = max(width, _width_against_noise(places, float(fast) / frame_rate, frame_rate))
    return scipy.ndimage.gaussian_filter1d(places, width, axis=0, mode="nearest") if width > 0.25 else places


def _width_against_noise(places: Float[np.ndarray, "frames 4 3"], fast: float, frame_rate: float) -> float:
    """Frames: the width of the Gaussian after which noise seems to move a point by a small share of ``fast``.

    The noise is what remains in the calmest samples when the motion around is taken for a parabola. After a Gaussian of
    width w, the difference of two frames has w^1.5 times less of it.
    """
    if len(places) < 4:
        return 0.0
    rough = np.linalg.norm(np.diff(places, 3, axis=0), axis=-1)
    noise = float(np.quantile(rough, _DENOISING.calm_share) / _DENOISING.calm_noise)
    width = float(_DENOISING.noise_slope * noise / max(_DENOISING.quiet * fast, 1e-12)) ** (2 / 3)
    return min(float(width), _DENOISING.widest * frame_rate)


def _speeds(places: Float[np.ndarray, "frames 4 3"], frame_rate: float) -> _PerPoint:
    """The slower of the moves into a frame and out of it, metres per second.

    A difference over both would still show, in the first frame of a plant, how hard the foot came down; but the point
    is there and stays, so it is enough that it rests on one side of the frame.
    """
    if len(places) < 2:
        return np.zeros(places.shape[:2])
    moves = np.linalg.norm(np.diff(places, axis=0), axis=-1) * frame_rate
    return np.asarray(np.minimum(np.concatenate([moves[:1], moves]), np.concatenate([moves, moves[-1:]])))


# The ground: a plane under the feet.


@dataclass(frozen=True)
class _GroundSearch:
    """How the plane under the feet is found."""

    # Leg lengths that a resting point may lie off the ground, and how many rounds are fitted with that.
    rounds: tuple[tuple[float, int], ...] = ((0.15, 3), (0.05, 3), (0.02, 4))
    # Likewise, before these, for ground so steep that a level one misses most plants.
    from_afar: tuple[tuple[float, int], ...] = ((1.0, 3), (0.4, 3))
    # How many times as many points must rest on a ground that was looked for from afar. Chosen on 100 captures, as they
    # are and tilted by 10 degrees; as they are, plants of one change: acrobatics, whose landing is found then.
    clearer: float = 1.1
    steepest: float = 0.1  # common slope of a ground that is crossed: without evidence it is level
    uneven: float = 0.02  # leg lengths by which a point at rest commonly lies over or under the sole
    evidence: float = 20.0  # how many independent plants the samples of a clip amount to
    slow_share: float = 0.3  # of a foot's samples that are taken as resting while the ground is looked for
    longest_vote: float = 0.5  # seconds: a foot that stays longer tells no more about the ground than a step does
    stays: float = 1.0  # leg lengths per second: a slower foot stays where it is


_GROUND = _GroundSearch()


def level(ground: Float[np.ndarray, 3], places: Float[np.ndarray, "*batch 3"]) -> Float[np.ndarray, "*batch"]:
    """Height in metres of a plane of ground, as in ``FootTracks.ground``, under places in the world."""
    return np.asarray(ground[0] + places[..., 0] * ground[1] + places[..., 2] * ground[2])


def votes(speeds: _PerPoint, frame_rate: float) -> _PerPoint:
    """Weight of each sample in finding the ground: those of one plant share a vote, however long the foot stays.

    Otherwise ten seconds of standing would outvote all the steps that lead away from there.
    """
    out = np.ones(speeds.shape)
    for point in range(speeds.shape[1]):
        for first, last in intervals_of(speeds[:, point] < _GROUND.stays):
            out[first : last + 1, point] = min(1.0, _GROUND.longest_vote * frame_rate / (last + 1 - first))
    return out


def _find_ground(
    soles: Float[np.ndarray, "frames 4 3"], speeds: _PerPoint, votes: _PerPoint, leg: float
) -> tuple[Float[np.ndarray, 3], Float[np.ndarray, 4]]:
    """The plane on which the slower points rest, and how far over it each of the four does, in leg lengths.

    The plane is its height at the origin and its slopes along x and z. Capture floors are often a degree off level,
    which lifts a foot by centimetres on its way through a room, so the plane may tilt; and a skeleton's sole is a
    guess, so each point may rest a little over or under it. Points high above the plane count for less and less. What
    the feet do not tell, such as a tilt across the path, is taken to be level. On a slope, a search that begins with
    level ground may end with the one place where the body stood; another one, which begins with points far off, is
    taken where clearly more of them rest on its plane.
    """
    slow = np.stack([_slowest(*point) for point in zip(speeds.T, votes.T, strict=True)], axis=1)
    points, shares = np.nonzero(slow)[1], votes[slow] / votes[slow].sum()
    x, y, z = soles[slow].T
    middle = np.array([shares @ x, shares @ z])
    place = np.stack([x - middle[0], z - middle[1]], axis=1) / leg
    design = np.concatenate([np.ones((len(x), 1)), place, np.eye(4)[points]], axis=1)
    heights = y / leg
    crossed = min(1.0, float((shares @ place**2).sum()))  # in place, a tilt is a guess
    stiffness = np.array([0.0, *[(crossed * _GROUND.steepest + 1e-3) ** -2] * 2, *[_GROUND.uneven**-2] * 4])

    sloping = np.array([False, True, True, False, False, False, False])

    def weights_of(solution: Float[np.ndarray, 7], width: float) -> Float[np.ndarray, " samples"]:
        off = heights - design @ solution
        off = np.where(off > 0.0, off, 0.25 * off)  # points below the ground speak for a lower ground
        return np.asarray(shares / (1.0 + (off / width) ** 2) ** 2)

    def fitted(rounds: Sequence[tuple[float, int]], widest: float) -> tuple[Float[np.ndarray, 7], float]:
        """The ground, and the share of points that rest on it; ``widest`` bounds how firmly level is preferred."""
        solution = np.zeros(7)
        solution[0] = np.quantile(heights, 0.1)
        for width, count in rounds:
            for _ in range(count):
                weights = weights_of(solution, width)
                evidence = design.T @ (weights[:, None] * design) * (_GROUND.evidence / weights.sum())
                goal = design.T @ (weights * heights) * (_GROUND.evidence / weights.sum())
                trust = np.where(sloping, min(width, widest), width)
                solution = np.linalg.solve(evidence + np.diag(stiffness * trust**2), goal)
        return solution, float(weights_of(solution, _GROUND.rounds[-1][0]).sum())

    solution, share = fitted(_GROUND.rounds, np.inf)
    other, other_share = fitted((*_GROUND.from_afar, *_GROUND.rounds), _GROUND.rounds[-1][0])
    solution = other if other_share > _GROUND.clearer * share else solution
    slopes = solution[1:3]
    return np.array([solution[0] * leg - slopes @ middle, *slopes]), solution[3:]


def _slowest(speeds: Float[np.ndarray, " frames"], votes: Float[np.ndarray, " frames"]) -> Bool[np.ndarray, " frames"]:
    """The slowest samples of a point, up to a share of its votes."""
    order = np.argsort(speeds)
    counted = np.cumsum(votes[order])
    last = min(np.searchsorted(counted, _GROUND.slow_share * counted[-1]), len(order) - 1)
    return np.asarray(speeds <= speeds[order[last]])


# The default test of when a point rests.


@dataclass(frozen=True)
class _RestTest:
    """When a point rests. Thresholds of speed are shares of the speed of a swinging foot.

    The first is constant; the others grow with the jitter and skid of the capture.
    """

    still: float = 0.003  # share that a foot at rest seems to move by where nothing jitters
    jitter: float = 3.5  # times the usual speed at rest that still is rest
    roll: float = 6.0  # the same, while the foot rolls over the heel at its start and over the toes at its end
    most_still: float = 0.1  # of the swing speed: the fastest a foot at rest ever is
    most_roll: float = 0.16  # of the swing speed: the fastest a rolling foot ever is
    least_swing: float = 2.0  # leg lengths per second: the slowest that a swinging foot is
    highest: float = 0.05  # leg lengths above the ground at which a point may rest
    shortest_gap: float = 0.05  # seconds
    may_rest: float = 0.05  # of the swing speed: taken for rest before it is known how still feet are in a capture
    stride: float = 1.0  # seconds in which one of the feet swings, if they do at all
    about: float = 1.0  # seconds before and after a frame that tell how still feet at rest are about then
    enough: float = 0.2  # seconds of stepping it takes to tell


_REST = _RestTest()

SHORTEST_PLANT = 0.04  # seconds


def resting(tracks: FootTracks, ease: _PerPoint | float = 1.0) -> _Masks:
    """Points that are near the ground and slow, compared with how fast the feet swing at the time: the default test.

    Speed is measured against the swing about the same time and against how still the feet of this capture ever are,
    height in leg lengths over a ground that may tilt. At the ends of a plant a foot rolls, so a heel may still move a
    little after its strike, and a toe joint before the tip leaves. ``ease`` scales the thresholds of speed.
    """
    shares = tracks.speeds / _swing_speeds(tracks)[:, None]
    jitter = resting_shares(tracks, shares)[:, None]
    low = tracks.heights < _REST.highest
    masks = (shares < ease * np.minimum(_REST.still + _REST.jitter * jitter, _REST.most_still)) & low
    masks = ~_drop_short(~masks, int(_REST.shortest_gap * tracks.frame_rate))  # short gaps are filled
    masks = _drop_short(masks, int(SHORTEST_PLANT * tracks.frame_rate))
    rolling = (shares < ease * np.minimum(_REST.still + _REST.roll * jitter, _REST.most_roll)) & low
    for i, name in enumerate(FOOT_POINTS):
        backwards = slice(None, None, -1 if name.endswith("heel") else 1)
        masks[:, i] = _extend(masks[backwards, i], rolling[backwards, i])[backwards]
    return masks


def _swing_speeds(tracks: FootTracks) -> Float[np.ndarray, " frames"]:
    """Speed of the feet's swing about each frame, leg lengths per second: the fastest point within a stride."""
    rate = tracks.frame_rate
    # A jump of a joint is no swing.
    fastest = scipy.ndimage.median_filter(tracks.speeds.max(axis=1), 2 * int(0.02 * rate) + 1)
    swing = scipy.ndimage.maximum_filter1d(fastest, 2 * int(0.5 * _REST.stride * rate) + 1, mode="nearest")
    swing = scipy.ndimage.gaussian_filter1d(swing, 0.25 * _REST.stride * rate, mode="nearest")
    return np.asarray(np.maximum(swing, _REST.least_swing))


def resting_shares(tracks: FootTracks, shares: _PerPoint) -> Float[np.ndarray, " frames"]:
    """Apparent speed of points at rest about each frame, as a share of the swing: jitter and skid of the capture.

    It is measured about each frame anew, since a run that follows a walk skids more than the walk does, and is nowhere
    less than throughout the clip, since a few steps tell little. Frames in which both feet stand tell little about a
    foot that the body rolls over, so they are left out where the body moves at all.
    """
    rate, n = tracks.frame_rate, len(shares)
    stepping = tracks.speeds.max(axis=1) > 0.5 * _REST.least_swing
    if stepping.sum() <= _REST.enough * rate:
        return np.full(n, _usual_rest(shares))
    reach = max(int(_REST.about * rate), 1)
    centres = np.linspace(0, n - 1, max(2 * n // reach, 1) + 1).round().astype(np.int64)
    usual = np.full(len(centres), np.nan)
    for i, centre in enumerate(centres):
        about = slice(max(centre - reach, 0), centre + reach + 1)
        if stepping[about].sum() > _REST.enough * rate:
            usual[i] = _usual_rest(shares[about][stepping[about]])
    return np.asarray(np.interp(np.arange(n), centres, np.fmax(usual, _usual_rest(shares[stepping]))))


def _usual_rest(shares: _PerPoint) -> float:
    """The median of the slow samples, where this very number decides what is slow."""
    limit, usual = _REST.may_rest, 0.0
    for _ in range(6):
        slow = shares[shares < limit]
        usual = float(np.median(slow)) if len(slow) else 0.0
        limit = min(_REST.still + _REST.jitter * usual, _REST.most_still)
    return usual


def _drop_short(masks: Bool[np.ndarray, "frames points"], longest: int) -> Bool[np.ndarray, "frames points"]:
    """Masks without runs of at most ``longest`` frames; one that an end of the clip cuts off is kept."""
    out = masks.copy()
    for column in out.T:
        for first, last in intervals_of(column):
            if first > 0 and last < len(column) - 1 and last - first + 1 <= longest:
                column[first : last + 1] = False
    return out


def _extend(mask: Bool[np.ndarray, " frames"], further: Bool[np.ndarray, " frames"]) -> Bool[np.ndarray, " frames"]:
    """A mask whose runs go on at their ends for as long as ``further`` holds."""
    out = mask.copy()
    for _, last in intervals_of(mask):
        ends = np.flatnonzero(~further[last + 1 :])
        out[last + 1 : last + 1 + ends[0] if len(ends) else None] = True
    return out
