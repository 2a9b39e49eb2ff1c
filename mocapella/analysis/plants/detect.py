"""Where feet stand: our own test, and all tests by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from jaxtyping import Bool, Float
from scipy.ndimage import gaussian_filter1d, maximum_filter1d, median_filter

from mocapella.analysis.period import find_period
from mocapella.analysis.plants.gait_rules import check_plants, close_gaps, drop_enclosed, drop_short, merge_near, run_on
from mocapella.analysis.plants.ground import FootTracks, track_feet
from mocapella.analysis.plants.learned import by_neighbours, by_speed, cycle_prior
from mocapella.analysis.plants.published import displacement_plants, knee_plants, velocity_plants
from mocapella.cleaning.faults import look_through, stretch_of
from mocapella.errors import MotionError
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS, Contacts, Interval, intervals_of
from mocapella.motion.report import Finding
from mocapella.rig.legs import leg_roles

# Find when heels and toes rest on the ground.

Method = Callable[[FootTracks], Bool[np.ndarray, "frames 4"]]
Learner = Callable[[Sequence[FootTracks], Sequence[np.ndarray]], Method]  # from sound stretches and what is sure there
Intervals = Mapping[str, Iterable[Interval]]

# Shares of the speed of a swinging foot. The first is what a foot at rest seems to move by where nothing jitters; the
# rest grow with the jitter and skid that the capture shows at rest.
STILL = 0.003
JITTER = 3.5  # times the usual speed at rest that still is rest
ROLL = 6.0  # the same, while the foot rolls over the heel at its start and over the tip of the toes at its end
MOST_STILL, MOST_ROLL = 0.1, 0.16  # of the swing speed: a foot at rest, a rolling foot is never faster
LEAST_SWING = 2.0  # leg lengths per second: a foot that swings is at least as fast
HIGHEST = 0.05  # leg lengths above the ground at which a point may rest
SHORTEST_PLANT, SHORTEST_GAP = 0.04, 0.05  # seconds
_SLOW = 0.05  # of the swing speed: what may be rest before it is known how still the feet of a capture ever are
_STRIDE = 1.0  # seconds in which one of the feet swings, if they do at all
_ABOUT = 1.0  # seconds before and after a frame that tell how still feet at rest are about then
_ENOUGH = 0.2  # seconds of stepping it takes to tell


def find_plants(
    clip: Clip,
    *,
    method: Method | None = None,
    seeds: Intervals | None = None,
    learn: Learner = by_speed,
    gait: bool = False,
    override: Intervals | None = None,
) -> Contacts:
    """The foot plants of a clip: when left and right heel and toe rest on the ground.

    Frames in which the root is lost have no plants; what lies before and after is looked at on its own. Where nothing
    moves at all for some frames, the feet rest as in the first of them.

    Parameters
    ----------
    method
        The test to use, from foot tracks to one mask per foot point; ``resting`` if None. See ``plant_methods``.
    seeds
        Plants the user is sure of, point → intervals; the test is then learned from them.
    learn
        What is learned from seeds: ``by_speed``, how slow a point is that rests, or ``by_neighbours``, which frames
        look like those.
    gait
        Join short plants in a row, and drop those that lie within one of the other foot: right for walks and runs.
    override
        Plants that replace what is found, point → intervals, exactly as given.

    Raises
    ------
    MotionError
        Where the legs of the skeleton are not known, or seeds and overrides are no intervals of the clip.
    """
    leg_roles(clip.skeleton)
    if method is not None and seeds is not None:
        raise MotionError("a method was given, and seeds to learn one from; give one of them")
    masks = np.zeros((clip.n_frames, len(FOOT_POINTS)), dtype=bool)
    soundness = look_through(clip)
    stretches = soundness.stretches
    tracks = [track_feet(stretch_of(clip, stretch)) for stretch in stretches]
    test = method or resting
    if seeds is not None:
        sure = _masks(seeds, clip.n_frames, "seeds")
        test = learn(tracks, [sure[stretch] for stretch in stretches])
    for stretch, one in zip(stretches, tracks, strict=True):
        masks[stretch] = test(one)
    if seeds is not None:
        masks |= sure
    for first, last in soundness.frozen:
        masks[first : last + 1] = masks[first] | masks[last]  # one of them was looked at
    found = Contacts(clip.n_frames, **{name: intervals_of(masks[:, i]) for i, name in enumerate(FOOT_POINTS)})
    if gait:
        found = drop_enclosed(merge_near(found, round(SHORTEST_PLANT * clip.frame_rate)))
    if override is not None:
        _masks(override, clip.n_frames, "override")
        known = {name: tuple(override.get(name, found.point(name))) for name in FOOT_POINTS}
        found = Contacts(clip.n_frames, **known)
    return found


def doubts(clip: Clip, contacts: Contacts) -> list[Finding]:
    """What is implausible in a clip's plants, if it is a walk or a run; frames are the source's own rows.

    Frames that cannot be trusted, an artificial rest pose or a lost root, are not held against them.
    """
    sound = np.zeros(clip.n_frames, dtype=bool)
    for stretch in look_through(clip).stretches:
        sound[stretch] = True
    return check_plants(contacts, sound=sound, first_row=clip.first_row)


def resting(tracks: FootTracks, ease: Float[np.ndarray, "frames 4"] | float = 1.0) -> Bool[np.ndarray, "frames 4"]:
    """Points that are near the ground and slow, compared with how fast the feet swing at the time: our default.

    No threshold knows a unit, a body's size or a pace: speed is measured against the swing about the same time and
    against how still the feet of this capture ever are, height in leg lengths over a ground that may tilt. At the ends
    of a plant a foot rolls, so a heel may still move a little after its strike, and a toe joint before the tip leaves.
    ``ease`` makes the thresholds looser or tighter where more is known.
    """
    swing = swing_speeds(tracks)
    shares = tracks.speeds / swing[:, None]
    jitter = resting_shares(tracks, shares)[:, None]
    low = tracks.heights < HIGHEST
    masks = (shares < ease * np.minimum(STILL + JITTER * jitter, MOST_STILL)) & low
    masks = close_gaps(masks, int(SHORTEST_GAP * tracks.frame_rate))
    masks = drop_short(masks, int(SHORTEST_PLANT * tracks.frame_rate))
    rolling = (shares < ease * np.minimum(STILL + ROLL * jitter, MOST_ROLL)) & low
    for i, name in enumerate(FOOT_POINTS):
        backwards = slice(None, None, -1 if name.endswith("heel") else 1)
        masks[:, i] = run_on(masks[backwards, i], rolling[backwards, i])[backwards]
    return masks


def swing_speeds(tracks: FootTracks) -> Float[np.ndarray, " frames"]:
    """How fast the feet swing about each frame, leg lengths per second: the fastest point within a stride."""
    rate = tracks.frame_rate
    fastest = median_filter(tracks.speeds.max(axis=1), 2 * int(0.02 * rate) + 1)  # a jump of a joint is no swing
    swing = maximum_filter1d(fastest, 2 * int(0.5 * _STRIDE * rate) + 1, mode="nearest")
    return np.asarray(np.maximum(gaussian_filter1d(swing, 0.25 * _STRIDE * rate, mode="nearest"), LEAST_SWING))


def resting_shares(tracks: FootTracks, shares: Float[np.ndarray, "frames 4"]) -> Float[np.ndarray, " frames"]:
    """How fast points at rest seem to move about each frame, as a share of the swing: jitter and skid of the capture.

    It is looked for about each frame anew, since a run that follows a walk skids more than the walk does, and is
    nowhere less than throughout the clip, since a few steps tell little. Frames in which both feet stand tell little
    about a foot that the body rolls over, so they are left out where the body moves at all.
    """
    rate, n = tracks.frame_rate, len(shares)
    stepping = tracks.speeds.max(axis=1) > 0.5 * LEAST_SWING
    if stepping.sum() <= _ENOUGH * rate:
        return np.full(n, _usual_rest(shares))
    reach = max(int(_ABOUT * rate), 1)
    centres = np.linspace(0, n - 1, max(2 * n // reach, 1) + 1).round().astype(np.int64)
    usual = np.full(len(centres), np.nan)
    for i, centre in enumerate(centres):
        about = slice(max(centre - reach, 0), centre + reach + 1)
        if stepping[about].sum() > _ENOUGH * rate:
            usual[i] = _usual_rest(shares[about][stepping[about]])
    throughout = _usual_rest(shares[stepping])
    return np.asarray(np.interp(np.arange(n), centres, np.fmax(usual, throughout)))


def _usual_rest(shares: Float[np.ndarray, "frames 4"]) -> float:
    """The median of the slow ones, slow being what this very number makes so."""
    limit, usual = _SLOW, 0.0
    for _ in range(6):
        slow = shares[shares < limit]
        usual = float(np.median(slow)) if len(slow) else 0.0
        limit = min(STILL + JITTER * usual, MOST_STILL)
    return usual


def _masks(intervals: Intervals, n_frames: int, what: str) -> Bool[np.ndarray, "frames 4"]:
    """One mask per foot point; refuses what is no foot point or does not lie in the clip."""
    unknown = [name for name in intervals if name not in FOOT_POINTS]
    if unknown:
        raise MotionError(f"{what} name {unknown[0]!r}; the foot points are {', '.join(FOOT_POINTS)}")
    contacts = Contacts(n_frames, **{name: tuple(given) for name, given in intervals.items()})
    return np.stack([contacts.planted(name) for name in FOOT_POINTS], axis=1)


# The tests of foot plants by name: our own, those of the papers, and what is learned from examples.


def prior_plants(tracks: FootTracks) -> Bool[np.ndarray, "frames 4"]:
    """Our own test, easier where the same place of the other cycles rests and harder where it does not (FPL-09).

    Where a clip has no period, or holds one cycle only, it is our own test.
    """
    masks = resting(tracks)
    try:
        period = find_period(tracks.clip).frames
    except MotionError:
        return masks
    return resting(tracks, 0.5 + cycle_prior(masks, period))


METHODS: dict[str, Method] = {
    "resting": resting,
    "displacement": displacement_plants,
    "velocity": velocity_plants,
    "knees": knee_plants,
    "prior": prior_plants,
}
LEARNERS: dict[str, Learner] = {"speed": by_speed, "neighbours": by_neighbours}
