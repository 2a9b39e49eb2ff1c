"""Foot plants of a clip: by a test that is chosen by name, or learned from plants that are known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Bool

from mocapella.analysis.examined import Examined, PlantTest, examine
from mocapella.analysis.period import find_period
from mocapella.analysis.plants.gait_rules import check_plants, drop_enclosed, merge_near
from mocapella.analysis.plants.heuristics import displacement_plants, knee_plants, velocity_plants
from mocapella.analysis.plants.learned import by_neighbours, by_speed, cycle_prior
from mocapella.analysis.plants.tracks import SHORTEST_PLANT, FootTracks, resting
from mocapella.analysis.treadmill import examine_travelling
from mocapella.checks import explained, named
from mocapella.errors import MotionError
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS, Contacts, Interval
from mocapella.motion.report import Finding
from mocapella.rig.legs import leg_roles

_Learner = Callable[[Sequence[FootTracks], Sequence[np.ndarray]], PlantTest]
"""Makes a test from the foot tracks of sound stretches and the masks of what is sure there."""

Intervals = Mapping[str, Iterable[Interval]]


def _prior_plants(tracks: FootTracks) -> Bool[np.ndarray, "frames 4"]:
    """The default test, easier where the same phase of the other cycles rests and harder where it does not (FPL-09).

    A clip without a period, or of one cycle only, gets the default test as it is.
    """
    masks = resting(tracks)
    try:
        period = find_period(tracks.clip).frames
    except MotionError:
        return masks
    return resting(tracks, 0.5 + cycle_prior(masks, period))


PLANT_TESTS: dict[str, PlantTest] = {
    "resting": resting,
    "displacement": displacement_plants,
    "velocity": velocity_plants,
    "knees": knee_plants,
    "prior": _prior_plants,
}
"""Tests of foot plants by name: the default, those of the papers, and one that uses the other cycles."""

LEARNERS: dict[str, _Learner] = {"speed": by_speed, "neighbours": by_neighbours}
"""Ways to learn from marked plants, by name."""


@explained
def find_plants(
    clip: Clip | Examined,
    *,
    method: PlantTest | str | None = None,
    seeds: Intervals | Contacts | None = None,
    learn: _Learner | str = "speed",
    gait: bool = False,
    override: Intervals | Contacts | None = None,
) -> Contacts:
    """The foot plants of a clip: when left and right heel and toe rest on the ground.

    Frames in which the root is lost have no plants; what lies before and after is looked at on its own. Where nothing
    moves at all for some frames, the feet rest as in the first of them. Feet of a clip that walks in place, as on a
    treadmill, rest where they move with the belt.

    Parameters
    ----------
    clip
        The capture; or what was examined of it before, which is taken as it is, in place or not.
    method
        The test: ``"resting"``, ``"displacement"``, ``"velocity"``, ``"knees"`` or ``"prior"``, or a function from foot
        tracks to one mask per foot point. If None, ``"resting"``; and in steady stretches of a noisy gait the plants
        are those on which its repetitions agree.
    seeds
        Plants that are sure, point → intervals, or contacts of the clip; the test is then learned from them.
    learn
        What is learned from seeds: ``"speed"``, how slow a point is that rests, or ``"neighbours"``, which frames
        look like those; or a function.
    gait
        Join short plants in a row, and drop those that lie within one of the other foot: right for walks and runs.
    override
        Plants that replace what is found, point → intervals, exactly as given; contacts replace those of all points.

    Returns
    -------
    Contacts
        Intervals of frames for ``left_heel``, ``left_toe``, ``right_heel`` and ``right_toe``.

    Raises
    ------
    MotionError
        Where the legs of the skeleton are not known, there is no such method, or seeds and overrides are no intervals
        of the clip.

    Warns
    -----
    MotionWarning
        Where the clip walks in place.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> len(find_plants(perform("walk")[0], method="velocity").left_heel)
    4
    """
    examined = examine_travelling(clip)
    motion = examined.clip
    leg_roles(motion.skeleton)
    test = named(resting if method is None else method, PLANT_TESTS, "a test of foot plants")
    if method is not None and seeds is not None:
        raise MotionError("a method was given, and seeds to learn one from; give one of them")
    if seeds is not None:
        sure = _masks(seeds, motion.n_frames, "seeds")
        learner = named(learn, LEARNERS, "a way to learn from seeds")
        taught = learner([part.feet for part in examined.stretches], [sure[part] for part in examined.sound.stretches])
        contacts = examined.plants_by(taught, sure)
    else:
        contacts = examined.plants if method is None else examined.plants_by(test)
    if gait:
        contacts = drop_enclosed(merge_near(contacts, round(SHORTEST_PLANT * motion.frame_rate)))
    if override is not None:
        _masks(override, motion.n_frames, "override")
        given = {name: tuple(plants) for name, plants in _intervals(override).items()}
        contacts = replace(contacts, n_frames=motion.n_frames, **given)
    return contacts


def doubts(clip: Clip | Examined, contacts: Contacts) -> list[Finding]:
    """Findings about implausible plants of a clip, if it is a walk or a run; frames are the source's own rows.

    Frames that are not sound are not held against the plants.
    """
    examined = examine(clip)
    sound = np.zeros(examined.clip.n_frames, dtype=bool)
    for stretch in examined.sound.stretches:
        sound[stretch] = True
    return check_plants(contacts, sound=sound, first_row=examined.clip.first_row)


def _intervals(plants: Intervals | Contacts) -> Intervals:
    return {name: plants.point(name) for name in FOOT_POINTS} if isinstance(plants, Contacts) else plants


def _masks(plants: Intervals | Contacts, n_frames: int, what: str) -> Bool[np.ndarray, "frames 4"]:
    """One mask per foot point; refuses what is no foot point or does not lie in the clip."""
    if isinstance(plants, Contacts) and plants.n_frames != n_frames:
        raise MotionError(f"{what} of {plants.n_frames} frames do not belong to a clip of {n_frames}")
    intervals = _intervals(plants)
    unknown = [name for name in intervals if name not in FOOT_POINTS]
    if unknown:
        raise MotionError(f"{what} name {unknown[0]!r}; the foot points are {', '.join(FOOT_POINTS)}")
    contacts = Contacts(n_frames, **{name: tuple(given) for name, given in intervals.items()})
    return np.stack([contacts.planted(name) for name in FOOT_POINTS], axis=1)
