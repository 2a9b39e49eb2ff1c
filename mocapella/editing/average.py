"""From a clip of someone going to the averaged motion of that manner."""

from __future__ import annotations

import warnings

import numpy as np
from jaxtyping import Float

from mocapella.analysis.plants import find_plants
from mocapella.editing.averaged import AveragedMotion, AveragedStance, averaged, lerped, slerped
from mocapella.editing.course import Course, course_of
from mocapella.editing.stances import Stance, find_stances, steady
from mocapella.errors import MotionError, MotionWarning
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET, Contacts


def average_stances(clip: Clip, *, contacts: Contacts | None = None) -> AveragedMotion:
    """The averaged motion of a clip: all stances of a foot brought to one length and averaged.

    Of a long walk the steady part counts: pauses, odd steps and those out of a stand or into one are left out, unless
    a foot has no others. An artificial rest pose in front is left out, too.

    Parameters
    ----------
    clip
        A walk or run of some steps.
    contacts
        Its foot plants, where they are known better than ``find_plants`` would find them.

    Raises
    ------
    MotionError
        Where a foot has no whole stance, from its own landing to the other foot's.

    Warns
    -----
    MotionWarning
        Where a foot has only one, which is then no average.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> sad = average_stances(perform("walk", style="sad", cycles=4.0)[0])
    >>> sad.left.count
    3
    """
    shown, plants = shown_plants(clip, contacts)
    stances = find_stances(shown, plants)
    course = course_of(shown, stances)
    found = {}
    for foot in FEET:
        chosen = steady(stances, foot)
        if not chosen:
            raise MotionError(
                f"{clip!r} has no whole stance of the {foot} foot, from its landing to that of the other; "
                "give a clip with more steps, or its plants where they were not found"
            )
        if len(chosen) == 1:
            warnings.warn(
                f"{clip.name or 'the clip'} has one whole stance of the {foot} foot, which stands for all",
                MotionWarning,
                stacklevel=2,
            )
        n_samples = round(float(np.mean([stance.n_frames for stance in chosen]))) + 1
        found[foot] = averaged([_seen(shown, course, stance, max(n_samples, 2)) for stance in chosen])
    return AveragedMotion(clip.skeleton, found, clip.name)


def shown_plants(clip: Clip, contacts: Contacts | None) -> tuple[Clip, Contacts]:
    """A clip without an artificial rest pose, and its plants; those given may still count that pose."""
    shown = clip.captured
    if contacts is None:
        return shown, find_plants(shown, gait=True)
    if contacts.n_frames != clip.n_frames:
        raise MotionError(f"expected plants over the {clip.n_frames} frames of the clip, got {contacts.n_frames}")
    return shown, contacts[clip.n_frames - shown.n_frames :]


def _seen(clip: Clip, course: Course, stance: Stance, n_samples: int) -> AveragedStance:
    """One stance seen from its course, in so many samples, the next landing included."""
    frames = slice(stance.first, stance.last + 2)
    at = np.linspace(0.0, float(stance.n_frames), n_samples)
    ways = np.concatenate([[0.0], np.cumsum(course.travel[stance.first : stance.last + 1])])
    return AveragedStance(
        slerped(on_course(clip, course, frames), at),
        lerped(np.stack([ways.real, ways.imag], axis=1), at),
        lerped(course.heights[frames], at),
        stance.n_frames / clip.frame_rate,
    )


def on_course(clip: Clip, course: Course, frames: slice) -> Float[np.ndarray, "frames joints 4"]:
    """Local rotations, that of the root seen from the course's heading."""
    rotations = np.array(clip.rotations_wxyz[frames])
    rotations[:, 0] = quaternions.multiply(quaternions.about_y(-course.headings[frames]), rotations[:, 0])
    return rotations
