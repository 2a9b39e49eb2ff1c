"""Markers of knees and ankles that a person wore in a static trial alone, carried by those that stayed on.

Laboratories take the markers inside of knees and ankles off before people walk (OpenSim's gait set), or mark joints
once and track clusters of markers on thighs and shanks (CAST, Cappozzo et al. 1995). Markers that keep their distances
are a rigid body, which carries the others with it.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from mocapella.files.points.centres import HINGE_LABELS, Places, plain
from mocapella.files.points.solve import best_rotation

Place = Float[np.ndarray, "3"]


class _Rigid(NamedTuple):
    """When markers are taken for a rigid body."""

    nearest: int = 8  # markers that are tried for each that is missing
    samples: int = 50  # frames looked at
    spread: float = 0.02  # metres by which distances may vary: skin moves that much on a thigh
    nearness: float = 0.02  # metres of spread that a metre of distance outweighs
    alike: float = 0.005  # metres by which those of further markers may vary more
    across: float = 0.02  # metres from a line, at least, of the third of three markers


_RIGID = _Rigid()


def carried_markers(points: Mapping[str, Places], static: Mapping[str, Place], metre: float) -> dict[str, Places]:
    """The markers of knees and ankles that a static trial has and a motion lacks, where others carry them.

    ``static`` has places in the unit of ``points``, of which ``metre`` make a metre.
    """
    here = {plain(name): places for name, places in points.items()}
    there = {plain(name): place for name, place in static.items()}
    out = {}
    for name in static:
        label = plain(name)
        if label in here or label not in HINGE_LABELS:
            continue
        shared = [other for other in there if other in here and other[:1] == label[:1]]  # of the same side
        if cluster := _cluster(there[label], shared, here, there, metre):
            still, moved = np.stack([there[one] for one in cluster]), np.stack([here[one] for one in cluster], axis=1)
            middle, middles = still.mean(axis=0), moved.mean(axis=1)
            turn = best_rotation(still - middle, moved - middles[:, None], np.ones(len(cluster)))
            out[name] = middles + turn @ (there[label] - middle)
    return out


def _cluster(
    place: Place, shared: list[str], here: Mapping[str, Places], there: Mapping[str, Place], metre: float
) -> list[str]:
    """The markers near a place that move most as one body; none where no three do."""
    near = sorted(shared, key=lambda label: float(np.linalg.norm(there[label] - place)))[: _RIGID.nearest]
    if len(near) < 3:
        return []
    still = np.stack([there[label] for label in near])
    n_frames = len(here[near[0]])
    frames = np.unique(np.linspace(0, n_frames - 1, _RIGID.samples).astype(np.int64))
    moved = np.stack([here[label][frames] for label in near], axis=1)
    apart = np.linalg.norm(still[:, None] - still, axis=-1)
    vary = np.sqrt(((np.linalg.norm(moved[:, :, None] - moved[:, None], axis=-1) - apart) ** 2).mean(axis=0))
    away = np.linalg.norm(still - place, axis=-1)
    best: tuple[float, tuple[int, ...]] = (np.inf, ())
    for three in itertools.combinations(range(len(near)), 3):
        first, second, third = still[list(three)]
        along = (second - first) / max(float(np.linalg.norm(second - first)), 1e-12)
        aside = np.linalg.norm(third - first - ((third - first) @ along) * along)
        if aside >= _RIGID.across * metre:
            score = vary[np.ix_(three, three)].max() + _RIGID.nearness * away[list(three)].mean()
            best = min(best, (float(score), three))
    chosen = best[1]
    spread = float(vary[np.ix_(chosen, chosen)].max()) if chosen else np.inf
    if spread > _RIGID.spread * metre:
        return []
    limit = spread + _RIGID.alike * metre
    return [label for i, label in enumerate(near) if i in chosen or vary[i, list(chosen)].max() <= limit]
