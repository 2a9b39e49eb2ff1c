"""What each harmonic contributes: to the way of a foot, or to the distortion of a network."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from mocapella.blending.network import Network, Point
from mocapella.measure.contact_trace import FootJoint
from mocapella.measure.distortion import FRAMES, Yardstick
from mocapella.motion.contacts import FEET


def trace_contributions(
    network: Network, point: Point, *, joint: FootJoint = "ankle", frames: int = FRAMES
) -> dict[str, Float[np.ndarray, "harmonics frames 2"]]:
    """By foot, what each harmonic of a blend adds to the contact trace (x, z): with it, less without it and all above.

    Row 0 is the posture alone; all rows together are the trace, which is not aligned. Of a foot with several stances in
    the cycle the first is taken.
    """
    yardstick = Yardstick(network, [point], joint=joint)
    blend = network.blend(point).coefficients
    out: dict[str, Float[np.ndarray, "harmonics frames 2"]] = {}
    for stage in yardstick.traces(0):
        if stage.foot in out:
            continue
        start, length = np.array([stage.start]), np.array([stage.length])
        sums = [
            yardstick.tracer.trace(FEET.index(stage.foot), blend[None, : rows + 1], start, length, frames)[0]
            for rows in range(len(blend))
        ]
        out[stage.foot] = np.diff(np.stack(sums), axis=0, prepend=np.zeros((1, frames, 2)))
    return out


def distortion_by_harmonics(
    network: Network, points: Sequence[Point] | Float[np.ndarray, "points axes"], *, joint: FootJoint = "ankle"
) -> Float[np.ndarray, "harmonics points"]:
    """The distortion with the first one, two, … harmonics, each held against nodes of as many.

    What a harmonic adds is its row less the one before; points that cannot be measured are NaN.
    """
    blends = Yardstick(network, points, joint=joint).blends()
    rows = []
    for harmonics in range(1, network.n_harmonics + 1):
        yardstick = Yardstick(network, points, joint=joint, harmonics=harmonics)
        rows.append(yardstick.measure_blends(blends).scores)
    return np.stack(rows)
