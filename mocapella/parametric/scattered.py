"""Functions through scattered examples: a linear trend and bumps about the examples that it misses.

This is the form of Rose, Cohen and Bodenheimer (1998); laid over the examples' own weights instead of all numbers of a
motion it is that of Sloan, Rose and Cohen (2001) and of Park, Shin and Shin (2002).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from mocapella.arrays import freeze
from mocapella.errors import MotionError
from mocapella.geometry.simplices import axis_spread

_APART = 1e-9  # of the spread of examples: nearer ones are at one place


def _compact(r: np.ndarray) -> np.ndarray:
    """The cubic B-spline of Rose, Cohen and Bodenheimer, scaled to 1 at 0; 0 from 2 on."""
    return np.where(r < 1.0, 1.0 - 1.5 * r**2 + 0.75 * r**3, np.where(r < 2.0, 0.25 * (2.0 - r) ** 3, 0.0))


KERNELS: dict[str, Callable[[np.ndarray], np.ndarray]] = {"compact": _compact, "gaussian": lambda r: np.exp(-(r**2))}
"""Bumps by the distance from their example, in distances to the nearest other one."""


@dataclass(frozen=True, eq=False)
class Scattered:
    """A smooth function of a place that has given values at the examples.

    Examples
    --------
    >>> line = Scattered.through(np.array([[0.0], [1.0], [3.0]]), np.array([[1.0], [3.0], [7.0]]))
    >>> float(line.at(np.array([2.0]))[0].round(9))
    5.0
    """

    places: Float[np.ndarray, "examples axes"]
    scale: Float[np.ndarray, " axes"]
    trend: Float[np.ndarray, "axes_and_one numbers"]
    bumps: Float[np.ndarray, "examples numbers"]
    radii: Float[np.ndarray, " examples"]
    kernel: str = "compact"

    def __post_init__(self) -> None:
        freeze(self, np.float64, "places", "scale", "trend", "bumps", "radii")

    @classmethod
    def through(
        cls,
        places: Float[np.ndarray, "examples axes"],
        values: Float[np.ndarray, "examples numbers"],
        *,
        kernel: str = "compact",
    ) -> Scattered:
        """The function through some values at some places.

        ``kernel`` is one of ``KERNELS``. It is exact at the examples, and linear everywhere where values depend on
        places linearly. Raises ``MotionError`` where two examples are at one place, or a number is not finite.
        """
        if kernel not in KERNELS:
            raise MotionError(expected=f"a kernel out of {', '.join(KERNELS)}", got=repr(kernel))
        if not (np.isfinite(places).all() and np.isfinite(values).all()):
            raise MotionError("labels and values of examples are finite numbers; these have NaN or infinity")
        scale = axis_spread(places)
        scaled = places / scale
        apart = np.linalg.norm(scaled[:, None] - scaled[None], axis=-1)
        np.fill_diagonal(apart, np.inf)
        if len(scaled) > 1 and apart.min() < _APART:
            first, other = np.unravel_index(int(apart.argmin()), apart.shape)
            text = f"examples {int(first) + 1} and {int(other) + 1} have the same labels {places[first].tolist()}"
            raise MotionError(text, helps="leave one out, or add a label in which they differ")
        radii = apart.min(axis=1) if len(scaled) > 1 else np.ones(1)
        trend = np.linalg.lstsq(_with_one(scaled), values, rcond=None)[0]
        np.fill_diagonal(apart, 0.0)
        bumps = np.linalg.solve(KERNELS[kernel](apart / radii), values - _with_one(scaled) @ trend)
        return cls(scaled, scale, trend, bumps, radii, kernel)

    def at(self, place: Float[np.ndarray, " axes"]) -> Float[np.ndarray, " numbers"]:
        """Its value somewhere."""
        scaled = np.asarray(place, dtype=np.float64) / self.scale
        near = KERNELS[self.kernel](np.linalg.norm(self.places - scaled, axis=-1) / self.radii)
        return np.asarray(_with_one(scaled[None])[0] @ self.trend + near @ self.bumps)


def cardinal(places: Float[np.ndarray, "examples axes"], *, kernel: str = "compact") -> Scattered:
    """Weights of examples as a function of a place: 1 at an example and 0 at all others, with sum 1 everywhere.

    ``kernel`` is one of ``KERNELS``.
    """
    return Scattered.through(places, np.eye(len(places)), kernel=kernel)


def _with_one(places: np.ndarray) -> np.ndarray:
    return np.concatenate([places, np.ones((len(places), 1))], axis=1)
