"""Transitions computed by a blend, where no capture shows one."""

from __future__ import annotations

import numpy as np

from mocapella.blending.network import Network
from mocapella.errors import MotionError
from mocapella.graphs.blend_spaces import SpaceChange, change_space, space_edge
from mocapella.hybrid.transition import Transition
from mocapella.hybrid.transition_search import find_transition

NEAREST = 0.16  # metres between joints over a third of a second: a blend of motions further apart would be a jump


def computed_transition(
    source: Network,
    target: Network,
    *,
    name: str = "computed",
    threshold: float = NEAREST,
    samples: int = 24,
    seed: int = 0,
) -> Transition:
    """The best blend from one block to another, as a transition that a hybrid network plays like a captured one.

    Motions of both blocks are compared as Heck and Gleicher (2007) do; the pair that is most alike is blended over a
    third of a second. A captured change looks better: take this where there is none.

    ``source`` and ``target`` are the blocks' networks, in the plane and of one skeleton; ``name`` is the transition's.
    ``threshold`` is the root mean square distance of joints over the window at which motions are near enough, metres;
    ``samples`` is how many motions of each block are compared, ``seed`` that of their choice. Raises ``MotionError``
    where none is near enough.

    Examples
    --------
    >>> from mocapella.actor import capture
    >>> from mocapella.building.build import build
    >>> takes = [[capture(f"{pace} walk {way}")[0] for pace in ("slow", "fast")] for way in ("straight", "sharp left")]
    >>> straight, left = (build([*own, capture("medium walk left")[0]]).network for own in takes)
    >>> computed_transition(straight, left, samples=6).clip.n_frames > 60
    True
    """
    edge = space_edge(source, target, samples=samples, threshold=threshold, seed=seed)
    best: SpaceChange | None = None
    for point, low, high in zip(edge.points, edge.lows, edge.highs, strict=True):
        if np.isnan(low).any():
            continue
        middle = 0.5 * (low + high)
        change = change_space(edge, (float(point[0]), float(point[1])), (float(middle[0]), float(middle[1])))
        if change is not None and (best is None or change.distance < best.distance):
            best = change
    if best is None:
        text = f"no motion of one block comes within {100.0 * threshold:g} cm of one of the other"
        raise MotionError(text, helps="capture the change, or raise the threshold")
    return find_transition(best.clip, before=source, after=target, boundaries=best.blended, name=name)
