"""Blending points that were asked for where a network has nothing."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from mocapella.blending.cascade import Cascade
from mocapella.blending.hybrid import HybridNetwork
from mocapella.blending.network import Network
from mocapella.errors import MotionWarning
from mocapella.playback.easing import Point

_NEARLY = 0.02  # of a network's width and height: what is off by less is a matter of digits


def warn_of_points_outside(network: Network | HybridNetwork | Cascade, points: Sequence[Point]) -> None:
    """Say once which point lies outside, how far they go, and what is played instead.

    In a hybrid network a point is inside that lies in any of its blocks: which one it is meant for is known only when
    it comes to it. In a cascade each network has its own part of a point.
    """
    if isinstance(network, Cascade):
        first = 0
        for one in (network.outer, *network.inner.values()):
            parts_of = [point[first : first + one.n_axes] for point in points if len(point) > first]
            warn_of_points_outside(one, parts_of)
            first += one.n_axes
        return
    parts = [block.network for block in network.blocks.values()] if isinstance(network, HybridNetwork) else [network]
    outside = []
    for point in points:
        nearest = [_nearest(part, point) for part in parts]
        if None not in nearest:
            outside.append((point, nearest[0]))
    if not outside:
        return
    asked, played = outside[0]
    spans = np.concatenate([part.points for part in parts])
    ends = zip(spans.min(axis=0).tolist(), spans.max(axis=0).tolist(), strict=True)
    size = " by ".join(f"{low:.4g} … {high:.4g}" for low, high in ends)
    more = f", as {len(outside)} points of {len(points)} do" if len(points) > 1 else ""
    instead = (
        f"the nearest there, {_words(played)}, is played" if len(parts) == 1 and played else "the nearest is played"
    )
    text = f"the point {_words(asked)} lies outside the network, {size}{more}; {instead}"
    warnings.warn(text, MotionWarning, stacklevel=2)


def _nearest(network: Network, point: Point) -> Point | None:
    """Where a point goes that lies outside; None for one inside, and where a network goes on beyond its nodes."""
    if network.outside == "extrapolate":
        return None
    found = network.place(point).point
    spread = np.ptp(network.points, axis=0)
    scale = np.where(spread > 0.0, spread, max(float(spread.max()), 1.0))
    off = float(np.linalg.norm((np.array(found) - np.array(point)) / scale))
    return found if off > _NEARLY else None


def _words(point: Point) -> str:
    return "(" + ", ".join(f"{value:.4g}" for value in point) + ")"
