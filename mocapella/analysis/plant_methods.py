"""The tests of foot plants by name: our own, those of the papers, and what is learned from examples."""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool

from mocapella.analysis.feet import FootTracks
from mocapella.analysis.knees import knee_plants
from mocapella.analysis.period import find_period
from mocapella.analysis.plant_learning import by_neighbours, by_speed, cycle_prior
from mocapella.analysis.plant_tests import displacement_plants, velocity_plants
from mocapella.analysis.plants import Learner, Method, resting
from mocapella.errors import MotionError


def prior_plants(tracks: FootTracks) -> Bool[np.ndarray, "frames 4"]:
    """Our own test, easier where the same place of the other cycles rests and harder where it does not (FPL-09).

    Where a clip has no period, or holds one cycle only, it is our own test.
    """
    masks = resting(tracks)
    try:
        period = find_period(tracks.clip).frames
    except MotionError:
        return masks
    return resting(tracks, 0.5 + cycle_prior(masks, period))


METHODS: dict[str, Method] = {
    "resting": resting,
    "displacement": displacement_plants,
    "velocity": velocity_plants,
    "knees": knee_plants,
    "prior": prior_plants,
}
LEARNERS: dict[str, Learner] = {"speed": by_speed, "neighbours": by_neighbours}
