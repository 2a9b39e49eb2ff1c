"""A clip cut into stances, from where a foot lands to where the next one does; its phase in them and its course.

Heel and toe of a foot count as one. Plants of both feet overlap in a walk and leave gaps in a run, so they do not
assign frames to feet. Landings do: the frames between two of them are the stance of the foot that landed first, and
every frame belongs to exactly one.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy
from jaxtyping import Complex, Float, Int

from mocapella.analysis.examined import Examined, examine
from mocapella.analysis.plants.tracks import level
from mocapella.arrays import owned
from mocapella.errors import MotionError
from mocapella.geometry.curves import ease
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET, Contacts


class _StanceSettings(NamedTuple):
    """How stances of a gait are told from pauses and odd steps."""

    cut_off: float = 0.06  # seconds: a plant that begins so near to the start of a clip may have begun before it
    shortest: float = 0.06  # seconds between two landings; feet that land closer together land at once
    pause: float = 2.0  # times the usual length of its foot's stances: longer ones are pauses
    odd: float = 1.5  # times as long, or as short, as usual: such a step shows little of a gait
    standing: float = 0.5  # of the usual length with both feet down: a pause, too


_STANCES = _StanceSettings()


Signal = Float[np.ndarray, " frames"]


@dataclass(frozen=True)
class Stance:
    """The frames from the landing of one foot up to the next landing.

    The first and the last stance of a clip are cut off by its ends. They are taken to go on beyond as far as is usual
    for the foot, or without end where they are pauses.
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

    Feet alternate as a rule. One that lands twice in a row has two stances in a row. Of two feet that land at once the
    one that stays for longer counts.

    Raises ``MotionError`` where the contacts belong to another clip, or there are not two landings to tell how long a
    step takes.
    """
    n = clip.n_frames
    if contacts.n_frames != n:
        raise MotionError(f"contacts of {contacts.n_frames} frames do not belong to a clip of {n}")
    landings = _landings(contacts, clip.frame_rate)
    if len(landings) < 2:
        raise MotionError(
            f"{clip!r} shows {len(landings)} landing{'s' * (len(landings) != 1)} of a foot, a step takes two; "
            "give a longer clip, or its plants where they were not found"
        )
    lengths = [(foot, b - a) for (a, foot), (b, _) in itertools.pairwise(landings)]
    usual = {
        foot: float(np.median([n for side, n in lengths if side == foot] or [n for _, n in lengths])) for foot in FEET
    }
    both = contacts.planted("left") & contacts.planted("right")
    before = FEET[1 - FEET.index(landings[0][1])]
    stances = []
    for (a, foot), (b, _) in itertools.pairwise([(0, before), *landings, (n, "")]):
        pause = bool(b - a > _STANCES.pause * usual[foot] or both[a:b].sum() > _STANCES.standing * usual[foot])
        further = np.inf if pause else usual[foot]
        begin = float(a) if a else min(0.0, b - further)
        end = float(b) if b < n else max(float(b), a + further)
        stances.append(Stance(foot, a, b - 1, begin, end, usual[foot], complete=a > 0 and b < n, pause=pause))
    return tuple(stances)


def steady_stances(stances: Sequence[Stance], foot: str) -> list[Stance]:
    """The stances of a foot that show its gait: whole, about as long as usual, and not next to a pause.

    Others count where there are none of these.
    """
    steps = [
        (before.pause or after.pause, stance)
        for before, stance, after in zip(stances, stances[1:], stances[2:], strict=False)
        if stance.foot == foot and after.foot != foot
    ]
    ordinary = [
        (beside_pause, stance)
        for beside_pause, stance in steps
        if not stance.pause and 1.0 / _STANCES.odd < stance.n_frames / stance.usual < _STANCES.odd
    ]
    amid = [stance for beside_pause, stance in ordinary if not beside_pause]
    return amid or [stance for _, stance in ordinary or steps]


def _landings(contacts: Contacts, frame_rate: float) -> list[tuple[int, str]]:
    """Frame and foot of every landing, in order; the first frames of a clip show none."""
    out: list[tuple[int, int, str]] = []
    plants = sorted((first, last, side) for side in FEET for first, last in contacts.foot(side))
    for first, last, foot in plants:
        if first <= _STANCES.cut_off * frame_rate:
            continue
        if not out or first - out[-1][0] >= _STANCES.shortest * frame_rate:
            out.append((first, last, foot))
        elif last > out[-1][1]:
            out[-1] = (out[-1][0], last, foot)
    return [(first, foot) for first, _, foot in out]


# The phase within stances, frame by frame.

SOFT = 0.025  # of a stance, about a landing: curves of neighbouring stances are joined over that much of it


@dataclass(frozen=True, eq=False)
class Pace:
    """The phase of every frame within its stance, and how much it is part of a gait."""

    stances: Int[np.ndarray, " frames"]  # index of the stance
    shares: Signal  # how far through it, 0 … 1
    onward: Signal  # the same one frame later, still in this stance
    stepping: Signal  # 1 in steps, 0 in pauses, easing between


def pace_of(stances: Sequence[Stance]) -> Pace:
    """The phase of every frame within its stance; steps next to a pause ease into it and out of it."""
    shares, onward = _shares(stances)
    index = np.repeat(np.arange(len(stances)), [stance.n_frames for stance in stances])
    pauses = np.pad(np.array([stance.pause for stance in stances]), 1, mode="edge")
    before, here, after = (pauses[index + i] for i in range(3))
    stepping = np.where(before, ease(shares), 1.0) * np.where(after, ease(1.0 - shares), 1.0)
    return Pace(index, shares, onward, np.where(here, 0.0, stepping))


def _shares(stances: Sequence[Stance]) -> tuple[Signal, Signal]:
    """How far through their stances frames are, and how far one frame later; 0 in pauses.

    Steps are of unlike length, and even speeds from landing to landing would change there at once. So at a landing the
    speed is that of the mean of its two steps, and in between it passes smoothly from one to the next.
    """
    shares, onward = [], []
    for i, stance in enumerate(stances):
        frames = np.arange(stance.first, stance.last + 2, dtype=np.float64)
        edges = np.zeros(len(frames))
        if not stance.pause:
            length = stance.end - stance.begin
            slopes = [2.0 * length / (length + _length(stances, i + side, length)) for side in (-1, 1)]
            curve = scipy.interpolate.CubicHermiteSpline(
                [stance.begin, stance.end], [0.0, 1.0], np.array(slopes) / length
            )
            edges = np.clip(curve(frames), 0.0, 1.0)
        shares.append(edges[:-1])
        onward.append(edges[1:])
    return np.concatenate(shares), np.concatenate(onward)


def _length(stances: Sequence[Stance], i: int, usual: float) -> float:
    """Frames of a neighbouring stance; as many as this one where there is none or it is a pause."""
    return usual if not 0 <= i < len(stances) or stances[i].pause else stances[i].end - stances[i].begin


# Heading and direction of travel without the sway of steps.


class _CourseSettings(NamedTuple):
    """How the direction of steps is found."""

    samples: int = 101  # of a step's sway
    faint: float = 0.1  # of the usual travel over two steps: less has no direction
    nowhere: float = 0.1  # metres over two steps: less is stepping on the spot


_COURSE = _CourseSettings()


@dataclass(frozen=True, eq=False)
class Course:
    """Heading and direction of travel of a clip, and the root seen from them.

    A pelvis turns and shifts to and fro with every step; over two steps that cancels. What is left is the course: a
    heading, and a direction of travel, which differs from it in a walk to the side. Ground places are complex numbers,
    z + ix: multiplying by exp(iψ) turns left by ψ.
    """

    headings: Signal  # radians, unwrapped
    directions: Signal
    travel: Complex[np.ndarray, " frames"]  # metres to the next frame, ahead and left of the direction; the last is 0
    heights: Signal  # of the root above the ground, metres
    ground: Float[np.ndarray, 3]  # its height is ground · (1, x, z)

    def level(self, places: Complex[np.ndarray, " places"]) -> Float[np.ndarray, " places"]:
        """Height of the ground at these places, metres."""
        return level(self.ground, np.stack([places.imag, np.zeros(len(places)), places.real], axis=1))


def course_of(clip: Clip | Examined, stances: Sequence[Stance]) -> Course:
    """The course of a clip that is cut into stances."""
    examined = examine(clip)
    motion, ground = examined.clip, examined.feet.ground
    landings = [stance.first for stance in stances[1:]]
    yaws = motion.headings
    facing = yaws - _sway(yaws - _facing(yaws, landings, stances[1].usual), stances)
    moves = np.concatenate([np.diff(motion.ground_path), [0.0]])
    path = np.concatenate([[0.0], np.cumsum(moves * np.exp(-1j * facing))])
    directions = facing + _drift_angles(path, landings)
    return Course(
        owned(facing),
        owned(directions),
        owned(moves * np.exp(-1j * directions)),
        owned(motion.root_positions[:, 1] - level(ground, motion.root_positions)),
        ground,
    )


def _facing(yaws: Signal, landings: Sequence[int], usual: float) -> Signal:
    """The heading without sway: at a landing, halfway between the mean headings of the steps before and after.

    At the outermost landings one of the two is not known; from there a step turns by half of what two did, which
    compares a foot with itself, so sway cancels there, too.
    """
    means = np.array([yaws[a:b].mean() for a, b in itertools.pairwise(landings)])
    if len(means) < 2:
        return np.full(len(yaws), means[0])
    inner = 0.5 * (means[:-1] + means[1:])
    first, last = (0.5 * float(yaws[c] - yaws[a]) for a, c in (landings[0:3:2], landings[-3::2]))
    knots = [landings[0] - usual, *landings, landings[-1] + usual]
    values = [inner[0] - 2.0 * first, inner[0] - first, *inner, inner[-1] + last, inner[-1] + 2.0 * last]
    return np.asarray(
        scipy.interpolate.PchipInterpolator(knots, values)(np.clip(np.arange(len(yaws)), knots[0], knots[-1]))
    )


def _sway(off: Signal, stances: Sequence[Stance]) -> Signal:
    """How far the root usually turns off its heading at each phase of a step, radians.

    The heading without sway is smooth and cuts the corner of a sharp turn. So only what the steps of a foot have in
    common is taken for sway; all that a single one does beside it is heading.
    """
    pace = pace_of(stances)
    grid = np.linspace(0.0, 1.0, _COURSE.samples)
    usual = [_mean_curve([off[s.first : s.last + 2] for s in steady_stances(stances, foot)], grid) for foot in FEET]
    middle = np.mean(usual)  # what is skewed all the time is heading
    feet = np.array([FEET.index(stance.foot) for stance in stances])[pace.stances]
    out = np.choose(feet, [np.interp(pace.shares, grid, curve - middle) for curve in usual]) * pace.stepping
    return scipy.ndimage.gaussian_filter1d(
        out, SOFT * stances[1].usual, mode="nearest"
    )  # curves of two feet do not quite meet


def _mean_curve(curves: Sequence[Float[np.ndarray, " _"]], grid: Float[np.ndarray, " grid"]) -> np.ndarray:
    """The mean of curves of unlike length, stretched to one; 0 where there is none."""
    stretched = [np.interp(grid * (len(curve) - 1), np.arange(len(curve)), curve) for curve in curves]
    return np.mean(stretched, axis=0) if stretched else np.zeros(len(grid))


def _drift_angles(path: Complex[np.ndarray, " edges"], landings: Sequence[int]) -> Float[np.ndarray, " _"]:
    """By how much travel turns away from the heading, radians; measured at landings over the two steps there."""
    n = len(path) - 1
    spans = list(zip(landings, landings[2:], strict=False)) or [(landings[0], landings[-1])]
    gone = np.array([path[b] - path[a] for a, b in spans])
    clear = np.abs(gone) > max(_COURSE.faint * float(np.median(np.abs(gone))), _COURSE.nowhere)
    if not clear.any():
        return np.zeros(n)
    at = np.array([0.5 * (a + b) for a, b in spans])[clear]
    angles = np.unwrap(np.angle(gone[clear]))
    if len(at) == 1:
        return np.full(n, angles[0])
    return np.asarray(scipy.interpolate.PchipInterpolator(at, angles)(np.clip(np.arange(n), at[0], at[-1])))
