"""The root's way over a planted foot: the distortion of a foot's trace as the body suffers it (thesis, figure 7.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Complex, Float

from mocapella.blending.network import Network, Point
from mocapella.measure.contact_trace import FootJoint
from mocapella.measure.distortion import FRAMES, Yardstick, aligned
from mocapella.motion.contacts import FEET
from mocapella.motion.layout import YAW_RATE
from mocapella.motion.spectrum import Spectrum


@dataclass(frozen=True, eq=False)
class RootPath:
    """Where the root goes while one foot is nailed to the ground: played, and ideal.

    Both start at the origin and end on +z; x is to the left, metres. The ideal is the weighted mean of the ways that
    the roots of the nodes go over their own feet.
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
        """How far the deviation goes from side to side, peak to peak, metres."""
        return float(np.ptp(self.deviation[:, 0]))


def root_paths(
    network: Network, point: Point, *, joint: FootJoint = "ankle", frames: int = FRAMES
) -> tuple[RootPath, ...]:
    """The root's way over each contact stage of a blend, beside the ideal one; nothing but zeros apart at a node."""
    yardstick = Yardstick(network, [point], joint=joint)
    spectrum, weights = network.blend(point), yardstick.weights[0]
    stages = []
    for stage in yardstick.traces(0):
        foot = FEET.index(stage.foot)
        starts, lengths = (values[:, stage.plant] for values in (yardstick.stances.starts, yardstick.stances.lengths))
        played = _way(yardstick, foot, spectrum, stage.start, stage.length, frames)
        ideal = np.zeros(frames, dtype=np.complex128)
        for node in np.flatnonzero(weights):
            own = network.nodes[node].spectrum.truncated(network.n_harmonics)
            ideal += weights[node] * _way(yardstick, foot, own, float(starts[node]), float(lengths[node]), frames)
        lasting = spectrum.duration * stage.length / (2.0 * np.pi)
        stages.append(RootPath(stage.foot, _laid(played), _laid(ideal), np.linspace(0.0, lasting, frames)))
    return tuple(stages)


def _way(
    yardstick: Yardstick, foot: int, spectrum: Spectrum, start: float, length: float, frames: int
) -> Complex[np.ndarray, " frames"]:
    """The root's places z + ix over a foot that stays put, in the heading at which the foot came down."""
    trace = yardstick.tracer.trace(foot, spectrum.coefficients[None], np.array([start]), np.array([length]), frames)[0]
    headings = spectrum.integral_at(start + length * np.linspace(0.0, 1.0, frames))[:, YAW_RATE]
    return np.asarray(-np.exp(1j * (headings - headings[0])) * (trace[:, 1] + 1j * trace[:, 0]))


def _laid(way: Complex[np.ndarray, " frames"]) -> Float[np.ndarray, "frames 2"]:
    """A path from the origin to +z: traces run the other way."""
    return np.asarray(-aligned(-np.stack([way.imag, way.real], axis=-1))[0])
