"""From 0 to 1 without a corner at either end."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

Share = TypeVar("Share", float, np.ndarray)


def smooth(share: Share) -> Share:
    """The gentlest cubic: 0 at 0, 1 at 1, level at both; shares beyond them are for the caller to cut off.

    Examples
    --------
    >>> smooth(0.25), smooth(np.array([0.0, 0.5, 1.0])).tolist()
    (0.15625, [0.0, 0.5, 1.0])
    """
    eased: Share = share * share * (3.0 - 2.0 * share)
    return eased
