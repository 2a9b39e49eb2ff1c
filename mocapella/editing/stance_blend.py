"""A clip blended with an averaged motion, stance by stance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from jaxtyping import Complex, Float

from mocapella.editing.average import on_course, shown_plants
from mocapella.editing.averaged import AveragedMotion, check_ratio, refuse_other_skeleton
from mocapella.editing.course import Course, course_of, ground_places
from mocapella.editing.fading import fading_travel
from mocapella.editing.overlay import Overlay, laid_over
from mocapella.editing.pace import pace_of
from mocapella.editing.parts import joints_of, moves_root
from mocapella.editing.stances import find_stances
from mocapella.editing.straying import turned_back
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
    start = ground_places(clip)[0]
    places = start + np.concatenate([[0.0], np.cumsum(travel * np.exp(1j * course.directions) + fading)[:-1]])
    heights = course.heights + shares * (manner.heights - course.heights)
    return np.stack([places.imag, course.level(places) + heights, places.real], axis=1)
