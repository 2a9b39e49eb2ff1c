"""A blend with the motions laid over it that keep their own time, as one motion on its way over the ground.

Where a captured change takes over from such a blend, or such a blend from a change, this is what it is joined with.
"""

from __future__ import annotations

import cmath
from dataclasses import dataclass

from mocapella.blending.node import Place
from mocapella.motion.layout import HEIGHT
from mocapella.playback.chorus import Chorus, Over
from mocapella.playback.footfalls import Posture
from mocapella.playback.gait import Gait, Touch
from mocapella.playback.holding import Plant


@dataclass(frozen=True, eq=False)
class Voiced:
    """A gait and the chorus over it, about the moment at which the gait is at a phase."""

    gait: Gait
    chorus: Chorus
    place: Place
    phase: float

    @property
    def plants(self) -> tuple[tuple[Plant, ...], ...]:
        """The plants of each of ``FOOT_POINTS``."""
        return self.gait.plants

    @property
    def rate(self) -> float:
        """Phase per second."""
        return self.gait.rate

    @property
    def lap(self) -> float:
        """The phase after which the gait comes round again."""
        return self.gait.lap

    def way(self, phase: float) -> tuple[float, complex]:
        """The heading (radians) and the path (metres), with what the chorus adds."""
        (yaw, path), over = self.gait.way(phase), self._over(phase)
        return yaw + over.yaw, path + cmath.exp(1j * yaw) * over.path

    def bearing(self, phase: float) -> list[float]:
        """How much of the body each foot point carries, 0 … 1."""
        return self.gait.bearing(phase)

    def height(self, point: int, phase: float) -> float:
        """How high a foot point is at a phase, metres."""
        return self.gait.height(point, phase)

    def touch(self, point: int, phase: float) -> Touch:
        """Where a foot point is at a phase, and how fast: feet stand where the blend has them."""
        return self.gait.touch(point, phase)

    def posture(self, phase: float) -> Posture:
        """The local rotations of all joints, the root's without heading, and the height of the root."""
        layout = self.gait.spectrum.layout
        assert layout is not None
        dofs = self.gait.dofs(phase) + self._over(phase).dofs
        return layout.rotations(dofs), float(dofs[HEIGHT]) + self.gait.lift(phase)

    def _over(self, phase: float) -> Over:
        half = 0.5 * self.lap
        apart = (phase - self.phase + half) % self.lap - half
        return self.chorus.over(self.place, apart / self.rate)
