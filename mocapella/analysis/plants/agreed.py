"""Foot plants that agree over all repetitions of a cycle: arcs of its phase, by votes and by speeds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from jaxtyping import Bool, Float

from mocapella.analysis.plants.tracks import foot_places
from mocapella.geometry.angles import TURN
from mocapella.motion.contacts import FOOT_POINTS, Arc, CycleContacts, intervals_of
from mocapella.motion.cycle import Cycle
from mocapella.rig.legs import leg_roles

_Grid = Float[np.ndarray, "phases 4"]
_Ring = Bool[np.ndarray, " phases"]


@dataclass(frozen=True)
class _Agreement:
    """How votes and speeds are weighed. Speeds are shares of the fastest of all foot points."""

    phases: int = 180  # round the cycle, at which plants are decided
    kernel: float = 0.012  # of the cycle, the width of the Gaussian by which frames vote
    calm: float = 0.15  # of the cycle: the slowest phases of a point, whose speed tells what noise is left
    alike: float = 0.065  # calm speed at which votes and speeds count alike
    limit: float = 0.11  # speed below which a point rests
    wider: float = 2.0  # times the calm speed that is added to it, in squares
    trusted: float = 0.7  # trust in votes from which on several plants of a point may stand
    down: float = 0.012  # metres above where a point stands, up to which it is down
    gap: float = 0.04  # of the cycle: shorter gaps are closed,
    shortest: float = 0.05  # of the cycle: and shorter plants dropped


_AGREEMENT = _Agreement()


def agreed_arcs(
    cycle: Cycle,
    plants: Bool[np.ndarray, "frames 4"],
    phases: Float[np.ndarray, " frames"],
    *,
    trust: float | None = None,
) -> CycleContacts:
    """Arcs of phase in which the foot points of a cycle rest.

    ``plants`` are those of single frames at their ``phases``, of all repetitions; each frame votes, and where the cycle
    is clean a majority decides. The noisier the cycle, the more the speeds of its foot points decide: of all arcs the
    one with the largest sum of 1 − (speed / limit)² is taken, since a foot of a gait stands once in a cycle. ``trust``
    in the votes is told by how still the points ever are if None; 1 lets them decide alone.
    """
    grid = TURN * (np.arange(_AGREEMENT.phases) + 0.5) / _AGREEMENT.phases
    speeds, heights = _tracks(cycle, grid)
    fastest = max(float(speeds.max()), 1e-9)
    calm = np.quantile(speeds, _AGREEMENT.calm, axis=0)
    if trust is None:
        trust = 1.0 / (1.0 + (float(np.median(calm)) / (_AGREEMENT.alike * fastest)) ** 4)
    limits = np.hypot(_AGREEMENT.limit * fastest, _AGREEMENT.wider * calm)
    by_speed = np.clip(1.0 - (speeds / limits) ** 2, -1.0, 1.0)
    evidence = trust * (2.0 * _votes(plants, phases, grid) - 1.0) + (1.0 - trust) * by_speed
    rings = [_tidy(column > 0.0) if trust > _AGREEMENT.trusted else _best_arc(column) for column in evidence.T]
    if trust < 1.0:
        rings = [_while_flat(rings[i], rings[i ^ 1], heights[:, i]) for i in range(len(rings))]
    return CycleContacts(**{point: _arcs(ring) for point, ring in zip(FOOT_POINTS, rings, strict=True)})


def _while_flat(ring: _Ring, other: _Ring, heights: Float[np.ndarray, " phases"]) -> _Ring:
    """Plants of a point that last for as long as it is down and the ``other`` end of its foot stands.

    Noise moves a point that is down; a foot of which both ends are down stands flat, and neither slides.
    """
    if not ring.any():
        return ring
    flat = other & (heights < np.median(heights[ring]) + _AGREEMENT.down)
    longer = ring | flat
    parts, n = scipy.ndimage.label(np.tile(longer, 3))[0], len(ring)
    return np.asarray(longer & np.isin(parts[n : 2 * n], parts[np.tile(ring, 3)]))


def _votes(
    plants: Bool[np.ndarray, "frames 4"], phases: Float[np.ndarray, " frames"], grid: Float[np.ndarray, " phases"]
) -> _Grid:
    """The share of frames near each phase that are planted."""
    apart = (phases - grid[:, None] + np.pi) % TURN - np.pi
    near = np.exp(-0.5 * (apart / (TURN * _AGREEMENT.kernel)) ** 2)
    return np.asarray(near @ plants.astype(np.float64) / np.maximum(near.sum(axis=1, keepdims=True), 1e-9))


def _tracks(cycle: Cycle, grid: Float[np.ndarray, " phases"]) -> tuple[_Grid, _Grid]:
    """Speeds, m/s, and heights, m, of the foot points at phases of a cycle."""
    clip, n = cycle.to_clip(3), cycle.n_frames
    places = foot_places(clip, leg_roles(clip.skeleton))
    speeds = np.linalg.norm(places[n + 1 : 2 * n + 1] - places[n - 1 : 2 * n - 1], axis=-1) * 0.5 * cycle.frame_rate
    rounds = (speeds, places[n : 2 * n, :, 1])
    at_grid = [np.stack([np.interp(grid, cycle.phases, row, period=TURN) for row in rows.T], axis=1) for rows in rounds]
    return at_grid[0], at_grid[1]


def _best_arc(evidence: Float[np.ndarray, " phases"]) -> _Ring:
    """The arc, round the circle, with the largest sum; none where all evidence is against it."""
    n = len(evidence)
    sums = np.concatenate([[0.0], np.cumsum(np.tile(evidence, 2))])
    lengths = np.arange(1, n + 1)
    totals = sums[np.arange(n)[:, None] + lengths] - sums[:n, None]
    start, length = np.unravel_index(int(totals.argmax()), totals.shape)
    mask = np.zeros(n, dtype=bool)
    if totals[start, length] > 0.0:
        mask[(start + np.arange(length + 1)) % n] = True
    return mask


def _tidy(mask: _Ring) -> _Ring:
    """A mask round the circle with short gaps closed and short arcs dropped."""
    out = mask.copy()
    for value, longest in ((False, _AGREEMENT.gap), (True, _AGREEMENT.shortest)):
        if out.all() or not out.any():
            break
        first = int(np.flatnonzero(out != value)[0])
        ring = np.roll(out, -first)
        for start, last in intervals_of(ring == value):
            if last - start + 1 <= longest * len(mask):
                ring[start : last + 1] = not value
        out = np.roll(ring, first)
    return out


def _arcs(mask: _Ring) -> tuple[Arc, ...]:
    """The runs of a mask round the circle as arcs of phase."""
    if mask.all():
        return ((0.0, TURN),)
    first, step = int(np.flatnonzero(~mask)[0]), TURN / len(mask)
    return tuple(
        (step * ((start + first) % len(mask)), step * (last - start + 1))
        for start, last in intervals_of(np.roll(mask, -first))
    )
