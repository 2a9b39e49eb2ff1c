"""A clip played round and round: where its next round begins, and the same motion on the spot."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from jaxtyping import Complex, Float

from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip


def closed(clip: Clip) -> Clip:
    """The clip with one more frame: its first again, carried on to where the next round begins.

    The pose of the new frame is the first one's in every joint. On the ground the root goes on: the travel and turn of
    the missing step, in the root's own heading, are taken midway between those of the last step and the first. What is
    returned lasts as long as ``clip`` plays (``clip.seconds``) from its first frame to its last.
    """
    headings, places = _headings(clip), _places(clip)
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


def still(clip: Clip) -> Clip:
    """The clip without its way over the ground: the root stays above the origin; height and heading are kept."""
    return replace(clip, root_positions=clip.root_positions * [0.0, 1.0, 0.0])


def closed_still(clip: Clip) -> Clip:
    """The closed clip treading on the spot: its last frame equals its first.

    Only the steady part of travel and turn is taken out, the same in every step; the sway of a stride stays. A
    character that is moved along at the loop's mean speed and turn therefore sets its feet as it did when captured.
    The root sways about the origin.
    """
    whole = closed(clip)
    headings, places = _headings(whole), _places(whole)
    n_steps = clip.n_frames
    course = (headings[-1] - headings[0]) * np.arange(n_steps + 1) / n_steps
    steps = np.diff(places) * np.exp(-1j * course[:-1])
    sway = np.concatenate([[0.0], np.cumsum(steps - steps.mean())])
    sway[-1] = sway[0]  # equal but for rounding
    sway -= sway[:-1].mean()
    rotations = np.array(whole.rotations_wxyz)
    rotations[:, 0] = quaternions.multiply(quaternions.about_y(-course), rotations[:, 0])
    rotations[-1] = rotations[0]
    return replace(
        whole,
        root_positions=np.stack([sway.imag, whole.root_positions[:, 1], sway.real], axis=-1),
        rotations_wxyz=rotations,
    )


def _headings(clip: Clip) -> Float[np.ndarray, " frames"]:
    """The root's heading, radians, running on beyond a full turn."""
    return np.asarray(np.unwrap(quaternions.yaw(clip.rotations_wxyz[:, 0])))


def _places(clip: Clip) -> Complex[np.ndarray, " frames"]:
    """The root on the ground as a complex number, z + ix: multiplying by exp(iψ) turns left by ψ."""
    return np.asarray(clip.root_positions[:, 2] + 1j * clip.root_positions[:, 0])
