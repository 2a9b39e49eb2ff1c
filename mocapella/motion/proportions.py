"""How wide and deep the parts of a plain body are, ring by ring, in parts of a person's height."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

# The shape of a part, one row per ring: how far along it lies (0 at the first joint, 1 at the next, …), half its width,
# half its depth, both in parts of a person's height.
Rows = Sequence[tuple[float, float, float]]
LEG: Rows = [
    (0.00, 0.048, 0.050),
    (0.12, 0.049, 0.052),
    (0.32, 0.047, 0.051),
    (0.70, 0.038, 0.041),
    (0.92, 0.032, 0.035),
    (1.00, 0.031, 0.034),
    (1.08, 0.030, 0.033),
    (1.30, 0.033, 0.036),
    (1.62, 0.026, 0.028),
    (1.90, 0.020, 0.023),
    (2.00, 0.019, 0.021),
]
ARM: Rows = [
    (0.00, 0.031, 0.031),
    (0.14, 0.031, 0.032),
    (0.34, 0.029, 0.031),
    (0.70, 0.024, 0.025),
    (0.92, 0.022, 0.023),
    (1.00, 0.021, 0.022),
    (1.08, 0.021, 0.023),
    (1.28, 0.023, 0.025),
    (1.62, 0.019, 0.020),
    (1.96, 0.014, 0.016),
]
COLLAR: Rows = [(0.15, 0.026, 0.028), (0.60, 0.031, 0.032), (0.95, 0.031, 0.031)]
NECK: Rows = [(-0.20, 0.036, 0.034), (0.20, 0.032, 0.033), (0.90, 0.030, 0.032)]
HAND: Rows = [
    (-0.02, 0.013, 0.016),
    (0.22, 0.014, 0.022),
    (0.50, 0.013, 0.024),
    (0.80, 0.010, 0.020),
    (0.94, 0.007, 0.014),
]
# These two say where their tips lie, in a first and a last row of no width; the others are rounded off.
HEAD: Rows = [
    (0.00, 0.000, 0.000),
    (0.03, 0.018, 0.026),
    (0.14, 0.031, 0.041),
    (0.36, 0.040, 0.050),
    (0.60, 0.044, 0.055),
    (0.80, 0.039, 0.049),
    (0.94, 0.022, 0.029),
    (1.00, 0.000, 0.000),
]
PLAIN: Rows = [(0.0, 0.0, 0.0), (0.04, 0.6, 0.6), (0.18, 1.0, 1.0), (0.80, 0.7, 0.7), (0.96, 0.4, 0.4), (1.0, 0.0, 0.0)]
# A foot's section, across and up: flat below, round above.
SOLE = np.array([(1, 0), (1, 0.35), (0.75, 0.8), (0.3, 1), (-0.3, 1), (-0.75, 0.8), (-1, 0.35), (-1, 0)], dtype=float)
