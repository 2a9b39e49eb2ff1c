"""Walks whose steps are known, for the tests of editing."""

from __future__ import annotations

import itertools

import pytest

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.editing.stances import Stance
from mocapella.motion.contacts import FEET, FOOT_POINTS, Contacts
from mocapella.motion.cycle import Cycle


def known_contacts(clip, truth):
    """The plants that the actor planned."""
    return Contacts(clip.n_frames, **{name: tuple(map(tuple, truth.contacts[name].tolist())) for name in FOOT_POINTS})


def known_walk(**wishes):
    clip, truth = perform("walk", imperfections=CLEAN, **wishes)
    return clip, known_contacts(clip, truth)


@pytest.fixture(scope="session")
def walk():
    return known_walk(speed=1.3, cycles=4.3)


@pytest.fixture(scope="session")
def slow():
    return known_walk(speed=0.9, cycles=4.3)


@pytest.fixture(scope="session")
def sad():
    clip, contacts = known_walk(style="sad", cycles=4.3)
    return mo.average_stances(clip, contacts=contacts)


@pytest.fixture(scope="session")
def turning():
    return known_walk(speed=1.2, turn=0.6, cycles=5.3)


@pytest.fixture(scope="session")
def loop() -> tuple[mo.Clip, Contacts]:
    """Five rounds of one closed cycle: all steps of a foot are the same, frame for frame."""
    cycle: Cycle = mo.prepare(perform("walk", speed=1.3, imperfections=CLEAN)[0])
    clip, n = cycle.to_clip(rounds=5), cycle.n_frames
    strike, half = n // 5, n // 2
    plants = {"left_heel": strike, "right_heel": strike + half}
    return clip, Contacts(
        clip.n_frames,
        **{foot: tuple((k * n + at, k * n + at + half // 2) for k in range(5)) for foot, at in plants.items()},
    )


@pytest.fixture(scope="session")
def gait():
    """Stances of given lengths, feet taking turns; in those of given numbers someone stands."""

    def stances(*lengths, stands=(), usual=60.0):
        bounds = [0, *itertools.accumulate(lengths)]
        return tuple(
            Stance(FEET[i % 2], a, b - 1, float(a), float(b), usual, complete=True, pause=i in stands)
            for i, (a, b) in enumerate(itertools.pairwise(bounds))
        )

    return stances
