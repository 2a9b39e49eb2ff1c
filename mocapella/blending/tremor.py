"""A capture without its tremor: what shakes more quickly than anybody moves.

Markers flicker, and a solver that loses one of them throws the hips about for a frame. Seen by itself that is hardly a
blemish. But a foot that is held to the ground under such hips makes the leg take all of it, and a knee that is nearly
straight shows millimetres as degrees.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
from jaxtyping import Float
from scipy.linalg import solveh_banded

from mocapella.arrays import owned
from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import Decision

TREMOR = 20.0  # Hz: twice what strikes and swings need; of captured jitter it leaves what no knee minds


@lru_cache(maxsize=64)
def without_tremor(clip: Clip, above: float | int = TREMOR) -> Clip:
    """The same motion without what is quicker than ``above`` (Hz), in root and joints alike; worked out once.

    Every signal becomes the smoothest one near it: of a wave of that frequency half is left, of one half as quick more
    than nine tenths at usual frame rates. Nothing comes later than it was, and the ends of the clip need no frames
    beyond them. Frames too few or too far apart to show anything so quick stay as they are.

    Raises
    ------
    MotionError
        For a frequency that is not above 0.
    """
    if not above > 0.0:
        raise MotionError(f"expected tremor to begin at a frequency above 0 Hz, got {above}; math.inf leaves all in")
    n, length = clip.n_frames, clip.frame_rate / above
    if n < 3 or length <= 2.0:
        return clip
    turns = _smoothest(clip.rotations_wxyz.reshape(n, -1), length).reshape(n, -1, 4)
    return replace(
        clip,
        root_positions=owned(_smoothest(clip.root_positions, length)),
        rotations_wxyz=owned(quaternions.normalise(turns)),
    )


def told_of_tremor(clip: Clip, above: float | int = TREMOR) -> tuple[Decision, ...]:
    """What leaving the tremor out does to a clip, if anything."""
    steady = without_tremor(clip, above)
    if steady is clip:
        return ()
    moved = np.linalg.norm(steady.positions - clip.positions, axis=-1)
    usual, most = float(np.median(moved)), float(moved.max())
    text = (
        f"where feet are held, what shakes more quickly than {above:g} Hz is not played: joints are "
        f"{1000 * usual:.1f} mm from where they were captured (median), at most {1000 * most:.0f} mm"
    )
    return (Decision("tremor", text, {"above_hz": float(above), "usual_m": usual, "most_m": most}),)


def _smoothest(rows: Float[np.ndarray, "frames columns"], length: float) -> Float[np.ndarray, "frames columns"]:
    """The smoothest signals near the rows: bending is dear enough that a wave of ``length`` frames keeps half."""
    n, stiffness = len(rows), (2.0 * np.sin(np.pi / length)) ** -4.0
    bands = np.zeros((3, n))  # of a symmetric matrix: the diagonal last, as scipy wants it
    bands[2] = 1.0
    for i, value in enumerate((1.0, -2.0, 1.0)):
        bands[2, i : n - 2 + i] += stiffness * value * value
    bands[1, 1:-1] -= 2.0 * stiffness
    bands[1, 2:] -= 2.0 * stiffness
    bands[0, 2:] += stiffness
    return np.asarray(solveh_banded(bands, rows))
