"""From mixed harmonics to frames: whole cycles by one matrix product, and only when something has changed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from jaxtyping import Complex, Float

from mocapella.arrays import owned
from mocapella.blending.given import NETWORK, refuse_other
from mocapella.blending.network import Network, Place, Point
from mocapella.errors import MotionError
from mocapella.motion.spectrum import Spectrum, waves
from mocapella.reals import shown

TURN = 2.0 * np.pi


@lru_cache(maxsize=64)
def cycle_basis(frames: int, harmonics: int) -> Float[np.ndarray, "frames terms"]:
    """What the coefficients of each frame are multiplied by: 1, then 2 cos hθ, then −2 sin hθ; kept for next time."""
    factors = waves(TURN * np.arange(frames) / frames, harmonics)
    return owned(np.concatenate([factors.real, -factors.imag[:, 1:]], axis=1))


def whole_cycle(coefficients: Complex[np.ndarray, "harmonics dofs"], frames: int) -> Float[np.ndarray, "frames dofs"]:
    """The dofs of one cycle in ``frames`` frames, by one matrix product.

    As many harmonics as are given are used, even beyond what the frames could tell apart.
    """
    if not isinstance(frames, int | np.integer) or frames < 1:
        raise MotionError(f"expected a whole number of frames, at least one, got {shown(frames)}")
    n_harmonics = len(coefficients) - 1
    terms = np.concatenate([coefficients.real, coefficients.imag[1:]])
    return np.asarray(cycle_basis(frames, n_harmonics) @ terms)


def frame_count(spectrum: Spectrum, frame_rate: float | int) -> int:
    """How many whole frames a cycle takes, at least one."""
    return max(1, round(spectrum.duration * frame_rate))


def kept_progress(frame: float | int, before: float | int, after: float | int) -> float:
    """The frame counter in a cycle of ``after`` frames that is as far on as ``frame`` was in one of ``before``.

    Cycle phases need no such thing: they are progress.
    """
    return frame * after / before


class Mixer:
    """A network at a blending point that moves: blends and cycles are made when the point has moved, and not before.

    ``blends`` and ``cycles`` count how often something was computed.
    """

    def __init__(self, network: Network, point: Point) -> None:
        refuse_other(network, Network, NETWORK)
        self._network = network
        self._place = network.place(point)
        self._asked = network.checked_point(point)
        self._spectrum: Spectrum | None = None
        self._cycle: Float[np.ndarray, "frames dofs"] | None = None
        self.blends = 0
        self.cycles = 0

    @property
    def network(self) -> Network:
        """What is blended."""
        return self._network

    @network.setter
    def network(self, network: Network) -> None:
        if network is not self._network:
            place = network.place(self._asked)
            self._network, self._place = network, place
            self._spectrum = self._cycle = None

    @property
    def place(self) -> Place:
        """Where the blending point lies."""
        return self._place

    @property
    def point(self) -> tuple[float, ...]:
        """The blending point, as the network holds it."""
        return self._place.point

    @point.setter
    def point(self, point: Sequence[float]) -> None:
        asked = self._network.checked_point(point)
        if asked == self._asked:
            return
        place = self._network.place(asked, self._place)  # what it refuses leaves everything as it was
        self._asked = asked
        if place.point != self._place.point or place.triangle != self._place.triangle:
            self._spectrum = self._cycle = None
        self._place = place

    @property
    def spectrum(self) -> Spectrum:
        """The blend at the point."""
        if self._spectrum is None:
            self._spectrum = self._network.blend(self._place)
            self.blends += 1
        return self._spectrum

    def cycle(self, frames: int) -> Float[np.ndarray, "frames dofs"]:
        """One cycle of the blend in so many frames."""
        if self._cycle is None or len(self._cycle) != frames:
            self._cycle = owned(whole_cycle(self.spectrum.coefficients, frames))
            self.cycles += 1
        return self._cycle
