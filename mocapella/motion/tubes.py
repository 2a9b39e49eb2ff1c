"""Tubes along a line of joints that bend with them: what every part of a plain body is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float, Int

from mocapella.geometry.lofts import loft
from mocapella.motion.figure import square_to

N_INFLUENCES = 4  # joints that may carry one vertex; what glTF and the engines take
_X, _Y, _Z = np.eye(3)


@dataclass(frozen=True, eq=False)
class Part:
    """One closed surface, and what it covers, so that no plain limb is drawn there too."""

    vertices: Float[np.ndarray, "vertices 3"]
    faces: Int[np.ndarray, "faces 3"]
    joints: Int[np.ndarray, "vertices 4"]
    weights: Float[np.ndarray, "vertices 4"]
    covers: frozenset[int] = field(default=frozenset())  # joints: the way to each from its parent
    covers_ends_of: frozenset[int] = field(default=frozenset())  # joints: the way from each to its end sites


def tube(
    line: Float[np.ndarray, "points 3"],
    rows: Float[np.ndarray, "rows 3"],
    joints: Sequence[int],
    stops: Sequence[float] | Float[np.ndarray, " joints"],
    *,
    softness: float,
    looks: Sequence[Float[np.ndarray, 3]],
    profile: Float[np.ndarray, "corners 2"],
    covers: Iterable[int] = (),
    covers_ends_of: Iterable[int] = (),
) -> Part:
    """A part along a line; its rows are as in the tables above, but all in metres.

    From the first joint on, each carries what lies beyond its stop, a length along the line, and takes over within
    ``softness`` to either side. Depth is measured along the first of ``looks`` that the line does not follow.
    """
    at = rows[:, 0]
    chords = _along(line, at + softness) - _along(line, at - softness)
    tangents = np.stack([square_to(np.zeros(3), chord, line[-1] - line[0], _Y) for chord in chords])
    look = next((look for look in looks if np.abs(tangents @ look).max() < 0.9), looks[-1])
    deep = np.stack([square_to(tangent, look, _X, _Y, _Z) for tangent in tangents])
    across = np.cross(tangents, deep)
    centres = _along(line, at)
    inner = slice(1, -1)
    vertices, faces = loft(
        centres[inner], rows[inner, 1:2] * across[inner], rows[inner, 2:] * deep[inner], centres[[0, -1]], profile
    )
    begun = np.clip((at[:, None] - np.asarray(stops) + softness) / (2.0 * softness), 0.0, 1.0)
    begun[:, 0] = 1.0  # nobody carries what lies before the first joint but that joint
    strongest, weights = _strongest(begun - np.pad(begun[:, 1:], ((0, 0), (0, 1))), np.asarray(joints))
    row = np.concatenate([np.repeat(np.arange(len(at))[inner], len(profile)), [0, len(at) - 1]])
    return Part(vertices, faces, strongest[row], weights[row], frozenset(covers), frozenset(covers_ends_of))


def rounded_off(rows: Float[np.ndarray, "rows 3"]) -> Float[np.ndarray, "more 3"]:
    """The rows with half a ball added at either end: it looks the same however the joint in its middle turns."""
    (first, *near), (last, *far) = rows[0], rows[-1]
    turn = np.sqrt(0.5)
    before = [(first - np.mean(near), 0.0, 0.0), (first - turn * np.mean(near), *(turn * rows[0, 1:]))]
    after = [(last + turn * np.mean(far), *(turn * rows[-1, 1:])), (last + np.mean(far), 0.0, 0.0)]
    return np.array([*before, *rows, *after])


def beyond(
    at: Float[np.ndarray, " rows"], knots: Float[np.ndarray, " knots"], values: Float[np.ndarray, " knots"]
) -> Float[np.ndarray, " rows"]:
    """``np.interp``, but going on straight outside."""
    piece = np.clip(np.searchsorted(knots, at) - 1, 0, len(knots) - 2)
    slopes = np.diff(values) / np.diff(knots)
    return np.asarray(values[piece] + slopes[piece] * (at - knots[piece]))


def _strongest(
    shares: Float[np.ndarray, "rows chain"], joints: Int[np.ndarray, " chain"]
) -> tuple[Int[np.ndarray, "rows 4"], Float[np.ndarray, "rows 4"]]:
    """The largest shares of each row and their joints, scaled to sum to 1; joint 0 where a share is none."""
    order = np.argsort(-shares, axis=1, kind="stable")[:, :N_INFLUENCES]
    weights = np.zeros((len(shares), N_INFLUENCES))
    weights[:, : order.shape[1]] = np.take_along_axis(shares, order, axis=1)
    weights[weights < 1e-3] = 0.0
    chosen = np.zeros(weights.shape, dtype=np.int64)
    chosen[:, : order.shape[1]] = joints[order]
    return np.where(weights > 0.0, chosen, 0), weights / weights.sum(axis=1, keepdims=True)


def _along(line: Float[np.ndarray, "points 3"], at: Float[np.ndarray, " rows"]) -> Float[np.ndarray, "rows 3"]:
    """Points of a line of straight pieces by their distance along it; straight on beyond its ends."""
    arcs = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=-1))])
    keep = np.concatenate([[True], np.diff(arcs) > 1e-9])
    return np.stack([beyond(at, arcs[keep], line[keep, axis]) for axis in range(3)], axis=-1)
