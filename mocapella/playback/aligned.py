"""Two motions blended as registration curves do it, with one laid over the other on the ground, frame by frame.

For comparison: from each frame to the next both go on from where their bodies lie over each other, and the mean of
where that leads is taken. Paths that part by more than half a turn do not fold, for what is blended is always side by
side; but every pair of motions needs alignments of its own, where ``blend_clips`` needs nothing but the motions.
"""

from __future__ import annotations

import cmath

import numpy as np

from mocapella.analysis.root import headings
from mocapella.geometry.alignment import ground_alignment
from mocapella.geometry.angles import wrap
from mocapella.motion.clip import Clip
from mocapella.playback.trajectory import blended_bodies, refuse_unlike_clips


def blend_aligned(first: Clip, second: Clip, share: float | int) -> Clip:
    """A motion between two of as many frames and one skeleton; ``share`` of the first, the rest of the second.

    The first frame is blended where it stands. With a share of 1 or 0 the motions come out as they were. Everything but
    the way and the heading is blended as ``blend_clips`` does.
    """
    refuse_unlike_clips(first, second, share)
    rest = 1.0 - share
    # Places on the ground as complex numbers, z + ix, so that a turn to the left is a factor.
    one, two = (clip.root_positions[:, 2] + 1j * clip.root_positions[:, 0] for clip in (first, second))
    yaws = [headings(clip).tolist() for clip in (first, second)]
    laid = [ground_alignment(still, moved) for still, moved in zip(first.positions, second.positions, strict=True)]

    def mean(frame: int, by: int) -> tuple[complex, float]:
        """Place and heading of the blend in the first motion's world, the second laid over it as in frame ``by``."""
        over = laid[by]
        there = complex(two[frame]) * cmath.exp(1j * over.yaw) + complex(over.z, over.x)
        apart = float(wrap(np.asarray(yaws[1][frame] + over.yaw - yaws[0][frame])))
        return share * complex(one[frame]) + rest * there, yaws[0][frame] + rest * apart

    place = share * complex(one[0]) + rest * complex(two[0])
    yaw = yaws[1][0] + share * float(wrap(np.asarray(yaws[0][0] - yaws[1][0])))
    way, facing = [place], [yaw]
    for frame in range(1, first.n_frames):
        # The blend's world is the first motion's, turned and moved; the step is taken before it changes.
        here, before = mean(frame - 1, frame - 1)
        goal, after = mean(frame, frame - 1)
        place += (goal - here) * cmath.exp(1j * (yaw - before))
        yaw += after - before
        way.append(place)
        facing.append(yaw)
    ground = np.stack([np.imag(way), np.real(way)], axis=1)
    return blended_bodies(first, second, share, ground, np.array(facing))
