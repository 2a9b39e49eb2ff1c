"""How far two motions are apart: the mean distance of their joints."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from mocapella.analysis.fourier import analyse, synthesise
from mocapella.analysis.synchronise import synchronised_to
from mocapella.motion import kinematics
from mocapella.motion.cycle import Cycle

_FRAMES = 60  # in which two cycles are compared
_SMALL = ("hand", "finger", "thumb")  # joints of which captures tell little


def joint_error(one: Cycle, other: Cycle) -> float:
    """Mean distance of joints but for hands over a cycle, relative to the root, in step, in metres."""
    return mean_distance(joint_places(one), joint_places(synchronised_to(other, [one])))


def mean_distance(one: Float[np.ndarray, "frames joints 3"], other: Float[np.ndarray, "frames joints 3"]) -> float:
    """Mean distance of joints at the same moments, in metres.

    ``one`` and ``other`` are as ``joint_places`` gives them, of cycles that are in step.
    """
    return float(np.linalg.norm(one - other, axis=-1).mean())


def joint_places(cycle: Cycle) -> Float[np.ndarray, "frames joints 3"]:
    """Where joints are over a cycle, seen from a root that stays in place with its tilt; hands are left out."""
    made, skeleton = synthesise(analyse(cycle), _FRAMES), cycle.skeleton
    joints = [j for j, name in enumerate(skeleton.names) if not any(word in name.lower() for word in _SMALL)]
    return kinematics.forward(skeleton, np.zeros((_FRAMES, 3)), made.rotations_wxyz)[0][:, joints]
