"""The effect of distorted foot traces on the root, the contribution of each harmonic, and traces as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np
from jaxtyping import Complex, Float

from mocapella.blending.network import Network
from mocapella.blending.places import Point
from mocapella.errors import MotionError
from mocapella.files.disk import replacing
from mocapella.geometry.angles import TURN
from mocapella.measure.distortion import FRAMES, FootTrace, Yardstick, aligned
from mocapella.measure.traced_points import FootPoint
from mocapella.motion.contacts import FEET
from mocapella.motion.layout import YAW_RATE
from mocapella.motion.spectrum import Spectrum
from mocapella.quoting import csv_line

COLUMNS = ("network", "foot", "stance", "sample", "x", "z", "blend_x", "blend_z", "reference_x", "reference_z")


@dataclass(frozen=True, eq=False)
class _RootPath:
    """The path of the root over one planted foot, played and ideal (thesis, figure 7.2).

    Both start at the origin and end on +z; x is to the left, metres. The ideal is the weighted mean of the paths of the
    nodes' own roots over their own feet.
    """

    foot: str
    played: Float[np.ndarray, "frames 2"]
    ideal: Float[np.ndarray, "frames 2"]
    seconds: Float[np.ndarray, " frames"]  # since the foot came down

    @property
    def deviation(self) -> Float[np.ndarray, "frames 2"]:
        """The played path less the ideal one."""
        return np.asarray(self.played - self.ideal)

    @property
    def sway(self) -> float:
        """Sideways deviation, peak to peak, metres."""
        return float(np.ptp(self.deviation[:, 0]))


def root_paths(
    network: Network, point: Point, *, joint: FootPoint = "ankle", frames: int = FRAMES
) -> tuple[_RootPath, ...]:
    """The path of the root over each contact stage of a blend, beside the ideal one; at a node both are equal.

    ``network`` is blended at ``point``. ``joint`` stands for the foot; each path has as many ``frames``.
    """
    yardstick = Yardstick(network, [point], joint=joint)
    spectrum, weights = network.blend(point), yardstick.weights[0]
    stages = []
    for stage in yardstick.traces(0):
        foot = FEET.index(stage.foot)
        starts, lengths = (values[:, stage.plant] for values in (yardstick.stances.starts, yardstick.stances.lengths))
        played = _way(yardstick, foot, spectrum, stage.start, stage.length, frames)
        ideal = np.zeros(frames, dtype=np.complex128)
        for node in np.flatnonzero(weights):
            node_spectrum = network.nodes[node].spectrum.truncated(network.n_harmonics)
            stance = float(starts[node]), float(lengths[node])
            ideal += weights[node] * _way(yardstick, foot, node_spectrum, *stance, frames)
        lasting = spectrum.duration * stage.length / TURN
        stages.append(_RootPath(stage.foot, _aligned(played), _aligned(ideal), np.linspace(0.0, lasting, frames)))
    return tuple(stages)


def _way(
    yardstick: Yardstick, foot: int, spectrum: Spectrum, start: float, length: float, frames: int
) -> Complex[np.ndarray, " frames"]:
    """The root's places z + ix over a foot at rest, in the heading at which the foot came down."""
    trace = yardstick.tracer.trace(foot, spectrum.coefficients[None], np.array([start]), np.array([length]), frames)[0]
    headings = spectrum.integral_at(start + length * np.linspace(0.0, 1.0, frames))[:, YAW_RATE]
    return np.asarray(-np.exp(1j * (headings - headings[0])) * (trace[:, 1] + 1j * trace[:, 0]))


def _aligned(way: Complex[np.ndarray, " frames"]) -> Float[np.ndarray, "frames 2"]:
    """The path moved and turned to go from the origin to +z; traces run the other way."""
    return np.asarray(-aligned(-np.stack([way.imag, way.real], axis=-1))[0])


def trace_contributions(
    network: Network, point: Point, *, joint: FootPoint = "ankle", frames: int = FRAMES
) -> dict[str, Float[np.ndarray, "harmonics frames 2"]]:
    """The contribution of each harmonic of a blend to the contact trace of each foot.

    The result maps each foot to an array (harmonics, frames, 2): x and z in metres. Row 0 is the mean pose alone; the
    sum of all rows is the trace, not aligned. Of a foot with several stances in the cycle the first is taken.
    """
    yardstick = Yardstick(network, [point], joint=joint)
    blend = network.blend(point).coefficients
    out: dict[str, Float[np.ndarray, "harmonics frames 2"]] = {}
    for stage in yardstick.traces(0):
        if stage.foot in out:
            continue
        start, length = np.array([stage.start]), np.array([stage.length])
        sums = [
            yardstick.tracer.trace(FEET.index(stage.foot), blend[None, : rows + 1], start, length, frames)[0]
            for rows in range(len(blend))
        ]
        out[stage.foot] = np.diff(np.stack(sums), axis=0, prepend=np.zeros((1, frames, 2)))
    return out


def distortion_by_harmonics(
    network: Network, points: Sequence[Point] | Float[np.ndarray, "points axes"], *, joint: FootPoint = "ankle"
) -> Float[np.ndarray, "harmonics points"]:
    """The distortion with the first one, two, … harmonics, each compared with nodes of as many.

    Radians; NaN at points that cannot be measured. A harmonic adds its row less the one before.
    """
    blends = Yardstick(network, points, joint=joint).blends()
    rows = []
    for harmonics in range(1, network.n_harmonics + 1):
        rows.append(Yardstick(network, points, joint=joint, harmonics=harmonics).measure_blends(blends).scores)
    return np.stack(rows)


def save_traces(traces: Mapping[str, Sequence[FootTrace]], path: str | PathLike[str]) -> None:
    """Write the contact traces at a point as ``.csv``, metres.

    ``x`` and ``z`` are relative to the root; blend and reference are aligned, as they are compared.
    """
    if Path(path).suffix.lower() != ".csv":
        raise MotionError(f"cannot write {Path(path).name}: traces are written as .csv")
    lines = [csv_line(*COLUMNS)]
    for label, stages in traces.items():
        for stage in stages:
            rows = np.concatenate([stage.places, stage.blend, stage.reference], axis=1)
            lines += [csv_line(label, stage.foot, stage.plant, i, *row) for i, row in enumerate(rows.tolist())]
    with replacing(path) as file:
        file.write("".join(lines).encode())
