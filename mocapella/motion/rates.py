"""How fast a motion turns and goes, and whether it stands or goes straight."""

from __future__ import annotations

import math

from mocapella.motion.cycle import Cycle
from mocapella.motion.spectrum import Spectrum

STRAIGHT = 8.0  # degrees per second: who turns less walks straight, with the sway that walking has
STANDING = 0.1  # m/s: who goes slower, and straight, stands


def turn_and_speed(motion: Cycle | Spectrum) -> tuple[float, float]:
    """How fast a motion turns (degrees per second, left positive) and goes (m/s)."""
    return math.degrees(motion.turn / motion.duration), motion.speed


def straight(motion: Cycle | Spectrum) -> bool:
    """Whether a motion turns no more than walking sways."""
    return abs(turn_and_speed(motion)[0]) < STRAIGHT


def stands(motion: Cycle | Spectrum) -> bool:
    """Whether a motion goes nowhere: it has no place by its travel, and no steps that others could be in step with."""
    return motion.speed < STANDING and straight(motion)
