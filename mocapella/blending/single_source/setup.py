"""Single-source harmonics chosen by a measure of distortion.

>>> def score(network, points):
...     return np.abs(network.coefficients_at(points)[:, 6:]).sum(axis=(1, 2))  # any measure, low is good
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np
import scipy
from jaxtyping import Bool, Float

from mocapella.blending.network import Network
from mocapella.blending.single_source.ssh import Override, SingleSource
from mocapella.blending.single_source.stacks import Edge, consistent_winners, edges_of
from mocapella.errors import NetworkError
from mocapella.geometry.simplices import random_points

Points = Float[np.ndarray, "points axes"]
_Scores = Float[np.ndarray, " points"]  # low is good; NaN where nothing can be measured
_Score = Callable[[Network, Points], _Scores]

TOLERANCE = 0.05  # of the highest score before: by how much no point may be worse than with the default settings
_ALONG = (0.25, 0.5, 0.75)  # of an edge's length: where edges are tried
_REPAIRS = 5  # rounds in which triangles go back to the default, before all of them do
_CELL = np.array([[[0], [0]], [[0], [1]], [[1], [0]], [[1], [1]]])  # from a cell to its four crossings
_ROUNDING = 1e-9  # of a score: by which scores of the same blend differ at most


class Comparison(NamedTuple):
    """A network with single-source harmonics against ordinary blending, at random points."""

    points: int  # that could be measured
    better: float  # share of them with a lower score
    worse: float  # share of them with a higher score
    worst: float  # by how much the score is higher at most


def set_up(
    network: Network,
    score: _Score,
    *,
    columns: int = 81,
    rows: int = 41,
    probes: int = 4000,
    firsts: Sequence[int] = (6, 5, 7),
    default: SingleSource | None = None,
    tolerance: float | int = TOLERANCE,
    rng: np.random.Generator | None = None,
) -> Network:
    """The network with single-source harmonics chosen by a measure: winners, band, abstaining nodes, a map.

    Each edge is won by the node with which its points score lower, as far as no triangle becomes cyclic; the clearest
    differences count first. Of the bands the one with the lowest mean is taken. A node abstains where that lowers the
    mean around it. Where ordinary blending still scores lower, a map brings it back, or clips the band if that is
    better still. Scores change within a cell of the grid, so the map grows over all cells in which random points score
    higher than with ordinary blending, until a round of fresh ones has none: fewer than 3 in ``probes`` points of the
    network are then worse, with 95 % confidence. ``compared`` measures that.

    Where the map leaves them in, no crossing of the grid is worse than with the default settings by more than
    ``tolerance`` of the highest score of ordinary blending.

    Parameters
    ----------
    network
        One of triangles. Single-source harmonics that it has are not looked at.
    score
        The measure, of any network at many points at once.
    columns, rows
        The grid over the network on which all this is measured, and which its map has.
    probes
        Random points of a round in which the map grows.
    firsts
        Where the band may begin; it ends at the highest harmonic.
    default
        The settings it is compared with; ``SingleSource()`` if None.
    tolerance
        How much worse than that a point may get, as a share of the highest score of ordinary blending.
    rng
        What draws the random points; always the same ones if None.

    Returns
    -------
    Network
        The network with these settings.
    """
    if network.corners.shape[1] != 3:
        raise NetworkError("single-source harmonics are set up on a map of the plane: a network of triangles is needed")
    trial = _Trial(network.with_single_source(None), score, columns, rows)
    held_against = SingleSource() if default is None else default
    at_default = trial.measured(held_against)
    usable = [first for first in firsts if first <= network.n_harmonics]
    tried = [replace(held_against, first=first, winners=trial.winners(first)) for first in usable] or [held_against]
    scores = [trial.measured(settings) for settings in tried]
    best = min(range(len(tried)), key=lambda i: float(np.nansum(scores[i])))
    settings, current_scores = trial.with_abstentions(tried[best], scores[best])
    limit = at_default + tolerance * float(np.nanmax(trial.before, initial=0.0))
    for _ in range(_REPAIRS):
        worse = np.minimum(current_scores, trial.before) > limit
        if not worse.any():
            break
        settings = trial.as_default_at(worse, settings, held_against)
        current_scores = trial.measured(settings)
    else:
        settings, current_scores = held_against, at_default
    chance = np.random.default_rng(0) if rng is None else rng
    return trial.network.with_single_source(trial.with_override(settings, current_scores, probes, chance))


def compared(
    network: Network, score: _Score, *, points: int = 2000, rng: np.random.Generator | None = None
) -> Comparison:
    """How a network with single-source harmonics scores against ordinary blending, at random points.

    Parameters
    ----------
    network
        One of triangles, with single-source harmonics.
    score
        The measure, as ``set_up`` takes it.
    points
        How many random points to measure.
    rng
        What draws them; if None, others than those of ``set_up``.

    Returns
    -------
    Comparison
        The shares of points that are better and worse, and by how much at most.
    """
    chance = np.random.default_rng(1) if rng is None else rng
    places = random_points(network.points[network.corners], points, chance)
    before, after = (score(blends, places) for blends in (network.with_single_source(None), network))
    off = (after - before)[np.isfinite(after - before)]
    slack = _ROUNDING * float(np.nanmax(before, initial=0.0))
    return Comparison(
        len(off), float(np.mean(off < -slack)), float(np.mean(off > slack)), float(np.max(off, initial=0.0))
    )


class _Trial:
    """A network without single-source harmonics, and the grid on which it is measured with some."""

    def __init__(self, network: Network, score: _Score, columns: int, rows: int) -> None:
        self.network, self.score = network, score
        self._low, self._high = network.points.min(axis=0), network.points.max(axis=0)
        self._shape = (columns, rows)
        axes = [np.linspace(a, b, n) for a, b, n in zip(self._low, self._high, self._shape, strict=True)]
        crossings = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
        places = network.places(crossings)
        self._inside = np.array([place.inside for place in places])
        if not self._inside.any():
            raise NetworkError(f"a grid of {columns} × {rows} has no point inside of this network")
        self.points = crossings[self._inside]
        self._triangles = np.array([place.triangle for place in places])[self._inside]
        self.before = score(network, self.points)

    def measured(self, settings: SingleSource) -> _Scores:
        """The scores with these single-source harmonics, at the grid's crossings inside."""
        return self.score(self.network.with_single_source(settings), self.points)

    def winners(self, first: int) -> tuple[tuple[str, str], ...]:
        """For every edge the node with which it scores lower, made to fit together."""
        edges = edges_of(self.network.corners.tolist())
        ends = self.network.points[np.array(edges)]
        points = np.concatenate([(1.0 - t) * ends[:, 0] + t * ends[:, 1] for t in _ALONG])
        # The nodes' order and its reverse: every edge is tried both ways, and no triangle is cyclic.
        both = [
            np.nansum(self.score(self._named(tried, first), points).reshape(len(_ALONG), -1), axis=0)
            for tried in (edges, [(b, a) for a, b in edges])
        ]
        better = both[1] - both[0]  # how much the first of an edge is better than the second
        demands = [
            edges[i] if better[i] > 0.0 else edges[i][::-1] for i in np.argsort(-np.abs(better)) if better[i] != 0.0
        ]
        won, _ = consistent_winners(self.network.corners.tolist(), demands, self.network.names)
        return self._pairs(won)

    def with_abstentions(self, settings: SingleSource, current: _Scores) -> tuple[SingleSource, _Scores]:
        """The settings with nodes abstaining wherever that lowers the scores around them; and the scores."""
        current = current.copy()
        for node, name in enumerate(self.network.names):
            near = (self.network.corners[self._triangles] == node).any(axis=1)
            tried = replace(settings, abstaining=(*settings.abstaining, name))
            if name not in settings.abstaining and near.any():
                scores = self.score(self.network.with_single_source(tried), self.points[near])
                if np.nansum(scores) < np.nansum(current[near]):
                    settings, current[near] = tried, scores
        return settings, current

    def as_default_at(
        self, worse: Bool[np.ndarray, " points"], settings: SingleSource, default: SingleSource
    ) -> SingleSource:
        """The settings with the default's winners and abstentions in the triangles of some points."""
        bad = np.unique(self._triangles[worse])
        corners = self.network.corners[bad]
        names = {self.network.names[node] for node in np.unique(corners).tolist()}
        usual = self.network.with_single_source(default).single_source
        assert usual is not None
        index = self.network.index
        joined = set(edges_of(corners.tolist()))
        first, rest = (
            [(index(winner), index(loser)) for winner, loser in pairs] for pairs in (usual.winners, settings.winners)
        )
        demands = [edge for edge in first if tuple(sorted(edge)) in joined]
        demands += [edge for edge in rest if tuple(sorted(edge)) not in joined]
        won, _ = consistent_winners(self.network.corners.tolist(), demands, self.network.names)
        abstaining = [name for name in settings.abstaining if name not in names]
        return replace(settings, winners=self._pairs(won), abstaining=tuple(abstaining), first=default.first)

    def with_override(
        self, settings: SingleSource, scores: _Scores, probes: int, rng: np.random.Generator
    ) -> SingleSource:
        """The settings with a map of where ordinary blending, or none of the band, scores lower."""
        worse = scores > self.before
        amounts = self._spread(worse.astype(np.float64))
        clipping = replace(settings, override=self._map(np.ones(self._shape), "clip"))
        clipped = self.score(self.network.with_single_source(clipping), self.points[worse])
        better = np.nansum(clipped) < np.nansum(self.before[worse]) and not (clipped > self.before[worse]).any()
        override = self._grown(settings, amounts, "clip", probes, rng) if better else None
        return replace(settings, override=override or self._grown(settings, amounts, "blend", probes, rng))

    def _grown(
        self,
        settings: SingleSource,
        amounts: Float[np.ndarray, "columns rows"],
        instead: Literal["blend", "clip"],
        probes: int,
        rng: np.random.Generator,
    ) -> Override | None:
        """A map grown over all cells in which random points are worse; None where none is needed, or none helps."""
        amounts = amounts.copy()
        corners = self.network.points[self.network.corners]
        last = np.array(self._shape) - 1
        while True:
            points = random_points(corners, probes, rng)
            along = (points - self._low) / (self._high - self._low) * last
            cells = np.clip(along.astype(np.intp), 0, np.maximum(last - 1, 0)).T
            crossings = [tuple(np.minimum(cells + step, last[:, None])) for step in _CELL]
            whole = np.all([amounts[crossing] == 1.0 for crossing in crossings], axis=0)
            here = np.flatnonzero(~whole) if instead == "blend" else np.arange(len(points))  # blended wholly: the same
            override = self._map(amounts, instead)
            trial = self.network.with_single_source(replace(settings, override=override))
            before, after = (self.score(network, points[here]) for network in (self.network, trial))
            worse = here[after > before + _ROUNDING * np.abs(before)]
            if not len(worse):
                return override if amounts.any() else None
            if whole[worse].any():
                return None
            for crossing in crossings:
                amounts[tuple(index[worse] for index in crossing)] = 1.0

    def _spread(self, amounts: Float[np.ndarray, " points"]) -> Float[np.ndarray, "columns rows"]:
        """Amounts at all crossings from those inside; what lies outside has what the nearest inside has."""
        steps = np.stack(np.unravel_index(np.arange(len(self._inside)), self._shape), axis=-1)
        nearest = scipy.spatial.cKDTree(steps[self._inside]).query(steps)[1]
        return np.asarray(amounts[nearest].reshape(self._shape))

    def _map(self, amounts: Float[np.ndarray, "columns rows"], instead: Literal["blend", "clip"]) -> Override:
        return Override(tuple(self._low), tuple(self._high), amounts, instead)

    def _named(self, won: Sequence[Edge], first: int) -> Network:
        return self.network.with_single_source(SingleSource(first, winners=self._pairs(won)))

    def _pairs(self, won: Sequence[Edge]) -> tuple[tuple[str, str], ...]:
        return tuple((self.network.names[winner], self.network.names[loser]) for winner, loser in won)
