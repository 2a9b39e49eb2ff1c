"""Foot plants without the ends in which a foot still falls, or rises already.

What tells plants from swings looks at the ground that a point covers, so a heel that comes straight down counts as
planted while it falls. Held from there on it would stop dead.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from jaxtyping import Bool

from mocapella.analysis.feet import foot_places, leg_length, leg_roles
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS, TURN, Arc, Contacts, Interval
from mocapella.motion.cycle import Cycle, Decision

FALLING, RISING = 0.5, 0.3  # legs per second at which a point does not rest; an adult's leg is some 0.9 m


def landed(clip: Clip, contacts: Contacts) -> tuple[Contacts, tuple[Decision, ...]]:
    """The plants of a clip from where each point has come down to where it rises, and how much was left out.

    The middle frame of every plant stays.
    """
    quick = _quick(clip)

    def kept(i: int, plant: Interval) -> Interval:
        first, last = plant
        before, after = _ends(quick[first : last + 1, i])
        return first + before, last - after

    spans = {name: tuple(kept(i, plant) for plant in contacts.point(name)) for i, name in enumerate(FOOT_POINTS)}
    found = Contacts(contacts.n_frames, **spans)
    fewer = sum(int(contacts.planted(name).sum() - found.planted(name).sum()) for name in FOOT_POINTS)
    if fewer == 0:
        return contacts, ()
    text = f"{fewer} frames at the ends of foot plants were left out, in which feet still fall or rise already"
    return found, (Decision("landing", text, {"frames": float(fewer)}),)


def landed_round(cycle: Cycle) -> Cycle:
    """The cycle with such plants."""
    if cycle.contacts is None:
        return cycle
    n = cycle.n_frames
    middle = _quick(cycle.to_clip(3))[n : 2 * n]  # of three rounds it has no ends to know badly
    quick = np.concatenate([middle, middle, middle])
    per_frame = TURN / n

    def kept(i: int, arc: Arc) -> Arc:
        start, length = arc
        first = int(np.ceil(start / per_frame - 1e-9))
        after_last = int(np.floor((start + length) / per_frame + 1e-9)) + 1
        if length >= TURN or after_last - first < 3:
            return arc
        before, after = _ends(quick[first:after_last, i])
        return start + before * per_frame, length - (before + after) * per_frame

    arcs = {name: tuple(kept(i, a) for a in cycle.contacts.point(name)) for i, name in enumerate(FOOT_POINTS)}
    return replace(cycle, contacts=replace(cycle.contacts, **arcs))


def _quick(clip: Clip) -> Bool[np.ndarray, "frames 4"]:
    """Frame by frame, whether a foot point goes up or down too quickly to rest."""
    roles = leg_roles(clip.skeleton)
    leg = leg_length(clip.skeleton, roles)
    rates = np.gradient(foot_places(clip, roles)[..., 1], axis=0) * clip.frame_rate
    return np.asarray((rates > RISING * leg) | (rates < -FALLING * leg))


def _ends(quick: Bool[np.ndarray, " frames"]) -> tuple[int, int]:
    """How many frames come before the last quick one of the first half, with it, and after the first of the second."""
    middle = len(quick) // 2
    early, late = np.flatnonzero(quick[:middle]), np.flatnonzero(quick[middle + 1 :])
    return int(early[-1]) + 1 if early.size else 0, len(quick) - middle - 1 - int(late[0]) if late.size else 0
