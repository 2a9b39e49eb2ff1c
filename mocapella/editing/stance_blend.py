"""A clip in the style of another: each of its stances blended with the averaged stance of the same foot."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import scipy
from jaxtyping import Complex, Float

from mocapella.analysis.examined import Examined
from mocapella.analysis.plants.tracks import foot_places
from mocapella.checks import explained
from mocapella.editing.averaged import AveragedMotion, AveragedStance, check_mix, gait_plants
from mocapella.editing.stances import SOFT, Course, Pace, Stance, course_of, find_stances, pace_of
from mocapella.geometry import quaternions
from mocapella.geometry.curves import ease
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET, Contacts
from mocapella.motion.kinematics import without_heading
from mocapella.rig.legs import leg_roles
from mocapella.rig.parts import joints_of, moves_root

Signal = Float[np.ndarray, " frames"]
Path = Complex[np.ndarray, " frames"]
Rotations = Float[np.ndarray, "frames joints 4"]


@explained
def blend_stances(
    clip: Clip | Examined,
    averaged: AveragedMotion,
    ratio: float | int,
    *,
    part: str = "all",
    contacts: Contacts | None = None,
) -> Clip:
    """The clip in another style: each of its stances blended with the averaged one of the same foot.

    The averaged stance is stretched over the clip's own, so frames stay what they were: the result has as many and
    lands when the clip lands. Pauses are left alone.

    Parts that hold both legs, ``lower`` and ``all``, take the root along. Each step is then as long as the blend of
    both: ``1 + ratio (averaged / own − 1)`` times the clip's. The root's tilt, height and sway are blended, while
    heading and direction of travel stay the clip's: over two steps together to 1°, next to pauses, too. As the style
    sets in or ends, the root moves so that planted feet stay. Otherwise they are not held: see ``measure.footskate``.

    Parameters
    ----------
    clip
        What to change, or what was examined of it before. An artificial rest pose in front is left out.
    averaged
        The other style, of the same skeleton.
    ratio
        How much of it: 0 is the clip as it was, 1 the averaged motion, beyond that it is exaggerated.
    part
        What to blend: ``all``, ``lower``, ``upper``, ``left_leg``, ``right_leg``, ``left_arm``, ``right_arm``,
        ``spine`` or ``head``.
    contacts
        The clip's foot plants, where they are known better than ``find_plants`` would find them.

    Returns
    -------
    Clip
        With as many frames as the clip has without a rest pose.

    Raises
    ------
    MotionError
        Where skeletons differ, the clip shows fewer than two landings, there is no such part, or the ratio is no
        number.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> from mocapella.editing.averaged import average_stances
    >>> sad = average_stances(perform("walk", style="sad", cycles=4.0)[0])
    >>> walk = perform("walk", cycles=4.0)[0]
    >>> blend_stances(walk, sad, 0.5).n_frames == walk.n_frames
    True
    """
    known, plants = gait_plants(clip, contacts)
    captured = known.clip
    check_mix(ratio, captured.skeleton, captured.name, averaged)
    joints = joints_of(captured.skeleton, part)
    stances = find_stances(captured, plants)
    if ratio == 0:
        return captured
    course, pace = course_of(known, stances), pace_of(stances)
    manner = _overlaid(averaged, stances, pace)
    shares = float(ratio) * pace.stepping
    own = without_heading(captured.rotations_wxyz, course.headings)
    rotations = np.array(captured.rotations_wxyz)
    rotations[:, joints] = quaternions.slerp(own[:, joints], manner.rotations_wxyz[:, joints], shares[:, None])
    changed = replace(captured, name=f"{captured.name} {averaged.name} {ratio:g}".strip())
    if not moves_root(part):
        return replace(changed, rotations_wxyz=rotations)
    off = quaternions.yaw(rotations[:, 0]) - quaternions.yaw(own[:, 0])
    facing = course.headings - heading_correction(np.unwrap(off), stances, pace)
    rotations[:, 0] = quaternions.multiply(quaternions.about_y(facing), rotations[:, 0])
    fading = fading_travel(captured, own, manner.rotations_wxyz, shares, plants)
    roots = _roots(captured, course, manner, shares, fading * np.exp(1j * course.headings))
    return replace(changed, rotations_wxyz=rotations, root_positions=roots)


# The averaged motion stretched over the stances of a clip.


class _LandingSettings(NamedTuple):
    """How blended stances follow each other at a landing."""

    settling: float = 0.15  # of a stance: over that much of it rotation passes to the speed of the next
    speed: float = 0.03  # of a stance, at an end: over that much of it the speed of rotation is measured
    load_passes: float = 0.025  # seconds over which the weight shifts from foot to foot


_LANDING = _LandingSettings()


@dataclass(frozen=True, eq=False)
class _Overlay:
    """An averaged motion in every frame of a clip, seen from the clip's course."""

    rotations_wxyz: Rotations
    travel: Path  # metres to the next frame, ahead and left of the direction
    heights: Signal  # of the root above the ground, metres


def _overlaid(averaged: AveragedMotion, stances: Sequence[Stance], pace: Pace) -> _Overlay:
    """The averaged motion, each stance stretched over those of the same foot.

    As averages of different frames, the end of one stance and the start of the next never agree quite. So where they
    meet both are bent towards the mean of the two, poses and angular velocities, the less the further from there; and
    rotations are smoothed about that moment, since higher derivatives do not agree either.
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
            near, x = ease(1.0 - 2.0 * away), np.clip(1.0 - away / _LANDING.settling, 0.0, 1.0)
            settling = _LANDING.settling * x * x * (x - 1.0)  # changes the speed where they meet by 1, but no pose
            bent = near[:, None, None] * turn + settling[:, None, None] * quicker
            rotations[frames] = quaternions.multiply(quaternions.from_rotvec(bent), rotations[frames])
            heights[frames] += sign * higher * near
    return _Overlay(_smoothed(rotations, stances), ways[:, 0] + 1j * ways[:, 1], heights)


def _turn(own: Float[np.ndarray, "joints 4"], to: Float[np.ndarray, "joints 4"]) -> Float[np.ndarray, "joints 3"]:
    """Rotation vectors that lead from one pose to another, seen from the joints' parents."""
    return quaternions.to_rotvec(quaternions.multiply(to, quaternions.conjugate(own)))


def _speed(stance: AveragedStance, at: int) -> Float[np.ndarray, "joints 3"]:
    """Angular velocities of the joints at the start (0) or at the end (−1) of a stance, radians per stance."""
    last = len(stance.heights) - 1
    over = max(round(_LANDING.speed * last), 1)
    first, second = (0, over) if at == 0 else (last - over, last)
    return _turn(stance.rotations_wxyz[first], stance.rotations_wxyz[second]) * (last / over)


def _smoothed(rotations: Rotations, stances: Sequence[Stance]) -> Rotations:
    """Rotations smoothed where one stance follows another; elsewhere as they were."""
    unrolled = quaternions.unroll(rotations)
    width = SOFT * float(np.median([stance.usual for stance in stances]))
    soft = quaternions.normalise(scipy.ndimage.gaussian_filter1d(unrolled, width, axis=0, mode="nearest"))
    landings = np.array([stance.first for stance in stances[1:]])
    away = np.abs(np.arange(len(rotations))[:, None] - landings).min(axis=1)
    return quaternions.slerp(unrolled, soft, ease(1.5 - away / (3.0 * width))[:, None])


# The path of the root.


def _roots(clip: Clip, course: Course, manner: _Overlay, shares: Signal, fading: Path) -> Float[np.ndarray, "frames 3"]:
    """Root positions with step lengths blended by shares of the style, along the clip's own course.

    Blending the travel of frames, ahead and left of the course, scales a step by ``1 + share (averaged / own − 1)``
    without dividing by it, so that a step on the spot grows, too. ``fading`` is added to the way to the next frame.
    """
    travel = course.travel + shares * (manner.travel - course.travel)
    steps = np.cumsum(travel * np.exp(1j * course.directions) + fading)
    places = clip.ground_path[0] + np.concatenate([[0.0], steps[:-1]])
    heights = course.heights + shares * (manner.heights - course.heights)
    return np.stack([places.imag, course.level(places) + heights, places.real], axis=1)


def fading_travel(clip: Clip, own: Rotations, manner: Rotations, shares: Signal, plants: Contacts) -> Path:
    """Travel of the root that keeps planted feet in place while the share of the style changes.

    Blended travel keeps a foot in place as long as the share is constant: both motions do, so a blend of them does. A
    changing share also moves the foot, as seen from the root, from its place in one towards its place in the other, and
    the root moves back by that.

    ``own`` and ``manner`` are the local rotations of both, the root's seen from the course. Returns an array of shape
    (frames,): metres to the next frame, ahead and left of the heading; 0 in flight.
    """
    fading = np.diff(shares, append=shares[-1])
    if not fading.any():
        return np.zeros(len(shares), dtype=np.complex128)
    apart = _feet(clip, manner) - _feet(clip, own)
    soft = _LANDING.load_passes * clip.frame_rate
    load = np.stack(
        [scipy.ndimage.gaussian_filter1d(plants.planted(foot).astype(np.float64), soft) for foot in FEET], axis=1
    )
    load /= np.maximum(load.sum(axis=1, keepdims=True), 1.0)  # in flight there is none
    return np.asarray(-fading * np.sum(load * apart, axis=1))


def _feet(clip: Clip, rotations: Rotations) -> Complex[np.ndarray, "frames 2"]:
    """Places of both feet on the ground, seen from the root: the middle of heel and toe, z + ix."""
    posed = replace(clip, root_positions=np.zeros((len(rotations), 3)), rotations_wxyz=rotations)
    places = foot_places(posed, leg_roles(clip.skeleton))
    ground = places[..., 2] + 1j * places[..., 0]
    return np.stack([ground[:, :2].mean(axis=1), ground[:, 2:].mean(axis=1)], axis=1)


# The heading of the blend, kept near that of the clip.


class _HeadingSettings(NamedTuple):
    """How the heading of a blend is kept to that of the clip."""

    most_off: float = float(np.radians(0.7))  # radians, mean over two steps; the requirement is 1°
    knots: int = 2  # of splines in a step
    beginnings: int = 4  # of windows in a step
    most_rounds: int = 1000  # over all windows that are off too far; some dozens do as a rule
    tolerance: float = 0.02  # of the most
    tiny: float = 1e-6  # a window with less weight than that holds no steps


_HEADING = _HeadingSettings()


def heading_correction(off: Signal, stances: Sequence[Stance], pace: Pace) -> Signal:
    """The correction of a blend's heading that keeps the mean over any two steps near that of the clip.

    In a gait the blend's heading sways about the clip's, and the next step makes up for it. Next to a pause, which does
    not sway, and where a foot lands twice in a row, no step does. There the heading is corrected by about the smallest
    smooth curve with which the mean over two steps, wherever they begin, is off by at most 0.7°. Windows
    that are off too far are projected in turn (Kaczmarz's method) onto what they may be, until none is.

    ``off`` is how far the blend heads to the left of the clip, radians. Returns an array of shape (frames,): radians to
    subtract; 0 in pauses, and throughout a clip of less than two steps.
    """
    steps = _steps_made(stances)
    windows, splines = _windows(steps), _splines(steps, pace)
    means, wanted = (windows @ splines).tocsr(), windows @ off
    turns = np.zeros(splines.shape[1])
    for _ in range(_HEADING.most_rounds):
        too_far = np.flatnonzero(np.abs(wanted - means @ turns) > (1.0 + _HEADING.tolerance) * _HEADING.most_off)
        if not len(too_far):
            break
        for row in too_far:
            span = slice(means.indptr[row], means.indptr[row + 1])
            own, weights = means.indices[span], means.data[span]
            left = float(wanted[row] - weights @ turns[own])
            excess = left - np.clip(left, -_HEADING.most_off, _HEADING.most_off)
            turns[own] += excess / max(float(weights @ weights), _HEADING.tiny) * weights
    return np.asarray(splines @ turns)


def _steps_made(stances: Sequence[Stance]) -> Float[np.ndarray, " edges"]:
    """Number of steps before every frame, then in all; a pause counts as the steps that usually take that time."""
    lengths = [stance.usual if stance.pause else stance.end - stance.begin for stance in stances]
    return np.concatenate([[0.0], np.cumsum(np.repeat(1.0 / np.array(lengths), [each.n_frames for each in stances]))])


def _windows(steps: Float[np.ndarray, " edges"]) -> scipy.sparse.csr_array:
    """Each row takes the mean over the frames of two steps; they begin a fraction of a step after each other."""
    latest = steps[-1] - 2.0
    begins = np.append(np.arange(0.0, latest, 1.0 / _HEADING.beginnings), latest) if latest >= 0.0 else np.empty(0)
    first, last = (np.minimum(np.searchsorted(steps, begins + ahead), len(steps) - 1) for ahead in (0.0, 2.0))
    rows = np.repeat(np.arange(len(begins)), last - first)
    frames = np.concatenate([np.arange(a, b) for a, b in zip(first, last, strict=True)] or [np.empty(0, np.int64)])
    shape = (len(begins), len(steps) - 1)
    return scipy.sparse.csr_array((1.0 / np.repeat(last - first, last - first), (rows, frames)), shape=shape)


def _splines(steps: Float[np.ndarray, " edges"], pace: Pace) -> scipy.sparse.csr_array:
    """Each column is a cubic B-spline of about two steps, fading where the gait does."""
    knots = np.arange(-3, int(np.ceil(steps[-1] * _HEADING.knots)) + 4) / _HEADING.knots
    return scipy.sparse.csr_array(
        scipy.interpolate.BSpline.design_matrix(steps[:-1], knots, 3).multiply(pace.stepping[:, None])
    )
