"""The usual feelings: those the embedded actor performs, each beside the same motion without any."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Literal

from mocapella.actor import CLEAN, perform
from mocapella.analysis.prepare import prepare
from mocapella.editing.feelings.profile import Profile, learn_profile
from mocapella.motion.cycle import Cycle

GAIT_FEELINGS: Mapping[str, str] = MappingProxyType(
    {style: style for style in ("angry", "brisk", "drunk", "happy", "relaxed", "sad", "tired")}
    | {"depressed": "sad", "energetic": "brisk", "exhausted": "tired", "furious": "angry", "joyful": "happy"}
    | {"hurried": "brisk", "unhappy": "sad", "weary": "tired"}
)
"""Words for feelings of walks and runs, and the style of the actor that each stands for."""

_GESTURES = ("drink", "knock")  # that the actor performs with feelings: slow periods, and strokes


@lru_cache(maxsize=32)
def usual_gaits(kind: Literal["walk", "run"], feeling: str) -> tuple[Cycle, Cycle]:
    """A plain gait of the actor and the same with a feeling, one of ``GAIT_FEELINGS``; their difference is the feeling.

    Both go at the speed that comes with the feeling: slowness is part of tiredness.
    """
    plain, special = (
        prepare(perform(kind, style=style, imperfections=CLEAN)[0]) for style in ("normal", GAIT_FEELINGS[feeling])
    )
    return plain, special


@lru_cache(maxsize=8)
def usual_profile(feeling: str) -> Profile:
    """A feeling of gestures, one of those that ``feel`` knows by name: all periods of the actor's, in one profile."""
    pairs = [
        [perform(gesture, style=style, imperfections=CLEAN)[0] for style in ("normal", feeling)]
        for gesture in _GESTURES
    ]
    return Profile.joined(feeling, [learn_profile(neutral, emotional) for neutral, emotional in pairs])
