"""The measures that commands report, by their JSON keys: a new one is a function and an entry here.

``mocapella measure`` reads ``NETWORK``, commands that write a motion ``MOTION``, and ``mocapella build`` ``ARC``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np
from jaxtyping import Complex

from mocapella.blending.network import Network
from mocapella.blending.rules import rule_name
from mocapella.editing.feet.root import drift
from mocapella.errors import MotionError
from mocapella.hybrid.seams import Seam
from mocapella.measure.coherence import edges, phase_differences, steepness
from mocapella.measure.distortion_maps import COLUMNS, ROWS, Improvement, Survey
from mocapella.measure.footskate import Footing, Trial, footing, grid_places, trial_places, try_out
from mocapella.measure.ground_path import distance, turned
from mocapella.measure.traced_points import TRACED, FootPoint
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import Contacts

T = TypeVar("T")
_STEEP = 5.0  # times the median edge: on a steeper edge the blend changes abruptly


@dataclass(frozen=True)
class Measure(Generic[T]):
    """A figure of a network, a motion or an arc."""

    of: Callable[[T], Any]  # None where it does not apply
    unit: str
    about: str  # what it is, in a few words, for tables and help
    over_blocks: Callable[[list[Any]], Any] | None = None  # one value for all blocks of a hybrid network, if any


def figures(measures: Mapping[str, Measure[T]], subject: T, keys: Collection[str] = ()) -> dict[str, Any]:
    """Values of measures by their ``keys``, in this order; of all if there are none."""
    return {key: measures[key].of(subject) for key in keys or measures}


@dataclass(frozen=True, eq=False)
class MeasuredNetwork:
    """A network with what its measures share, made when first used: maps of distortion, a trial of feet."""

    network: Network
    before: Network  # the same nodes under the rule to compare with
    grid: tuple[int, int] | None = None  # columns and rows; feet are played at its points too, if not None
    joint: FootPoint = "ankle"  # what stands for a foot in ``change``; ``points`` has all of ``TRACED``
    play: bool = True  # False: nothing is played, measures of feet are None
    progress: Callable[[int], AbstractContextManager[Callable[[], None]]] = lambda places: nullcontext(lambda: None)

    @cached_property
    def change(self) -> Improvement:
        """The maps of distortion with the rule to compare with and with the network's own."""
        return self._change(self._survey)

    @cached_property
    def points(self) -> dict[str, Improvement | None]:
        """These maps by what is traced; None for what the skeleton lacks, or what has no direction."""
        changes: dict[str, Improvement | None] = {}
        for point in TRACED:
            try:
                changes[point] = self.change if point == self.joint else self._change(self._survey.tracing(point))
            except MotionError:
                changes[point] = None
        return changes

    @cached_property
    def _survey(self) -> Survey:
        columns, rows = self.grid or (COLUMNS, ROWS)
        return Survey(self.network, columns=columns, rows=rows, joint=self.joint)

    @cached_property
    def _blends(
        self,
    ) -> tuple[Complex[np.ndarray, "points harmonics dofs"], Complex[np.ndarray, "points harmonics dofs"]]:
        """The blends of the survey's points by the rule to compare with and by the network's own."""
        return self._survey.yardstick.blends(self.before), self._survey.yardstick.blends()

    def _change(self, survey: Survey) -> Improvement:
        before, after = self._blends
        return Improvement(survey.map_of(before), survey.map_of(after))

    @cached_property
    def trial(self) -> Trial | None:
        """How the feet stand at the nodes, between them and at the points of the grid."""
        if not self.play:
            return None
        places = trial_places(self.network) + (grid_places(self.network, *self.grid) if self.grid else [])
        with self.progress(len(places)) as tick:
            return try_out(self.network, places, progress=tick)


@dataclass(frozen=True, eq=False)
class MeasuredMotion:
    """A motion and its foot plants, which are found from it if None; and what it was before an edit, where it was one.

    The original has as many frames.
    """

    clip: Clip
    contacts: Contacts | None = None
    original: Clip | None = None

    @cached_property
    def feet(self) -> Footing:
        """How its feet stand."""
        return footing(self.clip, self.contacts)


def _points(measured: MeasuredNetwork) -> dict[str, dict[str, Any] | None]:
    """Distortion by what is traced, each with that under the rule to compare with."""
    return {point: None if change is None else _both(change) for point, change in measured.points.items()}


def _both(change: Improvement) -> dict[str, Any]:
    return {**change.after.summary(change.before.max), "before": change.before.summary()}


def _points_over_blocks(values: list[dict[str, dict[str, Any] | None]]) -> dict[str, dict[str, Any] | None]:
    out: dict[str, dict[str, Any] | None] = {}
    for point in TRACED:
        traced = [summary for summary in (block[point] for block in values) if summary is not None]
        out[point] = _uhd_over_blocks(traced) if traced else None
    return out


def _uhd_over_blocks(values: list[dict[str, Any]]) -> dict[str, Any]:
    samples = sum(block["samples"] for block in values)
    return {
        "mean": sum(block["mean"] * block["samples"] for block in values) / samples,
        "max": max(block["max"] for block in values),
        "hotspots": sum(block["hotspots"] for block in values),
        "samples": samples,
    }


def _liveliness(measured: MeasuredNetwork) -> dict[str, float] | None:
    after = measured.change.after
    if not after.has_upper_band:
        return None
    shares = after.liveliness()
    return {"mean": float(np.nanmean(shares)), "min": float(np.nanmin(shares))}


def _sync(measured: MeasuredNetwork) -> float:
    return math.degrees(float(phase_differences(measured.network).max(initial=0.0)))


def _steep(measured: MeasuredNetwork) -> list[dict[str, Any]]:
    """Edges that are steeper than ``_STEEP`` times the median, steepest first."""
    names, pairs = measured.network.names, edges(measured.network.corners)
    times = steepness(measured.network)
    steep = [row for row in np.argsort(-times, kind="stable") if times[row] > _STEEP]
    return [{"nodes": [names[node] for node in pairs[row]], "times": float(times[row])} for row in steep]


def _largest(values: Iterable[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)


def _tried(key: str, unit: str, about: str) -> Measure[MeasuredNetwork]:
    """The largest value of a trial's figure; None where nothing was played."""

    def of(measured: MeasuredNetwork) -> float | None:
        return None if measured.trial is None else float(np.max(getattr(measured.trial, key)))

    return Measure(of, unit, about, _largest)


def _single_source(measured: MeasuredNetwork) -> dict[str, Any] | None:
    settings = measured.network.single_source
    if settings is None:
        return None
    return {
        "first": settings.first,
        "last": measured.network.n_harmonics if settings.last is None else settings.last,
        "winners": [list(pair) for pair in settings.winners],
        "abstaining": list(settings.abstaining),
        "structure": settings.structure,
        "override": settings.override is not None,
    }


def _common(values: list[Any]) -> Any:
    return values[0] if all(value == values[0] for value in values) else None


NETWORK: dict[str, Measure[MeasuredNetwork]] = {
    "rule": Measure(lambda measured: rule_name(measured.network.rule), "", "blend rule", _common),
    "harmonics": Measure(lambda measured: measured.network.n_harmonics, "", "harmonics of every node", _common),
    "single_source": Measure(_single_source, "", "single-source harmonics, if there are any", _common),
    "uhd": Measure(
        lambda measured: {
            **measured.change.after.summary(measured.change.before.max),
            "worst": list(measured.change.after.worst),
        },
        "rad",
        "upper-harmonic distortion: mean, max, hotspots, samples, and the blending point of the max",
        _uhd_over_blocks,
    ),
    "uhd_points": Measure(
        _points,
        "rad",
        "the same by what is traced: ankle, toe, end of the leg, hand; before: by the other rule",
        _points_over_blocks,
    ),
    "before": Measure(
        lambda measured: {"rule": rule_name(measured.before.rule), **measured.change.before.summary()},
        "rad",
        "the same under the rule to compare with",
    ),
    "change": Measure(
        lambda measured: measured.change.to_dict(), "%", "points improved and worsened by more than a threshold"
    ),
    "liveliness": Measure(_liveliness, "ratio", "energy of harmonics 6 to 10 in blends over that of their nodes"),
    "trace_turned_deg_max": Measure(
        lambda measured: math.degrees(float(np.nanmax(measured.change.after.turned))),
        "°",
        "angle between the trace of a blend and its reference",
    ),
    "slip_mm_max": _tried("slip_mm", "mm", "distance that a planted foot slides"),
    "penetration_mm_max": _tried("penetration_mm", "mm", "depth of a foot below the ground"),
    "floating_mm_max": _tried("floating_mm", "mm", "height of a planted foot above the ground"),
    "approach_m_s_max": _tried(
        "approach_m_s", "m/s", "speed of a foot over the ground in the three frames before it rests"
    ),
    "closing_cm_max": _tried("closing_cm_max", "cm", "distance of a joint from where it was a cycle before"),
    "sync_deg_max": Measure(_sync, "°", "phase difference between nodes that share an edge", _largest),
    "steep_max": Measure(
        lambda measured: float(steepness(measured.network).max(initial=0.0)),
        "ratio",
        "change of motion along an edge for its length, over that of the median edge",
        _largest,
    ),
    "steep": Measure(_steep, "ratio", f"edges that are steeper than {_STEEP:g} times the median: nodes, times"),
    "feet": Measure(
        lambda measured: measured.trial and measured.trial.to_dict(),
        "mm, m/s",
        "figures of every place that was played",
    ),
}


def _root_acceleration(motion: MeasuredMotion) -> float:
    """99th percentile of the root's acceleration, m/s²; 0 for fewer than three frames."""
    sizes = np.linalg.norm(np.diff(motion.clip.root_positions, n=2, axis=0), axis=-1) * motion.clip.frame_rate**2
    return float(np.percentile(sizes, 99.0)) if len(sizes) else 0.0


MOTION: dict[str, Measure[MeasuredMotion]] = {
    "seconds": Measure(lambda motion: motion.clip.seconds, "s", "how long it lasts"),
    "root_acceleration_p99": Measure(
        _root_acceleration, "m/s²", "acceleration of the root, 99th percentile of all frames"
    ),
    "distance": Measure(lambda motion: distance(motion.clip), "m", "way over the ground, without the sway of steps"),
    "drift_m": Measure(
        lambda motion: None if motion.original is None else drift(motion.original, motion.clip),
        "m",
        "distance of the end of the root's path from where it was",
    ),
    "turn": Measure(lambda motion: math.degrees(turned(motion.clip)), "°", "change of heading, left positive"),
    "slip_mm_max": Measure(lambda motion: motion.feet.slip_mm_max, "mm", "distance that a planted foot slides"),
    "slip_mm_mean": Measure(lambda motion: motion.feet.slip_mm_mean, "mm", "the same, mean of all plants"),
    "penetration_mm_max": Measure(
        lambda motion: motion.feet.penetration_mm_max, "mm", "depth of a foot below the ground"
    ),
    "floating_mm_max": Measure(
        lambda motion: motion.feet.floating_mm_max, "mm", "height of a planted foot above the ground"
    ),
    "approach_m_s_max": Measure(
        lambda motion: motion.feet.approach, "m/s", "speed of a foot in the frames before it rests"
    ),
}

ARC: dict[str, Measure[Seam]] = {
    "pose_cm": Measure(lambda seam: 100.0 * seam.pose, "cm", "mean distance of joints where cycle and capture meet"),
    "angle": Measure(lambda seam: math.degrees(seam.turn), "°", "largest angle of a joint between them"),
    "velocity": Measure(lambda seam: math.degrees(seam.velocity), "°/s", "largest change of a joint's velocity"),
}
