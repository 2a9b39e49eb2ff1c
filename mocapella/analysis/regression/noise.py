"""How noisy a capture is: what changes from frame to frame in a way that no smooth motion does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from mocapella.motion.clip import Clip


@dataclass(frozen=True)
class _NoiseScale:
    """How noise is told from motion.

    The limits were chosen on 111 captures of the data folder as they are, of which the quickest turns have 1.30° and
    4.5 mm, and on twelve of them with correlated noise of 1° and 5 mm, which have 1.53° and 6.5 mm at the least.
    """

    rate: float = 30.0  # Hz at which frames are compared, so that captures of all rates have the same figure
    calm: float = 0.25  # of the frames, the calmest, which tell the noise: the others hold quick motion
    calm_size: float = 1.1011  # in which this share of vectors of three normal numbers lies
    third: float = np.sqrt(20.0)  # times the noise: what third differences of it are
    step: float = np.sqrt(6.0)  # times the noise of one axis: the change from frame to frame of all three
    turns: float = 1.4  # degrees from which on a capture is noisy
    moves: float = 6.0  # millimetres, likewise
    tall: float = 2.5  # metres: larger bodies are giants, whose roots move by more
    least: int = 8  # frames


_NOISE = _NoiseScale()


@dataclass(frozen=True)
class Noise:
    """What changes within a thirtieth of a second beyond a smooth motion, root mean square."""

    degrees: float  # the rotation of a joint, in the median of all joints
    millimetres: float  # the place of the root
    blur: float = 1.0  # how many times as much smooth motion seems to be noise where frames lie further apart
    size: float = 1.0  # how many times as large as a person the body is, at least 1

    @property
    def is_high(self) -> bool:
        """Whether a cycle is better fitted to all repetitions than cut out of the capture."""
        return self.degrees > _NOISE.turns * self.blur or self.millimetres > _NOISE.moves * self.blur * self.size

    def __str__(self) -> str:
        return f"{self.degrees:.1f}°, {self.millimetres:.1f} mm from frame to frame"


def noise_of(clip: Clip) -> Noise:
    """The noise of a clip, told by its calmest frames, in which the motion around is nearly a parabola.

    Noise that changes more slowly than a gait is not seen. Below 30 Hz frames lie further apart, and more of a smooth
    motion is taken for noise; ``Noise.blur`` says by how much.
    """
    apart = max(1, round(clip.frame_rate / _NOISE.rate))
    if clip.n_frames < 3 * apart + _NOISE.least:
        return Noise(0.0, 0.0)
    turning = 2.0 * np.linalg.norm(_third_differences(clip.rotations_wxyz, apart), axis=-1)
    moving = np.linalg.norm(_third_differences(clip.root_positions, apart), axis=-1)
    per_joint = np.quantile(turning[:, turning.max(axis=0) > 0.0], _NOISE.calm, axis=0)
    scale = _NOISE.step / (_NOISE.calm_size * _NOISE.third)
    return Noise(
        degrees=float(np.degrees(scale * np.median(per_joint))) if len(per_joint) else 0.0,
        millimetres=float(1000.0 * scale * np.quantile(moving, _NOISE.calm)),
        blur=max(1.0, _NOISE.rate * apart / clip.frame_rate) ** 3,
        size=max(1.0, float(np.ptp(clip.skeleton.rest_positions, axis=0).max()) / _NOISE.tall),
    )


def _third_differences(values: Float[np.ndarray, " frames *rest"], apart: int) -> Float[np.ndarray, " fewer *rest"]:
    steps = values[apart:] - values[:-apart]
    bends = steps[apart:] - steps[:-apart]
    return np.asarray(bends[apart:] - bends[:-apart])
