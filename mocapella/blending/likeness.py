"""How unlike two motions are that are in step: how far apart their joints are, all round the cycle."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from mocapella.blending.axes import turn_and_speed
from mocapella.errors import NetworkError
from mocapella.motion import kinematics
from mocapella.motion.layout import HEIGHT
from mocapella.motion.spectrum import Spectrum

_PHASES = 24
_AHEAD = 0.2  # seconds: two motions of unlike speed or turn are as far apart as they are after this time
_ARM = 0.5  # metres from the vertical axis, where a turn is felt


def unlikeness_of(first: Spectrum, second: Spectrum) -> float:
    """How far apart two motions in step are, metres: joints as the character sees them (rms), and travel."""
    joints = np.sqrt(np.mean(np.sum((_places(first) - _places(second)) ** 2, axis=-1)))
    (turn, speed), (other_turn, other_speed) = turn_and_speed(first), turn_and_speed(second)
    travel = np.hypot(speed - other_speed, _ARM * np.radians(turn - other_turn)) * _AHEAD
    return float(np.hypot(joints, travel))


def _places(motion: Spectrum) -> Float[np.ndarray, "phases joints 3"]:
    if motion.layout is None:
        raise NetworkError("these harmonics carry no layout, so nobody can say how a body would look")
    dofs = motion.at(2.0 * np.pi * np.arange(_PHASES) / _PHASES)
    roots = np.zeros((_PHASES, 3))
    roots[:, 1] = dofs[:, HEIGHT]
    return kinematics.forward(motion.layout.skeleton, roots, motion.layout.rotations(dofs))[0]
