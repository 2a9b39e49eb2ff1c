"""A motion described as a mixture of labelled ones, such as a stroke of a beginner by those of teachers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from mocapella.errors import MotionError
from mocapella.parametric.labels import Motion
from mocapella.parametric.mixing import examples_of

_SAME = 1e-9  # metres
_FIRM = 1e3  # how firmly weights sum to 1, in sizes of the motions' numbers


@dataclass(frozen=True)
class _Mixture:
    """A motion as a mixture of examples."""

    weights: tuple[float, ...]  # one for every example, from 0, sum 1
    labels: dict[str, float]  # of the examples, by these weights
    unlike: float  # what no mixture explains, as a share of how far examples are from their mean; 1 where none is


def mixture_of(
    motion: Motion,
    examples: Sequence[Motion],
    labels: Mapping[str, Sequence[float | int]] | None = None,
    *,
    keys: Sequence[Sequence[float | int]] | None = None,
) -> _Mixture:
    """The mixture of examples that is nearest to a motion.

    Motions are compared by how far joints move the ends of limbs, in metres: cycles by their low harmonics, with less
    weight on legs, which change where feet are held.

    Parameters
    ----------
    motion
        What is to be described.
    examples
        One or more motions of the same kind and joints.
    labels
        What the examples are called: numbers by names, one for each.
    keys
        For clips, frames that correspond: those of the motion first.

    Returns
    -------
    _Mixture
        Weights, labels by these weights, and what is left unexplained: less than 0.4 for mixtures of real gaits that
        were played with held feet, 1 and more for a motion that is as far from all mixtures as examples from each
        other.

    Raises
    ------
    MotionError
        For labels that are not given for every example, and motions that do not mix.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> calm, angry = (perform("drink", style=style)[0] for style in ("normal", "angry"))
    >>> found = mixture_of(angry, [calm, angry], {"anger": [0.0, 1.0]})
    >>> round(found.labels["anger"], 3)
    1.0
    """
    named = dict(labels or {})
    if unlike := [name for name, numbers in named.items() if len(numbers) != len(examples)]:
        raise MotionError(f"{unlike[0]} is given for {len(named[unlike[0]])} of {len(examples)} examples")
    rows = examples_of([motion, *examples], keys=keys).in_metres
    wanted, have = rows[0], rows[1:]
    middle = have.mean(axis=0)
    size = max(float(np.linalg.norm(wanted - middle)), float(np.linalg.norm(have - middle)), 1e-12)
    system = np.concatenate([(have - middle).T, np.full((1, len(have)), _FIRM * size)])
    weights, _ = nnls(system, np.concatenate([wanted - middle, [_FIRM * size]]))
    weights = weights / weights.sum()
    left = float(np.linalg.norm(weights @ have - wanted))
    apart = float(np.sqrt(np.mean(np.sum((have - middle) ** 2, axis=1))))
    values = {name: float(weights @ np.asarray(numbers, dtype=np.float64)) for name, numbers in named.items()}
    return _Mixture(tuple(weights.tolist()), values, left / apart if apart > _SAME else float(left > _SAME))
