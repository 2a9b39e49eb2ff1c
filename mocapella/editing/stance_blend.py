"""A clip blended with an averaged motion, stance by stance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Complex, Float
from scipy.ndimage import gaussian_filter1d

from mocapella.editing.average import on_course, shown_plants
from mocapella.editing.averaged import AveragedMotion, check_ratio, refuse_other_skeleton
from mocapella.editing.course import Course, course_of, ground_places
from mocapella.editing.parts import joints_of, moves_root
from mocapella.editing.stances import SOFT, Pace, Stance, eased, find_stances, pace_of
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import Contacts


def blend_stances(
    clip: Clip, averaged: AveragedMotion, ratio: float | int, *, part: str = "all", contacts: Contacts | None = None
) -> Clip:
    """The clip in another manner: each of its stances blended with the averaged one of the same foot.

    The averaged stance is stretched over the clip's own, so frames stay what they were: the result has as many, lands
    when the clip lands, and goes with whatever was made to the clip. Where the clip stands about it is left alone.

    Parts that hold both legs, ``lower`` and ``all``, take the root along. Each step then gets as far as the blend of
    both: of the clip's step, ``1 + ratio (averaged / own − 1)`` times. The root's tilt, height and sway are blended,
    while heading and direction of travel stay the clip's. Feet are not held: see ``measure.slip`` for how they stand.

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
    manner = _laid_over(averaged, stances, pace)
    shares = float(ratio) * pace.stepping
    own = on_course(shown, course, slice(None))
    own[:, joints] = quaternions.slerp(own[:, joints], manner.rotations_wxyz[:, joints], shares[:, None])
    own[:, 0] = quaternions.multiply(quaternions.about_y(course.headings), own[:, 0])
    name = f"{clip.name} {averaged.name} {ratio:g}".strip()
    changed = replace(shown, rotations_wxyz=own, name=name)
    return replace(changed, root_positions=_roots(shown, course, manner, shares)) if moves_root(part) else changed


@dataclass(frozen=True, eq=False)
class _Manner:
    """An averaged motion laid over the frames of a clip, seen from the course."""

    rotations_wxyz: Float[np.ndarray, "frames joints 4"]
    travel: Complex[np.ndarray, " frames"]  # metres to the next frame, ahead and left of the direction
    heights: Float[np.ndarray, " frames"]


def _laid_over(averaged: AveragedMotion, stances: Sequence[Stance], pace: Pace) -> _Manner:
    """The averaged motion stretched over stances, without jumps where one follows another."""
    n_frames = len(pace.shares)
    rotations = np.empty((n_frames, averaged.skeleton.n_joints, 4))
    ways, heights = np.empty((n_frames, 2)), np.empty(n_frames)
    for foot, stance in averaged.stances.items():
        own = np.array([each.foot == foot for each in stances])[pace.stances]
        rotations[own], here, heights[own] = stance.at(pace.shares[own])
        ways[own] = stance.at(pace.onward[own])[1] - here
    for i, stance in enumerate(stances):
        frames = slice(stance.first, stance.last + 1)
        for other, fading in (
            (stances[i - 1] if i else None, 1.0 - 2.0 * pace.shares[frames]),
            (stances[i + 1] if i + 1 < len(stances) else None, 2.0 * pace.shares[frames] - 1.0),
        ):
            if other is None:
                continue
            turns, rise = _halfway(averaged, stance.foot, other.foot, before=other.first < stance.first)
            much = eased(np.clip(fading, 0.0, 1.0))
            none = np.broadcast_to(quaternions.IDENTITY, turns.shape)
            rotations[frames] = quaternions.multiply(
                quaternions.slerp(none[None], turns[None], much[:, None]), rotations[frames]
            )
            heights[frames] += rise * much
    return _Manner(_smoothed(rotations, stances), ways[:, 0] + 1j * ways[:, 1], heights)


def _smoothed(
    rotations: Float[np.ndarray, "frames joints 4"], stances: Sequence[Stance]
) -> Float[np.ndarray, "frames joints 4"]:
    """Rotations that do not change their speed at once where one stance follows another; elsewhere as they were."""
    unrolled = quaternions.unroll(rotations)
    usual = float(np.median([stance.usual for stance in stances]))
    soft = quaternions.normalise(gaussian_filter1d(unrolled, SOFT * usual, axis=0, mode="nearest"))
    landings = np.array([stance.first for stance in stances[1:]])
    away = np.abs(np.arange(len(rotations))[:, None] - landings).min(axis=1)
    near = eased(np.clip(1.5 - away / (3.0 * SOFT * usual), 0.0, 1.0))
    return quaternions.slerp(unrolled, soft, near[:, None])


def _halfway(
    averaged: AveragedMotion, foot: str, other: str, *, before: bool
) -> tuple[Float[np.ndarray, "joints 4"], float]:
    """What brings the end of a foot's stance halfway to that of its neighbour: turns of joints, metres of height.

    Averages of different frames, the end of one stance and the beginning of the next never agree quite.
    """
    mine, its = (0, -1) if before else (-1, 0)
    own, neighbour = averaged.stances[foot], averaged.stances[other]
    start, goal = own.rotations_wxyz[mine], neighbour.rotations_wxyz[its]
    middle = quaternions.slerp(start, goal, 0.5)
    rise = 0.5 * float(neighbour.heights[its] - own.heights[mine])
    return quaternions.shortest(quaternions.multiply(middle, quaternions.conjugate(start))), rise


def _roots(
    clip: Clip, course: Course, manner: _Manner, shares: Float[np.ndarray, " frames"]
) -> Float[np.ndarray, "frames 3"]:
    """Where the root is when steps get as far as shares of the manner make them, along the clip's own course.

    Blending what frames travel, ahead and left of the course, scales a step by ``1 + share (averaged / own − 1)``
    without ever dividing by it: a step on the spot grows, too.
    """
    travel = course.travel + shares * (manner.travel - course.travel)
    start = ground_places(clip)[0]
    places = start + np.concatenate([[0.0], np.cumsum(travel * np.exp(1j * course.directions))[:-1]])
    heights = course.heights + shares * (manner.heights - course.heights)
    return np.stack([places.imag, course.level(places) + heights, places.real], axis=1)
