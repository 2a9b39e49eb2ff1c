"""Cycles for the ends of a transition, borrowed, stood or without drift, and foot plants trimmed to where feet rest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from jaxtyping import Bool

from mocapella.analysis.closing.cyclify import cyclify
from mocapella.analysis.closing.displacement import cut_dofs, neighbour_dofs
from mocapella.analysis.plants.tracks import foot_places
from mocapella.arrays import owned
from mocapella.geometry import quaternions
from mocapella.geometry.angles import TURN
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS, Arc, Contacts, Interval, round_cycle
from mocapella.motion.cycle import Cycle, Decision, in_layout
from mocapella.motion.layout import layout_of
from mocapella.rig.legs import leg_length, leg_roles

MOST_BENT = np.radians(40.0)  # of any joint: bent further, the motion would no longer be recognisable


def borrow_cycle(cycle: Cycle, nearest: int, clip: Clip, frame: int, layout: str) -> Cycle:
    """A cycle of another motion, begun at its frame ``nearest`` and bent to meet the pose of a clip there.

    The displacement fades over half a cycle to either side, as a single wave: it adds no harmonic but the first, and
    velocities where the two meet stay. No joint is bent by more than ``MOST_BENT``; what is missing then is left to the
    moment at which one is played after the other. Rates of travel and turn are the cycle's.
    """
    turned = replace(in_layout(cycle, layout).starting_at(TURN * nearest / cycle.n_frames), offset=0.0)
    goal = neighbour_dofs(clip[frame : frame + 1], turned.layout)[0]
    goal[-3:] = turned.dofs[0, -3:]
    rotations, goal_rotations = (turned.layout.rotations(row) for row in (turned.dofs[0], goal))
    halves = quaternions.log(
        quaternions.shortest(quaternions.multiply(quaternions.conjugate(rotations), goal_rotations))
    )
    angles = 2.0 * np.linalg.norm(halves, axis=-1)
    within = np.minimum(1.0, MOST_BENT / np.maximum(angles, 1e-9))
    reached = quaternions.multiply(rotations, quaternions.exp(within[:, None] * halves))
    goal = turned.layout.dofs(reached[None], goal[None, -4:])[0]
    gap = turned.layout.displacement(turned.dofs[0], goal)
    bent = turned.layout.displaced(turned.dofs, (0.5 + 0.5 * np.cos(turned.phases))[:, None] * gap)
    degrees, missing = (float(np.degrees(bends.max())) for bends in (within * angles, (1.0 - within) * angles))
    text = f"a cycle of {cycle.name!r}, bent by up to {degrees:.0f}° to meet row {clip.first_row + frame}"
    if missing > 0.0:
        text += f"; up to {missing:.0f}° are missing"
    return replace(turned, dofs=owned(bent)).decided("borrow", text, bent_deg=degrees, missing_deg=missing)


_SHORTEST_LOOP = 2.0  # seconds; less than that, repeated from the start, looks like a twitch
_BREATH = 4.0  # seconds in which a shorter stretch is played there and back
_SWAY = 0.02  # metres: how far any joint goes in a breath of standing, at most


def idle_cycle(clip: Clip, frames: tuple[int, int], *, at_end: bool, layout: str, contacts: Contacts) -> Cycle:
    """A stretch of standing, from the first to the last of two frames, as a cycle.

    ``at_end``: the last frame stays as captured and is where the change begins; otherwise the first one, where it ends.
    A stretch of two seconds or more is closed by moving its other end. A shorter one contains the end of a movement, or
    the start of one, which would look like a twitch if it were repeated: it is played forwards and backwards in the
    time of a breath, from the frame that stays, with an amplitude no larger than the sway of standing people.
    """
    first, last = frames
    if last - first >= _SHORTEST_LOOP * clip.frame_rate:
        return cyclify(clip, frames, method="start_moved" if at_end else "end_moved", layout=layout, contacts=contacts)
    return _there_and_back(clip, frames, at_end, layout, contacts)


def _there_and_back(clip: Clip, frames: tuple[int, int], at_end: bool, kind: str, contacts: Contacts) -> Cycle:
    first, last = frames
    order = slice(None, None, -1) if at_end else slice(None)
    layout = layout_of(kind, clip.skeleton)
    stretch = clip[first : last + 1]
    there = cut_dofs(stretch, layout)[order]
    there[:, -3:] = 0.0  # to and fro, without travel
    away = (stretch.positions - stretch.positions[:, :1])[order]  # joints seen from the root, in the world's axes
    furthest = float(np.linalg.norm(away - away[0], axis=-1).max())
    share = min(1.0, _SWAY / furthest) if furthest > 0.0 else 1.0
    swings = layout.displacement(np.broadcast_to(there[0], there.shape), there)
    n = max(round(_BREATH * clip.frame_rate), 3)
    # Where in the stretch each frame is: slow at both ends.
    along = 0.5 * (last - first) * (1.0 - np.cos(TURN * np.arange(n) / n))
    rows = np.arange(last - first + 1)
    swing = np.stack([np.interp(along, rows, column) for column in swings.T], axis=1)
    nearest = np.rint(along).astype(np.intp)
    masks = {point: contacts.planted(point)[first : last + 1][order][nearest] for point in FOOT_POINTS}
    join = clip.first_row + (last if at_end else first)
    cycle = Cycle(
        layout=layout,
        dofs=owned(layout.displaced(np.repeat(there[:1], n, axis=0), share * swing)),
        frame_rate=clip.frame_rate,
        contacts=round_cycle(Contacts.from_masks({name: np.append(mask, mask[0]) for name, mask in masks.items()})),
        name=clip.name,
        source=clip.source,
        start_row=join,
    )
    text = (
        f"rows {clip.first_row + first} to {clip.first_row + last} of {clip.name!r}, played there and back in "
        f"{_BREATH:g} s, {100 * share:.0f} % of the way"
    )
    return cycle.decided("select", text, start=first + clip.first_row, frames=cycle.n_frames, share=share)


_BESIDE = 3  # frames to either side over which a velocity is measured


def remove_drift(clip: Clip, frames: tuple[int, int], *, at_end: bool) -> Clip:
    """The frames of a clip, both included, without the net change of root velocity, so that they repeat without a jerk.

    What the root gains in its own heading is taken off evenly. With ``at_end`` the last frame keeps its captured
    velocity, otherwise the first does. Poses stay as they are.
    """
    first, last = frames
    path, yaws = clip.ground_path, clip.headings

    def velocity(frame: int) -> complex:
        start, end = max(frame - _BESIDE, 0), min(frame + _BESIDE, clip.n_frames - 1)
        return complex((path[end] - path[start]) / (end - start) * np.exp(-1j * yaws[frame]))

    gained = velocity(last) - velocity(first)
    between = np.exp(0.5j * (yaws[first:last] + yaws[first + 1 : last + 1]))
    progress = (np.arange(last - first) + 0.5) / (last - first) - float(at_end)
    steps = np.diff(path[first : last + 1]) - gained * progress * between
    steady = np.concatenate([[0.0], np.cumsum(steps)]) + path[first]
    cut = clip[first : last + 1]
    places = np.stack([steady.imag, cut.root_positions[:, 1], steady.real], axis=1)
    return replace(cut, root_positions=owned(places))


# Plants are told from swings by the ground that a point covers, so a heel that comes straight down counts as planted
# while it falls. Held from there on it would stop dead.
FALLING, RISING = 0.5, 0.3  # legs per second at which a point does not rest; an adult's leg is some 0.9 m
_SETTLING = 0.06  # seconds in which a foot that has come down may bounce: slow for as long, it rests


def trim_contacts(clip: Clip, contacts: Contacts) -> tuple[Contacts, tuple[Decision, ...]]:
    """The plants of a clip without the frames at their ends in which the foot falls or rises, and a note of it.

    Frames are left out from either end, up to where the point rests for a moment; the middle frame always stays.
    """
    quick = _quick(clip)

    def resting(i: int, plant: Interval) -> Interval:
        first, last = plant
        before, after = _ends(quick[first : last + 1, i], _patience(clip))
        return first + before, last - after

    spans = {name: tuple(resting(i, plant) for plant in contacts.point(name)) for i, name in enumerate(FOOT_POINTS)}
    trimmed = Contacts(contacts.n_frames, **spans)
    fewer = sum(int(contacts.planted(name).sum() - trimmed.planted(name).sum()) for name in FOOT_POINTS)
    if fewer == 0:
        return contacts, ()
    text = f"{fewer} frames at the ends of foot plants were left out, in which feet still fall or rise already"
    return trimmed, (Decision("landing", text, {"frames": float(fewer)}),)


def trim_cycle_contacts(cycle: Cycle) -> Cycle:
    """The cycle with its plants trimmed as ``trim_contacts`` does it."""
    if cycle.contacts is None:
        return cycle
    n, rounds = cycle.n_frames, cycle.to_clip(3)
    quick = np.tile(_quick(rounds)[n : 2 * n], (3, 1))  # the middle round, whose ends are known
    per_frame, patience = TURN / n, _patience(rounds)

    def resting(i: int, arc: Arc) -> Arc:
        start, length = arc
        first = int(np.ceil(start / per_frame - 1e-9))
        after_last = int(np.floor((start + length) / per_frame + 1e-9)) + 1
        if length >= TURN or after_last - first < 3:
            return arc
        before, after = _ends(quick[first:after_last, i], patience)
        return start + before * per_frame, length - (before + after) * per_frame

    arcs = {name: tuple(resting(i, a) for a in cycle.contacts.point(name)) for i, name in enumerate(FOOT_POINTS)}
    return replace(cycle, contacts=replace(cycle.contacts, **arcs))


def _patience(clip: Clip) -> int:
    """Slow frames after which a point rests."""
    return max(1, round(_SETTLING * clip.frame_rate))


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
