"""Walks and runs that the experiment on upper harmonics blends: CMU's where there are some, else the actor's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mocapella.actor import capture
from mocapella.blending.network import Network
from mocapella.building.build import build
from mocapella.building.layout.placement import TURN_AND_SPEED, Axes
from mocapella.building.sorting import Source
from mocapella.building.sources import gather
from mocapella.motion.cycle import Cycle
from mocapella.studies.paper_tables import SUBJECT_16, WALKS, Sources

_RUNS = (35, 36, 37, 39, 41, 43, 45, 46, 48, 49, 50, 51, 53, 55, 56)
_STYLES = ("normal", "tired", "brisk", "sad", "happy", "relaxed", "marching", "drunk")
_TURNS = ("straight", "left", "right", "sharp left", "sharp right")
# Title → captures of the set, and the axes they are placed by; straight ones on a line by their speed.
_LEFT_OUT: Mapping[str, tuple[tuple[str, ...], Axes | None]] = {
    "07, straight walks": (tuple(f"07_{i:02d}.amc" for i in range(1, 12)), None),
    "08, straight walks": (tuple(f"08_{i:02d}.bvh" for i in (1, 4, 7, 11)), None),
    "16, straight walks": (tuple(f"16_{i}.bvh" for i in (15, 21, 31, 47, 58)), None),
    "16, walks and turns": (tuple(f"16_{i}.bvh" for i in WALKS if i != 33), TURN_AND_SPEED),
    "16, runs and turns": (tuple(f"16_{i}.bvh" for i in _RUNS), TURN_AND_SPEED),
}


def walks(sources: Sources) -> Network:
    """A network of walks, all takes kept, none mirrored: straight to sharp turns, slow to fast."""
    sources.tell("preparing walks")
    files = sources.found(SUBJECT_16)
    takes: Sequence[Source] = actor_walks() if files is None else files
    return build(takes, mirror=False, thin=False).network


def left_out(sources: Sources) -> dict[str, tuple[list[Cycle], Axes | None]]:
    """Sets of cycles for leave-one-out, and their axes of placement."""
    if not sources.real:
        return {"actor, walks and turns": (list(gather(actor_walks()).cycles), TURN_AND_SPEED)}
    out = {}
    for title, (names, axes) in _LEFT_OUT.items():
        files = sources.found(names)
        if files is not None:
            sources.tell(f"preparing {title}")
            out[title] = (list(gather(files).cycles), axes)
    return out


def actor_walks() -> list[Source]:
    names = [f"{speed} walk {turn}" for speed in ("slow", "medium", "fast") for turn in _TURNS]
    return [capture(name)[0] for name in (*names, *(f"{style} walk" for style in _STYLES))]
