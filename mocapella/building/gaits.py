"""Walks and runs, told apart by their flights: for kinds of motion that are not mixed, and for names by place."""

from __future__ import annotations

from collections.abc import Collection
from itertools import count
from pathlib import Path

import numpy as np

from mocapella.building.level_ground import side_of
from mocapella.geometry.angles import TURN
from mocapella.motion.contacts import FOOT_POINTS
from mocapella.motion.cycle import Cycle
from mocapella.motion.spectrum import Spectrum
from mocapella.motion.travel import STANDING, STRAIGHT

FLIGHT = 0.15  # of a cycle without a foot on the ground, from which on it is a run
_PHASES = 200  # of a spectrum, at which its flight is measured


def flight_of(motion: Cycle | Spectrum) -> float:
    """The share of a cycle without a foot on the ground, 0 … 1; 0 where contacts are not known."""
    contacts = motion.contacts
    if contacts is None:
        return 0.0
    phases = motion.phases if isinstance(motion, Cycle) else np.linspace(0.0, TURN, _PHASES, endpoint=False)
    down = np.any([contacts.planted(point, phases) for point in FOOT_POINTS], axis=0)
    return float(np.mean(~down))


def gait_of(motion: Cycle | Spectrum) -> str:
    """``"run"`` for a motion with long flights, else ``"walk"``; ``"motion"`` where contacts are not known."""
    if motion.contacts is None:
        return "motion"
    return "run" if flight_of(motion) > FLIGHT else "walk"


def folder_of(cycle: Cycle) -> str:
    """Where takes of one motion come from: the folder of the file, and whether it was captured uphill or downhill."""
    return str(Path(cycle.source).parent / side_of(cycle))


def kind_of(cycle: Cycle) -> str:
    """The default kind of a motion, with which it is smoothed: its folder and its gait."""
    return str(Path(folder_of(cycle)) / gait_of(cycle))


def name_by_place(motion: Spectrum, turn: float, speed: float, taken: Collection[str] = ()) -> str:
    """The name of a motion that was not captured: ``"walk 1.1 m/s, left 20°"``, and ``… (2)`` where that is taken.

    ``turn`` is in degrees per second, left positive, and ``speed`` in m/s.
    """
    way = "" if abs(turn) < STRAIGHT else f", {'left' if turn > 0.0 else 'right'} {abs(turn):.0f}°"
    name = f"{gait_of(motion)} {speed:.1f} m/s{way}" if speed >= STANDING else f"on the spot{way}"
    others = (f"{name} ({number})" for number in count(2))
    return name if name not in taken else next(other for other in others if other not in taken)
