"""A small hybrid network of the actor's captures, made once for all tests that need one."""

from __future__ import annotations

from functools import cache

from mocapella.actor import capture
from mocapella.building.build import build
from mocapella.hybrid.builder import HybridBuilder
from mocapella.hybrid.transition_search import find_transition

WALKS = tuple(f"{pace} walk {way}" for pace in ("slow", "fast") for way in ("straight", "left", "right"))
RUNS = tuple(f"{pace} run {way}" for pace in ("slow", "fast") for way in ("straight", "left"))


@cache
def transition(name):
    return find_transition(capture(name)[0])


@cache
def block(names, layout="quaternion"):
    return build([capture(name)[0] for name in names], layout=layout).network


@cache
def draft():
    """Walks, runs and standing; ways between them and a twirl."""
    made = HybridBuilder({"walking": block(WALKS), "running": block(RUNS, "euler")})
    made = made.with_transition(transition("walk-run"), "walking", "running", key="r", mirrored=True)
    made = made.with_transition(transition("run-walk"), "running", "walking")
    made = made.with_transition(transition("walk-twirl-walk"), "walking")
    return made.with_transition(transition("walk-stand"), "walking", "standing")


@cache
def hybrid():
    made = draft()
    return made.finished(
        [
            made.mode("blend", key="b"),
            made.mode("change", ["walk-run", "run-walk", "walk-stand"], key="c"),
            made.mode("twirl", ["walk-twirl-walk"], key="t"),
        ]
    )
