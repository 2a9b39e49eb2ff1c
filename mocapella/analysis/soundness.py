"""Which frames of a clip can be trusted: the stretches between lost frames and leaps of the root."""

from __future__ import annotations

import numpy as np

from mocapella.motion.clip import Clip
from mocapella.motion.faults import find_faults


def sound_stretches(clip: Clip) -> list[slice]:
    """The stretches of a clip in which the root is where it should be, in order; the rest pose in front is left out.

    A root that is lost at 0, 0, 0 for some frames or leaps further than a body can ends a stretch; nothing that is
    learned from a clip may reach over such a place.
    """
    skip = clip.n_frames - clip.captured.n_frames
    findings = {finding.code: np.array(finding.frames) - clip.first_row for finding in find_faults(clip)}
    bad = np.zeros(clip.n_frames, dtype=bool)
    bad[:skip] = True
    bad[findings.get("root-dropout", np.zeros(0, dtype=np.int64))] = True
    breaks = np.zeros(clip.n_frames + 1, dtype=bool)
    breaks[findings.get("root-jump", np.zeros(0, dtype=np.int64))] = True
    out = []
    start = 0
    for frame in range(clip.n_frames + 1):
        ended = frame == clip.n_frames or bad[frame]
        if ended or breaks[frame]:
            if start < frame:
                out.append(slice(start, frame))
            start = frame + 1 if ended else frame
    return out


def longest_sound(clip: Clip) -> slice:
    """The longest stretch of a clip that can be trusted."""
    stretches = sound_stretches(clip)
    return max(stretches, key=lambda stretch: stretch.stop - stretch.start, default=slice(0, clip.n_frames))
