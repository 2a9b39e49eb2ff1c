"""Hybrid networks of the tests of the C library: small ones, made once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from mocapella.actor import capture
from mocapella.blending.network import Network
from mocapella.exporting.mocar import mocar_bytes
from mocapella.hybrid.builder import HybridBuilder, PlacementRequest
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.hybrid.transition_search import find_transition
from mocapella.storage.values import load
from tests.crowd.samples import walks


@cache
def twirling() -> HybridNetwork:
    """The actor's walks with a twirl and its mirror image; a way to stand, and one back that is left at once."""
    names = {"twirl": "walk-twirl-walk", "stop": "walk-stand", "go": "stand-walk"}
    twirl, stop, go = (find_transition(capture(take)[0], name=name) for name, take in names.items())
    draft = HybridBuilder({"walking": Network(walks().nodes[:3])})
    draft = draft.with_transition(twirl, "walking", mirrored=True)
    draft = draft.with_transition(stop, "walking", "standing")
    stood = PlacementRequest(node="stop after")
    draft = draft.with_transition(go, "standing", "walking", leaving=stood, at_once=True)
    return draft.finished([draft.mode("blend"), *(draft.mode(arc.name, [arc.name]) for arc in draft.arcs)])


@cache
def stopping(data: Path) -> HybridNetwork:
    """A captured person who stops walking: two blocks of one motion each."""
    change = find_transition(load(data / "cmu-bvh" / "16" / "16_33.bvh"), name="stop")
    draft = HybridBuilder().with_transition(change, "walking", "standing")
    return draft.finished([draft.mode("all", ["stop"])])


@cache
def written(hybrid: HybridNetwork) -> bytes:
    """Its file."""
    return mocar_bytes(hybrid)
