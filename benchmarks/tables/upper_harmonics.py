"""The experiment on upper harmonics: ways of blending judged by distortion, liveliness and captures left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Complex

from benchmarks.tables.left_out import LeftOut
from mocapella.blending.network import Network
from mocapella.blending.places import Point
from mocapella.blending.rules import BlendRule, lively_blend, phasor_blend, streamlined_blend
from mocapella.blending.single_source.ssh import SingleSource
from mocapella.errors import MotionError
from mocapella.measure.distortion_maps import COLUMNS, ROWS, Improvement, Survey
from mocapella.measure.traced_points import TRACED, TracedPoint
from mocapella.studies.published import by_rule

Blends = Complex[np.ndarray, "points harmonics dofs"]


@dataclass(frozen=True)
class Candidate:
    """A way of blending, by name."""

    name: str
    about: str
    blends: Callable[[Network, Sequence[Point]], Blends]  # of a network's nodes and triangles, whatever its own rule

    @classmethod
    def of(cls, name: str, about: str, rule: BlendRule, settings: SingleSource | None = None) -> Candidate:
        """Blends by one rule, with or without single-source harmonics."""
        return cls(name, about, lambda network, points: by_rule(network, rule, settings).coefficients_at(points))


STREAMLINED = Candidate.of("streamlined", "linear magnitudes, the thesis", streamlined_blend)
LIVELY = Candidate.of(
    "lively", "feet in step, phasors, upper harmonics kept large where they move no ankle", lively_blend
)
CANDIDATES = (
    STREAMLINED,
    Candidate.of("streamlined + SSH", "… from harmonic 6 on from one node", streamlined_blend, SingleSource()),
    Candidate.of("phasor", "the mean of the motions, phase by phase", phasor_blend),
    Candidate.of("phasor + SSH", "… from harmonic 6 on from one node", phasor_blend, SingleSource()),
    LIVELY,
)

_HOTSPOTS_GONE, _IMPROVED, _WORSENED, _LIVELINESS = 0.996, 0.90, 0.01, 0.90  # goals, shares


@dataclass(frozen=True, eq=False)
class Verdict:
    """Measures of one candidate against the streamlined rule."""

    name: str
    about: str
    change: Improvement
    points: Mapping[str, Improvement]  # the same by what is traced, as far as the skeleton has it
    liveliness: tuple[float, float]  # the mean over the network, and the least
    left_out: Mapping[str, float]  # metres, by set of captures

    @property
    def goals(self) -> dict[str, bool]:
        """Which of the goals it reaches."""
        rows = self.change.table()
        return {
            "hotspots_gone": self.change.hotspots_gone >= _HOTSPOTS_GONE,
            "improved": rows[0].improved >= _IMPROVED,
            "worsened": rows[1].worsened < _WORSENED,
            "liveliness": self.liveliness[0] >= _LIVELINESS,
        }

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain numbers: radians, shares in per cent, centimetres."""
        return {
            "name": self.name,
            "about": self.about,
            "uhd": self.change.after.summary(self.change.before.max),
            "uhd_points": {point: change.after.summary(change.before.max) for point, change in self.points.items()},
            "change": self.change.to_dict(),
            "liveliness": {"mean": self.liveliness[0], "min": self.liveliness[1]},
            "left_out_cm": {title: 100.0 * error for title, error in self.left_out.items()},
            "goals": self.goals,
        }


def by_point(survey: Survey) -> dict[TracedPoint, Survey]:
    """A survey by what is traced, as far as the skeleton has it."""
    surveys: dict[TracedPoint, Survey] = {}
    for point in TRACED:
        try:
            surveys[point] = survey.tracing(point)
        except MotionError:
            continue
    return surveys


class Study:
    """One network and some captures to leave out, on which candidates are judged.

    The network is of walks that take steps on both feet, with harmonics above the fifth. ``left_out`` has by the name
    of a set its captures, with the networks of all others. Distortion is measured on a grid of ``columns`` and
    ``rows``.
    """

    def __init__(
        self,
        network: Network,
        left_out: Mapping[str, Sequence[LeftOut]],
        *,
        columns: int = COLUMNS,
        rows: int = ROWS,
    ) -> None:
        self.network, self.sets = network, left_out
        self.survey = Survey(network, columns=columns, rows=rows)
        before = STREAMLINED.blends(network, self.points)
        self.before = self.survey.map_of(before)
        self._surveys = by_point(self.survey)
        self._before = {point: survey.map_of(before) for point, survey in self._surveys.items()}
        if not self.before.has_upper_band:
            raise MotionError(f"this network has {network.n_harmonics} harmonics; the upper band begins with the sixth")

    @property
    def points(self) -> list[tuple[float, ...]]:
        """The blending points at which blends are measured."""
        return [tuple(point) for point in self.survey.yardstick.points.tolist()]

    def judge(self, candidate: Candidate) -> Verdict:
        """A candidate's blends all over the network, and of captures that were left out."""
        errors = {
            title: float(np.mean([one.error(candidate.blends(one.network, [one.point])[0]) for one in cases]))
            for title, cases in self.sets.items()
            if cases
        }
        return self.verdict(candidate.name, candidate.about, candidate.blends(self.network, self.points), errors)

    def verdict(self, name: str, about: str, blends: Blends, left_out: Mapping[str, float] | None = None) -> Verdict:
        """Judge blends, one per point of the study."""
        after = self.survey.map_of(blends)
        points = {
            point: Improvement(self._before[point], survey.map_of(blends)) for point, survey in self._surveys.items()
        }
        kept = after.liveliness()
        lively = float(np.nanmean(kept)), float(np.nanmin(kept))
        return Verdict(
            name, about, Improvement(self.before, after), points, lively, {} if left_out is None else left_out
        )
