"""Which frames of a change can be repeated: a twirl that goes round once more."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float
from scipy.spatial.distance import cdist

from mocapella.analysis.root import headings
from mocapella.motion.clip import Clip

_ROUND = 2.0 * np.pi
_LEAST_TURN = 0.75 * _ROUND  # a change that turns less is no twirl
_TURN_SCALE = np.radians(90.0)  # a round missed by this much weighs as much as poses half as far apart as any two
_MOST_UNLIKE = 0.5  # of the two frames, where 1 is how far any two of the change are apart


def find_loop(
    clip: Clip, features: Float[np.ndarray, "frames features"], leave: int, arrive: int
) -> tuple[int, int] | None:
    """Two frames inside a change, one turn about the vertical apart, that look most alike; None where nothing turns so.

    After the second the first can follow, and the turn be made once more.
    """
    part = features[leave : arrive + 1]
    yaws = headings(clip)[leave : arrive + 1]
    if np.abs(yaws[:, None] - yaws).max() < _LEAST_TURN:
        return None
    apart = cdist(part, part)
    scale = float(np.sqrt(np.mean(apart**2)))
    turned = np.abs(yaws - yaws[:, None])
    cost = apart / scale + 0.5 * np.abs(turned - _ROUND) / _TURN_SCALE
    later = np.triu(turned >= _LEAST_TURN, k=1)
    cost = np.where(later & (apart <= _MOST_UNLIKE * scale), cost, np.inf)
    first, last = np.unravel_index(int(np.argmin(cost)), cost.shape)
    if not np.isfinite(cost[first, last]):
        return None
    return leave + int(first), leave + int(last)
