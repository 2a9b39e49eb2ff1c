"""Motions by their principal components: the mean of examples, and the few directions in which they differ most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from mocapella.arrays import freeze
from mocapella.checks import finite_number
from mocapella.errors import MotionError
from mocapella.parametric.labels import Motion
from mocapella.parametric.mixing import Examples, examples_of


@dataclass(frozen=True, eq=False)
class Principal:
    """Examples as a mean and a few components.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> from mocapella.analysis.fourier import analyse
    >>> from mocapella.analysis.prepare import prepare
    >>> from mocapella.analysis.synchronise import synchronise
    >>> walks = synchronise([prepare(perform("walk", speed=v)[0]) for v in (0.8, 1.0, 1.2, 1.4, 1.6)])
    >>> few = Principal.of([analyse(walk) for walk in walks], variance=0.95)
    >>> few.n_components < 4, bool(few.explained[-1] >= 0.95)
    (True, True)
    """

    examples: Examples
    mean: Float[np.ndarray, " numbers"]
    components: Float[np.ndarray, "components numbers"]
    scores: Float[np.ndarray, "examples components"]  # of the examples
    explained: Float[np.ndarray, " components"]  # share of the variance, with all components before

    def __post_init__(self) -> None:
        freeze(self, np.float64, "mean", "components", "scores", "explained")

    @classmethod
    def of(
        cls,
        motions: Sequence[Motion],
        *,
        variance: float | int = 0.95,
        keys: Sequence[Sequence[float | int]] | None = None,
    ) -> Principal:
        """The components that explain a share of the variance between examples.

        ``motions`` are cycles (spectra, in step) or clips, of one set of joints. ``variance`` is the share to keep,
        above 0 and at most 1.
        """
        share = finite_number(variance, "a share of the variance from 0 to 1", above=0.0)
        if share > 1.0:
            raise MotionError(expected="a share of the variance from 0 to 1", got=f"{share:g}")
        examples = examples_of(motions, keys=keys)
        rows = examples.rows
        mean = rows.mean(axis=0)
        left, sizes, components = np.linalg.svd(rows - mean, full_matrices=False)
        power = np.cumsum(sizes**2)
        explained = power / power[-1] if power[-1] > 0.0 else np.ones(len(power))
        count = int(np.searchsorted(explained, share - 1e-12)) + 1
        return cls(examples, mean, components[:count], (left * sizes)[:, :count], explained[:count])

    @property
    def n_components(self) -> int:
        """How many there are."""
        return len(self.components)

    def weights(
        self, labels: Float[np.ndarray, "examples axes"], place: Float[np.ndarray, " axes"]
    ) -> Float[np.ndarray, " examples"]:
        """Weights of the examples at a place, with scores that are linear in the labels.

        This is the walk engine of Glardon, Boulic and Thalmann (2004); with a label for the amount of a style, the line
        is the axis of style of Troje (2002). Lines do not pass through the examples, so that individual details of one
        example are not attributed to its label; places beyond the examples exaggerate.

        The result sums to 1; what they mix lies in the components.
        """
        count = len(self.scores)
        scale = np.maximum(np.abs(labels).max(axis=0), 1e-12)
        design = np.column_stack([np.ones(count), labels / scale])
        shares = np.append(1.0, place / scale) @ np.linalg.pinv(design) - 1.0 / count
        directions = self.scores / np.maximum(np.linalg.norm(self.scores, axis=0), 1e-300)
        return np.asarray(1.0 / count + directions @ (directions.T @ shares))

    def motion(self, scores: Float[np.ndarray, " components"] | Sequence[float]) -> Motion:
        """The motion of some scores; zeros are the mean."""
        given = np.asarray(scores, dtype=np.float64)
        if given.shape != (self.n_components,):
            raise MotionError(expected=f"{self.n_components} scores", got=f"shape {given.shape}")
        return self.examples.from_row(self.mean + given @ self.components)


def unlike_mean(motions: Sequence[Motion], limit: float | int) -> list[int]:
    """The examples that are further from the mean than a limit; the others add little to the mean.

    ``motions`` are cycles (spectra, in step) or clips, of one set of joints. ``limit`` is the distance from the mean
    below which an example is dropped, as a share of the largest one. Returns their numbers, from 0.
    """
    share = finite_number(limit, "a limit from 0 on", least=0.0)
    rows = examples_of(motions).rows
    far = np.linalg.norm(rows - rows.mean(axis=0), axis=1)
    return np.flatnonzero(far >= share * far.max()).tolist()
