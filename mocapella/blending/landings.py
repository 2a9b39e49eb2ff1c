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
SETTLING = 0.06  # seconds in which a foot that has come down may bounce: slow for as long, it rests


def landed(clip: Clip, contacts: Contacts) -> tuple[Contacts, tuple[Decision, ...]]:
    """The plants of a clip from where each point has come down to where it rises, and how much was left out.

    Frames are left out from either end on, up to where the point rests for a moment. Of what it does later nothing is
    left out, and the middle frame of every plant stays.
    """
    quick = _quick(clip)

    def kept(i: int, plant: Interval) -> Interval:
        first, last = plant
        before, after = _ends(quick[first : last + 1, i], _patience(clip))
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
    n, rounds = cycle.n_frames, cycle.to_clip(3)
    middle, patience = _quick(rounds)[n : 2 * n], _patience(rounds)  # of three rounds it has no ends to know badly
    quick = np.concatenate([middle, middle, middle])
    per_frame = TURN / n

    def kept(i: int, arc: Arc) -> Arc:
        start, length = arc
        first = int(np.ceil(start / per_frame - 1e-9))
        after_last = int(np.floor((start + length) / per_frame + 1e-9)) + 1
        if length >= TURN or after_last - first < 3:
            return arc
        before, after = _ends(quick[first:after_last, i], patience)
        return start + before * per_frame, length - (before + after) * per_frame

    arcs = {name: tuple(kept(i, a) for a in cycle.contacts.point(name)) for i, name in enumerate(FOOT_POINTS)}
    return replace(cycle, contacts=replace(cycle.contacts, **arcs))


def _patience(clip: Clip) -> int:
    """Slow frames after which a point rests."""
    return max(1, round(SETTLING * clip.frame_rate))


def _quick(clip: Clip) -> Bool[np.ndarray, "frames 4"]:
    """Frame by frame, whether a foot point goes up or down too quickly to rest."""
    roles = leg_roles(clip.skeleton)
    leg = leg_length(clip.skeleton, roles)
    rates = np.gradient(foot_places(clip, roles)[..., 1], axis=0) * clip.frame_rate
    return np.asarray((rates > RISING * leg) | (rates < -FALLING * leg))


def _ends(quick: Bool[np.ndarray, " frames"], patience: int) -> tuple[int, int]:
    """How many frames at either end of a plant are quick, up to the middle one; so many slow ones end them."""
    middle = len(quick) // 2
    return _until_rest(quick[:middle], patience), _until_rest(quick[:middle:-1], patience)


def _until_rest(quick: Bool[np.ndarray, " frames"], patience: int) -> int:
    """How many frames there are up to the last quick one before it rests: what comes later is a flicker."""
    falling = np.flatnonzero(quick)
    gaps = np.diff(falling, prepend=-1) - 1
    resting = np.flatnonzero(gaps >= patience)
    moving = falling[: resting[0]] if resting.size else falling
    return int(moving[-1]) + 1 if moving.size else 0
