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


def joint_error(cycle: Cycle, other: Cycle) -> float:
    """Mean distance of joints but for hands over a cycle, relative to the root, in step, in metres."""
    return mean_distance(joint_places(cycle), joint_places(synchronised_to(other, [cycle])))


def mean_distance(places: Float[np.ndarray, "frames joints 3"], others: Float[np.ndarray, "frames joints 3"]) -> float:
    """Mean distance in metres of joints at the same moments, of ``joint_places`` of two cycles that are in step."""
    return float(np.linalg.norm(places - others, axis=-1).mean())


def joint_places(cycle: Cycle) -> Float[np.ndarray, "frames joints 3"]:
    """Where joints are over a cycle, seen from a root that stays in place with its tilt; hands are left out."""
    played, skeleton = synthesise(analyse(cycle), _FRAMES), cycle.skeleton
    joints = [j for j, name in enumerate(skeleton.names) if not any(word in name.lower() for word in _SMALL)]
    return kinematics.forward(skeleton, np.zeros((_FRAMES, 3)), played.rotations_wxyz)[0][:, joints]
