"""A guess corrected by what it is measured at."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

Place = Float[np.ndarray, " axes"]
Numbers = Float[np.ndarray, " numbers"]


def corrected(
    start: Place,
    measure: Callable[[Place], tuple[Place, Numbers]],
    onward: Callable[[Place, Numbers], Place],
    goal: Numbers,
    *,
    rounds: int,
    exact: float,
) -> tuple[Place, Numbers]:
    """The best place of a search that corrects each place by how far its numbers miss.

    ``measure`` gives the place that is really taken for a requested one, such as the nearest inside of a network, and
    its numbers; ``onward`` the next place, from a place and its miss. It measures at most ``rounds`` times; a miss of
    ``exact`` needs no further correction.
    """
    point = start
    best, best_off, best_numbers = point, np.inf, np.full_like(goal, np.nan)
    for _ in range(rounds):
        place, numbers = measure(point)
        off = goal - numbers
        size = float(np.linalg.norm(off))
        if size < best_off:
            best, best_off, best_numbers = place, size, numbers
        if size < exact:
            break
        point = onward(place, off)
    return best, best_numbers
