"""Bridges over frames that say nothing of their own: lost ones, and those that repeat the frame before.

Programs that stream a capture hold its last frame while others fail to arrive, and a file that was stored at twice its
frame rate holds every frame once more. The body moved on meanwhile, so such frames lie on the way between those around
them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Float, Int

from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import intervals_of

LONGEST_BRIDGE = 0.15  # seconds of frames that are bridged: beyond, what lies between would be invented


def repeats(clip: Clip) -> Bool[np.ndarray, " frames"]:
    """Frames that are exactly equal to the frame before, in every number.

    Parameters
    ----------
    clip
        Any motion.

    Returns
    -------
    array of bool
        One for each frame; the first is never one.
    """
    out = np.zeros(clip.n_frames, dtype=bool)
    out[1:] = np.all(clip.root_positions[1:] == clip.root_positions[:-1], axis=1)
    candidates = np.flatnonzero(out)
    if len(candidates):
        q = clip.rotations_wxyz
        out[candidates] = np.all(q[candidates] == q[candidates - 1], axis=(1, 2))
    return out


def held_frames(clip: Clip) -> Bool[np.ndarray, " frames"]:
    """Frames in short runs that repeat the frame before while the body moves on: 0.15 s at most.

    Parameters
    ----------
    clip
        A capture without an artificial rest pose in front.

    Returns
    -------
    array of bool
        One for each frame. Runs up to the end of a clip are none, since nothing tells what came next; nor is a body
        that waits for several frames at its beginning.
    """
    out = repeats(clip)
    longest = max(int(LONGEST_BRIDGE * clip.frame_rate), 1)
    for first, last in intervals_of(out):
        if last - first + 1 > longest or (first == 1 and last > 1) or last == clip.n_frames - 1:
            out[first : last + 1] = False
    return out


def without_held(clip: Clip) -> Clip:
    """The motion with its held frames on the way between those around them.

    Parameters
    ----------
    clip
        A capture without an artificial rest pose in front.

    Returns
    -------
    Clip
        The clip itself where no frame is held.
    """
    held = held_frames(clip)
    if not held.any():
        return clip
    roots, slides, rotations = (np.array(part) for part in (clip.root_positions, clip.slides, clip.rotations_wxyz))
    joints = np.arange(clip.skeleton.n_joints)
    for first, last in intervals_of(held):
        bad = np.arange(first, last + 1)
        move_evenly(roots, bad)
        move_evenly(slides, bad)
        turn_evenly(rotations, bad, joints)
    return replace(clip, root_positions=roots, slides=slides, rotations_wxyz=rotations)


def turn_evenly(
    rotations: Float[np.ndarray, "frames joints 4"], bad: Int[np.ndarray, " bad"], joints: Int[np.ndarray, " members"]
) -> None:
    """Turn joints evenly from the good frame before the bad ones to the one after; held at an end.

    Parameters
    ----------
    rotations
        Changed in place.
    bad
        Frames in a row.
    joints
        Those that are turned.
    """
    before, after = _good_frames(bad, len(rotations))
    start, goal = (np.broadcast_to(rotations[good, joints], (len(bad), len(joints), 4)) for good in (before, after))
    shares = (bad - before) / (after - before) if after > before else np.zeros(len(bad))
    rotations[np.ix_(bad, joints)] = quaternions.slerp(start, goal, shares[:, None])


def move_evenly(places: Float[np.ndarray, " frames *rest"], bad: Int[np.ndarray, " bad"]) -> None:
    """Move straight on over the bad frames, from the good frame before to the one after; held at an end.

    Parameters
    ----------
    places
        Changed in place.
    bad
        Frames in a row.
    """
    before, after = _good_frames(bad, len(places))
    shares = (bad - before) / max(after - before, 1)
    places[bad] = places[before] + np.multiply.outer(shares, places[after] - places[before])


def _good_frames(bad: Int[np.ndarray, " bad"], n_frames: int) -> tuple[int, int]:
    """The frames before and after a bad stretch; the only one there is, twice, at an end of the clip."""
    before, after = int(bad[0]) - 1, int(bad[-1]) + 1
    return (before if before >= 0 else after), (after if after < n_frames else before)
