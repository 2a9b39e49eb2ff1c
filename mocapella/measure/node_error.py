"""What truncation costs: how far joints of a cycle are from where its first harmonics put them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from mocapella.analysis.fourier import analyse, synthesise
from mocapella.motion.cycle import Cycle
from mocapella.motion.kinematics import forward


def node_errors(cycle: Cycle, harmonics: Sequence[int]) -> Float[np.ndarray, " counts"]:
    """Mean distance of all joints over a cycle, root on root, by number of harmonics; metres (thesis, table 5.3)."""
    own = _places(cycle)
    made = (synthesise(analyse(cycle, count), cycle.n_frames) for count in harmonics)
    return np.array([np.linalg.norm(_places(one) - own, axis=-1).mean() for one in made])


def _places(cycle: Cycle) -> Float[np.ndarray, "frames joints 3"]:
    return forward(cycle.skeleton, np.zeros((cycle.n_frames, 3)), cycle.rotations_wxyz)[0]
