"""Walks of the actor and a hybrid network, made once for the tests of playback and steering."""

from __future__ import annotations

from functools import cache

from mocapella.actor import capture, perform
from mocapella.analysis.prepare import prepare
from mocapella.analysis.synchronise import synchronise
from mocapella.building.build import build
from mocapella.hybrid.builder import HybridBuilder
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.hybrid.transition_search import find_transition
from mocapella.motion.cycle import Cycle

PACES = ((-0.6, 0.9), (0.6, 0.9), (0.0, 1.6), (0.0, 1.1))  # turn rate, speed


@cache
def walking_cycles() -> list[Cycle]:
    clips = [perform("walk", speed=speed, turn=turn)[0].renamed(f"{turn} {speed}") for turn, speed in PACES]
    return synchronise([prepare(clip) for clip in clips])


@cache
def small_hybrid() -> HybridNetwork:
    """Walks in quaternions, runs in Euler angles and standing; ways between them, and a twirl that can be repeated."""
    walks = [capture(name)[0] for name in ("slow walk straight", "fast walk straight", "medium walk sharp left")]
    runs = [capture(name)[0] for name in ("slow run straight", "fast run straight", "medium run sharp left")]
    draft = HybridBuilder({"walking": build(walks).network, "running": build(runs, layout="euler").network})
    for name, source, target in (
        ("walk-run", "walking", "running"),
        ("run-walk", "running", "walking"),
        ("walk-twirl-walk", "walking", None),
        ("walk-stand", "walking", "standing"),
        ("stand-walk", "standing", "walking"),
    ):
        key = {"walk-run": "r", "walk-twirl-walk": "x"}.get(name, "")
        draft = draft.with_transition(
            find_transition(capture(name)[0]), source, target, key=key, mirrored=name == "walk-run"
        )
    changes = ["walk-run", "run-walk", "walk-stand", "stand-walk"]
    return draft.finished(
        [
            draft.mode("change", changes, key="c"),
            draft.mode("twirl", ["walk-twirl-walk"], key="t"),
            draft.mode("blend", key="b"),
        ]
    )
