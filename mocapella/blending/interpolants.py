"""Other weights than those of the triangle a point lies in: smoother across borders, for the same call."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Float

Weighing = Callable[[Sequence[float]], Float[np.ndarray, " nodes"]]  # a point's weights for all nodes, sum 1
Interpolant = Callable[[Float[np.ndarray, "nodes axes"]], Weighing]  # made once, for where the nodes lie
