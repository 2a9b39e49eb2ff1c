"""A clip in the manner of another, stance by stance."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Complex, Float
from scipy import sparse
from scipy.interpolate import BSpline
from scipy.ndimage import gaussian_filter1d

from mocapella.analysis.plants.feet import foot_places
from mocapella.editing.averaged import (
    AveragedMotion,
    AveragedStance,
    check_ratio,
    on_course,
    refuse_other_skeleton,
    shown_plants,
)
from mocapella.editing.stances import SOFT, Course, Pace, Stance, course_of, find_stances, pace_of
from mocapella.geometry import quaternions
from mocapella.geometry.curves import ease
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET, Contacts
from mocapella.rig.legs import leg_roles
from mocapella.rig.parts import joints_of, moves_root

# An averaged motion laid over the stances of a clip, without jumps where one follows another.

_SETTLING = 0.15  # of a stance: over how much of it, about a landing, turning passes to the speed of the next
_SPEED = 0.03  # of a stance: over how much of it, at an end, the speed of turning is told


@dataclass(frozen=True, eq=False)
class Overlay:
    """What an averaged motion does in every frame of a clip, seen from the clip's course."""

    rotations_wxyz: Float[np.ndarray, "frames joints 4"]
    travel: Complex[np.ndarray, " frames"]  # metres to the next frame, ahead and left of the direction
    heights: Float[np.ndarray, " frames"]  # of the root above the ground, metres


def laid_over(averaged: AveragedMotion, stances: Sequence[Stance], pace: Pace) -> Overlay:
    """The averaged motion, each stance stretched over those of the same foot.

    Averages of different frames, the end of one stance and the beginning of the next never agree quite. So where one
    follows another both are bent towards what lies halfway, poses and the speeds they turn with, the less the further
    from there; and about that moment rotations are smoothed, since nothing else agrees either.
    """
    n_frames = len(pace.shares)
    rotations = np.empty((n_frames, averaged.skeleton.n_joints, 4))
    ways, heights = np.empty((n_frames, 2)), np.empty(n_frames)
    for foot, own in averaged.stances.items():
        frames = np.array([stance.foot == foot for stance in stances])[pace.stances]
        rotations[frames], here, heights[frames] = own.at(pace.shares[frames])
        ways[frames] = own.at(pace.onward[frames])[1] - here
    for before, after in itertools.pairwise(stances):
        ending, starting = averaged.stances[before.foot], averaged.stances[after.foot]
        halfway = quaternions.slerp(ending.rotations_wxyz[-1], starting.rotations_wxyz[0], 0.5)
        turns = [_turn(own.rotations_wxyz[at], halfway) for own, at in ((ending, -1), (starting, 0))]
        speeds = [
            quaternions.rotate(quaternions.from_rotvec(turn), _speed(own, at))
            for turn, own, at in zip(turns, (ending, starting), (-1, 0), strict=True)
        ]
        quicker = 0.5 * (speeds[1] - speeds[0])
        higher = 0.5 * (starting.heights[0] - ending.heights[-1])
        for stance, turn, sign in ((before, turns[0], 1.0), (after, turns[1], -1.0)):
            frames = slice(stance.first, stance.last + 1)
            away = 0.5 - sign * (pace.shares[frames] - 0.5)  # from where they meet, in stances
            near, x = ease(1.0 - 2.0 * away), np.clip(1.0 - away / _SETTLING, 0.0, 1.0)
            settling = _SETTLING * x * x * (x - 1.0)  # bends no pose where they meet, only the speed, by 1
            bent = near[:, None, None] * turn + settling[:, None, None] * quicker
            rotations[frames] = quaternions.multiply(quaternions.from_rotvec(bent), rotations[frames])
            heights[frames] += sign * higher * near
    return Overlay(_smoothed(rotations, stances), ways[:, 0] + 1j * ways[:, 1], heights)


def _turn(own: Float[np.ndarray, "joints 4"], to: Float[np.ndarray, "joints 4"]) -> Float[np.ndarray, "joints 3"]:
    """The turns that lead from one pose to another, seen from the joints' parents."""
    return quaternions.to_rotvec(quaternions.multiply(to, quaternions.conjugate(own)))


def _speed(stance: AveragedStance, at: int) -> Float[np.ndarray, "joints 3"]:
    """How fast joints turn at the beginning (0) or at the end (−1) of a stance, radians per stance."""
    last = len(stance.heights) - 1
    over = max(round(_SPEED * last), 1)
    first, second = (0, over) if at == 0 else (last - over, last)
    return _turn(stance.rotations_wxyz[first], stance.rotations_wxyz[second]) * (last / over)


def _smoothed(
    rotations: Float[np.ndarray, "frames joints 4"], stances: Sequence[Stance]
) -> Float[np.ndarray, "frames joints 4"]:
    """Rotations that do not change their speed at once where one stance follows another; elsewhere as they were."""
    unrolled = quaternions.unroll(rotations)
    width = SOFT * float(np.median([stance.usual for stance in stances]))
    soft = quaternions.normalise(gaussian_filter1d(unrolled, width, axis=0, mode="nearest"))
    landings = np.array([stance.first for stance in stances[1:]])
    away = np.abs(np.arange(len(rotations))[:, None] - landings).min(axis=1)
    near = ease(1.5 - away / (3.0 * width))
    return quaternions.slerp(unrolled, soft, near[:, None])


# Where the root has to go while a manner comes in or goes out, so that planted feet stay put.

_SOFT = 0.025  # seconds over which the load passes from foot to foot


def fading_travel(
    clip: Clip,
    own: Float[np.ndarray, "frames joints 4"],
    manner: Float[np.ndarray, "frames joints 4"],
    shares: Float[np.ndarray, " frames"],
    plants: Contacts,
) -> Complex[np.ndarray, " frames"]:
    """How far the root has to go to the next frame beside its blended travel, metres ahead and left of the heading.

    Blended travel keeps a foot where it is as long as poses are blended in a constant share: both motions do, so what
    lies between them does. A share that changes also moves the foot from where one has it towards where the other
    does, as seen from the root, and the root gives way by that. Both are local rotations seen from the course.
    """
    fading = np.diff(shares, append=shares[-1])
    if not fading.any():
        return np.zeros(len(shares), dtype=np.complex128)
    apart = _feet(clip, manner) - _feet(clip, own)
    soft = _SOFT * clip.frame_rate
    load = np.stack([gaussian_filter1d(plants.planted(foot).astype(np.float64), soft) for foot in FEET], axis=1)
    load /= np.maximum(load.sum(axis=1, keepdims=True), 1.0)  # in flight there is none
    return np.asarray(-fading * np.sum(load * apart, axis=1))


def _feet(clip: Clip, rotations: Float[np.ndarray, "frames joints 4"]) -> Complex[np.ndarray, "frames 2"]:
    """Where both feet are on the ground, seen from the root: the middle of heel and toe, z + ix."""
    posed = replace(clip, root_positions=np.zeros((len(rotations), 3)), rotations_wxyz=rotations)
    places = foot_places(posed, leg_roles(clip.skeleton))
    ground = places[..., 2] + 1j * places[..., 0]
    return np.stack([ground[:, :2].mean(axis=1), ground[:, 2:].mean(axis=1)], axis=1)


# How far a blend strays from the heading of its clip, over two steps together.

MOST = float(np.radians(0.7))  # that any two steps together may stray; the mark is 1°
_KNOTS = 2  # of splines in a step
_BEGINNINGS = 4  # of windows in a step
_ROUNDS = 1000  # over all windows that stray too far; some dozens do as a rule
_TOLERANCE = 0.02  # of the most
_TINY = 1e-6  # below that a window holds nothing that could be turned


def turned_back(
    off: Float[np.ndarray, " frames"], stances: Sequence[Stance], pace: Pace
) -> Float[np.ndarray, " frames"]:
    """By how much to turn a blend back so that no two steps of it together stray from their clip, radians.

    ``off`` is how far the blend heads to the left of the clip. Amid a gait that is sway, which the next step takes
    back, and there is nothing to turn. Beside a stand, which does not sway, and where a foot lands twice running, no
    step takes it back. There steps head nearer to the clip, the less the further away: about the smallest smooth turns
    with which no time of two steps, wherever it begins, strays by more than ``MOST`` on average. Who stands is not
    turned, and a clip of less than two steps is left alone.
    """
    steps = _steps_made(stances)
    windows, splines = _windows(steps), _splines(steps, pace)
    means, strayed = (windows @ splines).tocsr(), windows @ off
    turns = np.zeros(splines.shape[1])
    for _ in range(_ROUNDS):
        too_far = np.flatnonzero(np.abs(strayed - means @ turns) > (1.0 + _TOLERANCE) * MOST)
        if not len(too_far):
            break
        for row in too_far:
            span = slice(means.indptr[row], means.indptr[row + 1])
            own, weights = means.indices[span], means.data[span]
            left = float(strayed[row] - weights @ turns[own])
            # The nearest turns with which this window strays no further. Its neighbours may now, so it takes rounds.
            turns[own] += (left - np.clip(left, -MOST, MOST)) / max(float(weights @ weights), _TINY) * weights
    return np.asarray(splines @ turns)


def _steps_made(stances: Sequence[Stance]) -> Float[np.ndarray, " edges"]:
    """How many steps there were before every frame, then in all; of a stand, as many as usually take that time."""
    lengths = [stance.usual if stance.pause else stance.end - stance.begin for stance in stances]
    return np.concatenate([[0.0], np.cumsum(np.repeat(1.0 / np.array(lengths), [each.n_frames for each in stances]))])


def _windows(steps: Float[np.ndarray, " edges"]) -> sparse.csr_array:
    """Each row takes the mean over the frames of two steps; they begin a fraction of a step after each other."""
    latest = steps[-1] - 2.0
    begins = np.append(np.arange(0.0, latest, 1.0 / _BEGINNINGS), latest) if latest >= 0.0 else np.empty(0)
    first, last = (np.minimum(np.searchsorted(steps, begins + ahead), len(steps) - 1) for ahead in (0.0, 2.0))
    rows = np.repeat(np.arange(len(begins)), last - first)
    frames = np.concatenate([np.arange(a, b) for a, b in zip(first, last, strict=True)] or [np.empty(0, np.int64)])
    shape = (len(begins), len(steps) - 1)
    return sparse.csr_array((1.0 / np.repeat(last - first, last - first), (rows, frames)), shape=shape)


def _splines(steps: Float[np.ndarray, " edges"], pace: Pace) -> sparse.csr_array:
    """Columns that come and go within a step or so, fading where the gait does."""
    knots = np.arange(-3, int(np.ceil(steps[-1] * _KNOTS)) + 4) / _KNOTS
    return sparse.csr_array(BSpline.design_matrix(steps[:-1], knots, 3).multiply(pace.stepping[:, None]))


# A clip blended with an averaged motion, stance by stance.


def blend_stances(
    clip: Clip, averaged: AveragedMotion, ratio: float | int, *, part: str = "all", contacts: Contacts | None = None
) -> Clip:
    """The clip in another manner: each of its stances blended with the averaged one of the same foot.

    The averaged stance is stretched over the clip's own, so frames stay what they were: the result has as many, lands
    when the clip lands, and goes with whatever was made to the clip. Where the clip stands about it is left alone.

    Parts that hold both legs, ``lower`` and ``all``, take the root along. Each step then gets as far as the blend of
    both: of the clip's step, ``1 + ratio (averaged / own − 1)`` times. The root's tilt, height and sway are blended,
    while heading and direction of travel stay the clip's: over two steps together to 1°, beside a stand, too. As the
    manner comes in or goes out the root gives way to planted feet. Else they are not held: see ``measure.slip``.

    Parameters
    ----------
    clip
        What to change. An artificial rest pose in front is left out.
    averaged
        The other manner, of the same skeleton.
    ratio
        How much of it: 0 is the clip as it was, 1 the averaged motion, beyond that it is exaggerated.
    part
        What to blend: ``all``, ``lower``, ``upper``, ``left_leg``, ``right_leg``, ``left_arm``, ``right_arm``,
        ``spine`` or ``head``.
    contacts
        The clip's foot plants, where they are known better than ``find_plants`` would find them.

    Raises
    ------
    MotionError
        Where skeletons differ, the clip shows fewer than two landings, there is no such part, or the ratio is no
        number.
    """
    check_ratio(ratio)
    refuse_other_skeleton(clip.skeleton, clip.name, averaged.skeleton, averaged.name)
    joints = joints_of(clip.skeleton, part)
    shown, plants = shown_plants(clip, contacts)
    stances = find_stances(shown, plants)
    if ratio == 0:
        return shown
    course, pace = course_of(shown, stances), pace_of(stances)
    manner = laid_over(averaged, stances, pace)
    shares = float(ratio) * pace.stepping
    own = on_course(shown, course, slice(None))
    rotations = np.array(shown.rotations_wxyz)
    rotations[:, joints] = quaternions.slerp(own[:, joints], manner.rotations_wxyz[:, joints], shares[:, None])
    changed = replace(shown, name=f"{clip.name} {averaged.name} {ratio:g}".strip())
    if not moves_root(part):
        return replace(changed, rotations_wxyz=rotations)
    off = quaternions.yaw(rotations[:, 0]) - quaternions.yaw(own[:, 0])
    facing = course.headings - turned_back(np.unwrap(off), stances, pace)
    rotations[:, 0] = quaternions.multiply(quaternions.about_y(facing), rotations[:, 0])
    fading = fading_travel(shown, own, manner.rotations_wxyz, shares, plants)
    roots = _roots(shown, course, manner, shares, fading * np.exp(1j * course.headings))
    return replace(changed, rotations_wxyz=rotations, root_positions=roots)


def _roots(
    clip: Clip,
    course: Course,
    manner: Overlay,
    shares: Float[np.ndarray, " frames"],
    fading: Complex[np.ndarray, " frames"],
) -> Float[np.ndarray, "frames 3"]:
    """Where the root is when steps get as far as shares of the manner make them, along the clip's own course.

    Blending what frames travel, ahead and left of the course, scales a step by ``1 + share (averaged / own − 1)``
    without ever dividing by it: a step on the spot grows, too. Where the manner comes in or goes out, planted feet have
    the root go a little beside that, ``fading`` to the next frame.
    """
    travel = course.travel + shares * (manner.travel - course.travel)
    start = clip.ground_path[0]
    places = start + np.concatenate([[0.0], np.cumsum(travel * np.exp(1j * course.directions) + fading)[:-1]])
    heights = course.heights + shares * (manner.heights - course.heights)
    return np.stack([places.imag, course.level(places) + heights, places.real], axis=1)
