"""SyncMirror: a gait mirrored and begun half a cycle later, so that it is in phase with the one it was made of.

A mirrored walk starts on the other foot: left and right are exchanged in time as well as in space, and a blend with the
original is no walk. Two cycles in a row, mirrored, hold one that starts with the same foot; it is cut out at that key
event. A captured gait is not quite even, so that the other key events (feet set down and lifted) would still be some
frames off. Time is warped through them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar, cast

import numpy as np
from jaxtyping import Float
from scipy.interpolate import PchipInterpolator

from mocapella.analysis.examined import examine
from mocapella.analysis.fourier import analyse, resampled
from mocapella.analysis.prepare import prepare, turning_of
from mocapella.analysis.synchronise import synchronised_to
from mocapella.arrays import owned
from mocapella.geometry.angles import TURN, wrap
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET, FOOT_POINTS, CycleContacts
from mocapella.motion.cycle import Cycle
from mocapella.motion.layout import AHEAD, HEIGHT, LEFT, YAW_RATE
from mocapella.motion.travel import path_of_rates, rates_of_path, repeated_path
from mocapella.rig.symmetry import mirrored
from mocapella.stages import refuse_other_stage

_Motion = TypeVar("_Motion", Clip, Cycle)
_Phases = Float[np.ndarray, " some"]

_FINE = 8  # samples a frame of the path that is read between frames
_WARP = 2.0  # how many times as fast time may run where it is warped


def sync_mirror(motion: _Motion) -> _Motion:
    """A gait with left and right exchanged that is in phase with the original: the same foot steps at the same time.

    ``motion`` is a cycle, or a clip that has one; in a clip that turns, the turning cycle is taken. The result has as
    many frames and turns as much to the other side, at the same speed. For a clip it consists of rounds of the cycle,
    from where the clip begins. Feet land and lift within a frame of the original's. Raises ``MotionError`` where the
    clip has no cycle, ``SkeletonError`` where left and right are not built alike.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> cycle = prepare(perform("walk", speed=1.2, turn=-0.6)[0])
    >>> bool(np.isclose(sync_mirror(cycle).turn, -cycle.turn))
    True
    """
    given: Clip | Cycle = motion
    if not isinstance(given, Cycle):
        refuse_other_stage(given, "Clip")
    cycle = given if isinstance(given, Cycle) else prepare(examine(given), turning=turning_of(given))
    image = _sync_mirrored(cycle)
    return cast(_Motion, image if isinstance(given, Cycle) else _in_time(image, cycle, given.captured))


def _in_time(image: Cycle, cycle: Cycle, clip: Clip) -> Clip:
    """Rounds of a cycle in the time of the clip in which another, in phase with it, was found; as many frames."""
    before = cycle.start_row - clip.first_row  # frames of the clip before the cycle
    begun = image.starting_at(-TURN * before / cycle.n_frames)
    x, _, z = clip.root_positions[0].tolist()
    rounds = begun.to_clip(-(-clip.n_frames // cycle.n_frames), position=(x, z), heading=float(clip.headings[0]))
    return replace(rounds[: clip.n_frames], name=clip.name, source=clip.source)


def _sync_mirrored(cycle: Cycle) -> Cycle:
    """The cycle mirrored and in phase."""
    image = mirrored(cycle)
    labels, goal = _key_events(cycle.contacts)
    image_labels, source = _key_events(image.contacts)
    if len(labels) < 2 or set(labels) != set(image_labels) or len(labels) != len(image_labels):
        cut = synchronised_to(image, [cycle])  # no steps to go by
        return cut.decided("sync_mirror", "left and right were exchanged, in step by its harmonics")
    place = image_labels.index(labels[0])
    image_labels, source = [*image_labels[place:], *image_labels[:place]], np.roll(source, -place)
    source = source[0] + (source - source[0]) % TURN
    times = np.arange(cycle.n_frames + 1) * TURN / cycle.n_frames
    shift, steps = float(source[0] - goal[0]), _stretching(source, goal)
    if image_labels != labels or steps.max() > _WARP or steps.min() < 1.0 / _WARP:
        at = times + shift  # steps so unlike that a warp would be seen
        warped, off = False, float(np.abs(wrap(source - goal - shift)).max())
    else:
        at, warped, off = _warp(goal, source)(times), True, 0.0
    frames = cycle.n_frames / TURN
    synced = _read(image, cycle, at)
    words = "mirrored, cut at the key event in phase" + (" and warped through the others" if warped else "")
    return synced.decided("sync_mirror", words, shift=shift * frames, off=off * frames, warped=float(warped))


def _key_events(contacts: CycleContacts | None) -> tuple[list[str], _Phases]:
    """Labels and phases of all times at which a foot is set down or lifted, in order."""
    if contacts is None:
        return [], np.zeros(0)
    events = []
    for side in FEET:
        for start, length in contacts.foot(side):
            events += [(f"{side} down", start % TURN), (f"{side} up", (start + length) % TURN)]
    events.sort(key=lambda event: event[1])
    return [label for label, _ in events], np.array([phase for _, phase in events])


def _stretching(source: _Phases, goal: _Phases) -> _Phases:
    """How fast time runs between key events."""
    closed = [np.append(phases, phases[0] + TURN) for phases in (source, goal)]
    return np.asarray(np.diff(closed[0]) / np.maximum(np.diff(closed[1]), 1e-9))


def _warp(goal: _Phases, source: _Phases) -> PchipInterpolator:
    """The phase of the source for each phase of the goal, rising smoothly through the key events, round by round."""
    rounds = TURN * np.arange(-2, 4)[:, None]
    return PchipInterpolator((goal + rounds).ravel(), (source + rounds).ravel())


def _read(image: Cycle, like: Cycle, at: _Phases) -> Cycle:
    """One round of a cycle read at given phases, the last of which closes it; its path is kept as it is."""
    dofs = analyse(image).at(at[:-1])
    fine = resampled(image, _FINE * image.n_frames)
    places, yaws = path_of_rates(fine.dofs[:, AHEAD] + 1j * fine.dofs[:, LEFT], fine.dofs[:, YAW_RATE], fine.frame_rate)
    first = int(np.floor(at[0] / TURN))
    places, yaws = repeated_path(places, yaws, 4)
    phases = TURN * np.arange(len(places)) / fine.n_frames
    read = at - TURN * first
    way = np.interp(read, phases, places.real) + 1j * np.interp(read, phases, places.imag)
    velocities, rates = rates_of_path(way, np.interp(read, phases, yaws), like.frame_rate)
    root = np.stack([dofs[:, HEIGHT], velocities.real, velocities.imag, rates], axis=1)
    layout = like.layout
    written = layout.dofs(layout.rotations(dofs), np.ascontiguousarray(root))
    dofs = layout.matched(written, like.dofs.mean(axis=0))
    return replace(image, dofs=owned(dofs), contacts=_contacts(image, at))


def _contacts(image: Cycle, at: _Phases) -> CycleContacts | None:
    """The foot plants of a cycle read at given phases."""
    if image.contacts is None:
        return None
    rounds = TURN * np.arange(-2, 3)
    phases = np.concatenate([at[:-1] + turns for turns in rounds])
    read = np.concatenate([TURN * np.arange(len(at) - 1) / (len(at) - 1) + turns for turns in rounds])

    def arcs(point: str) -> tuple[tuple[float, float], ...]:
        assert image.contacts is not None
        out = []
        for start, length in image.contacts.point(point):
            begin, end = np.interp([start, start + length], phases, read)
            out.append((float(begin), float(end - begin)))
        return tuple(out)

    return CycleContacts(**{point: arcs(point) for point in FOOT_POINTS})
