"""A space of motions: examples with labels, and the motion for any labels between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Float

from mocapella.arrays import freeze
from mocapella.checks import explained, finite_number, shown
from mocapella.errors import MotionError, Option
from mocapella.geometry.simplices import axis_spread
from mocapella.parametric.gridded import Grid
from mocapella.parametric.inversion import Inversion
from mocapella.parametric.labels import LABELS, Motion, measured
from mocapella.parametric.mixing import ClipExamples, Examples, examples_of, scaled_motion
from mocapella.parametric.principal import Principal
from mocapella.parametric.scattered import Scattered, cardinal

FORMS = ("inverse", "weights", "numbers", "principal", "grid")
"""``"inverse"``: weights whose mixture has the requested labels (Kovar and Gleicher 2004); ``"weights"``: weights
that are smooth in the labels (Sloan, Rose and Cohen 2001); ``"numbers"``: every number of a motion smooth in the labels
(Rose, Cohen and Bodenheimer 1998); ``"principal"``: scores of principal components linear in the labels (Glardon,
Boulic and Thalmann 2004); ``"grid"``: the corners of a cell (Wiley and Hahn 1997)."""

_BODY = "height"
_ONE_BODY = 1e-3  # of a height: bodies that differ by less are one
_SMALLEST = 0.2  # times the examples' body that one may be
_WITHIN = 0.02  # of what is asked, or of the range of a label where that is more: what counts as reached


@dataclass(frozen=True, eq=False)
class Made:
    """The answer to a request by labels."""

    motion: Motion
    asked: dict[str, float]
    had: dict[str, float]  # measured labels of the motion, and given labels by its weights
    weights: dict[str, float]  # of the examples, by their names; those that count
    feasible: bool  # whether every label is reached
    reason: str  # which label is not reached, and the nearest value


@explained
@dataclass(frozen=True, eq=False)
class MotionSpace:
    """Examples of one kind of motion with labels, and all motions between them.

    Labels of ``mocapella.parametric.labels.LABELS`` are measured, such as speed and turn rate; others are given, such
    as how tired a walk looks. ``MotionSpace.of`` makes a space of motions; ``at`` makes a motion by labels, and those
    that are not named are left free.

    Parameters
    ----------
    examples
        Motions ready to be mixed.
    names
        Of the labels.
    labels
        Of every example.
    titles
        Names of the examples.
    form
        One of ``FORMS``.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> from mocapella.analysis.fourier import analyse
    >>> from mocapella.analysis.prepare import prepare
    >>> from mocapella.analysis.synchronise import synchronise
    >>> walks = synchronise([prepare(perform("walk", speed=v)[0]) for v in (0.8, 1.2, 1.6)])
    >>> space = MotionSpace.of([analyse(walk) for walk in walks], ["speed"])
    >>> round(space.at(speed=1.1).had["speed"], 2)
    1.1
    """

    examples: Examples
    names: tuple[str, ...]
    labels: Float[np.ndarray, "examples labels"]
    titles: tuple[str, ...]
    form: str = "inverse"

    def __post_init__(self) -> None:
        freeze(self, np.float64, "labels")

    @classmethod
    def of(
        cls,
        motions: Sequence[Motion],
        names: Sequence[str] = (),
        *,
        given: Mapping[str, Sequence[float | int]] | None = None,
        form: str = "inverse",
        keys: Sequence[Sequence[float | int]] | None = None,
    ) -> MotionSpace:
        """A space of motions.

        Parameters
        ----------
        motions
            Two or more cycles (spectra, in step) or clips, of one set of joints.
        names
            Of labels that are measured.
        given
            Labels that are given: one number for every motion.
        form
            One of ``FORMS``.
        keys
            For clips, frames that correspond; see ``examples_of``.

        Returns
        -------
        MotionSpace
            Nothing is mixed before something is asked for.

        Raises
        ------
        MotionError
            For no labels, labels that are not measured, missing numbers, and unknown forms.
        """
        examples = examples_of(motions, keys=keys)
        extra = dict(given or {})
        if form not in FORMS:
            raise MotionError(expected=f"a form out of {', '.join(FORMS)}", got=shown(form))
        if not names and not extra:
            raise MotionError("a space of motions has one label or more", helps='names=["speed", "turn"]')
        if both := set(names) & set(extra):
            raise MotionError(f"{sorted(both)[0]} is measured and given at once", helps="leave it out of one")
        count = len(examples.motions)
        if unlike := [name for name, numbers in extra.items() if len(numbers) != count]:
            text = f"{unlike[0]} is given for {len(extra[unlike[0]])} of {count} motions"
            raise MotionError(text, helps="one number for each")
        labels = np.array([measured(motion, names) for motion in examples.motions]).reshape(count, -1)
        more = np.array([[float(x) for x in numbers] for numbers in extra.values()]).reshape(len(extra), count).T
        titles = _titles([motion.name for motion in examples.motions])
        return cls(examples, (*names, *extra), np.concatenate([labels, more], axis=1), titles, form)

    @property
    def _measured(self) -> list[str]:
        return [name for name in self.names if name in LABELS]

    @property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """The least and the most of every label among the examples."""
        columns = zip(self.names, self.labels.T, strict=True)
        return {name: (float(column.min()), float(column.max())) for name, column in columns}

    def at(self, **asked: float | int) -> Made:
        """The motion for some labels.

        Parameters
        ----------
        **asked
            Numbers by the names of labels; those left out are free.

        Returns
        -------
        Made
            The motion, how it was made, and how near it comes to the request.

        Raises
        ------
        MotionError
            For names that are no labels of the space, or numbers that are not finite.
        """
        wanted = self._asked(asked)
        if _BODY in wanted and np.ptp(self.labels[:, self.names.index(_BODY)]) < _ONE_BODY * wanted[_BODY]:
            return self._on_body(wanted)
        chosen = [self.names.index(name) for name in wanted]
        weights, motion = self._made(chosen, np.array(list(wanted.values())))
        numbers = dict(zip(self.names, self._had(weights, motion).tolist(), strict=True))
        missed = {name: x for name, x in wanted.items() if abs(numbers[name] - x) > self._tolerance(name, x)}
        shares = zip(self.titles, weights, strict=True)
        counting = {title: round(float(share), 6) for title, share in shares if abs(share) > 1e-4}
        reason = self._reason(missed, numbers, alone=len(wanted) == 1)
        return Made(motion, wanted, numbers, counting, not missed, reason)

    def _on_body(self, wanted: dict[str, float]) -> Made:
        """All examples are of one size: they are made larger or smaller, and the rest is asked of those."""
        factor = wanted[_BODY] / float(self.labels[0, self.names.index(_BODY)])
        if not _SMALLEST <= factor <= 1.0 / _SMALLEST:
            raise MotionError(f"a body of {wanted[_BODY]:g} m is {factor:.3g} times that of the examples")
        if len(wanted) == 1 and len(self.names) == 1:
            raise MotionError("ask for something beside the height, or give examples of several heights")
        motions = [scaled_motion(motion, factor) for motion in self.examples.motions]
        names = [name for name in self._measured if name != _BODY]
        given = {name: self.labels[:, self.names.index(name)].tolist() for name in self.names if name not in LABELS}
        space = MotionSpace.of(motions, names, given=given, form=self.form, keys=self._keys)
        rest = {name: value for name, value in wanted.items() if name != _BODY}
        response = space.at(**(rest or {space.names[0]: float(space.labels[:, 0].mean())}))
        height = float(measured(response.motion, [_BODY])[0])
        return replace(response, asked=wanted, had={**response.had, _BODY: height})

    def _asked(self, asked: Mapping[str, float | int]) -> dict[str, float]:
        if not asked:
            raise MotionError(f"ask for one label or more: {', '.join(self.names)}")
        for name in asked:
            if name not in self.names:
                expected = f"a label out of {', '.join(self.names)}"
                raise MotionError(expected=expected, got=shown(name), option=Option("ask", name))
        return {name: finite_number(value, f"a number for {name}") for name, value in asked.items()}

    def _made(self, chosen: list[int], goal: np.ndarray) -> tuple[np.ndarray, Motion]:
        if self.form == "inverse":
            weights = self._inversion(tuple(chosen)).weights(goal)[0]
            return weights, self.examples.mix(weights)
        place = self._completed(chosen, goal)
        if self.form == "numbers":
            return self._cardinal.at(place), self.examples.from_row(self._numbers.at(place))
        if self.form == "principal":
            weights = self._principal.weights(self.labels, place)
            return weights, self._principal.motion(weights @ self._principal.scores)
        weights = self._grid.weights(place) if self.form == "grid" else self._cardinal.at(place)
        return weights, self.examples.mix(weights)

    def _completed(self, chosen: list[int], goal: np.ndarray) -> np.ndarray:
        """A complete place: free labels take the values of examples near the request."""
        given = self.labels[:, chosen]
        near = 1.0 / (np.linalg.norm((given - goal) / axis_spread(given), axis=1) + 1e-6)
        place = near @ self.labels / near.sum()
        place[chosen] = goal
        return np.asarray(place)

    def _inversion(self, chosen: tuple[int, ...]) -> Inversion:
        if chosen not in self._inversions:
            picked = list(chosen)

            def measure(weights: np.ndarray) -> np.ndarray:
                return self._had(weights, self.examples.mix(weights))[picked]

            def rough(weights: np.ndarray) -> np.ndarray:
                return self._had(weights, self.examples.sketch(weights))[picked]

            self._inversions[chosen] = Inversion(self.labels[:, picked], measure, rough)
        return self._inversions[chosen]

    @cached_property
    def _inversions(self) -> dict[tuple[int, ...], Inversion]:
        return {}

    @cached_property
    def _cardinal(self) -> Scattered:
        return cardinal(self.labels)

    @cached_property
    def _numbers(self) -> Scattered:
        return Scattered.through(self.labels, self.examples.rows)

    @cached_property
    def _principal(self) -> Principal:
        return Principal.of(self.examples.motions, keys=self._keys)

    @property
    def _keys(self) -> list[list[float]] | None:
        return self.examples.keys.tolist() if isinstance(self.examples, ClipExamples) else None

    @cached_property
    def _grid(self) -> Grid:
        return Grid.of(self.labels)

    def _had(self, weights: np.ndarray, motion: Motion) -> np.ndarray:
        """All labels of a mixture: measured ones measured, given ones by the weights."""
        names = self._measured
        labels = measured(motion, names) if names else np.zeros(0)
        return np.concatenate([labels, weights @ self.labels[:, len(names) :]])

    def _tolerance(self, name: str, asked: float) -> float:
        low, high = self.ranges[name]
        return _WITHIN * max(abs(asked), 0.5 * (high - low))

    def _reason(self, missed: Mapping[str, float], had: Mapping[str, float], *, alone: bool) -> str:
        parts = []
        reached = "is out of reach" if alone else "is out of reach with the other labels"
        nearest = "is the nearest"
        if self.form != "inverse":  # the others search for nothing
            reached, nearest = "is not met", f"is what the form {self.form} gives"
        for name, x in missed.items():
            low, high = self.ranges[name]
            asked = f"{name} {x:g} {LABELS[name].unit if name in LABELS else ''}".strip()
            parts.append(f"{asked} {reached}: {had[name]:.3g} {nearest}, examples have {low:.3g} … {high:.3g}")
        return "; ".join(parts)


def _titles(names: Sequence[str]) -> tuple[str, ...]:
    """Names of examples, with their numbers where they have none or share one."""
    return tuple(
        name if name and list(names).count(name) == 1 else f"{name or 'example'} {number}"
        for number, name in enumerate(names, start=1)
    )
