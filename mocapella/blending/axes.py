"""What the two coordinates of a network tell of its motions.

A point of a network that is laid out by turn and speed is a wish that can be said aloud: 20 degrees a second to the
left at 1.3 m/s. Motions that all go straight still differ in two things: how fast they go, and how far a stride takes
them. People do several things at one speed, short quick steps or long slow ones, and a blend of both is neither.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from jaxtyping import Float

from mocapella.errors import MotionWarning
from mocapella.motion.cycle import Cycle
from mocapella.motion.spectrum import Spectrum

Places = Float[np.ndarray, "motions 2"]

STRAIGHT = 8.0  # degrees per second: who turns less walks straight, with the sway that walking has
STANDING = 0.1  # m/s: who goes slower, and straight, stands


@dataclass(frozen=True)
class Axes:
    """Two things that are measured of every motion, and say where it lies."""

    name: str  # in words
    measure: Callable[[Cycle | Spectrum], tuple[float, float]]
    least: tuple[float, float]  # spread: takes of one thing do not become a network by being looked at closely
    titles: tuple[str, str]  # with units, as they stand beside a picture
    turns: bool  # whether one of them is the turn, so that motions may do so

    def scaled(self, places: Places) -> Places:
        """The places with both axes counted by their spread, so that unlike units can be compared."""
        return np.asarray(places / np.maximum(np.ptp(places, axis=0), self.least))


def turn_and_speed(motion: Cycle | Spectrum) -> tuple[float, float]:
    """How fast a motion turns (degrees per second, left positive) and goes (m/s)."""
    return math.degrees(motion.turn / motion.duration), motion.speed


def stride_and_speed(motion: Cycle | Spectrum) -> tuple[float, float]:
    """How far a motion goes in a cycle, which is two steps (metres), and how fast (m/s)."""
    return motion.speed * motion.duration, motion.speed


TURN_AND_SPEED = Axes(
    "turn and speed",
    turn_and_speed,
    least=(60.0, 0.5),
    titles=("turn, degrees per second (left positive, drawn to the left)", "speed, m/s"),
    turns=True,
)
STRIDE_AND_SPEED = Axes(
    "stride and speed",
    stride_and_speed,
    least=(0.5, 0.5),
    titles=("stride, metres a cycle", "speed, m/s"),
    turns=False,
)
AXES: Mapping[str, Axes] = MappingProxyType({"turn-speed": TURN_AND_SPEED, "stride-speed": STRIDE_AND_SPEED})


def straight(motion: Cycle | Spectrum) -> bool:
    """Whether a motion turns no more than walking sways."""
    return abs(turn_and_speed(motion)[0]) < STRAIGHT


def warn_of_turns(motions: Mapping[str, Cycle | Spectrum], axes: Axes) -> None:
    """Name the motions that turn, where nothing in their places tells that they do."""
    turning = [] if axes.turns else [name for name, motion in motions.items() if not straight(motion)]
    if turning:
        text = f"places by {axes.name} do not tell that these turn, so blends turn by chance: {', '.join(turning)}"
        warnings.warn(text, MotionWarning, stacklevel=4)


def stands(motion: Cycle | Spectrum) -> bool:
    """Whether a motion goes nowhere: it has no place by its travel, and no steps that others could be in step with."""
    return motion.speed < STANDING and straight(motion)
