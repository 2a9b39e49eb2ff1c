"""The course of a clip over the ground, and clips closed to loops, travelling or on the spot."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Complex, Float

from mocapella.geometry import quaternions
from mocapella.geometry.curves import bell_smooth
from mocapella.motion import kinematics
from mocapella.motion.clip import Clip

_SMOOTHING = 1.0  # s, half the window that takes the sway of steps out of a course; a stride lasts about as long
_SAME = 1e-9  # quaternion components and metres: a pose that differs by less is the same one
_STRAIGHT = 1e-6  # radians: a loop that turns less in all has no centre to turn about


@dataclass(frozen=True, eq=False)
class Course:
    """A smooth way over the ground: where a character is and heads, without the sway of its steps."""

    places: Complex[np.ndarray, " frames"]  # z + ix, metres
    headings: Float[np.ndarray, " frames"]  # radians, left positive, running on

    def taken_out_of(self, clip: Clip) -> Clip:
        """The clip as seen from the course: its sway on the spot, about the origin, heading +z."""
        sway = (clip.ground_path - self.places) * np.exp(-1j * self.headings)
        return replace(
            clip,
            root_positions=np.stack([sway.imag, clip.root_positions[:, 1], sway.real], axis=-1),
            rotations_wxyz=kinematics.without_heading(clip.rotations_wxyz, self.headings),
        )


def smooth_course(clip: Clip) -> Course:
    """The course of a clip that does not repeat: its root's way and heading, smoothed over a stride.

    Beyond the ends the motion is taken to go on as it does there.
    """
    half = min(round(_SMOOTHING * clip.frame_rate), clip.n_frames - 1)
    signals = np.stack([clip.ground_path.real, clip.ground_path.imag, clip.headings], axis=-1)
    before, after = 2 * signals[0] - signals[half:0:-1], 2 * signals[-1] - signals[-2 : -2 - half : -1]
    smooth = bell_smooth(np.concatenate([before, signals, after]), half)[half : half + clip.n_frames]
    return Course(smooth[:, 0] + 1j * smooth[:, 1], smooth[:, 2])


def steady_course(closed: Clip) -> Course:
    """The course of a closed loop: the same step and turn from each frame to the next.

    ``closed`` is a loop with its closing frame, as ``close_loop`` gives it. Relative to this course the loop repeats
    exactly, and its root sways about the origin.
    """
    places, headings = closed.ground_path, closed.headings
    share = np.arange(closed.n_frames) / (closed.n_frames - 1)
    turn = headings[-1] - headings[0]
    if abs(turn) < _STRAIGHT:
        way = share * (places[-1] - places[0])
        return Course(way + np.mean((places - way)[:-1]), turn * share)
    centre = (places[-1] - places[0] * np.exp(1j * turn)) / (1.0 - np.exp(1j * turn))
    turned = np.exp(1j * turn * share)
    return Course(centre + turned * np.mean(((places - centre) / turned)[:-1]), turn * share)


def mean_rates(course: Course, seconds: float) -> tuple[float, float]:
    """How fast a course goes and turns.

    Returns ``speed`` and ``turn``: metres and degrees per second, turns to the left positive; 0 for a single frame.
    """
    if seconds <= 0.0:
        return 0.0, 0.0
    length = float(np.abs(np.diff(course.places)).sum())
    return length / seconds, math.degrees(float(course.headings[-1] - course.headings[0])) / seconds


def is_closed(clip: Clip, *, within: float = _SAME) -> bool:
    """Whether the last frame of a clip has the pose of its first, regardless of position and heading.

    ``within`` is the quaternion components, and metres of height, that count as none. Returns False for a single frame,
    and where nothing moves: any frame of a held pose equals the first.
    """
    return _apart(clip, 0, clip.n_frames - 1) <= within and _apart(clip, 0, min(1, clip.n_frames - 1)) > 0.0


def _apart(clip: Clip, frame: int, other: int) -> float:
    """How far apart two frames are, in quaternion components and metres of height; course and heading do not count."""
    frames = [frame, other]
    a, b = kinematics.without_heading(clip.rotations_wxyz[frames], clip.headings[frames])
    signs = np.where(np.sum(a * b, axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
    return float(max(np.abs(b - signs * a).max(), abs(np.subtract(*clip.root_positions[frames, 1]))))


def close_loop(clip: Clip) -> Clip:
    """The clip with one more frame: the first pose again, where the next round of the loop begins.

    A clip that ends so already is given back as it is.

    On the ground the root goes on: the travel and turn of the missing step, in the root's own heading, are the mean of
    those of the last step and the first. From its first frame to its last it lasts ``clip.seconds``.
    """
    if is_closed(clip):
        return clip
    headings, places = clip.headings, clip.ground_path
    turns = np.diff(headings)
    travels = np.diff(places) * np.exp(-1j * headings[:-1])
    turn = float(np.mean(turns[[-1, 0]])) if len(turns) else 0.0
    travel = np.mean(travels[[-1, 0]]) if len(travels) else 0.0
    place = places[-1] + travel * np.exp(1j * headings[-1])
    rotations = np.concatenate([clip.rotations_wxyz, clip.rotations_wxyz[:1]])
    turned = quaternions.about_y(headings[-1] + turn - headings[0])
    rotations[-1, 0] = quaternions.multiply(turned, clip.rotations_wxyz[0, 0])
    return replace(
        clip,
        root_positions=np.concatenate([clip.root_positions, [[place.imag, clip.root_positions[0, 1], place.real]]]),
        rotations_wxyz=rotations,
        slides=np.concatenate([clip.slides, clip.slides[:1]]),
    )


def open_loop(clip: Clip) -> Clip:
    """The clip without a closing frame, as programs repeat it that go from the last frame to the first."""
    return clip[:-1] if is_closed(clip) else clip


def in_place(clip: Clip) -> Clip:
    """The clip without its travel: the root stays above the origin; height and heading are kept."""
    return replace(clip, root_positions=clip.root_positions * [0.0, 1.0, 0.0])


def close_loop_in_place(clip: Clip) -> Clip:
    """The closed clip on the spot: its last frame equals its first.

    Only the steady part of travel and turn is taken out; the sway of a stride stays. A character that is moved along
    at the loop's mean speed and turn therefore sets its feet as it did when captured.
    """
    closed = close_loop(clip)
    spot = steady_course(closed).taken_out_of(closed)
    places, rotations = np.array(spot.root_positions), np.array(spot.rotations_wxyz)
    places[-1], rotations[-1] = places[0], rotations[0]  # equal but for rounding
    return replace(spot, root_positions=places, rotations_wxyz=rotations)
