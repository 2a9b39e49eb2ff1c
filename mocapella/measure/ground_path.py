"""The path of a clip over the ground: its length, its turn, and its distance from a wanted path."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from mocapella.errors import MotionError
from mocapella.motion.clip import Clip

_WINDOW = 1.0  # seconds: about a cycle, over which the sway of steps cancels out


def distance(clip: Clip) -> float:
    """Distance that a clip covers, without the sway of its steps, in metres.

    Displacements in the character's own heading are added up second by second, so that neither sway nor turning counts.
    """
    steps = np.diff(clip.ground_path) * np.exp(-1j * clip.headings[:-1])
    if len(steps) == 0:
        return 0.0
    return float(sum(abs(part.sum()) for part in np.array_split(steps, max(1, round(clip.seconds / _WINDOW)))))


def turned(clip: Clip) -> float:
    """Change of heading from the first frame to the last, radians, left positive, with full turns."""
    yaws = clip.headings
    return float(yaws[-1] - yaws[0])


def lateral_errors(
    clip: Clip, path: Float[np.ndarray, "points 2"], *, step: float | int = 0.5
) -> Float[np.ndarray, " frames"]:
    """Distance in metres of the root of ``clip`` from a ``path`` of places (x, z), without the sway of walking.

    ``step`` is the seconds to average over; frames nearer to an end than half a step are left out.
    """
    if len(path) < 2:
        raise MotionError(f"a path has at least two points, got {len(path)}")
    width = min(clip.n_frames, max(1, round(step * clip.frame_rate)))
    sums = np.cumsum(np.concatenate([np.zeros((1, 2)), clip.root_positions[:, [0, 2]]]), axis=0)
    steady = (sums[width:] - sums[:-width]) / width
    along = np.diff(path, axis=0)
    lengths = np.maximum((along**2).sum(axis=1), 1e-18)
    best = np.full(len(steady), np.inf)
    for start, way, length in zip(path[:-1], along, lengths, strict=True):
        share = np.clip((steady - start) @ way / length, 0.0, 1.0)
        best = np.minimum(best, np.linalg.norm(steady - start - share[:, None] * way, axis=1))
    return best
