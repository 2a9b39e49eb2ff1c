"""Clips closed to loops, travelling or on the spot, as players of files repeat them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mocapella.geometry import quaternions
from mocapella.motion import kinematics
from mocapella.motion.clip import Clip


def close_loop(clip: Clip) -> Clip:
    """The clip with one more frame: the first pose again, where the next round of the loop begins.

    On the ground the root goes on: the travel and turn of the missing step, in the root's own heading, are the mean of
    those of the last step and the first. From its first frame to its last it lasts ``clip.seconds``.
    """
    headings, places = clip.headings, clip.ground_path
    turns = np.diff(headings)
    travels = np.diff(places) * np.exp(-1j * headings[:-1])
    turn = float(np.mean(turns[[-1, 0]])) if len(turns) else 0.0
    travel = np.mean(travels[[-1, 0]]) if len(travels) else 0.0
    place = places[-1] + travel * np.exp(1j * headings[-1])
    rotations = np.concatenate([clip.rotations_wxyz, clip.rotations_wxyz[:1]])
    rotations[-1, 0] = quaternions.multiply(
        quaternions.about_y(headings[-1] + turn - headings[0]), clip.rotations_wxyz[0, 0]
    )
    return replace(
        clip,
        root_positions=np.concatenate([clip.root_positions, [[place.imag, clip.root_positions[0, 1], place.real]]]),
        rotations_wxyz=rotations,
        slides=np.concatenate([clip.slides, clip.slides[:1]]),
    )


def in_place(clip: Clip) -> Clip:
    """The clip without its travel: the root stays above the origin; height and heading are kept."""
    return replace(clip, root_positions=clip.root_positions * [0.0, 1.0, 0.0])


def close_loop_in_place(clip: Clip) -> Clip:
    """The closed clip on the spot: its last frame equals its first.

    Only the steady part of travel and turn is taken out, the same in every step; the sway of a stride stays. A
    character that is moved along at the loop's mean speed and turn therefore sets its feet as it did when captured.
    The root sways about the origin.
    """
    whole = close_loop(clip)
    headings, places = whole.headings, whole.ground_path
    n_steps = clip.n_frames
    course = (headings[-1] - headings[0]) * np.arange(n_steps + 1) / n_steps
    steps = np.diff(places) * np.exp(-1j * course[:-1])
    sway = np.concatenate([[0.0], np.cumsum(steps - steps.mean())])
    sway[-1] = sway[0]  # equal but for rounding
    sway -= sway[:-1].mean()
    rotations = kinematics.without_heading(whole.rotations_wxyz, course)
    rotations[-1] = rotations[0]
    return replace(
        whole,
        root_positions=np.stack([sway.imag, whole.root_positions[:, 1], sway.real], axis=-1),
        rotations_wxyz=rotations,
    )
