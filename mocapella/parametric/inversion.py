"""Weights of examples whose mixture has the requested labels, as Kovar and Gleicher (2004) find them.

Mixtures of near examples are made and measured beforehand; a request starts from the mean of the nearest of these, and
is then corrected by the measured labels of its own mixture.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from jaxtyping import Float

from mocapella.arrays import freeze
from mocapella.errors import MotionError
from mocapella.geometry.simplices import axis_spread
from mocapella.parametric.scattered import Scattered, cardinal

_SAMPLES = 24  # mixtures of each example and its neighbours
_BEYOND = 0.1  # how far weights of a mixture may lie below 0
_NEAREST = 8  # mixtures that a request starts from
_ROUNDS = 12  # corrections of a mixture at most
_EXACT = 1e-5  # of the range of labels
_REACHED = 1e-3  # of the range of labels: mixtures that miss by more are searched from several starts
_STARTS = 4  # of that search

Measure = Callable[[np.ndarray], np.ndarray]  # labels of the mixture of some weights


@dataclass(frozen=True, eq=False)
class Inversion:
    """The inverse function from labels to weights.

    ``rough`` measures nearly the same at less cost, for the mixtures that are made beforehand.
    """

    labels: Float[np.ndarray, "examples labels"]
    measure: Measure
    rough: Measure
    seed: int = 0

    def __post_init__(self) -> None:
        freeze(self, np.float64, "labels")

    @cached_property
    def _scale(self) -> Float[np.ndarray, " labels"]:
        return axis_spread(self.labels)

    @cached_property
    def _mixtures(self) -> tuple[Float[np.ndarray, "mixtures examples"], Float[np.ndarray, "mixtures labels"]]:
        """Weights of examples and their nearest neighbours, and the labels measured there."""
        rng = np.random.default_rng(self.seed)
        n, d = self.labels.shape
        scaled = self.labels / self._scale
        count = min(d + 1, n)
        weights = [np.eye(n)]
        for example in range(n):
            near = np.argsort(np.linalg.norm(scaled - scaled[example], axis=1), kind="stable")
            for _ in range(_SAMPLES):
                others = rng.choice(near[1 : max(2 * count, count + 1)], count - 1, replace=False)
                row = np.zeros((1, n))
                row[0, [near[0], *others]] = rng.dirichlet(np.ones(count)) * (1.0 + count * _BEYOND) - _BEYOND
                weights.append(row)
        together = np.concatenate(weights)
        return together, np.array([self.rough(row) for row in together])

    def _near(
        self, goal: Float[np.ndarray, " labels"]
    ) -> tuple[Float[np.ndarray, " examples"], Float[np.ndarray, "labels examples"]]:
        """Weights of the nearest mixtures, those that are nearer counting for more, and how labels go with weights."""
        weights, labels = self._mixtures
        scaled = labels / self._scale
        far = np.linalg.norm(scaled - goal, axis=1)
        count = min(max(_NEAREST, 4 * (len(goal) + 1)), len(far))
        near = np.argsort(far, kind="stable")[:count]
        shares = 1.0 / np.maximum(far[near], 1e-9) - 1.0 / max(float(far[near[-1]]), 1e-9)
        shares = shares / shares.sum() if shares.sum() > 0.0 else np.full(count, 1.0 / count)
        off, labels_off = (rows[near] - rows[near].mean(axis=0) for rows in (weights, scaled))
        return shares @ weights[near], np.asarray(np.linalg.lstsq(off, labels_off, rcond=1e-6)[0].T)

    def weights(
        self, asked: Float[np.ndarray, " labels"]
    ) -> tuple[Float[np.ndarray, " examples"], Float[np.ndarray, " labels"]]:
        """Weights for labels, and the measured labels of their mixture.

        Returns ``weights`` and ``had``: sum 1, each from slightly below 0 to slightly above 1. Of several labels, one
        that no mixture has counts as the nearest that one has, so that it does not draw the others away.
        """
        goal = asked / self._scale
        if len(goal) > 1:
            there = self._mixtures[1] / self._scale
            goal = np.clip(goal, there.min(axis=0), there.max(axis=0))
        start, slopes = self._near(goal)
        weights, had = self._corrected(start, slopes, goal)
        if np.linalg.norm(goal - had) > _EXACT and self._smooth is not None:  # once more from elsewhere
            other, other_had = self._corrected(self._smooth.at(asked), slopes, goal)
            if np.linalg.norm(goal - other_had) < np.linalg.norm(goal - had):
                weights, had = other, other_had
        if np.linalg.norm(goal - had) > _REACHED:
            weights, had = self._searched(goal, weights, had)
        return weights, had * self._scale

    def _searched(self, goal: np.ndarray, weights: np.ndarray, had: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The nearest of some weights and of what descents among mixtures without negative weights lead to."""
        mixtures, labels = self._mixtures
        near = np.argsort(np.linalg.norm(labels / self._scale - goal, axis=1), kind="stable")[: _STARTS - 1]

        def off(row: np.ndarray) -> float:
            return float(np.sum((self.measure(_within(row, 0.0)) / self._scale - goal) ** 2))

        for start in (weights, *mixtures[near]):
            ends = scipy.optimize.minimize(
                off,
                _within(start, 0.0),
                method="SLSQP",
                bounds=[(0.0, 1.0)] * len(start),
                constraints=scipy.optimize.LinearConstraint(np.ones((1, len(start))), 1.0, 1.0),
                tol=1e-10,
            )
            candidate = _within(ends.x, 0.0)
            there = self.measure(candidate) / self._scale
            if np.linalg.norm(goal - there) < np.linalg.norm(goal - had):
                weights, had = candidate, there
            if np.linalg.norm(goal - had) < _REACHED:
                break
        return weights, had

    @cached_property
    def _smooth(self) -> Scattered | None:
        """Weights that are smooth in the labels; None where two examples have the same ones."""
        try:
            return cardinal(self.labels)
        except MotionError:
            return None

    def _corrected(self, start: np.ndarray, slopes: np.ndarray, goal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The best weights of a search that corrects them by how far their labels miss, and these labels, in ranges."""
        asked, last = start, None
        best, best_size, best_labels = start, np.inf, np.full_like(goal, np.nan)
        for _ in range(_ROUNDS):
            weights = _within(asked)
            labels = self.measure(weights) / self._scale
            off = goal - labels
            size = float(np.linalg.norm(off))
            if size < best_size:
                best, best_size, best_labels = weights, size, labels
            if size < _EXACT:
                break
            if last is not None:
                slopes = _updated(slopes, weights - last[0], last[1] - off)
            last = weights, off
            asked = weights + np.linalg.lstsq(slopes, off, rcond=1e-3)[0]
        return best, best_labels


def _updated(slopes: np.ndarray, change: np.ndarray, gained: np.ndarray) -> np.ndarray:
    """Slopes of labels by weights after a change (Broyden's update), better evidence than mixtures elsewhere."""
    size = float(change @ change)
    return slopes + np.outer(gained - slopes @ change, change) / size if size > 0.0 else slopes


def _within(weights: np.ndarray, beyond: float = _BEYOND) -> np.ndarray:
    """Weights that go no further beyond the examples than mixtures do, sum 1."""
    inside = np.maximum(weights, -beyond)
    return np.asarray(inside / inside.sum())
