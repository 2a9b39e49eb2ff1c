"""A clip cut into stances: where it is in them, its pace and its course."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Complex, Float, Int
from scipy.interpolate import CubicHermiteSpline, PchipInterpolator
from scipy.ndimage import gaussian_filter1d

from mocapella.analysis.plants.feet import level, track_feet
from mocapella.arrays import owned
from mocapella.errors import MotionError
from mocapella.geometry.curves import ease
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET, Contacts

# A clip cut into stances: from where a foot lands to where the next one does.
#
# Heel and toe of a foot count as one. Plants of both feet overlap in a walk and leave gaps in a run, so they cannot
# tell which frames belong to which foot. Landings can: what lies between two of them is the turn of the foot that
# landed first, and every frame belongs to exactly one.

CUT_OFF = 0.06  # seconds: a plant that begins so near to the start of a clip may have begun before it
SHORTEST = 0.06  # seconds between two landings; what lands closer together lands at once
PAUSE = 2.0  # times as long as is usual for its foot: in between someone stands about
ODD = 1.5  # times as long, or as short, as is usual: such a step shows little of a gait
STANDING = 0.5  # of what is usual for its foot: who has both feet down for so long stands about, too


@dataclass(frozen=True)
class Stance:
    """One foot's turn to carry: the frames from its landing up to the next landing.

    The first and the last stance of a clip are cut off by its ends. They go on beyond as far as is usual for the foot,
    or without end where someone stands there.
    """

    foot: str  # "left" or "right"
    first: int  # frames of the clip, both within
    last: int
    begin: float  # the frame of the landing; before the clip where its start cuts the stance off
    end: float  # the frame of the next landing; after the clip where its end cuts the stance off
    usual: float  # frames that stances of this foot last
    complete: bool  # all of it lies in the clip, the next landing included
    pause: bool  # it lasts too long to be one step, or has both feet down for too long

    @property
    def n_frames(self) -> int:
        """How many frames of the clip belong to it."""
        return self.last - self.first + 1


def find_stances(clip: Clip, contacts: Contacts) -> tuple[Stance, ...]:
    """The stances of a clip, in order; together they hold every frame once.

    Feet take turns as a rule. One that lands twice running has two stances in a row. Of two feet that land at once the
    one that stays for longer counts.

    Raises
    ------
    MotionError
        Where the contacts belong to another clip, or there are not two landings to tell how long a step takes.
    """
    if contacts.n_frames != clip.n_frames:
        raise MotionError(f"contacts of {contacts.n_frames} frames do not belong to a clip of {clip.n_frames}")
    landings = _landings(contacts, clip.frame_rate)
    if len(landings) < 2:
        raise MotionError(
            f"{clip!r} shows {len(landings)} landing{'s' * (len(landings) != 1)} of a foot, a step takes two; "
            "give a longer clip, or its plants where they were not found"
        )
    inner = [(foot, b - a) for (a, foot), (b, _) in itertools.pairwise(landings)]
    usual = {foot: _usual([n for own, n in inner if own == foot] or [n for _, n in inner]) for foot in FEET}
    both = contacts.planted("left") & contacts.planted("right")
    (start, foot), (stop, lasting) = landings[0], landings[-1]
    before = FEET[1 - FEET.index(foot)]
    bounds = [(0, start, before), *((a, b, f) for (a, f), (b, _) in itertools.pairwise(landings))]
    bounds.append((stop, clip.n_frames, lasting))
    found = []
    for a, b, f in bounds:
        pause = bool(b - a > PAUSE * usual[f] or both[a:b].sum() > STANDING * usual[f])
        further = np.inf if pause else usual[f]  # who stands where the clip is cut off may have stood for ever
        begin = float(a) if a else min(0.0, b - further)
        end = float(b) if b < clip.n_frames else max(float(b), a + further)
        found.append(Stance(f, a, b - 1, begin, end, usual[f], complete=a > 0 and b < clip.n_frames, pause=pause))
    return tuple(found)


def steady(stances: Sequence[Stance], foot: str) -> list[Stance]:
    """The stances of a foot that show its gait: whole, about as long as usual, and not next to someone standing.

    Those that are not so count where there are no others.
    """
    own = [
        (before.pause or after.pause, stance)
        for before, stance, after in zip(stances, stances[1:], stances[2:], strict=False)
        if stance.foot == foot and after.foot != foot
    ]
    ordinary = [one for one in own if not one[1].pause and 1.0 / ODD < one[1].n_frames / one[1].usual < ODD]
    amid = [stance for stands, stance in ordinary if not stands]
    return amid or [stance for _, stance in ordinary or own]


def _landings(contacts: Contacts, frame_rate: float) -> list[tuple[int, str]]:
    """Frame and foot of every landing, in order; the first frames of a clip show none."""
    plants = sorted((first, last, foot) for foot in FEET for first, last in contacts.foot(foot))
    out: list[tuple[int, int, str]] = []
    for first, last, foot in plants:
        if first <= CUT_OFF * frame_rate:
            continue
        if out and first - out[-1][0] < SHORTEST * frame_rate:
            if last > out[-1][1]:
                out[-1] = (out[-1][0], last, foot)
            continue
        out.append((first, last, foot))
    return [(first, foot) for first, _, foot in out]


def _usual(lengths: Sequence[int]) -> float:
    return float(np.median(lengths))


# Where in its stances a clip is, frame by frame.

SOFT = 0.025  # of a stance: over how much of it, about a landing, what is known of one runs into the next


@dataclass(frozen=True, eq=False)
class Pace:
    """Where in its stance every frame of a clip is, and how much it is part of a gait."""

    stances: Int[np.ndarray, " frames"]  # which one
    shares: Float[np.ndarray, " frames"]  # how far through it, 0 … 1
    onward: Float[np.ndarray, " frames"]  # the same one frame later, still in this stance
    stepping: Float[np.ndarray, " frames"]  # 1 in steps, 0 where someone stands about, easing between


def pace_of(stances: Sequence[Stance]) -> Pace:
    """Where in its stance every frame is.

    Who stands about is not made to step: a pause is no part of the gait, and the steps into it and out of it pass from
    one to the other.
    """
    shares, onward = _shares(stances)
    index = np.repeat(np.arange(len(stances)), [stance.n_frames for stance in stances])
    pauses = np.pad(np.array([stance.pause for stance in stances]), 1, mode="edge")
    before, here, after = (pauses[index + i] for i in range(3))
    stepping = np.where(before, ease(shares), 1.0) * np.where(after, ease(1.0 - shares), 1.0)
    return Pace(index, shares, onward, np.where(here, 0.0, stepping))


def _shares(stances: Sequence[Stance]) -> tuple[Float[np.ndarray, " frames"], Float[np.ndarray, " frames"]]:
    """How far through their stances frames are, and how far one frame later; 0 where someone stands about.

    Steps are of unlike length, and who hurried from landing to landing at even speeds would change speed at once. So at
    a landing the pace is that of the mean of its two steps, and in between it passes smoothly from one to the next.
    """
    shares, onward = [], []
    for i, stance in enumerate(stances):
        frames = np.arange(stance.first, stance.last + 2, dtype=np.float64)
        edges = np.zeros(len(frames))
        if not stance.pause:
            length = stance.end - stance.begin
            slopes = [2.0 * length / (length + _length(stances, i + side, length)) for side in (-1, 1)]
            curve = CubicHermiteSpline([stance.begin, stance.end], [0.0, 1.0], np.array(slopes) / length)
            edges = np.clip(curve(frames), 0.0, 1.0)
        shares.append(edges[:-1])
        onward.append(edges[1:])
    return np.concatenate(shares), np.concatenate(onward)


def _length(stances: Sequence[Stance], i: int, own: float) -> float:
    """How many frames a neighbouring stance takes; as many as this one where there is none or someone stands there."""
    if not 0 <= i < len(stances) or stances[i].pause:
        return own
    return stances[i].end - stances[i].begin


# Where a clip faces and where it goes, without the sway of its steps.

_SAMPLES = 101  # of a step's sway
_FAINT = 0.1  # of the usual way over two steps: who goes no further goes nowhere in particular
_NOWHERE = 0.1  # metres over two steps: less is stepping on the spot


@dataclass(frozen=True, eq=False)
class Course:
    """The course of a clip, and the root seen from it.

    A pelvis turns and shifts to and fro with every step; two steps together cancel that. What is left is the course:
    a heading, and a direction of travel, which for someone who walks aslant is another. Ground places are complex
    numbers, z + ix: multiplying by exp(iψ) turns left by ψ.
    """

    headings: Float[np.ndarray, " frames"]  # radians, running on
    directions: Float[np.ndarray, " frames"]
    travel: Complex[np.ndarray, " frames"]  # metres to the next frame, ahead and left of the direction; the last is 0
    heights: Float[np.ndarray, " frames"]  # of the root above the ground, metres
    ground: Float[np.ndarray, 3]  # its height is ground · (1, x, z)

    def level(self, places: Complex[np.ndarray, " places"]) -> Float[np.ndarray, " places"]:
        """How high the ground is at these places."""
        return level(self.ground, np.stack([places.imag, np.zeros(len(places)), places.real], axis=1))


def course_of(clip: Clip, stances: Sequence[Stance]) -> Course:
    """The course of a clip that is cut into stances."""
    frames = np.arange(clip.n_frames, dtype=np.float64)
    yaws = clip.headings
    landings = [stance.first for stance in stances[1:]]
    facing = yaws - _sway(yaws - _facing(frames, yaws, landings, stances[1].usual), stances)
    moves = np.concatenate([np.diff(clip.ground_path), [0.0]])
    ways = np.concatenate([[0.0], np.cumsum(moves * np.exp(-1j * facing))])
    directions = facing + _aslant(frames, ways, landings)
    ground = track_feet(clip).ground
    return Course(
        owned(facing),
        owned(directions),
        owned(moves * np.exp(-1j * directions)),
        owned(clip.root_positions[:, 1] - level(ground, clip.root_positions)),
        ground,
    )


def _facing(
    frames: Float[np.ndarray, " frames"], yaws: Float[np.ndarray, " frames"], landings: Sequence[int], usual: float
) -> Float[np.ndarray, " frames"]:
    """The heading without sway: at a landing, halfway between the mean headings of the steps before and after.

    At the outermost landings one of the two is not known; from there a step turns by half of what two did, which
    compares a foot with itself, so sway cancels there, too.
    """
    means = np.array([yaws[a:b].mean() for a, b in itertools.pairwise(landings)])
    if len(means) < 2:
        return np.full(len(yaws), means[0])
    inner = 0.5 * (means[:-1] + means[1:])
    turns = [0.5 * float(yaws[c] - yaws[a]) for a, c in ((landings[0], landings[2]), (landings[-3], landings[-1]))]
    knots = [landings[0] - usual, *landings, landings[-1] + usual]
    outer = [inner[0] - 2.0 * turns[0], inner[0] - turns[0]], [inner[-1] + turns[1], inner[-1] + 2.0 * turns[1]]
    curve = PchipInterpolator(knots, np.concatenate([outer[0], inner, outer[1]]))
    return np.asarray(curve(np.clip(frames, knots[0], knots[-1])))


def _sway(off: Float[np.ndarray, " frames"], stances: Sequence[Stance]) -> Float[np.ndarray, " frames"]:
    """How far the root usually turns off its way at each place of a step, radians.

    A curve without sway is smooth, and cuts the corner where someone turns sharply. So only what the steps of a foot
    have in common is taken for sway; all that a single one does beside it is heading.
    """
    pace = pace_of(stances)
    grid = np.linspace(0.0, 1.0, _SAMPLES)
    usual = [_mean_curve([off[s.first : s.last + 2] for s in steady(stances, foot)], grid) for foot in FEET]
    middle = np.mean(usual)  # who is skewed all the time just heads there
    feet = np.array([FEET.index(stance.foot) for stance in stances])[pace.stances]
    out = np.choose(feet, [np.interp(pace.shares, grid, curve - middle) for curve in usual]) * pace.stepping
    return gaussian_filter1d(out, SOFT * stances[1].usual, mode="nearest")  # curves of two feet do not quite meet


def _mean_curve(
    curves: Sequence[Float[np.ndarray, " _"]], grid: Float[np.ndarray, " grid"]
) -> Float[np.ndarray, " grid"]:
    """The mean of curves of unlike length, stretched to one; 0 where there is none."""
    stretched = [np.interp(grid * (len(curve) - 1), np.arange(len(curve)), curve) for curve in curves]
    return np.mean(stretched, axis=0) if stretched else np.zeros(len(grid))


def _aslant(
    frames: Float[np.ndarray, " frames"], ways: Complex[np.ndarray, " edges"], landings: Sequence[int]
) -> Float[np.ndarray, " frames"]:
    """By how much travel turns away from the heading, radians; told at landings by the way of the two steps there."""
    spans = list(zip(landings, landings[2:], strict=False)) or [(landings[0], landings[-1])]
    gone = np.array([ways[b] - ways[a] for a, b in spans])
    clear = np.abs(gone) > max(_FAINT * float(np.median(np.abs(gone))), _NOWHERE)
    if not clear.any():
        return np.zeros(len(frames))
    at = np.array([0.5 * (a + b) for a, b in spans])[clear]
    angles = np.unwrap(np.angle(gone[clear]))
    if len(at) == 1:
        return np.full(len(frames), angles[0])
    return np.asarray(PchipInterpolator(at, angles)(np.clip(frames, at[0], at[-1])))
